"""Step 11: GPT-2 and a bulk import of its weights.

Import plan: read the target schema, map source keys to target names, load the rows, run the
validation passes, commit or roll back.
"""

from __future__ import annotations

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

Arrays = Mapping[str, npt.NDArray[np.generic]]
Schema = dict[str, tuple[int, ...]]

NAMESPACE = "transformer"
TRANSPOSED = ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")
BUFFERS = (".attn.bias", ".attn.masked_bias")
HEAD = "lm_head.weight"
TABLE = "transformer.wte.weight"


class CheckpointError(ValueError):
    """Import rolled back: the source violates the schema of the model."""


# --- model -----------------------------------------------------------------------------------


class GPT2Model(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        width = config.n_embd
        self.wte, self.wpe = (
            Embedding(rows, dim=width) for rows in (config.vocab_size, config.n_positions)
        )
        blocks = []
        for _ in range(config.n_layer):
            blocks.append(GPT2Block(config))
        self.h = ModuleList(blocks)
        self.ln_f = LayerNorm(width, eps=config.layer_norm_epsilon)

    def _position_index(self, input_ids: Tensor) -> Tensor:
        """Row numbers of ``wpe``, ``[seq]``."""
        row_count = input_ids.shape[1]
        return F.range(0, row_count, dtype=DType.int64, device=input_ids.device)

    def __call__(self, input_ids: Tensor) -> Tensor:
        token_rows = self.wte(input_ids)
        position_rows = self.wpe(self._position_index(input_ids))
        stream = token_rows + position_rows  # join on position
        for block in self.h:
            stream = block(stream)
        return self.ln_f(stream)


class GPT2LMHeadModel(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        table = self.transformer.wte.weight  # foreign key, not a copy
        return F.matmul(hidden_states, F.transpose(table, 0, 1))

    def __call__(self, input_ids: Tensor) -> Tensor:
        vectors = self.transformer(input_ids)
        return self.lm_head(vectors)


# --- import ----------------------------------------------------------------------------------


def _read_schema(model: GPT2LMHeadModel) -> Schema:
    """Target name -> shape."""
    return {name: tuple(map(int, tensor.shape)) for name, tensor in model.parameters}


def _is_excluded(source: str) -> bool:
    return source == HEAD or source.endswith(BUFFERS)


def _qualify(source: str) -> str:
    """Fully qualified target name."""
    if source.split(".")[0] == NAMESPACE:
        return source
    return ".".join([NAMESPACE, source])


def _key_map(checkpoint: Arrays) -> dict[str, str]:
    """Target name -> source key."""
    return {_qualify(source): source for source in checkpoint if not _is_excluded(source)}


def _transposed_names(layer_count: int) -> set[str]:
    """Cross join of the layers and the four columns kept as [in, out]."""
    return {
        f"{NAMESPACE}.h.{layer}.{column}" for layer in range(layer_count) for column in TRANSPOSED
    }


def _shape_conflicts(schema: Schema, rows: Arrays) -> Iterator[str]:
    """Inner join: both sides have the name."""
    for name in schema:
        if name in rows and rows[name].shape != schema[name]:
            yield f"{name} has shape {rows[name].shape}, expected {schema[name]}"


def _orphans(schema: Schema, rows: Arrays) -> Iterator[str]:
    """Anti join: source without target."""
    yield from (f"unexpected: {name}" for name in sorted(set(rows) - set(schema)))


def _gaps(schema: Schema, rows: Arrays) -> Iterator[str]:
    """Anti join: target without source."""
    yield from (f"missing: {name}" for name in sorted(set(schema) - set(rows)))


def _head_conflicts(checkpoint: Arrays, rows: Arrays) -> Iterator[str]:
    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], rows.get(TABLE, [])):
        yield f"{HEAD} is not the table of tokens: this model has no other head"


def convert_checkpoint(
    model: GPT2LMHeadModel, checkpoint: Arrays
) -> dict[str, npt.NDArray[np.generic]]:
    schema = _read_schema(model)
    flipped = _transposed_names(model.config.n_layer)

    rows: dict[str, npt.NDArray[np.generic]] = {}
    for target, source in _key_map(checkpoint).items():
        row = checkpoint[source]
        if target in flipped:
            row = row.T
        rows[target] = np.ascontiguousarray(row, dtype=np.float32)

    violations = [
        *_shape_conflicts(schema, rows),
        *_orphans(schema, rows),
        *_gaps(schema, rows),
        *_head_conflicts(checkpoint, rows),
    ]
    if len(violations) > 0:
        raise CheckpointError("\n  ".join(["Import rolled back:", *violations]))
    return rows


def load_gpt2(path: str | PathLike[str]) -> GPT2LMHeadModel:
    from gpt2.checkpoint import read_checkpoint

    fields, checkpoint = read_checkpoint(path)
    model = GPT2LMHeadModel(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    return model
