"""Under which conditions a mistake of each step is tried: see :mod:`tests.graded.conditional`."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Target:
    """What of a program is wrong under a condition, and which conditions its contract allows.

    ``methods`` are those of a class; none for a function. ``conditions.toml`` explains the rest.
    """

    name: str
    methods: tuple[str, ...] = ()
    lengths: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)
    never: Mapping[str, str] = field(default_factory=dict)
    state: bool = True

    def conditions(self) -> dict[str, str]:
        """All of them, by name."""
        found = {f"{name} is 1": f"{text} == 1" for name, text in self.lengths.items()}
        for (one, first), (two, second) in itertools.combinations(self.lengths.items(), 2):
            found[f"{one} equals {two}"] = f"{first} == {second}"
        if self.state:
            found["second call"] = "c.calls == 1" if self.methods else "c.calls >= 1"
            found["from the third call on"] = "c.calls >= 2"
            if self.methods:
                found["every object but the first"] = "c.number >= 1"
        found = {name: text for name, text in found.items() if name not in self.never}
        return {**found, **self.others}


def _target(row: dict[str, Any], shared: dict[str, dict[str, dict[str, str]]]) -> Target:
    for name in reversed(row.pop("shared", [])):
        for part, conditions in shared[name].items():
            row[part] = {**conditions, **row.get(part, {})}
    return Target(**{**row, "methods": tuple(row.get("methods", ()))})


def _read() -> dict[str, tuple[Target, ...]]:
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    shared = table.pop("shared")
    return {step: tuple(_target(row, shared) for row in rows) for step, rows in table.items()}


CONDITIONS: Mapping[str, tuple[Target, ...]] = _read()
"""The targets of each step."""
