"""Lists that a program makes once and adds to in every call: a call sees what the last one left."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from grader.grading.reading.bindings import targets
from grader.grading.reading.shown import Slip
from grader.source.walked import of_kind

ADDS = ("append", "extend", "insert")
"""Methods that make a list longer."""


def odd(tree: ast.Module) -> Iterator[Slip]:
    """All of them."""
    functions = of_kind(tree, ast.FunctionDef)
    for function in functions:
        yield from _by_default(function)
    for name, line in _empty(tree.body):
        yield from (_slip(name, line, one) for one in functions if _grows(one, name))


def _by_default(function: ast.FunctionDef) -> Iterator[Slip]:
    """``def f(x, found=[])``, where the function adds to ``found``."""
    args = function.args
    given = [*args.posonlyargs, *args.args]
    last = given[len(given) - len(args.defaults) :]
    defaults = [*args.defaults, *args.kw_defaults]
    for one, default in zip([*last, *args.kwonlyargs], defaults, strict=True):
        if default is not None and _is_empty(default) and _grows(function, one.arg):
            text, line = ast.unparse(default), default.lineno
            said = f"The default {text} of {one.arg} on line {line} is made once: each call of"
            said = f"{said} {function.name} adds to what the last one left."
            yield Slip(line, f"{said} Begin {function.name} with {one.arg} = {text}.")


def _slip(name: str, line: int, function: ast.FunctionDef) -> Slip:
    said = f"{name} is made once, on line {line}, and each call of {function.name} adds to what the"
    return Slip(line, f"{said} last one left. Make it in {function.name}: {name} = [].")


def _empty(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    """The names that get an empty list, and the lines."""
    for one in nodes:
        match one:
            case ast.Assign(value=ast.List(elts=[])) | ast.AnnAssign(value=ast.List(elts=[])):
                yield targets(one)[0], one.lineno


def _is_empty(node: ast.expr) -> bool:
    """Whether this is an empty list or dict."""
    match node:
        case ast.List(elts=[]) | ast.Dict(keys=[]):
            return True
    return isinstance(node, ast.Call) and ast.unparse(node) in ("list()", "dict()")


def _grows(function: ast.FunctionDef, name: str) -> bool:
    """Whether a function adds to a list or dict that it does not make or empty itself.

    One that returns nothing is there to collect.
    """
    adds = False
    for node in of_kind(
        function, ast.Call, ast.Subscript, ast.AugAssign, ast.Assign, ast.AnnAssign
    ):
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=method)):
                if ast.unparse(owner) == name and method == "clear":
                    return False
                adds |= ast.unparse(owner) == name and method in ADDS
            case ast.Subscript(value=owner, ctx=ast.Store()) | ast.AugAssign(target=owner):
                adds |= ast.unparse(owner) == name
            case ast.Assign() | ast.AnnAssign() if name in targets(node):
                subscripts = getattr(node, "targets", [getattr(node, "target", None)])
                if not all(isinstance(one, ast.Subscript) for one in subscripts):
                    return False
    gives = (one.value for one in of_kind(function, ast.Return))
    return adds and any(one is not None for one in gives)
