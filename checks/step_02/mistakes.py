"""Mistakes in a causal mask by itself."""

from __future__ import annotations

import numpy as np

from checks.shared.mistakes import Row

CAUSAL: tuple[Row, ...] = (
    ("no-mask", "Nothing is hidden: the mask is 0 everywhere.", {"mask": "none"}, "band"),
    (
        "mask-all",
        "Everything is hidden, even what a token may see. band_part with exclude=True "
        "puts 0 inside the band.",
        {"mask": "all"},
        "band",
    ),
    (
        "mask-past",
        "The mask hides the past instead of the future: it is transposed.",
        {"mask": "past"},
        "band",
    ),
    (
        "mask-past-and-self",
        "The mask hides each token and its past, and shows the future: exclude=True is missing.",
        {"mask": "past_and_self"},
        "band",
    ),
    (
        "mask-allows-next",
        "The mask is off by one: each token also sees the next one.",
        {"mask": "allows_next"},
        "band",
    ),
    (
        "mask-hides-self",
        "The mask is off by one: a token does not see itself.",
        {"mask": "hides_self"},
        "band",
    ),
    (
        "mask-finite",
        "Hidden places hold a finite number. Minus infinity leaves a weight of exactly "
        "0 whatever the scores are.",
        {"mask": -1e9},
        "constant",
    ),
    (
        "mask-minus-one",
        "Hidden places hold −1, which still lets tokens be seen. Use minus infinity.",
        {"mask": -1.0},
        "constant",
    ),
    (
        "mask-ones",
        "Hidden places hold 1. The mask is added to the scores: use minus infinity.",
        {"mask": 1.0},
        "constant",
    ),
    (
        "mask-zero-one",
        "The mask holds 1 where a token may look and 0 where it may not. It is added "
        "to the scores: 0 where it may look, minus infinity where it may not.",
        {"mask": 0.0, "allowed": 1.0},
        "constant",
    ),
    (
        "mask-allowed-one",
        "The mask holds 1 where a token may look. It is added to the scores: use 0 there.",
        {"allowed": 1.0},
        "constant",
    ),
    (
        "mask-plus-infinity",
        "Hidden places hold plus infinity, which draws all the weight. Use minus infinity.",
        {"mask": np.inf},
        "constant",
    ),
    (
        "earlier-hidden",
        "With earlier tokens the diagonal starts in column 0, which hides some of "
        "them. Row i must see num_tokens + i columns before its own.",
        {"earlier": "hidden"},
        "earlier",
    ),
    (
        "earlier-ignored",
        "num_tokens is not used: the mask needs a column for each earlier token.",
        {"earlier": "ignored"},
        "columns",
    ),
    (
        "earlier-appended",
        "The columns of the earlier tokens are at the end. They come first in the "
        "text, so they are the first columns.",
        {"earlier": "appended"},
        "columns",
    ),
)
