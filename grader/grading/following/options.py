"""What a call is handed with ``**``: the line of the dict that has what an error is about."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from grader.grading.reading.bindings import bound, callee, functions, statement_at
from grader.grading.reading.shown import Slip
from grader.protocol.probe import SeenError
from grader.source.walked import of_kind

LACKS = re.compile(r"(\S+) needs (\w+) as well")
UNKNOWN = re.compile(r"(\S+) has no argument called (\w+)")
"""What is said of a call that lacks an argument, or gives one that there is not."""

MOST_STEPS = 4
"""Names and helpers through which a dict is followed back."""


@dataclass(frozen=True)
class Option:
    """One entry of a dict that is handed over."""

    name: str
    value: ast.expr
    line: int
    by_key: bool = True


def misnamed(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The entry of a dict that gives a call the argument, or the lack of one, of an error."""
    found = LACKS.search(told) or UNKNOWN.search(told)
    if found is None or not error.calls:
        return None
    name, word, call = found[1], found[2], error.calls[-1]
    here = statement_at(tree, call.line)
    calls = [n for n in of_kind(tree, ast.Call) if n.lineno in here]
    calls = [one for one in calls if ast.unparse(one.func) == name]
    given = list(_handed(tree, calls[0])) if len(calls) == 1 else []
    if not given:
        return None
    known = call.values.get(name)
    takes = [re.split("[:=]", one.lstrip("*"))[0] for one in (known and known.signature) or ()]
    odd = [one for one in given if one.name not in takes] if takes else []
    odd = odd or [one for one in given if UNKNOWN.search(told) and one.name == word]
    if len(odd) != 1:
        if odd or LACKS.search(told) is None:
            return None
        line = given[-1].line
        return Slip(
            line, f"{name} gets its arguments from line {line}, and none of them is {word}."
        )
    (one,) = odd
    said = f"Line {one.line} makes the argument {one.name}, which line {call.line} hands to {name}."
    if LACKS.search(told) is None:
        return Slip(one.line, f"{said} That has none of this name.")
    return Slip(one.line, f"{said} There it is called {word}.")


def _handed(tree: ast.Module, call: ast.Call) -> Iterator[Option]:
    """The entries of the dicts that a call hands over with ``**``, where the file writes them."""
    for word in call.keywords:
        if word.arg is None:
            yield from entries(tree, word.value)


def entries(tree: ast.Module, node: ast.expr | None, left: int = MOST_STEPS) -> Iterator[Option]:
    """The entries of a dict: written there, kept under a name, or returned by a helper."""
    match node:
        case ast.Dict():
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield Option(key.value, value, key.lineno)
                elif key is None and left:
                    yield from entries(tree, value, left - 1)
        case ast.Call(func=ast.Name(id="dict")):
            for word in node.keywords:
                if word.arg is not None:
                    yield Option(word.arg, word.value, word.value.lineno, by_key=False)
        case ast.expr() if left:
            yield from entries(tree, _source(tree, node), left - 1)


def _source(tree: ast.Module, node: ast.expr) -> ast.expr | None:
    """What a name was given, or what a helper of the file returns."""
    if isinstance(node, ast.Call):
        helper = functions(tree).get(callee(node))
        ends = [one for one in ast.walk(helper or node) if isinstance(one, ast.Return)]
        return ends[0].value if len(ends) == 1 else None
    text = ast.unparse(node)
    return getattr(bound(tree, text, node.lineno), "value", None)
