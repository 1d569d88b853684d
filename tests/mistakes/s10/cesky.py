"""Step 10: attention with every option, and a cache of keys and values."""

from __future__ import annotations

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding

KeyValue = tuple[Tensor, Tensor]
"""Keys and values of all tokens so far, each ``[batch, num_heads, total, head_dim]``."""

MAX_POSITIONS = 2048
"""How many positions the rotation knows."""

THETA = 10000.0
"""Base of the rotation's frequencies."""


def spoj(stare: Tensor | None, nove: Tensor) -> Tensor:
    """Připojí nové tokeny za staré."""
    if stare is None:
        return nove
    return F.concat([stare, nove], axis=-2)


class MultiHeadAttention(Module):
    """Pozornost s více hlavami, se všemi volbami a s pamětí klíčů a hodnot."""

    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        dropout: float = 0.1,
        bias: bool = True,
        add_zero_attn: bool = False,
        use_rotary: bool = False,
        attention_scale: float | None = None,
    ) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.dropout = dropout
        self.add_zero_attn = add_zero_attn

        sirka = hidden_size
        self.qkv_proj = Linear(sirka, sirka * 3, bias=bias)
        self.out_proj = Linear(sirka, sirka, bias=bias)

        if attention_scale is not None:
            self.scale = attention_scale
        else:
            self.scale = self.head_dim ** (-1 / 2)

        self.rotary: RotaryEmbedding | None = None
        if use_rotary:
            self.rotary = RotaryEmbedding(
                d_k=self.head_dim, max_seq_len=MAX_POSITIONS, theta=THETA
            )

    def _split_heads(self, tensor: Tensor) -> Tensor:
        """``[batch, seq, hidden_size]`` to ``[batch, num_heads, seq, head_dim]``."""
        davka, delka = tensor.shape[0], tensor.shape[1]
        hlavy = tensor.reshape((davka, delka, self.num_heads, self.head_dim))
        return hlavy.transpose(1, 2)

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        """``[batch, num_heads, seq, head_dim]`` to ``[batch, seq, hidden_size]``."""
        davka, delka = tensor.shape[0], tensor.shape[2]
        return tensor.transpose(1, 2).reshape((davka, delka, self.hidden_size))

    def _attn(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
    ) -> Tensor:
        """Zváží hodnoty."""
        skore = (query * self.scale) @ key.transpose(-2, -1)

        for pricti in (position_bias, attention_mask):
            if pricti is not None:
                skore = skore + pricti

        if not self.add_zero_attn:
            return F.softmax(skore) @ value

        nula = query[..., :1] * 0
        vahy = F.softmax(F.concat([skore, nula], axis=-1))
        vahy = vahy[..., :-1]
        return vahy @ value

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        """Nové tokeny se dívají na uložené a na sebe navzájem."""
        vse = self.qkv_proj(hidden_states)
        dotaz, klic, hodnota = F.split(vse, [self.hidden_size] * 3, axis=-1)
        dotaz = self._split_heads(dotaz)
        klic = self._split_heads(klic)
        hodnota = self._split_heads(hodnota)

        stary_klic, stara_hodnota = past_key_value or (None, None)
        minule = 0 if stary_klic is None else stary_klic.shape[-2]

        if self.rotary:
            konec = minule + klic.shape[-2]
            pozice = F.range(minule, konec, dtype=DType.int64, device=dotaz.device)
            dotaz, klic = (self.rotary(t, pozice) for t in (dotaz, klic))

        klic = spoj(stary_klic, klic)
        hodnota = spoj(stara_hodnota, hodnota)

        smes = self._attn(
            dotaz,
            klic,
            hodnota,
            attention_mask=attention_mask,
            position_bias=position_bias,
        )
        vystup = self.out_proj(self._merge_heads(smes))
        pamet = (klic, hodnota) if use_cache else None
        return vystup, pamet
