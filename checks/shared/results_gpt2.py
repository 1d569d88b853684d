"""Rules about results that only the steps around GPT-2 give: caches, refusals, texts."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import replace

from grader.rubric import (
    Call,
    Evidence,
    Failed,
    NotRun,
    Passed,
    Rule,
    Ruling,
    Seen,
    SeenArray,
    SeenObject,
    SeenTensor,
    State,
)
from grader.rubric.rules import defined, obstacle
from grader.rubric.rules.running import raised


def output_and_cache(*trials: str, cached: bool = True) -> Rule:
    """Every call returns a pair: the output, and a pair of tensors or None.

    A pair of tensors belongs to a call with ``use_cache``, which is the last argument, None to one
    without. Calls that gave nothing are for another check, and so are those with ``use_cache``
    unless ``cached``.
    """

    def rule(evidence: Evidence) -> Ruling:
        for name in evidence.matching(*trials):
            for call in _calls(evidence, name):
                asked = call.kwargs.get("use_cache") is True or call.args[-1] is True
                if (asked and not cached) or obstacle(evidence, name, call.name):
                    continue
                seen = evidence.seen(name, call.name)
                if problem := _no_pair(seen, asked=asked):
                    pair = isinstance(seen, tuple | list) and len(seen) == 2
                    end = "~use_cache|^return" if pair and not asked else "end"
                    if pair and asked and _cache(seen) is None:
                        end = "~use_cache and |and use_cache ~ ^return.*None ~ ^return"
                    return replace(problem, about=f"{defined(evidence, name, call.name)} {end}")
        return Passed()

    return rule


def _cache(seen: Seen) -> Seen:
    """The second of what a call returned."""
    return seen[1] if isinstance(seen, tuple | list) else None


def _no_pair(seen: Seen, *, asked: bool) -> Failed | None:
    """What is wrong with the result of one call."""
    if not isinstance(seen, tuple | list) or len(seen) != 2:
        return Failed(
            f"The layer returned {described(seen)}, expected a pair: the output, and the cache "
            "or None",
            "return output, ((key, value) if use_cache else None)",
        )
    if not isinstance(seen[0], SeenTensor):
        return Failed(f"The first of the pair is {described(seen[0])}, expected the output")
    if not asked:
        if seen[1] is None:
            return None
        cached = isinstance(seen[1], tuple | list) and any(
            isinstance(one, SeenTensor) for one in seen[1]
        )
        what = "The cache is returned" if cached else f"The second is {described(seen[1])}"
        return Failed(f"{what} although use_cache is False. Return None instead")
    cache = seen[1]
    if (
        isinstance(cache, tuple | list)
        and len(cache) == 2
        and all(isinstance(one, SeenTensor) for one in cache)
    ):
        return None
    return Failed(
        f"With use_cache the second of the pair is {described(cache)}, expected (key, value)"
    )


FITTING = ("ValueError", "KeyError")
"""Python's own errors that say that a value is wrong. A class of the file's own says so too."""


def refuses(names: Mapping[str, tuple[str, ...]], action: str) -> Rule:
    """In each of these trials ``action`` raises a fitting error whose text holds these names."""

    def rule(evidence: Evidence) -> Ruling:
        for trial, wanted in names.items():
            if evidence.state(trial, action) is State.SEEN:
                return Failed(
                    "A checkpoint that does not fit was accepted",
                    f"It should have been refused, with an error that names {', '.join(wanted)}.",
                )
            error = evidence.error(trial)
            if error is None or error.action != action or error.type_name == "MissingName":
                return NotRun()
            if error.type_name not in FITTING and hasattr(builtins, error.type_name):
                if not any(f"raise {error.type_name}" in one.statement for one in error.calls[-1:]):
                    return raised(evidence, error)
                return Failed(
                    f"The error is a {error.type_name}, expected a CheckpointError",
                    "Whoever calls the function catches a CheckpointError, and nothing else.",
                    error.line,
                    error.chain,
                )
            silent = [name for name in wanted if name not in error.message]
            own = any(one.statement.startswith("raise") for one in error.calls[-1:])
            if silent and not own and error.type_name == "KeyError":
                return raised(evidence, error)
            if silent:
                return Failed(
                    f"The error does not name {', '.join(silent)}",
                    "Collect all problems first, then raise one error that lists them.",
                    error.line,
                    error.chain,
                    note=f"Your error says: {error.message}",
                )
        return Passed()

    return rule


def _calls(evidence: Evidence, trial: str) -> list[Call]:
    actions = evidence.trials[trial].probe.actions
    return [action for action in actions if isinstance(action, Call)]


def described(seen: Seen) -> str:
    """What came back, in a few words."""
    match seen:
        case None:
            return "None"
        case SeenTensor():
            return "one tensor"
        case SeenArray():
            return "a NumPy array"
        case tuple() | list():
            kind = type(seen).__name__
            return f"a {kind} of {len(seen)}" if seen else f"an empty {kind}"
        case bool() | int() | float() | str():
            return f"the {type(seen).__name__} {seen!r}"
        case SeenObject(kind):
            return f"a {kind}"
    return "something else"
