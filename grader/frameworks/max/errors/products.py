"""Matrix products of shapes that have none."""

from __future__ import annotations

import ast
import re

from grader.frameworks.max.errors.case import Case, sizes
from grader.frameworks.max.errors.earlier import attention
from grader.frameworks.max.errors.shapes import Shape, named, operands, read, tight
from grader.frameworks.values import Fix, Translation
from grader.protocol.probe import SeenValue


def product(case: Case, match: re.Match[str]) -> Translation:
    """A matrix product of two shapes that have no product."""
    left, right = read(match["left"]), read(match["right"])
    pair = operands(case)
    if isinstance(case.node, ast.Call) and not ast.unparse(case.node.func).endswith("matmul"):
        return _layer(case, left, right)
    names = (named(case, pair[0], left), named(case, pair[1], right)) if pair else ()
    first, second = names or (sizes(left), sizes(right))
    what = (
        f"{first} @ {second} has no product: the last axis of the left one ({match['inner']}) "
        f"must be as long as the second to last of the right one ({match['outer']})"
    )
    if len(left) != len(right) and min(len(left), len(right)) > 2:
        hint = f"One has {len(left)} dimensions, the other {len(right)}."
        return Translation(what, f"{hint} Is a step left out for one of them, such as the heads?")
    if pair and (fix := _untransposed(case, pair, left, right)):
        return Translation(what, "A transpose is about other axes, or too much.", fix)
    if pair and isinstance(case.node, ast.BinOp) and _weight_first(pair, left, right):
        other = ast.BinOp(pair[1], ast.MatMult(), pair[0])
        return Translation(what, "The vectors belong on the left.", case.fix(case.node, other))
    if pair and len(right) > 1 and right[-1] == left[-1]:
        new = f"{tight(pair[1])}.transpose(-1, -2)"
        return Translation(what, "Transpose the right one.", case.fix(pair[1], new))
    joined = pair and len(left) > 1 and len(right) > 1 and right[-1] == left[-2]
    if pair and joined and case.node is not None:
        if two := _either(case, pair):
            return Translation(what, f"Two have one: {two}. The left one gives the rows.")
        product = f"{tight(pair[1])} @ {tight(pair[0])}"
        return Translation(what, "In the other order they have one.", case.fix(case.node, product))
    cut = pair is not None and isinstance(pair[0], ast.Subscript)
    if names and not cut and len(left) > 1 and left[-1] == right[-2:][0] + 1:
        told = f"{tight(pair[0])}[..., :-1]" if pair else "[..., :-1]"
        hint = "The left one has one column more. If its last column is to be dropped: "
        return Translation(what, hint + told)
    return Translation(what, "Write down both shapes, axis by axis. Which of the two is another?")


def _untransposed(
    case: Case, pair: tuple[ast.expr, ast.expr], left: Shape, right: Shape
) -> Fix | None:
    """A transpose taken away, or about the last two axes, where that makes a product."""
    for node, side, needed in ((pair[1], -2, left[-1]), (pair[0], -1, right[-2:][0])):
        base = _transposed(case, node)
        shape = (case.value(base) or SeenValue("")).shape
        if base is None or shape is None or len(shape) < 2:
            continue
        if shape[side] == needed:
            return case.fix(node, base)
        if shape[-3 - side] == needed:
            return case.fix(node, f"{tight(base)}.transpose(-1, -2)")
    return None


def _either(case: Case, pair: tuple[ast.expr, ast.expr]) -> str:
    """Both products of two matrices, where the wrong one of them is transposed."""
    left, right = (_transposed(case, node) for node in pair)
    if (left is None) == (right is None):
        return ""
    first, second = tight(left or pair[0]), tight(right or pair[1])
    products = (
        f"{one} @ {two}.transpose(-1, -2)" for one, two in ((first, second), (second, first))
    )
    return " and ".join(products)


def _transposed(case: Case, node: ast.expr) -> ast.expr | None:
    """What is transposed by the call ``node``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    if node.func.attr not in ("transpose", "permute", "swapaxes"):
        return None
    home = node.func.value
    return node.args[0] if ast.unparse(home) == "F" and node.args else home


def _layer(case: Case, left: Shape, right: Shape) -> Translation:
    """A layer was called with a tensor of another width."""
    call = case.call
    name = ast.unparse(call.func) if call else "A layer"
    given = ast.unparse(call.args[0]) if call and call.args else "its input"
    if call is not None and (told := attention(case, call)):
        return told
    what = f"{name} takes vectors of width {right[-2]}, and {given} has shape {sizes(left)}"
    if len(left) > 3:
        return Translation(what, "Are the heads merged again before it?")
    node = call.args[0] if call and call.args else None
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "F.concat":
        axis = _axis(node)
        if axis not in ("-1", str(len(left) - 1)):
            new = ast.Call(
                node.func, node.args[:1], [ast.keyword("axis", ast.parse("-1", mode="eval").body)]
            )
            hint = "Without axis= parts are joined along axis 0."
            if axis is not None:
                hint = f"axis={axis} does not join the parts along the last axis."
            return Translation(what, hint, case.fix(node, new))
        if parts := _parts(case, node, left[-1], right[-2]):
            return Translation(what, parts)
    if left and left[-1] == right[-1] and left[-1] != right[-2]:
        hint = f"Linear({right[-1]}, {right[-2]}) would fit: were in_dim and out_dim swapped?"
        by_name = call is not None and isinstance(call.func, ast.Name)  # by a helper, or a loop
        order = ", or is it called too early" if by_name else ""
        return Translation(what, f"Is a layer left out before this one{order}? Or: {hint}")
    return Translation(
        what, f"The last axis must be {right[-2]} long: check it, or the layer's sizes."
    )


def _axis(call: ast.Call) -> str | None:
    """The axis that a call of ``F.concat`` is given, as it is written."""
    given = [*call.args[1:2], *(one.value for one in call.keywords if one.arg == "axis")]
    return ast.unparse(given[0]) if given else None


def _parts(case: Case, call: ast.Call, width: int, wanted: int) -> str:
    """How many tensors a list would have to hold, if those that it holds are too few."""
    parts = case.value(call.args[0]) if call.args else None
    count = int(parts.text) if parts is not None and parts.text.isdecimal() else 0
    if count < 2 or not width or width % count or wanted % (width // count):
        return ""
    each, listed = width // count, ast.unparse(call.args[0])
    if each * count >= wanted:
        return ""
    more = f"If each is {each} wide, {wanted} would be {wanted // each} of them"
    return f"{listed} holds {count} tensors. {more}: which is missing?"


def _weight_first(pair: tuple[ast.expr, ast.expr], left: Shape, right: Shape) -> bool:
    """Whether a weight is on the left of vectors, which have a product the other way round."""
    text = ast.unparse(pair[0])
    fits = len(left) == 2 and len(right) > 1 and right[-1] == left[0]
    return (
        fits and ("weight" in text or text.endswith(".T")) and "weight" not in ast.unparse(pair[1])
    )
