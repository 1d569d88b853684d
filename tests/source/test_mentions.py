"""What the source of a function mentions and calls, and when that is sure."""

from __future__ import annotations

import pytest

from grader.source import Finding, call_of, calls, mentions, surely
from tests.source.test_patterns import program

ROTARY = program("""
def turn(x):
    return F.cos(x[..., ::2])

class Rotary(Module):
    def __call__(self, x):
        if x == 0:
            return x
        for one in x:
            self._keep(-turn(one))

    def _keep(self, x: pow) -> None:
        print(x ** 2)

def later(x):
    return x.T
""")


@pytest.mark.parametrize(
    "snippet",
    ["_ == _", "(_ != _) | (_ == 0)", "cos(...)", "F.cos(...)", "-_", "_ ** 2", "print(_ ** _)"],
)
def test_mentions_looks_at_statements_and_at_what_they_name(snippet: str) -> None:
    assert mentions(call_of("Rotary"), snippet)(ROTARY).ok


@pytest.mark.parametrize("snippet", ["_ != _", "sin(...)", "_ ** 3", "_.T", "pow", "_ - _"])
def test_mentions_does_not_find_what_is_not_there(snippet: str) -> None:
    assert not mentions(call_of("Rotary"), snippet)(ROTARY).ok


def test_mentions_shows_a_line() -> None:
    assert mentions("Rotary", "cos(...)", shown="_ ** _")(ROTARY) == Finding(
        True, 16, places=frozenset({6})
    )
    assert mentions("Rotary", "sin(...)")(ROTARY) == Finding(False, 8)
    gone = Finding(False, certain=True, absent="Missing")
    assert mentions("Missing", "sin(...)")(ROTARY) == gone


def test_calls_names_the_one_that_is_missing() -> None:
    assert calls("turn", "cos")(ROTARY).ok
    assert calls("turn", "cos", "sin")(ROTARY) == Finding(False, 5, "sin is not called")


def test_surely_is_sure_while_a_placeholder_is_left() -> None:
    stub = program("def f(x):\n    y = None\n    return y\n")
    look = mentions("f", "cos(...)")
    assert look(stub) == Finding(False, 4)
    assert surely(look, "f")(stub) == Finding(False, 4, certain=True)
    assert surely(look, "f", there=True)(stub) == Finding(False, 5, certain=True)
    assert surely(mentions("later", "cos(...)"), "later")(ROTARY).certain is False
