"""Texts in which braces stand as they are, for want of an f before the quotes."""

from __future__ import annotations

import ast
import re

from grader.grading.reading.shown import Slip
from grader.source.walked import walked

BRACED = re.compile(r"\{([A-Za-z_]\w*)[^{}]*\}")
"""A variable in a text, to be put in."""

TURNS = ("The loop of line", "In no turn of the loop of line")
"""How sentences begin that only say what a loop asks."""


def unfilled(tree: ast.AST, message: str) -> Slip | None:
    """The text with a variable in braces that an error's message has just so: it is no f-string."""
    every = walked(tree) if BRACED.search(message) else ()
    meant = [one for one in every if isinstance(one, ast.JoinedStr | ast.Raise)]
    inner = {id(each) for one in meant for each in walked(one)}
    texts = (one for one in every if isinstance(one, ast.Constant) and id(one) not in inner)
    for node in texts:
        text = node.value if isinstance(node.value, str) else ""
        found = BRACED.search(text)
        if found is None or text not in message:
            continue
        said = f"The text on line {node.lineno} holds {found[0]} as it stands: without an f before"
        quoted = f'f"{text}"' if '"' not in text and text.isprintable() else ""
        return Slip(node.lineno, f"{said} the quotes, nothing is put in.", quoted)
    return None
