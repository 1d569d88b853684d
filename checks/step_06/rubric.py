"""The rubric of step 06: ``RotaryEmbedding`` and ``MultiHeadSelfAttentionRoPE``.

Longer than 300 lines, because it has 25 checks on two classes.
"""

from __future__ import annotations

import ast

from checks.shared import common, results, structure
from checks.shared.mistakes import named
from checks.step_06 import mistakes, rotations, trials
from grader.rubric import Check, Rubric, rules, source

ROPE, LAYER = rotations.ROPE, trials.LAYER
METHODS = ("__init__", "__call__", "forward", "_split_heads", "_merge_heads")
ROTATIONS = ("rope-*", "start", "last", "distance")
LAYERS = ("layer-*", "calls")
CALL = source.call_of(LAYER)


def every_second(node: ast.AST) -> bool:
    """A slice with step 2, or a list of sizes that ends in 2."""
    match node:
        case ast.Slice(step=ast.Constant(value=2)):
            return True
        case ast.List(elts=[*_, last]) | ast.Tuple(elts=[*_, last]):
            return isinstance(last, ast.Constant) and last.value == 2
    return False


def uses_parameter(cls: str, index: int) -> source.SourceTest:
    """The parameter at ``index`` (0 is self) of the forward pass is used in its body."""

    def test(program: source.Source) -> source.Finding:
        method = source.definition(program, source.call_of(cls))
        if not isinstance(method, ast.FunctionDef):
            return source.Finding(False)
        names = [arg.arg for arg in (*method.args.posonlyargs, *method.args.args)]
        used = {
            node.id
            for node in ast.walk(method)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        ok = method.args.vararg is not None or (len(names) > index and names[index] in used)
        return source.Finding(ok, method.lineno)

    return test


CHECKS = (
    common.imports_for_a_layer("Module is the base class of both layers.", "rope-builds"),
    Check(
        "classes",
        "RotaryEmbedding and MultiHeadSelfAttentionRoPE are Modules",
        "RotaryEmbedding or MultiHeadSelfAttentionRoPE is missing or is not a Module",
        "Define 'class RotaryEmbedding(Module):' and 'class MultiHeadSelfAttentionRoPE(Module):'",
        "The grader builds both by these names.",
        lesson="What you build",
        answer="class RotaryEmbedding(Module): and class MultiHeadSelfAttentionRoPE(Module):",
        test=source.every(
            source.defines_class(ROPE, "Module"), source.defines_class(LAYER, "Module")
        ),
        proven_by=("rope-builds", "layer-builds"),
    ),
    Check(
        "frequencies",
        "RotaryEmbedding: the frequencies are theta ** (-2i / d_k)",
        "RotaryEmbedding: the frequencies are not theta ** (-2i / d_k)",
        "How many pairs are there, and how fast does each of them turn?",
        "The first pair turns fastest, by one radian a position.",
        lesson="Frequencies",
        gives="the frequencies",
        test=source.mentions(ROPE, "_ ** _", "pow(...)", "power(...)", "exp(...)"),
        proven_by=("rope-numbers",),
    ),
    Check(
        "tables",
        "RotaryEmbedding: cosines and sines of every position's angles are computed",
        "RotaryEmbedding: cosines and sines are not computed",
        "Each position has an angle for each pair. What table is that, and what do you keep of it?",
        "Position m turns pair i by m times its frequency.",
        lesson="Frequencies",
        gives="the sines",
        test=source.every(
            source.mentions(ROPE, "cos(...)", "_.real", "real(...)"),
            source.mentions(ROPE, "sin(...)", "_.imag", "imag(...)"),
        ),
        proven_by=("rope-numbers",),
    ),
    Check(
        "look-up",
        "RotaryEmbedding: the rows of token_positions are looked up",
        "RotaryEmbedding: the rows of token_positions are not looked up",
        "Which rows of the tables belong to the given tokens?",
        "The positions are given; they need not be 0, 1, 2, …",
        lesson="Positions",
        gives="the sines of the positions",
        test=uses_parameter(ROPE, 2),
        proven_by=("rope-numbers",),
    ),
    Check(
        "pairs",
        "RotaryEmbedding: the pairs are features 2i and 2i + 1",
        "RotaryEmbedding: the pairs are not features 2i and 2i + 1",
        "Which two features make a pair?",
        "Neighbours form a pair, not the two halves.",
        lesson="Pairs",
        gives="the odd features",
        test=source.mentions(ROPE, every_second, "as_interleaved_complex(...)"),
        proven_by=("rope-numbers",),
    ),
    Check(
        "rotate",
        "RotaryEmbedding: each pair is turned by its angle",
        "RotaryEmbedding: the pairs are not turned by their angles",
        "How do you turn a point in the plane by an angle? There is one minus.",
        "There is one minus, in the first line.",
        lesson="Turning a point",
        gives="the turned odd features",
        test=source.mentions(
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
    Check(
        "interleave",
        "RotaryEmbedding: the turned pairs go back to their places",
        "RotaryEmbedding: the turned pairs do not go back to their places",
        "The two features of a pair must be side by side again. Along which axis do they meet?",
        "The two features of a pair are side by side again.",
        lesson="Pairs",
        gives="the rotated features",
        test=source.mentions(
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
    Check(
        "project",
        "forward: query, key and value are projected with the transposed weights",
        "forward: query, key and value are not projected with the transposed weights",
        "A weight is [out, in]. What must you do to it before multiplying in_features by it?",
        "A weight is [out, in].",
        lesson="Weights as arguments",
        gives="the heads of the value",
        test=source.returns(CALL, "_ @ _.transpose(...)", near="_ @ _"),
        proven_by=("layer-numbers",),
    ),
    Check(
        "heads",
        "_split_heads and _merge_heads work for any number of leading dimensions",
        "_split_heads or _merge_heads does not work for every number of leading dimensions",
        "How many dimensions come before the last two? Count from the end.",
        "There may be none, one or many.",
        lesson="Leading dimensions",
        answer="x.reshape(x.shape[:-1] + [self.num_heads, -1]).transpose(-3, -2), and back",
        part=("split_heads", "merge_heads", "heads"),
        test=source.only_with(
            source.returns(CALL, "_.transpose(-3, -2)", near="_.transpose(...) | _.reshape(...)"),
            f"{LAYER}._split_heads",
        ),
        proven_by=("layer-numbers",),
    ),
    Check(
        "rotate-heads",
        "forward: query and key are rotated, the value is not",
        "forward: query and key are not rotated, or the value is",
        "Which of query, key and value must know where their tokens are?",
        "Positions need a dimension for the heads: unsqueeze(-2).",
        lesson="The layer",
        gives="the rotated key",
        test=structure.calls_part(LAYER, "rope", 2),
        proven_by=("layer-numbers",),
    ),
    Check(
        "attend",
        "forward: attention runs under the causal mask",
        "forward: attention does not run under the causal mask",
        "Which function of an earlier step hides the future, and which one takes its result?",
        "The mask goes in as an argument, before the softmax.",
        lesson="The layer",
        gives="what each head found",
        part=("scores", "scale", "mask", "softmax", "output"),
        test=source.returns(CALL, "causal_mask(...)"),
        proven_by=("layer-numbers",),
    ),
    Check(
        "output",
        "forward: merged heads are projected with o_proj_weight",
        "forward: merged heads are not projected with o_proj_weight",
        "Once the heads are side by side, what mixes their results?",
        "It mixes what the heads found.",
        lesson="The layer",
        gives="the output of the layer",
        part="o_proj",
        test=source.results_are(CALL, "_ @ _.transpose(...)"),
        proven_by=("layer-numbers",),
    ),
    common.placeholders(source.no_placeholders(ROPE, LAYER, *METHODS)),
    Check(
        "rope-builds",
        "RotaryEmbedding(d_k, max_seq_len, theta) can be created",
        "RotaryEmbedding(d_k, max_seq_len, theta) cannot be created",
        "Any even d_k must work",
        "There is one frequency for each pair of features.",
        lesson="Frequencies",
        blank="frequencies",
        rule=rules.builds(*ROTATIONS),
    ),
    Check(
        "rope-parameters",
        "RotaryEmbedding has no parameters",
        "RotaryEmbedding has parameters",
        "Keep the tables as NumPy arrays, or make them in forward",
        "Every Tensor on self becomes a weight to be loaded.",
        lesson="Tables that are not parameters",
        blank="tables",
        rule=rules.loads("parameters"),
        needs=("rope-builds",),
    ),
    Check(
        "rope-runs",
        "RotaryEmbedding runs on any number of leading dimensions and keeps the shape",
        "RotaryEmbedding does not run on every number of leading dimensions",
        "How many dimensions come before the last two? Count from the end.",
        "The last two dimensions are the tokens and their features.",
        lesson="Pairs",
        answer="x[..., 0::2], x[..., 1::2], F.stack([...], axis=-1), .reshape(x.shape)",
        rule=rules.all_of(
            rules.runs(*ROTATIONS),
            results.answers(*ROTATIONS),
            rules.tensors(*ROTATIONS),
            rules.shapes(*ROTATIONS),
        ),
        needs=("rope-builds",),
    ),
    Check(
        "rope-start",
        "Position 0 leaves a vector as it is",
        "Position 0 changes a vector",
        "cos(0) is 1 and sin(0) is 0: check the angles and the signs",
        "At position 0 every angle is 0.",
        lesson="Turning a point",
        blank="rotate",
        rule=results.right("start"),
        needs=("rope-runs",),
    ),
    Check(
        "rope-distance",
        "Scores of rotated queries and keys depend only on their distance",
        "Scores of rotated queries and keys depend on more than their distance",
        "A rotation keeps the length of every pair: check both lines of the rotation",
        "Two vectors turned by the same angle keep their score.",
        lesson="Turning a point",
        blank="rotate",
        rule=results.same_scores("distance", here=("query", "key"), there=("far_query", "far_key")),
        needs=("rope-runs",),
    ),
    Check(
        "rope-numbers",
        "RotaryEmbedding turns every pair by its angle, at the positions given",
        "RotaryEmbedding does not return the rotated vectors",
        "Compare with the lesson's worked example",
        "Each pair has its own frequency, each position its own row.",
        lesson="Frequencies",
        answer="theta ** (-np.arange(0, d_k, 2) / d_k), np.outer with the positions, F.gather "
        "of the rows",
        part=("frequencies", "look-up", "pairs", "rotate", "interleave"),
        rule=rules.all_of(
            rules.numbers(*ROTATIONS, what="rotated vectors"),
            rules.note("{count} rotations agree with float64.", *ROTATIONS),
        ),
        needs=("rope-runs",),
    ),
    Check(
        "layer-builds",
        "MultiHeadSelfAttentionRoPE(d_model, num_heads, max_seq_len, theta) can be created",
        "MultiHeadSelfAttentionRoPE(d_model, num_heads, max_seq_len, theta) cannot be created",
        "How wide are the vectors that the rotation gets: as the model, or as one head?",
        "The rotation works on one head.",
        lesson="The layer",
        blank="rope",
        rule=rules.all_of(rules.builds(*LAYERS), rules.loads("layer-empty")),
    ),
    Check(
        "layer-runs",
        "It runs on any number of leading dimensions and keeps the shape",
        "It does not run on every number of leading dimensions",
        "Count dimensions from the end, and give the positions a dimension for the heads",
        "There may be no batch, or several.",
        lesson="Leading dimensions",
        answer="Reshape to x.shape[:-1] + [num_heads, d_k], and transpose(-3, -2)",
        rule=results.works(*LAYERS),
        needs=("layer-builds",),
    ),
    Check(
        "layer-causal",
        "A token sees no later token",
        "A token sees later tokens",
        "Pass the causal mask to scaled_dot_product_attention",
        "A hidden token gets weight 0.",
        lesson="The layer",
        blank="attend",
        part="mask",
        rule=rules.unaffected("calls", "first", "changed", before=trials.FUTURE),
        needs=("layer-runs",),
    ),
    Check(
        "layer-moved",
        "A sequence gives the same output wherever it begins",
        "A sequence gives a different output when its positions are shifted",
        "Rotate both query and key, and nothing else",
        "Only the distance between two tokens counts.",
        lesson="The layer",
        blank="rotate-heads",
        rule=results.agree("calls", "first", "moved"),
        needs=("layer-runs", "rope-distance"),
    ),
    Check(
        "layer-numbers",
        "MultiHeadSelfAttentionRoPE gives the right numbers",
        "MultiHeadSelfAttentionRoPE does not give the right numbers",
        "Compare each line of forward with the lesson",
        "Weights are [out, in], and come as arguments.",
        lesson="Weights as arguments",
        answer="in_features @ q_proj_weight.T and so on, split, rotate, attend, merge, @ "
        "o_proj_weight.T",
        rule=rules.all_of(
            rules.numbers(*LAYERS, what="outputs of the layer"),
            rules.repeats("calls", "first", "again"),
            rules.note("{count} outputs agree with float64.", *LAYERS),
        ),
        needs=("layer-runs",),
    ),
)

RUBRIC = Rubric(
    checks=CHECKS,
    draw=trials.draw,
    misconceptions=named(mistakes.ROTATION, mistakes.LAYER_ROPE, mistakes.SHARED),
    result="layer-numbers",
    gives={"angles": "the angles", "split-heads": "the heads", "merge-heads": "the merged heads"},
)
