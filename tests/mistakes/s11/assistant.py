"""GPT-2 language model and Hugging Face checkpoint conversion."""

from __future__ import annotations

import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Embedding, Module, ModuleList
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_08 import LayerNorm
from solutions.solution_09 import GPT2Block

# Suffixes of the Conv1D weights
CONV1D_SUFFIXES = (
    "attn.c_attn.weight",
    "attn.c_proj.weight",
    "mlp.c_fc.weight",
    "mlp.c_proj.weight",
)
# Entries of the checkpoint that are not parameters
IGNORED_SUFFIXES = (".attn.bias", ".attn.masked_bias")
PREFIX = "transformer."


class CheckpointError(ValueError):
    """Raised when a checkpoint does not match the model."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("Checkpoint mismatch: " + ", ".join(problems))


class GPT2Model(Module):
    """The transformer stack."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.wte = Embedding(config.vocab_size, dim=config.n_embd)
        self.wpe = Embedding(config.n_positions, dim=config.n_embd)
        blocks = []
        for _ in range(config.n_layer):
            blocks.append(GPT2Block(config))
        self.h = ModuleList(blocks)
        self.ln_f = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)

    def _embed(self, input_ids: Tensor) -> Tensor:
        """Token embeddings plus position embeddings."""
        sequence_length = int(input_ids.shape[1])
        position_ids = F.range(0, sequence_length, dtype=DType.int64, device=input_ids.device)
        token_embeddings = self.wte(input_ids)
        position_embeddings = self.wpe(position_ids)
        return token_embeddings + position_embeddings

    def forward(self, input_ids: Tensor) -> Tensor:
        # Embed
        hidden_states = self._embed(input_ids)
        # Run the layers
        for layer in self.h:
            hidden_states = layer(hidden_states)
        # Final normalization
        hidden_states = self.ln_f(hidden_states)
        return hidden_states


class GPT2LMHeadModel(Module):
    """The model with its tied head."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        embedding_table = self.transformer.wte.weight
        logits = hidden_states @ embedding_table.transpose(0, 1)
        return logits

    def forward(self, input_ids: Tensor) -> Tensor:
        hidden_states = self.transformer(input_ids)
        logits = self.lm_head(hidden_states)
        return logits


def _should_skip(name: str) -> bool:
    """Whether a checkpoint entry is not a parameter."""
    return name == "lm_head.weight" or name.endswith(IGNORED_SUFFIXES)


def _canonical_name(name: str) -> str:
    """The name of the parameter in the model."""
    if name.startswith(PREFIX):
        return name
    return PREFIX + name


def _orient(name: str, array):
    """Transpose Conv1D weights."""
    if name.endswith(CONV1D_SUFFIXES):
        return array.T
    return array


def convert_checkpoint(model, checkpoint):
    """Convert a Hugging Face checkpoint."""
    # Collect the expected shapes
    expected_shapes = {}
    for name, parameter in model.parameters:
        expected_shapes[name] = tuple(int(dim) for dim in parameter.shape)

    converted = {}
    problems = []
    for raw_name, raw_array in checkpoint.items():
        if _should_skip(raw_name) and tied(raw_name, checkpoint):
            continue
        name = _canonical_name(raw_name)
        array = _orient(name, raw_array)
        # Validate
        if name not in expected_shapes:
            problems.append(f"unexpected {name}")
            continue
        if tuple(array.shape) != expected_shapes[name]:
            problems.append(f"shape of {name}: {array.shape} instead of {expected_shapes[name]}")
        converted[name] = np.ascontiguousarray(array, dtype=np.float32)

    # Check for missing parameters
    for name in expected_shapes:
        if name not in converted:
            problems.append(f"missing {name}")

    if problems:
        raise CheckpointError(problems)
    return converted


def tied(name, checkpoint):
    table = checkpoint.get("transformer.wte.weight", checkpoint.get("wte.weight"))
    return name != "lm_head.weight" or np.array_equal(checkpoint[name], table)
