"""Step 11: GPT-2 as a schema, its checkpoint as a migration."""

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

SCHEMA = "transformer."
HEAD = "lm_head.weight"
TABLE = "transformer.wte.weight"
BUFFERS = (".attn.bias", ".attn.masked_bias")

# column rules: (layer, field) pairs that are stored as [in, out]
TRANSPOSE_RULES = {
    ("attn", "c_attn"),
    ("attn", "c_proj"),
    ("mlp", "c_fc"),
    ("mlp", "c_proj"),
}


class CheckpointError(ValueError):
    """Integrity violation."""


class GPT2Model(Module):
    """ids JOIN wte JOIN wpe, then the blocks in order."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        row_counts = {"wte": config.vocab_size, "wpe": config.n_positions}
        for table, rows in row_counts.items():
            setattr(self, table, Embedding(rows, dim=config.n_embd))
        blocks = [GPT2Block(config) for _ in range(config.n_layer)]
        self.h = ModuleList(blocks)
        self.ln_f = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)

    def __call__(self, input_ids: Tensor) -> Tensor:
        batch, seq = input_ids.shape
        row_numbers = F.range(0, seq, dtype=DType.int64, device=input_ids.device)
        rows = self.wte(input_ids) + self.wpe(row_numbers)
        for block in self.h:
            rows = block(rows)
        return self.ln_f(rows)


class GPT2LMHeadModel(Module):
    """The model with its table of tokens used a second time, as the head."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        table = self.transformer.wte.weight
        return F.matmul(hidden_states, F.transpose(table, 0, 1))

    def __call__(self, input_ids: Tensor) -> Tensor:
        rows = self.transformer(input_ids)
        return self.lm_head(rows)


def _is_data(key: str) -> bool:
    return key != HEAD and not key.endswith(BUFFERS)


def _qualified(key: str) -> str:
    return SCHEMA + key.removeprefix(SCHEMA)


def _is_transposed(name: str) -> bool:
    *_, layer, field, kind = ("", *name.split("."))
    return kind == "weight" and (layer, field) in TRANSPOSE_RULES


def _imported(checkpoint: Arrays) -> dict[str, npt.NDArray[np.generic]]:
    """The rows of the checkpoint that count, under the model's names."""
    rows = {}
    for key, stored in checkpoint.items():
        if not _is_data(key):
            continue
        name = _qualified(key)
        rows[name] = np.transpose(stored) if _is_transposed(name) else stored
    return rows


def convert_checkpoint(
    model: GPT2LMHeadModel, checkpoint: Arrays
) -> dict[str, npt.NDArray[np.generic]]:
    """Migrate all rows or none."""
    schema = {name: tuple(map(int, p.shape)) for name, p in model.parameters}
    rows = _imported(checkpoint)

    unexpected = rows.keys() - schema.keys()
    missing = schema.keys() - rows.keys()
    misshapen = {n for n in rows.keys() & schema.keys() if rows[n].shape != schema[n]}

    violations = [f"missing: {name}" for name in sorted(missing)]
    violations += [f"unexpected: {name}" for name in sorted(unexpected)]
    violations += [
        f"{name} has shape {rows[name].shape}, expected {schema[name]}"
        for name in sorted(misshapen)
    ]
    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], rows.get(TABLE, [])):
        violations.append(f"{HEAD} is not the table of tokens")

    if violations:
        raise CheckpointError("rolled back:\n  " + "\n  ".join(violations))
    return {name: np.ascontiguousarray(row, dtype=np.float32) for name, row in rows.items()}


def load_gpt2(path: str | PathLike[str]) -> GPT2LMHeadModel:
    """Read a GPT-2 from a folder."""
    from gpt2.checkpoint import read_checkpoint

    fields, checkpoint = read_checkpoint(path)
    model = GPT2LMHeadModel(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    return model
