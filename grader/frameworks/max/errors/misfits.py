"""Something is used where a tensor or a number is needed: what it is, and what to do with it."""

from __future__ import annotations

import ast
import re

from grader.frameworks.max.errors.brought import FUNCTIONS as IN_NUMPY
from grader.frameworks.max.errors.case import Case, described
from grader.frameworks.max.errors.nothing import none_has
from grader.frameworks.max.errors.signature import Signature
from grader.frameworks.max.errors.vocabulary import known
from grader.frameworks.values import Translation
from grader.protocol.probe import SeenValue

OF_NUMPY = ("ufunc", "_ArrayFunctionDispatcher")
FUNCTIONS = ("function", "method", "builtin_function_or_method", *OF_NUMPY)
NEEDED = "where a tensor or a number is needed"
JOINS = ("concat", "stack")
"""Functions that take a list of tensors."""
NUMBER = re.compile(r"[-+]?(?:inf|nan|[\d.]+(?:e[-+]?\d+)?)")


def is_misfit(value: SeenValue) -> bool:
    """Whether ``value`` is of a kind that no operation takes."""
    plain = ("NoneType", "list", "tuple", "dict", "str", "type", *FUNCTIONS)
    return value.kind in plain or is_layer(value)


def is_layer(value: SeenValue) -> bool:
    """Whether ``value`` is an object that can be called, as a layer is."""
    named = value.kind[:1].isupper() and value.kind not in ("DType", "EnumType")
    return value.signature is not None and named


def misfit(case: Case, node: ast.expr, value: SeenValue) -> Translation:
    """``node`` is not what is needed; what to do depends on what it is."""
    text = ast.unparse(node)
    what = f"{text} {'gives' if isinstance(node, ast.Call) else 'is'} {described(value)}, {NEEDED}"
    if isinstance(node, ast.List | ast.Tuple) and len(node.elts) == 1:
        return Translation(what, "Leave the brackets out.", case.fix(node, node.elts[0]))
    if value.kind == "NoneType":
        return none_has(case, node, NEEDED)
    calls = case.error.calls
    given = isinstance(node, ast.Name) and len(calls) > 1  # by the line that called
    place = f"line: {calls[-2].line}" if given else ""
    if is_layer(value):
        what = f"{text} is {described(value)}, a layer that is not called, {NEEDED}"
        hint = "A layer gives a tensor when it is called with one: layer(x)."
        return Translation(what, hint, about=place, elsewhere=given)
    if value.kind in TELLERS:
        return TELLERS[value.kind](case, node, value, what)
    if value.signature:
        return Translation(what, f"Call it: {text}({', '.join(value.signature)}).")
    if value.kind == "Shape":
        return Translation(what, f"Take one of its sizes, such as {text}[-1], the last.")
    if value.kind.endswith(("iterator", "generator")):
        hint = f"next({text}) gives one of its values: write next where it is made."
        return Translation(what, hint)
    if given and value.kind[:1].isupper():  # an object of the learner's
        return Translation(what, "Hand over one of its values.", about=place, elsewhere=True)
    return Translation(what, "Use one of its values.")


def _class(case: Case, node: ast.expr, value: SeenValue, what: str) -> Translation:
    return Translation(what, f"Make an object of the class first: {ast.unparse(node)}(...).")


def _several(case: Case, node: ast.expr, value: SeenValue, what: str) -> Translation:
    if value.kind == "tuple" and not isinstance(node, ast.Tuple):
        hint = "Take it apart: one name for each value, or an index."
        return Translation(what, hint, case.fix(node, f"{ast.unparse(node)}[0]"))
    called = ast.unparse(case.call.func) if case.call is not None else ""
    inner = re.search(r"not '(tuple|list|NoneType|int|float)'$", case.text)
    if inner and called.endswith(JOINS) and isinstance(node, ast.Name):
        held = (
            "None" if inner[1] == "NoneType" else f"{'an' if inner[1] == 'int' else 'a'} {inner[1]}"
        )
        return Translation(
            f"{ast.unparse(node)} holds {held}, where {called} takes tensors",
            "Put one tensor into it each time. Of a tuple, take the one that is meant: [0].",
        )
    if re.search(r"not '(?:numpy\.)?generator'$", case.text):
        held = f"{ast.unparse(node)} holds generators, where {called or 'this'} takes numbers"
        return Translation(held, "Where it is filled, put a list into it: [x for ...] in brackets.")
    return Translation(
        what,
        "Take one of it with an index, or make a tensor where it is made: Tensor(...) of numbers, "
        "F.concat or F.stack of tensors.",
    )


def _number(case: Case, node: ast.expr, value: SeenValue, what: str) -> Translation:
    if isinstance(case.node, ast.BinOp) and isinstance(case.node.op, ast.BitXor):
        return Translation("^ is not a power in Python", "Write ** for a power, 1e-5 for 10 ** -5.")
    return Translation(what.replace(NEEDED, "where a tensor is needed"), "Is the order right?")


def _range(case: Case, node: ast.expr, value: SeenValue, what: str) -> Translation:
    hint = "F.range makes a tensor: F.range(start, stop, dtype=DType.int64, device=x.device)."
    return Translation(what, hint)


def _function(case: Case, node: ast.expr, value: SeenValue, what: str) -> Translation:
    text, signature = ast.unparse(node), Signature.of(value)
    what = f"{text} is a function that was not called"
    if signature is not None and not signature.required:
        return Translation(what, "Call it.", case.fix(node, f"{text}()"))
    return Translation(what, f"Call it: {text}({', '.join(value.signature or ('...',))}).")


def _lazy(case: Case, node: ast.expr, value: SeenValue, what: str) -> Translation:
    hint = "map calls its function on one row after the other, and only when it is gone through."
    return Translation(what, f"{hint} Call the function itself where it is made: f(x).")


def _array(case: Case, node: ast.expr, value: SeenValue, what: str) -> Translation:
    call, text = case.call, ast.unparse(node)
    if call is not None and (name := ast.unparse(call.func)).startswith("F."):
        new = ast.Call(ast.Name(f"np.{name[2:]}"), call.args, call.keywords)
        what = f"{name} is for MAX tensors, and {text} is {described(value)}"
        if name[2:] in IN_NUMPY:
            return Translation(what, "Of a NumPy array it is np's.", case.fix(call, new))
    if isinstance(node, ast.Name):
        return Translation(what, "Make a tensor of it where it is made: Tensor(...).")
    return Translation(what, "Make a tensor of it.", case.fix(node, f"Tensor({text})"))


def _text(case: Case, node: ast.expr, value: SeenValue, what: str) -> Translation:
    inner = value.text.strip("'\"")
    plain = inner if inner.lstrip("-").isdecimal() else f"float({ast.unparse(node)})"
    fix = case.fix(node, plain) if NUMBER.fullmatch(inner) else None
    return Translation(what, "Leave the quotes out.", fix)


def _by_name(case: Case, node: ast.expr, value: SeenValue, what: str) -> Translation:
    """An element type or a device that was given by its place."""
    name = "dtype" if value.kind == "DType" else "device"
    hint = f"Give it by name: {name}={ast.unparse(node)}."
    call = case.call
    signature = Signature.of(case.value(call.func)) if call is not None else None
    if call is None or signature is None or name not in signature.named:
        return Translation(what, hint)
    names = {"DType": "dtype", "CPU": "device"}
    words = [
        ast.keyword(names[case.kind(one)], one) for one in call.args if case.kind(one) in names
    ]
    args = [one for one in call.args if case.kind(one) not in names]
    new = ast.Call(call.func, args, [*call.keywords, *words])
    return Translation(what, hint, case.fix(call, new))


TELLERS = {
    **dict.fromkeys(FUNCTIONS, _function),
    **dict.fromkeys(("list", "tuple"), _several),
    **dict.fromkeys(("int", "float", "bool"), _number),
    **dict.fromkeys(("DType", "CPU"), _by_name),
    "type": _class,
    "map": _lazy,
    "range": _range,
    "ndarray": _array,
    "str": _text,
}
"""Who tells of a value, by its kind."""


def bound_first(case: Case, node: ast.Attribute, about: SeenValue) -> Translation | None:
    """``a == b.cast(x)`` of a number ``b``, where ``(a == b).cast(x)`` is meant."""
    call = next((one for one in case.calls() if one.func is node), None)
    if call is None or about.kind not in ("int", "float") or node.attr not in known()["Tensor"]:
        return None
    for outer in case.nodes():
        match outer:
            case ast.Compare(left=left, comparators=[last]) if last is call:
                whole: ast.expr = ast.Compare(left, outer.ops, [node.value])
            case ast.BinOp(left=left, op=op, right=last) if last is call:
                whole = ast.BinOp(left, op, node.value)
            case _:
                continue
        if case.is_tensor(left):
            made = ast.Call(ast.Attribute(whole, node.attr), call.args, call.keywords)
            owner = ast.unparse(node.value)
            what = f"{owner} is {described(about)}, which has no {node.attr}"
            hint = f"{node.attr} belongs to {owner} alone here: brackets change that."
            return Translation(what, hint, case.fix(outer, made))
    return None
