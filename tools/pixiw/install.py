"""Makes the environments: built beside the old one, put in its place when whole.

An environment counts only with its ``key``, which is written last and names everything that
went into it. Whatever was interrupted has none, or still lies in the folder that it was built
in, and is made anew. ``test`` and the like lie on top of the default environment, so that MAX
is there once.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from pathlib import Path

from tools.pixiw import pip
from tools.pixiw.manifest import PREPARE, Environment, Manifest, Problem
from tools.pixiw.notes import STATE, write_whole

FORMAT = 1
"""Raise it when environments made by an older pixiw no longer do."""


def say(message: str) -> None:
    """Tell the user what happens, on stderr: stdout belongs to the task."""
    print(f"pixiw: {message}", file=sys.stderr, flush=True)


def key(manifest: Manifest, environment: Environment) -> str:
    """What ``environment`` is made of, in one word: its packages, its Python, what is below."""
    below = manifest.layers(environment.name)[:-1]
    parts = [
        FORMAT,
        sys.version_info[:2],
        environment.requirements,
        _lock_text(manifest, environment),
        [key(manifest, each) for each in below],
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def is_ready(manifest: Manifest, environment: Environment) -> bool:
    """Whether ``environment`` is there, whole and up to date."""
    folder = manifest.root / environment.folder
    try:
        found = (folder / STATE / "key").read_text(encoding="utf-8").strip()
    except OSError:
        return False
    return found == key(manifest, environment) and os.access(folder / "bin" / "python", os.X_OK)


def install(manifest: Manifest, environment: Environment, lock: int | None) -> None:
    """Make ``environment`` and put it in place of the one that may be there.

    Args:
        lock: the descriptor of the held lock. What this starts inherits it: should this
            process be killed, the next one waits until the orphans are gone too.

    Raises:
        Problem: when it could not be made. What was there before is then still there.
    """
    folder = manifest.root / environment.folder
    fresh, old = (manifest.root / f".venv.{environment.name}.{state}" for state in ("new", "old"))
    say(f"Python {sys.version.split()[0]} ({sys.executable})")
    say(f"making {environment.folder}, once; later runs start at once")
    began = time.monotonic()
    try:
        remove(fresh)
        remove(old)
        _build(manifest, environment, fresh, lock)
        if os.path.lexists(folder):
            folder.rename(old)
        fresh.rename(folder)
    except OSError as problem:
        remove(fresh)
        raise Problem(f"{environment.folder} could not be made: {problem}") from None
    except BaseException:
        remove(fresh)
        raise
    remove(old)
    say(f"{environment.folder} is ready ({time.monotonic() - began:.0f} s)")


def remove(path: Path) -> None:
    """Delete a file, a link or a folder; nothing there is fine."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _build(manifest: Manifest, environment: Environment, fresh: Path, lock: int | None) -> None:
    below = [manifest.root / each.folder for each in manifest.layers(environment.name)[:-1]]
    # A layer uses the pip of the environment below it.
    with_pip = bool(environment.requirements) and not below
    venv.EnvBuilder(symlinks=True, with_pip=with_pip, prompt=manifest.name).create(fresh)
    for base in below:
        own = _site_packages(fresh)
        link = os.path.relpath(_site_packages(base), own)
        (own / "below.pth").write_text(f"{link}\n", encoding="utf-8")
    run = _runner(manifest, fresh, lock)
    if environment.requirements:
        pip.install(run, manifest, environment, say)
    task = manifest.tasks.get(PREPARE)
    if task is not None and not below:
        say(f"  {task.description or PREPARE}")
        status, output = run(list(task.command), lambda line: None)
        if status:
            raise Problem(f"The task {PREPARE} failed:\n{output}")
    _settle(fresh, manifest.root / environment.folder)
    state = fresh / STATE
    state.mkdir()
    (state / "python").write_text(f"{sys.executable}\n", encoding="utf-8")
    text = _lock_text(manifest, environment)
    if text is not None:
        (state / "lock").write_text(text, encoding="utf-8")
    write_whole(state / "key", f"{key(manifest, environment)}\n")


def _lock_text(manifest: Manifest, environment: Environment) -> str | None:
    path = manifest.root / environment.lock
    return path.read_text(encoding="utf-8") if path.exists() else None


def _site_packages(folder: Path) -> Path:
    return folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"


def _settle(fresh: Path, folder: Path) -> None:
    """Let the scripts in ``bin`` name the folder where the environment will be."""
    before, after = os.fsencode(fresh), os.fsencode(folder)
    for script in (fresh / "bin").iterdir():
        if script.is_symlink() or not script.is_file():
            continue
        text = script.read_bytes()
        if before in text and b"\0" not in text:
            script.write_bytes(text.replace(before, after))


def _runner(manifest: Manifest, prefix: Path, lock: int | None) -> pip.Run:
    """A function that runs one command inside the environment ``prefix``."""
    variables = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT")
    }
    variables.update(manifest.variables, VIRTUAL_ENV=str(prefix), PIP_USER="0")
    variables["PATH"] = f"{prefix / 'bin'}{os.pathsep}{variables.get('PATH', os.defpath)}"

    def run(command: list[str], each_line: Callable[[str], None]) -> tuple[int, str]:
        if command[0] == "python":
            command = [str(prefix / "bin" / "python"), *command[1:]]
        with subprocess.Popen(
            command,
            cwd=manifest.root,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            pass_fds=() if lock is None else (lock,),
        ) as process:
            try:
                lines = []
                for line in process.stdout or ():
                    lines.append(line)
                    each_line(line.rstrip())
            except BaseException:
                # Nothing may write into the folder any more when it is removed.
                process.kill()
                process.wait()
                raise
        return process.returncode, "".join(lines)

    return run
