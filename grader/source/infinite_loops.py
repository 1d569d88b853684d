"""Loops that never end, and lists that grow in them without end."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from grader.source.ast_cache import of_kind
from grader.source.def_use import appended, stored

CHANGES = frozenset(("append", "extend", "insert", "pop", "remove", "clear", "add", "update"))
"""Methods that change what they are called on."""


def infinite_loop(tree: ast.Module, line: int) -> tuple[int, str] | None:
    """The ``while`` around ``line``, and why it may never end; None where there is none."""
    loops = [one for one in of_kind(tree, ast.While) if one.lineno <= line <= (one.end_lineno or 0)]
    if not loops:
        return None
    loop = loops[-1]
    test, tested = ast.unparse(loop.test), _tested(loop.test)
    if not tested:
        return loop.lineno, f"The loop on line {loop.lineno} ends only at a break or a return."
    changed = tested & {name for one in loop.body for name in _changed(one)}
    said = f"The loop on line {loop.lineno} runs as long as {test}"
    if changed:
        names = " and ".join(sorted(changed))
        return loop.lineno, f"{said}. Does {names} change so that this becomes false?"
    return loop.lineno, f"{said}, and nothing in it changes {_listed(sorted(tested))}."


def shared_list(tree: ast.Module) -> tuple[int, str] | None:
    """A list that is made once before a loop, filled in it, and appended to another each turn.

    The line that makes it, and why that is wrong: it is one and the same list, again and again.
    """
    for loop in of_kind(tree, ast.For):
        made = {name for one in loop.body for name in stored(one)}
        filled = {name for _, name, _ in _appended(loop)}
        for line, _, given in _appended(loop):
            if given not in filled or given in made:
                continue
            lines = [one.lineno for one in _made_before(tree, loop, given)]
            if lines and _beside(tree, loop, max(lines)):
                return line, (
                    f"Line {line} appends {given} in every turn of the loop on line {loop.lineno}, "
                    "which is still filling it: indent it less, so that it comes after the loop."
                )
            if lines:
                return max(lines), (
                    f"Line {max(lines)} makes {given} once, before the loop on line {loop.lineno}. "
                    f"Every turn adds to the same list, and line {line} appends it again: make "
                    "it inside the loop."
                )
    return None


def _made_before(tree: ast.Module, loop: ast.For, name: str) -> list[ast.Assign]:
    """The lines above a loop that make a list of this name."""
    return [
        one
        for one in of_kind(tree, ast.Assign)
        if one.lineno < loop.lineno
        if name in stored(one) and isinstance(one.value, ast.List)
    ]


def _beside(tree: ast.Module, loop: ast.For, line: int) -> bool:
    """Whether a line stands in the body of the same outer loop as ``loop``."""
    outer = (one for one in of_kind(tree, ast.For) if loop in one.body)
    return any(line in [each.lineno for each in one.body] for one in outer)


def _appended(loop: ast.For) -> Iterator[tuple[int, str, str]]:
    """What a loop appends: the line, the list, and the variable that is appended if it is one."""
    for one in ast.walk(loop):
        if isinstance(one, ast.Call) and (found := appended(one)) is not None:
            name, given = found
            yield one.lineno, name, given.id if isinstance(given, ast.Name) else ""


def _tested(test: ast.expr) -> set[str]:
    """The variables that a condition depends on."""
    called = {id(one.func) for one in ast.walk(test) if isinstance(one, ast.Call)}
    return {
        one.id
        for one in ast.walk(test)
        if isinstance(one, ast.Name) and id(one) not in called and not hasattr(builtins, one.id)
    }


def _changed(body: ast.stmt) -> set[str]:
    """The variables that a statement gives another value, or another content."""
    found = set()
    for one in ast.walk(body):
        match one:
            case ast.Name(id=name, ctx=ast.Store()):
                found.add(name)
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
                found.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)):
                found.update({name} if method in CHANGES else ())
    return found


def _listed(names: list[str]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
