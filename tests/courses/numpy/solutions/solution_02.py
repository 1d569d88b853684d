"""Step 02: the weights with which the tokens of a text look at each other."""

from __future__ import annotations

import math

import numpy as np

from solutions.solution_01 import AttentionConfig, softmax


class AttentionWeights:
    """One head: who looks at whom, and how much."""

    def __init__(self, config: AttentionConfig) -> None:
        self.query = np.zeros((config.n_embd, config.head_dim), np.float32)
        self.key = np.zeros((config.n_embd, config.head_dim), np.float32)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """The weights ``[seq, seq]`` of the tokens ``x`` ``[seq, n_embd]``."""
        # >>> blank: scores
        # TODO: Compute the score of every query with every key.
        # Hint: (x @ self.query) @ (x @ self.key) with its axes swapped
        # stub: scores = None
        scores = (x @ self.query) @ np.swapaxes(x @ self.key, -1, -2)  # [seq, seq]
        # <<< blank

        # >>> blank: scale
        # TODO: Divide by the square root of head_dim, and return the softmax of that.
        # stub: return None
        return softmax(scores / math.sqrt(self.key.shape[-1]))  # [seq, seq]
        # <<< blank
