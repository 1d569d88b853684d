"""Reads untrusted zip files. Nothing is unpacked to disk, and no name is trusted.

It reads what learning platforms and desktops write: members that are stored or deflated. PKWARE's
APPNOTE.TXT describes the format. The standard library's reader refuses a whole archive for one
invalid member, and unpacks LZMA, whose dictionary may take 4 GiB.
"""

from __future__ import annotations

import os
import stat
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from grader.source.errors import SourceProblem
from grader.source.parser import MOST_BYTES

ReadAt = Callable[[int, int], bytes]
"""Reads up to ``size`` bytes from an offset: ``(offset, size)``."""

END, END_64, LOCATOR_64 = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
DIRECTORY = struct.Struct("<4s6H3I5H2I")
LOCAL = struct.Struct("<4s5H3I2H")
LONGEST_COMMENT = 1 << 16
FULL = 0xFFFFFFFF
"""The value of a 32-bit field that refers to the 64-bit field."""
STORED, DEFLATED = 0, 8
ENCRYPTED, UTF_8 = 0x1, 0x800
PIECE = 1 << 16
LARGEST_DIRECTORY = 512 << 20


class Damaged(SourceProblem):
    """The bytes are not those that were packed: nobody can know what was handed in."""


class Unsafe(Exception):
    """A name that points outside the archive."""


class Member(NamedTuple):
    """One entry: its name as written, and where and how its bytes are stored in the archive."""

    name: str
    flags: int
    method: int
    checksum: int
    packed: int
    size: int
    offset: int
    link: bool

    @property
    def folder(self) -> bool:
        """Whether it is a folder."""
        return self.name.endswith(("/", "\\"))

    def parts(self) -> tuple[str, ...]:
        """The parts of the name. Backslashes separate them too, since some programs write them.

        Raises:
            Unsafe: the name points outside, or is empty.
        """
        parts = self.name.replace("\\", "/").split("/")
        if not parts[0] or ".." in parts or parts[0][1:2] == ":":
            raise Unsafe(self.name)
        kept = tuple(part for part in parts if part not in ("", "."))
        if not kept:
            raise Unsafe(self.name)
        return kept


class Archive:
    """The members of a zip file of ``size`` bytes, which ``read_at`` reads.

    Raises:
        SourceProblem: it is not a zip file, is damaged, or has more than ``most`` entries.
    """

    def __init__(self, read_at: ReadAt, size: int, name: str, most: int) -> None:
        self.name = name
        self._read_at = read_at
        try:
            self._shift, self.members = self._directory(size, most)
        except (struct.error, OSError, OverflowError, ValueError) as problem:
            raise SourceProblem(
                f"{name} is not a readable zip file: {problem}", hint="Pack it again."
            ) from None

    def _directory(self, size: int, most: int) -> tuple[int, list[Member]]:
        """Return how many bytes precede the archive, and its members in order."""
        start = max(0, size - LONGEST_COMMENT - 22)
        tail = self._read_at(start, size - start)
        at = tail.rfind(END)
        if at < 0:
            raise ValueError("it has no directory")
        end = start + at
        count, length, offset = struct.unpack_from("<H2I", tail, at + 10)
        if tail[at - 20 : at - 16] == LOCATOR_64 and at >= 20:
            end = struct.unpack_from("<Q", tail, at - 12)[0]
            record = self._read_at(end, 56)
            if record[:4] != END_64:
                raise ValueError("its directory is not where it says")
            count, length, offset = struct.unpack_from("<3Q", record, 32)
        if count > most:
            raise SourceProblem(f"{self.name} has more than {most:,} entries")
        shift = end - length - offset
        if shift < 0 or length > LARGEST_DIRECTORY:
            raise ValueError("its directory is cut off")
        return shift, list(_members(self._read_at(end - length, length), count))

    def read(self, member: Member, most: int = MOST_BYTES) -> bytes:
        """Return the content of a member.

        Raises:
            SourceProblem: it is a link, encrypted, or larger than ``most`` bytes.
            Damaged: it is not what was packed.
        """
        name = member.name.replace("\\", "/").rpartition("/")[2]
        if member.link:
            raise SourceProblem(f"{name} is a symbolic link", hint="Put the file itself there.")
        if member.flags & ENCRYPTED:
            raise SourceProblem(f"{name} is encrypted", hint="Pack it without a password.")
        if member.method not in (STORED, DEFLATED):
            raise SourceProblem(
                f"{name} is packed in an unusual way, not stored or deflated",
                hint="Pack it again with an ordinary program.",
            )
        try:
            data = self._unpacked(member, most)
        except (struct.error, zlib.error, OSError, OverflowError, ValueError) as problem:
            raise Damaged(
                f"{name} is damaged in the archive: {problem}", hint="Download it again."
            ) from None
        if len(data) > most:
            size = f"{most >> 20} MiB" if most >> 20 else f"{most >> 10} KiB"
            raise SourceProblem(
                f"{name} is larger than {size}", hint="A step is a page long. Is this the file?"
            )
        return data

    def _unpacked(self, member: Member, most: int) -> bytes:
        """Return the unpacked bytes, unchecked; stop once they are more than ``most``."""
        at = member.offset + self._shift
        head = LOCAL.unpack(self._read_at(at, LOCAL.size))
        if head[0] != b"PK\x03\x04":
            raise ValueError("there is no member where one should be")
        at += LOCAL.size + head[9] + head[10]
        inflate = zlib.decompressobj(-zlib.MAX_WBITS) if member.method == DEFLATED else None
        data, end = bytearray(), at + member.packed
        while at < end and len(data) <= most:
            piece = self._read_at(at, min(PIECE, end - at))
            if not piece:
                raise ValueError("it is cut off")
            at += len(piece)
            while piece and len(data) <= most:
                data += inflate.decompress(piece, most + 1 - len(data)) if inflate else piece
                piece = inflate.unconsumed_tail if inflate else b""
        if len(data) <= most:
            if inflate and not inflate.eof:
                raise ValueError("it is cut off")
            if len(data) != member.size or zlib.crc32(data) != member.checksum:
                raise ValueError("its checksum is wrong")
        return bytes(data)


def _members(directory: bytes, count: int) -> Iterator[Member]:
    at = 0
    for _ in range(count):
        fields = DIRECTORY.unpack_from(directory, at)
        if fields[0] != b"PK\x01\x02":
            raise ValueError("its directory is damaged")
        flags, method = fields[3], fields[4]
        checksum, packed, size, name, extra, comment = fields[7:13]
        start = at + DIRECTORY.size
        raw = directory[start : start + name]
        more = directory[start + name : start + name + extra]
        size, packed, offset = _wide(more, (size, packed, fields[16]))
        link = stat.S_ISLNK(fields[15] >> 16)
        yield Member(_decoded(raw, flags), flags, method, checksum, packed, size, offset, link)
        at = start + name + extra + comment


def _wide(extra: bytes, fields: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return the sizes and the offset, with 64-bit values from the extra field."""
    found, at = list(fields), 0
    while FULL in fields and at + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, at)
        if kind == 1:
            place = at + 4
            for index, field in enumerate(fields):
                if field == FULL:
                    found[index] = struct.unpack_from("<Q", extra, place)[0]
                    place += 8
        at += 4 + length
    return found[0], found[1], found[2]


def _decoded(raw: bytes, flags: int) -> str:
    """Decode a name. Archives from a Mac use UTF-8 without saying so; from old Windows, CP437."""
    if flags & UTF_8:
        return raw.decode("utf-8", "replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp437")


def of_file(descriptor: int, name: str, most: int) -> Archive:
    """Open the archive in a file. It is read by offset, since forked processes share a position."""
    size = os.fstat(descriptor).st_size
    return Archive(lambda at, length: os.pread(descriptor, length, at), size, name, most)


def of_bytes(data: bytes, name: str, most: int) -> Archive:
    """Open the archive in ``data``."""
    return Archive(lambda at, length: data[at : at + length], len(data), name, most)
