"""Step 11: the whole model, and the weights of a real GPT-2."""

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
        self.embed_dim = config.n_embd

        self.wte = Embedding(config.vocab_size, dim=self.embed_dim)
        self.wpe = Embedding(config.n_positions, dim=self.embed_dim)

        layers = []
        for _ in range(config.n_layer):
            layers.append(GPT2Block(config))
        self.h = ModuleList(layers)
        self.ln_f = LayerNorm(self.embed_dim, eps=config.layer_norm_epsilon)

    def __call__(self, input_ids: Tensor) -> Tensor:
        """Turn token ids into vectors that know their context."""
        inputs_embeds = self.wte(input_ids)

        past_length = 0
        seq_length = input_ids.shape[1]
        position_ids = F.range(
            past_length,
            past_length + seq_length,
            dtype=DType.int64,
            device=input_ids.device,
        )
        position_embeds = self.wpe(position_ids)
        hidden_states = inputs_embeds + position_embeds

        for i in range(len(self.h)):
            hidden_states = self.h[i](hidden_states)

        hidden_states = self.ln_f(hidden_states)
        return hidden_states


class GPT2LMHeadModel(Module):
    """GPT-2: from token ids to a score for every possible next token."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        """The score of every token: how its row in the table fits the model's vector."""
        embedding_matrix = self.transformer.wte.weight
        return hidden_states @ embedding_matrix.transpose(0, 1)

    def __call__(self, input_ids: Tensor) -> Tensor:
        """Score every token of the vocabulary as the next one, at every position."""
        transformer_outputs = self.transformer(input_ids)
        lm_logits = self.lm_head(transformer_outputs)
        return lm_logits


def convert_checkpoint(
    model: GPT2LMHeadModel, checkpoint: Arrays
) -> dict[str, npt.NDArray[np.generic]]:
    """Turn the arrays of a Hugging Face checkpoint into weights for ``model``."""
    expected = {name: tuple(int(dim) for dim in p.shape) for name, p in model.parameters}
    weights: dict[str, npt.NDArray[np.generic]] = {}
    problems: list[str] = []

    for key, stored in checkpoint.items():
        if key.endswith(BUFFERS) or key == HEAD:
            continue
        base_model_prefix = "transformer."
        name = base_model_prefix + key.removeprefix(base_model_prefix)

        array = stored
        if any(name.endswith(suffix) for suffix in TRANSPOSED):
            array = stored.T

        if name in expected:
            if array.shape != expected[name]:
                problems.append(
                    f"size mismatch for {name}: copying a param with shape {array.shape}, "
                    f"the shape in current model is {expected[name]}"
                )
        else:
            problems.append(f"unexpected key: {name}")
        weights[name] = np.ascontiguousarray(array, dtype=np.float32)

    missing_keys = sorted(set(expected) - set(weights))
    for name in missing_keys:
        problems.append(f"missing key: {name}")

    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], weights.get(TABLE, [])):
        problems.append(f"{HEAD} is not the table of tokens: this model has no other head")

    if len(problems) > 0:
        raise CheckpointError("Error(s) in loading state_dict:\n\t" + "\n\t".join(problems))
    return weights


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
