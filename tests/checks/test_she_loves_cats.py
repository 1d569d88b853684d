"""Step 03's example gives the tables that PyTorch's seed 42 gave others, to four decimals."""

from __future__ import annotations

import numpy as np
import pytest

from checks.step_03.oracle import scaled_dot_product_attention
from checks.step_03.trials import EXAMPLE, example

PRINTED = {
    "random vectors": [
        [[0.3297, 0.3297, 0.3406], [0.3209, 0.3352, 0.3439], [0.3286, 0.3308, 0.3406]],
        [[0.3601, 0.2791, 0.3608], [0.3198, 0.3448, 0.3354], [0.3501, 0.3008, 0.3492]],
    ],
    "she loves cats": [
        [[0.1895, 0.1881, 0.6225], [0.2294, 0.3782, 0.3925], [0.3702, 0.4393, 0.1906]],
        [[0.4134, 0.3067, 0.2798], [0.2474, 0.3777, 0.3750], [0.3383, 0.3749, 0.2868]],
    ],
}
"""Weights ``[n_head, seq, seq]`` of a layer of width 8 with two heads."""


@pytest.mark.parametrize("name", PRINTED)
def test_the_stored_weights_give_the_printed_tables(name: str) -> None:
    query, key, value = (array.astype(np.float64) for array in example(name))
    _, weights = scaled_dot_product_attention(query, key, value)
    np.testing.assert_array_equal(weights.round(4), PRINTED[name])


def test_pytorch_makes_the_same_numbers_again() -> None:
    pytest.importorskip("torch", reason="the parity environment is not installed")
    from tools.she_loves_cats import make, text

    assert text(make()) == EXAMPLE.read_text(encoding="utf-8")
