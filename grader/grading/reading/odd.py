"""What is odd in any program, whatever it computes: a fact that its source shows, and its line.

Told of a program that fails. Hardly anybody means them: :mod:`likely` has those that may be meant.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

from grader.grading.reading import (
    attributes,
    kept,
    lookups,
    misread,
    yields,
)
from grader.grading.reading.bindings import CHANGES, callee
from grader.grading.reading.shown import PURE, Slip
from grader.source.variables import read, stored
from grader.source.walked import of_kind, walked


def certain(tree: ast.Module) -> Iterator[Slip]:
    """All of them."""
    return chain(
        powers(tree),
        halved(tree),
        rounded(tree),
        unreturned(tree),
        again(tree),
        not_made(tree),
        lookups.odd(tree),
        attributes.odd(tree),
        misread.odd(tree),
        yields.odd(tree),
        kept.odd(tree),
        ignored(tree),
    )


def powers(tree: ast.Module) -> Iterator[Slip]:
    """``2^10``, or ``2 ^ k`` of numbers, which is no power."""
    for node in of_kind(tree, ast.BinOp, ast.AugAssign):
        match node:
            case ast.BinOp(left=left, op=ast.BitXor(), right=right):
                sign = "**"
            case ast.AugAssign(target=left, op=ast.BitXor(), value=right):
                sign = "**="
            case _:
                continue
        plain = any(map(_is_number, (left, right)))
        if plain:
            said = f"Line {node.lineno} has ^, which is not a power in Python: ** is."
            closed = not isinstance(right, ast.BinOp) or node.end_col_offset != right.end_col_offset
            write = f"{_base(node, left)} {sign} {_base(node, right)}" if closed else ""
            yield Slip(node.lineno, said, write)


def _base(node: ast.stmt | ast.expr, part: ast.expr) -> str:
    """A part of an operation, in the brackets that are around it there."""
    text = ast.unparse(part)
    begins = (node.lineno, node.col_offset) < (part.lineno, part.col_offset)
    ends = node.end_col_offset != part.end_col_offset
    return f"({text})" if begins and ends and isinstance(part, ast.BinOp | ast.UnaryOp) else text


def _is_number(node: ast.expr) -> bool:
    """Whether a number is written here."""
    value = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(value, ast.Constant) and type(value.value) in (int, float)


def halved(tree: ast.Module) -> Iterator[Slip]:
    """``x ** -1 / 2``, or ``y * x ** -1 / 2``: half of a power, and no root."""
    for node in of_kind(tree, ast.BinOp):
        match node:
            case ast.BinOp(ast.BinOp(base, ast.Pow(), power), ast.Div(), ast.Constant(value=2)):
                factor: ast.expr | None = None
            case ast.BinOp(
                ast.BinOp(factor, ast.Mult(), ast.BinOp(base, ast.Pow(), power)),
                ast.Div(),
                ast.Constant(value=2),
            ):
                pass
            case _:
                continue
        up, name = ast.unparse(power), ast.unparse(base)
        if up not in ("1", "-1"):
            continue
        name = f"({name})" if isinstance(base, ast.BinOp | ast.UnaryOp) else name
        gives = f"{name} / 2" if up == "1" else f"1 / (2 * {name})"
        said = f"On line {node.lineno}, ** binds before /: {name} ** {up} / 2 is {gives}."
        root = f"{name} ** ({up} / 2)"
        whole = root if factor is None else f"{_base(node.left, factor)} * {root}"
        yield Slip(node.lineno, said, whole)


def rounded(tree: ast.Module) -> Iterator[Slip]:
    """``1.0 // root``, or ``1 // 10``: what // makes of a fraction is 0."""
    for node in of_kind(tree, ast.BinOp):
        match node:
            case ast.BinOp(ast.Constant(int() | float() as above), ast.FloorDiv(), below):
                least = below.value if isinstance(below, ast.Constant) else 0
            case _:
                continue
        small = 0 < above <= 1 or (isinstance(least, int | float) and 0 < above < least)
        if small and least != 1:
            text = ast.unparse(node)
            said = f"Line {node.lineno} has {text}: // rounds a fraction down to 0, and / keeps it."
            write = f"{ast.unparse(node.left)} / {ast.unparse(node.right)}"
            yield Slip(node.lineno, said, write)


def unreturned(tree: ast.Module) -> Iterator[Slip]:
    """Functions that return nothing anywhere, though a line keeps, or hands on, what they give."""
    calls = sorted(_kept_or_handed(tree), key=lambda one: -one.lineno)
    users = {callee(one): one.lineno for one in calls}  # the first of each
    for function in of_kind(tree, ast.FunctionDef):
        inner, last = walked(function), function.body[-1]
        gives = any(isinstance(n, ast.Yield | ast.YieldFrom | ast.Lambda) for n in inner)
        gives |= any(isinstance(n, ast.Return) and n.value is not None for n in inner)
        if function.name not in users or gives or function.decorator_list:
            continue
        line, user = last.lineno, users[function.name]
        match last:
            case ast.Expr(ast.Call(ast.Name("print"), [shown], [])):
                said = f"Line {line} prints {ast.unparse(shown)}, and {function.name} returns"
                said = f"{said} nothing: line {user} uses what it returns."
                yield Slip(line, said, f"return {ast.unparse(shown)}")
            case ast.Assign([ast.Name(name)]):
                said = f"{function.name} ends on line {line} without a return, and line {user}"
                yield Slip(line, f"{said} uses what it returns. Is it to return {name}?")
            case ast.Return() if isinstance(before := function.body[-2:][0], ast.Assign):
                said = f"{function.name} returns nothing on line {line}, and line {user} uses what"
                yield Slip(line, f"{said} it returns.", f"return {ast.unparse(before.targets[0])}")
            case ast.Expr(ast.Call() as call) if callee(call) not in (*CHANGES, *PURE, "print"):
                said = f"{function.name} ends on line {line} without a return, and line {user}"
                yield Slip(line, f"{said} uses what it returns.", f"return {ast.unparse(call)}")


def _kept_or_handed(tree: ast.Module) -> Iterator[ast.Call]:
    """The calls whose value gets a name, or is given to another call."""
    for node in walked(tree):
        if isinstance(node, ast.Call):
            yield from (one for one in node.args if isinstance(one, ast.Call))
        elif isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Call):
            yield node.value


def again(tree: ast.Module) -> Iterator[Slip]:
    """Names that a class gives a value twice: the second one counts."""
    for owner in of_kind(tree, ast.ClassDef):
        known: dict[str, int] = {}
        for one in owner.body:
            for name in _gives(one):
                if name in known:
                    said = f"Line {one.lineno} gives {name} a value again, instead of the one of"
                    yield Slip(one.lineno, f"{said} line {known[name]}.")
                known[name] = one.lineno


def _gives(one: ast.stmt) -> frozenset[str]:
    """The names that a statement of a class gives a value; a plain method gives none."""
    if isinstance(one, ast.FunctionDef) and one.decorator_list:
        return frozenset([one.name] if ast.unparse(one.decorator_list[0]) == "property" else [])
    return stored(one) if isinstance(one, ast.Assign | ast.AnnAssign) else frozenset()


def not_made(tree: ast.Module) -> Iterator[Slip]:
    """A class that is kept where an object of it is meant, which can be called."""
    callable_ = {
        one.name
        for one in tree.body
        if isinstance(one, ast.ClassDef)
        and any(isinstance(n, ast.FunctionDef) and n.name == "__call__" for n in one.body)
    }
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=kind)) if (
                kind in callable_ and name.islower()
            ):
                said = f"{name} is the class {kind} here, and not an object of it: parentheses "
                yield Slip(node.lineno, f"{said}are missing on line {node.lineno}.", f"{kind}()")


def ignored(tree: ast.Module) -> Iterator[Slip]:
    """``lambda scores: mask``, which does nothing with what it takes; of a step of reduce, any."""
    folds = (one for one in of_kind(tree, ast.Call) if callee(one) == "reduce")
    steps = [one.args[0] for one in folds if one.args]
    for node in of_kind(tree, ast.Lambda):
        given = node.args
        names = {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
        plain = isinstance(node.body, ast.Constant) or any(one.startswith("_") for one in names)
        idle = names - read(node.body)
        if idle and not plain and not given.vararg and (idle == names or node in steps):
            every = " and ".join(sorted(idle))
            yield Slip(
                node.lineno,
                f"The lambda on line {node.lineno} takes {every}, and does not use "
                f"{'it' if len(idle) == 1 else 'them'}.",
            )


@lru_cache(256)
def blocks(tree: ast.AST) -> tuple[Sequence[ast.stmt], ...]:
    """Every block of statements."""
    parts = ("body", "orelse", "finalbody")
    found = (getattr(node, part, None) for node in walked(tree) for part in parts)
    return tuple(block for block in found if isinstance(block, list))


def parameters(function: ast.FunctionDef) -> list[str]:
    """What a function takes, by place or by name, but for ``self``."""
    given = function.args
    stars = filter(None, (given.vararg, given.kwarg))
    every = (*given.posonlyargs, *given.args, *given.kwonlyargs, *stars)
    return [one.arg for one in every if one.arg not in ("self", "cls")]
