"""Step 05: jumok (attention), meori yeoreo gae (many heads)."""

from __future__ import annotations

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask

JARI_BAKKUGI = [0, 2, 1, 3]  # meori <-> gil-i


class GPT2Attention(Module):
    """neolbi = n_embd, meori = head."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        neolbi = config.n_embd
        self.embed_dim = self.split_size = neolbi
        self.num_heads = config.n_head
        self.head_dim = neolbi // config.n_head
        self.c_attn = Linear(neolbi, neolbi * 3)
        self.c_proj = Linear(neolbi, neolbi)

    def forward(self, hidden_states: Tensor) -> Tensor:
        jilmun, yeolsoe, gap = F.chunk(self.c_attn(hidden_states), 3, axis=-1)
        gyeolgwa = self._attn(
            self._meoriro(jilmun),
            self._meoriro(yeolsoe),
            self._meoriro(gap),
        )
        hapchin = self._merge_heads(gyeolgwa, self.num_heads, self.head_dim)
        return self.c_proj(hapchin)

    def _meoriro(self, x: Tensor) -> Tensor:
        """[batch, seq, n_embd] -> [batch, n_head, seq, head_dim]"""
        return self._split_heads(x, self.num_heads, self.head_dim)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        mukkeum, gili, _ = tensor.shape
        jogak = tensor.reshape([mukkeum, gili, num_heads, attn_head_size])
        return jogak.permute(JARI_BAKKUGI)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        dwijibeun = tensor.permute(JARI_BAKKUGI)
        mukkeum, gili = dwijibeun.shape[:2]
        return dwijibeun.reshape([mukkeum, gili, num_heads * attn_head_size])

    def _jeomsu(self, query: Tensor, key: Tensor) -> Tensor:
        """Jeomsu (scores): jureun jilmun @ yeolsoe."""
        jureun = query * int(query.shape[-1]) ** -0.5
        return jureun @ key.transpose(2, 3)

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        jeomsu = self._jeomsu(query, key)
        garigae = causal_mask(query.shape[2], 0, dtype=jeomsu.dtype, device=jeomsu.device)
        # mirae-neun an boinda
        muge = F.softmax(jeomsu + garigae)
        return muge @ value
