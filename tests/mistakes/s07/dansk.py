# Trin 7: en tekst ad gangen
import numpy as np
from max.driver import CPU
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    s = int(sequence_length)
    alle = s + int(num_tokens)
    synlig = np.tril(np.ones((s, alle)), k=int(num_tokens))
    maske = np.where(synlig == 1, 0.0, -np.inf).astype(np.float32)
    return Tensor.from_dlpack(maske).cast(dtype).to(device)


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.split_size = config.n_embd
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def en_tekst(self, tekst):
        antal = tekst.shape[0]
        form = [antal, 3, self.num_heads, self.head_dim]
        tre = self.c_attn(tekst).reshape(form).permute([1, 2, 0, 3])
        q, k, v = tre[0], tre[1], tre[2]
        point = q @ k.transpose(1, 2)
        point = point / self.head_dim**0.5
        point = point + causal_mask(antal, 0, dtype=point.dtype, device=point.device)
        blandet = F.softmax(point) @ v
        return self.c_proj(blandet.transpose(0, 1).reshape([antal, self.embed_dim]))

    def __call__(self, hidden_states):
        antal_tekster = int(hidden_states.shape[0])
        return F.stack([self.en_tekst(hidden_states[i]) for i in range(antal_tekster)], axis=0)
