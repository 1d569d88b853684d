"""The lessons' formulas, as MathML. A terminal shows them as they are written there."""

from __future__ import annotations

import re

from book.sources import raw

ATTENTION = (
    r"\operatorname{attention}(Q, K, V) = \operatorname{softmax}"
    r"\left(\frac{Q K^{\top}}{\sqrt{d_{\text{head}}}} + \text{mask}\right) V"
)

FORMULAS = {
    "attention(Q, K, V) = softmax(Q Kᵀ / √head_dim + mask) V": (ATTENTION,),
    "(a cos t − b sin t, a sin t + b cos t)": (
        r"(a \, \cos t - b \, \sin t,\quad a \, \sin t + b \, \cos t)",
    ),
    "x − mean y = ───────────────────── · weight + bias √(variance + epsilon)": (
        r"y = \frac{x - \text{mean}}{\sqrt{\text{variance} + \epsilon}}"
        r" \cdot \text{weight} + \text{bias}",
    ),
    "x + sublayer(norm(x))": (r"x + \operatorname{sublayer}(\operatorname{norm}(x))",),
    "exact: gelu(x) = x · ½ (1 + erf(x / √2)) "
    "with tanh: gelu(x) ≈ x · ½ (1 + tanh(√(2/π) (x + 0.044715 x³)))": (
        r"\text{exact:}\quad \operatorname{gelu}(x) = "
        r"\frac{x}{2} \left(1 + \operatorname{erf} \frac{x}{\sqrt{2}}\right)",
        r"\text{with tanh:}\quad \operatorname{gelu}(x) \approx \frac{x}{2} \left(1 + \tanh "
        r"\left(\sqrt{\frac{2}{\pi}} \, (x + 0.044715 \, x^3)\right)\right)",
    ),
}
"""The lines of a formula in LaTeX, by the text of its block with every gap as one space."""

BLOCK = re.compile(r"^```text\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def rendered(text: str) -> str:
    """The Markdown with each known formula as MathML; other blocks stay."""

    def formula(match: re.Match[str]) -> str:
        lines = FORMULAS.get(" ".join(match[1].split()), ())
        return raw("\n".join(map(markup, lines))) if lines else match[0]

    return BLOCK.sub(formula, text)


def markup(latex: str) -> str:
    """A formula on a line of its own, as HTML."""
    from latex2mathml.converter import convert

    return f'<div class="formula">{convert(latex, display="block")}</div>'
