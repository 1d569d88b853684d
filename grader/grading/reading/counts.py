"""Counters that are not counted up in their loop, and products that begin with 0."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.grading.reading.bindings import callee
from grader.grading.reading.shown import Slip
from grader.source.variables import read, stored
from grader.source.walked import of_kind, walked


def odd(tree: ast.Module) -> Iterator[Slip]:
    """All of them."""
    yield from counted_late(tree)
    yield from zero_products(tree)


def counted_late(tree: ast.Module) -> Iterator[Slip]:
    """``i += 1`` right after a loop that reads ``i`` and never changes it."""
    for node in walked(tree):
        found = getattr(node, "body", None)
        body: list[ast.stmt] = found if isinstance(found, list) else []
        for at, loop in enumerate(body):
            later = body[at + 1 : at + 2]
            if not isinstance(loop, ast.For | ast.While) or not later:
                continue
            match later[0]:
                case ast.AugAssign(target=ast.Name(id=name), value=ast.Constant()) as counts:
                    pass
                case _:
                    continue
            after = set[str]().union(*map(read, body[at + 2 :]))
            if name in read(loop) and name not in stored(loop) and name not in after:
                line = counts.lineno
                said = f"Line {line} comes after the loop of line {loop.lineno}, where {name} is "
                said = f"{said}the same in every turn. Is it to be inside the loop?"
                yield Slip(line, said)


def zero_products(tree: ast.Module) -> Iterator[Slip]:
    """``reduce(mul, sizes, 0)``, ``prod(sizes, start=0)``: a product that begins with 0 is 0."""
    for node in of_kind(tree, ast.Call):
        match node:
            case ast.Call(args=[by, _, ast.Constant(value=0) as start]) if callee(
                node
            ) == "reduce" and _multiplies(by):
                pass
            case ast.Call(keywords=[ast.keyword("start", ast.Constant(value=0) as start)]) if (
                callee(node) == "prod"
            ):
                pass
            case _:
                continue
        write = ast.unparse(node)
        said = f"{write} begins with {ast.unparse(start)}, and a product with 0 in it is 0."
        yield Slip(start.lineno, said, f"{write.removesuffix('0)')}1)")


def _multiplies(node: ast.expr) -> bool:
    """Whether a function of two numbers gives their product."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name == "mul"
        case ast.Lambda(body=ast.BinOp(op=ast.Mult())):
            return True
    return False
