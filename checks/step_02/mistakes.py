"""Mistakes in a causal mask by itself."""

from __future__ import annotations

import numpy as np

from checks.shared.mistakes import ASKED, Family, Knob

mask = Knob("mask", "band")
allowed = Knob("allowed", "constant")
earlier = Knob("earlier", "columns")

BY_ONE = rf"() ~[+-] 1\b ~ ^(?!(if|while|assert)\b).*({ASKED}) ~ {ASKED}"
"""Where a diagonal is off by one: at the number, else where rows and columns are compared."""
ROWS = r"\w+\(0, [^()]*\)(, (axis=)?-?1\)|\.unsqueeze\(-?1\)|\[:, None\])"
"""A helper that is given where the rows begin, which is not 0."""

CAUSAL: Family = {
    "no-mask": mask("none", "Nothing is hidden: the mask is 0 everywhere."),
    "mask-all": mask(
        "all",
        "Everything is hidden, even what a token may attend to. band_part with exclude=True "
        "puts 0 inside the band.",
    ),
    "mask-past": mask("past", "The mask hides the past instead of the future: it is transposed."),
    "mask-past-and-self": mask(
        "past_and_self",
        "The mask hides each token and its past, and shows the future: what is hidden and what is "
        "shown are swapped. With F.band_part, exclude=True hides the future.",
    ),
    "mask-allows-next": mask(
        "allows_next",
        "The mask is off by one: each token also sees the next one.",
        place=BY_ONE,
    ),
    "mask-hides-self": mask(
        "hides_self",
        "The mask is off by one: a token does not see itself.",
        place=BY_ONE,
    ),
    "mask-finite": mask(
        -1000000000.0,
        "Hidden entries hold a finite number. Minus infinity leaves a weight of exactly 0 "
        "whatever the scores are.",
        part="constant",
    ),
    "mask-minus-one": mask(
        -1.0,
        "Hidden entries hold −1, which still leaves tokens some weight. Use minus infinity.",
        part="constant",
    ),
    "mask-ones": mask(
        1.0,
        "Hidden entries hold 1. The mask is added to the scores: use minus infinity.",
        part="constant",
    ),
    "mask-zero-one": mask(
        0.0,
        "The mask holds 1 where a token may attend and 0 where it may not. It is added to "
        "the scores: 0 where it may attend, minus infinity where it may not.",
        part="constant",
        allowed=1.0,
    ),
    "mask-allowed-one": allowed(
        1.0, "The mask holds 1 where a token may attend. It is added to the scores: use 0 there."
    ),
    "mask-plus-infinity": mask(
        np.inf,
        "Hidden entries hold plus infinity, which takes all the weight. Use minus infinity.",
        part="constant",
        place=r"() ~(?<!-)(float\('inf'\)|\b(np|math)\.inf)",
    ),
    "earlier-hidden": earlier(
        "hidden",
        "With earlier tokens, the diagonal still starts in column 0, which hides some of them. "
        "Row i must see num_tokens + i columns before its own.",
        part="earlier",
        place=r"() ~num_upper|triu|tril|^if\b.*[<>]|arange\((?!.*\) \+).*(unsqueeze\(-?1\)|None\])"
        rf" ~ {ROWS}",
    ),
    "earlier-ignored": earlier(
        "ignored", "The mask has no columns for the earlier tokens: it needs one for each of them."
    ),
    "earlier-appended": earlier(
        "appended",
        "The columns of the earlier tokens are at the end. They come first in the "
        "sequence, so their columns must come first.",
    ),
    "mask-turned": earlier(
        "turned",
        "Rows and columns are swapped: a row belongs to the token that attends, a column to a "
        "token it may attend to.",
        part="columns",
        place=r"() ~unsqueeze|None\]|\[None|\.T\b|transpose|permute|reshape",
    ),
}
