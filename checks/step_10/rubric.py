"""The rubric of step 10: ``MultiHeadAttention`` with every option and a KV cache."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from checks.shared import attention_mistakes, results_gpt2, structure
from checks.shared.mistakes import named
from checks.step_10 import mistakes, trials
from grader.rubric import (
    Rubric,
    Trial,
    call_of,
    defines_class,
    every,
    mentions,
    method,
    returns,
    rules,
    runtime_check,
    source_check,
    stores,
    surely,
)

CLASS = trials.CLASS
OPTIONS = ("no-bias", "scale-*", "masks", "position-bias", "zero", "rotary", "dropout")
CACHES = ("cache-*",)
WHOLE = ("plain", *OPTIONS, *CACHES)
INIT, CALL = f"{CLASS}.__init__", call_of(CLASS)
SPLIT, MERGE = method(CLASS, "_split_heads"), method(CLASS, "_merge_heads")
"""The trials that run the whole layer."""


def draw(rng: np.random.Generator) -> Iterable[Trial]:
    """Each option by itself, decoding in pieces, and the helpers."""
    return trials.draw(rng)


SOURCE = (
    source_check(
        "import-functional",
        "functional module is imported as F from max.experimental",
        "functional module is not imported from max.experimental",
        "Add 'from max.experimental import functional as F'",
        'F.split, F.concat, F.range and F.softmax are used here. See "MAX operations".',
        "from max.experimental import functional as F",
        test=structure.IMPORTS_F,
        proven_by=("forward",),
    ),
    source_check(
        "import-tensor",
        "Tensor is imported from max.experimental.tensor",
        "Tensor is not imported from max.experimental.tensor",
        "Add 'from max.experimental.tensor import Tensor'",
        'Tensor is the type of most arguments here. See "MAX operations".',
        "from max.experimental.tensor import Tensor",
        test=structure.IMPORTS_TENSOR,
        proven_by=("forward",),
    ),
    source_check(
        "import-nn",
        "Linear and Module are imported from max.experimental.nn",
        "Linear and Module are not imported from max.experimental.nn",
        "Add 'from max.experimental.nn import Linear, Module'",
        'Module is the base class, Linear the projection. See "MAX operations".',
        "from max.experimental.nn import Linear, Module",
        test=structure.IMPORTS_LAYERS,
        proven_by=("forward",),
    ),
    source_check(
        "class",
        "MultiHeadAttention class exists",
        "MultiHeadAttention class is missing",
        "Define 'class MultiHeadAttention(Module):'",
        "The grader builds the class by this name.",
        "class MultiHeadAttention(Module):",
        test=defines_class(CLASS, "Module"),
    ),
    source_check(
        "projections",
        "self.qkv_proj and self.out_proj are Linear layers",
        "self.qkv_proj and self.out_proj are not created correctly",
        "Use Linear(in_dim, out_dim, bias=bias) for each",
        'One layer makes query, key and value at once. See "One projection for three".',
        "self.qkv_proj = Linear(hidden_size, 3 * hidden_size, bias=bias)",
        test=every(
            stores(INIT, "qkv_proj", "Linear(...)", without=structure.NO_BIAS),
            stores(INIT, "out_proj", "Linear(...)", without=structure.NO_BIAS),
        ),
    ),
    source_check(
        "scale",
        "self.scale is attention_scale, or 1/√head_dim where that is None",
        "self.scale is not chosen correctly",
        "Take attention_scale where it is given, else self.head_dim ** -0.5",
        '0 is a scale too, and "or" takes it for nothing. See "The scale".',
        "self.scale = self.head_dim**-0.5 if attention_scale is None else attention_scale",
        test=every(
            stores(INIT, "scale", "attention_scale"),
            stores(INIT, "scale", "math.sqrt(_)", "F.rsqrt(_)", "_ ** _"),
        ),
    ),
    source_check(
        "split-heads",
        "_split_heads: reshape and transpose move the heads forward",
        "_split_heads: the heads are not moved forward by reshape and transpose",
        "Reshape to [batch, seq, num_heads, head_dim], then transpose(-3, -2)",
        "It is that of step 05.",
        "return tensor.reshape(tensor.shape[:-1] + [self.num_heads, self.head_dim])"
        ".transpose(-3, -2)",
        test=returns(
            SPLIT,
            "_.reshape(...).transpose(-3, -2)",
            rank=4,
            near="_.transpose(...) | _.reshape(...)",
        ),
        proven_by=("split_heads",),
    ),
    source_check(
        "merge-heads",
        "_merge_heads: transpose and reshape bring them back",
        "_merge_heads: transpose and reshape do not bring the heads back",
        "transpose(-3, -2) first, then reshape to [batch, seq, hidden_size]",
        "It is that of step 05.",
        "tensor = tensor.transpose(-3, -2); return tensor.reshape(tensor.shape[:-2] + "
        "[self.hidden_size])",
        test=returns(
            MERGE,
            "_.transpose(-3, -2).reshape(...)",
            rank=4,
            near="_.transpose(...) | _.reshape(...)",
        ),
        proven_by=("merge_heads",),
    ),
    source_check(
        "positions",
        "__call__: positions go on where the cache ends",
        "__call__: positions do not go on where the cache ends",
        "Count from past to past + seq: past is the length of the cached keys",
        'The rotation needs places in the whole text. See "Rotation and the cache".',
        "positions = F.range(past, past + query.shape[-2], dtype=DType.int64, device=query.device)",
        test=surely(mentions(CALL, "range(...)", "arange(...)"), "__call__", "forward"),
    ),
    source_check(
        "rotate",
        "__call__: the rotation is used where there is one",
        "__call__: the rotation is not used",
        "Call self.rotary(query, positions), and the same for the key",
        'The new tokens stand at past, past + 1, … See "Rotation and the cache".',
        "query, key = self.rotary(query, positions), self.rotary(key, positions)",
        test=returns(CALL, "self.rotary(...)"),
    ),
    source_check(
        "join",
        "__call__: F.concat puts cached keys and values in front of the new ones",
        "__call__: cached keys and values are not put in front of the new ones",
        "Use F.concat([past_key_value[0], key], axis=-2), and the same for the value",
        'The tokens are the second to last axis, and old ones come first. See "The cache".',
        "key = F.concat([past_key_value[0], key], axis=-2)",
        test=returns(
            CALL,
            "F.concat(past_key_value, ...)",
            "F.concatenate(past_key_value, ...)",
            near="F.concat(...)",
        ),
    ),
    source_check(
        "bias-and-mask",
        "_attn: position bias and mask are added to the scores",
        "_attn: position bias and mask are not added to the scores",
        "Add each to the scores where it is not None",
        'Both come after the scale and before the softmax. See "Mask and position bias".',
        "if attention_mask is not None: scores = scores + attention_mask",
        test=every(
            returns(CALL, "_ + attention_mask", near="F.softmax(...)"),
            returns(CALL, "_ + position_bias", near="F.softmax(...)"),
        ),
    ),
    source_check(
        "zero",
        "_attn: add_zero_attn gives every query a zero to look at",
        "_attn: add_zero_attn gives no zero to look at",
        "Add a column of zeros to the scores, and drop its weight after the softmax",
        'A key of zeros scores 0, a value of zeros adds nothing. See "Nothing to look at".',
        "F.softmax(F.concat([scores, query[..., :1] * 0], axis=-1))[..., :-1]",
        test=returns(
            CALL,
            "F.softmax(F.concat(...) | F.concatenate(...) | F.pad(...), ...)",
            near="F.softmax(...)",
        ),
    ),
    source_check(
        "call-out-proj",
        "__call__: self.out_proj gives the output",
        "__call__: self.out_proj does not give the output",
        "Call self.out_proj on the merged heads",
        "It comes last, as c_proj in step 05.",
        "output = self.out_proj(self._merge_heads(context))",
        test=returns(CALL, "self.out_proj(...)"),
    ),
    source_check(
        "placeholders",
        "All placeholder 'None' values have been replaced",
        "Found placeholder 'None' values that need to be replaced:",
        "Replace all 'None' values with the actual implementation",
        "Each stands under a TODO.",
        "Search the file for None.",
        test=structure.no_stub_left(CLASS),
    ),
)

RUNTIME = (
    runtime_check(
        "builds",
        "MultiHeadAttention class can be instantiated, with every option",
        "MultiHeadAttention class cannot be instantiated",
        "MultiHeadAttention(hidden_size, num_heads) must work, and so must each keyword",
        'Every option has a default, and the order is fixed. See "Tasks".',
        "Keep the signature of __init__, and create both projections for every choice of options",
        rule=rules.builds(*WHOLE),
    ),
    runtime_check(
        "parameters",
        "It has the weights of qkv_proj and out_proj, and biases unless bias=False",
        "It does not have the right weights",
        "qkv_proj goes from hidden_size to 3 * hidden_size, out_proj to hidden_size",
        'One projection makes query, key and value. See "One projection for three".',
        "self.qkv_proj = Linear(hidden_size, 3 * hidden_size, bias=bias), and out_proj likewise",
        rule=rules.loads(*WHOLE),
        needs=("builds",),
    ),
    runtime_check(
        "forward",
        "MultiHeadAttention forward pass executes without errors",
        "MultiHeadAttention forward pass does not work",
        "Every argument but hidden_states may be None",
        'What was not given is None, and is left out. See "Shapes".',
        "Ask 'is not None' before each of mask, bias and cache is used",
        rule=rules.runs("plain", *OPTIONS),
        needs=("parameters",),
    ),
    runtime_check(
        "pair",
        "It returns (output, (key, value)) with use_cache, and (output, None) without",
        "It does not return the output and the cache",
        "return output, ((key, value) if use_cache else None)",
        'The cache is handed over only where it was asked for. See "The cache".',
        "return output, ((key, value) if use_cache else None)",
        rule=results_gpt2.output_and_cache(*WHOLE),
        needs=("forward",),
    ),
    runtime_check(
        "numbers",
        "The numbers are right without any option",
        "The numbers are not right",
        "Compare each line with step 05: this is the same attention without the causal mask",
        'Without options this is step 05 without its mask. See "One projection for three".',
        "weights = F.softmax(query @ key.transpose(-2, -1) * self.scale), then weights @ value",
        rule=rules.all_of(
            rules.tensors("plain"),
            rules.shapes("plain"),
            rules.numbers("plain"),
            rules.repeats("plain", "out.0", "again.0"),
        ),
        needs=("pair",),
    ),
    runtime_check(
        "no-bias",
        "bias=False: the projections have no bias, and the numbers are right",
        "bias=False: the numbers are not right",
        "Pass bias on to both Linear layers",
        'The option goes on to both layers. See "One projection for three".',
        "Linear(hidden_size, 3 * hidden_size, bias=bias) and Linear(hidden_size, hidden_size, "
        "bias=bias)",
        rule=rules.numbers("no-bias", what="numbers with bias=False"),
        needs=("numbers",),
    ),
    runtime_check(
        "attention-scale",
        "attention_scale takes the place of 1/√head_dim, also where it is 0",
        "attention_scale is not used as it should be",
        "Multiply the scores with it, before anything is added",
        '0.0 is a scale like any other. See "The scale".',
        "self.scale = self.head_dim**-0.5 if attention_scale is None else attention_scale",
        rule=rules.numbers("scale-*", what="numbers with an attention_scale"),
        needs=("numbers",),
    ),
    runtime_check(
        "attention-mask",
        "attention_mask is added to the scores, whatever its shape",
        "attention_mask is not used as it should be",
        "Add it before the softmax, and let broadcasting do the rest",
        'The mask is added after the scale. See "Mask and position bias".',
        "if attention_mask is not None: scores = scores + attention_mask",
        rule=rules.numbers("masks", what="numbers with an attention_mask"),
        needs=("numbers",),
    ),
    runtime_check(
        "position-bias",
        "position_bias is added to the scores",
        "position_bias is not used as it should be",
        "Add it after the scale and before the softmax",
        'The bias is not scaled. See "Mask and position bias".',
        "if position_bias is not None: scores = scores + position_bias",
        rule=rules.numbers("position-bias", what="numbers with a position_bias"),
        needs=("numbers",),
    ),
    runtime_check(
        "add-zero-attn",
        "add_zero_attn lets every query look at a zero as well",
        "add_zero_attn is not used as it should be",
        "The zero's score is 0, whatever mask and bias say, and its value adds nothing",
        'One more column of scores takes a share of every weight. See "Nothing to look at".',
        "F.concat([scores, query[..., :1] * 0], axis=-1), softmax, then drop the last column",
        rule=rules.numbers("zero", what="numbers with add_zero_attn"),
        needs=("numbers",),
    ),
    runtime_check(
        "use-rotary",
        "use_rotary rotates query and key by their positions",
        "use_rotary is not used as it should be",
        "Rotate both before the scores are computed, and leave the value alone",
        'New keys are rotated before they join the cache. See "Rotation and the cache".',
        "query, key = self.rotary(query, positions), self.rotary(key, positions)",
        rule=rules.numbers("rotary", what="numbers with use_rotary"),
        needs=("numbers",),
    ),
    runtime_check(
        "no-dropout",
        "dropout is accepted and changes nothing: MAX does not train",
        "dropout changes the output",
        "Keep the number if you like, and use it nowhere",
        'MAX runs models and does not train them. See "Dropout".',
        "self.dropout = dropout, and nothing more",
        rule=rules.numbers("dropout", what="numbers with another dropout"),
        needs=("numbers",),
    ),
    runtime_check(
        "cached-forward",
        "Decoding with a cache executes without errors",
        "Decoding with a cache does not work",
        "past_key_value is what an earlier call returned: a pair of tensors",
        'The cached tokens stand in front of the new ones. See "The cache".',
        "key = F.concat([past_key_value[0], key], axis=-2), and so for the value",
        rule=rules.runs(*CACHES),
        needs=("pair",),
    ),
    runtime_check(
        "cache",
        "The cache holds keys and values of all tokens: [batch, num_heads, total, head_dim]",
        "The cache does not hold what it should",
        "Return key and value after joining, before anything else is done to them",
        'The cache grows along the tokens, the second to last dimension. See "The cache".',
        "key = F.concat([past_key_value[0], key], axis=-2), and return (key, value) with use_cache",
        rule=rules.all_of(
            rules.shapes("cache-first", "cache-plain"),
            rules.numbers("cache-first", "cache-plain", what="numbers of the cache or behind it"),
        ),
        needs=("cached-forward", "attention-mask"),
    ),
    runtime_check(
        "decoding",
        "A text in pieces with the cache gives what the whole text gives at once",
        "A text in pieces does not give what the whole text gives at once",
        "New tokens see the cached ones, and their positions go on where the cache ends",
        'Rotate the new tokens by positions that start where the cache ends. See "A text in '
        'pieces".',
        "past = past_key_value[0].shape[-2], and the positions of the new tokens are past, past"
        " + 1, …",
        rule=rules.all_of(
            rules.numbers(*CACHES, what="numbers of a text in pieces"),
            rules.note("{count} layers, compared with float64.", *WHOLE),
        ),
        needs=("cache", "use-rotary", "add-zero-attn"),
    ),
)

BLAMES = {
    "scores": ("numbers",),
    "scale": ("scale", "attention-scale", "numbers"),
    "mask": ("bias-and-mask", "attention-mask"),
    "bias": ("bias-and-mask", "position-bias"),
    "zero": ("zero", "add-zero-attn"),
    "dropout": ("no-dropout",),
    "softmax": ("numbers",),
    "output": ("numbers",),
    "out_proj": ("call-out-proj", "numbers"),
    "rotary": ("rotate", "use-rotary"),
    "positions": ("positions", "decoding"),
    "join": ("join", "cache"),
    "returned": ("cache",),
    "split": ("projections", "numbers"),
    "split_heads": ("split-heads", "numbers"),
    "merge_heads": ("merge-heads", "numbers"),
    "heads": ("split-heads", "numbers"),
}

LESSON = {
    "scores": "Tasks",
    "scale": "The scale",
    "mask": "Mask and position bias",
    "bias": "Mask and position bias",
    "zero": "Nothing to look at",
    "dropout": "Dropout",
    "softmax": "Tasks",
    "output": "Tasks",
    "out_proj": "Tasks",
    "rotary": "Rotation and the cache",
    "positions": "Rotation and the cache",
    "join": "The cache",
    "returned": "The cache",
    "split": "One projection for three",
    "split_heads": "Tasks",
    "merge_heads": "Tasks",
    "heads": "Tasks",
}

SHARED = tuple(
    row
    for row in attention_mistakes.LAYER
    if row[3] in ("split", "split_heads", "merge_heads") or row[0] == "one-head"
)
"""Mistakes that this layer has in common with that of step 05."""

RUBRIC = Rubric(
    checks=(*SOURCE, *RUNTIME),
    draw=draw,
    misconceptions=(
        *named(mistakes.OPTIONS, BLAMES, LESSON),
        *named(mistakes.ROTARY, BLAMES, LESSON),
        *named(mistakes.CACHE, BLAMES, LESSON),
        *named(SHARED, BLAMES, LESSON),
    ),
)
