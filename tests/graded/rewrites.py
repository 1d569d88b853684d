"""Right programs made by a machine: a program, written in other ways that keep it right.

Most are patterns of ``rewrites.toml``: what is written, and what may be written for it. There
``A`` to ``E`` stand for a tensor, ``A4`` for one of four axes, ``P`` to ``Z`` for any expression,
and ``S_`` alone in a block for all that is in it. Which expressions are tensors is seen by running
the program (:func:`seen`). What no pattern can say is in :mod:`tests.graded.restructured`.
"""

from __future__ import annotations

import ast
import copy
import functools
import itertools
import random
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from grader.base import course
from tests.graded import direct, restructured
from tests.mutate import Mutant

GAP = re.compile(r"[A-E]\d?|[P-Z]")
FILE = Path(__file__).with_name("rewrites.toml")

Found = dict[str, Any]
"""What stands at each gap of a pattern."""


Apply = Callable[[ast.Module, restructured.Pick], None]
"""Changes a tree in place, where it is told to."""


@functools.cache
def rewrites() -> dict[str, Apply]:
    """All of them by name, in a fixed order."""
    table = tomllib.loads(FILE.read_text(encoding="utf-8"))
    patterns: dict[str, Apply] = {
        name: functools.partial(_by_pattern, one["from"], one["to"], one.get("helper", ""))
        for name, one in table.items()
    }
    return patterns | restructured.ALL


def solution(step: str) -> Mutant:
    """The step's solution itself, in the layout of the others."""
    return Mutant("solution", 0, "", ast.unparse(seen(step)))


def alone(step: str) -> list[Mutant]:
    """The step's solution in each other way, wherever that can be written."""
    return [made for name in rewrites() for made in _made(step, (name,), lambda: True)]


def pairs(step: str, seed: int, count: int) -> list[Mutant]:
    """At most ``count`` programs in which two drawn rewrites are applied here and there."""
    draws = random.Random(seed)
    able = [name for name in rewrites() if any(_made(step, (name,), lambda: True))]
    both = [two for two in itertools.permutations(rewrites(), 2) if two[0] in able]
    draws.shuffle(both)
    made = (one for two in both for one in _made(step, two, lambda: draws.random() < 0.7))
    return list(itertools.islice(made, count))


def _made(step: str, names: Sequence[str], pick: restructured.Pick) -> Iterator[Mutant]:
    """The program, if each of the rewrites changes something."""
    tree = copy.deepcopy(seen(step))
    text = ast.unparse(tree)
    for name in names:
        rewrites()[name](tree, pick)
        before, text = text, ast.unparse(ast.fix_missing_locations(tree))
        if text == before:
            return
    yield Mutant("rewrite", 0, " + ".join(names), text)


# ---- which expressions are tensors ----------------------------------------------------------


@functools.cache
def seen(step: str) -> ast.Module:
    """The step's solution; where only tensors of one rank were seen, nodes have it as ``rank``.

    ``rank`` is -1 for tensors of several ranks.
    """
    tree = ast.parse(course.find(step).solution.read_text(encoding="utf-8"))
    noting = _Noting()
    noted = ast.unparse(ast.fix_missing_locations(noting.visit(copy.deepcopy(tree))))
    head = "from __future__ import annotations"
    source = noted.replace(head, f"{head}\n{NOTE}", 1)
    truth = direct.truth(step, source.encode())
    assert truth.right, truth.why
    ranks: dict[int, set[int | None]] = sys.modules["learner"].__dict__["_ranks"]
    for index, node in enumerate(_expressions(tree)):
        found = ranks.get(index, {None})
        node.__dict__["rank"] = next(iter(found)) if len(found) == 1 else -1
        if None in found:
            node.__dict__["rank"] = None
    return tree


NOTE = """
_ranks = {}
def _note(index, value):
    rank = len(value.shape) if type(value).__name__ == 'Tensor' else None
    _ranks.setdefault(index, set()).add(rank)
    return value
"""

QUIET = (ast.Constant, ast.Starred, ast.Slice, ast.Tuple, ast.JoinedStr, ast.FormattedValue)


def _expressions(tree: ast.AST) -> Iterator[ast.expr]:
    """The expressions that are read, in a fixed order; no annotations."""
    for name, part in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "format_spec"):
            continue
        for child in part if isinstance(part, list) else [part]:
            if isinstance(child, ast.AST):
                read = isinstance(getattr(child, "ctx", ast.Load()), ast.Load)
                if read and isinstance(child, ast.expr) and not isinstance(child, QUIET):
                    yield child
                yield from _expressions(child)


class _Noting(ast.NodeTransformer):  # noqa: TID251 - of a tree of its own
    """Lets ``_note`` see the value of each expression."""

    def visit_Module(self, node: ast.Module) -> ast.Module:
        numbers = {id(one): index for index, one in enumerate(_expressions(node))}
        self._numbers = numbers
        self.generic_visit(node)
        return node

    def visit(self, node: ast.AST) -> ast.AST:
        index = getattr(self, "_numbers", {}).get(id(node))
        if isinstance(node, ast.JoinedStr):
            return node
        changed: ast.AST = super().visit(node)
        if index is None or not isinstance(changed, ast.expr):
            return changed
        note = ast.Name("_note", ast.Load())
        return ast.Call(note, [ast.Constant(index), changed], [])


# ---- patterns -----------------------------------------------------------------------------


def _by_pattern(
    before: str, after: str, helper: str, tree: ast.Module, pick: restructured.Pick
) -> None:
    """Write ``after`` where ``before`` stands."""
    body = ast.parse(before).body[0]
    pattern = body.value if isinstance(body, ast.Expr) else body
    written = _Writing(pattern, ast.parse(after).body, pick)
    written.visit(tree)
    if written.changed and helper:
        restructured.insert(tree, ast.parse(helper).body)


class _Writing(ast.NodeTransformer):  # noqa: TID251 - the same
    """Replaces what matches, from the inside out."""

    def __init__(self, pattern: ast.AST, after: list[ast.stmt], pick: restructured.Pick) -> None:
        self._pattern, self._after, self._pick = pattern, after, pick
        self.changed = False

    def visit(self, node: ast.AST) -> ast.AST | list[ast.AST]:
        if not isinstance(node, ast.Module | ast.stmt | ast.expr):
            return self.generic_visit(node)
        changed = self.generic_visit(node)
        found: Found = {}
        if not _matches(self._pattern, changed, found) or not self._pick():
            return changed
        self.changed = True
        if not isinstance(self._pattern, ast.expr):
            return [one for each in self._after for one in _filled(each, found)]
        (value,) = _filled(self._after[0].value, found)  # type: ignore[attr-defined]
        value.__dict__["rank"] = getattr(node, "rank", None)
        return value


def _matches(pattern: object, node: object, found: Found) -> bool:
    gap = _gap(pattern)
    if gap:
        rank = getattr(node, "rank", None)
        if gap[0] in "ABCDE" and (rank is None or gap[1:] not in ("", str(rank))):
            return False
        if not isinstance(node, ast.expr):
            return False
        return ast.unparse(found.setdefault(gap, node)) == ast.unparse(node)
    if isinstance(pattern, list) and isinstance(node, list):
        if len(pattern) == 1 and isinstance(pattern[0], ast.Expr) and _block(pattern[0]):
            found[_block(pattern[0])] = node
            return bool(node)
        pairs = zip(pattern, node, strict=False)
        return len(pattern) == len(node) and all(_matches(*two, found) for two in pairs)
    if isinstance(pattern, ast.expr_context):
        return True
    if isinstance(pattern, ast.AST) and type(pattern) is type(node):
        return all(
            _matches(part, getattr(node, name), found) for name, part in ast.iter_fields(pattern)
        )
    return not isinstance(pattern, ast.AST) and type(pattern) is type(node) and pattern == node


def _filled(after: ast.AST, found: Found) -> list[ast.AST]:
    """The pattern with what was found at its gaps; a block is several statements."""
    if _gap(after):
        return [copy.deepcopy(found[_gap(after)])]
    if isinstance(after, ast.Expr) and _block(after):
        return list(found[_block(after)])
    made = copy.copy(after)
    for name, part in ast.iter_fields(after):
        if isinstance(part, ast.AST):
            setattr(made, name, _filled(part, found)[0])
        elif isinstance(part, list):
            whole = [_filled(one, found) if isinstance(one, ast.AST) else [one] for one in part]
            setattr(made, name, [one for some in whole for one in some])
    return [made]


def _gap(node: object) -> str:
    """The name of a gap for an expression."""
    return node.id if isinstance(node, ast.Name) and GAP.fullmatch(node.id) else ""


def _block(node: ast.Expr) -> str:
    """The name of a gap for a block."""
    return (
        node.value.id if isinstance(node.value, ast.Name) and node.value.id in ("S_", "T_") else ""
    )
