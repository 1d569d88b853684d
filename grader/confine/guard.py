"""An audit hook for machines without Landlock or seccomp: it refuses what they would refuse.

It sees what Python does and nothing below it, so it stops accidents and simple attempts only.
No tier counts it.
"""

# pathlib would cost 10 ms of every start.
from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from grader.confine import readable

if TYPE_CHECKING:
    from grader.confine.settings import Settings

FORBIDDEN = frozenset(
    (
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.kill",
        "os.killpg",
        "os.posix_spawn",
        "os.spawn",
        "os.system",
        "pty.spawn",
        "socket.bind",
        "socket.connect",
        "socket.sendto",
        "subprocess.Popen",
    )
)
READS = frozenset(("open", "os.chdir", "os.listdir", "os.scandir"))
CHANGES = frozenset(
    (
        "os.chmod",
        "os.chown",
        "os.link",
        "os.mkdir",
        "os.remove",
        "os.rename",
        "os.rmdir",
        "os.setxattr",
        "os.symlink",
        "os.truncate",
        "os.utime",
    )
)
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def install(settings: Settings) -> None:
    """Add the hook. Nothing can remove it."""
    sys.addaudithook(_hook(settings))


def _hook(settings: Settings) -> Callable[[str, tuple[Any, ...]], None]:
    hidden = list(readable.secrets(settings.grader, settings.course))
    installed = [os.path.realpath(path) for path in (sys.prefix, sys.base_prefix, *sys.path)]
    open_to_read = [p for p in (settings.grader, *installed) if p not in hidden]
    open_to_write = [os.path.realpath(settings.folder)]
    busy = False

    def within(path: str, folders: list[str]) -> bool:
        return any(path == folder or path.startswith(folder + os.sep) for folder in folders)

    def look(event: str, arguments: tuple[Any, ...]) -> None:
        path = arguments[0] if arguments else None
        if not isinstance(path, str | bytes):
            return
        real = os.path.realpath(os.fsdecode(path))
        if real == os.devnull or within(real, open_to_write):
            return
        writes = event in CHANGES or (event == "open" and bool((arguments[2] or 0) & WRITING))
        if writes or (within(real, hidden) and not within(real, open_to_read)):
            raise PermissionError(f"{event} is not allowed here: {os.fsdecode(path)}")

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal busy
        if event in FORBIDDEN:
            raise PermissionError(f"{event} is not allowed here")
        if busy or (event not in READS and event not in CHANGES):
            return
        busy = True  # looking at a path can itself raise events
        try:
            look(event, arguments)
        finally:
            busy = False

    return hook
