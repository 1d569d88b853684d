"""What Python raises about an index or a key: of what has none, or one that is not there."""

from __future__ import annotations

import ast
import re

from grader.frameworks.max.errors.case import Case, described
from grader.frameworks.max.errors.nothing import none_has
from grader.frameworks.max.errors.vocabulary import meant
from grader.frameworks.values import Fix, Translation
from grader.protocol.probe import SeenValue


def not_indexed(case: Case, match: re.Match[str]) -> Translation:
    """Something that has no entries was indexed."""
    node = case.node
    kind = match["kind"]
    if not isinstance(node, ast.Subscript):
        return Translation(f"{described(SeenValue(kind))} has no entries".capitalize(), None)
    owner, key = node.value, node.slice
    text, value = ast.unparse(owner), case.value(owner) or SeenValue(kind)
    if kind == "NoneType":
        return none_has(case, owner, "so it has no entries")
    what = f"{text} is {described(value)}, which has no entries"
    if kind == "dict_itemiterator":
        return Translation(what, "Make a dict of it.", case.fix(owner, f"dict({text})"))
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        new = ast.Attribute(owner, key.value)
        return Translation(what, "Its values are attributes.", case.fix(node, new))
    layer = bool(value.signature) and case.is_tensor(key)
    if layer or kind in ("function", "method", "builtin_function_or_method", "type"):
        args = key.elts if isinstance(key, ast.Tuple) else [key]
        if any(isinstance(one, ast.Slice) for one in args):  # of what the call gives
            return Translation(what, "A call has round brackets. They come before the square ones.")
        called = ast.Call(owner, args, [])
        return Translation(what, "A call has round brackets.", case.fix(node, called))
    return Translation(what, "Is the index on the right name?")


def index(case: Case, match: re.Match[str]) -> Translation:
    """An index past the end of a list."""
    node = case.node
    if not isinstance(node, ast.Subscript):
        return Translation("An index is past the end of a list", "Count from 0; -1 is the last.")
    owner, value = ast.unparse(node.value), case.value(node.value)
    long = f" and has {value.text} entries" if value and value.text else ""
    if value is not None and value.shape is not None:
        long = f" and has shape {list(value.shape)}"
    if value is not None and value.kind in ("list", "tuple") and not value.text:
        long = ""
    given = ast.unparse(node.slice)
    seen = case.value(node.slice)
    number = seen.text if seen is not None else _worked_out(case, node.slice)
    at = f"{given} = {number}" if number not in ("", given) else given
    kind = described(value) if value else "a list"
    bounds = re.search(r"index (-\d+) is out of bounds for axis \d+ with size (\d+)", case.text)
    if bounds is not None and given.startswith("-"):
        what = f"{owner} has {bounds[2]} entries, and {given} is {bounds[1]}"
        hint = f"Count no further than there are entries: min({given[1:]}, their number)."
        return Translation(what, hint)
    if (flat := _too_flat(node, value, at)) is not None:
        return flat
    if value is not None and value.kind in ("list", "tuple"):
        hint = _too_many(case, node, value.text) or _indexes(value.text)
        return Translation(f"{owner} is {kind}, and has no entry {at}", hint)
    past = re.search(r"is out of bounds for axis (\d+) with size (\d+)", case.text)
    several = past is not None and isinstance(node.slice, ast.Tuple)
    along = f" along axis {past[1]}" if past is not None and several else ""
    hint = _indexes(past[2] if past is not None else "", along)
    return Translation(f"{owner} has no entry {at}{long and f': it is {kind}'}", hint)


def _worked_out(case: Case, node: ast.expr) -> str:
    """The whole number that an expression is, of names whose values were seen; empty if unknown."""
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as op, right=right):
            one, other = (_worked_out(case, part) for part in (left, right))
            if not one or not other:
                return ""
            if isinstance(op, ast.Mult):
                return str(int(one) * int(other))
            return str(int(one) + (1 if isinstance(op, ast.Add) else -1) * int(other))
    value = case.value(node)
    whole = value is not None and value.kind == "int" and value.text.lstrip("-").isdecimal()
    return value.text if value is not None and whole else ""


def _too_many(case: Case, node: ast.Subscript, size: str) -> str:
    """That the last of so many was asked for, and there are fewer: ``ranking[top_k - 1]``."""
    match node.slice:
        case ast.BinOp(left=ast.Name() as many, op=ast.Sub(), right=ast.Constant(value=1)):
            pass
        case ast.UnaryOp(op=ast.USub(), operand=ast.Name() as many):
            pass
        case _:
            return ""
    number, owner = _worked_out(case, many), ast.unparse(node.value)
    if not number or not size.isdecimal() or not 0 < int(size) < int(number):
        return ""
    entries = "there is only 1 entry" if size == "1" else f"there are only {size} entries"
    least = f"min({many.id}, len({owner})) is never more than there are."
    return f"{many.id} is {number}, and {entries}: {least}"


def _too_flat(node: ast.Subscript, value: SeenValue | None, at: str) -> Translation | None:
    """A shape that lacks the axis which it is asked for: the tensor was made with too few."""
    owner = node.value
    shape = isinstance(owner, ast.Attribute) and owner.attr == "shape"
    if not shape or not isinstance(owner, ast.Attribute) or not isinstance(owner.value, ast.Name):
        return None
    sizes = None if value is None else re.findall(r"\d+", value.text)
    if not sizes or len(sizes) > 2:
        return None
    name, axes = owner.value.id, "one axis" if len(sizes) == 1 else "two axes"
    return Translation(
        f"{name} has only {axes}, {value.text if value else ''}, and no axis {at}",
        "Look where it is made: [x] has one axis more than x, so Tensor([tokens]) is a batch of "
        f"one text. Is a pair of brackets missing around what {name} is made of?",
    )


def _indexes(size: str, along: str = "") -> str:
    """Which indexes there are; ``size`` is how many entries, and empty where that is unknown."""
    if not size.isdecimal():
        return "Count from 0; -1 is the last."
    if size == "0":
        return "It is empty here."
    if size == "1":
        return "There is one entry: index 0."
    ends = f"indexes 0 to {int(size) - 1}, or from the end -1 to -{size}"
    return f"There are {size} entries{along}: {ends}."


def assigned(case: Case, match: re.Match[str]) -> Translation | None:
    """An entry is put into a list at a place that the list has not."""
    match case.statement:
        case ast.Assign(targets=[ast.Subscript(value=owner, slice=at)], value=value):
            pass
        case _:
            return None
    text, size = ast.unparse(owner), case.value(owner)
    entries = "no entries" if size is not None and size.text == "0" else "fewer entries"
    what = f"{text} has {entries}, and none at {ast.unparse(at)} to put a value in place of"
    fix = Fix(case.segment(case.statement), f"{text}.append({ast.unparse(value)})")
    return Translation(what, "append adds one at the end.", fix)


def key(case: Case, match: re.Match[str]) -> Translation:
    """A key that a dict has not."""
    node = case.node
    owner = ast.unparse(node.value) if isinstance(node, ast.Subscript) else "The dict"
    near = meant(case.text.strip("'\""), case.error.about.names) if case.error.about else None
    hint = f"Did you mean {near!r}?" if near else f"Look at what it has: print(list({owner}))."
    kept = isinstance(case.statement, ast.Assign) and case.statement.value is node
    if near is None and kept and isinstance(node, ast.Subscript):
        hint = f"{hint} {owner}.get({ast.unparse(node.slice)}) gives None where it has none."
    what, fix = f"{owner} has no entry {case.text.splitlines()[0]!r}", None
    if near is None and (either := _in_either(case, node)) is not None:
        names, both = either
        hint = f"{ast.unparse(names)} has the names of both, also those that only one of them has."
        fix = case.fix(names, both)
    return Translation(what, hint, fix)


def _in_either(case: Case, node: ast.expr | None) -> tuple[ast.expr, str] | None:
    """The names of two groups together, among which a comprehension takes a key; those in both."""
    key = ast.unparse(node.slice) if isinstance(node, ast.Subscript) else ""
    loops = [n for n in ast.walk(case.statement or ast.Pass()) if isinstance(n, ast.comprehension)]
    for loop in (one for one in loops if ast.unparse(one.target) == key):
        for one in ast.walk(loop.iter):
            match one:
                case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                    return one, f"{ast.unparse(left)} & {ast.unparse(right)}"
                case ast.Call(func=ast.Attribute(value=left, attr="union"), args=[right]):
                    return one, f"{ast.unparse(left)}.intersection({ast.unparse(right)})"
    return None


def not_found(case: Case, match: re.Match[str]) -> Translation:
    """What was asked for is not in the file: see ``MissingName`` of the worker."""
    if match.groupdict().get("owner"):
        return Translation(
            f"{match['owner']} has no method {match['name']}",
            "The lesson names it; define it inside the class, spelled so.",
        )
    return Translation(
        f"{match['name']} is not defined in your file",
        "The lesson names it; define it at the top level of the file.",
        about=f"{match['name']}()",
    )
