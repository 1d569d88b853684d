"""Finished results on disk: one file each, written whole, named by all that decides them."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from grader import frameworks
from grader.base import course
from grader.base.files import write_whole
from grader.base.model import Report

SOURCES, ENDINGS = ("checks", "solutions"), (".py", ".toml", ".json")
SECRET = "key"
"""The file with the class's key."""
SECRET_TEXT = re.compile(r"[0-9a-f]{64}\n")
NO_PART = ("grader/classroom", "grader/cli", "grader/learner", "grader/report")
"""Code that only shows results."""


def fingerprint(root: Path = course.ROOT, home: Path = course.HOME) -> str:
    """A name for everything that decides a result except the submission.

    The rubrics, the grader, the solutions that a submission may import, the framework and Python.
    """
    digest = hashlib.sha256()
    digest.update(repr(sys.version_info[:3]).encode())
    digest.update(frameworks.current().versions().encode())
    places = [(root, root / name) for name in (*SOURCES, "course.toml")]
    places.append((home, home / "grader"))
    files = {path: top for top, place in places for path in (place, *place.rglob("*"))}
    for name, path in sorted(
        (path.relative_to(top).as_posix(), path) for path, top in files.items()
    ):
        if path.suffix in ENDINGS and not name.startswith(NO_PART):
            data = path.read_bytes()
            digest.update(f"{name} {len(data)}\n".encode() + data)
    return digest.hexdigest()


def key(fingerprint: str, step: str, digest: str, options: object) -> str:
    """The name of one grading's result."""
    whole = "\n".join((fingerprint, step, digest, repr(options)))
    return hashlib.sha256(whole.encode()).hexdigest()


def seed(secret: bytes, step: str, digest: str) -> int:
    """The seed for one submission: the same wherever and whenever this class is graded.

    Without the class's ``secret`` nobody can tell which file gets which seed.
    """
    return int.from_bytes(hmac.digest(secret, f"{step} {digest}".encode(), "sha256")[:4], "big")


class Store:
    """Results in a folder. An unreadable file counts as missing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def secret(self) -> bytes:
        """The class's own random key, kept beside its results and made by the first run.

        Only its owner may read the file. Whoever copies a class copies it too.

        Raises:
            OSError: the key cannot be read, or the folder is not writable.
        """
        path = self.folder / SECRET
        with suppress(FileNotFoundError, UnicodeDecodeError):
            if SECRET_TEXT.fullmatch(kept := path.read_text(encoding="ascii")):
                with suppress(PermissionError):  # somebody else's, who lets us read it
                    path.chmod(0o600)
                return bytes.fromhex(kept)
        made = secrets.token_bytes(32)
        write_whole(path, f"{made.hex()}\n", mode=0o600)
        return made

    def load(self, name: str) -> Report | None:
        """The report kept under ``name``."""
        try:
            text = (self.folder / f"{name}.json").read_text(encoding="utf-8")
            return restored(json.loads(text))
        except (OSError, ValueError, RecursionError):
            return None

    def save(self, name: str, report: Report) -> None:
        """Keep ``report``, whole or not at all.

        Raises:
            OSError: the disk is full or not writable.
        """
        write_whole(self.folder / f"{name}.json", json.dumps(plain(report), ensure_ascii=True))


def plain(report: Report) -> dict[str, Any]:
    """A report as JSON can represent it."""
    return asdict(report)


def packed(report: Report) -> bytes:
    """A report as bytes, for another process.

    Raises:
        UnicodeEncodeError: it has a text that is no text.
    """
    return msgspec.msgpack.encode(report)


def unpacked(data: bytes) -> Report:
    """The report that :func:`packed` converted.

    Raises:
        msgspec.DecodeError: it is not one.
    """
    return msgspec.msgpack.decode(data, type=Report)


def restored(value: object) -> Report:
    """The report that :func:`plain` converted.

    Raises:
        ValueError: it is not one.
    """
    return msgspec.convert(value, Report)
