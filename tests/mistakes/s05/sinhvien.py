# Bai 5: chu y nhieu dau (multi-head attention)
# Em lam tung buoc mot, moi buoc mot bien, cho de kiem tra
from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.nn import Linear
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


def tinh_softmax(diem):
    # thay viet tren bang: e mu diem, chia cho tong. Tru so lon nhat truoc de khong tran so
    lon_nhat = diem.max(axis=-1)
    diem_nho = diem - lon_nhat
    mu = F.exp(diem_nho)
    tong = mu.sum(axis=-1)
    ket_qua = mu / tong
    return ket_qua


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        so_chieu = config.n_embd
        so_dau = config.n_head
        self.embed_dim = so_chieu
        self.num_heads = so_dau
        self.head_dim = so_chieu // so_dau
        self.split_size = so_chieu
        # mot lop to lam ca ba: cau hoi, chia khoa, gia tri
        rong_gap_ba = so_chieu + so_chieu + so_chieu
        self.c_attn = Linear(so_chieu, rong_gap_ba, bias=True)
        # lop tron cac dau lai
        self.c_proj = Linear(so_chieu, so_chieu, bias=True)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        # buoc 1: chieu
        tat_ca = self.c_attn(hidden_states)

        # buoc 2: cat lam ba
        n = self.split_size
        cau_hoi = tat_ca[:, :, 0:n]
        chia_khoa = tat_ca[:, :, n : 2 * n]
        gia_tri = tat_ca[:, :, 2 * n : 3 * n]

        # buoc 3: chia dau
        h = self.num_heads
        d = self.head_dim
        cau_hoi_dau = self._split_heads(cau_hoi, h, d)
        chia_khoa_dau = self._split_heads(chia_khoa, h, d)
        gia_tri_dau = self._split_heads(gia_tri, h, d)

        # buoc 4: chu y
        tron = self._attn(cau_hoi_dau, chia_khoa_dau, gia_tri_dau)

        # buoc 5: gop dau
        gop = self._merge_heads(tron, h, d)

        # buoc 6: lop cuoi
        dau_ra = self.c_proj(gop)
        return dau_ra

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        # diem = Q nhan K xoay
        key_xoay = key.permute([0, 1, 3, 2])
        diem = query @ key_xoay

        # chia cho can bac hai cua do rong dau
        do_rong = int(query.shape[3])
        can = math.sqrt(do_rong)
        diem_chia = diem / can

        # che tuong lai
        do_dai = query.shape[2]
        kieu = query.dtype
        may = query.device
        mat_na = causal_mask(do_dai, 0, dtype=kieu, device=may)
        mat_na = mat_na.unsqueeze(0)
        mat_na = mat_na.unsqueeze(0)
        diem_che = diem_chia + mat_na

        # softmax roi nhan V
        trong_so = tinh_softmax(diem_che)
        ket_qua = trong_so @ value
        return ket_qua

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        so_van_ban = tensor.shape[0]
        so_token = tensor.shape[1]
        hinh_moi = [so_van_ban, so_token, num_heads, attn_head_size]
        cat_ra = tensor.reshape(hinh_moi)
        dau_truoc = cat_ra.permute([0, 2, 1, 3])
        return dau_truoc

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        so_van_ban = tensor.shape[0]
        so_token = tensor.shape[2]
        token_truoc = tensor.permute([0, 2, 1, 3])
        rong = num_heads * attn_head_size
        hinh_moi = [so_van_ban, so_token, rong]
        gop_lai = token_truoc.reshape(hinh_moi)
        return gop_lai
