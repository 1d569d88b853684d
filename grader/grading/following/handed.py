"""Where a value comes from that an error says is of the wrong kind: the line to change."""

from __future__ import annotations

import ast
import re

from grader.grading.following.run import Run, operation
from grader.grading.following.slips import Ran, is_read, origin
from grader.grading.reading.bindings import (
    around,
    bound,
    callee,
    functions,
    is_none,
    statement_at,
    targets,
)
from grader.grading.reading.ends import without_return
from grader.grading.reading.shown import Slip
from grader.protocol.probe import SeenError
from grader.source.walked import of_kind, walked

MADE, YIELD, ORDER = "where it is made", "needs yield", "order of the arguments"
LOOP = "What a loop makes"
FILLS = re.compile("Put one tensor into it each time|is filled")
QUOTES = "Leave the quotes out where it is made"
GAVE_NONE = re.compile(r"(\w+)\(.*\) gave None")
"""What an error is told as if a function of the file returned nothing."""
PARTS = "too short or too long"
"""What a hint says if a list is taken apart that has other parts than there are names."""
ONCE = "Make an iterator of it once"
"""What a hint says if the line to change is where a value comes from."""


def made(tree: ast.Module, error: SeenError, told: str, ran: Ran = None) -> Slip | None:
    """Where a value comes from, or is filled, if an error as ``told`` asks to change that."""
    if error.calls and FILLS.search(told):
        return None
    return _made(tree, error, told, ran)


def _made(tree: ast.Module, error: SeenError, told: str, ran: Ran) -> Slip | None:
    """Where a value comes from that is of the wrong kind for the line which raised an error.

    Only if the error as it is ``told`` asks to change it there.
    """
    call = error.calls[-1] if error.calls else None
    if call is None or not any(one in told for one in (MADE, YIELD, ORDER, LOOP)):
        return None
    words = re.findall(r"\w+", told)
    code = call.statement if PARTS in told else call.code  # that is only the names
    names = [one for one in call.values if one in words and is_read(one, code)]
    for name in names:
        if YIELD in told:
            helper = functions(tree).get(
                callee(getattr(bound(tree, name, call.line), "value", None))
            )
            returns = [one for one in ast.walk(helper or tree) if isinstance(one, ast.Return)]
            given = [one.lineno for one in returns if one.value is not None]
            if helper is not None and len(given) == 1:
                return Slip(
                    given[0], f"{helper.name} ends at its first return, on line {given[0]}."
                )
            continue
        if LOOP in told:
            kept = bound(tree, name, call.line, ran)
            loops = (n for n in walked(tree) if isinstance(n, ast.For | ast.While))
            if kept is not None and any(kept in ast.walk(one) for one in loops):
                said = f"{name} is set anew in each turn of the loop, on line {kept.lineno}."
                return Slip(kept.lineno, said)
            continue
        inside = around(tree, call.line)
        if ORDER in told:
            handed = inside is not None and name in [one.arg for one in inside.args.args]
            if handed and len(error.calls) > 1 and call.values[name].kind in ("int", "float"):
                line = error.calls[-2].line
                return Slip(line, f"Line {line} gives {name} a number: swap the arguments there?")
            continue
        source = _source(tree, name, error, told, ran)
        if source is not None and source[0] != call.line:
            return Slip(source[0], f"{name} comes from line {source[0]}.")
    return None


def _source(
    tree: ast.Module, name: str, error: SeenError, told: str, ran: Ran
) -> tuple[int, str] | None:
    """The line that gave ``name`` its value, or has the text that it was made of.

    An argument may well be a list: not who gave it.
    """
    if ONCE in told:
        kept = bound(tree, name, error.calls[-1].line, ran)
        return None if kept is None else (kept.lineno, "")
    found = origin(tree, name, error.calls, "", ran)
    return (_quoted(tree, found[0]), "") if found is not None and QUOTES in told else found


def _quoted(tree: ast.Module, line: int) -> int:
    """``line``; or that of the one constant of the file which it reads, if that is a text."""
    here = statement_at(tree, line)
    names = {one.id for one in of_kind(tree, ast.Name) if one.lineno in here}
    texts = [
        one.lineno
        for one in tree.body
        if isinstance(one, ast.Assign) and names.intersection(targets(one))
        if isinstance(one.value, ast.Constant) and isinstance(one.value.value, str)
    ]
    return texts[0] if len(texts) == 1 else line


def unreturned(tree: ast.Module, told: str) -> Slip | None:
    """Where a function of the file ends that gave None, if an error is ``told`` to come of that."""
    found = GAVE_NONE.search(told)
    helper = functions(tree).get(found[1]) if found is not None else None
    if helper is None:
        return None
    if (ends := without_return(helper)) is not None:
        said = f"{helper.name} ends on line {ends} without a return."
        if _chains(tree, helper):
            return Slip(ends, f"{said} End it with: return self.")
        return Slip(ends, said)
    for one in ast.walk(helper):
        if isinstance(one, ast.Return) and (one.value is None or is_none(one.value)):
            return Slip(one.lineno, f"{helper.name} returns None on line {one.lineno}.")
    return None


def _chains(tree: ast.Module, method: ast.FunctionDef) -> bool:
    """Whether a method is to return its object: it says so, or all others that return nothing else.

    That is, its annotation is the name of its class, or ``Self``; or without one, another method of
    the class returns self.
    """
    owner = next((n for n in of_kind(tree, ast.ClassDef) if method in n.body), None)
    if owner is None or [one.arg for one in method.args.args[:1]] != ["self"]:
        return False
    if method.returns is not None:
        return ast.unparse(method.returns).strip("'\"") in (owner.name, "Self")
    every = (one for other in owner.body for one in ast.walk(other) if isinstance(one, ast.Return))
    return any(isinstance(one.value, ast.Name) and one.value.id == "self" for one in every)


def divided(mine: Run, error: SeenError, said: str) -> Slip | None:
    """Where a size was divided into a fraction, if an error ``said`` that it is one."""
    told = [float(one) for one in re.findall(r"\d+\.\d+", said)]
    values = error.calls[-1].values if error.calls else {}
    named = [one for name, one in values.items() if is_read(name, said)]
    told = told or [float(one.text) for one in named if one.kind == "float" and one.text]
    lines = {
        mine.line(number): number
        for number, scalars in mine.scalars.items()
        if operation(mine.nodes[number]) == "Div" and not scalars[-1].whole
        if not told or mine.held(number)[0] in told
    }
    if "whole number" not in said:
        return None
    if len(lines) != 1:
        return None
    ((line, number),) = lines.items()
    gets = f"Line {line} divides with / and gets {mine.held(number)[0]}: // keeps it whole."
    node = mine.nodes[number]
    if not isinstance(node, ast.BinOp):
        return Slip(line, gets)
    return Slip(line, gets, ast.unparse(ast.BinOp(node.left, ast.FloorDiv(), node.right)))
