"""Installs the engine into MAX, or as much of it as this MAX allows."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NamedTuple

from grader.frameworks.max.engine import (
    compiling,
    handlers,
    interpreter,
    interrupt,
    private,
    staging,
    stub_modules,
)


class Installed(NamedTuple):
    """What :func:`install` did.

    ``left`` has a line on each thing that is left to MAX because it lacks a name. ``faults`` names
    each part of the engine that has failed through its own fault since then: an operation, or the
    staging. ``leave`` leaves parts to MAX from then on.
    """

    left: tuple[str, ...]
    faults: list[str]
    leave: Callable[[Iterable[str]], None]


def install(
    kind: str,
    announce: Callable[[str], None] | None,
    before_compiling: Callable[[], None] | None,
) -> Installed:
    """See :func:`grader.frameworks.max.engine.install`."""
    if kind not in ("numpy", "max"):
        raise ValueError(f'engine must be "numpy" or "max", got {kind!r}')
    if kind == "numpy":
        _import_interpreter()
        if private.FOUND.find() == []:
            private.FOUND.get().extend(private.FIND.get()())
    interrupt.keep_own_handler()
    compiling.print_no_graphs()
    missing = interpreter.use_cpu()
    missing += compiling.announce_compiling(
        announce or _to_stderr, before_compiling or (lambda: None)
    )
    ahead = _ahead.pop() if _ahead else None
    if kind == "numpy":
        ahead = ahead or _replaced()
        return Installed(private.told([*missing, *ahead.missing]), ahead.faults, _leave)
    _leave(handlers.PARTS)  # an earlier install in this process may have chosen NumPy
    return Installed(private.told(missing), [], _leave)


class _Replaced(NamedTuple):
    """What was replaced in MAX: the names that it lacks for that, and what has failed since."""

    missing: list[private.Name]
    faults: list[str]


_ahead: list[_Replaced] = []
"""What :func:`prepare` replaced, until an install of this process or of a child takes it."""


def _replaced() -> _Replaced:
    """Replace MAX's operations by NumPy's, and its functions by faster ones."""
    faults: list[str] = []
    missing = staging.install(faults.append)
    missing += private.lacking(private.MODULE)  # codegen.py needs it
    missing += interpreter.register(handlers.HANDLERS, faults.append)
    missing += interpreter.register_custom(handlers.CUSTOM_HANDLERS, faults.append)
    return _Replaced(missing, faults)


def prepare() -> None:
    """Do the part of :func:`install` that needs no device: finding the first starts threads.

    If MAX finds its devices in another way, each worker leaves that to MAX.
    """
    load = private.DEVICES.find()
    if load is None:
        return
    private.DEVICES.put(lambda specs: [])
    try:
        _import_interpreter()
    finally:
        private.DEVICES.put(load)
    if private.lacking(private.FOUND, private.FIND, private.FIND_BY):
        for name in [name for name in sys.modules if name.startswith(INTERPRETER)]:
            del sys.modules[name]
    else:
        private.FIND_BY.put(load)
        _ahead.append(_replaced())


INTERPRETER = "max._interpreter"
"""The prefix of its modules' names."""


def _import_interpreter() -> None:
    with stub_modules.installed(stub_modules.KERNELS), suppress(ImportError):  # reported as missing
        importlib.import_module("max._interpreter_ops")
        importlib.import_module(INTERPRETER)


def _leave(names: Iterable[str]) -> None:
    chosen = set(names)
    if handlers.STAGING in chosen:
        staging.remove()
    interpreter.leave(chosen)


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
