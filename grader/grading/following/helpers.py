"""What an error comes from that a small helper of the file gives, or is given."""

from __future__ import annotations

import ast
import re

from grader.grading.reading.bindings import (
    callee,
)
from grader.grading.reading.shown import Slip
from grader.protocol.probe import SeenError
from grader.source.variables import stored
from grader.source.walked import of_kind


def bound_first(tree: ast.Module, error: SeenError) -> Slip | None:
    """The partial that binds a number by place, where the tensor goes that it is given later.

    The error is raised where the partial is called, most often in a helper that calls anything.
    """
    _, shown = _partial(error)
    made = _partials(tree) if shown is not None else []
    odd = [one for one in made if len(one.args) > 1 and _takes_tensor(one.args[0], one.args[1])]
    if len(odd) != 1:
        return None
    one, free = odd[0], [each.partition("=")[0] for each in shown or ()]
    text, number = ast.unparse(one), ast.unparse(one.args[1])
    said = f"{text} binds {number} as the first argument of {ast.unparse(one.args[0])}"
    said = f"Line {one.lineno}: {said}, where the tensor goes. Bind it by name."
    if len(one.args) != 2 or not free or not free[0].isidentifier():
        return Slip(one.lineno, said)
    word = ast.keyword(free[0], one.args[1])
    fixed = ast.Call(one.func, one.args[:1], [word, *one.keywords])
    return Slip(one.lineno, said, ast.unparse(fixed))


def preset_by(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The partial that sets the argument which an error, as ``told``, is about.

    The call that raised it only reads the partial, or is in a helper that calls anything.
    """
    name, shown = _partial(error)
    words = re.findall(r"-?\b\w+", told)
    found: list[tuple[ast.Call, ast.keyword]] = []
    for node in _partials(tree) if shown is not None else ():
        own = any(
            isinstance(one, ast.Assign) and one.value is node and name in stored(one)
            for one in tree.body
        )
        given = {ast.unparse(one) for one in node.keywords}
        alike = bool(given) and given <= {*(shown or ())}
        hits = [one for one in node.keywords if {one.arg, ast.unparse(one.value)} & {*words}]
        found += [(node, one) for one in hits[:1] if own or alike]
    if len(found) != 1:
        return None
    node, word = found[0]
    said = f"Line {word.value.lineno} sets {ast.unparse(word)}: {ast.unparse(node)}."
    return Slip(word.value.lineno, said)


def _partial(error: SeenError) -> tuple[str, tuple[str, ...] | None]:
    """The name of the partial that raised an error, and its parameters; None if it is none."""
    call = error.calls[-1] if error.calls else None
    name = call.code.partition("(")[0] if call is not None else ""
    value = call.values.get(name) if call is not None else None
    return name, value.signature or () if value is not None and value.kind == "partial" else None


def _partials(tree: ast.Module) -> list[ast.Call]:
    """The calls of a file that make a partial."""
    every = of_kind(tree, ast.Call)
    return [one for one in every if callee(one) == "partial"]


def _takes_tensor(function: ast.expr, given: ast.expr) -> bool:
    """Whether a function of the framework that works on a tensor is given a plain number first."""
    number = given.operand if isinstance(given, ast.UnaryOp) else given
    plain = isinstance(number, ast.Constant) and isinstance(number.value, int | float)
    match function:
        case ast.Attribute(value=ast.Name(id="F"), attr=name):
            return plain and name not in MAKES
    return False


MAKES = ("arange", "constant", "full", "hann_window", "ones", "range", "zeros")
"""Functions that make a tensor of numbers."""


TEXT_KEY = re.compile(r"^(\w+) is a (tuple|list), and (['\"].+['\"]) is a text")
"""How an error begins about a key that was looked up in something without keys."""
