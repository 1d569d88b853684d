"""The messages between the grader and its worker, and what each of their fields may hold.

A field's test takes a decoded value and returns the value to use: sanitized, cut to its length.
Anything else is a :class:`WireError`, because the worker is not trusted.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args

import numpy as np

from grader.base import sanitize
from grader.protocol import probe

NAME_LIMIT = 300
TEXT_LIMIT = 8_000
"""Characters kept of a name and of a text."""


class WireError(ValueError):
    """A message that breaks the protocol."""


@dataclass(frozen=True)
class Hello:
    """The worker has imported the framework and waits for its job.

    ``layers`` confine it. ``process`` is its process id and group, as it sees them itself.
    ``left`` says, line by line, what the engine leaves to the framework here.
    """

    layers: tuple[str, ...]
    process: int
    left: tuple[str, ...] = ()


@dataclass(frozen=True)
class Broken:
    """The worker could not start; ``problem`` says why. Sent instead of :class:`Hello`."""

    problem: str


@dataclass(frozen=True)
class Taken:
    """The worker has its job and now runs the learner's file."""


@dataclass(frozen=True)
class Loaded:
    """The learner's file was imported, or raised ``error``."""

    error: probe.SeenError | None = None


@dataclass(frozen=True)
class Notice:
    """One line for whoever waits."""

    text: str


@dataclass(frozen=True)
class Stuck:
    """Time runs out at this line of the learner's file, and in this action of a probe."""

    line: int
    function: str
    action: str = ""


@dataclass(frozen=True)
class Done:
    """Every probe has run. ``faults`` names the parts of the engine that failed meanwhile.

    ``token`` is that of the last ``Ask``, which has no probe. ``spent`` is the processor time of
    the job in seconds, as this process says.
    """

    notes: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    token: int = 0
    spent: float = 0.0


Message = Hello | Broken | Taken | Loaded | Notice | Stuck | probe.Observation | Done

# ---- what each field may hold -------------------------------------------------------------
# A test takes a decoded value and returns the value to use, or raises WireError.


def fail(what: str) -> Any:
    """Refuse a value that is not ``what`` was expected."""
    raise WireError(f"expected {what}")


def _name(value: Any) -> str:
    return sanitize.line(value, NAME_LIMIT) if isinstance(value, str) else fail("a name")


def _word(value: Any) -> str:
    good = isinstance(value, str) and re.fullmatch(r"[\w.]{1,60}", value, re.ASCII)
    return str(value) if good else fail("a word")


def _text(value: Any) -> str:
    return sanitize.block(value, TEXT_LIMIT) if isinstance(value, str) else fail("text")


def raw(value: Any) -> str:
    """A text, unchanged."""
    return value if isinstance(value, str) else fail("text")


def _boolean(value: Any) -> bool:
    return value if isinstance(value, bool) else fail("a boolean")


def _number(value: Any) -> int:
    good = type(value) is int and 0 < value < 1 << 31
    return int(value) if good else fail("a number above 0")


def _token(value: Any) -> int:
    good = type(value) is int and 0 <= value < 1 << 63
    return int(value) if good else fail("a token")


def _seconds(value: Any) -> float:
    good = type(value) is float and 0 <= value < 1 << 31
    return float(value) if good else fail("seconds")


def _array(value: Any) -> Any:
    return value if isinstance(value, np.ndarray) else fail("an array")


def _places(value: Any) -> Any:
    good = isinstance(value, np.ndarray) and value.dtype == np.int32 and value.shape[1:] == (3,)
    return value if good else fail("places")


def _scalars(value: Any) -> Any:
    good = isinstance(value, np.ndarray) and value.dtype == np.float64 and value.shape[1:] == (5,)
    if not good:
        fail("scalars")
    node, part, number, whole, order = value.T
    indexes = np.stack((node, part, order))
    good = np.isfinite(indexes).all() and (indexes == np.floor(indexes)).all()
    good = good and ((whole == 0) | (whole == 1)).all()
    integers = number[whole == 1]
    good = good and (np.abs(integers) <= 2.0**64).all() and (integers == np.floor(integers)).all()
    return value if good else fail("scalars")


def _trail(value: Any) -> Any:
    """What was seen, every index in it one of something that is there."""
    if type(value) is not probe.Trail:
        fail("a trail")
    places, scalars = value.places, value.scalars
    good = (places[:, 0] >= 0).all() and _within(places[:, 1], -1, probe.MOST_PARTS)
    values = np.unique(places[:, 2])  # each has a place
    good = good and np.array_equal(values, np.arange(len(value.values)))
    good = good and (scalars[:, 0] >= 0).all() and _within(scalars[:, 1], -1, probe.MOST_PARTS)
    good = good and _within(scalars[:, 4], 0, len(places) + 1)
    return value if good else fail("a trail")


def _within(indexes: Any, least: int, end: int) -> bool:
    return bool(((indexes >= least) & (indexes < end)).all())


def _numbers(value: Any) -> Any:
    return value if type(value) in (probe.SeenTensor, probe.SeenArray) else fail("an array")


def _anything(value: Any) -> Any:
    return value


def _one(cls: type) -> Any:
    return lambda value: value if type(value) is cls else fail(cls.__name__)


def _maybe(test: Any) -> Any:
    return lambda value: None if value is None else test(value)


def _many(test: Any) -> Any:
    return lambda value: (
        tuple(test(item) for item in value) if isinstance(value, tuple) else fail("a tuple")
    )


def _few(every: Any, most: int) -> Any:
    return lambda value: (
        every(value)
        if isinstance(value, tuple | dict) and len(value) <= most
        else fail("fewer values")
    )


def _mapping(test: Any) -> Any:
    return lambda value: (
        {_name(key): test(item) for key, item in value.items()}
        if isinstance(value, dict)
        else fail("a mapping")
    )


def shape(value: Any) -> tuple[int, ...]:
    """The sizes of an array."""
    good = isinstance(value, tuple) and len(value) <= 32
    if not good or not all(type(size) is int and size >= 0 for size in value):
        fail("a shape")
    return tuple(value)


def _seen(value: Any) -> Any:
    """A value of the kinds in ``grader.protocol.probe.Seen``, its texts sanitized."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return sanitize.block(value, TEXT_LIMIT)
    if isinstance(value, list):
        return [_seen(item) for item in value]
    if isinstance(value, tuple):
        return tuple(_seen(item) for item in value)
    if isinstance(value, dict):
        return {_name(key): _seen(item) for key, item in value.items()}
    kinds = (probe.SeenTensor, probe.SeenArray, probe.SeenModule, probe.SeenObject)
    return value if type(value) in kinds else fail("something seen")


Fields = Mapping[type, tuple[Any, ...]]


@cache
def messages() -> Fields:
    """What the worker may send, and the test of each field."""
    error = _one(probe.SeenError)
    names = _few(_many(_name), probe.MOST_NAMES)
    values = _few(_mapping(_one(probe.SeenValue)), probe.MOST_VALUES)
    return {
        Hello: (_many(_name), _number, _many(_text)),
        Broken: (_text,),
        Taken: (),
        Loaded: (_maybe(error),),
        Notice: (_name,),
        Stuck: (_number, _name, _name),
        Done: (_many(_name), _many(_word), _token, _seconds),
        probe.SeenTensor: (_array, _name),
        probe.SeenArray: (_array,),
        probe.SeenParameter: (shape, _name),
        probe.SeenModule: (_name, _boolean, _mapping(_one(probe.SeenParameter)), _mapping(_name)),
        probe.SeenObject: (_name,),
        probe.SeenValue: (_name, _name, _maybe(shape), _name, _maybe(names), names, names, names),
        probe.SeenCall: (_number, _name, _text, _text, values),
        probe.SeenError: (
            _name,
            _text,
            _name,
            _maybe(_number),
            _maybe(_name),
            _text,
            _name,
            _few(_many(_one(probe.SeenCall)), probe.MOST_CALLS),
            _name,
            _maybe(_one(probe.SeenValue)),
            names,
        ),
        probe.Trail: (_places, _many(_maybe(_numbers)), _scalars),
        probe.Observation: (_name, _mapping(_seen), _maybe(error), _maybe(_trail), _token),
    }


@cache
def jobs() -> Fields:
    """What the grader may send. It is trusted, so only the classes are tested."""
    words = (*get_args(probe.Arg), *get_args(probe.Action), probe.Probe, probe.Job, probe.Ask)
    classes = [cls for cls in words if dataclasses.is_dataclass(cls) and isinstance(cls, type)]
    return {cls: (_anything,) * len(dataclasses.fields(cls)) for cls in classes}
