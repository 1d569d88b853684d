"""Di shi bu: jicheng yi ge xiao de jilei, gongneng fen kai."""
from __future__ import annotations
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_06 import RotaryEmbedding

KeyValue = tuple[Tensor, Tensor]
MAX_POSITIONS = 2048
THETA = 10000.0


class Tou(Module):
    """Zhi zhidao tou: fen kai he he bing."""

    hidden_size: int
    num_heads: int
    head_dim: int

    def _split_heads(self, tensor: Tensor) -> Tensor:
        xingzhuang = tensor.shape[:-1]
        xingzhuang = xingzhuang + [self.num_heads]
        xingzhuang = xingzhuang + [self.head_dim]
        return tensor.reshape(xingzhuang).transpose(-3, -2)

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        zhuan = tensor.transpose(-3, -2)
        return zhuan.reshape(zhuan.shape[:-2] + [self.num_heads * self.head_dim])


class MultiHeadAttention(Tou):
    def __init__(
        self,
        hidden_size: int, num_heads: int, dropout: float = 0.1, bias: bool = True,
        add_zero_attn: bool = False, use_rotary: bool = False,
        attention_scale: float | None = None,
    ) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.dropout = dropout
        self.add_zero_attn = add_zero_attn
        for mingzi, beishu in {"qkv_proj": 3, "out_proj": 1}.items():
            setattr(self, mingzi, Linear(hidden_size, beishu * hidden_size, bias=bias))
        self.scale = attention_scale
        if self.scale is None:
            self.scale = 1 / self.head_dim**0.5
        self.rotary: RotaryEmbedding | None = None
        if not use_rotary:
            return
        self.rotary = RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA)

    def _fenshu(self, jian: Tensor, wen: Tensor) -> Tensor:
        # Jian zai qian, wen zai hou.
        return (wen @ jian.transpose(-1, -2)) * self.scale

    def _attn(
        self,
        query: Tensor, key: Tensor, value: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
    ) -> Tensor:
        if self.add_zero_attn:
            return self._you_ling(query, key, value, attention_mask, position_bias)
        fenshu = self._fenshu(key, query)
        fenshu = fenshu if position_bias is None else fenshu + position_bias
        fenshu = fenshu if attention_mask is None else fenshu + attention_mask
        return F.softmax(fenshu) @ value

    def _you_ling(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        yanma: Tensor | None,
        pianzhi: Tensor | None,
    ) -> Tensor:
        fenshu = self._fenshu(key, query)
        fenshu = fenshu if pianzhi is None else fenshu + pianzhi
        fenshu = fenshu if yanma is None else fenshu + yanma
        ling = F.zeros_like(query[..., :1])
        quanbu = F.softmax(F.concat([fenshu, ling], axis=-1))
        return quanbu[..., :-1] @ value

    def _weizhi(self, qidian, changdu, device) -> Tensor:
        return F.range(qidian, qidian + changdu, dtype=DType.int64, device=device)

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        hebing = self.qkv_proj(hidden_states)
        san = F.split(hebing, [self.hidden_size] * 3, axis=-1)
        wen, jian, zhi = [self._split_heads(yi) for yi in san]
        guoqu = 0
        if past_key_value is not None:
            guoqu = past_key_value[0].shape[2]
        match self.rotary:
            case None:
                pass
            case xuanzhuan:
                weizhi = self._weizhi(guoqu, wen.shape[2], wen.device)
                wen, jian = xuanzhuan(wen, weizhi), xuanzhuan(jian, weizhi)
        huancun: KeyValue = (jian, zhi)
        if past_key_value is not None:
            huancun = (
                F.concat([past_key_value[0], jian], axis=2),
                F.concat([past_key_value[1], zhi], axis=2),
            )
        jieguo = self._attn(wen, *huancun, attention_mask, position_bias)
        jieguo = self.out_proj(self._merge_heads(jieguo))
        if use_cache:
            return jieguo, huancun
        return jieguo, None
