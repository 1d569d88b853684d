"""What a loop does: a turn too many, or numbers that one turn hands on to the next."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from grader.grading.following.cause import Cause
from grader.grading.following.evaluate import JOINS
from grader.grading.following.kinds import kind
from grader.grading.following.run import Run, operation
from grader.grading.following.trace import Comparison
from grader.grading.reading.bindings import around, bound, callee, stores
from grader.grading.reading.shown import Slip
from grader.protocol.probe import SeenError
from grader.source.variables import appended, stored
from grader.source.walked import of_kind


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
    count = _counter(loop)
    kept = bound(mine.tree, count, loop.lineno) if count else None
    if kept is None:
        return Slip(loop.lineno, f"The loop on line {loop.lineno} takes {turns_taken}")
    said = f"Line {kept.lineno} sets {count}, with which the loop on line {loop.lineno} takes"
    return Slip(kept.lineno, f"{said} {turns_taken}")


def _counter(loop: ast.AST) -> str:
    """The variable that only says how many turns a loop takes: each takes 1 away, or a range."""
    match loop:
        case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[ast.Name(id=name)])):
            return name
        case ast.While(test=ast.Compare(left=ast.Name(id=name), comparators=[ast.Constant()])):
            takes = [ast.unparse(one) for one in loop.body]
            inner = [one for one in ast.walk(loop) if isinstance(one, ast.stmt | ast.NamedExpr)]
            changed = [one for one in inner if not hasattr(one, "body") and name in stored(one)]
            leaps = any(isinstance(one, ast.Continue) for one in inner)
            return name if f"{name} -= 1" in takes and len(changed) == 1 and not leaps else ""
    return ""


def too_few(comparison: Comparison, step: int) -> Slip | None:
    """The loop that does less often what the reference's does as ``step``, a node of its own."""
    mine, right = comparison.mine, comparison.right
    if not _looped(right, step):
        return None
    wanted, own = _times(right, step), kind(right, step)
    for loop in (one for one in mine.nodes if isinstance(one, ast.For | ast.While)):
        for one in ast.walk(loop):
            number = mine.numbers[one]
            if isinstance(one, ast.Call) and kind(mine, number) == own:
                if _times(mine, number) >= wanted:
                    return None
                said = f"The loop of line {loop.lineno} takes fewer turns than the reference's."
                return Slip(loop.lineno, said)
    return None


def too_far(mine: Run, error: SeenError) -> Slip | None:
    """The range of a loop that counts further than what its number is the index of is long."""
    call = error.calls[-1] if error.calls else None
    number = mine.written(call.line, call.code) if call is not None else None
    node: ast.AST | None = None if number is None else mine.nodes[number]
    if OUTSIDE.search(f"{error.type_name}: {error.message}") is None:
        return None
    if not isinstance(node, ast.Subscript) or isinstance(node.ctx, ast.Store):
        return None
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    index, owner = [*map(ast.unparse, parts)], ast.unparse(node.value)
    while node is not None and not isinstance(node, ast.FunctionDef):
        for loop in [node] if isinstance(node, ast.For) else getattr(node, "generators", []):
            match loop.iter:
                case ast.Call(func=ast.Name(id="range"), args=[*_, last], lineno=line) if (
                    ast.unparse(loop.target) in index
                ):
                    until = f"Line {line} counts as far as {ast.unparse(last)}"
                    return Slip(line, f"{until}, and {owner} has fewer entries.", _one_less(loop))
        node = mine.parents.get(node)
    return None


OUTSIDE = re.compile(r"^IndexError|out of (range|bounds)")
"""How an error says that there is no such entry."""


def _one_less(loop: ast.For | ast.comprehension) -> str:
    """The range of a loop without the 1 that its end adds; empty if it adds none."""
    match loop.iter:
        case ast.Call(
            args=[*_, ast.BinOp(left=less, op=ast.Add(), right=ast.Constant(value=1)) as last]
        ):
            return ast.unparse(loop.iter).replace(ast.unparse(last), ast.unparse(less))
    return ""


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


def short(run: Run) -> Slip | None:
    """The loop that fills an array along an axis, and takes fewer turns than that is long."""
    for store in (one for one in run.nodes if isinstance(one, ast.Assign)):
        entry = store.targets[0]
        if not isinstance(entry, ast.Subscript) or not isinstance(entry.value, ast.Name):
            continue
        kept = bound(run.tree, entry.value.id, store.lineno)
        made = run.values(run.numbers[kept.value]) if isinstance(kept, ast.Assign) else ()
        if kept is None or len(stores(run.tree, entry.value.id, kept.lineno)) > 1:
            continue
        array = run.arrays[made[-1]] if made else None
        index = entry.slice.elts if isinstance(entry.slice, ast.Tuple) else [entry.slice]
        for axis, one in enumerate(index if array is not None else ()):
            loop = _over(run, store, one)
            if loop is None or array is None or axis >= array.ndim:
                continue
            turns, size, name = _turns(run, loop), array.shape[axis], entry.value.id
            if 0 < turns < size:
                said = f"Line {loop.lineno} counts {ast.unparse(one)} up to {turns - 1} here, and"
                said = f"{said} axis {axis} of {name} is {size} long"
                return Slip(loop.lineno, f"{said}: the rest stays as it was made.")
    return None


def _over(run: Run, statement: ast.stmt, index: ast.expr) -> ast.For | None:
    """The loop around a statement whose number is an index, if it counts from 0."""
    loop = run.loop(run.numbers[statement])
    while isinstance(loop, ast.For):
        if isinstance(index, ast.Name) and ast.unparse(loop.target) == index.id:
            return loop
        loop = run.loop(run.numbers[loop])
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


def in_parts(comparison: Comparison, cause: Cause) -> Slip | None:
    """The loop that makes too few or too many parts of what is joined, or parts of another width.

    The parts are right in the one case, and not in the other.
    """
    mine, axis = comparison.mine, _longer_axis(comparison, cause)
    call = mine.nodes[cause.node]
    if axis is None or cause.gives is None or not isinstance(call, ast.Call):
        return None
    name = ast.unparse(call.args[0]) if call.args else ""
    loops = [
        (loop, found[1])
        for loop in mine.nodes
        if isinstance(loop, ast.For)
        for one in loop.body
        if (found := appended(one)) is not None and found[0] == name
    ]
    parts = mine.values(mine.numbers[loops[0][1]]) if len(loops) == 1 else ()
    widths = [one.shape[axis] for part in parts if (one := mine.arrays[part]) is not None]
    have, want = mine.arrays[mine.values(cause.node)[-1]], comparison.right.arrays[cause.gives]
    if not widths or 0 in widths or have is None or want is None:
        return None
    width, loop, whole = widths[0], loops[0][0], want.shape[axis]
    right = [comparison.settled(part) for part in parts]
    if all(right) and {*widths} == {width}:
        said = f"The loop of line {loop.lineno} makes {have.shape[axis] // width} parts, each"
        said += f" {width} wide; {whole // width} belong here."
        return None if whole % width else Slip(loop.lineno, said)
    count = have.shape[axis] // width if {*widths} == {width} else len(widths)
    wanted = width if right[0] and not whole % width else whole // count
    return None if not wanted or whole % wanted else _cut(mine, loop, axis, widths, wanted)


def _longer_axis(comparison: Comparison, cause: Cause) -> int | None:
    """The one axis along which a call that joins a list gives more or less than the reference."""
    mine, want = comparison.mine, cause.gives
    values = mine.values(cause.node) if operation(mine.nodes[cause.node]) in JOINS else ()
    array = mine.arrays[values[-1]] if values else None
    right = None if want is None else comparison.right.arrays[want]
    if array is None or right is None or array.ndim != right.ndim:
        return None
    other = [at for at in range(array.ndim) if array.shape[at] != right.shape[at]]
    return other[0] if len(other) == 1 else None


def _cut(mine: Run, loop: ast.For, axis: int, widths: Sequence[int], wanted: int) -> Slip | None:
    """The line in a loop that sets where its pieces begin or end, which are of these widths."""
    ends: set[tuple[str, str]] = set()
    for one in ast.walk(loop):
        if not isinstance(one, ast.Subscript) or not isinstance(one.slice, ast.Tuple):
            continue
        arrays = [mine.arrays[value] for value in mine.values(mine.numbers[one])]
        sizes = [each.shape[axis] for each in arrays if each is not None and each.ndim > axis]
        cut = one.slice.elts[axis] if axis < len(one.slice.elts) else None
        if sizes == [*widths] and isinstance(cut, ast.Slice) and cut.lower and cut.upper:
            ends.add((ast.unparse(cut.lower), ast.unparse(cut.upper)))
    if len(ends) != 1:
        return None
    first, last = ((name, bound(mine.tree, name, loop.end_lineno or 0)) for name in ends.pop())
    inside = list(ast.walk(loop))
    known = [(name, one) for name, one in (last, first) if one in inside and one is not None]
    if not known or ({*widths} != {widths[0]} and first[1] is not last[1]):
        return None
    name, made = known[0]
    names = f"{first[0]} and {last[0]}" if first[1] is last[1] else name
    wide = f"are {widths[0]} wide, not {wanted}" if {*widths} == {widths[0]} else ""
    wide = wide or f"are not all {wanted} wide"
    return Slip(made.lineno, f"Line {made.lineno} sets {names}: the parts {wide}.")


def _times(run: Run, node: int) -> int:
    """How often an expression gave a value."""
    return sum(place.node == node and place.part < 0 for place in run.places)


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
    if alone and held and _is_list(comparison, cause):
        said = f"{name} is the number {held[0]} there, from line {line}: it should be a list."
    else:
        what = f"{held[0]}" if alone and held else f"the list {held}"
        said = f"{name} is {what} there, from line {line}."
    return Slip(line, said)


def _is_list(comparison: Comparison, cause: Cause) -> bool:
    """Whether the reference's same operation is made from a list in a variable."""
    right = comparison.right
    inner = ast.walk(right.nodes[cause.twin]) if cause.twin is not None else ()
    names = [right.numbers[one] for one in inner if isinstance(one, ast.Name)]
    return any(one.part >= 0 for number in names for one in right.scalars.get(number, ()))


PAIR = re.compile(r"(\w+)\[\d+\] is a tuple of \d+, which has no")
"""What an error says of a parameter that holds several tuples instead of one."""


def whole(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The line that hands over a tuple of tuples in every turn of a loop, and not an entry."""
    found = PAIR.match(told)
    inside = around(tree, error.line or 0)
    params = [arg.arg for arg in inside.args.args if arg.arg != "self"] if inside else []
    if found is None or inside is None or len(error.calls) < 2 or found[1] not in params:
        return None
    at, line = params.index(found[1]), error.calls[-2].line
    for loop in of_kind(tree, ast.For):
        for call in (one for one in ast.walk(loop) if isinstance(one, ast.Call)):
            here = call.lineno == line and callee(call) == inside.name and at < len(call.args)
            given = call.args[at] if here else None
            kept = bound(tree, given.id, line) if isinstance(given, ast.Name) else None
            if isinstance(kept, ast.Assign) and kept in loop.body:
                given, line = kept.value, kept.lineno
            sides = [given.body, given.orelse] if isinstance(given, ast.IfExp) else [given]
            for one in sides:
                if isinstance(one, ast.Name) and one.id not in stored(loop):
                    index, what = _counted(loop), f"Line {line} hands over all of {one.id}"
                    entry = f"{one.id}[{index}]" if index else ""
                    said = f"{what} in every turn of the loop: each turn needs one entry"
                    write = f"{entry} in place of {one.id}" if entry else ""
                    return Slip(line, f"{said}{', ' if entry else ''}{entry}.", write)
    return None


def _counted(loop: ast.For) -> str:
    """The variable that counts the turns of a loop; empty where none does."""
    counts = callee(loop.iter) == "enumerate" and isinstance(loop.target, ast.Tuple)
    first = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) and counts else loop.target
    plain = counts or callee(loop.iter) == "range"
    return first.id if plain and isinstance(first, ast.Name) else ""
