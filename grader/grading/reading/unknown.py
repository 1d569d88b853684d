"""A name that an error says is not defined, and the file shows what is wrong with it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grader.grading.reading.bindings import around, callee, functions, targets
from grader.grading.reading.shown import Slip, name_of
from grader.source.variables import binds, read, stored
from grader.source.walked import walked

MISSING = re.compile(r"The name (\w+) is not defined")
"""What the message of such an error says."""

SHORTEST = 2
"""Letters of a variable that a longer name may be meant to be."""


def unknown(tree: ast.Module, line: int, message: str) -> Slip | None:
    """What is wrong with a name that ``line`` reads, as the ``message`` says, in vain."""
    found = MISSING.search(message)
    if found is None:
        return None
    name = found[1]
    return _below(tree, line, name) or _in_a_pair(tree, line, name) or _longer(tree, line, name)


def _below(tree: ast.Module, line: int, name: str) -> Slip | None:
    """A name that gets its value further down, in the same class or at the top of the file."""
    for body in _bodies(tree, line):
        later = [one.lineno for one in body if one.lineno > line and name in binds(one)]
        if later:
            said = f"{name} gets its value only on line {later[0]}, which is below line {line}"
            return Slip(line, f"{said}: a line can use only what is above it.")
    return None


def _bodies(tree: ast.Module, line: int) -> Iterator[list[ast.stmt]]:
    """The classes around a line that is in no function, and the file: the innermost first."""
    if around(tree, line) is not None:
        return
    classes = [one for one in walked(tree) if isinstance(one, ast.ClassDef)]
    inside = [one for one in classes if one.lineno <= line <= (one.end_lineno or 0)]
    yield from (one.body for one in reversed(inside))
    yield tree.body


def _in_a_pair(tree: ast.Module, line: int, name: str) -> Slip | None:
    """A name that a helper gives to its part of what it returns, where all of it is kept as one."""
    inside = around(tree, line)
    if inside is None:
        return None
    for one in ast.walk(inside):
        if not isinstance(one, ast.Assign) or not isinstance(one.targets[0], ast.Name):
            continue
        parts = _returned(functions(tree).get(callee(one.value)))
        if name not in parts or one.lineno >= line or not isinstance(one.value, ast.Call):
            continue
        helper, kept = callee(one.value), one.targets[0].id
        said = f"{helper} returns {', '.join(parts)}, and line {one.lineno} keeps all of it as"
        alone = kept in parts or kept not in read(inside)
        write = f"{', '.join(parts)} = {ast.unparse(one.value)}" if alone else ""
        return Slip(one.lineno, f"{said} {kept}: {name} is one of its parts.", write)
    return None


def _returned(function: ast.FunctionDef | None) -> list[str]:
    """The variables that the one return of a function gives together."""
    every = ast.walk(function) if function is not None else ()
    ends = [one for one in every if isinstance(one, ast.Return)]
    parts = getattr(ends[0].value, "elts", []) if len(ends) == 1 else []
    names = [name_of(one) for one in parts]
    return names if all(names) and len(names) > 1 else []


def _longer(tree: ast.Module, line: int, name: str) -> Slip | None:
    """A name that begins with, or begins, the only variable of the function of which that is so."""
    inside = around(tree, line)
    if inside is None:
        return None
    given = [arg.arg for arg in ast.walk(inside) if isinstance(arg, ast.arg)]
    known = sorted({*stored(inside), *given} - {name})
    near = [one for one in known if len(one) >= SHORTEST and _begins(one, name)]
    if len(near) != 1:
        return None
    kept = [one for one in ast.walk(inside) if isinstance(one, ast.stmt)]
    made = [one.lineno for one in kept if near[0] in targets(one) and one.lineno < line]
    place = f", from line {min(made)}" if made else ""
    return Slip(line, f"There is {near[0]} here{place}: is it meant by {name}?")


def _begins(one: str, other: str) -> bool:
    """Whether one of two names is the beginning of the other."""
    return one.startswith(other) or other.startswith(one)
