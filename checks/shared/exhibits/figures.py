"""The figures in the lessons."""

from __future__ import annotations

from collections.abc import Mapping

from checks.shared.exhibits import EXHIBITS
from grader.rubric.exhibit import Exhibit, LessonFigure


def _usual(step: str) -> Exhibit:
    return EXHIBITS[step](None)


FIGURES: Mapping[str, tuple[LessonFigure, ...]] = {
    "s02": (
        LessonFigure(
            "masks",
            "Two causal masks as grids. For five tokens at once, 0 on the diagonal and below it, "
            "minus infinity above. For two new tokens behind three others, the first row hides "
            "only the last column and the second row hides nothing.",
            "show s02",
            lambda: _usual("s02"),
        ),
    ),
    "s03": (
        LessonFigure(
            "text",
            "",
            "show s03 --head 0",
            lambda: _usual("s03"),
            views=(0, 2),
            text=True,
        ),
        LessonFigure(
            "weights",
            "Attention weights of both heads on she loves cats, without a mask and with the causal "
            "mask. Without a mask, head 0 of she looks at cats with .62. With the mask, she looks "
            "only at she, and nothing above the diagonal has any weight.",
            "show s03",
            lambda: _usual("s03"),
        ),
    ),
    "s04": (
        LessonFigure(
            "masks",
            "The padding mask hides the last two columns of the second text. Combined with the "
            "causal mask, the first text has minus infinity above the diagonal, the second also in "
            "both columns of padding.",
            "show s04",
            lambda: _usual("s04"),
        ),
    ),
    "s05": (
        LessonFigure(
            "heads",
            "Attention weights of four heads on one sentence, each a lower triangle. Head 0 mostly "
            "looks at the first token. Head 1 spreads over the last few tokens. Head 2 has a dark "
            "column at the comma. Head 3 picks one or two tokens in each row.",
            "show s05",
            lambda: _usual("s05"),
        ),
    ),
    "s06": (
        LessonFigure(
            "heads",
            "Attention weights of four heads on twelve times the same word. Every head has stripes "
            "along the diagonal. The fast pairs see the last few tokens and faintly those a turn "
            "away, the slow pairs see all tokens nearly alike.",
            "show s06",
            lambda: _usual("s06"),
        ),
    ),
    "s07": (
        LessonFigure(
            "no-scale",
            "Weights of head 1: expected, without the scale, and the difference. Without the scale "
            "most rows give nearly all their weight to one token.",
            "show s07 --mine --head 1",
            lambda: _usual("s07"),
            views=(1,),
            wrong={"scale": "none"},
        ),
    ),
    "s10": (
        LessonFigure(
            "masks",
            "Weights of head 1 without a mask and with the causal one. Without it, early tokens "
            "give most of their weight to later ones; with it, nothing stands above the diagonal.",
            "show s10 --head 1",
            lambda: _usual("s10"),
            views=(1, 5),
        ),
    ),
    "s11": (
        LessonFigure(
            "heads",
            "All twenty heads of the small GPT-2, a row for each of the five layers. In the first "
            "layers most heads spread evenly. Further up some have a dark first column, some a "
            "dark diagonal, some a dark line beside the diagonal.",
            "show s11",
            lambda: _usual("s11"),
            views=tuple(range(1, 21)),
            small=True,
        ),
    ),
    "s12": (
        LessonFigure(
            "guesses",
            "What the small GPT-2 expects after each token of a sentence. After happy it expects "
            "to with .47; after she, was and had; after knew, not and that.",
            "show s12",
            lambda: _usual("s12"),
            views=(0,),
        ),
    ),
}
"""By step."""
