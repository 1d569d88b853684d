"""One object under two names, where the reference makes one for each."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.grading.reading.bindings import bound, callee, targets
from grader.grading.reading.shown import Slip
from grader.source.walked import of_kind


def shared(tree: ast.Module, right: ast.Module) -> Iterator[Slip]:
    """The lines that give two attributes the same layer; the reference has two.

    ``right`` is the reference. Its two layers are made by calls of a class.
    """
    own = {name for one in of_kind(right, ast.Assign) for name in _layers(one)}
    kept: dict[str, str] = {}
    for one in sorted(of_kind(tree, ast.Assign), key=lambda each: each.lineno):
        names = [name for name in targets(one) if name in own]
        value = one.value
        if len(names) > 1 and (made := _once(one)) is not None:
            text = ast.unparse(made)
            write = f"{', '.join(names)} = {', '.join([text] * len(names))}"
            yield _slip(one.lineno, names, write)
        elif len(names) == 1 and isinstance(value, ast.Attribute) and ast.unparse(value) in own:
            yield _slip(one.lineno, [ast.unparse(value), *names])
        elif len(names) == 1 and isinstance(value, ast.Name):
            source = bound(tree, value.id, one.lineno)
            if not isinstance(getattr(source, "value", None), ast.Call):
                continue
            if (other := kept.setdefault(f"{id(source)}", names[0])) != names[0]:
                yield _slip(one.lineno, [other, *names])


def _slip(line: int, names: list[str], write: str = "") -> Slip:
    said = f"Line {line} makes {' and '.join(names)} the same object. Each needs one of its own."
    return Slip(line, said, write)


def _layers(one: ast.Assign) -> list[str]:
    """The attributes that a statement gives each an object of a class."""
    named = isinstance(one.value, ast.Call) and callee(one.value)[:1].isupper()
    names = targets(one) if named else []
    return [name for name in names if name.startswith("self.")]


def _once(one: ast.Assign) -> ast.Call | None:
    """The one call whose result all targets of a statement get: ``a = b = f()``, ``[f()] * 2``."""
    match one.value:
        case ast.Call() as made if len(one.targets) > 1:
            return made
        case ast.BinOp(left=ast.List(elts=[ast.Call() as made]), op=ast.Mult()):
            return made
        case ast.BinOp(left=ast.Tuple(elts=[ast.Call() as made]), op=ast.Mult()):
            return made
    return None
