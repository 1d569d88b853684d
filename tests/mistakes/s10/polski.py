"""Krok 10 z małymi metodami."""

from __future__ import annotations

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding

POZYCJE = 2048
PODSTAWA = 10000.0


class MultiHeadAttention(Module):
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
        self.qkv_proj = Linear(hidden_size, 3 * hidden_size, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)
        self.scale = 1 / self.head_dim**0.5
        if attention_scale is not None:
            self.scale = attention_scale
        self.rotary = RotaryEmbedding(self.head_dim, POZYCJE, PODSTAWA) if use_rotary else None

    def podziel(self, x: Tensor) -> Tensor:
        b, n, _ = x.shape
        return x.reshape([b, n, self.num_heads, self.head_dim]).permute([0, 2, 1, 3])

    def zloz(self, x: Tensor) -> Tensor:
        b, _, n, _ = x.shape
        return x.permute([0, 2, 1, 3]).reshape([b, n, self.hidden_size])

    def obroc(self, x: Tensor, od: int) -> Tensor:
        if self.rotary is None:
            return x
        miejsca = F.range(od, od + x.shape[2], dtype=DType.int64, device=x.device)
        return self.rotary(x, miejsca)

    def dolacz(self, stare: Tensor | None, nowe: Tensor) -> Tensor:
        return nowe if stare is None else F.concat([stare, nowe], axis=2)

    def wagi(self, wyniki: Tensor, zero: Tensor) -> Tensor:
        if not self.add_zero_attn:
            return F.softmax(wyniki)
        return F.softmax(F.concat([wyniki, zero], axis=-1))[..., :-1]

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: tuple[Tensor, Tensor] | None = None,
        use_cache: bool = False,
    ):
        stary_klucz, stara_wartosc = past_key_value or (None, None)
        ile_bylo = 0 if stary_klucz is None else stary_klucz.shape[2]
        pytanie, klucz, wartosc = [
            self.podziel(x) for x in F.chunk(self.qkv_proj(hidden_states), 3, axis=-1)
        ]
        pytanie = self.obroc(pytanie, ile_bylo)
        klucz = self.dolacz(stary_klucz, self.obroc(klucz, ile_bylo))
        wartosc = self.dolacz(stara_wartosc, wartosc)
        wyniki = self.scale * (pytanie @ klucz.transpose(2, 3))
        for dodatek in [position_bias, attention_mask]:
            wyniki = wyniki if dodatek is None else wyniki + dodatek
        wynik = self.wagi(wyniki, pytanie[..., :1] * 0) @ wartosc
        wynik = self.out_proj(self.zloz(wynik))
        if use_cache:
            return wynik, (klucz, wartosc)
        return wynik, None
