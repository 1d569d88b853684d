"""A tensor that is made without the type which the function around it is asked for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grader.grading.reading.bindings import bound, callee
from grader.grading.reading.odd import parameters
from grader.grading.reading.shown import Slip, name_of
from grader.source.walked import of_kind, walked

OTHER = re.compile(r"returned dtype (\w+), expected \w+")
"""What is said of a result that has another type."""

TYPE = "dtype"
"""What an argument is called that says which type a tensor gets."""

MAKERS = ("Tensor", "constant", "full", "zeros", "ones", "arange")
"""Calls that make a tensor of numbers, of a type of their own if they are told none."""


def untyped(tree: ast.Module, message: str) -> Slip | None:
    """The one line that gives no type to what it makes, in a function that is asked for one."""
    found = OTHER.search(message)
    slips: dict[int, Slip] = {}
    for function in of_kind(tree, ast.FunctionDef) if found is not None else ():
        named = [one.arg for one in function.args.kwonlyargs]
        if found is not None and TYPE in (*parameters(function), *named):
            slips |= {one.line: one for one in _made(tree, function, found[1])}
    return next(iter(slips.values())) if len(slips) == 1 else None


def _made(tree: ast.Module, function: ast.FunctionDef, kind: str) -> Iterator[Slip]:
    """The calls of a function that give no type, or what they hand over with ``**``."""
    for call in walked(function):
        if not isinstance(call, ast.Call) or callee(call) not in MAKERS:
            continue
        if any(word.arg == TYPE for word in call.keywords) or _by_place(call):
            continue
        many = [word.value for word in call.keywords if word.arg is None]
        if not many:
            said = f"Line {call.lineno} makes a tensor and says no {TYPE}: it is {kind}."
            yield Slip(call.lineno, said, ast.unparse(_with_type(call)))
        for name in map(name_of, many):
            kept = bound(tree, name, call.lineno) if name else None
            options = kept.value if isinstance(kept, ast.Assign) else None
            if kept is not None and options is not None and _lacks(options):
                said = f"{name} of line {kept.lineno} has no {TYPE}, so what line {call.lineno}"
                write = f"{name} = {ast.unparse(_with_type(options))}"
                yield Slip(kept.lineno, f"{said} makes with it is {kind}.", write)


def _by_place(call: ast.Call) -> bool:
    """Whether a call is given a type by its place: ``Tensor(0.0, dtype)``."""
    return any(TYPE in ast.unparse(one).lower() for one in call.args)


def _lacks(options: ast.expr) -> bool:
    """Whether this is a dict whose keys are all written there, and none of them is the type."""
    match options:
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=words):
            return all(word.arg not in (None, TYPE) for word in words)
        case ast.Dict(keys=keys):
            return all(isinstance(one, ast.Constant) and one.value != TYPE for one in keys)
    return False


def _with_type(made: ast.expr) -> ast.expr:
    """A call, or a dict of arguments, with the type."""
    own = ast.Name(TYPE)
    if isinstance(made, ast.Dict):
        return ast.Dict([*made.keys, ast.Constant(TYPE)], [*made.values, own])
    if isinstance(made, ast.Call):
        return ast.Call(made.func, made.args, [*made.keywords, ast.keyword(TYPE, own)])
    return made
