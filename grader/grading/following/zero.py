"""A truth value that is asked for although 0 is a value: only the trials that give 0 are wrong."""

from __future__ import annotations

import ast
from collections.abc import Iterator

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
            case ast.BoolOp(op=ast.Or(), values=[ast.Name() as name, other]):
                if _is_zero(mine, name, none=False):
                    yield _slip(name, f"{ast.unparse(other)} takes its place", name.id)


def _slip(name: ast.Name, so: str, write: str) -> Slip:
    said = f"Line {name.lineno}: {name.id} is 0 here, which counts as false, so {so}."
    return Slip(name.lineno, said, write)


def _is_zero(mine: Run, name: ast.Name, *, none: bool = True) -> bool:
    """Whether a parameter was 0: one that may be None, unless any will do."""
    inside = mine.around(name)
    if inside is None or name.id not in parameters(inside) or name.id in stored(inside):
        return False
    return (not none) and 0.0 in mine.held(mine.numbers[name])
