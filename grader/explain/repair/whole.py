"""Edits of whole numbers: with another one that is at hand, or that one in place of a constant.

A run tells which variables hold whole numbers: sizes, counts, places in a loop.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import TypeGuard

from grader.explain.repair.text import Change, Edit, bracketed, of_kind
from grader.explain.trace.run import Run
from grader.source.walked import walked

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
    for number in run.scalars:
        node = run.nodes[number]
        plain = isinstance(node, ast.Name | ast.Attribute | ast.BinOp)
        if plain and _is_given(node, run) and _is_whole(run, number):
            for other, sign in product(_at_hand(run, node), SIGNS):
                yield _put(run, node, f"{run.segment(number)} {sign} {other}")
    for node in walked(run.tree):
        if isinstance(node, ast.Constant) and type(node.value) is int and _is_given(node, run):
            for other in _at_hand(run, node):
                yield replace(_put(run, node, other), size=LEAF)


def _is_given(node: ast.AST, run: Run) -> TypeGuard[ast.expr]:
    """Whether an expression is handed on as a whole."""
    outer = run.parents.get(node)
    called = isinstance(outer, ast.Call) and outer.func is node
    loads = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
    return loads and isinstance(outer, GIVEN) and not called


def _at_hand(run: Run, node: ast.AST) -> list[str]:
    """The variables with whole numbers that a function has read or set by then."""
    function, line = run.around(node), getattr(node, "lineno", 0)
    found = {
        run.segment(number): run.line(number)
        for number in run.scalars
        if isinstance(one := run.nodes[number], ast.Name | ast.Attribute)
        and function is not None
        and run.around(one) is function
        and _is_whole(run, number)
    }
    near = sorted(found, key=lambda name: abs(line - found[name]))
    return [name for name in near if name not in ast.unparse(node)][:MOST]


def _is_whole(run: Run, number: int) -> bool:
    """Whether a node had whole numbers, each by itself."""
    return all(one.whole and one.part < 0 for one in run.scalars[number])


def _put(run: Run, node: ast.expr, text: str) -> Edit:
    new = ast.parse(f"({text})", mode="eval").body
    start, end = run.span(node)
    text = bracketed(run.parents.get(node), node, new, text)
    return Edit((Change(start, end, text),), node.lineno, 2 + abs(end - start - len(text)))
