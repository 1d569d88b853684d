"""Cases for the operations on each element alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.engine_cases.case import (
    FLOATS,
    INTEGERS,
    NUMBERS,
    PLAIN,
    SIGNED,
    SPECIAL,
    UNSIGNED,
    Case,
    call,
    draw,
    pairs,
)

ARITHMETIC = {
    "AddOp": "add",
    "SubOp": "sub",
    "MulOp": "mul",
    "MaxOp": "elementwise_max",
    "MinOp": "elementwise_min",
    "ModOp": "mod",
}
COMPARISON = {
    "EqualOp": "equal",
    "NotEqualOp": "not_equal",
    "GreaterOp": "greater",
    "GreaterEqualOp": "greater_equal",
}
LOGICAL = {"AndOp": "logical_and", "OrOp": "logical_or", "XorOp": "logical_xor"}
UNARY = {
    "NegativeOp": "negate",
    "AbsOp": "abs",
    "CeilOp": "ceil",
    "FloorOp": "floor",
    "TruncOp": "trunc",
    "RoundOp": "round",
    "ExpOp": "exp",
    "LogOp": "log",
    "Log1pOp": "log1p",
    "SqrtOp": "sqrt",
    "RsqrtOp": "rsqrt",
    "TanhOp": "tanh",
    "AtanhOp": "atanh",
    "SinOp": "sin",
    "CosOp": "cos",
    "ErfOp": "erf",
    "SigmoidOp": "sigmoid",
    "SiluOp": "silu",
    "ReluOp": "relu",
    "IsNanOp": "is_nan",
    "IsInfOp": "is_inf",
}
GELU = {"GeluOp": "none", "GeluTanhOp": "tanh", "GeluQuickOp": "quick"}
CASTS = (
    ("float32", "float64"),
    ("float32", "int32"),
    ("float32", "int64"),
    ("float32", "int8"),
    ("float32", "uint8"),
    ("float32", "bool"),
    ("float64", "float32"),
    ("float64", "int64"),
    ("int64", "float32"),
    ("int64", "int32"),
    ("int64", "int8"),
    ("int64", "bool"),
    ("int32", "float32"),
    ("int32", "int64"),
    ("uint8", "float32"),
    ("bool", "float32"),
    ("bool", "int64"),
    ("bool", "int32"),
)


def _values(dtype: str) -> Any:
    if dtype.startswith("float"):
        return SPECIAL
    return UNSIGNED if dtype.startswith("uint") else INTEGERS


def _two(operation: str, function: str, dtype: str, group: str) -> Iterator[Case]:
    left, right = pairs(_values(dtype), dtype)
    stem = f"{function}.{dtype}"
    yield Case(f"{stem}.pairs", group, (operation,), call(function), (left, right))
    a, b = draw(stem, (2, 3, 5), dtype), draw(f"{stem}b", (2, 3, 5), dtype)
    if not dtype.startswith("float"):
        b = np.where(b == 0, np.asarray(2, dtype), b).astype(dtype)
    yield Case(f"{stem}.random", group, (operation,), call(function), (a, b))


def binary() -> Iterator[Case]:
    """Arithmetic and comparison of two tensors of equal shape and dtype."""
    for operation, function in ARITHMETIC.items():
        for dtype in (*NUMBERS, "uint8"):
            yield from _two(operation, function, dtype, "arithmetic")
    for operation, function in COMPARISON.items():
        for dtype in NUMBERS:
            yield from _two(operation, function, dtype, "comparison")
    for dtype in FLOATS:
        yield from _two("DivOp", "div", dtype, "arithmetic")
    for dtype in (*SIGNED, "uint8"):
        left, right = pairs(_values(dtype), dtype)
        yield Case(f"floor_div.{dtype}", "arithmetic", ("DivOp",), call("floor_div"), (left, right))
    for operation, function in LOGICAL.items():
        both = pairs(np.array([False, True]), "bool")
        yield Case(f"{function}.bool", "comparison", (operation,), call(function), both)


def power() -> Iterator[Case]:
    """Powers: floats of every sign, integers with exponents that are not negative."""
    for dtype in FLOATS:
        both = pairs(SPECIAL, dtype)
        yield Case(f"pow.{dtype}.special", "arithmetic", ("PowOp",), call("pow"), both)
        both = pairs(PLAIN, dtype)
        yield Case(f"pow.{dtype}.plain", "arithmetic", ("PowOp",), call("pow"), both)
    for dtype in ("int32", "int64"):
        base, exponent = np.meshgrid(np.array([-3, -1, 0, 1, 2, 7]), np.arange(5), indexing="ij")
        both = base.astype(dtype), exponent.astype(dtype)
        yield Case(f"pow.{dtype}", "arithmetic", ("PowOp",), call("pow"), both)


def unary() -> Iterator[Case]:
    """Functions of one tensor."""
    for dtype in FLOATS:
        spread = np.linspace(-12, 12, 97).astype(dtype)
        for operation, function in UNARY.items():
            for label, x in (("special", SPECIAL.astype(dtype)), ("spread", spread)):
                name = f"{function}.{dtype}.{label}"
                yield Case(name, "unary", (operation,), call(function), (x,))
        for operation, approximate in GELU.items():
            for label, x in (("special", SPECIAL.astype(dtype)), ("spread", spread)):
                name = f"gelu.{approximate}.{dtype}.{label}"
                compute = call("gelu", approximate=approximate)
                yield Case(name, "unary", (operation,), compute, (x,))
    for dtype in ("int8", "int64"):
        x = INTEGERS.astype(dtype)
        yield Case(f"negate.{dtype}", "unary", ("NegativeOp",), call("negate"), (x,))
        yield Case(f"abs.{dtype}", "unary", ("AbsOp",), call("abs"), (x,))
    coin = np.array([[True, False], [False, True]])
    yield Case("logical_not.bool", "unary", ("NotOp",), call("logical_not"), (coin,))


def _cast(target: str) -> Any:
    def compute(x: Any) -> Any:
        from max.dtype import DType

        return x.cast(getattr(DType, target))

    return compute


def cast_and_select() -> Iterator[Case]:
    """Conversions between dtypes, and the choice between two tensors."""
    for source, target in CASTS:
        if source.startswith("float"):
            # Outside the target's range MAX's kernel is undefined; bool and floats take all.
            bounded = PLAIN if target[0] in "iu" else SPECIAL
            bounded = np.abs(bounded) if target.startswith("u") else bounded
            x = bounded.astype(source)
        else:
            x = np.array([True, False]) if source == "bool" else _values(source).astype(source)
        yield Case(f"cast.{source}.{target}", "cast", ("CastOp",), _cast(target), (x,))
    for dtype in (*NUMBERS, "bool"):
        condition = draw(f"where{dtype}", (3, 4), "bool")
        x, y = draw(f"wx{dtype}", (3, 4), dtype), draw(f"wy{dtype}", (3, 4), dtype)
        yield Case(f"where.{dtype}", "cast", ("SelectOp",), call("where"), (condition, x, y))


def cases() -> Iterator[Case]:
    """Every case of this module."""
    yield from binary()
    yield from power()
    yield from unary()
    yield from cast_and_select()
