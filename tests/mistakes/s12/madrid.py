"""Escribir texto con GPT-2."""
import random

import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention
from solutions.solution_11 import GPT2LMHeadModel


class GPT2WithCache(GPT2LMHeadModel):
    def _partir(self, attn, parte):
        return attn._split_heads(parte, attn.num_heads, attn.head_dim)

    def _mascara(self, query, pasado):
        largo = query.shape[-2]
        return causal_mask(largo, pasado, dtype=query.dtype, device=query.device)

    def _attend(self, attn, hidden_states, past):
        ancho = attn.embed_dim
        partes = F.split(attn.c_attn(hidden_states), [ancho, ancho, ancho], axis=-1)
        query, key, value = [self._partir(attn, parte) for parte in partes]
        pasado = 0
        if past is not None:
            clave_vieja, valor_viejo = past
            pasado = clave_vieja.shape[-2]
            key = F.concat([clave_vieja, key], axis=-2)
            value = F.concat([valor_viejo, value], axis=-2)
        mascara = self._mascara(query, pasado)
        salida, pesos = scaled_dot_product_attention(query, key, value, mascara)
        salida = attn._merge_heads(salida, attn.num_heads, attn.head_dim)
        return attn.c_proj(salida), (key, value)

    def _bloque(self, block, x, past):
        atendido, nuevos = self._attend(block.attn, block.ln_1(x), past)
        x = x + atendido
        x = x + block.mlp(block.ln_2(x))
        return x, nuevos

    def decode(self, input_ids, cache=None):
        modelo = self.transformer
        if cache is None:
            cache = [None] * len(modelo.h)
            inicio = 0
        else:
            inicio = cache[0][0].shape[-2]
        fin = inicio + input_ids.shape[-1]
        posiciones = F.range(inicio, fin, dtype=DType.int64, device=input_ids.device)
        x = modelo.wte(input_ids) + modelo.wpe(posiciones)
        memoria = []
        for block, past in zip(modelo.h, cache):
            x, nuevos = self._bloque(block, x, past)
            memoria.append(nuevos)
        x = modelo.ln_f(x)
        return self.lm_head(x), tuple(memoria)


def filtrar(puntos, top_k):
    """Deja solo los top_k mejores."""
    if top_k is None:
        return puntos
    cuantos = min(top_k, len(puntos))
    umbral = np.sort(puntos)[-cuantos]
    return np.where(puntos >= umbral, puntos, -np.inf)


def softmax(puntos):
    exponenciales = np.exp(puntos - puntos.max())
    return exponenciales / exponenciales.sum()


def sortear(probabilidades, draw):
    acumuladas = np.cumsum(probabilidades)
    acumuladas = acumuladas / acumuladas[-1]
    return int(np.searchsorted(acumuladas, draw, side="right"))


def next_token(logits, *, temperature=0.0, top_k=None, draw=0.0):
    if temperature == 0:
        return int(np.argmax(logits))
    puntos = np.array(logits, dtype=np.float64) / temperature
    puntos = filtrar(puntos, top_k)
    return sortear(softmax(puntos), draw)


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
    if draws is None:
        draws = iter(random.random, None)
    numeros = iter(draws)
    texto = list(tokens)
    cache = None
    escritos = 0
    while escritos < max_new_tokens and len(texto) < model.config.n_positions:
        nuevos = texto if cache is None else texto[-1:]
        ids = Tensor([nuevos], dtype=DType.int64)
        with F.lazy():
            if use_cache:
                logits, cache = model.decode(ids, cache)
            else:
                logits = model(ids)
        ultimos = logits.to_numpy()[0, -1]
        numero = next(numeros) if temperature > 0 else 0.0
        elegido = next_token(ultimos, temperature=temperature, top_k=top_k, draw=numero)
        texto.append(elegido)
        escritos += 1
        yield elegido
        if elegido == eos_token_id:
            break


def generate(model, tokens, max_new_tokens, **opciones):
    return list(tokens) + list(stream(model, tokens, max_new_tokens, **opciones))
