# step 12: let's generate! (ab model likhega)

import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention
from solutions.solution_11 import GPT2LMHeadModel


class GPT2WithCache(GPT2LMHeadModel):
    def _attend(self, attn, hidden_states, past):
        B, T, C = hidden_states.shape
        nh, hs = attn.num_heads, attn.head_dim

        # q, k, v all in one go
        qkv = attn.c_attn(hidden_states)
        q, k, v = qkv.split([attn.split_size, attn.split_size, attn.split_size], axis=2)
        q = q.reshape([B, T, nh, hs]).transpose(1, 2)  # (B, nh, T, hs)
        k = k.reshape([B, T, nh, hs]).transpose(1, 2)
        v = v.reshape([B, T, nh, hs]).transpose(1, 2)

        # purane wale aage, naye wale peeche
        kitne_purane = 0
        if past is not None:
            purana_k, purana_v = past
            kitne_purane = purana_k.shape[2]
            k = F.concat([purana_k, k], axis=2)
            v = F.concat([purana_v, v], axis=2)

        # now the mask, only if there are many tokens
        naqaab = None
        if T != 1:
            naqaab = causal_mask(T, kitne_purane, dtype=q.dtype, device=q.device)

        # now we do the attention
        y, att = scaled_dot_product_attention(q, k, v, mask=naqaab)
        y = y.transpose(1, 2).reshape([B, T, C])  # re-assemble all head outputs
        y = attn.c_proj(y)
        return y, (k, v)

    def decode(self, input_ids, cache=None):
        B, T = input_ids.shape
        # kahan se shuru karna hai
        shuru = 0
        if cache is not None:
            shuru = cache[0][0].shape[2]

        pos = F.range(shuru, shuru + T, 1, T, dtype=DType.int64, device=input_ids.device)
        tok_emb = self.transformer.wte(input_ids)
        pos_emb = self.transformer.wpe(pos)
        x = tok_emb + pos_emb

        naya_cache = []
        i = 0
        for block in self.transformer.h:
            purana = None
            if cache is not None:
                purana = cache[i]
            y, kv = self._attend(block.attn, block.ln_1(x), purana)
            x = x + y
            x = x + block.mlp(block.ln_2(x))
            naya_cache.append(kv)
            i += 1

        x = self.transformer.ln_f(x)
        logits = self.lm_head(x)
        return logits, tuple(naya_cache)


def next_token(logits, *, temperature=0.0, top_k=None, draw=0.0):
    # greedy, seedha sabse bada
    if temperature == 0:
        return int(np.argmax(logits))

    ank = logits.astype(np.float64) / temperature

    # baaki sab ko -inf
    if top_k is not None:
        kram = np.argsort(-ank, kind="stable")
        ank[kram[top_k:]] = -np.inf

    # now we do the softmax
    ank = ank - np.max(ank)
    probs = np.exp(ank)
    probs = probs / np.sum(probs)

    # sample: chalte raho jab tak draw ke paar na ho jaye
    jod = 0.0
    aakhri = 0
    for idx in range(len(probs)):
        if probs[idx] > 0:
            jod += probs[idx]
            aakhri = idx
            if draw < jod:
                break
    return aakhri


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
    numbers = iter(np.random.default_rng().random, None) if draws is None else iter(draws)
    text = list(tokens)
    cache = None
    block_size = model.config.n_positions

    for kadam in range(max_new_tokens):
        # jagah khatam
        if len(text) >= block_size:
            break

        # forward the model
        if use_cache:
            if kadam == 0:
                idx = Tensor([text], dtype=DType.int64)
            else:
                idx = Tensor([[text[-1]]], dtype=DType.int64)
            with F.lazy():
                logits, cache = model.decode(idx, cache)
        else:
            idx = Tensor([text], dtype=DType.int64)
            with F.lazy():
                logits = model(idx)

        # only the last time step
        aakhri = logits.to_numpy()[0, -1, :]

        sikka = 0.0
        if temperature > 0:
            sikka = next(numbers)
        naya = next_token(aakhri, temperature=temperature, top_k=top_k, draw=sikka)

        text.append(naya)
        yield naya
        if naya == eos_token_id:
            break


def generate(
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
    kahani = list(tokens)
    for tok in stream(
        model,
        tokens,
        max_new_tokens,
        temperature=temperature,
        top_k=top_k,
        eos_token_id=eos_token_id,
        use_cache=use_cache,
        draws=draws,
    ):
        kahani.append(tok)
    return kahani
