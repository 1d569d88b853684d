"""Finished results on disk: one file each, written whole, named by all that decides them."""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from grader import frameworks
from grader.base import course
from grader.base.files import write_whole
from grader.base.model import Report

SOURCES = ("checks", "solutions")
NO_PART = ("grader/classroom", "grader/cli", "grader/learner", "grader/report", "grader/show")
"""Code that only shows results."""


def fingerprint(root: Path = course.ROOT, home: Path = course.HOME) -> str:
    """A name for everything that decides a result except the submission.

    The rubrics, the grader, the solutions that a submission may import, the framework and Python.
    """
    digest = hashlib.sha256()
    digest.update(repr(sys.version_info[:3]).encode())
    digest.update(frameworks.current().versions().encode())
    files = {path: root for top in SOURCES for path in (root / top).rglob("*.py")}
    files |= dict.fromkeys((home / "grader").rglob("*.py"), home)
    files[root / "course.toml"] = root
    for name, path in sorted(
        (path.relative_to(top).as_posix(), path) for path, top in files.items()
    ):
        if not name.startswith(NO_PART):
            data = path.read_bytes()
            digest.update(f"{name} {len(data)}\n".encode() + data)
    return digest.hexdigest()


def key(fingerprint: str, step: str, digest: str, options: object) -> str:
    """The name of one grading's result."""
    whole = "\n".join((fingerprint, step, digest, repr(options)))
    return hashlib.sha256(whole.encode()).hexdigest()


def seed(step: str, digest: str) -> int:
    """The seed for one submission: the same wherever and whenever it is graded."""
    return int.from_bytes(hashlib.sha256(f"{step} {digest}".encode()).digest()[:4], "big")


class Store:
    """Results in a folder. An unreadable file counts as missing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

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


def restored(value: object) -> Report:
    """The report that :func:`plain` converted.

    Raises:
        ValueError: it is not one.
    """
    return msgspec.convert(value, Report)
