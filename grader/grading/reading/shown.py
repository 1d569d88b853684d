"""Slips that the source shows in any program: arguments swapped, a loop that is left at once."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from grader.grading.reading.bindings import CHANGES, around, callee, calling, to_assign
from grader.grading.reading.ends import without_return
from grader.source.variables import reads
from grader.source.walked import of_kind, walked


@dataclass(frozen=True)
class Slip:
    """A line and what is odd about it, in a sentence. ``write`` may say what to write there."""

    line: int
    said: str
    write: str = ""


def there(line: int, before: int) -> str:
    """What to call a line in a sentence that began with another: no line is named twice."""
    return "it" if line == before else f"line {line}"


def unmoved(line: int, name: str) -> Slip:
    """What a loop over ``name`` makes in each turn, and always the same."""
    return Slip(line, f"Line {line} makes the same for every {name}: nothing in it reads {name}.")


def meant(name: str, params: Sequence[str]) -> int | None:
    """Which parameter an argument's name stands for; None for none, or several.

    It is called the same, or ends or begins so (``token_positions``, ``table_cos``), or is its
    beginning (``q``).
    """
    if name in params or not name:
        return params.index(name) if name else None
    ends = [
        at
        for at, one in enumerate(params)
        if name.endswith(f"_{one}") or name.startswith(f"{one}_")
    ]
    begins = [at for at, one in enumerate(params) if one.startswith(name)]
    if any(one.endswith(f"_{name}") for one in params):  # k may well be new_k, and not kv_block
        begins = []
    found = ends or begins
    return found[0] if len(found) == 1 else None


def crossed(tree: ast.Module) -> Iterator[Slip]:
    """Calls of the file's own functions and classes that swap two arguments, by their names."""
    for node, given, name, params in own_calls(tree):
        own = [meant(one, params) for one in given]
        for at in range(len(given)):
            for later in range(at + 1, min(len(given), len(params))):
                if own[at] == later and own[later] == at:
                    yield Slip(
                        node.lineno,
                        f"Line {node.lineno} swaps two arguments: {name} takes "
                        f"{', '.join(params)}, in this order.",
                        with_swapped(node, at, later) if callee(node) == name else "",
                    )


def with_swapped(call: ast.Call, one: int, other: int) -> str:
    """A call with two of its arguments in each other's place."""
    given = list(call.args)
    given[one], given[other] = given[other], given[one]
    return ast.unparse(ast.Call(call.func, given, call.keywords))


def left_early(tree: ast.Module) -> Iterator[Slip]:
    """Loops that a return ends in their first turn, whatever it finds."""
    for node in walked(tree):
        last = node.body[-1] if isinstance(node, ast.For) else None
        if isinstance(last, ast.Return) and isinstance(node, ast.For):
            leaves = any(isinstance(n, ast.Continue) for one in node.body for n in walked(one))
            if not leaves:
                yield Slip(
                    last.lineno,
                    f"Line {last.lineno} returns inside the loop of line {node.lineno}, in its "
                    "first turn: it is indented too far.",
                )


def reordered(tree: ast.Module, right: ast.Module) -> Iterator[Slip]:
    """Functions that take what the reference's take, in another order."""
    wanted = {name: given for name, _, given in _taken(right)}
    for name, line, mine in _taken(tree):
        other = wanted.get(name, mine)
        if mine != other and sorted(mine) == sorted(other):
            said = f"{name} takes {', '.join(other)}, in this order."
            yield Slip(line, f"{said} Line {line} has another.")


def _taken(tree: ast.Module) -> Iterator[tuple[str, int, list[str]]]:
    """Each function by name, with its line and what it takes; a lambda that has a name, too."""
    for node in of_kind(tree, ast.FunctionDef, ast.Assign):
        match node:
            case ast.FunctionDef(name=name, args=args, lineno=line):
                pass
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda(args=args), lineno=line):
                pass
            case _:
                continue
        yield name, line, [arg.arg for arg in args.args if arg.arg != "self"]


def exchanged(tree: ast.Module) -> Iterator[Slip]:
    """Two variables that each get what is worked out from the other: ``q, k = f(k), f(q)``."""
    for node in of_kind(tree, ast.Assign):
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=a), ast.Name(id=b)])],
                value=ast.Tuple(elts=[ast.Call() as one, ast.Call() as other]),
            ):
                texts = [
                    re.sub(rf"\b{name}\b", "_", ast.unparse(v))
                    for name, v in ((b, one), (a, other))
                ]
                if (
                    texts[0] == texts[1]
                    and "_" in texts[0]
                    and ast.unparse(one) != ast.unparse(other)
                ):
                    said = f"Line {node.lineno} makes {a} from {b}, and {b} from {a}"
                    write = f"{a}, {b} = {ast.unparse(other)}, {ast.unparse(one)}"
                    yield Slip(node.lineno, f"{said}: are they exchanged?", write)


def repeated(tree: ast.Module) -> Iterator[Slip]:
    """Two values of one statement that are worked out alike, as in ``q, k = f(q), f(q)``."""
    for node in walked(tree):
        names: list[ast.expr] = []
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=given)):
                texts = [ast.unparse(one) for one in given]
            case ast.Return(value=ast.Tuple(elts=given)):
                texts = [ast.unparse(one) for one in given]
            case _:
                continue
        for at, one in enumerate(given):
            first = texts.index(texts[at])
            plain = isinstance(one, ast.Subscript)
            plain |= isinstance(one, ast.Call) and not called(one.func)[:1].isupper()
            if first < at and plain and isinstance(node, ast.Return):
                yield Slip(node.lineno, f"Line {node.lineno} returns the same twice: {texts[at]}.")
            elif first < at < len(names) and plain and isinstance(names[at], ast.Name):
                a, b = ast.unparse(names[first]), ast.unparse(names[at])
                yield Slip(
                    node.lineno, f"Line {node.lineno} gives {a} and {b} the same: {texts[at]}."
                )


def identities(tree: ast.AST) -> Iterator[Slip]:
    """Comparisons by ``is`` with something that was just made: no other object is that one.

    Or of two variables, where the answer is kept as a value, ``found = ids is pad``, or one of them
    is a number or a text by its annotation or its name: ``if token is end_id``.
    """
    words: dict[type[ast.cmpop], str] = {ast.Is: "==", ast.IsNot: "!="}
    every = walked(tree)
    kept = [one.value for one in every if isinstance(one, ast.Assign | ast.Return)]
    plain = {
        one.arg
        for one in every
        if isinstance(one, ast.arg) and one.annotation is not None
        if re.fullmatch(r"(int|float|str)( \| None)?", ast.unparse(one.annotation))
    }
    for node in every:
        if not isinstance(node, ast.Compare) or type(node.ops[0]) not in words:
            continue
        both = (node.left, *node.comparators)
        named = all(isinstance(one, ast.Name | ast.Attribute) for one in both)
        named = named and (node in kept or any(_is_plain(one, plain) for one in both))
        made = any(isinstance(one, NEW) and not _may_be_old(one) for one in both)
        if named or (made and not any(_is_single(one) for one in both)):
            op, right = ast.unparse(node).removeprefix(ast.unparse(node.left)), node.comparators
            word = "is not" if op.startswith(" is not") else "is"
            said = f"Line {node.lineno} compares with `{word}`, which asks for the same object."
            write = f"{ast.unparse(node.left)} {words[type(node.ops[0])]} {ast.unparse(right[0])}"
            yield Slip(node.lineno, said, write)


def _is_single(node: ast.expr) -> bool:
    """Whether there is only one such object: ``None``, ``True`` and ``False``."""
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool))


def _may_be_old(node: ast.expr) -> bool:
    """Whether a call may give an object that is kept elsewhere: ``getattr``, ``type``, ``get``."""
    return isinstance(node, ast.Call) and callee(node) in ("type", "getattr", "get", "next", "pop")


def _is_plain(node: ast.expr, known: set[str]) -> bool:
    """Whether a variable is a number or a text: it is ``known`` to be, or has the name of one."""
    name = called(node)
    return name in known or re.search(r"(^|_)(id|idx|index|token)$", name) is not None


def idle(tree: ast.Module) -> Iterator[Slip]:
    """Statements that work something out and keep it not, and errors that are made, not raised."""
    bodies = (getattr(one, "body", None) for one in walked(tree))
    blocks = (one for one in bodies if isinstance(one, list))
    after = {id(one): later for block in blocks for one, later in pairwise(block)}
    for node in walked(tree):
        if not isinstance(node, ast.Expr):
            continue
        text = ast.unparse(node.value)
        head = after.get(id(node))
        if isinstance(node.value, ast.Name | ast.Attribute) and isinstance(head, DEFINITIONS):
            word = "class" if isinstance(head, ast.ClassDef) else "def"
            said = f"Line {node.lineno} does nothing. Put an @ in front of it, on the line before"
            yield Slip(node.lineno, f"{said} {word} {head.name}.", f"@{text}")
            continue
        pure = isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute)
        pure = pure and callee(node.value) in PURE
        if (pure or isinstance(node.value, GIVES)) and _ends_used(tree, node):
            does = "works out" if pure or isinstance(node.value, WORTHLESS) else "has"
            said = f"Line {node.lineno} {does} {_short(text)}, and nothing uses the result."
            yield Slip(node.lineno, f"{said} Is a return missing before it?", f"return {text}")
        elif isinstance(node.value, WORTHLESS) or pure:
            said = f"Line {node.lineno} works out {_short(text)}, and nothing uses the result."
            yield Slip(node.lineno, f"{said} Is it to be assigned?", to_assign(tree, node))
        elif isinstance(node.value, ast.Call) and _own(tree, node.value) in _only_returning(tree):
            said = f"Line {node.lineno} calls {callee(node.value)}, and nothing uses what it"
            ends, write = _ends_used(tree, node), to_assign(tree, node)
            fix = "Is a return missing before it?" if ends else "Is it to be assigned?"
            yield Slip(node.lineno, f"{said} returns. {fix}", f"return {text}" if ends else write)
        elif isinstance(node.value, ast.Call) and callee(node.value).endswith(
            ("Error", "Exception")
        ):
            said = f"Line {node.lineno} makes {_short(text)}, and does not raise it."
            yield Slip(node.lineno, said, f"raise {text}" if _short(text) == text else "")


def _ends_used(tree: ast.Module, node: ast.Expr) -> bool:
    """Whether a function ends with a statement and returns nothing, though a line uses its result.

    If nothing in the file calls it, another program does.
    """
    inside = around(tree, node.lineno)
    if inside is None or inside.body[-1] is not node or without_return(inside) is None:
        return False
    name, value = inside.name, node.value
    sets = isinstance(value, ast.Compare) and isinstance(value.left, ast.Attribute)  # == for =
    if sets or (name.startswith("__") and name != "__call__"):
        return False
    alone = {id(one.value) for one in of_kind(tree, ast.Expr)}
    calls = calling(tree, name)
    return not calls or any(id(one) not in alone for one in calls)


def _own(tree: ast.Module, call: ast.Call) -> str:
    """The function of the file that is called, if it is one.

    A method of another object is if only a class of the file has one of that name.
    """
    of, name = call.func.value if isinstance(call.func, ast.Attribute) else None, callee(call)
    own = of is None or (isinstance(of, ast.Name) and of.id in ("self", "cls"))
    classes = of_kind(tree, ast.ClassDef)
    inside = any(
        isinstance(one, ast.FunctionDef) and one.name == name
        for each in classes
        for one in each.body
    )
    usual = any(hasattr(kind, name) for kind in (list, dict, set, str))
    return name if own or (inside and not usual) else ""


def _only_returning(tree: ast.Module) -> frozenset[str]:
    """The functions of a file that return something and change nothing."""
    found = []
    for function in of_kind(tree, ast.FunctionDef):
        inner = walked(function)
        returns = [one.value for one in inner if isinstance(one, ast.Return)]
        acts = any(
            isinstance(one, ast.Yield | ast.YieldFrom | ast.Global | ast.Nonlocal)
            or (isinstance(one, ast.Attribute | ast.Subscript) and isinstance(one.ctx, ast.Store))
            or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Call))
            for one in inner
        )
        if returns and None not in returns and not acts:
            found.append(function.name)
    return frozenset(found)


DEFINITIONS = (ast.ClassDef, ast.FunctionDef)

WORTHLESS = (ast.Attribute, ast.BinOp, ast.Compare, ast.Subscript, ast.UnaryOp)
"""Expressions that do nothing but give a value."""

GIVES = (*WORTHLESS, ast.BoolOp, ast.Dict, ast.IfExp, ast.List, ast.ListComp, ast.Name, ast.Tuple)
"""The same, and others that are a slip only at the end of a function."""

PURE = ("astype", "cast", "permute", "reshape", "squeeze", "swapaxes", "transpose", "unsqueeze")
"""Methods of tensors and arrays, and functions, that do nothing but give a value."""


def _short(text: str) -> str:
    return text if len(text) <= MOST_TEXT else "something"


MOST_TEXT = 70
"""Characters of an expression that is quoted in a sentence."""


def joined(source: str, tree: ast.Module) -> Iterator[Slip]:
    """Texts of one list that Python joins, as no comma is between them."""
    lines = source.split("\n")
    lists = (n for n in walked(tree) if isinstance(n, ast.List | ast.Tuple | ast.Set))
    for node in lists:
        for one in node.elts if len(node.elts) > 1 else ():
            if not isinstance(one, ast.Constant) or not isinstance(one.value, str):
                continue
            if one.lineno != one.end_lineno:
                continue
            text = lines[one.lineno - 1].encode()[one.col_offset : one.end_col_offset].decode()
            parts = re.fullmatch(r"(\"[^\"]*\"|'[^']*')\s*(\"[^\"]*\"|'[^']*')", text)
            if parts is not None and " " not in one.value:
                said = f"A comma is missing on line {one.lineno} between {parts[1]} and {parts[2]}"
                write = f"{parts[1]}, {parts[2]}"
                yield Slip(one.lineno, f"{said}: Python makes one text of the two.", write)


def emptied(tree: ast.Module) -> Iterator[Slip]:
    """Lists that every turn of a loop fills and empties again, and that are read after it."""
    for function in of_kind(tree, ast.FunctionDef):
        for loop in (one for one in walked(function) if isinstance(one, ast.For | ast.While)):
            end = loop.end_lineno or loop.lineno
            after = {one.id for one in reads(function) if one.lineno > end}
            inner = {ast.unparse(one.func) for one in of_kind(loop, ast.Call)}
            for one in loop.body:
                name = _empty(one)
                if name in after and f"{name}.append" in inner:
                    said = f"Line {one.lineno} empties {name} in every turn of the loop on line "
                    yield Slip(one.lineno, f"{said}{loop.lineno}: only the last turn's is left.")


def _empty(node: ast.stmt) -> str:
    """The variable that a statement makes an empty list; empty for none."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[])):
            return name
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
            return name if ast.unparse(call) == "list()" else ""
    return ""


def shared(tree: ast.Module) -> Iterator[Slip]:
    """Second names for an argument, through which it is changed."""
    for function in of_kind(tree, ast.FunctionDef):
        given = function.args
        names = {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
        calls = [one.func for one in of_kind(function, ast.Call)]
        changed = {
            ast.unparse(one.value): one.lineno
            for one in calls
            if isinstance(one, ast.Attribute) and one.attr in CHANGES
        }
        for node in of_kind(function, ast.Assign):
            match node:
                case ast.Assign(targets=[ast.Name(id=new)], value=ast.Name(id=old)):
                    if old in names and new in changed:
                        said = f"Line {node.lineno} copies nothing: {new} is another name for {old}"
                        said = f"{said}, and line {changed[new]} changes it."
                        yield Slip(node.lineno, said, f"{new} = list({old})")


NEW = (ast.Call, ast.BinOp, ast.Tuple, ast.List, ast.Dict)
"""Expressions that make a new object."""


OwnCall = tuple[ast.Call, Sequence[str], str, tuple[str, ...]]
"""A call, the names of what it is given, the function's name, and those of its parameters."""


@lru_cache(16)
def own_calls(tree: ast.Module) -> tuple[OwnCall, ...]:
    """The calls of the file's own functions and classes.

    ``partial(function, x)`` is a call that is given x. A call that is given ``self`` is left out,
    and of one with a star, what comes from there on: nobody knows its place.
    """
    known, found = dict(_parameters(tree)), list[OwnCall]()
    for node in of_kind(tree, ast.Call):
        stars = (at for at, one in enumerate(node.args) if isinstance(one, ast.Starred))
        placed = node.args[: next(stars, None)]
        name, given = callee(node), [called(one) for one in placed]
        if name == "partial" and given[:1]:
            name, *given = given
        if name in known and given[:1] != ["self"]:
            found.append((node, given, name, known[name]))
    return tuple(found)


def called(node: ast.expr) -> str:
    """What a variable or an attribute is called; empty for any other expression."""
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _parameters(tree: ast.Module) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What each function, class and named lambda takes by position, without ``self`` or ``cls``."""
    for node in walked(tree):
        if isinstance(node, ast.ClassDef):
            for one in node.body:
                if isinstance(one, ast.FunctionDef) and one.name == "__init__":
                    yield node.name, tuple(arg.arg for arg in one.args.args[1:])
        elif isinstance(node, ast.FunctionDef):
            names = tuple(arg.arg for arg in node.args.args)
            yield node.name, names[1:] if names[:1] in (("self",), ("cls",)) else names
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            names = tuple(arg.arg for arg in node.value.args.args)
            yield from ((name, names) for name in map(name_of, node.targets) if name)


def name_of(node: ast.expr) -> str:
    """The variable that an expression is; empty for any other."""
    return node.id if isinstance(node, ast.Name) else ""
