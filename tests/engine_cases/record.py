"""Run every engine case on MAX's own kernels and keep inputs and outputs in ``tests/recorded``.

``python -m tests.engine_cases.record [--into FOLDER] [GROUP ...]``, after a change of MAX's version
or of the cases. MAX compiles kernels here, many in one go; a whole run takes about ten minutes.
Cases that are recorded with the same inputs are kept: an interrupted run resumes where it stopped.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from grader.frameworks.max import engine
from tests.engine_cases.case import Array, Case

RECORDED = Path(__file__).parents[1] / "recorded"
ROUNDS = 12


def all_cases() -> list[Case]:
    """Every case, from every module."""
    from tests.engine_cases import elementwise, reduce, structure

    return [*elementwise.cases(), *structure.cases(), *reduce.cases()]


def outputs_of(case: Case) -> list[Array]:
    """Run one case on the engine that is in place; its results as NumPy arrays."""
    from max.experimental.tensor import Tensor

    tensors = [Tensor.from_dlpack(array.copy()) for array in case.inputs]
    result = case.compute(*tensors)
    results = result if isinstance(result, list | tuple) else [result]
    return [tensor.to_numpy().copy() for tensor in results]


def load(group: str, folder: Path = RECORDED) -> dict[str, Array]:
    """What is recorded of a group, by key ``case/in0``, ``case/out0``."""
    path = folder / f"{group}.npz"
    if not path.exists():
        return {}
    with np.load(path) as archive:
        return dict(archive)


def save(group: str, folder: Path, store: dict[str, Array]) -> None:
    """Write a group whole: to a temporary file, then into place."""
    partial = folder / f"{group}.partial.npz"
    with partial.open("wb") as file:
        np.savez_compressed(file, **store)  # type: ignore[arg-type]
    partial.replace(folder / f"{group}.npz")


def is_recorded(case: Case, store: dict[str, Array]) -> bool:
    """Whether the store has this case with these very inputs."""
    kept = [store.get(f"{case.name}/in{place}") for place in range(len(case.inputs))]
    return f"{case.name}/out0" in store and all(
        old is not None and old.dtype == new.dtype and old.tobytes() == new.tobytes()
        for old, new in zip(kept, case.inputs, strict=True)
    )


class Recorder:
    """Records the missing cases of one group; saves after each round of compiling."""

    def __init__(self, group: str, folder: Path) -> None:
        self.group = group
        self.folder = folder
        self.store = load(group, folder)

    def record(self, cases: Sequence[Case]) -> None:
        """Run the cases until none waits for a kernel."""
        from tests.engine_cases import kernel_batch

        known = {case.name for case in cases}
        self.store = {k: v for k, v in self.store.items() if k.rpartition("/")[0] in known}
        waiting = [case for case in cases if not is_recorded(case, self.store)]
        for _ in range(ROUNDS):
            kernels = kernel_batch.KernelBatch()
            waiting = [case for case in waiting if not self._run(case, kernels)]
            save(self.group, self.folder, self.store)
            if not len(kernels):
                return
            started = time.perf_counter()
            kernels.compile()
            _say(f"{self.group}: {len(kernels)} kernels, {time.perf_counter() - started:.0f} s")

    def _run(self, case: Case, kernels: Any) -> bool:
        """Record one case; False where it must wait for a kernel."""
        from tests.engine_cases import kernel_batch

        try:
            with kernels.collecting():
                outputs = outputs_of(case)
        except kernel_batch.Postponed:
            return False
        except Exception:  # noqa: BLE001 - one bad case must not lose the others
            _say(f"{case.name}: {traceback.format_exc(limit=-1)}")
            return True
        for kind, arrays in (("in", case.inputs), ("out", outputs)):
            self.store.update({f"{case.name}/{kind}{i}": a for i, a in enumerate(arrays)})
        return True


def _say(line: str) -> None:
    print(line, flush=True)


def main(arguments: Sequence[str]) -> None:
    """Record the named groups, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=RECORDED)
    parser.add_argument("groups", nargs="*")
    chosen = parser.parse_args(arguments)
    os.environ.update(engine.environment())
    engine.install("max", _say)
    chosen.into.mkdir(parents=True, exist_ok=True)
    cases = all_cases()
    for group in chosen.groups or sorted({case.group for case in cases}):
        Recorder(group, chosen.into).record([case for case in cases if case.group == group])


if __name__ == "__main__":
    main(sys.argv[1:])
