"""Trials of ``MultiHeadAttention`` with several options at once, as a covering design."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from checks.shared.random_inputs import Array, Rng, long, normal
from checks.step_10.calls import Options, Step, layer_trial, layer_weights
from grader.rubric import Trial, in_turn

CASES = (
    # num_heads, head_dim, batch, tokens before, new tokens; what is asked for
    ((1, 4, 4, 1, 3), "bias rotary scale kept projected"),
    ((2, 2, 2, 1, 1), "bias dropout"),
    ((2, 2, 3, 3, 2), "bias zero scale kept projected"),
    ((2, 2, 4, 4, 4), "mask rotary projected"),
    ((1, 4, 6, 1, 4), "rotary dropout kept"),
    ((2, 1, 2, 1, 2), "zero dropout projected"),
    ((1, 2, 2, 2, 3), "zero rotary scale dropout"),
    ((4, 1, 4, 2, 4), "mask bias scale dropout kept"),
    ((4, 1, 1, 2, 2), "bias zero scale kept projected"),
    ((3, 1, 1, 2, 1), "mask"),
    ((3, 4, 4, 3, 1), "mask zero projected"),
    ((1, 4, 1, 4, 1), "bias zero rotary kept projected"),
    ((2, 2, 2, 1, 1), "mask zero rotary scale dropout kept"),
    ((1, 2, 1, 2, 4), "mask scale projected"),
    ((1, 2, 2, 2, 4), "mask bias dropout kept"),
    ((2, 2, 1, 2, 2), "mask bias zero rotary scale dropout"),
)
"""Layers in which every two options are on and off together, and every three of mask, bias, zero,
rotary and scale. Every two lengths are equal in some, and unequal in others; each is 1 in some: of
what two options do under one of these conditions the table has 87 %. Searched for by annealing.

Mask and bias are those of the call that has a cache; the call before it has a bias where this one
has a mask, and a mask where this one has a bias. A case that is not ``projected`` has projections
without bias.
"""

ONE_WIDE = 1
"""A head of one number has no other scale than 1, and cannot be rotated."""

SCALES = (1.0, 4, -0.4)
"""Those that are given, in turn. A whole number is a number too, and 1 is that of T5."""


def draw(rng: Rng) -> list[Trial]:
    """Layers with these options, two in turn."""
    layers = [_layer(rng, index, *case) for index, case in enumerate(CASES)]
    pairs = [layers[index : index + 2] for index in range(0, len(layers), 2)]
    return [
        *(
            in_turn(f"together-{index}", dict(zip("ab", pair, strict=False)))
            for index, pair in enumerate(pairs, start=1)
        ),
        _long(rng),
    ]


def _long(rng: Rng) -> Trial:
    """A long text with every option but the rotation, which has one of its own."""
    given = {"bias": False, "add_zero_attn": True, "attention_scale": 0.3, "dropout": 0.0}
    options = Options(given)
    seq = long(rng)
    mask = np.where(rng.random(seq) < 0.3, np.float32(-np.inf), np.float32(0.5))
    bias = normal(rng, 1, seq, seq, scale=1.5)
    steps = [
        Step("text", normal(rng, 1, seq, 3), mask, bias, use_cache=True),
        Step("new", normal(rng, 1, 1, 3), after="text"),
    ]
    return layer_trial("together-long", 1, 3, options, steps, layer_weights(rng, 3, bias=False))


def _layer(rng: Rng, index: int, shape: tuple[int, ...], asked: str) -> Trial:
    """A text, what follows it with the cache, and another text of the first one's shape.

    Without biases of its projections it has a position bias in each call: one that is lost with
    the others is then lost with every shape, cache and mask.
    In every fourth layer arguments are given by their place. Half have a dropout of 0, which is
    usual where nothing is trained; other trials leave it out.
    """
    heads, dim, batch, before, new = shape
    on = asked.split()
    scales = SCALES[1:] if dim == ONE_WIDE else SCALES  # 1 is its own scale

    def step(name: str, seq: int, past: int, *, mask: bool, bias: bool, **more: Any) -> Step:
        size, form = (batch, heads, seq, past + seq), index + (past > 0)
        bias = bias or "projected" not in on
        hidden = _mask(rng, form, size, hides="zero" in on) if mask else None
        added = normal(rng, *_biased(form, size), scale=1.5) if bias else None
        return Step(name, normal(rng, batch, seq, heads * dim), hidden, added, **more)

    mask, bias = "mask" in on, "bias" in on
    steps = [
        step("text", before, 0, mask=bias, bias=mask, use_cache=True),
        step("new", new, before, mask=mask, bias=bias, after="text", use_cache="kept" in on),
        step("other", before, 0, mask=mask, bias=bias, use_cache=True),
    ]
    weights = layer_weights(rng, heads * dim, bias="projected" in on)
    steps = steps if "kept" in on else steps[:2]
    options, by_place = _options(on, scales[index % len(scales)]), index % 4 == 1
    return layer_trial(
        "layer", heads, dim, options, steps, weights, cache_seen=True, by_place=by_place
    )


def _options(on: Collection[str], scale: float) -> Options:
    """What the constructor is given for what is asked for."""
    return Options(
        {
            **({} if "projected" in on else {"bias": False}),
            **({"add_zero_attn": True} if "zero" in on else {}),
            **({"use_rotary": True} if "rotary" in on else {}),
            **({"attention_scale": scale} if "scale" in on else {}),
            "dropout": 0.7 if "dropout" in on else 0.0,
        }
    )


def _biased(form: int, size: tuple[int, int, int, int]) -> tuple[int, ...]:
    """One of the shapes of a position bias that broadcast."""
    return (size[-3:], size, size[-2:], (1, *size[-3:]))[form % 4]


def _mask(rng: Rng, form: int, size: tuple[int, int, int, int], *, hides: bool) -> Array:
    """A mask of one of the shapes that broadcast, with finite numbers where it does not hide.

    Its last two columns stay visible, or where there is a zero to attend to, nothing for the first
    query: ``hides``.
    """
    batch, heads, seq, total = size
    shapes = (
        (seq, total),
        (batch, 1, 1, total),
        (batch, heads, seq, total),
        (heads, seq, total),
        (batch, 1, seq, 1),
    )
    # with a zero, a program may give the mask one column more, whatever it has
    mask = normal(rng, *shapes[form % (len(shapes) - hides)], scale=1.2)
    hidden = rng.random(mask.shape) < 0.3
    hidden[..., 0, 0] = True
    hidden[..., -2:] = False
    if mask.shape[-2] > 1:
        hidden[..., 0, :] |= hides
    return np.where(hidden, np.float32(-np.inf), mask)
