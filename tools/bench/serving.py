"""The server of the model beside a plain loop.

The loop is step 12's ``stream`` in a process of its own, with the same graph, and no server. Both
are measured in turns, so that what else runs on the machine slows down both.
"""

from __future__ import annotations

import http.client
import json
import re
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import click
import psutil

from tools.bench.processes import TURNS, Answer, Impossible, side, started

TOKENS = 240
CLIENTS = 8
PROMPT = "She was"


@click.command()
@TURNS
def main(turns: int) -> None:
    """The server of the model beside a plain loop; in the environment `desk`."""
    print(_table(measure(turns)), end="")


def measure(turns: int) -> dict[str, list[tuple[float, float]]]:
    """Start, first token, all tokens, memory: of the server and of the loop, for each turn.

    Raises:
        Impossible: the server does not start here.
    """
    found: dict[str, list[tuple[float, float]]] = {}

    def note(name: str, served: float, looped: float) -> None:
        found.setdefault(name, []).append((served, looped))

    for _ in range(2):  # the first start compiles Python's modules
        began = time.perf_counter()
        with side("serving") as loop:
            looped = time.perf_counter() - began
            with _server() as (port, process, served):
                note("start, s", served, looped)
                for _ in range(turns):
                    plain = [loop.ask({}) for _ in range(2)][-1]  # one to warm up
                    first, last = [_streamed(port) for _ in range(2)][-1]
                    rate = TOKENS / plain["last"]
                    note("first token, ms", 1000 * first, 1000 * plain["first"])
                    note("tokens a second, streamed", TOKENS / last, rate)
                    note("tokens a second, whole", TOKENS / _whole(port), rate)
                    note(f"tokens a second, {CLIENTS} clients", _together(port), rate)
                    note("memory, MB", process.memory_info().rss / 1e6, plain["memory"] / 1e6)
    found["start, s"] = found["start, s"][1:]
    return found


def prepare() -> Callable[[], Callable[[Answer], Answer]]:
    """What makes the loop ready to write a text."""
    from rich.console import Console

    from gpt2.serve.request import CompletionRequest
    from gpt2.serve.writer import Writer
    from gpt2.text_generation import SMALL

    writer = Writer(SMALL, "numpy", mine=False, notes=Console(stderr=True))
    asked = CompletionRequest(max_tokens=TOKENS, temperature=0.8, top_k=40, seed=1)

    def make() -> Callable[[Answer], Answer]:
        writer.open()
        ids = writer.tokenizer.encode(PROMPT)

        def write(_: Answer) -> Answer:
            began = time.perf_counter()
            times = [time.perf_counter() - began for _ in writer.write(ids, asked, 0)]
            memory = psutil.Process().memory_info().rss
            return {"first": times[0], "last": times[-1], "memory": memory}

        return write

    return make


def _table(found: dict[str, list[tuple[float, float]]]) -> str:
    lines = [f"{'':28}{'server':>10}{'loop':>10}{'ratio':>8}\n"]
    for name, pairs in found.items():
        served, looped = (statistics.median(side) for side in zip(*pairs, strict=True))
        ratio = statistics.median(one / other for one, other in pairs)
        lines.append(f"{name:28}{served:10.2f}{looped:10.2f}{ratio:8.2f}\n")
    return "".join(lines)


@contextmanager
def _server() -> Iterator[tuple[int, psutil.Process, float]]:
    """A server that answers: its port, its process, and how long that took."""
    began = time.perf_counter()
    with started(("-m", "gpt2.serve", "--port", "0")) as process:
        assert process.stdout is not None  # noqa: S101 - it was started with a pipe
        said = "".join(iter(process.stdout.readline, "Ctrl-C ends the server.\n"))
        port = re.search(r":(\d+)/v1", said)
        if port is None:
            raise Impossible("The server did not start: ./pixiw run -e test bench serve")
        taken = time.perf_counter() - began
        yield int(port[1]), psutil.Process(process.pid), taken


def _ask(port: int, **more: Any) -> http.client.HTTPResponse:
    asked = {"prompt": PROMPT, "max_tokens": TOKENS, "temperature": 0.8, "top_k": 40, "seed": 1}
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
