"""Mistakes in scaled dot-product attention, and in its heads."""

from __future__ import annotations

from checks.shared.mistakes import ASKED, Family, Knob

scale = Knob("scale")
mask = Knob("mask")
softmax = Knob("softmax")
product = Knob("product", "scores")
mix = Knob("mix", "output")
order = Knob("order", "split", r"parts: split|chunk|unbind|\[0\]")
packing = Knob("packing", "split", r"__call__() ~(reshape|view|rearrange)\(.*\b3\b")
split = Knob("split", "split_heads")
merge = Knob("merge", "merge_heads")
heads = Knob("heads")

BAND = rf"causal_mask() ~{ASKED}|band_part|tri[lu]\b"
"""Where a step's own mask defines which positions it hides."""
CHOICE = rf"causal_mask() ~where\(|band_part|tri[lu]\b ~ {ASKED}"
"""Where it chooses between the hidden and the visible value."""
FILLER = r"causal_mask() ~where\(|\binf\b|full\(|ones|Tensor\("
"""Where it defines the value that hides them."""

REVERSED = r"() ~reversed\(|::\s*-1\]|range\(.*-1\)"
"""Where something is iterated over in reverse."""

ATTENTION: Family = {
    "missing-scale": scale(
        "none", "Your output is exactly attention without the 1/√head_dim scale."
    ),
    "scale-head-dim": scale(
        "head_dim",
        "The scores are divided by head_dim, or twice by its square root. Divide once, by the "
        "square root.",
    ),
    "scale-sqrt-n-embd": scale(
        "sqrt_n_embd",
        "The scores are divided by √n_embd. One head has head_dim features: divide by √head_dim.",
    ),
    "scale-n-embd": scale("n_embd", "The scores are divided by n_embd. Divide by √head_dim."),
    "scale-multiplied": scale(
        "multiplied", "The scores are multiplied by √head_dim. Divide by it."
    ),
    "scale-after-softmax": scale(
        "after_softmax", "The scale comes after the softmax. Scale the scores before it."
    ),
    "scale-sqrt-seq": scale(
        "sqrt_seq",
        "The scores are divided by √seq_len. Divide by √head_dim, the number of products "
        "that each score sums.",
    ),
    "scale-sqrt-n-head": scale(
        "sqrt_n_head", "The scores are divided by √n_head. Divide by √head_dim."
    ),
    "scale-eight": scale(
        "eight",
        "The scores are divided by 8, which is √head_dim for GPT-2's own size only. "
        "Compute it from head_dim.",
    ),
    "scale-squared": scale("squared", "The scores are divided by head_dim². Divide by √head_dim."),
    "scale-floor": scale(
        "floor", "The square root of head_dim is rounded down. Use / and math.sqrt."
    ),
    "no-mask": mask(
        "none",
        "Your output is exactly attention without the causal mask: every token sees the future.",
    ),
    "mask-past": mask(
        "past", "The mask hides the past instead of the future: it is transposed.", place=BAND
    ),
    "mask-past-and-self": mask(
        "past_and_self",
        "The mask hides each token and its past, and shows the future. −inf belongs above the "
        "diagonal only: with exclude=True F.band_part keeps what is there.",
        place=CHOICE,
    ).also(filler="finite"),
    "mask-allows-next": mask(
        "allows_next", "The mask is off by one: each token also sees the next one.", place=BAND
    ),
    "mask-hides-self": mask(
        "hides_self",
        "The mask is off by one: a token does not see itself, and the first sees nothing at all.",
        place=BAND,
    ).also(filler="finite"),
    "mask-zero-times-inf": mask(
        "nan",
        "Every number is NaN: 0 × −inf is not a number. Do not multiply a matrix that "
        "holds zeros by −inf; choose between 0 and −inf.",
    ),
    "mask-multiplied": mask(
        "multiplied",
        "Hidden scores become 0, by a product with ones and zeros or by setting them. A "
        "score of 0 still gets weight: add −inf instead.",
    ),
    "mask-multiplied-inf": mask(
        "multiplied_inf",
        "The −inf mask is multiplied by the scores: 0 × score and −inf × score are not "
        "what you want. Add it.",
    ),
    "mask-ones": mask(
        "ones",
        "Hidden tokens get a score only 1 lower: a mask of ones and zeros, or of 0 "
        "and −1, is added. Add 0 where a token may attend and −inf where it may not.",
    ),
    **{
        f"mask-minus-{number}": mask(
            -float(number),
            f"The mask adds {told} where it should add −inf: hidden tokens with large scores "
            "still get weight.",
        )
        for number, told in {5: "−5", 10: "−10", 20: "−20", 50: "a finite number"}.items()
    },
    "mask-after-softmax": (
        mask("after_softmax", "The mask is added after the softmax. Add it to the scores before."),
        mask(
            "everything_after_softmax",
            "The softmax comes before the scale and the mask. Scale and mask the scores first.",
        ),
    ),
    "mask-zeroed-after-softmax": mask(
        "zeroed_after_softmax",
        "The weights are set to 0 after the softmax, so the rows no longer sum to 1. "
        "Mask the scores before it.",
    ),
    "mask-subtracted": mask(
        "subtracted", "The mask is subtracted: hidden scores become +inf. Add it."
    ),
    "softmax-over-queries": softmax(
        "queries",
        "The softmax runs over the queries (axis −2). Each query's weights over the keys "
        "must sum to 1: use the last axis.",
    ),
    "softmax-over-heads": softmax(
        "heads", "The softmax runs over the heads (axis 1). Use the last axis."
    ),
    "softmax-over-batch": softmax(
        "batch", "The softmax runs over the batch (axis 0). Use the last axis."
    ),
    "no-softmax": softmax("absent", "The raw scores weigh the values, without a softmax."),
    "softmax-twice": softmax("twice", "The softmax is applied twice."),
    "softmax-unnormalised": softmax(
        "unnormalised",
        "The exponentials are not divided by their sum: the weights do not sum to 1.",
    ),
    "softmax-sigmoid": softmax(
        "sigmoid",
        "A sigmoid is used where the softmax belongs: the weights of a query do not sum to 1.",
    ),
    "softmax-log": softmax(
        "log", "The logarithm of the softmax weighs the values. Use the softmax itself."
    ),
    "uniform-weights": softmax(
        "uniform",
        "Every visible token gets the same weight: the scores are not used.",
        part="scores",
    ),
    "hard-weights": softmax("hard", "Only the largest score counts. Use softmax, not argmax."),
    "scores-transposed": product(
        "transposed", "The scores are K·Qᵀ: query and key are swapped. Compute Q·Kᵀ."
    ),
    "scores-negated": scale(
        "negated",
        "The scores are negated: the tokens that fit least get the most weight.",
        part="scores",
    ),
    "weights-transposed": mix(
        "transposed", "The weights are transposed before they meet the values."
    ),
    "same-qkk": mix("keys", "The weights mix the keys. Mix the values."),
    "mean-of-values": mix(
        "mean",
        "The weighted values are averaged over the keys. The weights already sum to 1: "
        "add them up.",
    ),
    "returns-values": mix(
        "values",
        "The values come out unmixed: the weights are not used, or every token sees only itself.",
    ),
    "returns-query": mix("query", "The queries come out: neither weights nor values are used."),
}

OWN_MASK: Family = {
    "mask-plus-one": mask(
        1.0,
        "Hidden tokens get a score 1 higher, so the future still gets weight. The mask holds "
        "−inf where a token may not attend.",
        place=FILLER,
    ),
    "mask-plus-infinity": mask(
        float("inf"),
        "Hidden entries hold plus infinity, which takes all the weight. Use minus infinity.",
        place=FILLER,
    ),
}
"""Mistakes in the contents of a step's own mask."""

HEADS: Family = {
    "order-kqv": order(
        "kqv",
        "Query and key are swapped, at the split or where the parts are passed on. The "
        "order is query, key, value.",
    ),
    "order-qvk": order(
        "qvk",
        "Key and value are swapped, at the split or where the parts are passed on. The "
        "order is query, key, value.",
    ),
    "order-vkq": order(
        "vkq",
        "Query and value are swapped, at the split or where the parts are passed on. "
        "The order must be query, key, value.",
    ),
    "order-kvq": order(
        "kvq", "The projection is split in the wrong order. It must be query, key, value."
    ),
    "order-vqk": order(
        "vqk", "The projection is split in the wrong order. It must be query, key, value."
    ),
    "same-qqv": order("qqv", "The query is used where the key belongs."),
    "same-qkk": order("qkk", "The key is used where the value belongs."),
    "same-qkq": order("qkq", "The query is used where the value belongs."),
    "same-kkv": order("kkv", "The key is used where the query belongs."),
    "packing-per-head": packing(
        "per_head",
        "Query, key and value are taken head by head. All queries come first, then all keys, "
        "then all values: separate the three before the heads.",
    ),
    "packing-interleaved": packing(
        "interleaved",
        "Query, key and value are taken as every third number. All queries come first, then all "
        "keys, then all values: separate the three before the heads.",
        place=r"() ~::3\b|reshape\([^)]*, 3\]?\)",
    ),
    "split-by-reshape": split(
        "reshape",
        "The heads are split by reshape alone, which mixes tokens. Reshape to [batch, "
        "seq, n_head, head_dim], then transpose.",
    ),
    "split-head-dim-first": split(
        "head_dim_first",
        "The last axis is split as [head_dim, n_head]. It must be [n_head, head_dim].",
    ),
    "split-no-transpose": split(
        "no_transpose",
        "The heads stay after the sequence: the transpose after the reshape is missing.",
    ),
    "split-last-axes": split(
        "last_axes",
        "The wrong pair of axes is transposed in _split_heads. Swap the heads and the sequence.",
    ),
    "merge-by-reshape": merge(
        "reshape",
        "The heads are merged without the transpose, which mixes tokens. Transpose to "
        "[batch, seq, n_head, head_dim], then reshape.",
    ),
    "merge-head-dim-major": merge(
        "head_dim_major",
        "The heads are merged as [head_dim, n_head]. Each head's numbers must stay together.",
    ),
    "split-reversed": split(
        "reversed",
        "The heads are split in reverse order: the last one comes first. Keep their order.",
        place=REVERSED,
    ),
    "merge-reversed": merge(
        "reversed",
        "The heads are merged in reverse order: the last one comes first. Keep their order.",
        place=REVERSED,
    ),
    "merge-last-axes": merge(
        "last_axes",
        "The wrong pair of axes is transposed in _merge_heads. Swap the heads and the sequence.",
    ),
    "one-head": heads("one", "The whole width is used as a single head."),
}
"""Mistakes in separating query, key, value and their heads, and in merging them."""
