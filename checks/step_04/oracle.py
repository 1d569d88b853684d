"""Additive masks for padding, alone and combined with a causal mask: step 04.

Padding is hidden with the lowest number of a dtype, which is another one for each.
:func:`canonical` writes ``LOW`` in its place, so that masks can be compared: the formulas here
return such masks, and the judge makes the learner's canonical before it compares.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer[Any]]

LOW = -1e30

HIDES = -215.0
"""Scores lie between −100 and 100. Lowered by so much, none gets a weight of 1e-6 beside another
(200 + ln 1e6 = 214)."""

LOWEST = float(np.finfo(np.float32).min)


def canonical(mask: npt.NDArray[np.generic]) -> Floats:
    """The mask with ``LOW`` in place of the lowest number of its dtype, and large ones in scale."""
    numbers = mask.astype(np.float64)
    if not np.issubdtype(mask.dtype, np.floating):
        return numbers
    lowest = float(np.finfo(mask.dtype.type).min)  # type: ignore[type-var]
    return np.where(np.abs(numbers) > np.sqrt(-lowest), numbers * (LOW / lowest), numbers)


def drawn(mask: npt.NDArray[np.generic]) -> Floats:
    """The mask with −inf in place of every number that is low enough to hide, and +inf likewise."""
    numbers = mask.astype(np.float64)
    return np.where(np.abs(numbers) >= -HIDES, np.copysign(np.inf, numbers), numbers)


def padding_mask(token_ids: Ints, pad_token_id: int, /, **knobs: Any) -> Floats:
    """``LOW`` where ``pad_token_id`` is, 0 elsewhere: ``[batch, seq]`` → ``[batch, 1, 1, seq]``.

    Knobs: ``padding`` is what counts as padding, ``hides`` what is written where, ``shape`` the
    dimensions.
    """
    pad = _padding(token_ids, pad_token_id, knobs.get("padding"))
    hidden, visible = {
        "inverted": (0.0, LOW),
        "ones": (0.0, 1.0),
        "true": (1.0, 0.0),
        "small": (-1.0, 0.0),
        "positive": (-LOW, 0.0),
        "visible_one": (LOW, 1.0),
    }.get(knobs.get("hides", ""), (LOW, 0.0))
    mask = np.where(pad, hidden, visible)
    batch, seq = mask.shape
    shaped = {
        "plain": mask,
        "batch_1_seq": mask[:, None],
        "queries": mask[:, None, :, None],
        "last": mask[:, :, None, None],
        "first": mask[None, None],
        "square": np.broadcast_to(mask[:, None, None], (batch, 1, seq, seq)),
        "both": np.minimum(mask[:, None, None], mask[:, None, :, None]),
    }.get(knobs.get("shape", ""), mask[:, None, None])
    return np.asarray(shaped)


def _padding(token_ids: Ints, pad_token_id: int, knob: str | None) -> npt.NDArray[np.bool_]:
    """True where padding is, or where ``knob`` takes something for it."""
    pad = token_ids == pad_token_id
    found = {
        "none": pad & False,
        "all": pad | True,
        "zero": token_ids == 0,
        "above": token_ids >= pad_token_id,
        "below": token_ids <= pad_token_id,
        "from_first": np.cumsum(pad, axis=-1) > 0,
        "trailing": np.cumsum(~pad[:, ::-1], axis=-1)[:, ::-1] == 0,
        "leading": np.cumsum(~pad, axis=-1) == 0,
        "first_text": np.broadcast_to(pad[:1], pad.shape),
        "last_token": pad & (np.arange(pad.shape[-1]) == pad.shape[-1] - 1),
    }.get(knob or "", pad)
    return np.asarray(found)


def combine_masks(causal: Floats, padding: Floats, /, **knobs: Any) -> Floats:
    """The lower number of both masks: ``[batch, 1, seq, seq]``.

    ``causal`` is ``[seq, seq]`` and ``padding`` ``[batch, 1, 1, seq]``.
    """
    knob = knobs.get("combined")
    whole = np.broadcast_shapes(causal.shape, padding.shape)
    square = np.broadcast_to(causal, whole)
    wide = np.broadcast_to(padding, whole)
    combined: dict[str, Callable[[], Floats]] = {
        "causal_only": lambda: square,
        "padding_only": lambda: wide,
        "unbroadcast_causal": lambda: causal,
        "unbroadcast_padding": lambda: padding,
        "highest": lambda: np.maximum(square, wide),
        "multiplied": lambda: square * wide,
        "subtracted": lambda: square - wide,
        "average": lambda: (square + wide) / 2,
        "true": lambda: np.where((square < 0) | (wide < 0), 1.0, 0.0),
        "counted": lambda: (square < 0) + (wide < 0.0) * 1.0,
        "negated": lambda: 0.0 - np.minimum(square, wide),
        "ones": lambda: np.where((square < 0) | (wide < 0), 0.0, 1.0),
        "inverted": lambda: np.where((square < 0) | (wide < 0), 0.0, -np.inf),
        "causal_transposed": lambda: np.minimum(square.swapaxes(-1, -2), wide),
        "queries": lambda: np.minimum(square, wide.swapaxes(-1, -2)),
        "queries_too": lambda: np.minimum(np.minimum(square, wide), wide.swapaxes(-1, -2)),
        "first_text": lambda: np.broadcast_to(np.minimum(square, wide)[:1], whole),
        "squeezed": lambda: np.minimum(square, wide)[:, 0],
    }
    with np.errstate(invalid="ignore"):
        return combined.get(knob or "", lambda: np.minimum(square, wide))()
