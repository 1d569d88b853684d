"""Di jiu bu: yong pinyin xie de, juzhen chengfa ye ziji xie."""

from __future__ import annotations

from functools import partial

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm

jihuo = partial(F.gelu, approximate="tanh")


def xianxing(shuru: Tensor, ceng: Linear) -> Tensor:
    """Yong ceng de quanzhong: x @ W^T + b."""
    jieguo = shuru @ ceng.weight.transpose(0, 1)
    return jieguo + ceng.bias


class GPT2MLP(Module):
    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        daxiao = [config.n_embd, intermediate_size]
        self.c_fc = Linear(*daxiao, bias=True)
        daxiao = daxiao[::-1]
        self.c_proj = Linear(*daxiao, bias=True)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        kuan = xianxing(hidden_states, self.c_fc)
        return xianxing(jihuo(kuan), self.c_proj)


class GPT2Block(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        guiyihua = partial(LayerNorm, config.n_embd, eps=config.layer_norm_epsilon)
        self.ln_1 = guiyihua()
        self.ln_2 = guiyihua()
        self.attn = GPT2Attention(config)
        match config.n_inner:
            case None:
                kuandu = config.n_embd * 4
            case int() as kuandu:
                pass
            case qita:
                raise TypeError(f"n_inner bu shi zhengshu: {qita!r}")
        self.mlp = GPT2MLP(kuandu, config)

    def _zhuyi(self, x: Tensor) -> Tensor:
        return F.add(x, self.attn(self.ln_1(x)))

    def _qiankui(self, x: Tensor) -> Tensor:
        return F.add(x, self.mlp(self.ln_2(x)))

    def __call__(self, hidden_states: Tensor) -> Tensor:
        return self._qiankui(self._zhuyi(hidden_states))
