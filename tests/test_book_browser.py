"""The book in a real browser: everyone can use it, on any screen, under the strictest policy.

Longer than 300 lines, because one browser visits the pages for all its tests.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from book.explorer import TEXTS
from book.model import Switches, read, tokenizer
from tests import browser
from tests.browser import MARKS, PATIENCE_MS, Quiet, api, opened, served, shut_out

pytestmark = MARKS

SAMPLE = ("index", "steps/step_02", "solutions/solution_02", "what_it_costs", "search")
"""A page of each kind."""

POLICY = "default-src 'self'"


class Handler(Quiet):
    """Serves the book as the desk does, with its policy."""

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()


@pytest.fixture(scope="module")
def address(book: Path) -> Iterator[str]:
    with served(book, Handler) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with opened() as chrome:
        yield chrome


class Visit(browser.Visit):
    """One window of the browser: what it complained about, and what it asked of others."""

    def __init__(self, chrome: Any, **settings: Any) -> None:
        super().__init__(chrome, **settings)
        self.page = self.blank()
        self.page.on("request", self._asked)

    def _asked(self, request: Any) -> None:
        if urlsplit(request.url).hostname not in ("127.0.0.1", "", None):
            self.complaints.append(f"asked {request.url}")


@pytest.fixture
def visit(chromium: Any) -> Iterator[Any]:
    made: list[Visit] = []

    def window(**settings: Any) -> Visit:
        made.append(Visit(chromium, **settings))
        return made[-1]

    yield window
    for one in made:
        one.end()


def names(book: Path) -> list[str]:
    return sorted(
        path.relative_to(book).with_suffix("").as_posix() for path in book.rglob("*.html")
    )


def look(visit: Any, address: str, pages: list[str]) -> None:
    """axe finds nothing bad, light and dark; nothing is wider than a phone."""
    page = visit(viewport={"width": 360, "height": 800}).page
    for name in pages:
        page.emulate_media(color_scheme="light")
        page.goto(f"{address}/{name}.html{'?q=softmax' if name == 'search' else ''}")
        ready(page)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 360, f"{name} is {wide} wide"
        assert shut_out(page) == [], name
        page.emulate_media(color_scheme="dark")
        assert shut_out(page, runOnly=["color-contrast"]) == [], f"{name}, dark"


def ready(page: Any) -> None:
    """Wait until the scripts have drawn what they draw."""
    for place in page.locator(".explorer").all():
        place.locator("tbody td").first.wait_for(state="attached")


def test_axe_finds_what_is_wrong(visit: Any, address: str) -> None:
    page = visit().page
    page.goto(f"{address}/begin.html")
    page.evaluate("document.querySelector('main').innerHTML = '<img src=\"_static/icon.svg\">'")
    assert [one for one in shut_out(page) if one.startswith("image-alt")]


def test_nobody_is_shut_out_of_a_page_of_each_kind(visit: Any, address: str) -> None:
    look(visit, address, list(SAMPLE))


@pytest.mark.slow
def test_nobody_is_shut_out_of_any_page(visit: Any, address: str, book: Path) -> None:
    look(visit, address, names(book))


STOPS = """() => [...document.querySelectorAll(
    'a[href], button, input, select, summary, [tabindex="0"]')]
  .filter(one => one.tabIndex >= 0 && one.checkVisibility()).length"""
FOCUSED = """() => {
  const one = document.activeElement, style = getComputedStyle(one);
  window.seen ??= new Set(); window.seen.add(one);
  return [one.tagName, style.outlineStyle !== 'none', window.seen.size];
}"""


def test_the_keyboard_reaches_everything_and_shows_where_it_is(visit: Any, address: str) -> None:
    page = visit(viewport={"width": 1600, "height": 1000}).page
    page.goto(f"{address}/steps/step_05.html")
    ready(page)
    expected = page.evaluate(STOPS)
    assert expected > 60
    unseen = []
    for _ in range(expected):
        page.keyboard.press("Tab")
        tag, outlined, count = page.evaluate(FOCUSED)
        if not outlined:
            unseen.append(tag)
    assert count == expected
    assert unseen == []


def test_the_first_stop_skips_to_the_text(visit: Any, address: str) -> None:
    page = visit().page
    page.goto(f"{address}/steps/step_05.html")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "lesson"


GROUND = "getComputedStyle(document.body).backgroundColor"


def test_the_chosen_theme_is_kept(visit: Any, address: str) -> None:
    page = visit(color_scheme="light").page
    page.goto(f"{address}/index.html")
    light = page.evaluate(GROUND)
    page.get_by_label("Theme").select_option("dark")
    dark = page.evaluate(GROUND)
    assert dark != light
    page.goto(f"{address}/glossary.html")
    assert page.evaluate(GROUND) == dark
    page.get_by_label("Theme").select_option("auto")
    assert page.evaluate(GROUND) == light


def test_heatmaps_follow_the_theme(visit: Any, address: str) -> None:
    page = visit(color_scheme="light").page
    page.goto(f"{address}/steps/step_05.html")
    cell = "getComputedStyle(document.querySelector('.hm .w0')).fill"
    light = page.evaluate(cell)
    page.get_by_label("Theme").select_option("dark")
    chosen = page.evaluate(cell)
    assert len({light, chosen, "rgb(0, 0, 0)"}) == 3
    page.get_by_label("Theme").select_option("auto")
    assert page.evaluate(cell) == light
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(cell) == chosen


@pytest.mark.parametrize("how", ["served", "as files"])
def test_the_search_finds_a_section(visit: Any, address: str, book: Path, how: str) -> None:
    page = visit().page
    page.goto(f"{address if how == 'served' else book.as_uri()}/glossary.html")
    page.get_by_label("Search the book").fill("causal mask")
    page.keyboard.press("Enter")
    page.locator("ul.search a", has_text="Causal mask").first.click()
    assert "mask" in page.locator("main").inner_text().lower()


@pytest.mark.parametrize("how", ["served", "as files"])
def test_the_explorer_shows_what_the_model_computes(
    visit: Any, address: str, book: Path, how: str
) -> None:
    page = visit().page
    page.goto(f"{address if how == 'served' else book.as_uri()}/steps/step_05.html")
    explorer = page.locator(".explorer")
    explorer.get_by_role("radio", name="Layer 4, head 1").focus()
    page.keyboard.press("ArrowRight")
    assert explorer.get_by_role("radio", name="Layer 4, head 2").get_attribute("aria-checked")
    assert table(explorer) == expected(TEXTS[0], Switches(), 4, 2)
    explorer.get_by_label("causal mask").uncheck()
    explorer.get_by_text("sees what follows it").wait_for()
    assert table(explorer) == expected(TEXTS[0], Switches(mask=False), 4, 2)


def test_the_model_in_the_page_reads_any_text(visit: Any, address: str) -> None:
    page = visit().page
    page.goto(f"{address}/index.html")
    explorer = page.locator(".explorer")
    ready(page)
    explorer.get_by_label("Your own text").fill("She was")
    page.keyboard.press("Enter")
    named = explorer.get_by_role("region", include_hidden=True).locator("tbody th").first
    api.expect(named).to_have_text("She", timeout=PATIENCE_MS)
    assert table(explorer) == expected("She was", Switches(), 3, 2)
    explorer.get_by_label("Your own text").fill("very " * 30)
    page.keyboard.press("Enter")
    explorer.get_by_text("Shorten it.").wait_for()


@pytest.mark.parametrize("how", ["served", "as files"])
def test_the_first_page_is_alive_in_two_seconds(
    visit: Any, address: str, book: Path, how: str
) -> None:
    page = visit().page
    page.goto(f"{address if how == 'served' else book.as_uri()}/index.html")
    ready(page)
    assert page.evaluate("performance.now()") < (2_000 if os.environ.get("QUIET") else 10_000)
    page.get_by_role("link", name="Begin", exact=True).click()
    assert page.url.endswith("begin.html")


def test_the_text_changes_without_the_mask(visit: Any, address: str) -> None:
    page = visit().page
    page.goto(f"{address}/index.html")
    ready(page)
    page.get_by_label("causal mask").focus()
    page.keyboard.press("Space")
    told = page.locator(".becomes p mark")
    api.expect(told).to_have_count(2, timeout=PATIENCE_MS)
    for one in told.all():
        api.expect(one).to_have_text(re.compile(r"(.|\n){30,}"), timeout=PATIENCE_MS)
    trained, changed = told.all_inner_texts()
    assert trained != changed


def test_a_token_says_where_it_looks(visit: Any, address: str) -> None:
    page = visit().page
    page.goto(f"{address}/steps/step_03.html")
    explorer = page.locator(".explorer")
    explorer.get_by_role("radio", name="Layer 0, head 0").focus()
    tokens = explorer.locator(".tokens button")
    tokens.last.focus()
    page.keyboard.press("Home")
    assert tokens.first.get_attribute("aria-label") == "She: 100 %"
    assert tokens.nth(1).get_attribute("aria-label") == "·was: not seen"


def table(explorer: Any) -> list[list[str]]:
    rows = explorer.locator("tbody tr")
    said: list[list[str]] = rows.evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent))"
    )
    return said


def expected(text: str, switches: Switches, layer: int, head: int) -> list[list[str]]:
    ids = tokenizer().encode(text)
    rows = read(ids, switches).weights[layer, head]
    ends = [len(ids) if not switches.mask else row + 1 for row in range(len(ids))]
    return [
        [*(f"{100 * weight:.1f}" for weight in row[:end]), *["–"] * (len(ids) - end)]
        for row, end in zip(rows, ends, strict=True)
    ]


def test_without_scripts_there_are_text_and_ways_on(visit: Any, address: str) -> None:
    page = visit(java_script_enabled=False).page
    page.goto(f"{address}/steps/step_05.html")
    assert page.locator("h1").inner_text().startswith("Step 05")
    assert page.get_by_text("The attention explorer needs JavaScript.").is_visible()
    page.get_by_role("navigation", name="Pages before and after").get_by_text("Step 06").click()
    assert page.url.endswith("step_06.html")


def test_paper_has_the_text_and_no_controls(visit: Any, address: str) -> None:
    page = visit(color_scheme="dark").page
    page.emulate_media(media="print", color_scheme="dark")
    page.goto(f"{address}/steps/step_05.html")
    for hidden in (".bar", ".contents", ".turn", ".explorer"):
        assert not page.locator(hidden).first.is_visible()
    assert page.locator("#scaling").is_visible()
    red, green, blue = page.evaluate(
        "getComputedStyle(document.querySelector('h1')).color.match(/\\d+/g)"
    )
    assert max(map(int, (red, green, blue))) < 100
