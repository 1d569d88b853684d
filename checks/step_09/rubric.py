"""The rubric of step 09: ``GPT2MLP`` and ``GPT2Block``."""

from __future__ import annotations

from checks.shared import common, structure
from checks.shared.mistakes import named
from checks.step_09 import mistakes, trials
from grader.rubric import Check, Rubric, rules, source

MLP, BLOCK = "GPT2MLP", "GPT2Block"
MLPS, BLOCKS = ("mlp-*",), ("block-*",)
FORWARDS = ("mlp-forward", "block-forward")
INIT, CALL = f"{BLOCK}.__init__", source.call_of(BLOCK)


def is_inner(e: source.Expr) -> bool:
    """A width that depends on n_inner, or is chosen in a way that is not followed."""
    return source.made_with(e, lambda one: one.name == "n_inner" or one.op == "unknown")


IMPORTS = (
    common.imports_functional("F.gelu is the function between the two layers.", *FORWARDS),
    common.imports_tensor("Tensor is the type of every argument here.", *FORWARDS),
    common.imports_layers("Module is the base class, Linear a layer.", *FORWARDS),
)

MLP_SOURCE = (
    common.defines(MLP, id="mlp-class"),
    Check(
        "c-fc",
        "GPT2MLP: self.c_fc widens from n_embd to intermediate_size",
        "GPT2MLP: self.c_fc is not created correctly",
        "How wide is a token's vector, and how wide is the network inside?",
        "A Linear with a bias. It widens, to give the network room.",
        lesson="Widen, bend, narrow",
        test=source.stores(f"{MLP}.__init__", "c_fc", "Linear(...)", without=structure.NO_BIAS),
    ),
    Check(
        "mlp-c-proj",
        "GPT2MLP: self.c_proj narrows from intermediate_size to n_embd",
        "GPT2MLP: self.c_proj is not created correctly",
        "It goes back to the width of the input. Which width goes in, and which comes out?",
        "A Linear with a bias. It narrows, back to the width of the block.",
        lesson="Widen, bend, narrow",
        test=source.stores(f"{MLP}.__init__", "c_proj", "Linear(...)", without=structure.NO_BIAS),
    ),
    Check(
        "call-c-fc",
        "GPT2MLP: self.c_fc is applied to the input",
        "GPT2MLP: self.c_fc is not applied to the input",
        "Which of the two layers reads the input?",
        "It comes first, and GELU reads its result.",
        lesson="Widen, bend, narrow",
        gives="the widened features",
        test=source.returns(source.call_of(MLP), "self.c_fc(...)"),
    ),
    Check(
        "gelu",
        'GPT2MLP: F.gelu with approximate="tanh" comes between the two layers',
        'GPT2MLP: F.gelu with approximate="tanh" does not come between the two layers',
        "What bends the numbers between the two layers, and which of MAX's variants is it?",
        "It reads c_fc's output. GPT-2 was trained with the tanh approximation.",
        lesson="GELU",
        gives="the bent features",
        test=source.returns(
            source.call_of(MLP),
            'self.c_proj(F.gelu(_, approximate="tanh") | F.tanh(...))',
            near="F.gelu(...) | F.tanh(...) | self.c_proj(...)",
        ),
    ),
    Check(
        "call-mlp-c-proj",
        "GPT2MLP: self.c_proj gives the result",
        "GPT2MLP: self.c_proj does not give the result",
        "Which layer is still unused? Its output is the network's",
        "It comes last, after GELU.",
        lesson="Widen, bend, narrow",
        gives="the output of the network",
        test=source.returns(source.call_of(MLP), "self.c_proj(...)"),
    ),
)

BLOCK_SOURCE = (
    common.defines(BLOCK, id="block-class"),
    Check(
        "norms",
        "GPT2Block: self.ln_1 and self.ln_2 are created with the configuration's epsilon",
        "GPT2Block: self.ln_1 and self.ln_2 are not created correctly",
        "How wide is a token's vector, and which epsilon does the configuration have?",
        "Two LayerNorms, each with weights of its own and the epsilon as eps.",
        lesson="Normalize first",
        test=source.every(
            source.stores(INIT, "ln_1", structure.NORM), source.stores(INIT, "ln_2", structure.NORM)
        ),
    ),
    Check(
        "attn",
        "GPT2Block: self.attn is a GPT2Attention",
        "GPT2Block: self.attn is not created correctly",
        "Which class of step 05 is it, and what is it made from?",
        "It is the layer of step 05, made from the whole configuration.",
        test=source.stores(INIT, "attn", "GPT2Attention(...)"),
    ),
    Check(
        "mlp",
        "GPT2Block: self.mlp is a GPT2MLP of n_inner, or of 4 * n_embd if that is None",
        "GPT2Block: self.mlp is not created correctly",
        "How wide is the network inside? What if the configuration does not say?",
        "The width comes first, then config. It is config.n_inner, unless that is None.",
        lesson="How wide",
        test=source.stores(
            INIT,
            "mlp",
            "GPT2MLP($inner, ...)",
            "GPT2MLP(..., intermediate_size=$inner)",
            where={"inner": is_inner},
        ),
    ),
    Check(
        "attend",
        "GPT2Block: self.attn(self.ln_1(hidden_states)) is added to hidden_states",
        "GPT2Block: self.attn(self.ln_1(hidden_states)) is not added to hidden_states",
        "Apply the attention to the normalized vectors, and add its output to hidden_states",
        "The vectors go around the layer, which only adds to them.",
        lesson="The residual stream",
        gives="the sum with the attention",
        part=("attend", "residual"),
        test=source.returns(
            CALL,
            "_ + self.attn(self.ln_1(...), ...)",
            "residual(..., self.attn | self.attn(...), self.ln_1 | self.ln_1(...), ...)",
            near="self.attn(...)",
        ),
    ),
    Check(
        "feed-forward",
        "GPT2Block: self.mlp(self.ln_2(hidden_states)) is added after it",
        "GPT2Block: self.mlp(self.ln_2(hidden_states)) is not added after it",
        "Add the feed-forward network's output to the vectors after the attention",
        "Both the copy and the sum start from what the attention left.",
        lesson="The residual stream",
        gives="the output of the block",
        part=("feed-forward", "residual"),
        test=source.returns(
            CALL,
            "_ + self.mlp(self.ln_2(...), ...)",
            "residual(..., self.mlp | self.mlp(...), self.ln_2 | self.ln_2(...), ...)",
            near="self.mlp(...)",
        ),
    ),
    common.placeholders(source.no_placeholders(MLP, BLOCK, "__init__", "__call__", "forward")),
)

RUNTIME = (
    common.builds(
        MLP,
        "GPT2MLP(intermediate_size, config) must work, in this order, with any sizes",
        "Both layers get their sizes from outside.",
        id="mlp-builds",
        lesson="How wide",
        blank="c-fc",
        rule=rules.builds(*MLPS),
    ),
    Check(
        "mlp-parameters",
        "GPT2MLP has the weights and biases of c_fc and c_proj, in the right sizes",
        "GPT2MLP does not have the right weights",
        "c_fc goes from n_embd to intermediate_size, c_proj back, both with a bias",
        "One layer widens, the other narrows.",
        lesson="Widen, bend, narrow",
        answer="Linear(config.n_embd, intermediate_size, bias=True), then the same sizes the "
        "other way round",
        rule=rules.loads(*MLPS),
        needs=("mlp-builds",),
    ),
    common.runs(
        MLP,
        "__call__ takes [..., n_embd] and returns a Tensor of the same shape",
        "It works on each token by itself.",
        id="mlp-forward",
        lesson="Shapes",
        answer='return self.c_proj(F.gelu(self.c_fc(hidden_states), approximate="tanh"))',
        rule=rules.all_of(rules.runs(*MLPS), rules.tensors(*MLPS), rules.shapes(*MLPS)),
        needs=("mlp-parameters",),
    ),
    Check(
        "mlp-numbers",
        "GPT2MLP gives GPT-2's numbers",
        "GPT2MLP does not give GPT-2's numbers",
        "Compare each line of GPT2MLP with the lesson's formula",
        "GPT-2 bends with the tanh approximation.",
        lesson="GELU",
        answer='return self.c_proj(F.gelu(self.c_fc(hidden_states), approximate="tanh"))',
        part=("c-fc", "gelu", "mlp-c-proj", "call-mlp-c-proj"),
        rule=rules.numbers(*MLPS, what="numbers of GPT2MLP"),
        needs=("mlp-forward",),
    ),
    common.builds(
        BLOCK,
        "GPT2Block(GPT2Config()) must work, with any sizes",
        "The block is made of parts that you have.",
        id="block-builds",
        answer="self.ln_1, self.attn, self.ln_2 and self.mlp, each made from config",
        rule=rules.builds(*BLOCKS),
    ),
    Check(
        "block-parameters",
        "GPT2Block has Hugging Face's parameters: ln_1, attn, ln_2, mlp",
        "GPT2Block does not have Hugging Face's parameters",
        "The attributes are named after the weights. mlp is n_inner wide, or 4 * n_embd",
        "n_inner is the width inside mlp; None means four times n_embd.",
        lesson="How wide",
        blank="inner",
        rule=rules.loads(*BLOCKS),
        needs=("block-builds", "mlp-parameters"),
    ),
    common.runs(
        BLOCK,
        "__call__ takes [batch, seq, n_embd] and returns a Tensor of the same shape",
        "Attend and add, feed forward and add.",
        id="block-forward",
        lesson="The residual stream",
        answer="hidden_states = hidden_states + self.attn(self.ln_1(hidden_states)), and so "
        "with mlp and ln_2",
        rule=rules.all_of(rules.runs(*BLOCKS), rules.tensors(*BLOCKS), rules.shapes(*BLOCKS)),
        needs=("block-parameters",),
    ),
    Check(
        "block-calls",
        "A later token changes no earlier output, and two equal calls agree",
        "The block's output depends on later tokens, or on earlier calls",
        "Compute everything from the arguments, and leave the masking to the attention",
        "Only the attention lets tokens meet, and it does the masking.",
        lesson="The residual stream",
        answer="Use only hidden_states and the four parts; no self.… = in __call__",
        rule=rules.all_of(
            rules.keeps_none(*BLOCKS, besides="attn."),
            rules.repeats("block-calls", "first", "again"),
            rules.unaffected("block-calls", "first", "changed", before=trials.FUTURE),
        ),
        needs=("block-forward",),
    ),
    Check(
        "block-numbers",
        "GPT2Block gives GPT-2's numbers",
        "GPT2Block does not give GPT-2's numbers",
        "Compare each line of GPT2Block with the lesson's picture of the block",
        "The parts read a normalized copy; the vectors themselves go around them.",
        lesson="Normalize first",
        answer="x = x + self.attn(self.ln_1(x)), then return x + self.mlp(self.ln_2(x))",
        rule=rules.all_of(
            rules.numbers(*BLOCKS, what="numbers of GPT2Block"),
            rules.note("{count} forward passes agree with float64.", *MLPS, *BLOCKS),
        ),
        needs=("block-forward", "mlp-numbers"),
    ),
)

RUBRIC = Rubric(
    checks=(*IMPORTS, *MLP_SOURCE, *BLOCK_SOURCE, *RUNTIME),
    draw=trials.draw,
    misconceptions=named(mistakes.MLP, mistakes.BLOCK),
    result="block-numbers",
)
