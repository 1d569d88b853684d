"""The small GPT-2 of the course in NumPy, with parts that can be switched off.

It computes a text piece by piece: with a cache one token at a time, without one all at once. The
weights are float64, so that both ways differ only in the last digits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from checks.shared.attention import Floats, linear, merge_heads, softmax, split_heads
from checks.shared.block import mlp, part
from checks.shared.layer_norm import layer_norm
from checks.step_06.oracle import rotate
from gpt2.checkpoint import read_checkpoint
from gpt2.tokenizer import Tokenizer

FOLDER = Path(__file__).resolve().parent.parent / "gpt2" / "tiny"
TURNED = ("c_attn.weight", "c_proj.weight", "c_fc.weight")
"""Ends of the names of matrices that Hugging Face keeps as ``[in, out]``."""

THETA = 10_000.0


@dataclass(frozen=True)
class Switches:
    """What is on. The defaults are GPT-2 as it was trained.

    ``positions`` is the table of learned positions, ``rotation`` turns queries and keys as step 06
    does, ``cache`` reads the text token by token and keeps keys and values.
    """

    mask: bool = True
    scale: bool = True
    positions: bool = True
    rotation: bool = False
    cache: bool = False


@dataclass
class Reading:
    """A text as the model reads it.

    ``scores``, before scale and mask, and ``weights`` are ``[n_layer, n_head, seq, seq]``. Where
    a token was not there yet, both are 0. ``logits`` is ``[seq, vocab_size]``. ``stream``,
    ``[2 * n_layer + 1, seq, n_embd]``, is the residual stream at first and after each addition.
    """

    scores: Floats
    weights: Floats
    logits: Floats
    stream: Floats
    head_dim: int


@dataclass
class Kept:
    """Keys and values of one layer so far, each ``[n_head, seq, head_dim]``.

    ``scores`` and ``rows``, the weights, are ``[n_head, piece, seq]`` for each piece of the text.
    """

    key: Floats
    value: Floats
    scores: list[Floats] = field(default_factory=list)
    rows: list[Floats] = field(default_factory=list)


def read(ids: list[int], switches: Switches) -> Reading:
    """Compute the model on the tokens ``ids``, at least one."""
    config, _ = small()
    size, heads = len(ids), config["n_head"]
    none = np.zeros((heads, 0, config["n_embd"] // heads))
    kept = [Kept(none, none) for _ in range(config["n_layer"])]
    pieces = [[index] for index in ids] if switches.cache else [ids]
    streams: list[Floats] = []
    for piece in pieces:
        before = sum(one.shape[1] for one in streams)
        streams.append(_piece(piece, before, kept, switches))
    stream = np.concatenate(streams, axis=1)
    scores, weights = (
        np.stack([_together(getattr(layer, name), size) for layer in kept])
        for name in ("scores", "rows")
    )
    return Reading(scores, weights, _logits(stream[-1]), stream, none.shape[-1])


def _piece(ids: list[int], before: int, kept: list[Kept], switches: Switches) -> Floats:
    """The residual stream of tokens that follow ``before`` earlier ones."""
    config, model = small()
    eps = config["layer_norm_epsilon"]
    places = np.arange(before, before + len(ids))
    x = model["transformer.wte.weight"][ids]  # [seq, n_embd]
    if switches.positions:
        x = x + model["transformer.wpe.weight"][places]
    stream = [x]
    for layer, w in zip(kept, _layers(), strict=True):
        normed = layer_norm(x, w["ln_1.weight"], w["ln_1.bias"], eps)
        x = x + _attention(normed, w, places, layer, switches)
        stream.append(x)
        normed = layer_norm(x, w["ln_2.weight"], w["ln_2.bias"], eps)
        x = x + mlp(normed, w)
        stream.append(x)
    return np.stack(stream)


def _logits(x: Floats) -> Floats:
    """What the end of the stream ``[seq, n_embd]`` says of the next token."""
    config, model = small()
    weight, bias = (model[f"transformer.ln_f.{name}"] for name in ("weight", "bias"))
    last = layer_norm(x, weight, bias, config["layer_norm_epsilon"])
    return np.asarray(last @ model["transformer.wte.weight"].T)


def _attention(
    x: Floats, w: dict[str, Floats], places: Any, kept: Kept, switches: Switches
) -> Floats:
    """One layer's attention of ``[seq, n_embd]`` to itself and to what was ``kept``."""
    config, _ = small()
    fused = linear(x, w["attn.c_attn.weight"], w["attn.c_attn.bias"])
    heads = (split_heads(one, config["n_head"]) for one in np.split(fused, 3, axis=-1))
    query, key, value = heads  # each [n_head, seq, head_dim]
    if switches.rotation:
        query, key = rotate(query, places, THETA), rotate(key, places, THETA)
    kept.key = np.concatenate([kept.key, key], axis=-2)
    kept.value = np.concatenate([kept.value, value], axis=-2)
    scores = query @ kept.key.swapaxes(-1, -2)  # [n_head, seq, before + seq]
    kept.scores.append(scores)
    if switches.scale:
        scores = scores / np.sqrt(query.shape[-1])
    if switches.mask:
        later = np.arange(kept.key.shape[-2]) > places[:, None]  # [seq, before + seq]
        scores = np.where(later, -np.inf, scores)
    weights = softmax(scores)
    kept.rows.append(weights)
    merged = merge_heads(weights @ kept.value)
    return linear(merged, w["attn.c_proj.weight"], w["attn.c_proj.bias"])


def _together(pieces: list[Floats], size: int) -> Floats:
    """The rows of all pieces, with a 0 for each token that came later: ``[n_head, seq, size]``."""
    wide = [np.pad(one, ((0, 0), (0, 0), (0, size - one.shape[-1]))) for one in pieces]
    return np.concatenate(wide, axis=-2)


@cache
def small() -> tuple[dict[str, Any], dict[str, Floats]]:
    """Configuration and weights, Linear weights as ``[out, in]``."""
    config, arrays = read_checkpoint(FOLDER)
    return config, {
        name: np.asarray(array.T if name.endswith(TURNED) else array, np.float64)
        for name, array in arrays.items()
    }


@cache
def _layers() -> list[dict[str, Floats]]:
    """The weights of each block by their names in it, those of ``mlp`` without that word."""
    config, model = small()
    names = (f"transformer.h.{index}." for index in range(config["n_layer"]))
    return [{**(w := part(model, name)), **part(w, "mlp.")} for name in names]


@cache
def tokenizer() -> Tokenizer:
    """The small GPT-2's tokenizer."""
    return Tokenizer.from_folder(FOLDER)
