"""The edits that are tried as hints: what leads from a program to the reference, and its text."""

from __future__ import annotations

import ast
import random
from contextlib import suppress

import pytest

from grader.base import course
from grader.base.blanks import make_answer
from grader.grading.tried import syntax
from grader.grading.tried.align import Alignment, Pair
from grader.grading.tried.candidates import compiles
from grader.grading.tried.expressions import Expressions
from grader.grading.tried.reference import Reference
from grader.grading.tried.suggest import difference
from grader.grading.tried.text import Text
from grader.grading.tried.words import Words
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
        "Line 2:",
        "- b",
        "+ x",
        "Line 4:",
        "+ d",
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
