"""The form that all lessons share, their length, their terms and their links."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.base import course
from grader.base.course import ROOT
from grader.base.model import Step
from tests.lessons.lesson_terms import Term, first_uses, glossary

STEPS = course.steps()
FOLDER = ROOT / "steps"
PAGES = ("what_it_costs.md", "what_heads_learn.md", "mistakes.md", "coming_from_pytorch.md")
"""Pages that several lessons share; no task needs them."""

FIRST = ["The question", "What you will be able to do", "What you build"]
MIDDLE = ["A worked example", "Shapes"]
LAST = ["Tasks", "What goes wrong", "Check yourself", "Expected report", "Further reading", "Next"]
LONGEST = 1800
"""Words before the tasks, without code, drawings and what a model wrote."""

CODE = re.compile(r"^(```.*?^```|<!-- without:start.*?without:end -->)$", re.MULTILINE | re.DOTALL)
TERMS = glossary(FOLDER / "glossary.md")
each_step = pytest.mark.parametrize("step", STEPS, ids=lambda step: step.id)
each_term = pytest.mark.parametrize("term", TERMS, ids=lambda term: term.name)


def text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def sections(step: Step) -> dict[str, str]:
    """The text under each heading, in the order of the lesson."""
    parts = re.split(r"^## (.+)\n", text(step.lesson.name), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@each_step
def test_a_lesson_has_the_form_of_all(step: Step) -> None:
    found = list(sections(step))
    assert found[:3] == FIRST
    assert found[-6:] == LAST
    assert [heading for heading in found if heading in MIDDLE] == MIDDLE
    assert len(found) > len(FIRST + MIDDLE + LAST)  # the idea


@each_step
def test_a_lesson_asks_and_says_what_one_will_be_able_to_do(step: Step) -> None:
    found = sections(step)
    assert found["The question"].rstrip().endswith("?")
    assert 2 <= found["What you will be able to do"].count("\n- ") <= 4


@each_step
def test_the_idea_has_a_picture_and_the_example_has_numbers(step: Step) -> None:
    found = sections(step)
    before = text(step.lesson.name).split("\n## Tasks\n")[0]
    assert re.search(r"^!\[|[│┌─▶▼]", before, re.MULTILINE)
    assert "```pycon" in found["A worked example"]
    assert re.search(r"^\| .* \|$", found["Shapes"], re.MULTILINE)


@each_step
def test_the_answers_are_folded_and_the_sources_linked(step: Step) -> None:
    found = sections(step)
    asked, fold, answers = found["Check yourself"].partition("<details><summary>Answers</summary>")
    assert fold
    assert answers.rstrip().endswith("</details>")
    assert len(re.findall(r"^\d+\. .*\?", asked, re.MULTILINE)) >= 2
    assert "](https://" in found["Further reading"]


@each_step
def test_a_lesson_opens_with_why_and_folds_its_reports(step: Step) -> None:
    _, opening, file, *_ = text(step.lesson.name).split("\n\n")
    assert 8 <= len(opening.split()) <= 45
    assert opening.endswith(".")
    assert "TODO" not in opening
    assert file.startswith("File: ")
    found = sections(step)["Expected report"]
    assert found.count("<details><summary>") == found.count("</details>") == 2
    assert not re.sub(r"(?s)<details>.*?</details>", "", found).strip()


def test_the_lesson_to_write_from_shapes_does_not_print_its_lines() -> None:
    """Step 07's learner writes every line; the lesson has shapes and numbers."""
    found = sections(course.find("s07"))
    before = "".join(body for heading, body in found.items() if heading not in LAST[1:])
    for line in ("@", ".reshape(", ".transpose(-", "F.softmax(s", "F.split(q", "F.softmax(w"):
        assert not re.search(rf"^(?:>>> |\.\.\. ).*{re.escape(line)}", before, re.MULTILINE), line
    for line in ("query @ key", "weights @ value", "tensor.shape[:-1]", "self.c_attn("):
        assert line not in before


def test_the_cache_comes_before_the_options() -> None:
    found = list(sections(course.find("s10")))
    assert found.index("The cache") < found.index("Part 1: the options")


@each_step
def test_a_lesson_is_short_before_its_tasks(step: Step) -> None:
    before = text(step.lesson.name).split("\n## Tasks\n")[0]
    assert len(CODE.sub("", before).split()) <= LONGEST


@each_step
def test_a_lesson_needs_no_preamble(step: Step) -> None:
    assert "engine.install" not in text(step.lesson.name)
    assert "<BLANKLINE>" not in text(step.lesson.name)


def test_the_glossary_is_in_order_and_names_each_term_once() -> None:
    names = [term.name.strip("`").lower() for term in TERMS]
    assert names == sorted(names)
    spellings = [spelling.lower() for term in TERMS for spelling in term.spellings]
    assert len(spellings) == len(set(spellings))


@each_term
def test_a_term_is_explained_and_says_where_there_is_more(term: Term) -> None:
    assert len(term.text.split()) >= 8
    place = re.search(r"(?:Step\s+(\d\d)\.|\]\((\w+\.md)\)\.)$", term.text)
    assert place
    assert place[1] in {step.number for step in STEPS} or place[2] in PAGES


def test_the_first_use_of_every_term_links_to_the_glossary() -> None:
    names = [*(step.lesson.name for step in STEPS), *PAGES]
    uses = first_uses(TERMS, [text(name) for name in names])
    assert [term.name for term in TERMS if term.name not in uses] == []
    unlinked = [
        f"{names[use.lesson]}: {use.term.name}"
        for use in uses.values()
        if use.linked != use.term.link
    ]
    assert unlinked == []


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.md")), ids=lambda path: path.name)
def test_links_between_lessons_find_their_place(path: Path) -> None:
    for target in re.findall(r"\]\(((?!https://)[^)]+)\)", path.read_text(encoding="utf-8")):
        name, _, anchor = target.partition("#")
        assert (FOLDER / name).is_file(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", text(name), re.MULTILINE)
            assert anchor in {Term(one, (), "").link.partition("#")[2] for one in headings}, target
