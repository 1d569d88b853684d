"""Trials of ``MultiHeadAttention`` with several options at once, as a covering design."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from checks.shared.drawn import Array, Rng, long, normal
from checks.step_10.calls import Options, Step, layer_trial, layer_weights
from grader.rubric import Trial, covering, in_turn

SHAPES = (
    # num_heads, head_dim, batch, tokens before, new tokens
    (2, 2, 2, 2, 2),
    (4, 4, 4, 1, 3),
    (1, 4, 2, 4, 4),
    (3, 4, 3, 3, 2),
    (2, 1, 1, 3, 3),
    (3, 2, 6, 4, 1),
)
"""Every two lengths are equal in one of them, and unequal in another; each is 1 in one."""

ONE_WIDE = 1
"""A head of one number cannot be rotated."""

BOTH = (False, True)
AXES: Mapping[str, tuple[Any, ...]] = {
    "shape": SHAPES,
    "mask": BOTH,
    "bias": BOTH,
    "zero": BOTH,
    "rotary": BOTH,
    "scale": BOTH,
    "dropout": (0.0, 0.7),
    "kept": BOTH,
    "projection_bias": (True, False),
}
"""What a layer can be asked for. Mask and bias are those of the call that has a cache; the call
before it has a bias where this one has a mask, and a mask where this one has a bias."""

SCALES = (1.0, 4, -0.4)
"""Those that are given, in turn. A whole number is a number too, and 1 is that of T5."""

THREE = ("mask", "bias", "zero", "rotary", "scale")
"""A mistake about one of them may be made only with two others."""


def draw(rng: Rng) -> list[Trial]:
    """Layers with these options, two in turn."""
    cases = covering(AXES, _fits, three=THREE)
    layers = [_layer(rng, index, case) for index, case in enumerate(cases)]
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


def _fits(case: Mapping[str, Any]) -> bool:
    return not (case["rotary"] and case["shape"][1] == ONE_WIDE)


def _layer(rng: Rng, index: int, case: Mapping[str, Any]) -> Trial:
    """A text, what follows it with the cache, and another text of the first one's shape.

    Without biases of its projections it has a position bias in each call: one that is lost with
    the others is then lost with every shape, cache and mask.
    In every fourth layer arguments are given by their place. Half have a dropout of 0, which is
    usual where nothing is trained; other trials leave it out.
    """
    heads, dim, batch, before, new = case["shape"]
    scales = SCALES[1:] if dim == ONE_WIDE else SCALES  # 1 is its own scale
    options = Options(
        {
            **({} if case["projection_bias"] else {"bias": False}),
            **({"add_zero_attn": True} if case["zero"] else {}),
            **({"use_rotary": True} if case["rotary"] else {}),
            **({"attention_scale": scales[index % len(scales)]} if case["scale"] else {}),
            "dropout": case["dropout"],
        }
    )

    def step(name: str, seq: int, past: int, *, mask: bool, bias: bool, **more: Any) -> Step:
        size, form = (batch, heads, seq, past + seq), index + (past > 0)
        bias = bias or not case["projection_bias"]
        hidden = _mask(rng, form, size, hides=case["zero"]) if mask else None
        added = normal(rng, *_biased(form, size), scale=1.5) if bias else None
        return Step(name, normal(rng, batch, seq, heads * dim), hidden, added, **more)

    mask, bias = case["mask"], case["bias"]
    steps = [
        step("text", before, 0, mask=bias, bias=mask, use_cache=True),
        step("new", new, before, mask=mask, bias=bias, after="text", use_cache=case["kept"]),
        step("other", before, 0, mask=mask, bias=bias, use_cache=True),
    ]
    weights = layer_weights(rng, heads * dim, bias=case["projection_bias"])
    return layer_trial(
        "layer",
        heads,
        dim,
        options,
        steps if case["kept"] else steps[:2],
        weights,
        cache_seen=True,
        by_place=index % 4 == 1,
    )


def _biased(form: int, size: tuple[int, int, int, int]) -> tuple[int, ...]:
    """One of the shapes of a position bias that broadcast."""
    return (size[-3:], size, size[-2:], (1, *size[-3:]))[form % 4]


def _mask(rng: Rng, form: int, size: tuple[int, int, int, int], *, hides: bool) -> Array:
    """A mask of one of the shapes that broadcast, with finite numbers where it does not hide.

    Its last two columns stay visible, or where there is a zero to look at, nothing for the first
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
