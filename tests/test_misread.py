"""What reads otherwise than Python does it, and the layers that an object keeps."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from grader.grading.reading import odd
from grader.source import placeholders
from tests.graded import mistakes, variants
from tests.marks import sampled


def told(text: str) -> list[tuple[int, str, str]]:
    tree = ast.parse(dedent(text))
    return [(one.line, one.said, one.write) for one in odd.certain(tree)]


LAYERS = """\
class Block:
    def __init__(self, config):
        make = lambda: LayerNorm(config.n_embd)
        self.ln_1 = make()
        self.ln_2 = make()
"""

KEPT_LIST = """\
class Model:
    def __init__(self, width):
        every = [Block(width) for _ in range(3)]
        self.blocks = Layers(every)
    def run(self):
        for one in self.blocks:
            one()
"""

KEPT = """\
def complaints(names):
    for name in names:
        yield name

def convert(names):
    found = complaints(names)
    if found:
        raise ValueError(found)
"""

READ = """\
def answer(model, ids, cache):
    logits, cache = model.decode(ids, cache)
    return logits, cache
"""

FILLED = """\
def decode(blocks, x):
    pairs = [None] * len(blocks)
    for at, block in enumerate(blocks):
        x, pairs[at] = block(x, pairs[at])
    return x, pairs
"""

COUNTED = """\
def decode(blocks, cache):
    i = 0
    for block in blocks:
        block(cache[i])
        i += 1
"""

CHAIN = """\
def apply(layers, x):
    for layer in layers:
        x = layer(x)
    return x
"""

NORMS = """\
class Block:
    def __init__(self, config):
        self.config = config
        self.norm = self.make_norm
        self.act = self.squared

    def make_norm(self):
        return LayerNorm(self.config.n_embd)

    def squared(self, x):
        return x * x

    def forward(self, x):
        return self.norm(self.act(x))
"""

MATCHED = """\
def total(numbers):
    match numbers:
        case []:
            return 0
        case [first, *rest]:
            return first + total(rest)

def every(x, y):
    return total(zip(x, y))
"""

RIGHT = (
    MATCHED.replace("(zip(x, y))", "([*zip(x, y)])"),
    NORMS.replace("make_norm\n        self.act", "make_norm()\n        self.act"),
    LAYERS,
    KEPT.replace("complaints(names)\n    if", "list(complaints(names))\n    if"),
    READ,
)


@pytest.mark.parametrize("text", [*RIGHT, FILLED, CHAIN, COUNTED])
def test_what_is_right_is_not_odd(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "text = text.strip('[]() ')",
        "text = text.rstrip('\\n')",
        "w = w.reshape(w.shape[0], w.shape[1])",
        "top = np.max(scores, -1) + F.max(scores, 0) + F.max(scores, axis=-1) + max(top, -1)",
        "w = w.reshape(w.shape[1], v.shape[0])",
        "def f(text, marks):\n    return text.strip(marks)",
        "def f(text, marks):\n    return text.strip(marks)\ndef g():\n    marks = 'letters'",
        KEPT_LIST,
        KEPT_LIST.replace("in self.blocks:", "in every:").replace("(self)", "(self, every)"),
        KEPT_LIST.replace("class", "every = [1]\n\nclass").replace("in self.blocks:", "in every:"),
        "def f(items):\n    for one in items:\n        last = one\n    return last",
        "def f(self, x):\n    self.heads = self.n_head = int(x)",
        "def f(cache, x):\n    out, weights = attend(x)\n    return out, None, None",
    ],
)
def test_what_may_be_meant_is_not_odd(text: str) -> None:
    assert told(text) == []


def test_a_loop_that_may_return_does_not_end_in_its_last_turn() -> None:
    loop = "def f(shares):\n    for token in shares:\n        if token > 1:\n            return 0\n"
    assert told(f"{loop}    return token") == []


@pytest.mark.parametrize("step", sampled(12, variants.steps()))
def test_nothing_is_odd_in_the_programs_that_mistakes_are_made_in(step: str) -> None:
    for name, text in mistakes.bases(step).items():
        assert not [one.said for one in odd.certain(ast.parse(text.lstrip("\ufeff")))], name


def test_a_protocol_has_nothing_to_fill_in() -> None:
    text = "class Layer(Protocol):\n    def forward(self, x): ...\n"
    assert not placeholders.unfilled(ast.parse(text))
    assert placeholders.unfilled(ast.parse(text.replace("(Protocol)", "")))


CHAIN = "  File step.py, line {}, in f\n  File step.py, line 2, in complain\nValueError: no"
