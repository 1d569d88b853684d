"""The mutation tool: each mutant is a program of its own with one mistake."""

from __future__ import annotations

import ast

import pytest

from grader.base import course
from tests import grade_the_grader
from tests.graded import mutated, variants
from tests.marks import sampled
from tests.mutate import mutants, twice

PROGRAM = """
def attention(query, key, value):
    scores = query @ key.transpose(-1, -2)
    scores = scores / math.sqrt(64)
    return F.softmax(scores, axis=-1) @ value
"""


def sources() -> set[str]:
    return {mutant.source for mutant in mutants(PROGRAM)}


def test_every_mutant_is_another_program_that_parses() -> None:
    found = [mutant.source for mutant in mutants(PROGRAM)]
    assert len(found) == len(set(found))
    assert ast.unparse(ast.parse(PROGRAM)) not in found
    for source in found:
        ast.parse(source)


def test_the_mistakes_that_people_make_are_among_them() -> None:
    def changed(old: str, new: str) -> str:
        assert old in PROGRAM
        return ast.unparse(ast.parse(PROGRAM.replace(old, new)))

    expected = {
        "no scale": changed("    scores = scores / math.sqrt(64)\n", ""),
        "multiplied": changed("scores / math", "scores * math"),
        "no transpose": changed("key.transpose(-1, -2)", "key"),
        "minus lost": changed("axis=-1", "axis=1"),
        "axis dropped": changed(", axis=-1", ""),
        "operands exchanged": changed(
            "query @ key.transpose(-1, -2)", "key.transpose(-1, -2) @ query"
        ),
        "key for value": changed("@ value\n", "@ key\n"),
        "off by one": changed("64", "63"),
        "no square root": changed("math.sqrt(64)", "64"),
        "no softmax": changed("F.softmax(scores, axis=-1)", "scores"),
    }
    found = sources()
    assert [name for name, source in expected.items() if source not in found] == []


def test_annotations_and_docstrings_are_left_alone() -> None:
    program = 'def f(x: int) -> int:\n    """Twice two."""\n    return x\n'
    assert all("x: int" in m.source and "-> int" in m.source for m in mutants(program))


def test_the_course_gives_five_hundred() -> None:
    solutions = [course.find(step).solution for step in ("s02", "s05", "s07")]
    assert sum(1 for path in solutions for _ in mutants(path.read_text(encoding="utf-8"))) >= 500


def test_two_mistakes_are_no_single_one() -> None:
    found = [mutant.source for mutant in twice(PROGRAM, 12)]
    assert len(found) == 12
    assert len(set(found)) > 6
    assert not set(found) <= sources()
    for source in found:
        ast.parse(source)


def test_what_only_people_read_is_left_alone() -> None:
    program = """
def f(x):
    if not x:
        raise ValueError(f"no {x}" + "at all")
    return g(x, device=x.device)
"""
    found = [one.source for one in mutants(program) if "raise" in one.source]
    assert all("raise ValueError(f'no {x}' + 'at all')" in source for source in found)
    assert not any("return g(x)" in source for source in found)


@pytest.mark.parametrize("step", sampled(4, variants.steps()))
def test_each_mutant_has_a_name_and_those_known_to_be_right_are_made(step: str) -> None:
    names = [one.name for one in mutated.of(step)]
    assert len(names) == len(set(names))
    assert mutated.equivalent(step).keys() <= set(names)


@pytest.mark.slow
def test_mutants_that_pass_are_known_to_be_right() -> None:
    assert grade_the_grader.main(["--mutants"]) == 0
