"""Random trials of ``next_token``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from checks.shared.attention import Floats
from checks.shared.random_inputs import Array, Rng
from checks.step_12 import sampling
from grader.rubric import Arg, ArrayArg, Call, Case, Probe, Trial, covering

CLEAR = 0.02
"""A choice counts as clear if no score or random number this much off would change it."""

TRIES = 1000
SOON, FEW = 25, 6


def draw(rng: Rng) -> list[Trial]:
    """Greedy choices, drawn ones, and drawn ones among the best few."""
    drawn = [_case(rng, case) for case in covering(AXES, three=tuple(AXES)[:3])]
    edges = _boundaries()
    return [
        _greedy(rng),
        _trial("greedy-options", [choice for choice in drawn if not choice.temperature]),
        _choices(rng, "temperature", [(0.5, None), (2.5, None), (1.0, None)]),
        _trial("temperature-options", [c for c in drawn if c.temperature and c.top_k is None]),
        _trial("temperature-boundary", [choice for choice in edges if choice.top_k is None]),
        _choices(rng, "top-k", [(1.0, 3), (1.0, 1), (0.8, 5), (2.0, 40), (3.0, 2)]),
        _trial("top-k-options", [c for c in drawn if c.temperature and c.top_k is not None]),
        _trial("top-k-boundary", [choice for choice in edges if choice.top_k is not None]),
        _ties(),
    ]


AXES = {
    "temperature": (0.0, 0.4, 1.0, 2.2),
    "top_k": (None, 1, 2, "all", 50),
    "draw": (0.0, 0.3, 0.7, 0.96),
    "vocab": (2, 5, 12),
    "dtype": (np.float32, np.float64, np.float16),
    "shift": (-9.0, 0.0, 3.0),
}
"""What ``next_token`` can be given; ``top_k`` "all" is the size of the vocabulary."""


def _case(rng: Rng, case: Case) -> Choice:
    """A clear choice with these arguments, each of them given.

    Where one is found soon, it is another with the temperature used twice.
    """
    top_k = case["vocab"] if case["top_k"] == "all" else case["top_k"]
    few = FEW if case["temperature"] not in (0.0, 1.0) and case["draw"] and top_k != 1 else 0
    for attempt in range(TRIES):
        logits = (_logits(rng, case["vocab"]) + np.float32(case["shift"])).astype(case["dtype"])
        low = max(case["draw"] - 0.15, 0.0) if case["draw"] else 0.0
        draw = low + float(rng.random()) * (case["draw"] - low)
        if not case["temperature"]:
            draw = case["draw"]
        choice = Choice(logits, case["temperature"], top_k, draw, everything=True)
        twice = replace(choice, temperature=choice.temperature**2)
        if not (choice.temperature or choice.answer()) and case["draw"]:
            continue  # a program that ignores the scores may answer 0 too
        if choice.clear() and (attempt >= few or twice.answer() != choice.answer()):
            return choice
    raise RuntimeError("no clear choice was drawn")


def _boundaries() -> list[Choice]:
    """Numbers that lie exactly where one share ends and the next begins, and others near one.

    On the boundary they are in the next.
    """
    found = []
    kinds: tuple[Any, ...] = (np.float32, np.float64, np.float16)
    for kind in kinds:
        even, first = np.full(4, 1.5, kind), np.array([-2.0, 3.0, 3.0, -1.0], kind)
        found += [Choice(even, 1.0, None, draw) for draw in (0.0, 0.25, 0.5, 0.75, BELOW_ONE)]
        found += [Choice(first, 1.0, 2, draw) for draw in (0.0, BELOW_ONE)]
        found += [Choice(first, 2.0, 2, 0.5), *_heated(kind)]
    above = np.array([3.0, 3.0, 1.0, 0.5], np.float32)  # two are best, not the third
    last = np.array([1.0, 0.5, -9.0], np.float32)  # has three in a hundred thousand
    some = [Choice(above, 1.0, 2, 0.97), Choice(last, 1.0, None, 0.99999)]
    return [*found, *some, *_rare(), *_halves(), *_low(), *_cut()]


def _rare() -> list[Choice]:
    """A first token with a share of 10⁻¹³, hit by 0, and a last one of 10⁻⁷, hit just below 1."""
    first, last = (
        np.array(scores, np.float32) for scores in ([-30.0, 0.0, 0.0], [1.0, 0.5, -15.0])
    )
    return [Choice(first, 1.0, None, 0.0), Choice(last, 1.0, None, 1.0 - 2e-8)]


def _halves() -> list[Choice]:
    """Scores in float16, and numbers so near an end that arithmetic in float16 misses it."""
    scores = np.random.default_rng(16).uniform(-1.5, 9.0, 9).astype(np.float16)
    return [
        Choice(scores, heat, None, float(end) + side)
        for heat in (1.0, 6.3)
        for end in np.cumsum(sampling.shares(scores.astype(np.float64), heat))[:-1]
        for side in (-NEAR, NEAR)
        if 0.0 <= end + side < 1.0
    ]


NEAR = 1e-5
"""Of an end: a hundred roundings of float32, and a fiftieth of one of float16."""


def _low() -> list[Choice]:
    """Scores so far below 0 that what is cut must be lower than any finite number near them."""
    return [Choice(np.array([-30.0, -31.0, -30.0005], np.float32), 1e-3, 2, 0.3)]


def _cut() -> list[Choice]:
    """The lowest score has the first share: it is cut, or ``top_k`` leaves all."""
    low = np.array([0.0, 1.0, 3.0, 2.0], np.float32)
    cut = [Choice(low, heat, kept, 0.0) for heat in (0.5, 0.9, 1.0, 2.0) for kept in (1, 2, 3)]
    tied = np.array([0.0, 1.0, 1.0, 3.0], np.float32)
    left = [Choice(one, heat, 4, 0.0) for one in (low, tied) for heat in (0.5, 1.0, 2.0)]
    close = Choice(np.array([1.0, 1.0 + 2.0**-16, 3.0], np.float32), 1.0, 2, 0.0)  # not equal
    return [*cut, *left, close, Choice(low, 1.0, 50, 0.01), Choice(low[::-1], 1.0, 4, 0.98)]


def _heated(kind: Any) -> list[Choice]:
    """The first of two scores has a share of 0.29; at no temperature 0.12, at its square 0.4."""
    two = np.array([0.0, 2.0], kind)
    return [Choice(two, 2.2, kept, draw) for kept in (None, 2, 50) for draw in (0.2, 0.34)]


BELOW_ONE = float(np.nextafter(1.0, 0.0))

TIED = 2
"""The first id of those with equal scores in the trial of ties."""


def _ties() -> Trial:
    """Scores equal to the lowest that may stay: all of them stay, or as many as there is room for.

    Either way the draws here fall on a token that is better, or on one of the equal ones.
    """
    scores = np.array([2.5, 2.0, 1.0, 1.0, 1.0, -1.0], np.float32)
    equal = np.array([-1.0, -1.0, 1.0, 1.0], np.float32)
    drawn = [
        *(Choice(scores, 1.0, 3, draw) for draw in (0.0, 0.4, 0.97)),
        *(Choice(scores, 0.5, 4, draw) for draw in (0.0, 0.75, 0.97)),
    ]
    trial = _trial("top-k-ties", [*drawn, Choice(equal, 1.0, 1, 0.3), Choice(equal, 1.0, 1, 0.9)])
    answer = trial.expect

    def expect(**knobs: object) -> dict[str, Floats]:
        found = answer(**knobs) if answer else {}
        return {name: np.asarray(_one_of_the_equal(token)) for name, token in found.items()}

    return replace(trial, expect=expect, view=_one_of_the_equal)


def _one_of_the_equal(token: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The first of the equal ones for any of them."""
    return np.where((token >= TIED) & (token < TIED + 3), TIED, token)


@dataclass(frozen=True)
class Choice:
    """One call of ``next_token``."""

    logits: npt.NDArray[np.floating]
    temperature: float = 0.0
    top_k: int | None = None
    draw: float = 0.0
    everything: bool = False
    """Whether the call has every argument, also those that change nothing."""

    def call(self, name: str) -> Call:
        """The call, with only the arguments that it needs."""
        kwargs: dict[str, Arg] = {}
        if self.temperature or self.everything:
            kwargs = {"temperature": self.temperature, "draw": self.draw}
        if self.top_k is not None or self.everything:
            kwargs["top_k"] = self.top_k
        return Call(name, None, "next_token", (ArrayArg(self.logits),), kwargs)

    def answer(self, **knobs: object) -> Floats:
        """The oracle's token."""
        logits = self.logits.astype(np.float64)
        token = sampling.next_token(logits, self.temperature, self.top_k, self.draw, **knobs)
        return np.asarray(float(token))

    def clear(self) -> bool:
        """Whether rounding cannot change the answer."""
        logits = self.logits.astype(np.float64)
        return sampling.margin(logits, self.temperature, self.top_k, self.draw) > CLEAR


def _trial(name: str, choices: Sequence[Choice]) -> Trial:
    named = {f"token{index}": choice for index, choice in enumerate(choices)}
    calls = tuple(choice.call(key) for key, choice in named.items())
    return Trial(
        Probe(name, calls),
        lambda **knobs: {key: choice.answer(**knobs) for key, choice in named.items()},
    )


def _logits(rng: Rng, vocab: int) -> Array:
    """Scores of which some lie far above 0 and all are different."""
    return rng.permutation(np.linspace(-4, 4, vocab, dtype=np.float32)) + np.float32(2.0)


def _greedy(rng: Rng) -> Trial:
    """Scores around 2, and scores below 0 without exception."""
    texts = [_logits(rng, 5), _logits(rng, 13) - np.float32(7.0), _logits(rng, 2)]
    return _trial("greedy", [Choice(logits) for logits in texts])


def _choices(rng: Rng, name: str, settings: Sequence[tuple[float, int | None]]) -> Trial:
    """Four draws for each setting, from low to high, all of them clear.

    Without ``top_k`` another temperature gives other tokens, a higher and a lower one by turns, or
    one that is rounded would pass.
    """
    drawn = (
        _clear(rng, temperature, top_k, low, other=1.25 if low in (0.0, 0.5) else 0.8)
        for temperature, top_k in settings
        for low in (0.0, 0.25, 0.5, 0.75)
    )
    large = Choice(np.arange(90_000, 90_005, dtype=np.float32), 1.0, None, 0.4)
    cold = [Choice(np.array([1.0, 1.05, 0.9], np.float32), 0.05, None, draw) for draw in (0.1, 0.3)]
    colder = Choice(np.array([5e-5, 0.0, -1.0], np.float32), 1e-4, None, 0.9)
    coldest = Choice(np.array([0.0, 0.14]), 0.01, None, 0.0)
    hot = Choice(np.array([9.0, 0.0, 0.5], np.float32), 30.0, None, 0.5)
    most = None if settings[0][1] is None else 200
    many = Choice(np.linspace(1.0, 0.0, 300, dtype=np.float32), 1.0, most, 0.951)
    whole = [] if most else [_vocabulary()]
    return _trial(name, [*drawn, large, *cold, colder, coldest, hot, many, *whole])


VOCABULARY = 50_257
"""Tokens of GPT-2. A running sum of so many shares needs float64."""


def _vocabulary() -> Choice:
    """As many scores as GPT-2 has, and the middle of a share.

    Half is the first token's, so that each later share is rounded alike where float32 adds it up.
    """
    scores = np.zeros(VOCABULARY, np.float32)
    scores[0] = 10.5
    ends = np.cumsum(sampling.shares(scores.astype(np.float64), 1.0))
    token = VOCABULARY // 2
    return Choice(scores, 1.0, None, float(ends[token - 1 : token + 1].mean()))


def _clear(rng: Rng, temperature: float, top_k: int | None, low: float, other: float) -> Choice:
    """A clear choice with a random number at most a quarter above ``low``.

    Where one is found soon, it is another at ``other`` times the temperature.
    """
    for attempt in range(TRIES):
        draw = low + 0.25 * float(rng.random())
        choice = Choice(_logits(rng, 12), temperature, top_k, draw)
        if not choice.clear():
            continue
        heated = replace(choice, temperature=temperature * other)
        if top_k is not None or attempt > SOON or heated.answer() != choice.answer():
            return choice
    raise RuntimeError("no clear choice was drawn")
