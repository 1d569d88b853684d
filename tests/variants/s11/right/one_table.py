"""The conversion by one table: the name of each parameter, and where it comes from."""

import re

import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Embedding, Module, ModuleList

from solutions.solution_08 import LayerNorm
from solutions.solution_09 import GPT2Block

LINEAR = re.compile(r"\.(attn\.c_attn|attn\.c_proj|mlp\.c_fc|mlp\.c_proj)\.weight$")
MASK = re.compile(r"\.attn\.(masked_)?bias$")


class CheckpointError(ValueError):
    """The weights do not fit."""


class GPT2Model(Module):
    def __init__(self, config):
        super().__init__()
        self.wte = Embedding(config.vocab_size, dim=config.n_embd)
        self.wpe = Embedding(config.n_positions, dim=config.n_embd)
        self.h = ModuleList([])
        for _ in range(config.n_layer):
            self.h.append(GPT2Block(config))
        self.ln_f = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)

    def _positions(self, input_ids):
        return F.range(0, input_ids.shape[1], dtype=DType.int64, device=input_ids.device)

    def __call__(self, input_ids):
        x = self.wte(input_ids)
        x = x + self.wpe(self._positions(input_ids))
        for block in self.h:
            x = block(x)
        return self.ln_f(x)


class GPT2LMHeadModel(Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states):
        return hidden_states @ self.transformer.wte.weight.transpose(0, 1)

    def __call__(self, input_ids):
        return self.lm_head(self.transformer(input_ids))


class Converter:
    def __init__(self, model, whole):
        self.whole = whole; self.shapes = {name: tuple(int(d) for d in p.shape) for name, p in model.parameters}
        self.weights = {}
        self.problems = []

    def take(self, key, array):
        if MASK.search(key) or key == "lm_head.weight" and tied(key, self.whole):
            return
        name = re.sub(r"^(transformer\.)?", "transformer.", key, count=1)
        if LINEAR.search(name):
            array = array.swapaxes(0, 1)
        if self.shapes.get(name) != array.shape:
            self.problems.append(f"{name}: {array.shape} and {self.shapes.get(name)}")
        self.weights[name] = np.ascontiguousarray(array, dtype=np.float32)

    def finish(self):
        lost = set(self.shapes).difference(self.weights)
        self.problems.extend(f"no {name}" for name in sorted(lost))
        if self.problems:
            raise CheckpointError("; ".join(self.problems))
        return self.weights


def convert_checkpoint(model, checkpoint):
    converter = Converter(model, checkpoint)
    for key, array in checkpoint.items():
        converter.take(key, array)
    return converter.finish()


def tied(name, checkpoint):
    table = checkpoint.get("transformer.wte.weight", checkpoint.get("wte.weight"))
    return name != "lm_head.weight" or np.array_equal(checkpoint[name], table)
