"""The edits that may help, the likeliest first."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

from grader.base.model import Report
from grader.explain.repair import ranking, trial
from grader.explain.repair.clues import Clues
from grader.explain.repair.context import Context
from grader.explain.repair.edits import Edit, Names, Text
from grader.explain.repair.expressions import Expressions
from grader.explain.repair.reference import Reference
from grader.explain.repair.statements import Statements
from grader.explain.repair.values import Values
from grader.explain.repair.vocabulary import Vocabulary
from grader.explain.trace.alignment import Departure
from grader.explain.trace.follow import Followed
from grader.rubric import Evidence
from grader.source import placeholders

MOST_AT_ONCE = 8
"""Up to so many edits towards the reference, two are made at once."""
MOST = 1200
"""Edits that are looked at."""
LOST, USED, FILLED = 20, 25, 40
"""What an edit weighs less that takes out the call of a function of the program.

And what one weighs more after which something is read that nothing reads now, or that is made where
a placeholder was left.
"""


class Candidate(NamedTuple):
    """An edited program, and the edit."""

    source: str
    edit: Edit


class Setting(NamedTuple):
    """A failing program: where its report points, its words, and how it is like the reference.

    ``raised``: it raises an error, else its numbers are wrong.
    """

    clues: Clues
    words: Vocabulary
    alike: Reference
    raised: bool


def setting(source: str, solution: str, told: Report, evidence: Evidence) -> Setting:
    """What all edits of a program need, whose report is ``told``."""
    mine, right = Text.of_source(source), Text.of_source(solution)
    error = trial.first_error(evidence)
    words = Vocabulary(mine, right, trial.names(error), trial.takes(error))
    clues, alike = Clues.of(mine, told, error), Reference(mine, right)
    return Setting(clues, words, alike, error is not None)


def towards(reference: Sequence[Edit]) -> Iterator[Edit]:
    """The edits towards the reference; of few, also two at once."""
    yield from reference
    if len(reference) <= MOST_AT_ONCE:
        for one, other in combinations(reference, 2):
            yield replace(one + other, kind="two")


def valued(every: Sequence[Followed], names: Mapping[str, Names]) -> Iterator[Edit]:
    """What the reference does next, where the values leave the path."""
    for followed in every:
        for departure in followed.departures():
            for place in (departure, *_bound(followed, departure)):
                yield from Values(followed.comparison, place, names).edits()


def usual(clues: Clues, words: Vocabulary, *, raised: bool) -> Iterator[Edit]:
    """What usually goes wrong, on the likeliest lines first."""
    mine = clues.mine
    expressions, statements = Expressions(mine, words, raised), Statements(mine, words, raised)
    line = ranking.Weights(clues, raised).of_line
    said = set(_annotations(mine))
    nodes = [n for n in mine.nodes if isinstance(n, ast.expr | ast.stmt) and n not in said]
    for node in sorted(nodes, key=lambda one: line(one.lineno), reverse=True):
        if isinstance(node, ast.expr):
            yield from expressions.of(node)
        else:
            yield from statements.of(node)


def _annotations(mine: Text) -> Iterator[ast.AST]:
    """What says only of which type a function's arguments and results are."""
    for one in mine.nodes:
        if isinstance(one, ast.FunctionDef):
            every = (
                one.returns,
                *(arg.annotation for arg in ast.walk(one.args) if isinstance(arg, ast.arg)),
            )
            yield from (inner for said in every if said is not None for inner in ast.walk(said))


def ordered(edits: Sequence[Edit], clues: Clues, *, raised: bool) -> Iterator[Candidate]:
    """The edited programs, each once, the likeliest first.

    Not all are valid Python: to find out takes as long as all the rest, and few may be wanted.
    """
    nearer = sum(one.kind in ranking.NEARER for one in edits)
    weights = ranking.Weights(clues, raised, nearer)
    own = calls_of(own_functions(clues.mine))
    names = (getattr(one, "name", "") for one in clues.mine.statements)
    blanks = {line for line, _ in placeholders.left(clues.mine.tree, tuple(names))}

    def weight(edit: Edit) -> int:
        lost = LOST if loses(clues.mine, edit, own) else 0
        more = (USED if _uses(clues.around, edit) else 0) + FILLED * (edit.line in blanks)
        return weights.of(edit) - lost + more

    known = {clues.mine.source}
    for edit in sorted(edits, key=weight, reverse=True)[:MOST]:
        try:
            source = clues.mine.applied(edit)
        except ValueError:
            continue
        if source not in known:
            known.add(source)
            yield Candidate(source, edit)


def _uses(around: Context, edit: Edit) -> bool:
    """Whether a statement that is put in reads what nothing reads now."""
    change = edit.changes[0]
    if len(edit.changes) > 1 or change.start < change.end or not change.text.endswith("\n"):
        return False
    every = (one for one in reversed(around.mine.statements) if one.lineno <= edit.line)
    node = next((one for one in every if edit.line <= (one.end_lineno or 0)), None)
    names = around.unread(node) if node is not None else ()
    return any(re.search(rf"\b{re.escape(name)}\b", change.text) for name in names)


def own_functions(mine: Text, line: int | None = None) -> Iterator[str]:
    """The names of the program's functions and lambdas; of those around ``line`` only, if given."""
    for one in mine.statements:
        around = line is None or one.lineno <= line <= (one.end_lineno or 0)
        if isinstance(one, ast.FunctionDef) and around:
            yield one.name
        elif isinstance(one, ast.Assign) and isinstance(one.value, ast.Lambda) and around:
            yield from (name.id for name in one.targets if isinstance(name, ast.Name))


def calls_of(names: Iterable[str]) -> re.Pattern[str]:
    """What a call of one of these functions looks like."""
    return re.compile(rf"\b({'|'.join(sorted(map(re.escape, names))) or '$.'})\(")


def loses(mine: Text, edit: Edit, own: re.Pattern[str]) -> bool:
    """Whether an edit takes out the call of a function of the program, which it may change.

    The mistake may be in there: to do without it is right, and teaches less.
    """
    ends = [mine.data[one.end : one.end + 1].decode(errors="replace") for one in edit.changes]
    pairs = list(zip(edit.changes, ends, strict=True))
    old = " ".join(mine.data[one.start : one.end].decode() + end for one, end in pairs)
    new = " ".join(one.text + end for one, end in pairs)
    return bool(set(own.findall(old)) - set(own.findall(new)))


def _bound(followed: Followed, departure: Departure) -> Iterator[Departure]:
    """The places where variables got the values that are taken: each may have got it too early.

    One in each function that it passed through.
    """
    run = followed.comparison.mine
    for source in departure.sources:
        found = {
            run.function(place.node): place.node
            for place in run.places
            if place.value == source
            and run.nodes[place.node] in _results(run.statement(place.node))
        }
        for node in found.values():
            if node != departure.node:
                yield Departure(node, source, (source,))


def _results(statement: ast.stmt | None) -> list[ast.AST]:
    """What a statement assigns or returns: an expression, or those of a tuple."""
    value = getattr(statement, "value", None)
    parts = value.elts if isinstance(value, ast.Tuple | ast.List) else []
    return [one for one in (value, *parts) if one is not None]


def compiles(source: str) -> bool:
    """Whether a text is valid Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "tried", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
