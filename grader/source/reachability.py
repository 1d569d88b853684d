"""Where a pattern is found in what a function does: its own statements, and those it relies on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grader.source.ast_cache import of_kind
from grader.source.bindings import callee, functions
from grader.source.def_use import reads

Body = ast.FunctionDef | ast.Module

FIXED = (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.BinOp, ast.UnaryOp, ast.Call)
"""What a name of the file is given that no call of a function changes."""


def written(body: Body, pattern: str) -> int | None:
    """The first statement of a function, or head of a block, in which a pattern is found."""
    found = (one for one, head in _heads(body) if re.search(pattern, head))
    first = next(found, None)
    return None if first is None else _entry(first, pattern)


def _entry(statement: ast.stmt, pattern: str) -> int:
    """The line of a statement; of a dict or a call on many lines, that of the entry alone."""
    for one in [] if hasattr(statement, "body") else ast.walk(statement):
        match one:
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                every = [(f"{ast.unparse(k)}: {ast.unparse(v)}", v) for k, v in pairs if k]
            case ast.Call(keywords=words):
                every = [(ast.unparse(word), word.value) for word in words]
            case _:
                continue
        if lines := [value.lineno for text, value in every if re.search(pattern, text)]:
            return lines[0]
    return statement.lineno


def find(tree: ast.Module, function: ast.FunctionDef, pattern: str) -> int | None:
    """The same; else in the helpers that it calls, else in the constants that all these read.

    Of several patterns with `` ~ `` between them, the first that is found anywhere counts.
    """
    first, _, others = pattern.partition(" ~ ")
    found = _reached(tree, function, first)
    return find(tree, function, others) if found is None and others else found


def _reached(tree: ast.Module, function: ast.FunctionDef, pattern: str) -> int | None:
    every = [function, *_called(tree, function)]
    lines = (written(one, pattern) for one in every)
    names = {one.id for body in every for one in reads(body)}
    constants = [node for node in tree.body if names.intersection(_constants(node))]
    found = next(filter(None, lines), None)
    return found or written(ast.Module(constants, []), pattern)


def reader(tree: ast.Module, pattern: str) -> int | None:
    """The first statement of a function that reads a constant of the file with this pattern."""
    names = {
        name for node in tree.body for name in _constants(node) if re.search(pattern, _text(node))
    }
    for function in of_kind(tree, ast.FunctionDef):
        for one, head in _heads(function):
            if any(re.search(rf"\b{name}\b", head) for name in names):
                return one.lineno
    return None


def _heads(body: Body) -> Iterator[tuple[ast.stmt, str]]:
    """The statements in their order, each with its text; of a block that of its head."""
    inner = [node for one in body.body for node in ast.walk(one)]
    statements = [node for node in inner if isinstance(node, ast.stmt)]
    for one in sorted(statements, key=lambda node: node.lineno):
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant):
            continue
        yield one, _text(one)


def _text(one: ast.stmt) -> str:
    lines = ast.unparse(one).splitlines()
    return lines[0] if hasattr(one, "body") or isinstance(one, ast.Match) else " ".join(lines)


def _called(tree: ast.Module, function: ast.FunctionDef) -> list[ast.FunctionDef]:
    """The functions and methods of the file that one calls, and those that they call."""
    own = functions(tree)
    found, todo = [], [function]
    while todo:
        calls = sorted(
            (one for one in ast.walk(todo.pop(0)) if isinstance(one, ast.Call)),
            key=lambda one: (one.lineno, one.col_offset),
        )
        names = map(callee, calls)
        new = [own[name] for name in dict.fromkeys(names) if name in own]
        new = [one for one in new if one is not function and one not in found]
        found += new
        todo += new
    return found


def _constants(node: ast.stmt) -> tuple[str, ...]:
    """The names that a statement of the file gives a fixed value, or one that it works out."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, FIXED):
        return ()
    return tuple(one.id for one in node.targets if isinstance(one, ast.Name))
