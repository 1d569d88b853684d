"""A call that gives a function its arguments in another way than the function takes them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grader.grading.following.slips import called_as, is_read
from grader.grading.reading.bindings import around, calling, statement_at
from grader.grading.reading.shown import Slip, with_swapped
from grader.protocol.probe import SeenError
from grader.source.annotations import allows_none
from grader.source.walked import of_kind

PROPERTIES = {"property", "cached_property", "functools.cached_property"}
"""What makes a method without arguments an attribute."""


WANTED = (
    ("not an element type", ("DType",)),
    ("A device is needed", ("CPU",)),
    ("A size is a whole number", ("int", "StaticDim")),
    ("where a tensor is needed", ("Tensor",)),
    ("where a tensor or a number is needed", ("Tensor",)),
    ("None here, so it cannot be called", ("function", "method", "type")),
)
"""What an error says, and the kinds of values that its line needs then."""


def given_crosswise(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The call that gives a helper two arguments, of which each is of the kind of the other.

    The error, as it is ``told``, says what kind is needed for one of them.
    """
    wanted = next((kinds for said, kinds in WANTED if said in told), ())
    if not wanted or len(error.calls) < 2:
        return None
    outer, call = error.calls[-2:]
    inside = around(tree, call.line)
    if inside is None:
        return None
    params = [arg.arg for arg in inside.args.args if arg.arg != "self"]
    known = {one: call.values[one].kind for one in params if one in call.values}
    empty = () if "so it cannot be called" in told else ("NoneType",)
    bad = [p for p, kind in known.items() if kind not in (*wanted, *empty)]
    bad = [one for one in bad if is_read(one, call.code)]
    bad = [one for one in bad if f"dtype={one}" in call.code] or bad
    good = [p for p, kind in known.items() if kind in wanted]
    every = {one.arg: one.annotation for one in inside.args.args}
    may_be = [p for p in good if allows_none(every[p])]
    good = may_be if may_be and not empty else good
    here = statement_at(tree, outer.line)
    owner = called_as(tree, inside)
    calls = calling(tree, owner)
    calls = [one for one in calls if one.lineno in here]
    calls = [one for one in calls if one.lineno == outer.line] or calls
    if len(bad) != 1 or len(good) != 1 or len(calls) != 1:
        return None
    (node,), first, second = calls, params.index(bad[0]), params.index(good[0])
    if max(first, second) >= len(node.args):
        return None
    one, other = (ast.unparse(node.args[at]) for at in (first, second))
    said = f"Line {node.lineno} gives {bad[0]} {one} and {good[0]} {other}: are they swapped?"
    return Slip(node.lineno, said, with_swapped(node, first, second))


def selfless(tree: ast.Module, error: SeenError) -> Slip | None:
    """The method whose first argument is not ``self`` and is given it; or is, and is not given it.

    A static method is given no object.
    """
    if (alone := _of_property(tree, error)) is not None:
        return alone
    many = re.search(r"(\w+)\(\) takes (\d+) positional .* but (\d+) (?:was|were)", error.message)
    few = re.search(r"(\w+)\(\) missing 1 required positional argument: '\w+'$", error.message)
    if many is not None and int(many[3]) != int(many[2]) + 1:
        return None
    found = many or few
    for cls, one in _methods(tree, found[1] if found is not None else ""):
        given = [arg.arg for arg in one.args.args]
        marks = {ast.unparse(mark) for mark in one.decorator_list}
        own = given[:1] in (["self"], ["cls"])
        if many and not own and marks <= PROPERTIES:
            said = f"{one.name} is a method of {cls}, and its first argument is not self."
            return Slip(one.lineno, said, f"def {one.name}({', '.join(['self', *given])}):")
        if few and own and marks == {"staticmethod"}:
            said = f"{one.name} is a static method: no object goes to its {given[0]}. Leave out"
            return Slip(one.lineno, f"{said} {given[0]}, or @staticmethod.")
    return None


def _of_property(tree: ast.Module, error: SeenError) -> Slip | None:
    """The property whose one argument, the object, is called and used as if it were another."""
    for cls, one in _methods(tree, error.function or ""):
        given = [arg.arg for arg in one.args.args]
        marks = [mark for mark in one.decorator_list if ast.unparse(mark) in PROPERTIES]
        about = error.calls[-1].values.get(given[0]) if given and error.calls else None
        if marks and given[0] != "self" and about is not None and about.kind == cls:
            line, said = marks[0].lineno, f"@{ast.unparse(marks[0])} gives {one.name} the object of"
            return Slip(
                line, f"{said} {cls} as {given[0]}. Is @staticmethod meant?", "@staticmethod"
            )
    return None


def _methods(tree: ast.Module, name: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The methods of this name, each with its class."""
    for cls in of_kind(tree, ast.ClassDef):
        for one in cls.body:
            if isinstance(one, ast.FunctionDef) and one.name == name:
                yield cls.name, one
