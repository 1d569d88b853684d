"""What is odd in a program and may be meant: told where nothing else is known of a failure."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TypeGuard

from grader.base.model import Trace
from grader.grading.reading.bindings import arguments, around, bound, callee
from grader.grading.reading.checking import asked_wrongly, handed_on, of_another, refused
from grader.grading.reading.defaults import otherwise
from grader.grading.reading.fields import renamed
from grader.grading.reading.odd import blocks, parameters
from grader.grading.reading.shown import OwnCall, Slip, meant, own_calls
from grader.grading.reading.texts import unfilled
from grader.source.variables import read, reads, stored, stores
from grader.source.walked import of_kind, walked

RUNS = {"forward": "__call__", "__call__": "forward"}
"""Either runs when an object is called."""

SIMILAR = 0.8
"""How alike two names are of which one is a slip of the pen, by difflib's ratio."""


def likely(tree: ast.Module, right: ast.Module) -> Iterator[Slip]:
    """All of them; ``right`` is the solution."""
    return chain(
        unused(tree, right), replaced(tree), misspelled(tree), unreached(tree), starred(tree)
    )


def starred(tree: ast.Module) -> Iterator[Slip]:
    """An ``__init__`` that takes any values by place, and none by name."""
    for function in of_kind(tree, ast.FunctionDef):
        given = function.args
        named = (*given.posonlyargs, *given.args[1:], *given.kwonlyargs)
        if function.name == "__init__" and given.vararg and not given.kwarg and not named:
            name, line = given.vararg.arg, function.lineno
            said = f"Line {line} takes *{name}, which are values by place: **{name} takes them by"
            yield Slip(line, f"{said} name.")


def misgiven(tree: ast.Module, right: ast.Module, trace: Trace | None) -> Iterator[Slip]:
    """The one call of a helper in which the numbers go wrong, if it gives another variable.

    The function around the call has one that is called as the helper calls what it takes. That
    is nothing odd if the solution does the same, or if one of the two is made of the other: what
    was worked on further has another name.
    """
    line = trace.line if trace is not None and not trace.slip else None
    helper = around(tree, line) if line is not None else None
    calls = [one[0] for one in own_calls(tree) if helper is not None and one[2] == helper.name]
    usual = {(one.function, one.param) for one in _given_another(right)}
    for one in _given_another(tree) if len(calls) == 1 else ():
        if [one.call] != calls or not one.name or (one.function, one.param) in usual:
            continue
        if one.outer is not helper and not _related(one.outer, one.name, one.param):
            at = one.call.lineno
            said = f"Line {at} gives {one.function} {one.name} for its {one.param}: there is"
            yield Slip(at, f"{said} {one.param} here too, from line {one.since}.")


@dataclass(frozen=True)
class Another:
    """A call that gives a function ``name`` for its ``param``.

    The function around it, ``outer``, has a variable ``param`` since a line above.
    """

    call: ast.Call
    function: str
    param: str
    name: str
    outer: ast.FunctionDef
    since: int


def _given_another(tree: ast.Module) -> Iterator[Another]:
    """The calls of the file's own functions that are not given the variable of a parameter's name.

    Without a ``name`` they are given something that is no variable.
    """
    for call, given, function, params in own_calls(tree):
        outer = around(tree, call.lineno)
        for name, param in zip(given, params, strict=False) if outer is not None else ():
            since = [one.lineno for one in stores(outer or tree) if one.id == param]
            if outer is None or len(param) < 2 or name in params or not since:
                continue
            if min(since) < call.lineno:
                yield Another(call, function, param, name, outer, min(since))


def _related(function: ast.FunctionDef, one: str, other: str) -> bool:
    """Whether a variable is made of another, in one step or several, or the other of it at once."""
    given = [n for n in walked(function) if isinstance(n, ast.Assign | ast.AnnAssign)]
    made_of, more = {one}, {one}
    while more and other not in made_of:
        more = {name for n in given if more & stored(n) for name in read(n)} - made_of
        made_of |= more
    return other in made_of or any(other in stored(n) and one in read(n) for n in given)


def at_error(tree: ast.Module, line: int, message: str, detail: str | None) -> Slip | None:
    """What the source shows of an error on ``line``, as it is told and as it was raised."""
    slip = refused(tree, line, detail or "") or handed_on(tree, line, detail or "")
    slip = slip or own_raise(tree, line, detail or message)
    slip = slip or unfilled(tree, message)
    slip = slip or one_only(tree, line, message) or unlisted(tree, line, message)
    return slip or cut_by_count(tree, line, message)


def own_raise(tree: ast.Module, line: int, message: str = "") -> Slip | None:
    """The condition of the file's own under which ``line`` raises an error.

    None if the ``message`` is of another error, which came up before the line could raise its own.
    """
    for node in walked(tree):
        if isinstance(node, ast.Assert) and node.lineno == line and "AssertionError" in message:
            begins = f"Line {line} raises this error itself, as {ast.unparse(node.test)} is"
            if told := asked_wrongly(tree, node.test, node, begins, "false", line):
                return told
            said = f"{begins} false."
            return Slip(line, f"{said} It asks for too much, or one of its values is wrong.")
        if not isinstance(node, ast.If):
            continue
        for block, was in ((node.body, "true"), (node.orelse, "false")):
            raised = [one for one in block if isinstance(one, ast.Raise) and one.lineno == line]
            if raised and not of_another(message, raised[0]):
                at, test = node.test.lineno, ast.unparse(node.test)
                begins = f"Line {line} raises this error itself, as on line {at} {test} is"
                if told := asked_wrongly(tree, node.test, raised[0], begins, was, at):
                    return told
                said = f"Line {line} raises this error itself, as {test} is {was} on line {at}."
                return Slip(at, f"{said} Here it must not be: does it ask the wrong way round?")
    return None


NUMBER = re.compile(r"needs a list, and (\w+) is the number ")
"""What the message of an error says if a number is where a list is needed."""


def unlisted(tree: ast.Module, line: int, message: str) -> Slip | None:
    """The number in parentheses, without a comma, that a variable was given for a list."""
    found = NUMBER.search(message)
    kept = bound(tree, found[1], line) if found is not None else None
    match kept:
        case ast.Assign(value=ast.Name() | ast.Attribute() | ast.Constant() as value):
            text = ast.unparse(value)
            if kept.end_lineno != value.end_lineno or kept.end_col_offset == value.end_col_offset:
                return None  # no parenthesis after it
            said = f"({text}) on line {kept.lineno} is {text} alone: the comma makes a tuple."
            return Slip(kept.lineno, said, f"{ast.unparse(kept.targets[0])} = ({text},)")
    return None


EXPECTED = re.compile(r"There are more values than the (\d+) expected")
"""What the message of an error says if there are other values than there are names."""


def cut_by_count(tree: ast.Module, line: int, message: str) -> Slip | None:
    """The split, in the helper that is called on ``line``, that is given how many parts to make.

    What it takes is how long each of them is.
    """
    found = EXPECTED.search(message)
    called = {callee(one) for one in walked(tree) if getattr(one, "lineno", 0) == line}
    for function in of_kind(tree, ast.FunctionDef) if found is not None else ():
        for node in walked(function) if function.name in called else ():
            match node:
                case ast.Return(
                    value=ast.Call(
                        func=ast.Attribute(value=ast.Name(id="F"), attr="split"),
                        args=[given, count],
                    ) as call
                ) if found is not None and _written(tree, count) == int(found[1]):
                    text = ast.unparse(count)
                    said = f"Line {count.lineno} gives split {text}, which is {found[1]}: that is"
                    said = f"{said} the length of each part. chunk takes how many there are."
                    whole = ast.Call(ast.Name("F.chunk"), [given, count], call.keywords)
                    return Slip(count.lineno, said, ast.unparse(whole))
    return None


def _written(tree: ast.Module, node: ast.expr) -> object:
    """The number that an expression is, or that the file gives the name that it is."""
    if isinstance(node, ast.Constant):
        return node.value
    for one in tree.body if isinstance(node, ast.Name) else ():
        if isinstance(one, ast.Assign | ast.AnnAssign) and ast.unparse(node) in stored(one):
            return one.value.value if isinstance(one.value, ast.Constant) else None
    return None


ENTRIES = ("makes entries of pairs", "cannot be taken apart", "names are to take", "needs a list")
"""What messages of errors say if something gave one thing where several are needed."""


def one_only(tree: ast.Module, line: int, message: str) -> Slip | None:
    """The return inside a loop of the helper that is called on ``line``: several are needed there.

    It is the only one of the helper that gives something.
    """
    if not any(one in message for one in ENTRIES):
        return None
    called = {callee(one) for one in walked(tree) if getattr(one, "lineno", 0) == line}
    for function in (one for one in of_kind(tree, ast.FunctionDef) if one.name in called):
        inner = walked(function)
        ends = [one for one in inner if isinstance(one, ast.Return) and one.value is not None]
        loops = [one for one in inner if isinstance(one, ast.For) and one.body[-1] in ends]
        if len(ends) == 1 and loops:
            at = ends[0].lineno
            said = f"Line {at} returns in the first turn of the loop of line {loops[-1].lineno}"
            return Slip(at, f"{said} that gets there. yield gives something in each turn.")
    return None


AGAIN, INSTEAD = " once more.", " in its place."
"""How a sentence ends on a line that was copied, and reads what the line above it reads."""


def withheld(tree: ast.Module, right: ast.Module) -> Iterator[Slip]:
    """Arguments that are not read, though a helper takes one of this name and does not get it.

    And fields that have another name than the solution's, and defaults with another value.
    """
    ends = (" for it.", " without it.", AGAIN, INSTEAD)
    return chain(
        renamed(tree, right),
        (one for one in unused(tree, right) if one.said.endswith(ends)),
        otherwise(tree, right),
    )


def unused(tree: ast.Module, right: ast.Module) -> Iterator[Slip]:
    """Arguments that a function takes and does not read, though the solution's reads them."""
    wanted = {one.name: one for one in of_kind(right, ast.FunctionDef)}
    calls = list(own_calls(tree))
    words = {
        one.name: [arg.arg for arg in one.args.kwonlyargs] for one in of_kind(tree, ast.FunctionDef)
    }
    for function in of_kind(tree, ast.FunctionDef):
        if len(_code(function)) == 0 or "locals" in read(function):
            continue
        other = wanted.get(function.name) or wanted.get(RUNS.get(function.name, ""))
        for name in parameters(function):
            if name.startswith("_") or name in read(function):
                continue
            if other is not None and (name not in read(other) or _idle(other, name, right)):
                continue
            if other is not None and _measured(function, other, name):
                continue
            said = f"{function.name} takes {name} and does not use it"
            inside = range(function.lineno + 1, (function.end_lineno or 0) + 1)
            found = (one for one in calls if one[0].lineno in inside)
            line, how, write = next(_instead(found, name, words), (function.lineno, "", ""))
            line, how = (line, how) if how else next(_kept(function, name), (line, how))
            if not how:
                again = chain(_copied(function, name), _in_one_line(function, name))
                line, how, write = next(again, (line, how, write))
            yield Slip(line, f"{said}{how}.", write)


def _measured(function: ast.FunctionDef, other: ast.FunctionDef, name: str) -> bool:
    """Whether an argument is a size, and the function takes a tensor's shape apart instead."""
    hints = {arg.arg: arg.annotation for arg in other.args.args}
    if not isinstance(hint := hints.get(name), ast.Name) or hint.id != "int":
        return False
    return any(
        isinstance(one, ast.Assign)
        and isinstance(one.targets[0], ast.Tuple | ast.List)
        and any(getattr(part, "attr", "") == "shape" for part in walked(one.value))
        for one in walked(function)
    )


def _kept(function: ast.FunctionDef, name: str) -> Iterator[tuple[int, str]]:
    """Where a function keeps another of its arguments by the name of one, and which."""
    for node in of_kind(function, ast.Assign, ast.Call, ast.Dict):
        match node:
            case ast.Assign(targets=[ast.Attribute(attr=key)], value=ast.Name() as value):
                found = [(key, value)]
            case ast.Call(args=[_, ast.Constant(value=str(key)), ast.Name() as value]):
                found = [(key, value)]
            case ast.Call(keywords=words):
                found = [(one.arg or "", one.value) for one in words if _is_name(one.value)]
            case ast.Dict(keys=keys, values=values):
                pairs = ((getattr(k, "value", ""), v) for k, v in zip(keys, values, strict=True))
                found = [(key, value) for key, value in pairs if _is_name(value)]
            case _:
                continue
        for key, value in found:
            if key == name and value.id in parameters(function):
                yield value.lineno, f": line {value.lineno} gives {name} the value of {value.id}"


def _copied(function: ast.FunctionDef, name: str) -> Iterator[tuple[int, str, str]]:
    """The line that works out for another variable what a line above has, of another argument.

    Which, and what to write: what it works out of the argument ``name``, which nothing reads. That
    is only known where the variable's name tells which of the two lines is meant.
    """
    given = [one for one in function.body if isinstance(one, ast.Assign)]
    for first, again in pairwise(given):
        text, used = ast.unparse(again.value), read(again.value) & set(parameters(function))
        if ast.unparse(first.value) != text or len(used) != 1:
            continue
        if stored(first) == stored(again):
            if stored(first) <= read(again.value):  # it goes on with what it has: x = f(x, mask)
                write = re.sub(rf"(?<![\w.]){min(used)}\b", name, ast.unparse(again))
                how = f": line {again.lineno} reads {min(used)}{AGAIN[:-1]}"
                yield again.lineno, how, write
            continue
        (other,) = used
        likely = max((again, first), key=lambda one: _alike(one, name) - _alike(one, other))
        write = re.sub(rf"(?<![\w.]){other}\b", name, ast.unparse(likely))
        if _alike(first, name) - _alike(first, other) == _alike(again, name) - _alike(again, other):
            both = f": lines {first.lineno} and {again.lineno} both read {other}"
            yield first.lineno, f"{both}, one of them{INSTEAD[:-1]}", ""
        else:
            yield likely.lineno, f": line {likely.lineno} reads {other}{AGAIN[:-1]}", write


def _in_one_line(function: ast.FunctionDef, name: str) -> Iterator[tuple[int, str, str]]:
    """The line that gives several names their values, and two of them the same argument.

    One of the two names is only like the argument ``name``, which nothing reads.
    """
    for node in of_kind(function, ast.Assign):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=kept)], value=ast.Tuple(elts=given)):
                texts = [ast.unparse(one) for one in given]
            case _:
                continue
        for at, text in enumerate(texts):
            names = [*map(ast.unparse, kept)]
            if text not in parameters(function) or texts.count(text) != 2 or len(names) <= at:
                continue
            if meant(names[at], [text, name]) != 1:
                continue
            right = ", ".join([*texts[:at], name, *texts[at + 1 :]])
            said = f": line {node.lineno} gives {names[at]} {text}{AGAIN[:-1]}"
            yield node.lineno, said, f"{', '.join(names)} = {right}"


def _alike(kept: ast.Assign, name: str) -> int:
    """How many words the variable of an assignment shares with an argument's name."""
    words = {part for one in stored(kept) for part in one.lower().split("_")}
    return len(words & set(name.lower().split("_")))


def _idle(function: ast.FunctionDef, name: str, tree: ast.Module) -> bool:
    """Whether an argument is only kept as an attribute that nothing reads."""
    kept = [n for n in of_kind(function, ast.Assign) if name in read(n)]
    if len(kept) != 1 or sum(one.id == name for one in reads(function)) != 1:
        return False
    owns = {one.attr for one in kept[0].targets if isinstance(one, ast.Attribute)}
    own = (n for n in of_kind(tree, ast.Attribute) if n.attr in owns)
    return bool(owns) and not any(isinstance(one.ctx, ast.Load) for one in own)


def _instead(
    calls: Iterable[OwnCall], name: str, words: Mapping[str, list[str]]
) -> Iterator[tuple[int, str, str]]:
    """The lines of calls of a helper that takes ``name``, what each gives it, and what to write.

    ``words`` is what each helper takes by name alone.
    """
    for call, _, helper, params in calls:
        given = arguments(call, params).get(name)
        starred = any(isinstance(one, ast.Starred) for one in call.args)
        starred |= any(one.arg is None for one in call.keywords)
        taken = (*params, *words.get(helper, ()))
        if given is not None:
            text = ast.unparse(given)
            yield call.lineno, f": line {call.lineno} gives {helper} {text} for it", ""
        elif name in taken and not starred and not helper.startswith("__"):
            whole = ast.Call(call.func, call.args, [*call.keywords, _same(name)])
            how = f": line {call.lineno} calls {helper} without it"
            yield call.lineno, how, ast.unparse(whole) if callee(call) == helper else ""


def _same(name: str) -> ast.keyword:
    """``name=name``."""
    return ast.keyword(name, ast.Name(name))


def replaced(tree: ast.Module) -> Iterator[Slip]:
    """Arguments that get another value before anything has read them."""
    for function in of_kind(tree, ast.FunctionDef):
        for name in parameters(function):
            first = next((one for one in _code(function) if name in read(one) | stored(one)), None)
            plain = isinstance(first, ast.Assign | ast.AnnAssign)
            if first is not None and plain and name not in read(first):
                said = f"Line {first.lineno} gives {name} a new value, before anything has read "
                yield Slip(first.lineno, f"{said}the one that {function.name} is given.")


def misspelled(tree: ast.Module) -> Iterator[Slip]:
    """Variables that nothing reads, beside one that is called nearly the same."""
    for function in of_kind(tree, ast.FunctionDef):
        seen, given = read(function), stored(function)
        for node in of_kind(function, ast.Assign):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)]) if name not in seen:
                    others = sorted(seen & given)
                    if near := difflib.get_close_matches(name, others, 1, SIMILAR):
                        said = f"Nothing reads {name}, which gets a value on line {node.lineno}."
                        yield Slip(node.lineno, f"{said} Is {near[0]} meant?")


def unreached(tree: ast.Module) -> Iterator[Slip]:
    """Statements after a return in the same block, but for another plain return."""
    for body in blocks(tree):
        for one, later in pairwise(body):
            if isinstance(one, ast.Return) and not isinstance(later, ast.Return | ast.Pass):
                said = f"Line {later.lineno} is never reached: line {one.lineno} returns."
                yield Slip(later.lineno, said)


def _is_name(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name)


def _code(function: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of a function that do something: no docstring, no ``pass``, no ``raise``."""
    idle = (ast.Pass, ast.Raise)
    return [
        one
        for one in function.body
        if not isinstance(one, idle)
        and not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
    ]
