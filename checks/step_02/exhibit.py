"""Causal masks as grids, with words beside them."""

from __future__ import annotations

from typing import Any

from checks.shared import texts
from checks.shared.attention import Floats, causal_mask
from grader.rubric import Arg, Call, DeviceArg, DTypeArg, Exhibit, LessonFigure, Probe, Trial, View


def exhibit(text: str | None) -> Exhibit:
    """A text at once, and its last two words after the others."""
    labels = texts.words(text, texts.SENTENCE)
    new = min(2, len(labels))
    past = len(labels) - new
    typed: dict[str, Arg] = {"dtype": DTypeArg("float32"), "device": DeviceArg()}
    calls = (
        Call("whole", None, "causal_mask", (len(labels), 0), dict(typed)),
        Call("later", None, "causal_mask", (new, past), dict(typed)),
    )

    def expect(**knobs: Any) -> dict[str, Floats]:
        return {
            "whole": causal_mask(len(labels), 0, **knobs),
            "later": causal_mask(new, past, **knobs),
        }

    return Exhibit(
        "Causal mask",
        "A row is a query. It may attend to columns that hold 0, but not to those that hold -∞.",
        Trial(Probe("masks", calls), expect),
        (
            View(f"causal_mask({len(labels)}, 0)", "whole", _same, labels, labels, mask=True),
            View(f"causal_mask({new}, {past})", "later", _same, labels[past:], labels, mask=True),
        ),
    )


def _same(array: Any) -> Any:
    return array


FIGURES = (
    LessonFigure(
        "masks",
        "Two causal masks as grids. For five tokens at once, 0 on the diagonal and below it, "
        "minus infinity above. For two new tokens after three others, the first row hides "
        "only the last column and the second row hides nothing.",
        "show s02",
    ),
)
