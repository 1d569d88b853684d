"""The lessons' formulas, as MathML. A terminal shows them as they are written there."""

from __future__ import annotations

import re

from book.sources import raw

FORMULAS: dict[str, str] = {}
"""What a formula is in LaTeX, by the text of its block."""

BLOCK = re.compile(r"^```text\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def rendered(text: str) -> str:
    """The Markdown with each known formula as MathML; other blocks stay."""

    def formula(match: re.Match[str]) -> str:
        latex = FORMULAS.get(match[1].strip())
        return match[0] if latex is None else raw(markup(latex))

    return BLOCK.sub(formula, text)


def markup(latex: str) -> str:
    """A formula on a line of its own, as HTML."""
    from latex2mathml.converter import convert

    return f'<div class="formula">{convert(latex, display="block")}</div>'
