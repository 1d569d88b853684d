"""Conditions that are the wrong way round: a branch that runs where it should not, or not at all.

A line in a branch is not what to change if the branch itself is taken at the wrong time.
"""

from __future__ import annotations

import ast
import copy

from grader.grading.reading.bindings import (
    around,
    callee,
    functions,
    is_none,
    none_by_default,
    targets,
)
from grader.source.annotations import allows_none
from grader.source.variables import stores
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
