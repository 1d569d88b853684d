"""Calls of what an earlier step defines, with arguments in another order than it takes them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import lru_cache

from grader.grading.reading.bindings import callee
from grader.grading.reading.shown import Slip, called
from grader.source.walked import of_kind, walked

Modules = Mapping[str, tuple[str, str]]
"""The earlier modules: importable name to file name and source."""


def out_of_order(tree: ast.Module, modules: Modules) -> Slip | None:
    """The one call that gives a function of an earlier step a variable in another's place.

    The variable is called exactly as a parameter is, and that parameter is given something else.
    """
    taken = _taken(modules)
    own = {one.name for one in walked(tree) if isinstance(one, ast.FunctionDef | ast.ClassDef)}
    found = []
    for node in of_kind(tree, ast.Call):
        name = callee(node)
        params = taken.get(name)
        plain = not node.keywords and not any(isinstance(one, ast.Starred) for one in node.args)
        if params is None or name in own or not plain or len(node.args) > len(params):
            continue
        found += [slip for slip in [_crossed(node, name, params)] if slip is not None]
    return found[0] if len(found) == 1 else None


def _crossed(call: ast.Call, name: str, params: Sequence[str]) -> Slip | None:
    """What is odd about one call: two of its arguments are in each other's place."""
    given = [called(one) for one in call.args]
    for at, one in enumerate(given):
        other = params.index(one) if one in params else at
        if other == at or other >= len(given):
            continue
        if given[other] in params and given[other] != params[at]:
            continue
        args = list(call.args)
        args[at], args[other] = args[other], args[at]
        takes = ", ".join(params)
        said = f"Line {call.lineno} gives {name} {ast.unparse(call.args[at])} for its {params[at]},"
        said = f"{said} and {ast.unparse(call.args[other])} for its {params[other]}: it takes"
        write = ast.unparse(ast.Call(call.func, args, []))
        return Slip(call.args[min(at, other)].lineno, f"{said} {takes}, in this order.", write)
    return None


def _taken(modules: Modules) -> Mapping[str, Sequence[str]]:
    """What each function and method takes by place that a program may call; of one name, one."""
    found: dict[str, Sequence[str]] = {}
    several: set[str] = set()
    for _, source in modules.values():
        for name, params in _defined(source):
            several |= {name} if found.setdefault(name, params) != params else set()
    return {name: params for name, params in found.items() if name not in several}


@lru_cache(16)
def _defined(source: str) -> tuple[tuple[str, Sequence[str]], ...]:
    """The functions and methods of a module, and what each takes by place."""
    found = []
    for one in ast.walk(ast.parse(source)):
        if isinstance(one, ast.FunctionDef) and not one.name.startswith("__"):
            names = [arg.arg for arg in (*one.args.posonlyargs, *one.args.args)]
            found.append((one.name, names[1:] if names[:1] in (["self"], ["cls"]) else names))
    return tuple(found)
