"""Mistakes in scaled dot-product attention, and in the layer around it."""

from __future__ import annotations

from checks.shared.mistakes import Row

ATTENTION: tuple[Row, ...] = (
    (
        "missing-scale",
        "Your output is exactly attention without the 1/√head_dim scale.",
        {"scale": "none"},
        "scale",
    ),
    (
        "scale-head-dim",
        "The scores are divided by head_dim. Divide by its square root.",
        {"scale": "head_dim"},
        "scale",
    ),
    (
        "scale-sqrt-n-embd",
        "The scores are divided by √n_embd. One head has head_dim features: divide by √head_dim.",
        {"scale": "sqrt_n_embd"},
        "scale",
    ),
    (
        "scale-n-embd",
        "The scores are divided by n_embd. Divide by √head_dim.",
        {"scale": "n_embd"},
        "scale",
    ),
    (
        "scale-multiplied",
        "The scores are multiplied by √head_dim. Divide by it.",
        {"scale": "multiplied"},
        "scale",
    ),
    (
        "scale-after-softmax",
        "The scale comes after the softmax. Scale the scores before it.",
        {"scale": "after_softmax"},
        "scale",
    ),
    (
        "scale-sqrt-seq",
        "The scores are divided by √seq_len. Divide by √head_dim, the number of "
        "products that each score sums.",
        {"scale": "sqrt_seq"},
        "scale",
    ),
    (
        "scale-sqrt-n-head",
        "The scores are divided by √n_head. Divide by √head_dim.",
        {"scale": "sqrt_n_head"},
        "scale",
    ),
    (
        "scale-eight",
        "The scores are divided by 8, which is √head_dim for GPT-2's own size only. "
        "Compute it from head_dim.",
        {"scale": "eight"},
        "scale",
    ),
    (
        "scale-squared",
        "The scores are divided by head_dim². Divide by √head_dim.",
        {"scale": "squared"},
        "scale",
    ),
    (
        "scale-floor",
        "The square root of head_dim is rounded down. Use / and math.sqrt.",
        {"scale": "floor"},
        "scale",
    ),
    (
        "no-mask",
        "Your output is exactly attention without the causal mask: every token sees the future.",
        {"mask": "none"},
        "mask",
    ),
    (
        "mask-past",
        "The mask hides the past instead of the future: it is transposed.",
        {"mask": "past"},
        "mask",
    ),
    (
        "mask-past-and-self",
        "The mask hides each token and its past, and shows the future. Keep "
        "the part of the −inf matrix above the diagonal.",
        {"mask": "past_and_self"},
        "mask",
    ),
    (
        "mask-allows-next",
        "The mask is off by one: each token also sees the next one.",
        {"mask": "allows_next"},
        "mask",
    ),
    (
        "mask-hides-self",
        "The mask is off by one: a token does not see itself, and the first sees nothing at all.",
        {"mask": "hides_self"},
        "mask",
    ),
    (
        "mask-past-and-self",
        "The mask hides each token and its past, and shows the future. Keep "
        "the part of the −inf matrix above the diagonal.",
        {"mask": "past_and_self", "filler": "finite"},
        "mask",
    ),
    (
        "mask-hides-self",
        "The mask is off by one: a token does not see itself, and the first sees nothing at all.",
        {"mask": "hides_self", "filler": "finite"},
        "mask",
    ),
    (
        "mask-zero-times-inf",
        "Every number is NaN: 0 × −inf is not a number. Do not multiply a "
        "matrix that holds zeros by −inf; choose between 0 and −inf.",
        {"mask": "nan"},
        "mask",
    ),
    (
        "mask-multiplied",
        "Hidden scores become 0, by a product with ones and zeros or by setting "
        "them. A score of 0 still gets weight: add −inf instead.",
        {"mask": "multiplied"},
        "mask",
    ),
    (
        "mask-multiplied-inf",
        "The −inf mask is multiplied with the scores: 0 × score and −inf × "
        "score are not what you want. Add it.",
        {"mask": "multiplied_inf"},
        "mask",
    ),
    (
        "mask-ones",
        "Hidden tokens get a score lower by only 1: a mask of ones and zeros, or of 0 "
        "and −1, is added. Add 0 where a token may look and −inf where it may not.",
        {"mask": "ones"},
        "mask",
    ),
    (
        "mask-minus-5",
        "The mask adds −5 where it should add −inf: hidden tokens with large "
        "scores still get weight.",
        {"mask": -5.0},
        "mask",
    ),
    (
        "mask-minus-10",
        "The mask adds −10 where it should add −inf: hidden tokens with large "
        "scores still get weight.",
        {"mask": -10.0},
        "mask",
    ),
    (
        "mask-minus-20",
        "The mask adds −20 where it should add −inf: hidden tokens with large "
        "scores still get weight.",
        {"mask": -20.0},
        "mask",
    ),
    (
        "mask-minus-50",
        "The mask adds −50 where it should add −inf: hidden tokens with large "
        "scores still get weight.",
        {"mask": -50.0},
        "mask",
    ),
    (
        "mask-after-softmax",
        "The mask is added after the softmax. Add it to the scores before.",
        {"mask": "after_softmax"},
        "mask",
    ),
    (
        "mask-after-softmax",
        "The softmax comes before the scale and the mask. Scale and mask the scores first.",
        {"mask": "everything_after_softmax"},
        "mask",
    ),
    (
        "mask-zeroed-after-softmax",
        "The weights are set to 0 after the softmax, so the rows no "
        "longer sum to 1. Mask the scores before it.",
        {"mask": "zeroed_after_softmax"},
        "mask",
    ),
    (
        "mask-subtracted",
        "The mask is subtracted: hidden scores become +inf. Add it.",
        {"mask": "subtracted"},
        "mask",
    ),
    (
        "softmax-over-queries",
        "The softmax runs over the queries (axis −2). Each query's weights "
        "over the keys must sum to 1: use the last axis.",
        {"softmax": "queries"},
        "softmax",
    ),
    (
        "softmax-over-heads",
        "The softmax runs over the heads (axis 1). Use the last axis.",
        {"softmax": "heads"},
        "softmax",
    ),
    (
        "softmax-over-batch",
        "The softmax runs over the batch (axis 0). Use the last axis.",
        {"softmax": "batch"},
        "softmax",
    ),
    (
        "no-softmax",
        "There is no softmax: the raw scores weigh the values.",
        {"softmax": "absent"},
        "softmax",
    ),
    ("softmax-twice", "The softmax is applied twice.", {"softmax": "twice"}, "softmax"),
    (
        "softmax-unnormalised",
        "The exponentials are not divided by their sum: the weights do not sum to 1.",
        {"softmax": "unnormalised"},
        "softmax",
    ),
    (
        "softmax-sigmoid",
        "A sigmoid stands where the softmax belongs: the weights of a query do not sum to 1.",
        {"softmax": "sigmoid"},
        "softmax",
    ),
    (
        "softmax-log",
        "The logarithm of the softmax weighs the values. Use the softmax itself.",
        {"softmax": "log"},
        "softmax",
    ),
    (
        "uniform-weights",
        "Every visible token gets the same weight: the scores are not used.",
        {"softmax": "uniform"},
        "scores",
    ),
    (
        "hard-weights",
        "Only the largest score counts. Use softmax, not argmax.",
        {"softmax": "hard"},
        "softmax",
    ),
    (
        "scores-transposed",
        "The scores are K·Qᵀ: query and key are exchanged. Compute Q·Kᵀ.",
        {"product": "transposed"},
        "scores",
    ),
    (
        "scores-negated",
        "The scores have a minus: the tokens that fit least get the most weight.",
        {"scale": "negated"},
        "scores",
    ),
    (
        "weights-transposed",
        "The weights are transposed before they meet the values.",
        {"mix": "transposed"},
        "output",
    ),
    ("same-qkk", "The weights mix the keys. They mix the values.", {"mix": "keys"}, "output"),
    (
        "mean-of-values",
        "The weighted values are averaged over the keys. The weights already sum "
        "to 1: add them up.",
        {"mix": "mean"},
        "output",
    ),
    (
        "returns-values",
        "The values come out unmixed: the weights are not used.",
        {"mix": "values"},
        "output",
    ),
    (
        "returns-query",
        "The queries come out: neither weights nor values are used.",
        {"mix": "query"},
        "output",
    ),
)

LAYER: tuple[Row, ...] = (
    (
        "order-kqv",
        "Query and key are exchanged, at the split or where the parts are handed on. "
        "The order is query, key, value.",
        {"order": "kqv"},
        "split",
    ),
    (
        "order-qvk",
        "Key and value are exchanged, at the split or where the parts are handed on. "
        "The order is query, key, value.",
        {"order": "qvk"},
        "split",
    ),
    (
        "order-vkq",
        "Query and value are exchanged, at the split or where the parts are handed "
        "on. The order is query, key, value.",
        {"order": "vkq"},
        "split",
    ),
    (
        "order-kvq",
        "The projection is split in another order. It is query, key, value.",
        {"order": "kvq"},
        "split",
    ),
    (
        "order-vqk",
        "The projection is split in another order. It is query, key, value.",
        {"order": "vqk"},
        "split",
    ),
    ("same-qqv", "The query stands where the key belongs.", {"order": "qqv"}, "split"),
    ("same-qkk", "The key stands where the value belongs.", {"order": "qkk"}, "split"),
    ("same-qkq", "The query stands where the value belongs.", {"order": "qkq"}, "split"),
    ("same-kkv", "The key stands where the query belongs.", {"order": "kkv"}, "split"),
    (
        "packing-per-head",
        "Query, key and value are taken head by head. GPT-2 packs all queries "
        "first, then all keys, then all values.",
        {"packing": "per_head"},
        "split",
    ),
    (
        "packing-interleaved",
        "Query, key and value are taken as every third number. GPT-2 packs "
        "all queries first, then all keys, then all values.",
        {"packing": "interleaved"},
        "split",
    ),
    (
        "split-by-reshape",
        "The heads are split by reshape alone, which mixes tokens. Reshape to "
        "[batch, seq, n_head, head_dim], then transpose.",
        {"split": "reshape"},
        "split_heads",
    ),
    (
        "split-head-dim-first",
        "The last axis is split as [head_dim, n_head]. It is [n_head, head_dim].",
        {"split": "head_dim_first"},
        "split_heads",
    ),
    (
        "split-no-transpose",
        "The heads stay behind the sequence: the transpose after the reshape is missing.",
        {"split": "no_transpose"},
        "split_heads",
    ),
    (
        "split-last-axes",
        "The wrong pair of axes is transposed in _split_heads. Exchange the "
        "heads with the sequence.",
        {"split": "last_axes"},
        "split_heads",
    ),
    (
        "merge-by-reshape",
        "The heads are merged without the transpose, which mixes tokens. "
        "Transpose to [batch, seq, n_head, head_dim], then reshape.",
        {"merge": "reshape"},
        "merge_heads",
    ),
    (
        "merge-head-dim-major",
        "The heads are merged as [head_dim, n_head]. Each head's numbers stay together.",
        {"merge": "head_dim_major"},
        "merge_heads",
    ),
    (
        "split-reversed",
        "The heads are split in reverse order: the last one comes first. Keep their order.",
        {"split": "reversed"},
        "split_heads",
    ),
    (
        "merge-reversed",
        "The heads are merged in reverse order: the last one comes first. Keep their order.",
        {"merge": "reversed"},
        "merge_heads",
    ),
    (
        "merge-last-axes",
        "The wrong pair of axes is transposed in _merge_heads. Exchange the "
        "heads with the sequence.",
        {"merge": "last_axes"},
        "merge_heads",
    ),
    ("one-head", "The whole width is used as a single head.", {"heads": "one"}, "heads"),
    ("heads-head-dim", "n_head and head_dim are exchanged.", {"heads": "head_dim"}, "heads"),
    (
        "twelve-heads",
        "The number of heads is fixed at 12. Take it from config.n_head.",
        {"heads": "twelve"},
        "heads",
    ),
    ("no-c-proj", "The output projection c_proj is missing.", {"c_proj": "missing"}, "c_proj"),
    (
        "c-proj-twice",
        "The output projection c_proj is applied twice.",
        {"c_proj": "twice"},
        "c_proj",
    ),
    ("c-proj-no-bias", "The bias of c_proj is dropped.", {"c_proj": "no_bias"}, "c_proj"),
    (
        "c-proj-transposed",
        "The weight of c_proj is transposed.",
        {"c_proj": "transposed"},
        "c_proj",
    ),
    ("c-attn-no-bias", "The bias of c_attn is dropped.", {"c_attn": "no_bias"}, "c_attn"),
    (
        "residual",
        "The input is added to the output. The residual connection belongs to the "
        "block, not to the attention layer.",
        {"residual": "yes"},
        "result",
    ),
    ("returns-input", "The output is the input.", {"output": "input"}, "result"),
    ("returns-zeros", "The output is zero everywhere.", {"output": "zeros"}, "result"),
    ("returns-ones", "The output is one everywhere.", {"output": "ones"}, "result"),
    (
        "returns-mean",
        "The output is the mean of the tokens: no attention is computed.",
        {"output": "mean"},
        "result",
    ),
)
