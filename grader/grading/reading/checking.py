"""Helpers that only look at what they are given, and raise an error if it is wrong.

Such an error is the fault of a call, not of the helper: that is right for all of its other calls.
"""

from __future__ import annotations

import ast
import copy
import re

from grader.grading.reading.bindings import arguments, around, callee
from grader.grading.reading.program import parameters
from grader.grading.reading.shown import Slip
from grader.source.variables import read
from grader.source.walked import walked

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
    calls = [one for one in _calls(tree, function.name) if _holds(one, at)]
    given = _given(calls[0], function) if len(calls) == 1 else None
    if given is None or not read(asked) <= given.keys() | {"self"} | _elsewhere(asked):
        return None
    test, was = _plain(_Given(given).visit(copy.deepcopy(asked)))
    text, start = ast.unparse(test), calls[0].lineno
    if len(text) > MOST_TEXT:
        return None
    said = f"Line {start}: {function.name} raises this error, as {text} is {was}. Here it must not"
    return Slip(start, f"{said} be: is the right thing asked, of the right values in their order?")


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
    return {ast.unparse(one.func) for one in walked(asked) if isinstance(one, ast.Call)}


def _calls(tree: ast.Module, name: str) -> list[ast.Call]:
    """The calls of a function of the file."""
    return [one for one in walked(tree) if isinstance(one, ast.Call) and callee(one) == name]


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


class _Given(ast.NodeTransformer):
    """Puts what a call gives in place of the parameters."""

    def __init__(self, given: dict[str, ast.expr]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A parameter."""
        return self.given.get(node.id, node)
