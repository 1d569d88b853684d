"""Vima 10: prosochi (attention) me oles tis epiloges kai mnimi."""

from __future__ import annotations

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding

KeyValue = tuple[Tensor, Tensor]

MAX_POSITIONS = 2048

THETA = 10000.0


# ---- kefalia (heads) ----


def chorise_kefalia(tanystis: Tensor, plithos: int, platos: int) -> Tensor:
    partida, mikos, _ = tanystis.shape
    tetradiastatos = F.reshape(tanystis, [partida, mikos, plithos, platos])
    return F.permute(tetradiastatos, [0, 2, 1, 3])


def enose_kefalia(tanystis: Tensor) -> Tensor:
    piso = F.permute(tanystis, [0, 2, 1, 3])
    return F.flatten(piso, 2, 3)


# ---- vathmologia (scores) ----


def ypologise_vathmous(erotisi: Tensor, kleidi: Tensor, klimaka: float) -> Tensor:
    anapodo = F.transpose(kleidi, 2, 3)
    ginomeno = F.matmul(erotisi, anapodo)
    return ginomeno * klimaka


def prosthese(vathmoi: Tensor, epipleon: Tensor | None) -> Tensor:
    if epipleon is None:
        return vathmoi
    return vathmoi + epipleon


def vres_vari(vathmoi: Tensor, erotisi: Tensor, me_miden: bool) -> Tensor:
    if not me_miden:
        return F.softmax(vathmoi)
    # mia stili midenika, chamenh meta
    miden = F.zeros_like(erotisi[..., :1])
    vari = F.softmax(F.concat([vathmoi, miden], axis=-1))
    stiles = vathmoi.shape[-1]
    return F.split(vari, [stiles, 1], axis=-1)[0]


# ---- mnimi (cache) kai theseis (positions) ----


def metra_palia(mnimi: KeyValue | None):
    if mnimi is None:
        return 0
    palia_kleidia, _ = mnimi
    return palia_kleidia.shape[-2]


def kane_theseis(arxi, mikos, syskevi) -> Tensor:
    telos = arxi + mikos
    return F.range(arxi, telos, dtype=DType.int64, device=syskevi)


def kolla_mnimi(mnimi: KeyValue | None, kleidi: Tensor, axia: Tensor) -> KeyValue:
    if mnimi is None:
        return kleidi, axia
    palia_kleidia, palies_axies = mnimi
    ola_kleidia = F.concat([palia_kleidia, kleidi], axis=-2)
    oles_axies = F.concat([palies_axies, axia], axis=-2)
    return ola_kleidia, oles_axies


class MultiHeadAttention(Module):
    """Prosochi me polla kefalia."""

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

        if attention_scale is None:
            self.scale = 1 / self.head_dim**0.5
        else:
            self.scale = attention_scale

        self.qkv_proj = Linear(in_dim=hidden_size, out_dim=hidden_size * 3, bias=bias)
        self.out_proj = Linear(in_dim=hidden_size, out_dim=hidden_size, bias=bias)

        self.rotary: RotaryEmbedding | None = None
        if use_rotary:
            self.rotary = RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA)

    def _split_heads(self, tensor: Tensor) -> Tensor:
        return chorise_kefalia(tensor, self.num_heads, self.head_dim)

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        return enose_kefalia(tensor)

    def _attn(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
    ) -> Tensor:
        vathmoi = ypologise_vathmous(query, key, self.scale)
        vathmoi = prosthese(vathmoi, position_bias)
        vathmoi = prosthese(vathmoi, attention_mask)
        vari = vres_vari(vathmoi, query, self.add_zero_attn)
        return F.matmul(vari, value)

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        provoli = self.qkv_proj(hidden_states)
        erotisi, kleidi, axia = F.chunk(provoli, 3, axis=-1)
        erotisi = self._split_heads(erotisi)
        kleidi = self._split_heads(kleidi)
        axia = self._split_heads(axia)

        if self.rotary is not None:
            arxi = metra_palia(past_key_value)
            theseis = kane_theseis(arxi, erotisi.shape[-2], erotisi.device)
            erotisi = self.rotary(erotisi, theseis)
            kleidi = self.rotary(kleidi, theseis)

        kleidi, axia = kolla_mnimi(past_key_value, kleidi, axia)
        plaisio = self._attn(erotisi, kleidi, axia, attention_mask, position_bias)
        exodos = self.out_proj(self._merge_heads(plaisio))

        nea_mnimi = None
        if use_cache:
            nea_mnimi = (kleidi, axia)
        return exodos, nea_mnimi
