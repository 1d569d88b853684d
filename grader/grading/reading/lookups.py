"""A question under which nothing is done: of the same sort as :mod:`odd`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.grading.reading.shown import Slip
from grader.source.walked import of_kind


def odd(tree: ast.Module) -> Iterator[Slip]:
    """All of them."""
    return nothing_done(tree)


def nothing_done(tree: ast.Module) -> Iterator[Slip]:
    """An ``if`` whose answer changes nothing: there is only a ``pass`` under it."""
    for node in of_kind(tree, ast.If):
        match node:
            case ast.If(test=test, body=[ast.Pass() as one], orelse=[]):
                said = f"Line {one.lineno} does nothing where {ast.unparse(test)}: what is to be"
                yield Slip(one.lineno, f"{said} done there is missing.")
