import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Embedding, Module, ModuleList
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_08 import LayerNorm
from solutions.solution_09 import GPT2Block

PREFIX = "transformer."
CONV1D = {"attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"}


class CheckpointError(ValueError):
    """Raised for weights that do not fit."""


class GPT2Model(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        vocab, length, width = config.vocab_size, config.n_positions, config.n_embd
        self.wte = Embedding(vocab, dim=width)
        self.wpe = Embedding(length, dim=width)
        self.h = ModuleList([GPT2Block(config) for _ in range(config.n_layer)])
        self.ln_f = LayerNorm(width, eps=config.layer_norm_epsilon)

    def __call__(self, input_ids: Tensor) -> Tensor:
        tokens = self.wte(input_ids)
        steps = np.arange(int(input_ids.shape[-1]), dtype=np.int64)
        places = self.wpe(Tensor.from_dlpack(steps))
        x = tokens + places
        for i in range(len(self.h)):
            x = self.h[i](x)
        x = self.ln_f(x)
        return x


class GPT2LMHeadModel(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        return hidden_states @ F.transpose(self.transformer.wte.weight, 0, 1)

    def __call__(self, input_ids: Tensor) -> Tensor:
        return self.lm_head(self.transformer(input_ids))


def wanted(checkpoint):
    """The weights among the arrays, under the names of the model."""
    for key, array in checkpoint.items():
        if key == "lm_head.weight" and tied(key, checkpoint):
            continue
        if key.endswith(".attn.bias") or key.endswith(".attn.masked_bias"):
            continue
        yield (key if key.startswith(PREFIX) else PREFIX + key), array


def turned(name, array):
    layer, _, kind = name.rpartition(".")
    owner = ".".join(layer.split(".")[-2:])
    if kind == "weight" and owner in CONV1D:
        return np.transpose(array)
    return array


def complaints(expected, weights):
    for name, array in weights.items():
        if name not in expected:
            yield f"unexpected {name}"
        elif list(array.shape) != expected[name]:
            yield f"{name}: {array.shape} instead of {expected[name]}"
    for name in expected:
        if name not in weights:
            yield f"missing {name}"


def convert_checkpoint(model, checkpoint):
    expected = {name: [int(size) for size in p.shape] for name, p in model.parameters}
    weights = {}
    for name, array in wanted(checkpoint):
        weights[name] = np.array(turned(name, array), dtype=np.float32, order="C")
    problems = list(complaints(expected, weights))
    if problems:
        raise CheckpointError("\n".join(problems))
    return weights


def tied(name, checkpoint):
    table = checkpoint.get("transformer.wte.weight", checkpoint.get("wte.weight"))
    return name != "lm_head.weight" or np.array_equal(checkpoint[name], table)
