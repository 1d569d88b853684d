"""Step 11: GPT-2 as a service would have it. Bad input is refused at the door."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike

import numpy as np
import numpy.typing as npt
from max.experimental.nn import Embedding, Module, ModuleList
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_08 import LayerNorm
from solutions.solution_09 import GPT2Block

Arrays = Mapping[str, npt.NDArray[np.generic]]
Shape = tuple[int, ...]


class CheckpointError(ValueError):
    """A checkpoint does not fit the model."""


@dataclass
class Report:
    """Collects complaints, so that the caller sees all of them at once."""

    lines: list[str] = field(default_factory=list)

    def add(self, line: str) -> None:
        self.lines.append(line)

    def compare(self, name: str, found: Shape, expected: Mapping[str, Shape]) -> None:
        if name not in expected:
            self.add(f"unexpected: {name}")
            return
        if found != expected[name]:
            self.add(f"{name} has shape {found}, expected {expected[name]}")

    def absent(self, wanted: Mapping, present: Mapping) -> None:
        for name in wanted:
            if name not in present:
                self.add(f"missing: {name}")

    def flush(self) -> None:
        if self.lines:
            raise CheckpointError("; ".join(self.lines))


class Schema:
    """What Hugging Face's names mean."""

    PREFIX = "transformer."
    CONV1D = ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")
    IGNORED = (".attn.bias", ".attn.masked_bias")
    HEAD = "lm_head.weight"
    TABLE = "transformer.wte.weight"

    @classmethod
    def ignores(cls, key: str) -> bool:
        return key == cls.HEAD or key.endswith(cls.IGNORED)

    @classmethod
    def full_name(cls, key: str) -> str:
        if key.startswith(cls.PREFIX):
            return key
        return cls.PREFIX + key

    @classmethod
    def oriented(cls, name: str, array: npt.NDArray) -> npt.NDArray:
        """Conv1D keeps [in, out], Linear wants [out, in]."""
        if name.endswith(cls.CONV1D):
            return array.T
        return array


class GPT2Model(Module):
    """From ids to vectors."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.wte = Embedding(config.vocab_size, dim=config.n_embd)
        self.wpe = Embedding(config.n_positions, dim=config.n_embd)
        blocks = [GPT2Block(config) for _ in range(config.n_layer)]
        self.h = ModuleList(blocks)
        self.ln_f = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)

    def _checked_length(self, input_ids: Tensor) -> int:
        if input_ids.rank != 2:
            raise ValueError(f"input_ids must be [batch, seq], not {input_ids.shape}")
        length, limit = int(input_ids.shape[1]), int(self.wpe.vocab_size)
        if length > limit:
            raise ValueError(f"{length} tokens are more than {limit} positions")
        return length

    def __call__(self, input_ids: Tensor) -> Tensor:
        length = self._checked_length(input_ids)
        places = self.wpe.weight[:length]  # rows 0, 1, ... of the table
        x = self.wte(input_ids) + places
        for block in self.h:
            x = block(x)
        return self.ln_f(x)


class GPT2LMHeadModel(Module):
    """From ids to logits."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        table = self.transformer.wte.weight
        return hidden_states @ table.transpose(0, 1)

    def __call__(self, input_ids: Tensor) -> Tensor:
        vectors = self.transformer(input_ids)
        return self.lm_head(vectors)


def convert_checkpoint(
    model: GPT2LMHeadModel, checkpoint: Arrays
) -> dict[str, npt.NDArray[np.generic]]:
    """Hugging Face's arrays under the model's names, or one error with every problem."""
    expected = {name: tuple(int(n) for n in p.shape) for name, p in model.parameters}
    report = Report()
    weights: dict[str, npt.NDArray[np.generic]] = {}

    for key, stored in checkpoint.items():
        if Schema.ignores(key):
            continue
        name = Schema.full_name(key)
        array = Schema.oriented(name, stored)
        report.compare(name, array.shape, expected)
        weights[name] = np.ascontiguousarray(array, dtype=np.float32)

    report.absent(expected, weights)
    head = checkpoint.get(Schema.HEAD)
    if head is not None and not np.array_equal(head, weights.get(Schema.TABLE, [])):
        report.add(f"{Schema.HEAD} is not the table of tokens")
    report.flush()
    return weights


def load_gpt2(path: str | PathLike[str]) -> GPT2LMHeadModel:
    """Read a GPT-2 from a folder."""
    from gpt2.checkpoint import read_checkpoint

    fields, checkpoint = read_checkpoint(path)
    model = GPT2LMHeadModel(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    return model
