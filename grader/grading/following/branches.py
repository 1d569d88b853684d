"""Conditions that are the wrong way round: a branch that runs where it should not, or not at all.

A line in a branch is not what to change if the branch itself is taken at the wrong time.

Longer than 300 lines, because both halves read the same conditions.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence

from grader.grading.following.early import Absent, absent, without
from grader.grading.following.kinds import spelled
from grader.grading.following.run import Made, Run
from grader.grading.following.trace import Comparison
from grader.grading.reading.bindings import (
    around,
    callee,
    functions,
    is_none,
    none_by_default,
    targets,
)
from grader.grading.reading.program import parameters
from grader.source.annotations import allows_none
from grader.source.variables import read, stored, stores
from grader.source.walked import of_kind, walked

OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}
"""Each comparison and the one that holds where it does not."""

LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)

Branching = ast.If | ast.IfExp

# ---- a name that is None -----------------------------------------------------------------------


def unasked(tree: ast.Module, name: str, line: int) -> tuple[int, str, str] | None:
    """Where to ask whether ``name``, which ``line`` uses, is None: line, sentence, what to write.

    That is the condition that lets ``line`` run just where ``name`` is None; or ``line`` itself, in
    a function that allows for None. None where ``name`` should have a value.
    """
    inside = around(tree, line)
    for node in walked(inside or tree):
        if isinstance(node, ast.If | ast.IfExp) and _only_none(
            _plain(tree, node), name, line, inside
        ):
            at = node.test.lineno
            here = f"Line {line} uses {name}" if at != line else f"{name} is used"
            said = f"{here} just where {name} is None: line {at} asks the wrong way round."
            return at, said, f"if {turned(node.test)}"
    if inside is not None and (given := _is_only(inside, name)) is not None:
        line, of = given
        said = f"{name} may be None, as {of} may: line {line} gives it that."
        return (line, said, "") if _allows_none(inside, of) else None
    if inside is None or not _allows_none(inside, name):
        return None
    return line, f"{name} may be None, and line {line} uses it without asking.", ""


def _is_only(inside: ast.FunctionDef, name: str) -> tuple[int, str] | None:
    """Where a variable gets just the value of another, and of which, if no other line gives one."""
    found = [one for one in stores(inside) if one.id == name]
    for node in of_kind(inside, ast.Assign):
        match node:
            case ast.Assign(targets=[ast.Name() as target], value=ast.Name(id=of)):
                if found == [target]:
                    return node.lineno, of
    return None


def _plain(tree: ast.Module, node: Branching) -> Branching:
    """A branching with the question itself where it asks a helper of the file: ``exists(mask)``."""
    test = node.test
    call = test.operand if isinstance(test, ast.UnaryOp) else test
    helper = functions(tree).get(callee(call))
    match call, helper:
        case (
            ast.Call(func=ast.Name(), args=[given], keywords=[]),
            ast.FunctionDef(args=ast.arguments(args=[taken]), body=[*_, ast.Return(value=asked)]),
        ) if asked is not None:
            pass
        case _:
            return node
    none = _asks_none(asked, taken.arg)
    if none is None:
        return node
    none = none != (call is not test)
    plain = copy.copy(node)
    plain.test = ast.Compare(given, [ast.Is() if none else ast.IsNot()], [ast.Constant(None)])
    return plain


def may_be_none(tree: ast.Module, name: str, line: int) -> bool:
    """Whether a variable is a parameter of the function around ``line`` that allows for None."""
    inside = around(tree, line)
    return inside is not None and _allows_none(inside, name)


def _only_none(node: Branching, name: str, line: int, inside: ast.AST | None) -> bool:
    """Whether what ``line`` does with ``name`` is done only where a test says that it is None."""
    none = _asks_none(node.test, name)
    if none is None:
        return False
    if isinstance(node, ast.IfExp):
        sides = node.body, node.orelse
        reads = [name in _read(side) for side in sides]
        return line in _lines([node]) and reads == [none, not none]
    rest = range((node.end_lineno or 0) + 1, (getattr(inside, "end_lineno", 0) or 0) + 1)
    left = rest if isinstance(node.body[-1], LEAVES) and not node.orelse else _lines(node.orelse)
    return line in (_lines(node.body) if none else left)


def _asks_none(test: ast.expr, name: str) -> bool | None:
    """What a test says of ``name`` where it is true: None, or not None; None: neither."""
    match test:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if is_none(right):
            if ast.unparse(left) == name and isinstance(
                op, ast.Is | ast.Eq | ast.IsNot | ast.NotEq
            ):
                return isinstance(op, ast.Is | ast.Eq)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return True if ast.unparse(operand) == name else None
    return False if ast.unparse(test) == name else None


def _allows_none(function: ast.FunctionDef, name: str) -> bool:
    """Whether a parameter may be None: its annotation or default says so, or the function asks.

    Of what a loop goes through, only the function's asking says so.
    """
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    own = next((arg for arg in every if arg.arg == name), None)
    loops = of_kind(function, ast.For)
    if own is None and not any(name in targets(one) for one in loops):
        return False
    tests = (one for one in walked(function) if isinstance(one, ast.If | ast.IfExp))
    asked = any(_asks_none(part, name) is not None for one in tests for part in _parts(one.test))
    if own is None:
        return asked
    return asked or none_by_default(function, name) or allows_none(own.annotation)


def _parts(test: ast.expr) -> list[ast.expr]:
    return test.values if isinstance(test, ast.BoolOp) else [test]


def _read(node: ast.AST) -> set[str]:
    return {ast.unparse(one) for one in walked(node) if isinstance(one, ast.Name | ast.Attribute)}


def _lines(nodes: list[ast.stmt] | list[ast.IfExp]) -> range:
    """The lines from the first to the last of some statements."""
    return range(nodes[0].lineno, (nodes[-1].end_lineno or 0) + 1) if nodes else range(0)


def turned(test: ast.expr) -> str:
    """A condition the other way round."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return ast.unparse(test.operand)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        op = OPPOSITE.get(type(test.ops[0]))
        if op is not None:
            return ast.unparse(ast.Compare(test.left, [op()], test.comparators))
    return (
        f"not {ast.unparse(test)}"
        if isinstance(test, ast.Name | ast.Call | ast.Attribute)
        else (f"not ({ast.unparse(test)})")
    )


# ---- a branch that does not run ----------------------------------------------------------------


def skipped(comparison: Comparison, at: Made | None) -> tuple[int, str, str] | None:
    """The condition that keeps the program from a step which the reference takes.

    Line, sentence, what to write. The step is one that could be taken: what the reference makes it
    from, the program has. None if there is no such condition, or more than one. ``at`` is where the
    values leave the path: only what comes before it in its function, and in that call, counts.
    """
    found: dict[int, tuple[int, str, str]] = {}
    for node, side, true in _not_run(comparison, at):
        step = _step(comparison, side, at)
        other = node.orelse if true else node.body
        if step is None or _does(comparison, _side(other), step):
            continue
        if _on_both(comparison, node, step):
            kind = spelled(comparison.right.nodes[step.node])
            inner = (one for part in side for one in walked(part) if spelled(one) == kind)
            at_line = getattr(next(inner, side[0]), "lineno", node.test.lineno)
            said = f"Line {at_line} does its {kind} in one branch only"
            said = f"{said}: the reference does that in the other one too."
            found.setdefault(at_line, (at_line, said, ""))
            continue
        if calls := _left_out(comparison.mine, node, true=true):
            found.update(_by_call(comparison, side, calls))
            continue
        line, test = node.test.lineno, ast.unparse(node.test)
        first = getattr(_takes(comparison, side, step) or side[0], "lineno", 0)
        if true and (outer := _inside(comparison, side, first)) is not None:
            said = f"Line {outer.lineno} is inside the if of line {line}, so that line {first} runs"
            found.setdefault(line, (outer.lineno, f"{said} only if {test}: indent it less.", ""))
            continue
        was = "false" if true else "true"
        where = f"line {first} does" if first != line else "the other half does"
        said = f"Line {line}: {test} is {was} here, so {where} not run. In the reference it does."
        ran = _any(side, comparison.mine, _run(comparison, (0, len(comparison.mine.places))))
        write = "" if ran else _asked(comparison, node.test)  # elsewhere it runs as it should
        found.setdefault(line, (line, said, write))
    return next(iter(found.values())) if len(found) == 1 else None


def _asked(comparison: Comparison, test: ast.expr) -> str:
    """What to ask instead: the part of a condition that the reference asks; else the opposite.

    Nothing where one of several parts is wrong, and which is not known.
    """
    if not isinstance(test, ast.BoolOp):
        return f"if {turned(test)}"
    right = {ast.unparse(one.test) for one in comparison.right.nodes if isinstance(one, ast.If)}
    parts = [one for one in map(ast.unparse, test.values) if one in right]
    return f"if {parts[0]}" if len(parts) == 1 else ""


def _by_call(
    comparison: Comparison, side: Side, calls: Sequence[Absent]
) -> dict[int, tuple[int, str, str]]:
    """What is told, by line, of the one call for which a side does not run."""
    if len(calls) != 1:
        return {}
    said, write = without(comparison.mine, calls[0])
    line, first = calls[0].call.lineno, getattr(side[0], "lineno", 0)
    said = f"{said}: line {first} does not run. In the reference it does."
    return {line: (line, said, write)}


def _left_out(mine: Run, node: Branching, *, true: bool) -> list[Absent]:
    """The calls for which a side does not run because they leave out what its test asks for."""
    function, test = mine.around(node), _plain(mine.tree, node).test
    names = [] if function is None else parameters(function)
    asked = [one for one in names if _asks_none(test, one) in (True, False)]
    if len(asked) != 1 or _asks_none(test, asked[0]) is true:
        return []
    return absent(mine, node, asked[0])


def _takes(comparison: Comparison, side: Side, step: Made) -> ast.AST | None:
    """The expression in a side that takes the reference's step, by what it is made from."""
    kind, sources = spelled(comparison.right.nodes[step.node]), set(step.sources)
    alike = (one for part in side for one in walked(part) if spelled(one) == kind)
    return next((one for one in alike if sources <= _readable(comparison, [one])), None)


def _inside(comparison: Comparison, side: Side, line: int) -> ast.If | None:
    """The ``if`` in a side around a line whose question the reference asks outside of any other."""
    right = comparison.right
    asked = {
        ast.unparse(one.test)
        for one in right.nodes
        if isinstance(one, ast.If) and not isinstance(right.parents.get(one), ast.If)
    }
    inner = (one for part in side for one in of_kind(part, ast.If))
    around_line = (one for one in inner if line in _lines(one.body))
    return next((one for one in around_line if ast.unparse(one.test) in asked), None)


def _on_both(comparison: Comparison, node: Branching, step: Made) -> bool:
    """Whether the reference asks the same, and takes such a step on either side."""
    right = comparison.right
    kind, test = spelled(right.nodes[step.node]), ast.unparse(node.test)
    asked = (one for one in right.nodes if isinstance(one, Branching))
    alike = (one for one in asked if ast.unparse(one.test) in (test, turned(node.test)))
    return any(
        all(
            any(spelled(inner) == kind for one in _side(part) for inner in walked(one))
            for part in (one.body, one.orelse)
        )
        for one in alike
    )


Side = Sequence[ast.AST]


def _not_run(comparison: Comparison, at: Made | None) -> Iterator[tuple[Branching, Side, bool]]:
    """Branchings of which one side did not run though its test was evaluated.

    Each with that side, and whether it runs where the test is true.
    """
    mine = comparison.mine
    lines = _path(mine, at) if at is not None else {}
    inside = lines.keys() or {None}
    runs = {one: _run(comparison, _span(comparison, one, at)) for one in inside}
    dead: set[ast.AST] = set()
    for node in mine.nodes:  # outer nodes come first
        if node in dead or not isinstance(node, ast.If | ast.IfExp):
            continue
        function = mine.around(node)
        if function is None or function.name in comparison.proven - {"__call__"}:
            continue  # of one that is right alone, what it is given is wrong, not what it asks
        number = None if at is None else mine.numbers[function]
        if number is not None and node.test.lineno >= lines.get(number, 0):
            continue
        ran = runs[number]
        if not _any(function.body, mine, ran):
            continue
        sides = _side(node.body), _side(node.orelse)
        there = [_any(side, mine, ran) for side in sides]
        for side, run in zip(sides, there, strict=True):
            dead.update(() if run else (inner for one in side for inner in walked(one)))
        if not there[0] and (there[1] or not sides[1]):
            yield node, sides[0], True
        elif there[0] and sides[1] and not there[1]:
            yield node, sides[1], False


def _path(mine: Run, at: Made) -> dict[int, int]:
    """The functions that are running at a place, by number; up to which line each has come."""
    here = mine.function(at.node)
    found = {} if here is None else {here: mine.line(at.node)}
    todo = [*found]
    while todo:
        name = getattr(mine.nodes[todo.pop()], "name", "")
        for call in (one for one in walked(mine.tree) if callee(one) == name):
            outer = mine.function(mine.numbers[call])
            if outer is not None and outer not in found:
                found[outer] = mine.line(mine.numbers[call])
                todo.append(outer)
    return found


def _does(comparison: Comparison, side: Side, step: Made) -> bool:
    """Whether a side that ran makes a step of this kind in its own way."""
    kind = spelled(comparison.right.nodes[step.node])
    return any(spelled(one) == kind for node in side for one in walked(node))


def _side(part: Sequence[ast.stmt] | ast.expr) -> Side:
    return [part] if isinstance(part, ast.expr) else part


def _span(comparison: Comparison, function: int | None, at: Made | None) -> tuple[int, int]:
    """The entries of the run up to ``at``, in its call of ``function``; without it all."""
    mine = comparison.mine
    end = len(mine.places) if at is None else at.order
    starts = [n for n, place in enumerate(mine.places[:end]) if place.node == function]
    return (starts[-1] if starts else 0), end


def _run(comparison: Comparison, span: tuple[int, int]) -> frozenset[int]:
    """The nodes that left a number in these entries of the run."""
    mine, (start, end) = comparison.mine, span
    arrays = {place.node for place in mine.places[start : end + 1]}
    numbers = {
        node
        for node, scalars in mine.scalars.items()
        if any(start <= one.order <= end for one in scalars)
    }
    return frozenset(arrays | numbers)


def _any(side: Side, mine: Run, ran: frozenset[int]) -> bool:
    """Whether an expression in these statements was evaluated, as far as it left a number."""
    return any(mine.numbers[one] in ran for node in side for one in walked(node))


def _step(comparison: Comparison, side: Side, at: Made | None) -> Made | None:
    """The reference's step that is in a side that did not run, and nowhere that did."""
    mine, right = comparison.mine, comparison.right
    inside = {one for node in side for one in walked(node)}
    kinds = {spelled(one) for one in inside if isinstance(one, ast.Call | ast.BinOp)}
    span = _span(comparison, mine.function(at.node) if at is not None else None, at)
    taken = {
        (spelled(mine.nodes[one.node]), frozenset(map(comparison.match, one.sources)))
        for one in mine.made.values()
        if span[0] <= one.order <= span[1]
    }
    readable = _readable(comparison, side)
    for value, made in right.made.items():
        kind = spelled(right.nodes[made.node])
        if kind not in kinds or (kind, frozenset(made.sources)) in taken:
            continue
        if value not in comparison.matched and set(made.sources) <= readable:
            return made
    return None


def _readable(comparison: Comparison, side: Side) -> frozenset[int | None]:
    """The reference's values that the names in a side stood for somewhere else in the run.

    Not what the side itself gave a name before it reads it.
    """
    mine, names, own = comparison.mine, set[str](), frozenset[str]()
    for node in side:
        kept = set(targets(node)) if isinstance(node, ast.Assign) else set[str]()
        names |= _read(node) - own - (kept - read(node))
        own |= stored(node)
    found = set()
    for place in mine.places:
        statement = mine.statement(place.node) if mine.is_whole(place.node) else None
        given = targets(statement) if statement is not None else []
        if names.intersection([mine.segment(place.node), *given]):
            found.add(comparison.match(place.value))
    return frozenset(found)
