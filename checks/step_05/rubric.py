"""The rubric of step 05: the 31 sentences on ``GPT2Attention``.

Longer than 300 lines, because the seed fixes 31 sentences.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from checks.shared import attention_mistakes as mistakes
from checks.shared import common, structure, trials
from checks.shared.layer_mistakes import LAYER
from checks.shared.mistakes import named
from checks.shared.part_trials import part_trials
from grader.rubric import Check, Rubric, rules, source

CLASS = "GPT2Attention"

FORWARDS = ("gpt2", "random-*", "sharp", "calls", "turns")
"""The trials that run the whole layer."""

INIT, CALL = f"{CLASS}.__init__", source.call_of(CLASS)
SPLIT, MERGE, ATTN = (
    source.method(CLASS, name) for name in ("_split_heads", "_merge_heads", "_attn")
)

ADDED = source.pattern(
    "_ + $scores",
    where={
        "scores": lambda e: (
            source.made_with(e, structure.SCORES) and not source.made_with(e, structure.SOFTMAX)
        )
    },
)
"""Something added to the scores."""


def adds_mask() -> source.SourceTest:
    """A call of causal_mask that reaches the result.

    Its lines are also those that add something to the scores, be it a mask or what should be one.
    """
    look = source.returns(ATTN, "causal_mask(...)", near=structure.SOFTMAX)

    def test(program: source.Source) -> source.Finding:
        found = look(program)
        values = source.walk(source.result(program, ATTN))
        every = [one.line for one in values if ADDED(one) and one.line]
        if found.ok:
            return replace(found, span=found.span | set(every))
        return replace(found, line=every[0]) if every else found

    return test


def reads_length() -> source.SourceTest:
    """The second to last size of something. Only causal_mask asks for it."""
    look, mask = source.returns(ATTN, "_.shape[-2]", rank=4, near="causal_mask(...)"), adds_mask()

    def test(program: source.Source) -> source.Finding:
        found = look(program)
        other = not found.ok and not found.certain and not mask(program).ok
        return replace(found, foreign=True) if other else found

    return test


def calls(name: str, nudge: str, why: str, **more: Any) -> Check:
    """``__call__`` uses this part of the layer."""
    return Check(
        f"call-{name.strip('_').replace('_', '-')}",
        f"__call__: self.{name} is called",
        f"__call__: self.{name} is not called",
        nudge,
        why,
        test=structure.calls_part(CLASS, name),
        **more,
    )


def has_layer(name: str, nudge: str, why: str, lesson: str) -> Check:
    """The layer has this layer of MAX, in its size."""
    id = name.replace("_", "-")
    return Check(
        f"{id}-shape",
        f"{CLASS}.{name} is initialized",
        f"{CLASS}.{name} is not initialized",
        nudge,
        why,
        lesson=lesson,
        blank=id,
        rule=rules.has_layer(FORWARDS, name),
        needs=("builds",),
    )


def size(name: str, value: int, given: str, why: str, lesson: str = "Heads") -> Check:
    """A size of the layer, as the stub gives it, has this value for GPT-2's own configuration."""
    return Check(
        name.replace("_", "-"),
        f"{CLASS}.{name} is correct: {value}",
        f"{CLASS}.{name} is not correct",
        f"self.{name} = {given}",
        why,
        lesson=lesson,
        answer=f"self.{name} = {given}",
        rule=rules.attribute_is("gpt2", name, value),
        needs=("builds",),
    )


CHECKS = (
    common.imports_functional(
        "F holds the functions on tensors: F.split, F.softmax.",
        "forward",
        passed="functional module is correctly imported as F from max.experimental",
    ),
    common.imports_tensor(
        "Tensor is the type of every argument here.",
        "forward",
        passed="Tensor is correctly imported from max.experimental.tensor",
        test=structure.USES_TENSOR,
    ),
    common.imports_layers("Module is the base class, Linear the projection.", "forward"),
    common.defines(CLASS, "forward"),
    Check(
        "c-attn",
        "self.c_attn Linear layer is created correctly",
        "self.c_attn Linear layer is not created correctly",
        "Use Linear(self.embed_dim, 3 * self.embed_dim, bias=True)",
        "One layer makes query, key and value at once, so it is three times as wide.",
        lesson="Query, key and value",
        test=source.stores(
            INIT, "c_attn", "Linear(_, 3 * _ | _ + _, ...)", without=structure.NO_BIAS
        ),
        proven_by=("c-attn-shape",),
    ),
    Check(
        "c-proj",
        "self.c_proj Linear layer is created correctly",
        "self.c_proj Linear layer is not created correctly",
        "Use Linear(self.embed_dim, self.embed_dim, bias=True)",
        "It mixes the merged heads and keeps the width.",
        lesson="Projections",
        test=source.stores(
            INIT, "c_proj", "Linear($width, $width, ...)", without=structure.NO_BIAS
        ),
        proven_by=("c-proj-shape",),
    ),
    Check(
        "split-shape",
        "_split_heads: new_shape calculation is correct",
        "_split_heads: new_shape calculation is not correct",
        "new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]",
        "Keep every axis but the last; cut the last in two.",
        lesson="Splitting heads",
        test=source.returns(
            SPLIT,
            "_.reshape($shape)",
            where={"shape": structure.SPLIT_SHAPE},
            near="_.reshape(...)",
        ),
        proven_by=("split_heads",),
    ),
    Check(
        "split-reshape",
        "_split_heads: tensor.reshape is used",
        "_split_heads: tensor.reshape is not used",
        "Use tensor.reshape(new_shape)",
        "reshape takes the sizes as one list.",
        lesson="Splitting heads",
        gives="the features in heads",
        test=source.returns(SPLIT, "_.reshape(...)"),
        proven_by=("split_heads",),
    ),
    Check(
        "split-transpose",
        "_split_heads: tensor.transpose(-3, -2) is used",
        "_split_heads: tensor.transpose(-3, -2) is not used",
        "Use tensor.transpose(-3, -2) to move heads before sequence length",
        "Reshape alone leaves [batch, seq, n_head, head_dim].",
        lesson="Splitting heads",
        gives="the heads",
        part="split_heads",
        test=structure.splits_heads(SPLIT),
        proven_by=("split_heads",),
    ),
    Check(
        "merge",
        "_merge_heads: new_shape calculation is correct",
        "_merge_heads: new_shape calculation is not correct",
        "new_shape = tensor.shape[:-2] + [num_heads * attn_head_size]",
        "First transpose back, then join the last two axes.",
        lesson="Merging heads",
        gives="the merged heads",
        part="merge_heads",
        test=source.returns(
            MERGE,
            "_.transpose(-3, -2).reshape($shape)",
            rank=4,
            where={"shape": structure.MERGED_SHAPE},
            near="_.reshape(...)",
        ),
        proven_by=("merge_heads",),
    ),
    Check(
        "scores",
        "_attn: attention scores computed with query @ key.transpose(-1, -2)",
        "_attn: attention scores not computed correctly",
        "Use query @ key.transpose(-1, -2)",
        "Every query meets every key: [seq, head_dim] @ [head_dim, seq].",
        lesson="Scores",
        gives="the scores",
        test=source.returns(ATTN, structure.SCORES, near="_ @ _"),
        proven_by=("attn",),
    ),
    Check(
        "scale",
        "_attn: attention weights are scaled",
        "_attn: attention weights are not scaled correctly",
        "Scale by math.sqrt(int(value.shape[-1]))",
        "The standard deviation of a score grows with √head_dim. Divide by it.",
        lesson="Scaling",
        gives="the scaled scores",
        test=source.returns(ATTN, structure.SCALED, near=structure.SCORES),
        proven_by=("attn",),
    ),
    Check(
        "seq-len",
        "_attn: sequence length extracted from query.shape[-2]",
        "_attn: sequence length not extracted correctly",
        "seq_len = query.shape[-2]",
        "The mask is as long as the sequence, which is the second to last axis.",
        lesson="Causal mask",
        test=reads_length(),
        proven_by=("attn",),
    ),
    Check(
        "mask",
        "_attn: causal_mask function is called",
        "_attn: causal_mask function is not called",
        "Use causal_mask(seq_len, 0, dtype=query.dtype, device=query.device)",
        "Add the mask to the scores, before the softmax.",
        lesson="Causal mask",
        gives="the masked scores",
        test=adds_mask(),
        proven_by=("attn",),
    ),
    Check(
        "softmax",
        "_attn: F.softmax is applied to attention weights",
        "_attn: F.softmax is not applied to attention weights",
        "Use F.softmax(attn_weights)",
        "It runs over the last axis, the keys, and comes after scale and mask.",
        lesson="Softmax",
        gives="the attention weights",
        test=source.returns(ATTN, structure.SOFTMAX, near="F.softmax(...)"),
        proven_by=("attn",),
    ),
    Check(
        "attn-output",
        "_attn: attention output computed with attn_weights @ value",
        "_attn: attention output not computed correctly",
        "Use attn_weights @ value",
        "Each row of weights mixes the values.",
        lesson="Weighted sum",
        gives="what each head found",
        part="output",
        test=source.returns(ATTN, structure.MIXTURE, near="_ @ _"),
        proven_by=("attn",),
    ),
    Check(
        "split-qkv",
        "__call__: F.split is used on self.c_attn(hidden_states)",
        "__call__: F.split is not used correctly",
        "Use F.split(self.c_attn(hidden_states), ...)",
        "The projection holds query, key and value side by side.",
        lesson="Query, key and value",
        gives="query, key and value",
        test=source.returns(CALL, structure.QKV, near="self.c_attn(...)"),
    ),
    Check(
        "split-sizes",
        "__call__: F.split uses correct split sizes",
        "__call__: F.split does not use correct split sizes",
        "Split into [self.split_size, self.split_size, self.split_size]",
        "Three equal parts, in the order query, key, value.",
        lesson="Query, key and value",
        blank="split-qkv",
        part="split",
        test=source.returns(
            CALL,
            "F.split(self.c_attn(...), [$third, $third, $third] | [_] * 3 | $size, ...)",
            "F.chunk(self.c_attn(...), 3, ...)",
            "$projected[_]",
            "$projected[:]",
            where={"projected": "self.c_attn(...)", "size": lambda e: e.op not in ("list", "mul")},
            near=structure.QKV,
        ),
    ),
    Check(
        "call-split-heads",
        "__call__: self._split_heads is called for query, key, and value",
        "__call__: self._split_heads is not called for all query, key, and value",
        "Call self._split_heads for query, key, and value",
        "All three are split alike.",
        lesson="Splitting heads",
        gives="the heads of the value",
        part="heads",
        test=structure.calls_part(CLASS, "_split_heads", 3),
    ),
    calls(
        "_attn",
        "Call self._attn(query, key, value)",
        "All heads attend at once.",
        lesson="Scores",
        gives="what each head found",
    ),
    calls(
        "_merge_heads",
        "Call self._merge_heads(attn_output, self.num_heads, self.head_dim)",
        "Its argument is what _attn returned.",
        lesson="Merging heads",
        gives="the merged heads",
    ),
    calls(
        "c_proj",
        "Call self.c_proj(attn_output)",
        "It comes last and is what __call__ returns.",
        lesson="Projections",
        part="c_proj",
        gives="the output of the layer",
    ),
    common.placeholders(structure.no_stub_left(CLASS)),
    common.builds(
        CLASS,
        "GPT2Attention(GPT2Config()) must work, with any n_embd and n_head",
        "Everything that depends on a size is computed from config.",
        answer="Every line of __init__ uses config.n_embd or config.n_head, and "
        "super().__init__() is first",
        rule=rules.builds(*FORWARDS),
    ),
    has_layer(
        "c_attn",
        "self.c_attn must be a Linear from n_embd to 3 * n_embd, with a bias",
        "It makes query, key and value at once.",
        "Query, key and value",
    ),
    has_layer(
        "c_proj",
        "self.c_proj must be a Linear from n_embd to n_embd, with a bias",
        "It mixes the merged heads and keeps the width.",
        "Projections",
    ),
    size("embed_dim", 768, "config.n_embd", "It is the width of a token.", "Shapes"),
    size("num_heads", 12, "config.n_head", "The heads share the width among them."),
    size(
        "head_dim",
        64,
        "self.embed_dim // self.num_heads",
        "Each head gets an equal part of the width.",
    ),
    common.runs(
        CLASS,
        "__call__ takes [batch, seq, n_embd] of any size and returns a Tensor",
        "Write the shape beside each line and compare.",
        lesson="Shapes",
        answer="Split c_attn's result, split the heads, self._attn, self._merge_heads, "
        "self.c_proj, return",
        rule=rules.all_of(rules.loads(*FORWARDS), rules.runs(*FORWARDS), rules.tensors(*FORWARDS)),
        needs=("builds", "c-attn-shape", "c-proj-shape"),
    ),
    Check(
        "output",
        "Output shape is correct: (1, 4, 768)",
        "Output is not correct",
        "Compare each line of _attn and __call__ with the lesson's formula",
        "Work from the inside out, and run each helper on its own.",
        lesson="Shapes",
        answer="Scores, scale, mask, softmax, @ value: in this order, then merge the heads "
        "and project",
        rule=rules.all_of(
            rules.shapes(*FORWARDS),
            rules.repeats("calls", "first", "again"),
            rules.unaffected("calls", "first", "changed", before=trials.FUTURE),
            rules.numbers(*FORWARDS, what="shape is right, but the numbers"),
            rules.note("The numbers also agree with float64 in {count} forward passes.", *FORWARDS),
        ),
        needs=("forward",),
    ),
)

RUBRIC = Rubric(
    checks=CHECKS,
    draw=lambda rng: [*trials.layer_trials(rng, CLASS), *part_trials(rng, CLASS)],
    misconceptions=named(mistakes.ATTENTION, mistakes.HEADS, LAYER),
    result="output",
    guided=True,
)
