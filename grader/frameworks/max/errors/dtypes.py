"""Numbers of different types: whole ones, true and false, and texts that name types."""

from __future__ import annotations

import ast
import re

from grader.frameworks.max.errors.axes import axis
from grader.frameworks.max.errors.bits import power
from grader.frameworks.max.errors.case import Case, described
from grader.frameworks.max.errors.fitting import INTEGERS, swapped
from grader.frameworks.max.errors.kinds import not_tensor
from grader.frameworks.values import Translation


def promoted(case: Case, match: re.Match[str]) -> Translation:
    """A Python number meets a tensor of another type."""
    of_bool = match["dtype"] == "bool"
    node = next(
        (one for one in case.operands() if (v := case.value(one)) and v.dtype == match["dtype"]),
        None,
    )
    text = ast.unparse(node) if node is not None else "A tensor"
    call = case.call
    if call is not None and ast.unparse(call.func).endswith("range"):
        if large := LARGE.search(case.text):
            return _too_small(case, match["dtype"], large[1])
        floats = next((one for one in case.operands() if _is_float(case, one)), None)
        fix = case.fix(floats, f"int({ast.unparse(floats)})") if floats is not None else None
        return Translation(
            "Whole numbers are counted, and one of these is not whole", "Use int.", fix
        )
    if of_bool:
        number = next((one for one in case.operands() if one is not node), None)
        return Translation(
            f"{text} holds True and False, and MAX does not count with them",
            "F.where(condition, number, tensor) chooses; or make numbers of it first."
            if number is not None
            else "Make numbers of it first.",
            case.fix(node, f"{_tight(node)}.cast(DType.float32)") if node is not None else None,
        )
    return Translation(
        f"{text} holds whole numbers, and MAX does not mix them with a fraction",
        "Make it a floating-point tensor first.",
        case.fix(node, f"{_tight(node)}.cast(DType.float32)") if node is not None else None,
    )


LARGE = re.compile(r"python int with value \((-?\d+)\)")
"""How MAX says that a whole number does not fit a type."""


def _too_small(case: Case, dtype: str, number: str) -> Translation:
    """A type of whole numbers, of which one is too large for it."""
    text = f"DType.{dtype}"
    node = next((one for one in case.nodes() if ast.unparse(one) == text), None)
    fix = case.fix(node, "DType.int64") if node is not None else None
    return Translation(f"{dtype} is too small a type for {number}", "Use a larger one.", fix)


def _is_float(case: Case, node: ast.expr) -> bool:
    return case.kind(node) == "float" or ast.unparse(node).startswith("float(")


def _tight(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if isinstance(node, ast.Name | ast.Attribute | ast.Call) else f"({text})"


def mixed(case: Case, match: re.Match[str]) -> Translation:
    """Whole numbers meet floating-point numbers."""
    for node in case.operands():
        value = case.value(node)
        text = ast.unparse(node)
        if value is not None and value.kind == "StaticDim":
            what = f"{text} is a Dim, a whole number, and meets a floating-point tensor"
            return Translation(what, "Make a number of it.", case.fix(node, f"int({text})"))
        if value is not None and value.dtype in (*INTEGERS, "bool"):
            kind = "True and False" if value.dtype == "bool" else "whole numbers"
            what = f"{text} holds {kind} and meets floating-point numbers; MAX does not convert"
            if case.error.inside and isinstance(case.node, ast.Call) and _is_layer(case):
                name = ast.unparse(case.node.func)
                what = f"{name} takes vectors of floating-point numbers, and {text} holds {kind}"
                return Translation(what, "Ids become vectors in an Embedding; it comes first.")
            new = f"{_tight(node)}.cast(DType.float32)"
            return Translation(what, "Convert it.", case.fix(node, new))
    for node in case.operands():
        if isinstance(node, ast.BinOp | ast.Subscript) and "shape" in ast.unparse(node):
            text = ast.unparse(node)
            what = f"{text} is a Dim, a whole number, and meets a floating-point tensor"
            return Translation(what, "Make a number of it.", case.fix(node, f"int({text})"))
    return Translation(
        "Whole numbers meet floating-point numbers, and MAX does not convert them",
        "A length of a shape is a whole number too: float(int(tensor.shape[-1])). A tensor of "
        "integers becomes one of floats with tensor.cast(DType.float32).",
    )


def _is_layer(case: Case) -> bool:
    call = case.node
    return isinstance(call, ast.Call) and not ast.unparse(call.func).startswith(("F.", "np."))


def indices(case: Case, match: re.Match[str]) -> Translation:
    """Rows are taken by numbers that are not whole."""
    call = case.call
    if call is not None and (fixed := swapped(case, call)):
        name = ast.unparse(call.func)
        what = f"The arguments of {name} are in another order"
        return Translation(what, "Swap them.", case.fix(call, fixed))
    first = case.value(call.args[0]) if call is not None and len(call.args) > 1 else None
    if call is not None and first is not None and first.dtype.startswith(("int", "uint")):
        turned = ast.Call(call.func, [call.args[1], call.args[0], *call.args[2:]], call.keywords)
        what = f"{ast.unparse(call.func)} takes the table first, and then the ids"
        return Translation(what, "Swap them.", case.fix(call, turned))
    what = "Rows of a table are taken by whole numbers, and these are floating-point numbers"
    hint = "F.range and Tensor count in float32 unless a dtype is given: dtype=DType.int64."
    for node in reversed(case.operands()):
        text = ast.unparse(node)
        if isinstance(node, ast.Call) and text.startswith(("F.range", "Tensor", "F.arange")):
            words = [w for w in node.keywords if w.arg != "dtype"]
            dtype = ast.keyword("dtype", ast.parse("DType.int64", mode="eval").body)
            new = ast.Call(node.func, node.args, [*words, dtype])
            return Translation(what, hint, case.fix(node, new))
        value = case.value(node)
        if value is not None and value.kind == "Tensor" and value.dtype.startswith("float"):
            if call is not None and len(value.shape or ()) > 2:
                table = f"{ast.unparse(call.func)}.weight.T"
                return Translation(
                    f"{what}: {text} is {described(value)}, vectors and no ids",
                    "To multiply vectors with the table, @ is needed.",
                    case.fix(call, f"{_tight(node)} @ {table}"),
                )
            layer = call is not None and ast.unparse(call.func).startswith("self.")
            if isinstance(node, ast.Name) and (layer or len(case.error.calls) > 1):
                where = f"Give {text} its type where it is made: dtype=DType.int64."
                return Translation(f"{what}: {text} is {described(value)} of float32", where)
            fix = case.fix(node, f"{_tight(node)}.cast(DType.int64)")
            return Translation(f"{what}: {text} is {described(value)} of float32", hint, fix)
    return Translation(what, hint)


def condition(case: Case, match: re.Match[str]) -> Translation:
    """F.where needs True and False first."""
    call = case.call
    what = "F.where needs a tensor of True and False first, and this one holds numbers"
    if call is not None and (fixed := swapped(case, call)):
        return Translation(what, "The order is F.where(condition, x, y).", case.fix(call, fixed))
    if call is not None and call.args:
        first = call.args[0]
        new = f"{_tight(first)} != 0"
        return Translation(what, "Compare it with a number.", case.fix(first, new))
    return Translation(what, "Compare something: F.where(mask == 0, x, y).")


def _is_plain(case: Case, node: ast.expr) -> bool:
    """Whether this is a number, or is worked out as masks are not: a base or an exponent."""
    worked = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div | ast.Sub)
    return worked or case.kind(node) in ("int", "float")


def logical(case: Case, match: re.Match[str]) -> Translation:
    """``|`` or ``&`` of tensors that hold numbers."""
    sign = {"Or": "|", "And": "&", "Xor": "^", "Not": "~"}.get(match["name"], "This")
    what = f"{sign} is for tensors of True and False, and these hold numbers"
    node = case.node
    if isinstance(node, ast.BinOp):
        pair = [ast.unparse(one) for one in (node.left, node.right)]
        if sign == "|":
            hint = "Masks of 0 and −inf are combined by adding them, or by the lower of the two."
            return Translation(what, hint, case.fix(node, f"F.min({pair[0]}, {pair[1]})"))
        if sign == "&":
            return Translation(
                what,
                "Compare first: (a != 0) & (b != 0).",
                case.fix(node, f"({pair[0]} != 0) & ({pair[1]} != 0)"),
            )
        if sign == "^" and (_is_plain(case, node.left) or _is_plain(case, node.right)):
            return power(case, what)
    return Translation(what, "Compare first: mask == 0 is a tensor of True and False.")


def values(case: Case, match: re.Match[str]) -> Translation:
    """A Tensor cannot be made of what was given."""
    call = case.call
    if call is not None and (wrong := axis(case, call)):
        return wrong
    first = call.args[0] if call and call.args else None
    elements = first.elts if isinstance(first, ast.List | ast.Tuple) else []
    given = [case.value(one) for one in elements]
    if first is not None and call is not None:
        text = ast.unparse(first)
        if any(v is not None and v.kind == "Tensor" for v in given):
            what = "Tensor(...) takes numbers, and a list of tensors was given"
            new = f"F.stack({text})"
            return Translation(what, "F.stack joins tensors along a new axis.", case.fix(call, new))
        value = case.value(first)
        if value is not None and value.kind == "StaticDim":
            what = f"{text} is a Dim, and Tensor takes numbers"
            return Translation(what, "Make a number of it.", case.fix(first, f"int({text})"))
        if value is not None and value.kind == "list" and isinstance(first, ast.Name):
            what = f"A Tensor cannot be made of the list {text}: it takes numbers"
            hint = "F.stack joins a list of tensors along a new axis, F.concat along one they have."
            return Translation(what, hint)
        if value is not None and value.kind in ("type", "function", "method"):
            return not_tensor(case, match) or Translation("Tensor takes numbers", None)
        if "int" in " ".join(ast.unparse(w.value) for w in call.keywords):
            what = f"{text} cannot be held in a whole-number dtype without a loss"
            return Translation(what, "Use a floating-point dtype, or whole numbers: int(...).")
    if (
        first is not None
        and isinstance(call, ast.Call)
        and not ast.unparse(call.func).startswith("Tensor")
    ):
        return Translation(
            f"{ast.unparse(call.func)} cannot use these values", "Axes are whole numbers."
        )
    return Translation(
        "A Tensor cannot be made of these values in this dtype",
        "It takes numbers, or lists of numbers of one kind: whole ones for an integer dtype.",
    )


def infinite(case: Case, match: re.Match[str]) -> Translation:
    """Whole numbers, one of them infinite: in an array of them, or of those F.where is given."""
    call = case.call
    match case.statement:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]) if call is None:
            what = f"{name} holds whole numbers only, and infinity is none"
            hint = f"Make {name} of floating-point numbers: give a dtype where it is made."
            return Translation(what, hint)
    what = "F.where needs a tensor to know the type of its numbers, and was given two plain ones"
    if call is not None and len(call.args) > 1:
        number = ast.unparse(call.args[1])
        new = f"Tensor({number}, dtype=DType.float32)"
        return Translation(what, "Make one of them a tensor.", case.fix(call.args[1], new))
    return Translation(what, "Make one of them a tensor: Tensor(number, dtype=DType.float32).")


def whole_operand(case: Case, match: re.Match[str]) -> Translation:
    """A function of fractions was given whole numbers."""
    name, call = match["name"], case.call
    what = f"F.{name} needs a floating-point tensor"
    for node in case.operands():
        value = case.value(node)
        if value is not None and value.kind in ("StaticDim", "int"):
            text = ast.unparse(node)
            what = f"F.{name} is for tensors, and {text} is {described(value)}"
            new = f"math.{name}(int({text}))" if name in ("sqrt", "exp", "log") else None
            return Translation(
                what, "Of a number it is math's.", case.fix(call, new) if call and new else None
            )
        if value is not None and value.kind == "Tensor":
            return Translation(
                what, "Convert it.", case.fix(node, f"{_tight(node)}.cast(DType.float32)")
            )
    return Translation(what, "tensor.cast(DType.float32) converts.")


def negated(case: Case, match: re.Match[str]) -> Translation:
    """Minus with True and False."""
    node = next(
        (one for one in case.operands() if (v := case.value(one)) and v.dtype == "bool"), None
    )
    text = ast.unparse(node) if node is not None else "This"
    return Translation(
        f"{text} holds True and False, and MAX does not count with them",
        "~mask is the opposite. Or make numbers of it first.",
        case.fix(node, f"{_tight(node)}.cast(DType.float32)") if node is not None else None,
    )


def too_large(case: Case, match: re.Match[str]) -> Translation:
    """A number that does not fit into the type of the tensor that is made of it."""
    dtype = match["dtype"]
    name = ast.unparse(case.call.func) if case.call is not None else "It"
    what = f"The number {match['value']} does not fit into {dtype}"
    hint = "Give the tensor a type of its own: dtype=..."
    if name.endswith("where") and case.call is not None and len(case.call.args) == 3:
        condition, number, _ = case.call.args
        kind = "dtype" if "dtype" in case.seen.values else "DType.float32"
        device = f", device={ast.unparse(condition)}.device" if case.is_tensor(condition) else ""
        made = f"Tensor({ast.unparse(number)}, dtype={kind}{device})"
        what = f"{name} is given two plain numbers, and takes their type from its condition"
        return Translation(what, "Make a tensor of one of them.", case.fix(number, made))
    if name.endswith("_like"):
        hint = f"{name} takes the type of its tensor. Tensor(number, dtype=...) has one of its own."
    return Translation(what, hint)
