"""The edits that may help, the likeliest first."""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from grader.grading.following.run import operation
from grader.grading.following.trace import Departure
from grader.grading.tried import places
from grader.grading.tried.expressions import Expressions
from grader.grading.tried.followed import Followed
from grader.grading.tried.places import Suspects
from grader.grading.tried.statements import Statements
from grader.grading.tried.text import Edit, Names, Text
from grader.grading.tried.values import Values
from grader.grading.tried.words import Words

SOURCE = 3
"""What a statement weighs that made a value which is right, but not the one to take here."""
ELSEWHERE = 10
"""What an edit weighs more where nothing speaks against the place."""
MUTATED = 4
"""What an edit weighs more that neither the reference nor the values speak for."""
MOST_DOWNSTREAM = 6
"""Expressions that are looked at behind a place that only looks different."""
SPREAD = 0.3
"""What an edit weighs more for each before it at the same line."""
AT_ONCE = 20
"""What two edits weigh more than one."""
MOST_AT_ONCE = 8
"""Edits of which two are made at once."""
MOST = 800
"""Edits that are looked at."""


class Candidate(NamedTuple):
    """An edited program, and the edit."""

    source: str
    edit: Edit


def nearest(mine: Text, reference: Iterable[Edit], suspects: Suspects) -> Iterator[Candidate]:
    """The edits towards the reference, then two of them at once."""
    near = sorted(_near(reference, suspects), key=lambda one: one[0])
    pairs = [
        (AT_ONCE + a + b, one + other)
        for (a, one), (b, other) in combinations(near[:MOST_AT_ONCE], 2)
    ]
    yield from (one for one in _distinct(mine, near + pairs) if compiles(one.source))


def every(
    mine: Text,
    reference: Iterable[Edit],
    suspects: Suspects,
    followed: Followed | None,
    names: Mapping[str, Names],
    words: Words,
    *,
    raised: bool,
) -> Iterator[Candidate]:
    """All edits: also those that the values speak for, and what usually goes wrong.

    Not all are valid Python: to find out takes as long as all the rest, and few may be wanted.
    """
    found = _near(reference, suspects)
    departures = followed.departures() if followed is not None else ()
    for departure in departures:
        if followed is not None:
            known = _inside(mine, followed, departure.node)
            places.add_departure(suspects, mine, mine.nodes[departure.node], known)
            for node in _made_of_nothing(followed, departure):
                places.add_node(suspects, mine.nodes[node], _inside(mine, followed, node), 1)
            bound = list(_bound(followed, departure))
            for one in bound:
                if one.value in _taken_wrong(followed, departure):
                    places.add(suspects, mine, mine.line(one.node), SOURCE)
            near = [(0, departure), *((1, one) for one in bound)]
            found += [
                (edit.size + weight, edit)
                for weight, place in near
                for edit in Values(followed.comparison, place, names).edits()
            ]
    if followed is not None:
        for weight, node in enumerate(_downstream(followed, departures), 1):
            places.add_node(suspects, mine.nodes[node], _inside(mine, followed, node), weight)
    if not departures and not suspects.pointed:
        places.add_all(suspects, mine)
    yield from _distinct(mine, found + _usual(mine, suspects, words, raised=raised))


def _bound(followed: Followed, departure: Departure) -> Iterator[Departure]:
    """The places where variables got the values that are taken: each may have got it too early."""
    run = followed.comparison.mine
    for source in departure.sources:
        found = [
            place.node
            for place in run.places
            if place.value == source
            and run.nodes[place.node] in _results(run.statement(place.node))
        ]
        for node in found[-1:]:
            if node != departure.node:
                yield Departure(node, source, (source,))


def _results(statement: ast.stmt | None) -> list[ast.AST]:
    """What a statement assigns or returns: an expression, or those of a tuple."""
    value = getattr(statement, "value", None)
    parts = value.elts if isinstance(value, ast.Tuple | ast.List) else []
    return [one for one in (value, *parts) if one is not None]


def _taken_wrong(followed: Followed, departure: Departure) -> frozenset[int]:
    """The values that an expression takes where the reference does the same with others."""
    comparison = followed.comparison
    mine, right = comparison.mine, comparison.right
    kind = operation(mine.nodes[departure.node])
    matched = {value: comparison.match(value) for value in departure.sources}
    for made in right.made.values():
        shared = set(matched.values()) & set(made.sources)
        if shared and operation(right.nodes[made.node]) == kind:
            return frozenset(one for one, match in matched.items() if match not in made.sources)
    return frozenset()


def _made_of_nothing(followed: Followed, departure: Departure) -> list[int]:
    """The expressions that made what comes from no input, such as a mask, and is not right."""
    comparison = followed.comparison
    todo = [one for one in departure.sources if not comparison.known(one)]
    seen = set(todo)
    while todo:
        more = [
            one for one in comparison.mine.made[todo.pop()].sources if not comparison.known(one)
        ]
        todo += [one for one in more if one not in seen]
        seen.update(more)
    return [comparison.mine.made[value].node for value in sorted(seen)][-MOST_DOWNSTREAM:]


def _inside(mine: Text, followed: Followed, number: int) -> frozenset[ast.AST]:
    """The nodes inside one that gave values of their own."""
    return frozenset(mine.nodes[inner] for inner in followed.comparison.mine.inner(number))


def _downstream(followed: Followed, departures: Sequence[Departure]) -> list[int]:
    """The expressions that take what only looks different from the reference, in their order."""
    harmless = [
        one
        for one in departures
        if one.relation is not None and one.relation.kind in ("reshaped", "transposed")
    ]
    if not harmless:
        return []
    made = followed.comparison.mine.made
    after = followed.comparison.after(harmless) - {one.value for one in harmless}
    nodes = [made[value].node for value in sorted(after, key=lambda one: made[one].order)]
    return list(dict.fromkeys(nodes))[:MOST_DOWNSTREAM]


def _near(reference: Iterable[Edit], suspects: Suspects) -> list[tuple[float, Edit]]:
    return [
        (edit.size / 2 + min(suspects.line(edit.line, other=ELSEWHERE), ELSEWHERE), edit)
        for edit in reference
    ]


def _usual(
    mine: Text, suspects: Suspects, words: Words, *, raised: bool
) -> list[tuple[float, Edit]]:
    """What usually goes wrong, at the suspects."""
    expressions, statements = Expressions(mine, words, raised), Statements(mine, words, raised)
    found: list[tuple[float, Edit]] = []
    for node, weight in suspects.nodes.items():
        if isinstance(node, ast.expr):
            found += [(edit.size + weight + MUTATED, edit) for edit in expressions.of(node)]
    for statement in mine.statements:
        weight = suspects.lines.get(statement.lineno, ELSEWHERE)
        if weight < ELSEWHERE:
            found += [(edit.size + weight, edit) for edit in statements.of(statement)]
    return found


def _distinct(mine: Text, edits: list[tuple[float, Edit]]) -> Iterator[Candidate]:
    """The edited programs, each once, the likeliest first."""
    known = {mine.source}
    for edit in _spread(sorted(edits, key=lambda one: one[0])[:MOST]):
        try:
            source = mine.applied(edit)
        except ValueError:
            continue
        if source not in known:
            known.add(source)
            yield Candidate(source, edit)


def _spread(edits: list[tuple[float, Edit]]) -> list[Edit]:
    """The edits in their order, but with those of one line further apart the more there are."""
    count: Counter[int] = Counter()
    found: list[tuple[float, int]] = []
    for order, (weight, edit) in enumerate(edits):
        found.append((weight + SPREAD * count[edit.line], order))
        count[edit.line] += 1
    return [edits[order][1] for _, order in sorted(found)]


def compiles(source: str) -> bool:
    """Whether a text is valid Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "tried", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
