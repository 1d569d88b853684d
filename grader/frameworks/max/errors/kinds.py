"""Values of the wrong kind: a tuple, a list, a function or None where a tensor is needed."""

from __future__ import annotations

import ast
import re

from grader.base.rewriting import Rewriter
from grader.frameworks.max.errors.calls import told
from grader.frameworks.max.errors.case import Case, described
from grader.frameworks.max.errors.elsewhere import element_type
from grader.frameworks.max.errors.fitting import swapped
from grader.frameworks.max.errors.foreign import of_numpy
from grader.frameworks.max.errors.misfits import FUNCTIONS, is_misfit, misfit
from grader.frameworks.max.errors.nothing import none_has
from grader.frameworks.max.errors.signature import Signature
from grader.frameworks.values import Fix, Translation
from grader.protocol.probe import SeenValue


def wrong_argument(case: Case, about: SeenValue | None, then: str) -> Translation | None:
    """What the learner's call was given does not fit, as something inside it found out."""
    call = case.call or next(case.calls(), None)
    if call is None:
        return None
    if fixed := swapped(case, call):
        name = ast.unparse(call.func)
        return Translation(
            f"The arguments of {name} are in another order: {told(case, call)}",
            "Swap them.",
            case.fix(call, fixed),
        )
    for node in case.operands():
        value = case.value(node)
        if about is not None and value is not None and value.kind == about.kind:
            if value.kind == "NoneType":
                return none_has(case, node, then)
            if fix := _part_of(case, call, node):
                whole = fix.new
                return Translation(
                    f"{ast.unparse(call.func)} takes the whole {told(case, call)}",
                    f"Not one of its values: {whole}.",
                    fix,
                )
            if is_misfit(value) and case.error.inside:
                return misfit(case, node, value)
            what = f"{ast.unparse(call.func)} is given {_is(node, value)}, {then}"
            return Translation(what, f"The arguments are {told(case, call)}.")
    return None


def _part_of(case: Case, call: ast.Call, node: ast.expr) -> Fix | None:
    """``config`` instead of ``config.n_embd``, where the argument is called so."""
    signature = Signature.of(case.value(call.func))
    if signature is None or not isinstance(node, ast.Attribute) or node not in call.args:
        return None
    at = call.args.index(node)
    name = signature.plain[at] if at < len(signature.plain) else ""
    return case.fix(node, node.value) if ast.unparse(node.value) == name else None


def _is(node: ast.expr, value: SeenValue) -> str:
    """``query, a Tensor of shape …``; a number or a text by itself."""
    if isinstance(node, ast.Constant | ast.UnaryOp):
        return described(value)
    return f"{ast.unparse(node)}, {described(value)}"


def not_tensor(case: Case, match: re.Match[str]) -> Translation | None:
    """Something that is not a tensor is used where one is needed."""
    call = case.call
    if call is not None:
        if told_numpy := of_numpy(case, call):
            return told_numpy
        if fixed := swapped(case, call):
            what = f"The arguments of {ast.unparse(call.func)} are in another order: "
            return Translation(what + told(case, call), "Swap them.", case.fix(call, fixed))
    kinds = [kind for kind in match.groupdict().values() if kind]
    words = [word.value for word in call.keywords] if call is not None else []
    texts = [node for node in words if case.kind(node) == "str"]  # approximate="tanh" is right
    nodes = [node for node in case.operands() if node not in (*texts, *case.spread())]
    seen = [(node, value) for node in nodes if (value := case.value(node)) is not None]
    for wanted in (
        lambda v: v.kind in kinds and is_misfit(v),
        is_misfit,
        lambda v: v.kind in kinds,
    ):
        for node, value in seen:
            if wanted(value):
                return misfit(case, node, value)
    inner = next((one for one in case.operands() if isinstance(one, ast.Call)), None)
    if kinds and inner is not None:
        return misfit(case, inner, SeenValue(kinds[0]))
    return None


def operands(case: Case, match: re.Match[str]) -> Translation | None:
    """An operation on several values of which two must be tensors, and neither is one."""
    values = {key: one.kind for key, one in case.seen.values.items()}
    given = [node for node in case.operands() if values.get(ast.unparse(node)) == "NoneType"]
    if given:
        return none_has(case, given[0], "where a tensor is needed")
    return not_tensor(case, match)


def operator(case: Case, match: re.Match[str]) -> Translation | None:
    """Two values that an operator cannot take together."""
    if match["left"] == match["right"] == "type" and isinstance(case.statement, ast.ClassDef):
        what = "No operator puts classes together"
        parts = re.split(r"\s*[&|+]\s*", case.segment(case.statement.bases[0]))
        fix = case.fix(case.statement.bases[0], ", ".join(parts))
        return Translation(what, "A class lists what it extends with commas.", fix)
    for node in case.operands():
        value = case.value(node)
        if value is not None and value.kind in ("type", *FUNCTIONS, "list", "tuple"):
            return misfit(case, node, value)
    if "StaticDim" in match.group():
        return dim(case, match)
    if (repeated := _repeated(case, match)) is not None:
        return repeated
    return not_tensor(case, match) or Translation(
        f"{_kind(match['left'])} and {_kind(match['right'])} do not go together here",
        "Look at what is on each side.",
    )


def _repeated(case: Case, match: re.Match[str]) -> Translation | None:
    """``Block(config) * 12``, to have so many of them."""
    node = case.node
    match node:
        case ast.BinOp(left=ast.Call(func=func) as made, op=ast.Mult(), right=count):
            made_by = case.value(func)
        case _:
            return None
    if match["right"] != "int" or made_by is None or made_by.kind != "type":
        return None
    text, many = ast.unparse(made), ast.unparse(count)
    what = f"{text} is one {match['left']}, and * makes no more of it"
    each = f"{text} for _ in range({many})"
    inside = any(one.args == [node] for one in case.calls())
    fix = case.fix(node, each if inside else f"[{each}]")
    return Translation(what, "A loop makes each of them anew.", fix)


def no_value(case: Case, match: re.Match[str]) -> Translation:
    """An operation of MAX that is given something else where it needs a tensor."""
    told = not_tensor(case, match)
    return told or Translation(f"{_kind(match['kind'])} is given where a tensor is needed", None)


def _kind(name: str) -> str:
    return described(SeenValue(name)).capitalize()


def _parameter(case: Case, node: ast.expr) -> str:
    """What a call takes an argument as, where the function tells."""
    call = case.call
    value = case.value(call.func) if call is not None else None
    named = isinstance(node, ast.Name)
    if call is None or value is None or not value.signature or node not in call.args or not named:
        return ""
    at = call.args.index(node)
    known = at < len(value.signature)
    return f": {value.signature[at]} of {ast.unparse(call.func)}" if known else ""


def dim(case: Case, match: re.Match[str]) -> Translation:
    """A length of a shape was used like a number."""
    empty = next((one for one in case.operands() if case.kind(one) == "NoneType"), None)
    if empty is not None:
        return none_has(case, empty, f"where a number is needed{_parameter(case, empty)}")
    node = next((one for one in case.operands() if case.kind(one) == "StaticDim"), None)
    call = case.call
    if node is None and call is not None and ast.unparse(call.func).startswith("np."):
        shape = next((one for one in case.operands() if case.kind(one) == "Shape"), None)
        if shape is not None:
            text = ast.unparse(shape)
            return Translation(
                f"{text} is a list of Dim, and NumPy needs numbers",
                "Make numbers of them.",
                case.fix(shape, f"[int(size) for size in {text}]"),
            )
    if node is None:
        node = next((one for one in case.nodes() if case.kind(one) == "StaticDim"), None)
    if node is None:
        return Translation(
            "A length of a shape is a Dim, and was used like a number",
            "Make a number of it: int(tensor.shape[-1]).",
        )
    text = ast.unparse(node)
    if (told := _beside_list(case, node)) is not None:
        return told
    if (told := _halved(case, text)) is not None:
        return told
    fix = case.fix(node, f"int({text})")
    if case.node and sum(ast.unparse(one) == text for one in ast.walk(case.node)) > 1:
        every = _Numbers(text).visit(case.node)
        fix = case.fix(case.node, ast.unparse(every))
    return Translation(f"{text} is a Dim, and was used like a number", "Make a number of it.", fix)


SIZED = ("reshape", "view", "broadcast_to", "split", "range", "arange", "zeros", "ones", "full")
"""Functions that take sizes."""


def _halved(case: Case, text: str) -> Translation | None:
    """A length of a shape that ``/`` divides by a whole number, where a size belongs."""
    match case.node:
        case ast.BinOp(left=left, op=ast.Div(), right=right) if ast.unparse(left) == text:
            if case.kind(right) not in ("int", "StaticDim") or not _sizes(case, case.node):
                return None
            what = f"{text} is a Dim, a size, which / does not divide"
            fix = case.fix(case.node, ast.BinOp(left, ast.FloorDiv(), right))
            return Translation(what, "// keeps a size whole.", fix)
    return None


def _sizes(case: Case, node: ast.expr) -> bool:
    """Whether an expression stands where a size belongs: in a shape, a slice, a call of int.

    A length of which a part is only given a name counts too.
    """
    listed = getattr(case.statement, "value", None) is node
    for outer in case.around(node):
        match outer:
            case ast.Slice():
                return True
            case ast.Call(func=func):
                name = ast.unparse(func).rpartition(".")[2]
                return name in SIZED or name == "int"
        listed |= isinstance(outer, ast.List | ast.Tuple)
    return listed


def _beside_list(case: Case, node: ast.expr) -> Translation | None:
    """One length of a shape, where a list is added to it: it must be in a list as well."""
    match case.node:
        case ast.BinOp(left=left, op=ast.Add(), right=right) if node in (left, right):
            other = right if node is left else left
        case _:
            return None
    if case.kind(other) not in ("list", "Shape"):
        return None
    text, to = ast.unparse(node), ast.unparse(other)
    what = f"{text} is one size, a Dim, and {to} is a list: they cannot be added"
    match node:
        case ast.Subscript(value=ast.Attribute(attr="shape") as shape, slice=ast.expr() as index):
            at, sizes = ast.unparse(index), ast.unparse(shape)
            part = f"{sizes}[:{at}]" if node is left else f"{sizes}[{at}:]"
            where = "before that one" if node is left else "from that one on"
            hint = f"{part}, with a colon, is a list: the sizes {where}."
            return Translation(what, f"{hint} A list of it alone is [{text}].")
    return Translation(what, f"A list of it is [{text}].")


class _Numbers(Rewriter):
    """Makes numbers of a Dim everywhere."""

    def __init__(self, text: str) -> None:
        self._text = text

    def visit(self, node: ast.AST) -> ast.AST:
        """The node, or ``int`` of the Dim that it is."""
        if isinstance(node, ast.expr) and ast.unparse(node) == self._text:
            return ast.Call(ast.Name("int"), [node], [])
        return super().generic_visit(node)


def size(case: Case, match: re.Match[str]) -> Translation | None:
    """Something that is no whole number where a size belongs."""
    kind = match["kind"].rpartition(".")[2]
    call = case.call
    if call is not None and (fixed := swapped(case, call)):
        what = f"The arguments of {ast.unparse(call.func)} are in another order: "
        return Translation(what + told(case, call), "Swap them.", case.fix(call, fixed))
    for node in case.operands():
        value = case.value(node)
        if (value and value.kind == kind) or (kind == "float" and _divides(node)):
            return _no_size(case, node, value or SeenValue(kind))
    given = match.groupdict().get("value") or ""
    if kind == "float":
        hint = "Where sizes are divided, // instead of / keeps them whole."
        held = [text for text, one in case.seen.values.items() if one.kind == "float"]
        name = held[0] if len(held) == 1 else ""
        what = f"A size is a whole number, and {name and f'{name}, '}{given} is not one"
        own = name.startswith("self.")
        return Translation(what, hint, about=name.removeprefix("self.") if own else "")
    return Translation(
        f"A size is a whole number, and here it is {described(SeenValue(kind))}",
        "Give a number, or a list of numbers.",
    )


def _no_size(case: Case, node: ast.expr, value: SeenValue) -> Translation:
    """``node`` where a size belongs."""
    text = ast.unparse(node)
    if value.kind == "NoneType":
        return none_has(case, node, "where a size is needed")
    if value.kind == "float":
        what = f"A size is a whole number, and {text} is not one"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            new = ast.BinOp(node.left, ast.FloorDiv(), node.right)
            return Translation(what, "Divide with // here.", case.fix(node, new))
        return Translation(what, "Make a whole number of it.", case.fix(node, f"int({text})"))
    if value.kind in ("list", "tuple") and _is_of_sizes(case, node):
        what = f"A size is a whole number, and one of those in {text} is a list"
        return Translation(what, "* takes a list of sizes apart: [*a.shape[:-1], b, c].")
    what = f"A size is a whole number, and {text} is {described(value)}"
    if isinstance(node, ast.List | ast.Tuple) and len(node.elts) == 1:
        return Translation(what, "Leave the brackets out.", case.fix(node, node.elts[0]))
    inner = node.elts if isinstance(node, ast.List | ast.Tuple) else []
    several = ("list", "Shape", "tuple")
    nested = [one for one in inner if case.kind(one) in several or _is_slice_of_sizes(one)]
    if nested:
        flat = [ast.Starred(one) if one in nested else one for one in inner]
        what = f"{ast.unparse(nested[0])} is a list of sizes inside another list"
        return Translation(what, "* takes it apart.", case.fix(node, ast.List(flat)))
    if value.kind == "DType":
        return Translation(what, "Give the type by name: dtype=...")
    fields = [one for one in value.fields if not one.startswith("_")]
    if fields:
        every = ", ".join(f"{text}.{one}" for one in fields[:6])
        return Translation(what, f"Take the number out of it: {every} …")
    if value.kind in ("function", "method"):
        given = ", ".join(value.signature or ())
        return Translation(what, f"Call it: {value.text or text}({given}).")
    return Translation(what, "Give a number, or int(tensor.shape[...]).")


def _is_of_sizes(case: Case, node: ast.expr) -> bool:
    """Whether a variable is all the sizes that a call is given, besides a tensor."""
    args = case.call.args if case.call is not None else []
    named = isinstance(node, ast.Name | ast.Attribute)
    return named and args[-1:] == [node] and all(map(case.is_tensor, args[:-1]))


def _is_slice_of_sizes(node: ast.expr) -> bool:
    """Whether this is ``x.shape[:2]``, a list of some sizes."""
    sliced = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
    return sliced and ast.unparse(node).partition("[")[0].endswith(".shape")


def _divides(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)


def element(case: Case, match: re.Match[str]) -> Translation:
    """An element type that is not MAX's."""
    for node in case.operands():
        text = ast.unparse(node)
        if case.kind(node) in ("str", "type") and not isinstance(node, ast.Call | ast.List):
            if text.startswith("DType") or text == "Tensor":
                continue
            fix = case.fix(node, element_type(node))
            what = f"{text} is not an element type of MAX"
            return Translation(what, "A type is one of DType.", fix)
        if case.is_tensor(node) and case.call is not None:
            what = f"An element type is needed, and {text} is a Tensor"
            return Translation(what, "Give its type.", case.fix(node, f"{text}.dtype"))
    for node in case.operands():
        if isinstance(node, ast.List | ast.Tuple) and len(node.elts) == 1:
            what = f"{ast.unparse(node)} is not an element type"
            return Translation(what, "Leave the brackets out.", case.fix(node, node.elts[0]))
        if case.kind(node) == "NoneType":
            return none_has(case, node, "where an element type is needed")
    return Translation(
        "This is not an element type of MAX",
        "Use DType.float32 from max.dtype, or the dtype of another tensor: query.dtype.",
    )
