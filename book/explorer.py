"""What the attention explorer shows: a text, read by the small GPT-2 with parts switched off."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from book.model import FOLDER, Reading, Switches, read, small, tokenizer
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

ALPHABET = bytes.maketrans(bytes(range(33, 118)), bytes(n for n in range(35, 121) if n != 92))
"""From Ascii85's letters to some that JSON writes as they are: no quote and no backslash."""

__all__ = ["MOST", "TEXTS", "NoText", "Switches", "explored", "write"]


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


def write(path: Path) -> None:
    """Write the small GPT-2 and the texts as a script: a page that was opened as a file runs it.

    The weights are half as precise as float32, as in the checkpoint. Upper bytes come first, then
    lower ones, which compresses better; five letters of 85 are four bytes.
    """
    config, model = small()
    arrays = {name.removeprefix("transformer."): array for name, array in model.items()}
    words = np.concatenate([one.ravel() for one in arrays.values()]).astype(">f2").view(np.uint8)
    packed = gzip.compress(words.reshape(-1, 2).T.tobytes(), 9, mtime=0)
    letters = base64.a85encode(packed + bytes(-len(packed) % 4)).replace(b"z", b"!!!!!")
    merges = (FOLDER / "merges.txt").read_text(encoding="utf-8").split("\n")
    vocabulary = json.loads((FOLDER / "vocab.json").read_text(encoding="utf-8"))
    given = {
        "config": config,
        "texts": TEXTS,
        "vocabulary": sorted(vocabulary, key=vocabulary.get),
        "merges": [line for line in merges if line and not line.startswith("#version")],
        "shapes": {name: [None, *one.shape][-2:] for name, one in arrays.items()},
        "length": len(packed),
        "weights": letters.translate(ALPHABET).decode(),
    }
    told = json.dumps(given, separators=(",", ":"), ensure_ascii=False)
    path.write_text(f"gpt2Model({told});\n", encoding="utf-8")


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
