"""A default that is another than the solution's, of the same parameter of the same function."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grader.grading.reading.shown import Slip
from grader.source.variables import reads

RUNS = {"forward": "__call__"}
"""Either runs when an object is called."""

Known = bool | float | str | None
"""The value of a default: a plain one, or the last name of ``DType.float32``."""


@dataclass(frozen=True)
class Default:
    """A parameter's default: where it is, and the value itself, which a constant may hold."""

    line: int
    text: str
    value: Known
    node: ast.expr


def otherwise(tree: ast.Module, right: ast.Module) -> Iterator[Slip]:
    """The defaults of a program that are of the solution's kind, and differ."""
    wanted = _defaults(right)
    for (owner, function, param), mine in _defaults(tree).items():
        there = wanted.get((owner, function, param))
        if there is None or _same(mine, there) or type(mine.value) is not type(there.value):
            continue
        write = _spelled(mine.node, there)
        said = f"{param} of {function} is {mine.text} by default, from line {mine.line}; the"
        yield Slip(mine.line, f"{said} reference has {write}.", write)


def _same(mine: Default, there: Default) -> bool:
    one, other = mine.value, there.value
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9)
    return one == other


def _spelled(mine: ast.expr, there: Default) -> str:
    """The solution's default, of the module that the program has its own from."""
    if isinstance(mine, ast.Attribute) and isinstance(there.node, ast.Attribute):
        return ast.unparse(ast.Attribute(mine.value, there.node.attr))
    return ast.unparse(there.node)


def _defaults(tree: ast.Module) -> Mapping[tuple[str, str, str], Default]:
    """The known defaults of the functions and methods of a file, by class, function and name."""
    names = [one.id for one in reads(tree)]
    constants = {
        one.targets[0].id: one
        for one in tree.body
        if isinstance(one, ast.Assign) and len(one.targets) == 1
        if isinstance(one.targets[0], ast.Name)
    }
    found = {}
    for owner, function in _functions(tree):
        given, name = function.args, RUNS.get(function.name, function.name)
        places = [*given.posonlyargs, *given.args]
        pairs = [*zip(places[len(places) - len(given.defaults) :], given.defaults, strict=True)]
        pairs += [
            (arg, one)
            for arg, one in zip(given.kwonlyargs, given.kw_defaults, strict=True)
            if one is not None
        ]
        for arg, node in pairs:
            kept = constants.get(node.id) if isinstance(node, ast.Name) else None
            value = node if kept is None else kept.value
            at = kept if kept is not None and names.count(ast.unparse(node)) == 1 else node
            if (known := _known(value)) is not None:
                text = ast.unparse(node)
                found[owner, name, arg.arg] = Default(at.lineno, text, known, value)
    return found


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for one in tree.body:
        if isinstance(one, ast.FunctionDef):
            yield "", one
        for inner in one.body if isinstance(one, ast.ClassDef) else ():
            if isinstance(inner, ast.FunctionDef) and isinstance(one, ast.ClassDef):
                yield one.name, inner


def _known(node: ast.expr) -> Known:
    """The value of a constant, or of numbers that are worked out; a type's name of a type."""
    match node:
        case ast.Constant(value=bool() | str() as value):
            return value
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Attribute(value=ast.Name(), attr=name):
            return name
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _known(operand)
            return -inner if type(inner) is float else None
    return None
