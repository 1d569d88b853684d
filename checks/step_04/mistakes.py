"""Mistakes in a padding mask, and in combining it with a causal one."""

from __future__ import annotations

from checks.shared.mistakes import Family, Knob

hides = Knob("hides", "numbers")
padding = Knob("padding")
shape = Knob("shape", "dimensions")
combined = Knob("combined", "combine")

PADDING: Family = {
    "padding-inverted": hides(
        "inverted",
        "The mask hides the tokens and shows the padding: the two numbers are swapped, "
        "or the comparison is inverted.",
        part="choose",
    ),
    "padding-ones": hides(
        "ones",
        "The mask holds 1 for tokens and 0 for padding. It is added to the scores: use 0 "
        "for tokens and the lowest number for padding.",
    ),
    "padding-true": hides(
        "true", "The mask holds 1 for padding. It is added to the scores: use the lowest number."
    ),
    "padding-small": hides(
        "small", "The mask holds −1 for padding, which still gets weight. Use the lowest number."
    ),
    "padding-positive": hides(
        "positive",
        "The mask holds a large positive number for padding, which takes all the weight. "
        "Use the lowest number.",
    ),
    "padding-visible-one": hides(
        "visible_one", "The mask holds 1 for tokens. It is added to the scores: use 0."
    ),
    "padding-none": padding("none", "The mask hides nothing: it is 0 everywhere, or nearly so."),
    "padding-all": padding("all", "The mask hides everything, tokens included."),
    "padding-id-zero": padding("zero", "The id 0 is treated as padding. Use pad_token_id."),
    "padding-above": padding(
        "above", "Larger ids are treated as padding too. Only pad_token_id is padding."
    ),
    "padding-below": padding(
        "below", "Smaller ids are treated as padding too. Only pad_token_id is padding."
    ),
    "padding-from-first": padding(
        "from_first", "Everything after the first padding token is hidden, tokens included."
    ),
    "padding-trailing": padding(
        "trailing", "Only padding at the end is hidden. It may be anywhere."
    ),
    "padding-leading": padding(
        "leading", "Only padding at the start is hidden. It may be anywhere."
    ),
    "padding-first-text": padding(
        "first_text", "The padding of the first sequence is used for all sequences."
    ),
    "padding-last-token": padding("last_token", "Only the last position in a row can be hidden."),
    "padding-shape-plain": shape(
        "plain",
        "The mask is [batch, seq], which broadcasts to nothing sensible. Insert "
        "dimensions for heads and queries: [batch, 1, 1, seq].",
    ),
    "padding-shape-batch-1-seq": shape(
        "batch_1_seq",
        "The mask is [batch, 1, seq]. Against [batch, n_head, seq, seq] its batch meets "
        "the heads: make it [batch, 1, 1, seq].",
    ),
    "padding-queries": shape(
        "queries",
        "The mask is [batch, 1, seq, 1]: it hides what padding attends to instead of "
        "padding itself. Keys are the last dimension.",
    ),
    "padding-shape-last": shape(
        "last",
        "The new dimensions are at the end. Keys are the last dimension: [batch, 1, 1, seq].",
    ),
    "padding-shape-first": shape(
        "first",
        "The new dimensions are at the front. The batch is the first dimension: "
        "[batch, 1, 1, seq].",
    ),
    "padding-shape-square": shape(
        "square",
        "The mask is repeated for every query. It holds the right numbers; leave that "
        "dimension 1: [batch, 1, 1, seq].",
    ),
    "padding-both": shape(
        "both", "The rows of padding are hidden too. Hide only keys: [batch, 1, 1, seq]."
    ),
}

COMBINED: Family = {
    "combined-causal-only": combined(
        "causal_only", "Only the causal mask counts: padding is ignored."
    ),
    "combined-padding-only": combined(
        "padding_only",
        "Only the padding mask counts: the causal one is ignored, and tokens see the future.",
    ),
    "combined-returns-causal": combined("unbroadcast_causal", "Only the causal mask is returned."),
    "combined-returns-padding": combined(
        "unbroadcast_padding", "Only the padding mask is returned."
    ),
    "combined-highest": combined(
        "highest",
        "Only what both masks hide is hidden. Hide what either hides: take the lower number.",
    ),
    "combined-multiplied": combined(
        "multiplied", "The masks are multiplied: 0 × −inf is NaN, and −inf × −inf is +inf."
    ),
    "combined-subtracted": combined(
        "subtracted", "The padding mask is subtracted. Hide what either mask hides."
    ),
    "combined-true": combined(
        "true",
        "The mask holds 1 where something is hidden. It is added to the scores: keep the "
        "lowest numbers.",
    ),
    "combined-counted": combined(
        "counted",
        "The mask counts how many masks hide an entry. It is added to the scores: use the lowest "
        "number there.",
    ),
    "combined-negated": combined(
        "negated",
        "The mask holds a large positive number where something is hidden, which takes all the "
        "weight. A minus sign is missing, or there is one too many.",
    ),
    "combined-ones": combined(
        "ones",
        "The mask holds 1 where a token may attend and 0 where it may not. It is added to "
        "the scores: keep the lowest numbers.",
    ),
    "combined-inverted": combined(
        "inverted", "The mask hides what should be seen, and shows what should be hidden."
    ),
    "combined-causal-transposed": combined(
        "causal_transposed", "The causal mask is transposed: the past is hidden."
    ),
    "combined-queries": combined(
        "queries", "The padding mask is transposed: it hides rows, not columns."
    ),
    "combined-queries-too": combined(
        "queries_too", "The rows of padding are hidden too. Hide only its columns."
    ),
    "combined-first-text": combined(
        "first_text", "The padding of the first sequence is used for all sequences."
    ),
    "combined-squeezed": combined(
        "squeezed",
        "The mask is [batch, seq, seq]. Against [batch, n_head, seq, seq] its batch "
        "meets the heads: make it [batch, 1, seq, seq].",
    ),
}
