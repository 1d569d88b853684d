"""What a helper is given in place of something else: of two arguments, or of a variable."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from grader.grading.following.run import Run
from grader.grading.following.trace import Comparison, Departure
from grader.grading.reading.bindings import (
    bound,
    callee,
    functions,
    targets,
)
from grader.grading.reading.program import parameters
from grader.grading.reading.shown import Slip

Given = tuple[ast.Call, ast.FunctionDef, list[ast.expr]]
"""A call, the function of the file that it calls, and what it gives by place."""


def crosswise(comparison: Comparison) -> Slip | None:
    """The line that has two values change places, which a helper is given.

    The reference gives its helper of the same name each of them where this one has the other.
    """
    right = {function.name: given for _, function, given in _calls(comparison.right)}
    for call, function, given in _calls(comparison.mine):
        wanted = right.get(function.name, [])
        if function.name not in comparison.proven or len(given) != len(wanted):
            continue
        have = [_value(comparison.mine, one) for one in given]
        want = [_value(comparison.right, one) for one in wanted]
        wrong = [n for n, one in enumerate(have) if not _same(comparison, one, want[n])]
        if len(wrong) != 2:
            continue
        one, other = wrong
        if not _same(comparison, have[one], want[other]):
            continue
        if _same(comparison, have[other], want[one]):
            two = given[one], given[other]
            return _slip(comparison.mine, call, function.name, two)
    return None


def _slip(mine: Run, call: ast.Call, name: str, given: Sequence[ast.expr]) -> Slip:
    """That two values change places: where both names are set at once, else at the call."""
    one, other = (ast.unparse(each) for each in given)
    set_by = [bound(mine.tree, text, call.lineno) for text in (one, other)]
    if set_by[0] is None or set_by[0] is not set_by[1] or isinstance(set_by[0], ast.For):
        said = f"Line {call.lineno} gives {name} {one} and {other}, each where the other belongs."
        return Slip(call.lineno, said)
    line = set_by[0].lineno
    said = f"Line {line} sets {one} and {other}, each to what belongs to the other"
    return Slip(line, f"{said}: line {call.lineno} gives them to {name}.")


def namesake(comparison: Comparison, found: Sequence[Departure]) -> Slip | None:
    """The call that gives a helper of the file another variable than that of its argument's name.

    The caller has such a variable, it holds a value of the reference, of which the one that is
    given was not made, and the numbers go wrong in the helper, where that argument is read.
    """
    mine = comparison.mine
    departed = found[0] if len(found) == 1 else None
    inside = None if departed is None else mine.around(mine.nodes[departed.node])
    if departed is None or inside is None or inside.name in functions(comparison.right.tree):
        return None
    for call, function, given in _calls(mine):
        if function is not inside:
            continue
        names = [name for name in parameters(function) if name != "self"]
        for one, name in zip(given, names, strict=False):
            own = bound(mine.tree, name, call.lineno)
            held = None if own is None else _bound_to(mine, own)
            passed = _value(mine, one)
            if not isinstance(one, ast.Name) or own is None or held is None or one.id == name:
                continue
            if passed is None or passed == held or _comes_from(mine, passed, held):
                continue  # what was made of it by further steps is meant
            if passed in departed.sources and comparison.known(held):
                said = f"Line {call.lineno} gives {function.name} {one.id} for {name}"
                return Slip(call.lineno, f"{said}, and line {own.lineno} makes {name}.")
    return None


def _comes_from(run: Run, value: int, other: int) -> bool:
    """Whether a value was made of another, in any number of steps."""
    todo, seen = [value], {value}
    while todo:
        sources = set(run.made[todo.pop()].sources) - seen
        if other in sources:
            return True
        seen |= sources
        todo += sources
    return False


def _bound_to(run: Run, statement: ast.stmt) -> int | None:
    """The value that a statement gives its one variable."""
    value = getattr(statement, "value", None)
    if not isinstance(statement, ast.Assign) or len(targets(statement)) != 1 or value is None:
        return None
    return _value(run, value)


def _calls(run: Run) -> Iterator[Given]:
    """The calls of the program's own functions that it gives all arguments by place."""
    own = functions(run.tree)
    for node in run.nodes:
        if isinstance(node, ast.Call) and callee(node) in own and not node.keywords:
            yield node, own[callee(node)], node.args


def _value(run: Run, node: ast.expr) -> int | None:
    """The last value that an expression had."""
    return next(reversed(run.values(run.numbers[node])), None)


def _same(comparison: Comparison, have: int | None, want: int | None) -> bool:
    if have is None or want is None:
        return have is want
    return comparison.equal(have, want)
