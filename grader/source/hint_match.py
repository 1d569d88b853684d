"""Whether a line of a program already has what a hint says to write."""

from __future__ import annotations

import ast
import re

TELLS = re.compile(r"(Use|Write|Add|Call|Return|Make|Take|(Scale|Divide|Multiply) by) ")
"""How a hint starts that continues with code. Any other must be code as a whole."""


def fulfils(line: str, hint: str) -> bool:
    """Whether ``line`` of a program has the code that ``hint`` tells to write in it."""
    have, want = _tree(line), _code(hint)
    if have is None or want is None:
        return False
    if hint.rstrip(".").endswith(" alone"):  # as a statement that keeps nothing
        alone = (node.value for node in ast.walk(have) if isinstance(node, ast.Expr))
        return any(ast.dump(node) == want for node in alone)
    return any(ast.dump(node) == want for node in ast.walk(have))


def _tree(line: str) -> ast.AST | None:
    """The parsed line; the head of a block counts as a line with nothing in it."""
    for text in (line, f"{line} pass", line.partition("#")[0].rstrip(" ,")):
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None


def _code(hint: str) -> str | None:
    """The longest code that a hint says to write, parsed; None for a bare name."""
    words = TELLS.sub("", hint).split()
    shortest = 0 if TELLS.match(hint) else len(words) - 1
    for end in range(len(words), shortest, -1):
        text = " ".join(words[:end]).rstrip(".,;:")
        try:
            body = ast.parse(text).body
        except SyntaxError:
            continue
        if len(body) == 1 and isinstance(body[0], ast.Expr):
            value = body[0].value
            return None if isinstance(value, ast.Name | ast.Constant) else ast.dump(value)
        return ast.dump(body[0]) if len(body) == 1 else None
    return None
