"""Graphs that run on arrays give what MAX's interpreter gives, and share no memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from max import _interpreter
from max.driver import Buffer
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor

from grader.frameworks.max.engine import interpreter

pytestmark = [pytest.mark.any_python, pytest.mark.usefixtures("numpy_engine")]
Program = Callable[[Tensor], Any]


PROGRAMS: dict[str, Program] = {
    "a broadcast row": lambda x: (x + x[0]) * 1.7,
    "broadcast both ways": lambda x: F.unsqueeze(x[0], 1) - F.unsqueeze(x[1], 0),
    "a scalar": lambda x: x / 3.0 - 2.0,
    "reshape, turn, multiply": lambda x: x.reshape([3, 2]) @ x.transpose(0, 1).reshape([2, 3]),
    "parts": lambda x: F.concat(F.split(x, [1, 1], axis=0)[::-1], axis=0),
    "steps": lambda x: x[:, ::2] + x[1:, 1:],
    "softmax": lambda x: F.softmax(x * x),
    "a mean": lambda x: F.mean(x, axis=-1) + x,
    "a mean of all": lambda x: F.mean(x, axis=None) + x,
    "a comparison": lambda x: F.where(x > 0.3, x, -x),
    "whole numbers": lambda x: F.cast(x * 10.0, DType.int64) + 1,
    "the same twice": lambda x: (y := x + 1.0, y.reshape([3, 2]), F.broadcast_to(y, [2, 3])),
}
KINDS = (DType.float32, DType.float64, DType.float16, DType.bfloat16)


def outcome(program: Program, kind: DType) -> list[Any]:
    """The bits that the program gives."""
    drawn = np.random.default_rng(3).standard_normal((2, 3)).astype(np.float32)
    with F.lazy():
        found = program(F.cast(Tensor.from_dlpack(drawn), kind))
    results = found if isinstance(found, tuple) else (found,)
    return [(one.dtype, numbers(one)) for one in results]


def numbers(tensor: Tensor) -> Any:
    return F.cast(tensor, DType.float64).to_numpy().tolist()


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=list(PROGRAMS))
def test_the_numbers_are_those_of_the_interpreter(
    program: Program, kind: DType, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = outcome(program, kind)
    theirs: Any = _interpreter
    monkeypatch.setattr(theirs, "execute", theirs.execute.original)
    assert ours == outcome(program, kind)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize(
    "again",
    [
        lambda x: x.reshape([3, 2]),
        lambda x: F.broadcast_to(x, [2, 3]),
        lambda x: x.transpose(0, 1).transpose(0, 1),
        lambda x: x[:1],
    ],
    ids=["reshape", "broadcast", "turned twice", "a row"],
)
def test_who_writes_into_a_result_changes_nothing_else(
    again: Callable[[Tensor], Tensor], kind: DType
) -> None:
    x = F.cast(Tensor.ones([2, 3]), kind)
    with F.lazy():
        made = x + 1.0
        one, other = again(made), again(made)
    kept = [numbers(tensor) for tensor in (x, made, other)]
    one[0, 0] = F.cast(Tensor.zeros([]), kind)
    assert numbers(one)[0][0] == 0.0
    assert [numbers(tensor) for tensor in (x, made, other)] == kept


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_copy_is_done_when_it_is_there(kind: DType) -> None:
    unsigned = {2: np.uint16, 4: np.uint32, 8: np.uint64}[kind.size_in_bits // 8]
    for turn in range(200):  # MAX's own copy loses every fifth of these races
        bits = np.full(600, turn, unsigned)
        copy = interpreter.copied(Buffer.from_numpy(bits).view(kind, (600,)), (20, 30))
        bits[:] = 1_000
        seen = np.from_dlpack(copy.view(interpreter.UNSIGNED[bits.itemsize], (20, 30)))
        assert copy.dtype == kind
        assert (seen == turn).all()
