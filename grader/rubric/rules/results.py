"""Rules on what calls return: tensors, shapes, numbers, and whether they stay the same."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from grader.frameworks import Framework
from grader.protocol.probe import Seen, SeenArray, SeenObject, SeenTensor
from grader.rubric.checks import Failed, NotRun, Passed, Rule, Ruling
from grader.rubric.compare import difference
from grader.rubric.evidence import Evidence
from grader.rubric.rules.queries import array_at, call_of, describe, results_of
from grader.rubric.rules.running import defined, obstacle

TENSORS = "tensors"
UNSET = "Is part of the result never set?"
"""What is asked about a None inside of a result."""


def tensors(*trials: str, dtype: str = "float32") -> Rule:
    """Every expected result is a tensor of the framework, of this dtype."""

    def rule(evidence: Evidence) -> Ruling:
        for name, path in results_of(evidence, trials):
            if stop := obstacle(evidence, name, path.split(".")[0]):
                return stop if isinstance(stop, NotRun) else NotRun()
            seen = evidence.seen(name, path)
            what = call_of(evidence, name, path)
            if not isinstance(seen, SeenTensor):
                inside = seen is None and evidence.seen(name, path.split(".")[0]) is not None
                among = f" among others, expected only {TENSORS}" if inside else ""
                among = among or f", expected {evidence.framework.tensor}"
                return Failed(
                    f"{what} returned {describe(seen)}{among}",
                    UNSET if inside else _tensor_hint(seen, evidence.framework),
                    about=f"{defined(evidence, name, path.split('.')[0])} end",
                )
            if seen.dtype != dtype:
                return Failed(
                    f"{what} returned dtype {seen.dtype}, expected {dtype}",
                    "Is each tensor made with the requested dtype?",
                    alone=True,
                    likely=rf"() ~^(?!def |import |from ).*\b{seen.dtype}\b",
                )
        return Passed()

    return rule


def _tensor_hint(seen: Seen, framework: Framework) -> str | None:
    """What to do about a result that is not a tensor."""
    match seen:
        case None:
            return "Does every path of the function end in a return?"
        case SeenArray():
            return framework.hint("array returned")
        case SeenObject("function" | "method" | "type"):
            return "Call it: a function without its parentheses was returned."
        case tuple() | list():
            return "Return the tensor alone. A comma after it makes a tuple."
    return None


def shapes(*trials: str) -> Rule:
    """Every result has the shape of the oracle's."""

    def rule(evidence: Evidence) -> Ruling:
        for name, path in results_of(evidence, trials):
            array = array_at(evidence, name, path)
            if array is None:
                return no_numbers(evidence, name, path)
            want = evidence.expected(name)[path].shape
            if array.shape != want:
                return Failed(
                    f"{call_of(evidence, name, path)} returned shape {array.shape}, expected {want}"
                )
        return Passed()

    return rule


def numbers(*trials: str, what: str = "numbers", mask: bool = False) -> Rule:
    """Every result equals the float64 oracle's.

    Of a ``mask``, whose name is ``what`` then, a failure says which of its places are wrong.
    """

    def rule(evidence: Evidence) -> Ruling:
        wrong: list[tuple[str, str]] = []
        paths: set[str] = set()
        total, first, nowhere = 0, None, None
        for name in evidence.matching(*trials):
            expected = evidence.expected(name)
            if not expected:
                continue
            paths.update(expected)
            arrays = dict[str, npt.NDArray[np.generic]]()
            for path in expected:
                if (array := array_at(evidence, name, path)) is None:
                    return no_numbers(evidence, name, path)
                arrays[path] = array
            total += 1
            bad = [p for p, a in arrays.items() if not evidence.close(name, a, expected[p])]
            wrong += [(name, path) for path in bad]
            for path in bad:
                nowhere = nowhere or _nan(arrays[path], expected[path])
            if bad and first is None:
                first = _difference(evidence, name, bad[0], expected[bad[0]])
        if wrong:
            count = len({name for name, _ in wrong})
            told = f"{_places(evidence, wrong)} {what}" if mask else what
            several = "" if total == 1 else f" in {count} of {total} random configurations"
            return Failed(
                f"The {told} are wrong{several}{nowhere or ''}{_which(wrong, paths)}",
                NAN_HINT if nowhere else None,
                detail=first,
                wrong=tuple(wrong),
            )
        return Passed()

    return rule


def _places(evidence: Evidence, wrong: Sequence[tuple[str, str]]) -> str:
    """Which places of wrong masks are wrong: those to be hidden, those to be seen, or both.

    What is hidden may be so with a wrong number.
    """
    hidden, shown = set[bool](), False
    for name, path in wrong:
        array, want = array_at(evidence, name, path), evidence.expected(name)[path]
        if array is None or array.shape != want.shape:
            return "numbers of"
        shown = shown or bool(np.any((want < 0) & ~np.less(array, 0)))
        for is_hidden in (True, False):
            right = np.where((want != 0) == is_hidden, array, want)
            if not evidence.close(name, right, want):
                hidden.add(is_hidden)
    if len(hidden) != 1:
        return "numbers of"
    if not hidden.pop():
        return "visible places of"
    return "hidden places of" if shown else "numbers that hide in"


ORDINALS = ("first", "second", "third", "fourth")


def _which(wrong: Sequence[tuple[str, str]], paths: Collection[str]) -> str:
    """Which of the results that a call returns together is wrong, if it is one alone."""
    bad = {path.partition(".")[2] for _, path in wrong}
    every = {path.partition(".")[2] for path in paths}
    index = next(iter(bad))
    if len(bad) > 1 or len(every) < 2 or not index.isdecimal() or int(index) >= len(ORDINALS):
        return ""
    return f". Of the values returned, only the {ORDINALS[int(index)]} is wrong"


NAN_HINT = (
    "NaN comes from 0 / 0, 0 * inf, inf - inf, the square root of a negative number, or a softmax "
    "over a row that is -inf everywhere."
)


FUTURE_HINT = "Is the causal mask added before the softmax? Does a reshape mix up tokens?"


def _nan(seen: npt.NDArray[np.generic], expected: npt.NDArray[np.float64]) -> str | None:
    """Where the first number is NaN and should not be."""
    if seen.shape != expected.shape or seen.dtype.kind != "f":
        return None
    lost = np.argwhere(np.isnan(seen) & ~np.isnan(expected))
    if not len(lost):
        return None
    at = ", ".join(str(int(index)) for index in lost[0])
    return f". There is NaN, not a number, first at [{at}]"


KEPT = (
    "Something is kept between calls, or is random. Compute everything from the arguments, "
    "and keep nothing on self."
)


def repeats(trial: str, first: str, again: str) -> Rule:
    """Two calls with the same input return the same numbers."""

    def rule(evidence: Evidence) -> Ruling:
        before, after = array_at(evidence, trial, first), array_at(evidence, trial, again)
        stop = obstacle(evidence, trial, again)
        if before is not None and isinstance(stop, Failed):
            told = f"The same input raised an error on the second call: {stop.message}"
            return replace(stop, message=told, hint=KEPT, concept="state-kept")
        if before is None or after is None:
            return NotRun()
        if before.shape != after.shape or not evidence.close(
            trial, after, before.astype(np.float64)
        ):
            return Failed(
                "The same input returned a different output on the second call",
                KEPT,
                concept="state-kept",
                wrong=((trial, again),),
            )
        return Passed()

    return rule


def unaffected(trial: str, base: str, changed: str, *, before: int) -> Rule:
    """The outputs at positions below ``before`` do not see a change of later tokens.

    Outputs are ``[batch, seq, …]``.
    """

    def rule(evidence: Evidence) -> Ruling:
        old, new = array_at(evidence, trial, base), array_at(evidence, trial, changed)
        if old is None or new is None or old.shape != new.shape or old.ndim < 2:
            return NotRun()
        if not evidence.close(trial, new[:, :before], old[:, :before].astype(np.float64)):
            return Failed(
                "A change in a later token changes an earlier output: tokens see the future",
                FUTURE_HINT,
                wrong=((trial, base), (trial, changed)),
            )
        return NotRun() if np.isnan(old[:, :before]).any() else Passed()

    return rule


def no_numbers(evidence: Evidence, trial: str, path: str) -> Ruling:
    """What to say if there are no numbers to compare: another check reports errors."""
    if obstacle(evidence, trial, path.split(".", maxsplit=1)[0]) is not None:
        return NotRun()
    seen, want = evidence.seen(trial, path), evidence.expected(trial)[path]
    expected = "a number" if want.ndim == 0 else f"numbers of shape {want.shape}"
    said = f"{call_of(evidence, trial, path)} returned {describe(seen)}, expected {expected}"
    if seen is not None:
        return Failed(said)
    place = f"{defined(evidence, trial, path.split('.', maxsplit=1)[0])} end"
    return Failed(said, "Does every path of the function end in a return?", about=place)


def _difference(
    evidence: Evidence, trial: str, path: str, expected: npt.NDArray[np.float64]
) -> str | None:
    array = array_at(evidence, trial, path)
    if array is None:
        return None
    if array.shape != expected.shape:
        return f"shape {array.shape}, expected {expected.shape}"
    return str(difference(array, expected, evidence.trials[trial].slack))
