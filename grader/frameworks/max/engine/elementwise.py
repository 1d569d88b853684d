"""Operations that work on each element alone: arithmetic, comparison, logic, choice, cast.

If one operand is NaN, MAX's maximum and minimum return the other, as ``fmax`` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from grader.frameworks.max.engine import special
from grader.frameworks.max.engine.operation import Array, Handler, Operation


def _divide(left: Array, right: Array) -> Array:
    """Divide; integers truncate toward zero (MAX builds ``//`` on top of this)."""
    if left.dtype.kind == "f":
        return np.divide(left, right)
    quotient: Array = np.floor_divide(left, right)
    if left.dtype.kind == "i":
        inexact = quotient * right != left
        quotient = quotient + (inexact & ((left < 0) != (right < 0))).astype(left.dtype)
    return quotient


def _modulo(left: Array, right: Array) -> Array:
    """Return the remainder of a division rounded down, which has the divisor's sign.

    For floats MAX computes ``left - trunc(left / right) * right`` with one rounding. So if the
    quotient rounds up to a whole number, the result is about 0, where the exact remainder is
    nearly ``right``: 1 % 0.0001. An infinite divisor gives NaN.
    """
    if left.dtype.kind != "f":
        return np.mod(left, right)
    exact = np.fmod(left, right)
    rough = left - np.trunc(left / right) * right
    rounded_up = exact - np.copysign(right, left)
    nearer = np.where(np.abs(rough - exact) <= np.abs(rough - rounded_up), exact, rounded_up)
    opposite = ((left < 0) != (right < 0)) & (nearer != 0)
    return np.where(np.isnan(rough), rough, np.where(opposite, nearer + right, nearer))


def _not_equal(left: Array, right: Array) -> Array:
    """Return ``left != right``, but False for NaN, because MAX's comparison is ordered."""
    if left.dtype.kind == "f":
        unequal: Array = (left < right) | (left > right)
        return unequal
    return np.not_equal(left, right)


def _cast(operation: Operation, arrays: Sequence[Array]) -> Array:
    """Convert: floats to integers truncate toward zero, anything to bool is ``!= 0``."""
    x, target = arrays[0], operation.dtype
    if target == np.bool_:
        return _not_equal(x, x.dtype.type(0))
    return x.astype(target)


FUNCTIONS: Mapping[str, Callable[..., Array]] = MappingProxyType(
    {
        "AddOp": np.add,
        "SubOp": np.subtract,
        "MulOp": np.multiply,
        "DivOp": _divide,
        "ModOp": _modulo,
        "PowOp": np.power,
        "MaxOp": np.fmax,
        "MinOp": np.fmin,
        "AndOp": np.logical_and,
        "OrOp": np.logical_or,
        "XorOp": np.logical_xor,
        "EqualOp": np.equal,
        "NotEqualOp": _not_equal,
        "GreaterOp": np.greater,
        "GreaterEqualOp": np.greater_equal,
        "NotOp": np.logical_not,
        "NegativeOp": np.negative,
        "AbsOp": np.absolute,
        "CeilOp": np.ceil,
        "FloorOp": np.floor,
        "TruncOp": np.trunc,
        "RoundOp": np.rint,
        "ExpOp": np.exp,
        "LogOp": np.log,
        "Log1pOp": np.log1p,
        "SqrtOp": np.sqrt,
        "RsqrtOp": special.rsqrt,
        "TanhOp": np.tanh,
        "AtanhOp": np.arctanh,
        "SinOp": np.sin,
        "CosOp": np.cos,
        "ErfOp": special.erf,
        "SigmoidOp": special.sigmoid,
        "SiluOp": special.silu,
        "ReluOp": special.relu,
        "GeluOp": special.gelu,
        "GeluTanhOp": special.gelu_tanh,
        "GeluQuickOp": special.gelu_quick,
        "IsNanOp": np.isnan,
        "IsInfOp": np.isinf,
        "SelectOp": np.where,
    }
)
"""Each operation as a function of its operands; the result has the dtype that MAX declares."""


def _handler(function: Callable[..., Array]) -> Handler:
    def handle(operation: Operation, arrays: Sequence[Array]) -> Array:
        return function(*arrays)

    return handle


HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {name: _handler(function) for name, function in FUNCTIONS.items()} | {"CastOp": _cast}
)
CUSTOM_HANDLERS: Mapping[str, Handler] = MappingProxyType({"mo.acos": _handler(np.arccos)})
