"""The heads of the small GPT-2, and what it expects after each token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from checks.exhibits import texts
from checks.oracles.attention import Floats, softmax
from grader.exhibit import Exhibit, View
from grader.probe import Call, ConfigArg, Load, Make, Probe, TensorArg
from grader.rubric import Trial

GUESSES = 8
"""So many next tokens are drawn: those that are likeliest somewhere in the text."""


def whole(text: str | None, cls: str = "GPT2LMHeadModel") -> Exhibit:
    """Step 11: what is expected next, and all heads of all layers."""
    seen = texts.read(text)
    logits, weights = seen.logits(), seen.weights
    best = _likeliest(logits)
    names = tuple(texts.label(seen.tokenizer.decode([index])) for index in best)
    model = {name: array.astype(np.float32) for name, array in seen.model.items()}
    fields = {name: seen.config[name] for name in _FIELDS}
    actions = (
        Make("module", cls, (ConfigArg(fields),)),
        Load("loaded", "module", dict(model)),
        Call("out", "module", None, (TensorArg(np.array([seen.ids])),)),
    )

    def expect(**_knobs: Any) -> dict[str, Floats]:
        return {"out": logits[None], "ideal": weights}

    about = (
        "The small GPT-2 that ships with the course reads the text. The first picture has its "
        "likeliest next tokens as columns. In the others a row is a token that looks, a column "
        "one that is looked at."
    )
    guesses = View(
        "Next token", "out", lambda a: softmax(a[0].astype(float))[:, best], seen.labels, names
    )
    heads = tuple(
        View(
            f"Layer {layer}, head {head}",
            "ideal",
            _cut(layer, head),
            seen.labels,
            seen.labels,
            head,
            layer,
        )
        for layer in range(len(weights))
        for head in range(weights.shape[1])
    )
    return Exhibit(
        "Attention weights of GPT-2",
        about,
        Trial(Probe("model", actions), expect, slack=20.0),
        (guesses, *heads),
    )


_FIELDS = ("vocab_size", "n_positions", "n_embd", "n_layer", "n_head", "layer_norm_epsilon")


def with_cache(text: str | None) -> Exhibit:
    """Step 12."""
    return whole(text, "GPT2WithCache")


def _likeliest(logits: Floats) -> list[int]:
    """Tokens in the order of their largest probability after any token of the text."""
    order = np.argsort(-np.round(softmax(logits).max(axis=0), 9), kind="stable")
    return [int(index) for index in order[:GUESSES]]


def _cut(layer: int, head: int) -> Callable[[Any], Any]:
    return lambda weights: weights[layer, head]
