"""Announces what MAX still compiles: kernels, and graphs that its interpreter refuses."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from max import graph
from max.driver import Buffer

from grader.frameworks.max.engine import private
from grader.frameworks.max.engine.private import Name

Announce = Callable[[str], None]

# Compiling takes 12 to 40 s; loading something compiled takes 0.1 s and is not announced.
PATIENCE_S = 1.0


@contextmanager
def _announced(announce: Announce, what: str) -> Iterator[None]:
    """Announce what MAX compiles, unless it takes less than a second."""
    line = f"MAX compiles {what} (once on this machine; up to a minute) ..."
    timer = threading.Timer(PATIENCE_S, announce, [line])
    timer.daemon = True
    try:
        timer.start()
    except RuntimeError:  # A sandbox may allow no more threads.
        announce(line)
    try:
        yield
    finally:
        timer.cancel()


class _Fallback:
    """MAX's interpreter; MAX compiles a graph that it refuses as a whole."""

    def __init__(self, announce: Announce, before: Callable[[], None]) -> None:
        self._announce = announce
        self._before = before
        self._interpret = private.INTERPRET.get()()
        self._compile = private.COMPILE_GRAPH.get()()
        self._refused = private.REFUSED.get()
        self._may_compile = private.POLICY.get()

    def execute(self, staged: graph.Graph, inputs: Sequence[Buffer]) -> Sequence[Any]:
        try:
            return list(self._interpret.execute(staged, inputs))
        except self._refused as refusal:
            if not self._may_compile():
                raise
            culprit = str(refusal).rpartition(": ")[2].partition(" has no ")[0]
            culprit = culprit.partition(" mutates ")[0].rstrip(".")
            self._before()
            with _announced(self._announce, f"a graph with {culprit}"):
                return list(self._compile.execute(staged, inputs))


def announce_compiling(announce: Announce, before: Callable[[], None]) -> list[Name]:
    """Report each kernel and each graph that MAX compiles from now on in this process.

    ``before`` is called before one is compiled or loaded from MAX's cache.
    """
    # MAX advises `max warm-interpreter-cache`: 24 minutes, and each run is slower after.
    logging.getLogger(private.POLICY.home).setLevel(logging.ERROR)
    return [*_announce_kernels(announce, before), *_announce_graphs(announce, before)]


def _announce_kernels(announce: Announce, before: Callable[[], None]) -> list[Name]:
    if missing := private.lacking(private.COMPILE):
        return missing
    current = private.COMPILE.get()
    original = getattr(current, "original", current)  # a second install replaces the first

    def compile_single_target(family: Any, key: str, device: Any, build: Any) -> Any:
        before()
        with _announced(announce, f"its kernel {key.replace('_cpu_0', '')}"):
            return original(family, key, device, build)

    compile_single_target.original = original  # type: ignore[attr-defined]
    private.COMPILE.put(compile_single_target)
    return []


def _announce_graphs(announce: Announce, before: Callable[[], None]) -> list[Name]:
    needed = (private.INTERPRET, private.COMPILE_GRAPH, private.REFUSED, private.POLICY)
    if missing := private.lacking(private.USE_EXECUTOR, *needed):
        return missing
    private.USE_EXECUTOR.get()(_Fallback(announce, before))
    return []


def print_no_graphs() -> None:
    """Keep MAX from printing a graph that it refuses: a page of text unknown to the learner.

    The error says what is wrong. This happens when a call reads numbers while it is staged.
    """
    graph.graph.print = lambda *_: None
