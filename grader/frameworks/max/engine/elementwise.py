"""Operations that work on each element alone: arithmetic, comparison, logic, choice, cast.

If one operand is NaN, MAX's maximum and minimum return the other, as ``fmax`` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from grader.frameworks.max.engine import special
from grader.frameworks.max.engine.operation import Array, Handler, Operation


def _unary(function: Callable[[Array], Array]) -> Handler:
    def handle(operation: Operation, arrays: Sequence[Array]) -> Array:
        return function(arrays[0])

    return handle


def _binary(function: Callable[[Array, Array], Array]) -> Handler:
    def handle(operation: Operation, arrays: Sequence[Array]) -> Array:
        return function(arrays[0], arrays[1])

    return handle


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
    """The remainder that belongs to a division rounded down: it has the divisor's sign.

    For floats MAX computes ``left - trunc(left / right) * right`` with one rounding, so a quotient
    that rounds up to a whole number leaves about 0, where the exact remainder is nearly
    ``right``: 1 % 0.0001. An infinite divisor returns NaN.
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
    """``left != right``, except that NaN is not unequal to anything (MAX compares ordered)."""
    if left.dtype.kind == "f":
        unequal: Array = (left < right) | (left > right)
        return unequal
    return np.not_equal(left, right)


def _select(operation: Operation, arrays: Sequence[Array]) -> Array:
    condition, if_true, if_false = arrays
    return np.where(condition, if_true, if_false)


def _cast(operation: Operation, arrays: Sequence[Array]) -> Array:
    """Convert; floats to integers truncate toward zero, anything to bool is ``!= 0``."""
    x, target = arrays[0], operation.dtype
    if target == np.bool_:
        return _not_equal(x, x.dtype.type(0))
    return x.astype(target)


HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        "AddOp": _binary(np.add),
        "SubOp": _binary(np.subtract),
        "MulOp": _binary(np.multiply),
        "DivOp": _binary(_divide),
        "ModOp": _binary(_modulo),
        "PowOp": _binary(np.power),
        "MaxOp": _binary(np.fmax),
        "MinOp": _binary(np.fmin),
        "AndOp": _binary(np.logical_and),
        "OrOp": _binary(np.logical_or),
        "XorOp": _binary(np.logical_xor),
        "EqualOp": _binary(np.equal),
        "NotEqualOp": _binary(_not_equal),
        "GreaterOp": _binary(np.greater),
        "GreaterEqualOp": _binary(np.greater_equal),
        "NotOp": _unary(np.logical_not),
        "NegativeOp": _unary(np.negative),
        "AbsOp": _unary(np.absolute),
        "CeilOp": _unary(np.ceil),
        "FloorOp": _unary(np.floor),
        "TruncOp": _unary(np.trunc),
        "RoundOp": _unary(np.rint),
        "ExpOp": _unary(np.exp),
        "LogOp": _unary(np.log),
        "Log1pOp": _unary(np.log1p),
        "SqrtOp": _unary(np.sqrt),
        "RsqrtOp": _unary(special.rsqrt),
        "TanhOp": _unary(np.tanh),
        "AtanhOp": _unary(np.arctanh),
        "SinOp": _unary(np.sin),
        "CosOp": _unary(np.cos),
        "ErfOp": _unary(special.erf),
        "SigmoidOp": _unary(special.sigmoid),
        "SiluOp": _unary(special.silu),
        "ReluOp": _unary(special.relu),
        "GeluOp": _unary(special.gelu),
        "GeluTanhOp": _unary(special.gelu_tanh),
        "GeluQuickOp": _unary(special.gelu_quick),
        "IsNanOp": _unary(np.isnan),
        "IsInfOp": _unary(np.isinf),
        "SelectOp": _select,
        "CastOp": _cast,
    }
)

CUSTOM_HANDLERS: Mapping[str, Handler] = MappingProxyType({"mo.acos": _unary(np.arccos)})
