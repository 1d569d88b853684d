"""Rules on whether the program runs: its import, what it builds, its calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from grader.protocol.probe import Call, Load, Make, Outcome, SeenError, SeenModule
from grader.rubric.checks import Failed, NotRun, Passed, Rule, Ruling
from grader.rubric.evidence import Evidence, State
from grader.rubric.rules.combinators import all_of
from grader.rubric.rules.queries import actions_of

Action = TypeVar("Action", Make, Load, Call)

UNDEFINED = ("NameError", "MissingName")
NOT_DEFINED = re.compile(r"(?:name )?'?(\w+)'? is not defined")

ENDINGS = {
    "timeout": "did not finish in time",
    "memory": "asked for more memory than it may use",
    "exit": "ended the whole process",
    "killed": "was killed, twice: it ends itself, or needs more memory than this machine has",
    "garbled": "wrote into the channel that carries the results",
}


def obstacle(evidence: Evidence, trial: str, action: str) -> Ruling | None:
    """Why ``action`` returned no result to look at; None if it returned one."""
    state = evidence.state(trial, action)
    if state is State.SEEN:
        return None
    if state is State.FAILED:
        error = evidence.error(trial)
        if error is not None:
            found = raised(evidence, error)
            if found.line or (found.about and not found.about.endswith("()")):
                return found
            called = defined(evidence, trial, action)
            if found.about.startswith("__post_init__"):  # __init__, which is called, calls it
                called = f"{called.rpartition('.')[0]}.{found.about}"
            return replace(found, about=called)
    if state is State.UNDER_WAY:
        return Failed(
            f"Your code {_how_it_ended(evidence.outcome)}",
            _ending_hint(evidence.outcome),
            evidence.outcome.line,
            alone=True,
            stopped=True,
        )
    return NotRun()


def reached(
    evidence: Evidence, trials: tuple[str, ...], kind: type[Action]
) -> Iterator[tuple[str, Action]]:
    """Each action of one kind; of a program that was stopped, those whose end is known.

    Those that it never reached are left out if it reached another, and so are those that returned
    in the trial that was never answered.
    """
    every = list(actions_of(evidence, trials, kind))
    states = [evidence.state(name, one.name) for name, one in every]
    unknown = {State.RETURNED}
    if evidence.outcome.probe and not REACHED.isdisjoint(states):
        unknown |= {State.NEVER, State.BLOCKED}
    return (each for each, state in zip(every, states, strict=True) if state not in unknown)


REACHED = frozenset((State.SEEN, State.RETURNED, State.UNDER_WAY))


def defined(evidence: Evidence, trial: str, action: str) -> str:
    """The definition that ``action`` of ``trial`` calls: ``"Class.method()"``."""
    every = {one.name: one for one in evidence.trials[trial].probe.actions}
    one = every.get(action)
    if isinstance(one, Make):
        return f"{one.target}.__init__()"
    if isinstance(one, Load):
        one = Call(one.name, one.on, None)
    if not isinstance(one, Call):
        return ""
    made = every.get(one.on or "")
    owner = f"{made.target}." if isinstance(made, Make) else ""
    return f"{owner}{one.method or '__call__'}()"


def raised(evidence: Evidence, error: SeenError) -> Failed:
    """What the error says, and nothing else: a check's own hints do not fit it."""
    told = evidence.framework.translate(error)
    used = f"It is used on line {error.line}." if told.about and told.elsewhere else ""
    return Failed(
        told.message,
        told.hint,
        error.line,
        error.chain,
        note="\n".join(part for part in (told.more, used, told.called) if part) or None,
        alone=True,
        lacks=missing_name(error),
        about=told.about,
        stopped=True,
    )


def missing_name(error: SeenError | None) -> str:
    """The name that an error says is not defined in the file; empty if it says something else."""
    if error is None or error.type_name not in UNDEFINED:
        return ""
    said = NOT_DEFINED.match(error.message)
    return said[1] if said is not None else ""


def _how_it_ended(outcome: Outcome) -> str:
    if outcome.slow:
        return f"is too slow: it was stopped after {outcome.slow:.0f} seconds"
    return ENDINGS.get(outcome.ended, "stopped without an answer")


def _ending_hint(outcome: Outcome) -> str | None:
    if outcome.slow:
        return (
            "The lesson's own code takes a second or two for all of it. Look for work "
            "done over and over, and for loops over single numbers."
        )
    return {
        "timeout": "Look for a loop that never ends, and for work that grows with the input.",
        "memory": "Look for a list or tensor that grows in a loop, or a shape far too large.",
        "killed": "Look for a list or tensor that grows in a loop, or a shape far too large.",
        "exit": "Remove calls like exit(), sys.exit() and os._exit(): return a value instead.",
        "garbled": "Do not write to file descriptors that your code did not open.",
    }.get(outcome.ended)


def imports() -> Rule:
    """The learner's file can be imported."""

    def rule(evidence: Evidence) -> Ruling:
        error = evidence.outcome.load_error
        if error is not None:
            return raised(evidence, error)
        if evidence.outcome.ended != "done" and not (
            evidence.outcome.observations or evidence.outcome.probe
        ):
            return Failed(
                f"While it was imported, your file {_how_it_ended(evidence.outcome)}",
                _ending_hint(evidence.outcome),
                alone=True,
                stopped=True,
            )
        return Passed()

    return rule


def builds(*trials: str, module: bool = True) -> Rule:
    """What each trial builds can be built, and is a module of the framework if ``module``."""

    def rule(evidence: Evidence) -> Ruling:
        for name, make in reached(evidence, trials, Make):
            if stop := obstacle(evidence, name, make.name):
                return stop
            seen = evidence.seen(name, make.name)
            if module and not (isinstance(seen, SeenModule) and seen.is_module):
                return Failed(
                    f"{make.target} is not {evidence.framework.module}",
                    evidence.framework.hint("no module", cls=make.target),
                    about=f"{make.target}()",
                )
        return Passed()

    return all_of(imports(), rule)


def runs(*trials: str) -> Rule:
    """Every call returns an answer."""

    def rule(evidence: Evidence) -> Ruling:
        for name, call in reached(evidence, trials, Call):
            if stop := obstacle(evidence, name, call.name):
                return stop
        return Passed()

    return rule
