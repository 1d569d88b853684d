"""GPT-2. All input is hostile until proven otherwise."""

from __future__ import annotations

from collections.abc import Mapping
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
Shapes = dict[str, tuple[int, ...]]

TRANSPOSED = ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")
BUFFERS = (".attn.bias", ".attn.masked_bias")
HEAD = "lm_head.weight"
TABLE = "transformer.wte.weight"
PREFIX = "transformer."


class CheckpointError(ValueError):
    """The checkpoint must not be trusted."""


def _require(condition: bool, message: str) -> None:
    """Fail closed. No assert: python -O would remove it."""
    if not condition:
        raise ValueError(message)


class GPT2Model(Module):
    """Token ids in, vectors out."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        _require(config.n_layer >= 0, "n_layer is negative")
        _require(config.n_embd % config.n_head == 0, "n_head does not divide n_embd")
        self.max_length = config.n_positions
        self.wte = Embedding(config.vocab_size, dim=config.n_embd)
        self.wpe = Embedding(config.n_positions, dim=config.n_embd)
        self.h = ModuleList([GPT2Block(config) for _ in range(config.n_layer)])
        self.ln_f = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)

    def _positions(self, input_ids: Tensor) -> Tensor:
        length = int(input_ids.shape[-1])
        _require(length <= self.max_length, f"{length} tokens, at most {self.max_length}")
        return F.range(0, length, dtype=DType.int64, device=input_ids.device)

    def __call__(self, input_ids: Tensor) -> Tensor:
        _require(input_ids.rank == 2, "input_ids must be [batch, seq]")
        stream = self.wte(input_ids)
        stream = stream + self.wpe(self._positions(input_ids))
        for block in self.h:
            stream = block(stream)
        return self.ln_f(stream)


class GPT2LMHeadModel(Module):
    """Token ids in, logits out. The head owns no weights."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        table = self.transformer.wte.weight
        return F.matmul(hidden_states, F.transpose(table, 0, 1))

    def __call__(self, input_ids: Tensor) -> Tensor:
        vectors = self.transformer(input_ids)
        return self.lm_head(vectors)


def _canonical_name(key: str) -> str:
    """Only one spelling of a name gets past this point."""
    if key.startswith(PREFIX):
        return key
    return PREFIX + key


def _sanitize(checkpoint: Arrays) -> dict[str, npt.NDArray[np.generic]]:
    """Names and orientation of the model; buffers and the copied head are dropped."""
    clean: dict[str, npt.NDArray[np.generic]] = {}
    for key, array in checkpoint.items():
        if key == HEAD or key.endswith(BUFFERS):
            continue
        name = _canonical_name(key)
        if name.endswith(TRANSPOSED):
            array = array.T
        clean[name] = np.ascontiguousarray(array, dtype=np.float32)
    return clean


def _audit(expected: Shapes, weights: Arrays) -> list[str]:
    """Every finding, not only the first one."""
    findings = []
    for name in sorted(expected.keys() | weights.keys()):
        if name not in weights:
            findings.append(f"missing: {name}")
        elif name not in expected:
            findings.append(f"unexpected: {name}")
        elif weights[name].shape != expected[name]:
            findings.append(f"{name} has shape {weights[name].shape}, expected {expected[name]}")
    return findings


def convert_checkpoint(
    model: GPT2LMHeadModel, checkpoint: Arrays
) -> dict[str, npt.NDArray[np.generic]]:
    """Weights for ``model``, or a CheckpointError with all findings."""
    expected = {name: tuple(int(n) for n in p.shape) for name, p in model.parameters}
    weights = _sanitize(checkpoint)
    findings = _audit(expected, weights)
    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], weights.get(TABLE, [])):
        findings.append(f"{HEAD} is not the table of tokens")
    if findings:
        report = "\n  ".join(findings)
        raise CheckpointError(f"The checkpoint does not fit the model:\n  {report}")
    return weights


def load_gpt2(path: str | PathLike[str]) -> GPT2LMHeadModel:
    """Read a GPT-2 from a folder or a safetensors file."""
    from gpt2.checkpoint import read_checkpoint

    fields, checkpoint = read_checkpoint(path)
    model = GPT2LMHeadModel(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    return model
