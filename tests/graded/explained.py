"""How well a failing program is explained, as ``run`` and ``hint`` do it: in the sandbox.

Of each program is measured, beside what it takes of the processor:

- whether the first line that the report gives is that of the mistake (:meth:`Mistake.beside`);
- whether the report names the mistake: it proposes an edit that passes, or what it tells first
  has the words that :meth:`Mistake.names` asks for;
- whether the change that it tells of passes when it is made (:func:`edits.made`) and graded with
  another seed;
- what in it is contradictory (:mod:`tests.graded.contradictions`).
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from unittest.mock import patch

import numpy as np

from grader import frameworks, pipeline, sandbox
from grader.base import course
from grader.base.model import Report, Status, Verdict
from grader.explain.meter import Noted
from grader.pipeline import Follow, Options
from grader.protocol.probe import Outcome
from grader.rubric import Evidence, load
from tests.graded import edits, generated, mistakes, told, variants
from tests.graded.generated import Made
from tests.graded.mistakes import Mistake

Start = Callable[..., sandbox.Worker]

TITLES = "step|count|line|named|no line|change|passes|aside|in prose|false"
TITLES += "|verdict s|explained s|95 %"
COLUMNS = "{:<5} {:>5} {:>11} {:>11} {:>7} {:>11} {:>7} {:>5} {:>8} {:>5} {:>9} {:>11} {:>5}"
GOAL = 0.94
"""Of all mistakes: the first line is the one to change, and the mistake is named."""
PROPOSES = ("Write ", " instead of ")
"""What a sentence has that proposes an edit."""


@dataclass(frozen=True)
class Explained:
    """One program: what its report says ``first``, at which ``line``, and what is right of it.

    ``change`` says whether that which is told passes, None where there is none; it is ``aside``
    if it changes another line. ``prose``: a sentence proposes an edit that was not graded. ``lie``
    says how the program is not what its entry says.
    """

    one: Mistake
    first: str
    line: int | None
    placed: bool
    named: bool
    change: bool | None = None
    aside: bool = False
    prose: bool = False
    contradictions: tuple[str, ...] = ()
    verdict_s: float = 0.0
    explained_s: float = 0.0
    lie: str = ""

    def faults(self) -> Iterator[str]:
        """What is not as it should be, in a few words each."""
        expected = ", ".join(map(str, self.one.lines))
        if not self.placed:
            yield f"line {self.line or '–'} for {expected}"
        if not self.named:
            yield "unnamed"
        if self.change is False:
            yield "its change fails"
        yield from self.contradictions
        yield from filter(None, (self.lie,))

    def __str__(self) -> str:
        shown = " ".join(self.first.split())
        return f"{'; '.join(self.faults())} | {self.one.name} | {shown[:160]}"


def of_step(step: str, seed: int, sample: int, *, corpus: bool) -> list[Explained]:
    """So many mistakes of a step: of ``tests/mistakes``, or made anew by machine."""
    with tempfile.TemporaryDirectory() as folder, sandbox.preforked() as start:
        grading = Grading(step, seed, Path(folder), start)
        if corpus:
            every: Iterable[Mistake] = variants.sample(mistakes.of(step), sample)
        else:
            every = generated.drawn(step, seed, sample, grading.passes)
        return list(islice(filter(None, map(grading.explained, every)), sample))


@dataclass
class Grading:
    """Grades programs of a step in a folder, with workers from ``start``."""

    step: str
    seed: int
    folder: Path
    start: Start
    _workers: list[Outcome] = field(default_factory=list)

    def explained(self, one: Mistake, *, prove: bool = True) -> Explained | None:
        """What is told of a mistake. One of ``tests/mistakes`` is proven before to be what it says.

        None for one made by machine that passes, or does not end.
        """
        lie = told.mislabelled(one) if prove and not isinstance(one, Made) else ""
        try:
            with patch.dict(os.environ, {"GRADER_TRACEBACK": "1"}):
                return self._explained(one, lie)
        except Exception as error:  # noqa: BLE001  a crash of the grader is a finding
            crash = f"the grader crashed: {type(error).__name__}: {error}"
            return Explained(one, crash, None, False, False, contradictions=(crash,), lie=lie)

    def _explained(self, one: Mistake, lie: str) -> Explained | None:
        verdict: list[float] = []
        began = time.thread_time()
        self._workers.clear()
        report = self.report(
            one.source,
            Options(seed=self.seed, follow=Follow.FAILING),
            lambda _: verdict.append(self._spent(began)),
        )
        if isinstance(one, Made) and report.verdict in (Verdict.PASS, Verdict.TIMEOUT):
            return None
        whole, outcome = self._spent(began), next(iter(self._workers), None)
        verdict_s = verdict[0] if verdict else whole

        rubric = load.rubric(course.find(self.step))
        first = told.shown_first(report, {c.id: c.failed for c in rubric.checks if c.rule})
        known = report.explanation
        line = known.line if known is not None else None
        change = known.change if known is not None and known.change and known.change.holds else None
        passes = self.passes(edits.made(one.source, change.changes)) if change else None
        at = {check.line for check in report.checks if check.status is Status.FAIL}
        free = change is not None or at.intersection(one.lines)  # any of the others may be right
        wrong = told.contradicted(
            self.step, one.source, () if free else one.written, report, self._evidence(outcome)
        )
        if report.verdict is Verdict.ERROR:
            wrong.append("the grader calls it a fault of its own")
        return Explained(
            one,
            first,
            line,
            one.beside(line),
            passes or one.names(first),
            passes,
            change is not None and not any(one.beside(each.line) for each in change.changes),
            change is None and any(word in first for word in PROPOSES),
            tuple(wrong),
            verdict_s,
            whole - verdict_s,
            lie,
        )

    def report(
        self, source: str, options: Options, early: Callable[[Report], None] | None = None
    ) -> Report:
        """The report on a program."""
        path = self.folder / f"step_{self.step.removeprefix('s')}.py"
        path.write_text(source, encoding="utf-8")
        return pipeline.grade(course.find(self.step), path, options, self._start, early=early)

    def passes(self, source: str) -> bool:
        """Whether a program passes, with another seed."""
        return self.report(source, Options(seed=self.seed + 1)).verdict is Verdict.PASS

    def _start(self, *, engine: str) -> sandbox.Worker:
        return Noted(self.start(engine=engine), self._workers.append)

    def _spent(self, began: float) -> float:
        """Processor time in seconds of this thread, and of the workers."""
        return time.thread_time() - began + sum(one.spent for one in self._workers)

    def _evidence(self, outcome: Outcome | None) -> Evidence | None:
        from tests.graded import in_process

        drawn = in_process.inputs(course.find(self.step), self.seed)
        known = frameworks.current()
        return Evidence(drawn.trials, outcome, known, drawn.expected) if outcome else None


# ---- the table ----------------------------------------------------------------------------


def title() -> str:
    """The heading of the table."""
    return COLUMNS.format(*TITLES.split("|"))


def row(name: str, found: Sequence[Explained]) -> str:
    """One row: of a step, or of all."""

    def share(held: Iterable[bool]) -> str:
        count = sum(held)
        return f"{count} ({count / max(1, len(found)):.0%})"

    def seconds(percent: int, values: Iterable[float]) -> str:
        return f"{np.percentile([*values] or [0.0], percent):.2f}"

    return COLUMNS.format(
        name,
        len(found),
        share(one.placed for one in found),
        share(one.named for one in found),
        sum(one.line is None for one in found),
        share(one.change is not None for one in found),
        sum(one.change is True for one in found),
        sum(one.aside for one in found),
        sum(one.prose for one in found),
        sum(bool(one.contradictions) for one in found),
        seconds(50, (one.verdict_s for one in found)),
        seconds(50, (one.explained_s for one in found)),
        seconds(95, (one.explained_s for one in found)),
    )


def details(found: Iterable[Explained]) -> list[str]:
    """A line for each program that is not explained as it should be."""
    return [str(one) for one in found if any(one.faults())]


def reached(found: Sequence[Explained]) -> bool:
    """Whether enough are placed and named, and nothing that is told is false."""
    enough = GOAL * len(found)
    return (
        sum(one.placed for one in found) >= enough
        and sum(one.named for one in found) >= enough
        and all(one.change is not False for one in found)
        and not any(one.contradictions or one.lie for one in found)
    )
