"""MAX's cache of compiled kernels, of which a worker gets a copy to throw away.

It holds native code that later gradings run, so a worker may not write there. What is in it
can be read through symbolic links; what a worker compiles stays in its private folder.
"""

# pathlib would cost 10 ms of every start.
# ruff: noqa: PTH103, PTH112, PTH118, PTH211
from __future__ import annotations

import os
from contextlib import suppress

VARIABLE = "MODULAR_CACHE_DIR"


def private(folder: str) -> str:
    """Where a worker with this private folder keeps what it compiles."""
    return os.path.join(folder, "cache")


def seed(real: str) -> None:
    """Link all that is in ``real`` into this process's own cache. Only the first call does it."""
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
