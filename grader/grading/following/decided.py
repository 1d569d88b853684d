"""A mask that a loop fills with one of two numbers each time, and with the wrong one somewhere."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.grading.following.evaluate import BINARY, COMPARES
from grader.grading.following.run import Run, operation
from grader.grading.following.trace import Comparison
from grader.grading.reading.shown import Slip

WHOLE = ("where", "triu", "tril", "band_part", "masked_fill")
"""Operations that choose for all places at once."""

Places = npt.NDArray[np.bool_]

TURNING = (ast.For, ast.ListComp, ast.GeneratorExp)


def decided(comparison: Comparison, result: int | None, wanted: int | None) -> Slip | None:
    """The one question in the loops that made a result which has the reference's two numbers.

    They are at other places than there, and not each in place of the other everywhere.
    """
    mine = comparison.mine
    have = None if result is None else mine.arrays[result]
    want = None if wanted is None else comparison.right.arrays[wanted]
    if result is None or have is None or want is None or have.shape != want.shape:
        return None
    apart = have != want
    both = np.unique(want)
    if have.ndim < 2 or len(both) != 2 or not np.isin(have, both).all():
        return None
    if not apart.any() or apart.all():
        return None
    tests = [*_tests(mine, mine.around(mine.nodes[mine.made[result].node]))]
    if len(tests) != 1:
        return None
    row, column = (int(one) for one in np.argwhere(apart)[0][-2:])
    line, text = tests[0].lineno, ast.unparse(tests[0])
    said = f"Line {line} chooses between the two numbers by {text}: in row {row}, column {column}"
    said = f"{said} that gives the wrong one."
    found = [*dict.fromkeys(_instead(mine, tests[0], have == both[0], want == both[0]))]
    if len(found) != 1:
        return Slip(line, said)
    return Slip(line, f"{said} With {found[0]}, it would be right.", found[0])


def _instead(run: Run, test: ast.expr, have: Places, want: Places) -> Iterator[str]:
    """The question with another operator, where that chooses as the reference does.

    Beside a 0, or a product with 1, one operator is as good as another.
    """
    turns = [*_turning(run, test)]
    if len(turns) != 2 or have.ndim != 2 or 1 in have.shape:
        return
    known: dict[str, Any] = {
        one.id: held[0]
        for one in ast.walk(test)
        if isinstance(one, ast.Name) and len(held := run.held(run.numbers[one])) == 1
    }
    known = {name: one for name, one in known.items() if name not in turns}
    if any(one in (0.0, 1.0) for one in known.values()):
        return
    known |= {turns[1]: np.arange(have.shape[0])[:, None], turns[0]: np.arange(have.shape[1])}
    asked = _worked_out(test, known, have.shape)
    for turned in (False, True):
        if asked is None or not np.array_equal(asked != turned, have):
            continue
        for new in _operators(test):
            other = _worked_out(new, known, have.shape)
            if other is not None and np.array_equal(other != turned, want):
                yield ast.unparse(new)


def _turning(run: Run, node: ast.AST) -> Iterator[str]:
    """The variables of the loops around a node, from the inside out."""
    outer = run.parents.get(node)
    while outer is not None and not isinstance(outer, ast.FunctionDef):
        loops = [outer] if isinstance(outer, ast.For) else getattr(outer, "generators", [])
        yield from (ast.unparse(one.target) for one in reversed(loops))
        outer = run.parents.get(outer)


def _operators(test: ast.expr) -> Iterator[ast.expr]:
    """A question, with one of its operators changed."""
    for at, node in enumerate(ast.walk(test)):
        kinds: tuple[type[ast.AST], ...] = ()
        if isinstance(node, ast.BinOp):
            kinds = (ast.Add, ast.Sub, ast.Mult)
        elif isinstance(node, ast.Compare):
            kinds = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
        for kind in kinds:
            new = copy.deepcopy(test)
            match [*ast.walk(new)][at]:
                case ast.BinOp() as one:
                    one.op = kind()  # type: ignore[assignment]
                case ast.Compare(ops=[_]) as two:
                    two.ops = [kind()]  # type: ignore[list-item]
            if ast.dump(new) != ast.dump(test):
                yield new


def _worked_out(node: ast.expr, known: Mapping[str, Any], shape: tuple[int, ...]) -> Any:
    """What a question gives for each place, worked out; None if it asks for something else."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            table: Mapping[Any, Any] = COMPARES
        case ast.BinOp(left=left, op=op, right=right):
            table = BINARY
        case ast.Name(id=name):
            return known.get(name)
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case _:
            return None
    one, other = (_worked_out(part, known, ()) for part in (left, right))
    if one is None or other is None or type(op) not in table:
        return None
    found = table[type(op)](one, other)
    return np.broadcast_to(found, shape) if shape else found


def _tests(run: Run, function: ast.FunctionDef | None) -> Iterator[ast.expr]:
    """What is asked inside the loops of a function; what it chooses by otherwise, twice."""
    for node in ast.walk(function) if function is not None else ():
        if isinstance(node, ast.Call) and operation(node) in WHOLE:
            yield from (node, node)
        if isinstance(node, ast.If | ast.IfExp) and _turns(run, node):
            yield node.test


def _turns(run: Run, node: ast.AST) -> bool:
    outer = run.parents.get(node)
    while outer is not None and not isinstance(outer, ast.FunctionDef):
        if isinstance(outer, TURNING):
            return True
        outer = run.parents.get(outer)
    return False
