"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


class Unusable(Exception):
    """Something that a person named cannot be used. The message says why, and what to do.

    ``status`` is the exit status: 2 for a wrong name, 3 for what the machine lacks.
    """

    def __init__(self, message: str, status: int = 2) -> None:
        super().__init__(message)
        self.status = status


def write_whole(
    path: Path, content: str | bytes, *, durable: bool = True, mode: int | None = None
) -> None:
    """Replace ``path`` by ``content`` in one step; on any error the old file stays.

    Text is written as UTF-8, its line ends unchanged. ``durable`` waits until it is on disk,
    about 10 ms; without it a power cut may lose it. ``mode`` has the permissions, by default
    those of the old file.

    Raises:
        OSError: the folder is missing or not writable, or the disk is full.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        if mode is None:
            mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise
