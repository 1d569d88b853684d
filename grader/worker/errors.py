"""Turns an exception from the learner's code into data, whatever the exception tries."""

from __future__ import annotations

import linecache
import os
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import TypeVar, cast

from grader.protocol.probe import MOST_NAMES, SeenError
from grader.worker import frames

E = TypeVar("E", bound=BaseException)

MESSAGE_LIMIT = 4_000
CHAIN_LIMIT = 7_000
GRADER = __file__.removesuffix("worker/errors.py")
NUMPY = f"{os.sep}numpy{os.sep}"
NOWHERE = ("", 0, "")
CALLS = frozenset(("call_learner", "follow"))
"""The worker's functions in which the learner's functions or values can raise an error."""

FRAMES = 20
"""How many calls are shown at each end of a traceback."""


class Deserved(Exception):
    """An error that the worker raises and the program is to blame for."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        deserved(self)


class MissingName(Deserved):
    """The learner's code lacks a class, function or method that was asked for."""


class ChangedArgument(Deserved):
    """The learner's code changed one of its arguments."""


Place = tuple[str, int | None]
"""The name of an error's type, and the deepest line of the file in its traceback."""


def place(error: BaseException, file: str) -> Place:
    """Return where ``error`` was raised, without using any of its own attributes."""
    return type_name(error), _place(error, path(error), file)[0]


def deserved(error: E) -> E:
    """Return ``error``, marked as the program's fault although the worker raises it."""
    vars(error)["deserved"] = True
    return error


def see(error: BaseException, action: str, file: str, *, brief: bool = False) -> SeenError:
    """Describe ``error`` as seen from the learner's file; if it cannot be inspected, by its type.

    ``brief``: without the values on its path, which take as long as a small trial.
    """
    try:
        return _see(error, action, file, brief)
    except Exception:  # noqa: BLE001 - whatever the error does when inspected
        return SeenError(type_name(error), "(it cannot be inspected)", action)


def _see(error: BaseException, action: str, file: str, brief: bool) -> SeenError:
    calls = path(error)
    line, function = _place(error, calls, file)
    seen = SeenError(
        type_name=type_name(error),
        message=message(error),
        action=action,
        line=line,
        function=function,
        chain=_chain(error, calls),
        origin=_origin(error, calls, file),
        bases=_bases(error),
    )
    if brief:
        return seen
    source = "".join(linecache.getlines(file))
    with suppress(Exception):  # the values at that line may be anything
        seen = replace(seen, calls=frames.calls(error, file, source))
    with suppress(Exception):
        seen = replace(
            seen, inside=frames.inside(error, file), about=frames.about(error, file, source)
        )
    return seen


def type_name(value: object) -> str:
    """Return the name of the class of ``value``, from the class itself."""
    name = type.__dict__["__name__"].__get__(type(value))
    return str.__str__(name)[:200]


def _bases(error: BaseException) -> tuple[str, ...]:
    """Return the names of the classes that the class of ``error`` inherits from, nearest first."""
    _, *classes = type.__dict__["__mro__"].__get__(type(error))
    names = (type.__dict__["__name__"].__get__(one) for one in classes)
    return tuple(str.__str__(name)[:200] for name in names)[:MOST_NAMES]


def message(error: BaseException) -> str:
    """Return the text of ``error``, or why there is none."""
    if type(error) is KeyError and len(error.args) == 1 and type(error.args[0]) is str:
        return error.args[0][:MESSAGE_LIMIT]
    try:
        text = _of_type(error) or str.__str__(str(error))
        more = len(text) - MESSAGE_LIMIT
        return text if more <= 0 else f"{text[:MESSAGE_LIMIT]} … ({more} more characters)"
    except BaseException as other:  # noqa: BLE001 - its __str__ is the learner's code too
        return f"(its message cannot be read: {type_name(other)})"


def _of_type(error: BaseException) -> str:
    """Complete a message that consists only of the name that a type lacks.

    Enumerations raise such errors up to Python 3.11.
    """
    if type(error) is not AttributeError or not issubclass(type(error.obj), type):
        return ""
    if type(error.name) is not str or str(error) != error.name:
        return ""
    kind = type.__dict__["__name__"].__get__(error.obj)
    return f"type object {kind!r} has no attribute {error.name!r}"


def path(error: BaseException) -> list[tuple[str, int, str]]:
    """Return file, line and function of each call, outermost first."""
    here: TracebackType | None = BaseException.__dict__["__traceback__"].__get__(error)
    calls = []
    while here is not None:
        code = here.tb_frame.f_code
        calls.append((code.co_filename, here.tb_lineno or 0, code.co_name))
        here = here.tb_next
    return calls


def _place(
    error: BaseException, calls: list[tuple[str, int, str]], file: str
) -> tuple[int | None, str | None]:
    """Return the deepest line in the learner's file, and its function."""
    # Not isinstance, which asks the error for its __class__.
    if type(error) in (SyntaxError, IndentationError, TabError):
        syntax = cast(SyntaxError, error)
        if syntax.filename == file and syntax.lineno:
            return syntax.lineno, None
    for name, line, function in reversed(calls):
        if name == file and line > 0:
            return line, function
    return None, None


def _origin(error: BaseException, calls: list[tuple[str, int, str]], file: str) -> str:
    """Return what raised ``error``, in the words of ``SeenError.origin``; never NumPy itself."""
    raised, _, function = next((call for call in reversed(calls) if NUMPY not in call[0]), NOWHERE)
    if not raised.startswith(GRADER) or function in CALLS:
        return "file" if raised == file else "below"
    # Not with a dot, which would run the error's own code.
    marked = object.__getattribute__(error, "__dict__").get("deserved", False)
    return "file" if marked else "grader"


def _chain(error: BaseException, calls: list[tuple[str, int, str]]) -> str:
    """Return the traceback as text, without the grader's own calls."""
    shown = [call for call in calls if not call[0].startswith(GRADER)]
    told = [_told(call) for call in shown]
    if len(told) > 2 * FRAMES:
        told[FRAMES:-FRAMES] = [f"  ... {len(told) - 2 * FRAMES} more calls ..."]
    end = f"{type_name(error)}: {message(error)}"[:MESSAGE_LIMIT]
    calls_text = "\n".join(told)[: CHAIN_LIMIT - len(end)]
    return f"{calls_text}\n{end}" if calls_text else end


def _told(call: tuple[str, int, str]) -> str:
    file, line, function = call
    text = linecache.getline(file, line).strip()[:200]
    return f"  File {file}, line {line}, in {function}" + (f"\n    {text}" if text else "")
