# concept: decode-forward
# check: decode-forward
import math
import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from solutions.solution_02 import causal_mask
from solutions.solution_11 import GPT2LMHeadModel


class GPT2WithCache(GPT2LMHeadModel):
    def _attend(self, attn, x, past):
        heads = x.shape[:-1] + [attn.num_heads, attn.head_dim]
        n = attn.embed_dim
        q, k, v = F.split(attn.c_attn(x), [n, n, n], axis=-1)
        q = q.reshape(heads).transpose(1, 2)
        k = k.reshape(heads).transpose(1, 2)
        v = v.reshape(heads).transpose(1, 2)
        cached = 0
        if past is not None:
            cached = past[0].shape[2]
            k = F.concat([past[0], k], axis=2)
            v = F.concat([past[1], v], axis=2)
        before, total = int(cached), int(k.shape[2])
        mask = causal_mask(64, 0, dtype=q.dtype, device=q.device)[before:total, :total]
        scores = q @ k.transpose(-1, -2) / math.sqrt(int(attn.head_dim)) + mask
        out = F.softmax(scores) @ v
        out = out.transpose(1, 2).reshape(x.shape)
        return attn.c_proj(out), (k, v)

    def decode(self, input_ids, cache=None):
        t = self.transformer
        start = 0 if cache is None else int(cache[0][0].shape[2])
        seq = int(input_ids.shape[1])
        positions = F.range(start, start + seq, dtype=DType.int64, device=input_ids.device)
        x = t.wte(input_ids) + t.wpe(positions)
        new = []
        for i, block in enumerate(t.h):
            past = None if cache is None else cache[i]
            a, kv = self._attend(block.attn, block.ln_1(x), past)
            x = x + a
            x = x + block.mlp(block.ln_2(x))
            new.append(kv)
        return self.lm_head(t.ln_f(x)), tuple(new)


def next_token(logits, *, temperature=0.0, top_k=None, draw=0.0):
    if temperature == 0:
        return int(np.argmax(logits))
    z = np.asarray(logits, np.float64) / temperature
    if top_k is not None and top_k < len(z):
        z = np.where(z < np.sort(z)[-top_k], -np.inf, z)
    p = np.exp(z - z.max())
    p = p / p.sum()
    total = 0.0
    for token, share in enumerate(p):
        total += share
        if draw < total:
            return token
    return int(np.argmax(p))


def stream(model, tokens, max_new_tokens, *, temperature=0.0, top_k=None, eos_token_id=None,
           use_cache=True, draws=None):
    numbers = iter(np.random.default_rng().random, None) if draws is None else iter(draws)
    text = list(tokens)
    cache = None
    for _ in range(max_new_tokens):
        if len(text) >= model.config.n_positions:
            break
        if use_cache:
            feed = text if cache is None else text[-1:]
            ids = Tensor([feed], dtype=DType.int64)
            with F.lazy():
                logits, cache = model.decode(ids, cache)
        else:
            ids = Tensor([text], dtype=DType.int64)
            with F.lazy():
                logits = model(ids)
        draw = next(numbers) if temperature else 0.0
        token = next_token(logits.to_numpy()[0, -1], temperature=temperature, top_k=top_k, draw=draw)
        text.append(token)
        yield token
        if token == eos_token_id:
            break


def generate(model, tokens, max_new_tokens, **how):
    return list(tokens) + list(stream(model, tokens, max_new_tokens, **how))
