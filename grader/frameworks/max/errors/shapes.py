"""Shapes that do not fit together."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from itertools import pairwise

from grader.frameworks.max.errors.case import Case, sizes
from grader.frameworks.values import Translation

Shape = list[int]


def read(text: str) -> Shape:
    """The sizes in ``[Dim(2), Dim(3)]`` or ``[2, 3]``."""
    return [int(number) for number in re.findall(r"-?\d+", text)]


def operands(case: Case) -> tuple[ast.expr, ast.expr] | None:
    """The two operands of the expression that raised."""
    match case.node:
        case ast.BinOp(left=left, right=right):
            return left, right
        case ast.Compare(left=left, comparators=[right]):
            return left, right
        case ast.Call(args=[left, right]):
            return left, right
    return None


def backwards(case: Case, match: re.Match[str]) -> Translation:
    """A slice whose end lies before its start."""
    start, stop = match["start"], match["stop"]
    node = next((n for n in case.nodes() if isinstance(n, ast.Slice)), None)
    every = ast.walk(case.statement) if case.statement is not None else ()
    node = next((n for n in every if isinstance(n, ast.Slice) and n.lower and n.upper), node)
    text = f"The slice {ast.unparse(node)}" if node is not None else "A slice"
    hint = "Its end is where it stops, not how long it is"
    if node is not None and node.lower is not None and node.upper is not None:
        hint += f": {ast.unparse(node.lower)} + its length"
    return Translation(
        f"{text} goes from {start} to {stop}, and so ends before it begins", f"{hint}."
    )


def without_axes(case: Case, match: re.Match[str]) -> Translation:
    """A tensor of too few axes was given to something that needs two."""
    call = case.call
    node = next(iter(case.operands()), None)
    text = ast.unparse(node) if node is not None else "the tensor"
    name = ast.unparse(call.func) if call is not None else "This"
    what = f"{name} needs a matrix, and {text} has shape {match['shape']} here"
    return Translation(
        what,
        f"Does {text} = ... above keep the result of F.broadcast_to? Without it {text} stays as it "
        "was.",
    )


def named(case: Case, node: ast.expr, shape: Shape) -> str:
    """A value as it is written, with its shape; a long expression only by its shape."""
    text = ast.unparse(node)
    return f"{text} {sizes(shape)}" if len(text) < 40 else sizes(shape)


def tight(node: ast.expr) -> str:
    """An expression as it is written before a dot: in brackets where it needs them."""
    text = ast.unparse(node)
    return f"({text})" if isinstance(node, ast.BinOp | ast.UnaryOp) else text


def together(case: Case, match: re.Match[str]) -> Translation:
    """Shapes that do not fit element by element."""
    left, right = read(match["left"]), read(match["right"])
    pair = operands(case)
    made = case.call is not None and ast.unparse(case.call.func).startswith("self.")
    if case.error.inside and case.call is not None and made:
        name = ast.unparse(case.call.func)
        what = f"Inside {name}, shapes {sizes(left)} and {sizes(right)} meet and do not fit"
        shape = tensor_of(case, case.call) or ()
        wide = f" The last axis of its argument is {shape[-1]} long." if shape else ""
        hint = f"Check the sizes that {name} is made with.{wide}"
        return Translation(what, hint, about=name.removeprefix("self."))
    if case.error.inside and pair is None:
        name = ast.unparse(case.call.func) if case.call else case.error.inside
        what = f"Inside {name}, shapes {sizes(left)} and {sizes(right)} meet and do not fit"
        return Translation(what, "Check the shapes of its arguments with the lesson.")
    if case.call is not None and ast.unparse(case.call.func).endswith("complex_mul"):
        return _of_pairs(case, left, right)
    names = (named(case, pair[0], left), named(case, pair[1], right)) if pair else ()
    first, second = names or (sizes(left), sizes(right))
    what = f"{first} and {second} do not fit together, element by element"
    if pair and (changes := list(_stretched(case, pair, left, right))):
        some = changes if case.kind(pair[0]) == "ndarray" else changes[:1]
        hint = f"{' or '.join(some)} would fit, if that is what is meant."
        return Translation(what, f"From the right, sizes must be equal or 1. {hint}")
    if names and (told := _differing(case, names, left, right)):
        return Translation(what, told)
    return Translation(
        what,
        "From the right, each pair of sizes must be equal, or one of them 1. Is a transpose, a "
        "reshape or an unsqueeze missing?",
    )


def _of_pairs(case: Case, left: Shape, right: Shape) -> Translation:
    """Pairs of numbers that do not fit; MAX tells their shapes without the axis of the pairs."""
    nodes = operands(case)
    every = [
        named(case, node, [*shape, 2]) if node is not None else sizes([*shape, 2])
        for node, shape in zip(nodes or (None, None), (left, right), strict=True)
    ]
    return Translation(
        f"{every[0]} and {every[1]} do not fit together, pair by pair",
        "From the right, each pair of sizes must be equal, or one of them 1.",
    )


def paired(case: Case, match: re.Match[str]) -> Translation:
    """``F.complex_mul`` of tensors whose last axis is not that of pairs."""
    shapes = [read(match["left"]), read(match["right"])]
    name = ast.unparse(case.call.func) if case.call is not None else "F.complex_mul"
    nodes = operands(case) or (None, None)
    both = list(zip(nodes, shapes, strict=True))
    odd = [one for one in both if one[1][-1:] != [2]]
    given = [named(case, n, s) if n is not None else sizes(s) for n, s in odd or both]
    what = f"{name} takes pairs: the last axis of both must be 2 long, and here there is"
    first = next((shape for _, shape in odd if 2 in shape), None)
    where = "" if first is None else f" Axis {first.index(2)} of it is 2 long."
    hint = "F.stack([real, imaginary], axis=-1) makes such pairs."
    only = where if len(odd) == 1 else ""
    return Translation(f"{what} {' and '.join(given)}", f"{hint}{only}")


def halved(case: Case, match: re.Match[str]) -> Translation | None:
    """``F.as_interleaved_complex`` of a tensor whose last axis has an odd length."""
    call = case.call
    if call is None or not ast.unparse(call.func).endswith("as_interleaved_complex"):
        return None
    node = next(iter(case.operands()), None)
    value = case.value(node)
    shape = None if value is None else value.shape
    what = f"{ast.unparse(call.func)} makes pairs of the last axis, which needs an even length"
    if node is not None and shape:
        what = f"{what}: here it is given {named(case, node, [*shape])}"
    return Translation(what, "Is another axis last than the one of the features?")


def chosen(case: Case, match: re.Match[str]) -> Translation:
    """Shapes of a condition and of what it chooses between that do not fit."""
    left, right = read(match["left"]), read(match["right"])
    given = case.call.args if case.call is not None else []
    places = [WHERE.index(match[one]) for one in ("one", "other")]
    known = len(given) == len(WHERE)
    names = [
        named(case, given[at], shape) if known else sizes(shape)
        for at, shape in zip(places, (left, right), strict=True)
    ]
    what = f"{names[0]} and {names[1]} do not fit together, element by element"
    return Translation(what, "From the right, each pair of sizes must be equal, or one of them 1.")


WHERE = ("condition", "x", "y")
"""What MAX calls the arguments of F.where, in their order."""


def _differing(case: Case, names: tuple[str, str], left: Shape, right: Shape) -> str | None:
    """What the smaller of two shapes must be; which of two alike differs in its width."""
    if len(left) != len(right) and min(len(left), len(right)) > 1:
        small, large = sorted((left, right), key=len)
        name = names[(left, right).index(small)].partition(" [")[0]
        last = zip(reversed(small), reversed(large), strict=False)
        odd = {mine for mine, other in last if mine not in (other, 1)}
        numbers = [
            f"{text} is {value.text}"
            for text, value in case.seen.values.items()
            if value.kind in ("int", "StaticDim") and value.text in map(str, odd)
        ]
        told = f", and {numbers[0]}" if numbers else ""
        told += _instead(case, numbers, large[-1]) if numbers and len({*large[-2:]}) == 1 else ""
        other = names[(left, right).index(large)].partition(" [")[0]
        fits = sizes(large[-len(small) :])
        return f"{name} must be {fits} here, or {other} must end in {sizes(small)}{told}."
    if len(left) == len(right) == 1:
        one, two = (name.partition(" [")[0] for name in names)
        axis = "[:, None]" if "operands could not be" in case.text else ".unsqueeze(-1)"
        return (
            f"{one} has {left[0]} numbers and {two} has {right[0]}. To combine each of the first "
            f"with each of the second, one needs an axis more: {_dotted(one)}{axis}."
        )
    if len(left) == len(right) and left[:-1] == right[:-1]:
        one, two = (name.partition(" [")[0] for name in names)
        return (
            f"They differ in width: {one} is {left[-1]} wide, and {two} is {right[-1]} wide. "
            "Does another tensor belong here, or none?"
        )
    return None


def _instead(case: Case, numbers: list[str], want: int) -> str:
    """The other axis of a shape that is as long as needed, where one of it is too short."""
    found = re.match(r"(.+)\.shape\[-?\d+\] is ", numbers[0])
    value = case.seen.values.get(found[1]) if found else None
    shape = (value.shape if value else None) or ()
    at = [i - len(shape) for i, n in enumerate(shape) if n == want]
    return f"; {found[1]}.shape[{at[0]}] is {want}" if found and len(at) == 1 else ""


def _dotted(text: str) -> str:
    """The text of an expression so that a dot may follow it."""
    try:
        return tight(ast.parse(text, mode="eval").body)
    except SyntaxError:
        return text


def _stretched(
    case: Case, pair: tuple[ast.expr, ast.expr], left: Shape, right: Shape
) -> Iterator[str]:
    """Each operand turned, or with an axis inserted, if one such change makes the shapes fit."""
    for node, mine, other in ((pair[1], right, left), (pair[0], left, right)):
        text, array = tight(node), case.kind(node) == "ndarray"
        turned = [*mine[:-2], *reversed(mine[-2:])]
        if turned != mine and _fits(turned, other):
            yield f"np.swapaxes({text}, -1, -2)" if array else f"{text}.transpose(-1, -2)"
            continue
        for axis in range(-1, -len(mine) - 2, -1):
            wider = list(mine)
            wider.insert(len(mine) + 1 + axis, 1)
            if len(mine) < len(other) and _fits(wider, other):
                yield f"np.expand_dims({text}, {axis})" if array else f"{text}.unsqueeze({axis})"
                break


def _fits(left: Shape, right: Shape) -> bool:
    pairs = zip(reversed(left), reversed(right), strict=False)
    return all(a == b or 1 in (a, b) for a, b in pairs)


def reshaped(case: Case, match: re.Match[str]) -> Translation:
    """A reshape to another number of elements."""
    old, new = read(match["old"]), read(match["new"])
    call = case.call
    node = call.func.value if call and isinstance(call.func, ast.Attribute) else None
    owner = ast.unparse(node) if node is not None else "tensor"
    who = f"{owner} of shape" if len(owner) < 40 and owner != "F" else "A tensor of shape"
    what = (
        f"{who} {sizes(old)} cannot be reshaped to {sizes(new)}: that would be "
        f"{math.prod(new)} numbers instead of {math.prod(old)}"
    )
    given = call.args if call is not None else ()
    taken = bool(given) and all(getattr(one, "attr", "") == "shape" for one in given)
    for a, b in () if taken else pairwise(old):
        if a + b in new and a * b not in new:
            hint = f"{a + b} is {a} + {b}. To join two axes, multiply: {a} * {b} is {a * b}."
            return Translation(what, hint)
    return Translation(what, "The product of the sizes must stay the same. Which size is another?")


def tensor_of(case: Case, call: ast.Call | None) -> tuple[int, ...] | None:
    """The shape of the tensor that a call is about: its first argument, or its owner."""
    if call is None:
        return None
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    for node in (*call.args[:1], owner):
        value = case.value(node)
        if value is not None and value.kind == "Tensor":
            return value.shape
    return None


def widened(case: Case, match: re.Match[str]) -> Translation:
    """A broadcast to a shape that the tensor does not fit."""
    shapes = re.search(
        r"input = .*?shape=(\[[^\]]*\]).*?new_shape = (\[[^\]]*\])", case.text, re.DOTALL
    )
    if shapes is None:
        return Translation("A tensor cannot be broadcast to this shape", None)
    old, new = sizes(read(shapes[1])), sizes(read(shapes[2]))
    if "ranks" in match.group():
        what = f"A tensor of shape {old} cannot be broadcast to {new}, which has fewer axes"
        return Translation(what, "Broadcasting adds axes in front; it never takes any away.")
    return Translation(
        f"A tensor of shape {old} cannot be broadcast to {new}",
        "From the right, each size must be 1 or the size that it shall get.",
    )


def sliced(case: Case, match: re.Match[str]) -> Translation:
    """An index or a slice past the end of an axis; or a tensor that was gone through."""
    index, have = int(match["index"]), int(match["have"])
    if not isinstance(case.node, ast.Subscript) and match["end"] == "stop" and index == have + 1:
        return _iterated(case)
    inner = case.node.slice if isinstance(case.node, ast.Subscript) else None
    axis = "the axis"
    if isinstance(case.node, ast.Subscript):
        axis = f"this axis of {ast.unparse(case.node.value)}"
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if inner is None or (
        any(isinstance(part, ast.Slice) and (part.lower or part.upper) for part in parts)
        and (match["end"] == "stop" and str(index - 1) not in map(_text, parts))
    ):
        return Translation(
            f"A slice ends at {index}, and {axis} ends at {have}",
            "Python would give fewer elements here; MAX does not. Is a size in the slice fixed?",
        )
    if not have:
        what = f"{axis[:1].upper()}{axis[1:]} is empty: there is nothing to take"
        return Translation(
            what, "Look at what cuts it: a slice that ends where it begins has none."
        )
    at = index - 1 if match["end"] == "stop" else index
    if told := _turns(case, inner, have):
        return Translation(f"There is no index {at}: {axis} is {have} long", told)
    return Translation(
        f"There is no index {at}: {axis} is {have} long",
        f"Indices go from 0 to {have - 1}, and -1 is the last.",
    )


def _turns(case: Case, index: ast.expr, have: int) -> str:
    """How often the loop of a list takes an index, if that is more often than an axis is long."""
    for node in ast.walk(case.statement) if case.statement is not None else ():
        match node:
            case ast.comprehension(
                target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=[last])
            ) if _text(index) == name:
                value = case.value(last)
                if value is not None and value.text.isdecimal() and int(value.text) > have:
                    turns = f"range({ast.unparse(last)}) makes {value.text} turns here"
                    return f"{turns}, with {name} as the index: the axis allows {have}."
    return ""


def _text(node: ast.expr | None) -> str:
    return ast.unparse(node) if node is not None else ""


def one_for_several(func: ast.expr, names: int) -> str:
    """What is said of a function that gives one tensor where there are several names."""
    return f"{ast.unparse(func)} gives one tensor, and {names} names are to share it"


def _iterated(case: Case) -> Translation:
    """A Tensor was unpacked, looped over, or given where a list of tensors is needed."""
    call = case.call
    node = next((one for one in case.operands() if case.is_tensor(one)), None)
    if call is not None and node is not None and ast.unparse(call.func) in ("sum", "max", "min"):
        name = ast.unparse(call.func)
        return Translation(
            f"Python's {name} goes through a tensor piece by piece, which MAX does not allow",
            f"Use F.{name}.",
            case.fix(call, f"F.{name}({ast.unparse(node)}, axis=-1)"),
        )
    if call is not None and node is not None:
        what = f"{ast.unparse(call.func)} needs a list of tensors, and {ast.unparse(node)} is one"
        others = [one for one in call.args if case.is_tensor(one)]
        rest = [one for one in call.args if one not in others]
        new = ast.Call(call.func, [ast.List(others), *rest], call.keywords)
        return Translation(what, "Put the tensors into one list.", case.fix(call, new))
    match case.statement:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Call(func=func)):
            what = one_for_several(func, len(names))
            cuts = "F.split cuts a tensor into a list of parts."
            written = case.kind(func) in ("function", "method", "")
            if written and not ast.unparse(func).startswith("F."):
                return Translation(what, f"Is it to return {len(names)} values?")
            right = "Is it the right function? " if ast.unparse(func).startswith("F.") else ""
            return Translation(what, f"{right}{cuts}")
        case ast.Assign(
            targets=[ast.Tuple(elts=names)], value=ast.Name() | ast.Attribute() as whole
        ) if (shape := _shape(case, whole)) is not None:
            return _shared(case, names, whole, shape)
    if call is not None and isinstance(call.func, ast.Attribute) and call.func.attr == "extend":
        what = f"{ast.unparse(call.func)} goes through what it is given, and that is one tensor"
        new = ast.Call(ast.Attribute(call.func.value, "append"), call.args, call.keywords)
        return Translation(what, "append puts one thing into a list.", case.fix(call, new))
    return Translation(
        "A tensor cannot be taken apart or gone through like a list",
        "F.split cuts it into a list of tensors; an index takes one row: tensor[0].",
    )


def _shape(case: Case, node: ast.expr) -> tuple[int, ...] | None:
    value = case.value(node)
    return value.shape if value is not None and case.is_tensor(node) else None


def _shared(
    case: Case, names: list[ast.expr], whole: ast.expr, shape: tuple[int, ...]
) -> Translation:
    """One tensor that several names are to share: its rows, if it has as many, or parts of it."""
    text, many = ast.unparse(whole), len(names)
    what = f"{text} is one tensor, which cannot be taken apart into {many} names like a list"
    if shape[:1] == (many,) and len(shape) > 3:  # the first of three axes may be the batch
        rows = ", ".join(f"{text}[{at}]" for at in range(many))
        return Translation(what, "An index takes one row.", case.fix(whole, rows))
    if shape and not shape[-1] % many:
        cut = f"F.chunk({text}, {many}, axis=-1)"
        return Translation(what, f"{cut} cuts its last axis into {many} equal parts.")
    return Translation(what, "F.split cuts it into a list of tensors; an index takes one row.")


def axis(case: Case, match: re.Match[str]) -> Translation:
    """An axis that the tensor does not have."""
    found = match.groupdict()
    rank = found.get("rank")
    node = next(
        (n for n in case.nodes() if isinstance(n, ast.Call) and tensor_of(case, n) is not None),
        None,
    )
    shape = tensor_of(case, case.call) or tensor_of(case, node)
    if rank is None:
        rank = str(len(shape)) if shape is not None else None
    has = f"the tensor has {_axes(int(rank))} here" if rank else "the tensor has fewer axes here"
    if shape is not None and rank == str(len(shape)):
        has = f"the tensor has shape {sizes(shape)}"
    return Translation(
        f"Axis {_written(case, int(found['axis']), rank)} does not exist: {has}",
        "Count axes from the end: -1 is the last, -2 the one before it.",
    )


def _axes(rank: int) -> str:
    return {0: "no axes", 1: "1 axis"}.get(rank, f"{rank} axes")


def _written(case: Case, axis: int, rank: str | None) -> int:
    """The axis as the call has it: counted from the end, an error may add the number of axes."""
    call = case.call
    given = () if call is None else (*call.args, *(word.value for word in call.keywords))
    plain = [value.text for one in given if (value := case.value(one)) and value.kind == "int"]
    known = axis - int(rank or 0)
    return known if known < 0 and str(known) in plain and str(axis) not in plain else axis


def permuted(case: Case, match: re.Match[str]) -> Translation:
    """A permutation of more or fewer axes than there are."""
    return Translation(
        f"permute was given {match['given']} axes, and the tensor has {match['rank']} here",
        "tensor.transpose(-1, -2) swaps two axes of a tensor with any number of them.",
    )
