"""The command line of pixiw, for everything that its shell half does not do at once."""

from __future__ import annotations

import fcntl
import os
import shlex
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from tools.pixiw import groups, install, shell
from tools.pixiw.manifest import DEFAULT, Environment, Manifest, Problem, Task, read

HELP = """\
./pixiw run [-e ENVIRONMENT] NAME [arguments]   run a task, or `python` in its environment
./pixiw install [-e ENVIRONMENT]                only make the environment
./pixiw task list                               what each task does
./pixiw --version                               the version of the course
"""

PATIENCE_S = 3600.0
"""How long to wait for another pixiw. It may have 280 MB to download on a slow line."""
TOO_LONG = (
    "Another pixiw has been running in this folder for an hour. End it, then run the same command "
    "again."
)


class Stopped(BaseException):
    """A signal asked this process to end."""


def main(root: str, arguments: Sequence[str]) -> NoReturn:
    """Do what ``arguments`` say; ends by becoming the task or with an exit status."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, _stop)
    try:
        _main(read(Path(root)), list(arguments))
    except Problem as problem:
        print(f"pixiw: {problem}", file=sys.stderr)
        sys.exit(problem.status)
    except Stopped as stopped:
        print("\npixiw: stopped; the next run keeps what was downloaded", file=sys.stderr)
        number = signal.Signals(stopped.args[0])
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    sys.exit(0)


def _stop(number: int, _frame: FrameType | None) -> None:
    raise Stopped(number)


def _main(manifest: Manifest, arguments: list[str]) -> None:
    if _asks_for_list(arguments):
        if arguments[:1] in (["-h"], ["--help"]):
            print(HELP)
        whole = "--all" in arguments or "task" in arguments
        print(groups.page(manifest, whole=whole), end="")
        return
    command = arguments.pop(0)
    if command not in ("run", "install"):
        if command in manifest.tasks:
            typed = shlex.join(["./pixiw", "run", command, *arguments])
            raise Problem(f"Add `run`: {typed}", 2)
        raise Problem(f"Without pixi there is no {command!r}, only:\n\n{HELP}", 2)
    chosen = _environment_option(manifest, arguments)
    if command == "install":
        _make(manifest, chosen or manifest.environment(DEFAULT))
        return
    if not arguments:
        raise Problem(f"Which task?\n\n{groups.page(manifest)}", 2)
    name = arguments[0]
    task, environment = manifest.tasks.get(name), chosen
    if environment is None:
        task = task or _bare(manifest, name, manifest.environment(DEFAULT))
        environment = manifest.environment(task.environment)
    _make(manifest, environment)
    task = task or _bare(manifest, name, environment)  # made now, it may have a program so called
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it; the task should not
    lines = f"root=$1; shift\n{shell.become(manifest, environment, task)}"
    os.execv("/bin/sh", ["pixiw", "-c", lines, "pixiw", str(manifest.root), *arguments[1:]])


def _asks_for_list(arguments: list[str]) -> bool:
    """Whether these are no command, or one that lists the tasks."""
    first, second = [*arguments, "", ""][:2]
    return (
        first in ("", "help", "-h", "--help", "--all")
        or (first == "run" and second in ("", "help"))
        or (first, second) == ("task", "list")
    )


def _environment_option(manifest: Manifest, arguments: list[str]) -> Environment | None:
    """Take ``-e NAME`` off the front of ``arguments``."""
    if not arguments or not arguments[0].startswith("-"):
        return None
    option, equals, name = arguments.pop(0).partition("=")
    if option not in ("-e", "--environment") or not (equals or arguments):
        raise Problem(f"There is no option {option!r}.\n\n{HELP}", 2)
    return manifest.environment(name if equals else arguments.pop(0))


def _bare(manifest: Manifest, name: str, environment: Environment) -> Task:
    """A command that is not a task: ``python``, or a program of an environment that is there."""
    program = manifest.root / environment.folder / "bin" / name
    if name not in ("python", "python3") and ("/" in name or not program.exists()):
        raise manifest.unknown(name)
    return Task(name, (name,), environment.name, {})


def _make(manifest: Manifest, environment: Environment) -> None:
    """Make what is missing of ``environment``, and write down what can start at once."""
    install.make(manifest, environment, _lock(manifest.root))
    known = manifest.environments.values()
    if outdated := [each.lock for each in known if install.is_outdated(manifest, each)]:
        install.say(f"made for another pixi.toml: {', '.join(outdated)}; run `./pixiw run lock`")
        return
    ready = {each.name for each in known if install.is_ready(manifest, each)}
    shell.note(manifest, ready)


def _lock(root: Path) -> int | None:
    """Hold the lock of this folder. It ends with the process, so none is ever stale.

    Returns:
        Its descriptor; None if the folder cannot be written or its file system has no locks.

    Raises:
        Problem: another process holds it for too long.
    """
    try:
        lock = os.open(root / ".venv.lock", os.O_RDWR | os.O_CREAT, 0o666)
        if not _taken(lock):
            install.say("another pixiw is running in this folder; waiting for it")
            deadline = time.monotonic() + PATIENCE_S
            while not _taken(lock):
                if time.monotonic() > deadline:
                    raise Problem(TOO_LONG)
                time.sleep(0.1)
    except OSError:
        return None
    return lock


def _taken(lock: int) -> bool:
    """Take the lock, unless another process holds it."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
