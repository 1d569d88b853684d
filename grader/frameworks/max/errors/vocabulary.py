"""The names that MAX has, and which of them was meant."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

CLOSE = 0.6
SHORT = 3
"""Characters of a name of which half are enough, if the other is as short."""


@cache
def known() -> dict[str, tuple[str, ...]]:
    """The names of MAX: ``F``'s functions, a Tensor's attributes, and so on, as recorded."""
    text = (Path(__file__).parent / "names.json").read_text(encoding="utf-8")
    return {owner: tuple(names) for owner, names in json.loads(text).items()}


def meant(name: str, names: Iterable[str]) -> str | None:
    """The one of ``names`` that ``name`` was probably to be; None where none is near."""
    by_case = {one.lower(): one for one in names}
    if name.lower() in by_case and by_case[name.lower()] != name:
        return by_case[name.lower()]
    private = name.startswith("_")
    if private and name.lstrip("_") in by_case.values():
        return name.lstrip("_")
    alike = (one for one in names if one.startswith("_") == private)
    pool = [one for one in alike if one != name and not one.startswith("__")]
    turned = [one for one in pool if sorted(one) == sorted(name)]
    if turned:
        return turned[0]
    short = len(name) <= SHORT
    near = [one for one in pool if not short or abs(len(one) - len(name)) <= 1]
    found = difflib.get_close_matches(name, near, 1, 0.5 if short else CLOSE)
    if found:
        return found[0]
    starts = [one for one in pool if len(name) > 2 and (one.startswith(name) or name in one)]
    return min(starts, key=len) if starts else None
