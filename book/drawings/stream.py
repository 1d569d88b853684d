"""The residual stream of the small GPT-2: how long a token's vector is, and what layers add."""

from __future__ import annotations

import numpy as np

from book.drawings.svg import Drawing
from book.model import Switches, read, small, tokenizer

TEXT = "She was happy and he was not, and she knew it"
WIDTH, TOP, ROW, MIDDLE = 360, 58, 44, 110
THICK = 2.2
"""Pixels for a length of 1."""


def figure() -> str:
    """The drawing as HTML."""
    lengths, added = _measured()
    layers = small()[0]["n_layer"]
    names = [f"{kind} {layer}" for layer in range(layers) for kind in ("attention", "MLP")]
    pairs = zip(names, added, strict=True)
    told = (
        f"After the embeddings a token's vector is {lengths[0]:.1f} long. "
        + " ".join(
            f"{name} adds {one:.1f}, which makes {length:.1f}."
            for (name, one), length in zip(pairs, lengths[1:], strict=True)
        )
        + " Medians over the tokens of one text."
    )
    height = TOP + ROW * len(added) + 34
    drawing = Drawing("stream", WIDTH, height, "The residual stream of the small GPT-2", told)
    drawing.box((MIDDLE - 62, 6), (124, 26), "wte + wpe")
    ends = [(TOP - 24 if at == 0 else TOP + ROW * at, length) for at, length in enumerate(lengths)]
    sides = [
        (MIDDLE + side * THICK * one / 2, y)
        for side, row in ((-1, ends), (1, ends[::-1]))
        for y, one in row
    ]
    drawing.path(sides, "flow", closed=True)
    for at, (name, one) in enumerate(zip(names, added, strict=True)):
        _addition(drawing, TOP + ROW * at, name, one, lengths[at + 1])
    drawing.text((MIDDLE, height - 8), "to ln_f", "small", "middle")
    drawing.arrow((MIDDLE, height - 34), (MIDDLE, height - 22))
    caption = (
        "<figcaption>Each layer reads a copy of the stream and adds to it. Widths, and the numbers "
        "at the left, are lengths of vectors in the small GPT-2, medians over the tokens of one "
        "text. What is added can also make a vector shorter.</figcaption>"
    )
    return f'<figure class="picture">\n{drawing.markup()}\n{caption}\n</figure>'


def _addition(drawing: Drawing, top: float, name: str, length: float, total: float) -> None:
    """A layer's box, and the arrow of what it adds, as wide as that is long."""
    middle = top + ROW / 2
    edge = MIDDLE + THICK * total / 2
    half = max(THICK * length / 2, 0.6)
    drawing.box((244, middle - 13), (112, 26), name)
    points = [
        (244, middle - half),
        (edge + 8, middle - half),
        (edge, middle),
        (edge + 8, middle + half),
        (244, middle + half),
    ]
    drawing.path(points, "flow added", closed=True)
    drawing.text((240, middle - half - 4), f"+ {length:.1f}", "shape", "end")
    drawing.text((0, top + ROW + 4), f"{total:.1f}", "shape")


def _measured() -> tuple[list[float], list[float]]:
    """The length of a token's vector after each addition, and of each addition."""
    stream = read(tokenizer().encode(TEXT), Switches()).stream  # [2 * n_layer + 1, seq, n_embd]
    long = np.linalg.norm(stream, axis=-1)  # [2 * n_layer + 1, seq]
    steps = np.linalg.norm(np.diff(stream, axis=0), axis=-1)
    return np.median(long, axis=-1).tolist(), np.median(steps, axis=-1).tolist()
