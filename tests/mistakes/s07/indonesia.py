"""Perhatian dengan banyak kepala."""

from math import sqrt

import max.experimental.functional as F
from max.dtype import DType
from max.experimental import nn
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config

HIDDEN = float("-inf")


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    baru, lama = int(sequence_length), int(num_tokens)
    kolom = F.range(0, lama + baru, dtype=DType.int64, device=device)
    baris = F.range(lama, lama + baru, dtype=DType.int64, device=device)
    terlarang = F.unsqueeze(kolom, 0) > F.unsqueeze(baris, -1)
    tutup = Tensor(HIDDEN, dtype=dtype, device=device)
    buka = Tensor(0.0, dtype=dtype, device=device)
    return F.where(terlarang, tutup, buka)


class GPT2MultiHeadAttention(nn.Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        lebar, kepala = config.n_embd, config.n_head
        self.embed_dim = lebar
        self.num_heads = kepala
        self.head_dim = lebar // kepala
        self.split_size = lebar
        self.c_attn = nn.Linear(lebar, lebar * 3)
        self.c_proj = nn.Linear(lebar, lebar)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        kelompok, panjang, _ = tensor.shape
        potongan = F.reshape(tensor, [kelompok, panjang, num_heads, attn_head_size])
        return F.permute(potongan, [0, 2, 1, 3])

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        kelompok, _, panjang, _ = tensor.shape
        berderet = F.permute(tensor, [0, 2, 1, 3])
        return F.reshape(berderet, [kelompok, panjang, num_heads * attn_head_size])

    def _attn(self, query, key, value):
        akar = sqrt(self.head_dim)
        nilai = F.matmul(query / akar, F.transpose(key, -1, -2))
        panjang = query.shape[2]
        nilai += causal_mask(panjang, 0, dtype=nilai.dtype, device=nilai.device)
        bobot = F.softmax(nilai, axis=-1)
        return F.matmul(bobot, value)

    def forward(self, x):
        bagian = F.chunk(self.c_attn(x), 3, axis=-1)
        q, k, v = [self._split_heads(b, self.num_heads, self.head_dim) for b in bagian]
        hasil = self._attn(q, k, v)
        gabung = self._merge_heads(hasil, self.num_heads, self.head_dim)
        return self.c_proj(gabung)
