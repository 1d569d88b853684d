"""What is odd about keys, entries and lists in any program: of the same sort as :mod:`odd`."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from itertools import chain, pairwise

from grader.grading.reading.bindings import CHANGES, callee
from grader.grading.reading.shown import Slip, there
from grader.source.variables import binds, read, reads, stored, stores
from grader.source.walked import of_kind, walked

JOINS = ("concat", "concatenate", "stack", "hstack", "vstack")
"""Functions that take what they join in one list."""


def odd(tree: ast.Module) -> Iterator[Slip]:
    """All of them."""
    return chain(
        other_keys(tree),
        joined_alone(tree),
        entry_or_all(tree),
        always_in(tree),
        unread(tree),
        of_class(tree),
        looked_up_anyway(tree),
        stuck(tree),
        nothing_done(tree),
        remembered(tree),
        kept_early(tree),
    )


def kept_early(tree: ast.Module) -> Iterator[Slip]:
    """``rows.append(row)`` in every turn of the loop that fills ``row``, which is one list."""
    for function in of_kind(tree, ast.FunctionDef):
        for outer in of_kind(function, ast.For):
            for loop in (one for one in outer.body if isinstance(one, ast.For)):
                made = [one for one in outer.body if one.lineno < loop.lineno]
                fresh = {name for one in made for name in _emptied(one)} - stored(loop)
                calls = of_kind(loop, ast.Call)
                added = [(one, *pair) for one in calls for pair in _added(one)]
                filled = {to for _, to, _ in added}
                for one, _, inner in added:
                    if inner in fresh & filled and not _returns(loop):
                        said = f"Line {one.lineno} adds {inner} in every turn of the loop of line"
                        said = f"{said} {loop.lineno}, which still fills it: it is one list, added"
                        yield Slip(one.lineno, f"{said} many times. It is indented too far.")


def _emptied(node: ast.stmt) -> frozenset[str]:
    """The variables that a statement makes an empty list."""
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    return stored(node) if isinstance(value, ast.List) and not value.elts else frozenset()


def _added(call: ast.Call) -> Iterator[tuple[str, str]]:
    """The variable to which a call adds one thing, and that thing."""
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=to), attr="append"), args=[one]):
            yield to, ast.unparse(one)


def _returns(loop: ast.For) -> bool:
    """Whether a turn of a loop may be its last, or go on early."""
    return any(isinstance(one, ast.Break | ast.Continue | ast.Return) for one in walked(loop))


def remembered(tree: ast.Module) -> Iterator[Slip]:
    """What a layer keeps on itself, and joins in the next call to what that makes.

    Other objects of the file, such as a cache, may be there to keep it.
    """
    layers = (one for one in of_kind(tree, ast.ClassDef) if _runs(one))
    for function in (f for one in layers for f in one.body if isinstance(f, ast.FunctionDef)):
        given = of_kind(function, ast.Assign)
        kept = {
            ast.unparse(one): one.lineno
            for node in given
            for target in node.targets
            for one in getattr(target, "elts", [target])
            if isinstance(one, ast.Attribute) and ast.unparse(one).startswith("self.")
        }
        for name, line in kept.items() if function.name != "__init__" else ():
            names = (one for one in given if callee(one.value) not in JOINS)
            old = {each for one in names if name in _texts(one.value) for each in stored(one)}
            for call in of_kind(function, ast.Call):
                parts = getattr(call.args[0], "elts", []) if call.args else []
                mixed = [name in _texts(one) or bool(old & read(one)) for one in parts]
                if callee(call) in JOINS and any(mixed) and not all(mixed):
                    said = f"Line {line} keeps {name} on the object, and"
                    said = f"{said} {there(call.lineno, line)} joins"
                    said = f"{said} what an earlier call has left there to what this one makes."
                    said = f"{said} Take what earlier calls made from an argument."
                    yield Slip(call.lineno, said)
                    break


def _runs(cls: ast.ClassDef) -> bool:
    """Whether a class is a layer: its objects are called."""
    bases = [ast.unparse(one).rpartition(".")[2] for one in cls.bases]
    return "Module" in bases or any(
        isinstance(one, ast.FunctionDef) and one.name in ("forward", "__call__") for one in cls.body
    )


def _texts(node: ast.AST) -> list[str]:
    """The attributes in an expression."""
    return [ast.unparse(one) for one in of_kind(node, ast.Attribute)]


def nothing_done(tree: ast.Module) -> Iterator[Slip]:
    """An ``if`` whose answer changes nothing: there is only a ``pass`` under it."""
    for node in of_kind(tree, ast.If):
        match node:
            case ast.If(test=test, body=[ast.Pass() as one], orelse=[]):
                said = f"Line {one.lineno} does nothing where {ast.unparse(test)}: what is to be"
                yield Slip(one.lineno, f"{said} done there is missing.")


def stuck(tree: ast.Module) -> Iterator[Slip]:
    """A piece that is the same in every turn of a loop, where others follow the loop: ``x[:, 0]``.

    Only of what the loop nowhere takes a piece of that follows it.
    """
    for loop in of_kind(tree, ast.For):
        turn = ast.unparse(loop.target)
        pieces = [
            (one, [ast.unparse(each) for each in one.slice.elts])
            for one in of_kind(loop, ast.Subscript)
            if isinstance(one.slice, ast.Tuple)
        ]
        moving = [(one, at.index(turn)) for one, at in pieces if turn in at]
        owners = {ast.unparse(one.value) for one, _ in moving}
        for one, index in pieces:
            near, at = next(((n, a) for n, a in moving if a < len(index)), (one, 0))
            fixed = near is not one and ":" in index and index[at].isdigit()
            if fixed and turn not in index and ast.unparse(one.value) not in owners:
                write = (
                    f"{ast.unparse(one.value)}[{', '.join([*index[:at], turn, *index[at + 1 :]])}]"
                )
                said = f"Line {one.lineno} takes {ast.unparse(one)} in every turn of the loop of"
                said = f"{said} line {loop.lineno}; line {near.lineno} takes {ast.unparse(near)}."
                yield Slip(one.lineno, said, write)


def looked_up_anyway(tree: ast.Module) -> Iterator[Slip]:
    """An ``if`` that looks up a key, right after one that found the key to be missing."""
    for node in walked(tree):
        body = getattr(node, "body", None)
        for one, later in pairwise(body if isinstance(body, list) else ()):
            match one:
                case ast.If(
                    test=ast.Compare(left=key, ops=[ast.NotIn()], comparators=[owner]), orelse=[]
                ) if isinstance(later, ast.If) and not _leaves(one.body[-1]):
                    entry = f"{ast.unparse(owner)}[{ast.unparse(key)}]"
                    asked = [ast.unparse(each) for each in walked(later.test)]
                    if entry in asked and f"{entry} = " not in ast.unparse(one):
                        said = f"Line {later.lineno} looks up {entry} even where line {one.lineno}"
                        said = f"{said} has found that {ast.unparse(key)} is not in it."
                        write = f"elif {ast.unparse(later.test)}:"
                        yield Slip(later.lineno, said, write)


def _leaves(last: ast.stmt) -> bool:
    """Whether nothing that follows in the block runs after this statement."""
    return isinstance(last, ast.Continue | ast.Break | ast.Return | ast.Raise)


def unread(tree: ast.Module) -> Iterator[Slip]:
    """Lists that a function fills and nothing reads, and dicts that it changes too late."""
    for function in of_kind(tree, ast.FunctionDef):
        changed = _changed(function)
        receivers = {id(one) for some in changed.values() for one in some}
        seen = [one for one in reads(function) if id(one) not in receivers]
        own = stored(function) | {arg.arg for arg in (function.args.kwarg,) if arg}
        for name in (one for one in changed if one in own):
            line = changed[name][-1].lineno
            uses = [one for one in seen if one.id == name]
            if not uses:
                yield _instead(name, line, changed, seen)
            elif not any(one.lineno >= line for one in uses) and _only_walked(function, name, uses):
                said = f"Line {line} changes {name}, and nothing reads {name} after that."
                yield Slip(line, said)


def _changed(function: ast.FunctionDef) -> dict[str, list[ast.Name]]:
    """The variables of which a statement only calls a method that changes them."""
    found: dict[str, list[ast.Name]] = {}
    for node in of_kind(function, ast.Expr):
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name() as one, attr=method))):
                if method in CHANGES:
                    found.setdefault(one.id, []).append(one)
    return found


def _instead(
    name: str, line: int, changed: dict[str, list[ast.Name]], seen: list[ast.Name]
) -> Slip:
    """That nothing reads a list; at the line that reads another one of its kind once more."""
    said = f"Line {line} changes {name}, and nothing reads it"
    for other in changed:
        lines = sorted({one.lineno for one in seen if one.id == other})
        if other != name and len(lines) > 1 and lines[-1] > line:
            first, last = lines[-2:]
            said = f"{said}: line {last} reads {other}, as line {first} does."
            return Slip(last, f"{said} Is {name} meant?")
    return Slip(line, f"{said}.")


def _only_walked(function: ast.FunctionDef, name: str, uses: list[ast.Name]) -> bool:
    """Whether a variable is only gone through or compared, so that no other name is its own."""
    plain = 0
    for node in walked(function):
        parts = [node.iter] if isinstance(node, ast.For | ast.comprehension) else []
        parts += [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
        plain += sum(ast.unparse(one).split(".")[0] == name for one in parts)
        if isinstance(node, ast.For | ast.While) and name in _changed_in(node):
            return False
    return plain == len(uses)


def _changed_in(loop: ast.For | ast.While) -> set[str]:
    """The variables of which a loop calls a method."""
    calls = (one.func for one in of_kind(loop, ast.Call))
    return {ast.unparse(one.value) for one in calls if isinstance(one, ast.Attribute)}


def of_class(tree: ast.Module) -> Iterator[Slip]:
    """Names that nothing defines but a class of the file, and that are read outside of it."""
    classes = of_kind(tree, ast.ClassDef)
    kept = {name: cls for cls in classes for one in cls.body for name in binds(one)}
    inner = {id(one) for cls in classes for part in cls.body for one in _targets(part)}
    known = {one.id for one in stores(tree) if id(one) not in inner} | set(dir(builtins))
    known |= {one.arg for one in of_kind(tree, ast.arg)}
    methods = {id(part) for cls in classes for part in cls.body}
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    for node in of_kind(tree, *kinds):
        if id(node) not in methods:
            known.update(binds(node))
    for one in reads(tree):
        cls = kept.get(one.id) if one.id not in known else None
        if cls is not None and not cls.lineno <= one.lineno <= (cls.end_lineno or 0):
            said = f"{one.id} is in the class {cls.name}: line {one.lineno} needs {cls.name}."
            yield Slip(one.lineno, f"{said}{one.id}.", f"{cls.name}.{one.id}")


def _targets(statement: ast.stmt) -> tuple[ast.Name, ...]:
    """The names that an assignment gives a value."""
    return stores(statement) if isinstance(statement, ast.Assign | ast.AnnAssign) else ()


def other_keys(tree: ast.Module) -> Iterator[Slip]:
    """``if a not in d: … else: d[b]``: one key is asked for, and another is looked up."""
    for node in of_kind(tree, ast.If):
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
        for one in (inner for each in block for inner in walked(each)):
            match one:
                case ast.Subscript(
                    value=ast.Name(id=name), slice=ast.Name(id=key), ctx=ast.Load()
                ) if name == owner and key != asked:
                    said = f"Line {one.lineno} looks up {owner}[{key}], though line {node.lineno} "
                    said = f"{said}asks whether {asked} is in {owner}."
                    yield Slip(one.lineno, said, f"{owner}[{asked}]")


def always_in(tree: ast.Module) -> Iterator[Slip]:
    """``for a in d: … if a not in d``, which is never so."""
    for loop in of_kind(tree, ast.For):
        owner = loop.iter
        while isinstance(owner, ast.Call) and len(owner.args) <= 1:
            wrapped = callee(owner) in ("sorted", "list", "set", "tuple", "reversed")
            keys = isinstance(owner.func, ast.Attribute) and owner.func.attr == "keys"
            if not wrapped and not keys:
                break
            owner = owner.args[0] if owner.args else getattr(owner.func, "value", loop.target)
        for one in (inner for each in loop.body for inner in walked(each)):
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
    for node in of_kind(tree, ast.Call):
        match node:
            case ast.Call(args=[ast.List(elts=[only]) | ast.Tuple(elts=[only]), *_]):
                if callee(node) in JOINS and not isinstance(only, ast.Starred):
                    name, text = ast.unparse(node.func), ast.unparse(only)
                    said = f"Line {node.lineno} gives {name} only {text}: there is nothing to join."
                    yield Slip(node.lineno, said)


def entry_or_all(tree: ast.Module) -> Iterator[Slip]:
    """``x = a[-1] if … else a``: either one entry, or the whole list, which has an axis more."""
    for node in of_kind(tree, ast.IfExp, ast.If):
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
                    second = there(whole.lineno, entry.lineno)
                    also = "also" if second == "it" else second
                    said = f"Line {entry.lineno} takes one entry of {owner}, and {also}"
                    said = f"{said} a list of them: [{text}] is a list, too."
                    yield Slip(entry.lineno, said, f"[{text}] in place of {text}")


def _is_number(node: ast.expr) -> bool:
    """Whether a whole number is written here."""
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.Constant) and type(inner.value) is int
