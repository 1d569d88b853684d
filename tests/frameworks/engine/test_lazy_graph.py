"""Operations outside of any graph wait until a number is asked for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from max.driver import CPU
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor

from grader.frameworks.max import engine
from grader.frameworks.max.engine import lazy_graph


@pytest.fixture(autouse=True)
def _waiting() -> Iterator[None]:
    engine.install("numpy")
    with lazy_graph.until_asked():
        yield


def ones() -> Tensor:
    return Tensor.ones([2], dtype=DType.float32, device=CPU())  # [2]


def test_what_waits_is_computed_together_when_a_number_is_asked_for() -> None:
    one = ones()
    two = one + 1
    assert not one.real
    assert not two.real
    np.testing.assert_array_equal(two.to_numpy(), [2, 2])
    assert one.real
    np.testing.assert_array_equal((two * two - one).to_numpy(), [3, 3])


def test_what_is_computed_elsewhere_may_use_it() -> None:
    one = ones()
    with F.lazy():
        two = one + 1
    three = two + one
    np.testing.assert_array_equal(three.to_numpy(), [3, 3])


def test_what_fails_when_it_is_computed_fails_again() -> None:
    outside = F.gather(ones(), Tensor([7], dtype=DType.int64, device=CPU()), axis=0)
    for _ in range(2):
        with pytest.raises(IndexError):
            outside.to_numpy()
    np.testing.assert_array_equal((ones() + 1).to_numpy(), [2, 2])


def test_numbers_that_an_operation_needs_of_its_own_graph_are_noticed() -> None:
    def reads(x: Tensor) -> Tensor:
        return x * float((x + 1).to_numpy()[0])

    one = ones()
    lazy_graph.Waiting.asked = False
    with pytest.raises(TypeError, match="before realization context"):
        F.functional(reads)(one)
    assert lazy_graph.Waiting.asked
