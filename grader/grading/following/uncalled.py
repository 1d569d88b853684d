"""What an error comes from that is not called, or too early: a layer, a function, a class."""

from __future__ import annotations

import ast
import re

from grader.grading.following.slips import is_read
from grader.grading.reading.bindings import bound, callee, functions
from grader.grading.reading.program import parameters
from grader.grading.reading.shown import Slip
from grader.protocol.probe import SeenError
from grader.source.variables import stored
from grader.source.walked import of_kind


def uncalled(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The line that keeps a layer, or hands one over, where the result of calling it belongs.

    Only if the error as it is ``told`` says that a layer is where a tensor belongs.
    """
    if not error.calls or ", a layer" not in told:
        return None
    return _kept(tree, error, told)


def kept_method(tree: ast.Module, error: SeenError) -> Slip | None:
    """The one place that takes a method for what it gives, if an error shows that.

    Or of several the method itself: it is to be a property.
    """
    found = BOUND.search(error.message)
    if found is None or not error.calls:
        return None
    called = {one.func for one in of_kind(tree, ast.Call)}
    reads = [one for one in of_kind(tree, ast.Attribute) if one.attr == found[2]]
    idle = [one for one in reads if one not in called]
    objects = {name for name, one in error.calls[-1].values.items() if one.kind == found[1]}
    idle = [one for one in idle if ast.unparse(one.value) in objects] or idle
    method = functions(tree).get(found[2])
    if len(idle) > 1 and method is not None:
        said = (
            f"{found[2]} of {found[1]} is a method, and nothing calls it: is it to be a property?"
        )
        return Slip(method.lineno, said, f"@property above def {found[2]}")
    if len(idle) != 1:
        return None
    text, line = ast.unparse(idle[0]), idle[0].lineno
    said = f"{text} on line {line} is the method of {found[1]} itself, which is not called."
    return Slip(line, said, f"{text}() in place of {text}")


BOUND = re.compile(r"<bound method (\w+)\.(\w+) of ")
"""How Python shows a method of an object."""


def _kept(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The line that gives a layer another name, which the line with the error reads."""
    call = error.calls[-1]
    for name in call.values:
        statement = bound(tree, name, call.line)
        match statement:
            case ast.Assign(value=ast.Attribute() as layer, lineno=line):
                text, kept = ast.unparse(layer), name
            case ast.Assign(value=ast.Call() as given):
                helper = functions(tree).get(callee(given))
                found = None if helper is None else _returned(tree, helper)
                if found is None:
                    continue
                line, text, kept = found
            case _:
                continue
        if is_read(name, call.code) and told.startswith(f"{name} is "):
            same = "it returns" if text == kept else f"{kept} is"
            return Slip(line, f"Line {line} does not call {text}: {same} the layer itself.")
    return None


def _returned(tree: ast.Module, helper: ast.FunctionDef) -> tuple[int, str, str] | None:
    """The line of a helper that returns what it was given, or keeps it to return it.

    With it the name of what is not called, and that of what is returned.
    """
    loops = (one for one in ast.walk(helper) if isinstance(one, ast.For))
    given = {*parameters(helper), *(name for one in loops for name in stored(one.target))}
    ends = [one for one in ast.walk(helper) if isinstance(one, ast.Return)]
    if len(ends) != 1 or not isinstance(ends[0].value, ast.Name):
        return None
    name, line = ends[0].value.id, ends[0].lineno
    match bound(tree, name, line):
        case None if name in given:
            return line, name, name
        case ast.Assign(value=ast.Name(id=other), lineno=line) if other in given:
            return line, other, name
    return None
