"""What Python does otherwise than a line of a program reads: of its own types and methods."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from itertools import chain

from grader.grading.reading.bindings import CHANGES, arguments, callee, functions
from grader.grading.reading.shown import Slip, own_calls
from grader.source.variables import read, reads, stored
from grader.source.walked import of_kind, walked

STRIPS = {"lstrip": "removeprefix", "rstrip": "removesuffix", "strip": ""}
"""Methods that take letters away, and those that take a word away."""
WORD = 3
"""Different letters that are hardly meant one by one."""
ROOTS = ("0.5", "-0.5", "1 / 2", "-1 / 2", "(-1) / 2")
"""Powers that are roots."""
LAZY = ("filter", "map", "zip")
"""Functions of Python that give their values one by one."""


def odd(tree: ast.Module) -> Iterator[Slip]:
    """All of them."""
    for function in of_kind(tree, ast.FunctionDef):
        yield from chain(always_true(tree, function), emptied(tree, function), unkept(function))
        yield from chain(unfilled(function), overwritten(function), same_twice(function))
        yield from chain(class_for_object(function), answers(function))
    yield from uncalled(tree)
    yield from stripped(tree)
    yield from refolded(tree)
    yield from unmatched(tree)
    yield from compared(tree)
    yield from smallest(tree)
    yield from degrees(tree)
    for function in of_kind(tree, ast.FunctionDef):
        yield from rooted(function)


def smallest(tree: ast.Module) -> Iterator[Slip]:
    """``sys.float_info.min``, or ``finfo(x).tiny``, for the lowest number."""
    for node in of_kind(tree, ast.Attribute):
        text = ast.unparse(node)
        if text.endswith("float_info.min") or (node.attr == "tiny" and "finfo(" in text):
            said = (
                f"{text} on line {node.lineno} is the smallest number above 0, and not the lowest"
            )
            yield Slip(node.lineno, f"{said}: it hides nothing.")


def degrees(tree: ast.Module) -> Iterator[Slip]:
    """``np.cos(np.deg2rad(x))``, where a position times a frequency is in radians already."""
    for node in of_kind(tree, ast.Call):
        if callee(node) in ("deg2rad", "radians", "rad2deg", "degrees") and node.args:
            text, given = ast.unparse(node.func), ast.unparse(node.args[0])
            said = f"{text} on line {node.lineno} is for degrees: {given} is an angle in radians"
            yield Slip(node.lineno, f"{said} already.", f"{given} in place of {ast.unparse(node)}")


def rooted(function: ast.FunctionDef) -> Iterator[Slip]:
    """The root of how many axes a tensor has, where the length of one is meant."""
    counts: dict[str, ast.Assign] = {}
    for one in of_kind(function, ast.Assign):
        if isinstance(one.targets[0], ast.Name) and _is_rank(one.value):
            counts[one.targets[0].id] = one
    for node in of_kind(function, ast.Call, ast.BinOp):
        match node:
            case ast.Call(func=ast.Name("sqrt") | ast.Attribute(attr="sqrt"), args=[of]):
                pass
            case ast.BinOp(of, ast.Pow(), power) if ast.unparse(power) in ROOTS:
                pass
            case _:
                continue
        inner = of.args[0] if isinstance(of, ast.Call) and callee(of) in ("int", "float") else of
        made = counts.get(inner.id) if isinstance(inner, ast.Name) else None
        if made is not None or _is_rank(of):
            value, line = (of, node.lineno) if made is None else (made.value, made.lineno)
            said = f"{ast.unparse(value)} on line {line} is how many axes there are, and line"
            yield Slip(
                line, f"{said} {node.lineno} takes its root: .shape[-1] is how long the last is."
            )


def _is_rank(node: ast.expr) -> bool:
    """Whether this is how many axes a tensor has."""
    text = ast.unparse(node)
    return text.endswith((".rank", ".ndim")) or (
        text.startswith("len(") and text.endswith(".shape)")
    )


def compared(tree: ast.Module) -> Iterator[Slip]:
    """``F.max(x, -1)``, which compares every number with -1, where the axis is meant."""
    for node in of_kind(tree, ast.Call):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=module), attr="max" | "min" as name),
                args=[x, ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int()))],
                keywords=[],
            ) if module not in ("np", "numpy", "torch"):
                axis, line = ast.unparse(node.args[1]), node.lineno
                said = f"Line {line} compares every number with {axis}: an axis has its name, axis="
                write = f"{module}.{name}({ast.unparse(x)}, axis={axis})"
                yield Slip(line, f"{said}{axis}.", write)


def answers(function: ast.FunctionDef) -> Iterator[Slip]:
    """``if n := len(x) > 1``, which keeps True or False, and a line below computes with it."""
    tests = [
        one.test
        for one in walked(function)
        if isinstance(one, ast.Assert | ast.If | ast.While | ast.IfExp)
    ]
    parts = [part for one in tests for part in getattr(one, "values", [one])]
    inside = {id(node) for one in tests for node in walked(one)}
    for node in parts:
        match node:
            case ast.NamedExpr(
                target=ast.Name(id=name), value=ast.Compare(ops=[_], comparators=[other]) as value
            ) if any(one.id == name and id(one) not in inside for one in reads(function)):
                asked = ast.unparse(value)
                sign = asked[len(ast.unparse(value.left)) : -len(ast.unparse(other))].strip()
                said = f"Line {node.lineno} keeps the answer of {asked} as {name}, which is True or"
                write = f"({name} := {ast.unparse(value.left)}) {sign} {ast.unparse(other)}"
                yield Slip(node.lineno, f"{said} False: := takes all that follows it.", write)


def refolded(tree: ast.Module) -> Iterator[Slip]:
    """``x.reshape(x.shape[::-1])``, where the axes are to be exchanged."""
    for node in of_kind(tree, ast.Call):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=("np" | "numpy" | "F")), attr="reshape"),
                args=[owner, given],
                keywords=[],
            ):
                sizes: list[ast.expr] = [given]
            case ast.Call(func=ast.Attribute(value=owner, attr="reshape"), args=sizes, keywords=[]):
                pass
            case _:
                continue
        text = ast.unparse(owner)
        if _reversed(sizes, f"{text}.shape"):
            said = f"Line {node.lineno}: reshape keeps the order of the numbers, and only divides"
            said = f"{said} them into other rows. A transpose exchanges the axes."
            yield Slip(node.lineno, said, f"{text}.T")


def _reversed(sizes: list[ast.expr], shape: str) -> bool:
    """Whether sizes are those of a ``shape``, the last one first."""
    only = sizes[0] if len(sizes) == 1 else None
    if isinstance(only, ast.Tuple | ast.List):
        sizes = only.elts
    texts = [ast.unparse(one) for one in sizes]
    inner = f"reversed({shape})"
    if len(texts) == 1:
        return texts[0] in (f"{shape}[::-1]", inner, f"tuple({inner})", f"list({inner})")
    last, first = (f"{shape}[1]", f"{shape}[-1]"), (f"{shape}[0]", f"{shape}[-2]")
    return len(texts) == 2 and texts[0] in last and texts[1] in first


def unmatched(tree: ast.Module) -> Iterator[Slip]:
    """``fold(zip(x, y))`` where fold has cases for lists alone, none of which an iterator fits."""
    taken = {name for one in of_kind(tree, ast.FunctionDef) for name in _lists(one)}
    for call, _, name, params in own_calls(tree) if taken else ():
        for param, node in arguments(call, params).items():
            if (name, param) in taken and _is_lazy(tree, node):
                text = ast.unparse(node)
                said = f"Line {node.lineno} gives {name} an iterator as {param}, and no list: none"
                made = text[1:-1] if isinstance(node, ast.GeneratorExp) else text
                yield Slip(node.lineno, f"{said} of its cases fits.", f"list({made})")


def _lists(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """The arguments of a function that it matches with lists, and with nothing else."""
    known = {one.arg for one in function.args.args} - stored(function)
    for one in function.body:
        match one:
            case ast.Match(subject=ast.Name(id=name), cases=cases) if name in known and all(
                isinstance(each.pattern, ast.MatchSequence) for each in cases
            ):
                yield function.name, name


def always_true(tree: ast.Module, function: ast.FunctionDef) -> Iterator[Slip]:
    """A condition on a generator, which is true even if it gives nothing."""
    tests = [one.test for one in walked(function) if isinstance(one, ast.If | ast.IfExp)]
    plain = [one.operand if isinstance(one, ast.UnaryOp) else one for one in tests]
    asked = {one.id for one in plain if isinstance(one, ast.Name)}
    for node in of_kind(function, ast.Assign):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in asked and _is_lazy(
                tree, value
            ):
                text = ast.unparse(value).removeprefix("(").removesuffix(")")
                text = text if isinstance(value, ast.GeneratorExp) else ast.unparse(value)
                said = f"Line {node.lineno} makes a generator, {name}, which is true in a condition"
                yield Slip(
                    node.lineno, f"{said} even if it gives nothing.", f"{name} = list({text})"
                )


def uncalled(tree: ast.Module) -> Iterator[Slip]:
    """A condition that is a function of the file, or a method, where its answer is meant."""
    given = {name for one in walked(tree) for name in _given(one)}
    plain = {
        one.name: one
        for one in tree.body
        if isinstance(one, ast.FunctionDef) and not one.decorator_list and one.name not in given
    }
    for node in tree.body:
        own = [one for one in getattr(node, "body", ()) if isinstance(one, ast.FunctionDef)]
        if isinstance(node, ast.FunctionDef):
            yield from _asked(node, plain, "")
        elif isinstance(node, ast.ClassDef):
            methods = {
                one.name: one
                for one in own
                if not one.decorator_list and one.name not in given and one.args.args
            }
            for function in own:
                yield from _asked(function, plain, "")
                yield from _asked(function, methods, "self.")


def _asked(
    function: ast.FunctionDef, known: dict[str, ast.FunctionDef], before: str
) -> Iterator[Slip]:
    """The conditions of a function that are one of these by name, which is not called."""
    for test in _conditions(function):
        text = ast.unparse(test)
        own = known.get(text.removeprefix(before)) if text.startswith(before) else None
        if own is None or not isinstance(test, ast.Attribute if before else ast.Name):
            continue
        needed = len(own.args.args) - len(own.args.defaults) - bool(before)
        needed += sum(one is None for one in own.args.kw_defaults)
        kind = "a method" if before else "a function"
        said = f"Line {test.lineno}: {text} is {kind}, which is always true"
        if needed:
            yield Slip(test.lineno, f"{said}. Call it: {text}(...).")
        else:
            yield Slip(test.lineno, f"{said}. Call it.", f"{text}()")


def _conditions(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """Everything in a function that is asked whether it is true, without its and, or and not."""
    todo: list[ast.expr] = []
    for one in walked(function):
        if isinstance(one, ast.If | ast.IfExp | ast.While | ast.Assert):
            todo.append(one.test)
        elif isinstance(one, ast.comprehension):
            todo += one.ifs
        elif isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.Not):
            todo.append(one.operand)
    for one in todo:
        yield from _parts(one)


def _parts(test: ast.expr) -> Iterator[ast.expr]:
    """The conditions that one joins with and, or."""
    if isinstance(test, ast.BoolOp):
        for one in test.values:
            yield from _parts(one)
    else:
        yield test


def _given(node: ast.AST) -> Iterator[str]:
    """The name of an argument, a variable or an attribute that a node gives a value."""
    if isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.alias):
        yield node.asname or node.name
    elif isinstance(node, ast.Name | ast.Attribute) and not isinstance(node.ctx, ast.Load):
        yield node.id if isinstance(node, ast.Name) else node.attr


def _is_lazy(tree: ast.Module, value: ast.expr) -> bool:
    """Whether an expression makes a generator."""
    if isinstance(value, ast.GeneratorExp):
        return True
    own = functions(tree).get(callee(value))
    if own is not None:
        return any(isinstance(one, ast.Yield | ast.YieldFrom) for one in walked(own))
    return isinstance(value, ast.Call) and ast.unparse(value.func) in LAZY


def stripped(tree: ast.Module) -> Iterator[Slip]:
    """``key.lstrip("transformer.")``, which takes away letters."""
    words = _words(tree)
    for node in of_kind(tree, ast.Call):
        match node:
            case ast.Call(func=ast.Attribute(value=text, attr=method), args=[given]):
                shown = ast.unparse(given)
                word = words.get(shown) if isinstance(given, ast.Name) else None
                if isinstance(given, ast.Constant) and isinstance(given.value, str):
                    word = given.value
                few = len({one for one in word or "" if one.isalpha()}) < WORD
                if method not in STRIPS or word is None or few:
                    continue
                other = STRIPS[method]
                said = f"Line {node.lineno}: {method} takes away all of the letters of {word!r}"
                said = f"{said} that it meets, and not the word"
                write = f"{ast.unparse(text)}.{other}({shown})" if other else ""
                yield Slip(
                    node.lineno,
                    f"{said}: {other or 'removeprefix or removesuffix'} does that.",
                    write,
                )


def _words(tree: ast.Module) -> dict[str, str]:
    """The names that a file gives a text, once, at its top or in a function."""
    given = of_kind(tree, ast.Name)
    often = [one.id for one in given if isinstance(one.ctx, ast.Store)]
    often += [one.arg for one in of_kind(tree, ast.arg)]
    return {
        ast.unparse(one.targets[0]): one.value.value
        for one in of_kind(tree, ast.Assign)
        if isinstance(one.value, ast.Constant)
        if isinstance(one.value.value, str) and often.count(ast.unparse(one.targets[0])) == 1
    }


def emptied(tree: ast.Module, function: ast.FunctionDef) -> Iterator[Slip]:
    """``return found.append(x)``, which is None."""
    for node in of_kind(function, ast.Return):
        match node:
            case ast.Return(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=how))):
                if how in CHANGES and how not in functions(tree) and name != "self":
                    said = f"Line {node.lineno} returns what {how} gives, which is None: it changes"
                    yield Slip(node.lineno, f"{said} {name} itself. Return {name} after it.")


def unkept(function: ast.FunctionDef) -> Iterator[Slip]:
    """A None that is returned beside others, and a variable that nothing reads any more."""
    ends = of_kind(function, ast.Return)
    if len(ends) != 1 or not isinstance(ends[0].value, ast.Tuple) or ends[0] != function.body[-1]:
        return
    parts = ends[0].value.elts
    empty = [one for one in parts if isinstance(one, ast.Constant) and one.value is None]
    last: dict[str, int] = {}
    for one in walked(function):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            last[one.id] = max(one.lineno, last.get(one.id, 0))
    loops = any(isinstance(one, ast.For | ast.While) for one in walked(function))
    unread = [
        name
        for name, line in last.items()
        if not name.startswith("_")
        and all(one.lineno <= line for one in reads(function) if one.id == name)
    ]
    if len(empty) == len(unread) == 1 and not loops:
        line, name = ends[0].lineno, unread[0]
        new = [ast.Name(name) if one is empty[0] else one for one in parts]
        write = f"return {ast.unparse(ast.Tuple(new, ast.Load()))[1:-1]}"
        said = f"Line {line} returns None, and nothing uses {name} of line {last[name]}."
        yield Slip(line, said, write)


def unfilled(function: ast.FunctionDef) -> Iterator[Slip]:
    """A list full of None, of which a loop takes the entries, and a result that nothing reads."""
    known = {one.id for one in reads(function)}
    full = {
        one.targets[0].id: one.lineno
        for one in of_kind(function, ast.Assign)
        if isinstance(one.targets[0], ast.Name)
        if any(isinstance(each, ast.List) and _only_none(each) for each in walked(one.value))
    }
    entries = of_kind(function, ast.Subscript)
    for name, line in full.items():
        own = [one for one in entries if isinstance(one.value, ast.Name) and one.value.id == name]
        if any(isinstance(one.ctx, ast.Store) for one in own):
            continue
        for one in of_kind(function, ast.Assign):
            parts = [each for target in one.targets for each in getattr(target, "elts", ())]
            names = [each.id for each in parts if isinstance(each, ast.Name)]
            unread = [each for each in names if each not in known and not each.startswith("_")]
            taken = [each for each in own if each in walked(one.value)]
            if len(unread) == 1 and taken and name in known:
                said = f"Line {one.lineno} makes {unread[0]}, and nothing uses it"
                entry = ast.unparse(taken[0])
                said = f"{said}: {name} stays full of None, from line {line}. Is {entry} meant?"
                yield Slip(one.lineno, said)


def _only_none(node: ast.List) -> bool:
    """Whether a list holds None, and nothing else."""
    return bool(node.elts) and all(
        isinstance(one, ast.Constant) and one.value is None for one in node.elts
    )


def overwritten(function: ast.FunctionDef) -> Iterator[Slip]:
    """A loop each turn of which works out the same variable anew, and makes nothing of it."""
    for loop in of_kind(function, ast.For):
        turn = stored(loop.target)
        known = stored(loop) - turn
        alone = len(loop.body) == 1 and not loop.orelse
        for one in loop.body if alone else ():
            if not isinstance(one, ast.Assign) or not isinstance(one.targets[0], ast.Name):
                continue
            name = one.targets[0].id
            after = any(each.id == name for each in reads(function))
            fresh = turn & read(one.value) and not known & read(one.value)
            if after and fresh and _call(one.value):
                said = f"Line {one.lineno} makes {name} anew in each turn, from nothing that an "
                said = f"{said}earlier turn made: only what the last turn makes is left."
                yield Slip(one.lineno, said)


def _call(node: ast.expr) -> bool:
    """Whether an expression calls something, and gives it something."""
    return isinstance(node, ast.Call) and bool(node.args)


def same_twice(function: ast.FunctionDef) -> Iterator[Slip]:
    """A loop over a few things that are written out, one of them twice."""
    for loop in of_kind(function, ast.For):
        if not isinstance(loop.iter, ast.Tuple | ast.List):
            continue
        texts = [ast.unparse(one) for one in loop.iter.elts]
        twice = [one for one in texts if texts.count(one) > 1]
        if twice and read(loop) & stored(loop.target):
            line = loop.iter.lineno
            yield Slip(line, f"Line {line} goes through {twice[0]} twice.")


def class_for_object(function: ast.FunctionDef) -> Iterator[Slip]:
    """``Layer(width, Config)`` in a function that takes a ``config: Config``."""
    objects = {
        of: one.arg
        for one in (*function.args.args, *function.args.kwonlyargs)
        if one.annotation is not None and (of := _annotated(one.annotation))[:1].isupper()
    }
    for node in walked(function):
        if not isinstance(node, ast.Call) or not callee(node)[:1].isupper():
            continue
        for given in (*node.args, *(word.value for word in node.keywords)):
            if isinstance(given, ast.Name) and given.id in objects:
                changed = copy.deepcopy(node)
                for one in walked(changed):
                    if isinstance(one, ast.Name) and one.id == given.id:
                        one.id = objects[given.id]
                line, name = given.lineno, objects[given.id]
                said = f"Line {line} hands over the class {given.id} itself"
                said = f"{said}: {name} is an object of it."
                yield Slip(line, said, ast.unparse(changed))


def _annotated(annotation: ast.expr) -> str:
    """The class that an annotation names, and nothing else; empty for any other."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value if annotation.value.isidentifier() else ""
    return annotation.id if isinstance(annotation, ast.Name) else ""
