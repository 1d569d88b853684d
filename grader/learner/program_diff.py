"""Shows how a learner's program differs from the reference, as far as that matters.

It compares statements as Python parses them. Comments, docstrings, layout, the spelling of
constants and the order of imports make no difference.
"""

from __future__ import annotations

import ast
import copy
import difflib
import io
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

IMPORTS = (ast.Import, ast.ImportFrom)


@dataclass(frozen=True)
class Piece:
    """A statement, or the head of a function or class.

    ``meaning`` is what is compared, ``lines`` the text without comments. ``number`` is the 1-based
    line where it begins.
    """

    meaning: str
    lines: tuple[str, ...]
    number: int


def difference(mine: str, reference: str, around: int) -> Iterator[str]:
    """Yield the lines of a unified diff, each mark followed by a space, numbered as in ``mine``.

    ``around`` is how many equal statements are shown on either side.

    Raises:
        SyntaxError: ``mine`` is not Python.
    """
    mine = mine.replace("\r\n", "\n").replace("\r", "\n")
    have, want = _pieces(mine), _pieces(reference)
    end = mine.count("\n") + 1
    matcher = difflib.SequenceMatcher(
        None, [one.meaning for one in have], [one.meaning for one in want], autojunk=False
    )
    for group in matcher.get_grouped_opcodes(around):
        yield f"@@ your line {[*(one.number for one in have), end][group[0][1]]}"
        for kind, a, b, c, d in group:
            if kind == "equal":
                yield from (f"  {line}" for one in have[a:b] for line in one.lines)
            else:
                yield from (f"- {line}" for one in have[a:b] for line in one.lines)
                yield from (f"+ {line}" for one in want[c:d] for line in one.lines)


def _pieces(source: str) -> list[Piece]:
    """Return the statements of a program in order, its imports first and sorted."""
    tree = ast.parse(source)
    lines = _without_comments(source)
    imports = [one for node in tree.body if isinstance(node, IMPORTS) for one in _imports(node)]
    others = [node for node in tree.body if not isinstance(node, IMPORTS)]
    imports.sort(key=lambda one: one.meaning)
    return [*imports, *_listed(others, lines, 0)]


def _imports(node: ast.Import | ast.ImportFrom) -> Iterator[Piece]:
    """Yield a piece for each name that the statement imports."""
    for name in node.names:
        text = ast.unparse(_with(node, [name]))
        yield Piece(text, (text,), node.lineno)


def _with(node: ast.Import | ast.ImportFrom, names: list[ast.alias]) -> ast.stmt:
    if isinstance(node, ast.Import):
        return ast.Import(names)
    return ast.ImportFrom(node.module, names, node.level)


def _listed(body: Sequence[ast.stmt], lines: Sequence[str], depth: int) -> Iterator[Piece]:
    """Yield the pieces of a block, ``depth`` blocks deep."""
    for node in body:
        if _is_docstring(node):
            continue
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and _on_own_lines(node):
            head = copy.copy(node)
            head.body = [ast.Pass()]
            yield _piece(head, lines, node.body[0].lineno - 1, depth)
            yield from _listed(node.body, lines, depth + 1)
        else:
            yield _piece(node, lines, node.end_lineno or node.lineno, depth)


def _on_own_lines(node: ast.FunctionDef | ast.ClassDef) -> bool:
    """Whether the body of a function or class begins below its head."""
    return node.body[0].lineno > node.lineno


def _piece(node: ast.stmt, lines: Sequence[str], last: int, depth: int) -> Piece:
    begin = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    written = [line for line in lines[begin - 1 : last] if line.strip()]
    return Piece(f"{depth} {ast.unparse(node)}", tuple(written), begin)


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _without_comments(source: str) -> list[str]:
    """Return the lines of a program without its comments."""
    lines = source.split("\n")  # as Python counts them; splitlines also ends one at a form feed
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
    return lines
