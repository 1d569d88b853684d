"""What the arrays that ``convert_checkpoint`` returned show to be wrong in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from checks.shared.results_gpt2 import described
from checks.step_11.raised_errors import Complaint
from checks.step_11.trials import PREFIX, TURNED, weights_of
from grader.rubric import (
    ArrayArg,
    Call,
    Evidence,
    Failed,
    Passed,
    Rule,
    Ruling,
    Seen,
    SeenArray,
    SeenObject,
    State,
)
from grader.rubric.rules import all_of, numbers, runs

Arrays = Mapping[str, npt.NDArray[np.generic]]

KEPT = r"^(?!.*\.shape\b)[\w.]+\[\w+\] = |ascontiguousarray|astype"
TURN = r"\.T\b|transpose\(|swapaxes|endswith"


def gives(rule: Rule, *trials: str) -> Rule:
    """``rule``; where it fails, the first wrong array that was returned says why."""

    def told(evidence: Evidence) -> Ruling:
        ruling = rule(evidence)
        if not isinstance(ruling, Failed):
            return ruling
        for name in evidence.matching(*trials):
            if evidence.state(name, "weights") is not State.SEEN:
                continue
            found = _complaint(evidence.seen(name, "weights"), _wanted(evidence, name))
            found = found or _refused(evidence, name)
            if found is not None:
                local = not found.line.startswith("()")
                place = f"convert_checkpoint() ~{found.line}" if local else found.line
                return replace(
                    ruling, message=found.said, hint=found.hint, line=None, about=place, note=None
                )
        return ruling

    return told


def loads(trial: str) -> Rule:
    """A file's ``load_gpt2`` returns the model with the weights that it has read."""
    read = all_of(runs(trial), numbers(trial, what="logits of a model that load_gpt2 has read"))

    def rule(evidence: Evidence) -> Ruling:
        error = evidence.error(trial)
        if error is not None and error.type_name == "MissingName":  # nobody has to keep it
            return Passed()
        ruling = read(evidence)
        if isinstance(ruling, Failed):
            return replace(ruling, hint=ruling.hint or LOADER_HINT, about=ruling.about or LOADED)
        return ruling

    return rule


LOADED = "load_gpt2() ~load_state_dict"
LOADER_HINT = "load_gpt2 is given: it passes what convert_checkpoint returns to load_state_dict."


def keeps_model(trial: str, *before: str) -> Rule:
    """The model that a conversion is for gives the logits that it gave ``before``."""
    plain = numbers(trial, what="logits after a conversion")

    def rule(evidence: Evidence) -> Ruling:
        ruling = plain(evidence)
        if not isinstance(ruling, Failed):
            return ruling
        if not all(map(evidence.right, evidence.matching(*before))):
            return Passed()  # they are wrong without a conversion too
        return Failed(
            "convert_checkpoint changes the model's logits, but should only return weights",
            "return weights, and leave load_state_dict to the caller",
            about="convert_checkpoint() ~load_state_dict",
        )

    return rule


def _refused(evidence: Evidence, trial: str) -> Complaint | None:
    """What MAX says of arrays whose numbers are right."""
    error = evidence.error(trial)
    if error is None or "contiguous" not in error.message:
        return None
    return Complaint(
        "A returned array is not contiguous: .T only reads it in another order",
        "np.ascontiguousarray(array, dtype=np.float32) copies it in order.",
        KEPT,
    )


def _wanted(evidence: Evidence, trial: str) -> Arrays:
    """What the conversion of a trial's checkpoint returns."""
    calls = [one for one in evidence.trials[trial].probe.actions if isinstance(one, Call)]
    given = next((arg for one in calls for arg in one.args if isinstance(arg, dict)), {})
    return weights_of({key: one.array for key, one in given.items() if isinstance(one, ArrayArg)})


def _complaint(seen: Seen, wanted: Arrays) -> Complaint | None:
    """What is wrong with what was returned; None if nothing is."""
    if isinstance(seen, SeenObject) and seen.type_name in ("function", "method"):
        return Complaint(
            f"convert_checkpoint returned a {seen.type_name} that was not called",
            "The parentheses of a call are missing where it is returned.",
            "^return",
        )
    if not isinstance(seen, dict):
        return Complaint(
            f"convert_checkpoint returned {described(seen)}, expected a dictionary of arrays",
            "return weights",
            "^return",
        )
    missing = [name for name in wanted if name not in seen]
    if missing:
        return _lacks(missing, seen, wanted)
    arrays = {name: one.array for name, one in seen.items() if isinstance(one, SeenArray)}
    for name, want in wanted.items():
        if name in arrays and (found := _differs(name, arrays[name], want)):
            if _some(arrays, wanted):
                return replace(found, line=LISTED)
            return replace(found, line=BY_SHAPE) if _squares(arrays, wanted) else found
    return None


LISTED = r"() ~c_(attn|proj|fc)(\.weight|')"
"""Where the ends of the names are listed that are to be turned, perhaps outside the function."""


BY_SHAPE = (
    r"(\.T\b|transpose\(|swapaxes).*\.shape\b|\.shape\b.*(\.T\b|transpose\(|swapaxes) ~ "
    rf"^if .*(endswith\(|\.shape\[).*\.shape\b.*: ~ ^if .*\.shape\b.*: ~ {KEPT}"
)
"""Where an array is transposed if its shape does not fit."""


def _some(arrays: Arrays, wanted: Arrays) -> bool:
    """Whether arrays of some kinds are not turned, and neither of all kinds nor of all squares."""
    kept = _unturned(arrays, wanted)
    return bool(kept) and kept not in (_kinds(wanted), _square(wanted))


def _squares(arrays: Arrays, wanted: Arrays) -> bool:
    """Whether just the square arrays are not turned."""
    square = _square(wanted)
    return bool(square) and _unturned(arrays, wanted) == square != _kinds(wanted)


def _kinds(wanted: Arrays) -> set[str]:
    """The ends of the names of arrays that are to be turned."""
    return {end for end in TURNED if any(name.endswith(end) for name in wanted)}


def _unturned(arrays: Arrays, wanted: Arrays) -> set[str]:
    """Those of them whose arrays are not."""
    return {
        end
        for end in _kinds(wanted)
        for name, want in wanted.items()
        if name.endswith(end) and name in arrays and _is_turned(arrays[name], want)
    }


def _square(wanted: Arrays) -> set[str]:
    """Those of them whose arrays are square."""
    return {
        end
        for end in _kinds(wanted)
        if all(a.shape == a.shape[::-1] for n, a in wanted.items() if n.endswith(end))
    }


def _is_turned(array: npt.NDArray[np.generic], want: npt.NDArray[np.generic]) -> bool:
    """Whether an array is the wanted one, the other way round, and not that one itself."""
    turned = array.ndim == 2 and array.shape == want.T.shape and np.allclose(array, want.T)
    return turned and not (array.shape == want.shape and np.allclose(array, want))


def _lacks(missing: list[str], seen: Mapping[str, Seen], wanted: Arrays) -> Complaint:
    """Names that were not returned."""
    kept = {*seen, *(PREFIX + name for name in seen)} & {*wanted}
    if len(seen) == 1 < len(wanted) and kept:
        return Complaint(
            "convert_checkpoint returns after the first array: its return is inside the loop",
            "return weights comes after the loop, indented as far as the for.",
            "^return",
        )
    bare = missing[0].removeprefix(PREFIX)
    if bare in seen or missing[0] in {PREFIX + name for name in seen}:
        return Complaint(
            f"An array is returned as {bare}, but the parameter is called {missing[0]}",
            "Keep each array under the model's name: weights[name] = ...",
            KEPT,
        )
    return Complaint(
        f"{missing[0]} is not among the {len(seen)} returned arrays",
        "Keep every array of the checkpoint except the causal masks and the head.",
        KEPT,
    )


def _differs(
    name: str, array: npt.NDArray[np.generic], want: npt.NDArray[np.generic]
) -> Complaint | None:
    """What is wrong with one array."""
    if _is_turned(array, want):
        return _turned(name)
    if array.shape == want.shape and np.allclose(array, want) and array.dtype != np.float32:
        return Complaint(
            f"{name} is returned as {array.dtype}, but the parameter holds float32",
            "np.ascontiguousarray(array, dtype=np.float32) converts it.",
            rf"{array.dtype}|{KEPT}",
        )
    return None


def _turned(name: str) -> Complaint:
    """An array that lies the other way round."""
    if not name.endswith(TURNED):
        return Complaint(
            f"{name} is transposed, and Hugging Face keeps it as the model does",
            "Transpose only the arrays whose names end in one of TRANSPOSED.",
            TURN,
        )
    return Complaint(
        f"{name} is returned as it is stored, [in, out]: it is not transposed",
        "Transpose every array whose name ends in one of TRANSPOSED, and keep the result. A square "
        "one looks the same either way: go by its name.",
        KEPT,
    )
