"""Arguments that are written out where a list belongs, or the reverse."""

from __future__ import annotations

import ast

from grader.frameworks.max.errors.case import Case
from grader.frameworks.max.errors.signature import Signature

TENSORS = ("x", "value", "input", "lhs", "original_vals", "values")


LISTS = {"shape", "dims", "values", "original_vals", "split_size_or_sections", "iterable"}


"""Arguments that take a list, which learners write out one by one."""


def gathered(
    case: Case, args: list[ast.expr], signature: Signature, words: dict[str, ast.expr]
) -> list[ast.expr]:
    """Values written out where a list belongs are put into one."""
    room = [name for name in signature.plain if name not in words]
    at = next((i for i, name in enumerate(room) if name in LISTS), None)
    if at is None or len(args) < at + 2 or _listed(case, args[at]):
        return args
    first = case.kind(args[at])
    alike = [one for one in args[at:] if case.kind(one) == first or len(args) > len(room)]
    alike = [one for one in alike if not ast.unparse(one).startswith("DType.")]
    if len(alike) < 2:
        return args
    rest = [one for one in args[at:] if one not in alike]
    return [*args[:at], ast.List(alike), *rest]


def _listed(case: Case, node: ast.expr) -> bool:
    """Whether ``node`` is a list already, or becomes one."""
    if isinstance(node, ast.BinOp):
        return _listed(case, node.left) or _listed(case, node.right)
    kinds = ("list", "tuple", "Shape")
    return (
        isinstance(node, ast.List | ast.Tuple)
        or case.kind(node) in kinds
        or (isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice))
    )


def spread(
    given: ast.List | ast.Tuple, signature: Signature, words: dict[str, ast.expr]
) -> list[ast.expr] | None:
    """The entries of a list where each is an argument of its own."""
    needed = [one for one in signature.plain if one in signature.required and one not in words]
    tensors = needed and needed[0] in TENSORS and isinstance(given.elts[0], ast.Constant)
    return list(given.elts) if 1 < len(needed) <= len(given.elts) and not tensors else None


def chained(call: ast.Call, args: list[ast.expr], signature: Signature) -> ast.Call | None:
    """``x.unsqueeze(1, 2)`` or ``F.unsqueeze(x, 1, 2)`` as two calls: each inserts one axis."""
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr not in ("unsqueeze", "squeeze"):
        return None
    own = signature.plain == ["axis"]
    if not (own or signature.plain == ["x", "axis"]) or call.keywords:
        return None
    first, axes = (func.value, args) if own else (args[0], args[1:])
    if len(axes) < 2:
        return None
    made: ast.expr = first
    for one in axes:
        bound = ast.Call(ast.Attribute(made, func.attr), [one], [])
        made = bound if own else ast.Call(func, [made, one], [])
    return made  # type: ignore[return-value]
