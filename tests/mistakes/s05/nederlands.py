"""Meerkoppige aandacht, met eigen softmax."""

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


def zachtste_max(scores: Tensor) -> Tensor:
    top = scores.max(axis=-1)
    machten = F.exp(scores - top)
    return machten / machten.sum(axis=-1)


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    @property
    def schaal(self) -> float:
        return self.head_dim**-0.5

    def _naar_koppen(self, deel: Tensor) -> Tensor:
        batch, lengte, _ = deel.shape
        deel = deel.reshape([batch, lengte, self.num_heads, self.head_dim])
        return deel.transpose(1, 2)

    def _gewichten(self, vraag: Tensor, sleutel: Tensor) -> Tensor:
        scores = vraag @ sleutel.transpose(-1, -2) * self.schaal
        lengte = vraag.shape[-2]
        masker = causal_mask(lengte, 0, dtype=vraag.dtype, device=vraag.device)
        gemaskeerd = scores + masker
        return zachtste_max(gemaskeerd)

    def forward(self, invoer: Tensor) -> Tensor:
        delen = F.split(self.c_attn(invoer), [self.split_size] * 3, axis=-1)
        vraag, sleutel, waarde = [self._naar_koppen(deel) for deel in delen]
        gemengd = self._gewichten(vraag, sleutel) @ waarde
        terug = gemengd.transpose(1, 2)
        return self.c_proj(terug.reshape(invoer.shape))
