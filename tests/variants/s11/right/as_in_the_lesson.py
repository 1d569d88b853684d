"""Step 11: the whole model, and the weights of a real GPT-2.

Twelve blocks make GPT-2. In front of them stand two tables that turn token ids and positions into
vectors, behind them one more normalization, and the first table once more, which turns a vector
into a score for every token of the vocabulary. The names are Hugging Face's. So the weights of a
published GPT-2 fit, once four kinds of matrices have been turned.

Tasks:
    1. Import functional as F, Embedding, Module, ModuleList and Tensor.
    2. Create the two tables, the blocks and the last normalization.
    3. Add the vectors of tokens and positions, and run the blocks.
    4. Create the model around it.
    5. Turn the vectors into logits with the table of tokens.
    6. Give the arrays of a checkpoint the names of the model.
    7. Say what is missing, unexpected or of the wrong shape.
    8. Turn the matrices that Hugging Face keeps the other way round.

Run: pixi run s11
"""

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
"""Ends of the names that Hugging Face keeps as ``[in, out]``. A MAX Linear has ``[out, in]``."""

BUFFERS = (".attn.bias", ".attn.masked_bias")
"""Ends of the names that are no weights: old checkpoints keep their causal masks too."""

HEAD = "lm_head.weight"
"""Hugging Face's name for the table of tokens where it serves as output layer."""

TABLE = "transformer.wte.weight"
"""The model's name for the table of tokens."""


class CheckpointError(ValueError):
    """A checkpoint does not fit the model."""


class GPT2Model(Module):
    """GPT-2 without its output layer: from token ids to vectors.

    Attributes:
        wte: Table of token vectors, ``[vocab_size, n_embd]``.
        wpe: Table of position vectors, ``[n_positions, n_embd]``.
        h: The blocks.
        ln_f: Normalization behind the last block.
    """

    def __init__(self, config: GPT2Config) -> None:
        """Create the parts with random weights, sized by ``config``."""
        super().__init__()
        self.wte = Embedding(config.vocab_size, dim=config.n_embd)
        self.wpe = Embedding(config.n_positions, dim=config.n_embd)

        self.h = ModuleList([GPT2Block(config) for _ in range(config.n_layer)])

        self.ln_f = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)

    def __call__(self, input_ids: Tensor) -> Tensor:
        """Turn token ids into vectors that know their context.

        Args:
            input_ids: Integers ``[batch, seq]``, with seq at most ``n_positions``.

        Returns:
            Tensor ``[batch, seq, n_embd]``.
        """
        seq_len = input_ids.shape[-1]
        positions = F.range(0, seq_len, dtype=DType.int64, device=input_ids.device)  # [seq]
        hidden_states = self.wte(input_ids) + self.wpe(positions)  # [batch, seq, n_embd]

        for block in self.h:
            hidden_states = block(hidden_states)  # [batch, seq, n_embd]

        return self.ln_f(hidden_states)  # [batch, seq, n_embd]


class GPT2LMHeadModel(Module):
    """GPT-2: from token ids to a score for every possible next token.

    Attributes:
        config: The sizes.
        transformer: The model up to the last normalization.

    Source: Radford et al. 2019. The output layer is tied to the table of tokens: Press and Wolf
    2016, "Using the Output Embedding to Improve Language Models".
    """

    def __init__(self, config: GPT2Config) -> None:
        """Create the model with random weights, sized by ``config``."""
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        """The score of every token: the dot product of its vector with the model's.

        Args:
            hidden_states: ``[batch, seq, n_embd]``.

        Returns:
            The logits, ``[batch, seq, vocab_size]``.
        """
        return hidden_states @ self.transformer.wte.weight.T  # [batch, seq, vocab_size]

    def __call__(self, input_ids: Tensor) -> Tensor:
        """Score every token of the vocabulary as the next one, at every position.

        Args:
            input_ids: Integers ``[batch, seq]``, with seq at most ``n_positions``.

        Returns:
            The logits, ``[batch, seq, vocab_size]``.
        """
        return self.lm_head(self.transformer(input_ids))  # [batch, seq, vocab_size]


def convert_checkpoint(
    model: GPT2LMHeadModel, checkpoint: Arrays
) -> dict[str, npt.NDArray[np.generic]]:
    """Turn the arrays of a Hugging Face checkpoint into weights for ``model``.

    Args:
        model: The model that the weights are for.
        checkpoint: Arrays under Hugging Face's names, with or without ``transformer.`` in
            front. Causal masks, and a copy of the token table as ``lm_head.weight``, may be
            there and are left out.

    Returns:
        One array for each parameter of ``model``, with its name, shape and dtype: what
        ``model.load_state_dict`` takes.

    Raises:
        CheckpointError: (a ValueError) that names every tensor that is missing, unexpected or of
            another shape.
    """
    expected = {name: tuple(int(dim) for dim in p.shape) for name, p in model.parameters}
    weights: dict[str, npt.NDArray[np.generic]] = {}
    problems: list[str] = []

    for key, stored in checkpoint.items():
        if key.endswith(BUFFERS) or key == HEAD:
            continue
        name = key if key.startswith("transformer.") else f"transformer.{key}"

        array = stored.T if name.endswith(TRANSPOSED) else stored

        if name not in expected:
            problems.append(f"unexpected: {name}")
        elif array.shape != expected[name]:
            problems.append(f"{name} has shape {array.shape}, expected {expected[name]}")
        weights[name] = np.ascontiguousarray(array, dtype=np.float32)

    problems += [f"missing: {name}" for name in expected if name not in weights]

    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], weights.get(TABLE, [])):
        problems.append(f"{HEAD} is not the table of tokens: this model has no other head")

    if problems:
        raise CheckpointError("The checkpoint does not fit the model:\n  " + "\n  ".join(problems))
    return weights


def load_gpt2(path: str | PathLike[str]) -> GPT2LMHeadModel:
    """Read a GPT-2 from a folder with ``config.json`` and safetensors files, or from such a file.

    Raises:
        CheckpointError: where the weights do not fit the configuration.
    """
    from gpt2.checkpoint import read_checkpoint

    fields, checkpoint = read_checkpoint(path)
    model = GPT2LMHeadModel(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    return model
