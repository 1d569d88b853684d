"""What a statement says by itself, in whichever names: to compare two programs."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence

from grader.grading.tried.text import Names

SKIPPED = frozenset(("ctx", "kind", "returns", "simple", "type_comment", "type_params"))
BLOCKS = ("body", "orelse", "finalbody", "handlers")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def code(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements without docstrings."""
    return [
        one
        for one in body
        if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        or one.value.value is ...
    ]


def form(node: ast.AST, names: Names | None) -> tuple[tuple[object, ...], list[ast.AST]]:
    """What a node says by itself, in the learner's names, and its parts; without its blocks."""
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
    if names is not None:
        _rename(node, said, names)
    return tuple(said), parts


def _placed(node: ast.AST) -> bool:
    return hasattr(node, "lineno") or isinstance(node, ast.comprehension)


def _rename(node: ast.AST, said: list[object], names: Names) -> None:
    if isinstance(node, ast.Name | ast.arg):
        said[-1] = names.name(node.id if isinstance(node, ast.Name) else node.arg)
    elif isinstance(node, ast.Attribute):
        said[-1] = names.attribute(node)


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
    found: Counter[object] = Counter()
    for one, plain in _plain(node):
        said = list(plain)
        if names is not None and isinstance(one, NAMED):
            _rename(one, said, names)
        found[tuple(said)] += 1
        found[said[0]] += 1
    return found


NAMED = ast.Name | ast.arg | ast.Attribute


def _plain(node: ast.AST) -> list[tuple[ast.AST, tuple[object, ...]]]:
    """What each node of a statement says in its own names; kept with it, as it is asked often."""
    kept: dict[str, list[tuple[ast.AST, tuple[object, ...]]]] = vars(node)
    if "said" not in kept:
        kept["said"] = [
            (one, form(one, None)[0])
            for one in ast.walk(node)
            if not isinstance(one, ast.expr_context)
        ]
    return kept["said"]
