"""What is odd about keys, entries and lists in any program: of the same sort as :mod:`odd`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain

from grader.grading.bindings import callee
from grader.grading.shown import Slip
from grader.source.variables import read

JOINS = ("concat", "concatenate", "stack", "hstack", "vstack")
"""Functions that take what they join in one list."""


def odd(tree: ast.Module) -> Iterator[Slip]:
    """All of them."""
    return chain(other_keys(tree), joined_alone(tree), entry_or_all(tree), always_in(tree))


def other_keys(tree: ast.Module) -> Iterator[Slip]:
    """``if a not in d: … else: d[b]``: one key is asked for, and another is looked up."""
    for node in ast.walk(tree):
        match node:
            case ast.If(
                test=ast.Compare(
                    left=ast.Name(id=asked),
                    ops=[ast.NotIn() | ast.In() as op],
                    comparators=[ast.Name(id=owner)],
                )
            ):
                block = node.orelse if isinstance(op, ast.NotIn) else node.body
            case _:
                continue
        for one in (inner for each in block for inner in ast.walk(each)):
            match one:
                case ast.Subscript(
                    value=ast.Name(id=name), slice=ast.Name(id=key), ctx=ast.Load()
                ) if name == owner and key != asked:
                    said = f"Line {one.lineno} looks up {owner}[{key}], though line {node.lineno} "
                    said = f"{said}asks whether {asked} is in {owner}."
                    yield Slip(one.lineno, said, f"{owner}[{asked}]")


def always_in(tree: ast.Module) -> Iterator[Slip]:
    """``for a in d: … if a not in d``, which is never so."""
    for loop in (one for one in ast.walk(tree) if isinstance(one, ast.For)):
        owner = loop.iter
        while isinstance(owner, ast.Call) and len(owner.args) <= 1:
            wrapped = callee(owner) in ("sorted", "list", "set", "tuple", "reversed")
            keys = isinstance(owner.func, ast.Attribute) and owner.func.attr == "keys"
            if not wrapped and not keys:
                break
            owner = owner.args[0] if owner.args else getattr(owner.func, "value", loop.target)
        for one in (inner for each in loop.body for inner in ast.walk(each)):
            match one, owner, loop.target:
                case (
                    ast.Compare(left=ast.Name(id=asked), ops=[ast.NotIn()], comparators=[other]),
                    ast.Name(id=name),
                    ast.Name(id=turn),
                ) if asked == turn and ast.unparse(other) == name:
                    said = f"The loop of line {loop.lineno} goes through {name}, so no {turn} can "
                    yield Slip(loop.lineno, f"{said}be missing from it on line {one.lineno}.")


def joined_alone(tree: ast.Module) -> Iterator[Slip]:
    """``F.concat([x])``, which joins nothing."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(args=[ast.List(elts=[only]) | ast.Tuple(elts=[only]), *_]):
                if callee(node) in JOINS and not isinstance(only, ast.Starred):
                    name, text = ast.unparse(node.func), ast.unparse(only)
                    said = f"Line {node.lineno} gives {name} only {text}: there is nothing to join."
                    yield Slip(node.lineno, said)


def entry_or_all(tree: ast.Module) -> Iterator[Slip]:
    """``x = a[-1] if … else a``: either one entry, or the whole list, which has an axis more."""
    for node in ast.walk(tree):
        match node:
            case ast.IfExp(test=test, body=one, orelse=other):
                pair = (one, other)
            case ast.If(
                test=test,
                body=[ast.Assign(targets=[ast.Name(id=name)], value=one)],
                orelse=[ast.Assign(targets=[ast.Name(id=again)], value=other)],
            ) if name == again:
                pair = (one, other)
            case _:
                continue
        for entry, whole in (pair, pair[::-1]):
            match entry, whole:
                case (
                    ast.Subscript(value=ast.Name(id=owner), slice=index),
                    ast.Name(id=every) | ast.Subscript(value=ast.Name(id=every), slice=ast.Slice()),
                ) if owner == every and owner not in read(test) and _is_number(index):
                    text = ast.unparse(entry)
                    said = f"Line {entry.lineno} takes one entry of {owner}, and line"
                    said = f"{said} {whole.lineno} a list of them: [{text}] is a list, too."
                    yield Slip(entry.lineno, said, f"[{text}]")


def _is_number(node: ast.expr) -> bool:
    """Whether a whole number is written here."""
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.Constant) and type(inner.value) is int
