"""Where a value comes from that an error says is of the wrong kind: the line to change."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from grader.grading.following.run import Run, operation
from grader.grading.following.slips import Ran, called_as, is_read, origin, to_return
from grader.grading.reading.bindings import (
    arguments,
    around,
    bound,
    callee,
    calling,
    functions,
    is_none,
    statement_at,
    stores,
    targets,
)
from grader.grading.reading.ends import open_end, results, without_return
from grader.grading.reading.program import taken
from grader.grading.reading.shown import Slip
from grader.protocol.probe import SeenCall, SeenError
from grader.source.walked import of_kind, walked

MADE, YIELD, ORDER = "where it is made", "needs yield", "order of the arguments"
LOOP = "What a loop makes"
FILLS = re.compile("Put one tensor into it each time|is filled")
QUOTES = "Leave the quotes out where it is made"
GAVE_NONE = re.compile(r"(\w+)\(.*\) gave None")
"""What an error is told as if a function of the file returned nothing."""
IS_NONE = re.compile(r"(\w+) is None(?: here)?, where")
"""How an error begins about a variable that has no value."""
PARTS = "too short or too long"
"""What a hint says if a list is taken apart that has other parts than there are names."""
ONCE = "Make an iterator of it once"
"""What a hint says if the line to change is where a value comes from."""


def made(tree: ast.Module, error: SeenError, told: str, ran: Ran = None) -> Slip | None:
    """Where a value comes from, or is filled, if an error as ``told`` asks to change that."""
    if error.calls and FILLS.search(told):
        return _filled(tree, error.calls[-1], told)
    if error.calls and PARTS in told and (early := _in_its_loop(tree, error.calls[-1], told)):
        return early
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


def _in_its_loop(tree: ast.Module, call: SeenCall, told: str) -> Slip | None:
    """The line that takes a list apart inside of the loop which fills it."""
    line, words = call.line, re.findall(r"\w+", told)
    for loop in of_kind(tree, ast.For):
        for name in call.values if loop.lineno < line <= (loop.end_lineno or 0) else ():
            inner = [one.lineno for one in stores(tree, name, loop.lineno)]
            if name in words and any(loop.lineno < one < line for one in inner):
                said = f"Line {line} is in the loop of line {loop.lineno}, which still fills {name}"
                return Slip(line, f"{said}: move it behind the loop, one step to the left.")
    return None


def given_none(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """Where a helper returns nothing, whose result a call hands over, if an error tells of that."""
    found = IS_NONE.match(told)
    inside = around(tree, error.calls[-1].line) if error.calls else None
    if found is None or inside is None or len(error.calls) < 2:
        return None
    for call in calling(tree, called_as(tree, inside)):
        if call.lineno in statement_at(tree, error.calls[-2].line):
            given = arguments(call, taken(inside)).get(found[1])
            if isinstance(given, ast.Call):
                return unreturned(tree, f"{callee(given)}() gave None")
    return None


def _filled(tree: ast.Module, call: SeenCall, told: str) -> Slip | None:
    """The one line that fills the list which an error is about."""
    for name in (one for one in call.values if one in re.findall(r"\w+", told)):
        first = bound(tree, name, call.line)
        lines = [one.lineno for one in stores(tree, name, first.lineno)] if first else []
        if len(lines) == 1:
            return Slip(lines[0], f"Line {lines[0]} fills {name}.")
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
        return Slip(ends, said, to_return(tree, ends))
    for one in ast.walk(helper):
        if isinstance(one, ast.Return) and (one.value is None or is_none(one.value)):
            lists = any(isinstance(n, ast.Return) and _listed(n.value) for n in ast.walk(helper))
            write = "return []" if lists and "list" in told else ""
            return Slip(one.lineno, f"{helper.name} returns None on line {one.lineno}.", write)
    if (end := open_end(helper.body)) is None:
        return None
    more = f" End it with: {given}." if (given := results(helper)) else ""
    return Slip(end, f"{helper.name} ends on line {end} without a return.{more}")


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


def _listed(node: ast.expr | None) -> bool:
    """Whether a list is written here."""
    return isinstance(node, ast.List | ast.ListComp)


STACKED = re.compile(r"takes pairs: .* here there is (?P<text>\S.*) \[2, [^\]]*\]")
"""What is said of a value whose pairs are along its first axis."""


def stacked_first(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The line that stacks two parts along a new first axis, if an error is ``told`` of pairs."""
    found = STACKED.search(told)
    if found is None or error.line is None:
        return None
    made = bound(tree, found["text"], error.line)
    value = getattr(made, "value", None)
    helper = functions(tree).get(found["text"].partition("(")[0].rpartition(".")[2])
    ends = [one for one in ast.walk(helper or ast.Pass()) if isinstance(one, ast.Return)]
    if made is None and len(ends) == 1:
        value = ends[0].value
    if not isinstance(value, ast.Call) or callee(value) != "stack":
        return None
    if len(value.args) != 1 or value.keywords:
        return None
    last = ast.Call(value.func, value.args, [ast.keyword("axis", ast.Constant(-1))])
    said = f"Line {value.lineno} stacks its parts along axis 0: pairs need the last axis."
    return Slip(value.lineno, said, ast.unparse(last))


UNPACKED = re.compile(r"There (?:are|is) .* than the \d+ expected|There (?:are|is) .* expected")
"""How an error begins about more or fewer values than names."""
ALONE = re.compile(r"gives one tensor, and \d+ names are to share it")
"""What an error says of a function that gives one value for several names."""


def unpaired(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """What a function of the file gives at a time, where the line of an error takes several."""
    line, alone = error.line or 0, ALONE.search(told) is not None
    if UNPACKED.match(told) is None and not alone:
        return None
    for node in of_kind(tree, ast.For, ast.comprehension, ast.Assign):
        match node:
            case (
                ast.For(target=ast.Tuple(elts=names), iter=ast.Call() as call)
                | ast.comprehension(target=ast.Tuple(elts=names), iter=ast.Call() as call)
            ):
                verb = "yields"
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Call() as call):
                verb = "returns"
            case _:
                continue
        helper = functions(tree).get(callee(call))
        if call.lineno != line or helper is None:
            continue
        kind = ast.Yield if verb == "yields" else ast.Return
        ends = [one for one in ast.walk(helper) if isinstance(one, kind)]
        if len(ends) != 1 or ends[0].value is None:
            continue
        given, at = ends[0].value, ends[0].lineno
        count = len(given.elts) if isinstance(given, ast.Tuple) else 1
        if count == len(names) or (count == 1 and verb == "returns" and not alone):
            continue
        many = "one value" if count == 1 else f"{count} values"
        said = f"Line {at} {verb} {many}, and line {line} takes {len(names)} from {helper.name}."
        return Slip(at, said)
    return None


SIZED = re.compile(r" must end in .*, and (\w+) is (\d+)")
"""How a hint ends on two shapes, with the variable that holds the odd size."""


def sized(tree: ast.Module, error: SeenError, hint: str) -> Slip | None:
    """The line that reads from a shape the size which an error is about, by its ``hint``."""
    found, line = SIZED.search(hint), error.line or 0
    made = bound(tree, found[1], line) if found is not None else None
    if found is None or not isinstance(made, ast.Assign) or ".shape" not in ast.unparse(made.value):
        return None
    return Slip(made.lineno, f"{found[1]} comes from line {made.lineno}.")


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
        return _by_fraction(mine, told)
    ((line, number),) = lines.items()
    gets = f"Line {line} divides with / and gets {mine.held(number)[0]}: // keeps it whole."
    node = mine.nodes[number]
    if not isinstance(node, ast.BinOp):
        return Slip(line, gets)
    return Slip(line, gets, ast.unparse(ast.BinOp(node.left, ast.FloorDiv(), node.right)))


ALL_SIZES = re.compile(r"(?:^|, and )(\w+) is the shape \[(?P<sizes>\d+, [\d, ]+)\]")
"""What an error says of a variable that is a whole shape, where a number is needed."""


def _by_fraction(mine: Run, told: Sequence[float]) -> Slip | None:
    """The one number with a point, such as 4.0, by which a size in ``told`` was multiplied."""
    products = [
        mine.nodes[number]
        for number, scalars in mine.scalars.items()
        if operation(mine.nodes[number]) == "Mult" and scalars[-1].value in told
    ]
    found = {}
    for node in products:
        for one in (node.left, node.right) if isinstance(node, ast.BinOp) else ():
            made = _constant(mine.tree, one)
            match getattr(made, "value", one):
                case ast.Constant(value=float() as value, lineno=line) if value.is_integer():
                    found[line] = value
    if len(found) != 1:
        return None
    ((line, value),) = found.items()
    said = f"Line {line} has {value}, and what is multiplied by it is no whole number: a size is."
    return Slip(line, said, f"{value:g} in place of {value}")


def _constant(tree: ast.Module, node: ast.expr) -> ast.stmt | None:
    """The statement that gives a variable of a function, or a constant of the file, its value."""
    if not isinstance(node, ast.Name):
        return None
    of_file = (one for one in tree.body if node.id in targets(one))
    return bound(tree, node.id, node.lineno) or next(of_file, None)


def all_sizes(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The line that keeps all sizes of a tensor by a name where an error needs one of them."""
    found, call = ALL_SIZES.search(told), error.calls[-1] if error.calls else None
    made = bound(tree, found[1], call.line) if found is not None and call is not None else None
    match made:
        case ast.Assign(targets=[ast.Name()], value=ast.Attribute(attr="shape") as shape):
            text, count = ast.unparse(shape), len(found["sizes"].split(",")) if found else 0
            said = f"Line {made.lineno} keeps all {count} sizes of {text} as one: take one of them"
            return Slip(made.lineno, f"{said} there, or give each its name.")
    return None


def misordered(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The line that gives two variables each other's value, if an error is ``told`` to be that."""
    call = error.calls[-1] if error.calls else None
    if call is None or "are in another order" not in told:
        return None
    for name in (one for one in call.values if is_read(one, call.code)):
        match bound(tree, name, call.line):
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=one), ast.Name(id=other)])],
                value=ast.Tuple(elts=[first, second]),
                lineno=line,
            ) if {one, other} <= _given(call.code):
                said = f"Line {line} gives {one} and {other} their values, in another order."
                write = f"{one}, {other} = {ast.unparse(second)}, {ast.unparse(first)}"
                return Slip(line, said, write)
    return None


def _given(code: str) -> set[str]:
    """The variables that a call, as it is written, is given as they are."""
    try:
        call = ast.parse(code.strip(), mode="eval").body
    except SyntaxError:
        return set()
    return {one.id for one in getattr(call, "args", ()) if isinstance(one, ast.Name)}
