"""MAX's cache of compiled kernels, of which a worker gets a disposable copy.

The cache contains native code that later gradings run, so a worker may not write to it. The worker
reads its contents through symbolic links; what it compiles stays in its private folder.
"""

# pathlib would cost 10 ms of every start.
# ruff: noqa: PTH100, PTH103, PTH111, PTH112, PTH118, PTH211
from __future__ import annotations

import os
from contextlib import suppress

VARIABLE = "MODULAR_CACHE_DIR"


def shared() -> str:
    """Return the folder where MAX keeps compiled kernels.

    MAX tries ``MODULAR_CACHE_DIR``, ``cache`` in ``MODULAR_HOME``, then the user's cache folder.
    A worker may read it, but writes to its own.
    """
    given = os.environ
    if given.get(VARIABLE):
        return os.path.abspath(given[VARIABLE])
    if given.get("MODULAR_HOME"):
        return os.path.join(os.path.abspath(given["MODULAR_HOME"]), "cache")
    base = given.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(os.path.abspath(base), "modular")


def private(folder: str) -> str:
    """Return where a worker with this private folder keeps what it compiles."""
    return os.path.join(folder, "cache")


def seed(real: str) -> None:
    """Link everything in ``real`` into this process's own cache. Only the first call does so."""
    mine = os.environ.get(VARIABLE, "")
    if not mine or mine == real or os.path.isdir(mine):
        return
    with suppress(OSError):
        os.makedirs(mine)
        for folder, folders, files in os.walk(real):
            here = os.path.join(mine, os.path.relpath(folder, real))
            for name in folders:
                os.makedirs(os.path.join(here, name), exist_ok=True)
            for name in files:
                os.symlink(os.path.join(folder, name), os.path.join(here, name))
