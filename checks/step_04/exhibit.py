"""Masks for padding as grids, with words beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from checks.shared import texts
from checks.shared.attention import Floats, causal_mask
from checks.step_04 import oracle
from grader.rubric import Call, Exhibit, LessonFigure, NoExhibit, Probe, Ref, TensorArg, Trial, View

PADDING = "[pad]"


def exhibit(text: str | None) -> Exhibit:
    """A text and a shorter one in one batch."""
    labels = texts.words(text, texts.SENTENCE)
    if len(labels) < 2:
        raise NoExhibit('One word leaves no room for padding. Give two or more: --text "she loves"')
    short = max(1, len(labels) - 2)
    padded = (*labels[:short], *(PADDING,) * (len(labels) - short))
    seq = len(labels)
    ids = np.arange(1, seq + 1)
    batch = np.stack([ids, np.where(ids <= short, ids, 0)])  # [batch, seq]
    hidden = causal_mask(seq)
    calls = (
        Call("padding", None, "padding_mask", (TensorArg(batch), 0)),
        Call(
            "both",
            None,
            "combine_masks",
            (TensorArg(hidden.astype(np.float32)), Ref("padding")),
        ),
    )

    def expect(**knobs: Any) -> Mapping[str, Floats]:
        mask = oracle.padding_mask(batch, 0, **knobs)
        both = oracle.combine_masks(hidden, mask, **knobs)
        return {"padding": oracle.drawn(mask), "both": oracle.drawn(both)}

    rows = ("text 0", "text 1")
    views = (
        View("padding_mask", "padding", lambda a: a[:, 0, 0], rows, padded, mask=True),
        *(
            View(f"Combined, text {index}", "both", pick, names, names, mask=True)
            for index, (pick, names) in enumerate(((_first, labels), (_second, padded)))
        ),
    )
    about = (
        "Two sequences share a batch; the second is shorter and filled up with padding. A token "
        "may attend where the number is 0. Every number low enough to hide is drawn as -∞."
    )
    trial = Trial(Probe("masks", calls), expect, view=oracle.drawn)
    return Exhibit("Masks for padding", about, trial, views)


def _first(array: Any) -> Any:
    return array[0, 0]


def _second(array: Any) -> Any:
    return array[1, 0]


FIGURES = (
    LessonFigure(
        "masks",
        "The padding mask hides the last two columns of the second sequence. Combined with the "
        "causal mask, the first has minus infinity above the diagonal, the second also in "
        "both columns of padding.",
        "show s04",
    ),
)
