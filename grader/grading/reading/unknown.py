"""A name that an error says is not defined, and the file shows what is wrong with it."""

from __future__ import annotations

import ast
import copy
import difflib
import re
from collections.abc import Iterator, Sequence

from grader.grading.reading.bindings import around, callee, functions, targets
from grader.grading.reading.odd import blocks
from grader.grading.reading.shown import Slip, name_of
from grader.source.variables import binds, read, reads, stored
from grader.source.walked import of_kind, walked

MISSING = re.compile(r"The name (\w+) is not defined")
"""What the message of such an error says."""

ALIKE = 0.75
"""How alike a name must be to a known one to be a slip of the keyboard."""

LONGEST = 100
"""Characters up to which a value is written out with another name."""

SHORTEST = 2
"""Letters of a variable that a longer name may be meant to be."""


def unknown(tree: ast.Module, line: int, message: str) -> Slip | None:
    """What is wrong with a name that ``line`` reads, as the ``message`` says, in vain."""
    found = MISSING.search(message)
    if found is None:
        return None
    name = found[1]
    return _below(tree, line, name) or _in_a_pair(tree, line, name) or _longer(tree, line, name)


def as_beside(tree: ast.Module, line: int, message: str) -> str:
    """What an unknown name of ``line`` is probably to be: what a statement like it has there.

    Empty where none of the same block is like it, or the name is nearly another one. A variable
    that nothing reads may be what is meant, and so may one of the statement's own.
    """
    found, inside = MISSING.search(message), around(tree, line)
    if found is None or inside is None:
        return ""
    name, every = found[1], inside.args
    given = {one.arg for one in (*every.posonlyargs, *every.args, *every.kwonlyargs)}
    known = (given | stored(inside)) - {"self", name}
    unread = any(not one.startswith("_") for one in known - read(inside))
    if unread or difflib.get_close_matches(name, known, 1, ALIKE):
        return ""
    for block in blocks(inside):
        own = next(
            (one for one in block if isinstance(one, ast.Assign) and one.lineno == line), None
        )
        if own is not None:
            return _as_like(own, [one for one in block if isinstance(one, ast.Assign)], name, given)
    return ""


def _as_like(own: ast.Assign, block: Sequence[ast.Assign], name: str, given: set[str]) -> str:
    """The advice to write what all assignments of a block like ``own`` have for ``name``."""
    names = [one.id for one in reads(own.value)]
    like = [one for one in block if one is not own and _form(one) == _form(own)]
    if names.count(name) != 1 or not like:
        return ""
    there = {reads(one.value)[names.index(name)].id for one in like}
    (other, *more), near = there, like[0]
    above = {one for each in block if each.lineno < own.lineno for one in stored(each)}
    words = {word for one in like for target in one.targets for word in _words(target)}
    if more or other not in given | above or words.intersection(_words(ast.Name(other))):
        return ""
    said = f"Did you mean {other}, as on line {near.lineno}?"
    value = copy.deepcopy(own.value)
    for one in ast.walk(value):
        if isinstance(one, ast.Name) and one.id == name:
            one.id = other
    text = ast.unparse(value)
    return f"{said} Write {text}" if len(text) <= LONGEST else said


def _form(one: ast.Assign) -> str:
    """A value as text, but for the variables in it."""
    return re.sub(r"Name\(id='\w+'", "Name(", ast.dump(one.value))


def _words(target: ast.expr) -> list[str]:
    """The words that a name is made of."""
    return ast.unparse(target).replace(".", "_").split("_")


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
    classes = of_kind(tree, ast.ClassDef)
    inside = [one for one in classes if one.lineno <= line <= (one.end_lineno or 0)]
    yield from (one.body for one in reversed(inside))
    yield tree.body


def _in_a_pair(tree: ast.Module, line: int, name: str) -> Slip | None:
    """A name that a helper gives to its part of what it returns, where all of it is kept as one."""
    inside = around(tree, line)
    if inside is None:
        return None
    for one in walked(inside):
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
    every = walked(function) if function is not None else ()
    ends = [one for one in every if isinstance(one, ast.Return)]
    parts = getattr(ends[0].value, "elts", []) if len(ends) == 1 else []
    names = [name_of(one) for one in parts]
    return names if all(names) and len(names) > 1 else []


def _longer(tree: ast.Module, line: int, name: str) -> Slip | None:
    """A name that begins with, or begins, the only variable of the function of which that is so."""
    inside = around(tree, line)
    if inside is None:
        return None
    given = [arg.arg for arg in of_kind(inside, ast.arg)]
    known = sorted({*stored(inside), *given} - {name})
    near = [one for one in known if len(one) >= SHORTEST and _begins(one, name)]
    if len(near) != 1:
        return None
    kept = of_kind(inside, ast.stmt)
    made = [one.lineno for one in kept if near[0] in targets(one) and one.lineno < line]
    place = f", from line {min(made)}" if made else ""
    return Slip(line, f"There is {near[0]} here{place}: is it meant by {name}?")


def _begins(one: str, other: str) -> bool:
    """Whether one of two names is the beginning of the other."""
    return one.startswith(other) or other.startswith(one)
