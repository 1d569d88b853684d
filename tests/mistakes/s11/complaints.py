import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Embedding, Module, ModuleList
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_08 import LayerNorm
from solutions.solution_09 import GPT2Block

LINEAR_PARENTS = {"attn": ("c_attn", "c_proj"), "mlp": ("c_fc", "c_proj")}
PREFIX = "transformer."
HEAD_KEY = "lm_head.weight"


class CheckpointError(ValueError):
    pass


class GPT2Model(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        d = config.n_embd
        self.wte = Embedding(config.vocab_size, dim=d)
        self.wpe = Embedding(config.n_positions, dim=d)
        self.h = ModuleList(GPT2Block(config) for _ in range(config.n_layer))
        self.ln_f = LayerNorm(dim=d, eps=config.layer_norm_epsilon)

    def embed(self, ids: Tensor) -> Tensor:
        length = int(ids.shape[-1])
        where = Tensor(list(range(length)), dtype=DType.int64, device=ids.device)
        return self.wpe(where) + self.wte(ids)

    def __call__(self, input_ids: Tensor) -> Tensor:
        stream = self.embed(input_ids)
        for layer in self.h:
            stream = layer(stream)
        stream = self.ln_f(stream)
        return stream


class GPT2LMHeadModel(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        vocabulary = self.transformer.wte.weight
        return hidden_states @ F.permute(vocabulary, [1, 0])

    def __call__(self, input_ids: Tensor) -> Tensor:
        return self.lm_head(self.transformer(input_ids))


def is_mask(key):
    tail = key.split(".")[-2:]
    return tail in (["attn", "bias"], ["attn", "masked_bias"])


def is_linear(name):
    *_, parent, layer, kind = ["", ""] + name.split(".")
    return kind == "weight" and layer in LINEAR_PARENTS.get(parent, ())


def shapes_of(model):
    return {name: tuple(map(int, weight.shape)) for name, weight in model.parameters}


def renamed(checkpoint):
    for key, array in checkpoint.items():
        if is_mask(key) or key == HEAD_KEY:
            continue
        name = PREFIX + key.removeprefix(PREFIX)
        if is_linear(name):
            array = np.transpose(array)
        yield name, np.array(array, dtype=np.float32, order="C")


def complaints(found, wanted):
    for name in sorted(set(found) - set(wanted)):
        yield f"{name} is unexpected"
    for name in sorted(set(wanted) - set(found)):
        yield f"{name} is missing"
    for name in sorted(set(wanted) & set(found)):
        if found[name].shape != wanted[name]:
            yield f"{name}: {found[name].shape} instead of {wanted[name]}"


def convert_checkpoint(model, checkpoint):
    wanted = shapes_of(model)
    found = dict(renamed(checkpoint))
    said = list(complaints(found, wanted))
    if HEAD_KEY in checkpoint:
        table = found.get(PREFIX + "wte.weight")
        if table is None or not np.array_equal(checkpoint[HEAD_KEY], table):
            said.append(HEAD_KEY + " differs from the table of tokens")
    if said:
        raise CheckpointError("; ".join(said))
    return found
