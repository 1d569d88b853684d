"""Step 11, nanoGPT style."""

from __future__ import annotations

from collections.abc import Mapping
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
BUFFERS = (".attn.bias", ".attn.masked_bias")
HEAD = "lm_head.weight"
TABLE = "transformer.wte.weight"
PREFIX = "transformer."


class CheckpointError(ValueError):
    """A checkpoint does not fit the model."""


class GPT2Model(Module):
    """Ids to vectors."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        V, P, C = config.vocab_size, config.n_positions, config.n_embd
        self.wte = Embedding(V, dim=C)
        self.wpe = Embedding(P, dim=C)
        blocks = []
        for _ in range(config.n_layer):
            blocks.append(GPT2Block(config))
        self.h = ModuleList(blocks)
        self.ln_f = LayerNorm(C, config.layer_norm_epsilon)

    def __call__(self, input_ids: Tensor) -> Tensor:
        B, T = input_ids.shape
        pos = F.range(0, T, dtype=DType.int64, device=input_ids.device)  # (T,)
        tok_emb = self.wte(input_ids)  # (B, T, C)
        pos_emb = self.wpe(pos)  # (T, C)
        x = tok_emb + pos_emb
        for blk in self.h:
            x = blk(x)
        x = self.ln_f(x)
        return x


class GPT2LMHeadModel(Module):
    """Ids to logits; head tied."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        # b t c, v c -> b t v
        W = self.transformer.wte.weight
        return hidden_states @ W.transpose(0, 1)

    def __call__(self, input_ids: Tensor) -> Tensor:
        x = self.transformer(input_ids)
        logits = self.lm_head(x)
        return logits


def convert_checkpoint(
    model: GPT2LMHeadModel, checkpoint: Arrays
) -> dict[str, npt.NDArray[np.generic]]:
    """Hugging Face arrays to ours."""
    expected = {name: tuple(int(dim) for dim in p.shape) for name, p in model.parameters}
    weights: dict[str, npt.NDArray[np.generic]] = {}
    problems: list[str] = []

    for key, stored in checkpoint.items():
        if key.endswith(BUFFERS) or key == HEAD:
            continue
        name = PREFIX + key.removeprefix(PREFIX)
        array = stored
        if any(name.endswith(w) for w in TRANSPOSED):
            array = np.swapaxes(stored, 0, 1)  # Conv1D is (in, out)
        want = expected.get(name)
        if want is None:
            problems.append("unexpected: " + name)
        elif want != array.shape:
            problems.append(f"{name}: got {array.shape}, want {want}")
        weights[name] = np.ascontiguousarray(array, dtype=np.float32)

    missing = set(expected) - set(weights)
    for name in sorted(missing):
        problems.append("missing: " + name)

    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], weights.get(TABLE, [])):
        problems.append(f"{HEAD} is not the table of tokens: this model has no other head")

    if len(problems) > 0:
        raise CheckpointError("; ".join(problems))
    return weights


def load_gpt2(path: str | PathLike[str]) -> GPT2LMHeadModel:
    """Read a GPT-2 from a folder."""
    from gpt2.checkpoint import read_checkpoint

    fields, checkpoint = read_checkpoint(path)
    model = GPT2LMHeadModel(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    return model
