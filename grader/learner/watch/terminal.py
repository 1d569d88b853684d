"""The terminal: keys one by one, a screen drawn in place, and everything restored at the end."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TextIO

HOME, BELOW, LINE = "\x1b[H", "\x1b[J", "\x1b[K"
NAMES = {"\x1b[A": "up", "\x1b[B": "down", "\x1b[5~": "up", "\x1b[6~": "down", "\x1bOA": "up",
         "\x1bOB": "down", " ": "down", "b": "up", "\r": "enter", "\n": "enter",
         "\x04": "q"}  # fmt: skip
KEY = re.compile(r"\x1b[\[O][0-9;]*[A-Za-z~]|.", re.DOTALL)
GUARD = """\
trap '' INT HUP TERM QUIT TTOU TSTP
read -r line || stty "$1" <&1
"""
"""Waits until ``watch`` ends, and restores the terminal if it was killed."""


class Terminal:
    """Standard input and output, where they are terminals."""

    def __init__(
        self, keys: TextIO = sys.stdin, screen: TextIO = sys.stdout, *, in_place: bool
    ) -> None:
        self._screen = screen
        self.has_keys = keys.isatty()
        self.in_place = in_place and screen.isatty() and os.environ.get("TERM") != "dumb"
        self.descriptor = keys.fileno() if self.has_keys else -1
        self._before: list[object] | None = None
        self._guard: subprocess.Popen[bytes] | None = None

    @contextmanager
    def taken(self) -> Iterator[Terminal]:
        """Take the terminal in the block, and leave it as it was."""
        if self.has_keys:
            import termios

            self._before = termios.tcgetattr(self.descriptor)
            self._set_guard()
            self.take()
        if self.in_place:  # what is on the screen scrolls up and stays
            self._write("\n" * (self.size[1] - 1))
        try:
            yield self
        finally:
            self.give_back()
            if self.in_place:
                self._write("\n")
            if self._guard is not None:
                with suppress(OSError):
                    self._guard.communicate(b"done\n")

    def take(self) -> None:
        """Read each key at once, without echo. Ctrl-C stays a signal."""
        if self.has_keys:
            import termios
            import tty

            with suppress(termios.error):
                tty.setcbreak(self.descriptor, termios.TCSADRAIN)

    def give_back(self) -> None:
        """Restore the terminal's settings."""
        if self._before is not None:
            import termios

            with suppress(termios.error):
                termios.tcsetattr(self.descriptor, termios.TCSADRAIN, self._before)  # type: ignore[arg-type]

    @property
    def size(self) -> tuple[int, int]:
        """Return the current columns and rows."""
        try:
            found = os.get_terminal_size(self._screen.fileno())
        except OSError:
            found = shutil.get_terminal_size()
        return max(20, found.columns or 80), max(6, found.lines or 24)

    def read(self) -> list[str]:
        """Return the keys that were pressed, by name; ``q`` at the end of the input."""
        try:
            data = os.read(self.descriptor, 1024)
        except OSError:
            data = b""
        if not data:
            return ["q"]
        keys = KEY.findall(data.decode("utf-8", "replace"))
        return [NAMES.get(key, key) for key in keys]

    def draw(self, lines: Sequence[str]) -> None:
        """Show ``lines``, at most as many as fit, in place of the previous ones."""
        rows = self.size[1]
        body = (LINE + "\n").join(lines[:rows])
        self._write(f"{HOME}{body}{LINE}{BELOW}")

    def print(self, text: str) -> None:
        """Write ``text`` below the present output."""
        self._write(text)

    def _write(self, text: str) -> None:
        self._screen.write(text)
        self._screen.flush()

    def _set_guard(self) -> None:
        """Start the small process that restores the terminal after a SIGKILL."""
        with suppress(OSError, subprocess.SubprocessError):
            saved = subprocess.run(
                ["stty", "-g"],
                stdin=self.descriptor,
                capture_output=True,
                text=True,
                check=True,
                timeout=5,
            ).stdout.strip()
            self._guard = subprocess.Popen(
                ["sh", "-c", GUARD, "sh", saved],
                stdin=subprocess.PIPE,
                stdout=self.descriptor,
                stderr=subprocess.DEVNULL,
            )
