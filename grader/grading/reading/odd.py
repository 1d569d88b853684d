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
    breaks,
    counts,
    differences,
    kept,
    lookups,
    misread,
    texts,
    yields,
)
from grader.grading.reading.bindings import CHANGES, around, callee
from grader.grading.reading.shown import PURE, Slip, unmoved
from grader.source.variables import read, reads, stored
from grader.source.walked import of_kind, walked

CHOICES = {"where": slice(1, 3), "min": slice(0, 2), "max": slice(0, 2)}
"""Functions that choose between two arguments, and which these are."""


def certain(tree: ast.Module) -> Iterator[Slip]:
    """All of them."""
    return chain(
        after_loop(tree),
        twins(tree),
        powers(tree),
        halved(tree),
        rounded(tree),
        unreturned(tree),
        crossed_names(tree),
        commas(tree),
        without_comma(tree),
        endless(tree),
        signs(tree),
        fixed(tree),
        again(tree),
        not_made(tree),
        undecorated(tree),
        members(tree),
        none_handed(tree),
        lookups.odd(tree),
        attributes.odd(tree),
        misread.odd(tree),
        counts.odd(tree),
        breaks.odd(tree),
        differences.odd(tree),
        yields.odd(tree),
        kept.odd(tree),
        texts.odd(tree),
        ignored(tree),
        unread_sums(tree),
    )


def after_loop(tree: ast.Module) -> Iterator[Slip]:
    """Statements after a loop that read its variable, of which only the last value is left."""
    for body in blocks(tree):
        for at, loop in enumerate(body):
            if not isinstance(loop, ast.For) or _breaks(loop):
                continue
            names = stored(loop.target)
            for one in body[at + 1 :]:
                if left := (names & read(one)) - stored(one):
                    name = min(left)
                    line = min(each.lineno for each in reads(one) if each.id == name)
                    said = f"Line {line} comes after the loop of line {loop.lineno}, and "
                    said = f"{said}reads {name}: it sees the last turn only."
                    inside = "" if isinstance(one, ast.For) else " Is it to be inside the loop?"
                    yield Slip(line, f"{said}{inside}")
                    break
                names -= stored(one)


def twins(tree: ast.Module) -> Iterator[Slip]:
    """Choices between two things that are the same, and comparisons of a thing with itself."""
    for node in of_kind(tree, ast.IfExp, ast.Call, ast.Compare):
        match node:
            case ast.IfExp(body=one, orelse=other):
                what = "chooses between two that are the same"
            case ast.Call(args=given) if callee(node) in CHOICES:
                pair = given[CHOICES[callee(node)]]
                if len(pair) != 2:
                    continue
                one, other = pair
                what = "chooses between two that are the same"
            case ast.Compare(left=one, comparators=[other]):
                what = "compares a thing with itself"
            case _:
                continue
        if ast.dump(one) == ast.dump(other) and not isinstance(one, ast.Constant):
            text = ast.unparse(one)
            said = f"Line {node.lineno} {what}: {text} and {text}."
            inside = around(tree, node.lineno)
            idle = [one for one in parameters(inside) if one not in read(inside)] if inside else []
            if inside is None or len(idle) != 1:
                yield Slip(node.lineno, said)
                continue
            said = f"{said} Nothing in {inside.name} uses {idle[0]}."
            either = isinstance(node, ast.Call) and callee(node) in ("min", "max")
            write = ast.unparse(node).replace(f", {text}", f", {idle[0]}") if either else ""
            yield Slip(node.lineno, said, write)


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
        plain = any(map(_is_number, (left, right))) and not _truth(left) and not _truth(right)
        if plain or _are_numbers(tree, node, (left, right)):
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


def _truth(node: ast.expr) -> bool:
    """Whether True or False is written here, or a comparison."""
    return isinstance(getattr(node, "value", None), bool) or isinstance(node, ast.Compare)


def _are_numbers(tree: ast.Module, node: ast.stmt | ast.expr, parts: Sequence[ast.expr]) -> bool:
    """Whether all of these are parameters that the function says to be numbers."""
    inside = around(tree, node.lineno)
    given = inside.args if inside is not None else ast.arguments([], [], None, [], [], None, [])
    every = (*given.posonlyargs, *given.args, *given.kwonlyargs)
    kinds = {one.arg: ast.unparse(one.annotation) for one in every if one.annotation is not None}
    return all(kinds.get(ast.unparse(one)) in ("int", "float") for one in parts)


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


def crossed_names(tree: ast.Module) -> Iterator[Slip]:
    """``self.a = b``, or ``f(a=b)``, in a function that takes both ``a`` and ``b``."""
    for function in of_kind(tree, ast.FunctionDef):
        params = set(parameters(function))
        for node in of_kind(function, ast.Assign, ast.keyword):
            match node:
                case ast.Assign(
                    targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)],
                    value=ast.Name(id=given),
                ):
                    line, text, write = node.lineno, f"self.{name}", f"self.{name} = {name}"
                case ast.keyword(arg=str(name), value=ast.Name(id=given)):
                    line, text, write = node.value.lineno, name, f"{name}={name}"
                case _:
                    continue
            if name != given and {name, given} <= params:
                said = f"Line {line} gives {text} the value of {given}"
                yield Slip(line, f"{said}, though {function.name} also takes {name}.", write)


def commas(tree: ast.Module) -> Iterator[Slip]:
    """A comma that makes a tuple of one value, or two numbers of one."""
    for node in walked(tree):
        if not isinstance(node, ast.Assign | ast.AnnAssign | ast.Return):
            continue
        value = node.value
        if not isinstance(value, ast.Tuple) or not value.elts or _in_parentheses(value):
            continue
        line, names = value.lineno, getattr(node, "targets", [getattr(node, "target", None)])
        if len(value.elts) == 1:
            yield Slip(line, f"The comma at the end of line {line} makes a tuple: take it away.")
        elif isinstance(names[0], ast.Name) and (text := _thousands(value)):
            yield Slip(line, f"The comma on line {line} makes a tuple of two numbers.", text)


def without_comma(tree: ast.Module) -> Iterator[Slip]:
    """``pairs += (pair)``, where ``pairs`` is a tuple: parentheses alone make none."""
    for function in of_kind(tree, ast.FunctionDef):
        tuples = {
            name
            for one in of_kind(function, ast.Assign)
            if isinstance(one.value, ast.Tuple)
            for name in stored(one)
            if not one.value.elts
        }
        for node in of_kind(function, ast.AugAssign, ast.BinOp):
            match node:
                case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value):
                    before = f"{name} += "
                case ast.BinOp(left=ast.Name(id=name), op=ast.Add(), right=value):
                    before = f"{name} + "
                case _:
                    continue
            lone = isinstance(value, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
            closed = node.end_col_offset == (value.end_col_offset or 0) + 1
            if name in tuples and lone and closed and node.end_lineno == node.lineno:
                text = ast.unparse(value)
                said = f"({text}) on line {node.lineno} is {text} alone: the comma makes a tuple."
                yield Slip(node.lineno, said, f"{before}({text},)")


def endless(tree: ast.Module) -> Iterator[Slip]:
    """``while room > 0``, where the loop never changes ``room``, a number."""
    for function in of_kind(tree, ast.FunctionDef):
        for loop in of_kind(function, ast.While):
            match loop.test:
                case ast.Compare(left=ast.Name(id=name), comparators=[ast.Constant()]):
                    changed = {each for one in loop.body for each in stored(one)}
                    if name not in changed and not any(map(_leaves, loop.body)):
                        said = f"Nothing in the loop of line {loop.lineno} changes {name}"
                        yield Slip(loop.lineno, f"{said}, which it asks for in every turn.")


def _leaves(one: ast.stmt) -> bool:
    """Whether a statement by itself ends a loop."""
    return isinstance(one, ast.Return | ast.Break | ast.Raise)


def signs(tree: ast.Module) -> Iterator[Slip]:
    """``x =+ y``, which adds nothing."""
    for node in of_kind(tree, ast.Assign):
        match node:
            case ast.Assign(targets=[target], value=ast.UnaryOp(op=ast.UAdd(), operand=value)):
                write = f"{ast.unparse(target)} += {ast.unparse(value)}"
                yield Slip(
                    node.lineno, f"Line {node.lineno} has =+, which adds nothing: += does.", write
                )


def fixed(tree: ast.Module) -> Iterator[Slip]:
    """Comprehensions that take the same piece in every turn, and loops that have one turn."""
    for node in of_kind(tree, ast.For, ast.ListComp, ast.GeneratorExp):
        match node:
            case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=1)])):
                yield Slip(node.lineno, f"The loop of line {node.lineno} has only one turn.")
            case (
                ast.ListComp(elt=elt, generators=[ast.comprehension() as head])
                | ast.GeneratorExp(elt=elt, generators=[ast.comprehension() as head])
            ) if isinstance(head.target, ast.Name):
                name, over = head.target.id, head.iter
                chosen = isinstance(over, ast.Tuple | ast.List) and not _in_text(over)
                picks = isinstance(node, ast.ListComp) and _picks(elt)
                if name not in (*read(elt), "_") and (picks or chosen) and not head.ifs:
                    yield unmoved(node.lineno, name)


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


def undecorated(tree: ast.Module) -> Iterator[Slip]:
    """A class with fields and no ``@dataclass``, which a dataclass extends."""
    classes = {one.name: one for one in tree.body if isinstance(one, ast.ClassDef)}
    for one in classes.values():
        if not any("dataclass" in ast.unparse(each) for each in one.decorator_list):
            continue
        for base in (classes.get(ast.unparse(each)) for each in one.bases):
            fields = base is not None and any(isinstance(n, ast.AnnAssign) for n in base.body)
            if base is not None and fields and not base.decorator_list and not base.bases:
                said = f"{one.name} extends {base.name}, which has fields and no @dataclass above "
                yield Slip(base.lineno, f"{said}line {base.lineno}: {one.name} does not take them.")


def members(tree: ast.Module) -> Iterator[Slip]:
    """Fields whose default is a member of an Enum of the file, which is no plain value."""
    enums = {
        one.name: one
        for one in of_kind(tree, ast.ClassDef)
        if any(ast.unparse(base).rpartition(".")[2] == "Enum" for base in one.bases)
    }
    for one in of_kind(tree, ast.AnnAssign):
        match one.value:
            case ast.Attribute(value=ast.Name(id=name)) if name in enums:
                text, line = ast.unparse(one.value), enums[name].lineno
                said = (
                    f"{name} is an Enum, by line {line}: {text} is a member of it, and its value is"
                )
                yield Slip(
                    line, f"{said} {text}.value. In a plain class {text} is the value itself."
                )


def none_handed(tree: ast.AST) -> Iterator[Slip]:
    """A call that is handed None, beside the one variable that nothing reads, from turn to turn.

    It is one that a loop over several takes, or that is None before the loop.
    """
    for function in of_kind(tree, ast.FunctionDef):
        known = read(function)
        loops = [one for one in walked(function) if isinstance(one, ast.For | ast.While)]
        for loop in loops:
            names = _taken_in_turn(loop) | (stored(loop) & _none_at_first(function))
            unread = sorted(one for one in names - known if not one.startswith("_"))
            calls = of_kind(loop, ast.Call)
            empty = [
                (one, at) for one in calls for at, given in enumerate(one.args) if _none(given)
            ]
            if len(unread) == len(empty) == 1:
                (call, at), name = empty[0], unread[0]
                given = [*call.args[:at], ast.Name(name), *call.args[at + 1 :]]
                write = ast.unparse(ast.Call(call.func, given, call.keywords))
                said = (
                    f"Line {call.lineno} hands over None in every turn, and nothing reads {name}."
                )
                yield Slip(call.lineno, said, write)


def _taken_in_turn(loop: ast.For | ast.While) -> frozenset[str]:
    """The variables of a loop over several things at once."""
    if not isinstance(loop, ast.For) or not isinstance(loop.iter, ast.Call):
        return frozenset()
    return stored(loop.target) if callee(loop.iter) == "zip" else frozenset()


def _none_at_first(function: ast.FunctionDef) -> frozenset[str]:
    """The variables that a function sets to None."""
    return frozenset(
        name
        for one in walked(function)
        if isinstance(one, ast.Assign | ast.AnnAssign) and _none(one.value)
        for name in stored(one)
    )


def _none(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def unread_sums(tree: ast.Module) -> Iterator[Slip]:
    """``total += p`` in a loop, whose sum nothing reads; an ``if`` below asks for ``p`` instead."""
    for function in of_kind(tree, ast.FunctionDef):
        known = read(function)
        loops = [one for one in walked(function) if isinstance(one, ast.For | ast.While)]
        for loop in loops:
            for one in loop.body:
                match one:
                    case ast.AugAssign(ast.Name(name), ast.Add(), ast.Name(part)) if (
                        name not in known
                    ):
                        pass
                    case _:
                        continue
                said = f"Line {one.lineno} adds {part} to {name}, and nothing reads {name}."
                asks = [n for n in loop.body if isinstance(n, ast.If) and part in read(n.test)]
                asks = [n for n in asks if n.lineno > one.lineno]
                if asks:
                    line = asks[0].lineno
                    said = f"{said} Line {line} asks for {part}: is {name} meant?"
                yield Slip(asks[0].lineno if asks else one.lineno, said)


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


def _breaks(loop: ast.For) -> bool:
    """Whether a loop may end early: then its variable says where."""
    return any(isinstance(one, ast.Break | ast.Return) for one in walked(loop))


def _in_parentheses(node: ast.Tuple) -> bool:
    first = node.elts[0]
    return (node.lineno, node.col_offset) != (first.lineno, first.col_offset)


def _thousands(node: ast.Tuple) -> str:
    """The number that was written with a comma between its thousands; empty for other tuples."""
    numbers = [one.value for one in node.elts if isinstance(one, ast.Constant)]
    if len(numbers) != len(node.elts) or not all(type(one) is int for one in numbers):
        return ""
    text = ast.unparse(node).strip("()").replace(" ", "")
    first, *rest = text.split(",")
    return "_".join((first, *rest)) if all(len(one) == 3 for one in rest) else ""


def _in_text(node: ast.Tuple | ast.List) -> bool:
    """Whether something in a list is written out, and not the value of a variable."""
    return not all(isinstance(one, ast.Name | ast.Attribute) for one in node.elts)


def _picks(node: ast.expr) -> bool:
    """Whether an expression takes the piece at a number, as ``x[0]`` does."""
    return any(
        isinstance(one, ast.Subscript)
        and any(isinstance(i, ast.Constant) for i in getattr(one.slice, "elts", [one.slice]))
        for one in walked(node)
    )
