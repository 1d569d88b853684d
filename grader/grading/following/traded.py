"""Two names that hold each other's value: they are wrong where they get it, not where it is used.

A name tells what its variable is to hold where the reference has a variable of that name.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

from grader.grading.following.paired import put_by
from grader.grading.following.retried import Retried
from grader.grading.following.run import Run
from grader.grading.following.trace import Comparison, Departure
from grader.grading.reading.bindings import bound, functions
from grader.grading.reading.shown import Slip
from grader.source.walked import of_kind, walked

RUNS = {"__call__", "forward"}
"""Either runs when an object is called."""

MOST_STEPS = 5
"""Statements that two values are followed back through."""

Two = tuple[ast.expr, ast.expr]
"""Where two variables are read."""


def traded(comparison: Comparison, found: Sequence[Departure]) -> Slip | None:
    """The line that gives two variables each other's value, for where the values leave the path.

    With the two in each other's place, that is what the reference has.
    """
    retried, mine = Retried(comparison), comparison.mine
    inside: dict[int | None, list[ast.AST]] = {}
    for one in found:
        inside.setdefault(mine.function(one.node), []).append(mine.nodes[one.node])
    for nodes in inside.values():
        for two in combinations(_names(*nodes), 2):
            put = put_by(comparison, two)
            if put is None and not _hold_each_other(comparison, two):
                continue
            first, second = map(ast.unparse, two)
            exchanged = (_put(node, {first: two[1], second: two[0]}) for node in nodes)
            right = any(map(retried.lacks, exchanged))
            if right and (slip := given_by(comparison, two) or put) is not None:
                return slip
    return None


def given_by(comparison: Comparison, two: Two, left: int = MOST_STEPS) -> Slip | None:
    """The line that gives two variables each other's value, which they hold where they are read.

    None if they do not, by their names. Names that the reference has not are only followed back.
    """
    crossed = left > 0 and _hold_each_other(comparison, two)
    if left <= 0 or not (crossed or _is_unnamed(comparison, two)):
        return None
    tree, texts = comparison.mine.tree, [ast.unparse(one) for one in two]
    kept = [bound(tree, text, one.lineno) for text, one in zip(texts, two, strict=True)]
    if kept[0] is None or kept[1] is None:
        return None
    given = [_given(one, text) for one, text in zip(kept, texts, strict=True) if one is not None]
    for pair in product(_names(given[0]), _names(given[1])):
        if (before := given_by(comparison, pair, left - 1)) is not None:
            return before
    if not crossed:
        return None
    (a, one), (b, other) = sorted(zip(texts, (at.lineno for at in kept if at), strict=True))
    if one == other:
        return Slip(one, f"Line {one} gives {a} and {b} each what belongs to the other.")
    said = f"Line {one} gives {a} what belongs to {b}, and line {other} gives {b} what belongs to"
    return Slip(min(one, other), f"{said} {a}.")


def _names(*nodes: ast.AST) -> list[ast.expr]:
    """The variables and attributes of ``self`` that are read in nodes, each where it is first."""
    found: dict[str, ast.expr] = {}
    for one in (inner for node in nodes for inner in walked(node)):
        own = isinstance(one, ast.Attribute) and ast.unparse(one.value) == "self"
        if isinstance(one, ast.Name) or own:
            found.setdefault(ast.unparse(one), one)  # type: ignore[arg-type]
    return list(found.values())


def _given(statement: ast.stmt, text: str) -> ast.AST:
    """What an assignment gives this variable; all of it, where it gives several at once."""
    value = getattr(statement, "value", None) or statement
    pairs: Iterator[tuple[ast.expr, ast.expr]] = iter(())
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
            pairs = zip(names, values, strict=False)
    return next((one for name, one in pairs if ast.unparse(name) == text), value)


def _hold_each_other(comparison: Comparison, two: Two) -> bool:
    """Whether each of two variables holds what the reference's of the other's name does."""
    mine, right = comparison.mine, comparison.right
    numbers = [mine.numbers[one] for one in two]
    have = [next(reversed(mine.values(number)), None) for number in numbers]
    pairs = list(zip(two, numbers, strict=True))
    want = [_values(right, ast.unparse(one), mine.named(at)) for one, at in pairs]

    def holds(value: int | None, some: frozenset[int]) -> bool:
        return value is not None and any(comparison.equal(value, one) for one in some)

    crossed = holds(have[0], want[1]) and holds(have[1], want[0])
    return crossed and not holds(have[0], want[0]) and not holds(have[1], want[1])


def _is_unnamed(comparison: Comparison, two: Two) -> bool:
    """Whether the reference has neither of two names."""
    right = {one.id for one in of_kind(comparison.right.tree, ast.Name)}
    return all(isinstance(one, ast.Name) and one.id not in right for one in two)


def _values(run: Run, text: str, function: str) -> frozenset[int]:
    """What a variable of a function, or an attribute, holds wherever it is read.

    Where there is no function of this name, that of any function counts.
    """
    names = RUNS if function in RUNS else {function}
    if names.isdisjoint(functions(run.tree)):
        names = {run.named(number) for number in run.numbers.values()}
    read = {
        number
        for number in run.called.get(text, ())
        if isinstance(run.nodes[number], ast.Attribute) or run.named(number) in names
    }
    return frozenset(place.value for place in run.places if place.node in read)


def _put(node: ast.AST, instead: Mapping[str, ast.expr]) -> ast.AST:
    """A node with other variables in the place of some; what has none of them stays the same."""
    text = ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""
    if text in instead:
        return instead[text]
    new = copy.copy(node)
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            setattr(new, name, _put(value, instead))
        elif isinstance(value, list):
            setattr(new, name, [_put(o, instead) if isinstance(o, ast.AST) else o for o in value])
    same = all(getattr(new, name) == value for name, value in ast.iter_fields(node))
    return node if same else new
