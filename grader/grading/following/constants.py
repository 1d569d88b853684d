"""The constant of a file that is wrong, which a line further down only reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from grader.grading.following.cause import Cause
from grader.grading.following.run import Run
from grader.grading.following.trace import Comparison, Departure
from grader.grading.reading.bindings import arguments, around, callee, targets
from grader.grading.reading.program import parameters
from grader.grading.reading.shown import Slip, own_calls
from grader.protocol.probe import SeenError
from grader.source.variables import read, stored
from grader.source.walked import of_kind, walked

ABSENT = re.compile(r"^Axis (-?\d+) does not exist")
"""What is said of an axis that a tensor does not have."""


def fixed(tree: ast.Module, error: SeenError, said: str) -> Slip | None:
    """The constant of the file with this axis, if the call that raised the error reads it."""
    found = ABSENT.search(said)
    call = error.calls[-1] if error.calls else None
    if found is None or call is None:
        return None
    names = {name for one in _parsed(call.code) for name in read(one)}
    for one in tree.body:
        value = one.value if isinstance(one, ast.Assign) else None
        if (
            value is not None
            and names.intersection(targets(one))
            and ast.unparse(value) == found[1]
        ):
            return Slip(one.lineno, f"Line {one.lineno} sets {ast.unparse(one)}.")
    return None


def filled(comparison: Comparison, departure: Departure) -> Slip | None:
    """The constant of the file with the one number that a call fills a tensor with, and wrongly."""
    mine, array = comparison.mine, comparison.mine.arrays[departure.value]
    call = mine.nodes[departure.node]
    if array is None or not array.size or (array != array.flat[0]).any():
        return None
    for given in call.args if isinstance(call, ast.Call) and not departure.sources else ():
        held = mine.held(mine.numbers[given]) if isinstance(given, ast.Name) else ()
        if not isinstance(given, ast.Name) or held != (float(array.flat[0]),):
            continue
        inside = around(mine.tree, given.lineno)
        if inside is not None and given.id in stored(inside):
            continue
        for one in mine.tree.body:
            if isinstance(one, ast.Assign | ast.AnnAssign) and given.id in targets(one):
                said = f"{given.id} is {held[0]:g}, from line {one.lineno}"
                return Slip(one.lineno, f"{said}, and line {given.lineno} fills a tensor with it.")
    return None


def preset(mine: Run, node: int, new: ast.expr, order: int | None = None) -> Slip | None:
    """The line that sets an argument which ``new``, a call, gives otherwise.

    That is a ``partial``, a constant of the file, or the one call of the function around it; of
    several, the one that gave the numbers of the entry ``order`` of the run.
    """
    old = mine.nodes[node]
    if (swapped := _exchanged(mine, old, new)) is not None:
        return swapped
    if not isinstance(old, ast.Call) or not isinstance(new, ast.Call):
        return None
    if (named := _named(mine, old, new, order)) is not None:
        return named
    before = {one.arg for one in old.keywords}
    other = [one for one in new.keywords if one.arg not in before]
    name = ast.unparse(old.func)
    for one in walked(mine.tree):
        made = one.value if isinstance(one, ast.Assign | ast.AnnAssign) else None
        if not isinstance(made, ast.Call) or callee(made) != "partial" or len(other) != 1:
            continue
        if name not in targets(one) or other[0].arg not in [word.arg for word in made.keywords]:
            continue
        words = [other[0] if word.arg == other[0].arg else word for word in made.keywords]
        text = ast.unparse(ast.Call(made.func, made.args, words))
        line = made.lineno
        said = f"Line {old.lineno} calls {name}, for which line {line} sets "
        have = next(word for word in made.keywords if word.arg == other[0].arg)
        said = f"{said}{ast.unparse(have)}: it is to be {ast.unparse(other[0])}."
        return Slip(line, said, text)
    return None


def _exchanged(mine: Run, old: ast.AST, new: ast.expr) -> Slip | None:
    """The one call of a helper that reads its parameters in their order, and needs another one.

    ``new`` is ``old`` with these exchanged: so what the call gives them is.
    """
    helper = mine.around(old)
    names = [] if helper is None else [one for one in parameters(helper) if one != "self"]
    before, after = (
        [n.id for n in ast.walk(one) if isinstance(n, ast.Name) and n.id in names]
        for one in (old, new)
    )
    pairs = [pair for pair in zip(before, after, strict=False) if pair[0] != pair[1]]
    read = [one for one, _ in pairs]
    if not pairs or read != [one for one in names if one in read]:
        return None
    calls = [one[0] for one in own_calls(mine.tree) if helper and one[2] == helper.name]
    if sorted(before) != sorted(after) or len(calls) != 1:
        return None
    call, skipped = calls[0], callee(calls[0]) == "partial"
    moved = {other: one for one, other in pairs}
    given = arguments(call, [*[""] * skipped, *names])
    if not moved.keys() <= given.keys():
        return None
    by_place = [
        given[moved.get(one, one)] for one, _ in zip(names, call.args[skipped:], strict=False)
    ]
    words = [ast.keyword(w.arg, given[moved.get(w.arg or "", w.arg or "")]) for w in call.keywords]
    write = ast.unparse(ast.Call(call.func, [*call.args[:skipped], *by_place], words))
    line = given[read[0]].lineno
    have = " and ".join(f"{ast.unparse(given[one])} for {one}" for one in read)
    said = f"Line {line} has {have}: with {write} it would be right."
    return Slip(line, said, write)


def _named(mine: Run, old: ast.Call, new: ast.Call, order: int | None) -> Slip | None:
    """The constant, or the call, that gives the names in a call which are numbers in another."""
    before = [*old.args, *(one.value for one in old.keywords)]
    after = [*new.args, *(one.value for one in new.keywords)]
    pairs = [
        (one, other)
        for one, other in zip(before, after, strict=False)
        if ast.unparse(one) != ast.unparse(other)
    ]
    numbers = {
        one.id: other
        for one, other in pairs
        if isinstance(one, ast.Name) and isinstance(other, ast.Constant | ast.UnaryOp)
    }
    if len(before) != len(after) or not numbers or len(numbers) < len(pairs):
        return None
    outer: ast.AST | None = old
    while outer is not None:
        if isinstance(outer, ast.FunctionDef) and numbers.keys() <= {*parameters(outer)}:
            return _given(mine, outer, numbers) or _in_turn(mine, outer, old, numbers, order)
        outer = mine.parents.get(outer)
    reads = [one.id for one in of_kind(mine.tree, ast.Name)]
    for one in mine.tree.body:
        given = targets(one)
        if isinstance(one, ast.Assign) and len(given) == len(numbers) == 1 and given[0] in numbers:
            if reads.count(given[0]) != 2:  # there, and where it is set
                return None
            write = f"{given[0]} = {ast.unparse(numbers[given[0]])}"
            said = f"Line {one.lineno} sets {ast.unparse(one)}, which line {old.lineno} reads"
            return Slip(one.lineno, f"{said}: with {write} it would be right.", write)
    return None


def _given(mine: Run, function: ast.FunctionDef, wanted: Mapping[str, ast.expr]) -> Slip | None:
    """The one call of a function, which gives its parameters other numbers than those wanted."""
    calls = [one for one in walked(mine.tree) if callee(one) == function.name]
    call = calls[0] if len(calls) == 1 else None
    names = [one for one in parameters(function) if one != "self"]
    if not isinstance(call, ast.Call) or len(call.args) != len(names) or call.keywords:
        return None
    args = [wanted.get(name, one) for name, one in zip(names, call.args, strict=True)]
    write = ast.unparse(ast.Call(call.func, args, []))
    said = f"Line {call.lineno} has {ast.unparse(call)}: with {write} it would be right."
    return Slip(call.lineno, said, write)


def _in_turn(
    mine: Run,
    function: ast.FunctionDef,
    old: ast.Call,
    wanted: Mapping[str, ast.expr],
    order: int | None,
) -> Slip | None:
    """The one of several calls that made a function with the number that is wrong in its turn."""
    if len(wanted) != 1 or order is None or not isinstance(function.body[-1], ast.Return):
        return None
    ((name, new),) = wanted.items()
    leaves = (one for one in of_kind(old, ast.Name) if one.id == name)
    held = [mine.held(mine.numbers[one], order) for one in leaves]
    names, found = parameters(function), []
    for call in walked(mine.tree):
        if not isinstance(call, ast.Call) or callee(call) != function.name:
            continue
        value = arguments(call, names).get(name)
        if isinstance(value, ast.Constant) and held == [(value.value,)]:
            found.append((call, value))
    if len(found) != 1:
        return None
    call, value = found[0]
    said = f"Line {value.lineno} has {ast.unparse(call)}, so that line {old.lineno} has"
    said = f"{said} {ast.unparse(value)} for {name}: the reference has {ast.unparse(new)} there"
    return Slip(value.lineno, f"{said}.")


def _parsed(code: str) -> list[ast.stmt]:
    try:
        return ast.parse(code).body
    except SyntaxError:
        return []


def set_otherwise(comparison: Comparison, cause: Cause) -> Slip | None:
    """The one line that sets what a call reads by name, where the reference's call has another.

    That is a constant of the file or of a class, or an attribute that is set once.
    """
    mine, right = comparison.mine, comparison.right
    call = mine.nodes[cause.node]
    twin = None if cause.twin is None else right.nodes[cause.twin]
    if not isinstance(call, ast.Call) or not isinstance(twin, ast.Call):
        return None
    if cause.have is not None or callee(call) != callee(twin):
        return None
    wanted = {word.arg: word.value for word in twin.keywords if word.arg}
    if wanted.keys() != {word.arg for word in call.keywords}:
        return None
    found: list[tuple[ast.keyword, ast.Assign | ast.AnnAssign | None, ast.Constant]] = []
    for word in call.keywords:
        want, kept = wanted[word.arg or ""], _set_once(mine, word.value)
        have = word.value if kept is None else kept.value
        if not isinstance(want, ast.Constant) or not isinstance(have, ast.Constant):
            continue
        if have.value != want.value and not _same_axis(comparison, cause, word.arg, have, want):
            found.append((word, kept, want))
    if len(found) != 1:
        return None
    word, kept, want = found[0]
    if kept is None or kept.value is None:
        return None
    left = kept.target if isinstance(kept, ast.AnnAssign) else kept.targets[0]
    old, new = mine.of(kept.value), right.of(want)
    said = f"Line {kept.lineno} sets {mine.of(left)} to {old}, which line {word.value.lineno} reads"
    write = f"{mine.of(kept).removesuffix(old)}{new}"
    return Slip(kept.lineno, f"{said}: the reference has {new} there.", write)


def _same_axis(
    comparison: Comparison, cause: Cause, name: str | None, have: ast.Constant, want: ast.Constant
) -> bool:
    """Whether two numbers of an option are one and the same axis, counted from either end."""
    sources = comparison.mine.latest(cause.node)
    array = comparison.mine.arrays[sources[0]] if sources else None
    if name not in ("axis", "dim") or array is None or not array.ndim:
        return False
    places = [one.value % array.ndim for one in (have, want) if isinstance(one.value, int)]
    return len(places) == 2 and places[0] == places[1]


def _set_once(mine: Run, node: ast.expr) -> ast.Assign | ast.AnnAssign | None:
    """The only statement that sets what is read here, and only here, by its name."""
    name = node.attr if isinstance(node, ast.Attribute) else ""
    name = node.id if isinstance(node, ast.Name) else name
    if not name or (isinstance(node, ast.Attribute) and not isinstance(node.value, ast.Name)):
        return None
    inside = around(mine.tree, node.lineno)
    if inside is not None and name in {*stored(inside), *parameters(inside)}:
        return None
    sets, reads = [], 0
    for one in walked(mine.tree):
        if isinstance(one, ast.Assign | ast.AnnAssign):
            lefts = one.targets if isinstance(one, ast.Assign) else [one.target]
            sets += [one for left in lefts if _name_of(left) == name]
        read_here = isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Load)
        reads += read_here and _name_of(one) == name
    return sets[0] if len(sets) == reads == 1 else None


def _name_of(node: ast.AST) -> str:
    """The last part of a variable or an attribute."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
