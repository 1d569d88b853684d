"""Step 11: GPT2Model, GPT2LMHeadModel and from_pretrained, after transformers."""

from __future__ import annotations

from collections.abc import Mapping

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

# Conv1D modules: [in, out] in the checkpoint
TRANSPOSED = ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")
BUFFERS = (".attn.bias", ".attn.masked_bias")  # _keys_to_ignore_on_load_unexpected
HEAD = "lm_head.weight"  # _tied_weights_keys
TABLE = "transformer.wte.weight"


class CheckpointError(ValueError):
    """A checkpoint does not fit the model."""


class GPT2Model(Module):
    def __init__(self, config: GPT2Config, **kwargs):
        super().__init__()
        self.config = config
        self.embed_dim = config.n_embd
        self.wte = Embedding(vocab_size=config.vocab_size, dim=self.embed_dim)
        self.wpe = Embedding(vocab_size=config.n_positions, dim=self.embed_dim)
        self.h = ModuleList(GPT2Block(config) for layer_idx in range(config.n_layer))
        self.ln_f = LayerNorm(self.embed_dim, eps=config.layer_norm_epsilon)

    def get_input_embeddings(self):
        return self.wte

    def forward(self, input_ids=None, position_ids=None, inputs_embeds=None, past_length=0, **kwargs):
        if input_ids is not None and inputs_embeds is not None:
            raise ValueError("You cannot specify both input_ids and inputs_embeds at the same time")
        elif input_ids is not None:
            input_shape = input_ids.shape
            device = input_ids.device
        elif inputs_embeds is not None:
            input_shape = inputs_embeds.shape[:-1]
            device = inputs_embeds.device
        else:
            raise ValueError("You have to specify either input_ids or inputs_embeds")

        if position_ids is None:
            seq_length = int(input_shape[-1])
            position_ids = Tensor.arange(
                past_length, past_length + seq_length, dtype=DType.int64, device=device
            )
            position_ids = position_ids.unsqueeze(0)  # (1, seq_length)

        if inputs_embeds is None:
            inputs_embeds = self.wte(input_ids)
        position_embeds = self.wpe(position_ids)
        hidden_states = inputs_embeds + position_embeds

        output_shape = [*input_shape, self.embed_dim]
        for i, block in enumerate(self.h):
            hidden_states = block(hidden_states)

        hidden_states = self.ln_f(hidden_states)
        return hidden_states.reshape(output_shape)


class GPT2LMHeadModel(Module):
    base_model_prefix = "transformer"

    def __init__(self, config: GPT2Config, **kwargs):
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config, **kwargs)

    def get_output_embeddings(self):
        return self.transformer.get_input_embeddings().weight  # tied, no nn.Linear

    def lm_head(self, hidden_states):
        return hidden_states @ self.get_output_embeddings().transpose(0, 1)

    def forward(self, input_ids=None, **kwargs):
        hidden_states = self.transformer(input_ids=input_ids, **kwargs)
        lm_logits = self.lm_head(hidden_states)
        return lm_logits


def _add_prefix(key, prefix=GPT2LMHeadModel.base_model_prefix):
    return key if key.startswith(f"{prefix}.") else f"{prefix}.{key}"


def convert_checkpoint(model, checkpoint):
    """state_dict for model.load_state_dict, strict about missing, unexpected and mismatched keys."""
    model_shapes = {k: tuple(map(int, p.shape)) for k, p in dict(model.parameters).items()}
    state_dict = {
        _add_prefix(key): value
        for key, value in checkpoint.items()
        if key != HEAD and not key.endswith(BUFFERS)
    }
    # Conv1D -> Linear
    state_dict = {k: v.transpose() if k.endswith(TRANSPOSED) else v for k, v in state_dict.items()}

    expected_keys, loaded_keys = set(model_shapes), set(state_dict)
    missing_keys = sorted(expected_keys - loaded_keys)
    unexpected_keys = sorted(loaded_keys - expected_keys)
    mismatched_keys = [
        (k, state_dict[k].shape, model_shapes[k])
        for k in sorted(expected_keys & loaded_keys)
        if state_dict[k].shape != model_shapes[k]
    ]

    error_msgs = []
    if unexpected_keys:
        error_msgs.append("Unexpected key(s) in state_dict: " + ", ".join(unexpected_keys))
    if missing_keys:
        error_msgs.append("Missing key(s) in state_dict: " + ", ".join(missing_keys))
    for key, shape1, shape2 in mismatched_keys:
        error_msgs.append(f"size mismatch for {key}: {shape1} in checkpoint, {shape2} in model")
    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], state_dict.get(TABLE)):
        error_msgs.append(f"{HEAD} is not tied to {TABLE}")

    if len(error_msgs) > 0:
        raise CheckpointError(
            f"Error(s) in loading state_dict for {type(model).__name__}:\n\t" + "\n\t".join(error_msgs)
        )
    return {k: np.ascontiguousarray(v, dtype=np.float32) for k, v in state_dict.items()}


def load_gpt2(path, **kwargs):
    from gpt2.checkpoint import read_checkpoint

    config_dict, checkpoint = read_checkpoint(path)
    config_dict.update(kwargs)
    model = GPT2LMHeadModel(config=GPT2Config(**config_dict))
    model.load_state_dict(convert_checkpoint(model, checkpoint), strict=True)
    return model
