"""Edits of whole numbers: with another one that is at hand, or that one in place of a constant.

A run tells which variables hold whole numbers: sizes, counts, places in a loop.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import TypeGuard

from grader.explain.repair.text import Change, Edit, bracketed, of_kind
from grader.explain.trace.run import Run
from grader.source.ast_cache import of_kind as of_type

MOST = 5
"""Other numbers that are tried at one place, the nearest above it first."""
GIVEN = (ast.Assign, ast.BinOp, ast.Call, ast.Compare, ast.List, ast.Return, ast.Slice, ast.Tuple)
"""What a number may be given to."""
SIGNS = "*", "+", "-"
LEAF = 3
"""What it weighs to put a variable in place of a constant."""


@of_kind("whole")
def edits(run: Run) -> Iterator[Edit]:
    """Edits of each whole number that a program had."""
    known = _variables(run)
    for number in run.scalars:
        node = run.nodes[number]
        plain = isinstance(node, ast.Name | ast.Attribute | ast.BinOp)
        if plain and _is_given(node, run) and _is_whole(run, number):
            for other, sign in product(_at_hand(run, node, known), SIGNS):
                yield _put(run, node, f"{run.segment(number)} {sign} {other}")
    for node in of_type(run.tree, ast.Constant):
        if type(node.value) is int and _is_given(node, run):
            for other in _at_hand(run, node, known):
                yield replace(_put(run, node, other), size=LEAF)


def _is_given(node: ast.AST, run: Run) -> TypeGuard[ast.expr]:
    """Whether an expression is handed on as a whole."""
    loads = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
    return loads and isinstance(run.parents.get(node), GIVEN) and not run.is_called(node)


def _variables(run: Run) -> Mapping[ast.AST, Mapping[str, int]]:
    """The variables of each function that held whole numbers, with the last line of each."""
    found: dict[ast.AST, dict[str, int]] = {}
    for number in run.scalars:
        node = run.nodes[number]
        function = run.around(node)
        named = isinstance(node, ast.Name | ast.Attribute) and _is_whole(run, number)
        if named and function is not None:
            found.setdefault(function, {})[run.segment(number)] = run.line(number)
    return found


def _at_hand(run: Run, node: ast.expr, known: Mapping[ast.AST, Mapping[str, int]]) -> list[str]:
    """The nearest variables of the function around a node that the node does not mention."""
    function, text = run.around(node), ast.unparse(node)
    lines = known.get(function, {}) if function is not None else {}
    near = sorted(lines, key=lambda name: abs(node.lineno - lines[name]))
    return [name for name in near if name not in text][:MOST]


def _is_whole(run: Run, number: int) -> bool:
    """Whether a node had whole numbers, each by itself."""
    return not run.holds_several(number) and all(one.whole for one in run.scalars[number])


def _put(run: Run, node: ast.expr, text: str) -> Edit:
    new = ast.parse(f"({text})", mode="eval").body
    start, end = run.span(node)
    text = bracketed(run.parents.get(node), node, new, text)
    return Edit((Change(start, end, text),), node.lineno, 2 + abs(end - start - len(text)))
