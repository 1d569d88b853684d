"""The rubric of step 05: the 31 sentences on ``GPT2Attention``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from checks.shared import attention_mistakes, structure, trials
from checks.shared.mistakes import named
from grader.rubric import (
    Finding,
    Rubric,
    Source,
    SourceTest,
    Trial,
    call_of,
    defines_class,
    made_with,
    method,
    pattern,
    result,
    returns,
    rules,
    runtime_check,
    source_check,
    stores,
    walk,
)

CLASS = "GPT2Attention"

FORWARDS = ("gpt2", "random-*", "sharp", "calls")
"""The trials that run the whole layer."""

INIT, CALL = f"{CLASS}.__init__", call_of(CLASS)
SPLIT, MERGE, ATTN = (method(CLASS, name) for name in ("_split_heads", "_merge_heads", "_attn"))

ADDED = pattern(
    "_ + $scores",
    where={
        "scores": lambda e: made_with(e, structure.SCORES) and not made_with(e, structure.SOFTMAX)
    },
)
"""Something added to the scores."""


def adds_mask() -> SourceTest:
    """A call of causal_mask that reaches the result.

    Its lines are also those that add something to the scores, be it a mask or what should be one.
    """
    look = returns(ATTN, "causal_mask(...)", near=structure.SOFTMAX)

    def test(source: Source) -> Finding:
        found = look(source)
        every = [one.line for one in walk(result(source, ATTN)) if ADDED(one) and one.line]
        if found.ok:
            return replace(found, span=found.span | set(every))
        return replace(found, line=every[0]) if every else found

    return test


def reads_length() -> SourceTest:
    """The second to last size of something. Only causal_mask asks for it."""
    look, mask = returns(ATTN, "_.shape[-2]", rank=4, near="causal_mask(...)"), adds_mask()

    def test(source: Source) -> Finding:
        found = look(source)
        other = not found.ok and not found.certain and not mask(source).ok
        return replace(found, foreign=True) if other else found

    return test


def draw(rng: np.random.Generator) -> Iterable[Trial]:
    """Forward passes of the layer, and its helpers by themselves."""
    return [*trials.layer_trials(rng, CLASS), *trials.part_trials(rng, CLASS)]


CHECKS = (
    source_check(
        "import-functional",
        "functional module is correctly imported as F from max.experimental",
        "functional module is not imported from max.experimental",
        "Add 'from max.experimental import functional as F'",
        'F holds the functions on tensors: F.split, F.softmax. See "MAX operations".',
        "from max.experimental import functional as F",
        test=structure.IMPORTS_F,
        proven_by=("forward",),
    ),
    source_check(
        "import-tensor",
        "Tensor is correctly imported from max.experimental.tensor",
        "Tensor is not imported from max.experimental.tensor",
        "Add 'from max.experimental.tensor import Tensor'",
        'Tensor is the type of every argument here. See "MAX operations".',
        "from max.experimental.tensor import Tensor",
        test=structure.USES_TENSOR,
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
        "GPT2Attention class exists",
        "GPT2Attention class is missing",
        "Define 'class GPT2Attention(Module):'",
        "The grader builds the class by this name.",
        "class GPT2Attention(Module):",
        test=defines_class(CLASS, "Module"),
        proven_by=("forward",),
    ),
    source_check(
        "c-attn",
        "self.c_attn Linear layer is created correctly",
        "self.c_attn Linear layer is not created correctly",
        "Use Linear(self.embed_dim, 3 * self.embed_dim, bias=True)",
        "One layer makes query, key and value at once, so it is three times as wide. See "
        '"Query, key and value".',
        "self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)",
        test=stores(INIT, "c_attn", "Linear(_, 3 * _ | _ + _, ...)", without=structure.NO_BIAS),
        proven_by=("c-attn-shape",),
    ),
    source_check(
        "c-proj",
        "self.c_proj Linear layer is created correctly",
        "self.c_proj Linear layer is not created correctly",
        "Use Linear(self.embed_dim, self.embed_dim, bias=True)",
        'It mixes the merged heads and keeps the width. See "Projections".',
        "self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)",
        test=stores(INIT, "c_proj", "Linear($width, $width, ...)", without=structure.NO_BIAS),
        proven_by=("c-proj-shape",),
    ),
    source_check(
        "split-shape",
        "_split_heads: new_shape calculation is correct",
        "_split_heads: new_shape calculation is not correct",
        "new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]",
        'Keep every axis but the last; cut the last in two. See "Splitting heads".',
        "new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]",
        proven_by=("split_heads",),
        test=returns(
            SPLIT,
            "_.reshape($shape)",
            where={"shape": structure.SPLIT_SHAPE},
            near="_.reshape(...)",
        ),
    ),
    source_check(
        "split-reshape",
        "_split_heads: tensor.reshape is used",
        "_split_heads: tensor.reshape is not used",
        "Use tensor.reshape(new_shape)",
        'reshape takes the sizes as one list. See "Splitting heads".',
        "tensor = tensor.reshape(new_shape)",
        proven_by=("split_heads",),
        test=returns(SPLIT, "_.reshape(...)"),
    ),
    source_check(
        "split-transpose",
        "_split_heads: tensor.transpose(-3, -2) is used",
        "_split_heads: tensor.transpose(-3, -2) is not used",
        "Use tensor.transpose(-3, -2) to move heads before sequence length",
        'Reshape alone leaves [batch, seq, n_head, head_dim]. See "Splitting heads".',
        "return tensor.transpose(-3, -2)",
        proven_by=("split_heads",),
        test=returns(
            SPLIT,
            "_.reshape(...).transpose(-3, -2)",
            rank=4,
            near="_.transpose(...) | _.reshape(...)",
        ),
    ),
    source_check(
        "merge",
        "_merge_heads: new_shape calculation is correct",
        "_merge_heads: new_shape calculation is not correct",
        "new_shape = tensor.shape[:-2] + [num_heads * attn_head_size]",
        'First transpose back, then join the last two axes. See "Merging heads".',
        "tensor = tensor.transpose(-3, -2); new_shape = tensor.shape[:-2] + "
        "[num_heads * attn_head_size]; return tensor.reshape(new_shape)",
        proven_by=("merge_heads",),
        test=returns(
            MERGE,
            "_.transpose(-3, -2).reshape($shape)",
            rank=4,
            where={"shape": structure.MERGED_SHAPE},
            near="_.reshape(...)",
        ),
    ),
    source_check(
        "scores",
        "_attn: attention scores computed with query @ key.transpose(-1, -2)",
        "_attn: attention scores not computed correctly",
        "Use query @ key.transpose(-1, -2)",
        'Every query meets every key: [seq, head_dim] @ [head_dim, seq]. See "Scores".',
        "attn_weights = query @ key.transpose(-1, -2)",
        proven_by=("attn",),
        test=returns(ATTN, structure.SCORES, near="_ @ _"),
    ),
    source_check(
        "scale",
        "_attn: attention weights are scaled",
        "_attn: attention weights are not scaled correctly",
        "Scale by math.sqrt(int(value.shape[-1]))",
        'The spread of a score grows with √head_dim; divide it out. See "Scaling".',
        "attn_weights = attn_weights / math.sqrt(int(value.shape[-1]))",
        proven_by=("attn",),
        test=returns(ATTN, structure.SCALED, near=structure.SCORES),
    ),
    source_check(
        "seq-len",
        "_attn: sequence length extracted from query.shape[-2]",
        "_attn: sequence length not extracted correctly",
        "seq_len = query.shape[-2]",
        "The mask is as long as the text, and the text is the second to last axis.",
        "seq_len = query.shape[-2]",
        proven_by=("attn",),
        test=reads_length(),
    ),
    source_check(
        "mask",
        "_attn: causal_mask function is called",
        "_attn: causal_mask function is not called",
        "Use causal_mask(seq_len, 0, dtype=query.dtype, device=query.device)",
        'Add the mask to the scores, before the softmax. See "Causal mask".',
        "attn_weights = attn_weights + causal_mask(seq_len, 0, dtype=query.dtype, "
        "device=query.device)",
        proven_by=("attn",),
        test=adds_mask(),
    ),
    source_check(
        "softmax",
        "_attn: F.softmax is applied to attention weights",
        "_attn: F.softmax is not applied to attention weights",
        "Use F.softmax(attn_weights)",
        'It runs over the last axis, the keys, and comes after scale and mask. See "Softmax".',
        "attn_weights = F.softmax(attn_weights)",
        proven_by=("attn",),
        test=returns(ATTN, structure.SOFTMAX, near="F.softmax(...)"),
    ),
    source_check(
        "attn-output",
        "_attn: attention output computed with attn_weights @ value",
        "_attn: attention output not computed correctly",
        "Use attn_weights @ value",
        'Each row of weights mixes the values. See "Weighted sum".',
        "attn_output = attn_weights @ value; return attn_output",
        proven_by=("attn",),
        test=returns(ATTN, structure.MIXTURE, near="_ @ _"),
    ),
    source_check(
        "split-qkv",
        "__call__: F.split is used on self.c_attn(hidden_states)",
        "__call__: F.split is not used correctly",
        "Use F.split(self.c_attn(hidden_states), ...)",
        'The projection holds query, key and value side by side. See "Query, key and value".',
        "query, key, value = F.split(self.c_attn(hidden_states), [self.split_size, "
        "self.split_size, self.split_size], axis=2)",
        test=returns(CALL, structure.QKV, near="self.c_attn(...)"),
    ),
    source_check(
        "split-sizes",
        "__call__: F.split uses correct split sizes",
        "__call__: F.split does not use correct split sizes",
        "Split into [self.split_size, self.split_size, self.split_size]",
        "Three equal parts, in the order query, key, value.",
        "query, key, value = F.split(self.c_attn(hidden_states), [self.split_size, "
        "self.split_size, self.split_size], axis=2)",
        test=returns(
            CALL,
            "F.split(self.c_attn(...), [$third, $third, $third] | [_] * 3 | $size, ...)",
            "F.chunk(self.c_attn(...), 3, ...)",
            "$projected[_]",
            "$projected[:]",
            where={"projected": "self.c_attn(...)", "size": lambda e: e.op not in ("list", "mul")},
            near=structure.QKV,
        ),
    ),
    source_check(
        "call-split-heads",
        "__call__: self._split_heads is called for query, key, and value",
        "__call__: self._split_heads is not called for all query, key, and value",
        "Call self._split_heads for query, key, and value",
        'All three are split alike. See "Splitting heads".',
        "query = self._split_heads(query, self.num_heads, self.head_dim), and so for key and value",
        test=structure.calls_part(CLASS, "_split_heads", 3),
    ),
    source_check(
        "call-attn",
        "__call__: self._attn is called",
        "__call__: self._attn is not called",
        "Call self._attn(query, key, value)",
        'The heads attend all at once. See "Scores".',
        "attn_output = self._attn(query, key, value)",
        test=structure.calls_part(CLASS, "_attn"),
    ),
    source_check(
        "call-merge-heads",
        "__call__: self._merge_heads is called",
        "__call__: self._merge_heads is not called",
        "Call self._merge_heads(attn_output, self.num_heads, self.head_dim)",
        'Its argument is what _attn returned. See "Merging heads".',
        "attn_output = self._merge_heads(attn_output, self.num_heads, self.head_dim)",
        test=structure.calls_part(CLASS, "_merge_heads"),
    ),
    source_check(
        "call-c-proj",
        "__call__: self.c_proj is called",
        "__call__: self.c_proj is not called",
        "Call self.c_proj(attn_output)",
        'It comes last and is what __call__ returns. See "Projections".',
        "return self.c_proj(attn_output)",
        test=structure.calls_part(CLASS, "c_proj"),
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
    runtime_check(
        "builds",
        "GPT2Attention class can be instantiated",
        "GPT2Attention class cannot be instantiated",
        "GPT2Attention(GPT2Config()) must work, with any n_embd and n_head",
        'Everything that depends on a size is computed from config. See "Tasks".',
        "Every line of __init__ uses config.n_embd or config.n_head, and super().__init__() is "
        "first",
        rule=rules.builds(*FORWARDS),
    ),
    runtime_check(
        "c-attn-shape",
        "GPT2Attention.c_attn is initialized",
        "GPT2Attention.c_attn is not initialized",
        "self.c_attn must be a Linear from n_embd to 3 * n_embd, with a bias",
        'It makes query, key and value at once. See "Query, key and value".',
        "self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)",
        rule=rules.has_layer(FORWARDS, "c_attn"),
        needs=("builds",),
    ),
    runtime_check(
        "c-proj-shape",
        "GPT2Attention.c_proj is initialized",
        "GPT2Attention.c_proj is not initialized",
        "self.c_proj must be a Linear from n_embd to n_embd, with a bias",
        'It mixes the merged heads and keeps the width. See "Projections".',
        "self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)",
        rule=rules.has_layer(FORWARDS, "c_proj"),
        needs=("builds",),
    ),
    runtime_check(
        "embed-dim",
        "GPT2Attention.embed_dim is correct: 768",
        "GPT2Attention.embed_dim is not correct",
        "self.embed_dim = config.n_embd",
        'It is the width of a token. See "Shapes".',
        "self.embed_dim = config.n_embd",
        rule=rules.attribute_is("gpt2", "embed_dim", 768),
        needs=("builds",),
    ),
    runtime_check(
        "num-heads",
        "GPT2Attention.num_heads is correct: 12",
        "GPT2Attention.num_heads is not correct",
        "self.num_heads = config.n_head",
        'The heads share the width among them. See "Heads".',
        "self.num_heads = config.n_head",
        rule=rules.attribute_is("gpt2", "num_heads", 12),
        needs=("builds",),
    ),
    runtime_check(
        "head-dim",
        "GPT2Attention.head_dim is correct: 64",
        "GPT2Attention.head_dim is not correct",
        "self.head_dim = self.embed_dim // self.num_heads",
        'Each head gets an equal part of the width. See "Heads".',
        "self.head_dim = self.embed_dim // self.num_heads",
        rule=rules.attribute_is("gpt2", "head_dim", 64),
        needs=("builds",),
    ),
    runtime_check(
        "forward",
        "GPT2Attention forward pass executes without errors",
        "GPT2Attention forward pass does not work",
        "__call__ takes [batch, seq, n_embd] of any size and returns a Tensor",
        'Write the shape beside each line and compare. See "Shapes".',
        "Split c_attn's result, split the heads, self._attn, self._merge_heads, self.c_proj, "
        "return",
        rule=rules.all_of(rules.loads(*FORWARDS), rules.runs(*FORWARDS), rules.tensors(*FORWARDS)),
        needs=("builds", "c-attn-shape", "c-proj-shape"),
    ),
    runtime_check(
        "output",
        "Output shape is correct: (1, 4, 768)",
        "Output is not correct",
        "Compare each line of _attn and __call__ with the lesson's formula",
        'Work from the inside out, and run a helper by itself. See "Shapes".',
        "Scores, scale, mask, softmax, @ value: in this order, then merge the heads and project",
        rule=rules.all_of(
            rules.shapes(*FORWARDS),
            rules.repeats("calls", "first", "again"),
            rules.unaffected("calls", "first", "changed", before=trials.FUTURE),
            rules.numbers(*FORWARDS, what="shape is right, but the numbers"),
            rules.note("So are the numbers, in {count} forward passes against float64.", *FORWARDS),
        ),
        needs=("forward",),
    ),
)

BLAMES = {
    "scores": ("scores", "output"),
    "scale": ("scale", "output"),
    "mask": ("mask", "output"),
    "softmax": ("softmax", "output"),
    "output": ("attn-output", "output"),
    "split": ("split-sizes", "output"),
    "split_heads": ("split-transpose", "output"),
    "merge_heads": ("merge", "output"),
    "heads": ("call-split-heads", "output"),
    "c_attn": ("c-attn", "output"),
    "c_proj": ("call-c-proj", "output"),
    "result": ("output",),
}

LESSON = {
    "scores": "Scores",
    "scale": "Scaling",
    "mask": "Causal mask",
    "softmax": "Softmax",
    "output": "Weighted sum",
    "split": "Query, key and value",
    "split_heads": "Splitting heads",
    "merge_heads": "Merging heads",
    "heads": "Splitting heads",
    "c_attn": "Query, key and value",
    "c_proj": "Projections",
    "result": "Tasks",
}

RUBRIC = Rubric(
    checks=CHECKS,
    draw=draw,
    misconceptions=(
        *named(attention_mistakes.ATTENTION, BLAMES, LESSON),
        *named(attention_mistakes.LAYER, BLAMES, LESSON),
    ),
)
