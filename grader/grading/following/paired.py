"""Two values that are put in each other's place into something that is taken apart elsewhere.

They are followed back together: through calls of the file's own functions, from a name that a
tuple is unpacked into to the tuple, from a field to the class that has the fields.
"""

from __future__ import annotations

import ast

from grader.grading.following.trace import Comparison
from grader.grading.reading.bindings import around, bound, callee, functions, targets
from grader.grading.reading.program import taken
from grader.grading.reading.shown import Slip
from grader.source.walked import walked

MOST_STEPS = 6
"""Statements that two values are followed back through."""

Two = tuple[ast.expr, ast.expr]
"""Where two values are read."""


def put_by(comparison: Comparison, two: Two, left: int = MOST_STEPS) -> Slip | None:
    """The line that puts two values in each other's place, of which each is read for the other.

    None where they are not put into one thing.
    """
    if left <= 0:
        return None
    tree = comparison.mine.tree
    match two:
        case ast.Attribute(value=one, attr=a), ast.Attribute(value=other, attr=b) if ast.unparse(
            one
        ) == ast.unparse(other):
            return None
        case ast.Name(id=a), ast.Name(id=b):
            kept = bound(tree, a, two[0].lineno), bound(tree, b, two[1].lineno)
        case _:
            return None
    if kept[0] is not None and kept[0] is kept[1]:
        return _unpacked(comparison, kept[0], (a, b), left)
    if kept[0] is None and kept[1] is None:
        given = _handed(tree, two)
    else:
        given = None if None in kept else _differing(*kept)
    return None if given is None else put_by(comparison, given, left - 1)


def _handed(tree: ast.Module, two: Two) -> Two | None:
    """What the one call of the function around two arguments gives for each of them."""
    inside = around(tree, two[0].lineno)
    names = [] if inside is None else taken(inside)
    every = walked(tree) if inside is not None else ()
    calls = [
        n for n in every if isinstance(n, ast.Call) and callee(n) == getattr(inside, "name", 0)
    ]
    at = [names.index(one.id) for one in two if isinstance(one, ast.Name) and one.id in names]
    if len(calls) != 1 or len(at) != 2 or max(at) >= len(calls[0].args):
        return None
    return calls[0].args[at[0]], calls[0].args[at[1]]


def _differing(one: ast.AST | None, other: ast.AST | None) -> Two | None:
    """The one variable or attribute in which what two statements work out differs."""
    found = _pairs(getattr(one, "value", None), getattr(other, "value", None))
    return found[0] if found is not None and len(found) == 1 else None


def _pairs(one: ast.AST | None, other: ast.AST | None) -> list[Two] | None:
    """The variables and attributes in which two expressions differ; None for other forms."""
    if one is None or other is None or type(one) is not type(other):
        return None
    if ast.dump(one) == ast.dump(other):
        return []
    if isinstance(one, ast.Name | ast.Attribute) and isinstance(other, ast.Name | ast.Attribute):
        return [(one, other)]
    inner = list(ast.iter_child_nodes(one)), list(ast.iter_child_nodes(other))
    if len(inner[0]) != len(inner[1]):
        return None
    parts = [_pairs(a, b) for a, b in zip(*inner, strict=True)]
    return None if None in parts else [pair for some in parts for pair in some or ()]


def _unpacked(
    comparison: Comparison, kept: ast.stmt, names: tuple[str, str], left: int
) -> Slip | None:
    """The tuple that a statement takes apart into two names, or that statement."""
    tree, order = comparison.mine.tree, [one for one in targets(kept) if one.isidentifier()]
    whole = _whole(tree, getattr(kept, "value", None), left)
    if whole is None or not all(name in order for name in names):
        return None
    if len(whole.elts) != len(order) or whole.lineno == kept.lineno:
        return None
    first, second = sorted(map(order.index, names))
    one, other = whole.elts[first], whole.elts[second]
    if _in_order(comparison, one, other):
        line = kept.lineno
        said = f"Line {line} takes {order[first]} before {order[second]}, and line {whole.lineno}"
        return Slip(line, f"{said} has them the other way round.")
    said = f"Line {whole.lineno} puts {ast.unparse(one)} before {ast.unparse(other)}, and line"
    said = f"{said} {kept.lineno} takes them as {order[first]} and {order[second]}"
    return Slip(whole.lineno, f"{said}: each is where the other belongs.")


def _whole(tree: ast.Module, value: ast.expr | None, left: int) -> ast.Tuple | ast.List | None:
    """The tuple that an expression is: written there, kept as a variable, given, or returned."""
    if isinstance(value, ast.Tuple | ast.List):
        return value
    if not left:
        return None
    if isinstance(value, ast.Name):
        if (made := bound(tree, value.id, value.lineno)) is not None:
            return _whole(tree, getattr(made, "value", None), left - 1)
        return None
    helper = functions(tree).get(callee(value)) if value is not None else None
    ends = [n for n in ast.walk(helper) if isinstance(n, ast.Return)] if helper else []
    return _whole(tree, ends[0].value, left - 1) if len(ends) == 1 else None


def _in_order(comparison: Comparison, one: ast.expr, other: ast.expr) -> bool:
    """Whether the reference makes the values of two expressions in this order."""
    mine, right = comparison.mine, comparison.right
    values = [next(reversed(mine.values(mine.numbers[node])), None) for node in (one, other)]
    found = [None if value is None else comparison.match(value) for value in values]
    orders = [right.made[at].order for at in found if at is not None and at in right.made]
    return len(orders) == 2 and orders[0] < orders[1]
