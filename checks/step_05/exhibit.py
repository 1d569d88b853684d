"""The heads of one layer."""

from __future__ import annotations

from checks.shared.heads import gpt2_heads
from grader.rubric import Exhibit, LessonFigure


def exhibit(text: str | None) -> Exhibit:
    """The heads of the learner's layer."""
    return gpt2_heads(text, "GPT2Attention")


FIGURES = (
    LessonFigure(
        "heads",
        "Attention weights of four heads on one sentence, each a lower triangle. Head 0 mostly "
        "attends to the first token. Head 1 spreads over the last few tokens. Head 2 has a dark "
        "column at the comma. Head 3 picks one or two tokens in each row.",
        "show s05",
    ),
)
