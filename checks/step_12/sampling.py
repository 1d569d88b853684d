"""The choice of the next token, and writing text with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from checks.shared.attention import Floats, softmax


def shares(logits: Floats, temperature: float, top_k: int | None = None, **knobs: Any) -> Floats:
    """The probability of every token, ``[vocab_size]``: softmax(logits / temperature).

    With ``top_k``, all below the best ``top_k`` tokens have none; ties stay. Knobs ``heat`` and
    ``best`` are ways to be wrong about the temperature and about ``top_k``.
    """
    factor = {"multiplied": temperature, "ignored": 1.0, "squared": temperature**-2}.get(
        knobs.get("heat", ""), 1 / temperature
    )
    scores = logits * factor
    if top_k is not None and knobs.get("best") != "ignored":
        kept = {"one_less": top_k - 1, "one_more": top_k + 1}.get(knobs.get("best", ""), top_k)
        if knobs.get("best") == "index_less":  # counted from the end, place 0 is the lowest
            kept = min(top_k, len(scores)) - 1 or len(scores)
        if str(knobs.get("best")).startswith("sorted_up"):
            return _sorted_up(scores, top_k, str(knobs["best"]))
        hidden = _left_out(scores, top_k, kept, knobs.get("best"))
        if {"plus": hidden.any(), "places": hidden.all()}.get(knobs.get("best", "")):
            return np.asarray(np.arange(len(scores)) == 0, dtype=np.float64)  # all is NaN: token 0
        if knobs.get("best") == "hidden_all" and not hidden.any():
            return np.asarray(np.arange(len(scores)) == 0, dtype=np.float64)  # NaN as well
        if knobs.get("best") in ("hidden", "hidden_all") and hidden.any() and not hidden.all():
            hidden = ~hidden
        if knobs.get("best") == "after_softmax":
            probabilities = softmax(scores)
            probabilities[hidden] = 0.0
            return probabilities
        if knobs.get("best") == "after_softmax_infinite" and hidden.any():
            return np.asarray(np.arange(len(scores)) == np.argmax(hidden), dtype=np.float64)
        scores = scores.copy()
        scores[hidden] = 0.0 if knobs.get("best") == "zero" else -np.inf
    if knobs.get("shares") == "uniform":
        return np.isfinite(scores) / np.isfinite(scores).sum()
    return softmax(scores)


def _sorted_up(scores: Floats, top_k: int, kind: str) -> Floats:
    """The probabilities where ``top_k`` counts from the lowest score."""
    if kind.endswith("below_all") and top_k >= len(scores):
        return softmax(scores)
    place = min(top_k, len(scores)) - ("less_one" in kind)
    lowest = np.sort(scores)[min(place, len(scores) - 1)]
    return softmax(np.where(scores < lowest, -np.inf, scores))


def _left_out(scores: Floats, top_k: int, kept: int, kind: object) -> npt.NDArray[np.bool_]:
    """Which scores are hidden, as the knob ``best`` has it."""
    last = min(top_k, len(scores))
    match kind:
        case "tied":
            return np.asarray(scores <= np.sort(scores)[-last])
        case "places":
            return np.asarray(scores < np.argsort(scores)[-last])
        case "last_ids":
            return np.arange(len(scores)) < len(scores) - top_k
    return _hidden(scores, kept, worst=kind == "worst")


def _hidden(scores: Floats, kept: int, *, worst: bool) -> npt.NDArray[np.bool_]:
    """Which scores are below the best ``kept``; with ``worst``, above the lowest ``kept``."""
    if kept < 1:
        return np.ones(scores.shape, bool)
    last = np.sort(-scores if not worst else scores)[min(kept, len(scores)) - 1]
    return np.asarray(scores > last if worst else scores < -last)


def next_token(
    logits: Floats, temperature: float, top_k: int | None, draw: float, **knobs: Any
) -> int:
    """The token that is chosen: the best at temperature 0, else the one whose share ``draw`` hits.

    The shares follow each other in the order of the ids, from 0 to 1.
    """
    if temperature == 0 and knobs.get("choice") in ("not_greedy", "score"):
        return 0 if knobs["choice"] == "not_greedy" else int(np.max(logits))  # 0 of NaN alone
    if temperature == 0 or knobs.get("choice") == "greedy":
        return int(np.argmin(logits) if knobs.get("choice") == "worst" else np.argmax(logits))
    probabilities = shares(logits, temperature, top_k, **knobs)
    order = np.arange(len(logits))
    if knobs.get("order") == "best_first":
        order = np.argsort(-probabilities, kind="stable")
    elif knobs.get("order") == "worst_first":
        order = np.argsort(probabilities, kind="stable")
    elif knobs.get("order") == "last_first":
        order = order[::-1]
    return _drawn(probabilities, order, draw, knobs.get("order"))


def _drawn(probabilities: Floats, order: npt.NDArray[np.int_], draw: float, kind: object) -> int:
    """The token into whose share ``draw`` falls, or what the knob ``order`` makes of it."""
    ends = np.cumsum(probabilities[order])
    if kind in WITHOUT_ENDS:
        return _compared(probabilities, ends, draw, str(kind))
    match kind:
        case "no_sum":
            return int(np.searchsorted(probabilities, draw, side="right"))
        case "sorted":
            ends = np.sort(probabilities)
            return int(np.searchsorted(ends / ends[-1], draw, side="right"))
        case "exclusive":
            ends = ends - probabilities
        case "products":
            ends = np.cumprod(probabilities)
        case "unnormalized":
            ends = ends / float(np.max(probabilities))
        case "from_above":
            return int(np.searchsorted(ends / ends[-1], 1 - draw, side="right"))
        case "even":
            return int(draw * len(order))
        case "at_end":
            return int(np.searchsorted(ends, draw, side="left"))
    place = int(np.searchsorted(ends, draw, side="right"))
    place += {"one_late": 1, "one_early": -1}.get(str(kind), 0)
    return int(order[place % len(order)])


WITHOUT_ENDS = ("above", "each_alone", "each_alone_or_best", "one_early_from_0")


def _compared(probabilities: Floats, ends: Floats, draw: float, kind: str) -> int:
    """What comes of comparing ``draw`` otherwise than by counting the ends that it has passed."""
    last, above = len(ends) - 1, np.flatnonzero(probabilities > draw)
    if kind == "above":
        return min(int(np.sum(ends >= draw)), last)
    if kind == "one_early_from_0":
        return max(0, int(np.searchsorted(ends, draw, side="right")) - 1)
    if above.size:
        return int(above[0])
    return last if kind == "each_alone" else int(np.argmax(probabilities))


def margin(logits: Floats, temperature: float, top_k: int | None, draw: float) -> float:
    """How far the choice is from being another: of rounding, this much does not change it."""
    if temperature == 0:
        best = np.sort(logits)[-2:]
        return float(best[1] - best[0])
    ends = np.cumsum(shares(logits, temperature, top_k))
    inner = ends[(ends > 0) & (ends < 1 - 1e-12)]
    return float(np.abs(inner - draw).min()) if inner.size else 1.0


Model = Callable[[Sequence[int]], Floats]
"""A text to the logits of its next token, ``[vocab_size]``."""


def generate(
    model: Model,
    tokens: Sequence[int],
    max_new_tokens: int,
    *,
    context: int,
    temperature: float = 0.0,
    top_k: int | None = None,
    eos_token_id: int | None = None,
    draws: Sequence[float] = (),
    **knobs: Any,
) -> list[int]:
    """The text with what was written after it; it never gets longer than ``context``.

    Knobs ``count``, ``end`` and ``returned``: when it stops too early or too late, and what is
    handed back. ``numbers``: which random numbers are used, if any.
    """
    count = max_new_tokens + {"one_less": -1, "one_more": 1}.get(knobs.get("count", ""), 0)
    count = {"total": max_new_tokens - len(tokens), "full": context}.get(
        knobs.get("count", ""), count
    )
    text = list(tokens)
    for index in range(min(count, context - len(tokens))):
        drawn = temperature and knobs.get("numbers") != "none"
        draw = draws[0 if knobs.get("numbers") == "same" else index] if drawn else 0.0
        token = next_token(model(text), temperature, top_k, draw, **knobs)
        if token == eos_token_id and knobs.get("end") == "left_out":
            break
        text.append(token)
        seen = knobs.get("end") != "ignored" and (token or knobs.get("end") != "zero")
        ended = token == eos_token_id and bool(seen)
        if ended != (knobs.get("end") == "inverted"):
            break
    return text[len(tokens) :] if knobs.get("returned") == "new_only" else text
