"""What goes wrong behind complex numbers, which a trace does not hold: the line that makes them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from grader.grading.following.run import operation
from grader.grading.following.trace import Comparison, Departure

HALVES = ("real", "imag")
"""What makes plain numbers of complex ones."""


def made_of(comparison: Comparison, found: Sequence[Departure]) -> int | None:
    """The one node at which complex numbers go wrong, of which the departures are the parts."""
    mine = comparison.mine
    found = [one for one in found if not _only_reshapes(comparison, one)]
    sources = {one.sources for one in found}
    halves = all(_is_half(mine.nodes[one.node]) for one in found)
    if len(sources) != 1 or not halves:
        return None
    (source,) = sources
    if len(source) != 1 or mine.arrays[source[0]] is not None:
        return None
    wrong, complexes, multiples = _behind(comparison, source[0])
    if wrong:
        node = wrong.pop()
        return node if not wrong and node >= 0 else None
    if multiples:
        return multiples[min(multiples)]
    statements = {mine.statement(one) for one in complexes}
    return min(complexes) if len(statements) == 1 else None


def _behind(comparison: Comparison, value: int) -> tuple[set[int], set[int], dict[int, int]]:
    """The nodes behind a value: of nothing known, of complex numbers, and of multiples, by order.

    The first are -1 where a value is not nearly one of the reference's.
    """
    mine = comparison.mine
    wrong, complexes, multiples = set[int](), set[int](), dict[int, int]()
    todo, seen = [value], {value}
    while todo:
        value = todo.pop()
        made = mine.made[value]
        if mine.arrays[value] is None:
            complexes.add(made.node)
        elif comparison.known(value):
            continue
        elif (relation := comparison.relation(value)) is not None:
            if relation.kind != "scaled" or relation.factor == -1:
                continue
            multiples[made.order] = made.node
        elif not made.sources:
            wrong.add(-1)
        todo += [one for one in made.sources if one not in seen]
        seen.update(made.sources)
    return wrong, complexes, multiples


def _only_reshapes(comparison: Comparison, one: Departure) -> bool:
    """Whether a departure gives the numbers of its one source, in another shape."""
    relation = one.relation
    if relation is None or relation.kind != "reshaped" or len(one.sources) != 1:
        return False
    return comparison.match(one.sources[0]) == relation.of


def _is_half(node: ast.AST) -> bool:
    """Whether a node takes the real or the imaginary part of something."""
    taken = isinstance(node, ast.Attribute) and node.attr in HALVES
    return taken or (isinstance(node, ast.Call) and operation(node) in HALVES)
