"""Errors are retold by the rows of a table, whatever the version of Python and the values."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from grader.base.course import ROOT
from grader.frameworks.errors import MOST
from grader.frameworks.max.errors import table, translate
from grader.protocol.probe import SeenCall, SeenError, SeenValue

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
    assert told.message == "A slice ends at 269, but the axis ends at 64"


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


def call(code: str, **values: SeenValue) -> SeenCall:
    return SeenCall(3, "f", code, code, values)


TENSOR = SeenValue("Tensor", "", (2, 3, 4), "float32")
FUNCTION = SeenValue("function", "f", signature=("x", "heads", "size=1"))
EINSUM = "module 'max.experimental.functional' has no attribute 'einsum'"
EARLIER = SeenValue("module", "max.experimental.functional")
KINDS = [
    ("AttributeError", "'Tensor' object has no attribute 'view'",
     call("x.view(batch * heads, 4)", x=TENSOR), TENSOR,
     "x is a Tensor of shape [2, 3, 4], which has no view", "Use tensor.reshape(shape)."),
    ("AttributeError", "'Tensor' object has no attribute 'masked_fill_'",
     call("x.masked_fill_(m, 0)", x=TENSOR), TENSOR,
     "x is a Tensor of shape [2, 3, 4], which has no masked_fill_",
     "Use F.where(condition, number, tensor)."),
    ("AttributeError", EINSUM, call("F.einsum('ij', x)"), EARLIER, "F has no einsum",
     "MAX has no einsum: transpose, then multiply with @."),
    ("AttributeError", "'Block' object has no attribute 'register_buffer'",
     call("self.register_buffer('m', x)"), SeenValue("Block"),
     "self.register_buffer does not exist: nothing has set it",
     "MAX has no buffers: make the tensor in the method that uses it. A Tensor on self becomes a "
     "parameter."),
    ("ModuleNotFoundError", "No module named 'einops'", call("import einops"), None,
     "There is no module einops",
     "MAX has no einops: reshape splits and joins axes, transpose swaps two of them."),
    ("TypeError", "got an unexpected keyword argument 'eps'",
     call("F.layer_norm(x, eps=1)", **{"F.layer_norm": SeenValue(
         "function", "layer_norm", signature=("input", "epsilon"))}), None,
     "F.layer_norm has no argument called eps",
     "It is called epsilon: F.layer_norm(input, epsilon)."),
    ("TypeError", "f() missing 1 required positional argument: 'heads'",
     call("list(map(f, xs))", f=FUNCTION), None, "map calls f without heads",
     "The arguments are f(x, heads, size=1)."),
    ("TypeError", "'float' object cannot be interpreted as an integer", call("range(n / 2)"), None,
     "n / 2 is a number, where a whole number is needed",
     "int(...) makes a whole number; // keeps a quotient whole."),
    ("TypeError", "unsupported operand type(s) for -: 'dict' and 'dict'", call("a - b"), None,
     "a - b: - does not take two dicts", None),
    ("KeyError", "'wte'", call("weights['wte']"), None, "weights has no entry 'wte'", None),
    ("ValueError", "not enough values to unpack (expected 4, got 3)",
     call("a, b, c, d = x.shape", x=TENSOR), None,
     "x.shape holds 3 sizes, [2, 3, 4], but 4 names are there to take them", None),
    ("TypeError", "unsupported operand type(s) for **: 'StaticDim' and 'float'",
     call("d ** 0.5", d=SeenValue("StaticDim", "4")), None,
     "d is a Dim, but was used like a number", "int(d) turns it into a number."),
    ("TypeError", "_promote_weak_dtypes() argument must be a TensorValueLike, not 'NoneType'",
     call("x + mask", x=TENSOR, mask=SeenValue("NoneType", "None")), None,
     "mask is None here, where a tensor or a number is needed", None),
    ("TypeError", "TensorValue() argument must be a graph.TensorValue, not 'tuple'",
     call("x @ pair", x=TENSOR, pair=SeenValue("tuple", "2")), None,
     "pair is a tuple of 2, where a tensor or a number is needed",
     "Unpack it: one name for each value, or an index."),
    ("TypeError", "_promote_weak_dtypes() argument must be a TensorValueLike, not 'function'",
     call("x + f", x=TENSOR, f=FUNCTION), None,
     "f is a function, where a tensor or a number is needed", "Call it: f(x, heads, size=1)."),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text", "seen", "about", "told", "look"), KINDS)
def test_each_kind_of_mistake_has_one_row(
    kind: str, text: str, seen: SeenCall, about: SeenValue | None, told: str, look: str | None
) -> None:
    found = translate(SeenError(kind, text, "", 3, calls=(seen,), about=about))
    assert found.message == told
    assert look is None or found.hint == look


def test_every_row_can_be_read_and_names_facts_that_there_are() -> None:
    for row in table().rows:
        groups = set(re.compile(row.text).groupindex)
        assert row.says
        assert not row.facts or row.facts in table().readers, row.text
        if not row.facts:
            known = groups | set(row.words) | {"call", "code", "at", "function"}
            for text in (*row.says, *row.look, *row.where):
                assert set(re.findall(r"\{\??(\w+)", text)) <= known, text


@pytest.mark.parametrize("text", ["(shape [" * 9_000, "{name}" * 99, "\x1b[2J\0", "%s" * 99, ""])
def test_hostile_text_is_told_in_one_short_line(text: str) -> None:
    odd = SeenValue("✅\n", "{x}", (0, 2**31), "\x1b[2J", ("x", "*", "=", "axis=1"), ("a",))
    for row in table().rows:
        for code in ("F.f(x)", "a @ b", "x[", "x.view(9)", "f(" * 90):
            seen = SeenCall(2**31 - 1, "✅", code, code, {"x": odd, "a": odd, "": odd})
            message = f"{row.text[:80]} {text}"
            error = SeenError(next(iter(row.types)), message, "", 3, "f", calls=(seen,), about=odd)
            found = translate(error)
            assert "\n" not in found.message
            assert len(found.message) <= MOST


BROUGHT = [
    ("AttributeError", EINSUM, call("F.einsum('ij', x)"), EARLIER, "einsum"),
    ("NameError", "name 'rearrange' is not defined", call("rearrange(x, 'a b')"), None,
     "rearrange"),
    ("AttributeError", "'Tensor' object has no attribute 'view'", call("x.view(8, 4)", x=TENSOR),
     TENSOR, "view"),
    ("AttributeError", "'Tensor' object has no attribute 'masked_fill_'",
     call("x.masked_fill_(m, 0)", x=TENSOR), TENSOR, "masked_fill"),
    ("AttributeError", "'Block' object has no attribute 'register_buffer'",
     call("self.register_buffer('m', x)"), SeenValue("Block"), "register_buffer"),
    ("TypeError", "fn() got an unexpected keyword argument 'keepdim'",
     call("F.mean(x, keepdim=True)", **{"F.mean": SeenValue(
         "function", "mean", signature=("x", "axis=-1"))}), None, "keepdim"),
    ("AttributeError", "'Tensor' object has no attribute 'chunk'", call("x.chunk(2)", x=TENSOR),
     TENSOR, "chunk"),
    ("TypeError", "got an unexpected keyword argument 'dim'",
     call("F.softmax(x, dim=-1)", **{"F.softmax": SeenValue(
         "function", "softmax", signature=("value", "axis=-1"))}), None, "softmax(dim)"),
    ("AttributeError", "'Tensor' object has no attribute 'expand'", call("x.expand(2)", x=TENSOR),
     TENSOR, "Broadcasting"),
    ("AttributeError", "'Tensor' object has no attribute 'float'", call("x.float()", x=TENSOR),
     TENSOR, "dtype and device"),
    ("TypeError", "to() expects Device, DeviceMesh, or DeviceMapping, got str",
     call("x.to('cuda')", x=TENSOR), TENSOR, "dtype and device"),
    ("ImportError", "cannot import name 'Parameter' from 'max.experimental.nn' (/a.py)",
     call("from max.experimental.nn import Parameter"), None, "nn.Parameter"),
    ("AttributeError", EINSUM.replace("einsum", "scaled_dot_product_attention"),
     call("F.scaled_dot_product_attention(x, x, x)"), EARLIER, "scaled_dot_product_attention"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "text", "at", "about", "section"), BROUGHT, ids=[one[-1] for one in BROUGHT]
)
def test_a_name_from_pytorch_leads_to_its_section(
    kind: str, text: str, at: SeenCall, about: SeenValue | None, section: str
) -> None:
    told = translate(SeenError(kind, text, "", calls=(at,), about=about))
    assert told.page == f'steps/coming_from_pytorch.md, "{section}"'


def test_every_section_is_on_the_page_and_every_heading_is_led_to() -> None:
    known = table().names["page"]
    headings = re.findall(r"^## (.+)$", (ROOT / known["file"]).read_text("utf-8"), re.MULTILINE)
    assert set(known["sections"].values()) == set(headings) == {one[-1] for one in BROUGHT}


def test_what_only_sounds_like_pytorch_leads_nowhere() -> None:
    own = SeenValue("function", "mine", signature=("x", "width"))
    at = call("mine(x, dim=2)", mine=own)
    error = SeenError("TypeError", "mine() got an unexpected keyword argument 'dim'", "")
    assert translate(replace(error, calls=(at,))).page == ""
