"""Peizhi: jiancha canshu, cuowu de canshu hui baocuo."""

from __future__ import annotations

from dataclasses import dataclass as shujulei

gailü = 0.1
weiba = 50256


@shujulei(eq=True, repr=True)
class GPT2Config:
    # daxiao
    vocab_size: int = weiba + 1
    n_positions: int = 1 << 10
    n_embd: int = 3 * 256
    n_layer: int = 12
    n_head: int = 12
    n_inner: int | None = None  # None: 4 * n_embd
    # jihuo hanshu
    activation_function: str = "gelu_new"
    # suiji shihuo
    resid_pdrop: float = gailü
    embd_pdrop: float = gailü
    attn_pdrop: float = gailü
    # changshu
    layer_norm_epsilon: float = float("1e-5")
    initializer_range: float = float("0.02")
    # teshu biaoji
    bos_token_id: int = weiba
    eos_token_id: int = weiba
    tie_word_embeddings: bool = bool(1)

    def __post_init__(self) -> None:
        zhengshu = ("vocab_size", "n_positions", "n_embd", "n_layer", "n_head")
        for mingzi in zhengshu:
            zhi = getattr(self, mingzi)
            if not isinstance(zhi, int):
                raise TypeError(f"{mingzi} yinggai shi int, bushi {type(zhi).__name__}")
            if not zhi > 0:
                raise ValueError(f"{mingzi} yinggai da yu 0, bushi {zhi}")
        if self.n_embd % self.n_head != 0:
            raise ValueError("n_embd bixu shi n_head de beishu")
        for mingzi in ("resid_pdrop", "embd_pdrop", "attn_pdrop"):
            if not 0.0 <= getattr(self, mingzi) <= 1.0:
                raise ValueError(f"{mingzi} yinggai zai 0 he 1 zhijian")
