"""Step 11: the whole model, and the weights of a real GPT-2."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import reduce
from os import PathLike

import numpy as np
import numpy.typing as npt
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Embedding, Module, ModuleList
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_08 import LayerNorm
from solutions.solution_09 import GPT2Block

Arrays = Mapping[str, npt.NDArray[np.generic]]

TRANSPOSED = ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")
"""Ends of the names that Hugging Face keeps as ``[in, out]``. A MAX Linear has ``[out, in]``."""

BUFFERS = (".attn.bias", ".attn.masked_bias")
"""Ends of the names that are not weights: old checkpoints keep their causal masks too."""

HEAD = "lm_head.weight"
"""Hugging Face's name for the table of tokens when it serves as the output layer."""

TABLE = "transformer.wte.weight"
"""The model's name for the table of tokens."""


class CheckpointError(ValueError):
    """A checkpoint does not fit the model."""


class GPT2Model(Module):
    """GPT-2 without its output layer: from token ids to vectors."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        d, eps = config.n_embd, config.layer_norm_epsilon
        self.wte, self.wpe = (
            Embedding(rows, dim=d) for rows in (config.vocab_size, config.n_positions)
        )
        self.h = ModuleList(GPT2Block(config) for _ in range(config.n_layer))
        self.ln_f = LayerNorm(d, eps=eps)

    def __call__(self, input_ids: Tensor) -> Tensor:
        """Turn token ids into vectors that know their context."""
        start = self.wte(input_ids) + self._places(input_ids)
        return self.ln_f(reduce(lambda x, block: block(x), self.h, start))

    def _places(self, input_ids: Tensor) -> Tensor:
        # one row of wpe per column of the input
        *_, n = input_ids.shape
        return self.wpe(Tensor.arange(int(n), dtype=DType.int64, device=input_ids.device))


class GPT2LMHeadModel(Module):
    """GPT-2: from token ids to a score for every possible next token."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        """The score of every token: how its row in the table fits the model's vector."""
        table = self.transformer.wte.weight
        return F.matmul(hidden_states, F.permute(table, [1, 0]))

    def __call__(self, input_ids: Tensor) -> Tensor:
        """Score every token of the vocabulary as the next one, at every position."""
        return self.lm_head(self.transformer(input_ids))


def convert_checkpoint(
    model: GPT2LMHeadModel, checkpoint: Arrays
) -> dict[str, npt.NDArray[np.generic]]:
    """Turn the arrays of a Hugging Face checkpoint into weights for ``model``."""
    expected = {name: tuple(int(dim) for dim in p.shape) for name, p in model.parameters}
    weights: dict[str, npt.NDArray[np.generic]] = {}
    problems: list[str] = []

    conv1d = re.compile(r"\.(?:attn\.c_(?:attn|proj)|mlp\.c_(?:fc|proj))\.weight$")

    for key, stored in checkpoint.items():
        if key.endswith(BUFFERS) or key == HEAD:
            continue
        name = re.sub(r"^(?!transformer\.)", "transformer.", key)
        array = np.transpose(stored) if conv1d.search(name) else stored

        want = expected.get(name)
        if want is None:
            problems.append(f"no such parameter: {name}")
        elif want != array.shape:
            problems.append(f"{name}: got shape {array.shape}, wanted {want}")
        weights[name] = np.ascontiguousarray(array, dtype=np.float32)

    problems.extend(f"not in the checkpoint: {name}" for name in expected.keys() - weights.keys())

    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], weights.get(TABLE, [])):
        problems.append(f"{HEAD} is not the table of tokens: this model has no other head")

    if not problems:
        return weights
    raise CheckpointError("; ".join(problems))


def load_gpt2(path: str | PathLike[str]) -> GPT2LMHeadModel:
    """Read a GPT-2 from a folder with ``config.json`` and safetensors files, or from such a file.

    Raises:
        CheckpointError: if the weights do not fit the configuration.
    """
    from gpt2.checkpoint import read_checkpoint

    fields, checkpoint = read_checkpoint(path)
    model = GPT2LMHeadModel(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    return model
