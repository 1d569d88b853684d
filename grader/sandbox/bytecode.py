"""Caches the bytecode of the worker's own modules, which the worker may not write.

Python normally does this on import. The worker imports under its layers of isolation, so the
grader does it beforehand.
"""

# pathlib would cost 10 ms of every start.
# ruff: noqa: PTH116, PTH118
from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

FOLDERS = ("", "base", "frameworks", "isolation", "protocol", "worker")
"""The grader's folders with modules that the worker imports, whatever its
framework."""


def keep(grader: str, framework: str) -> None:
    """Compile each module of ``FOLDERS`` and ``framework`` that is new or has changed."""
    own = (folder for folder, _, _ in os.walk(os.path.join(grader, "frameworks", framework)))
    for source in list(_stale([*(os.path.join(grader, name) for name in FOLDERS), *own])):
        import py_compile

        with suppress(OSError, py_compile.PyCompileError):
            py_compile.compile(source, doraise=True)


def _stale(folders: list[str]) -> Iterator[str]:
    from importlib.util import cache_from_source

    for folder in folders:
        if not os.access(folder, os.W_OK):
            continue
        for entry in os.scandir(folder):
            if not entry.name.endswith(".py"):
                continue
            try:
                compiled = os.stat(cache_from_source(entry.path)).st_mtime
            except OSError:
                compiled = 0.0
            if compiled < entry.stat().st_mtime:
                yield entry.path
