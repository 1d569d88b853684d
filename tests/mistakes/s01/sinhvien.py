# Bai 1: cau hinh cua GPT-2
# (ghi theo bai giang tuan 1, con vai cho chua nho ro)
from __future__ import annotations

import dataclasses
from dataclasses import dataclass

# Buoc 1: tu vung. Thay noi: 256 byte, roi 50000 lan ghep, roi 1 token dac biet
so_byte = 256
so_lan_ghep = 50000
so_token_dac_biet = 1
tong_so_token = so_byte + so_lan_ghep
tong_so_token = tong_so_token + so_token_dac_biet

# Buoc 2: token cuoi cung, dem tu 0 nen phai tru 1
token_cuoi = tong_so_token - 1

# Buoc 3: kich thuoc cua vec-to = so dau x do rong moi dau
so_dau = 12
do_rong_moi_dau = 64
do_rong = so_dau * do_rong_moi_dau

# Buoc 4: dropout (chi dung khi huan luyen)
ti_le_bo = 1 / 10

# Buoc 5: hang so nho
mot_phan_tram = 1 / 100
do_lech_chuan = 2 * mot_phan_tram


@dataclass(eq=True, repr=True, kw_only=True)
class GPT2Config:
    # --- token
    bos_token_id: int = token_cuoi
    eos_token_id: int = token_cuoi
    # --- kich thuoc
    vocab_size: int = tong_so_token
    n_positions: int = 1024
    n_embd: int = do_rong
    n_layer: int = 12
    n_head: int = so_dau
    n_inner: int | None = None  # de nguyen None!
    # --- ham kich hoat
    activation_function: str = "gelu_new"
    # --- dropout
    resid_pdrop: float = ti_le_bo
    embd_pdrop: float = ti_le_bo
    attn_pdrop: float = ti_le_bo
    # --- hang so
    layer_norm_epsilon: float = 0.00001
    initializer_range: float = do_lech_chuan
    # --- dung chung trong so
    tie_word_embeddings: bool = True


# kiem tra lai cho chac
cac_truong = dataclasses.fields(GPT2Config)
so_truong = len(cac_truong)
assert so_truong == 15, so_truong
