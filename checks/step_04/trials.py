"""Random trials of ``padding_mask`` and ``combine_masks``.

Padding is at the end, at the start and in the middle of texts, and 0 is an ordinary token.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from checks.shared.attention import Floats, causal_mask
from checks.shared.random_inputs import Rng, long
from checks.step_04 import oracle as oracles
from checks.step_04.oracle import Ints
from grader.rubric import Arg, Call, DTypeArg, Probe, Ref, TensorArg, Trial, in_turn

PADDING, COMBINED = "padding_mask", "combine_masks"


def draw(rng: Rng) -> list[Trial]:
    """Padding masks, combined masks, and the one made from the other."""
    pad = int(rng.integers(20, 60))
    lone = _nothing_but(rng, 3, 4, pad)
    return [
        _padding("padding-texts", _texts(rng, 4, 7, pad), pad),
        _padding("padding-largest", _nothing_but(rng, 3, 5, 50_256), 50_256),
        _padding("padding-int32", _nothing_but(rng, 5, 6, pad).astype(np.int32), pad),
        _padding("padding-absent", _tokens(rng, 2, 3, pad), pad),
        _padding("padding-single", _somewhere(rng, 1, 6, pad), pad),
        _padding("alone-text", lone, pad),
        _padding("alone-token", np.full((2, 1), pad), pad),
        _padding("alone-square", np.full((3, 3), 50_256, np.int32), 50_256),
        _padding("double", lone, pad, dtype="float64"),
        _padding("double-square", _last_hidden(rng, 4, 4, pad), pad, dtype="float64"),
        _half(_nothing_but(rng, 2, 4, pad), pad),
        _combined("combined-texts", _texts(rng, 4, 6, pad), pad),
        _combined("combined-single", _somewhere(rng, 1, long(rng), pad), pad),
        _combined("combined-absent", _tokens(rng, 3, 4, pad), pad),
        _combined("combined-padding", _nothing_but(rng, 2, 5, pad), pad),
        *(
            one
            for batch, seq in LENGTHS
            for one in (
                _padding(f"padding-{batch}-{seq}", _last_hidden(rng, batch, seq, pad), pad),
                _combined(f"combined-{batch}-{seq}", _somewhere(rng, batch, seq, pad), pad),
            )
        ),
        _padding("padding-zero", _somewhere(rng, MANY_TEXTS, 6, 0), 0),
        _padding("padding-negative", _hundred(rng), -100),
        _padding("padding-wide", _wide(rng), WIDE),
        _padding("padding-long", _somewhere(rng, 2, LONGEST, pad), pad),
        _again("padding-again", _padding, rng, pad),
        _again("combined-again", _combined, rng, pad),
        _combined("combined-other", _texts(rng, 4, 4, pad), pad, low=-1e9),
        _combined("both-double", _nothing_but(rng, 2, 4, pad), pad, LOWEST_DOUBLE, np.float64),
        _combined("combined-zero", _somewhere(rng, MANY_TEXTS, 5, 0), 0),
        _together("together-texts", _texts(rng, 4, 5, pad), pad),
        _together("together-padding", _nothing_but(rng, 3, 6, pad), pad),
    ]


LENGTHS = ((6, 6), (1, 1), (5, 1))
"""Batch and length, where they are equal or one."""


def _somewhere(rng: Rng, batch: int, seq: int, pad: int) -> Ints:
    """Texts with padding anywhere; the first has some, and a token wherever there is room."""
    ids = rng.integers(pad + 1, pad + 9, (batch, seq))
    ids[:, 2::2] -= 10 if pad > 10 else 0  # some are lower
    ids[rng.random(ids.shape) < 0.4] = pad
    ids[0, 0], ids[0, 1:2] = pad, pad + 3
    return np.asarray(ids)


def _last_hidden(rng: Rng, batch: int, seq: int, pad: int) -> Ints:
    """The same, and the last text is nothing but padding."""
    ids = _somewhere(rng, batch, seq, pad)
    ids[-1] = pad
    return ids


END = 50_256
"""GPT-2's end of a text. Where it is not the padding, it is a token like others."""

LOWEST_DOUBLE = float(np.finfo(np.float64).min)

MANY_TEXTS = 33

LONGEST = 1024
"""Tokens of a text, at most."""

WIDE = 70_000
"""A padding token that 16 bits cannot hold: they make it ``WIDE - 65_536``."""


def _hundred(rng: Rng) -> Ints:
    """Texts that are padded with −100, and have a token 100."""
    ids = _somewhere(rng, 3, 5, -100)
    ids[ids != -100] += 200
    ids[:, -1] = 100
    return ids


def _wide(rng: Rng) -> Ints:
    ids = _somewhere(rng, 3, 4, WIDE)
    ids[:, -1] = WIDE - 65_536
    return ids


def _again(name: str, make: Callable[..., Trial], rng: Rng, pad: int) -> Trial:
    """Three calls on texts of the same shape, with two padding tokens, and one of other rows."""
    pads = (pad, pad, pad + 3)
    texts = {f"texts{index}": (_somewhere(rng, 3, 4, one), one) for index, one in enumerate(pads)}
    texts["turned"] = (texts["texts0"][0].reshape(4, 3), pad)
    trial = in_turn(name, {key: make("", *given) for key, given in texts.items()})
    return replace(trial, view=oracles.canonical)


def _tokens(rng: Rng, batch: int, seq: int, pad: int) -> Ints:
    """Ids on both sides of ``pad``, and 0 among them."""
    ids = rng.integers(0, 2 * pad, (batch, seq))
    ids[ids == pad] = pad + 1
    ids[:, 0], ids[:, -1] = 0, pad - 1
    ids[-1, 0] = END
    ids[0, seq // 2] = pad + 2
    return np.asarray(ids)


def _texts(rng: Rng, batch: int, seq: int, pad: int) -> Ints:
    """Texts padded at the end, at the start, in the middle, nowhere, and so on."""
    ids = _tokens(rng, batch, seq, pad)
    ids[0::4, seq - 2 :] = pad
    ids[1::4, :2] = pad
    ids[2::4, 1] = pad
    return ids


def _nothing_but(rng: Rng, batch: int, seq: int, pad: int) -> Ints:
    """The last text is nothing but padding."""
    ids = _texts(rng, batch, seq, pad)
    ids[-1] = pad
    return ids


def _padding(name: str, ids: Ints, pad: int, *, dtype: str | None = None) -> Trial:
    more: dict[str, Arg] = {} if dtype is None else {"dtype": DTypeArg(dtype)}
    call = Call("out", None, PADDING, (TensorArg(ids), pad), more)

    def expect(**knobs: Any) -> dict[str, Floats]:
        return {"out": oracles.padding_mask(ids, pad, **knobs)}

    return Trial(Probe(name, (call,)), expect, view=oracles.canonical)


def _half(ids: Ints, pad: int) -> Trial:
    """A mask of float16 that is finite. None is asked for, so it counts as a part."""
    return replace(_padding("half", ids, pad, dtype="float16"), part=True, wished=True)


def _combined(
    name: str,
    ids: Ints,
    pad: int,
    low: float = oracles.LOWEST,
    kind: type[np.floating] = np.float32,
) -> Trial:
    """``combine_masks`` on a causal mask and a padding mask of ours, which hides with ``low``."""
    causal = causal_mask(ids.shape[-1])
    padding = np.where(ids == pad, low, 0.0)[:, None, None].astype(kind)  # [batch, 1, 1, seq]
    args = (_mask(causal, kind), TensorArg(padding))

    def expect(**knobs: Any) -> dict[str, Floats]:
        return {"out": oracles.combine_masks(causal, oracles.canonical(padding), **knobs)}

    return Trial(Probe(name, (Call("out", None, COMBINED, args),)), expect, view=oracles.canonical)


def _together(name: str, ids: Ints, pad: int) -> Trial:
    """``combine_masks`` on the padding mask that the learner's own function makes."""
    causal = causal_mask(ids.shape[-1])
    actions = (
        Call("padding", None, PADDING, (TensorArg(ids), pad)),
        Call("out", None, COMBINED, (_mask(causal), Ref("padding"))),
    )

    def expect(**knobs: Any) -> dict[str, Floats]:
        padding = oracles.padding_mask(ids, pad, **knobs)
        return {"out": oracles.combine_masks(causal, padding, **knobs)}

    return Trial(Probe(name, actions), expect, view=oracles.canonical)


def _mask(mask: Floats, kind: type[np.floating] = np.float32) -> TensorArg:
    return TensorArg(mask.astype(kind))
