import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor
from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


def winkel(position, paar, breite, basis):
    return position / basis ** (2 * paar / breite)


class RotaryEmbedding(Module):
    def __init__(self, d_k, max_seq_len, theta):
        super().__init__()
        paare = range(d_k // 2)
        orte = range(max_seq_len)
        tabelle = [[winkel(o, p, d_k, theta) for p in paare] for o in orte]
        self.kosinus = np.cos(tabelle).astype("float32")
        self.sinus = np.sin(tabelle).astype("float32")

    def zeilen(self, tabelle, x, orte):
        alles = Tensor(tabelle, dtype=x.dtype, device=x.device)
        return F.gather(alles, orte, axis=0)

    def forward(self, x, token_positions):
        k = self.zeilen(self.kosinus, x, token_positions)
        s = self.zeilen(self.sinus, x, token_positions)
        paare = x.reshape(x.shape[:-1] + [int(x.shape[-1]) // 2, 2])
        a = paare[..., 0]
        b = paare[..., 1]
        gedreht = [a * k - b * s, a * s + b * k]
        return F.stack(gedreht, axis=-1).reshape(x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model, num_heads, max_seq_len, theta):
        super().__init__()
        self.koepfe = num_heads
        self.rope = RotaryEmbedding(d_model // num_heads, max_seq_len, theta)

    def teile(self, x):
        breite = int(x.shape[-1]) // self.koepfe
        geteilt = x.reshape(x.shape[:-1] + [self.koepfe, breite])
        return geteilt.transpose(-3, -2)

    def fuege(self, x):
        x = x.transpose(-3, -2)
        breite = int(x.shape[-1]) * int(x.shape[-2])
        return x.reshape(x.shape[:-2] + [breite])

    def forward(self, q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight, in_features, token_positions):
        gewichte = {"q": q_proj_weight, "k": k_proj_weight, "v": v_proj_weight}
        teile = {name: self.teile(in_features @ w.T) for name, w in gewichte.items()}
        orte = token_positions.unsqueeze(-2)
        for name in "qk":
            teile[name] = self.rope(teile[name], orte)
        laenge = in_features.shape[-2]
        maske = causal_mask(laenge, 0, dtype=in_features.dtype, device=in_features.device)
        aus = scaled_dot_product_attention(teile["q"], teile["k"], teile["v"], maske)[0]
        return self.fuege(aus) @ o_proj_weight.T
