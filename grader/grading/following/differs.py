"""How an operation differs from the reference's: in what is written, and in what it gives."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence

from grader.grading.following.kinds import factor, spelled
from grader.grading.following.run import Run, operation
from grader.grading.following.trace import Comparison
from grader.source.walked import of_kind

VERBS = {
    "Add": "adds",
    "Sub": "subtracts",
    "Mult": "multiplies",
    "Div": "divides",
    "MatMult": "makes a matrix product",
    "Pow": "raises to a power",
}

HOLDS = (
    *("Tensor", "array", "asarray", "constant", "from_dlpack"),
    *("astype", "cast", "float32", "float64"),
)
"""Calls that keep numbers as they are."""

ORDERS = ("argsort", "sort", "sorted", "argpartition", "partition", "top_k")
"""Calls of which a program may need one where the reference has another way."""

MOST_TEXT = 70
"""Characters of an expression that is quoted in a sentence."""

LARGEST = 100_000
"""Numbers of a value up to which sums and products are tried."""


def kinds(mine: ast.AST, right: ast.AST) -> str:
    """The two operations in words, where they are of different kinds; else empty."""
    if isinstance(mine, ast.Call) and isinstance(right, ast.Call):
        have, want = _options(mine), _options(right)
        axes = [{n: o for n, o in one.items() if n == "axis"} for one in (have, want)]
        if all(axes) and (told := " ".join(_compared(axes[0], axes[1]))):
            return told
    if operation(mine) in HOLDS or operation(mine) in ORDERS:
        return ""  # it only keeps, or puts in order, what something else works out
    words = [_does(node) for node in (mine, right)]
    if not all(words) or words[0] == words[1] or _makes(mine) != _makes(right):
        return ""
    powers = (spelled(mine), spelled(right)) == ("Pow", "exp")
    if spelled(mine) in VERBS and spelled(right) not in VERBS and not powers:
        return ""  # it works out by itself what the reference calls
    return f"It {words[0]}; the reference {words[1]}."


def kinds_in(comparison: Comparison, node: int, twin: int) -> str:
    """The two operations in words; nothing of a call by a name that only the learner's file has.

    Nor of two that give arrays of different shapes, or of one that takes none: that is another way.
    Nor where one multiplies and the other divides by another number: by one over it, that is right.
    Nor where the reference's own call of this name gives that: then it is called there, too.
    """
    mine, one = comparison.mine, comparison.mine.nodes[node]
    own = _own(mine.tree)
    if isinstance(one, ast.Call) and (operation(one) in own or not mine.latest(node)):
        return ""
    given = (run.values(at)[-1:] for run, at in ((mine, node), (comparison.right, twin)))
    have, want = (
        run.arrays[values[0]] if values else None
        for run, values in zip((mine, comparison.right), given, strict=True)
    )
    if have is not None and want is not None and have.shape != want.shape:
        return ""
    if isinstance(one, ast.Call) and _gives_too(comparison.right, operation(one), twin):
        return ""
    if {spelled(one), spelled(comparison.right.nodes[twin])} == {"Mult", "Div"}:
        factors = factor(mine, node), factor(comparison.right, twin)
        if None not in factors and factors[0] != factors[1]:
            return ""
    return kinds(one, comparison.right.nodes[twin])


def _gives_too(right: Run, name: str, twin: int) -> bool:
    """Whether a call of this name gave what ``twin`` did, which is inside of what it calls."""
    gave = {*right.values(twin)}
    every = (one for one in right.nodes if isinstance(one, ast.Call) and operation(one) == name)
    numbers = (right.numbers[one] for one in every)
    return any(gave.intersection(right.values(one)) for one in numbers if one != twin)


def _own(tree: ast.Module) -> frozenset[str]:
    """The functions of a file, and the variables and arguments of these."""
    found: set[str] = set()
    for node in of_kind(tree, ast.FunctionDef, ast.Name, ast.arg):
        match node:
            case ast.FunctionDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
                found.add(name)
            case ast.arg(arg=name):
                found.add(name)
    return frozenset(found)


def _makes(node: ast.AST) -> bool:
    """Whether a call makes an object of a class, by the name of what is called."""
    return isinstance(node, ast.Call) and operation(node)[:1].isupper()


def _does(node: ast.AST) -> str:
    kind = spelled(node)
    return VERBS.get(kind, f"calls {kind}" if isinstance(node, ast.Call) else "")


def written(
    mine: ast.AST,
    right: ast.AST,
    rank: int | None = None,
    number: Callable[[ast.expr], float | None] = lambda _: None,
) -> str:
    """Which written numbers and options of two operations of one kind differ; empty for none.

    ``rank`` is how many axes there are: of four, the last is 3 as well as -1. ``number`` gives the
    one number that an argument of the reference had, where that is known.
    """
    if not isinstance(mine, ast.Call) or not isinstance(right, ast.Call):
        pairs = _pairs(mine, right) or []
        told = [f"It has {a} where the reference has {b}." for a, b in pairs]
        return told[0] if len(told) == 1 else ""
    have, want = _options(mine), _options(right)
    if rank and {operation(mine), operation(right)} == {"transpose"}:
        return _swapped(have, want, rank)
    if sum(map(str.isdecimal, have)) != sum(map(str.isdecimal, want)):
        placed = {_literal(one) for name, one in (*have.items(), *want.items()) if name.isdecimal()}
        have, want = (
            {n: one for n, one in _by_name(some).items() if _literal(one) not in placed}
            for some in (have, want)
        )
    if rank and _axis(have, rank) is not None and _axis(have, rank) == _axis(want, rank):
        have, want = ({n: one for n, one in some.items() if n != "axis"} for some in (have, want))
    return " ".join(_compared(have, want, number))


def _swapped(have: Mapping[str, ast.expr], want: Mapping[str, ast.expr], rank: int) -> str:
    """Which two axes each of two calls swaps, where these are others; they go by place."""
    told = [[one for one in map(_literal, some.values()) if one] for some in (have, want)]
    try:
        axes = [sorted(int(one) % rank for one in some[-2:]) for some in told]
    except ValueError:
        return ""
    if axes[0] == axes[1] or len(axes[0]) != 2:
        return ""
    mine, right = (" and ".join(sorted(some[-2:], key=int)) for some in told)
    return f"It swaps the axes {mine}, where the reference swaps {right}."


def _by_name(options: Mapping[str, ast.expr]) -> dict[str, ast.expr]:
    return {name: one for name, one in options.items() if not name.isdecimal()}


def _axis(options: Mapping[str, ast.expr], rank: int) -> int | None:
    """The axis that a call is given by name, counted from the front."""
    told = _literal(options["axis"]) if "axis" in options else None
    try:
        return None if told is None else int(told) % rank
    except ValueError:
        return None


def _compared(
    have: Mapping[str, ast.expr],
    want: Mapping[str, ast.expr],
    number: Callable[[ast.expr], float | None] = lambda _: None,
) -> Iterator[str]:
    for name, node in want.items():
        told, other = _literal(node), have.get(name)
        if other is None:
            if told not in (None, "None") and not name.isdecimal():  # None is what is left out
                yield f"The reference says {name}={told} here."
            continue
        mine, prefix = ast.unparse(other), "" if name.isdecimal() else f"{name}="
        if told is not None and _literal(other) is not None and mine != told:
            yield f"It has {prefix}{mine} where the reference has {prefix}{told}."
        elif mine == "None" and told is None:
            yield f"It has {prefix}None where the reference has a value."
        elif _plain(other) and _plain(node) and _numbers(other) != _numbers(node):
            held = number(node)
            right = "" if held is None else f": that is {held:g} here"
            yield f"Its {prefix or 'argument '}{mine} is not the reference's{right}."
    for name, node in have.items():
        if name not in want and not name.isdecimal() and (told := _literal(node)) is not None:
            last = ": it takes the last one" if name == "axis" else ""
            yield f"It says {name}={told}; the reference has no {name}{last}."


def _options(call: ast.Call) -> dict[str, ast.expr]:
    """What a call is given besides tensors: by name, or by place counted from the end."""
    plain = [one for one in call.args if not isinstance(one, ast.Name | ast.Attribute | ast.Call)]
    places = {str(number): one for number, one in enumerate(reversed(plain))}
    return {**places, **{word.arg: word.value for word in call.keywords if word.arg}}


def _literal(node: ast.expr) -> str | None:
    """The text of a number, a text, None, or a list of them; None for anything computed."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return None
    return ast.unparse(node)


def _plain(node: ast.AST) -> bool:
    """Whether an argument is made of numbers and names only: an index in it says nothing of it."""
    return not any(isinstance(one, ast.Subscript | ast.Attribute) for one in ast.walk(node))


def _numbers(node: ast.AST) -> list[str]:
    """The numbers that are written in an expression."""
    return [
        repr(one.value)
        for one in ast.walk(node)
        if isinstance(one, ast.Constant) and isinstance(one.value, int | float)
    ]


def _pairs(mine: ast.AST, right: ast.AST) -> list[tuple[str, str]] | None:
    """The constants in which two expressions of one form differ; None if the forms differ."""
    if isinstance(mine, ast.Name | ast.Attribute) and isinstance(right, ast.Name | ast.Attribute):
        return []
    if isinstance(mine, ast.Constant) and isinstance(right, ast.Constant):
        return [(ast.unparse(mine), ast.unparse(right))] if mine.value != right.value else []
    inner = list(ast.iter_child_nodes(mine)), list(ast.iter_child_nodes(right))
    if type(mine) is not type(right) or len(inner[0]) != len(inner[1]):
        return None
    found = [_pairs(one, other) for one, other in zip(*inner, strict=True)]
    if any(one is None for one in found):
        return None
    return [pair for one in found for pair in one or ()]


def longer(mine: Sequence[int], right: Sequence[int]) -> str:
    """How much longer or shorter a shape is than another along one axis, if that is all."""
    other = [at for at, pair in enumerate(zip(mine, right, strict=False)) if pair[0] != pair[1]]
    if len(mine) != len(right) or len(other) != 1:
        return ""
    by = mine[other[0]] - right[other[0]]
    many, word = ("one", "") if abs(by) == 1 else (str(abs(by)), "s")
    what = {1: f"column{word}", 2: f"row{word}"}.get(len(mine) - other[0], "")
    what = what if len(mine) > 1 else f"number{word}"
    along = "" if what else f" along axis {other[0]}"
    return f" It has {many} {what or 'number' + word} {'more' if by > 0 else 'less'}{along}."
