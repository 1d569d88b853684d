"""What Python does otherwise than a line of a program reads: of its own types and methods."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain

from grader.grading.reading.shown import Slip
from grader.source.variables import read, reads, stored
from grader.source.walked import of_kind, walked

STRIPS = {"lstrip": "removeprefix", "rstrip": "removesuffix", "strip": ""}
"""Methods that take letters away, and those that take a word away."""
WORD = 3
"""Different letters that are hardly meant one by one."""
LAZY = ("filter", "map", "zip")
"""Functions of Python that give their values one by one."""


def odd(tree: ast.Module) -> Iterator[Slip]:
    """All of them."""
    for function in of_kind(tree, ast.FunctionDef):
        yield from chain(unfilled(function), overwritten(function))
    yield from stripped(tree)
    yield from refolded(tree)
    yield from smallest(tree)


def smallest(tree: ast.Module) -> Iterator[Slip]:
    """``sys.float_info.min``, or ``finfo(x).tiny``, for the lowest number."""
    for node in of_kind(tree, ast.Attribute):
        text = ast.unparse(node)
        if text.endswith("float_info.min") or (node.attr == "tiny" and "finfo(" in text):
            said = (
                f"{text} on line {node.lineno} is the smallest number above 0, and not the lowest"
            )
            yield Slip(node.lineno, f"{said}: it hides nothing.")


def refolded(tree: ast.Module) -> Iterator[Slip]:
    """``x.reshape(x.shape[::-1])``, where the axes are to be exchanged."""
    for node in of_kind(tree, ast.Call):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=("np" | "numpy" | "F")), attr="reshape"),
                args=[owner, given],
                keywords=[],
            ):
                sizes: list[ast.expr] = [given]
            case ast.Call(func=ast.Attribute(value=owner, attr="reshape"), args=sizes, keywords=[]):
                pass
            case _:
                continue
        text = ast.unparse(owner)
        if _reversed(sizes, f"{text}.shape"):
            said = f"Line {node.lineno}: reshape keeps the order of the numbers, and only divides"
            said = f"{said} them into other rows. A transpose exchanges the axes."
            yield Slip(node.lineno, said, f"{text}.T")


def _reversed(sizes: list[ast.expr], shape: str) -> bool:
    """Whether sizes are those of a ``shape``, the last one first."""
    only = sizes[0] if len(sizes) == 1 else None
    if isinstance(only, ast.Tuple | ast.List):
        sizes = only.elts
    texts = [ast.unparse(one) for one in sizes]
    inner = f"reversed({shape})"
    if len(texts) == 1:
        return texts[0] in (f"{shape}[::-1]", inner, f"tuple({inner})", f"list({inner})")
    last, first = (f"{shape}[1]", f"{shape}[-1]"), (f"{shape}[0]", f"{shape}[-2]")
    return len(texts) == 2 and texts[0] in last and texts[1] in first


def stripped(tree: ast.Module) -> Iterator[Slip]:
    """``key.lstrip("transformer.")``, which takes away letters."""
    words = _words(tree)
    for node in of_kind(tree, ast.Call):
        match node:
            case ast.Call(func=ast.Attribute(value=text, attr=method), args=[given]):
                shown = ast.unparse(given)
                word = words.get(shown) if isinstance(given, ast.Name) else None
                if isinstance(given, ast.Constant) and isinstance(given.value, str):
                    word = given.value
                few = len({one for one in word or "" if one.isalpha()}) < WORD
                if method not in STRIPS or word is None or few:
                    continue
                other = STRIPS[method]
                said = f"Line {node.lineno}: {method} takes away all of the letters of {word!r}"
                said = f"{said} that it meets, and not the word"
                write = f"{ast.unparse(text)}.{other}({shown})" if other else ""
                yield Slip(
                    node.lineno,
                    f"{said}: {other or 'removeprefix or removesuffix'} does that.",
                    write,
                )


def _words(tree: ast.Module) -> dict[str, str]:
    """The names that a file gives a text, once, at its top or in a function."""
    given = of_kind(tree, ast.Name)
    often = [one.id for one in given if isinstance(one.ctx, ast.Store)]
    often += [one.arg for one in of_kind(tree, ast.arg)]
    return {
        ast.unparse(one.targets[0]): one.value.value
        for one in of_kind(tree, ast.Assign)
        if isinstance(one.value, ast.Constant)
        if isinstance(one.value.value, str) and often.count(ast.unparse(one.targets[0])) == 1
    }


def unfilled(function: ast.FunctionDef) -> Iterator[Slip]:
    """A list full of None, of which a loop takes the entries, and a result that nothing reads."""
    known = {one.id for one in reads(function)}
    full = {
        one.targets[0].id: one.lineno
        for one in of_kind(function, ast.Assign)
        if isinstance(one.targets[0], ast.Name)
        if any(isinstance(each, ast.List) and _only_none(each) for each in walked(one.value))
    }
    entries = of_kind(function, ast.Subscript)
    for name, line in full.items():
        own = [one for one in entries if isinstance(one.value, ast.Name) and one.value.id == name]
        if any(isinstance(one.ctx, ast.Store) for one in own):
            continue
        for one in of_kind(function, ast.Assign):
            parts = [each for target in one.targets for each in getattr(target, "elts", ())]
            names = [each.id for each in parts if isinstance(each, ast.Name)]
            unread = [each for each in names if each not in known and not each.startswith("_")]
            taken = [each for each in own if each in walked(one.value)]
            if len(unread) == 1 and taken and name in known:
                said = f"Line {one.lineno} makes {unread[0]}, and nothing uses it"
                entry = ast.unparse(taken[0])
                said = f"{said}: {name} stays full of None, from line {line}. Is {entry} meant?"
                yield Slip(one.lineno, said)


def _only_none(node: ast.List) -> bool:
    """Whether a list holds None, and nothing else."""
    return bool(node.elts) and all(
        isinstance(one, ast.Constant) and one.value is None for one in node.elts
    )


def overwritten(function: ast.FunctionDef) -> Iterator[Slip]:
    """A loop each turn of which works out the same variable anew, and makes nothing of it."""
    for loop in of_kind(function, ast.For):
        turn = stored(loop.target)
        known = stored(loop) - turn
        alone = len(loop.body) == 1 and not loop.orelse
        for one in loop.body if alone else ():
            if not isinstance(one, ast.Assign) or not isinstance(one.targets[0], ast.Name):
                continue
            name = one.targets[0].id
            after = any(each.id == name for each in reads(function))
            fresh = turn & read(one.value) and not known & read(one.value)
            if after and fresh and _call(one.value):
                said = f"Line {one.lineno} makes {name} anew in each turn, from nothing that an "
                said = f"{said}earlier turn made: only what the last turn makes is left."
                yield Slip(one.lineno, said)


def _call(node: ast.expr) -> bool:
    """Whether an expression calls something, and gives it something."""
    return isinstance(node, ast.Call) and bool(node.args)
