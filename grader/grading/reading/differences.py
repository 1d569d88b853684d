"""Two differences one after the other that are the same: ``new = a - b`` and ``gone = a - b``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from grader.grading.reading.shown import Slip
from grader.source.walked import walked


def odd(tree: ast.Module) -> Iterator[Slip]:
    """The second of two such statements, which a copy of the first was to become."""
    for outer in walked(tree):
        block = getattr(outer, "body", None)
        for one, other in pairwise(block if isinstance(block, list) else ()):
            match one, other:
                case (
                    ast.Assign(targets=[ast.Name(id=first)], value=ast.BinOp(op=ast.Sub()) as kept),
                    ast.Assign(targets=[ast.Name(id=then)], value=ast.BinOp() as copied),
                ) if first != then and ast.unparse(kept) == ast.unparse(copied):
                    text, line = ast.unparse(copied), other.lineno
                    said = f"Line {line} makes {then} {text}, just as line {one.lineno} makes"
                    turned = ast.BinOp(copied.right, copied.op, copied.left)
                    said = f"{said} {first}: is it the other way round?"
                    yield Slip(line, said, ast.unparse(turned))
