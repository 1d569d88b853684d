"""What is odd in any program: found where it is, and never in a program that is right."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from grader.base.model import Trace
from grader.grading.reading import fields, odd, siblings, texts
from grader.grading.reading import likely as meant
from tests.graded import mistakes, variants
from tests.marks import sampled

NOTHING = ast.parse("")


def certain(text: str) -> list[tuple[int, str, str]]:
    tree = ast.parse(dedent(text))
    return [(one.line, one.said, one.write) for one in odd.certain(tree)]


def likely(text: str, right: str = "") -> list[tuple[int, str]]:
    found = meant.likely(ast.parse(dedent(text)), ast.parse(dedent(right)))
    return [(one.line, one.said) for one in found]


AFTER = """\
def f(mask, n):
    for row in range(n):
        first = row + 1
    mask[row, first:] = 1
    return mask
"""


def test_a_statement_that_left_its_loop_is_found() -> None:
    ((line, said, _),) = certain(AFTER)
    assert (line, "reads row" in said, "loop of line 2" in said) == (4, True, True)


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
    ("text", "words"),
    [
        ("m = F.sum(x),", "The comma at the end of line 1"),
        ("x =+ y", "=+"),
        ("class C:\n    a = 1\n    a = 2", "line 2"),
        ("low = sys.float_info.min", "it hides nothing"),
        ("hide = lambda scores: mask", "The lambda on line 1 takes scores, and does not use it"),
        ("y = reduce(lambda acc, f: f(x), fs, x)", "takes acc, and does not use it"),
        (
            "def f(x, found=[]):\n    found.append(g(x))\n    return found",
            "Begin f with found = []",
        ),
        (
            "def f(x, *, found={}):\n    found[0] = g(x)\n    return found",
            "The default {} of found",
        ),
        (
            "OUT = []\ndef f(x):\n    OUT.append(g(x))\n    return OUT",
            "each call of f adds to what",
        ),
    ],
)
def test_what_nobody_means_is_told(text: str, words: str) -> None:
    ((_, said, _),) = certain(text)
    assert words in said


@pytest.mark.parametrize(
    ("text", "write"),
    [
        ("n = 2^10", "2 ** 10"),
        ("n = 2 ^ k", "2 ** k"),
        ("v = (x - mean) ^ 2", "(x - mean) ** 2"),
        ("v ^= 2", "v **= 2"),
        ("return scores * (1.0 // root)", "1.0 / root"),
        ("rate = 2 // 100", "2 / 100"),
        ("def f(n):\n    m = n - 1\n    print(m)\nx = f(3)\ny = f(4)", "return m"),
        ("def f(n):\n    print(n * 2)\ndef g(n):\n    return h(f(n))", "return n * 2"),
        ("x =+ y", "x += y"),
        ("def f(x):\n    y = g(x)\n    return\nz = h(f(1))", "return y"),
    ],
)
def test_what_to_write_is_told_where_it_is_sure(text: str, write: str) -> None:
    ((_, _, found),) = certain(text)
    assert found == write


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


@pytest.mark.parametrize(
    ("text", "is_", "write"),
    [
        ("y = size ** -1 / 2", "1 / (2 * size)", "size ** (-1 / 2)"),
        ("y = x * int(d) ** 1 / 2", "int(d) / 2", "x * int(d) ** (1 / 2)"),
        ("y = (a + b) * d ** -1 / 2", "1 / (2 * d)", "(a + b) * d ** (-1 / 2)"),
        ("y = int(d) ** 1 / 2", "int(d) / 2", "int(d) ** (1 / 2)"),
    ],
)
def test_half_of_a_power_is_no_root(text: str, is_: str, write: str) -> None:
    found = [(said.partition(" is ")[2], new) for _, said, new in certain(text)]
    assert found == [(f"{is_}.", write)]


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


HELPER = """\
def masked(scores, mask):
    return scores + mask

def attend(scores, mask):
    scores = masked(scores, None)
    return scores
"""


def test_an_argument_that_nothing_reads_is_told_where_another_takes_its_place() -> None:
    ((line, said),) = likely(HELPER)
    assert line == 5
    assert said == "attend takes mask and does not use it: line 5 gives masked None for it."


@pytest.mark.parametrize("star", ["", "*, "])
def test_an_argument_that_is_not_handed_on_is_to_be_given_by_its_name(star: str) -> None:
    text = HELPER.replace(
        "scores, mask):\n    return scores +", f"scores, {star}mask=0):\n    return"
    )
    tree = ast.parse(text.replace("masked(scores, None)", "masked(scores)"))
    (slip,) = meant.withheld(tree, NOTHING)
    assert slip.said == "attend takes mask and does not use it: line 5 calls masked without it."
    assert slip.write == "masked(scores, mask=mask)"


def test_an_argument_that_the_reference_does_not_read_either_is_not_told() -> None:
    assert not likely("def f(a, b):\n    return a", "def f(a, b):\n    return a")
    assert not likely("def f(a, b):\n    pass")


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


def test_the_condition_of_an_own_error_is_told() -> None:
    text = "def f(a, known):\n    if a in known:\n        raise TypeError(a)\n    return a\n"
    slip = meant.own_raise(ast.parse(text), 3)
    assert slip is not None
    assert (slip.line, "a in known is true" in slip.said) == (2, True)
    assert meant.own_raise(ast.parse(text), 4) is None


def test_parts_without_a_name_are_in_no_order() -> None:
    right = dedent("""\
        def g(x):
            return f(x), (x, x)


        def h(x, kept):
            a, kept[0] = g(x)
            return a
        """)
    assert not list(siblings.returned(ast.parse(right)))
    wrong = right.replace("f(x), (x, x)", "b, a").replace("a, kept[0] = g(x)", "a, b = g(x)")
    assert [one.line for one in siblings.returned(ast.parse(wrong))] == [6]


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


def test_an_error_that_comes_up_in_a_raise_is_none_of_its_own() -> None:
    text = "def f(a, known):\n    if a:\n        raise ValueError('x' + a)\n"
    tree = ast.parse(text)
    assert meant.own_raise(tree, 3, "ValueError: xy") is not None
    assert meant.own_raise(tree, 3, "TypeError: can only concatenate str") is None


CHECKED = """\
def require(fine, why):
    if not fine:
        raise ValueError(why)


def halves(width, parts):
    require(parts % width == 0, "parts must divide width")
    return width // parts
"""

THROUGH = """\
  File step_01.py, line 7, in halves
    require(parts % width == 0, "parts must divide width")
  File step_01.py, line 3, in require
    raise ValueError(why)
ValueError: parts must divide width"""


def test_a_helper_that_looks_at_more_than_it_is_given_may_ask_wrongly() -> None:
    more = CHECKED.replace("    if not fine", "    fine = fine and LIMIT\n    if not fine")
    chain = THROUGH.replace("line 7", "line 8").replace("line 3", "line 4")
    slip = meant.at_error(ast.parse(more), 4, "parts must divide width", chain)
    assert slip is not None
    assert slip.line == 3


TABLE = """\
PARTS = (("norm", "attn"), ("norm", "mlp"))

class A(Module):
    def __init__(self):
        for name, make in {"norm": Norm, "other": Norm, "attn": Attn, "mlp": Mlp}.items():
            setattr(self, name, make())

    def forward(self, x):
        for norm, part in PARTS:
            x = x + getattr(self, part)(getattr(self, norm)(x))
        return x
"""


def test_a_row_that_names_what_another_names_is_found() -> None:
    ((line, said, write),) = certain(TABLE)
    assert (line, write, "nothing names other" in said) == (1, "('other', 'mlp')", True)
    assert not certain(TABLE.replace('("norm", "mlp")', '("other", "mlp")'))
    assert not certain(TABLE.replace('"other": Norm, ', ""))


def test_a_method_that_makes_the_layers_is_called() -> None:
    text = """\
    class A(Module):
        def __init__(self, n):
            self.n = n

        def build(self):
            self.layer = Linear(self.n, self.n)

        def forward(self, x):
            return self.layer(x)
    """
    ((line, said, _),) = certain(text)
    assert (line, "nothing calls build" in said) == (3, True)
    assert not certain(text.replace("self.n = n", "self.n = n; self.build()"))
    assert not certain(text.replace("class A(Module)", "class A(Base)"))


def test_a_question_under_which_nothing_is_done_is_found() -> None:
    ((line, said, _),) = certain("if a is not None:\n    pass\nb = 1\n")
    assert (line, "does nothing where a is not None" in said) == (2, True)
    assert not certain("if a:\n    pass\nelse:\n    b = 1\n")


@pytest.mark.parametrize(
    ("text", "message", "write"),
    [
        ('x = float("1e{n}")', "could not convert string to float: '1e{n}'", 'f"1e{n}"'),
        ("w = table['h.{i}.w']", "KeyError: 'h.{i}.w'", 'f"h.{i}.w"'),
        ("w = table['h.{i}.w']", "KeyError: 'h.0.w'", None),
        ('raise ValueError("no {n}")', "no {n}", None),
        ('x = float(f"1e{{n}}")', "could not convert string to float: '1e{n}'", None),
        ('x = float("{}")', "could not convert string to float: '{}'", None),
    ],
)
def test_a_text_that_an_error_has_with_its_braces_is_to_be_an_f_string(
    text: str, message: str, write: str | None
) -> None:
    slip = texts.unfilled(ast.parse(text), message)
    assert (slip.write if slip else None) == write


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("def f(n):\n    m = n - 1\nx = f(3)", [2]),
        ("def f(n):\n    m = n - 1\n    return m\nx = f(3)", []),
        ("def f(n):\n    n.m = 1\nx = f(3)", []),
        ("def f(n):\n    print(n)\nf(3)", []),
        ("def f(n):\n    yield n\n    m = 1\nx = f(3)", []),
    ],
)
def test_a_helper_without_a_return_is_odd_where_its_value_is_used(
    text: str, lines: list[int]
) -> None:
    assert [one[0] for one in certain(text)] == lines


FIELDS = "class Config:\n    vocab: int = 1\n    width: int = 2\n    heads: int = 3\n"


@pytest.mark.parametrize(
    ("mine", "write"),
    [
        (FIELDS, None),
        (FIELDS.replace("    width: int = 2\n", "") + "    more: int = 2\n", None),
        (FIELDS + "    more: int = 2\n", None),
        (FIELDS.replace("Config", "Other").replace("width", "d_model"), None),
    ],
)
def test_a_field_in_the_place_of_another_has_the_wrong_name(mine: str, write: str | None) -> None:
    found = list(meant.withheld(ast.parse(mine), ast.parse(FIELDS)))
    assert [one.write for one in found] == ([write] if write else [])


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


WRITES = """\
def write(text, left):
    if left <= 0:
        return
    yield text
    {} write(text + text, left - 1)

def outer(text):
    def inner():
        yield text
    return inner()
"""


@pytest.mark.parametrize(
    ("how", "said"),
    [("return", "Line 5 returns write(...)"), ("", "Line 5 only calls"), ("yield from", None)],
)
def test_a_generator_hands_on_what_another_one_yields(how: str, said: str | None) -> None:
    found = certain(WRITES.format(how).replace("     write", "    write"))
    assert [(line, text.startswith(said or "?"), new) for line, text, new in found] == (
        [(5, True, "yield from write(text + text, left - 1)")] if said else []
    )


DEFAULTS = "KIND = {}\n\nclass A:\n    def f(self, x, dtype={}, *, eps={}):\n        return x\n"


@pytest.mark.parametrize(
    ("given", "slips"),
    [
        (("DType.int8", "dtypes.float64", "1e-5"), [(4, "dtypes.float32")]),
        (("DType.float64", "KIND", "1e-5"), [(1, "DType.float32")]),
        (("DType.float32", "KIND", "1 / 10**5"), []),
        (("DType.float32", "None", "width"), []),
        (("1", "DType.float32", "1e-3"), [(4, "1e-05")]),
    ],
)
def test_a_default_that_differs_from_that_of_the_solution_is_told(
    given: tuple[str, str, str], slips: list[tuple[int, str]]
) -> None:
    right = ast.parse(DEFAULTS.format("0", "DType.float32", "1e-5"))
    found = meant.withheld(ast.parse(DEFAULTS.format(*given)), right)
    assert [(one.line, one.write) for one in found if "by default" in one.said] == slips
