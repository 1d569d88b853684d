"""Step 11: the whole model, and the weights of a real GPT-2.

Twelve blocks make GPT-2. Before them, two tables turn token ids and positions into vectors. After
them come one more normalization and the first table again, which turns a vector into a score for
every token of the vocabulary. The names are Hugging Face's, so the weights of a published GPT-2
fit once four kinds of matrices are transposed.

Tasks:
    1. Import functional as F, Embedding, Module, ModuleList and Tensor.
    2. Create the two tables, the blocks and the last normalization.
    3. Add the vectors of tokens and positions, and run the blocks.
    4. Create the model around it.
    5. Turn the vectors into logits with the table of tokens.
    6. Give the arrays of a checkpoint the names of the model.
    7. Transpose the matrices that Hugging Face keeps the other way round.
    8. Say what is missing, unexpected or of the wrong shape.

Run: ./pixiw run s11
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

import numpy as np
import numpy.typing as npt
from max.dtype import DType

# >>> blank: imports
# TODO: Import functional (as F), Embedding, Module, ModuleList and Tensor.
# Hint: from max.experimental import functional as F
# Hint: Embedding, Module and ModuleList live in max.experimental.nn.
# Hint: Tensor lives in max.experimental.tensor.
# stub:
from max.experimental import functional as F
from max.experimental.nn import Embedding, Module, ModuleList
from max.experimental.tensor import Tensor

# <<< blank
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
    """GPT-2 without its output layer: from token ids to vectors.

    Attributes:
        wte: Table of token vectors, ``[vocab_size, n_embd]``.
        wpe: Table of position vectors, ``[n_positions, n_embd]``.
        h: The blocks.
        ln_f: Normalization after the last block.
    """

    def __init__(self, config: GPT2Config) -> None:
        """Create the parts with random weights, sized by ``config``."""
        super().__init__()
        # >>> blank: tables
        # TODO: Create the table of tokens and the table of positions.
        # Hint: Embedding(number_of_rows, dim=width)
        # stub: self.wte = None
        # stub: self.wpe = None
        self.wte = Embedding(config.vocab_size, dim=config.n_embd)
        self.wpe = Embedding(config.n_positions, dim=config.n_embd)
        # <<< blank

        # >>> blank: blocks
        # TODO: Create config.n_layer blocks.
        # Hint: ModuleList takes a list. Each entry must be a block of its own.
        # stub: self.h = None
        self.h = ModuleList([GPT2Block(config) for _ in range(config.n_layer)])
        # <<< blank

        # >>> blank: ln-f
        # TODO: Create the last normalization.
        # stub: self.ln_f = None
        self.ln_f = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)
        # <<< blank

    def __call__(self, input_ids: Tensor) -> Tensor:
        """Turn token ids into vectors that know their context.

        Args:
            input_ids: Integers ``[batch, seq]``, with seq at most ``n_positions``.

        Returns:
            Tensor ``[batch, seq, n_embd]``.
        """
        # >>> blank: embed
        # TODO: Add the vector of every token and the vector of its position.
        # Hint: Positions are 0, 1, …: F.range(0, seq, dtype=DType.int64, device=...)
        # Hint: A table is called with ids: self.wte(input_ids)
        # stub: hidden_states = None
        seq_len = input_ids.shape[-1]
        positions = F.range(0, seq_len, dtype=DType.int64, device=input_ids.device)  # [seq]
        hidden_states = self.wte(input_ids) + self.wpe(positions)  # [batch, seq, n_embd]
        # <<< blank

        # >>> blank: call-blocks
        # TODO: Send the vectors through the blocks, one after another.
        # stub: hidden_states = None
        for block in self.h:
            hidden_states = block(hidden_states)  # [batch, seq, n_embd]
        # <<< blank

        # >>> blank: call-ln-f
        # TODO: Normalize once more, and return the result.
        # stub: return None
        return self.ln_f(hidden_states)  # [batch, seq, n_embd]
        # <<< blank


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
        # >>> blank: transformer
        # TODO: Create the model up to the last normalization.
        # stub: self.transformer = None
        self.transformer = GPT2Model(config)
        # <<< blank

    def lm_head(self, hidden_states: Tensor) -> Tensor:
        """The score of every token: how well its row in the table fits the model's vector.

        Args:
            hidden_states: ``[batch, seq, n_embd]``.

        Returns:
            The logits, ``[batch, seq, vocab_size]``.
        """
        # >>> blank: tied-head
        # TODO: Multiply by the table of tokens.
        # Hint: The table is self.transformer.wte.weight, [vocab_size, n_embd].
        # Hint: There is no other weight and no bias: the head is tied to the table.
        # stub: return None
        return hidden_states @ self.transformer.wte.weight.T  # [batch, seq, vocab_size]
        # <<< blank

    def __call__(self, input_ids: Tensor) -> Tensor:
        """Score every token of the vocabulary as the next one, at every position.

        Args:
            input_ids: Integers ``[batch, seq]``, with seq at most ``n_positions``.

        Returns:
            The logits, ``[batch, seq, vocab_size]``.
        """
        # >>> blank: logits
        # TODO: From ids to vectors, from vectors to logits.
        # stub: return None
        return self.lm_head(self.transformer(input_ids))  # [batch, seq, vocab_size]
        # <<< blank


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
        CheckpointError: a ValueError that names every tensor that is missing, unexpected or of
            the wrong shape, and no others. A ``lm_head.weight`` that is no copy is unexpected.
    """
    expected = {name: tuple(int(dim) for dim in p.shape) for name, p in model.parameters}
    weights: dict[str, npt.NDArray[np.generic]] = {}
    problems: list[str] = []

    for key, stored in checkpoint.items():
        if key.endswith(BUFFERS) or key == HEAD:
            continue
        # >>> blank: prefix
        # TODO: Find the model's name for this array: transformer. in front, unless it is there.
        # Hint: f"transformer.{key}"
        # stub: name = None
        name = key if key.startswith("transformer.") else f"transformer.{key}"
        # <<< blank

        # >>> blank: transpose
        # TODO: Transpose the array if it is one of those that Hugging Face keeps as [in, out].
        # Hint: name.endswith(TRANSPOSED) takes all four ends at once. stored.T is the transpose.
        # stub: array = None
        array = stored.T if name.endswith(TRANSPOSED) else stored
        # <<< blank

        # >>> blank: compare
        # TODO: Note a problem if no parameter has this name, or if its shape differs.
        # Hint: problems.append(f"unexpected: {name}")
        # Hint: For a shape, name both: the actual one and the expected one.
        # stub: pass
        if name not in expected:
            problems.append(f"unexpected: {name}")
        elif array.shape != expected[name]:
            problems.append(f"{name} has shape {array.shape}, expected {expected[name]}")
        # <<< blank
        weights[name] = np.ascontiguousarray(array, dtype=np.float32)

    # >>> blank: missing
    # TODO: Note a problem for every parameter that got no array.
    # stub: pass
    problems += [f"missing: {name}" for name in expected if name not in weights]
    # <<< blank

    if HEAD in checkpoint and not np.array_equal(checkpoint[HEAD], weights.get(TABLE, [])):
        problems.append(f"{HEAD} is not the table of tokens: this model has no other head")

    # >>> blank: refuse
    # TODO: If there are problems, raise a CheckpointError that names them all.
    # stub: pass
    if problems:
        raise CheckpointError("The checkpoint does not fit the model:\n  " + "\n  ".join(problems))
    # <<< blank
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
