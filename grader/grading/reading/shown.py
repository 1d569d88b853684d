"""Slips that the source shows in any program: arguments swapped, a loop that is left at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from grader.grading.reading.bindings import around, callee, calling
from grader.grading.reading.ends import without_return
from grader.source.walked import of_kind, walked


@dataclass(frozen=True)
class Slip:
    """A line and what is odd about it, in a sentence. ``write`` may say what to write there."""

    line: int
    said: str
    write: str = ""


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
            yield Slip(node.lineno, f"{said} Is it to be assigned?")
        elif isinstance(node.value, ast.Call) and _own(tree, node.value) in _only_returning(tree):
            said = f"Line {node.lineno} calls {callee(node.value)}, and nothing uses what it"
            ends = _ends_used(tree, node)
            fix = "Is a return missing before it?" if ends else "Is it to be assigned?"
            yield Slip(node.lineno, f"{said} returns. {fix}", f"return {text}" if ends else "")
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
