"""The built book: its links hold, it loads nothing from elsewhere, and nothing in it is inline."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from book.build import BookProblem, build
from grader.base import course
from grader.base.course import ROOT

pytestmark = [pytest.mark.whole, pytest.mark.any_python]

STEPS = course.steps()
LOADS = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("use", "href")}
CHAPTERS = (
    *("index", "begin", "mistakes", "glossary", "what_it_costs", "what_heads_learn", "teachers"),
    *("coming_from_pytorch", "how_it_works", "search", "serving", "working"),
)


@dataclass
class Seen(HTMLParser):
    """What one page has: ids, links, what it loads, and what a strict policy would block."""

    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    inline: list[str] = field(default_factory=list)
    body: dict[str, str | None] = field(default_factory=dict)
    sections: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if given.get("id") is not None:
            self.ids.append(given["id"] or "")
        if tag == "section":
            self.sections.append(given.get("id") or "")
        if tag == "body":
            self.body = given
        if tag == "a" and given.get("href") is not None:
            self.links.append(given["href"] or "")
        self.loads += [given[name] or "" for kind, name in LOADS if kind == tag and name in given]
        if tag == "style" or (tag == "script" and "src" not in given):
            self.inline.append(f"<{tag}>")
        self.inline += [f"{tag} {name}" for name in given if name == "style" or name[:2] == "on"]
        self.inline += [link for link in self.links if link.startswith("javascript:")]


@cache
def seen(path: Path) -> Seen:
    parser = Seen()
    parser.feed(path.read_text(encoding="utf-8"))
    return parser


def pages(book: Path) -> list[Path]:
    return sorted(book.rglob("*.html"))


def local(page: Path, link: str) -> tuple[Path, str]:
    parts = urlsplit(link)
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    return target, unquote(parts.fragment)


def test_every_page_that_others_rely_on_is_there(book: Path) -> None:
    numbers = [step.number for step in STEPS]
    expected = {
        *CHAPTERS,
        *(f"steps/step_{number}" for number in numbers),
        *(f"solutions/solution_{number}" for number in numbers),
    }
    found = {path.relative_to(book).with_suffix("").as_posix() for path in pages(book)}
    assert expected <= found
    assert {name for name in found - expected if not name.startswith("decisions/")} == set()


def test_every_link_and_anchor_holds(book: Path) -> None:
    broken = []
    for page in pages(book):
        for link in seen(page).links + seen(page).loads:
            if urlsplit(link).scheme in ("http", "https"):
                continue
            target, anchor = local(page, link)
            if not target.is_relative_to(book) or not target.is_file():
                broken.append(f"{page.name}: {link}")
            elif anchor and anchor not in seen(target).ids:
                broken.append(f"{page.name}: {link} (no such place)")
    assert broken == []


def test_an_id_is_there_once(book: Path) -> None:
    twice = [
        (page.name, name)
        for page in pages(book)
        for name, count in Counter(seen(page).ids).items()
        if count > 1
    ]
    assert twice == []


def test_nothing_comes_from_elsewhere_and_nothing_is_inline(book: Path) -> None:
    for page in pages(book):
        assert seen(page).inline == [], page.name
        assert [link for link in seen(page).loads if urlsplit(link).scheme] == [], page.name
    for path in [*book.rglob("*.css"), *book.rglob("*.svg")]:
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|//\w|@import", text), path.name


def test_a_lesson_says_its_step_and_has_a_place_for_each_heading(book: Path) -> None:
    told = json.loads((book / "sections.json").read_text(encoding="utf-8"))
    assert list(told) == [step.id for step in STEPS]
    for step in STEPS:
        page = seen(book / "steps" / f"{step.lesson.stem}.html")
        assert page.body.get("data-step") == step.id
        text = re.sub(r"(?ms)^```.*?^```$", "", step.lesson.read_text(encoding="utf-8"))
        headings = re.findall(r"(?m)^## (.+)$", text)
        assert sorted(told[step.id]) == sorted(headings)
        assert set(told[step.id].values()) <= set(page.sections)


def test_other_pages_are_of_no_step(book: Path) -> None:
    lessons = {f"{step.lesson.stem}.html" for step in STEPS}
    others = [page for page in pages(book) if page.name not in lessons]
    assert [page.name for page in others if "data-step" in seen(page).body] == []


def test_the_site_and_each_lesson_are_small(book: Path) -> None:
    files = [path for path in book.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 15_000_000
    for step in STEPS:
        page = book / "steps" / f"{step.lesson.stem}.html"
        loaded = [page, *(local(page, link)[0] for link in seen(page).loads)]
        assert sum(path.stat().st_size for path in set(loaded)) < 520_000, step.id


def test_the_first_page_with_its_model_is_small(book: Path) -> None:
    page = book / "index.html"
    loaded = {page, book / "_static/model.js", *(local(page, one)[0] for one in seen(page).loads)}
    assert sum(path.stat().st_size for path in loaded) < 3_000_000


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(BookProblem, match="other files"):
        build(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_build_that_fails_leaves_the_old_site(
    book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "site"
    output.mkdir()
    (output / "sections.json").write_text("old")
    monkeypatch.setattr("book.pages.ROOT", tmp_path)
    with pytest.raises((BookProblem, OSError)):
        build(output)
    assert (output / "sections.json").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_nothing_that_the_build_makes_is_kept_in_git() -> None:
    assert "/build/" in (ROOT / ".gitignore").read_text(encoding="utf-8").split()
