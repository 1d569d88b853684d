"""An operation that is made twice, on what the same operation gave; or too late."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from grader.grading.following.cause import Cause, Causes
from grader.grading.following.kinds import kind
from grader.grading.following.lesson import sizes
from grader.grading.following.omitted import missing
from grader.grading.following.run import Run, operation
from grader.grading.following.trace import Comparison, Departure
from grader.grading.reading.bindings import around, callee, functions, targets
from grader.grading.reading.shown import Slip
from grader.protocol.probe import SeenError

SHORT = 40
"""Characters of an expression that is quoted beside another one."""


NOUNS = {
    "Add": "the sum",
    "Sub": "the difference",
    "Mult": "the multiplication",
    "Div": "the division",
    "MatMult": "the matrix product",
}
"""What operators of long expressions are called."""


def again(comparison: Comparison, one: Departure) -> str:
    """Whether an operation is made on what the same operation gave before, in a sentence."""
    mine = comparison.mine
    node = mine.nodes[one.node]
    kind = operation(node)
    if _repeats(comparison, kind):
        return ""
    for place in mine.places if isinstance(node, ast.Call | ast.BinOp) else ():
        before = mine.nodes[place.node]
        inner = place.value in one.sources and place.node != one.node
        here = mine.function(place.node) == mine.function(one.node)
        if not inner or not here or operation(before) != kind:
            continue
        if isinstance(before, ast.Call):
            if isinstance(node, ast.Call) and _does_other(before, node):
                continue
            return f"It calls {kind} twice: on what {kind} gave already."
        if isinstance(before, ast.BinOp) and isinstance(node, ast.BinOp):
            tensors = [mine.gave(mine.numbers[each.right]) for each in (before, node)]
            if tensors[0] != tensors[1]:
                continue  # by a number, and by a tensor
        continue
    return ""


def _does_other(one: ast.Call, two: ast.Call) -> bool:
    """Whether two calls are of a method and a function of its name."""
    return ast.unparse(one.func) != ast.unparse(two.func)


def _repeats(comparison: Comparison, kind: str) -> bool:
    """Whether the reference, too, makes this operation on what the same operation gave."""
    right = comparison.right
    nodes = {made.node for made in right.made.values() if operation(right.nodes[made.node]) == kind}
    return any(
        right.made[source].node in nodes - {made.node}
        for made in right.made.values()
        if made.node in nodes
        for source in made.sources
    )


def late(comparison: Comparison, cause: Cause, first: Departure) -> Slip | None:
    """The step that a program takes on what a departure gives, and the reference before it."""
    mine, right = comparison.mine, comparison.right
    step = missing(comparison, cause)
    own = "" if step is None else kind(right, step.node)
    if step is None or not own or own in _kinds(right, _onward(right, cause.want)):
        return None
    for value in sorted(comparison.after((first,)), key=lambda one: mine.made[one].order):
        node = mine.made[value].node
        if kind(mine, node) == own and value != first.value:
            return _swapped(mine, first.node, node)
    return None


def extra(comparison: Comparison, found: Sequence[Departure]) -> Slip | None:
    """The line that changes a value which the reference uses as it is, for the same operation."""
    mine, right, changed = comparison.mine, comparison.right, comparison.after(found)
    for value in sorted(changed, key=lambda one: mine.made[one].order):
        made = mine.made[value]
        new = [one for one in made.sources if one in changed]
        others = {comparison.match(one) for one in made.sources if one not in changed}
        if len(new) != 1 or not others or None in others:
            continue
        changes = mine.made[new[0]]
        for twin in (one for v, one in right.made.items() if v not in comparison.matched):
            if kind(right, twin.node) != kind(mine, made.node):
                continue
            rest = [one for one in twin.sources if one not in others]
            if len(rest) != 1 or len(twin.sources) != len(made.sources):
                continue
            outside = Causes(comparison).outside(Cause(changes.node), changes.order).node
            for one in {*changes.sources, *mine.latest(outside)} & _behind(mine, new[0]):
                if comparison.match(one) == rest[0] and _alike(comparison, new[0], rest[0]):
                    line, text = mine.line(outside), mine.segment(mine.made[one].node)
                    what = text if len(text) <= SHORT else "the right value"
                    said = f"Line {line} changes {what}, which the reference uses as it is."
                    return Slip(line, said)
    return None


def _alike(comparison: Comparison, value: int, other: int) -> bool:
    """Whether a value has the shape of one of the reference."""
    mine, right = comparison.mine.arrays[value], comparison.right.arrays[other]
    return mine is not None and right is not None and mine.shape == right.shape


def _behind(run: Run, value: int) -> frozenset[int]:
    """The values that one is made of, and those that they are made of."""
    todo, found = [value], set[int]()
    while todo:
        new = [one for one in run.made[todo.pop()].sources if one not in found]
        found.update(new)
        todo += new
    return frozenset(found)


def _swapped(mine: Run, early: int, after: int) -> Slip:
    """That one operation comes after another and belongs before it; at the line of both calls."""
    names = [mine.named(early), mine.named(after)]
    first, second = (
        [node for node in mine.nodes if isinstance(node, ast.Call) and callee(node) == name]
        for name in names
    )
    inner = [node for node in first if set(second).intersection(ast.walk(node))]
    both = [node for node in first if any(node in ast.walk(one) for one in second)]
    outer = both or inner or [n for n in first if mine.named(mine.numbers[n]) != names[0]]
    lines = mine.line(early), mine.line(after)
    texts = [mine.segment(one) for one in (early, after)]
    calls = [one for one in ast.walk(mine.nodes[after]) if callee(one) == names[0] != names[1]]
    if calls:  # what a helper does, its call says here
        texts[0], lines = ast.unparse(calls[0]), (mine.line(mine.numbers[calls[0]]), lines[1])
    texts = [
        t if len(t) <= SHORT else NOUNS.get(operation(mine.nodes[n]), operation(mine.nodes[n]))
        for t, n in zip(texts, (early, after), strict=True)
    ]
    whole, part = mine.nodes[after], mine.nodes[early]
    if any(ast.dump(one) == ast.dump(part) for one in ast.walk(whole)) and not calls:
        texts = [_noun(part), _noun(whole)]  # the reference writes neither
    texts[1] = texts[1].replace("the ", "The ", 1)
    said = f"{texts[1]}, on line {lines[1]}, comes after {texts[0]}, on line {lines[0]}"
    if lines[0] == lines[1]:
        said = f"{texts[1]} on line {lines[1]} comes after {texts[0]}"
    far = abs(lines[1] - lines[0]) > 1  # the step to move is one that is to change for sure
    at = lines[1] if far else lines[0]
    at = outer[0].lineno if names[0] != names[1] and len(outer) == 1 else at
    return Slip(at, f"{said}. In the reference it comes before that.")


def _noun(node: ast.AST) -> str:
    """What an operation is called."""
    kind = operation(node)
    return NOUNS.get(kind, f"the {kind}")


def _onward(run: Run, value: int | None) -> frozenset[int]:
    """The values that are made from one, and from what is made of it."""
    found = {value}
    for one, made in sorted(run.made.items(), key=lambda one: one[1].order):
        if found.intersection(made.sources):
            found.add(one)
    return frozenset(one for one in found if one is not None and one != value)


def _kinds(run: Run, values: frozenset[int]) -> frozenset[str]:
    return frozenset(kind(run, run.made[one].node) for one in values)


def overtaken(comparison: Comparison, error: SeenError, node: int) -> Slip | None:
    """The line that calls a helper on a value which another helper, called next, is to change.

    ``node`` raised the error, in that helper: the reference takes a step of the other one there.
    """
    mine, right = comparison.mine, comparison.right
    if len(error.calls) < 2:
        return None
    outer = error.calls[-2]
    called, known = mine.written(outer.line, outer.code), map(comparison.match, mine.latest(node))
    sources = {one for one in known if one is not None and one >= 0}
    steps = [one for one in right.made.values() if sources.intersection(one.sources)]
    wanted = {operation(right.nodes[one.node]) for one in steps}
    own = functions(mine.tree)
    here = own.get(error.function or "")
    if called is None or here is None or mine.function(called) == mine.function(node):
        return None
    if wanted.intersection(map(operation, ast.walk(here))):
        return None  # it takes that step itself
    for call in _calls_on(mine, called):
        helper = own.get(callee(call))
        inner = ast.walk(helper) if helper is not None else ()
        if helper is not None and wanted.intersection(map(operation, inner)):
            first, then = error.function, helper.name
            said = f"Line {outer.line} calls {first} on what {then} has not changed yet"
            return Slip(outer.line, f"{said}: {then} comes first.")
    return None


def _calls_on(mine: Run, called: int) -> list[ast.Call]:
    """The calls that are given what a call gives: around it, or below it by the name it gets."""
    node, statement = mine.nodes[called], mine.statement(called)
    outer = mine.parents.get(node)
    found = [outer] if isinstance(outer, ast.Call) else []
    names = targets(statement) if isinstance(statement, ast.Assign) else []
    inside = around(mine.tree, mine.line(called))
    below = (one for one in ast.walk(inside) if isinstance(one, ast.Call)) if inside else ()
    after = [
        one
        for one in below
        if one.lineno > mine.line(called) and {ast.unparse(arg) for arg in one.args} & {*names}
    ]
    return [*found, *after]


def other_axes(comparison: Comparison, error: SeenError) -> Slip | None:
    """The line that gives a helper a tensor of another rank than the ones that it took before."""
    mine, name = comparison.mine, error.function or ""
    helper = functions(mine.tree).get(name)
    if helper is None or len(error.calls) < 2 or name in ("__call__", "forward"):
        return None
    shapes = next(filter(_of_another_rank, _given_shapes(mine, helper)), None)
    if shapes is None:
        return None
    outer, last = error.calls[-2], shapes[-1]
    said = f"Line {outer.line} gives {name} a tensor of shape {sizes(last)}; before, it was given "
    said += f"{sizes(shapes[-2])}."
    called = mine.written(outer.line, outer.code)
    inner = ast.walk(mine.nodes[called]) if called is not None else ()
    parts = [one.slice for one in inner if isinstance(one, ast.Subscript)]
    index = [
        one for part in parts for one in (part.elts if isinstance(part, ast.Tuple) else [part])
    ]
    if len(shapes[-2]) == len(last) + 1 and not all(isinstance(one, ast.Slice) for one in index):
        said += " An index takes its axis away: a slice, with a colon, keeps it."
    return Slip(outer.line, said)


def _given_shapes(mine: Run, helper: ast.FunctionDef) -> Iterable[list[tuple[int, ...]]]:
    """The shapes of the tensors that a helper was given, of one argument after the other."""
    found: dict[int, list[tuple[int, ...]]] = {}
    for place in mine.places:
        tensor = mine.arrays[place.value] if place.node == mine.numbers[helper] else None
        if tensor is not None:
            found.setdefault(place.part, []).append(tensor.shape)
    return found.values()


def _of_another_rank(shapes: Sequence[tuple[int, ...]]) -> bool:
    """Whether the last of these shapes has another number of axes than all before it."""
    before = {len(one) for one in shapes[:-1]}
    return len(before) == 1 and len(shapes[-1]) not in before


def returned(comparison: Comparison, error: SeenError) -> Slip | None:
    """The line that gives a helper what it gave before, which was right, where an error comes."""
    mine, name = comparison.mine, error.function or ""
    helper = functions(mine.tree).get(name)
    if helper is None or len(error.calls) < 2:
        return None
    number, outer = mine.numbers[helper], error.calls[-2]
    given = [place.value for place in mine.places if place.node == number][-1:]
    gave = [
        place.value
        for place in mine.places
        if mine.function(place.node) == number
        and isinstance(mine.statement(place.node), ast.Return)
        and mine.is_whole(place.node)
    ]
    if not set(given) & set(gave) or not all(map(comparison.known, gave)):
        return None
    before = [
        mine.line(place.node)
        for place in mine.places
        if callee(mine.nodes[place.node]) == name and place.value in given
    ]
    said = f"Line {outer.line} calls {name} twice: on what {name} gave already"
    if before and before[-1] != outer.line:
        said = f"Line {outer.line} calls {name} on what {name} gave on line {before[-1]} already"
    called = mine.written(outer.line, outer.code)
    call = mine.nodes[called] if called is not None else None
    if isinstance(call, ast.Call) and call.args:
        loop: ast.AST | None = call
        while loop is not None and not isinstance(loop, ast.For | ast.FunctionDef):
            loop = mine.parents.get(loop)
        read = {one.id for one in ast.walk(call) if isinstance(one, ast.Name)}
        if isinstance(loop, ast.For) and not read & {*targets(loop)}:
            over = " and ".join(targets(loop))
            said += f". {ast.unparse(call.args[0])} does not depend on {over}"
    return Slip(outer.line, f"{said}.")
