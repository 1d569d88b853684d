"""A variable of an enclosing function, or of the file, that a function gives a value of its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.grading.reading.bindings import around
from grader.grading.reading.program import parameters
from grader.source.variables import read, stored
from grader.source.walked import of_kind, walked

UNBOUND = re.compile(r"The variable (\w+) is used before it has a value|local variable '(\w+)'")
"""What an error says of a variable without a value."""

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@dataclass(frozen=True)
class Outer:
    """A variable that two functions have: what happened, and what to do."""

    said: str
    hint: str


def outer(tree: ast.Module, line: int, message: str) -> Outer | None:
    """Why a variable has no value on ``line``, though one around the function has this name.

    Only where the function gives it a value nowhere above: else that one is meant.
    """
    found, inside = UNBOUND.search(message), around(tree, line)
    if found is None or inside is None:
        return None
    name = found[1] or found[2]
    lines = [one.lineno for one in _own(inside.body) if name in _given(one)]
    at = [one for one in lines if one >= line]
    own = _parameters(inside)
    unread = any(not one.startswith("_") for one in {*own} - {"self"} - read(inside))
    if not at or len(at) < len(lines) or name in own or unread:  # an unread one may be meant
        return None
    kind, there = _bound(tree, inside, name)
    if not there:
        return None
    said = (
        f"Line {at[0]} gives {name} a value, so {name} belongs to {inside.name}: it is not the "
        f"{name} of line {there}."
    )
    if kind == "global" and name.isupper():
        return Outer(said, f"Give what line {at[0]} makes another name than {name}.")
    return Outer(said, f"Begin {inside.name} with: {kind} {name}")


def _bound(tree: ast.Module, inside: ast.FunctionDef, name: str) -> tuple[str, int]:
    """Where the nearest function around another one, or the file, gives a variable its value.

    The line is 0 where none does, and where it is the name of something else than a variable.
    """
    functions = of_kind(tree, ast.FunctionDef)
    holds = [one for one in functions if one is not inside and inside in walked(one)]
    for one in reversed(holds):
        if name in _parameters(one):
            return "nonlocal", one.lineno
        if (line := _first(one.body, name)) is not None:
            return "nonlocal", line
    return "global", _first(tree.body, name) or 0


def _first(body: Sequence[ast.stmt], name: str) -> int | None:
    """The line that gives a variable its value first; 0 for a function or a class of this name."""
    for one in _own(body):
        if isinstance(one, ast.FunctionDef | ast.ClassDef) and one.name == name:
            return 0
        if name in _given(one):
            return one.lineno
    return None


def _given(one: ast.stmt) -> frozenset[str]:
    """The variables that a statement by itself gives a value; of a block, those of its head."""
    if isinstance(one, ast.AnnAssign) and one.value is None:
        return frozenset()
    if isinstance(one, ast.Assign | ast.AnnAssign | ast.AugAssign):
        return stored(one)
    if isinstance(one, ast.For):
        return stored(one.target)
    with_names = (each.optional_vars for each in getattr(one, "items", ()))
    return frozenset(name for each in with_names if each is not None for name in stored(each))


def _own(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a function, in their order, without those of functions in it."""
    for one in body:
        yield one
        if isinstance(one, SCOPES):
            continue
        for part in ("body", "orelse", "finalbody"):
            yield from _own(getattr(one, part, ()))
        for handler in getattr(one, "handlers", ()):
            yield from _own(handler.body)


def _parameters(function: ast.FunctionDef) -> list[str]:
    stars = filter(None, (function.args.vararg, function.args.kwarg))
    return [*parameters(function), *(one.arg for one in stars)]
