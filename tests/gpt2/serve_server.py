"""A real server of the model for tests: a process, and a client of a few lines."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.base.course import ROOT

PATIENCE_S = 60.0
END = "[DONE]"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> dict[str, Any]:
        """The error, which is in OpenAI's form whatever went wrong."""
        found: dict[str, Any] = self.json()["error"]
        assert found.keys() == {"message", "type", "param", "code"}
        return found

    @property
    def text(self) -> str:
        """The only choice's text."""
        (choice,) = self.json()["choices"]
        return str(choice["text"])


@dataclass
class Served:
    process: subprocess.Popen[str]
    port: int
    key: str
    errors: list[str]
    _listening: threading.Thread

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)

    def ask(
        self, path: str, body: Any = None, method: str | None = None, **headers: str | None
    ) -> Answer:
        """What it answers to a JSON body, or to bytes as they are."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        given = {"content_type": "application/json", **headers}
        named = {
            name.replace("_", "-"): value for name, value in given.items() if value is not None
        }
        connection = self.connect()
        try:
            connection.request(method or ("GET" if data is None else "POST"), path, data, named)
            found = connection.getresponse()
            kept = {name.lower(): value for name, value in found.getheaders()}
            return Answer(found.status, kept, found.read())
        finally:
            connection.close()

    def complete(self, **asked: Any) -> Answer:
        return self.ask("/v1/completions", asked)

    def begin(self, **asked: Any) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        """A stream, with only its head read."""
        connection = self.connect()
        body = json.dumps({**asked, "stream": True}).encode()
        headers = {"content-type": "application/json"}
        connection.request("POST", "/v1/completions", body, headers)
        return connection, connection.getresponse()

    def stream(self, **asked: Any) -> list[Any]:
        """Every event of a stream; the last one says that it is complete."""
        connection, answer = self.begin(**asked)
        try:
            assert answer.status == 200
            assert answer.headers["content-type"].startswith("text/event-stream")
            return events(answer.read().decode())
        finally:
            connection.close()

    def end(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        status = self.process.wait(timeout=PATIENCE_S)
        self._listening.join(PATIENCE_S)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
        return status


def events(stream: str) -> list[Any]:
    """The events of a stream, which ends after a whole one."""
    assert stream.endswith("\n\n")
    told = [event.removeprefix("data: ") for event in stream.split("\n\n")[:-1]]
    return [event if event == END else json.loads(event) for event in told]


def serve(*arguments: str, root: Path = ROOT, **more: str) -> Served:
    """Start a server, and wait until it says where it is."""
    process = subprocess.Popen(
        [sys.executable, "-m", "gpt2.serve", "--port", "0", *arguments],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root), "GRADER_COURSE": str(root), **more},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    errors: list[str] = []
    listening = threading.Thread(target=errors.extend, args=(process.stderr,), daemon=True)
    listening.start()
    said = ""
    for line in process.stdout:
        said += line
        if "Ctrl-C" in line:
            break
    found = re.search(r"http://\S+:(\d+)/", said)
    if found is None:
        process.wait(PATIENCE_S)
        listening.join(PATIENCE_S)
        process.stdout.close()
        process.stderr.close()
        raise NoServer(process.returncode, "".join(errors))
    key = re.search(r"api_key: +(\S+)", said)
    return Served(process, int(found[1]), key[1] if key else "", errors, listening)


class NoServer(Exception):
    """It ended before it served: its status, and what it said."""


@contextmanager
def running(*arguments: str, root: Path = ROOT, **more: str) -> Iterator[Served]:
    """A server that must still run at the end, and end well."""
    served = serve(*arguments, root=root, **more)
    try:
        yield served
        assert served.process.poll() is None, served.errors
    finally:
        assert served.end() == 0
