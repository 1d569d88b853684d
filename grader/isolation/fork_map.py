"""Maps a function over items in forked processes that can be killed.

A crash, an endless loop or unbounded memory use affects only the item that caused it: the process
ends, and another one continues with the next item.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple, NoReturn, TypeVar

from grader.isolation import children, kernel, rlimits, seccomp

T = TypeVar("T")

LENGTH = struct.Struct("<cI")
"""The header of each result: its kind, and how many bytes follow."""
RESULT, FAILED = b"r", b"f"
OPEN_FILES = 64
OUT_OF_MEMORY = 71
PIECE = 1 << 18
PATIENCE_S = 10.0
"""How long to wait for the exit status: a process closes its pipe shortly before it ends."""


class Limits(NamedTuple):
    """For one item: seconds of wall-clock and CPU time, bytes of new memory and of the result."""

    wall: float = 60.0
    cpu: float = 10.0
    memory: int = 512 << 20
    result: int = 8 << 20


USUAL = Limits()


class Stopped(NamedTuple):
    """Why there is no result. ``outside``: the machine may be to blame instead of the item."""

    why: str
    outside: bool = False


def each(
    function: Callable[[T], bytes], items: Sequence[T], limits: Limits = USUAL
) -> Iterator[bytes | Stopped]:
    """Yield what ``function`` returns for each item, in order, or why it does not return.

    The process starts at once, so that several can work while the caller awaits the first result.
    Call it only while this process has one thread. The function can read what this process can,
    but cannot start a process, open a connection or write a file.

    Raises:
        OSError: the machine has no process or pipe left.
    """
    return _results(function, items, limits, _forked(function, items, limits))


def _results(
    function: Callable[[T], bytes], items: Sequence[T], limits: Limits, begun: tuple[int, int]
) -> Iterator[bytes | Stopped]:
    """Yield the results of the process that has begun, and of those that take over from it."""
    start = 0
    while True:
        process, ours = begun
        try:
            while start < len(items):
                found = _next(ours, process, limits)
                start += 1
                yield found
                if isinstance(found, Stopped):
                    break
        finally:
            _reading.remove(ours)
            os.close(ours)
            children.end(process)
        if start == len(items):
            return
        begun = _forked(function, items[start:], limits)


_reading: set[int] = set()
"""The pipes that results come from. A process must not read those of others."""


def _forked(function: Callable[[T], bytes], items: Sequence[T], limits: Limits) -> tuple[int, int]:
    """Start a process that works on ``items``; returns its id and the pipe for its results."""
    ours, theirs = os.pipe()
    parent = os.getpid()
    try:
        process = os.fork()
    except OSError:
        os.close(ours)
        os.close(theirs)
        raise
    if process == 0:
        for other in (ours, *_reading):
            os.close(other)
        _work(function, items, limits, theirs, parent)
    os.close(theirs)
    _reading.add(ours)
    return process, ours


def _work(
    function: Callable[[T], bytes], items: Sequence[T], limits: Limits, out: int, parent: int
) -> NoReturn:
    status = 70
    try:
        _confine(limits, parent)
        for item in items:
            signal.setitimer(signal.ITIMER_PROF, limits.cpu)
            found = function(item)
            if len(found) > limits.result:
                raise OverflowError(f"the result has more than {limits.result >> 20} MiB")
            _send(out, RESULT, found)
        status = 0
    except MemoryError:
        status = OUT_OF_MEMORY
    except BaseException as problem:  # noqa: BLE001 - whatever it is, the item did it
        with suppress(BaseException):
            said = f"{type(problem).__name__}: {problem}"
            _send(out, FAILED, said[:300].encode("utf-8", "replace"))
    finally:
        os._exit(status)


def _confine(limits: Limits, parent: int) -> None:
    """Limit this process. Skip what the machine does not offer: the process runs only our code."""
    kernel.die_with(parent)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    values = {
        resource.RLIMIT_AS: _address_space() + limits.memory,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_CORE: 0,
    }
    for name, most in values.items():
        rlimits.lower(name, most)
    seccomp.apply(None)


def _address_space() -> int:
    """Return how many bytes of address space this process has."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 1 << 40


def _send(out: int, kind: bytes, data: bytes) -> None:
    left = memoryview(LENGTH.pack(kind, len(data)) + data)
    while left:
        left = left[os.write(out, left) :]


def _next(ours: int, process: int, limits: Limits) -> bytes | Stopped:
    """Return the next result, or why there is none; the caller then ends the process."""
    deadline = time.monotonic() + limits.wall
    head = _read(ours, LENGTH.size, deadline)
    if head is None:
        return Stopped(f"it took more than {limits.wall:g} s", outside=True)
    if len(head) < LENGTH.size:
        return _reason(children.end(process, PATIENCE_S), limits)
    kind, length = LENGTH.unpack(head)
    if length > limits.result:
        return Stopped("its result is too long")
    data = _read(ours, length, deadline)
    if data is None or len(data) < length:
        return Stopped("its result is not whole", outside=True)
    return data if kind == RESULT else Stopped(data.decode("utf-8", "replace"))


def _read(ours: int, size: int, deadline: float) -> bytes | None:
    """Read ``size`` bytes, fewer at the end of the pipe; None after ``deadline``."""
    poller = select.poll()
    poller.register(ours, select.POLLIN)
    found = bytearray()
    while len(found) < size:
        left = deadline - time.monotonic()
        if left <= 0 or not poller.poll(1000 * left):
            return None
        piece = os.read(ours, min(PIECE, size - len(found)))
        if not piece:
            break
        found += piece
    return bytes(found)


def _reason(status: int | None, limits: Limits) -> Stopped:
    """Say why a process that sent nothing more has ended."""
    if status == -signal.SIGPROF:
        return Stopped(f"it took more than {limits.cpu:g} s of processor time")
    if status == OUT_OF_MEMORY:
        return Stopped(f"it took more than {limits.memory >> 20} MiB of memory")
    if status in (None, -signal.SIGKILL):
        return Stopped("its process was killed from outside, perhaps for lack of memory", True)
    return Stopped(f"its process ended with status {status}")
