"""The rubric of step 07: ``GPT2MultiHeadAttention``, from a nearly blank file.

Longer than 300 lines, because the seed fixes 27 sentences.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from checks.shared import attention_mistakes as mistakes
from checks.shared import common, masks, structure, trials
from checks.shared.layer_mistakes import LAYER
from checks.shared.mistakes import named
from checks.shared.part_trials import part_trials
from grader.rubric import Check, Rubric, rules, source

CLASS = "GPT2MultiHeadAttention"
INIT, CALL = f"{CLASS}.__init__", source.call_of(CLASS)
SPLIT, MERGE, ATTN = (
    source.method(CLASS, name) for name in ("_split_heads", "_merge_heads", "_attn")
)
FORWARDS = ("gpt2", "random-*", "sharp", "calls", "turns")
"""The trials that run the whole layer."""


def own_mask(program: source.Source) -> source.Finding:
    """``causal_mask`` is defined; a function of another name may do the same."""
    found = structure.DEFINES_MASK(program)
    names = [one.name.lower() for one in ast.walk(program.tree) if isinstance(one, ast.FunctionDef)]
    another = any(word in name for name in names for word in ("mask", "causal"))
    if found.ok or found.there or not another:
        return found
    return replace(found, certain=False, foreign=True)


OWN_MASK = rules.optional(
    "mask",
    rules.all_of(
        rules.runs("mask-*"),
        rules.tensors("mask-later"),
        rules.tensors("mask-float64", dtype="float64"),
        rules.shapes("mask-*"),
        rules.numbers("mask", "mask-*", what="numbers of causal_mask, called alone,"),
    ),
)
"""A ``causal_mask`` that can be called as the lesson says is step 02's, whatever is needed."""


CHECKS = (
    Check(
        "imports",
        "Linear and Module are imported from max.experimental.nn",
        "Linear and Module are not imported from max.experimental.nn",
        "Which names does the file use? The lesson's table says where each comes from",
        "Module is the base class of every layer.",
        lesson="MAX operations",
        answer="from max.experimental.nn import Linear, Module",
        test=structure.IMPORTS_LAYERS,
        proven_by=("forward",),
    ),
    Check(
        "mask-function",
        "causal_mask(sequence_length, num_tokens, *, dtype, device) is defined in this file",
        "causal_mask is not defined in this file",
        "Copy causal_mask, with its decorator, from step 02",
        "Its rows are queries, its columns keys.",
        lesson="Causal mask",
        answer="@F.functional, then the whole function of step 02",
        gives="the causal mask",
        test=own_mask,
        proven_by=("mask",),
    ),
    common.is_module(CLASS, "forward"),
    Check(
        "c-attn",
        "c_attn projects embed_dim to 3 * embed_dim, with a bias",
        "c_attn is not a Linear from embed_dim to 3 * embed_dim",
        "One product makes query, key and value. How wide is it?",
        "A Linear of self.embed_dim, with a bias, three times as wide at the output.",
        lesson="Query, key and value",
        test=source.stores(
            INIT, "c_attn", "Linear(_, 3 * _ | _ + _, ...)", without=structure.NO_BIAS
        ),
        proven_by=("layers",),
    ),
    Check(
        "c-proj",
        "c_proj projects embed_dim to embed_dim, with a bias",
        "c_proj is not a Linear from embed_dim to embed_dim",
        "How wide are the merged heads, and how wide is the output of the layer?",
        "A Linear that keeps the width, with a bias. It mixes what the heads found.",
        lesson="Projections",
        test=source.stores(
            INIT, "c_proj", "Linear($width, $width, ...)", without=structure.NO_BIAS
        ),
        proven_by=("layers",),
    ),
    Check(
        "split-reshape",
        "_split_heads cuts the last axis into num_heads and attn_head_size",
        "_split_heads does not cut the last axis into heads",
        "Which two sizes take the place of the last axis, and in which order?",
        "A shape is a list: add a list to it.",
        lesson="Splitting heads",
        gives="the features in heads",
        test=source.returns(SPLIT, "_.reshape(...)"),
        proven_by=("split_heads",),
    ),
    Check(
        "split-transpose",
        "_split_heads moves the heads in front of the sequence",
        "_split_heads does not move the heads in front of the sequence",
        "Which two axes must be swapped to move the heads in front of the sequence?",
        "reshape keeps the numbers in their order; transpose moves them. You need both.",
        lesson="Splitting heads",
        gives="the heads",
        part="split_heads",
        test=structure.splits_heads(SPLIT),
        proven_by=("split_heads",),
    ),
    Check(
        "merge-transpose",
        "_merge_heads moves the heads back after the sequence",
        "_merge_heads does not move the heads back",
        "Which two axes must be swapped before the heads can be joined?",
        "Undo _split_heads, last step first.",
        lesson="Merging heads",
        gives="the heads after the sequence",
        part="merge_heads",
        test=structure.merges_heads(MERGE),
        proven_by=("merge_heads",),
    ),
    Check(
        "merge-reshape",
        "_merge_heads joins the last two axes",
        "_merge_heads does not join the last two axes",
        "Which two axes become one, and how long is it?",
        "Each head's numbers stay side by side.",
        lesson="Merging heads",
        gives="the merged heads",
        test=source.returns(
            MERGE,
            "_.reshape($shape)",
            where={"shape": structure.MERGED_SHAPE},
            near="_.reshape(...)",
        ),
        proven_by=("merge_heads",),
    ),
    Check(
        "scores",
        "_attn computes the scores: query times key transposed",
        "_attn does not compute the scores as query times key transposed",
        "Every query meets every key. What shape must the keys have for that product?",
        "@ needs [seq, head_dim] on its left and [head_dim, seq] on its right.",
        lesson="Scores",
        gives="the scores",
        test=source.returns(ATTN, structure.SCORES, near="_ @ _"),
        proven_by=("attn",),
    ),
    Check(
        "scale",
        "_attn divides the scores by the square root of head_dim",
        "_attn does not divide the scores by the square root of head_dim",
        "How does the size of a score grow with head_dim? Undo that before the softmax",
        "The standard deviation of a sum of head_dim products grows with √head_dim.",
        lesson="Scaling",
        gives="the scaled scores",
        test=source.returns(ATTN, structure.SCALED, near=structure.SCORES),
        proven_by=("attn",),
    ),
    Check(
        "mask",
        "_attn adds the causal mask to the scores",
        "_attn does not add the causal mask to the scores",
        "What hides later tokens? It belongs between the scale and the softmax",
        "Minus infinity becomes a weight of 0. Length, dtype and device are those of the query.",
        lesson="Causal mask",
        gives="the masked scores",
        test=source.returns(
            ATTN, "_ + causal_mask(...)", without=structure.SOFTMAX, near="F.softmax(...)"
        ),
        proven_by=("attn",),
    ),
    Check(
        "softmax",
        "_attn turns scores into weights with a softmax over the keys",
        "_attn does not apply a softmax over the keys",
        "What turns a row of scores into weights, and along which axis do they sum to 1?",
        "Each row of weights sums to 1: the last axis, the keys.",
        lesson="Softmax",
        gives="the attention weights",
        test=source.returns(ATTN, structure.SOFTMAX, near="F.softmax(...)"),
        proven_by=("attn",),
    ),
    Check(
        "weighted-sum",
        "_attn mixes the values with the weights",
        "_attn does not mix the values with the weights",
        "What do the weights mix? _attn returns the weighted sum",
        "Row i of the result is the weighted sum for token i.",
        lesson="Weighted sum",
        gives="what each head found",
        part="output",
        test=source.returns(ATTN, structure.MIXTURE, near="_ @ _"),
        proven_by=("attn",),
    ),
    Check(
        "qkv",
        "The forward pass splits c_attn's output into query, key and value",
        "The forward pass does not split c_attn's output into query, key and value",
        "Which axis of c_attn's output holds all three, and how wide is each?",
        "All queries come first, then all keys, then all values.",
        lesson="Query, key and value",
        gives="query, key and value",
        part="split",
        test=source.returns(CALL, structure.QKV, near="self.c_attn(...)"),
    ),
    Check(
        "heads",
        "The forward pass splits all three into heads",
        "The forward pass does not split all three into heads",
        "Which of query, key and value need heads? How many, and how wide?",
        "Head i of the query meets head i of the key.",
        lesson="Heads",
        gives="the heads of the value",
        test=structure.calls_part(CLASS, "_split_heads", 3),
    ),
    Check(
        "merge",
        "The forward pass attends, then merges the heads",
        "The forward pass does not merge the results of the heads",
        "What shape does _attn give, and which helper brings it back to the width of the layer?",
        "Merging comes after the attention.",
        lesson="Merging heads",
        gives="the merged heads",
        test=source.only_with(
            source.returns(
                CALL, "self._merge_heads(..., self._attn(...), ...)", near="self._attn(...)"
            ),
            f"{CLASS}._merge_heads",
            f"{CLASS}._attn",
        ),
    ),
    Check(
        "project",
        "The forward pass returns self.c_proj of the merged heads",
        "The forward pass does not return self.c_proj of the merged heads",
        "Which layer is still unused? The merged heads are not mixed yet",
        "The last product lets the heads' results mix.",
        lesson="Projections",
        gives="the output of the layer",
        part="c_proj",
        test=structure.calls_part(CLASS, "c_proj"),
    ),
    Check(
        "placeholders",
        "Every TODO has been replaced",
        "Found placeholders that need to be replaced:",
        "Replace each None and each pass under a TODO",
        "The tasks are listed at the top of the file.",
        answer="Search the file for TODO.",
        test=structure.no_stub_left(CLASS),
    ),
    Check(
        "builds",
        "GPT2MultiHeadAttention(config) can be built",
        "GPT2MultiHeadAttention(config) cannot be built",
        "GPT2MultiHeadAttention(GPT2Config()) must work, with any n_embd and n_head",
        "Everything that depends on a size is computed from config.",
        answer="Every line of __init__ uses config.n_embd or config.n_head, and "
        "super().__init__() is first",
        rule=rules.builds(*FORWARDS),
    ),
    Check(
        "layers",
        "Its parameters are those of Hugging Face's GPT-2, and the weights load",
        "Its parameters are not those of Hugging Face's GPT-2",
        "c_attn.weight, c_attn.bias, c_proj.weight and c_proj.bias, and no others",
        "The names of the attributes are the names of the weights.",
        lesson="Projections",
        answer="self.c_attn = Linear(n_embd, 3 * n_embd, bias=True), self.c_proj = "
        "Linear(n_embd, n_embd, bias=True)",
        rule=rules.all_of(
            rules.has_layer(FORWARDS, "c_attn"),
            rules.has_layer(FORWARDS, "c_proj"),
            rules.loads(*FORWARDS),
        ),
        needs=("builds",),
    ),
    Check(
        "sizes",
        "num_heads is 12 and head_dim is 64 for GPT-2's own configuration",
        "num_heads and head_dim are not those of the configuration",
        "How many heads does the configuration ask for, and how wide is each?",
        "The heads share the width among them.",
        lesson="Heads",
        answer="self.num_heads = config.n_head, self.head_dim = config.n_embd // config.n_head",
        rule=rules.all_of(
            rules.attribute_is("gpt2", "num_heads", 12), rules.attribute_is("gpt2", "head_dim", 64)
        ),
        needs=("builds",),
    ),
    Check(
        "forward",
        "The forward pass runs for any batch, length, width and number of heads",
        "The forward pass does not run",
        "It takes [batch, seq, n_embd] of any size and returns a Tensor",
        "Write the shape beside each line and compare.",
        lesson="Shapes",
        answer="Project, split in three, split heads, attend, merge heads, project, return",
        rule=rules.all_of(rules.runs(*FORWARDS), rules.tensors(*FORWARDS)),
        needs=("layers",),
    ),
    Check(
        "shape",
        "The output has the shape of the input: [batch, seq, n_embd]",
        "The output does not have the shape of the input",
        "Is an axis missing, or is there one too many? Write the shape beside each line",
        "What was split must be merged again.",
        lesson="Merging heads",
        blank="merge-reshape",
        rule=rules.shapes(*FORWARDS),
        needs=("forward",),
    ),
    Check(
        "repeats",
        "The same input gives the same output again",
        "The same input gives a different output the second time",
        "Compute everything from the arguments; keep nothing on self between calls",
        "A layer has weights but no memory.",
        lesson="What goes wrong",
        answer="Use local names for query, key, value and mask; no self.… = in the forward pass",
        rule=rules.repeats("calls", "first", "again"),
        needs=("shape",),
    ),
    Check(
        "causal",
        "No output depends on a later token",
        "An output depends on a later token",
        "Add the causal mask to the scores, before the softmax",
        "-inf above the diagonal hides what comes later.",
        lesson="Causal mask",
        blank="mask",
        rule=rules.unaffected("calls", "first", "changed", before=trials.FUTURE),
        needs=("shape",),
    ),
    Check(
        "numbers",
        "The numbers are those of multi-head attention",
        "The numbers are not those of multi-head attention",
        "Compare each line of _attn and of the forward pass with the lesson's formula",
        "Work from the inside out, and run each helper on its own.",
        lesson="Shapes",
        answer="Scores, scale, mask, softmax, @ value: in this order, then merge the heads "
        "and project",
        rule=rules.all_of(
            rules.numbers(*FORWARDS),
            rules.note("{count} forward passes agree with float64.", *FORWARDS),
            OWN_MASK,
        ),
        needs=("shape",),
    ),
)

RUBRIC = Rubric(
    checks=CHECKS,
    draw=lambda rng: [
        *trials.layer_trials(rng, CLASS),
        *part_trials(rng, CLASS),
        *masks.mask_parts(),
    ],
    misconceptions=named(mistakes.ATTENTION, mistakes.OWN_MASK, mistakes.HEADS, LAYER),
    result="numbers",
)
