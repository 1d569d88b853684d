"""The edits that are tried as hints: what leads from a program to the reference, and its text."""

from __future__ import annotations

import ast
import random
from contextlib import suppress

import pytest

from grader.base import course
from grader.base.blanks import make_answer
from grader.base.model import Replaced
from grader.explain.repair import syntax
from grader.explain.repair.align import Alignment, Pair
from grader.explain.repair.candidates import compiles, ordered, usual
from grader.explain.repair.clues import Clues
from grader.explain.repair.expressions import Expressions
from grader.explain.repair.reference import Reference
from grader.explain.repair.suggest import difference
from grader.explain.repair.text import Change, Edit, Text
from grader.explain.repair.words import Words
from tests.graded import mistakes, variants

RIGHT_SUM = '''\
def norm(x, eps=1e-5):
    """Normalize."""
    mean = x.mean(axis=-1)  # [..., 1]
    centered = x - mean
    return centered / sqrt((centered * centered).mean(axis=-1) + eps)
'''


def _edited(mine: str, right: str = RIGHT_SUM) -> set[str]:
    text = Text(mine)
    found = set()
    for edit in Reference(text, Text(right)).edits():
        try:
            found.add(text.applied(edit))
        except ValueError:
            continue
    return found


def test_a_program_like_the_reference_has_nothing_to_edit() -> None:
    other = RIGHT_SUM.replace("centered", "diff").replace("mean =", "m =").replace("- mean", "- m")
    assert _edited(other) == set()
    assert _edited(RIGHT_SUM.replace("(axis=-1)  # [..., 1]", "(axis = -1)")) == set()


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("x.mean(axis=-1)  #", "x.mean(axis=0)  #"),
        ("centered = x - mean", "centered = x"),
        ("(centered * centered)", "centered"),
        ("/ sqrt(", "* sqrt("),
        ("    centered = x - mean\n", ""),
        ("    return ", "    "),
        ("eps=1e-5", "eps"),
        ("def norm(", "def normalise("),
    ],
)
def test_one_edit_leads_back_in_the_learners_names_with_comments(right: str, wrong: str) -> None:
    german = {"centered": "mitte", "mean =": "mittel =", "- mean": "- mittel"}
    for one, other in {"": "", **german}.items() if right not in RIGHT_SUM else ():
        right, wrong = right.replace(one, other), wrong.replace(one, other)
    assert right in RIGHT_SUM
    own = RIGHT_SUM
    mine = RIGHT_SUM.replace(right, wrong)
    for one, other in german.items():
        own, mine = own.replace(one, other), mine.replace(one, other)
    assert any(ast.dump(ast.parse(own)) == ast.dump(ast.parse(one)) for one in _edited(mine))
    assert all("# [..., 1]" in one for one in _edited(mine) if "mittel =" in one)


@pytest.mark.parametrize(
    ("mine", "right"),
    [
        ("y = a * b", "y = a * (b + c)"),
        ("y = a.T", "y = (a + b).T"),
        ("y = -a", "y = -(a + b)"),
        ("y = a ** b", "y = (a ** b) ** c"),
        ("y = a - b", "y = a - (b - c)"),
        ("y = f(a)[0]", "y = (a if b else c)[0]"),
    ],
)
def test_brackets_stand_where_they_must(mine: str, right: str) -> None:
    wanted = ast.dump(ast.parse(right))
    assert wanted in {ast.dump(ast.parse(one)) for one in _edited(mine + "\n", right + "\n")}


def test_names_follow_from_the_places_where_they_stand() -> None:
    francais = (mistakes.FOLDER / "s05" / "francais.py").read_text("utf-8")
    right = make_answer(course.find("s05").solution.read_text("utf-8"))
    found = {}
    for one in Alignment(Text(francais), Text(right)).found():
        if isinstance(one, Pair) and one.scope.function is not None:
            found[one.scope.function.name] = one.scope.names.names
    assert found["_attn"]["value"] == "valeur"
    assert found["_attn"]["mask"] == "masque"
    assert found["_merge_heads"]["tensor"] == "vecteur"


SLIPS = [
    # what is written down
    ('y = f("gelu-new")', 'y = f("gelu_new")', False),
    ('y = float("inf")', 'y = float("-inf")', False),
    ('y = f(tie="True")', "y = f(tie=True)", False),
    ("def f(x, i):\n    return x.h[0]", "def f(x, i):\n    return x.h[i]", False),
    ("y = x * 1e30", "y = x * -1e30", False),
    ("y = exp(-1j * x)", "y = exp(1j * x)", False),
    # operations
    ("y = a - b / c", "y = (a - b) / c", False),
    ("y = k * x + c * z", "y = k * (x + c * z)", False),
    ("y = sqrt(2.0) / pi", "y = sqrt(2.0 / pi)", False),
    ("y = 1.0 / sqrt(n) // h", "y = 1.0 / sqrt(n // h)", False),
    ("y = set(a) & set(b)", "y = set(a) | set(b)", False),
    ("def f(p, n):\n    return range(n)", "def f(p, n):\n    return range(p + n)", False),
    ("s = sqrt(d)", "s = 1.0 / sqrt(d)", False),
    ("y = x * (1 + t)", "y = 2 * x * (1 + t)", False),
    ("y = 10 * -5", "y = 10 ** -5", False),
    ("def f(r, p):\n    return [1, p + r]", "def f(r, p):\n    return [r, p + r]", False),
    ("def f(a, k):\n    return a[k - 1]", "def f(a, k):\n    return a[min(k, len(a)) - 1]", True),
    ("y = a or b", "y = b or a", False),
    ("y = 0 if not s else s", "y = 0 if s is None else s", False),
    ("y = 2 ^ 10", "y = 2 ** 10", False),
    ("y = x / n", "y = x / n ** 0.5", False),
    ("def f(c):\n    v = c\n    return g(v)", "def f(c):\n    v = c * c\n    return g(v)", False),
    ("y = mean(x, axis=-1) ** 2", "y = mean(x ** 2, axis=-1)", False),
    ("y = t ** (2 * i / d)", "y = t ** (-2 * i / d)", False),
    ("y = x if not used else None", "y = x if used else None", False),
    ("if used:\n    f()", "if not used:\n    f()", False),
    ("y = k, (v if used else None)", "y = (k, v) if used else None", False),
    ("y = arange(a + 1, b + 1)", "y = arange(a, b)", False),
    ("def f(p, n):\n    return range(0, n)", "def f(p, n):\n    return range(p, p + n)", False),
    # parts
    ("for i in h:\n    y = x[..., 0:1, :]", "for i in h:\n    y = x[..., i:i + 1, :]", False),
    ("def f(v, i):\n    return v[:, 0]", "def f(v, i):\n    return v[:, i]", False),
    ("y = x[:, :, n:n + d]", "y = x[:, :, n * d:(n + 1) * d]", False),
    ("for i in h:\n    y = x[:, :d]", "for i in h:\n    y = x[:, i * d:(i + 1) * d]", False),
    ("for i in h:\n    s = slice(0, d)", "for i in h:\n    s = slice(i * d, (i + 1) * d)", False),
    ("k = x[:, :w]", "k = x[:, w:2 * w]", False),
    ("a, b = p[..., 0], p[..., 0]", "a, b = p[..., 0], p[..., 1]", False),
    ("v = x[:, :, w:2 * w]", "v = x[:, :, 2 * w:3 * w]", False),
    ("y = 1 / t ** r(0, 2) / d", "y = 1 / t ** (r(0, 2) / d)", False),
    ("e = r", "e = 1.0 / r", False),
    ("b = s.reshape([n, m])\na = s.T", "b = s.T\na = s.T", False),
    ("x = y.p([0, 1])\na = b", "x = y.p([0, 1])\na = b.p([0, 1])", False),
    # names
    (
        "class A:\n    def f(self):\n        self.c, self.hs = 1, 2\n        return self.c",
        "class A:\n    def f(self):\n        self.c, self.hs = 1, 2\n        return self.hs",
        False,
    ),
    ("f = lambda v, dtype: t(v, dtype=D.f)", "f = lambda v, dtype: t(v, dtype=dtype)", False),
    (
        "def g(a, k=0):\n    pass\ndef f(a, k):\n    g(a)\n    h(k)",
        "def g(a, k=0):\n    pass\ndef f(a, k):\n    g(a, k=k)\n    h(k)",
        False,
    ),
    ("q, k = r(q), r(q)", "q, k = r(q), r(k)", False),
    ("def f(x):\n    k, v = x\n    return v, v", "def f(x):\n    k, v = x\n    return k, v", False),
    ("def f(s, mask):\n    return g(s)", "def f(s, mask):\n    return g(s + mask)", False),
    ("def f(x, dtype):\n    return x", "def f(x, dtype):\n    return x.cast(dtype)", False),
    (
        "def f(t):\n    for i in t:\n        g(t)",
        "def f(t):\n    for i in t:\n        g(t[i])",
        False,
    ),
    (
        "def f(m, cache):\n    y, _ = g(m)\n    return y, cache",
        "def f(m, cache):\n    y, cache = g(m)\n    return y, cache",
        False,
    ),
    # what is given, and in which order
    ("y = old.update(new)", "y = new.update(old)", False),
    ("y = norm(x, gamma=b, beta=w)", "y = norm(x, gamma=w, beta=b)", False),
    ("v, k = past", "k, v = past", False),
    ("y = b * s + a * c", "y = b * c + a * s", False),
    ("y = softmax(x.transpose(1, 2))", "y = softmax(x).transpose(1, 2)", False),
    ("y = x.reshape([n, 1, m])", "y = x.reshape([n, 1, 1, m])", False),
    ("y = m[:, None, :]", "y = m[:, None, None, :]", False),
    (
        "def f(x, dtype):\n    return g(x, dtype=D.f32)",
        "def f(x, dtype):\n    return g(x, dtype=dtype)",
        False,
    ),
    ("y = concat(xs)", "y = concat(xs, axis=-1)", True),
    ("y = full(n, m, 0.0)", "y = full([n, m], 0.0)", True),
    ("y = split(x, n, n)", "y = split(x, [n, n])", True),
    ("y = field(768)\nz = field(default=1)", "y = field(default=768)\nz = field(default=1)", True),
    ("y = norm(attn(x))", "y = attn(norm(x))", False),
    ("y = gelu(proj(x), 't')", "y = proj(gelu(x, 't'))", False),
    ("y = turn(join(a, b), p)", "y = join(a, turn(b, p))", False),
    ("y = norm(x + mlp(x))", "y = x + mlp(norm(x))", False),
    ("def f(x, layer, norm):\n    g()", "def f(x, norm, layer):\n    g()", False),
    ("a = norm(n, eps)\nb = norm(n)", "a = norm(n, eps)\nb = norm(n, eps)", False),
    ("class A:\n    n: int", "class A:\n    n: int = 12", True),
    ("N = 12\nclass A:\n    n: int", "N = 12\nclass A:\n    n: int = N", True),
    ('y = float("1e{n}")', 'y = float(f"1e{n}")', True),
    ("y = finfo(dtype.min)", "y = finfo(dtype).min", True),
    ("y = x.size(2)", "y = x.shape[2]", True),
    ("y = None * n", "y = [None] * n", True),
    ("y = t[None, :]", "y = t[..., None, :]", True),
    # what is done with a value
    ("a = x.turn(1, 2)\nb = y", "a = x.turn(1, 2)\nb = y.turn(1, 2)", False),
    (
        "def f(q, k, at):\n    q = rope(q, at)\n    return q @ k",
        "def f(q, k, at):\n    q = rope(q, at)\n    return q @ rope(k, at)",
        False,
    ),
    ("y = range(self.h)", "y = range(len(self.h))", True),
    ("import F\nF.exp(x)\ny = x.softmax(2)", "import F\nF.exp(x)\ny = F.softmax(x, 2)", True),
    ("import F\nF.exp(x)\ny = softmax(x)", "import F\nF.exp(x)\ny = F.softmax(x)", True),
    ("act = Gelu", "act = Gelu()", True),
    ("d = past.shape[2]", "d = past[0].shape[2]", True),
    # statements
    ("def f():\n    print(y)", "def f():\n    return y", False),
    (
        "def f(x, p=None):\n    x = g(p[0])\n    return x",
        "def f(x, p=None):\n    if p is not None:\n        x = g(p[0])\n    return x",
        True,
    ),
    (
        "class A:\n    def f(self):\n        self.c, hs = 1, 2\n        return self.hs",
        "class A:\n    def f(self):\n        self.c, self.hs = 1, 2\n        return self.hs",
        True,
    ),
    ("for a in x:\n    t = 0\n    t = a", "for a in x:\n    t = 0\n    t += a", False),
    ('def f():\n    ValueError("x")', 'def f():\n    raise ValueError("x")', False),
    ("table[hidden] == 0.0", "table[hidden] = 0.0", False),
    ("for a, b in x:\n    pass", "for a, b in x.items():\n    pass", True),
    ("one = two = norm()", "one = norm()\ntwo = norm()", False),
    ("if a:\n    f()\nif b:\n    g()", "if a:\n    f()\nelif b:\n    g()", False),
    ("def f(x):\n    if s:\n        g()", "def f(x):\n    if s is not None:\n        g()", False),
    (
        "def f(x):\n    r = x\n    x = g(x)\n    return r + x",
        "def f(x):\n    r = x\n    x = g(x)\n    r = x\n    return r + x",
        False,
    ),
    # commas, full stops and closing brackets
    ("y = add(mul(a, b, c))", "y = add(mul(a, b), c)", True),
    ("y = add(mul(a), b)", "y = add(mul(a, b))", False),
    ("y = step(norm, x)", "y = step(norm(x))", True),
    ("f = lambda a, b: low(a.b)", "f = lambda a, b: low(a, b)", True),
    ("y.append(2 * one for one in x)", "y.append([2 * one for one in x])", True),
    ("y = Heads([f(one) for one in x])", "y = Heads(*[f(one) for one in x])", True),
    ("y = attn(x)[0][0]", "y = attn(x)", False),
    ("y = f(x, mask=causal)", "y = f(x, causal=causal)", False),
    (
        "y = x.u(dim=1).u(dim=1)\nz = x.u(axis=1)",
        "y = x.u(axis=1).u(axis=1)\nz = x.u(axis=1)",
        True,
    ),
    # texts
    ('y = key + "h."', 'y = "h." + key', False),
    ('d = {"on": 1, "off": 0}\ny = d["none"]', 'd = {"on": 1, "off": 0}\ny = d["off"]', True),
    ('y = ["c_f"]\nz = "mlp.c_fc.weight"', 'y = ["c_fc"]\nz = "mlp.c_fc.weight"', True),
    # what a function gives back, and how it is made
    ("for a in x:\n    return a", "for a in x:\n    yield a", True),
    ('def f():\n    return KeyError("x")', 'def f():\n    raise KeyError("x")', False),
    (
        "def f(x):\n    m = g(x)\n    v = h(x, m)\n    return v",
        "def f(x):\n    m = g(x)\n    v = h(x, m)\n    return m, v",
        True,
    ),
    (
        "class A:\n    def f(x):\n        return x",
        "class A:\n    @staticmethod\n    def f(x):\n        return x",
        True,
    ),
    (
        "class A:\n    def f(x):\n        return x",
        "class A:\n    def f(self, x):\n        return x",
        True,
    ),
    (
        "@dataclass\nclass A:\n    n: int\nclass B(A):\n    m: int",
        "@dataclass\nclass A:\n    n: int\n@dataclass\nclass B(A):\n    m: int",
        True,
    ),
    (
        "def f(self, x):\n    x = self.h(x)\n    return x",
        "def f(self, x):\n    for layer in self.h:\n        x = layer(x)\n    return x",
        True,
    ),
    (
        "def f(self, x):\n    x = self.n(x)\n    y = x + self.m(x)\n    return y",
        "def f(self, x):\n    y = x + self.m(self.n(x))\n    return y",
        False,
    ),
    (
        "def f(self, x):\n    x = g(x, self.b, self.m)\n    y = g(x, self.a, self.n)\n    return y",
        "def f(self, x):\n    x = g(x, self.a, self.n)\n    y = g(x, self.b, self.m)\n    return y",
        False,
    ),
    (
        "class A:\n    def f(self):\n        self.cfg = 1\n    def g(self):\n        f(self.conf)",
        "class A:\n    def f(self):\n        self.conf = 1\n    def g(self):\n        f(self.conf)",
        True,
    ),
    (
        "class A:\n    @property\n    def f():\n        return 1",
        "class A:\n    @property\n    def f(self):\n        return 1",
        True,
    ),
    ("for a in x:\n    b = a\ny.append(b)", "for a in x:\n    b = a\n    y.append(b)", False),
    ("def f(k, v):\n    k = h(v)\n    g(k, v)", "def f(k, v):\n    v = h(v)\n    g(k, v)", False),
    ("y = mean(x) * mean(x)", "y = mean(x * x)", False),
    (
        "class A:\n    def wide(self, n):\n        self.n = n",
        "class A:\n    def wide(self, n):\n        self.n = n\n        return self",
        True,
    ),
    (
        "def mean(x):\n    return x\ndef f(x):\n    return x - mean",
        "def mean(x):\n    return x\ndef f(x):\n    return x - mean(x)",
        True,
    ),
    ("def f(x, norm, g):\n    y = g(x)", "def f(x, norm, g):\n    y = g(norm(x))", False),
    ('G = "quick"', 'G = "tanh"', False),
    ("def f(x):\n    return len(x)", "def f(x):\n    return int(x.shape[-1])", True),
    ("y = self.h.config.n", "y = self.config.n", True),
    ("self.h = 1\ny = self.config", "self.h = 1\ny = self.h.config", True),
    ("y = np.argsort(s)", "y = np.argsort(-s)", False),
    ("y = np.sort(s)", "y = np.sort(s)[::-1]", False),
    ("y = s[k]", "y = s[k - 1]", False),
    ("y = arange(1, n + 1)", "y = arange(0, n)", False),
    ("y = linspace(0, 1, n)", "y = linspace(0, 1, n, endpoint=False)", False),
    ("y = norm(x + f(x))", "y = x + f(norm(x))", False),
    ("y = x + f(norm(x))", "y = norm(x + f(x))", False),
    ("y = arange(n) * g", "y = arange(n)[:, None] * g", True),
    ("y = x.turn(1, 2).turn(1, 2)", "y = x.turn(1, 2)", False),
    ("y = p / p.max()", "y = p / p.sum()", False),
    (
        "def f(q, r):\n    q = r.turn(q)\n    k = r.key\n    return q, k",
        "def f(q, r):\n    q = r.turn(q)\n    k = r.turn(k)\n    k = r.key\n    return q, k",
        False,
    ),
    (
        "class A:\n    def __init__(self):\n        self.a = Norm(2)\n        self.b = Norm(2)\n"
        "    def f(self, x, y):\n        y = self.a(x)\n        return y",
        "class A:\n    def __init__(self):\n        self.a = Norm(2)\n        self.b = Norm(2)\n"
        "    def f(self, x, y):\n        y = self.a(x)\n        y = self.b(x)\n        return y",
        False,
    ),
    (
        "def f(x, h):\n    for a in h:\n        y = a(x)\n    return g(y)",
        "def f(x, h):\n    for a in h:\n        x = a(x)\n    return g(x)",
        False,
    ),
    (
        "class A:\n    def f(self):\n        self.gamma = 1\n        return self.gamma",
        "class A:\n    def f(self):\n        self.weight = 1\n        return self.weight",
        True,
    ),
    (
        "class A:\n    def end(self):\n        pass\ndef f(a):\n    return a.end",
        "class A:\n    def end(self):\n        pass\ndef f(a):\n    return a.end()",
        True,
    ),
    (
        "def f(x):\n    p = make(g, h)\n    return p",
        "def f(x):\n    p = make(g, h)\n    return p(x)",
        True,
    ),
    ("for g in fs:\n    x = g", "for g in fs:\n    x = g(x)", True),
    ("y = s * d ** -1.5", "y = s * d ** -0.5", False),
    ('for a in x:\n    d[a] = f(d["q"])', "for a in x:\n    d[a] = f(d[a])", True),
    ("def f(*given):\n    return given", "def f(**given):\n    return given", True),
    ("def f(**given):\n    return given", "def f(*given):\n    return given", True),
    (
        "class A:\n    @staticmethod\n    def f(self, x):\n        return x",
        "class A:\n    @staticmethod\n    def f(x):\n        return x",
        True,
    ),
    (
        "class A:\n    @staticmethod\n    def f(self, x):\n        return self.y",
        "class A:\n    def f(self, x):\n        return self.y",
        True,
    ),
    ("a = norm(c)\nb = a", "a = norm(c)\nb = norm(c)", False),
    (
        "class A:\n    def f(self, n, h):\n        self.d = n // h\n        self.s = n ** 2",
        "class A:\n    def f(self, n, h):\n        self.d = n // h\n        self.s = self.d ** 2",
        False,
    ),
    ("q, k = cut(turn(q)), cut(turn(k))", "q, k = turn(cut(q)), turn(cut(k))", True),
]


def test_what_the_reference_does_with_a_value_and_its_sum_is_done_with_another() -> None:
    mine, right = Text("w = exp(s)\nt = g(w)\n"), Text("p = shares / shares.sum()\n")
    edits = usual(Clues(mine), Words(mine, right), raised=False)
    assert "w = exp(s)\nw = w / w.sum()\nt = g(w)\n" in {mine.applied(one) for one in edits}


@pytest.mark.parametrize(("wrong", "right", "raised"), SLIPS)
def test_a_slip_is_undone_by_one_edit(wrong: str, right: str, raised: bool) -> None:
    mine = Text(f"{wrong}\n")
    found = set()
    for edit in usual(Clues(mine), Words(mine, Text(f"{right}\n")), raised=raised):
        assert edit.kind
        with suppress(ValueError, SyntaxError):
            found.add(ast.dump(ast.parse(mine.applied(edit))))
    assert ast.dump(ast.parse(right)) in found


def test_edits_on_the_line_that_a_report_names_go_first() -> None:
    mine = Text("def f(a, b):\n    c = a - b\n    d = a - c\n    return d - b\n")
    for line in (2, 3, 4):
        clues = Clues(mine, line, line)
        edits = list(usual(clues, Words(mine, mine), raised=False))
        first = next(ordered(edits, clues, raised=False))
        assert edits[0].line == line
        assert first.edit.line == line


def test_an_edit_inside_a_function_of_the_file_goes_before_one_without_its_call() -> None:
    mine = Text("def wide(m):\n    return m[None, :]\n\ndef f(c):\n    return wide(c)\n")
    places = ("wide(c)", "c[:, None]", 5), ("m[None, :]", "m[:, None]", 2)
    edits = [
        Edit((Change(at, at + len(old), new),), line, 4, "items swapped")
        for old, new, line in places
        for at in [mine.data.index(old.encode())]
    ]
    first = next(ordered(edits, Clues(mine), raised=False))
    assert first.edit is edits[1]


def test_any_change_of_any_program_is_valid_python_or_none() -> None:
    """Right variants in many styles, each with a line lost: nothing raises, whatever comes out."""
    drawn = random.Random(4)
    for step in ("s03", "s06", "s10", "s12"):
        right = Text(make_answer(course.find(step).solution.read_text("utf-8")))
        for one in variants.sample(variants.of(step, right=True), 6):
            lines = one.source.decode(errors="replace").splitlines(keepends=True)
            del lines[drawn.randrange(len(lines))]
            text = "".join(lines)
            if compiles(text):
                mine = Text(text)
                for edit in Reference(mine, right).edits():
                    with suppress(ValueError):  # its changes overlap
                        mine.applied(edit)
            else:
                assert all(compiles(other.source) for other in syntax.repairs(text, right.source))


def test_a_difference_names_the_lines() -> None:
    assert difference("a\nb\nc\n", "a\nx\nc\nd\n") == (
        Replaced(2, ("b",), ("x",)),
        Replaced(4, (), ("d",)),
    )


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("both = F.concat([a, b], axis=-1)", "both = F.stack([a, b], axis=-1)"),
        ("both = block(a, HIDDEN)", "both = block(a, 0.0)"),
    ],
)
def test_what_is_often_meant_is_tried_before_the_rest(line: str, wanted: str) -> None:
    text = Text(f"from m import F, block\nHIDDEN = float('-inf')\n\ndef f(a, b):\n    {line}\n")
    expressions = Expressions(text, Words(text, Text(RIGHT_SUM)), raised=False)
    every = [
        one for node in text.nodes if isinstance(node, ast.expr) for one in expressions.of(node)
    ]
    edits = sorted(every, key=lambda one: one.size)
    assert any(wanted in text.applied(one) for one in edits[:4])
