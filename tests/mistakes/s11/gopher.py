"""Step 11: the whole of GPT-2, and a strict way to its weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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

Array = npt.NDArray[np.generic]
Arrays = Mapping[str, Array]
Shape = tuple[int, ...]
Shapes = dict[str, Shape]

PREFIX = "transformer."
TRANSPOSED = ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")
BUFFERS = (".attn.bias", ".attn.masked_bias")
HEAD = "lm_head.weight"
TABLE = "transformer.wte.weight"


class CheckpointError(ValueError):
    """A checkpoint does not fit the model."""


# --- the model ---


def positions_of(input_ids: Tensor) -> Tensor:
    """0, 1, 2, … up to the length of the text: [seq]."""
    length = int(input_ids.shape[1])
    return F.range(0, length, 1, dtype=DType.int64, device=input_ids.device)


def run_all(layers: Iterable[Module], x: Tensor) -> Tensor:
    """Pass x through every layer, in order."""
    for layer in layers:
        x = layer(x)
    return x


class GPT2Model(Module):
    """From token ids to vectors."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        width = config.n_embd
        self.wte = Embedding(config.vocab_size, dim=width)
        self.wpe = Embedding(config.n_positions, dim=width)

        blocks = []
        for _ in range(config.n_layer):
            blocks.append(GPT2Block(config))
        self.h = ModuleList(blocks)

        self.ln_f = LayerNorm(width, config.layer_norm_epsilon)

    def __call__(self, input_ids: Tensor) -> Tensor:
        embedded = self._embed(input_ids)
        contextual = run_all(self.h, embedded)
        return self.ln_f(contextual)

    def _embed(self, input_ids: Tensor) -> Tensor:
        tokens = self.wte(input_ids)  # [batch, seq, n_embd]
        places = self.wpe(positions_of(input_ids))  # [seq, n_embd]
        return F.add(tokens, places)


class GPT2LMHeadModel(Module):
    """From token ids to logits."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def __call__(self, input_ids: Tensor) -> Tensor:
        vectors = self.transformer(input_ids)
        return self.lm_head(vectors)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        table = self.transformer.wte.weight  # [vocab_size, n_embd]
        return F.matmul(hidden_states, F.transpose(table, 0, 1))


# --- the checkpoint ---


def shapes_of(model: Module) -> Shapes:
    """Name and shape of every parameter."""
    shapes: Shapes = {}
    for name, parameter in model.parameters:
        shapes[name] = tuple(int(dim) for dim in parameter.shape)
    return shapes


def is_weight(key: str) -> bool:
    """False for what a checkpoint may contain besides weights."""
    if key == HEAD:
        return False
    return not key.endswith(BUFFERS)


def full_name(key: str) -> str:
    """The model's name for a key of the checkpoint."""
    if key.startswith(PREFIX):
        return key
    return PREFIX + key


def to_out_in(name: str, stored: Array) -> Array:
    """Conv1D keeps [in, out], Linear wants [out, in]. All else stays."""
    for ending in TRANSPOSED:
        if name.endswith(ending):
            return stored.T
    return stored


def check_array(name: str, array: Array, expected: Shapes) -> str | None:
    """What is wrong with this array, or None."""
    want = expected.get(name)
    if want is None:
        return f"unexpected: {name}"
    got = array.shape
    if got != want:
        return f"{name} has shape {got}, expected {want}"
    return None


def check_missing(expected: Shapes, weights: Arrays) -> list[str]:
    """One line for each parameter without an array."""
    absent = expected.keys() - weights.keys()
    return [f"missing: {name}" for name in sorted(absent)]


def check_head(checkpoint: Arrays, weights: Arrays) -> list[str]:
    """The head must be the table of tokens."""
    if HEAD not in checkpoint:
        return []
    if np.array_equal(checkpoint[HEAD], weights.get(TABLE, [])):
        return []
    return [f"{HEAD} is not the table of tokens: this model has no other head"]


def convert_checkpoint(model: GPT2LMHeadModel, checkpoint: Arrays) -> dict[str, Array]:
    """Weights for the model, or a CheckpointError with everything that is wrong."""
    expected = shapes_of(model)
    weights: dict[str, Array] = {}
    problems: list[str] = []

    for key, stored in checkpoint.items():
        if not is_weight(key):
            continue
        name = full_name(key)
        array = to_out_in(name, stored)
        problem = check_array(name, array, expected)
        if problem is not None:
            problems.append(problem)
        weights[name] = np.ascontiguousarray(array, dtype=np.float32)

    problems.extend(check_missing(expected, weights))
    problems.extend(check_head(checkpoint, weights))
    if not problems:
        return weights
    raise CheckpointError("; ".join(problems))


def load_gpt2(path: str | PathLike[str]) -> GPT2LMHeadModel:
    """Read a GPT-2 from a folder or a file."""
    from gpt2.checkpoint import read_checkpoint

    fields, checkpoint = read_checkpoint(path)
    model = GPT2LMHeadModel(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    return model
