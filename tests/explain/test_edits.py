"""The edits that are tried as hints: what leads from a program to the reference, and its text."""

from __future__ import annotations

import ast
import random
from contextlib import suppress

import pytest

from grader.base import course
from grader.base.blanks import make_answer
from grader.base.model import Replaced
from grader.explain.repair import ranking, syntax
from grader.explain.repair.align import Alignment, Pair
from grader.explain.repair.candidates import compiles, ordered, usual
from grader.explain.repair.clues import Clues
from grader.explain.repair.edits import Change, Edit, Text
from grader.explain.repair.expressions import Expressions
from grader.explain.repair.reference import Reference
from grader.explain.repair.suggest import difference
from grader.explain.repair.vocabulary import Vocabulary
from tests.graded import variants

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
    francais = (variants.FOLDER / "s05" / "right" / "francais.py").read_text("utf-8")
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
    ("text", 'y = f("gelu-new")', 'y = f("gelu_new")', False),
    ("number", "y = t ** (2 * i / d)", "y = t ** (-2 * i / d)", False),
    ("constant", "y = None * n", "y = [None] * n", True),
    ("name", "q, k = r(q), r(q)", "q, k = r(q), r(k)", False),
    ("attribute", "y = p / p.max()", "y = p / p.sum()", False),
    ("default", "class A:\n    n: int", "class A:\n    n: int = 12", True),
    # operations
    ("operator", "y = 2 ^ 10", "y = 2 ** 10", False),
    ("sides", "y = a or b", "y = b or a", False),
    ("sign", "y = x * 1e30", "y = x * -1e30", False),
    ("factor", "y = x * (1 + t)", "y = 2 * x * (1 + t)", False),
    ("shift", "y = s[k]", "y = s[k - 1]", False),
    ("negated", "if used:\n    f()", "if not used:\n    f()", False),
    ("none", "y = 0 if not s else s", "y = 0 if s is None else s", False),
    ("brackets", "y = a - b / c", "y = (a - b) / c", False),
    ("part", "y = attn(x)[0][0]", "y = attn(x)", False),
    ("step", "x = y.p([0, 1])\na = b", "x = y.p([0, 1])\na = b.p([0, 1])", False),
    ("spelling", "y = x.view(2, n)", "y = x.reshape([2, n])", True),
    ("spelling", "import m as F\ny = F.bmm(a, b)", "import m as F\ny = a @ b", True),
    ("spelling", "y = x.sqrt()", "y = F.sqrt(x)", True),
    ("turned into", "y = range(self.h)", "y = range(len(self.h))", True),
    # what is given, and in which order
    ("swapped", "y = norm(x, gamma=b, beta=w)", "y = norm(x, gamma=w, beta=b)", False),
    ("keyword", "y = x.u(dim=1)\nz = x.u(axis=1)", "y = x.u(axis=1)\nz = x.u(axis=1)", True),
    ("argument more", "y = concat(xs)", "y = concat(xs, axis=-1)", True),
    ("left out", "y = f(a, b)", "y = f(a)", True),
    ("listed", "y = split(x, n, n)", "y = split(x, [n, n])", True),
    ("starred", "y = Heads([f(one) for one in x])", "y = Heads(*[f(one) for one in x])", True),
    # parts
    ("item more", "y = m[:, None, :]", "y = m[:, None, None, :]", False),
    ("items swapped", "v, k = past", "k, v = past", False),
    ("slice", "y = x[:n]", "y = x[n:]", False),
    ("range", "y = range(n)", "y = range(1, n + 1)", False),
    ("added up", "for x in a:\n    y = x + b", "for x in a:\n    y += x + b", False),
    ("indented", "for x in a:\n    y = x\nz = y", "for x in a:\n    y = x\n    z = y", False),
    ("unread", "def f(v, i):\n    return v[:, 0]", "def f(v, i):\n    return v[:, i]", False),
    # statements
    (
        "assigned",
        "def f(x):\n    g(x)\n    return x",
        "def f(x):\n    x = g(x)\n    return x",
        False,
    ),
    (
        "target",
        "def f(k, v):\n    k = h(v)\n    g(k)",
        "def f(k, v):\n    v = h(v)\n    g(k)",
        False,
    ),
    ("returned", "for a in x:\n    return a", "for a in x:\n    yield a", True),
    ("raised", "def f():\n    KeyError('x')", "def f():\n    raise KeyError('x')", False),
    ("branch", "if a is None:\n    y = f()\nelse:\n    y = g()", "y = g()", True),
    ("statement gone", "def f(x):\n    a = g(x)\n    return a", "def f(x):\n    return a", False),
    ("check gone", "def f(x):\n    assert x > 0\n    return x", "def f(x):\n    return x", True),
    ("step moved", "y = norm(x + layer(x))", "y = x + layer(norm(x))", False),
    ("step moved", "y = f(norm(x)) + x", "y = norm(f(x) + x)", False),
    (
        "called",
        "def f(a):\n    def g(a): ...\n    b = g",
        "def f(a):\n    def g(a): ...\n    b = g(a)",
        False,
    ),
    ("unpacked", "_, g = x", "*_, g = x", True),
    (
        "keyword value",
        "y = f(x, axis=0)\nz = f(x, axis=1)",
        "y = f(x, axis=1)\nz = f(x, axis=1)",
        False,
    ),
    (
        "completed",
        "def f(a, b): ...\ndef g(b, x):\n    y = map(f, x)",
        "def f(a, b): ...\ndef g(b, x):\n    y = map(lambda one: f(one, b), x)",
        True,
    ),
    ("statement moved", "b = f(a)\na = g(x)", "a = g(x)\nb = f(a)", False),
    ("range", "for i in n:\n    f(i)", "for i in range(n):\n    f(i)", True),
    ("added up", "y =+ mask", "y += mask", False),
    (
        "decorated",
        "class A:\n    def f(x):\n        return x",
        "class A:\n    def f(self, x):\n        return x",
        True,
    ),
]


@pytest.mark.parametrize(("kind", "wrong", "right", "raised"), SLIPS, ids=lambda one: str(one)[:16])
def test_a_slip_is_undone_by_one_edit(kind: str, wrong: str, right: str, raised: bool) -> None:
    mine = Text(f"{wrong}\n")
    found = set()
    for edit in usual(Clues(mine), Vocabulary(mine, Text(f"{right}\n")), raised=raised):
        with suppress(ValueError, SyntaxError):
            found.add((edit.kind, ast.dump(ast.parse(mine.applied(edit)))))
    assert (kind, ast.dump(ast.parse(right))) in found


def test_every_kind_that_has_a_weight_is_made() -> None:
    weighed = {value for group, value in ranking.WEIGHTS if group in ("runs", "raises")}
    assert weighed - ranking.NEARER - {"two", "value"} <= {kind for kind, *_ in SLIPS}


def test_names_that_a_function_does_not_take_become_those_that_it_does() -> None:
    mine = Text("y = Linear(in_features=a, out_features=b)\n")
    takes = {"Linear": ("in_dim", "out_dim", "bias")}
    edits = usual(Clues(mine), Vocabulary(mine, mine, (), takes), raised=True)
    renamed = [mine.applied(one) for one in edits if one.kind == "keyword"]
    assert "y = Linear(in_dim=a, out_dim=b)\n" in renamed


def test_edits_on_the_line_that_a_report_names_go_first() -> None:
    mine = Text("def f(a, b):\n    c = a - b\n    d = a - c\n    return d - b\n")
    for line in (2, 3, 4):
        clues = Clues(mine, line, line)
        edits = list(usual(clues, Vocabulary(mine, mine), raised=False))
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
    expressions = Expressions(text, Vocabulary(text, Text(RIGHT_SUM)), raised=False)
    every = [
        one for node in text.nodes if isinstance(node, ast.expr) for one in expressions.of(node)
    ]
    edits = sorted(every, key=lambda one: one.size)
    assert any(wanted in text.applied(one) for one in edits[:4])
