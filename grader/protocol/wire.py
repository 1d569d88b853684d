"""What the grader and its worker say to each other, as bytes: data only, every length checked.

A frame is a header, a head of JSON text, and the raw bytes of the arrays that the head names,
in their order. Nothing in a frame is code, and decoding builds only the frozen classes of
``probe`` and ``message`` in this package. What the worker sends is not trusted: whatever is wrong
with it is a :class:`WireError`.
"""

from __future__ import annotations

import dataclasses
import json
import math
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

from grader.protocol import probe
from grader.protocol.message import Fields, Message, WireError, fail, jobs, messages, raw, shape

MAGIC = b"gw01"
HEADER = struct.Struct("<4sIQ")
HEAD_LIMIT = 4 << 20
BODY_LIMIT = 64 << 20
JOB_LIMIT = 1 << 30
"""Bytes of one frame: of its head, of its arrays from the worker, of its arrays in a job."""

DEPTH_LIMIT = 24
ITEM_LIMIT = 100_000
DTYPES = frozenset(
    ("|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8")
)

# ---- encoding -----------------------------------------------------------------------------


def encode(message: Message | probe.Job | probe.Ask) -> bytes:
    """One frame with ``message``.

    Raises:
        WireError: if it contains a value that the protocol does not know.
    """
    arrays: list[memoryview] = []
    classes = frozenset(messages()) | frozenset(jobs())
    try:
        head = json.dumps(_pack(message, arrays, classes, 0), separators=(",", ":"))
    except (RecursionError, ValueError) as error:
        raise WireError(f"cannot be sent: {type(error).__name__}") from None
    size = sum(array.nbytes for array in arrays)
    return b"".join((HEADER.pack(MAGIC, len(head), size), head.encode("ascii"), *arrays))


def _pack(value: Any, arrays: list[memoryview], classes: frozenset[type], depth: int) -> Any:
    if depth > DEPTH_LIMIT:
        raise WireError("nested too deeply")
    if value is None or type(value) in (bool, str):
        return value
    if type(value) is int:
        return value if abs(value) < 1 << 63 else fail("an integer of 64 bits")
    if type(value) is float:
        return {"f": value.hex()}
    if type(value) in (list, tuple):
        tag = "l" if type(value) is list else "t"
        return {tag: [_pack(item, arrays, classes, depth + 1) for item in value]}
    if type(value) is dict:
        pairs = ((raw(k), _pack(v, arrays, classes, depth + 1)) for k, v in value.items())
        return {"d": [list(pair) for pair in pairs]}
    if isinstance(value, np.ndarray):
        return _pack_array(value, arrays)
    if type(value) in classes:
        fields = (getattr(value, field.name) for field in dataclasses.fields(value))
        packed = [_pack(item, arrays, classes, depth + 1) for item in fields]
        return {type(value).__name__: packed}
    raise WireError(f"cannot send a {type(value).__name__}")


def _pack_array(array: Any, arrays: list[memoryview]) -> Any:
    name = array.dtype.newbyteorder("<").str
    if name not in DTYPES:
        raise WireError(f"cannot send an array of {array.dtype}")
    arrays.append(np.ascontiguousarray(array, dtype=name).reshape(-1).view(np.uint8).data)
    return {"a": [name, list(array.shape)]}


# ---- decoding -----------------------------------------------------------------------------


def decode_message(head: bytes, body: bytes) -> Message:
    """The message of a frame from the worker.

    Raises:
        WireError: for anything that is not exactly a message of the protocol.
    """
    message = _decode(head, body, messages())
    if not isinstance(message, Message):
        raise WireError("not a message")
    return message


def decode_job(head: bytes, body: bytes) -> probe.Job:
    """The job of a frame from the grader.

    Raises:
        WireError: if it is not a job.
    """
    job = _decode(head, body, jobs())
    if not isinstance(job, probe.Job):
        raise WireError("not a job")
    return job


def decode_ask(head: bytes, body: bytes) -> probe.Ask:
    """The question of a frame from the grader.

    Raises:
        WireError: if it is not a question.
    """
    ask = _decode(head, body, jobs())
    if not isinstance(ask, probe.Ask):
        raise WireError("not a question")
    return ask


def _decode(head: bytes, body: bytes, fields: Fields) -> Any:
    reader = _Reader(body, {cls.__name__: (cls, tests) for cls, tests in fields.items()})
    try:
        value = reader.value(json.loads(head.decode("ascii")), 0)
    except WireError:
        raise
    except (ValueError, TypeError, ArithmeticError, RecursionError) as error:
        raise WireError(f"not readable: {type(error).__name__}") from None
    if reader.offset != len(body):
        raise WireError("bytes that belong to no array")
    return value


class _Reader:
    """Builds values from JSON and counts what it builds."""

    def __init__(self, body: bytes, classes: dict[str, tuple[type, tuple[Any, ...]]]) -> None:
        self.body = memoryview(body)
        self.offset = 0
        self.items = 0
        self.classes = classes

    def value(self, packed: Any, depth: int) -> Any:
        self.items += 1
        if depth > DEPTH_LIMIT or self.items > ITEM_LIMIT:
            raise WireError("too deep or too many values")
        if packed is None or isinstance(packed, bool | str):
            return packed
        if isinstance(packed, int):
            return packed if abs(packed) < 1 << 63 else fail("an integer of 64 bits")
        if not isinstance(packed, dict) or len(packed) != 1:
            raise WireError("a value of unknown kind")
        ((tag, content),) = packed.items()
        return self.tagged(tag, content, depth + 1)

    def tagged(self, tag: str, content: Any, depth: int) -> Any:
        if tag == "f":
            return float.fromhex(raw(content))
        if not isinstance(content, list):
            raise WireError("expected a list")
        if tag == "a":
            return self.array(*content)
        if tag == "l":
            return [self.value(item, depth) for item in content]
        if tag == "t":
            return tuple(self.value(item, depth) for item in content)
        if tag == "d":
            return {raw(key): self.value(item, depth) for key, item in content}
        cls, tests = self.classes.get(tag, (None, ()))
        if cls is None or len(content) != len(tests):
            raise WireError("an object of unknown kind")
        pairs = zip(tests, content, strict=True)
        return cls(*[test(self.value(item, depth)) for test, item in pairs])

    def array(self, name: Any, sizes: Any) -> Any:
        if not isinstance(name, str) or name not in DTYPES or not isinstance(sizes, list):
            raise WireError("an array of unknown kind")
        dtype = np.dtype(name)
        size = math.prod(shape(tuple(sizes))) * dtype.itemsize
        if size > len(self.body) - self.offset:
            raise WireError("an array larger than its frame")
        data = self.body[self.offset : self.offset + size]
        self.offset += size
        flat = np.frombuffer(data, np.dtype(np.uint8) if dtype.kind == "b" else dtype)
        return (flat != 0 if dtype.kind == "b" else flat).reshape(sizes)


class Assembler:
    """Assembles frames from the pieces that a pipe delivers."""

    def __init__(self, body_limit: int = BODY_LIMIT, head_limit: int = HEAD_LIMIT) -> None:
        self._data = bytearray()
        self._limits = head_limit, body_limit

    @property
    def pending(self) -> bool:
        """Whether part of a frame has arrived."""
        return bool(self._data)

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Head and body of each frame that ``data`` completes.

        Raises:
            WireError: at the first invalid header, or one that announces too much.
        """
        self._data += data
        while len(self._data) >= HEADER.size:
            magic, head, body = HEADER.unpack_from(self._data)
            if magic != MAGIC or head > self._limits[0] or body > self._limits[1]:
                raise WireError("not the header of a frame")
            end = HEADER.size + head + body
            if len(self._data) < end:
                return
            with memoryview(self._data) as view:
                frame = bytes(view[HEADER.size : HEADER.size + head]), bytes(view[end - body : end])
            del self._data[:end]
            yield frame
