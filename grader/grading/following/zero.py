"""A truth value that is asked for although 0 is a value: only the trials that give 0 are wrong."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.grading.following.early import takes_none
from grader.grading.following.run import Run
from grader.grading.reading.program import parameters
from grader.grading.reading.shown import Slip
from grader.protocol.probe import Call, Make
from grader.rubric import Evidence, Trial
from grader.source.variables import stored

Given = tuple[str, str]
"""What is called, and which of its arguments."""


def zero_counts_as_false(evidence: Evidence, trial: str, mine: Run) -> Slip | None:
    """The test of a parameter that may be None, and that is 0 in every trial that is wrong."""
    given = zeros(evidence.trials[trial])
    for name, one in evidence.trials.items():
        if one.expect is None or one.wished or name not in evidence.outcome.observations:
            continue
        given = given - zeros(one) if evidence.right(name) else given & zeros(one)
    found = [slip for slip in _asked(mine) if slip is not None] if given else []
    return found[0] if len(found) == 1 else None


def zeros(trial: Trial) -> frozenset[Given]:
    """The arguments for which a trial gives the plain number 0."""
    found = set()
    for one in trial.probe.actions:
        if isinstance(one, Call | Make):
            called = (one.target if isinstance(one, Make) else one.method) or ""
            every = {**{str(at): arg for at, arg in enumerate(one.args)}, **one.kwargs}
            found |= {(called, key) for key, arg in every.items() if type(arg) is int and not arg}
    return frozenset(found)


def _asked(mine: Run) -> Iterator[Slip | None]:
    """The places where the truth of a parameter was asked for that was 0 and may be None.

    Of ``x or 7``, whatever x may be.
    """
    for node in mine.nodes:
        match node:
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                yield _of_test(mine, test)
            case ast.BoolOp(op=ast.Or(), values=[ast.Name() as name, other]):
                if _is_zero(mine, name, none=False):
                    default, inside = ast.unparse(other), mine.around(name)
                    may = inside is not None and takes_none(inside, name.id)
                    write = f"{default} if {name.id} is None else {name.id}" if may else name.id
                    yield _slip(name, f"{default} takes its place", write)


def _of_test(mine: Run, test: ast.expr) -> Slip | None:
    """The same for a whole test of one parameter."""
    denied = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    name = test.operand if isinstance(test, ast.UnaryOp) and denied else test
    if not isinstance(name, ast.Name) or not _is_zero(mine, name):
        return None
    write = f"{name.id} is None" if denied else f"{name.id} is not None"
    return _slip(name, f"{ast.unparse(test)} is {'true' if denied else 'false'}", write)


def _slip(name: ast.Name, so: str, write: str) -> Slip:
    said = f"Line {name.lineno}: {name.id} is 0 here, which counts as false, so {so}."
    return Slip(name.lineno, said, write)


def _is_zero(mine: Run, name: ast.Name, *, none: bool = True) -> bool:
    """Whether a parameter was 0: one that may be None, unless any will do."""
    inside = mine.around(name)
    if inside is None or name.id not in parameters(inside) or name.id in stored(inside):
        return False
    return (not none or takes_none(inside, name.id)) and 0.0 in mine.held(mine.numbers[name])
