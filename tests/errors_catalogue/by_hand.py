"""Mistakes that no rewriting of a call makes: each wrong, then as it is right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def _read() -> Iterator[tuple[str, str]]:
    text = Path(__file__).with_suffix(".diff").read_text(encoding="utf-8")
    for entry in text.rstrip("\n").split("\n\n"):
        if not entry.startswith("#"):
            lines = entry.split("\n")
            wrong, right = ([line[1:] for line in lines if line[0] in f" {sign}"] for sign in "-+")
            yield "\n".join(wrong), "\n".join(right)


BY_HAND = tuple(_read())
"""Wrong code, and the same code right."""
