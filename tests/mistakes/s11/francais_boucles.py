"""Step 11: the whole model, and the weights of a real GPT-2.

Twelve blocks make GPT-2. Before them, two tables turn token ids and positions into vectors. After
them come one more normalization and the first table again, which turns a vector into a score for
every token of the vocabulary. The names are Hugging Face's. So the weights of a published GPT-2
fit, once four kinds of matrices are transposed.

Tasks:
    1. Import functional as F, Embedding, Module, ModuleList and Tensor.
    2. Create the two tables, the blocks and the last normalization.
    3. Add the vectors of tokens and positions, and run the blocks.
    4. Create the model around it.
    5. Turn the vectors into logits with the table of tokens.
    6. Give the arrays of a checkpoint the names of the model.
    7. Transpose the matrices that Hugging Face keeps the other way round.
    8. Say what is missing, unexpected or of another shape.

Run: ./pixiw run s11
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

import numpy as np
import numpy.typing as npt
from max.dtype import DType

# TODO: Import functional (as F), Embedding, Module, ModuleList and Tensor.
# Hint: from max.experimental import functional as F
# Hint: Embedding, Module and ModuleList live in max.experimental.nn.
# Hint: Tensor lives in max.experimental.tensor.
from max.experimental import functional as F
from max.experimental.nn import Embedding, Module, ModuleList
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_08 import LayerNorm
from solutions.solution_09 import GPT2Block

Arrays = Mapping[str, npt.NDArray[np.generic]]

TRANSPOSED = ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")
"""Ends of the names that Hugging Face keeps as ``[in, out]``. A MAX Linear has ``[out, in]``."""

BUFFERS = (".attn.bias", ".attn.masked_bias")
"""Ends of the names that are not weights: old checkpoints keep their causal masks too."""

HEAD = "lm_head.weight"
"""Hugging Face's name for the table of tokens when it serves as the output layer."""

TABLE = "transformer.wte.weight"
"""The model's name for the table of tokens."""


class CheckpointError(ValueError):
    """A checkpoint does not fit the model."""


class GPT2Model(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.wpe = Embedding(config.n_positions, dim=config.n_embd)
        self.wte = Embedding(config.vocab_size, dim=config.n_embd)
        blocs = []
        for _ in range(config.n_layer):
            blocs.append(GPT2Block(config))
        self.h = ModuleList(blocs)
        self.ln_f = LayerNorm(dim=config.n_embd, eps=config.layer_norm_epsilon)

    def __call__(self, input_ids: Tensor) -> Tensor:
        longueur = input_ids.shape[1]
        places = F.range(0, longueur, dtype=DType.int64, device=input_ids.device)
        x = self.wpe(places) + self.wte(input_ids)
        for i in range(len(self.h)):
            x = self.h[i](x)
        return self.ln_f(x)


class GPT2LMHeadModel(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        table = self.transformer.wte.weight
        return hidden_states @ table.transpose(0, 1)

    def __call__(self, input_ids: Tensor) -> Tensor:
        vecteurs = self.transformer(input_ids)
        return self.lm_head(vecteurs)


def convert_checkpoint(
    model: GPT2LMHeadModel, checkpoint: Arrays
) -> dict[str, npt.NDArray[np.generic]]:
    expected = {name: tuple(int(dim) for dim in p.shape) for name, p in model.parameters}
    weights: dict[str, npt.NDArray[np.generic]] = {}
    problems: list[str] = []

    for key, stored in checkpoint.items():
        if key.endswith(BUFFERS) or key == HEAD:
            continue
        prefixe = "transformer."
        name = prefixe + key.removeprefix(prefixe)
        array = stored
        if name.endswith(TRANSPOSED):
            array = np.transpose(stored)
        attendu = expected.get(name)
        if attendu is None:
            problems.append("unexpected: " + name)
        elif attendu != array.shape:
            problems.append(f"{name}: shape {array.shape}, but the model has {attendu}")
        weights[name] = np.ascontiguousarray(array, dtype=np.float32)

    for name in sorted(expected.keys() - weights.keys()):
        problems.append("missing: " + name)

    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], weights.get(TABLE, [])):
        problems.append(f"{HEAD} is not the table of tokens: this model has no other head")

    if len(problems) > 0:
        raise CheckpointError("\n".join(problems))
    return weights


def load_gpt2(path: str | PathLike[str]) -> GPT2LMHeadModel:
    """Read a GPT-2 from a folder with ``config.json`` and safetensors files, or from such a file.

    Raises:
        CheckpointError: if the weights do not fit the configuration.
    """
    from gpt2.checkpoint import read_checkpoint

    fields, checkpoint = read_checkpoint(path)
    model = GPT2LMHeadModel(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    return model
