"""The teacher's page, in a real browser: sorting, searching, links, print, and hostile names."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from grader.base.model import CheckResult, Diagnosis, Excerpt, Kind, Report, Status, Verdict
from grader.classroom import page
from grader.classroom.collect import Answer
from grader.classroom.gradebook import Gradebook, Row
from grader.classroom.layout import Student
from grader.classroom.roster import Person
from grader.classroom.similarity import Group
from grader.isolation.tiers import CONFINED_SEES
from grader.report.points import Points

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--virtual-time-budget=5000",
)
NASTY = "</details><script>document.title='owned'</script><img src=x onerror=alert(1)>\"'&\ud800"
CODE = f"a = 1\r\n\tsecret_name\x1b[2J = '''{NASTY}'''\n" + "\n" * 4 + "seventh = 7\n"
EXCERPT = Excerpt("output", NASTY, ((1.0, 2.0),), ((1.0, float("nan")),), ("0",), ("0", "1"))


def report(passed: int, mistake: str = "") -> Report:
    states = [Status.PASS] * passed + [Status.FAIL] * (3 - passed)
    checks = tuple(
        CheckResult(f"c{i}", Kind.RUNTIME, status, f"{NASTY} {i}", (NASTY,), 7, NASTY, NASTY)
        for i, status in enumerate(states)
    )
    found = (Diagnosis("m", mistake, 7),) if mistake else ()
    verdict = Verdict.PASS if passed == 3 else Verdict.FAIL
    told = Report("s05", "Title", "steps/step_05.py", verdict, checks, found, output=NASTY)
    told = replace(told, isolation="confined")
    return told if passed == 3 else replace(told, excerpt=EXCERPT)


def book() -> Gradebook:
    given = {
        "zoe": report(3),
        "Ada": report(1, "No scale."),
        "bob": report(2, "No scale."),
        NASTY: replace(report(0, NASTY), isolation=None),
        "eve": replace(report(0), verdict=Verdict.ERROR, isolation=None),
        "gone": None,
    }
    rows = {
        (name, "s05"): Row(Answer(f"{name}.py", "x", late=name == "bob"), told, code=CODE)
        if told
        else Row(None, None)
        for name, told in given.items()
    }
    return Gradebook(
        titles={"s05": "Implement"},
        sentences={"s05": [(f"c{i}", f"Check {i}") for i in range(3)]},
        people=tuple(Person(name, Student(name), listed=name != "eve") for name in given),
        rows=rows,
        points=Points({"s05": {"*": 1}}),
        most={"s05": 3},
        skipped=(NASTY,),
        roster=True,
        similar=(Group("s05", ("zoe", NASTY)),),
    )


PAGE = page.render(book())


class Outline(HTMLParser):
    """The tags that are open at the end, and every id and every link."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag not in ("meta", "link", "input", "br", "img", "path", "rect"):
            self.open.append(tag)
        self.scripts += tag == "script"
        self.ids += filter(None, [given.get("id")])
        self.links += filter(None, [given.get("href"), given.get("src")])

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_asks_for_nothing() -> None:
    outline = Outline()
    outline.feed(PAGE)
    assert outline.open == []
    assert outline.scripts == 1
    assert len(outline.ids) == len(set(outline.ids))
    assert {link.removeprefix("#") for link in outline.links} <= set(outline.ids)
    assert not re.search(r"https?://(?!www\.w3\.org)", PAGE)
    PAGE.encode("utf-8")


def test_it_says_in_which_tier_each_program_ran() -> None:
    assert f"Isolation: 3 confined. {CONFINED_SEES}</p>" in PAGE
    assert PAGE.count("Isolation: confined.</span>") == 3
    assert PAGE.count("It was not run.</span>") == 1


def test_a_report_has_its_program_beside_it_with_the_lines_that_it_names() -> None:
    (pane,) = re.findall(r'<div class="code"[^>]*Ada, s05.*?</div>', PAGE, re.DOTALL)
    numbers, code = (
        html.unescape(text) for text in re.findall(r"<pre.*?>(.*?)</pre>", pane, re.DOTALL)
    )
    assert numbers.split("\n") == [str(n) for n in range(1, 8)]
    assert code.split("\n")[0] == "a = 1"
    assert code.split("\n")[1].startswith("    secret_name = ")
    assert code.split("\n")[-1] == "<mark>seventh = 7</mark>"
    assert pane.count("<mark>") == 1
    assert "\x1b" not in pane


def test_the_same_class_gives_the_same_page() -> None:
    assert page.render(book()) == PAGE


def browser(folder: Path, text: str, *options: str, at: str = "") -> str:
    """What the browser makes of a page."""
    assert CHROMIUM
    (folder / "page.html").write_text(text, encoding="utf-8")
    profile = f"--user-data-dir={folder / 'profile'}"
    address = (folder / "page.html").as_uri() + at
    done = subprocess.run(
        [CHROMIUM, *OPTIONS, profile, *(options or ("--dump-dom",)), address],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=True,
    )
    return done.stdout


needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


ACTIONS = """
const told = {};
const heads = () => [...document.querySelectorAll("#class thead th")].map(h => h.ariaSort);
const names = () => [...document.querySelectorAll("#class tbody tr")]
  .filter(row => !row.hidden).map(row => row.cells[0].textContent);
const buttons = document.querySelectorAll("#class thead button");
told.start = names();
buttons[0].click(); told.by_name = names(); told.sorts = heads();
buttons[0].click(); told.by_name_down = names();
buttons[2].click(); told.by_points = names(); told.said = said.textContent;
only.value = "fail"; only.dispatchEvent(new Event("change")); told.failed = names();
search.value = "BOB"; search.dispatchEvent(new Event("input")); told.bob = names();
told.focusable = [...document.querySelectorAll("button, summary, a, input, select")]
  .every(each => each.tabIndex === 0);
told.title = document.title;
told.shown = document.querySelector(".tools").offsetHeight > 0;
location.hash = "#p1";
addEventListener("hashchange", () => setTimeout(() => {
  told.open = [...document.querySelectorAll("details[open]")].map(each => each.id);
  document.body.innerHTML = `<pre id="told"></pre>`;
  document.getElementById("told").textContent = JSON.stringify(told);
}));
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a person who clicks and types would see. The policy forbids this script: it goes."""
    policy = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
    acted = policy.sub("", PAGE).replace("</body>", f"<script>{ACTIONS}</script></body>")
    dom = browser(tmp_path_factory.mktemp("page"), acted)
    match = re.search(r'<pre id="told">(.*?)</pre>', dom, re.DOTALL)
    assert match, dom[-2000:]
    found: dict[str, Any] = json.loads(html.unescape(match[1]))
    return found


@pytest.mark.whole
@needs_browser
def test_the_table_is_sorted_by_its_buttons_and_says_so(told: dict[str, Any]) -> None:
    nasty = NASTY.replace("\ud800", "?")
    assert told["start"] == ["zoe", "Ada", "bob", nasty, "eve", "gone"]
    assert told["by_name"] == [nasty, "Ada", "bob", "eve", "gone", "zoe"]
    assert told["by_name_down"] == told["by_name"][::-1]
    assert told["by_points"] == ["zoe", "bob", "Ada", "gone", nasty, "eve"]
    assert told["sorts"] == ["ascending", None, None, None]
    assert told["said"] == "Sorted by s05 points, descending."


@pytest.mark.whole
@needs_browser
def test_search_filter_links_and_keyboard(told: dict[str, Any]) -> None:
    assert len(told["failed"]) == 3
    assert told["bob"] == ["bob"]
    assert told["open"] == ["p1"]
    assert told["focusable"]
    assert told["shown"]


@pytest.mark.whole
@needs_browser
def test_no_text_of_a_learner_becomes_a_part_of_the_page(
    told: dict[str, Any], tmp_path: Path
) -> None:
    dom = browser(tmp_path, PAGE)
    assert "<title>Class report, s05</title>" in dom
    assert told["title"] == "Class report, s05"
    assert "<img" not in dom
    # Even where one got through, the page's own policy would not run it.
    dom = browser(tmp_path, PAGE.replace("<main>", "<main><script>document.title='x'</script>"))
    assert "<title>Class report, s05</title>" in dom


def pages(folder: Path, text: str) -> int:
    """How many sheets of paper it takes."""
    target = folder / "page.pdf"
    browser(folder, text, f"--print-to-pdf={target}", "--no-pdf-header-footer")
    return len(re.findall(rb"/Type */Page\b", target.read_bytes()))


@pytest.mark.whole
@needs_browser
def test_on_paper_is_the_class_and_the_reports_that_are_open(tmp_path: Path) -> None:
    one = book()
    names = [f"{person.name} {n}" for n in range(20) for person in one.people]
    people = tuple(Person(name, Student(name)) for name in names)
    rows = {(name, "s05"): one.rows[name.rpartition(" ")[0], "s05"] for name in names}
    text = page.render(replace(one, people=people, rows=rows, similar=()))
    closed = pages(tmp_path, text)
    assert closed <= 12  # a table of 120 people with texts of 100 characters
    two = text.replace('<details class="person"', '<details open class="person"', 2)
    assert closed < pages(tmp_path, two) <= closed + 3


def test_the_page_for_the_wall_names_nobody() -> None:
    given = replace(book(), known={"s05": frozenset(("No scale.",))})
    text = page.wall(given)
    assert "struggles with" in text
    assert "Check 2" in text
    assert "No scale." in text
    assert not [word for word in ("owned", "alert", "&lt;/details") if word in text], NASTY
    assert 'id="checks"' in text
    for name in ("zoe", "Ada", "bob", "eve", "gone"):
        assert name not in text
    whole = page.render(given)
    assert whole.index('id="checks"') < whole.index('id="mistakes"') < whole.index('id="students"')
    assert all(person.name in whole for person in given.people if person.name.isalpha())
