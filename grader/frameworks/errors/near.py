"""Guesses which existing name was meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import permutations

CLOSE = 0.75
"""How similar two names must be: ``num_heads`` is not ``merge_heads``."""

SHORT = 3
"""Up to this many characters, half of a name is enough if the other is as short."""

MOST_WORDS = 4
"""The most words of a name that are compared in any order."""


def meant(name: str, names: Iterable[str]) -> str | None:
    """Return the one of ``names`` that ``name`` was probably meant to be; None if none is close.

    One that differs only in underscores or in case comes first.
    """
    others = [one for one in names if one != name and not one.startswith("__")]
    same = [one for one in others if (bare := _bare(one)) and bare == _bare(name)]
    if same:
        return min(same, key=lambda one: one.lower() != name.lower())
    private = name.startswith("_")
    pool = [one for one in others if one.startswith("_") == private]
    turned = [one for one in pool if sorted(one) == sorted(name)]
    if turned:
        return turned[0]
    short = len(name) <= SHORT
    near = [one for one in pool if not short or abs(len(one) - len(name)) <= 1]
    found = difflib.get_close_matches(name, near, 1, 0.5 if short else CLOSE)
    if found:
        return found[0]
    words = [one for one in pool if _same_words(name, one)]
    if len(words) == 1:
        return words[0]
    starts = [one for one in pool if len(name) > 2 and (one.startswith(name) or name in one)]
    begun = [one for one in pool if len(one) > SHORT and name.startswith(f"{one}_")]
    return min(starts, key=len) if starts else max(begun, key=len, default=None)


def _same_words(one: str, other: str) -> bool:
    """Whether two names have the same words, in any order, abbreviated or not.

    ``d_head`` and ``head_dim`` do.
    """
    first, second = one.lower().strip("_").split("_"), other.lower().strip("_").split("_")
    if len(first) != len(second) or len(first) < 2 or len(first) > MOST_WORDS:
        return False
    return any(
        all(a.startswith(b) or b.startswith(a) for a, b in zip(first, turned, strict=True))
        for turned in permutations(second)
    )


def _bare(name: str) -> str:
    """Return ``name`` in lower case without underscores."""
    return name.replace("_", "").lower()
