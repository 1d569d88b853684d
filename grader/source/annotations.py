"""What an annotation says of a value."""

from __future__ import annotations

import ast

ABOUT_THE_NAME = ("Annotated", "ClassVar", "Final")
"""Names that say something of a variable; the type of its value is their first argument."""


def allows_none(annotation: ast.expr | None) -> bool:
    """Whether the annotation names None among the types of the value itself.

    ``Cache | None``, ``Optional[Cache]``, ``Union[Cache, None]`` and the same in quotes do.
    ``list[Cache | None]`` and ``Callable[[Cache], None]`` do not. Nor does ``Any``, which names
    nothing.
    """
    match annotation:
        case ast.Constant(value=None):
            return True
        case ast.Constant(value=str(text)):
            return allows_none(_parsed(text))
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return allows_none(left) or allows_none(right)
        case ast.Subscript(value=outer, slice=inner):
            return _subscript_allows_none(_last_name(outer), inner)
        case _:
            return _last_name(annotation) in ("NoneType", "Optional")


def _subscript_allows_none(outer: str, inner: ast.expr) -> bool:
    arguments = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if outer == "Union":
        return any(map(allows_none, arguments))
    if outer in ABOUT_THE_NAME:
        return bool(arguments) and allows_none(arguments[0])
    return outer == "Optional"


def _last_name(node: ast.expr | None) -> str:
    """``Optional`` of ``Optional`` and of ``typing.Optional``; "" of what is no name."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
