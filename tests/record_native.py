"""Run every engine case on MAX's own kernels and keep inputs and outputs in ``recorded/``.

Run it as ``python tests/record_native.py [GROUP ...]`` after a change of MAX's version or of the
cases. MAX compiles kernels here, many in one go; a whole run takes some minutes. Cases that are
recorded already, with the same inputs, are kept: an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from grader import engine

RECORDED = Path(__file__).with_name("recorded")
ROUNDS = 12


def outputs_of(case: Any) -> list[Any]:
    """Run one case; its results as NumPy arrays."""
    from max.experimental.tensor import Tensor

    tensors = [Tensor.from_dlpack(array.copy()) for array in case.inputs]
    result = case.compute(*tensors)
    results = result if isinstance(result, list | tuple) else [result]
    return [tensor.to_numpy().copy() for tensor in results]


def load(group: str) -> dict[str, Any]:
    """What is recorded of a group, by key ``case/in0``, ``case/out0``."""
    import numpy as np

    path = RECORDED / f"{group}.npz"
    return dict(np.load(path)) if path.exists() else {}


def save(group: str, store: dict[str, Any]) -> None:
    """Write a group whole: first beside, then in place."""
    import numpy as np

    partial = RECORDED / f"{group}.partial.npz"
    np.savez_compressed(partial, **store)
    partial.replace(RECORDED / f"{group}.npz")


def is_recorded(case: Any, store: dict[str, Any]) -> bool:
    """Whether the store has this case with these very inputs."""
    import numpy as np

    if f"{case.name}/out0" not in store:
        return False
    kept = [store.get(f"{case.name}/in{place}") for place in range(len(case.inputs))]
    return all(
        old is not None
        and old.dtype == new.dtype
        and np.array_equal(old, new, equal_nan=new.dtype.kind == "f")
        for old, new in zip(kept, case.inputs, strict=True)
    )


def record_group(group: str, cases: Sequence[Any]) -> None:
    """Record the missing cases of one group; saves after each round of compiling."""
    from grader.engine import seam

    known = {case.name for case in cases}
    store = {key: value for key, value in load(group).items() if key.rsplit("/", 1)[0] in known}
    waiting = [case for case in cases if not is_recorded(case, store)]
    for _ in range(ROUNDS):
        postponed, kernels = [], seam.KernelBatch()
        for case in waiting:
            try:
                with kernels.collecting():
                    outputs = outputs_of(case)
            except seam.Postponed:
                postponed.append(case)
                continue
            except Exception:
                print(f"{case.name}: {traceback.format_exc(limit=1)}", flush=True)
                continue
            for kind, arrays in (("in", case.inputs), ("out", outputs)):
                store.update({f"{case.name}/{kind}{i}": a for i, a in enumerate(arrays)})
        save(group, store)
        if not postponed:
            return
        started = time.perf_counter()
        kernels.compile()
        print(
            f"{group}: {len(kernels)} kernels in {time.perf_counter() - started:.0f} s", flush=True
        )
        waiting = postponed


def main(groups: Sequence[str]) -> None:
    """Record the named groups, or all."""
    os.environ.update(engine.environment())
    from engine_all_cases import all_cases

    engine.install("max")
    RECORDED.mkdir(exist_ok=True)
    cases = list(all_cases())
    for group in groups or sorted({case.group for case in cases}):
        record_group(group, [case for case in cases if case.group == group])


if __name__ == "__main__":
    main(sys.argv[1:])
