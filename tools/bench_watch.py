"""Measures ``watch``: from the save to the finished report, and a plain ``s05`` next to it."""

from __future__ import annotations

import os
import pty
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from grader.base import course

PAUSE_S = 1.5
"""Seconds between saves: nobody saves faster for long, and the next worker is ready by then."""
PLAIN_EVERY = 10
LIMIT_S = 60.0


def main(saves: int) -> None:
    """Print the median and the 95th percentile of ``saves`` saves, and the ratio to plain runs."""
    watched, plain = measure(saves)
    watched.sort()
    median, late = statistics.median(watched), watched[int(0.95 * (len(watched) - 1))]
    alone = statistics.median(plain)
    print(
        f"watch, solution of step 05, {saves} saves: median {1000 * median:.0f} ms, "
        f"95th percentile {1000 * late:.0f} ms, worst {1000 * watched[-1]:.0f} ms"
    )
    print(f"plain s05, {len(plain)} runs: median {1000 * alone:.0f} ms, ratio {alone / median:.1f}")


def measure(saves: int) -> tuple[list[float], list[float]]:
    """Seconds of each save of a copy of the course, and of plain gradings between them."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in ("checks", "grader", "solutions", "steps"):
            shutil.copytree(course.ROOT / name, root / name)
        shutil.copy(course.ROOT / "course.toml", root)
        return _measure(root, saves)


def _measure(root: Path, saves: int) -> tuple[list[float], list[float]]:
    """Seconds of each save, and of plain gradings between them."""
    environment = {**os.environ, "PYTHONPATH": str(root), "TERM": "xterm", "PYTHONUTF8": "1"}
    program = [sys.executable, "-m", "grader"]
    ours, theirs = pty.openpty()
    watch = subprocess.Popen(
        [*program, "watch", "s05"],
        cwd=root,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    solution = (root / "solutions/solution_05.py").read_text(encoding="utf-8")
    watched, plain = [], []
    try:
        _await(ours, 1)
        for number in range(saves):
            time.sleep(PAUSE_S)
            started = time.perf_counter()
            (root / "steps/step_05.py").write_text(f"{solution}# {number}\n", encoding="utf-8")
            _await(ours, number + 2)
            watched.append(time.perf_counter() - started)
            if number % PLAIN_EVERY == 0:
                time.sleep(PAUSE_S)
                plain.append(_plain(program, root, environment))
    finally:
        watch.terminate()
        _drain(ours)
        watch.kill()
        watch.wait()
        os.close(ours)
    return watched, plain


def _plain(program: list[str], root: Path, environment: dict[str, str]) -> float:
    started = time.perf_counter()
    command = [*program, "grade", "s05"]
    quiet = subprocess.DEVNULL
    subprocess.run(command, cwd=root, env=environment, stdout=quiet, check=True, timeout=LIMIT_S)
    return time.perf_counter() - started


def _await(terminal: int, number: int) -> None:
    """Read the screen until the report of grading ``number`` is fully drawn."""
    seen, wanted = b"", f"report {number},".encode()
    limit = time.monotonic() + LIMIT_S
    while time.monotonic() < limit:
        if select.select([terminal], [], [], 1.0)[0]:
            seen += os.read(terminal, 1 << 16)
        _, found, rest = seen.partition(wanted)
        if found and b"\x1b[J" in rest:
            return
    sys.exit(f"watch did not show grading {number} within {LIMIT_S:.0f} s:\n{seen[-2000:]!r}")


def _drain(terminal: int) -> None:
    """Read the rest, so that the program's last output does not block."""
    try:
        while select.select([terminal], [], [], 0.5)[0] and os.read(terminal, 1 << 16):
            pass
    except OSError:  # the other end is closed
        return


if __name__ == "__main__":
    main(100)
