"""Helpers that only look at what they are given, and raise an error if it is wrong.

Such an error is the fault of a call, not of the helper: that is right for all of its other calls.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from grader.base.rewriting import Rewriter
from grader.grading.reading.bindings import arguments, around, callee, calling, is_none
from grader.grading.reading.program import parameters
from grader.grading.reading.shown import Slip
from grader.source.variables import read, stored
from grader.source.walked import of_kind, walked

CALLER = re.compile(r"^ *File .+, line (\d+), in \S+$", re.MULTILINE)
"""How a traceback names each line that it comes through."""

MOST_TEXT = 100
"""Characters of a condition that is quoted."""


def refused(tree: ast.Module, line: int, chain: str) -> Slip | None:
    """The call that makes a helper raise its error on ``line``, with what it asks for there.

    ``chain`` is the traceback. The helper only asks about its arguments and raises.
    """
    function = around(tree, line)
    asked = None if function is None else _asked(function, line, chain)
    lines = [int(one) for one in CALLER.findall(chain)]
    if function is None or asked is None or line not in lines[1:]:
        return None
    at = lines[len(lines) - 1 - lines[::-1].index(line) - 1]
    calls = [one for one in calling(tree, function.name) if _holds(one, at)]
    given = _given(calls[0], function) if len(calls) == 1 else None
    if given is None or not read(asked) <= given.keys() | {"self"} | _elsewhere(asked):
        return None
    test, was = _plain(_Given(given).visit(asked))
    text, start = ast.unparse(test), calls[0].lineno
    if len(text) > MOST_TEXT:
        return None
    begins = f"Line {start}: {function.name} raises this error, as {text} is"
    if told := asked_wrongly(tree, test, calls[0], begins, was, start):
        return told
    said = f"{begins} {was}. Here it must not"
    return Slip(start, f"{said} be: is the right thing asked, of the right values in their order?")


def handed_on(tree: ast.Module, line: int, chain: str) -> Slip | None:
    """The condition of a caller under which it calls a helper that raises whatever it is given."""
    function = around(tree, line)
    lines = [int(one) for one in CALLER.findall(chain)]
    if function is None or not _only_raises(function, line, chain) or line not in lines[1:]:
        return None
    at = lines[len(lines) - 1 - lines[::-1].index(line) - 1]
    for node in walked(tree):
        for block, was in _branches(node):
            calls = [call for one in block for call in _called(one, function.name)]
            if not isinstance(node, ast.If) or not any(_holds(one, at) for one in calls):
                continue
            start, text = node.test.lineno, ast.unparse(node.test)
            if len(text) > MOST_TEXT:
                return None
            begins = f"Line {at} has {function.name} raise this error, as on line {start} {text} is"
            raised = next(one for one in calls if _holds(one, at))
            if told := asked_wrongly(tree, node.test, raised, begins, was, start):
                return told
            return Slip(start, f"{begins} {was}. Here it must not be: is the right thing asked?")
    return None


def _only_raises(function: ast.FunctionDef, line: int, chain: str) -> bool:
    """Whether a function raises its error on a line whatever it is given."""
    end = function.body[-1]
    plain = all(
        isinstance(one, ast.Expr | ast.Assign | ast.AnnAssign) for one in function.body[:-1]
    )
    raises = isinstance(end, ast.Raise) and end.lineno == line and not of_another(chain, end)
    return plain and raises


def _branches(node: ast.AST) -> Iterator[tuple[list[ast.stmt], str]]:
    """What runs where a condition is true, and where it is false."""
    if isinstance(node, ast.If):
        yield node.body, "true"
        yield node.orelse, "false"


def _called(statement: ast.stmt, name: str) -> list[ast.Call]:
    """The call of a function that a statement is, or whose result it returns or raises."""
    value = getattr(statement, "value", None)
    return [value] if isinstance(value, ast.Call) and callee(value) == name else []


def asked_wrongly(
    tree: ast.Module, test: ast.expr, raised: ast.AST, begins: str, was: str, line: int
) -> Slip | None:
    """What the source shows of a condition on ``line``, which was true or false and should not be.

    ``raised`` is what gives the error its text. The sentence on it ``begins`` with who raises it
    and why: ``"Line 7 raises this error itself, as x > y is"``.
    """
    return (
        _counted(test, begins, was, line)
        or _left_out(tree, test, begins, was, line)
        or _other(tree, test, raised, f"{begins} {was}", line)
    )


def _counted(test: ast.expr, begins: str, was: str, line: int) -> Slip | None:
    """A number of which it is asked whether it is true: it is 0, or it is not."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=ast.BinOp() as number):
            text, is_zero = ast.unparse(number), was == "true"
            begins = f"{begins} {was}: {text} is"
            write = f"{text}{IN_PLACE}not {text}"
        case ast.BinOp() as number:
            text, is_zero = ast.unparse(number), was == "false"
            write = f"{text} == 0{IN_PLACE}{text}"
        case _:
            return None
    if not isinstance(number.op, ast.Mod):
        return None
    if is_zero:
        return Slip(line, f"{begins} 0, which counts as false. Here it is right if it is 0.", write)
    said = f"{begins} not 0, which counts as true. Here it must be 0"
    return Slip(line, f"{said}: is the right thing asked, of the right values in their order?")


IN_PLACE = " in place of "
"""What stands between what to write and what is there."""


def _left_out(tree: ast.Module, test: ast.expr, begins: str, was: str, line: int) -> Slip | None:
    """A condition on the one field that it asks for, without asking whether that is its None."""
    inside = around(tree, line)
    classes = [one for one in of_kind(tree, ast.ClassDef) if inside in one.body]
    body = classes[0].body if classes else []
    empty = {
        ast.unparse(one.target)
        for one in body
        if isinstance(one, ast.AnnAssign) and one.value is not None and is_none(one.value)
    }
    asked = {one.attr for one in walked(test) if _of_self(one)}
    if inside is None or len(asked) != 1 or not asked <= empty:
        return None
    (name,) = asked
    field, text = f"self.{name}", ast.unparse(test)
    compared = of_kind(inside, ast.Compare)
    if text in (field, f"not {field}") or any(
        ast.unparse(one.left) == field and any(map(is_none, one.comparators)) for one in compared
    ):
        return None
    begins = f"{begins} {was}. {field} is None by default, and what is asked leaves that out."
    loose = isinstance(test, ast.IfExp) or (was == "true" and isinstance(test, ast.BoolOp))
    whole = f"({text})" if loose else text
    write = f"{field} is not None and {whole}" if was == "true" else f"{field} is None or {whole}"
    return Slip(line, begins, f"{write}{IN_PLACE}{text}")


def _of_self(node: ast.AST) -> TypeGuard[ast.Attribute]:
    """Whether a node is an attribute of ``self``."""
    own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return own and ast.unparse(node).startswith("self.")


def _other(
    tree: ast.Module, test: ast.expr, raised: ast.AST, begins: str, line: int
) -> Slip | None:
    """A condition with another variable than the error's text names.

    One variable of the function is named and not asked, and one is asked and not named.
    """
    inside = around(tree, line)
    known = (stored(inside) | {*parameters(inside)}) if inside is not None else set()
    named, asked = _named(raised) & known, read(test) & known - {"self", "cls"}
    lacks, more = named - asked, asked - named
    if len(lacks) != 1 or len(more) != 1 or len(named) < FEWEST:
        return None
    (new,), (old,), text = lacks, more, ast.unparse(test)
    kept = [one for one in walked(inside or test) if isinstance(one, ast.Assign | ast.AnnAssign)]
    if any(old in stored(one) and new in read(one) for one in kept):
        return None  # asked by way of what was made of it
    fixed = ast.unparse(_Given({old: ast.Name(new)}).visit(test))
    said = f"{begins}. Its text names {' and '.join(sorted(named))}, and what is asked is about"
    return Slip(line, f"{said} {old}, not about {new}.", f"{fixed}{IN_PLACE}{text}")


FEWEST = 2
"""Variables that a text has to name: a single one may be a word like any other."""


def _named(raised: ast.AST) -> frozenset[str]:
    """The words of the texts in a statement, and the variables that are put into them."""
    words: set[str] = set()
    for one in walked(raised):
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            words.update(re.findall(r"[^\W\d]\w*", one.value))
        elif isinstance(one, ast.FormattedValue):
            words |= read(one)
    return frozenset(words)


def of_another(message: str, node: ast.Raise) -> bool:
    """Whether a message names an error, and not the one that this statement raises."""
    kind = re.search(r"\b(\w+(?:Error|Exception))\b: ", message)
    return kind is not None and node.exc is not None and kind[1] not in ast.unparse(node.exc)


def _asked(function: ast.FunctionDef, line: int, chain: str) -> ast.expr | None:
    """What is true when a helper raises on ``line``, if it does nothing but ask that and raise."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    match body[:1]:
        case [ast.If(test=test, body=[ast.Raise(lineno=at) as end], orelse=[])]:
            asked: ast.expr = test
            at = 0 if of_another(chain, end) else at
        case [ast.Assert(test=test, lineno=at)] if "AssertionError" in chain:
            asked = ast.UnaryOp(ast.Not(), test)
        case _:
            return None
    rest = all(isinstance(one, ast.Return | ast.Pass) for one in body[1:])
    own = set(parameters(function)) & read(asked)
    return asked if rest and at == line and own else None


def _elsewhere(asked: ast.expr) -> set[str]:
    """The names in a condition that are those of functions: ``len``, or one of the file's own."""
    return {ast.unparse(one.func) for one in of_kind(asked, ast.Call)}


def _holds(node: ast.Call, line: int) -> bool:
    """Whether a call is on a line, or goes on there."""
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _given(call: ast.Call, function: ast.FunctionDef) -> dict[str, ast.expr] | None:
    """What a call gives for each parameter; None if that cannot be read off."""
    if any(isinstance(one, ast.Starred) for one in call.args):
        return None
    names = parameters(function)
    bound = names[:1] == ["self"] and isinstance(call.func, ast.Attribute)
    return arguments(call, names[1:] if bound else names)


def _plain(test: ast.expr) -> tuple[ast.expr, str]:
    """A condition that is true without a ``not`` around it, and what it is then."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return inner, "false"
    return test, "true"


class _Given(Rewriter):
    """Puts what a call gives in place of the parameters."""

    def __init__(self, given: dict[str, ast.expr]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A parameter."""
        return self.given.get(node.id, node)
