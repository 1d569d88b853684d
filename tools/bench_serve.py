"""Measures the server of the model beside a plain loop: ``bench serve``, in the environment desk.

The loop is step 12's ``stream`` in a process of its own, with the same graph, and no server. Both
are measured in turns, so that what else runs on the machine slows down both.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import psutil

from grader.base.course import ROOT
from tools.measured import Impossible

TOKENS = 240
CLIENTS = 8
LOOP = f"""
import json, os, time
from rich.console import Console
from gpt2.serve.asked import Asked
from gpt2.serve.writer import Writer
from gpt2.writing import SMALL
import psutil
writer = Writer(SMALL, "numpy", mine=False, notes=Console(stderr=True))
writer.open()
ids = writer.tokenizer.encode("She was")
print("ready", flush=True)
while input():
    started = time.perf_counter()
    times = []
    for _ in writer.write(ids, Asked(max_tokens={TOKENS}, temperature=0.8, top_k=40, seed=1), 0):
        times.append(time.perf_counter() - started)
    print(json.dumps([times[0], times[-1], psutil.Process().memory_info().rss]), flush=True)
"""


def main(turns: int) -> None:
    """Print the server's figures, and how many times the loop's they are."""
    sys.stdout.write(_table(measure(turns)))


def measure(turns: int) -> dict[str, list[tuple[float, float]]]:
    """Start, first token, all tokens, memory: of the server and of the loop, for each turn.

    Raises:
        Impossible: the server does not start here.
    """
    found: dict[str, list[tuple[float, float]]] = {}

    def note(name: str, served: float, looped: float) -> None:
        found.setdefault(name, []).append((served, looped))

    for _ in range(2):  # the first start compiles Python's modules
        with _loop() as (loop, looped), _server() as (port, process, started):
            note("start, s", started, looped)
            for _ in range(turns):
                first, last, memory = [_looped(loop) for _ in range(2)][-1]  # one to warm up
                streamed = [_streamed(port) for _ in range(2)][-1]
                note("first token, ms", 1000 * streamed[0], 1000 * first)
                note("tokens a second, streamed", TOKENS / streamed[1], TOKENS / last)
                note("tokens a second, whole", TOKENS / _whole(port), TOKENS / last)
                note(f"tokens a second, {CLIENTS} clients", _together(port), TOKENS / last)
                note("memory, MB", process.memory_info().rss / 1e6, memory / 1e6)
    found["start, s"] = found["start, s"][1:]
    return found


def _table(found: dict[str, list[tuple[float, float]]]) -> str:
    lines = [f"{'':28}{'server':>10}{'loop':>10}{'ratio':>8}\n"]
    for name, pairs in found.items():
        served, looped = (statistics.median(side) for side in zip(*pairs, strict=True))
        ratio = statistics.median(one / other for one, other in pairs)
        lines.append(f"{name:28}{served:10.2f}{looped:10.2f}{ratio:8.2f}\n")
    return "".join(lines)


@contextmanager
def _loop() -> Iterator[tuple[subprocess.Popen[str], float]]:
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", LOOP],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None  # noqa: S101
        process.stdout.readline()
        try:
            yield process, time.perf_counter() - started
        finally:
            process.kill()


@contextmanager
def _server() -> Iterator[tuple[int, psutil.Process, float]]:
    """A server that answers: its port, its process, and how long that took."""
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "gpt2.serve", "--port", "0"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None  # noqa: S101
        said = "".join(iter(process.stdout.readline, "Ctrl-C ends the server.\n"))
        port = re.search(r":(\d+)/v1", said)
        if port is None:
            raise Impossible("The server did not start: ./pixiw run -e test bench serve")
        taken = time.perf_counter() - started
        try:
            yield int(port[1]), psutil.Process(process.pid), taken
        finally:
            process.terminate()


def _looped(process: subprocess.Popen[str]) -> tuple[float, float, float]:
    assert process.stdin is not None  # noqa: S101
    assert process.stdout is not None  # noqa: S101
    process.stdin.write("again\n")
    process.stdin.flush()
    first, last, memory = json.loads(process.stdout.readline())
    return first, last, memory


def _ask(port: int, **more: Any) -> http.client.HTTPResponse:
    asked = {"prompt": "She was", "max_tokens": TOKENS, "temperature": 0.8, "top_k": 40, "seed": 1}
    connection = http.client.HTTPConnection("127.0.0.1", port)
    headers = {"content-type": "application/json", "connection": "close"}
    connection.request("POST", "/v1/completions", json.dumps({**asked, **more}), headers)
    return connection.getresponse()


def _streamed(port: int) -> tuple[float, float]:
    """Seconds until the first event, and until the last."""
    started = time.perf_counter()
    answer = _ask(port, stream=True)
    answer.readline()
    first = time.perf_counter() - started
    answer.read()
    return first, time.perf_counter() - started


def _whole(port: int) -> float:
    started = time.perf_counter()
    _ask(port).read()
    return time.perf_counter() - started


def _together(port: int) -> float:
    """The rate of all clients together."""
    started = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as clients:
        list(clients.map(lambda _: _whole(port), range(CLIENTS)))
    return CLIENTS * TOKENS / (time.perf_counter() - started)
