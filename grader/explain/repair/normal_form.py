"""What a statement says by itself, in whichever names: to compare two programs."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from grader.explain.repair.edits import Names
from grader.source.ast_cache import walked

SKIPPED = frozenset(("ctx", "kind", "returns", "simple", "type_comment", "type_params"))
BLOCKS = ("body", "orelse", "finalbody", "handlers")

NAMED = (ast.Name, ast.arg, ast.Attribute)
"""What has a name that a learner may choose."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def code(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements without docstrings."""
    return [
        one
        for one in body
        if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        or one.value.value is ...
    ]


def form(node: ast.AST, names: Names | None) -> tuple[tuple[object, ...], Sequence[ast.AST]]:
    """What a node says by itself, in the learner's names, and its parts; without its blocks."""
    said, parts = _form(node)
    return (said if names is None else _renamed(node, said, names)), parts


@lru_cache(maxsize=8192)
def _form(node: ast.AST) -> tuple[tuple[object, ...], Sequence[ast.AST]]:
    """What a node says by itself, in its own names, and its parts."""
    said: list[object] = [type(node).__name__]
    parts: list[ast.AST] = []
    for name, value in ast.iter_fields(node):
        if name in SKIPPED or (name in BLOCKS and isinstance(node, ast.stmt | ast.ExceptHandler)):
            continue
        if name == "annotation" and isinstance(node, ast.arg):
            continue
        if isinstance(value, ast.AST) and hasattr(value, "lineno"):
            parts.append(value)
            said.append(name)
        elif isinstance(value, ast.arguments | ast.comprehension):
            parts.append(value)
        elif isinstance(value, ast.AST):
            said.append(type(value).__name__)
        elif isinstance(value, list):
            nodes = [one for one in value if isinstance(one, ast.AST) and _placed(one)]
            said.append(tuple(type(one).__name__ for one in value) if not nodes else len(value))
            parts += nodes
        else:
            said.append(repr(value) if isinstance(node, ast.Constant) else value)  # True is not 1
    return tuple(said), parts


def _placed(node: ast.AST) -> bool:
    return hasattr(node, "lineno") or isinstance(node, ast.comprehension)


def _renamed(node: ast.AST, said: tuple[object, ...], names: Names) -> tuple[object, ...]:
    """What a node says, which ends in its name if it has one, in the learner's names."""
    if isinstance(node, ast.Name):
        return *said[:-1], names.name(node.id)
    if isinstance(node, ast.arg):
        return *said[:-1], names.name(node.arg)
    if isinstance(node, ast.Attribute):
        return *said[:-1], names.attribute(node)
    return said


def same(mine: ast.AST, right: ast.AST, names: Names) -> bool:
    """Whether two nodes say the same, in the learner's names; blocks are not looked at."""
    (said, parts), (wanted, others) = form(mine, None), form(right, names)
    return (
        said == wanted
        and len(parts) == len(others)
        and all(same(a, b, names) for a, b in zip(parts, others, strict=True))
    )


def words(node: ast.AST, names: Names | None) -> Counter[object]:
    """What a statement says, blocks included, as a bag of words."""
    fixed, named = _spoken(node)
    found = Counter(fixed)
    found.update(form(one, names)[0] for one in named)
    return found


@lru_cache(maxsize=4096)
def _spoken(node: ast.AST) -> tuple[Mapping[object, int], Sequence[ast.AST]]:
    """The words of a statement that are the same in all names, and its nodes with a name."""
    nodes = [one for one in walked(node) if not isinstance(one, ast.expr_context)]
    named: list[ast.AST] = [one for one in nodes if isinstance(one, NAMED)]
    plain = (_form(one)[0] for one in nodes if not isinstance(one, NAMED))
    return Counter([*plain, *(type(one).__name__ for one in nodes)]), named
