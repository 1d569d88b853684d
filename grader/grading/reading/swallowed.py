"""Options that a call gives by a name which its function has not, and ``**kwargs`` takes unread."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.grading.reading.bindings import callee
from grader.grading.reading.shown import Slip
from grader.source.variables import read
from grader.source.walked import of_kind, walked


def swallowed(tree: ast.Module) -> Iterator[Slip]:
    """Calls that give an option to nothing, where an option of much the same name is left out."""
    silent = {
        one.name: one
        for one in of_kind(tree, ast.FunctionDef)
        if one.args.kwarg and not _reads_all(one)
    }
    for call in walked(tree) if silent else ():
        function = silent.get(callee(call)) if isinstance(call, ast.Call) else None
        if not isinstance(call, ast.Call) or function is None or function.args.kwarg is None:
            continue
        words = [one.arg for one in call.keywords]
        if None in words:
            continue  # a dict gives others
        free = _left_out(function, call)
        for word in call.keywords:
            name, given = word.arg or "", ast.unparse(word.value)
            alike = [one for one in free if given == one or name in one or one in name]
            if name in _named(function) or len(alike) != 1:
                continue
            line, rest = word.value.lineno, function.args.kwarg.arg
            said = f"Line {line} gives {function.name} {name}, which is none of its arguments: "
            said = f"{said}**{rest} takes it, and nothing reads that. {alike[0]} is not given."
            yield Slip(line, said, f"{alike[0]}={given}")


def _reads_all(function: ast.FunctionDef) -> bool:
    """Whether a function reads the dict of the options that it has no name for."""
    rest = function.args.kwarg
    return rest is not None and rest.arg in read(function)


def _named(function: ast.FunctionDef) -> list[str]:
    """What a function takes by name."""
    return [one.arg for one in (*function.args.args, *function.args.kwonlyargs)]


def _left_out(function: ast.FunctionDef, call: ast.Call) -> list[str]:
    """The arguments of a function that a call gives neither by place nor by name."""
    names = [one.arg for one in function.args.args]
    owned = names[:1] == ["self"] and isinstance(call.func, ast.Attribute)
    placed = names[: len(call.args) + owned]
    given = {*placed, *(one.arg for one in call.keywords)}
    return [one for one in _named(function) if one not in given and one != "self"]
