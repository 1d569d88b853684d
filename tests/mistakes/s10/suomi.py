from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding

MAX_POSITIONS = 2048
THETA = 10000.0


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
        self.hidden_size, self.num_heads = hidden_size, num_heads
        self.head_dim = hidden_size // num_heads
        self.zero = add_zero_attn
        self.scale = attention_scale
        if self.scale is None:
            self.scale = self.head_dim ** (-1 / 2)
        self.qkv_proj = Linear(hidden_size, hidden_size * 3, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)
        self.rotary = None
        if use_rotary:
            self.rotary = RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA)

    def _osiin(self, x: Tensor) -> list[Tensor]:
        """Query, key and value, each with its heads in front."""
        osat = []
        for osa in F.split(self.qkv_proj(x), [self.hidden_size] * 3, axis=-1):
            koko = list(osa.shape[:-1]) + [self.num_heads, self.head_dim]
            osat.append(osa.reshape(koko).transpose(1, 2))
        return osat

    def _kierra(self, x: Tensor, alku: int) -> Tensor:
        loppu = alku + x.shape[-2]
        paikat = F.range(alku, loppu, dtype=DType.int64, device=x.device)
        return self.rotary(x, paikat)

    def _painot(self, pisteet: Tensor, kysely: Tensor) -> Tensor:
        if self.zero:
            nolla = kysely[..., 0:1] * 0.0
            pisteet = F.concat([pisteet, nolla], axis=-1)
            return F.softmax(pisteet)[..., :-1]
        return F.softmax(pisteet)

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value=None,
        use_cache: bool = False,
    ):
        kysely, avain, arvo = self._osiin(hidden_states)
        vanha = 0
        if past_key_value is not None:
            vanha = past_key_value[0].shape[-2]
        if self.rotary:
            kysely = self._kierra(kysely, vanha)
            avain = self._kierra(avain, vanha)
        if past_key_value is not None:
            yhdessa = [
                F.concat([ennen, nyt], axis=-2)
                for ennen, nyt in zip(past_key_value, (avain, arvo))
            ]
            avain, arvo = yhdessa
        pisteet = kysely @ avain.transpose(-1, -2)
        pisteet = pisteet * self.scale
        if position_bias is not None:
            pisteet = pisteet + position_bias
        if attention_mask is not None:
            pisteet = pisteet + attention_mask
        sekoitus = self._painot(pisteet, kysely) @ arvo
        tulos = sekoitus.transpose(1, 2).reshape(hidden_states.shape)
        muisti = None
        if use_cache:
            muisti = (avain, arvo)
        return self.out_proj(tulos), muisti
