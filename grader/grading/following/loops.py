"""What a loop does: a turn too many, or numbers that one turn hands on to the next."""

from __future__ import annotations

import ast

from grader.grading.following.cause import Cause
from grader.grading.following.run import Run
from grader.grading.following.trace import Comparison
from grader.grading.reading.bindings import bound, callee
from grader.grading.reading.shown import Slip
from grader.protocol.probe import SeenError
from grader.source.variables import appended


def too_many(comparison: Comparison, node: int, order: int) -> Slip | None:
    """The loop that takes a turn for which the reference has none: it makes something new there."""
    mine, right = comparison.mine, comparison.right
    loop = comparison.mine.loop(node)
    if loop is None or mine.latest(node):
        return None
    turns = list(dict.fromkeys(place.value for place in mine.places if place.node == node))
    done = list(dict.fromkeys(p.value for p in mine.places[:order] if p.node == node))
    known = [comparison.match(value) for value in done[:-1]]
    made = {right.made[one].node for one in known if one is not None and one >= 0}
    if not known or None in known or len(made) != 1:
        return None
    rest = [one for one, by in right.made.items() if by.node in made and one not in known]
    later = [comparison.match(value) for value in turns[len(done) :]]
    if rest and rest[0] not in later:
        return None
    turns_taken = f"more than {len(known)} turns; the reference's ends there."
    return Slip(loop.lineno, f"The loop on line {loop.lineno} takes {turns_taken}")


def gaps(run: Run) -> Slip | None:
    """The bound of slices that a loop takes of a tensor, if they are not side by side.

    They are to be: as many of the first one's width as there are turns fill the axis.
    """
    for node in run.nodes:
        loop = _turning(run, node) if isinstance(node, ast.Subscript) else None
        cut = getattr(node, "slice", None)
        cut = cut.elts[-1] if isinstance(cut, ast.Tuple) and cut.elts else cut
        if loop is None or not isinstance(cut, ast.Slice) or cut.step is not None:
            continue
        if cut.lower is None or cut.upper is None or not isinstance(node, ast.Subscript):
            continue
        turns, long = _turns(run, loop), _long(run, node)
        taken = list(zip(_each(run, cut.lower), _each(run, cut.upper), strict=False))
        width = int(taken[0][1] - taken[0][0]) if taken else 0
        if len(taken) < 2 or width <= 0 or turns * width != long:
            continue
        numbers = [turn % turns for turn in range(len(taken))]  # the loop may run several times
        right = [(at * width, (at + 1) * width) for at in numbers]
        if taken == right:
            continue
        late = [one[0] for one in taken] != [one[0] for one in right]
        edge = cut.lower if late else cut.upper
        made = bound(run.tree, ast.unparse(edge), edge.lineno)
        line = edge.lineno if made is None else made.lineno
        wrong = next(at for at, one in enumerate(taken) if one != right[at])
        pair = slice(max(wrong - 1, 0), max(wrong + 1, 2))
        have, want = (" and ".join(f"{a}:{b}" for a, b in each[pair]) for each in (taken, right))
        which = "The first turns" if pair.start == 0 else "Two turns"
        said = f"{which} of the loop of line {loop.target.lineno} take {have} of"
        said = f"{said} {ast.unparse(node.value)}, which is {long} long there"
        return Slip(line, f"{said}. Side by side are {want}.")
    return None


def _turning(run: Run, node: ast.AST) -> ast.For | ast.comprehension | None:
    """The innermost ``for`` around a node: a statement's, or the only one of a comprehension."""
    outer = run.parents.get(node)
    while outer is not None and not isinstance(outer, ast.FunctionDef | ast.While):
        if isinstance(outer, ast.For):
            return outer
        if isinstance(outer, ast.ListComp | ast.GeneratorExp):
            return outer.generators[0] if len(outer.generators) == 1 else None
        outer = run.parents.get(outer)
    return None


def _turns(run: Run, loop: ast.For | ast.comprehension) -> int:
    """How many turns a loop over ``range(n)`` is to take; 0 where that is not known."""
    match loop.iter:
        case ast.Call(func=ast.Name(id="range"), args=[ast.expr() as last]):
            held = _each(run, last)
            return held[0] if held and len(set(held)) == 1 else 0
    return 0


def _each(run: Run, node: ast.expr) -> list[int]:
    """The whole numbers that an expression had, one after another; empty if it had others."""
    if isinstance(node, ast.Constant):
        return [node.value] * 2 if type(node.value) is int else []
    had = run.scalars.get(run.numbers[node], ())
    whole = all(one.part < 0 and one.whole for one in had)
    return [int(one.value) for one in had] if whole else []


def _long(run: Run, node: ast.Subscript) -> int:
    """How long the axis of the last index is, of what slices are taken of; 0 if that is unknown."""
    index = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    axis = -1 if any(ast.unparse(one) == "..." for one in index) else len(index) - 1
    arrays = [run.arrays[one] for one in run.values(run.numbers[node.value])]
    found = {one.shape[axis] for one in arrays if one is not None and one.ndim > axis}
    return found.pop() if len(found) == 1 else 0


def without_turn(mine: Run, error: SeenError) -> Slip | None:
    """The loop that is to fill a list, and takes no turn, so that the list is empty at an error."""
    call = error.calls[-1] if error.calls else None
    if call is None or "at least one" not in error.message:
        return None
    for loop in (one for one in mine.nodes if isinstance(one, ast.For)):
        filled = {one[0] for node in ast.walk(loop) if (one := appended(node)) is not None}
        over = loop.iter.args if isinstance(loop.iter, ast.Call) else []
        held = mine.held(mine.numbers[over[-1]]) if callee(loop.iter) == "range" and over else ()
        if len(held) == 1 and held[0] <= 0 and any(one in call.code for one in filled):
            until = ast.unparse(over[-1])
            said = f"The loop of line {loop.lineno} takes no turn here: {until} is {held[0]:g}"
            return Slip(loop.lineno, f"{said}, so that {', '.join(filled)} stays empty.")
    return None


def each_turn(comparison: Comparison, cause: Cause) -> Slip | None:
    """The line of a loop that the reference has after it, if that is all that is wrong there."""
    mine, loop = comparison.mine, comparison.mine.loop(cause.node)
    twin, statement = cause.twin, mine.statement(cause.node)
    if loop is None or twin is None or cause.have is None or statement not in loop.body:
        return None
    made = mine.made[cause.have]
    inside = any(one is mine.nodes[made.node] for one in ast.walk(loop))
    if not inside or not comparison.known(cause.have) or _looped(comparison.right, twin):
        return None
    if cause.want is None or not _looped(comparison.right, comparison.right.made[cause.want].node):
        return None
    line = mine.line(cause.node)
    said = f"Line {line} is in the loop of line {loop.lineno}, so every turn does it."
    return Slip(line, f"{said} In the reference it comes after the loop: it is indented too far.")


def _looped(run: Run, node: int) -> bool:
    """Whether a node is inside a loop."""
    outer = run.parents.get(run.nodes[node])
    while outer is not None and not isinstance(outer, ast.For | ast.While):
        outer = run.parents.get(outer)
    return outer is not None


def fed(comparison: Comparison, cause: Cause, order: int) -> Slip | None:
    """The line that gives a variable its plain numbers, from which the cause makes a tensor.

    In a loop's later turns that may be a line below.
    """
    mine, loop = comparison.mine, comparison.mine.loop(cause.node)
    names = [
        one
        for one in ast.walk(mine.nodes[cause.node])
        if isinstance(one, ast.Name) and mine.numbers[one] in mine.scalars
    ]
    turns = {place.value for place in mine.places[:order] if place.node == cause.node}
    if loop is None or mine.latest(cause.node) or len(names) != 1 or len(turns) < 2:
        return None
    name, number = names[0].id, mine.numbers[names[0]]
    inner = [
        one
        for one in ast.walk(loop)
        if isinstance(one, ast.Assign)
        and any(isinstance(given, ast.Name) and given.id == name for given in one.targets)
    ]
    if len(inner) != 1:
        return None
    held = [int(one) for one in mine.held(number, order)]
    last = [one for one in mine.scalars[number] if one.order <= order][-1:]
    alone = bool(last) and last[0].part < 0
    line = inner[0].lineno
    what = f"{held[0]}" if alone and held else f"the list {held}"
    said = f"{name} is {what} there, from line {line}."
    return Slip(line, said)
