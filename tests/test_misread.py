"""What reads otherwise than Python does it, and the layers that an object keeps."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from grader.grading.reading import odd
from grader.grading.reading.library import missing
from grader.grading.reading.likely import at_error
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
    ("text", "line", "words", "write"),
    [
        (LAYERS.replace("make()\n        self", "self"), 4, "no layer for self.ln_2", None),
        (LAYERS.replace("self.ln_2 = make()", "self.ln_2 = self.ln_1"), 5, "self.ln_2", None),
        (FILLED.replace("x, pairs[at] =", "x, pair ="), 4, "full of None", ""),
        (
            CHAIN.replace("x = layer", "y = layer").replace("return x", "return y"),
            3,
            "last turn makes",
            "",
        ),
        (
            "key = key.lstrip('transformer.')",
            1,
            "letters",
            "key.removeprefix('transformer.')",
        ),
        (
            "WORD = 'transformer.'\nkey = 'x.' + key.lstrip(WORD)",
            2,
            "letters",
            "key.removeprefix(WORD)",
        ),
        (
            "def f(key):\n    start = 'transformer.'\n    return start + key.lstrip(start)",
            3,
            "letters",
            "key.removeprefix(start)",
        ),
        ("key = key.strip('transformer.')", 1, "removeprefix or removesuffix does that", ""),
        ("a = s.reshape(s.shape[::-1])", 1, "keeps the order", "s.T"),
        ("a = np.reshape(w, (w.shape[1], w.shape[0]))", 1, "keeps the order", "w.T"),
        ("a = w.reshape(w.shape[-1], w.shape[-2])", 1, "keeps the order", "w.T"),
        (
            KEPT_LIST.replace("in self.blocks:", "in every:"),
            6,
            "keeps it as self.blocks",
            "self.blocks",
        ),
        (
            KEPT_LIST.replace("every =", "self.width = width\n        every =").replace(
                "in self.blocks", "in range(width)"
            ),
            7,
            "keeps it as self.width",
            "self.width",
        ),
    ],
)
def test_what_reads_otherwise_than_it_is_done(
    text: str, line: int, words: str, write: str | None
) -> None:
    ((at, said, found),) = told(text)
    assert (at, words in said) == (line, True)
    assert write is None or found == write


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


USES = "def f(x):\n    return {}(add, x)\n"


@pytest.mark.parametrize(
    ("head", "name", "hint"),
    [
        ("from functools import partial\n", "reduce",
         "Write from functools import partial, reduce"),
        ("from itertools import zip_longest, chain\n", "accumulate",
         "Write from itertools import zip_longest, chain, accumulate"),
        ("import operator\n", "reduce",
         "Import it at the top of the file: from functools import reduce"),
        ("import functools as ft\n", "reduce",
         "The file imports it as ft.reduce. Write ft.reduce in place of reduce"),
        ("def reduced(x): pass\n", "reduce", ""),  # a slip of the pen
        ("def g(reduce): pass\n", "reduce", ""),  # what another function calls so
        ("from functools import *\n", "product",
         "Import it at the top of the file: from itertools import product"),
        ("from math import sqrt\n", "nothing", ""),
        ("import functools\n", "Parameter", ""),  # of inspect, but rather another library's
    ],
)  # fmt: skip
def test_a_name_of_pythons_library_is_told_with_its_import(head: str, name: str, hint: str) -> None:
    text = head + USES.format(name)
    told = missing(ast.parse(text), name, len(text.splitlines()))
    assert (told.hint if told else "") == hint


CHAIN = "  File step.py, line {}, in f\n  File step.py, line 2, in complain\nValueError: no"
COMPLAIN = "def complain(*said):\n    raise ValueError(said)\n\n"


@pytest.mark.parametrize(
    ("text", "at", "line", "said"),
    [
        (f"{COMPLAIN}def f(x):\n    if not x > 1:\n        complain(x)\n", 6, 5,
         "Line 6 has complain raise this error, as on line 5 not x > 1 is true."),
        (f"{COMPLAIN}def f(x):\n    if x:\n        y = 1\n    else:\n        complain(x)\n", 8, 5,
         "as on line 5 x is false."),
        (f"{COMPLAIN}def f(x):\n    complain(x)\n", 5, 0, ""),
    ],
)  # fmt: skip
def test_a_helper_that_only_raises_is_called_under_a_condition(
    text: str, at: int, line: int, said: str
) -> None:
    slip = at_error(ast.parse(text), 2, "ValueError: no", CHAIN.format(at))
    assert (slip.line if slip else 0) == line
    assert said in (slip.said if slip else "")


FIELD = """\
class A:
    x: int | None = None
    def f(self):
        if {}:
            raise ValueError('no')
"""


@pytest.mark.parametrize(
    ("text", "at", "write"),
    [
        ("def f(q, k, v):\n    if len(q) != len(k):\n        raise ValueError('k and q')\n", 3, ""),
        ("def f(k, v):\n    n = len(v)\n    if n != len(k):\n        raise ValueError('k and v')\n",
         4, ""),
        ("def f(q, k, v):\n    if len(q) != len(k):\n        raise ValueError('a bad v')\n", 3, ""),
        ("def f(n, h):\n    if n % h:\n        raise ValueError('h must divide n')\n", 3, ""),
        (FIELD.format("not whole(self.x)"), 5, "self.x is not None and not whole(self.x)"),
        (FIELD.format("not whole(self.x)").replace("x: int", "y: int"), 5, ""),
        (FIELD.format("self.x is not None and not whole(self.x)"), 5, ""),
        (FIELD.format("not whole(self.x)").replace("= None", "= 1"), 5, ""),
    ],
)  # fmt: skip
def test_what_a_condition_asks_is_compared_with_what_its_error_says(
    text: str, at: int, write: str
) -> None:
    chain = f"  File step.py, line 6, in f\n  File step.py, line {at}, in g\nValueError: no"
    slip = at_error(ast.parse(text), at, "ValueError: no", chain)
    assert slip is not None
    assert slip.write.startswith(write) if write else not slip.write
