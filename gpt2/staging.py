"""Stages ``decode`` once, as one graph for any number of new tokens after any number of old ones.

MAX stages a model by running its Python with tensors that have no numbers yet, and whose lengths
may be names. The graph serves every call from then on: NumPy runs it as it is
(``grader.frameworks.max.engine.replay``), and MAX compiles it (``gpt2.compiled``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from max.driver import CPU, Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.compilation import StagedGraph
from max.experimental.nn import Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike, Graph, TensorType

Array = npt.NDArray[Any]

PIECE = 256
"""How many tokens of a prompt are read at once: enough to be quick, and memory stays flat."""

LENGTHS = ((1, 0), (3, 0), (1, 2), (2, 3))
"""New and old tokens for which a learner's mask is compared with ours."""


class Decode(Module):
    """``decode``, with the logits of the last token only: nothing else is used for writing."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor, cache: Any) -> Any:
        """Stage it."""
        model, head = self.model, self.model.lm_head  # a copy that MAX made to stage it
        model.lm_head = lambda hidden: head(hidden[:, -1:])
        return model.decode(ids, cache)


class Staged(NamedTuple):
    """A graph that reads up to ``piece`` tokens at once, and the weights it refers to by name."""

    graph: StagedGraph[Any, Any]
    weights: Mapping[str, Tensor]
    piece: int

    @property
    def whole(self) -> Graph:
        """The graph as MAX keeps it."""
        return self.graph.graph

    def arrays(self) -> dict[str, Array]:
        """The weights as arrays over the same memory."""
        return {name: np.from_dlpack(weight) for name, weight in self.weights.items()}


def stage(model: Any, *, piece: int = PIECE) -> Staged:
    """The graph of ``model.decode``.

    Its inputs are the ids ``[1, seq]`` and, for every block, keys and values
    ``[1, n_head, past, head_dim]``; its outputs are the logits ``[1, 1, vocab_size]`` of the last
    token and the grown keys and values. With ``piece=1``, ``seq`` is 1.

    Raises:
        Exception: whatever the model's code raises where a length has no number yet.
    """
    config = model.config
    seq: DimLike = 1 if piece == 1 else "seq"
    shape = [1, config.n_head, "past", config.n_embd // config.n_head]
    kept = TensorType(DType.float32, shape, CPU())
    decode = Decode(model)
    cache = tuple((kept, kept) for _ in range(config.n_layer))
    with _any_mask(type(model)):
        graph = decode.trace(TensorType(DType.int64, [1, seq], CPU()), cache)
    return Staged(graph, dict(decode.parameters), piece)


def causal_mask(
    sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device
) -> Tensor:
    """Step 02's mask, also for lengths that have no number yet."""
    total = Dim(sequence_length) + num_tokens
    rows = F.range(num_tokens, total, out_dim=sequence_length, dtype=DType.int64, device=device)
    columns = F.range(0, total, out_dim=total, dtype=DType.int64, device=device)
    hidden = Tensor(float("-inf"), dtype=dtype, device=device)  # []
    visible = Tensor(0.0, dtype=dtype, device=device)  # []
    return F.where(columns > rows.unsqueeze(-1), hidden, visible)  # [sequence_length, total]


@contextmanager
def _any_mask(model: type[Any]) -> Iterator[None]:
    """Give ``_attend`` a mask that needs no numbers, if that is its own in all but that.

    ``F.band_part`` of step 02 wants to know how many tokens there are already.
    """
    names = model._attend.__globals__  # noqa: SLF001 - step 12's method
    own = names.get("causal_mask")
    if own is None or not _same_mask(own):
        yield
        return
    names["causal_mask"] = _once(causal_mask)
    try:
        yield
    finally:
        names["causal_mask"] = own


def _once(mask: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Make one mask for all blocks of a graph."""
    made: dict[Any, Tensor] = {}

    def remembered(*lengths: DimLike, **how: Any) -> Tensor:
        key = (id(Graph.current), *map(str, lengths))
        if key not in made:
            made[key] = mask(*lengths, **how)
        return made[key]

    return remembered


def _same_mask(own: Callable[..., Any]) -> bool:
    """Whether a learner's mask has the numbers of step 02's."""
    how = {"dtype": DType.float32, "device": CPU()}
    for seq, past in LENGTHS:
        expected = np.where(np.arange(seq + past) > past + np.arange(seq)[:, None], -np.inf, 0)
        if not np.array_equal(own(seq, past, **how).to_numpy(), expected):
            return False
    return True
