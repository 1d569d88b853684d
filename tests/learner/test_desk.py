"""The desk's server: saves, reports, conflicts and help, asked as its own page asks.

Longer than 300 lines, because one desk serves all its tests.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the environment `desk` is not installed")

from grader.base.blanks import make_answer
from grader.base.course import ROOT
from grader.base.model import Step
from grader.learner.desk import address, book, text
from grader.learner.desk.hub import Hub
from tests.desk_server import Served, Window, make_course, running, serve, serve_at, small_book

pytestmark = pytest.mark.any_python
SCALE = "attn_weights = attn_weights / math.sqrt(int(value.shape[-1]))"


def right() -> str:
    return make_answer((ROOT / "solutions/solution_05.py").read_text(encoding="utf-8"))


def wrong() -> str:
    assert SCALE in right()
    return right().replace(SCALE, "pass")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("desk")
    with running(make_course(folder / "course"), small_book(folder / "book", ROOT)) as served:
        yield served


@pytest.fixture
def window(desk: Served) -> Iterator[Window]:
    """It was opened when the last test's file had its report: it hears of this test alone."""
    desk.graded(desk.step()["file"]["digest"])
    made = Window(desk)
    yield made
    made.close()


# ---- from a save to a report --------------------------------------------------------------------


def test_a_save_is_graded_with_line_hint_section_margin_and_pictures(
    desk: Served, window: Window
) -> None:
    digest = desk.save(wrong()).json()["digest"]
    early = window.hears("report", digest=digest)
    check = next(one for one in early["checks"] if one["id"] == early["first"])
    assert check["id"] == "scale"
    assert check["section"] == {"heading": "Scaling", "anchor": "scaling"}
    assert any("math.sqrt" in hint for hint in check["hints"])
    whole = window.hears("report", digest=digest, whole=True)
    marks = [one["mark"] for one in whole["margin"]]
    assert (marks.count("left"), {"right", "follows"} <= set(marks)) == (1, True)
    assert any("scores" in one["name"] for one in whole["margin"])
    told = whole["explanation"]
    assert "without the 1/√head_dim scale" in " ".join([told["head"], *told["told"]])
    assert {row[1] for row in told["frame"]} >= {"right", "wrong"}
    assert whole["figure"]["svg"].startswith("<svg")
    figures = window.hears("figures", digest=digest)
    assert "Expected" in figures["figures"][0]["svg"]


def test_a_right_file_passes_and_says_what_comes_next(desk: Served, window: Window) -> None:
    digest = desk.save(right()).json()["digest"]
    report = window.hears("report", digest=digest, whole=True)
    assert report["verdict"] == "pass"
    assert report["closing"].startswith("🎉")
    assert "Next is step 06" in report["after"]
    states = {one["id"]: one["state"] for one in desk.step()["progress"]}
    assert states["s05"] == "passed"


def test_a_save_in_another_editor_is_seen(desk: Served, window: Window) -> None:
    path = desk.own.file()
    path.write_text(wrong() + "# elsewhere\n", encoding="utf-8")
    digest = sha256(path.read_bytes()).hexdigest()
    assert window.hears("file", digest=digest)["window"] == ""
    assert window.hears("report", digest=digest)["verdict"] == "fail"


def test_a_file_replaced_by_renaming_is_seen(desk: Served, window: Window) -> None:
    path = desk.own.file()
    other = path.with_name("swap.tmp")
    other.write_text(wrong() + "# renamed\n", encoding="utf-8")
    digest = sha256(other.read_bytes()).hexdigest()
    other.rename(path)
    window.hears("report", digest=digest)


def test_a_save_ends_the_grading_of_a_program_that_never_ends(desk: Served, window: Window) -> None:
    endless = desk.save(f"{right()}\nwhile True: pass\n").json()["digest"]
    window.hears("grading")
    digest = desk.save(right() + "# ends\n").json()["digest"]
    assert window.hears("report", digest=digest, whole=True)["verdict"] == "pass"
    assert endless not in {event["about"].get("digest") for event in window.reports()}


# ---- conflicts ----------------------------------------------------------------------------------


def test_a_save_on_another_version_is_refused_with_both_texts(desk: Served) -> None:
    before = desk.step()["file"]
    desk.own.file().write_text("# theirs\n", encoding="utf-8")
    answer = desk.save("# mine\n", before["digest"])
    assert answer.status == 409
    assert answer.json()["text"] == "# theirs\n"
    assert desk.own.file().read_text(encoding="utf-8") == "# theirs\n"
    differ = desk.ask("/api/steps/s05/difference", "POST", {"text": "# mine\n"}).json()["lines"]
    assert {"- # theirs", "+ # mine"} <= set(differ)
    kept = desk.ask("/api/steps/s05/keep", "POST", {"text": "# theirs\n"}).json()["kept"]
    assert (desk.own.root / kept).read_text(encoding="utf-8") == "# theirs\n"
    assert desk.save("# mine\n", answer.json()["digest"]).status == 200


def test_two_saves_on_one_version_do_not_both_win(desk: Served) -> None:
    base = desk.step()["file"]["digest"]
    answers = [desk.save(f"# {number}\n", base).status for number in range(2)]
    assert answers == [200, 409]


@pytest.mark.parametrize("before", [b"\xef\xbb\xbfa\r\nb\r\n", b"a\r\nb", b"a\nb\n"])
def test_line_ends_and_the_byte_order_mark_stay(tmp_path: Path, before: bytes) -> None:
    step = _step(tmp_path, before)
    now = text.read(step)
    text.write(step, now.text, now.digest)
    assert step.stub.read_bytes() == before
    text.write(step, now.text + "\nc", now.digest)
    ends = b"\r\n" if b"\r" in before else b"\n"
    assert step.stub.read_bytes() == before + ends + b"c"


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"x" * (1 << 18) + b"y"])
def test_a_file_that_cannot_be_edited_here_says_why_and_stays(tmp_path: Path, data: bytes) -> None:
    step = _step(tmp_path, data)
    now = text.read(step)
    assert now.problem
    with pytest.raises(text.Conflict):
        text.write(step, "mine", now.digest)
    assert step.stub.read_bytes() == data


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    step = _step(tmp_path, b"")
    step.stub.unlink()
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    step.stub.symlink_to(tmp_path / "secret")
    assert text.read(step).problem
    with pytest.raises(text.Conflict):
        text.write(step, "mine", "")
    assert (tmp_path / "secret").read_text(encoding="utf-8") == "secret"


def test_a_file_that_is_gone_can_be_written_again(tmp_path: Path) -> None:
    step = _step(tmp_path, b"")
    step.stub.unlink()
    assert text.read(step) == text.Text("", "")
    text.write(step, "mine\n", "")
    assert step.stub.read_text(encoding="utf-8") == "mine\n"


def _step(folder: Path, data: bytes) -> Step:
    (folder / "steps").mkdir()
    (folder / "steps/step_05.py").write_bytes(data)
    return Step("s05", "Title", folder, "course")


# ---- help: what the terminal says too ------------------------------------------------------------


def test_hints_and_solution_are_those_of_the_terminal(desk: Served) -> None:
    desk.graded(desk.save(wrong() + "# hint\n").json()["digest"])
    hint = desk.ask("/api/steps/s05/hint", "POST", {}).json()["said"]
    assert hint.count("Hint:") >= 2
    assert "press h" in hint
    solution = desk.ask("/api/steps/s05/solution?now=1").json()["said"]
    assert solution == desk.own.run("solution", "s05", "--now").stdout
    assert SCALE in solution


def test_the_solution_waits_for_a_pass(desk: Served) -> None:
    assert desk.ask("/api/steps/s06/solution").json() == {"said": "", "passed": False}


def test_reset_keeps_a_copy_and_everyone_sees_it(desk: Served, window: Window) -> None:
    desk.save("# to keep\n")
    said = desk.ask("/api/steps/s05/reset", "POST", {}).json()["said"]
    assert "is the stub again" in said
    copy = desk.own.root / said.splitlines()[0].partition("kept as ")[2]
    assert copy.read_text(encoding="utf-8") == "# to keep\n"
    stub = desk.own.file()
    window.hears("file", digest=sha256(stub.read_bytes()).hexdigest())


def test_the_learners_heads_take_any_text(desk: Served) -> None:
    desk.graded(desk.save(right()).json()["digest"])
    usual, chosen = (
        desk.ask(f"/api/steps/s05/heads?text={words}").json()["figures"][0]["svg"]
        for words in ("", "she%20was")
    )
    assert "was" in chosen
    assert usual != chosen
    assert desk.ask("/api/steps/s05/heads?text=" + "she%20" * 33).status == 400


# ---- beginning and end --------------------------------------------------------------------------


@pytest.mark.whole
def test_it_ends_with_open_windows_and_begins_again_with_another_cookie_behind_a_proxy(
    tmp_path: Path,
) -> None:
    own, pages = make_course(tmp_path / "course"), small_book(tmp_path / "book", ROOT)
    first = serve(own, pages)
    first.enter()
    windows = [Window(first) for _ in range(2)]
    assert first.end(signal.SIGTERM) == 0
    assert not own.left()
    for one in windows:
        one.close()
    hub = "https://hub.example/user/ana/desk"
    again = serve_at(first.port, own, pages, "--at", hub)
    try:
        again.cookie = first.cookie
        assert again.ask("/api/steps/s05").status == 403
        _enters_by_a_proof(again, address.key(own.root))
        assert again.step()["name"] == "steps/step_05.py"
        token, other = (one.address.partition("=")[2] for one in (first, again))
        assert token != other
        _enters_by_a_proxy(again, hub)
    finally:
        assert again.end(signal.SIGINT) == 0


def _enters_by_a_proof(desk: Served, key: str) -> None:
    """Desk and page show each other that they have the key; nobody else can use what they send."""
    mine = address.Address(desk.port, key=key)
    found = desk.ask("/_proof?nonce=mine", headers={"Cookie": None}).json()
    assert found["proof"] == mine.proof("desk", desk.origin, "mine")
    wrong = (
        found["proof"],
        mine.proof("page", "http://127.0.0.1:1", found["nonce"]),
        mine.proof("page", desk.origin, "another"),
        address.Address(desk.port, key="x").proof("page", desk.origin, found["nonce"]),
        "",
    )
    for proof in wrong:
        assert desk.ask(f"/_proof?proof={proof}", "POST").status == 403
    right = f"/_proof?proof={mine.proof('page', desk.origin, found['nonce'])}"
    assert desk.ask(right, "POST", headers={"Sec-Fetch-Site": "same-site"}).status == 403
    assert key not in str(found)
    desk.cookie = desk.ask(right, "POST").headers["set-cookie"].partition(";")[0]
    assert key not in desk.cookie


def _enters_by_a_proxy(desk: Served, hub: str) -> None:
    """The cookie is for the proxy's path, and its pages are let in."""
    assert desk.address.startswith(f"{hub}/?token=")
    theirs: dict[str, str | None] = {"Host": "hub.example", "Origin": "https://hub.example"}
    query = desk.address.partition("?")[2]
    cookie = desk.ask(f"/?{query}", headers=theirs).headers["set-cookie"]
    assert {"Path=/user/ana/desk/", "Secure"} <= set(cookie.split("; "))
    theirs["Cookie"] = cookie.partition(";")[0]
    assert desk.ask("/api/steps/s05", headers=theirs).status == 200
    page = desk.ask("/steps/step_05.html", headers={**theirs, "Origin": None}).text
    assert 'src="../_desk/desk.js"' in page


def test_a_port_that_is_taken_is_refused_in_a_sentence(desk: Served) -> None:
    done = desk.own.run(
        *["desk", "--no-browser", "--port", str(desk.port), "--book", str(desk.own.root)]
    )
    assert done.returncode == 3
    assert f"Port {desk.port} cannot be used" in done.stderr


def test_the_key_is_for_the_owner_alone(tmp_path: Path) -> None:
    first = address.key(tmp_path)
    assert stat.S_IMODE((tmp_path / address.KEY).stat().st_mode) == 0o600
    assert address.key(tmp_path) == first
    (tmp_path / address.KEY).chmod(0o644)
    assert address.key(tmp_path) != first
    assert address.key(tmp_path) not in (first, "")


def test_the_book_is_built_when_a_source_is_newer(tmp_path: Path) -> None:
    (tmp_path / "steps").mkdir()
    (tmp_path / "book").mkdir()
    lesson, learners = tmp_path / "steps/step_01.md", tmp_path / "steps/step_01.py"
    lesson.write_text("old", encoding="utf-8")
    (tmp_path / "book/__init__.py").touch()
    (tmp_path / "book/__main__.py").write_text(
        "import pathlib\npathlib.Path('build/book').mkdir(parents=True, exist_ok=True)\n"
        "pathlib.Path('build/book/sections.json').write_text('{}')\n",
        encoding="utf-8",
    )
    built = book.ready(tmp_path) / book.SECTIONS
    before = built.stat().st_mtime_ns
    learners.write_text("new", encoding="utf-8")
    os.utime(learners, (time.time() + 50,) * 2)
    book.ready(tmp_path)
    assert built.stat().st_mtime_ns == before
    os.utime(lesson, (time.time() + 50,) * 2)
    book.ready(tmp_path)
    assert built.stat().st_mtime_ns > before


def test_a_course_without_a_book_says_so(tmp_path: Path) -> None:
    with pytest.raises(book.NoBook, match="--book"):
        book.ready(tmp_path)


def test_a_slow_window_gets_the_latest_of_each_kind_and_no_backlog() -> None:
    async def slow() -> list[str]:
        hub = Hub()
        stream = hub.listen()
        await anext(stream)
        waiting = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        for number in range(1000):
            hub.tell("report", "s05", number)
            hub.tell("report", "s06", number)
        told = [await waiting, await anext(stream)]
        hub.close()
        return told

    told = [json.loads(one.removeprefix("data: "))["about"] for one in asyncio.run(slow())]
    assert told == [999, 999]
