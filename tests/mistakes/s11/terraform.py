"""GPT-2 and its checkpoint: plan the names, diff them with the model, apply or refuse."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
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

log = logging.getLogger(__name__)

Arrays = Mapping[str, npt.NDArray[np.generic]]

TRANSPOSED = ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")
BUFFERS = (".attn.bias", ".attn.masked_bias")
HEAD = "lm_head.weight"
TABLE = "transformer.wte.weight"
PREFIX = "transformer."


class CheckpointError(ValueError):
    """The diff between checkpoint and model is not empty."""


class GPT2Model(Module):
    """Stack of blocks behind two tables."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        width = config.n_embd
        self.wte = Embedding(config.vocab_size, dim=width)
        self.wpe = Embedding(config.n_positions, dim=width)
        replicas = []
        for _ in range(config.n_layer):
            replicas.append(GPT2Block(config))
        self.h = ModuleList(replicas)
        self.ln_f = LayerNorm(width, eps=config.layer_norm_epsilon)

    def __call__(self, input_ids: Tensor) -> Tensor:
        _, seq = input_ids.shape
        slots = F.range(0, seq, dtype=DType.int64, device=input_ids.device)
        state = self.wte(input_ids)
        state = state + self.wpe(slots)
        for stage in self.h:
            state = stage(state)
        return self.ln_f(state)


class GPT2LMHeadModel(Module):
    """The stack, and logits from the table of tokens."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        table = self.transformer.wte.weight
        return hidden_states @ table.transpose(0, 1)

    def __call__(self, input_ids: Tensor) -> Tensor:
        state = self.transformer(input_ids)
        return self.lm_head(state)


def plan(checkpoint: Arrays) -> Iterator[tuple[str, npt.NDArray[np.generic]]]:
    """The arrays that will be applied, under the model's names and the right way round."""
    for key, stored in checkpoint.items():
        if key == HEAD or key.endswith(BUFFERS):
            log.debug("skip %s", key)
            continue
        name = PREFIX + key.removeprefix(PREFIX)
        if name.endswith(TRANSPOSED):
            stored = stored.T
        yield name, np.ascontiguousarray(stored, dtype=np.float32)


def diff(desired: dict[str, tuple[int, ...]], actual: dict[str, npt.NDArray]) -> list[str]:
    """Every change that would be needed: + to be added, - to be removed, ~ to be changed."""
    changes = []
    for name in sorted(desired.keys() - actual.keys()):
        changes.append(f"+ {name} is missing")
    for name in sorted(actual.keys() - desired.keys()):
        changes.append(f"- {name} is unexpected")
    for name in sorted(desired.keys() & actual.keys()):
        want, have = desired[name], actual[name].shape
        if want != have:
            changes.append(f"~ {name} has shape {have}, expected {want}")
    return changes


def convert_checkpoint(
    model: GPT2LMHeadModel, checkpoint: Arrays
) -> dict[str, npt.NDArray[np.generic]]:
    """Plan, diff, and return the weights if nothing differs."""
    desired = {}
    for name, parameter in model.parameters:
        desired[name] = tuple(int(size) for size in parameter.shape)
    weights = dict(plan(checkpoint))
    changes = diff(desired, weights)
    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], weights.get(TABLE, [])):
        changes.append(f"~ {HEAD} is not the table of tokens")
    if changes:
        report = "\n".join(changes)
        log.error("refused: %d changes", len(changes))
        raise CheckpointError(f"The checkpoint does not fit the model:\n{report}")
    return weights


def load_gpt2(path: str | PathLike[str]) -> GPT2LMHeadModel:
    """Read a GPT-2 from a folder or a file."""
    from gpt2.checkpoint import read_checkpoint

    fields, checkpoint = read_checkpoint(path)
    model = GPT2LMHeadModel(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    return model
