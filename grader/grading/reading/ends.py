"""Where a function ends without a return, so that it gives None."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from grader.grading.reading.bindings import is_none
from grader.source.annotations import allows_none
from grader.source.variables import read, stored
from grader.source.walked import of_kind, walked


def without_return(function: ast.FunctionDef) -> int | None:
    """The last line of a function that returns nothing anywhere; None if it returns."""
    if any(one.value is not None for one in _own_returns(function)):
        return None
    last = function.body[-1]
    return (last.end_lineno or last.lineno) if hasattr(last, "body") else last.lineno


def falls_through(function: ast.FunctionDef) -> tuple[int, str] | None:
    """Where a function that returns something ends without a return if its last ``if`` is false.

    The line is that of the return that is in it, or behind another one, and belongs after it.
    Of one whose last statement is something else, that is where it ends.
    """
    last = function.body[-1]
    silent = f"{function.name} ends without a return"
    if isinstance(last, ast.If) and (found := _in_if(last, silent)) is not None:
        return found
    left = None if _on_purpose(function) else open_end(function.body)
    return None if left is None else (left, f", where {silent}")


def _in_if(last: ast.If, silent: str) -> tuple[int, str] | None:
    """The return of an ``if`` at the end of a function that belongs after it."""
    for body in (last.body, last.orelse):
        ends = [one for one in body if isinstance(one, ast.Return) and one.value is not None]
        if len(ends) > 1:
            at = ends[-1].lineno
            said = f", which is never reached, as line {ends[0].lineno} returns"
            return at, f"{said}: outside of the if of line {last.lineno}, {silent}"
    end = last.body[-1]
    if not last.orelse and isinstance(end, ast.Return) and end.value is not None:
        return end.lineno, f", which runs only if {ast.unparse(last.test)}: else {silent}"
    return None


def never_meant(function: ast.FunctionDef) -> tuple[int, str] | None:
    """The same, of a function that cannot be meant to give None: it never gives anything else.

    Or its annotation says that it gives something.
    """
    if (end := without_return(function)) is not None:
        return end, f", where {function.name} ends without a return"
    told = function.returns is not None and not allows_none(function.returns)
    return falls_through(function) if told else None


def _on_purpose(function: ast.FunctionDef) -> bool:
    """Whether a function returns nothing or None somewhere else, says that it may, or yields."""
    ends = list(_own_returns(function))
    says = function.returns is not None and allows_none(function.returns)
    yields = any(isinstance(one, ast.Yield | ast.YieldFrom) for one in walked(function))
    return says or yields or any(one.value is None or is_none(one.value) for one in ends)


def open_end(body: Sequence[ast.stmt]) -> int | None:
    """The last line that runs before these statements are left at their end; None if they return.

    Of several, the last.
    """
    last = body[-1]
    after = last.end_lineno or last.lineno
    match last:
        case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
            return None
        case ast.If(orelse=[]):
            return open_end(last.body) or after
        case ast.If():
            return _last_open(last.body, last.orelse)
        case ast.With():
            return open_end(last.body)
        case ast.Try():
            caught = (one.body for one in last.handlers)
            return _last_open(last.finalbody or last.orelse or last.body, *caught)
        case ast.While(test=ast.Constant(value=value)) if value:
            leaves = any(isinstance(one, ast.Break) for one in ast.walk(last))
            return after if leaves else None
        case ast.Match():
            return _last_open(*(one.body for one in last.cases))  # they may be all there are
    return after if hasattr(last, "body") else last.lineno


def _last_open(*bodies: Sequence[ast.stmt]) -> int | None:
    """The last of the open ends of some blocks."""
    return max(filter(None, map(open_end, bodies)), default=None)


def results(function: ast.FunctionDef) -> str:
    """The return of several values that a function lacks at its end: those that nothing reads.

    Only if its other returns, or its annotation, give as many.
    """
    idle = stored(function) - read(function)
    every = sorted(
        (one.lineno, one.col_offset, one.id)
        for one in of_kind(function, ast.Name)
        if isinstance(one.ctx, ast.Store) and one.id in idle
    )
    names = list(dict.fromkeys(name for *_, name in every))
    return f"return {', '.join(names)}" if names and len(names) == count(function) else ""


def count(function: ast.FunctionDef) -> int:
    """How many values a function gives at a time, if its returns or its annotation say so; else 0.

    Returns that give another number each say nothing.
    """
    ends = [one.value for one in _own_returns(function)]
    given = {len(one.elts) for one in ends if isinstance(one, ast.Tuple)}
    match function.returns:
        case ast.Subscript(value=ast.Name(id="tuple" | "Tuple"), slice=ast.Tuple(elts=kinds)):
            endless = any(isinstance(one, ast.Constant) for one in kinds)  # tuple[int, ...]
            given |= set() if endless else {len(kinds)}
    return given.pop() if len(given) == 1 else 0


def _own_returns(function: ast.FunctionDef) -> Iterator[ast.Return]:
    """The returns of a function, and not of those that are defined in it."""
    todo: list[ast.AST] = list(function.body)
    while todo:
        one = todo.pop()
        if isinstance(one, ast.Return):
            yield one
        if not isinstance(one, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            todo += ast.iter_child_nodes(one)
