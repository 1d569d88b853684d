"""Which values can be which arguments, and arguments that are swapped."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from grader.frameworks.max.errors.case import Case, described
from grader.frameworks.max.errors.signature import Signature
from grader.protocol.probe import SeenValue

TENSORS = {
    "x", "value", "input", "lhs", "rhs", "cond", "query", "key", "hidden_states", "tensor",
    "gamma", "beta", "input_ids", "token_positions", "indices", "attention_mask", "mask",
}  # fmt: skip
NUMBERS = {
    "axis",
    "dim1",
    "dim2",
    "axis_1",
    "axis_2",
    "chunks",
    "eps",
    "epsilon",
    "theta",
    "start",
    "stop",
    "step",
}
WHOLE = {
    "in_dim", "out_dim", "vocab_size", "dim", "d_k", "d_model", "num_heads", "hidden_size",
    "intermediate_size", "max_seq_len", "sequence_length", "num_tokens", "pad_token_id",
}  # fmt: skip
LISTED = {"shape", "dims"}
TYPES = {"dtype": ("DType",), "device": ("CPU", "Accelerator", "Device", "DeviceRef")}
INTEGERS = ("int64", "int32", "uint64", "uint32", "int8", "int16", "uint8")


def fits(name: str, value: SeenValue | None) -> bool | None:
    """Whether ``value`` can be the argument called ``name``; None where that is not known."""
    if value is None or value.kind == "NoneType":
        return None
    if name in TENSORS and value.kind in ("list", "tuple"):
        return None
    if name in TENSORS:
        if name in ("indices", "token_positions", "input_ids") and value.kind == "Tensor":
            return value.dtype in INTEGERS
        if name == "cond" and value.kind == "Tensor":
            return value.dtype == "bool"
        return value.kind == "Tensor" or (name in ("mask", "attention_mask", "value") and None)
    if name in NUMBERS or name in WHOLE:
        return value.kind in ("int", "StaticDim") or (name in NUMBERS and value.kind == "float")
    if name in LISTED:
        return value.kind in ("list", "tuple", "Shape")
    if name in TYPES:
        return value.kind in TYPES[name]
    if name == "config":
        return value.kind not in ("int", "float", "str", "Tensor", "NoneType", "bool", "list")
    return None


def swapped(case: Case, call: ast.Call) -> ast.Call | None:
    """The call with its arguments in another order, where they fit then and do not now."""
    signature = Signature.of(case.value(call.func))
    if signature is None:
        return None
    names = signature.plain[: len(call.args)]
    kinds = {case.kind(arg) for arg in call.args}
    if "NoneType" in kinds or (kinds & {"list", "tuple"} and not LISTED & set(names)):
        return None
    now = [fits(name, case.value(arg)) for name, arg in zip(names, call.args, strict=False)]
    if False not in now:
        return None
    # Neighbours first: the fewer arguments move, the more likely that was meant.
    for left, right in sorted(combinations(range(len(names)), 2), key=lambda two: two[1] - two[0]):
        for args in _orders(call.args, left, right):
            then = [fits(n, case.value(a)) for n, a in zip(names, args, strict=False)]
            moved = True in (then[left], then[right]) and False in (now[left], now[right])
            if moved and False not in then:
                return ast.Call(call.func, args, call.keywords)
    return None


def _orders(args: list[ast.expr], left: int, right: int) -> Iterator[list[ast.expr]]:
    """The last of these arguments put before the first, then the two swapped.

    What stands between two arguments keeps its order more often than not.
    """
    yield [*args[:left], args[right], *args[left:right], *args[right + 1 :]]
    yield [*args[:left], args[right], *args[left + 1 : right], args[left], *args[right + 1 :]]


def unfit(case: Case, call: ast.Call) -> str | None:
    """Which argument cannot be what was given, as a sentence; None where all can."""
    signature = Signature.of(case.value(call.func))
    given = zip(signature.plain, call.args, strict=False) if signature else ()
    for name, node in given:
        value = case.value(node)
        refused = value is not None and value.kind in ("list", "tuple") and name in TENSORS
        if value is not None and (refused or fits(name, value) is False):
            text = ast.unparse(node)
            what = described(value) if text == value.text else f"{text}, {described(value)}"
            return f"{ast.unparse(call.func)} is given {what}, as {name}"
    return None
