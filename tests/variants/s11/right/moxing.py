"""Di shiyi bu: cuowu xian shouji, zuihou yiqi baogao."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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

@dataclass
class Xiang:
    """Yi ge shuzu, he ta zai moxing li de mingzi."""

    jian: str
    shuzu: npt.NDArray[np.generic]

    @property
    def mingzi(self) -> str:
        tou, dian, _ = self.jian.partition(".")
        if (tou, dian) == ("transformer", "."):
            return self.jian
        return ".".join(["transformer", self.jian])

    @property
    def zhengque(self) -> npt.NDArray[np.generic]:
        yao_zhuan = any(self.mingzi.endswith(wei) for wei in TRANSPOSED)
        return np.transpose(self.shuzu) if yao_zhuan else self.shuzu

class GPT2Model(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.wte = Embedding(config.vocab_size, dims=[config.n_embd])
        self.wpe = Embedding(config.n_positions, dims=[config.n_embd])
        ceng = ModuleList([])
        for _ in range(1, config.n_layer + 1):
            ceng.append(GPT2Block(config))
        self.h = ceng
        self.ln_f = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)

    def __call__(self, input_ids: Tensor) -> Tensor:
        changdu = input_ids.shape[-1]
        ci = self.wte(input_ids)
        wei = self.wpe(F.range(0, changdu, dtype=DType.int64, device=input_ids.device))
        x = ci + wei.unsqueeze(0)
        for kuai in list(self.h):
            x = kuai(x)
        x = self.ln_f(x)
        return x

class GPT2LMHeadModel(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(self.config)

    @property
    def _biao(self) -> Tensor:
        return self.transformer.wte.weight

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        return hidden_states @ self._biao.transpose(-1, -2)

    def __call__(self, input_ids: Tensor) -> Tensor:
        return self.lm_head(hidden_states=self.transformer(input_ids))

def convert_checkpoint(
    model: GPT2LMHeadModel, checkpoint: Arrays
) -> dict[str, npt.NDArray[np.generic]]:
    shengyu = {name: tuple(int(dim) for dim in p.shape) for name, p in model.parameters}
    weights: dict[str, npt.NDArray[np.generic]] = {}
    problems: list[str] = []
    for key, stored in checkpoint.items():
        if key.endswith(BUFFERS) or key == HEAD:
            continue
        xiang = Xiang(shuzu=stored, jian=key)
        name, array = xiang.mingzi, xiang.zhengque
        weights[name] = np.ascontiguousarray(array, dtype=np.float32)
        try:
            xingzhuang = shengyu.pop(name)
        except KeyError:
            problems.append(f"duoyu de: {name}")
            continue
        if list(xingzhuang) != list(array.shape):
            problems.append(f"{name}: xingzhuang {array.shape}, yinggai shi {xingzhuang}")
    # Meiyou bei quzou de, jiu shi queshao de.
    problems.extend(f"queshao: {name}" for name in shengyu)
    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], weights.get(TABLE, [])):
        problems.append(f"{HEAD} bu shi {TABLE}")
    if len(problems) == 0:
        return weights
    raise CheckpointError("\n".join(problems))

def load_gpt2(path: str | PathLike[str]) -> GPT2LMHeadModel:
    from gpt2.checkpoint import read_checkpoint

    fields, checkpoint = read_checkpoint(path)
    model = GPT2LMHeadModel(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    return model
