"""How a function is called that is given away itself where its result belongs."""

from __future__ import annotations

import ast
import builtins

from grader.grading.reading.bindings import around, calling, functions
from grader.grading.reading.program import parameters
from grader.grading.reading.shown import name_of
from grader.source.variables import binds, read, stored
from grader.source.walked import of_kind, walked


def to_call(tree: ast.Module, name: str, line: int) -> str:
    """The call to write on a line in place of the function itself; empty where it is not clear.

    It is given what another call gives it, or the variables that its parameters are called after,
    or else the one parameter there that has the same annotation.
    """
    helper = functions(tree).get(name)
    uses = [] if helper is None else _uses(tree, name, line)
    if helper is None or len(uses) != 1 or helper.args.kwonlyargs or helper.args.vararg:
        return ""
    own = parameters(helper)
    if own[:1] in (["self"], ["cls"]):
        own = own[1:]
    needed = own[: len(own) - len(helper.args.defaults)]
    known = _known(tree, line)
    text = ast.unparse(uses[0])
    for call in calling(tree, name):
        if read(call) <= known and name_of(call.func) == text:
            return f"{ast.unparse(call)} in place of {text}"
    given = [one if one in known else _of_kind(tree, helper, one, line) for one in needed]
    return f"{text}({', '.join(given)}) in place of {text}" if all(given) else ""


def _of_kind(tree: ast.Module, helper: ast.FunctionDef, name: str, line: int) -> str:
    """The one parameter at a line with the annotation of a parameter of a helper."""
    kinds = {one.arg: one.annotation for one in helper.args.args if one.annotation is not None}
    inside = around(tree, line)
    if name not in kinds or inside is None:
        return ""
    same = [
        one.arg
        for one in inside.args.args
        if one.annotation is not None and ast.dump(one.annotation) == ast.dump(kinds[name])
    ]
    return same[0] if len(same) == 1 else ""


def _uses(tree: ast.Module, name: str, line: int) -> list[ast.expr]:
    """Where a line reads a function without calling it."""
    statements = of_kind(tree, ast.stmt)
    here = [one for one in statements if one.lineno <= line <= (one.end_lineno or 0)]
    every = walked(max(here, key=lambda one: one.lineno)) if here else ()
    called = {one.func for one in every if isinstance(one, ast.Call)}
    found = [one for one in every if isinstance(one, ast.Name | ast.Attribute)]
    return [one for one in found if _last(one) == name and one not in called]


def _last(node: ast.Name | ast.Attribute) -> str:
    """The last part of a name."""
    return node.id if isinstance(node, ast.Name) else node.attr


def _known(tree: ast.Module, line: int) -> frozenset[str]:
    """The names that a line can use: its function's that have a value by then, and the file's."""
    inside = around(tree, line)
    names = {*dir(builtins), *(name for one in tree.body for name in binds(one))}
    if inside is not None:
        names |= {*parameters(inside)}
        before = (one for one in of_kind(inside, ast.stmt) if one.lineno < line)
        names |= {name for one in before if one is not inside for name in stored(one)}
    return frozenset(names)
