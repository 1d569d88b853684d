"""What others may try on a desk: each attack against a real server.

Longer than 300 lines, because all attacks are made on one desk.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the environment `desk` is not installed")

from grader.base.blanks import make_answer
from grader.base.course import ROOT
from tests.desk_server import PATIENCE_S, Answer, Served, Window, make_course, running, small_book

pytestmark = pytest.mark.any_python
SECRET = "the answer of a lifetime"
READS = (
    *("/", "/steps/step_05.html", "/sections.json", "/_desk/desk.js", "/api/events"),
    *("/api/steps/s05", "/api/steps/s05/heads", "/api/steps/s05/solution?now=1"),
    "/nothing/here",
)
WRITES = (
    *(("PUT", "/api/steps/s05"), ("POST", "/api/steps/s05/reset"), ("POST", "/api/steps/s05/keep")),
    *(("POST", "/api/steps/s05/hint"), ("POST", "/api/steps/s05/difference")),
)
Changes = dict[str, str | None]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("desk")
    (folder / "secret.txt").write_text(SECRET, encoding="utf-8")
    book = small_book(folder / "book", ROOT)
    (book / "out").symlink_to(folder)
    own = make_course(folder / "course")
    (own.root / "secret.py").write_text(SECRET, encoding="utf-8")
    before = files(own.root)
    with running(own, book) as served:
        yield served
    after = files(own.root)
    assert {name for name in before | after if before.get(name) != after.get(name)} <= {
        "steps/step_05.py",
        "steps/step_06.py",
    }


@pytest.fixture(autouse=True)
def _still_serves(desk: Served) -> Iterator[None]:
    yield
    assert desk.process.poll() is None
    assert desk.ask("/api/steps/s05").status == 200


def files(root: Path) -> dict[str, bytes]:
    """Every file of a course, apart from the grader's notes and what Python compiles."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".grader" not in path.parts and path.suffix != ".pyc"
    }


def refuse(desk: Served, changes: Changes) -> None:
    """Every route refuses such a request, tells nothing, and nothing is written."""
    text = desk.own.file().read_text(encoding="utf-8")
    body = {"text": "print('theirs')", "base": sha256(text.encode()).hexdigest()}
    answers = [desk.ask(path, headers=changes) for path in READS]
    answers += [desk.ask(path, method, body, headers=changes) for method, path in WRITES]
    for answer in answers:
        assert answer.status == 403
        assert "set-cookie" not in answer.headers
        assert "class " not in answer.text
        assert not [name for name in answer.headers if name.startswith("access-control")]
    assert desk.own.file().read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    "cookie", [None, "", "desk_1=x", "desk_{port}=", "desk_{port}=x; a", "\x7f"]
)
def test_without_the_cookie_nothing_is_told(desk: Served, cookie: str | None) -> None:
    refuse(desk, {"Cookie": cookie and cookie.format(port=desk.port), "Sec-Fetch-Site": None})


@pytest.mark.parametrize("query", ["token=", "token=x", "token=%00", "tokens=1", "token=é&token=b"])
def test_a_wrong_token_is_refused(desk: Served, query: str) -> None:
    path = "/?" + query.encode("ascii", "ignore").decode()
    answer = desk.ask(path, headers={"Cookie": None})
    assert answer.status == 403
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "origin",
    [
        *("https://evil.example", "null", "http://127.0.0.1", "http://127.0.0.1:1"),
        *("http://127.0.0.1.evil.example:{port}", "https://127.0.0.1:{port}"),
        *("http://localhost:{port}", "", "http://127.0.0.1:{port}/"),
    ],
)
def test_a_page_of_another_origin_is_refused(desk: Served, origin: str) -> None:
    refuse(desk, {"Origin": origin.format(port=desk.port), "Sec-Fetch-Site": None})


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.1:{port}"),
        *(
            "0.0.0.0:{port}",
            "[::1]:{port}",
            "127.0.0.1:{port}.evil.example",
            "",
            "127.0.0.1:{port}@e",
        ),
    ],
)
def test_a_rebound_name_is_refused(desk: Served, host: str) -> None:
    there = host.format(port=desk.port)
    refuse(desk, {"Host": there, "Origin": f"http://{there}"})
    refuse(desk, {"Host": there, "Origin": desk.origin})


@pytest.mark.parametrize("site", ["cross-site", "same-site", "anything"])
def test_a_request_that_a_page_elsewhere_caused_is_refused(desk: Served, site: str) -> None:
    refuse(desk, {"Sec-Fetch-Site": site})


def test_a_write_must_say_where_it_comes_from(desk: Served) -> None:
    before = desk.own.file().read_bytes()
    for method, path in WRITES:
        assert desk.ask(path, method, {}, headers={"Origin": None}).status == 403
    assert desk.own.file().read_bytes() == before


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", None])
def test_what_a_form_can_send_is_refused(desk: Served, kind: str | None) -> None:
    answer = desk.ask("/api/steps/s05", "PUT", {}, headers={"Content-Type": kind})
    assert answer.status == 415


@pytest.mark.parametrize("body", [b"", b"[]", b"nul", b"\xff", b"[" * 100_000, b'{"text": 1}'])
def test_a_malformed_body_is_refused(desk: Served, body: bytes) -> None:
    assert desk.ask("/api/steps/s05", "PUT", body).status == 400


UPS = (
    "../",
    "..%2f",
    "%2e%2e/",
    "%2e%2e%2f",
    "..%5c",
    "....//",
    "%252e%252e/",
    "/",
    "%2f",
    "./../",
)


@pytest.mark.parametrize("up", UPS)
@pytest.mark.parametrize(
    "start", ["/", "/steps/", "/_desk/", "/api/steps/", "/api/steps/s05/", "/out/"]
)
def test_no_path_leads_out(desk: Served, start: str, up: str) -> None:
    for depth in (1, 2, 6):
        for name in ("secret.txt", "course/secret.py", "etc/passwd"):
            answer = desk.ask(f"{start}{up * depth}{name}")
            assert answer.status in (400, 403, 404, 405)
            tell_nothing(answer)


@pytest.mark.parametrize(
    "name",
    [
        *("s99", "s5", "05", "..", "%2e%2e%2fsolutions", "s05%00", "s05%2f..%2fs06", "S05"),
        *("step_05.py", "s05.py", "%2fetc%2fpasswd", "s05%0d%0aX:1", "x" * 5000),
    ],
)
def test_only_a_step_of_the_course_has_a_file(desk: Served, name: str) -> None:
    body = {"text": "x", "base": ""}
    for answer in (
        desk.ask(f"/api/steps/{name}"),
        desk.ask(f"/api/steps/{name}", "PUT", body),
        desk.ask(f"/api/steps/{name}/reset", "POST", body),
        desk.ask(f"/api/steps/{name}/keep", "POST", body),
    ):
        assert answer.status in (400, 404, 405)
        tell_nothing(answer)


@pytest.mark.parametrize("start", ["/", "/steps/", "/_desk/", "/steps/step_05.html/"])
@pytest.mark.parametrize(
    "name", ["%00", "a%00b", "%ff", "%ed%a0%80", "%0a", "x" * 300, "x/" * 3000]
)
def test_what_can_be_no_files_name_is_not_found(desk: Served, start: str, name: str) -> None:
    assert desk.ask(f"{start}{name}.html").status == 404


@pytest.mark.parametrize(
    ("method", "path"), [one for one in WRITES if not one[1].endswith(("reset", "hint"))]
)
def test_half_a_character_is_refused_and_nothing_is_written(
    desk: Served, method: str, path: str
) -> None:
    before = desk.own.file().read_bytes()
    answer = desk.ask(path, method, {"text": "x = '\ud800'", "base": desk.step()["file"]["digest"]})
    assert (answer.status, "half a character" in answer.text) == (400, True)
    assert desk.own.file().read_bytes() == before


def test_links_in_the_book_lead_nowhere(desk: Served) -> None:
    for path in ("/out/secret.txt", "/out/course/secret.py", "/out/", "/out"):
        answer = desk.ask(path)
        assert answer.status in (307, 404)
        tell_nothing(answer)


def tell_nothing(answer: Answer) -> None:
    assert SECRET not in answer.text
    assert "root:" not in answer.text
    assert "Desk" not in answer.text or "step" in answer.text


def test_every_answer_forbids_what_a_page_does_not_need(desk: Served) -> None:
    for path in (*READS[1:4], "/api/steps/s05", "/nothing/here"):
        headers = desk.ask(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["cross-origin-resource-policy"] == "same-origin"
    first, other = (desk.ask("/").headers["content-security-policy"] for _ in range(2))
    assert first != other, "the nonce is used once"


def test_the_cookie_is_for_this_server_only(desk: Served) -> None:
    cookie = desk.enter().headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))


def test_it_listens_on_loopback_only(desk: Served) -> None:
    import psutil

    listening = psutil.Process(desk.process.pid).net_connections()
    assert {one.laddr.ip for one in listening if one.status == "LISTEN"} == {"127.0.0.1"}


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.whole
def test_fifty_megabytes_are_refused_and_not_kept(desk: Served, announced: bool) -> None:
    import psutil

    process = psutil.Process(desk.process.pid)
    desk.graded(desk.step()["file"]["digest"])
    assert desk.ask("/api/steps/s05/heads?text=she").status == 200
    # Now what a first grading and its drawing hold is there.
    before, held = desk.own.file().read_bytes(), process.memory_info().rss
    head = (
        f"PUT /api/steps/s05 HTTP/1.1\r\nHost: 127.0.0.1:{desk.port}\r\nOrigin: {desk.origin}\r\n"
        f"Cookie: {desk.cookie}\r\nContent-Type: application/json\r\n"
    )
    length = "Content-Length: 52428800" if announced else "Transfer-Encoding: chunked"
    piece = b"x" * (1 << 16)
    if not announced:
        piece = b"10000\r\n" + piece + b"\r\n"
    with socket.create_connection(("127.0.0.1", desk.port), timeout=20) as connection:
        connection.sendall(f"{head}{length}\r\n\r\n".encode())
        answer = b""
        for _ in range(800):
            try:
                connection.sendall(piece)
            except OSError:
                break
        with suppress(OSError):
            answer = connection.recv(1000)
        grown = process.memory_info().rss - held
    assert answer == b"" or b" 413 " in answer.splitlines()[0]
    assert grown < 20 << 20
    assert desk.own.file().read_bytes() == before


def test_a_text_too_long_for_the_grader_is_refused(desk: Served) -> None:
    before = desk.own.file().read_bytes()
    assert desk.save("#" * ((1 << 18) + 1)).status == 413
    assert desk.own.file().read_bytes() == before


def test_a_file_of_fifty_megabytes_is_not_read(desk: Served) -> None:
    path = desk.own.file("06")
    before = path.read_bytes()
    try:
        with path.open("wb") as file:
            file.truncate(50 << 20)
        found = desk.step("s06")["file"]
        assert found["text"] == ""
        assert "256" in found["problem"] or "large" in found["problem"]
    finally:
        path.write_bytes(before)


@pytest.mark.whole
def test_a_thousand_saves_a_minute_are_all_kept_and_still_graded(desk: Served) -> None:
    base = desk.step()["file"]["digest"]
    desk.graded(base)
    window = Window(desk)
    started, saves = time.monotonic(), 0
    while saves < 60 or not window.reports():  # there are reports in between, on any machine
        assert time.monotonic() < started + PATIENCE_S
        base = desk.save(f"x = {saves}\n", base).json()["digest"]
        saves += 1
        time.sleep(max(0.0, started + 0.06 * saves - time.monotonic()))
    assert desk.own.file().read_text(encoding="utf-8") == f"x = {saves - 1}\n"
    window.hears("report", digest=base, whole=True)
    gradings = window.kinds().count("grading")
    assert 1 < gradings < saves, "saves that come too fast share a grading"
    window.close()


@pytest.mark.whole
def test_twenty_windows_all_hear_and_can_all_save(desk: Served) -> None:
    windows = [Window(desk) for _ in range(20)]
    base = desk.step()["file"]["digest"]
    answers = [desk.save(f"window = {number}\n", base) for number in range(20)]
    assert [answer.status for answer in answers] == [200, *[409] * 19], "one wins, 19 are told"
    digest = answers[0].json()["digest"]
    for window in windows:
        window.hears("report", digest=digest)
    for window in windows:
        window.close()


def test_what_a_program_prints_is_told_as_text_without_escapes(desk: Served) -> None:
    source = make_answer((ROOT / "solutions/solution_05.py").read_text(encoding="utf-8"))
    printed = "<script>alert(1)</script>\x1b]0;title\x07\x1b[2J\x9b31m\u202egnp.exe"
    digest = desk.save(f"{source}\nprint({printed!a})\n").json()["digest"]
    answer = desk.graded(digest)
    assert "<script>alert(1)</script>" in answer["output"]
    assert not set("\x1b\x07\x9b\u202e") & set(answer["output"])
    told = desk.ask("/api/steps/s05")
    assert told.headers["content-type"] == "application/json"
    assert json.loads(told.text)["report"]["digest"] == digest


def test_a_program_cannot_reach_the_desk(desk: Served) -> None:
    source = make_answer((ROOT / "solutions/solution_05.py").read_text(encoding="utf-8"))
    spy = (
        "import socket\ntry:\n"
        f"    socket.create_connection(('127.0.0.1', {desk.port}), 2)\n    print('REACHED')\n"
        "except OSError as problem:\n    print('refused', type(problem).__name__)\n"
    )
    digest = desk.save(f"{source}\n{spy}").json()["digest"]
    report = desk.graded(digest)
    if report["output"]:  # where nothing confines a process, the token still does
        assert "REACHED" not in report["output"]


def test_a_broken_request_does_not_end_the_server(desk: Served) -> None:
    for data in (b"\x00\xff\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20_000 + b"\r\n"):
        with socket.create_connection(("127.0.0.1", desk.port), timeout=20) as connection:
            answer = b""
            with suppress(OSError):
                connection.sendall(data)
                answer = connection.recv(100)
            assert b"200" not in answer


def test_half_requests_keep_nobody_out(desk: Served) -> None:
    """More of them than the server takes connections: the oldest have to go."""
    there = ("127.0.0.1", desk.port)
    head = f"PUT /api/steps/s05 HTTP/1.1\r\nHost: 127.0.0.1:{desk.port}\r\n"
    body = f"Origin: {desk.origin}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{{"
    halves = ["", "G", head, f"{head}Cookie: {desk.cookie}\r\n{body}"]
    opened = []
    try:
        for number in range(310):
            opened.append(socket.create_connection(there, timeout=20))
            opened[-1].sendall(halves[number % len(halves)].encode())
        assert desk.ask("/api/steps/s05").status == 200
        assert opened[0].recv(1) == b"", "it was closed"
    finally:
        for connection in opened:
            connection.close()
