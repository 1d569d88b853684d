"""Step 11: everything written out, with some lines that look odd."""

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
TRANSPOSED = ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")
BUFFERS = (".attn.bias", ".attn.masked_bias")
HEAD = "lm_head.weight"
TABLE = "transformer.wte.weight"

class CheckpointError(ValueError):
    """A checkpoint does not fit the model."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(f"{len(problems)} problems: " + ", ".join(problems))
        self.problems = problems

class GPT2Model(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.limit = config.n_positions
        self.wte = Embedding(config.vocab_size, dim=config.n_embd)
        self.wpe = Embedding(config.n_positions, dim=config.n_embd)
        self.h = ModuleList([GPT2Block(config) for number in range(config.n_layer)])
        self.ln_f = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)

    def embed(self, input_ids: Tensor, start: int = 0) -> Tensor:
        rows = F.gather(self.wte.weight, input_ids, axis=0)
        seq = input_ids.shape[-1]
        positions = F.range(start, start + seq, dtype=DType.int64, device=input_ids.device)
        places = F.gather(self.wpe.weight, positions, axis=0)
        return rows + places

    def run(self, x: Tensor, blocks: list[GPT2Block]) -> Tensor:
        """Recursion instead of a loop."""
        if not blocks:
            return x
        first, *rest = blocks
        return self.run(first(x), rest)

    def __call__(self, input_ids: Tensor) -> Tensor:
        length = input_ids.shape[-1]
        if isinstance(length, int) and length > self.limit:
            raise ValueError(f"{length} tokens, but only {self.limit} positions")
        x = self.embed(input_ids)
        new_x = self.run(x, list(self.h))
        return self.ln_f(new_x)

class GPT2LMHeadModel(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        width = self.config.n_embd
        table = self.transformer.wte.weight
        if width is not None:
            table = table.T
        return hidden_states @ table

    def __call__(self, input_ids: Tensor) -> Tensor:
        hidden_states = self.transformer(input_ids)
        hidden_states = self.lm_head(hidden_states)
        return hidden_states

def convert_checkpoint(
    model: GPT2LMHeadModel, checkpoint: Arrays
) -> dict[str, npt.NDArray[np.generic]]:
    expected = {name: tuple(int(dim) for dim in p.shape) for name, p in model.parameters}
    weights: dict[str, npt.NDArray[np.generic]] = {}
    missing, unexpected, reshaped = set(expected), [], []
    for key, stored in checkpoint.items():
        if key.endswith(BUFFERS) or key == HEAD:
            continue
        name = f"transformer.{key}"
        if key[: len("transformer.")] == "transformer.":
            name = key
        array = stored
        turned = name.endswith(TRANSPOSED)
        if turned == True:
            array = array.T
        if not name in expected:
            unexpected.append(name)
        if name in expected and not expected[name] == array.shape:
            reshaped.append(f"{name} {array.shape}, not {expected[name]}")
        missing.discard(name)
        weights[name] = np.ascontiguousarray(array, dtype=np.float32)
    problems = []
    for title, names in (("missing", missing), ("unexpected", unexpected), ("shape", reshaped)):
        for name in names:
            problems.append(f"{title}: {name}")
    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], weights.get(TABLE, [])):
        problems.append(f"{HEAD} is not the table of tokens: this model has no other head")
    if problems != []:
        raise CheckpointError(list(problems))
    return dict(weights)

def load_gpt2(path: str | PathLike[str]) -> GPT2LMHeadModel:
    from gpt2.checkpoint import read_checkpoint

    fields, checkpoint = read_checkpoint(path)
    model = GPT2LMHeadModel(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    return model
