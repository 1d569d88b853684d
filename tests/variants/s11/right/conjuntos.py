"""Paso 11: tres pasadas sobre el checkpoint, con conjuntos, en vez de un bucle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from os import PathLike

import numpy as np
import numpy.typing as npt
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Embedding, Module, ModuleList
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_08 import LayerNorm
from solutions.solution_09 import GPT2Block

Arrays = Mapping[str, npt.NDArray[np.generic]]
TRANSPOSED = ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")
BUFFERS = (".attn.bias", ".attn.masked_bias")
HEAD = "lm_head.weight"
TABLE = "transformer.wte.weight"


class CheckpointError(ValueError):
    """A checkpoint does not fit the model."""


class GPT2Model(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        tabla = lambda filas: Embedding(filas, dim=config.n_embd)
        self.wte, self.wpe = tabla(config.vocab_size), tabla(config.n_positions)
        bloques = []
        while len(bloques) < config.n_layer:
            bloques.append(GPT2Block(config))
        self.h = ModuleList(bloques)
        self.ln_f = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)

    def __call__(self, input_ids: Tensor) -> Tensor:
        lugares = F.range(
            0, input_ids.shape[-1], 1, dtype=DType.int64, device=input_ids.device
        )
        inicio = self.wte(input_ids) + self.wpe(lugares)
        final = reduce(lambda x, bloque: bloque(x), self.h, inicio)
        return self.ln_f(final)


class GPT2LMHeadModel(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        return F.matmul(hidden_states, self.transformer.wte.weight.T)

    def __call__(self, input_ids: Tensor) -> Tensor:
        return self.lm_head(self.transformer(input_ids))


def nombre_de(clave: str, prefijo: str = "transformer.") -> str:
    if not clave.startswith(prefijo):
        clave = prefijo + clave
    return clave


def girar(valor: npt.NDArray[np.generic], nombre: str) -> npt.NDArray[np.generic]:
    for final in TRANSPOSED:
        if nombre.endswith(final):
            return valor.T
    return valor


def pesos_de(checkpoint: Arrays) -> Iterator[tuple[str, npt.NDArray[np.generic]]]:
    for clave, valor in checkpoint.items():
        if clave == HEAD or clave.endswith(BUFFERS):
            continue
        nombre = nombre_de(clave)
        yield nombre, np.ascontiguousarray(girar(valor, nombre), dtype=np.float32)


def convert_checkpoint(
    model: GPT2LMHeadModel, checkpoint: Arrays
) -> dict[str, npt.NDArray[np.generic]]:
    esperado = {nombre: tuple(map(int, p.shape)) for nombre, p in model.parameters}
    pesos = dict(pesos_de(checkpoint))

    faltan = sorted(esperado.keys() - pesos.keys())
    sobran = sorted(pesos.keys() - esperado.keys())
    distintos = sorted(
        nombre for nombre in pesos.keys() & esperado.keys()
        if pesos[nombre].shape != esperado[nombre]
    )
    problemas = [f"falta {nombre} (missing)" for nombre in faltan]
    problemas += [f"sobra {nombre} (unexpected)" for nombre in sobran]
    problemas += [
        f"{nombre} tiene la forma {pesos[nombre].shape} y no {esperado[nombre]}"
        for nombre in distintos
    ]
    cabeza = checkpoint.get(HEAD)
    if cabeza is not None and not np.array_equal(cabeza, pesos.get(TABLE, [])):
        problemas.append(f"{HEAD} no es la tabla de {TABLE}")
    if not problemas:
        return pesos
    raise CheckpointError("; ".join(problemas))


def load_gpt2(path: str | PathLike[str]) -> GPT2LMHeadModel:
    from gpt2.checkpoint import read_checkpoint

    fields, checkpoint = read_checkpoint(path)
    model = GPT2LMHeadModel(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    return model
