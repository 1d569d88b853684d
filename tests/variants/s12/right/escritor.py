"""Paso 12: una clase que escribe, y un sorteo con un bucle."""
from __future__ import annotations
from collections.abc import Iterable, Iterator, Sequence
import numpy as np
import numpy.typing as npt
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention
from solutions.solution_05 import GPT2Attention
from solutions.solution_11 import GPT2LMHeadModel
KeyValue = tuple[Tensor, Tensor]; Cache = tuple[KeyValue, ...]
def largo(par: KeyValue | None):
    return par[0].shape[-2] if par else 0
class GPT2WithCache(GPT2LMHeadModel):
    def _attend(self, attn: GPT2Attention, hidden_states: Tensor, past: KeyValue | None) -> tuple[Tensor, KeyValue]:
        lote, nuevas, ancho = hidden_states.shape
        def cabezas(x: Tensor) -> Tensor:
            return x.reshape([lote, nuevas, attn.num_heads, attn.head_dim]).transpose(1, 2)
        todo = attn.c_attn(hidden_states)
        consulta, clave, valor = map(cabezas, F.split(todo, [attn.split_size] * 3, axis=-1))
        nuevo_par = (clave, valor)
        if past is not None:
            nuevo_par = tuple(F.concat([v, n], axis=2) for v, n in zip(past, nuevo_par))
        mascara = causal_mask(nuevas, largo(past), dtype=consulta.dtype, device=consulta.device)
        mezcla, _pesos = scaled_dot_product_attention(consulta, *nuevo_par, mask=mascara)
        mezcla = mezcla.transpose(1, 2).reshape([lote, nuevas, ancho])
        return attn.c_proj(mezcla), nuevo_par
    def decode(self, input_ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        t = self.transformer
        pasado = largo(cache[0] if cache else None)
        cuantas = input_ids.shape[-1]
        lugares = F.range(
            pasado, pasado + cuantas, 1, cuantas, dtype=DType.int64, device=input_ids.device
        )
        x = t.wte(input_ids) + t.wpe(lugares)
        memoria: dict[int, KeyValue] = {}
        for i, bloque in enumerate(t.h):
            anterior = None
            if cache:
                anterior = cache[i]
            y, memoria[i] = self._attend(bloque.attn, bloque.ln_1(x), anterior)
            x = x + y
            y = bloque.mlp(bloque.ln_2(x))
            x = x + y
        return self.lm_head(t.ln_f(x)), tuple(memoria.values())
def next_token(
    logits: npt.NDArray[np.floating], *,
    temperature: float = 0.0, top_k: int | None = None, draw: float = 0.0,
) -> int:
    if not temperature:
        return int(np.argmax(logits))
    puntos = np.array(logits, dtype=np.float64)
    puntos /= temperature
    puntos -= puntos.max()
    if top_k is not None:
        ordenados = sorted(puntos, reverse=True)[:top_k]
        puntos[puntos < ordenados[-1]] = float("-inf")
    partes = np.exp(puntos)
    meta = draw * partes.sum()
    suma, elegido = 0.0, 0
    for ficha, parte in enumerate(partes):
        if parte == 0.0:
            continue
        elegido = ficha
        suma += parte
        if meta < suma:
            break
    return elegido
class Escritor:
    def __init__(self, modelo, inicio: list[int], con_memoria: bool) -> None:
        self.modelo = modelo
        self.texto = inicio
        self.con_memoria = con_memoria
        self.memoria: Cache | None = None
    @property
    def lleno(self) -> bool:
        return len(self.texto) >= self.modelo.config.n_positions
    def puntos(self) -> npt.NDArray[np.floating]:
        lo_nuevo = self.texto if self.memoria is None else [self.texto[-1]]
        ids = Tensor([lo_nuevo], dtype=DType.int64)
        with F.lazy():
            if not self.con_memoria:
                salida = self.modelo(ids)
            else:
                salida, self.memoria = self.modelo.decode(ids, self.memoria)
        return salida.to_numpy()[0][-1]
def stream(
    model: GPT2WithCache, tokens: Sequence[int], max_new_tokens: int, *,
    temperature: float = 0.0, top_k: int | None = None, eos_token_id: int | None = None,
    use_cache: bool = True, draws: Iterable[float] | None = None,
) -> Iterator[int]:
    numbers = iter(np.random.default_rng().random, None) if draws is None else iter(draws)
    escritor = Escritor(model, list(tokens), use_cache)
    for _ in range(max_new_tokens):
        if escritor.lleno:
            return
        puntos = escritor.puntos()
        azar = next(numbers) if temperature != 0 else 0.0
        ficha = next_token(puntos, temperature=temperature, top_k=top_k, draw=azar)
        escritor.texto.append(ficha)
        yield ficha
        if ficha == eos_token_id:
            return
def generate(
    model: GPT2WithCache, tokens: Sequence[int], max_new_tokens: int, *,
    temperature: float = 0.0, top_k: int | None = None, eos_token_id: int | None = None,
    use_cache: bool = True, draws: Iterable[float] | None = None,
) -> list[int]:
    written = stream(
        model, tokens, max_new_tokens, temperature=temperature, top_k=top_k,
        eos_token_id=eos_token_id, use_cache=use_cache, draws=draws,
    )
    return [*tokens, *written]
