"""What the attention explorer shows: a text, read by the small GPT-2 with parts switched off."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, fields
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from book.model import Reading, Switches, read, tokenizer
from checks.shared.attention import softmax
from checks.shared.texts import label

TEXTS = (
    "Mr. Darcy looked at her, and she looked at him, and neither of them said a word",
    "She was happy and he was not, and she knew it",
    "It is a truth universally acknowledged, that a man in love is not to be believed",
    " very very very very very very very very very very very very",
)
"""The texts of the static book. The last begins with a blank, so that all its tokens are equal."""

MOST = 24
"""Tokens of a text. More would make cells too small to see."""

GUESSES = 3

__all__ = ["MOST", "TEXTS", "NoText", "Switches", "explored", "key", "write"]


class NoText(ValueError):
    """The text is empty or too long, in a sentence."""


def explored(text: str, switches: Switches = Switches()) -> dict[str, Any]:  # noqa: B008 frozen
    """A text as the small GPT-2 reads it, ready for JSON.

    Returns:
        ``tokens``: the tokens, a leading blank as a dot. ``weights``: by layer, head and row,
        thousandths; a row ends with the last token that is looked at. ``guesses``: for each
        token the likeliest next ones, each with its percentage. ``surprise``: bits per token of
        the text that follows, None for a single token. ``work``: how many tokens go through the
        blocks while a model writes this text, with the ``cache`` and ``without`` it.

    Raises:
        NoText: the text has no token, or more than ``MOST``.
    """
    ids = tokenizer().encode(text.rstrip())
    if not ids:
        raise NoText("The text is empty. Give it some words.")
    if len(ids) > MOST:
        raise NoText(f"The text has {len(ids)} tokens, and at most {MOST} fit. Shorten it.")
    seen = read(ids, switches)
    size = len(ids)
    return {
        "text": text,
        "switches": asdict(switches),
        "tokens": [label(tokenizer().decode([index])) for index in ids],
        "weights": _thousandths(seen, square=not switches.mask and not switches.cache),
        "guesses": [_likeliest(row) for row in softmax(seen.logits)],
        "surprise": _surprise(seen, ids),
        "work": {"cache": size, "without": size * (size + 1) // 2},
    }


def key(text: int, switches: Switches) -> str:
    """The name of a prepared reading: the number of its text, and a digit for each switch."""
    return f"{text}-" + "".join(str(int(value)) for value in asdict(switches).values())


def write(folder: Path) -> None:
    """Write every prepared reading to ``folder``, as scripts: a page opened as a file runs them."""
    folder.mkdir(parents=True, exist_ok=True)
    _script(folder / "texts.js", "explorerTexts", list(TEXTS))
    for index, text in enumerate(TEXTS):
        for switches in _every():
            name = key(index, switches)
            _script(folder / f"{name}.js", "explorerReading", name, explored(text, switches))


def _every() -> Iterator[Switches]:
    for values in product((False, True), repeat=len(fields(Switches))):
        yield Switches(*values)


def _script(path: Path, function: str, *arguments: object) -> None:
    told = ",".join(json.dumps(one, separators=(",", ":"), ensure_ascii=False) for one in arguments)
    path.write_text(f"{function}({told});\n", encoding="utf-8")


def _thousandths(seen: Reading, *, square: bool) -> list[list[list[list[int]]]]:
    size = seen.weights.shape[-1]
    rounded = np.rint(seen.weights * 1000).astype(int)
    ends = [size if square else row + 1 for row in range(size)]
    return [
        [[head[row, :end].tolist() for row, end in enumerate(ends)] for head in layer]
        for layer in rounded
    ]


def _likeliest(chances: Any) -> list[tuple[str, int]]:
    order = np.argsort(-chances, kind="stable")[:GUESSES]
    return [(label(tokenizer().decode([int(i)])), round(100 * chances[i])) for i in order]


def _surprise(seen: Reading, ids: list[int]) -> float | None:
    """−log₂ of the probability of each token that follows, on average."""
    if len(ids) < 2:
        return None
    chances = softmax(seen.logits)[np.arange(len(ids) - 1), ids[1:]]
    return round(float(-np.log2(np.maximum(chances, 1e-12)).mean()), 1)
