"""Runs the programs that install: shows what they write, and finds in it why they failed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path

KEPT = 16_384
"""How many of the last bytes of a program's output are searched for the cause of its failure."""

CAUSES = {
    "No space left on device|Disk quota exceeded": (
        "The disk is full. Free some space: all environments together take 1 GB."
    ),
    "Hash mismatch|DO NOT MATCH THE HASHES": (
        "A package differs from the one that requirements/ names. If your package index has builds "
        "of its own, remove the folder requirements/, so that the versions come from pixi.toml."
    ),
    "no wheels with a matching": (
        "A package has no build for this machine. MAX runs on Linux (x86-64 or ARM, glibc 2.34 or "
        "newer: Ubuntu 22.04, Debian 12, Fedora 35) and on Macs with Apple silicon (macOS 13 or "
        "newer)."
    ),
    "(?i)certificate.?verify.?failed|invalid peer certificate": (
        "This machine does not trust the certificate that the package index shows. If a proxy "
        "reads the traffic, set PIP_CERT to the file with the proxy's certificate."
    ),
    "connection broken by|Failed to fetch|Failed to download|Request failed": (
        "The package index cannot be reached, or a login page or a proxy answers in its place. "
        "Check the network. Behind a proxy, set HTTPS_PROXY=http://HOST:PORT (with a login: "
        "http://NAME:PASSWORD@HOST:PORT)."
    ),
    "from versions: |there is no version of|was not found in the package registry": (
        "The package index does not list a package that is needed. A login page or a proxy may "
        "answer in its place; log in, or set HTTPS_PROXY. An index of your own may lack the "
        "package; add it there."
    ),
}
"""What pip, uv and the system say, as regular expressions, and what that means for the user.

The first that is found counts.
"""

AGAIN = "Then run the same command again: it keeps what was downloaded."
UNKNOWN = "The packages could not be installed. Fix what is said above."


def why(said: str, unknown: str = UNKNOWN) -> str:
    """What to tell the user about a failure whose error is ``said``."""
    known = (cause for words, cause in CAUSES.items() if re.search(words, said))
    return f"{next(known, unknown)} {AGAIN}"


def run(
    command: Sequence[str], folder: Path, variables: Mapping[str, str], lock: int | None
) -> tuple[int, str]:
    """Run ``command`` in ``folder`` and copy to stderr what it writes, progress bars included.

    If this is interrupted, ``command`` ends with all that it started.

    Args:
        lock: a descriptor for it to inherit.

    Returns:
        Its exit status, and the end of what it wrote.
    """
    ours, theirs = _terminal() if sys.stderr.isatty() else os.pipe()
    with os.fdopen(ours, "rb", buffering=0) as output:
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=theirs,
                stderr=theirs,
                pass_fds=() if lock is None else (lock,),
                process_group=0,
            )
        finally:
            os.close(theirs)
        said = b""
        try:
            while chunk := _read(output):
                said = (said + chunk)[-KEPT:]
                sys.stderr.buffer.write(chunk)
                sys.stderr.buffer.flush()
            return process.wait(), said.decode(errors="replace")
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise


def _terminal() -> tuple[int, int]:
    """Both ends of a terminal of the size of ours: a program draws progress bars only there."""
    import pty
    import termios

    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, termios.tcgetwinsize(sys.stderr.fileno()))
    return ours, theirs


def _read(output: FileIO) -> bytes:
    try:
        return output.read(KEPT)
    except OSError:  # how a terminal ends on Linux
        return b""
