"""The heads of the small GPT-2 and its next tokens, by ``decode``."""

from __future__ import annotations

from checks.step_11 import exhibit as model
from grader.rubric import Exhibit, LessonFigure


def exhibit(text: str | None) -> Exhibit:
    """What step 11 shows, at the beginning of a text."""
    return model.exhibit(text, "GPT2WithCache", "{}.0")


FIGURES = (
    LessonFigure(
        "guesses",
        "What the small GPT-2 expects after each token of a sentence. After happy it expects "
        "to with .47; after she, was and had; after knew, not and that.",
        "show s12",
        views=(0,),
    ),
)
