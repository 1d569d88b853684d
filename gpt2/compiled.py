"""GPT-2 compiled by MAX: one graph that reads one token after a cache of any length."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
from max.driver import CPU
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor
from max.graph import TensorType


class _OneToken(Module):
    """The graph that is compiled: ``decode`` on one new token."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor, cache: Any) -> Any:
        return self.model.decode(ids, cache)


@contextmanager
def nothing_to_stage() -> Iterator[None]:
    """Make ``F.lazy()`` do nothing: a compiled model is already one graph.

    It reads the ids it is given. Inside ``F.lazy()`` ids made there have no numbers yet, so
    a ``stream`` that is right with the plain model would fail with the compiled one.
    """
    lazy = F.lazy
    F.lazy = nullcontext
    try:
        yield
    finally:
        F.lazy = lazy


class CompiledGPT2:
    """Replaces a ``GPT2WithCache`` wherever text is written with its cache.

    A prompt is read token by token too, so there is only one graph to compile.
    """

    def __init__(self, model: Any) -> None:
        """Compile ``model.decode``. That takes a minute the first time, seconds afterwards."""
        self.config = model.config
        self._model = model
        self._empty = (1, self.config.n_head, 0, self.config.n_embd // self.config.n_head)
        heads, width = self._empty[1], self._empty[3]
        kept = TensorType(DType.float32, [1, heads, "past", width], CPU())
        layers = tuple((kept, kept) for _ in range(self.config.n_layer))
        self._run = _OneToken(model).compile(TensorType(DType.int64, [1, 1], CPU()), layers)

    def __call__(self, ids: Tensor) -> Tensor:
        """The plain model, which is not compiled."""
        return self._model(ids)

    def decode(self, ids: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        """Read ``ids`` ``[1, seq]`` one by one; returns the logits of the last."""
        logits: Any = None
        kept = self._nothing() if cache is None else cache
        for token in ids.to_numpy()[0]:
            one = Tensor.from_dlpack(np.array([[token]]))
            logits, kept = self._run(one, kept)
        return logits, kept

    def _nothing(self) -> Any:
        """The cache of no tokens."""
        return tuple((self._no_rows(), self._no_rows()) for _ in range(self.config.n_layer))

    def _no_rows(self) -> Tensor:
        return Tensor.from_dlpack(np.zeros(self._empty, np.float32))
