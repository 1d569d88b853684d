"""Runs jobs with a limit on their total time, and programs that are imported for one probe."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from types import FrameType

from grader.protocol.probe import Job, Observation, Probe, SeenError
from grader.worker import instrumentation, probes, program
from grader.worker.probes import Subject

MOST_S, SHARE = 0.3, 0.05
"""Seconds of processor time per program, or this share of the time left if that is more.

A tenth of it is usual.
"""
LEAST_S = 0.02
"""With less time left, no program is started: a timer may fire a few milliseconds early."""
AGAIN_S = 0.02
"""Seconds until a program that caught the first interruption is interrupted again."""


Handler = Callable[[int, FrameType | None], object] | int | None
"""What a signal does."""


class Late(BaseException):
    """A program ran out of time; no ``except Exception`` in it catches this."""


def run(probe: Probe, job: Job, subject: Subject, left: float) -> Observation:
    """Return what a program answers; ``Late`` if it used up its time, or all ``left`` seconds."""
    if not job.seconds:
        return answer(probe, job, subject)
    late = SeenError(Late.__name__, "", probe.actions[0].name)
    answers = [Observation(probe.name, {}, late)]
    if left > LEAST_S:
        most = left if job.follow or not probe.source else min(left, max(MOST_S, SHARE * left))
        with at_most(most):
            answers.append(answer(probe, job, subject))
    return answers[-1]


def answer(probe: Probe, job: Job, subject: Subject) -> Observation:
    """Return what the probe's program answers; import it first if it is not the job's own."""
    if not (probe.source or probe.again):
        return probes.run(probe, subject)
    recorder = instrumentation.Recorder(subject.runtime) if job.follow else None
    module, error = program.load(replace(job, source=probe.source or job.source), recorder)
    if error is not None:
        failed = replace(error, action=probe.actions[0].name)
        return Observation(probe.name, {}, failed)
    patient = subject.patient and not probe.source
    return probes.run(probe, replace(subject, module=module, recorder=recorder, patient=patient))


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Interrupt the block with :class:`Late` after this much processor time, and suppress that.

    0 means no limit.
    """

    def stop(*_: object) -> None:
        raise Late

    if not seconds:
        yield
        return
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN_S)
    try:
        with suppress(Late):
            yield
    finally:
        _until_it_is_off(before)


def _until_it_is_off(before: Handler) -> None:
    """Disable the timer, which may fire meanwhile: if it fired later, it would end the worker."""
    while True:
        with suppress(Late):
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)
            return
