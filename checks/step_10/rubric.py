"""The rubric of step 10: ``MultiHeadAttention`` with every option and a KV cache.

Longer than 300 lines, because the layer has the most options of all.
"""

from __future__ import annotations

from checks.shared import common, results_gpt2, structure
from checks.shared.attention_mistakes import HEADS
from checks.shared.mistakes import named
from checks.step_10 import calls, mistakes, results, trials
from grader.rubric import Check, Rubric, rules, source

CLASS = calls.CLASS
OPTIONS = ("no-bias", "scale-*", "masks*", "position-bias", "zero*", "turned", "dropout")
CACHES = ("cache-*",)
TOGETHER = ("together-*",)
FAR = "rotary"
"""The trial of a rotation up to the last position, for which a long text is cached."""
WHOLE = ("plain", *OPTIONS, *CACHES, *TOGETHER, FAR)
"""The trials that run the whole layer."""

KNOWN = named(mistakes.OPTIONS, mistakes.ROTARY, mistakes.CACHE, HEADS)

PART_1 = (
    "numbers",
    "no-bias",
    "attention-scale",
    "attention-mask",
    "position-bias",
    "add-zero-attn",
    "no-dropout",
)
"""The checks of the lesson's first part. Those of the second wait for all of them."""

INIT, CALL = f"{CLASS}.__init__", source.call_of(CLASS)
SPLIT, MERGE = source.method(CLASS, "_split_heads"), source.method(CLASS, "_merge_heads")


SOURCE = (
    common.imports_functional("F.split, F.concat, F.range and F.softmax are used here.", "forward"),
    common.imports_tensor("Tensor is the type of most arguments here.", "forward"),
    common.imports_layers("Module is the base class, Linear the projection.", "forward"),
    common.defines(CLASS),
    Check(
        "projections",
        "self.qkv_proj and self.out_proj are Linear layers",
        "self.qkv_proj and self.out_proj are not created correctly",
        "Use Linear(in_dim, out_dim, bias=bias) for each",
        "One layer makes query, key and value at once.",
        lesson="One projection for three",
        test=source.every(
            source.stores(INIT, "qkv_proj", "Linear(...)", without=structure.NO_BIAS),
            source.stores(INIT, "out_proj", "Linear(...)", without=structure.NO_BIAS),
        ),
    ),
    Check(
        "scale",
        "self.scale is attention_scale, or 1/√head_dim if that is None",
        "self.scale is not chosen correctly",
        "Take attention_scale if it is given, else self.head_dim ** -0.5",
        '0 is a scale too, but "or" treats it as missing.',
        lesson="The scale",
        test=source.every(
            source.stores(INIT, "scale", "attention_scale"),
            source.stores(INIT, "scale", "math.sqrt(_)", "F.rsqrt(_)", "_ ** _"),
        ),
    ),
    Check(
        "split-heads",
        "_split_heads: reshape and transpose move the heads forward",
        "_split_heads: the heads are not moved forward by reshape and transpose",
        "Reshape to [batch, seq, num_heads, head_dim], then transpose(-3, -2)",
        "It is the one of step 05.",
        gives="the heads",
        part=("split_heads", "heads"),
        test=structure.splits_heads(SPLIT),
        proven_by=("split_heads",),
    ),
    Check(
        "merge-heads",
        "_merge_heads: transpose and reshape bring them back",
        "_merge_heads: transpose and reshape do not bring the heads back",
        "transpose(-3, -2) first, then reshape to [batch, seq, hidden_size]",
        "It is the one of step 05.",
        gives="the merged heads",
        part="merge_heads",
        test=structure.merges_heads(MERGE),
        proven_by=("merge_heads",),
    ),
    Check(
        "bias-and-mask",
        "_attn: position bias and mask are added to the scores",
        "_attn: position bias and mask are not added to the scores",
        "Add each to the scores if it is not None",
        "Both come after the scale and before the softmax.",
        lesson="Mask and position bias",
        gives="the masked scores",
        part=("attention-mask", "position-bias"),
        test=source.every(
            source.returns(CALL, "_ + attention_mask", near="F.softmax(...)"),
            source.returns(CALL, "_ + position_bias", near="F.softmax(...)"),
        ),
    ),
    Check(
        "zero",
        "_attn: add_zero_attn gives every query a zero to attend to",
        "_attn: add_zero_attn gives no zero to attend to",
        "Add a column of zeros to the scores, and drop its weight after the softmax",
        "A key of zeros scores 0, a value of zeros adds nothing.",
        lesson="Nothing to attend to",
        gives="the attention weights",
        test=source.returns(
            CALL,
            "F.softmax(F.concat(...) | F.concatenate(...) | F.pad(...), ...)",
            near="F.softmax(...)",
        ),
    ),
    Check(
        "call-out-proj",
        "__call__: self.out_proj gives the output",
        "__call__: self.out_proj does not give the output",
        "Call self.out_proj on the merged heads",
        "It comes last, as c_proj in step 05.",
        gives="the output of the layer",
        test=source.returns(CALL, "self.out_proj(...)"),
    ),
    Check(
        "positions",
        "__call__: positions continue where the cache ends",
        "__call__: positions do not continue where the cache ends",
        "Count from past to past + seq: past is the length of the cached keys",
        "The rotation needs positions in the whole sequence.",
        lesson="Rotation and the cache",
        answer="positions = F.range(past, past + query.shape[-2], dtype=DType.int64, "
        "device=query.device)",
        test=source.surely(
            source.mentions(CALL, "range(...)", "arange(...)"), "__call__", "forward"
        ),
        needs=PART_1,
    ),
    Check(
        "rotate",
        "__call__: the rotation is used if there is one",
        "__call__: the rotation is not used",
        "Rotate query and key by the same positions: self.rotary(tensor, positions)",
        "The new tokens are at past, past + 1, …",
        lesson="Rotation and the cache",
        gives="the rotated key",
        test=source.returns(CALL, "self.rotary(...)"),
        needs=PART_1,
    ),
    Check(
        "join",
        "__call__: F.concat puts cached keys and values in front of the new ones",
        "__call__: cached keys and values are not put in front of the new ones",
        "Join along the tokens, key and value alike: F.concat([old, new], axis=-2)",
        "The tokens are the second to last axis, and old ones come first.",
        lesson="The cache",
        gives="the values of all tokens",
        test=source.returns(
            CALL,
            "F.concat(past_key_value, ...)",
            "F.concatenate(past_key_value, ...)",
            near="F.concat(...)",
        ),
        needs=PART_1,
    ),
    common.placeholders(structure.no_stub_left(CLASS)),
)

RUNTIME = (
    Check(
        "builds",
        "MultiHeadAttention class can be instantiated, with every option",
        "MultiHeadAttention class cannot be instantiated",
        "MultiHeadAttention(hidden_size, num_heads) must work, and so must each keyword",
        "Every option has a default, and the order is fixed.",
        answer="Keep the signature of __init__, and create both projections for every choice "
        "of options",
        rule=rules.builds(*WHOLE),
    ),
    Check(
        "parameters",
        "It has the weights of qkv_proj and out_proj, and biases unless bias=False",
        "It does not have the right weights",
        "qkv_proj goes from hidden_size to 3 * hidden_size, out_proj to hidden_size",
        "One projection makes query, key and value.",
        lesson="One projection for three",
        blank="projections",
        rule=rules.loads(*WHOLE),
        needs=("builds",),
    ),
    common.runs(
        CLASS,
        "Every argument but hidden_states may be None",
        "An argument not given is None, and is left out.",
        lesson="Shapes",
        answer="Ask 'is not None' before each of mask, bias and cache is used",
        rule=rules.runs("plain", *OPTIONS),
        needs=("parameters",),
    ),
    Check(
        "pair",
        "It returns a pair: (output, None) without a cache",
        "It does not return a pair, the output and None",
        "return output, None",
        "The second of the pair is the cache, or None if it was not asked for.",
        lesson="Tasks of part 1",
        blank="return",
        rule=results_gpt2.output_and_cache("plain", *OPTIONS, cached=False),
        needs=("forward",),
    ),
    Check(
        "numbers",
        "The numbers are right without any options",
        "The attention without options is not right",
        "Compare each line with step 05: this is the same attention without the causal mask",
        "Without options this is step 05 without its mask.",
        lesson="One projection for three",
        blank="scores",
        answer="weights = F.softmax(query @ key.transpose(-2, -1) * self.scale), then weights "
        "@ value",
        gives="the scaled scores",
        part=("numbers", "split"),
        rule=rules.all_of(
            rules.tensors("plain"),
            rules.shapes("plain"),
            rules.numbers("plain"),
            rules.repeats("plain", "out.0", "again.0"),
        ),
        needs=("pair",),
    ),
    Check(
        "no-bias",
        "bias=False: the projections have no bias, and the numbers are right",
        "bias=False: the attention is not right",
        "Pass bias on to both Linear layers",
        "Both layers get the option.",
        lesson="One projection for three",
        blank="projections",
        rule=rules.all_of(
            rules.keeps_none("no-bias"),
            rules.numbers("no-bias", what="numbers with bias=False"),
        ),
        needs=("numbers",),
    ),
    Check(
        "attention-scale",
        "attention_scale replaces 1/√head_dim, even if it is 0",
        "attention_scale is not used correctly",
        "Multiply the scores by it, before anything is added",
        "0.0 is a scale like any other.",
        lesson="The scale",
        blank="scale",
        part="scale",
        rule=rules.numbers("scale-*", what="numbers with an attention_scale"),
        needs=("numbers",),
    ),
    Check(
        "attention-mask",
        "attention_mask is added to the scores, whatever its shape",
        "attention_mask is not used correctly",
        "Add it before the softmax, and let broadcasting do the rest",
        "The mask is added after the scale.",
        lesson="Mask and position bias",
        blank="bias-and-mask",
        rule=rules.all_of(
            results.finite("masks-far", "out.0", ("masks", "padding.0")),
            results.hides("masks-far", "masks"),
            rules.numbers("masks*", what="numbers with an attention_mask"),
        ),
        needs=("numbers",),
    ),
    Check(
        "position-bias",
        "position_bias is added to the scores",
        "position_bias is not used correctly",
        "Add it after the scale and before the softmax",
        "The bias is not scaled.",
        lesson="Mask and position bias",
        blank="bias-and-mask",
        rule=rules.all_of(
            results.finite("position-bias", "one.0", ("position-bias", "masked.0")),
            rules.numbers("position-bias", what="numbers with a position_bias"),
        ),
        needs=("numbers",),
    ),
    Check(
        "add-zero-attn",
        "add_zero_attn lets every query attend to a zero as well",
        "add_zero_attn is not used correctly",
        "The zero's score is 0, whatever mask and bias say, and its value adds nothing",
        "One more column of scores takes a share of every weight.",
        lesson="Nothing to attend to",
        blank="zero",
        part="zero",
        rule=rules.all_of(
            results.finite("zero", "out.0", ("zero", "hidden.0")),
            rules.numbers("zero*", what="numbers with add_zero_attn"),
        ),
        needs=("numbers",),
    ),
    Check(
        "no-dropout",
        "dropout is accepted and changes nothing: MAX does not train",
        "dropout changes the output",
        "Keep the number if you like, but use it nowhere",
        "MAX runs models and does not train them.",
        lesson="Dropout",
        answer="self.dropout = dropout, and nothing more",
        rule=rules.numbers("dropout", what="numbers with another dropout"),
        needs=("numbers",),
    ),
    Check(
        "use-rotary",
        "use_rotary rotates query and key by their positions",
        "use_rotary is not used correctly",
        "Rotate both before the scores are computed, and leave the value alone",
        "New keys are rotated before they join the cache.",
        lesson="Rotation and the cache",
        blank="rotate",
        part="rotate",
        rule=rules.all_of(
            rules.numbers("turned", what="numbers with use_rotary"),
            results.before(
                rules.all_of(rules.runs(FAR), rules.numbers(FAR, what="numbers of a long text")),
                FAR,
                "out.0",
            ),
        ),
        needs=PART_1,
    ),
    Check(
        "cached-pair",
        "With use_cache it returns (output, (key, value))",
        "With use_cache it does not return the output and the cache",
        "It returns a pair either way: the output, and the cache if use_cache asks for it",
        "The cache is returned only if it was asked for.",
        lesson="The cache",
        blank="return",
        rule=results_gpt2.output_and_cache(*WHOLE),
        needs=PART_1,
    ),
    Check(
        "cached-forward",
        "Decoding with a cache executes without errors",
        "Decoding with a cache does not work",
        "past_key_value is what an earlier call returned: a pair of tensors",
        "The cached tokens come before the new ones.",
        lesson="The cache",
        blank="join",
        rule=rules.all_of(results.grows(*CACHES), rules.runs(*CACHES)),
        needs=("cached-pair",),
    ),
    Check(
        "cache",
        "The cache holds keys and values of all tokens: [batch, num_heads, total, head_dim]",
        "The cache does not hold what it should",
        "Return key and value after joining, before anything else is done to them",
        "The cache grows along the tokens, the second to last dimension.",
        lesson="The cache",
        answer="key = F.concat([past_key_value[0], key], axis=-2), and return (key, value) "
        "with use_cache",
        part=("join", "cache"),
        rule=rules.all_of(
            rules.keeps_none("cache-first"),
            rules.shapes("cache-first", "cache-plain"),
            rules.placed(
                rules.numbers(
                    "cache-first", "cache-plain", what="numbers of the cache or after it"
                ),
                KNOWN,
                "cache-first",
                "cache-plain",
            ),
        ),
        needs=("cached-forward", "attention-mask"),
    ),
    Check(
        "decoding",
        "A text in pieces with the cache gives what the whole text gives at once",
        "A text in pieces does not give what the whole text gives at once",
        "New tokens see the cached ones, and their positions continue where the cache ends",
        "Rotate the new tokens by positions that start where the cache ends.",
        lesson="A text in pieces",
        blank="past-length",
        part="positions",
        rule=rules.all_of(
            rules.placed(
                rules.numbers(*CACHES, what="numbers of a text in pieces"), KNOWN, *CACHES
            ),
            rules.runs(FAR),
            rules.numbers(FAR, what="numbers after a long text"),
            rules.note("{count} layers agree with float64.", *WHOLE),
        ),
        needs=("cache", "use-rotary", "add-zero-attn"),
    ),
    Check(
        "together",
        "The options work together for every size",
        "The options do not work together for every size",
        "Each option works alone. Look for an if that drops one when another is given",
        "Every option is independent of the others, and of the cache.",
        lesson="A text in pieces",
        blank="call-out-proj",
        rule=rules.all_of(
            rules.runs(*TOGETHER),
            rules.shapes(*TOGETHER),
            rules.numbers(*TOGETHER, what="numbers with several options"),
        ),
        needs=("decoding", "no-bias", "attention-scale", "position-bias", "no-dropout"),
    ),
)

RUBRIC = Rubric(
    checks=(*SOURCE, *RUNTIME),
    draw=trials.draw,
    misconceptions=KNOWN,
    result="numbers",
    gives={"project": "query, key and value", "mix": "what each head found"},
)
