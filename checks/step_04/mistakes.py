"""Mistakes in a padding mask, and in combining it with a causal one."""

from __future__ import annotations

from checks.shared.mistakes import Row

PADDING: tuple[Row, ...] = (
    (
        "padding-inverted",
        "The mask hides the tokens and shows the padding: the two numbers are exchanged, or the "
        "comparison is.",
        {"hides": "inverted"},
        "choose",
    ),
    (
        "padding-ones",
        "The mask holds 1 for tokens and 0 for padding. It is added to the scores: "
        "use 0 for tokens and the lowest number for padding.",
        {"hides": "ones"},
        "numbers",
    ),
    (
        "padding-true",
        "The mask holds 1 for padding. It is added to the scores: use the lowest number.",
        {"hides": "true"},
        "numbers",
    ),
    (
        "padding-small",
        "The mask holds −1 for padding, which still gets weight. Use the lowest number.",
        {"hides": "small"},
        "numbers",
    ),
    (
        "padding-positive",
        "The mask holds a large positive number for padding, which draws all the "
        "weight. Use the lowest number.",
        {"hides": "positive"},
        "numbers",
    ),
    (
        "padding-visible-one",
        "The mask holds 1 for tokens. It is added to the scores: use 0.",
        {"hides": "visible_one"},
        "numbers",
    ),
    (
        "padding-none",
        "The mask hides nothing: it is 0 everywhere, or nearly so.",
        {"padding": "none"},
        "padding",
    ),
    ("padding-all", "The mask hides everything, tokens included.", {"padding": "all"}, "padding"),
    (
        "padding-id-zero",
        "The id 0 is taken for padding. Use pad_token_id.",
        {"padding": "zero"},
        "padding",
    ),
    (
        "padding-above",
        "Larger ids are taken for padding too. Only pad_token_id is padding.",
        {"padding": "above"},
        "padding",
    ),
    (
        "padding-below",
        "Smaller ids are taken for padding too. Only pad_token_id is padding.",
        {"padding": "below"},
        "padding",
    ),
    (
        "padding-from-first",
        "Everything behind the first padding is hidden, tokens included.",
        {"padding": "from_first"},
        "padding",
    ),
    (
        "padding-trailing",
        "Only padding at the end is hidden. It may stand anywhere.",
        {"padding": "trailing"},
        "padding",
    ),
    (
        "padding-leading",
        "Only padding at the start is hidden. It may stand anywhere.",
        {"padding": "leading"},
        "padding",
    ),
    (
        "padding-first-text",
        "The padding of the first text is taken for all texts.",
        {"padding": "first_text"},
        "padding",
    ),
    (
        "padding-last-token",
        "Only the last place of a text can be hidden.",
        {"padding": "last_token"},
        "padding",
    ),
    (
        "padding-shape-plain",
        "The mask is [batch, seq], which broadcasts to nothing sensible. "
        "Insert dimensions for heads and queries: [batch, 1, 1, seq].",
        {"shape": "plain"},
        "shape",
    ),
    (
        "padding-shape-batch-1-seq",
        "The mask is [batch, 1, seq]. Against [batch, n_head, seq, seq] "
        "its batch meets the heads: make it [batch, 1, 1, seq].",
        {"shape": "batch_1_seq"},
        "shape",
    ),
    (
        "padding-queries",
        "The mask is [batch, 1, seq, 1]: it hides what padding sees instead of "
        "padding itself. Keys are the last dimension.",
        {"shape": "queries"},
        "shape",
    ),
    (
        "padding-shape-last",
        "The new dimensions stand at the end. Keys are the last dimension: [batch, 1, 1, seq].",
        {"shape": "last"},
        "shape",
    ),
    (
        "padding-shape-first",
        "The new dimensions stand at the front. The batch is the first "
        "dimension: [batch, 1, 1, seq].",
        {"shape": "first"},
        "shape",
    ),
    (
        "padding-shape-square",
        "The mask is repeated for every query. It holds the right numbers; "
        "leave that dimension 1: [batch, 1, 1, seq].",
        {"shape": "square"},
        "shape",
    ),
    (
        "padding-both",
        "The rows of padding are hidden too. Only keys are: [batch, 1, 1, seq].",
        {"shape": "both"},
        "shape",
    ),
)

COMBINED: tuple[Row, ...] = (
    (
        "combined-causal-only",
        "The padding mask is not used.",
        {"combined": "causal_only"},
        "combine",
    ),
    (
        "combined-padding-only",
        "The causal mask is not used: tokens see the future.",
        {"combined": "padding_only"},
        "combine",
    ),
    (
        "combined-returns-causal",
        "The causal mask is returned alone.",
        {"combined": "unbroadcast_causal"},
        "combine",
    ),
    (
        "combined-returns-padding",
        "The padding mask is returned alone.",
        {"combined": "unbroadcast_padding"},
        "combine",
    ),
    (
        "combined-highest",
        "Only what both masks hide is hidden. Hide what either hides: take the lower number.",
        {"combined": "highest"},
        "combine",
    ),
    (
        "combined-multiplied",
        "The masks are multiplied: 0 × −inf is NaN, and −inf × −inf is +inf.",
        {"combined": "multiplied"},
        "combine",
    ),
    (
        "combined-subtracted",
        "The padding mask is subtracted. Hide what either mask hides.",
        {"combined": "subtracted"},
        "combine",
    ),
    (
        "combined-true",
        "The mask holds 1 where something is hidden. It is added to the scores: "
        "keep the lowest numbers.",
        {"combined": "true"},
        "combine",
    ),
    (
        "combined-ones",
        "The mask holds 1 where a token may look and 0 where it may not. It is "
        "added to the scores: keep the lowest numbers.",
        {"combined": "ones"},
        "combine",
    ),
    (
        "combined-inverted",
        "The mask hides what should be seen, and shows what should be hidden.",
        {"combined": "inverted"},
        "combine",
    ),
    (
        "combined-causal-transposed",
        "The causal mask is transposed: the past is hidden.",
        {"combined": "causal_transposed"},
        "combine",
    ),
    (
        "combined-queries",
        "The padding mask is turned: it hides rows, not columns.",
        {"combined": "queries"},
        "combine",
    ),
    (
        "combined-queries-too",
        "The rows of padding are hidden too. Only its columns are.",
        {"combined": "queries_too"},
        "combine",
    ),
    (
        "combined-first-text",
        "The padding of the first text is taken for all texts.",
        {"combined": "first_text"},
        "combine",
    ),
    (
        "combined-squeezed",
        "The mask is [batch, seq, seq]. Against [batch, n_head, seq, seq] its "
        "batch meets the heads: make it [batch, 1, seq, seq].",
        {"combined": "squeezed"},
        "combine",
    ),
)
