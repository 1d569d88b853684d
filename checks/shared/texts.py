"""Texts, and how the course's small GPT-2 processes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from checks.shared.attention import Floats, attention_weights, linear, split_heads
from checks.shared.block import block, part
from checks.shared.gpt2 import gpt2_logits
from checks.shared.layer_norm import layer_norm
from gpt2.checkpoint import read_checkpoint
from gpt2.tokenizer import Tokenizer
from grader.rubric import NoExhibit

SMALL = Path(__file__).resolve().parents[2] / "gpt2" / "tiny"
SENTENCE = "she loves cats and dogs"
USUAL = "She was happy and he was not, and she knew it"
BLANK = "·"
"""Represents the space at the beginning of a token."""

TURNED = ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")
"""Endings of the names of weights that Hugging Face stores as ``[in, out]``."""


@dataclass(frozen=True)
class Read:
    """A text as the small GPT-2 processes it.

    ``query`` and ``key`` hold one array ``[n_head, seq, head_dim]`` for each layer, ``weights``
    the attention weights ``[n_layer, n_head, seq, seq]``. ``model`` holds the model's arrays by
    Hugging Face's names, Linear weights as ``[out, in]``.
    """

    labels: tuple[str, ...]
    ids: tuple[int, ...]
    query: tuple[Floats, ...]
    key: tuple[Floats, ...]
    config: Mapping[str, Any]
    model: Mapping[str, Floats]
    tokenizer: Tokenizer

    @property
    def weights(self) -> Floats:
        """The attention weights of all layers and heads."""
        pairs = zip(self.query, self.key, strict=True)
        return np.stack([attention_weights(query, key) for query, key in pairs])

    def logits(self) -> Floats:
        """Return the model's prediction after each token: ``[seq, vocab_size]``."""
        return np.asarray(gpt2_logits(np.array([self.ids]), self.model, self.config)[0])


def read(text: str | None, most: int = 32) -> Read:
    """Process a text of at most ``most`` tokens with the small GPT-2.

    Raises:
        NoExhibit: the text is empty or longer.
    """
    config, model = _small()
    tokenizer = Tokenizer.from_folder(SMALL)
    ids = tokenizer.encode((USUAL if text is None else text).strip())
    _counted(len(ids), "tokens", most)
    layers = _layers(ids, config, model)
    queries, keys = zip(*layers, strict=True)
    labels = tuple(label(tokenizer.decode([index])) for index in ids)
    return Read(labels, tuple(ids), queries, keys, config, model, tokenizer)


def words(text: str | None, usual: str, most: int = 32) -> tuple[str, ...]:
    """Split a text into words.

    Raises:
        NoExhibit: there are none, or more than ``most``.
    """
    found = (usual if text is None else text).split()
    _counted(len(found), "words", most)
    return tuple(label(word) for word in found)


def label(token: str) -> str:
    """Return a token as a heatmap's label: visible, and on one line."""
    shown = BLANK + token[1:] if token.startswith(" ") and len(token) > 1 else token
    return "".join(c if c.isprintable() else "\ufffd" for c in shown.replace("\n", "↵"))


def _counted(count: int, what: str, most: int) -> None:
    if not count:
        raise NoExhibit('The text is empty. Give some words: --text "she loves cats"')
    if count > most:
        raise NoExhibit(f"The text has {count} {what}; at most {most} can be drawn. Shorten it.")


@lru_cache(maxsize=1)
def _small() -> tuple[Mapping[str, Any], Mapping[str, Floats]]:
    """Return configuration and weights of the small GPT-2, as float64."""
    config, arrays = read_checkpoint(SMALL)
    return config, {
        name: np.asarray(array.T if name.endswith(TURNED) else array, np.float64)
        for name, array in arrays.items()
    }


def _layers(
    ids: list[int], config: Mapping[str, Any], model: Mapping[str, Floats]
) -> list[tuple[Floats, Floats]]:
    """Compute query and key of every layer, each ``[n_head, seq, head_dim]``."""
    n_head, eps = config["n_head"], config["layer_norm_epsilon"]
    table, places = model["transformer.wte.weight"], model["transformer.wpe.weight"]
    x = table[ids] + places[: len(ids)]  # [seq, n_embd]
    found = []
    for index in range(config["n_layer"]):
        layer = part(model, f"transformer.h.{index}.")
        normed = layer_norm(x, layer["ln_1.weight"], layer["ln_1.bias"], eps)
        fused = linear(normed, layer["attn.c_attn.weight"], layer["attn.c_attn.bias"])
        query, key, _ = (split_heads(one, n_head) for one in np.split(fused, 3, axis=-1))
        found.append((query, key))
        x = block(x[None], layer, n_head, eps)[0]
    return found
