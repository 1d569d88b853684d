"""The rubric of step 09: ``GPT2MLP`` and ``GPT2Block``."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from checks.shared import structure
from checks.shared.mistakes import named
from checks.step_09 import mistakes, trials
from grader.rubric import (
    Expr,
    Rubric,
    Trial,
    call_of,
    defines_class,
    every,
    made_with,
    no_placeholders,
    returns,
    rules,
    runtime_check,
    source_check,
    stores,
)

MLP, BLOCK = "GPT2MLP", "GPT2Block"
MLPS, BLOCKS = ("mlp-*",), ("block-*",)
INIT, CALL = f"{BLOCK}.__init__", call_of(BLOCK)


def is_inner(e: Expr) -> bool:
    """A width that depends on n_inner, or is chosen in a way that is not followed."""
    return made_with(e, lambda one: one.name == "n_inner" or one.op == "unknown")


def draw(rng: np.random.Generator) -> Iterable[Trial]:
    """The feed-forward network by itself, and whole blocks."""
    return trials.draw(rng)


IMPORTS = (
    source_check(
        "import-functional",
        "functional module is imported as F from max.experimental",
        "functional module is not imported from max.experimental",
        "Add 'from max.experimental import functional as F'",
        'F.gelu is the function between the two layers. See "MAX operations".',
        "from max.experimental import functional as F",
        test=structure.IMPORTS_F,
        proven_by=("mlp-forward", "block-forward"),
    ),
    source_check(
        "import-tensor",
        "Tensor is imported from max.experimental.tensor",
        "Tensor is not imported from max.experimental.tensor",
        "Add 'from max.experimental.tensor import Tensor'",
        'Tensor is the type of every argument here. See "MAX operations".',
        "from max.experimental.tensor import Tensor",
        test=structure.IMPORTS_TENSOR,
        proven_by=("mlp-forward", "block-forward"),
    ),
    source_check(
        "import-nn",
        "Linear and Module are imported from max.experimental.nn",
        "Linear and Module are not imported from max.experimental.nn",
        "Add 'from max.experimental.nn import Linear, Module'",
        'Module is the base class, Linear a layer. See "MAX operations".',
        "from max.experimental.nn import Linear, Module",
        test=structure.IMPORTS_LAYERS,
        proven_by=("mlp-forward", "block-forward"),
    ),
)

MLP_SOURCE = (
    source_check(
        "mlp-class",
        "GPT2MLP class exists",
        "GPT2MLP class is missing",
        "Define 'class GPT2MLP(Module):'",
        "The grader builds the class by this name.",
        "class GPT2MLP(Module):",
        test=defines_class(MLP, "Module"),
    ),
    source_check(
        "c-fc",
        "GPT2MLP: self.c_fc widens from n_embd to intermediate_size",
        "GPT2MLP: self.c_fc is not created correctly",
        "Use Linear(config.n_embd, intermediate_size, bias=True)",
        'The first layer gives the network room. See "Widen, bend, narrow".',
        "self.c_fc = Linear(config.n_embd, intermediate_size, bias=True)",
        test=stores(f"{MLP}.__init__", "c_fc", "Linear(...)", without=structure.NO_BIAS),
    ),
    source_check(
        "mlp-c-proj",
        "GPT2MLP: self.c_proj narrows from intermediate_size to n_embd",
        "GPT2MLP: self.c_proj is not created correctly",
        "Use Linear(intermediate_size, config.n_embd, bias=True)",
        'The second layer comes back to the width of the block. See "Widen, bend, narrow".',
        "self.c_proj = Linear(intermediate_size, config.n_embd, bias=True)",
        test=stores(f"{MLP}.__init__", "c_proj", "Linear(...)", without=structure.NO_BIAS),
    ),
    source_check(
        "call-c-fc",
        "GPT2MLP: self.c_fc is applied to the input",
        "GPT2MLP: self.c_fc is not applied to the input",
        "Call self.c_fc(hidden_states)",
        'It comes first. See "Widen, bend, narrow".',
        "hidden_states = self.c_fc(hidden_states)",
        test=returns(call_of(MLP), "self.c_fc(...)"),
    ),
    source_check(
        "gelu",
        'GPT2MLP: F.gelu with approximate="tanh" stands between the two layers',
        'GPT2MLP: F.gelu with approximate="tanh" does not stand between the two layers',
        'Use F.gelu(hidden_states, approximate="tanh")',
        'GPT-2 learnt with the approximation, so only that gives its numbers. See "GELU".',
        'hidden_states = F.gelu(hidden_states, approximate="tanh")',
        test=returns(
            call_of(MLP),
            'self.c_proj(F.gelu(_, approximate="tanh") | F.tanh(...))',
            near="F.gelu(...) | F.tanh(...) | self.c_proj(...)",
        ),
    ),
    source_check(
        "call-mlp-c-proj",
        "GPT2MLP: self.c_proj gives the result",
        "GPT2MLP: self.c_proj does not give the result",
        "Return self.c_proj(hidden_states)",
        'It comes last. See "Widen, bend, narrow".',
        "return self.c_proj(hidden_states)",
        test=returns(call_of(MLP), "self.c_proj(...)"),
    ),
)

BLOCK_SOURCE = (
    source_check(
        "block-class",
        "GPT2Block class exists",
        "GPT2Block class is missing",
        "Define 'class GPT2Block(Module):'",
        "The grader builds the class by this name.",
        "class GPT2Block(Module):",
        test=defines_class(BLOCK, "Module"),
    ),
    source_check(
        "norms",
        "GPT2Block: self.ln_1 and self.ln_2 are created with the configuration's epsilon",
        "GPT2Block: self.ln_1 and self.ln_2 are not created correctly",
        "Use LayerNorm(config.n_embd, eps=config.layer_norm_epsilon) for each",
        'Two normalizations, each with weights of its own. See "Normalize first".',
        "self.ln_1 = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)",
        test=every(stores(INIT, "ln_1", structure.NORM), stores(INIT, "ln_2", structure.NORM)),
    ),
    source_check(
        "attn",
        "GPT2Block: self.attn is a GPT2Attention",
        "GPT2Block: self.attn is not created correctly",
        "Use GPT2Attention(config)",
        "It is the layer of step 05.",
        "self.attn = GPT2Attention(config)",
        test=stores(INIT, "attn", "GPT2Attention(...)"),
    ),
    source_check(
        "mlp",
        "GPT2Block: self.mlp is a GPT2MLP of n_inner, or of 4 * n_embd where that is None",
        "GPT2Block: self.mlp is not created correctly",
        "Use GPT2MLP(inner, config)",
        'inner is config.n_inner, unless that is None. See "How wide".',
        "inner = 4 * config.n_embd if config.n_inner is None else config.n_inner",
        test=stores(
            INIT,
            "mlp",
            "GPT2MLP($inner, ...)",
            "GPT2MLP(..., intermediate_size=$inner)",
            where={"inner": is_inner},
        ),
    ),
    source_check(
        "attend",
        "GPT2Block: self.attn(self.ln_1(hidden_states)) is added to hidden_states",
        "GPT2Block: self.attn(self.ln_1(hidden_states)) is not added to hidden_states",
        "Add what the attention makes of the normalized vectors to the vectors themselves",
        'The vectors pass by, and the layer adds to them. See "The residual stream".',
        "hidden_states = hidden_states + self.attn(self.ln_1(hidden_states))",
        test=returns(
            CALL,
            "_ + self.attn(self.ln_1(...), ...)",
            "residual(..., self.attn | self.attn(...), self.ln_1 | self.ln_1(...), ...)",
            near="self.attn(...)",
        ),
    ),
    source_check(
        "feed-forward",
        "GPT2Block: self.mlp(self.ln_2(hidden_states)) is added after it",
        "GPT2Block: self.mlp(self.ln_2(hidden_states)) is not added after it",
        "Add what the feed-forward network makes of them to the vectors after the attention",
        'Both the copy and the sum start from what the attention left. See "The residual stream".',
        "return hidden_states + self.mlp(self.ln_2(hidden_states))",
        test=returns(
            CALL,
            "_ + self.mlp(self.ln_2(...), ...)",
            "residual(..., self.mlp | self.mlp(...), self.ln_2 | self.ln_2(...), ...)",
            near="self.mlp(...)",
        ),
    ),
    source_check(
        "placeholders",
        "All placeholder 'None' values have been replaced",
        "Found placeholder 'None' values that need to be replaced:",
        "Replace all 'None' values with the actual implementation",
        "Each stands under a TODO.",
        "Search the file for None.",
        test=no_placeholders(MLP, BLOCK, "__init__", "__call__", "forward"),
    ),
)

RUNTIME = (
    runtime_check(
        "mlp-builds",
        "GPT2MLP class can be instantiated",
        "GPT2MLP class cannot be instantiated",
        "GPT2MLP(intermediate_size, config) must work, in this order, with any sizes",
        'Both layers get their sizes from outside. See "How wide".',
        "self.c_fc = Linear(config.n_embd, intermediate_size, bias=True)",
        rule=rules.builds(*MLPS),
    ),
    runtime_check(
        "mlp-parameters",
        "GPT2MLP has the weights and biases of c_fc and c_proj, in the right sizes",
        "GPT2MLP does not have the right weights",
        "c_fc goes from n_embd to intermediate_size, c_proj back, both with a bias",
        'One layer widens, the other narrows. See "Widen, bend, narrow".',
        "Linear(config.n_embd, intermediate_size, bias=True), then the same sizes the other way"
        " round",
        rule=rules.loads(*MLPS),
        needs=("mlp-builds",),
    ),
    runtime_check(
        "mlp-forward",
        "GPT2MLP forward pass executes without errors",
        "GPT2MLP forward pass does not work",
        "__call__ takes [..., n_embd] and returns a Tensor of the same shape",
        'It works on every token by itself. See "Shapes".',
        'return self.c_proj(F.gelu(self.c_fc(hidden_states), approximate="tanh"))',
        rule=rules.all_of(rules.runs(*MLPS), rules.tensors(*MLPS), rules.shapes(*MLPS)),
        needs=("mlp-parameters",),
    ),
    runtime_check(
        "mlp-numbers",
        "GPT2MLP gives GPT-2's numbers",
        "GPT2MLP does not give GPT-2's numbers",
        "Compare each line of GPT2MLP with the lesson's formula",
        'GPT-2 bends with the approximation by tanh. See "GELU".',
        'return self.c_proj(F.gelu(self.c_fc(hidden_states), approximate="tanh"))',
        rule=rules.numbers(*MLPS, what="numbers of GPT2MLP"),
        needs=("mlp-forward",),
    ),
    runtime_check(
        "block-builds",
        "GPT2Block class can be instantiated",
        "GPT2Block class cannot be instantiated",
        "GPT2Block(GPT2Config()) must work, with any sizes",
        'The block is made of parts that you have. See "Tasks".',
        "self.ln_1, self.attn, self.ln_2 and self.mlp, each made from config",
        rule=rules.builds(*BLOCKS),
    ),
    runtime_check(
        "block-parameters",
        "GPT2Block has Hugging Face's parameters: ln_1, attn, ln_2, mlp",
        "GPT2Block does not have Hugging Face's parameters",
        "The names of the attributes are the names of the weights; n_inner sets the width of mlp",
        'n_inner is the width of mlp; None means four times n_embd. See "How wide".',
        "inner = 4 * config.n_embd if config.n_inner is None else config.n_inner",
        rule=rules.loads(*BLOCKS),
        needs=("block-builds", "mlp-parameters"),
    ),
    runtime_check(
        "block-forward",
        "GPT2Block forward pass executes without errors",
        "GPT2Block forward pass does not work",
        "__call__ takes [batch, seq, n_embd] and returns a Tensor of the same shape",
        'Attend and add, feed forward and add. See "The residual stream".',
        "hidden_states = hidden_states + self.attn(self.ln_1(hidden_states)), and so with mlp "
        "and ln_2",
        rule=rules.all_of(rules.runs(*BLOCKS), rules.tensors(*BLOCKS), rules.shapes(*BLOCKS)),
        needs=("block-parameters",),
    ),
    runtime_check(
        "block-calls",
        "A later token changes no earlier output, and two calls give the same",
        "The block does not treat its calls alike",
        "Compute everything from the arguments, and leave the masking to the attention",
        'Only the attention lets tokens meet, and it masks. See "The residual stream".',
        "Use only hidden_states and the four parts; no self.… = in __call__",
        rule=rules.all_of(
            rules.repeats("block-calls", "first", "again"),
            rules.unaffected("block-calls", "first", "changed", before=trials.FUTURE),
        ),
        needs=("block-forward",),
    ),
    runtime_check(
        "block-numbers",
        "GPT2Block gives GPT-2's numbers",
        "GPT2Block does not give GPT-2's numbers",
        "Compare each line of GPT2Block with the lesson's picture of the block",
        'The parts read a normalized copy; the vectors themselves pass by. See "Normalize first".',
        "x = x + self.attn(self.ln_1(x)), then return x + self.mlp(self.ln_2(x))",
        rule=rules.all_of(
            rules.numbers(*BLOCKS, what="numbers of GPT2Block"),
            rules.note("{count} forward passes, compared with float64.", *MLPS, *BLOCKS),
        ),
        needs=("block-forward", "mlp-numbers"),
    ),
)

BLAMES = {
    "c_fc": ("c-fc", "mlp-numbers"),
    "gelu": ("gelu", "mlp-numbers"),
    "mlp_c_proj": ("mlp-c-proj", "mlp-numbers"),
    "mlp": ("call-mlp-c-proj", "mlp-numbers"),
    "norms": ("norms", "block-numbers"),
    "attend": ("attend", "block-numbers"),
    "feed": ("feed-forward", "block-numbers"),
    "residual": ("attend", "feed-forward", "block-numbers"),
    "result": ("block-numbers",),
}

LESSON = {
    "c_fc": "Widen, bend, narrow",
    "gelu": "GELU",
    "mlp_c_proj": "Widen, bend, narrow",
    "mlp": "Widen, bend, narrow",
    "norms": "Normalize first",
    "attend": "The residual stream",
    "feed": "The residual stream",
    "residual": "The residual stream",
    "result": "Tasks",
}

RUBRIC = Rubric(
    checks=(*IMPORTS, *MLP_SOURCE, *BLOCK_SOURCE, *RUNTIME),
    draw=draw,
    misconceptions=(
        *named(mistakes.MLP, BLAMES, LESSON),
        *named(mistakes.BLOCK, BLAMES, LESSON),
    ),
)
