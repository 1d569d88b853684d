"""Mistakes in choosing the next token, and in writing text with it.

Longer than 300 lines, because every mistake has its sentence and its place.
"""

from __future__ import annotations

from checks.shared.mistakes import Family, Knob

SORTED = r"next_token() ~(?<!search)sort(?!s)|partition ~ top_k.*[\])]"
COUNTED = r"next_token() ~[\w)] [+-] \d+[\])] ~ (?<!search)sort(?!s)|partition ~ top_k.*[\])]"
HIDDEN = r"next_token() ~\[.*[<>].*\] = |where\("
SHARES = r"next_token() ~\bexp\(|softmax"
RENEWED = r"stream() ~^\w+ = \[\w+\]$ ~ \[-1:?\]|\[:1\]|Tensor\("
ALONE = r"next_token() ~^\w+ = \w+$|draw <|[<>]=? draw"
ENDS = r"next_token() ~cumsum|cumprod|searchsorted|draw <|[<>]=? draw"
READ = r"stream() ~\[-1:?\]|\[:1\]|Tensor\("
POSITIONS = r"decode() ~range\("
PAST = r"decode() ~(cache|past|key|old|\bp?k\d?\b).*\.shape ~ len\((cache|past) ~ \.shape|len\("
LENGTH = r"decode() ~len\((cache|past|old) ~ len\( ~ \.shape"
CUT_LATE = (
    r"next_token() ~^\w+ = (?!int\b|len\b|max\b|min\b)\w+\(.*\btop_k\b ~ \[.*[<>].*\] = |where\("
)
ONCE = (
    r"stream() ~^\w+(\[.*\])? = (next\(|\w*([Dd]raw|[Nn]umber|[Rr]andom|[Uu]niform)\w*\(\)$|"
    r"[\w.]+\.(random|uniform)\(\)$) ~ next\(|draw="
)
UNDRAWN = (
    r"stream() ~next_token\((?=.*temperature)(?!.*(draw|\*\*)) ~ "
    r"^(if|elif) .*(temperature|greedy|sampl) ~ \bnext\(.* if | if .*\bnext\( ~ next_token\("
)
ONE_OFF = r"decode() ~range\(.*[+-] 1\b|shape.*[+-] 1\b"
VALUES = r"_attend() ~^v.*concat|concat.*\[1\]"
"""Where a step of the choice is written, or of the loop, as ``Misconception.place``."""

choice = Knob("choice", "temperature")
heat = Knob("heat", "temperature", r"next_token() ~= .*(logits|temperature)")
best = Knob("best", "top-k", SORTED)
shares = Knob("shares", "temperature", SHARES)
order = Knob("order", "temperature", ENDS)
count = Knob("count", "written", r"stream() ~range\(|^while")
end = Knob("end", place="stream() ~eos_token_id|yield")
numbers = Knob("numbers", "drawn", ONCE)
returned = Knob("returned", "written", "generate() end")
position = Knob("position", "loop", r"stream() ~to_numpy|logits.*\[")
reads = Knob("reads", "fed", READ)
decode = Knob("decode", "layers")
joined = Knob("decode", "join", "_attend() ~concat")
ln_f = Knob("ln_f", "head")

CHOICE: Family = {
    "always-greedy": choice(
        "greedy",
        "The likeliest token is always taken, whatever the temperature.",
        place=r"next_token() ~argmax\((?!logits)",
    ),
    "score-for-place": choice(
        "score",
        "The highest score itself is returned, not its index. np.argmax gives the index.",
        part="greedy",
        place=r"next_token() ~max\(",
    ),
    "never-greedy": choice(
        "not_greedy",
        "At temperature 0 nothing returns the likeliest token: the logits are divided by 0, and "
        "token 0 comes out. First of all return int(np.argmax(logits)) where temperature == 0.",
        part="greedy",
        place="next_token() ~argmax|temperature",
    ),
    "worst-token": choice(
        "worst",
        "The token with the lowest score is taken. np.argmax finds the highest.",
        part="greedy",
        place="next_token() ~arg|sort",
    ),
    "temperature-multiplied": heat(
        "multiplied", "The logits are multiplied by the temperature. Divide by it."
    ),
    "temperature-ignored": heat(
        "ignored", "The temperature changes nothing. Divide the scores by it."
    ),
    "temperature-squared": heat("squared", "The logits are divided by the temperature twice."),
    "top-k-ignored": best("ignored", "top_k is ignored.", place="next_token() ~top_k|softmax|exp"),
    "top-k-one-less": (
        best(
            "one_less",
            "One token too few may be drawn: top_k - 1 of them. Hide only scores below the lowest "
            "that may stay (<, not <=).",
            place=HIDDEN,
        ),
        best(
            "tied",
            "Too few tokens may be drawn: the lowest of the best top_k is hidden as well. Hide "
            "only scores below it (<, not <=).",
            place=HIDDEN,
        ),
        best(
            "index_less",
            "One token too few may be drawn: top_k - 1 of them, and with top_k=1 all of them. "
            "np.sort(scores)[-top_k] is the lowest that may stay.",
            place=COUNTED,
        ),
    ),
    "top-k-one-more": best(
        "one_more", "One token too many may be drawn: top_k + 1 of them.", place=COUNTED
    ),
    "top-k-worst": best("worst", "The worst top_k tokens are kept. Keep the best."),
    "top-k-from-the-lowest": tuple(
        best(
            f"sorted_up{end}",
            f"np.sort and np.partition sort upwards, so {what} counts from the lowest score. Count "
            "from the highest: np.sort(scores)[-top_k].",
        )
        for end, what in (
            ("", "top_k"),
            ("_below_all", "top_k"),
            ("_less_one", "top_k - 1"),
            ("_less_one_below_all", "top_k - 1"),
        )
    ),
    "top-k-plus-infinity": best(
        "plus",
        "Scores below the best top_k are set to +inf, of which the softmax makes NaN. Set them to "
        "-inf.",
        place=HIDDEN,
        unless=r"-\s*(\w+\.)?inf\b|[\"']-inf",
    ),
    "top-k-last-ids": best(
        "last_ids",
        "The last top_k ids are kept, whatever their scores. Hide the scores below "
        "np.sort(scores)[-top_k].",
        place=r"next_token() ~\] = -|where\(",
    ),
    "top-k-hidden": tuple(
        best(
            value,
            "The best top_k tokens are hidden, and the others kept. It must be the other way "
            "round.",
            place=HIDDEN,
        )
        for value in ("hidden", "hidden_all")
    ),
    "top-k-places": best(
        "places",
        "np.argsort gives indices, but scores are compared with one of them. "
        "np.sort(scores)[-top_k] is the lowest score that may stay.",
        place="next_token() ~argsort|argpartition",
    ),
    "top-k-zero": best(
        "zero",
        "Scores below the best top_k are set to 0, which is an ordinary score. Set them to -inf.",
        place=HIDDEN,
    ),
    "top-k-after-softmax": (
        best(
            "after_softmax",
            "Tokens are left out after the softmax, so the probabilities no longer sum to 1.",
            place=CUT_LATE,
        ),
        best(
            "after_softmax_infinite",
            "Tokens are left out after the softmax: a probability of -inf makes NaN of the sums. "
            "Set the scores to -inf, before the softmax.",
            place=CUT_LATE,
        ),
    ),
    "uniform-draw": shares(
        "uniform", "Every token that may be drawn is equally likely. Weigh them by softmax."
    ),
    "draw-best-first": order(
        "best_first",
        "The shares run from the likeliest to the least likely. They "
        "must follow the order of the ids.",
        place="next_token() ~sort",
    ),
    "draw-worst-first": order(
        "worst_first",
        "The shares run from the least likely to the likeliest. They "
        "must follow the order of the ids.",
        place="next_token() ~sort",
    ),
    "draw-last-first": (
        order("last_first", "The shares are counted from the last token. Begin with id 0."),
        order(
            "from_above",
            "1 - draw is looked up, which counts the shares from the last token. Look up draw.",
            place=r"next_token() ~1(\.0)? - draw",
        ),
    ),
    "draw-no-sum": (
        order(
            "no_sum",
            "draw is looked up among the shares themselves. Add them up first: np.cumsum(shares).",
        ),
        *(
            order(
                value,
                "draw is compared with each share alone. Add the shares up: every share ends "
                "where all up to it are summed.",
                place=ALONE,
            )
            for value in ("each_alone", "each_alone_or_best")
        ),
    ),
    "draw-counted-above": order(
        "above",
        "The ends that lie above draw are counted. Count those that draw has passed: ends <= draw.",
    ),
    "draw-sorted": order(
        "sorted",
        "The shares are sorted, not added up. np.cumsum(shares) has the end of every share.",
    ),
    "draw-products": order(
        "products", "The shares are multiplied one after another. Add them up: np.cumsum."
    ),
    "draw-exclusive": order(
        "exclusive",
        "The running sum leaves out the share of the token itself, so the token after the right "
        "one is taken. np.cumsum(shares) includes it.",
    ),
    "shares-not-normalized": order(
        "unnormalized",
        "The shares do not sum to 1: np.exp is not divided by its sum. Without that draw, which "
        "lies between 0 and 1, does not fit.",
        place=SHARES,
    ),
    "draw-even": order(
        "even",
        "draw times vocab_size is taken as the token: so every token is equally likely.",
        place=r"next_token() ~draw \*|\* draw",
    ),
    "draw-at-the-end": order(
        "at_end",
        "A draw that lies exactly where a share ends goes to that share. It belongs to the next: "
        'the ends that draw has passed are those with end <= draw, side="right".',
        place=r"next_token() ~searchsorted|digitize|bisect ~ draw <|[<>]=? draw ~ cumsum",
    ),
    "draw-one-late": order("one_late", "The token after the right one is taken."),
    "draw-one-early": tuple(
        order(value, "The token before the right one is taken.", place="next_token() ~- 1")
        for value in ("one_early", "one_early_from_0")
    ),
}

LOOP: Family = {
    "one-token-less": count("one_less", "One token too few is generated."),
    "one-token-more": count("one_more", "One token too many is generated."),
    "max-not-kept": count(
        "full",
        "The text is filled up to n_positions tokens, whatever max_new_tokens says. Both limits "
        "must hold: take the smaller, min(...).",
    ),
    "max-is-total": count(
        "total",
        "max_new_tokens is used as the length of the whole text. It must count new tokens only.",
    ),
    "eos-ignored": end("ignored", "The text does not end at eos_token_id."),
    "eos-zero": end(
        "zero",
        "The text does not end at an eos_token_id of 0, which counts as false. Compare the new "
        "token with it, and ask nothing else.",
        place=r"stream() ~^(if|while) .*\beos_token_id( and|:$)|(and|not|or) eos_token_id\b(?! is)",
    ),
    "eos-inverted": end(
        "inverted",
        "The text ends after the first token that is not eos_token_id. Stop where the new token "
        "is eos_token_id: ==.",
        place=r"stream() ~eos_token_id (!=|is not)|(!=|is not) eos_token_id",
    ),
    "eos-left-out": end(
        "left_out", "The token that ends the text is left out. It must be part of the text."
    ),
    "same-draw": numbers(
        "same",
        "Every token is drawn with the same random number, the first. Take the next one in every "
        "turn of the loop.",
    ),
    "draw-not-given": numbers(
        "none",
        "Every token is drawn with draw=0: no random number reaches next_token. Where a token is "
        "drawn, give it draw=next(numbers).",
        place=UNDRAWN,
    ),
    "returns-new-only": returned(
        "new_only", "Only the new tokens are returned. generate must return the whole text."
    ),
    "first-position": position(
        "first",
        "The next token is chosen from the logits of the first position. The last "
        "position predicts the next token.",
    ),
    "position-before-last": position(
        "before_last",
        "The next token is chosen from the logits of the position before the last. The "
        "last position predicts the next token.",
    ),
    "last-token-only": reads(
        "last_only",
        "The model only reads the last token. Without a cache, it must read the whole text.",
    ),
    "whole-text-with-cache": reads(
        "whole",
        "The whole text is fed again although there is a cache. After the first call feed the last "
        "token only: text[-1:].",
    ),
    "first-token-again": reads(
        "first",
        "After the first call the model reads the first token of the text again. It must read the "
        "last one: text[-1:].",
        place=r"stream() ~\[:1\]|\[0\]|\[0:1\]",
    ),
    "last-new-token-only": reads(
        "last_new",
        "Without a cache the model only reads the last new token. It must read the whole "
        "text each time.",
        place=RENEWED,
    ),
    "cache-positions-restart": decode(
        "restart",
        "The positions of new tokens start at 0 again. They must continue where the cache ends.",
        part="positions",
        place=POSITIONS,
    ),
    **{
        f"past-{name}": decode(
            value,
            f"The positions of new tokens start at {what}. They must start at the number of cached "
            "tokens: cache[0][0].shape[-2].",
            part="positions",
            place=LENGTH if what.endswith(("cache", ")")) else PAST,
        )
        for name, value, what in (
            ("batch", "past_axis_0", "the batch size, the first axis of the cached keys"),
            ("heads", "past_axis_1", "the number of heads, the second axis of the cached keys"),
            ("width", "past_axis_-1", "head_dim, the last axis of the cached keys"),
            ("layers", "past_layers", "the number of blocks, the length of the cache"),
            ("pair", "past_pair", "2, the length of the pair (key, value)"),
        )
    },
    "cache-positions-one-late": tuple(
        decode(
            value,
            f"The positions of new tokens are off by one: they start one too {what}. The first "
            "new token's position is the number of cached tokens.",
            part="positions",
            place=ONE_OFF,
        )
        for value, what in (("one_late", "late"), ("one_early", "early"))
    ),
    **{
        f"order-{name}": decode(
            f"order_{name}",
            f"{what} are swapped, at the split or where the parts are passed on. The order is "
            "query, key, value.",
            part="project",
            place="_attend() ~split|chunk|c_attn",
        )
        for name, what in (
            ("kqv", "Query and key"),
            ("qvk", "Key and value"),
            ("vkq", "Query and value"),
        )
    },
    "cache-ignored": joined(
        "ignored", "The cached keys and values are not used: new tokens see only each other."
    ),
    "cache-new-first": joined(
        "new_first",
        "The new keys and values come before the cached ones. Old first, then new.",
    ),
    "cache-keys-new-first": joined(
        "keys_new_first", "The new keys come before the cached ones. Old first, then new."
    ),
    "cache-values-new-first": joined(
        "values_new_first",
        "The new values come before the cached ones. Old first, then new.",
        place=VALUES,
    ),
    "cache-exchanged": joined(
        "exchanged", "Cached keys and values are swapped. past is (key, value)."
    ),
    "cache-value-for-key": joined(
        "value_for_key", "The cached values are joined with the new keys. past[0] has the keys."
    ),
    "cache-key-for-value": joined(
        "key_for_value",
        "The cached keys are joined with the new values. past[1] has the values.",
        place=VALUES,
    ),
    "returns-exchanged": decode(
        "returns_exchanged",
        "The cache is returned as (value, key). It must be (key, value).",
        part="join",
        place="_attend() end",
    ),
    "returns-keys-twice": decode(
        "returns_keys",
        "The keys are returned twice. The cache must be (key, value).",
        part="join",
        place="_attend() end",
    ),
    "cache-no-mask": decode(
        "no_mask",
        "New tokens see those that come after them: the causal mask is missing.",
        part="mask",
    ),
    "cache-mask-at-start": decode(
        "mask_at_start",
        "Without a cache there is a causal mask, and with one there is none: several new tokens "
        "then see those that come after them.",
        part="mask",
        place=r"_attend() ~causal_mask\(",
    ),
    "cache-first-layer": decode(
        "first_layer",
        "Every block gets the cache of the first block.",
        place=r"decode() ~\w\[0\](?!\[|\.shape)",
    ),
    "cache-new-only": decode(
        "new_only",
        "Only the new keys and values are returned. Return those of all tokens.",
        part="join",
        place="_attend() end",
    ),
    "decode-ln-f-twice": ln_f("twice", "ln_f is applied twice."),
    "decode-ln-f-first": ln_f(
        "first", "ln_f is applied before the blocks. It must come after them."
    ),
    "decode-residual-twice": decode(
        "residual_twice", "The attention's output is added twice. Add it once."
    ),
    "decode-mlp-replaces": decode(
        "mlp_replaces", "The feed-forward network's result replaces the vectors. Add it to them."
    ),
    "decode-no-ln-2": decode(
        "no_ln_2", "The feed-forward network reads vectors that are not normalized."
    ),
    "decode-ln-1-twice": decode(
        "ln_1_twice", "ln_1 comes before the feed-forward network. It must be ln_2 there."
    ),
    "decode-no-positions": decode(
        "no_positions", "The position vectors are not added.", part="positions"
    ),
    "decode-no-ln-f": ln_f("missing", "The last normalization, ln_f, is missing."),
    "decode-no-mlp": decode("no_mlp", "The feed-forward network is missing from the blocks."),
    "decode-no-ln-1": decode("no_ln_1", "The attention reads vectors that are not normalized."),
    "decode-no-residual": decode(
        "no_residual", "What the attention found is not added to the vectors."
    ),
    "decode-merge-no-transpose": decode(
        "merge_flat",
        "The heads are merged without transpose, which mixes the tokens: transpose(-3, -2) first.",
        part="attend",
        place=r"_attend() ~reshape\(\w+\.shape",
    ),
    "decode-no-scale": decode(
        "no_scale", "The scores are not divided by √head_dim.", part="attend"
    ),
    "decode-no-c-proj": decode(
        "no_c_proj", "The attention's output projection is missing.", part="attend"
    ),
}
