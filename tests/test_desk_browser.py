"""The desk in a real browser: with the keyboard, in several windows, and without a server.

Longer than 300 lines, because one browser and one desk serve all its tests.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from grader.base.blanks import make_answer, make_stub
from grader.base.course import ROOT
from tests import browser
from tests.browser import MARKS, opened, served, shut_out
from tests.desk_server import Served, make_course, serve, small_book

pytestmark = MARKS
HARMLESS = ("net::ERR", "Applying inline style")
"""A server that is gone; and Chromium, which gives typed text the style of what it replaces."""
SOLUTION = (ROOT / "solutions/solution_05.py").read_text(encoding="utf-8")
RIGHT, STUB = make_answer(SOLUTION), make_stub(SOLUTION)
SCALE = "attn_weights = attn_weights / math.sqrt(int(value.shape[-1]))"
WRONG = RIGHT.replace(SCALE, "pass")
EDITOR = "#desk-editor .cm-content"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("desk")
    served = serve(make_course(folder / "course"), small_book(folder / "book", ROOT))
    try:
        yield served
    finally:
        assert served.end() == 0


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with opened("--host-resolver-rules=MAP rebound.example 127.0.0.1") as chrome:
        yield chrome


class Visit(browser.Visit):
    """A browser of one person at the desk."""

    def __init__(self, chrome: Any, desk: Served, settings: dict[str, Any]) -> None:
        super().__init__(chrome, HARMLESS, **{"viewport": _size(1600), **settings})
        self.desk = desk

    def window(self) -> Any:
        """A window with the lesson and the report on the file as it is."""
        page = self.blank()
        page.goto(self.desk.address)
        page.wait_for_url("**/steps/step_05.html")
        page.wait_for_selector("#desk-state.saved, #desk-state.restored", state="attached")
        page.wait_for_selector(".desk-verdict", state="attached")
        return page


def _size(width: int) -> dict[str, int]:
    return {"width": width, "height": 900}


@pytest.fixture
def visit(chromium: Any, desk: Served) -> Iterator[Any]:
    desk.own.file().write_text(STUB, encoding="utf-8")
    desk.enter()
    desk.graded(desk.step()["file"]["digest"])  # so no window shows the last test's report
    made: list[Visit] = []

    def person(**settings: Any) -> Visit:
        made.append(Visit(chromium, desk, settings))
        return made[-1]

    yield person
    for one in made:
        one.end()


def write(page: Any, text: str) -> None:
    """Replace what is in the editor, as a learner who pastes does."""
    page.locator(EDITOR).press("Control+a")
    page.keyboard.insert_text(text)


def text_of(page: Any) -> str:
    """What is in the editor, if it is short: the editor draws only what can be seen."""
    return "\n".join(page.locator(f"{EDITOR} .cm-line").all_text_contents())


def verdict(page: Any, words: str) -> None:
    page.locator(".desk-verdict", has_text=words).wait_for()


def settled(page: Any, words: str) -> None:
    """Wait for this verdict, on the text in the editor, with nothing more to come."""
    verdict(page, words)
    page.locator("#desk:not(.grading)").wait_for(state="attached")
    page.locator("#desk-state.saved").wait_for(state="attached")


def test_from_the_untouched_file_to_the_next_step_with_the_keyboard_alone(visit: Any) -> None:
    page = visit().window()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "To your file"
    page.keyboard.press("Enter")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(WRONG)
    page.keyboard.press("Control+s")
    verdict(page, "28 of 31 checks pass")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "desk-report"
    page.keyboard.press("h")
    page.locator("#desk-said", has_text="Hint: Scale by").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    page.keyboard.press("Control+f")
    page.keyboard.type("        pass  #")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.keyboard.type(f"        {SCALE}  #")
    page.keyboard.press("Control+s")
    verdict(page, "🎉 All checks passed!")
    assert "All checks passed" in page.locator("#desk-heard").text_content()
    page.locator("#desk-course", has_text="1 of 12 steps passed").wait_for()
    page.get_by_role("button", name="Next: Step 06").wait_for()
    page.locator(".contents a.desk-passed").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("l")
    page.locator("#desk-said", has_text="1 of 12 steps passed").wait_for()
    page.keyboard.press("n")
    page.wait_for_url("**/steps/step_06.html")
    page.locator("#desk-name", has_text="steps/step_06.py").wait_for()


def test_a_mistake_shows_at_its_line_in_its_section_and_as_a_picture_until_it_is_fixed(
    visit: Any, desk: Served
) -> None:
    page = visit().window()
    wrong = RIGHT.replace(SCALE, SCALE.replace("/", "*"))  # the values show its line by themselves
    desk.own.file().write_text(wrong, encoding="utf-8")  # in the learner's own editor
    settled(page, "29 of 31 checks pass")
    line = page.locator(".desk-explanation button")
    page.locator("#scaling .desk-lit.first", has_text="scores are multiplied").wait_for()
    picture = page.locator("#desk-verdict img")
    picture.wait_for()
    page.locator("#desk-heads img[alt*='numbers differ']").first.wait_for()
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    line.click()
    page.locator(".cm-lint-marker-error").first.wait_for()
    page.locator(".cm-margin .right [title*='the scores']").wait_for()
    page.locator(".cm-activeLine", has_text="* math.sqrt").wait_for()
    assert page.locator(".cm-lint-marker-error").count() == 1, "red is only the line to change"
    page.locator(".cm-lint-marker-error").hover()
    page.locator(".cm-tooltip", has_text="the scores are multiplied by √head_dim").wait_for()
    write(page, RIGHT)
    page.get_by_role("button", name="Save").click()
    settled(page, "🎉")
    for gone in (".desk-lit", ".cm-lint-marker-error", "#desk-verdict img", ".desk-section"):
        page.locator(gone).first.wait_for(state="detached")
    page.locator(".cm-margin .right").first.wait_for(state="attached")


def test_it_opens_at_the_first_todo_and_then_shows_where_a_line_is_missing(
    visit: Any, desk: Served
) -> None:
    page = visit(viewport={"width": 1600, "height": 500}).window()
    page.locator(".cm-activeLine", has_text="# TODO: Import functional").wait_for()
    assert page.evaluate("scrollY") == 0, "nothing is written, so nothing of the lesson is meant"
    desk.own.file().write_text(RIGHT.replace(SCALE, ""), encoding="utf-8")
    settled(page, "29 of 31 checks pass")
    place = page.locator(".cm-here", has_text="insert here")
    place.wait_for()
    line = page.locator(f"{EDITOR} > .cm-line", has_text="attn_weights = query @ key")
    assert place.evaluate("(here, line) => here.previousSibling === line", line.element_handle())
    assert page.locator(".cm-lint-marker-error").count() == 0, "the line before is right"
    page.locator(".desk-framed.here", has_text="‹ here ›").wait_for()
    top = page.locator("#scaling h2").evaluate("(one) => one.getBoundingClientRect().top")
    assert 0 <= top <= 300
    heard = page.locator("#desk-heard").text_content()
    assert heard.startswith("29 of 31 checks pass. Fix this first: your output is exactly")


def test_escape_closes_a_panel_and_the_heads_begin_with_a_text(visit: Any) -> None:
    page = visit().window()
    said = page.locator("#desk-said")
    page.locator("#desk-report").press("v")
    assert page.locator("#desk-words").input_value() == "she loves cats and dogs"
    page.locator("#desk-words").press("Escape")
    said.wait_for(state="hidden")
    page.locator("#desk-report").press("r")
    said.wait_for()
    page.locator("#lesson").click()
    page.keyboard.press("Escape")
    said.wait_for(state="hidden")


def test_panes_are_moved_with_the_keyboard_and_the_mouse_and_stay(visit: Any) -> None:
    page = visit().window()
    wide = page.get_by_role("separator", name="Width of the desk")
    wide.press("ArrowLeft")
    wide.press("ArrowLeft")
    assert wide.get_attribute("aria-valuenow") == "54"
    high = page.get_by_role("separator", name="Height of the editor")
    before = page.locator("#desk-editor").bounding_box()["height"]
    high.hover()
    page.mouse.down()
    page.mouse.move(1200, 700)
    page.mouse.up()
    page.reload()
    page.locator("#desk-state.saved").wait_for()
    assert page.locator("#desk").bounding_box()["width"] == pytest.approx(0.54 * 1600, abs=2)
    assert page.locator("#desk-editor").bounding_box()["height"] > before + 50


def test_a_step_that_was_left_for_later_meanwhile_is_passed_over(visit: Any, desk: Served) -> None:
    page = visit().window()
    desk.own.run("skip", "s06")
    try:
        page.locator("#desk-report").press("l")
        page.locator("#desk-said li", has_text="left for later").wait_for()
    finally:
        desk.own.run("skip", "--undo", "s06")


def test_unsaved_lines_and_a_change_elsewhere_are_both_kept(visit: Any, desk: Served) -> None:
    page = visit().window()
    write(page, "# mine\n")
    desk.own.file().write_text("# theirs\n", encoding="utf-8")
    page.locator("#desk-conflict", has_text="Nothing is lost").wait_for()
    page.get_by_role("button", name="Show the difference").click()
    page.locator("#desk-conflict .minus", has_text="- # theirs").wait_for()
    page.locator("#desk-conflict .plus", has_text="+ # mine").wait_for()
    page.locator(EDITOR).press("Control+s")
    assert desk.own.file().read_text(encoding="utf-8") == "# theirs\n"
    page.get_by_role("button", name="Take the other").click()
    kept = page.locator("#desk-said pre").text_content().split()[-1]
    assert (desk.own.root / kept).read_text(encoding="utf-8") == "# mine\n"
    assert text_of(page) == "# theirs\n"
    write(page, "# mine again\n")
    desk.own.file().write_text("# theirs again\n", encoding="utf-8")
    page.get_by_role("button", name="Keep mine").click()
    page.locator("#desk-state.saved").wait_for()
    assert desk.own.file().read_text(encoding="utf-8") == "# mine again\n"
    kept = page.locator("#desk-said pre").text_content().split()[-1]
    assert (desk.own.root / kept).read_text(encoding="utf-8") == "# theirs again\n"


def test_a_window_that_is_closed_or_reloaded_loses_nothing(visit: Any, desk: Served) -> None:
    person = visit()
    page = person.window()
    write(page, "# not saved\n")
    page.reload()
    page.locator("#desk-state.restored").wait_for()
    assert text_of(page) == "# not saved\n"
    other = person.window()
    assert other.locator("#desk-state.saved").count() == 1, "an open window's text is its own"
    page.close()
    while other.evaluate("navigator.locks.query().then((found) => found.held.length)") > 1:
        other.wait_for_timeout(50)  # until the browser knows that it is closed
    other.close()
    third = person.window()
    assert text_of(third) == "# not saved\n"
    assert desk.own.file().read_text(encoding="utf-8") == STUB


@pytest.mark.parametrize("count", [8, pytest.param(20, marks=pytest.mark.slow)])
def test_windows_see_each_other(visit: Any, count: int) -> None:
    """More than the six connections that a browser opens to one server."""
    person = visit()
    pages = [person.window() for _ in range(count)]
    write(pages[0], RIGHT)
    pages[0].keyboard.press("Control+s")
    for page in pages[1:]:  # they show the first lines; the editor draws only what can be seen
        line = page.locator(f"{EDITOR} .cm-line", has_text="from max.experimental.nn")
        line.first.wait_for(state="attached")
    for page in pages:
        settled(page, "🎉")
    write(pages[-1], WRONG)
    pages[-1].keyboard.press("Control+s")
    for page in pages[:3]:
        verdict(page, "28 of 31")


def test_what_a_program_prints_is_text(visit: Any, desk: Served) -> None:
    page = visit().window()
    markup = "<img src=x onerror=alert(1)><b id=bold>bold</b>\x1b[31m"
    desk.own.file().write_text(f"{RIGHT}\nprint({markup!r})\n", encoding="utf-8")
    page.locator("#desk-report section pre", has_text="<b id=bold>bold</b>").wait_for()
    assert page.locator("#bold, #desk-report img[src=x]").count() == 0


def test_without_a_server_the_text_is_kept_and_saved_when_it_is_back(
    visit: Any, desk: Served
) -> None:
    page = visit().window()
    desk.end()
    try:
        page.locator("#desk-state.gone").wait_for()
        write(page, RIGHT)
        page.keyboard.press("Control+s")
        page.locator("#desk-state.gone", has_text="safe here").wait_for()
        assert desk.own.file().read_text(encoding="utf-8") == STUB
    finally:
        desk.begin_again()
    verdict(page, "🎉")
    assert desk.own.file().read_text(encoding="utf-8") == RIGHT


def test_who_takes_the_port_of_a_desk_that_ended_is_sent_nothing(visit: Any, desk: Served) -> None:
    asked: list[str] = []

    class Stranger(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(f"{self.command} {self.path} {self.headers}")
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(b'{"proof": "theirs", "nonce": "theirs"}')

        do_POST = do_PUT = do_GET  # noqa: N815 - as the class calls them

        def log_message(self, *_: object) -> None: ...

    page = visit().window()
    key = page.locator('meta[name="desk-key"]').get_attribute("content")
    cookie = page.context.cookies()[0]["value"]
    desk.end()
    try:
        with ThreadingHTTPServer(("127.0.0.1", desk.port), Stranger) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            page.locator("#desk-state.gone").wait_for()
            write(page, RIGHT)
            page.keyboard.press("Control+s")
            page.wait_for_timeout(2500)  # it asks each second
            server.shutdown()
    finally:
        desk.begin_again()
    verdict(page, "🎉")
    assert asked
    assert all(one.startswith("GET /_proof?nonce=") for one in asked), asked
    assert not [one for one in asked if "cookie" in one.lower() or key in one or cookie in one]


TRIES = """async ([there, kind]) => {
    const told = [];
    const tried = async (name, run) => {
        try { told.push([name, String(await run())]); } catch { told.push([name, "refused"]); }
    };
    const loads = (name, attributes) => new Promise((done, failed) => {
        const made = Object.assign(document.createElement(name), attributes);
        made.onload = () => done("loaded"); made.onerror = () => failed();
        document.body.append(made);
    });
    const body = JSON.stringify({text: "theirs", base: "", window: ""});
    const url = `${there}/api/steps/s05`;
    for (const mode of ["cors", "no-cors"]) {
        const options = {credentials: "include", mode};
        await tried(`get ${mode}`, async () => (await fetch(url, options)).text());
        await tried(`post ${mode}`, async () =>
            (await fetch(`${url}/reset`, {...options, method: "POST", body})).text());
        await tried(`put ${mode}`, async () => (await fetch(url, {...options, method: "PUT", body,
            headers: {"Content-Type": "application/json"}})).text());
    }
    await tried("script", () => loads("script", {src: `${there}/_desk/desk.js`}));
    await tried("image", () => loads("img", {src: `${there}/_static/icon.svg`}));
    await tried("events", () => new Promise((done, failed) => {
        const source = new EventSource(`${there}/api/events`, {withCredentials: true});
        source.onmessage = () => done("heard"); source.onerror = () => failed();
    }));
    const frame = document.createElement("iframe");
    frame.src = `${there}/steps/step_05.html`;
    document.body.append(frame);
    await new Promise((done) => setTimeout(done, 300));
    await tried("frame", () => frame.contentDocument.title);
    return told;
}"""


def test_a_page_elsewhere_reads_nothing_and_writes_nothing(
    visit: Any, desk: Served, tmp_path: Path
) -> None:
    """The same browser, which has the cookie; a server of another port counts as the same site."""
    (tmp_path / "index.html").write_text("<!doctype html><body>evil", encoding="utf-8")
    person = visit()
    person.window()
    before = desk.own.file().read_bytes()
    with served(tmp_path) as port:
        for name in ("127.0.0.1", "rebound.example"):
            page = person.context.new_page()
            page.goto(f"http://{name}:{port}/")
            for told in page.evaluate(TRIES, [desk.origin, name]):
                assert told[1] in ("refused", ""), told
        page = person.context.new_page()
        page.goto(f"http://rebound.example:{desk.port}/steps/step_05.html")
        assert "Another page asked" in page.content()
        assert desk.own.file().read_bytes() == before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everyone_can_use_it(visit: Any, desk: Served, scheme: str) -> None:
    desk.own.file().write_text(WRONG, encoding="utf-8")
    page = visit(color_scheme=scheme).window()
    settled(page, "28 of 31 checks pass")
    page.locator("#desk-heads img").first.wait_for(state="attached")
    page.locator("#desk-report").press("s")
    page.locator("#desk-said").wait_for()
    assert shut_out(page) == []


@pytest.mark.slow
def test_everyone_can_use_it_beside_the_real_book(
    chromium: Any, tmp_path: Path, book: Path
) -> None:
    own = make_course(tmp_path)
    own.file().write_text(WRONG, encoding="utf-8")
    desk = serve(own, book)
    try:
        for scheme, width in product(("light", "dark"), (1600, 360)):
            person = Visit(chromium, desk, {"color_scheme": scheme, "viewport": _size(width)})
            page = person.window()
            if width < 900:
                page.locator("#desk-tabs").get_by_role("button", name="Report").click()
            settled(page, "28 of 31 checks pass")
            page.locator("#desk-heads img").first.wait_for(state="attached")
            for part in ("Your file", "Report", "Lesson") if width < 900 else ("",):
                if part:
                    page.locator("#desk-tabs").get_by_role("button", name=part).click()
                assert shut_out(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            person.end()
    finally:
        desk.end()


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_from_the_first_page_to_the_first_pass(
    chromium: Any, tmp_path: Path, book: Path, by: str
) -> None:
    own = make_course(tmp_path)
    solution = make_answer((ROOT / "solutions/solution_02.py").read_text(encoding="utf-8"))
    desk = serve(own, book)
    try:
        person = Visit(chromium, desk, {})
        page = person.window()
        page.goto(f"{desk.origin}/index.html")
        for name in ("Begin", "02 Create a Causal Mask"):
            link = page.get_by_role("link", name=name).first
            if by == "mouse":
                link.click()
                continue
            page.evaluate("document.body.focus()")
            while not link.evaluate("one => one === document.activeElement"):
                page.keyboard.press("Tab")
            with page.expect_navigation():
                page.keyboard.press("Enter")
        page.locator("#desk-state.saved").wait_for(state="attached")
        if by == "mouse":
            page.locator(EDITOR).click()
        else:
            page.keyboard.press("Tab")
            page.keyboard.press("Enter")
        page.keyboard.press("Control+a")
        page.keyboard.insert_text(solution)
        if by == "mouse":
            page.get_by_role("button", name="Save").click()
        else:
            page.keyboard.press("Control+s")
        verdict(page, "🎉")
        person.end()
    finally:
        desk.end()
