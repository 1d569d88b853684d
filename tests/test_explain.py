"""Errors whose texts differ between versions of Python are retold in the same words."""

from __future__ import annotations

import pytest

from grader.frameworks.max.errors import translate
from grader.protocol.probe import SeenError

UNPACK = "first, second = [1, 2, 3]"
FIELDS = """
from dataclasses import dataclass
@dataclass
class Config:
    n_embd: int = 768
    n_layer: int
"""
UNBOUND = """
def forward():
    if False:
        out = 1
    return out
forward()
"""


@pytest.mark.parametrize(
    ("code", "kind", "told"),
    [
        (UNPACK, ValueError, "There are more values than the 2 expected"),
        (FIELDS, TypeError, "n_layer has no default, though a field before it has one"),
        (UNBOUND, UnboundLocalError, "The variable out is used before it has a value"),
    ],
)
def test_an_error_of_this_python_is_recognised(code: str, kind: type[Exception], told: str) -> None:
    with pytest.raises(kind) as caught:
        exec(code, {"__name__": __name__})
    error = SeenError(kind.__name__, str(caught.value), "")
    assert translate(error).message == told


def test_a_slice_past_the_end_tells_both_sizes() -> None:
    text = "Diagnostics:\n rmo.slice stop index 269 out of range for dimension size 64"
    told = translate(SeenError("ValueError", text, ""))
    assert told.message == "A slice ends at 269, and the axis ends at 64"


def test_reading_numbers_too_early_says_where_to_read_them() -> None:
    text = "Can't realize tensor before realization context is completed."
    told = translate(SeenError("TypeError", text, ""))
    assert told.message.startswith("Numbers were read inside 'with F.lazy():'")
    assert told.hint is not None
    assert "after it" in told.hint


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("def f(a): ...\nf(1, 2)", "f cannot be called as the lesson does: it takes 1 positional"),
        ("def f(a, b): ...\nf(1)", "f cannot be called as the lesson does: it lacks 1 required"),
        (
            "def f(a): ...\nf(dtype=1)",
            "f cannot be called as the lesson does: it got an unexpected",
        ),
        (
            "def f(a, /): ...\nf(a=1)",
            "f cannot be called as the lesson does: it got some positional-only",
        ),
    ],
)
def test_a_signature_that_the_grader_cannot_call_is_told_as_such(code: str, told: str) -> None:
    with pytest.raises(TypeError) as caught:
        exec(code, {"__name__": __name__})
    assert translate(SeenError("TypeError", str(caught.value), "")).message.startswith(told)
    inside = translate(SeenError("TypeError", str(caught.value), "", line=3)).message
    assert "as the lesson does" not in inside


@pytest.mark.parametrize(
    ("kind", "text", "told"),
    [
        ("MissingName", "next_token is not defined in steps/step_12.py", "next_token is not"),
        ("MissingName", "GPT2Attention has no method _attn", "GPT2Attention has no method _attn"),
        ("TypeError", "", "A tensor was used as if it were True or False"),
    ],
)
def test_what_the_worker_says_is_retold(kind: str, text: str, told: str) -> None:
    assert translate(SeenError(kind, text, "")).message.startswith(told)
