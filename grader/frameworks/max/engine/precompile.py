"""Handles the first ``import max.experimental.nn`` on a machine, which compiles a module (6 s).

We can tell without importing anything whether that has been done. Our own process can do it before
the first worker starts, which may neither write there nor run a compiler.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from grader.frameworks.max.engine.startup import environment

COMPILED_MODULE = Path("max/_kv_cache_ops/kv_cache_ops.mojo")


NO_COMPILER = (
    "MAX compiles a part of itself the first time, and there is no C compiler (cc) to link it. "
    "Debian, Ubuntu: sudo apt install gcc libc6-dev. Fedora: sudo dnf install gcc. "
    "macOS: xcode-select --install"
)


PATIENCE_S = 600.0
"""Limit for importing MAX the first time, here or in another process. It takes seconds."""


class NotPrepared(RuntimeError):
    """MAX could not be imported; the message is MAX's."""


def prepared() -> bool:
    """Whether the module that MAX compiles on its first import exists; imports nothing.

    It is also False if MAX is not installed.
    """
    source = _source()
    if source is None:
        return False
    if _compiled_since_installed(source):
        return True
    name = f"{source.stem}.hash-{_source_hash(source.parent)}.so"
    return any((folder / name).is_file() for folder in _cache_folders(source))


def _compiled_since_installed(source: Path) -> bool:
    """Whether a result is newer than the source's inode, so that we need not hash the source.

    The inode's time is that of the installation, whatever time the installer gave the file.
    """
    installed = source.stat().st_ctime
    results = (source.parent / "__mojocache__").glob(f"{source.stem}.hash-*.so")
    return any(result.stat().st_mtime > installed for result in results)


def _source() -> Path | None:
    """Return the source of the module that MAX compiles, if MAX is installed."""
    for entry in sys.path:
        source = Path(entry) / COMPILED_MODULE
        if source.is_file():
            return source
    return None


def _source_hash(folder: Path) -> str:
    """Return MAX's own name for the state of its sources (``mojo.importer``)."""
    import hashlib

    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.mojo")):
        digest.update(str(path.relative_to(folder)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_folders(source: Path) -> Iterator[Path]:
    """Yield the folder next to the source, and Modular's cache, used if the first is read-only."""
    yield source.parent / "__mojocache__"
    rules = {"MODULAR_CACHE_DIR": "", "MODULAR_HOME": "cache", "XDG_CACHE_HOME": "modular"}
    roots = [Path(os.environ[name], rest) for name, rest in rules.items() if os.environ.get(name)]
    with contextlib.suppress(RuntimeError):  # no home folder
        roots.append(Path("~/.cache/modular").expanduser())
    for root in roots:
        yield root / ".mojo_cache/python_extensions" / COMPILED_MODULE.with_suffix("")


def prepare() -> None:
    """Import MAX once in a separate process, so that it compiles what it needs (6 s).

    Safe to call concurrently: the second caller waits for the first.

    Raises:
        NotPrepared: MAX could not be imported.
    """
    import subprocess

    with _one_at_a_time():
        if prepared():
            return
        command = [sys.executable, "-P", "-c", "import max.experimental.nn"]
        try:
            done = subprocess.run(
                command,
                env={**os.environ, **environment()},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                timeout=PATIENCE_S,
            )
        except subprocess.TimeoutExpired:
            raise NotPrepared(f"MAX could not be imported within {PATIENCE_S:.0f} s") from None
    if done.returncode:
        raise NotPrepared(_why(done.stderr) or f"exit status {done.returncode}")


def _why(said: str) -> str:
    """Return MAX's message, or a summary of it."""
    return NO_COMPILER if "c compiler" in said else said.strip()


@contextlib.contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Hold a lock on MAX's source, because two compilers would write the same file.

    Raises:
        NotPrepared: another process holds it for too long.
    """
    source = _source()
    if source is None:
        yield
        return
    from grader.base import locks

    with source.open("rb") as held:
        if not locks.take(held.fileno(), PATIENCE_S):
            raise NotPrepared(
                f"another process has been preparing MAX for {PATIENCE_S:.0f} s; end it first"
            )
        yield
