"""Makes the environments: built next to the old one, swapped in when complete.

An environment counts only with its ``key``, which is written last and names everything that
went into it. Whatever was interrupted still lies in the folder that it was built in, and is
rebuilt. An environment contains only the packages that those below it lack, so that MAX is there
once. uv installs the packages; pip installs uv, into an environment of its own.
"""

from __future__ import annotations

import hashlib
import json
import os
import py_compile
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType

from tools.pixiw import outside, pip
from tools.pixiw.manifest import DEFAULT, PREPARE, Environment, Manifest, Problem

FORMAT = 2
"""Increment it when environments made by an older pixiw no longer work."""

UV = "uv"
"""The environment with uv."""

KEY = ".pixiw/key"
CACHE = ".venv.cache"
"""Where uv keeps downloads until they are installed: on the same disk, so that it can link."""


def say(message: str) -> None:
    """Tell the user what happens, on stderr: stdout belongs to the task."""
    print(f"pixiw: {message}", file=sys.stderr, flush=True)


def is_ready(manifest: Manifest, environment: Environment) -> bool:
    """Whether ``environment`` exists, complete and up to date, without those below it."""
    folder = manifest.root / environment.folder
    try:
        found = (folder / KEY).read_text(encoding="utf-8")
    except OSError:
        return False
    return found == _key(manifest, environment) and os.access(folder / "bin" / "python", os.X_OK)


def is_outdated(manifest: Manifest, environment: Environment) -> bool:
    """Whether the lock of ``environment`` was made for other lines of ``pixi.toml``."""
    head = _lock(manifest, environment).partition("\n")[0]
    return bool(head) and environment.digest not in head


def make(manifest: Manifest, environment: Environment, lock: int | None) -> None:
    """Make the missing layers of ``environment``, each replacing what may be there.

    Args:
        lock: the descriptor of the held lock. What this starts inherits it: should this
            process be killed, the next one waits until the orphans are gone too.

    Raises:
        Problem: it could not be made. What was there before is then still there.
    """
    layers = manifest.layers(environment)
    if all(is_ready(manifest, each) for each in layers):
        return
    say(f"Python {sys.version.split()[0]} ({sys.executable})")
    for each in dict.fromkeys([manifest.environment(UV), *layers]):
        if not is_ready(manifest, each):
            _make(manifest, each, lock)


def _make(manifest: Manifest, environment: Environment, lock: int | None) -> None:
    folder, fresh = (manifest.root / name for name in (environment.folder, ".venv.new"))
    say(f"making {environment.folder}, once; later runs start at once")
    began = time.monotonic()
    try:
        _remove(fresh)
        _build(manifest, environment, fresh, lock)
        _remove(folder)
        fresh.rename(folder)
    except OSError as problem:
        unknown = f"{environment.folder} could not be made: {problem}."
        raise Problem(outside.why(str(problem), unknown)) from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    if environment.name == DEFAULT:
        _prepare(manifest, folder, lock)
    say(f"{environment.folder} is ready ({time.monotonic() - began:.0f} s)")


def _build(manifest: Manifest, environment: Environment, fresh: Path, lock: int | None) -> None:
    run = partial(_run, manifest, lock)
    python = str(fresh / "bin" / "python")
    packages = _packages(manifest, environment)
    if environment.name == UV:
        import venv

        venv.create(fresh, symlinks=True)
        pip.unpack(_site(fresh))
        options = ["--quiet", "--no-input", "--disable-pip-version-check", "--no-user"]
        run([python, "-I", "-m", "pip", "install", *options, *packages])
    else:
        tool = manifest.root / manifest.environment(UV).folder / "bin"
        uv = str(tool / "uv")
        run([uv, "venv", "--quiet", "--relocatable", "--python", sys.executable, str(fresh)])
        if packages:
            options = ["--compile-bytecode", "--python", python]
            run([uv, "pip", "install", *options, *packages], pip.settings(tool / "python"))
        # Now: MAX counts a removed link as a change.
        shutil.rmtree(manifest.root / CACHE, ignore_errors=True)
        _warn_of_compiling(fresh)
    _lay_on(fresh, [manifest.root / each.folder for each in manifest.layers(environment)[:-1]])
    (fresh / KEY).parent.mkdir()
    (fresh / KEY).write_text(_key(manifest, environment), encoding="utf-8")


def _prepare(manifest: Manifest, folder: Path, lock: int | None) -> None:
    """Run the task for it in the new environment, which also works if that fails."""
    task = manifest.tasks.get(PREPARE)
    if task is None:
        return
    say(task.description or PREPARE)
    try:
        _run(manifest, lock, [str(folder / "bin" / "python"), *task.command[1:]])
    except Problem:
        say("that failed, as it says above; going on without it")


def _run(
    manifest: Manifest,
    lock: int | None,
    command: Sequence[str],
    settings: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Run ``command``, which reports its own errors. The user's variables win.

    Raises:
        Problem: it failed.
    """
    elsewhere = {"PYTHONPATH", "PYTHONHOME", "PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT"}
    kept = {name: value for name, value in os.environ.items() if name not in elsewhere}
    cache = {"UV_CACHE_DIR": str(manifest.root / CACHE)}
    variables = {**cache, **settings, **kept, **manifest.variables}
    status, said = outside.run(command, manifest.root, variables, lock)
    if status:
        raise Problem(outside.why(said))


def _packages(manifest: Manifest, environment: Environment) -> list[str]:
    """What to install, as arguments: the lock, or without one what those below lack."""
    if _lock(manifest, environment):
        return ["--no-deps", "--require-hashes", "-r", str(manifest.root / environment.lock)]
    below = manifest.layers(environment)[:-1]
    lines = set(environment.requirements).difference(*(each.requirements for each in below))
    there = [str(manifest.root / each.lock) for each in below if _lock(manifest, each)]
    return [*sorted(lines), *(f"--excludes={path}" for path in there)] if lines else []


def _lock(manifest: Manifest, environment: Environment) -> str:
    path = manifest.root / environment.lock
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _key(manifest: Manifest, environment: Environment) -> str:
    """What ``environment`` is made of, as one digest: packages, Python, the layers below."""
    layers = manifest.layers(environment)
    packages = [_lock(manifest, each) or each.requirements for each in layers]
    parts = [FORMAT, sys.version_info[:2], packages]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _lay_on(fresh: Path, below: list[Path]) -> None:
    """Let ``fresh`` find the packages of the environments ``below``, highest first."""
    site = _site(fresh)
    lines = [os.path.relpath(each / site.relative_to(fresh), site) for each in reversed(below)]
    (site / "below.pth").write_text("\n".join(lines), encoding="utf-8")


def _warn_of_compiling(fresh: Path) -> None:
    """Have each Python of ``fresh`` say so if MAX compiles for minutes (``waiting.py``)."""
    module = _site(fresh) / "course_waiting.py"
    shutil.copy(Path(__file__).with_name("waiting.py"), module)
    py_compile.compile(str(module), dfile=module.name)  # 3 ms of each start otherwise
    (_site(fresh) / "course.pth").write_text("import course_waiting\n", encoding="utf-8")


def _site(folder: Path) -> Path:
    return folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"


def _remove(path: Path) -> None:
    """Delete a file, a link or a folder, if it exists."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
