"""A real desk for tests: a process, with a course of its own and a small book."""

from __future__ import annotations

import html
import http.client
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from grader.base.course import ROOT
from tests.own_course import Course, copy_course

PATIENCE_S = 90.0
STEPS = ("05", "06")
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Step {number}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"></head>
<body data-step="s{number}"><main id="lesson"><h1>Step {number}</h1>{sections}</main>
<nav class="contents" aria-label="Contents"><a href="step_05.html">Five</a></nav></body></html>
"""


def small_book(folder: Path, root: Path) -> Path:
    """A book with nothing in it but the headings of two lessons, and what a desk needs."""
    (folder / "steps").mkdir(parents=True)
    ids: dict[str, dict[str, str]] = {}
    for number in STEPS:
        lesson = (root / f"steps/step_{number}.md").read_text(encoding="utf-8")
        found = re.findall(r"(?m)^## (.+)$", lesson)
        ids[f"s{number}"] = {one: re.sub(r"\W+", "-", one.lower()) for one in found}
        sections = "".join(
            f'<section id="{id_}"><h2>{html.escape(heading)}</h2><p>Text.</p></section>'
            for heading, id_ in ids[f"s{number}"].items()
        )
        page = PAGE.format(number=number, sections=sections)
        (folder / f"steps/step_{number}.html").write_text(page, encoding="utf-8")
    (folder / "index.html").write_text("<!doctype html><title>Book</title>", encoding="utf-8")
    (folder / "sections.json").write_text(json.dumps(ids), encoding="utf-8")
    return folder


def make_course(folder: Path) -> Course:
    """A course that can be drawn and explored too."""
    for name in ("book", "gpt2"):
        shutil.copytree(ROOT / name, folder / name)
    return copy_course(folder)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Served:
    """A desk that runs. ``cookie`` is empty until a browser was let in."""

    own: Course
    book: Path
    process: subprocess.Popen[str]
    address: str
    port: int
    cookie: str = ""

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self,
        path: str,
        method: str = "GET",
        body: object = None,
        headers: dict[str, str | None] | None = None,
    ) -> Answer:
        """An answer to what the learner's own page would ask; ``headers`` change that."""
        usual: dict[str, str | None] = {
            "Host": f"127.0.0.1:{self.port}",
            "Cookie": self.cookie,
            "Sec-Fetch-Site": "same-origin",
        }
        if method != "GET":
            usual |= {"Origin": self.origin, "Content-Type": "application/json"}
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in {**usual, **(headers or {})}.items():
                if value is not None:
                    connection.putheader(name, value)
            if data is not None:
                connection.putheader("Content-Length", str(len(data)))
            connection.endheaders(data)
            answer = connection.getresponse()
            given = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, given, answer.read())
        finally:
            connection.close()

    def enter(self) -> Answer:
        """Open the printed address as a browser does, and keep the cookie."""
        query = self.address.partition("?")[2]
        headers: dict[str, str | None] = {"Sec-Fetch-Site": "none", "Cookie": None}
        answer = self.ask(f"/?{query}", headers=headers)
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return answer

    def step(self, name: str = "s05") -> Any:
        return self.ask(f"/api/steps/{name}").json()

    def save(self, text: str, base: str | None = None, name: str = "s05") -> Answer:
        base = self.step(name)["file"]["digest"] if base is None else base
        body = {"text": text, "base": base, "window": "test"}
        return self.ask(f"/api/steps/{name}", "PUT", body)

    def graded(self, digest: str, *, whole: bool = True) -> Any:
        """The report on the file with this digest, once it is there."""
        limit = time.monotonic() + PATIENCE_S
        while time.monotonic() < limit:
            report = self.step()["report"]
            if report and report["digest"] == digest and (report["whole"] or not whole):
                return report
            time.sleep(0.05)
        raise TimeoutError(f"no report on {digest}")

    def begin_again(self) -> None:
        """Start another server instead of one that ended."""
        again = serve_at(self.port, self.own, self.book)
        self.process, self.address = again.process, again.address

    def end(self, number: int = signal.SIGINT) -> int:
        """End it as Ctrl-C does; its exit status."""
        self.process.send_signal(number)
        status = self.process.wait(timeout=PATIENCE_S)
        if self.process.stdout:
            self.process.stdout.close()
        return status


def serve(own: Course, book: Path, *arguments: str) -> Served:
    """Start a desk, and wait until it says where it is."""
    environment = own.environment(GRADER_COURSE=str(own.root))
    process = subprocess.Popen(
        [sys.executable, "-m", "grader", "desk", "s05", "--no-browser", "--book", str(book)]
        + (["--port", "0"] if "--port" not in arguments else [])
        + list(arguments),
        cwd=own.root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    said = ""
    for line in process.stdout or ():
        said += line
        if "Ctrl-C" in line:
            break
    found = re.search(r"https?://\S+", said)
    if found is None:
        process.kill()
        raise RuntimeError(f"the desk said {said!r}")
    return Served(own, book, process, found[0], _port_of(process.pid))


def serve_at(port: int, own: Course, book: Path, *arguments: str) -> Served:
    """Start a desk at this port, which a connection of somebody else may use for a moment."""
    limit = time.monotonic() + PATIENCE_S
    while True:
        try:
            return serve(own, book, "--port", str(port), *arguments)
        except RuntimeError as refused:
            if "cannot be used" not in str(refused) or time.monotonic() > limit:
                raise
            time.sleep(0.2)


@contextmanager
def running(own: Course, book: Path) -> Iterator[Served]:
    """A desk that a window has entered. It must end well, and leave no process."""
    served = serve(own, book)
    try:
        served.enter()
        yield served
    finally:
        assert served.end() == 0
        assert not own.left()


def _port_of(pid: int) -> int:
    """Where a process listens."""
    found = [one for one in psutil.Process(pid).net_connections() if one.status == "LISTEN"]
    return int(found[0].laddr.port)


@dataclass
class Window:
    """A window that hears what the desk tells, in a thread."""

    desk: Served
    events: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        # The desk says something every 15 s: a window that gave up before would hear no more.
        where = "127.0.0.1", self.desk.port
        self._connection = http.client.HTTPConnection(*where, timeout=PATIENCE_S)
        headers = {"Cookie": self.desk.cookie, "Sec-Fetch-Site": "same-origin"}
        self._connection.request("GET", "/api/events", headers=headers)
        self._socket = self._connection.sock
        self._answer = self._connection.getresponse()
        assert self._answer.status == 200
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        try:
            while line := self._answer.readline():
                if line.startswith(b"data: "):
                    self.events.append(json.loads(line[6:]))
        except (OSError, ValueError, AttributeError):
            return

    def kinds(self) -> list[str]:
        return [event.get("kind", "") for event in list(self.events)]

    def hears(self, kind: str, **about: Any) -> Any:
        """The first event of this kind that says this, once it is there."""
        limit = time.monotonic() + PATIENCE_S
        while time.monotonic() < limit:
            for event in self._of(kind):
                told = event["about"] or {}  # no figures are told as nothing
                if all(told.get(name) == value for name, value in about.items()):
                    return told
            time.sleep(0.02)
        raise TimeoutError(f"no {kind} with {about} in {self.kinds()}")

    def reports(self) -> list[Any]:
        return list(self._of("report"))

    def _of(self, kind: str) -> Iterator[Any]:
        return (event for event in list(self.events) if event.get("kind") == kind)

    def close(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._connection.close()
