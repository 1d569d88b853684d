"""Patterns of source tests: what a snippet matches, what it does not, and the line it shows."""

from __future__ import annotations

from typing import Any

import pytest

from grader import frameworks
from grader.base.course import steps
from grader.base.model import Step
from grader.rubric.load import rubric
from grader.source import (
    Finding,
    Source,
    call_of,
    every,
    method,
    only_with,
    parse,
    results_are,
    returns,
    stores,
)

HEAD = """import math
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
"""


def read(data: bytes) -> Source:
    """A file of this course, parsed."""
    return parse(data, "step.py", frameworks.current().spellings())


def program(text: str) -> Source:
    """A file with the usual imports."""
    return read((HEAD + text).encode())


def found(snippet: str, value: str, **words: Any) -> bool:
    """Whether what ``def f(query, key, mask)`` returns is made with the snippet."""
    source = program(f"def f(self, query, key, mask):\n    return {value}\n")
    return returns("f", snippet, **words)(source).ok


@pytest.mark.parametrize(
    ("snippet", "value"),
    [
        ("_ @ _", "query @ key"),
        ("_ @ _", "F.matmul(query, key)"),
        ("_ @ _", "query.matmul(key) + 1"),
        ("query @ key.transpose(-1, -2)", "query @ key.transpose(-2, -1)"),
        ("query @ key.transpose(-1, -2)", "query @ F.transpose(2 * key, -1, -2)"),
        ("query @ key.transpose(-1, -2)", "query @ key.mT"),
        ("query @ key.transpose(...)", "query @ key.transpose(0, 1)"),
        ("_ + mask", "mask + query"),
        ("_ + mask", "query + F.cast(mask, 'f32')"),
        ("_ + mask", "query + (mask if key else 0)"),
        ("_ / math.sqrt(_)", "query / key.shape[-1].sqrt()"),
        ("_ ** (0.5 | -0.5)", "query ** -0.5"),
        ("F.mean(...) | F.sum(...) / _", "sum(query) / 2"),
        ("F.gelu(_, approximate='tanh')", "F.gelu(query, 'tanh')"),
        ("F.gelu(_, approximate='tanh')", "F.gelu(query, approximate='tanh')"),
        ("concat(..., mask, ...)", "F.concat([query, mask], axis=-1)"),
        ("concat(..., mask)", "concat(0, x=mask)"),
        ("Linear($n, $n)", "Linear(key.n_embd, key.n_embd)"),
        ("Linear($n, 3 * $n, ...)", "Linear(key.n_embd, key.n_embd * 3, bias=True)"),
        ("_[:-1] + [_, _]", "query.shape[:-1] + (2, 3)"),
        ("[*_[:-1], _, _]", "[*query.shape[:-1], 2, 3]"),
        ("_[..., None, ...]", "mask[:, None, None, :]"),
        ("_.shape[-2]", "query.shape[-2]"),
        ('float("-inf")', "query * float('-inf')"),
        ("-math.inf", "-math.inf"),
        ("$q($k)", "query(key)"),
    ],
)
def test_snippet_matches_every_spelling(snippet: str, value: str) -> None:
    assert found(snippet, value)


@pytest.mark.parametrize(
    ("snippet", "value"),
    [
        ("_ @ _", "query * key"),
        ("query @ key.transpose(-1, -2)", "key @ query.transpose(-1, -2)"),
        ("query @ key.transpose(-1, -2)", "query @ key.transpose(-1, -3)"),
        ("query @ key.transpose(-1, -2)", "query @ key.transpose(2, 3)"),
        ("_ + mask", "query - mask"),
        ("_ + mask", "query + key"),
        ("_ - _", "query"),
        ("_ / key", "key / query"),
        ("_ ** (0.5 | -0.5)", "query ** 2"),
        ("F.gelu(_, approximate='tanh')", "F.gelu(query)"),
        ("F.softmax(_)", "F.softmax(query, axis=1)"),
        ("Linear($n, $n)", "Linear(key.n_embd, key.n_head)"),
        ("Linear($n, $n)", "Linear(key.n_embd, 3 * key.n_embd)"),
        ("Linear($n, $n)", "Linear(key.n_embd, key.n_embd, bias=False)"),
        ("_[:-1] + [_, _]", "[2, 3] + query.shape[:-1]"),
        ("_[:-1] + [_, _]", "query.shape[:-2] + (2, 3)"),
        ("[_, _]", "[*query, key]"),
        ("_.shape[-2]", "query.shape[2]"),
        ("_ * 1", "query * True"),
        ("-math.inf", "-inf"),
        ("_.weight @ _", "query.bias @ key"),
    ],
)
def test_snippet_leaves_another_value_alone(snippet: str, value: str) -> None:
    assert not found(snippet, value)


def test_names_and_helpers_are_followed() -> None:
    source = program(
        "def turned(x):\n"
        "    return x.transpose(-1, -2)\n"
        "def f(query, key):\n"
        "    other = turned(key)\n"
        "    scores = query @ other\n"
        "    unused = query / 2\n"
        "    return scores\n"
    )
    assert returns("f", "query @ key.transpose(-1, -2)")(source).ok
    assert not returns("f", "_ / _")(source).ok


def test_rank_makes_a_dimension_from_the_front_the_same() -> None:
    assert found("key.transpose(-1, -2)", "key.transpose(2, 3)", rank=4)
    assert found("key.transpose(-1, -2)", "key.transpose(-1, 2)", rank=4)
    assert found("_.shape[-2]", "query.shape[2]", rank=4)
    assert not found("_.shape[-2]", "query.shape[2]", rank=3)
    assert not found("key.transpose(-1, -2)", "key.transpose(1, 2)", rank=4)


def test_without_keeps_to_what_comes_before() -> None:
    before = {"without": "F.softmax(...)"}
    assert found("_ + mask", "F.softmax(query + mask)", **before)
    assert not found("_ + mask", "F.softmax(query) + mask", **before)


def test_where_says_what_a_name_is() -> None:
    assert found("_ / $n", "query / mask", where={"n": "mask"})
    assert not found("_ / $n", "query / (mask + 1)", where={"n": "mask"})
    assert found("_ / $n", "query / 7", where={"n": lambda e: e.value == 7})
    assert not found("_ / $n", "query / 8", where={"n": lambda e: e.value == 7})


def test_one_of_several_snippets_is_enough() -> None:
    source = program("def f(x):\n    return x - 1\n")
    assert returns("f", "_ + _", "_ - _")(source).ok
    assert not returns("f", "_ + _", "_ * _")(source).ok


# ---- findings -----------------------------------------------------------------------------

ATTENTION = program("""
class Attention(Module):
    def __init__(self, config):
        self.width = config.n_embd
        self.c_attn = Linear(self.width, 3 * self.width)
        self.later = None

    def _attn(self, query, key):
        scores = query @ key
        scores = scores * 2
        return scores

    def forward(self, x):
        return self._attn(x, x)
""")


def test_near_gives_the_line_where_nothing_matches() -> None:
    look = returns("Attention._attn", "_ / _", near="_ @ _")
    assert look(ATTENTION) == Finding(False, 12)
    assert returns("Attention._attn", "_ / _")(ATTENTION).line == 13


def test_a_match_gives_its_line_and_all_the_lines_it_is_made_of() -> None:
    finding = returns("Attention._attn", "_ * 2")(ATTENTION)
    assert (finding.ok, finding.line) == (True, 13)
    assert {12, 13} <= finding.span


def test_what_gives_none_is_missing_for_sure() -> None:
    stub = program("def f(x):\n    return None\n")
    assert returns("f", "_ + _")(stub).certain
    assert returns("g", "_ + _")(stub).certain
    assert not returns("f", "_ + _")(program("def f(x):\n    return x\n")).certain


def test_stores_reads_the_attribute() -> None:
    init = "Attention.__init__"
    assert stores(init, "c_attn", "Linear($n, 3 * $n)")(ATTENTION).ok
    assert stores(init, "c_proj", "Linear(...)")(ATTENTION) == Finding(
        False, 6, "self.c_proj is not set", unset="c_proj"
    )
    assert stores(init, "later", "Linear(...)")(ATTENTION) == Finding(False, 9, certain=True)


def test_stores_reads_what_a_method_sets_that_init_calls() -> None:
    text = "class A(Module):\n    def __init__(self, c):\n        self.build(c)\n"
    text += (
        "    def build(self, c):\n        width = c.n_embd\n        self.fc = Linear(width, 4)\n"
    )
    look = stores("A.__init__", "fc", "Linear(_.n_embd, 4)")
    assert look(program(text)).ok
    found = look(program(text.replace("self.build(c)", "super().__init__(c)")))
    assert found == Finding(False, 9)  # set by whom is not known


def test_a_path_falls_back_to_the_forward_pass() -> None:
    assert returns(call_of("Attention"), "self._attn(...)")(ATTENTION).ok
    assert returns(method("Attention", "_merge"), "self._attn(...)")(ATTENTION).ok
    assert not returns(method("Attention", "_attn"), "self._attn(...)")(ATTENTION).ok


def test_results_are_asks_for_the_whole_result() -> None:
    assert results_are("f", "[_, _]")(program("def f(x):\n    return x, x\n")).ok
    inside = program("def f(x):\n    return g([x, x])\n")
    assert returns("f", "[_, _]")(inside).ok
    assert not results_are("f", "[_, _]")(inside).ok
    branches = "def f(x):\n    if x:\n        return x\n    return x, x\n"
    assert not results_are("f", "[_, _]")(program(branches)).ok


LEFT = """
def f(self, x, y):
    y = self.first(x)
    {}
    return x * y
"""


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("x / 2", "the result of this line is thrown away"),
        ("half = x / 2", "no later line uses half"),
        ("x = x / 2", None),
        ("keep(x / 2)", "the result of this line is thrown away"),
        ("self.half = x / 2", None),
    ],
)
def test_what_leads_nowhere_is_there(line: str, told: str | None) -> None:
    found = returns("f", "_ / _")(program(LEFT.format(line)))
    assert found.ok == (line == "x = x / 2")
    assert found.detail == told
    assert found.foreign == line.startswith("keep")  # what is left there is not the quotient


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("z = x / 2\n    z = soft(y)", "line 8 gives z a new value before this one is used"),
        ("if x:\n        z = x / 2\n    z = y", "line 9 gives z a new value before"),
        ("z = x / 2\n    y = keep(z)\n    z = y", ""),
        ("z = x / 2\n    if x:\n        z = y\n    z = y - z", ""),
        ("for i in x:\n        z = y\n    z = x / 2\n    z = y", ""),
    ],
)
def test_what_is_kept_by_a_name_that_gets_another_value_leads_nowhere(
    lines: str, told: str
) -> None:
    function = f"\ndef f(self, x, y):\n    y = self.first(x)\n    {lines}\n    return x * z\n"
    found = returns("f", "_ / _")(program(function))
    assert found.there == bool(told)
    assert (found.detail or "").startswith(told)


def test_only_with_says_nothing_of_a_missing_helper() -> None:
    failing = returns(call_of("Attention"), "_ / _")
    assert only_with(failing, "Attention._merge")(ATTENTION).foreign
    assert not only_with(failing, "Attention._attn")(ATTENTION).foreign


def test_every_joins_the_lines_and_stops_at_the_first_that_fails() -> None:
    first, second = returns("Attention._attn", "_ @ _"), returns("Attention._attn", "_ * 2")
    assert every(first, second)(ATTENTION).span == second(ATTENTION).span
    assert every(second, first)(ATTENTION).span == second(ATTENTION).span
    failing = returns("Attention._attn", "_ / _", near="_ @ _")
    assert every(first, failing, second)(ATTENTION) == failing(ATTENTION)


# ---- the rubrics --------------------------------------------------------------------------


@pytest.mark.parametrize("step", steps(), ids=lambda step: step.id)
def test_every_source_test_holds_for_the_solution_and_can_be_asked_of_the_stub(step: Step) -> None:
    solution, stub = (read(path.read_bytes()) for path in (step.solution, step.stub))
    tests = {c.id: c.test for c in rubric(step).checks if c.test is not None}
    assert [name for name, test in tests.items() if not test(solution).ok] == []
    assert any(not test(stub).ok for test in tests.values())
