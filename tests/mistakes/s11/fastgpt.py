"""s11: GPT-2 + HF weights, compact."""
from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

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
TRANSPOSED = tuple(f"{o}.weight" for o in ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"))
BUFFERS = (".attn.bias", ".attn.masked_bias")
HEAD, TABLE, PRE = "lm_head.weight", "transformer.wte.weight", "transformer."


class CheckpointError(ValueError): "ckpt != model"


def pipe(x, *fs): return reduce(lambda a, f: f(a), fs, x)
def pos_ids(ids): return F.range(0, ids.shape[-1], dtype=DType.int64, device=ids.device)  # 'b n -> n'


class GPT2Model(Module):
    "ids -> vectors, 'b n -> b n d'"

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        nv, np_, d = config.vocab_size, config.n_positions, config.n_embd
        emb = lambda n: Embedding(n, dim=d)
        self.wte, self.wpe = emb(nv), emb(np_)
        self.h = ModuleList([GPT2Block(config) for _ in range(config.n_layer)])
        self.ln_f = LayerNorm(d, eps=config.layer_norm_epsilon)

    def embed(self, ids):
        "tok + pos"
        return self.wte(ids) + self.wpe(pos_ids(ids))

    def __call__(self, input_ids: Tensor) -> Tensor:
        x = self.embed(input_ids)
        x = pipe(x, *self.h)
        return self.ln_f(x)


class GPT2LMHeadModel(Module):
    "ids -> logits, 'b n -> b n v'"

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config, self.transformer = config, GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        w = self.transformer.wte.weight                 # v d
        return hidden_states @ w.T                      # b n d, d v -> b n v

    def __call__(self, input_ids: Tensor) -> Tensor: return pipe(input_ids, self.transformer, self.lm_head)


def is_param(k): return k != HEAD and not k.endswith(BUFFERS)
def full(k): return k if k.startswith(PRE) else PRE + k
def orient(n, a): return a.T if n.endswith(TRANSPOSED) else a
def tidy(a): return np.ascontiguousarray(a, dtype=np.float32)


def diff(want, got):
    "Everything that's wrong, one str each."
    for n in sorted(got.keys() - want.keys()): yield f"unexpected: {n}"
    for n in sorted(want.keys() - got.keys()): yield f"missing: {n}"
    for n in sorted(want.keys() & got.keys()):
        w, g = want[n], got[n].shape
        if w != g: yield f"{n}: shape {g}, expected {w}"


def convert_checkpoint(model: GPT2LMHeadModel, checkpoint: Arrays) -> dict[str, npt.NDArray[np.generic]]:
    "HF arrays -> state dict for `model`, or CheckpointError."
    want = {n: tuple(map(int, p.shape)) for n, p in model.parameters}
    named = {full(k): a for k, a in checkpoint.items() if is_param(k)}
    got = {n: tidy(orient(n, a)) for n, a in named.items()}
    errs = list(diff(want, got))
    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], got.get(TABLE, [])):
        errs.append(f"{HEAD} differs from {TABLE}")
    if errs: raise CheckpointError("\n".join(errs))
    return got


def load_gpt2(path):
    from gpt2.checkpoint import read_checkpoint
    cfg, ckpt = read_checkpoint(path)
    m = GPT2LMHeadModel(GPT2Config(**cfg))
    m.load_state_dict(convert_checkpoint(m, ckpt))
    return m
