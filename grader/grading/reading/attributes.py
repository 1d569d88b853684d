"""What is odd about the layers that an object keeps: two names for one, or what makes it."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from itertools import chain

from grader.grading.reading.bindings import callee, functions
from grader.grading.reading.program import parameters
from grader.grading.reading.shown import Slip
from grader.source.tables import by_name
from grader.source.variables import all_named, binds, read, reads, stored
from grader.source.walked import of_kind, walked


def odd(tree: ast.Module) -> Iterator[Slip]:
    """All of them."""
    yield from of_caller(tree)
    for owner in of_kind(tree, ast.ClassDef):
        yield from of_init(tree, owner)
        for function in (one for one in owner.body if isinstance(one, ast.FunctionDef)):
            yield from one_for_two(tree, function)
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


def one_for_two(tree: ast.Module, function: ast.FunctionDef) -> Iterator[Slip]:
    """``self.a = self.b = Layer()``, or ``self.b = self.a`` below: one layer with two names."""
    made: dict[str, str] = {}
    for node in walked(function):
        if not isinstance(node, ast.Assign):
            continue
        names = [f"self.{name}" for name in map(_kept, node.targets) if name]
        if not names:
            continue
        if _makes_layer(tree, function, node.value):
            made[names[0]] = ast.unparse(node.value)
        first = ast.unparse(node.value) if _kept(node.value) else names[0]
        others = [name for name in names if name != first]
        if first in made and others:
            said = f"Line {node.lineno} makes no layer for {others[0]}: it is the same as {first}."
            write = f"{others[0]} = {made[first]}"
            yield Slip(node.lineno, f"{said} They share their weights.", write)


def of_init(tree: ast.Module, owner: ast.ClassDef) -> Iterator[Slip]:
    """What only ``__init__`` knows, and keeps, and another method reads by that name."""
    methods = [one for one in owner.body if isinstance(one, ast.FunctionDef)]
    first = next((one for one in methods if one.name == "__init__"), None)
    if first is None:
        return
    known = {name for one in tree.body for name in _global(one)} | set(dir(builtins))
    given = {one.arg for one in of_kind(first.args, ast.arg)}
    own = (stored(first) | given) - known - {"self"}
    kept: dict[str, list[str]] = {}
    for node in of_kind(first, ast.Assign):
        for text in map(_kept, node.targets):
            for name in read(node.value) & own if text and _only_wraps(node.value) else ():
                kept.setdefault(name, []).append(f"self.{text}")
    for method in (one for one in methods if one is not first):
        params = {one.arg for one in of_kind(method, ast.arg)}
        for one in reads(method):
            names = kept.get(one.id, [])
            if len(names) == 1 and one.id not in params | stored(method):
                said = f"Only __init__ knows {one.id}, and keeps it as {names[0]}."
                yield Slip(one.lineno, said, names[0])


def of_caller(tree: ast.Module) -> Iterator[Slip]:
    """Variables of another function, which this one has under the name of an argument.

    Its caller hands the variable over; or there is only one argument that it does not read.
    """
    known = {name for one in tree.body for name in _global(one)} | set(dir(builtins))
    owners: list[ast.Module | ast.ClassDef] = [
        tree,
        *(one for one in tree.body if isinstance(one, ast.ClassDef)),
    ]
    every = [one for owner in owners for one in owner.body if isinstance(one, ast.FunctionDef)]
    for function in every if not any(isinstance(one, ast.Global) for one in walked(tree)) else ():
        own = known | all_named(function)
        for one in (each for each in reads(function) if each.id not in own):
            elsewhere = any(one.id in all_named(other) for other in every)
            seen = read(function) | {"self"}
            idle = [name for name in parameters(function) if name not in seen]
            if elsewhere and len(idle) == 1:
                said = f"{function.name} does not know {one.id}: it takes {idle[0]} and does not"
                yield Slip(one.lineno, f"{said} use it.", idle[0])


def _global(node: ast.stmt) -> Iterator[str]:
    """The names that a statement of the module gives all functions."""
    definition = isinstance(node, ast.ClassDef | ast.FunctionDef)
    return chain(binds(node), () if definition else stored(node))


def _only_wraps(node: ast.expr) -> bool:
    """Whether an expression is a variable, or only puts one into something: ``Layers(blocks)``."""
    match node:
        case ast.Call(args=[ast.Name() | ast.Starred(value=ast.Name())], keywords=[]):
            return True
    return isinstance(node, ast.Name)


def _kept(node: ast.expr) -> str:
    """The attribute of ``self`` that an expression is; empty for any other."""
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return name
    return ""


def _makes_layer(tree: ast.Module, function: ast.FunctionDef, node: ast.expr) -> bool:
    """Whether an expression calls a class, or a function of the file that returns such a call."""
    name = callee(node)
    if name[:1].isupper():
        return True
    own = [
        one.value.body
        for one in of_kind(function, ast.Assign)
        if isinstance(one.value, ast.Lambda)
        and any(isinstance(target, ast.Name) and target.id == name for target in one.targets)
    ]
    helper = functions(tree).get(name) if name else None
    inside = walked(helper) if helper is not None else ()
    own += [one.value for one in inside if isinstance(one, ast.Return) and one.value is not None]
    return any(callee(one)[:1].isupper() for one in own)
