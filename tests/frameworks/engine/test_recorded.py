"""Every NumPy handler gives what MAX's own kernel gave when it was recorded."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from grader.base.course import ROOT
from grader.frameworks.max import engine
from grader.frameworks.max.engine.operation import Handler, Operation
from tests.engine_cases.case import Array, Case
from tests.engine_cases.record import RECORDED, all_cases, load, outputs_of

pytestmark = pytest.mark.usefixtures("nothing_is_compiled")
# Relative and absolute. MAX's float64 exp is good to about 3e-12, its float32 to the last bits.
TOLERANCE = {"float32": (1e-5, 1e-6), "float64": (1e-10, 1e-11)}
# By the beginning of a case's name, where digits are lost: a power multiplies the error of MAX's
# exp, and a row nearly constant has a variance that is small compared with its mean.
LOOSE = {
    "pow.": {"float32": (1e-5, 1e-6), "float64": (1e-9, 1e-11)},
    "layer_norm.float32.flat": {"float32": (1e-4, 1e-5)},
    "layer_norm.float64.flat": {"float64": (1e-7, 1e-8)},
}

# Where MAX's kernel is not followed, as a mask over the inputs, and why.
Excluded = Callable[..., Array]
EXCLUDED: dict[str, Excluded] = {
    # NaN or overflow: MAX's approximation clamps its argument, so a NaN may come out as a number,
    # and another one in a vector than at its end. NumPy's NaN and infinity are kept.
    "exp.": lambda x: np.isnan(x) | (x > 87),
    "tanh.": np.isnan,
    "sigmoid.": np.isnan,
    # MAX's power goes through a 32-bit exponent and through exp.
    "pow.": lambda x, y: ~np.isfinite(x) | ~np.isfinite(y) | (np.abs(y) > 1e9),
    # The quotient has no digits after the point left.
    "mod.float": lambda x, y: np.abs(x / y) > 2**22,
}

# Handlers whose numbers cannot be compared with recorded ones, and why.
NOT_RECORDED = {
    "RandomNormalOp": "draws other numbers than MAX's generator; test_semantics",
    "RandomUniformOp": "draws other numbers than MAX's generator; test_semantics",
    "BroadcastToOp": "the same function as StaticBroadcastToOp, for shapes known only at run time",
}

CASES = all_cases()


@pytest.fixture(scope="module")
def reached() -> Iterator[set[str]]:
    """The NumPy handlers in place; the set collects the names of those that run."""
    os.environ.update(engine.environment())
    from grader.frameworks.max.engine import handlers, interpreter

    names: set[str] = set()

    def spy(name: str, handler: Handler) -> Handler:
        def handle(operation: Operation, arrays: Sequence[Array]) -> Array | Sequence[Array]:
            names.add(name)
            return handler(operation, arrays)

        return handle

    engine.install("numpy")
    interpreter.register({name: spy(name, code) for name, code in handlers.HANDLERS.items()})
    interpreter.register_custom({n: spy(n, code) for n, code in handlers.CUSTOM_HANDLERS.items()})
    yield names
    engine.install("numpy")


@pytest.fixture(scope="module")
def recorded() -> dict[str, Array]:
    groups = {case.group for case in CASES}
    return {key: value for group in groups for key, value in load(group).items()}


def compared(case: Case, shape: tuple[int, ...]) -> Array:
    """A mask of the elements that must agree."""
    for prefix, excluded in EXCLUDED.items():
        if case.name.startswith(prefix) and all(x.dtype.kind == "f" for x in case.inputs):
            with np.errstate(all="ignore"):
                return ~excluded(*case.inputs)
    return np.ones(shape, bool)


def assert_same(case: Case, ours: Array, theirs: Array) -> None:
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    where = compared(case, ours.shape)
    loose = (table for prefix, table in LOOSE.items() if case.name.startswith(prefix))
    table = next(loose, TOLERANCE)
    relative, absolute = table.get(ours.dtype.name, (0, 0))
    np.testing.assert_allclose(ours[where], theirs[where], relative, absolute)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_numpy_gives_what_max_gave(
    case: Case, reached: set[str], recorded: dict[str, Array]
) -> None:
    for place, array in enumerate(case.inputs):
        assert recorded[f"{case.name}/in{place}"].tobytes() == array.tobytes()
    reached.clear()
    outputs = outputs_of(case)
    expected = [recorded[f"{case.name}/out{place}"] for place in range(len(outputs))]
    assert f"{case.name}/out{len(outputs)}" not in recorded
    for ours, theirs in zip(outputs, expected, strict=True):
        assert_same(case, ours, theirs)
    assert {name for name in case.operations if name != "MutableStoreSliceOp"} <= reached


def test_every_handler_is_recorded_or_says_why_not() -> None:
    from grader.frameworks.max.engine import handlers

    tested = {name for case in CASES for name in case.operations}
    known = {*handlers.HANDLERS, *handlers.CUSTOM_HANDLERS, "MutableStoreSliceOp"}
    assert known - tested == set(NOT_RECORDED)
    assert tested <= known


def test_records_are_small() -> None:
    assert sum(path.stat().st_size for path in RECORDED.glob("*.npz")) < 1_000_000


@pytest.mark.native
@pytest.mark.parametrize("group", sorted({case.group for case in CASES}))
def test_max_still_gives_what_it_gave(
    group: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MAX_EAGER_ALLOW_LAZY_COMPILE")
    command = [sys.executable, "-m", "tests.engine_cases.record", "--into", str(tmp_path), group]
    subprocess.run(command, cwd=ROOT, check=True)
    now, before = load(group, tmp_path), load(group)
    assert now.keys() == before.keys()
    for case in (case for case in CASES if case.group == group):
        for key in (key for key in before if key.startswith(f"{case.name}/out")):
            assert_same(case, now[key], before[key])
