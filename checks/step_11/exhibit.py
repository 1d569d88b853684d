"""The heads of the small GPT-2, and what it expects after each token."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from checks.shared import texts
from checks.shared.attention import Floats, softmax
from checks.shared.gpt2 import gpt2_logits
from checks.shared.heads import adding_attention, projecting
from checks.shared.layer_norm import layer_norm
from grader.rubric import (
    Action,
    Call,
    ConfigArg,
    Exhibit,
    LessonFigure,
    Load,
    Make,
    Probe,
    TensorArg,
    Trial,
    View,
)

GUESSES = 8
"""So many next tokens are drawn: those that are likeliest somewhere in the text."""


def exhibit(text: str | None, cls: str = "GPT2LMHeadModel", path: str = "{}") -> Exhibit:
    """What is expected next, and all heads of all layers.

    A model returns logits and no weights. So each layer's heads are drawn by a model of one block,
    which is given the queries and keys of that layer (``_one_block``). ``path`` is where a call's
    logits are in its result.
    """
    seen = texts.read(text)
    given = {"out": (_fields(seen.config), np.array([seen.ids]), seen.model)}
    for layer, (query, key) in enumerate(zip(seen.query, seen.key, strict=True)):
        given[f"layer{layer}"] = _one_block(query, key)
    actions = tuple(
        action for name, one in given.items() for action in _run(name, cls, path != "{}", *one)
    )

    def expect(**knobs: Any) -> dict[str, Floats]:
        return {
            path.format(name): gpt2_logits(ids, weights, fields, **knobs)
            for name, (fields, ids, weights) in given.items()
        }

    trial = Trial(Probe("model", actions), expect, slack=20.0)
    about = (
        "The small GPT-2 that ships with the course reads the text. The first picture has its "
        "likeliest next tokens as columns. In the others a row is a query, a column a "
        "key; a model of one block was given that layer's queries and keys."
    )
    return Exhibit("Attention weights of GPT-2", about, trial, _views(seen, path))


def _views(seen: texts.Read, path: str) -> tuple[View, ...]:
    """The likeliest next tokens, then the heads of each layer."""
    best = _likeliest(seen.logits())
    names = tuple(texts.label(seen.tokenizer.decode([index])) for index in best)
    out = path.format("out")

    def likeliest(logits: Any) -> Any:
        return softmax(logits[0].astype(float))[:, best]

    guesses = View("Next token", out, likeliest, seen.labels, names)
    heads = tuple(
        View(
            f"Layer {layer}, head {head}",
            path.format(f"layer{layer}"),
            _cut(head, *query.shape),
            seen.labels,
            seen.labels,
            head,
            layer,
        )
        for layer, query in enumerate(seen.query)
        for head in range(len(query))
    )
    return (guesses, *heads)


def _fields(config: Mapping[str, Any]) -> dict[str, Any]:
    names = ("vocab_size", "n_positions", "n_embd", "n_layer", "n_head", "layer_norm_epsilon")
    return {name: config[name] for name in names}


def _run(
    name: str, cls: str, decode: bool, fields: dict[str, Any], ids: Any, weights: Mapping[str, Any]
) -> tuple[Action, ...]:
    """Make a model, load its weights and read ``ids``; the result is called ``name``."""
    arrays = {key: array.astype(np.float32) for key, array in weights.items()}
    return (
        Make(f"module-{name}", cls, (ConfigArg(fields),)),
        Load(f"loaded-{name}", f"module-{name}", arrays),
        Call(name, f"module-{name}", "decode" if decode else None, (TensorArg(ids),)),
    )


def _wide(seq: int, head_dim: int) -> int:
    """The width of a head with room for every place, and for two features that never change."""
    return max(head_dim, seq + 2)


def _one_block(query: Floats, key: Floats) -> tuple[dict[str, Any], Any, Mapping[str, Any]]:
    """A model of one block whose logits tell the weights of these queries and keys.

    The table of tokens is the identity: so the logits are the normalized vectors themselves, and
    token i has a 1 at place i. The attention adds its weights (``attention.projecting``), the
    feed-forward network nothing. Position vectors put a 1 at the last feature of the first head,
    and nothing ever changes it or the one before, a 0: from these two ``_cut`` sees what the last
    normalization did.
    """
    n_head, seq, head_dim = query.shape
    wide = _wide(seq, head_dim)
    padded = np.zeros((2, n_head, seq, wide))
    padded[..., :head_dim] = query * np.sqrt(wide / head_dim), key
    width = n_head * wide
    positions = np.zeros((seq, width))
    positions[:, wide - 1] = 1.0
    ones, zeros = np.ones(width), np.zeros(width)
    normed = layer_norm(np.eye(seq, width) + positions, ones, zeros)
    weights: dict[str, Any] = {
        f"transformer.h.0.{name}": array
        for name, array in adding_attention(projecting(padded[0], padded[1], normed), width).items()
    }
    weights |= {
        "transformer.wte.weight": np.eye(width),
        "transformer.wpe.weight": positions,
        "transformer.ln_f.weight": ones,
        "transformer.ln_f.bias": zeros,
    }
    fields = {"vocab_size": width, "n_positions": seq, "n_embd": width, "n_head": n_head}
    fields |= {"n_layer": 1, "n_inner": 1, "layer_norm_epsilon": 1e-5}
    return fields, np.arange(seq)[None], weights


def _cut(head: int, n_head: int, seq: int, head_dim: int) -> Callable[[Any], Any]:
    """The weights of ``head`` from the logits of ``_one_block``."""
    wide = _wide(seq, head_dim)

    def cut(logits: Any) -> Any:
        rows = logits[0].astype(float)
        none, one = rows[:, wide - 2, None], rows[:, wide - 1, None]
        seen = (rows - none) / np.where(np.abs(one - none) > 1e-6, one - none, 1.0)
        added = seen - np.eye(seq, n_head * wide)
        return np.round(added[:, head * wide : head * wide + seq], 5) + 0.0  # float32: 0 is 0

    return cut


def _likeliest(logits: Floats) -> list[int]:
    """Tokens in the order of their largest probability after any token of the text."""
    order = np.argsort(-np.round(softmax(logits).max(axis=0), 9), kind="stable")
    return [int(index) for index in order[:GUESSES]]


FIGURES = (
    LessonFigure(
        "heads",
        "All twenty heads of the small GPT-2, a row for each of the five layers. In the first "
        "layers most heads spread evenly. Further up some have a dark first column, some a "
        "dark diagonal, some a dark line beside the diagonal.",
        "show s11",
        views=tuple(range(1, 21)),
        small=True,
    ),
)
