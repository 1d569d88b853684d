"""What is odd about the layers that an object keeps: two names for one, or what makes it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain

from grader.grading.reading.shown import Slip
from grader.source.tables import by_name
from grader.source.variables import read, reads
from grader.source.walked import of_kind, walked


def odd(tree: ast.Module) -> Iterator[Slip]:
    """All of them."""
    for owner in of_kind(tree, ast.ClassDef):
        yield from chain(named_again(tree, owner), never_called(tree, owner))


def never_called(tree: ast.Module, owner: ast.ClassDef) -> Iterator[Slip]:
    """A method that sets what others read, and that nothing calls; at the end of ``__init__``."""
    bases = {ast.unparse(one).rpartition(".")[2] for one in owner.bases}
    methods = [one for one in owner.body if isinstance(one, ast.FunctionDef)]
    first = next((one for one in methods if one.name == "__init__"), None)
    named = {one.attr for one in of_kind(tree, ast.Attribute)}
    named |= {one.id for one in reads(tree)}
    named |= {str(one.value) for one in of_kind(tree, ast.Constant)}
    for method in methods if first is not None and bases <= {"Module", "object"} else ():
        if method.name in named or method.name.startswith("__") or method.decorator_list:
            continue
        others = [one for one in methods if one is not method]
        sets = [*_of_self(method, ast.Store)]
        known = {name for one in others for name in _of_self(one, ast.Store)}
        used = {name for one in others for name in _of_self(one, ast.Load)}
        lost = [name for name in dict.fromkeys(sets) if name in used - known]
        if lost and first is not None:
            every = " and ".join(f"self.{name}" for name in lost[:2])
            said = f"Only {method.name} sets {every}, and nothing calls {method.name}: in"
            said = f"{said} __init__, self.{method.name}(...) is missing."
            yield Slip(first.body[-1].lineno, said)


def _of_self(function: ast.FunctionDef, context: type[ast.expr_context]) -> Iterator[str]:
    """The attributes of ``self`` that a function sets, or reads."""
    for one in of_kind(function, ast.Attribute):
        match one:
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if isinstance(
                one.ctx, context
            ):
                yield name


def named_again(tree: ast.Module, owner: ast.ClassDef) -> Iterator[Slip]:
    """A table in which two rows name the same attribute, beside one that nothing names."""
    lines = {
        one.attr: one.lineno
        for one in of_kind(owner, ast.Attribute)
        if isinstance(one.ctx, ast.Store)
    }
    lines |= dict(by_name(tree, owner))
    every = of_kind(tree, ast.Attribute)
    used = {one.attr for one in every if isinstance(one.ctx, ast.Load)}
    texts = [one for one in of_kind(tree, ast.Constant) if one.value in lines]
    used |= {name for one in texts if lines[name := str(one.value)] != one.lineno}
    idle = sorted(lines.keys() - used)
    if len(idle) != 1 or "getattr" not in read(tree):
        return
    for table in (one for one in walked(tree) if isinstance(one, ast.Tuple | ast.List)):
        rows = [getattr(one, "elts", [one]) for one in table.elts]
        if len(rows) < 2 or len({len(row) for row in rows}) > 1:
            continue
        for column in zip(*rows, strict=True):
            names = [one.value if isinstance(one, ast.Constant) else None for one in column]
            twice = [one for one in column if names.count(getattr(one, "value", None)) == 2]
            if lines.keys() >= set(names) and len(twice) == 2:
                yield _instead(table, twice, lines, idle[0])


def _instead(
    table: ast.Tuple | ast.List, twice: list[ast.expr], lines: dict[str, int], idle: str
) -> Slip:
    """That two rows name the same; at the one whose place in the table is the other name's."""
    name = ast.literal_eval(twice[0])
    wrong = twice[0] if lines[idle] < lines[name] else twice[1]
    row = next(one for one in table.elts if any(each is wrong for each in walked(one)))
    fixed = re.sub(rf"(['\"]){name}\1", repr(idle), ast.unparse(row), count=1)
    first, last = (one.lineno for one in twice)
    said = f"Lines {first} and {last} both name {name}" if first != last else f"Line {last} names"
    said = said if first != last else f"{said} {name} twice"
    return Slip(wrong.lineno, f"{said}, and nothing names {idle}.", fixed)
