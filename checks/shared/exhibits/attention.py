"""Layers whose outputs are their attention weights.

Each token's vector is a 1 at its place and 0 elsewhere, so the projections can give it any query
and key. Its value is a 1 at its place too, and the output projection changes nothing: then row i
of head h of the output holds what token i takes from each token.
"""

from __future__ import annotations

import hashlib
import math
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from checks.shared.attention import Floats, causal_mask, gpt2_attention, merge_heads
from checks.shared.exhibits import texts
from checks.shared.trials import Array
from checks.step_03 import trials
from checks.step_03.oracle import scaled_dot_product_attention
from checks.step_06 import oracle as rotary_oracles
from checks.step_08.oracle import layer_norm
from checks.step_09 import oracle as block_oracles
from checks.step_10 import oracle
from grader.protocol.probe import Call, ConfigArg, Load, Make, Probe, TensorArg
from grader.rubric import Trial
from grader.rubric.exhibit import Exhibit, View

LAYER = 3
"""Of the small GPT-2; in this one the four heads look at different things."""

TRAINED = f"Layer {LAYER} of the small GPT-2 that ships with the course gave query and key."
READING = "A row is a token that looks, a column a token that is looked at; each row sums to 1."


def dot_product(text: str | None) -> Exhibit:
    """Step 03: "She loves cats" with and without a mask; other texts by the small GPT-2."""
    labels: tuple[str, ...] = ("she", "loves", "cats")
    made = trials.example()[:2]
    about = "The untrained toy layer of the lesson."
    if text is not None and text.lower().split() != list(labels):
        seen = texts.read(text)
        labels, about = seen.labels, TRAINED
        made = seen.query[LAYER].astype(np.float32), seen.key[LAYER].astype(np.float32)
    query, key = made
    count = len(labels)
    value = np.broadcast_to(np.eye(count, dtype=np.float32), (len(query), count, count)).copy()
    mask = causal_mask(count).astype(np.float32)
    given = tuple(TensorArg(one) for one in (query, key, value))
    name = "scaled_dot_product_attention"
    calls = (
        Call("free", None, name, given),
        Call("masked", None, name, (*given, TensorArg(mask))),
    )
    q, k, v = (one.astype(np.float64) for one in (query, key, value))

    def expect(**knobs: Any) -> dict[str, Floats]:
        return {
            "free.0": scaled_dot_product_attention(q, k, v, None, **knobs)[0],
            "masked.0": scaled_dot_product_attention(q, k, v, mask.astype(float), **knobs)[0],
        }

    views = tuple(
        View(f"Head {head}, {what}", path, operator.itemgetter(head), labels, labels, head)
        for path, what in (("free.0", "no mask"), ("masked.0", "causal mask"))
        for head in range(len(query))
    )
    return Exhibit(
        "Attention weights", f"{about} {READING}", Trial(Probe("heads", calls), expect), views
    )


def gpt2(text: str | None, cls: str = "GPT2Attention") -> Exhibit:
    """Step 05: the heads of a layer."""
    seen = texts.read(text)
    query, key = seen.query[LAYER], seen.key[LAYER]
    x, fused = _inputs(query), projecting(query, key)
    width = fused.shape[1]
    weights = {
        "c_attn.weight": fused,
        "c_attn.bias": np.zeros(3 * width, np.float32),
        "c_proj.weight": np.eye(width, dtype=np.float32),
        "c_proj.bias": np.zeros(width, np.float32),
    }
    make = Make("module", cls, (ConfigArg({"n_embd": width, "n_head": len(query)}),))
    load, call = Load("loaded", "module", weights), Call("out", "module", None, (TensorArg(x),))
    trial = Trial(
        Probe("heads", (make, load, call)),
        lambda **knobs: {"out": gpt2_attention(x.astype(float), weights, len(query), **knobs)},
    )
    return _heads(query, seen.labels, trial, "out", f"{TRAINED} {READING}")


def gpt2_again(text: str | None) -> Exhibit:
    """Step 07."""
    return gpt2(text, "GPT2MultiHeadAttention")


def block(text: str | None) -> Exhibit:
    """Step 09: what the attention adds to the vectors, the feed-forward network adding nothing."""
    seen = texts.read(text)
    query, key = seen.query[LAYER], seen.key[LAYER]
    x, width = _inputs(query), query.shape[0] * query.shape[2]
    ones, zeros = np.ones(width, np.float32), np.zeros(width, np.float32)
    normed = layer_norm(x[0].astype(float), ones.astype(float), zeros.astype(float))
    weights = adding_attention(projecting(query, key, normed), width)
    config = {"n_embd": width, "n_head": len(query), "n_inner": 1}
    make = Make("module", "GPT2Block", (ConfigArg(dict(config)),))
    load, call = Load("loaded", "module", weights), Call("out", "module", None, (TensorArg(x),))
    trial = Trial(
        Probe("heads", (make, load, call)),
        lambda **knobs: {
            "out": block_oracles.block(x.astype(float), weights, len(query), 1e-5, **knobs)
        },
        slack=5.0,
    )
    about = f"What the block adds to each vector. {TRAINED} {READING}"
    return _heads(query, seen.labels, trial, "out", about, minus=x)


def adding_attention(projection: Array, width: int) -> dict[str, Any]:
    """The weights of a block that adds the attention's weights, and nothing else."""
    ones, zeros = np.ones(width, np.float32), np.zeros(width, np.float32)
    return {
        "ln_1.weight": ones,
        "ln_1.bias": zeros,
        "attn.c_attn.weight": projection,
        "attn.c_attn.bias": np.zeros(3 * width, np.float32),
        "attn.c_proj.weight": np.eye(width, dtype=np.float32),
        "attn.c_proj.bias": zeros,
        "ln_2.weight": ones,
        "ln_2.bias": zeros,
        "mlp.c_fc.weight": np.zeros((1, width), np.float32),
        "mlp.c_fc.bias": np.zeros(1, np.float32),
        "mlp.c_proj.weight": np.zeros((width, 1), np.float32),
        "mlp.c_proj.bias": zeros,
    }


def every_option(text: str | None) -> Exhibit:
    """Step 10: with no mask, which hides nothing, and with a causal one."""
    seen = texts.read(text)
    query, key = seen.query[LAYER], seen.key[LAYER]
    x, fused = _inputs(query), projecting(query, key)
    width = fused.shape[1]
    weights = {"qkv_proj.weight": fused, "out_proj.weight": np.eye(width, dtype=np.float32)}
    mask = causal_mask(len(seen.labels)).astype(np.float32)
    layer = oracle.Layer(weights, len(query))
    make = Make("module", "MultiHeadAttention", (width, len(query)), {"bias": False})
    given = TensorArg(x)
    calls = (
        Call("free", "module", None, (given,)),
        Call("masked", "module", None, (given,), {"attention_mask": TensorArg(mask)}),
    )

    def expect(**knobs: Any) -> dict[str, Floats]:
        attend, exact = oracle.multi_head_attention, x.astype(float)
        return {
            "free.0": attend(layer, exact, **knobs)[0],
            "masked.0": attend(layer, exact, attention_mask=mask.astype(float), **knobs)[0],
        }

    trial = Trial(Probe("heads", (make, Load("loaded", "module", dict(weights)), *calls)), expect)
    about = f"{TRAINED} {READING}"
    free, masked = (
        _heads(query, seen.labels, trial, f"{name}.0", about, names=_named(len(query), what))
        for name, what in (("free", "no mask"), ("masked", "causal mask"))
    )
    return replace(free, views=free.views + masked.views)


def _named(count: int, what: str) -> tuple[str, ...]:
    return tuple(f"Head {head}, {what}" for head in range(count))


SAME = "the the the the the the the the the the the the"
THETA, WIDTH, ENERGY = 10_000.0, 32, 16.0
BANDS = (
    ("fast pairs 0 and 1", slice(0, 2)),
    ("pairs 2 to 4", slice(2, 5)),
    ("slow pairs 5 to 8", slice(5, 9)),
    ("all pairs", slice(0, 16)),
)
"""The pairs of features that query and key use, head by head."""


def rotary(text: str | None) -> Exhibit:
    """Step 06: query and key of a word are equal, so only the rotation tells places apart."""
    labels = texts.words(text, SAME)
    query = np.stack([[_vector(word, band) for word in labels] for _, band in BANDS])
    x, fused = _inputs(query)[0], projecting(query, query)
    width = len(BANDS) * WIDTH
    given = dict(zip("qkv", np.split(fused, 3), strict=True)) | {"o": np.eye(width, dtype="f4")}
    places = np.arange(len(labels))
    make = Make("module", "MultiHeadSelfAttentionRoPE", (width, len(BANDS), 64, THETA))
    tensors = (*(np.ascontiguousarray(given[name]) for name in "qkvo"), x, places)
    call = Call("out", "module", None, tuple(TensorArg(one) for one in tensors))

    def expect(**knobs: Any) -> dict[str, Floats]:
        exact = x.astype(float)
        return {
            "out": rotary_oracles.attention_rope(given, exact, places, len(BANDS), THETA, **knobs)
        }

    about = (
        "Query and key are the same for the same word, so only the distance decides how much it "
        f"is looked at. Each head uses other pairs of features. {READING}"
    )
    names = tuple(f"Head {head}: {name}" for head, (name, _) in enumerate(BANDS))
    trial = Trial(Probe("heads", (make, call)), expect, slack=5.0)
    return _heads(query, labels, trial, "out", about, names=names, batch=False)


def _vector(word: str, band: slice) -> Floats:
    """A point on a circle for each pair of features in ``band``, at angles that the word gives."""
    angles = [byte * math.tau / 256 for byte in hashlib.sha256(word.encode()).digest()[:16]]
    pairs = np.zeros((16, 2))
    pairs[band, 0] = np.cos(angles)[band]
    pairs[band, 1] = np.sin(angles)[band]
    count = band.stop - band.start
    return np.asarray(pairs.reshape(-1) * math.sqrt(ENERGY / count))


def _inputs(query: Floats) -> Array:
    """Vectors that say only where a token stands: ``[1, seq, n_embd]``."""
    n_head, seq, head_dim = query.shape
    return np.eye(seq, n_head * head_dim, dtype=np.float32)[None]


def projecting(query: Floats, key: Floats, seen: Floats | None = None) -> Array:
    """The projection that gives the tokens these queries and keys, and their place as value.

    ``query`` and ``key`` are ``[n_head, seq, head_dim]``; ``seen`` ``[seq, n_embd]`` is what the
    projection sees of the inputs, where it is not the inputs themselves.
    """
    n_head, seq, head_dim = query.shape
    place = np.broadcast_to(np.eye(seq, head_dim), query.shape)
    wanted = np.concatenate([merge_heads(one) for one in (query, key, place)], axis=-1)
    inverse = np.eye(n_head * head_dim, seq) if seen is None else np.linalg.pinv(seen)
    return np.ascontiguousarray((inverse @ wanted).T, np.float32)  # [3 * n_embd, n_embd]


def _heads(
    query: Floats,
    labels: tuple[str, ...],
    trial: Trial,
    path: str,
    about: str,
    *,
    names: tuple[str, ...] | None = None,
    minus: Array | None = None,
    batch: bool = True,
) -> Exhibit:
    """One view for each head of an output ``[1, seq, n_embd]``, or ``[seq, n_embd]``."""
    n_head, seq, head_dim = query.shape

    def pick(head: int) -> Callable[[Any], Any]:
        start = head * head_dim

        def cut(output: Any) -> Any:
            rows = output - minus if minus is not None else output
            return (rows[0] if batch else rows)[:, start : start + seq]

        return cut

    views = tuple(
        View(names[head] if names else f"Head {head}", path, pick(head), labels, labels, head)
        for head in range(n_head)
    )
    return Exhibit("Attention weights", about, trial, views)
