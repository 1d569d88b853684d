"""What the server of the model refuses, from whom, and how it ends."""

from __future__ import annotations

import json
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the environment `desk` is not installed")

from gpt2.serve.routes import MOST_OPEN
from tests.gpt2.serve_server import PATIENCE_S, NoServer, Served, events, running, serve
from tests.worker_jobs import until

pytestmark = pytest.mark.any_python
FEW: dict[str, Any] = {"prompt": "She", "max_tokens": 1}


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with running() as found:
        yield found


@pytest.fixture(autouse=True)
def _still_serves(served: Served) -> Iterator[None]:
    yield
    assert served.complete(**FEW).status == 200


BAD: list[tuple[dict[str, Any], str]] = [
    ({"prompt": 5}, "prompt"),
    ({"prompt": []}, "prompt"),
    ({"prompt": {}}, "prompt"),
    ({"prompt": [1, "a"]}, "prompt"),
    ({"prompt": ["a", 1]}, "prompt"),
    ({"prompt": [[]]}, "prompt"),
    ({"prompt": [-1]}, "prompt"),
    ({"prompt": [2048]}, "prompt"),
    ({"prompt": [True]}, "prompt"),
    ({"prompt": [1.0]}, "prompt"),
    ({"prompt": "\ud800"}, "prompt"),
    ({"prompt": ["a"] * 65}, "prompt"),
    ({"prompt": "a " * 255, "max_tokens": 2}, "prompt"),
    ({"prompt": "a" * 100_000}, "prompt"),
    ({"prompt": [1] * 100_000}, "prompt"),
    ({"max_tokens": -1}, "max_tokens"),
    ({"max_tokens": 1e3}, "max_tokens"),
    ({"max_tokens": "5"}, "max_tokens"),
    ({"max_tokens": True}, "max_tokens"),
    ({"max_tokens": 1 << 70}, "max_tokens"),
    ({"temperature": -0.1}, "temperature"),
    ({"temperature": 1e-300}, "temperature"),
    ({"temperature": float("nan")}, "temperature"),
    ({"temperature": float("inf")}, "temperature"),
    ({"temperature": "hot"}, "temperature"),
    ({"top_p": 1.01}, "top_p"),
    ({"top_p": -0.0001}, "top_p"),
    ({"top_k": 0}, "top_k"),
    ({"seed": -1}, "seed"),
    ({"seed": 1.5}, "seed"),
    ({"seed": 1 << 64}, "seed"),
    ({"n": 0}, "n"),
    ({"n": 65}, "n"),
    ({"n": 33, "prompt": ["a", "b"]}, "n"),
    ({"stop": ["a"] * 5}, "stop"),
    ({"stop": ""}, "stop"),
    ({"stop": [1]}, "stop"),
    ({"stop": "a" * 201}, "stop"),
    ({"echo": "yes"}, "echo"),
    ({"stream": 1}, "stream"),
    ({"logprobs": True}, "logprobs"),
    ({"logprobs": 6}, "logprobs"),
    ({"best_of": 3}, "best_of"),
    ({"suffix": "end"}, "suffix"),
    ({"logit_bias": {"1": 2}}, "logit_bias"),
    ({"presence_penalty": 1}, "presence_penalty"),
    ({"stream_options": []}, "stream_options"),
    ({"messages": []}, "messages"),
]


@pytest.mark.parametrize(("change", "name"), BAD, ids=[str(change)[:40] for change, _ in BAD])
def test_what_is_not_valid_is_named(served: Served, change: dict[str, Any], name: str) -> None:
    started = time.monotonic()
    answer = served.complete(**{**FEW, **change})
    assert answer.status == 400
    assert answer.error["param"] == name
    assert answer.error["type"] == "invalid_request_error"
    assert time.monotonic() - started < 5


def test_what_asks_for_nothing_is_understood(served: Served) -> None:
    body = {"best_of": 1, "frequency_penalty": 0.0, "logit_bias": {}, "suffix": None, "user": "me"}
    assert served.complete(**FEW, **body, stop=None, logprobs=None, seed=None).status == 200
    assert served.complete(prompt=[1] * 256, max_tokens=0).status == 200


def test_a_text_that_does_not_fit_is_told_so_as_openai_does(served: Served) -> None:
    error = served.complete(prompt="She was", max_tokens=255).error
    assert error["code"] == "context_length_exceeded"
    assert "maximum context length is 256 tokens" in error["message"]


@pytest.mark.parametrize("body", [b"", b"[]", b"nul", b"\xff", b"[" * 100_000, b'{"a":' * 50_000])
def test_a_malformed_body_is_refused(served: Served, body: bytes) -> None:
    answer = served.ask("/v1/completions", body)
    assert (answer.status, answer.error["code"]) == (400, None)


@pytest.mark.parametrize("length", [f"Content-Length: {1 << 40}", "Transfer-Encoding: chunked"])
def test_a_large_body_is_not_read(served: Served, length: str) -> None:
    with socket.create_connection(("127.0.0.1", served.port), PATIENCE_S) as plain:
        head = f"POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n"
        plain.sendall(f"{head}Content-Type: application/json\r\n{length}\r\n\r\n".encode())
        if "chunked" in length:
            with suppress(ConnectionError):
                for _ in range(40):
                    plain.sendall(b"8000\r\n" + b" " * 0x8000 + b"\r\n")
        with suppress(ConnectionError):  # what was sent in vain may reset it
            assert b" 413 " in plain.recv(100)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", None])
def test_what_a_form_can_send_is_refused(served: Served, kind: str | None) -> None:
    body = json.dumps(FEW).encode()
    assert served.ask("/v1/completions", body, content_type=kind).status == 415


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        *(("GET", "/v1/completions", 405), ("POST", "/v1/models", 405)),
        *(("POST", "/v1/chat/completions", 404), ("GET", "/page/../request.py", 404)),
        *(("GET", "/..%2frequest.py", 404), ("GET", "/v1/models/..%2f..%2f", 404)),
        *(("DELETE", "/", 405), ("GET", "/" + "x" * 5000, 404)),
    ],
)
def test_other_addresses_answer_in_the_same_form(
    served: Served, method: str, path: str, status: int
) -> None:
    answer = served.ask(path, {} if method == "POST" else None, method)
    assert answer.status == status
    assert "/v1/completions" in answer.error["message"] or "gpt2-tiny" in answer.error["message"]


@pytest.mark.parametrize(
    "headers",
    [
        *({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": ""}),
        *({"Origin": "http://127.0.0.1:1"}, {"Host": "evil.example"}, {"Host": "127.0.0.1"}),
        *({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}),
        {"Host": "127.0.0.1:1"},
    ],
)
def test_a_page_elsewhere_gets_nothing(served: Served, headers: dict[str, str]) -> None:
    connection = served.connect()
    sent = {"content-type": "application/json", **headers}
    connection.request("POST", "/v1/completions", json.dumps(FEW), sent)
    answer = connection.getresponse()
    assert answer.status == 403
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]
    assert json.loads(answer.read())["error"]["type"] == "permission_error"
    connection.close()


def test_elsewhere_than_on_loopback_it_wants_a_key() -> None:
    with running("--host", "0.0.0.0") as open_to_all:
        assert len(open_to_all.key) > 20
        for given in (None, "", "Bearer ", f"Bearer {open_to_all.key}x", open_to_all.key[:-1]):
            answer = open_to_all.ask("/v1/completions", FEW, authorization=given)
            assert (answer.status, answer.error["code"]) == (401, "invalid_api_key")
            assert open_to_all.ask("/v1/models", authorization=given).status == 401
        bearer = f"Bearer {open_to_all.key}"
        assert open_to_all.ask("/v1/completions", FEW, authorization=bearer).status == 200
        assert open_to_all.ask("/health").status == 200
    with running("--host", "0.0.0.0", SERVE_KEY="my own") as again:
        assert again.ask("/v1/models", authorization="Bearer my own").status == 200


def test_an_answer_that_takes_too_long_is_cut(served: Served) -> None:
    with running("--limit", "0.3") as hurried:
        answer = hurried.complete(prompt="She was", max_tokens=250, n=64)
        assert (answer.status, answer.error["code"]) == (503, "timeout")
        told = hurried.stream(prompt="She was", max_tokens=250, n=8)
        assert told[-1]["error"]["code"] == "timeout"
        assert hurried.complete(**FEW).status == 200


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_at_once_and_cuts_cleanly(number: int) -> None:
    own = serve()
    connection, answer = own.begin(prompt="She was", max_tokens=250, n=64)
    first = answer.readline()
    waits = own.connect()
    body = json.dumps({"prompt": "She was", "max_tokens": 250, "n": 64})
    waits.request("POST", "/v1/completions", body, {"content-type": "application/json"})
    idle = own.connect()
    idle.connect()
    time.sleep(0.2)
    started = time.monotonic()
    assert own.end(number) == 0
    assert time.monotonic() - started < 2
    assert "ending" in events((first + answer.read()).decode())[-1]["error"]["message"]
    whole = waits.getresponse()
    assert whole.status == 503
    assert "ending" in json.loads(whole.read())["error"]["message"]
    for one in (connection, waits, idle):
        one.close()
    assert own.errors == []


def test_a_port_that_is_taken_is_told(served: Served) -> None:
    with pytest.raises(NoServer, match=f"Port {served.port} cannot be used") as ended:
        serve("--port", str(served.port))
    assert ended.value.args[0] == 3


def test_one_request_too_many_is_told_to_come_again(served: Served) -> None:
    body = json.dumps({"prompt": "She was", "max_tokens": 250, "n": 8})
    waiting = [served.connect() for _ in range(MOST_OPEN)]
    try:
        for connection in waiting:
            headers = {"content-type": "application/json"}
            connection.request("POST", "/v1/completions", body, headers)
        until(lambda: served.ask("/health").json()["open"] == MOST_OPEN)
        refused = served.complete(prompt="She", max_tokens=1)
        assert (refused.status, refused.headers["retry-after"]) == (429, "1")
        assert refused.error["code"] == "rate_limit_exceeded"
    finally:
        for connection in waiting:
            connection.close()
    assert served.complete(prompt="She", max_tokens=1).status == 200
