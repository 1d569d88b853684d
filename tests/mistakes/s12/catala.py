import random

import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention
from solutions.solution_11 import GPT2LMHeadModel


def softmax_np(z):
    e = np.exp(z - z.max())
    return e / e.sum()


class GPT2WithCache(GPT2LMHeadModel):
    def _capes(self, attn, x):
        lot, llarg, _ = x.shape
        return x.reshape([lot, llarg, attn.num_heads, attn.head_dim]).transpose(1, 2)

    def _attend(self, attn, hidden_states, past):
        lot, llarg, ample = hidden_states.shape
        junts = attn.c_attn(hidden_states)
        q, k, v = F.chunk(junts, 3, axis=2)
        q = self._capes(attn, q)
        k = self._capes(attn, k)
        v = self._capes(attn, v)
        abans = 0
        if past is not None:
            vell_k, vell_v = past
            abans = int(vell_k.shape[2])
            k = F.concat([vell_k, k], axis=2)
            v = F.concat([vell_v, v], axis=2)
        mascara = causal_mask(llarg, abans, dtype=q.dtype, device=q.device)
        sortida, pesos = scaled_dot_product_attention(q, k, v, mascara)
        ajuntat = sortida.transpose(1, 2).reshape([lot, llarg, ample])
        return attn.c_proj(ajuntat), (k, v)

    def decode(self, input_ids, cache=None):
        t = self.transformer
        if cache is None:
            cache = [None] * len(t.h)
            inici = 0
        else:
            inici = int(cache[0][0].shape[2])
        fi = inici + int(input_ids.shape[1])
        llocs = F.range(inici, fi, dtype=DType.int64, device=input_ids.device)
        x = t.wte(input_ids) + t.wpe(llocs)
        nou = []
        for bloc, passat in zip(t.h, cache):
            mirat, kv = self._attend(bloc.attn, bloc.ln_1(x), passat)
            x = x + mirat
            x = x + bloc.mlp(bloc.ln_2(x))
            nou.append(kv)
        x = t.ln_f(x)
        return self.lm_head(x), tuple(nou)


def next_token(logits, *, temperature=0.0, top_k=None, draw=0.0):
    if not temperature:
        return int(logits.argmax())
    punts = np.asarray(logits, dtype=np.float64) / temperature
    if top_k is not None and top_k < punts.size:
        ordre = np.argsort(punts)
        llindar = punts[ordre[-top_k]]
        punts = np.where(punts >= llindar, punts, -np.inf)
    probs = softmax_np(punts)
    suma = 0.0
    ultim = 0
    for i, p in enumerate(probs):
        if p == 0:
            continue
        suma += p
        ultim = i
        if draw < suma:
            return i
    return ultim


def stream(
    model,
    tokens,
    max_new_tokens,
    *,
    temperature=0.0,
    top_k=None,
    eos_token_id=None,
    use_cache=True,
    draws=None,
):
    atzar = iter(draws) if draws is not None else iter(random.SystemRandom().random, None)
    text = [int(t) for t in tokens]
    cache = None
    pendents = list(text)
    fets = 0
    while fets < max_new_tokens and len(text) < model.config.n_positions:
        if use_cache:
            ids = Tensor([pendents], dtype=DType.int64)
            with F.lazy():
                logits, cache = model.decode(ids, cache)
        else:
            ids = Tensor([text], dtype=DType.int64)
            with F.lazy():
                logits = model(ids)
        darrer = logits.to_numpy()[0, -1]
        u = next(atzar) if temperature > 0 else 0.0
        nou = next_token(darrer, temperature=temperature, top_k=top_k, draw=u)
        pendents = [nou]
        text.append(nou)
        fets += 1
        yield nou
        if eos_token_id is not None and nou == eos_token_id:
            break


def generate(model, tokens, max_new_tokens, **opcions):
    text = list(tokens)
    for nou in stream(model, tokens, max_new_tokens, **opcions):
        text.append(nou)
    return text
