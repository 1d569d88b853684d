"""Texts that are not what they read as: without an f, by their letters, a pattern in its place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grader.grading.reading.shown import Slip
from grader.source.variables import stored
from grader.source.walked import of_kind, walked

BRACED = re.compile(r"\{([A-Za-z_]\w*)[^{}]*\}")
"""A variable in a text, to be put in."""

PATTERN = re.compile(r"[\\^$\[(]")
"""What a pattern has, and a plain text hardly."""

TAKES = {"sub": 3, "subn": 3, "match": 2, "search": 2, "fullmatch": 2, "findall": 2, "split": 2}
"""Functions of re that take a pattern first and the text last, and how many arguments in all."""

TURNS = ("The loop of line", "In no turn of the loop of line")
"""How sentences begin that only say what a loop asks."""


def unfilled(tree: ast.AST, message: str) -> Slip | None:
    """The text with a variable in braces that an error's message has just so: it is no f-string."""
    every = walked(tree) if BRACED.search(message) else ()
    meant = [one for one in every if isinstance(one, ast.JoinedStr | ast.Raise)]
    inner = {id(each) for one in meant for each in walked(one)}
    texts = (one for one in every if isinstance(one, ast.Constant) and id(one) not in inner)
    for node in texts:
        text = node.value if isinstance(node.value, str) else ""
        found = BRACED.search(text)
        if found is None or text not in message:
            continue
        said = f"The text on line {node.lineno} holds {found[0]} as it stands: without an f before"
        quoted = f'f"{text}"' if '"' not in text and text.isprintable() else ""
        return Slip(node.lineno, f"{said} the quotes, nothing is put in.", quoted)
    return None


def odd(tree: ast.Module) -> Iterator[Slip]:
    """What is odd about texts in any program."""
    yield from _letters(tree)
    yield from _patterns(tree)


def _letters(tree: ast.Module) -> Iterator[Slip]:
    """``found.extend("a text")``, or ``found += "a text"`` of a list."""
    lists = {
        name
        for one in of_kind(tree, ast.Assign)
        if isinstance(one.value, ast.List)
        for name in stored(one)
    }
    for node in of_kind(tree, ast.Call, ast.AugAssign):
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr="extend"), args=[given]):
                how = "extend"
            case ast.AugAssign(target=ast.Name(id=name) as owner, op=ast.Add(), value=given) if (
                name in lists
            ):
                how = "+="
            case _:
                continue
        if isinstance(given, ast.JoinedStr) or isinstance(getattr(given, "value", None), str):
            text = ast.unparse(owner)
            said = f"On line {node.lineno}, {how} adds a text to {text} letter by letter: append"
            yield Slip(
                node.lineno, f"{said} adds it whole.", f"{text}.append({ast.unparse(given)})"
            )


def _patterns(tree: ast.Module) -> Iterator[Slip]:
    """``re.sub(text, r"^a", "b")``, where the pattern is to come first."""
    for node in of_kind(tree, ast.Call):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=name),
                args=[
                    ast.Name() | ast.Attribute() as text,
                    ast.Constant(value=str(pattern)),
                    *more,
                ],
            ) if TAKES.get(name) == len(node.args) and PATTERN.search(pattern):
                given = [node.args[1], *more, text]
                write = ast.unparse(ast.Call(node.func, given, node.keywords))
                said = (
                    f"re.{name} takes the pattern first and the text last, and line {node.lineno}"
                )
                yield Slip(node.lineno, f"{said} begins with {ast.unparse(text)}.", write)
