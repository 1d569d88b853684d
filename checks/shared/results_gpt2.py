"""Rules about results that only the steps around GPT-2 return: caches, refusals, texts."""

from __future__ import annotations

import builtins
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

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
    SeenError,
    SeenModule,
    SeenObject,
    SeenTensor,
    State,
)
from grader.rubric.rules import defined, obstacle
from grader.rubric.rules.running import raised


def output_and_cache(*trials: str, cached: bool = True) -> Rule:
    """Every call returns a pair: the output, and a pair of tensors or None.

    A call with ``use_cache``, its last argument, must return a pair of tensors, one without must
    return None. Calls that returned nothing are left to another check, and so are those with
    ``use_cache`` unless ``cached``.
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
    """Return the second part of a call's result."""
    return seen[1] if isinstance(seen, tuple | list) else None


def _no_pair(seen: Seen, *, asked: bool) -> Failed | None:
    """Say what is wrong with the result of one call."""
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


@dataclass(frozen=True)
class Refusal:
    """An error that must be raised: its class, an acceptable base class, and names.

    ``names`` are those that its message must contain, by trial, without ``prefix``. It may name no
    other parameters of the trial's model.
    """

    kind: str
    base: str
    names: Mapping[str, tuple[str, ...]]
    prefix: str = ""
    beside: Mapping[str, str] = field(default_factory=dict)
    """A parameter that may be mentioned with such a name: the one that it is compared with."""

    def innocent(self, evidence: Evidence, trial: str, message: str) -> list[str]:
        """Return the parameters that a message names although nothing is wrong with them."""
        made = (evidence.seen(trial, one.name) for one in evidence.trials[trial].probe.actions)
        modules = [one for one in made if isinstance(one, SeenModule)]
        known = {name.removeprefix(self.prefix) for one in modules for name in one.parameters}
        said = {name.removeprefix(self.prefix) for name in NAME.findall(message)}
        compared = {self.beside.get(name) for name in said}
        return sorted(said & known - {*self.names[trial]} - compared)


NAME = re.compile(r"[A-Za-z_][\w.]*\.\w+")
"""A dotted name, in a text of any language."""


def refuses(refusal: Refusal, action: str) -> Rule:
    """In each of these trials ``action`` raises the error, and its message contains the names."""

    def rule(evidence: Evidence) -> Ruling:
        for trial, wanted in refusal.names.items():
            if evidence.state(trial, action) is State.SEEN:
                return Failed(
                    "A checkpoint that does not fit was accepted",
                    f"It should have been refused, with an error that names {', '.join(wanted)}.",
                )
            error = evidence.error(trial)
            if error is None or error.action != action or error.type_name == "MissingName":
                return NotRun()
            own = any(one.statement.startswith("raise") for one in error.calls[-1:])
            fits = {refusal.kind, refusal.base} <= {error.type_name, *error.bases}
            if not fits and not own and hasattr(builtins, error.type_name):
                return raised(evidence, error)
            if problem := _unlike(error, refusal) or _misnamed(evidence, trial, error, refusal):
                return problem
        return Passed()

    return rule


def _unlike(error: SeenError, refusal: Refusal) -> Failed | None:
    """Say what is wrong with the class of an error."""
    kinds = {error.type_name, *error.bases}
    if refusal.kind not in kinds:
        return Failed(
            f"The error is a {error.type_name}, expected a {refusal.kind}",
            f"Callers catch a {refusal.kind} and nothing else.",
            error.line,
            error.chain,
        )
    if refusal.base not in kinds:
        return Failed(
            f"{refusal.kind} is not a {refusal.base}",
            f"Keep the given class: class {refusal.kind}({refusal.base}).",
            about=f"() ~^class {refusal.kind}\\b",
        )
    return None


def _misnamed(evidence: Evidence, trial: str, error: SeenError, refusal: Refusal) -> Failed | None:
    """Say what is wrong with the names in an error's message."""
    note = f"Your error says: {error.message}"
    silent = [name for name in refusal.names[trial] if name not in error.message]
    if silent:
        return Failed(
            f"The error does not name {', '.join(silent)}",
            "Collect all problems first, then raise one error that lists them.",
            error.line,
            error.chain,
            note=note,
        )
    if others := refusal.innocent(evidence, trial, error.message):
        some = ", ".join(others[:3]) + (", …" if others[3:] else "")
        return Failed(
            f"The error names {some}, though nothing is wrong there",
            "Name the tensors that are missing, unexpected or of the wrong shape, and no others.",
            error.line,
            error.chain,
            note=note,
        )
    return None


def _calls(evidence: Evidence, trial: str) -> list[Call]:
    actions = evidence.trials[trial].probe.actions
    return [action for action in actions if isinstance(action, Call)]


def described(seen: Seen) -> str:
    """Describe briefly what was returned."""
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
