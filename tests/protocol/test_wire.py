"""What the grader and its worker say to each other, and what damage does to it.

Longer than 300 lines, because every message is broken in every way.
"""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grader.protocol import message, probe, wire
from grader.protocol.message import WireError

NAMES = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=8)
NUMBERS = st.floats(allow_nan=False) | st.integers(-(2**62), 2**62)
ARRAYS = hnp.arrays(
    st.sampled_from(["f4", "f8", "f2", "i8", "u1", "?"]),
    hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
)
TENSORS = st.builds(probe.SeenTensor, ARRAYS, NAMES) | st.builds(probe.SeenArray, ARRAYS)
PARAMETERS = st.builds(
    probe.SeenParameter, st.lists(st.integers(0, 9), max_size=3).map(tuple), NAMES
)
MODULES = st.builds(
    probe.SeenModule,
    NAMES,
    st.booleans(),
    st.dictionaries(NAMES, PARAMETERS, max_size=3),
    st.dictionaries(NAMES, NAMES, max_size=3),
)
LEAVES = (
    st.none() | st.booleans() | NUMBERS | NAMES | TENSORS | MODULES
    | st.builds(probe.SeenObject, NAMES)
)  # fmt: skip
SEEN = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(NAMES, inner, max_size=3)
    ),
    max_leaves=6,
)
ERRORS = st.builds(
    probe.SeenError, NAMES, NAMES, NAMES, st.none() | st.integers(1, 999), st.none() | NAMES, NAMES
)
REPORTS = (
    st.builds(probe.Observation, NAMES, st.dictionaries(NAMES, SEEN, max_size=3),
              st.none() | ERRORS)
    | st.builds(message.Loaded, st.none() | ERRORS)
    | st.builds(message.Hello, st.lists(NAMES, max_size=3).map(tuple), st.integers(1, 999))
    | st.builds(message.Broken, NAMES)
    | st.builds(message.Taken)
    | st.builds(message.Stuck, st.integers(1, 999), NAMES)
    | st.builds(message.Notice, NAMES)
    | st.builds(message.Done, st.lists(NAMES, max_size=3).map(tuple))
)  # fmt: skip


def decoded(frame: bytes) -> Any:
    ((head, body),) = wire.Assembler().feed(frame)
    return wire.decode_message(head, body)


def same(left: Any, right: Any) -> bool:
    """Equality that knows arrays, their dtypes, and the types of containers."""
    if type(left) is not type(right):
        return False
    if isinstance(left, np.ndarray):
        return left.dtype == right.dtype and np.array_equal(
            left, right, equal_nan=left.dtype.kind == "f"
        )
    if dataclasses.is_dataclass(left):
        return all(
            same(getattr(left, f.name), getattr(right, f.name)) for f in dataclasses.fields(left)
        )
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[k], right[k]) for k in left)
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


@given(REPORTS)
def test_every_report_survives_the_journey(report: Any) -> None:
    assert same(decoded(wire.encode(report)), report)


def test_a_job_survives_the_journey() -> None:
    make = probe.Make("m", "T", (probe.ConfigArg({"n": 3}), probe.DeviceArg(), 1.5, None))
    load = probe.Load("l", "m", {"w": np.arange(6, dtype=np.float32).reshape(2, 3)})
    arguments: tuple[Any, ...] = (
        probe.TensorArg(np.zeros((0, 3))),
        probe.ArrayArg(np.array(True)),
        [probe.DTypeArg("float32"), {"a": probe.DimArg(3)}],
        probe.Ref("m", (0, "x")),
    )
    call = probe.Call("c", "m", None, arguments, {"k": -math.inf})
    read = probe.Read("r", "m", ("a", "b"))
    probes = (probe.Probe("p", (make, load, call, read)), probe.Probe("q", ()))
    job = probe.Job("f.py", "é\ud800\n", {"a.b": ("a/b.py", "x = 1")}, probes, "max")
    ((head, body),) = wire.Assembler(wire.JOB_LIMIT).feed(wire.encode(job))
    assert same(wire.decode_job(head, body), job)


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan, -0.0, 5e-324, 1.7e308])
def test_odd_floats_arrive_bit_for_bit(number: float) -> None:
    report = probe.Observation("p", {"x": number})
    seen = decoded(wire.encode(report)).results["x"]
    assert seen.hex() == number.hex()


def test_non_contiguous_and_big_endian_arrays_arrive_as_numbers() -> None:
    array = np.arange(12, dtype=">f4").reshape(3, 4).T[::2]
    seen = decoded(wire.encode(probe.Observation("p", {"x": probe.SeenArray(array)})))
    assert np.array_equal(seen.results["x"].array, array)


@pytest.mark.parametrize(
    "value",
    [object(), {1, 2}, 1 << 63, 1j, b"x", np.float32(1), {1: 2}, np.array(["a"]), np.array([1j])],
    ids=lambda value: type(value).__name__,
)
def test_what_the_protocol_does_not_know_cannot_be_sent(value: Any) -> None:
    with pytest.raises(WireError):
        wire.encode(probe.Observation("p", {"x": value}))


def test_a_cycle_cannot_be_sent() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(WireError):
        wire.encode(probe.Observation("p", {"x": loop}))


def test_frames_arrive_whole_from_any_pieces() -> None:
    frames = [wire.encode(message.Notice(str(i))) for i in range(5)]
    data, assembler, seen = b"".join(frames), wire.Assembler(), []
    for start in range(0, len(data), 7):
        for head, body in assembler.feed(data[start : start + 7]):
            seen.append(wire.decode_message(head, body))
    assert seen == [message.Notice(str(i)) for i in range(5)]
    assert not assembler.pending


@given(REPORTS, st.data())
@settings(max_examples=300)
def test_a_damaged_frame_is_a_wire_error_or_a_report(report: Any, data: st.DataObject) -> None:
    frame = bytearray(wire.encode(report))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(frame) - 1))
        kind = data.draw(st.sampled_from(["set", "cut", "insert"]))
        if kind == "set":
            frame[place] = data.draw(st.integers(0, 255))
        elif kind == "cut":
            del frame[place : place + data.draw(st.integers(1, 9))]
        else:
            frame[place:place] = data.draw(st.binary(min_size=1, max_size=9))
        if not frame:
            return
    try:
        for head, body in wire.Assembler().feed(bytes(frame)):
            assert isinstance(wire.decode_message(head, body), message.Message)
    except WireError:
        pass


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from([*"afltd", "Hello", "Done", "SeenTensor", "SeenModule", "Observation"]),
            inner,
            max_size=2,
        )
    ),
    max_leaves=12,
)


@given(JSON, st.binary(max_size=16))
@settings(max_examples=500)
def test_any_json_is_a_wire_error_or_a_report(head: Any, body: bytes) -> None:
    try:
        seen = wire.decode_message(json.dumps(head).encode(), body)
    except WireError:
        return
    assert isinstance(seen, message.Message)


@given(st.binary(max_size=64), st.binary(max_size=8))
def test_any_bytes_are_a_wire_error(head: bytes, body: bytes) -> None:
    with pytest.raises(WireError):
        wire.decode_message(head, body)


def observation(value: Any) -> bytes:
    """The head of an observation whose one result is ``value``, as the wire writes it."""
    return json.dumps({"Observation": ["p", {"d": [["x", value]]}, None, None, 0]}).encode()


HOSTILE = {
    "huge integer": observation(0).replace(b"0", b"9" * 5000),
    "integer of 64 bits and one": observation(1 << 64),
    "NaN as JSON": observation(math.nan),
    "float that is no number": observation({"f": "evil"}),
    "float out of range": observation({"f": "0x1p99999"}),
    "array of objects": observation({"SeenArray": [{"a": ["|O", [1]]}]}),
    "array of text": observation({"SeenArray": [{"a": ["<U4", [1]]}]}),
    "array without bytes": observation({"SeenArray": [{"a": ["<f8", [1 << 40]]}]}),
    "array of negative size": observation({"SeenArray": [{"a": ["<f8", [-1]]}]}),
    "array of size true": observation({"SeenArray": [{"a": ["|u1", [True]]}]}),
    "empty array of endless shape": observation({"SeenArray": [{"a": ["<f8", [0, 1 << 62, 9]]}]}),
    "array of 40 dimensions": observation({"SeenArray": [{"a": ["<f8", [0] * 40]}]}),
    "array where a value belongs": observation({"a": ["<f8", [0]]}),
    "an argument of a job": observation({"DTypeArg": ["float32"]}),
    "an observation inside": observation({"Observation": ["p", {"d": []}, None]}),
    "an unknown class": observation({"Popen": ["true"]}),
    "two tags": observation({"l": [], "t": []}),
    "too few fields": observation({"SeenObject": []}),
    "a field of the wrong type": observation({"SeenObject": [{"l": []}]}),
    "a tag with no list": observation({"SeenObject": "x"}),
    "pairs that are none": observation({"d": [["x"]]}),
    "a key that is no text": observation({"d": [[1, 2]]}),
    "too many values": observation({"l": [None] * 200_000}),
    "deep nesting": b'{"l":[' * 5_000 + b"]}" * 5_000,
    "not a message": b"null",
    "line zero": b'{"Loaded":[{"SeenError":["E","m","a",0,null,""]}]}',
    "line true": b'{"Loaded":[{"SeenError":["E","m","a",true,null,""]}]}',
}


@pytest.mark.parametrize("head", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_head_is_a_wire_error(head: bytes) -> None:
    with pytest.raises(WireError):
        wire.decode_message(head, b"")


@pytest.mark.parametrize(
    ("dtype", "shape"),
    [
        ("<U4", [1]),
        ("|S16", [1]),
        ("<M8[s]", [2]),
        ("<c16", [1]),
        ("|V16", [1]),
        ("|O", [2]),
        ("i4,i4", [2]),
        (">f8", [2]),
        ("|u1", [True, 16]),
        ("|u1", [16.0]),
        ("<f8", [-1, -2]),
        ("<f8", "ab"),
        (["<f8"], [2]),
    ],
)
def test_an_array_of_another_kind_is_a_wire_error(dtype: Any, shape: Any) -> None:
    with pytest.raises(WireError):
        wire.decode_message(observation({"SeenArray": [{"a": [dtype, shape]}]}), bytes(16))


def test_bytes_that_no_array_claims_are_a_wire_error() -> None:
    with pytest.raises(WireError):
        wire.decode_message(b'{"Done":[{"t":[]}]}', b"extra")


@pytest.mark.parametrize(
    "header",
    [
        b"HTTP/1.1 200 OK\r\n",
        wire.HEADER.pack(b"gw02", 4, 0),
        wire.HEADER.pack(wire.MAGIC, wire.HEAD_LIMIT + 1, 0),
        wire.HEADER.pack(wire.MAGIC, 4, wire.BODY_LIMIT + 1),
        wire.HEADER.pack(wire.MAGIC, 4, 2**63),
    ],
)
def test_a_false_header_is_refused_before_what_it_announces_arrives(header: bytes) -> None:
    with pytest.raises(WireError):
        list(wire.Assembler().feed(header))


def test_bytes_that_are_no_booleans_become_booleans() -> None:
    head = observation({"SeenArray": [{"a": ["|b1", [3]]}]})
    seen = wire.decode_message(head, b"\x00\x01\xff")
    assert isinstance(seen, probe.Observation)
    array = seen.results["x"]
    assert isinstance(array, probe.SeenArray)
    assert array.array.view(np.uint8).tolist() == [0, 1, 1]


def test_names_are_one_clean_line_and_texts_lose_their_escapes() -> None:
    evil = "a\x1b[31mb\u202ec\nd"
    error = probe.SeenError(evil, evil, evil, None, evil, evil)
    seen = decoded(wire.encode(message.Loaded(error))).error
    for name in (seen.type_name, seen.action, seen.function):
        assert name.isprintable()
        assert len(name) == len(evil)
    assert seen.message == seen.chain == "abc\nd"


def test_what_is_known_of_an_error_is_cleaned_and_has_an_end() -> None:
    evil = "a\x1b[31mb\u202ec\nd"
    value = probe.SeenValue(evil, evil, (2, 3), evil, (evil,), (evil,), (evil,))
    call = probe.SeenCall(3, evil, evil, evil, {evil: value})
    error = probe.SeenError("E", "", "", calls=(call,), inside=evil, about=value)
    seen = decoded(wire.encode(message.Loaded(error))).error
    assert seen.calls[0].code == seen.calls[0].statement == "abc\nd"
    ((key, there),) = seen.calls[0].values.items()
    for name in (seen.inside, key, there.kind, *there.signature, *there.fields, *seen.about.names):
        assert name.isprintable()
    many = (evil,) * (probe.MOST_NAMES + 1)
    for refused in (
        probe.SeenError("E", "", "", calls=(call,) * (probe.MOST_CALLS + 1)),
        probe.SeenError("E", "", "", about=probe.SeenValue("x", names=many)),
        probe.SeenError("E", "", "", about=probe.SeenValue("x", signature=many)),
        probe.SeenError("E", "", "", calls=(probe.SeenCall(1, "f", values={
            str(i): value for i in range(probe.MOST_VALUES + 1)
        }),)),
        probe.SeenError("E", "", "", bases=many),
        probe.SeenError("E", "", "", calls=(probe.SeenCall(-1, "f"),)),
        probe.SeenError("E", "", "", about=probe.SeenValue("x", shape=(-1,))),
    ):  # fmt: skip
        with pytest.raises(WireError):
            decoded(wire.encode(message.Loaded(refused)))


def test_texts_have_an_end() -> None:
    seen = decoded(wire.encode(probe.Observation("p" * 10_000, {"x": "y" * 100_000})))
    assert len(seen.probe) <= message.NAME_LIMIT
    assert len(seen.results["x"]) < message.TEXT_LIMIT + 100
