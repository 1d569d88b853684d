"""What must be true before MAX is imported: environment variables and one compiled module.

Standard library only, and nothing slow: the parent calls this before it starts the worker.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# `import max.experimental.nn` compiles this module the first time on a machine (6 s).
COMPILED_MODULE = Path("max/_kv_cache_ops/kv_cache_ops.mojo")


class NotPrepared(RuntimeError):
    """MAX could not be imported; the message ends with what MAX said."""


def environment() -> dict[str, str]:
    """The variables to set before MAX is imported.

    No telemetry (it stalls a machine without network), no compilers in the background, one
    thread for NumPy's matrix products, and Python's library by name, because MAX would
    otherwise run whatever ``python3`` is on PATH to ask for it.
    """
    variables = {
        "MODULAR_TELEMETRY_ENABLED": "0",
        "MAX_EAGER_EXECUTOR": "interpreter",
        "OPENBLAS_NUM_THREADS": "1",
    }
    library = _python_library()
    if library is not None:
        variables["MOJO_PYTHON_LIBRARY"] = library
    return variables


def _python_library() -> str | None:
    """The shared library of this interpreter; runs nothing and imports nothing slow.

    MAX needs a file that exists and then uses the running interpreter, so on Linux the
    executable serves where Python was built without a shared library.
    """
    ending = "dylib" if sys.platform == "darwin" else "so"
    version = f"{sys.version_info.major}.{sys.version_info.minor}{sys.abiflags}"
    folders = [f"{sys.base_prefix}/lib"]
    multiarch = getattr(sys.implementation, "_multiarch", "")
    if multiarch:  # Debian and Ubuntu
        folders.append(f"{sys.base_prefix}/lib/{multiarch}")
    for folder in folders:
        path = f"{folder}/libpython{version}.{ending}"
        if os.path.isfile(path):
            return path
    return os.path.realpath(sys.executable) if sys.platform == "linux" else None


def prepared() -> bool:
    """Whether the module that MAX compiles at its first import is there; imports nothing.

    False also where MAX is not installed.
    """
    source = _source()
    if source is None:
        return False
    name = f"{source.stem}.hash-{_source_hash(source.parent)}.so"
    return any((folder / name).is_file() for folder in _cache_folders(source))


def _source() -> Path | None:
    """The source of the module that MAX compiles, where MAX is installed."""
    for entry in sys.path:
        source = Path(entry) / COMPILED_MODULE
        if source.is_file():
            return source
    return None


def _source_hash(folder: Path) -> str:
    """MAX's own name for the state of its sources (``mojo.importer``)."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.mojo")):
        digest.update(str(path.relative_to(folder)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_folders(source: Path) -> Iterator[Path]:
    """Beside the source, or in Modular's cache where the installation is read-only."""
    yield source.parent / "__mojocache__"
    known = os.environ
    roots = [
        known.get("MODULAR_CACHE_DIR"),
        known.get("MODULAR_HOME") and f"{known['MODULAR_HOME']}/cache",
        f"{known.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')}/modular",
    ]
    for root in filter(None, roots):
        yield Path(root) / ".mojo_cache/python_extensions" / COMPILED_MODULE.with_suffix("")


def prepare() -> None:
    """Import MAX once in a process of our own, so that it compiles what it needs (6 s).

    Safe to call twice at once: the second caller waits for the first.

    Raises:
        NotPrepared: MAX could not be imported.
    """
    with _one_at_a_time():
        if prepared():
            return
        command = [sys.executable, "-P", "-c", "import max.experimental.nn"]
        done = subprocess.run(
            command,
            env={**os.environ, **environment()},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    if done.returncode:
        raise NotPrepared(done.stderr.strip() or f"exit status {done.returncode}")


@contextlib.contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Hold a lock on MAX's source: two compilers at once would write the same file."""
    source = _source()
    if source is None or sys.platform == "win32":
        yield
        return
    import fcntl

    with source.open("rb") as held:
        with contextlib.suppress(OSError):  # Some network file systems cannot lock.
            fcntl.flock(held, fcntl.LOCK_EX)
        yield
