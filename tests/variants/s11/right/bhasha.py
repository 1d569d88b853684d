"""Charan 11: poora model, aur uske bhaar."""
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
BUFFERS = (".attn.bias", ".attn.masked_bias")
HEAD = "lm_head.weight"
TABLE = "transformer.wte.weight"

class CheckpointError(ValueError):
    """A checkpoint does not fit the model."""

class GPT2Model(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()

        def talika(kitni: int, chaudai: int = config.n_embd) -> Embedding:
            return Embedding(kitni, dim=chaudai)

        def khand() -> list[GPT2Block]:
            suchi = [GPT2Block(config) for _ in range(config.n_layer)]
            return suchi[:]

        self.wte = talika(config.vocab_size)
        self.wpe = talika(config.n_positions)
        self.h = ModuleList(khand())
        self.ln_f = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)

    def __call__(self, input_ids: Tensor) -> Tensor:
        sthan = F.range(
            start=0,
            stop=input_ids.shape[-1],
            out_dim=input_ids.shape[-1],
            dtype=DType.int64,
            device=input_ids.device,
        )
        dhara = self.wte(input_ids)
        dhara = dhara + self.wpe(sthan)
        kadam = iter(self.h)
        while (khand := next(kadam, None)) is not None:
            dhara = khand(dhara)
        return self.ln_f(dhara)

class GPT2LMHeadModel(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        ulti = self.transformer.wte.weight.permute([1, 0])
        return hidden_states @ ulti

    def __call__(self, input_ids: Tensor) -> Tensor:
        return (lambda x: self.lm_head(x))(self.transformer(input_ids))

def jaanch(naam: str, aakar: tuple[int, ...], chahiye: Mapping[str, tuple[int, ...]]) -> str | None:
    """Kya galat hai, ya None."""
    match chahiye.get(naam):
        case None:
            return f"unexpected: {naam}"
        case sahi if sahi == aakar:
            return None
        case sahi:
            return f"{naam} ka aakar {aakar} hai, {sahi} chahiye"

def convert_checkpoint(
    model: GPT2LMHeadModel, checkpoint: Arrays
) -> dict[str, npt.NDArray[np.generic]]:
    expected = {name: tuple(int(dim) for dim in p.shape) for name, p in model.parameters}
    weights: dict[str, npt.NDArray[np.generic]] = {}
    problems: list[str] = []

    for key, stored in checkpoint.items():
        if key.endswith(BUFFERS) or key == HEAD:
            continue
        name = key
        if not name.startswith("transformer."):
            name = f"transformer.{name}"
        array = stored
        for ant in TRANSPOSED:
            if name.endswith(ant):
                array = stored.transpose()
                break
        galti = jaanch(name, array.shape, expected)
        if galti:
            problems.append(galti)
        weights[name] = np.ascontiguousarray(array, dtype=np.float32)

    problems += [f"missing: {name}" for name in filter(lambda n: n not in weights, expected)]

    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], weights.get(TABLE, [])):
        problems.append(f"{HEAD} is not the table of tokens: this model has no other head")

    if not problems:
        return weights
    sandesh = "Checkpoint theek nahin hai:"
    for galti in problems:
        sandesh += "\n- " + galti
    raise CheckpointError(sandesh)

def load_gpt2(path: str | PathLike[str]) -> GPT2LMHeadModel:
    from gpt2.checkpoint import read_checkpoint

    fields, checkpoint = read_checkpoint(path)
    model = GPT2LMHeadModel(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    return model
