"""Trin 12: skriv tekst, med små funktioner og generatorer."""

import itertools

import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention
from solutions.solution_11 import GPT2LMHeadModel


def _antal(par):
    """Hvor mange tokens et par af nøgler og værdier har."""
    return 0 if par is None else int(par[0].shape[-2])


def _efter(gamle, nye):
    return F.concat([gamle, nye], axis=-2)


class GPT2WithCache(GPT2LMHeadModel):
    def _attend(self, attn, hidden_states, past):
        batch, seq, width = hidden_states.shape
        alle = attn.c_attn(hidden_states)
        alle = alle.reshape([batch, seq, 3, attn.num_heads, attn.head_dim])
        alle = alle.permute([2, 0, 3, 1, 4])
        query, key, value = alle[0], alle[1], alle[2]
        if past is not None:
            key, value = (_efter(g, n) for g, n in zip(past, (key, value)))
        mask = causal_mask(seq, _antal(past), dtype=query.dtype, device=query.device)
        ud, _ = scaled_dot_product_attention(query, key, value, mask)
        ud = ud.transpose(1, 2).reshape([batch, seq, width])
        return attn.c_proj(ud), (key, value)

    def _indlejr(self, input_ids, start):
        slut = start + int(input_ids.shape[-1])
        pladser = F.range(start, slut, dtype=DType.int64, device=input_ids.device)
        return self.transformer.wte(input_ids) + self.transformer.wpe(pladser)

    def decode(self, input_ids, cache=None):
        lag = list(self.transformer.h)
        gamle = list(cache or [None] * len(lag))
        x = self._indlejr(input_ids, _antal(gamle[0]))
        for nummer, blok in enumerate(lag):
            svar, gamle[nummer] = self._attend(blok.attn, blok.ln_1(x), gamle[nummer])
            x = x + svar
            x = x + blok.mlp(blok.ln_2(x))
        return self.lm_head(self.transformer.ln_f(x)), tuple(gamle)


def next_token(logits, *, temperature=0.0, top_k=None, draw=0.0):
    logits = np.asarray(logits, dtype=np.float64)
    if not temperature:
        return int(logits.argmax())
    point = logits / temperature
    if top_k is not None and top_k < point.size:
        graense = np.partition(point, -top_k)[-top_k]
        point[point < graense] = -np.inf
    andele = np.exp(point - point.max())
    ender = np.cumsum(andele)
    maal = draw * ender[-1]
    return int(np.count_nonzero(ender <= maal))


def _svar(model, tekst, cache, use_cache):
    """Logits for næste token, og den nye cache."""
    nye = tekst[-1:] if cache else tekst
    ids = Tensor([nye], dtype=DType.int64)
    with F.lazy():
        if use_cache:
            logits, cache = model.decode(ids, cache)
        else:
            logits = model(ids)
    return logits.to_numpy()[0, -1], cache


def stream(model, tokens, max_new_tokens, *, temperature=0.0, top_k=None, eos_token_id=None,
           use_cache=True, draws=None):
    if draws is None:
        draws = iter(np.random.default_rng().random, None)
    tal = iter(draws) if temperature else itertools.repeat(0.0)
    tekst = list(tokens)
    cache = None
    plads = model.config.n_positions - len(tekst)
    for _ in range(min(plads, max_new_tokens)):
        logits, cache = _svar(model, tekst, cache, use_cache)
        valgt = next_token(logits, temperature=temperature, top_k=top_k, draw=next(tal))
        tekst.append(valgt)
        yield valgt
        if valgt == eos_token_id:
            break


def generate(model, tokens, max_new_tokens, **valg):
    hele = list(tokens)
    hele.extend(stream(model, hele, max_new_tokens, **valg))
    return hele
