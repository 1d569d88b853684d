"""The numbers that a program gave, and whether they are those that an oracle predicts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from grader.protocol.probe import SeenArray, SeenTensor
from grader.rubric import UNKNOWN, Evidence, Floats, State

HUGE = 1e30
"""Numbers beyond this become infinity or NaN in float32 arithmetic."""

Arrays = dict[str, npt.NDArray[np.generic] | None]
Predicted = Mapping[str, Floats | None]


def came_back(evidence: Evidence) -> dict[str, Arrays]:
    """For each trial with an oracle: the arrays that came back, ``None`` if it failed."""
    found: dict[str, Arrays] = {}
    for name in evidence.trials:
        arrays: Arrays = {}
        for path in evidence.expected(name):
            value = evidence.seen(name, path)
            if isinstance(value, SeenTensor | SeenArray):
                arrays[path] = value.array
            elif evidence.trials[name].part:
                continue
            elif evidence.state(name, path.split(".")[0]) in (State.SEEN, State.FAILED):
                arrays[path] = None
        if arrays:
            found[name] = arrays
    return found


def same(evidence: Evidence, name: str, arrays: Arrays, predicted: Predicted, times: float) -> bool:
    """Whether this is what trial ``name`` showed, within ``times`` its tolerance."""
    for path, array in arrays.items():
        want = predicted.get(path)
        if want is UNKNOWN:
            continue
        if array is None or want is None:
            if array is not want:
                return False
        elif not evidence.close(name, _overflowed(array, want), want, times):
            return False
    return True


def _overflowed(array: npt.NDArray[np.generic], want: Floats) -> npt.NDArray[np.generic]:
    """``array`` with the huge number in place of what does not fit float32."""
    if array.shape != want.shape or array.dtype.kind != "f":
        return array
    lost = ~np.isfinite(array) & np.isfinite(want) & (np.abs(want) > HUGE)
    return np.where(lost, want, array)
