"""The learner's file as the page edits it: its text, and a digest that identifies the version."""

from __future__ import annotations

import difflib
import os
import threading
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from grader.base.files import write_whole
from grader.learner.stub import back_up
from grader.source import SourceProblem, read_file
from grader.source.parser import MOST_BYTES

if TYPE_CHECKING:
    from pathlib import Path

    from grader.base.model import Step

BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Text:
    """The file's content, with each line end a single newline.

    ``digest`` is the SHA-256 of its bytes in hex, empty if there is no file. ``problem`` says why
    it cannot be edited here, if it cannot.
    """

    text: str
    digest: str
    problem: str = ""


class Conflict(Exception):
    """The file is not the version that the change was based on; ``theirs`` is its content."""

    def __init__(self, theirs: Text) -> None:
        super().__init__("the file was changed elsewhere")
        self.theirs = theirs


class TooLarge(Exception):
    """The text has more bytes than the grader reads."""


_turn = threading.Lock()


def read(step: Step) -> Text:
    """Read the learner's file of ``step``."""
    if not os.path.lexists(step.stub):
        return Text("", "")
    try:
        data = read_file(step.stub)
    except SourceProblem as problem:
        return Text("", "", f"{problem.message}. {problem.hint or ''}".strip())
    digest = sha256(data).hexdigest()
    try:
        text = data.removeprefix(BOM).decode()
    except UnicodeDecodeError:
        return Text("", digest, "This file is not UTF-8. Edit it with your own editor.")
    return Text(text.replace("\r\n", "\n").replace("\r", "\n"), digest)


def write(step: Step, text: str, base: str) -> Text:
    """Replace the file with ``text`` if it is still the version ``base``.

    The file is written atomically. Its byte order mark and line ends stay as they are.

    Raises:
        Conflict: it is another version.
        TooLarge: the grader could not read it.
        OSError: it could not be written; the old file stays.
    """
    with _turn:
        now = read(step)
        if now.digest != base or now.problem:
            raise Conflict(now)
        data = _as_before(step.stub, text)
        if len(data) > MOST_BYTES:
            raise TooLarge
        digest = sha256(data).hexdigest()
        if digest != now.digest:
            write_whole(step.stub, data)
        return Text(text, digest)


def keep(step: Step, text: str) -> str:
    """Save ``text`` among the copies of the learner's files; return the path from the root.

    Raises:
        OSError: it could not be written.
    """
    aside = step.root / ".grader" / step.stub.name
    aside.parent.mkdir(exist_ok=True)
    with _turn:
        write_whole(aside, text)
        try:
            return back_up(step.root, aside).relative_to(step.root).as_posix()
        finally:
            aside.unlink(missing_ok=True)


def difference(theirs: str, mine: str) -> list[str]:
    """Return the lines in which two texts differ: ``- `` only theirs, ``+ `` only mine."""
    lines = difflib.unified_diff(theirs.split("\n"), mine.split("\n"), lineterm="", n=2)
    return [line[:1] + " " + line[1:] if line[:2] != "@@" else line for line in list(lines)[2:]]


def _as_before(path: Path, text: str) -> bytes:
    """Encode ``text`` in the style of the existing file."""
    try:
        before = read_file(path)
    except SourceProblem:
        before = b""
    ends = b"\r\n" if before.count(b"\r\n") * 2 > before.count(b"\n") else b"\n"
    data = text.encode("utf-8", "replace").replace(b"\n", ends)
    return BOM + data if before.startswith(BOM) else data
