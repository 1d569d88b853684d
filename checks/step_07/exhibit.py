"""The heads of one layer."""

from __future__ import annotations

from checks.shared.heads import gpt2_heads
from grader.rubric import Exhibit, LessonFigure


def exhibit(text: str | None) -> Exhibit:
    """The heads of the learner's layer."""
    return gpt2_heads(text, "GPT2MultiHeadAttention")


FIGURES = (
    LessonFigure(
        "no-scale",
        "Weights of head 1: expected, without the scale, and the difference. Without the scale "
        "most rows give nearly all their weight to one token.",
        "show s07 --mine --head 1",
        views=(1,),
        wrong={"scale": "none"},
    ),
)
