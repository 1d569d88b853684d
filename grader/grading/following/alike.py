"""Values that are the same, and should differ: in each turn of a loop, or under two names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.grading.following.cause import Cause
from grader.grading.following.relations import Floats
from grader.grading.following.run import operation
from grader.grading.following.trace import Comparison, Departure
from grader.grading.reading.bindings import functions, targets
from grader.grading.reading.program import target
from grader.grading.reading.shown import Slip
from grader.source.endless import emptied, shared_list
from grader.source.variables import read, stored


def grown(tree: ast.Module) -> Slip | None:
    """A list that every turn of a loop fills on as if it were new, or makes anew."""
    found = shared_list(tree) or emptied(tree)
    return None if found is None else Slip(*found)


def unturned(comparison: Comparison, cause: Cause) -> Slip | None:
    """The line of a loop that gives the same in each turn, where the values leave the path.

    It is the line of the cause, or the first such line of the loop that fills a list with tensors
    which are all the same.
    """
    mine = comparison.mine
    statement = mine.statement(cause.node)
    for loop in _loops(comparison, cause.node):
        if statement in _constant(loop):
            return _said(statement, loop)
        if (still := _beside_moving(loop, statement)) is not None:
            return _said(still, loop)
    return None


def _said(statement: ast.stmt | None, loop: ast.For) -> Slip:
    line, over = getattr(statement, "lineno", loop.lineno), " and ".join(targets(loop))
    turns = f"every turn of the loop on line {loop.lineno}"
    return Slip(line, f"Line {line} gives the same in {turns}: it does not depend on {over}.")


def _loops(comparison: Comparison, node: int) -> list[ast.For]:
    """The loops around a node, in its function, whose head names one thing."""
    found: list[ast.For] = []
    outer = comparison.mine.parents.get(comparison.mine.nodes[node])
    while outer is not None and not isinstance(outer, ast.FunctionDef):
        if isinstance(outer, ast.For) and isinstance(outer.target, ast.Name):
            found.append(outer)
        outer = comparison.mine.parents.get(outer)
    return found


def _constant(loop: ast.For) -> list[ast.stmt]:
    """The assignments of a loop that take a piece of something, and the same in every turn."""
    moving = set(targets(loop))
    found: list[ast.stmt] = []
    for one in loop.body:
        read = {node.id for node in ast.walk(one) if isinstance(node, ast.Name)}
        if read & moving:
            moving.update(name for inner in ast.walk(one) for name in targets(inner))
        elif isinstance(one, ast.Assign) and isinstance(one.value, ast.Subscript):
            found.append(one)
    return found


def _beside_moving(loop: ast.For, user: ast.stmt | None) -> ast.stmt | None:
    """The one piece read by a statement of a loop that is the same in every turn, unlike the rest.

    The loop takes a piece along the same axes in another statement, and another one in each turn.
    """
    still = [one for one in _constant(loop) if user is not None and stored(one) & read(user)]
    pieces = [one for one in loop.body if _axes(one) and one not in still]
    alike = len(still) == 1 and any(_axes(one) == _axes(still[0]) for one in pieces)
    return still[0] if alike else None


def _axes(statement: ast.stmt) -> str:
    """Along which axes an assignment takes a piece: a colon, a slice, or one entry of each."""
    piece = getattr(statement, "value", None)
    if not isinstance(statement, ast.Assign) or not isinstance(piece, ast.Subscript):
        return ""
    index = piece.slice.elts if isinstance(piece.slice, ast.Tuple) else [piece.slice]
    return ",".join(":" if isinstance(one, ast.Slice) else "1" for one in index)


def own_way(comparison: Comparison, cause: Cause, departure: Departure) -> bool:
    """Whether a value that is made of no other is only a constant, of a shape or kind of its own.

    Or it counts something of which the reference has only one number. It is the first step of
    another way than the reference's, and nothing is wrong with it.
    """
    have = comparison.mine.arrays[departure.value]
    want = None if cause.gives is None else comparison.right.arrays[cause.gives]
    if have is None or not have.size:
        return False
    if (have != have.flat[0]).any():
        numbers = want is not None and bool(want.size) and bool((want != want.flat[0]).any())
        used = any(departure.value in one.sources for one in comparison.mine.made.values())
        other = all(one.shape != have.shape for one in _tables(comparison))
        return used and not numbers and other  # the mask itself may have a wrong shape
    return want is None or have.shape != want.shape or cause.other


def _tables(comparison: Comparison) -> Iterator[Floats]:
    """The values of the reference that hold several numbers."""
    every = (one for one in comparison.right.arrays if one is not None and one.size)
    return (one for one in every if (one != one.flat[0]).any())


def copied(comparison: Comparison) -> Slip | None:
    """A line that takes the same piece of the same tensor as a line before, by another name."""
    mine = comparison.mine
    held: dict[tuple[int | None, int | None, str], tuple[str, int]] = {}
    own: dict[tuple[int | None, int | None], tuple[str, int]] = {}
    for place in mine.places:
        statement = mine.statement(place.node)
        name = target(statement, place.part) if mine.is_whole(place.node) else ""
        if not name or not _takes(comparison, place.node, place.value, name):
            continue
        inside, match, at = (
            mine.function(place.node),
            comparison.match(place.value),
            mine.line(place.node),
        )
        key = inside, match, mine.segment(place.node)
        other, line = held.setdefault(key, (name, at))
        if other != name and line != at and comparison.flows(place.value):
            said = f"Lines {line} and {at} give {other} and {name} the same: {key[2]}."
            right = {target(*one) for one in comparison.right.bindings(match)}
            return Slip(line if name in right and other not in right else at, said)
        other, line = own.setdefault((inside, match), (name, at))
        if match is None or line == at:
            continue
        if other != name and (wrong := _misnamed(comparison, match, (other, name))):
            said = f"Lines {line} and {at} give {other} and {name} the same numbers"
            return Slip(line if wrong == other else at, f"{said}: {wrong} has others.")
    return None


def _misnamed(comparison: Comparison, match: int | None, names: tuple[str, str]) -> str:
    """The one of two names by which the reference has another value than this, of its shape."""
    right = comparison.right
    own = {target(*one) for one in right.bindings(match)} if match is not None else set()
    wrong = [one for one in names if one not in own and one in right.names]
    want = None if match is None else right.arrays[match]
    if len(wrong) != 1 or not own.intersection(names) or want is None:
        return ""
    others = {
        place.value
        for place in right.places
        if target(right.statement(place.node), place.part) == wrong[0]
        and right.is_whole(place.node)
    }
    kept = [
        array for one in others - comparison.matched if (array := right.arrays[one]) is not None
    ]
    return wrong[0] if any(one.shape == want.shape for one in kept) else ""


def _takes(comparison: Comparison, node: int, value: int, name: str) -> bool:
    """Whether a node takes a piece; or gives a name of the reference what that keeps elsewhere."""
    right = comparison.right
    if isinstance(comparison.mine.nodes[node], ast.Subscript):
        return True
    match = comparison.match(value)
    own = {target(*one) for one in right.bindings(match)} if match is not None else set()
    if not isinstance(comparison.mine.nodes[node], ast.Call) or not own - {""}:
        return False
    if name in own or name in right.names:
        return True
    return operation(comparison.mine.nodes[node]) in functions(comparison.mine.tree)


CUTS = ("split", "chunk")


def _written(node: ast.AST) -> int:
    """How many parts a call of ``chunk`` asks for; 0 where that is not written there."""
    given: list[ast.expr] = list(getattr(node, "args", ()))
    last = given[-1] if given and operation(node) == "chunk" else None
    count = last.value if isinstance(last, ast.Constant) else 0
    return count if isinstance(count, int) else 0


def apart(comparison: Comparison, node: int) -> str:
    """Into how many parts an expression cuts a tensor, where the reference makes more or fewer."""
    mine, right = comparison.mine, comparison.right
    if operation(mine.nodes[node]) not in CUTS:
        return ""
    have = 1 + max((place.part for place in mine.places if place.node == node), default=-1)
    have = have or _written(mine.nodes[node])
    wanted = {
        1 + max(place.part for place in right.places if place.node == other)
        for other in {place.node for place in right.places if place.part >= 0}
        if operation(right.nodes[other]) in CUTS
    }
    if len(wanted) != 1 or not have or have in wanted:
        return ""
    return f"{mine.segment(node)} gives {have} parts; the reference makes {wanted.pop()} of them."
