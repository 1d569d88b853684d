"""What is odd in any program: found where it is, and never in a program that is right."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from grader.base.model import Trace
from grader.grading.reading import fields, odd
from tests.graded import mistakes, variants
from tests.marks import sampled


def certain(text: str) -> list[tuple[int, str, str]]:
    tree = ast.parse(dedent(text))
    return [(one.line, one.said, one.write) for one in odd.certain(tree)]


AFTER = """\
def f(mask, n):
    for row in range(n):
        first = row + 1
    mask[row, first:] = 1
    return mask
"""


@pytest.mark.parametrize(
    "text",
    [
        AFTER.replace("    mask[row", "        mask[row"),
        AFTER.replace("    mask[row, first:] = 1", "    return [row for row in mask]"),
        AFTER.replace("first = row + 1", "break"),
        AFTER.replace("    mask[row", "    row = 0\n    mask[row"),
    ],
)
def test_what_comes_after_a_loop_and_does_not_need_its_turn_is_not(text: str) -> None:
    assert not certain(text)


@pytest.mark.parametrize(
    "text",
    [
        "m = F.where(c, a, b)",
        "m = 1 if c else 1",
        "n = a ^ b",
        "n = (a < 2) ^ (b > 2)",
        "def f(a: set[str], b: set[str]):\n    return a ^ b",
        "n = 2, 3",
        "m = (F.sum(x),)",
        "x = +y",
        "for _ in range(2):\n    x = f(x)",
        "y = [Block(config) for i in range(3)]",
        "y = [b[i, 0] for i in range(3)]",
        "f = lambda _: mask",
        "f = lambda name: 12",
        "y = reduce(lambda acc, f: f(acc), fs, x)",
        "def f(xs):\n    total = 0\n    for x in xs:\n        total += x\n    return total",
        "def f(x, found=[]):\n    found = [*found, x]\n    return found",
        "def f(x, found=[]):\n    return [*found, x]",
        "OUT = []\ndef note(line):\n    OUT.append(line)",
        "found.extend(f'{n}' for n in names)",
        "text = ''\ntext += 'more'",
        "key = re.sub(r'^h', 'H', key)",
        "key = re.sub(pattern, 'H', key)",
        (
            "class C:\n"
            "    def __init__(self):\n"
            "        self.h = []\n"
            "        self._fill()\n"
            "    def _fill(self):\n"
            "        self.h.append(g(1))\n"
            "    def __call__(self, x):\n"
            "        self.past = []\n"
            "        self.past.append(g(x))"
        ),
        "class C:\n    a = 1\n    b = a",
        "def f(self, a):\n    self.a = a",
    ],
)
def test_what_may_be_meant_is_not_told(text: str) -> None:
    assert not [one for one in certain(text) if "=+" not in one[1]]


@pytest.mark.parametrize("text", ["y = x ** 2 / 2", "y = x ** (-1 / 2)", "y = x ** -1 / n"])
def test_what_is_divided_after_its_power_is_not(text: str) -> None:
    assert not certain(text)


LOST = """\
def write(model, ids):
    cache = None
    for _ in range(3):
        ids, cache = model.decode(ids, None)
    return ids
"""


@pytest.mark.parametrize(
    "text",
    [
        LOST.replace("None)", "cache)"),
        LOST.replace("return ids", "return cache"),
        LOST.replace("cache", "_cache"),
        LOST.replace("    cache = None\n", ""),
        LOST.replace("(ids, None)", "(ids, None, None)"),
    ],
)
def test_none_that_may_be_meant_is_not(text: str) -> None:
    assert not certain(text)


CLASS = """\
class Block(Module):
    def __init__(self, width, config: {kind}):
        self.net = Net(width, {given})
"""


@pytest.mark.parametrize(
    "text",
    [
        CLASS.format(kind="Config", given="config"),
        CLASS.format(kind="Config", given="Config()"),
        CLASS.format(kind="Config", given="Other"),
        CLASS.format(kind="type[Config]", given="Config"),
        CLASS.format(kind="Config", given="Config").replace("Net(", "fields("),
    ],
)
def test_a_class_that_may_be_meant_is_not(text: str) -> None:
    assert not certain(text)


@pytest.mark.parametrize("step", sampled(12, variants.steps()))
def test_nothing_certain_is_told_of_a_right_program(step: str) -> None:
    for one in variants.of(step, right=True):
        tree = ast.parse(one.source)
        assert not [slip.said for slip in odd.certain(tree)], one.name
    for name, text in mistakes.bases(step).items():
        assert not [slip.said for slip in odd.certain(ast.parse(text.encode()))], name


KEYS = """\
for key in stored:
    if name not in expected:
        problems.append(name)
    elif stored[key].shape != expected[key]:
        problems.append(key)
"""


@pytest.mark.parametrize(
    "text",
    [
        KEYS.replace("expected[key]", "expected[name]"),
        "k = F.concat([old, new], axis=-2)",
        "k = F.concat([*parts], axis=-2)",
        "x = a[0] if len(a) == 1 else a",
        "x = a[0] if c else a[1]",
        "for n in sorted(d):\n    if n not in e:\n        use(n)\n",
    ],
)
def test_what_is_meant_with_keys_entries_and_lists_is_not(text: str) -> None:
    assert not certain(text)


UNREAD = """\
def tables(angles):
    cosines, sines = [], []
    for angle in angles:
        cosines.append(cos(angle))
        sines.append(sin(angle))
    first = array(cosines)
    second = array(cosines)
    return first, second
"""


@pytest.mark.parametrize(
    "text",
    [
        UNREAD.replace("second = array(cosines)", "second = array(sines)"),
        "def f(rows):\n    rows.append(1)\n",
        "def f(self):\n    rows = []\n    self.rows = rows\n    rows.append(1)\n",
        "def f(n):\n    rows = []\n    for i in range(n):\n        if i in rows:\n"
        "            return i\n        rows.append(i)\n",
    ],
)
def test_what_is_read_elsewhere_or_later_is_not(text: str) -> None:
    assert not certain(text)


LOOKED_UP = """\
def f(names, known):
    for name in names:
        if name not in known:
            wrong(name)
        if known[name] != 1:
            wrong(name)
"""


@pytest.mark.parametrize(
    "text",
    [
        LOOKED_UP.replace("        if known", "        elif known"),
        LOOKED_UP.replace("wrong(name)\n        if", "continue\n        if"),
        LOOKED_UP.replace("wrong(name)\n        if", "known[name] = 1\n        if"),
    ],
)
def test_a_key_that_is_there_by_then_is_not(text: str) -> None:
    assert not certain(text)


LAYERS = """\
class Model:
    def __init__(self, config):
        self.embed = Embedding(config.vocab, config.width)
        self.last = Norm(config.width, eps=config.small)

    def forward(self, x):
        return self.last(x)
"""
TO_SMALL = "config.small in place of config.size"


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("Norm(config.width, eps=config.size)", [(4, TO_SMALL)]),
        ("Norm(config.size, eps=config.width)", []),  # two differ
        ("Norm(config.width, config.small)", []),
        ("Other(config.width, eps=config.size)", []),
        ("Norm(config.width, eps=1e-5)", []),
    ],
)
def test_a_layer_that_is_made_with_another_field_is_found_where_it_goes_wrong(
    given: str, found: list[tuple[int, str]]
) -> None:
    tree = ast.parse(LAYERS.replace("Norm(config.width, eps=config.small)", given))
    told = list(fields.of_layer(tree, ast.parse(LAYERS), Trace((), 7, ())))
    assert [(one.line, one.write) for one in told] == found
    assert not list(fields.of_layer(tree, ast.parse(LAYERS), Trace((), 3, ())))
