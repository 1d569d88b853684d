"""A ``GPT2WithCache`` that writes with a staged graph instead of the model's own Python."""

from __future__ import annotations

import statistics
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from max.driver import accelerator_count
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor

Array = npt.NDArray[Any]

Run = Callable[..., list[Array]]
"""A staged graph: from ids, keys and values to logits and grown keys and values."""

SAME = 1e-3
"""How near the numbers of two ways must be, relatively and absolutely."""

TRIED = 3
"""Tokens for which a new way of running the graph is timed before it may stay."""

HOPELESS = 2.0
"""A new way that takes this many times as long is given up at once: the reader is waiting."""


@contextmanager
def nothing_to_stage() -> Iterator[None]:
    """Make MAX stage nothing: ``F.lazy()`` does nothing, and ids become a tensor without a graph.

    The staged graph reads the ids it is given. Inside ``F.lazy()`` ids made there have no numbers
    yet, so a ``stream`` that is right with the plain model would fail with this one. And one
    ``Tensor([[7]])`` takes MAX longer than all of a small model.
    """
    lazy, constant = F.lazy, F.constant

    def at_once(value: Any, dtype: DType | None = None, device: Any = None) -> Tensor:
        if type(value) is list and dtype == DType.int64 and not accelerator_count():
            return Tensor.from_dlpack(np.array(value, np.int64))
        return constant(value, dtype, device)

    F.lazy, F.constant = nullcontext, at_once
    try:
        yield
    finally:
        F.lazy, F.constant = lazy, constant


class DecodingGPT2:
    """Replaces a ``GPT2WithCache`` wherever text is written with its cache."""

    def __init__(self, model: Any, run: Run, piece: int) -> None:
        """Decode with ``run``, which reads up to ``piece`` tokens at once."""
        self.config = model.config
        self._model, self._run, self._piece = model, run, piece
        width = self.config.n_embd // self.config.n_head
        self._nothing = np.zeros((1, self.config.n_head, 0, width), np.float32)

    def __call__(self, ids: Tensor) -> Tensor:
        """The plain model, operation by operation."""
        return self._model(ids)

    def decode(self, ids: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        """Read new tokens that follow those in the cache.

        Args:
            ids: The new tokens, ``[1, seq]``.
            cache: What an earlier call returned, or the cache of a ``GPT2WithCache``.

        Returns:
            The logits of the last token, ``[1, 1, vocab_size]``, and the grown cache, as arrays.
        """
        new = ids.to_numpy()
        kept = self._arrays(cache)
        for start in range(0, new.shape[1], self._piece):
            logits, *kept = self._run(new[:, start : start + self._piece], *kept)
        return Tensor.from_dlpack(logits), kept

    def _arrays(self, cache: Any) -> list[Array]:
        if cache is None:
            return [self._nothing] * (2 * self.config.n_layer)
        if isinstance(cache, list):
            return cache
        return [np.from_dlpack(tensor) for pair in cache for tensor in pair]


class Quicker:
    """Runs a graph in one way, and in another as soon as that is ready and if it is quicker."""

    def __init__(self, first: Run, other: Callable[[], Run | None]) -> None:
        """Begin with ``first``; ``other`` returns None as long as it is not ready."""
        self._first = _Timed(first)
        self._second: _Timed | None = None
        self._other = other

    def __call__(self, ids: Array, *kept: Array) -> list[Array]:
        """Run it in the better way known so far."""
        if self._second is None and (ready := self._other()) is not None:
            return self._both(ready, ids, *kept)
        return self._chosen()(ids, *kept)

    def _both(self, ready: Run, *arrays: Array) -> list[Array]:
        """Run it both ways: the other one stays only if its numbers are the same."""
        results = self._first(*arrays)
        if same(ready(*arrays), results):
            self._second = _Timed(ready)
        else:
            self._other = lambda: None
        return results

    def _chosen(self) -> _Timed:
        first, second = self._first, self._second
        if second is None or not first.seconds:
            return first
        hopeless = any(taken > HOPELESS * first.usual for taken in second.seconds)
        tried = hopeless or len(second.seconds) >= TRIED
        return first if tried and first.usual < second.usual else second


def same(found: list[Array], right: list[Array]) -> bool:
    """Whether two ways of running a graph give the same logits, keys and values."""
    return all(map(partial(np.allclose, rtol=SAME, atol=SAME), found, right))


class _Timed:
    """Runs a graph and remembers how long the latest single tokens took."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.seconds: deque[float] = deque(maxlen=15)

    @property
    def usual(self) -> float:
        return statistics.median(self.seconds)

    def __call__(self, ids: Array, *kept: Array) -> list[Array]:
        started = time.perf_counter()
        results = self._run(ids, *kept)
        if ids.shape[1] == 1:  # a prompt says little about a token
            self.seconds.append(time.perf_counter() - started)
        return results
