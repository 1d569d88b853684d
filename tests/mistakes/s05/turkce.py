from math import sqrt

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from solutions.solution_02 import causal_mask


def dikkat(sorgu, anahtar, deger):
    uzunluk, genislik = sorgu.shape[2], int(sorgu.shape[3])
    puan = sorgu @ anahtar.transpose(2, 3)
    puan = puan / sqrt(genislik)
    maske = causal_mask(uzunluk, 0, dtype=puan.dtype, device=puan.device)
    agirlik = F.softmax(puan + maske)
    return agirlik @ deger


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.split_size = config.n_embd
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def bol(self, x):
        toplu, uzunluk = x.shape[0], x.shape[1]
        return x.reshape([toplu, uzunluk, self.num_heads, self.head_dim]).transpose(1, 2)

    def birlestir(self, x):
        toplu, uzunluk = x.shape[0], x.shape[2]
        return x.transpose(1, 2).reshape([toplu, uzunluk, self.embed_dim])

    def __call__(self, hidden_states):
        adlar = ["sorgu", "anahtar", "deger"]
        parcalar = dict(zip(adlar, F.chunk(self.c_attn(hidden_states), 3, axis=-1)))
        for ad in adlar:
            parcalar[ad] = self.bol(parcalar[ad])
        sonuc = dikkat(**parcalar)
        sonuc = self.birlestir(sonuc)
        return self.c_proj(sonuc)
