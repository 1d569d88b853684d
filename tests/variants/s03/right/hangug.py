"""Step 03: scaled dot-product attention, jejak: Minji (hakbu 2-haknyeon)."""

from __future__ import annotations

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def jeonchi(haengnyeol: Tensor) -> Tensor:
    """Majimak du chawon-eul bakkunda."""
    return haengnyeol.transpose(-1, -2)


def biyul(jeomsu: Tensor) -> Tensor:
    """Jeomsu-reul hab-i 1-in biyul-lo bakkunda (softmax)."""
    choedae = F.max(jeomsu, axis=-1)  # [..., query_len, 1]
    jisu = F.exp(jeomsu - choedae)  # overflow bangji
    hab = F.sum(jisu, axis=-1)  # [..., query_len, 1]
    return jisu / hab


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    neobi = int(key.shape[-1])
    geun = neobi**0.5  # jegopgeun

    jeomsu = F.matmul(query / geun, jeonchi(key))
    if mask is not None:
        jeomsu = jeomsu + mask

    gajungchi = biyul(jeomsu)
    gyeolgwa = F.matmul(gajungchi, value)
    return gyeolgwa, gajungchi
