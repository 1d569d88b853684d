"""Arguments that are not read, though the solution reads them: odd, and perhaps meant."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from grader.grading.reading.bindings import arguments, callee
from grader.grading.reading.defaults import otherwise
from grader.grading.reading.odd import parameters
from grader.grading.reading.shown import OwnCall, Slip, own_calls
from grader.source.variables import read, reads
from grader.source.walked import of_kind, walked

RUNS = {"forward": "__call__", "__call__": "forward"}
"""Either runs when an object is called."""


def withheld(tree: ast.Module, right: ast.Module) -> Iterator[Slip]:
    """Arguments that are not read, though a helper takes one of this name and does not get it.

    And defaults with another value than the solution's.
    """
    ends = (" for it.", " without it.")
    return chain(
        (one for one in unused(tree, right) if one.said.endswith(ends)), otherwise(tree, right)
    )


def unused(tree: ast.Module, right: ast.Module) -> Iterator[Slip]:
    """Arguments that a function takes and does not read, though the solution's reads them."""
    wanted = {one.name: one for one in of_kind(right, ast.FunctionDef)}
    calls = list(own_calls(tree))
    words = {
        one.name: [arg.arg for arg in one.args.kwonlyargs] for one in of_kind(tree, ast.FunctionDef)
    }
    for function in of_kind(tree, ast.FunctionDef):
        if len(_code(function)) == 0 or "locals" in read(function):
            continue
        other = wanted.get(function.name) or wanted.get(RUNS.get(function.name, ""))
        for name in parameters(function):
            if name.startswith("_") or name in read(function):
                continue
            if other is not None and (name not in read(other) or _idle(other, name, right)):
                continue
            if other is not None and _measured(function, other, name):
                continue
            said = f"{function.name} takes {name} and does not use it"
            inside = range(function.lineno + 1, (function.end_lineno or 0) + 1)
            found = (one for one in calls if one[0].lineno in inside)
            line, how, write = next(_instead(found, name, words), (function.lineno, "", ""))
            yield Slip(line, f"{said}{how}.", write)


def _measured(function: ast.FunctionDef, other: ast.FunctionDef, name: str) -> bool:
    """Whether an argument is a size, and the function takes a tensor's shape apart instead."""
    hints = {arg.arg: arg.annotation for arg in other.args.args}
    if not isinstance(hint := hints.get(name), ast.Name) or hint.id != "int":
        return False
    return any(
        isinstance(one, ast.Assign)
        and isinstance(one.targets[0], ast.Tuple | ast.List)
        and any(getattr(part, "attr", "") == "shape" for part in walked(one.value))
        for one in walked(function)
    )


def _idle(function: ast.FunctionDef, name: str, tree: ast.Module) -> bool:
    """Whether an argument is only kept as an attribute that nothing reads."""
    kept = [n for n in of_kind(function, ast.Assign) if name in read(n)]
    if len(kept) != 1 or sum(one.id == name for one in reads(function)) != 1:
        return False
    owns = {one.attr for one in kept[0].targets if isinstance(one, ast.Attribute)}
    own = (n for n in of_kind(tree, ast.Attribute) if n.attr in owns)
    return bool(owns) and not any(isinstance(one.ctx, ast.Load) for one in own)


def _instead(
    calls: Iterable[OwnCall], name: str, words: Mapping[str, list[str]]
) -> Iterator[tuple[int, str, str]]:
    """The lines of calls of a helper that takes ``name``, what each gives it, and what to write.

    ``words`` is what each helper takes by name alone.
    """
    for call, _, helper, params in calls:
        given = arguments(call, params).get(name)
        starred = any(isinstance(one, ast.Starred) for one in call.args)
        starred |= any(one.arg is None for one in call.keywords)
        taken = (*params, *words.get(helper, ()))
        if given is not None:
            text = ast.unparse(given)
            yield call.lineno, f": line {call.lineno} gives {helper} {text} for it", ""
        elif name in taken and not starred and not helper.startswith("__"):
            whole = ast.Call(call.func, call.args, [*call.keywords, _same(name)])
            how = f": line {call.lineno} calls {helper} without it"
            yield call.lineno, how, ast.unparse(whole) if callee(call) == helper else ""


def _same(name: str) -> ast.keyword:
    """``name=name``."""
    return ast.keyword(name, ast.Name(name))


def _code(function: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of a function that do something: no docstring, no ``pass``, no ``raise``."""
    idle = (ast.Pass, ast.Raise)
    return [
        one
        for one in function.body
        if not isinstance(one, idle)
        and not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
    ]
