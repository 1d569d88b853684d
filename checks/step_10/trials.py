"""Random trials of ``MultiHeadAttention``: one option at a time, then together with the cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from checks.shared.attention import Floats, causal_mask, merge_heads, split_heads
from checks.shared.large_scores import SLACK, extreme, steer
from checks.shared.random_inputs import Array, Rng, normal
from checks.step_10 import covering_design
from checks.step_10.calls import CLASS, Options, Step, layer_trial, layer_weights
from checks.step_10.oracle import MAX_POSITIONS, cached, last_outputs, multi_head_attention
from grader.rubric import Call, Make, Probe, TensorArg, Trial, beside, reloaded, rounding


def draw(rng: Rng) -> list[Trial]:
    """Each option by itself, decoding in pieces, and options together."""
    return [
        _plain(rng),
        reloaded(_without_bias(rng), _without_bias(rng)),
        _scales(rng, "scale-given", 0.6),
        _masks(rng),
        _far(rng),
        _position_bias(rng),
        _scales(rng, "scale-zero", 0.0),  # late: the first wrong one is told, and 0 hides much
        _zero(rng),
        _alone(rng, "zero-alone", {}),
        _alone(rng, "zero-scaled", {"attention_scale": 0.6, "bias": False}),
        _turned(rng),
        _dropout(rng),
        reloaded(_returned(rng), _returned(rng)),
        _decoding(rng, "cache-plain", Options(), (3, 1, 1), cache_seen=True),
        _decoding(rng, "cache-rotary", Options({"use_rotary": True}), (3, 1, 1)),
        _decoding(rng, "cache-zero", Options({"add_zero_attn": True, "bias": False}), (2, 1, 3)),
        *covering_design.draw(rng),
        _rotary(rng),
        *_parts(rng),
    ]


def _x(rng: Rng, batch: int, seq: int, hidden: int) -> Array:
    return normal(rng, batch, seq, hidden)


def _plain(rng: Rng) -> Trial:
    """A text, a longer one, the first again, and another; no option, and a layer of this size."""
    x, other = _x(rng, 2, 5, 12), _x(rng, 2, 5, 12)
    steps = [Step("out", x), Step("longer", _x(rng, 1, 12, 12)), Step("again", x)]
    steps.append(Step("other", other))
    return beside(_trial(rng, "plain", 3, 4, Options(), steps))


def _without_bias(rng: Rng) -> Trial:
    return _trial(rng, "no-bias", 3, 2, Options({"bias": False}), [Step("out", _x(rng, 2, 4, 6))])


def _scales(rng: Rng, name: str, scale: float) -> Trial:
    """Added by head: a bias; before it a mask alone, where the scale leaves nothing of scores.

    Every query has a key to which nothing is added: a score of 0 hides no key.
    """
    step, added = Step("out", _x(rng, 2, 4, 10)), normal(rng, 5, 4, 4)
    np.einsum("hqq->hq", added)[:] = 0.0
    steps = [replace(step, bias=added)]
    if not scale:
        steps = [replace(step, mask=added), Step("biased", step.x, bias=added)]
    return _trial(rng, name, 5, 2, Options({"attention_scale": scale}), steps)


def _masks(rng: Rng) -> Trial:
    """A padding mask, and a causal mask with finite numbers where it does not hide."""
    x = _x(rng, 3, 4, 8)
    causal = causal_mask(4).astype(np.float32)  # [seq, seq]
    padding = np.zeros((3, 1, 1, 4), np.float32)
    padding[0, ..., 2:] = padding[1, ..., 0] = -np.inf
    soft = normal(rng, 3, 2, 4, 4, scale=1.5) + _shift(rng, 4)
    steps = [Step("padding", x, mask=padding), Step("own", x, mask=causal + soft)]
    trial = _trial(rng, "masks", 2, 4, Options(), steps)
    return replace(trial, slack=rounding(FAR, 1))


FAR = 1000.0
"""How far scores lie from 0, where exp of a float32 is infinite or 0, and a finite mask shows."""


def _shift(rng: Rng, seq: int) -> Array:
    """What shifts all scores of a query alike, ``[seq, 1]``: that changes no weight."""
    shift = np.array([FAR, -FAR, 57.0, -57.0, 0.0, 55.0, -55.0])[:seq]
    return rng.permutation(shift)[:, None].astype(np.float32)


def _far(rng: Rng) -> Trial:
    """Scores of 1000 and −1000: a mask that is finite, even at −2000, does not hide from them.

    Scores that are clipped show too: the first text has one far below the others.
    """
    heads, dim, seq = 2, 4, 5
    weights = layer_weights(rng, heads * dim)
    query, key, value = np.split(weights["qkv_proj.weight"], 3)
    steer(query, key, value, heads)
    weights["qkv_proj.bias"][: 2 * heads * dim : dim] = 0.0
    x = extreme(rng, _x(rng, 2, seq, heads * dim), dim)
    mask = causal_mask(seq).astype(np.float32)
    x[..., 1] -= FAR  # of a key: by so much it scores less
    x[1, -1, 1] += 2 * FAR
    trial = layer_trial("masks-far", heads, dim, Options(), [Step("out", x, mask=mask)], weights)
    return replace(trial, slack=max(SLACK, rounding(FAR, dim)))


def _position_bias(rng: Rng) -> Trial:
    """All scores of a query are shifted alike, which changes nothing.

    The mask comes twice: a program may keep what it computed with the first.
    """
    x = _x(rng, 2, 5, 6)
    causal = causal_mask(5).astype(np.float32)
    steps = [
        Step("one", x, bias=normal(rng, 2, 3, 5, 5, scale=1.5) + _shift(rng, 5)),
        Step("masked", x, mask=causal, bias=normal(rng, 3, 5, 5, scale=1.5)),
        Step("again", x, mask=causal),
    ]
    trial = _trial(rng, "position-bias", 3, 2, Options(), steps)
    return replace(trial, slack=rounding(FAR, 1))


def _zero(rng: Rng) -> Trial:
    """Without a mask, and with one that leaves a token nothing but the zero to attend to.

    The bias hides a key too: a zero that is made of its score would be none. Two queries of one
    head have scores far from 0: to the first the zero is nothing, to the second all.
    """
    x, bias = _x(rng, 2, 3, 8), normal(rng, 4, 3, 3)
    bias[1, 2, 0] = -np.inf
    bias[3, :2] += np.array([[FAR], [-FAR]], np.float32)
    hidden = np.zeros((3, 3), np.float32)
    hidden[0] = hidden[1, 2] = -np.inf
    steps = [
        Step("out", x, bias=bias),
        Step("hidden", x[1:], mask=hidden),  # a text less
    ]
    trial = _trial(rng, "zero", 4, 2, Options({"add_zero_attn": True}), steps)
    return replace(trial, slack=rounding(FAR, 1))


def _alone(rng: Rng, name: str, more: Mapping[str, bool | float]) -> Trial:
    """A single key, which shares its weight with the zero: its score still counts."""
    x = _x(rng, 3, 1, 8)
    mask, bias = (normal(rng, 3, 1, 1, 1, scale=1.5) for _ in range(2))
    steps = [Step("out", x), Step("masked", x, mask=mask), Step("both", x, mask=mask, bias=bias)]
    return _trial(rng, name, 4, 2, Options({"add_zero_attn": True, **more}), steps)


LAST = 3
"""Of a text that uses up the rotation's positions, only this many tokens are compared."""


def _turned(rng: Rng) -> Trial:
    """Short texts: what goes wrong with a rotation is told of small shapes.

    The last is as long as the first, and one text less.
    """
    sizes = {"out": (2, 5), "b": (1, 3), "c": (1, 5)}
    steps = [Step(name, _x(rng, *size, 12)) for name, size in sizes.items()]
    return _trial(rng, "turned", 3, 4, Options({"use_rotary": True}), steps)


def _rotary(rng: Rng) -> Trial:
    """A text and what follows it up to the last position: the rotation knows them all."""
    options, hidden = Options({"use_rotary": True}), 4
    weights = layer_weights(rng, hidden)
    layer = options.layer(weights, 1)
    x = _x(rng, 1, MAX_POSITIONS, hidden)
    text, new = x[:, :-LAST], x[:, -LAST:]
    steps = [Step("out", text, use_cache=True), Step("new", new, after="out")]

    def expect(**knobs: Any) -> dict[str, Floats]:
        before, last = text.astype(np.float64), new.astype(np.float64)
        given = knobs.get("returned") == "past"  # before the text there is nothing
        past = None if given else cached(layer, before, **knobs)
        output, _ = multi_head_attention(layer, last, past=past, **knobs)
        return {"out.0": last_outputs(layer, before, LAST, **knobs), "new.0": output}

    probe = layer_trial("rotary", 1, hidden, options, steps, weights).probe
    return Trial(probe, expect, view=_last)


def _last(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The last tokens' part of an output, if it is one."""
    return array[..., -LAST:, :] if array.ndim > 1 else array


def _dropout(rng: Rng) -> Trial:
    steps = [Step("out", _x(rng, 1, 3, 6))]
    return _trial(rng, "dropout", 2, 3, Options({"dropout": 0.7}), steps)


def _returned(rng: Rng) -> Trial:
    """A first call that asks for the cache: what it returns has nothing to fit to yet."""
    steps = [Step("first", _x(rng, 2, 3, 8), use_cache=True)]
    return _trial(rng, "cache-first", 2, 4, Options(), steps, cache_seen=True)


def _decoding(
    rng: Rng,
    name: str,
    options: Options,
    lengths: tuple[int, int, int],
    *,
    cache_seen: bool = False,
) -> Trial:
    """A text in three pieces, and another second one; the last calls do not ask for the cache.

    With ``cache_seen``, that one goes on from another first piece, which is as long.

    A single new token comes without a mask, so that most mistakes show as numbers, not as shapes
    that do not fit. Where positions count, it has a bias of one column: that tells of no past.
    """
    turned = "use_rotary" in options.given
    x = _x(rng, 2, sum(lengths), 8)
    if not options.given.get("bias", True):
        x[0, -lengths[-1]] = 0.0  # a query whose scores are exactly 0, and hide nothing
    steps: list[Step] = []
    past = 0
    for index, length in enumerate(lengths):
        steps.append(
            Step(
                f"piece{index}",
                x[:, past : past + length],
                mask=_causal(length, past) if length > 1 else None,
                bias=normal(rng, 2, 1, 1) if past and turned else None,
                after=f"piece{index - 1}" if index else None,
                use_cache=index < len(lengths) - 1,
            )
        )
        past += length
    again = normal(rng, 2, 1, 1) if turned else None
    begun = "piece0"
    if cache_seen:
        begun, mask = "begun", _causal(lengths[0], 0)
        steps.append(Step(begun, _x(rng, 2, lengths[0], 8), mask=mask, use_cache=True))
    steps.append(Step("again", _x(rng, 2, 1, 8), bias=again, after=begun))
    return _trial(rng, name, 2, 4, options, steps, cache_seen=cache_seen)


def _causal(seq: int, past: int) -> Array:
    return causal_mask(seq, past).astype(np.float32)


def _parts(rng: Rng) -> list[Trial]:
    """``_split_heads`` and ``_merge_heads``, each called by itself."""
    make = Make("module", CLASS, (15, 3))
    wide, tall = normal(rng, 2, 4, 15), normal(rng, 2, 3, 4, 5)
    return [
        Trial(
            Probe("split_heads", (make, Call("out", "module", "_split_heads", (TensorArg(wide),)))),
            lambda **knobs: {"out": split_heads(wide.astype(np.float64), 3, **knobs)},
            part=True,
        ),
        Trial(
            Probe("merge_heads", (make, Call("out", "module", "_merge_heads", (TensorArg(tall),)))),
            lambda **knobs: {"out": merge_heads(tall.astype(np.float64), **knobs)},
            part=True,
        ),
    ]


def _trial(
    rng: Rng,
    name: str,
    num_heads: int,
    head_dim: int,
    options: Options,
    steps: Sequence[Step],
    *,
    cache_seen: bool = False,
) -> Trial:
    """:func:`layer_trial` with weights drawn for it."""
    bias = bool(options.given.get("bias", True))
    weights = layer_weights(rng, num_heads * head_dim, bias=bias)
    return layer_trial(name, num_heads, head_dim, options, steps, weights, cache_seen=cache_seen)
