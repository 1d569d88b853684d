"""Detects saved files, by the system's events or by polling where none arrive."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

STEP_MS = 5
"""There must be no change for this long. Most editors write a file in one go."""
LOOK_MS = 1000
"""How often the file is also polled, in case a change has no event."""
POLL_MS = 100
REMOTE = (
    *("9p", "afs", "ceph", "cifs", "drvfs", "fakeowner", "fuse", "fuseblk", "glusterfs", "lustre"),
    *("ncpfs", "nfs", "nfs4", "prl_fs", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs"),
)
"""File systems whose other side can change a file without an event: WSL's Windows drives, network
and container mounts, shared folders of virtual machines."""

Stamp = tuple[int, int, int, int] | None


def stamp(path: Path) -> Stamp:
    """Return what changes when a file is saved: inode, size and times; None if there is no file.

    That includes ctime, because a copy may keep an old mtime.
    """
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def must_poll(folder: Path, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether events cannot be trusted for ``folder``; ``WATCHFILES_FORCE_POLLING`` overrides."""
    asked = environment.get("WATCHFILES_FORCE_POLLING")
    if asked:
        return asked.lower() not in ("0", "false", "no", "disable", "disabled")
    kind = file_system(folder)
    return kind in REMOTE or kind.startswith("fuse.")


def file_system(folder: Path, mounts: Path = Path("/proc/self/mountinfo")) -> str:
    """Return the type of ``folder``'s file system; empty if unknown."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ""
    best, kind = -1, ""
    for line in lines:
        before, _, after = line.partition(" - ")
        words = before.split()
        if len(words) < 5 or not after:
            continue
        point = Path(words[4].replace("\\040", " "))
        if folder.is_relative_to(point) and len(point.parts) >= best:  # the last one wins
            best, kind = len(point.parts), after.split()[0]
    return kind


class Changes:
    """A thread that calls ``tell`` with each changed file. All watched files are in one folder."""

    def __init__(self, paths: Iterable[Path], tell: Callable[[Path], None], *, poll: bool) -> None:
        self.poll = poll
        self._tell = tell
        self.watch(paths)
        self._folder = next(iter(self._stamps)).parent
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="changes", daemon=True)
        self._thread.start()

    def watch(self, paths: Iterable[Path]) -> None:
        """Watch these files from now on; they are in the same folder."""
        self._stamps = {path: stamp(path) for path in paths}

    def close(self) -> None:
        """Stop watching."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            for _ in self._events():
                stamps = self._stamps
                for path, before in stamps.items():
                    now = stamp(path)
                    if now != before:
                        stamps[path] = now
                        self._tell(path)

    def _events(self) -> Iterator[object]:
        """Yield once for each change in the folder, and once a second in any case."""
        from watchfiles import watch

        folder = self._folder
        inode = _inode(folder)
        try:
            for changes in watch(
                folder,
                watch_filter=None,
                recursive=False,
                step=STEP_MS,
                debounce=5 * STEP_MS,
                rust_timeout=LOOK_MS,
                yield_on_timeout=True,
                stop_event=self._stop,
                force_polling=self.poll,
                poll_delay_ms=POLL_MS,
            ):
                yield changes
                if _inode(folder) != inode:  # the folder itself was replaced
                    return
        except Exception:  # noqa: BLE001 - no watches left, folder gone: polling always works
            self._stop.wait(POLL_MS / 1000)
            yield None


def _inode(folder: Path) -> int | None:
    try:
        return folder.stat().st_ino
    except OSError:
        return None
