"""The rubric of step 06: ``RotaryEmbedding`` and ``MultiHeadSelfAttentionRoPE``."""

from __future__ import annotations

import ast
from collections.abc import Iterable

import numpy as np

from checks.shared import results, structure
from checks.shared.mistakes import named
from checks.step_06 import mistakes, trials
from grader.rubric import (
    Finding,
    Rubric,
    Source,
    SourceTest,
    Trial,
    call_of,
    defines_class,
    definition,
    every,
    imports,
    mentions,
    no_placeholders,
    only_with,
    results_are,
    returns,
    rules,
    runtime_check,
    source_check,
)

ROPE, LAYER = trials.ROPE, trials.LAYER
METHODS = ("__init__", "__call__", "forward", "_split_heads", "_merge_heads")
ROTATIONS = ("rope-*", "start", "distance")
LAYERS = ("layer-*", "calls")
CALL = call_of(LAYER)


def every_second(node: ast.AST) -> bool:
    """A slice with step 2, or a list of sizes that ends in 2."""
    match node:
        case ast.Slice(step=ast.Constant(value=2)):
            return True
        case ast.List(elts=[*_, last]) | ast.Tuple(elts=[*_, last]):
            return isinstance(last, ast.Constant) and last.value == 2
    return False


def uses_parameter(cls: str, index: int) -> SourceTest:
    """The parameter at ``index`` (0 is self) of the forward pass is used in its body."""

    def test(source: Source) -> Finding:
        method = definition(source, call_of(cls))
        if not isinstance(method, ast.FunctionDef):
            return Finding(False)
        names = [arg.arg for arg in (*method.args.posonlyargs, *method.args.args)]
        used = {
            node.id
            for node in ast.walk(method)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        ok = method.args.vararg is not None or (len(names) > index and names[index] in used)
        return Finding(ok, method.lineno)

    return test


def draw(rng: np.random.Generator) -> Iterable[Trial]:
    """Rotations by themselves and whole layers, with positions in any order."""
    return trials.draw(rng)


CHECKS = (
    source_check(
        "imports",
        "functional as F, Module and Tensor are imported",
        "functional, Module or Tensor is not imported",
        "Import F from max.experimental, Module from its nn, Tensor from its tensor",
        'Module is the base class of both layers. See "MAX operations".',
        "from max.experimental import functional as F; from max.experimental.nn import Module; "
        "from max.experimental.tensor import Tensor",
        test=every(imports("max.experimental.nn.Module"), structure.USES_TENSOR, structure.USES_F),
        proven_by=("rope-builds",),
    ),
    source_check(
        "classes",
        "RotaryEmbedding and MultiHeadSelfAttentionRoPE are Modules",
        "RotaryEmbedding or MultiHeadSelfAttentionRoPE is missing or is no Module",
        "Define 'class RotaryEmbedding(Module):' and 'class MultiHeadSelfAttentionRoPE(Module):'",
        'The grader builds both by these names. See "What you build".',
        "class RotaryEmbedding(Module): and class MultiHeadSelfAttentionRoPE(Module):",
        test=every(defines_class(ROPE, "Module"), defines_class(LAYER, "Module")),
        proven_by=(
            "rope-builds",
            "layer-builds",
        ),
    ),
    source_check(
        "frequencies",
        "RotaryEmbedding: the frequencies are theta ** (-2i / d_k)",
        "RotaryEmbedding: the frequencies are not theta ** (-2i / d_k)",
        "Use theta ** (-np.arange(0, d_k, 2) / d_k)",
        'The first pair turns fastest, by one radian a position. See "Frequencies".',
        "frequencies = theta ** (-np.arange(0, d_k, 2) / d_k)",
        test=mentions(ROPE, "_ ** _", "pow(...)", "power(...)", "exp(...)"),
        proven_by=("rope-numbers",),
    ),
    source_check(
        "tables",
        "RotaryEmbedding: cosines and sines of every position's angles are worked out",
        "RotaryEmbedding: cosines and sines are not worked out",
        "Use np.outer(np.arange(max_seq_len), frequencies), then np.cos and np.sin",
        'Position m turns pair i by m times its frequency. See "Frequencies".',
        "self.cos = np.cos(np.outer(np.arange(max_seq_len), frequencies)).astype(np.float32), and "
        "self.sin likewise",
        test=every(mentions(ROPE, "cos(...)"), mentions(ROPE, "sin(...)")),
        proven_by=("rope-numbers",),
    ),
    source_check(
        "look-up",
        "RotaryEmbedding: the rows of token_positions are looked up",
        "RotaryEmbedding: the rows of token_positions are not looked up",
        "Use F.gather(table, token_positions, axis=0) on both tables",
        'The positions are given; they need not be 0, 1, 2, … See "Positions".',
        "cos = F.gather(Tensor(self.cos, dtype=x.dtype, device=x.device), token_positions, axis=0)",
        test=uses_parameter(ROPE, 2),
        proven_by=("rope-numbers",),
    ),
    source_check(
        "pairs",
        "RotaryEmbedding: the pairs are features 2i and 2i + 1",
        "RotaryEmbedding: the pairs are not features 2i and 2i + 1",
        "Use x[..., 0::2] and x[..., 1::2]",
        'Neighbours belong together, not the two halves. See "Pairs".',
        "even, odd = x[..., 0::2], x[..., 1::2]",
        test=mentions(ROPE, every_second, "as_interleaved_complex(...)"),
        proven_by=("rope-numbers",),
    ),
    source_check(
        "rotate",
        "RotaryEmbedding: each pair is turned by its angle",
        "RotaryEmbedding: the pairs are not turned by their angles",
        "The point (a, b) becomes (a cos - b sin, a sin + b cos)",
        'One minus, in the first line. See "Turning a point".',
        "turned_even = even * cos - odd * sin; turned_odd = even * sin + odd * cos",
        test=mentions(
            ROPE,
            "_ - _",
            "-_",
            "sub(...)",
            "negate(...)",
            "complex_mul(...)",
            shown="_ * _ - _ * _ | _ * _ + _ * _",
        ),
        proven_by=("rope-numbers",),
    ),
    source_check(
        "interleave",
        "RotaryEmbedding: the turned pairs go back to their places",
        "RotaryEmbedding: the turned pairs do not go back to their places",
        "Use F.stack([turned_even, turned_odd], axis=-1), then reshape(x.shape)",
        'Each pair stands side by side again. See "Pairs".',
        "return F.stack([turned_even, turned_odd], axis=-1).reshape(x.shape)",
        test=mentions(
            ROPE,
            "stack(...)",
            "complex_mul(...)",
            "concat(...)",
            "concatenate(...)",
            "matmul(...)",
            "permute(...)",
        ),
        proven_by=("rope-numbers",),
    ),
    source_check(
        "project",
        "forward: query, key and value are projected with the transposed weights",
        "forward: query, key and value are not projected with the transposed weights",
        "Use in_features @ q_proj_weight.T, and so on",
        'A weight is [out, in]. See "Weights as arguments".',
        "query = self._split_heads(in_features @ q_proj_weight.T), and likewise key and value",
        test=returns(CALL, "_ @ _.transpose(...)", near="_ @ _"),
        proven_by=("layer-numbers",),
    ),
    source_check(
        "heads",
        "_split_heads and _merge_heads work for any leading dimensions",
        "_split_heads or _merge_heads does not work for any leading dimensions",
        "Count dimensions from the end: x.shape[:-1], transpose(-3, -2)",
        'There may be none, one or many in front. See "Leading dimensions".',
        "x.reshape(x.shape[:-1] + [self.num_heads, -1]).transpose(-3, -2), and back",
        test=only_with(
            returns(CALL, "_.transpose(-3, -2)", near="_.transpose(...) | _.reshape(...)"),
            f"{LAYER}._split_heads",
        ),
        proven_by=("layer-numbers",),
    ),
    source_check(
        "rotate-heads",
        "forward: query and key are rotated, the value is not",
        "forward: query and key are not rotated",
        "Call self.rope(query, positions) and self.rope(key, positions)",
        'Positions need a dimension for the heads: unsqueeze(-2). See "Leading dimensions".',
        "query = self.rope(query, token_positions.unsqueeze(-2)), and likewise key",
        test=structure.calls_part(LAYER, "rope", 2),
        proven_by=("layer-numbers",),
    ),
    source_check(
        "attend",
        "forward: attention runs under the causal mask",
        "forward: attention does not run under the causal mask",
        "Use causal_mask of step 02 and scaled_dot_product_attention of step 03",
        'The mask goes in as an argument, before the softmax. See "The layer".',
        "output, _ = scaled_dot_product_attention(query, key, value, mask)",
        test=returns(CALL, "causal_mask(...)"),
        proven_by=("layer-numbers",),
    ),
    source_check(
        "output",
        "forward: merged heads are projected with o_proj_weight",
        "forward: merged heads are not projected with o_proj_weight",
        "Use self._merge_heads(output) @ o_proj_weight.T",
        'It mixes what the heads found. See "The layer".',
        "return self._merge_heads(output) @ o_proj_weight.T",
        test=results_are(CALL, "_ @ _.transpose(...)"),
        proven_by=("layer-numbers",),
    ),
    source_check(
        "placeholders",
        "All placeholder 'None' values have been replaced",
        "Found placeholder 'None' values that need to be replaced:",
        "Replace all 'None' values with the actual implementation",
        "Each stands under a TODO.",
        "Search the file for None.",
        test=no_placeholders(ROPE, LAYER, *METHODS),
    ),
    runtime_check(
        "rope-builds",
        "RotaryEmbedding(d_k, max_seq_len, theta) can be made",
        "RotaryEmbedding(d_k, max_seq_len, theta) cannot be made",
        "Any even d_k must work",
        'There is one frequency for each pair of features. See "Frequencies".',
        "frequencies = theta ** (-np.arange(0, d_k, 2) / d_k)",
        rule=rules.builds("rope-*", "start", "distance", "last"),
    ),
    runtime_check(
        "rope-parameters",
        "RotaryEmbedding has no parameters",
        "RotaryEmbedding has parameters",
        "Keep the tables as NumPy arrays, or make them in forward",
        'Every Tensor on self becomes a weight to be loaded. See "Tables that are no parameters".',
        "self.cos = np.cos(angles).astype(np.float32), and so for self.sin",
        rule=rules.loads("parameters", on="rope"),
        needs=("rope-builds",),
    ),
    runtime_check(
        "rope-runs",
        "RotaryEmbedding runs on any leading dimensions and keeps the shape",
        "RotaryEmbedding does not run on any leading dimensions",
        "Index from the end: x[..., 0::2] and axis=-1",
        'The two last dimensions are the tokens and their features. See "Pairs".',
        "x[..., 0::2], x[..., 1::2], F.stack([...], axis=-1), .reshape(x.shape)",
        rule=rules.all_of(
            rules.runs(*ROTATIONS, "last"),
            results.answers(*ROTATIONS, "last"),
            rules.tensors(*ROTATIONS),
            rules.shapes(*ROTATIONS),
        ),
        needs=("rope-builds",),
    ),
    runtime_check(
        "rope-start",
        "Position 0 leaves a vector as it is",
        "Position 0 changes a vector",
        "cos(0) is 1 and sin(0) is 0: check the angles and the signs",
        'At position 0 every angle is 0. See "Turning a point".',
        "even * cos - odd * sin, and even * sin + odd * cos",
        rule=results.right("start"),
        needs=("rope-runs",),
    ),
    runtime_check(
        "rope-distance",
        "Scores of rotated queries and keys depend only on their distance",
        "Scores of rotated queries and keys depend on more than their distance",
        "A rotation keeps the length of every pair: check both lines of the rotation",
        'Two vectors that are turned by the same angle keep their score. See "Turning a point".',
        "even * cos - odd * sin, and even * sin + odd * cos",
        rule=results.same_scores("distance", here=("query", "key"), there=("far_query", "far_key")),
        needs=("rope-runs",),
    ),
    runtime_check(
        "rope-numbers",
        "RotaryEmbedding turns every pair by its angle, at the positions given",
        "RotaryEmbedding does not turn every pair by its angle",
        "Compare with the worked example of the lesson",
        'Each pair has its own frequency, each position its own row. See "Frequencies".',
        "theta ** (-np.arange(0, d_k, 2) / d_k), np.outer with the positions, F.gather of the rows",
        rule=rules.all_of(
            rules.numbers(*ROTATIONS, what="rotated vectors"),
            rules.note("{count} rotations, compared with float64.", *ROTATIONS),
        ),
        needs=("rope-runs",),
    ),
    runtime_check(
        "layer-builds",
        "MultiHeadSelfAttentionRoPE(d_model, num_heads, max_seq_len, theta) can be made",
        "MultiHeadSelfAttentionRoPE(d_model, num_heads, max_seq_len, theta) cannot be made",
        "self.rope = RotaryEmbedding(d_model // num_heads, max_seq_len, theta)",
        'The rotation works on one head. See "The layer".',
        "self.rope = RotaryEmbedding(d_model // num_heads, max_seq_len, theta)",
        rule=rules.builds(*LAYERS),
    ),
    runtime_check(
        "layer-runs",
        "It runs on any leading dimensions and keeps the shape",
        "It does not run on any leading dimensions",
        "Count dimensions from the end, and give the positions a dimension for the heads",
        'There may be no batch, or several. See "Leading dimensions".',
        "Reshape to x.shape[:-1] + [num_heads, d_k], and transpose(-3, -2)",
        rule=rules.all_of(
            rules.runs(*LAYERS),
            results.answers(*LAYERS),
            rules.tensors(*LAYERS),
            rules.shapes(*LAYERS),
        ),
        needs=("layer-builds",),
    ),
    runtime_check(
        "layer-causal",
        "A token sees no later token",
        "A token sees later tokens",
        "Pass the causal mask to scaled_dot_product_attention",
        'A hidden token gets the weight 0. See "The layer".',
        "causal_mask(seq, 0, dtype=..., device=...) as the mask of scaled_dot_product_attention",
        rule=rules.unaffected("calls", "first", "changed", before=trials.FUTURE),
        needs=("layer-runs",),
    ),
    runtime_check(
        "layer-moved",
        "A text gives the same output wherever it stands",
        "A text gives another output when its positions are shifted",
        "Rotate both query and key, and nothing else",
        'Only the distance of two tokens counts. See "The layer".',
        "self.rope(query, positions) and self.rope(key, positions), the value as it is",
        rule=results.agree("calls", "first", "moved"),
        needs=("layer-runs", "rope-distance"),
    ),
    runtime_check(
        "layer-numbers",
        "MultiHeadSelfAttentionRoPE gives the right numbers",
        "MultiHeadSelfAttentionRoPE does not give the right numbers",
        "Compare each line of forward with the lesson",
        'Weights are [out, in], and come as arguments. See "Weights as arguments".',
        "in_features @ q_proj_weight.T and so on, split, rotate, attend, merge, @ o_proj_weight.T",
        rule=rules.all_of(
            rules.numbers(*LAYERS, what="outputs of the layer"),
            rules.repeats("calls", "first", "again"),
            rules.note("{count} outputs, compared with float64.", *LAYERS),
        ),
        needs=("layer-runs",),
    ),
)

BLAMES = {
    "frequencies": ("frequencies", "rope-numbers"),
    "positions": ("look-up", "rope-numbers"),
    "pairs": ("pairs", "rope-numbers"),
    "rotate": ("rotate", "rope-numbers"),
    "interleave": ("interleave", "rope-numbers"),
    "project": ("project", "layer-numbers"),
    "rotated": ("rotate-heads", "layer-numbers"),
    "scores": ("attend", "layer-numbers"),
    "scale": ("attend", "layer-numbers"),
    "mask": ("attend", "layer-causal"),
    "softmax": ("attend", "layer-numbers"),
    "output": ("attend", "layer-numbers"),
    "split_heads": ("heads", "layer-numbers"),
    "merge_heads": ("heads", "layer-numbers"),
    "heads": ("heads", "layer-numbers"),
    "o_proj": ("output", "layer-numbers"),
}

LESSON = {
    "frequencies": "Frequencies",
    "positions": "Positions",
    "pairs": "Pairs",
    "rotate": "Turning a point",
    "interleave": "Pairs",
    "project": "Weights as arguments",
    "rotated": "The layer",
    "scores": "The layer",
    "scale": "The layer",
    "mask": "The layer",
    "softmax": "The layer",
    "output": "The layer",
    "split_heads": "Leading dimensions",
    "merge_heads": "Leading dimensions",
    "heads": "Leading dimensions",
    "o_proj": "The layer",
}

RUBRIC = Rubric(
    checks=CHECKS,
    draw=draw,
    misconceptions=(
        *named(mistakes.ROTATION, BLAMES, LESSON),
        *named(mistakes.LAYER_ROPE, BLAMES, LESSON),
        *named(mistakes.SHARED, BLAMES, LESSON),
    ),
)
