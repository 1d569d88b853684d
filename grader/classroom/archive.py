"""Reads zip files that strangers made. Nothing is unpacked to disk, and no name is trusted."""

from __future__ import annotations

import lzma
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from grader.source.read import MOST_BYTES, SourceProblem

MOST_ENTRIES = 100_000
MOST_INNER_BYTES = 32 << 20
"""Bytes; a student's own archive is read into memory."""

BROKEN = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    EOFError,
    NotImplementedError,  # a compression that Python lacks
    OSError,
    OverflowError,
    RuntimeError,  # encrypted
    ValueError,
    lzma.LZMAError,
    zlib.error,
)
"""Everything that :mod:`zipfile` raises for a bad file."""


class Unsafe(Exception):
    """A name that points outside the archive."""


class Member(NamedTuple):
    """One entry: its path, and the position to read it at."""

    path: tuple[str, ...]
    place: int


class Archive:
    """An open zip file.

    Raises:
        SourceProblem: it is not a zip file, or is damaged.
    """

    def __init__(self, file: Path | IO[bytes], name: str) -> None:
        self.name = name
        try:
            self._zip = zipfile.ZipFile(file)
            self._entries = self._zip.infolist()
        except BROKEN as problem:
            raise SourceProblem(
                f"{name} is not a readable zip file: {problem}", hint="Pack it again."
            ) from None
        if len(self._entries) > MOST_ENTRIES:
            raise SourceProblem(f"{name} has more than {MOST_ENTRIES:,} entries")

    def members(self) -> Iterator[Member | str]:
        """Every entry but folders, in order; a name that points outside comes as a string."""
        for index, entry in enumerate(self._entries):
            if entry.is_dir():
                continue
            try:
                yield Member(_parts(entry.filename), index)
            except Unsafe:
                yield entry.filename

    def folders(self) -> Iterator[tuple[str, ...]]:
        """The path of every entry that is a folder."""
        for entry in self._entries:
            if entry.is_dir():
                try:
                    yield _parts(entry.filename)
                except Unsafe:
                    continue

    def read(self, index: int, most: int = MOST_BYTES) -> bytes:
        """The content of one entry.

        Raises:
            SourceProblem: it is a link, encrypted, damaged, or larger than ``most`` bytes.
        """
        entry = self._entries[index]
        name = entry.filename.rpartition("/")[2]
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise SourceProblem(f"{name} is a symbolic link", hint="Put the file itself there.")
        if entry.flag_bits & 1:
            raise SourceProblem(f"{name} is encrypted", hint="Pack it without a password.")
        try:
            with self._zip.open(entry) as file:
                data = file.read(most + 1)
        except BROKEN as problem:
            raise SourceProblem(
                f"{name} is damaged in the archive: {problem}", hint="Pack it again."
            ) from None
        if len(data) > most:
            size = f"{most >> 20} MiB"
            raise SourceProblem(
                f"{name} is larger than {size}", hint="A step is a page long. Is this the file?"
            )
        return data

    def close(self) -> None:
        """Close the file."""
        self._zip.close()


def _parts(name: str) -> tuple[str, ...]:
    """The parts of a name. Backslashes separate too: some programs write them."""
    parts = name.replace("\\", "/").split("/")
    if not parts[0] or ".." in parts or parts[0][1:2] == ":":
        raise Unsafe(name)
    kept = tuple(part for part in parts if part not in ("", "."))
    if not kept:
        raise Unsafe(name)
    return kept
