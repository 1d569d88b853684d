"""A generator that returns another one, or only calls it: what that gives is lost."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.grading.reading.bindings import callee, functions
from grader.grading.reading.shown import Slip
from grader.source.walked import walked

INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def odd(tree: ast.Module) -> Iterator[Slip]:
    """``return write(rest)`` in a function that yields, where ``write`` is one that yields too."""
    if not any(isinstance(one, ast.Yield | ast.YieldFrom) for one in walked(tree)):
        return
    every = functions(tree)
    makers = {name: one for name, one in every.items() if _yields(one) and not one.decorator_list}
    for function in makers.values():
        for node in _own(function):
            match node:
                case ast.Return(value=ast.Call() as call):
                    does = "returns"
                case ast.Expr(value=ast.Call() as call):
                    does = "only calls"
                case _:
                    continue
            name = callee(call)
            if name in makers and _is_meant(call):
                said = f"Line {node.lineno} {does} {name}(...), a generator: what that yields is"
                said = f"{said} lost. yield from hands it on."
                yield Slip(node.lineno, said, f"yield from {ast.unparse(call)}")


def _is_meant(call: ast.Call) -> bool:
    """Whether a call is of a function of the file, or a method of the object itself."""
    match call.func:
        case ast.Name() | ast.Attribute(value=ast.Name(id="self" | "cls")):
            return True
    return False


def _yields(function: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Yield | ast.YieldFrom) for one in _own(function))


def _own(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """What is in a function, and in no function inside it."""
    todo: list[ast.AST] = list(function.body)
    while todo:
        one = todo.pop()
        if not isinstance(one, INNER):
            yield one
            todo += list(ast.iter_child_nodes(one))[::-1]
