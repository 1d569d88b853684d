"""What the attention explorer reads in a page: the small GPT-2, packed as a script."""

from __future__ import annotations

import base64
import gzip
import json

import numpy as np

from book.model import FOLDER, small

TEXTS = (
    "Mr. Darcy looked at her, and she looked at him, and neither of them said a word",
    "She was happy and he was not, and she knew it",
    "It is a truth universally acknowledged, that a man in love is not to be believed",
    " very very very very very very very very very very very very",
)
"""The texts of the static book. The last begins with a blank, so that all its tokens are equal."""

ALPHABET = bytes.maketrans(bytes(range(33, 118)), bytes(n for n in range(35, 121) if n != 92))
"""From Ascii85's letters to some that JSON writes as they are: no quote and no backslash."""


def script() -> str:
    """The small GPT-2 and the texts as a script: a page that was opened as a file runs it.

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
    return f"gpt2Model({told});\n"
