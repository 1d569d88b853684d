"""The rubric of step 05: the 31 sentences on ``GPT2Attention``."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from checks import structure, structure_more, trials
from checks.misconceptions import attention, named
from grader import rules
from grader.rubric import Rubric, Trial, runtime_check, source_check

CLASS = "GPT2Attention"

FORWARDS = ("gpt2", "random-*", "sharp", "calls")
"""The trials that run the whole layer."""


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
        test=structure.imports_functional(),
        proven_by=("forward",),
    ),
    source_check(
        "import-tensor",
        "Tensor is correctly imported from max.experimental.tensor",
        "Tensor is not imported from max.experimental.tensor",
        "Add 'from max.experimental.tensor import Tensor'",
        'Tensor is the type of every argument here. See "MAX operations".',
        "from max.experimental.tensor import Tensor",
        test=structure_more.imports_tensor(),
        proven_by=("forward",),
    ),
    source_check(
        "import-nn",
        "Linear and Module are imported from max.experimental.nn",
        "Linear and Module are not imported from max.experimental.nn",
        "Add 'from max.experimental.nn import Linear, Module'",
        'Module is the base class, Linear the projection. See "MAX operations".',
        "from max.experimental.nn import Linear, Module",
        test=structure.imports_nn(),
        proven_by=("forward",),
    ),
    source_check(
        "class",
        "GPT2Attention class exists",
        "GPT2Attention class is missing",
        "Define 'class GPT2Attention(Module):'",
        "The grader builds the class by this name.",
        "class GPT2Attention(Module):",
        test=structure.defines_layer(CLASS),
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
        test=structure.makes_linear(CLASS, "c_attn", 3),
        proven_by=("c-attn-shape",),
    ),
    source_check(
        "c-proj",
        "self.c_proj Linear layer is created correctly",
        "self.c_proj Linear layer is not created correctly",
        "Use Linear(self.embed_dim, self.embed_dim, bias=True)",
        'It mixes the merged heads and keeps the width. See "Projections".',
        "self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)",
        test=structure.makes_linear(CLASS, "c_proj", 1),
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
        test=structure.split_shape(CLASS),
    ),
    source_check(
        "split-reshape",
        "_split_heads: tensor.reshape is used",
        "_split_heads: tensor.reshape is not used",
        "Use tensor.reshape(new_shape)",
        'reshape takes the sizes as one list. See "Splitting heads".',
        "tensor = tensor.reshape(new_shape)",
        proven_by=("split_heads",),
        test=structure.split_reshape(CLASS),
    ),
    source_check(
        "split-transpose",
        "_split_heads: tensor.transpose(-3, -2) is used",
        "_split_heads: tensor.transpose(-3, -2) is not used",
        "Use tensor.transpose(-3, -2) to move heads before sequence length",
        'Reshape alone leaves [batch, seq, n_head, head_dim]. See "Splitting heads".',
        "return tensor.transpose(-3, -2)",
        proven_by=("split_heads",),
        test=structure.split_transpose(CLASS),
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
        test=structure.merge_shape(CLASS),
    ),
    source_check(
        "scores",
        "_attn: attention scores computed with query @ key.transpose(-1, -2)",
        "_attn: attention scores not computed correctly",
        "Use query @ key.transpose(-1, -2)",
        'Every query meets every key: [seq, head_dim] @ [head_dim, seq]. See "Scores".',
        "attn_weights = query @ key.transpose(-1, -2)",
        proven_by=("attn",),
        test=structure.scores(CLASS),
    ),
    source_check(
        "scale",
        "_attn: attention weights are scaled",
        "_attn: attention weights are not scaled correctly",
        "Scale by math.sqrt(int(value.shape[-1]))",
        'The spread of a score grows with √head_dim; divide it out. See "Scaling".',
        "attn_weights = attn_weights / math.sqrt(int(value.shape[-1]))",
        proven_by=("attn",),
        test=structure.scaled(CLASS),
    ),
    source_check(
        "seq-len",
        "_attn: sequence length extracted from query.shape[-2]",
        "_attn: sequence length not extracted correctly",
        "seq_len = query.shape[-2]",
        "The mask is as long as the text, and the text is the second to last axis.",
        "seq_len = query.shape[-2]",
        proven_by=("attn",),
        test=structure.reads_length(CLASS),
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
        test=structure.called_mask(CLASS),
    ),
    source_check(
        "softmax",
        "_attn: F.softmax is applied to attention weights",
        "_attn: F.softmax is not applied to attention weights",
        "Use F.softmax(attn_weights)",
        'It runs over the last axis, the keys, and comes after scale and mask. See "Softmax".',
        "attn_weights = F.softmax(attn_weights)",
        proven_by=("attn",),
        test=structure.softmax(CLASS),
    ),
    source_check(
        "attn-output",
        "_attn: attention output computed with attn_weights @ value",
        "_attn: attention output not computed correctly",
        "Use attn_weights @ value",
        'Each row of weights mixes the values. See "Weighted sum".',
        "attn_output = attn_weights @ value; return attn_output",
        proven_by=("attn",),
        test=structure.mixes(CLASS),
    ),
    source_check(
        "split-qkv",
        "__call__: F.split is used on self.c_attn(hidden_states)",
        "__call__: F.split is not used correctly",
        "Use F.split(self.c_attn(hidden_states), ...)",
        'The projection holds query, key and value side by side. See "Query, key and value".',
        "query, key, value = F.split(self.c_attn(hidden_states), [self.split_size, "
        "self.split_size, self.split_size], axis=2)",
        test=structure.splits_qkv(CLASS),
    ),
    source_check(
        "split-sizes",
        "__call__: F.split uses correct split sizes",
        "__call__: F.split does not use correct split sizes",
        "Split into [self.split_size, self.split_size, self.split_size]",
        "Three equal parts, in the order query, key, value.",
        "query, key, value = F.split(self.c_attn(hidden_states), [self.split_size, "
        "self.split_size, self.split_size], axis=2)",
        test=structure.split_sizes(CLASS),
    ),
    source_check(
        "call-split-heads",
        "__call__: self._split_heads is called for query, key, and value",
        "__call__: self._split_heads is not called for all query, key, and value",
        "Call self._split_heads for query, key, and value",
        'All three are split alike. See "Splitting heads".',
        "query = self._split_heads(query, self.num_heads, self.head_dim), and so for key and value",
        test=structure.calls(CLASS, "_split_heads", 3),
    ),
    source_check(
        "call-attn",
        "__call__: self._attn is called",
        "__call__: self._attn is not called",
        "Call self._attn(query, key, value)",
        'The heads attend all at once. See "Scores".',
        "attn_output = self._attn(query, key, value)",
        test=structure.calls(CLASS, "_attn", 1),
    ),
    source_check(
        "call-merge-heads",
        "__call__: self._merge_heads is called",
        "__call__: self._merge_heads is not called",
        "Call self._merge_heads(attn_output, self.num_heads, self.head_dim)",
        'Its argument is what _attn returned. See "Merging heads".',
        "attn_output = self._merge_heads(attn_output, self.num_heads, self.head_dim)",
        test=structure.calls(CLASS, "_merge_heads", 1),
    ),
    source_check(
        "call-c-proj",
        "__call__: self.c_proj is called",
        "__call__: self.c_proj is not called",
        "Call self.c_proj(attn_output)",
        'It comes last and is what __call__ returns. See "Projections".',
        "return self.c_proj(attn_output)",
        test=structure.calls(CLASS, "c_proj", 1),
    ),
    source_check(
        "placeholders",
        "All placeholder 'None' values have been replaced",
        "Found placeholder 'None' values that need to be replaced:",
        "Replace all 'None' values with the actual implementation",
        "Each stands under a TODO.",
        "Search the file for None.",
        test=structure.no_placeholders(CLASS),
    ),
    runtime_check(
        "builds",
        "GPT2Attention class can be instantiated",
        "GPT2Attention class cannot be instantiated",
        "GPT2Attention(GPT2Config()) must work, with any n_embd and n_head",
        rule=rules.builds(*FORWARDS),
    ),
    runtime_check(
        "c-attn-shape",
        "GPT2Attention.c_attn is initialized",
        "GPT2Attention.c_attn is not initialized",
        "self.c_attn must be a Linear from n_embd to 3 * n_embd, with a bias",
        rule=rules.has_layer(FORWARDS, "c_attn"),
        needs=("builds",),
    ),
    runtime_check(
        "c-proj-shape",
        "GPT2Attention.c_proj is initialized",
        "GPT2Attention.c_proj is not initialized",
        "self.c_proj must be a Linear from n_embd to n_embd, with a bias",
        rule=rules.has_layer(FORWARDS, "c_proj"),
        needs=("builds",),
    ),
    runtime_check(
        "embed-dim",
        "GPT2Attention.embed_dim is correct: 768",
        "GPT2Attention.embed_dim is not correct",
        "self.embed_dim = config.n_embd",
        rule=rules.attribute_is("gpt2", "embed_dim", 768),
        needs=("builds",),
    ),
    runtime_check(
        "num-heads",
        "GPT2Attention.num_heads is correct: 12",
        "GPT2Attention.num_heads is not correct",
        "self.num_heads = config.n_head",
        rule=rules.attribute_is("gpt2", "num_heads", 12),
        needs=("builds",),
    ),
    runtime_check(
        "head-dim",
        "GPT2Attention.head_dim is correct: 64",
        "GPT2Attention.head_dim is not correct",
        "self.head_dim = self.embed_dim // self.num_heads",
        rule=rules.attribute_is("gpt2", "head_dim", 64),
        needs=("builds",),
    ),
    runtime_check(
        "forward",
        "GPT2Attention forward pass executes without errors",
        "GPT2Attention forward pass does not work",
        "__call__ takes [batch, seq, n_embd] of any size and returns a Tensor",
        rule=rules.all_of(rules.loads(*FORWARDS), rules.runs(*FORWARDS), rules.tensors(*FORWARDS)),
        needs=("builds", "c-attn-shape", "c-proj-shape"),
    ),
    runtime_check(
        "output",
        "Output shape is correct: (1, 4, 768)",
        "Output is not correct",
        "Compare each line of _attn and __call__ with the lesson's formula",
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
        *named(attention.ATTENTION, BLAMES, LESSON),
        *named(attention.LAYER, BLAMES, LESSON),
    ),
)
