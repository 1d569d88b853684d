"""Mistakes in the layer around attention: its projections, and what it returns."""

from __future__ import annotations

from checks.shared.mistakes import Family, Knob

heads = Knob("heads")
c_proj = Knob("c_proj")
c_attn = Knob("c_attn", "c-attn")
residual = Knob("residual", "result")
output = Knob("output", "result")

LAYER: Family = {
    "heads-head-dim": heads("head_dim", "n_head and head_dim are swapped.").also(
        scale="sqrt_n_head"  # by self.head_dim, which is then the number of heads
    ),
    "twelve-heads": heads(
        "twelve", "The number of heads is fixed at 12. Take it from config.n_head."
    ),
    "no-c-proj": c_proj("missing", "The output projection c_proj is missing."),
    "c-proj-twice": c_proj("twice", "The output projection c_proj is applied twice."),
    "c-proj-no-bias": c_proj("no_bias", "The bias of c_proj is dropped."),
    "c-proj-transposed": c_proj("transposed", "The weight of c_proj is transposed."),
    "c-attn-no-bias": c_attn("no_bias", "The bias of c_attn is dropped."),
    "residual": residual(
        "yes",
        "The input is added to the output. The residual connection belongs to the block, "
        "not to the attention layer.",
    ),
    "returns-input": output("input", "The output is the input."),
    "returns-zeros": output("zeros", "The output is zero everywhere."),
    "returns-ones": output("ones", "The output is one everywhere."),
    "returns-mean": output(
        "mean", "The output is the mean of the tokens: no attention is computed."
    ),
}
