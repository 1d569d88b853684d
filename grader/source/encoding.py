"""The text of a learner's file, in the encoding that Python would read it in."""

from __future__ import annotations

import codecs
import re
import tokenize
import warnings

from grader.source.errors import SourceProblem

_CODING = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
"""The line that names the encoding: PEP 263."""
_BLANK = re.compile(rb"[ \t\f]*(?:#.*)?")
SLOW = frozenset(("idna", "punycode"))
"""Encodings of host names: a few hundred KiB take minutes."""


def decoded(data: bytes, file: str) -> str:
    """The text of a file of Python in any encoding that Python compiles; its lines end in LF.

    Raises:
        SourceProblem: Python would not compile it either.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise SourceProblem(f"{file} is UTF-16", 1, "Save it again as UTF-8.")
    if b"\0" in data:
        head = data[:400]
        if head.count(b"\0") * 3 > len(head):
            raise SourceProblem(
                f"{file} is UTF-16 or a binary file, not Python text", 1, "Save it as UTF-8."
            )
        raise _null(file, data[: data.index(b"\0")].count(b"\n") + 1)
    signed = data.startswith(codecs.BOM_UTF8)
    data = data.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    line, named = _coding_line(data)
    encoding = _known(named, file, line, signed=signed) if named else "utf-8"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of an escape sequence that has no meaning
            text = data.decode(encoding)
        text.encode()
    except UnicodeDecodeError as problem:
        line = data[: problem.start].count(b"\n") + 1
        hint = _advice(named if encoding != "utf-8" else "")
        raise SourceProblem(f"{file} is not {encoding} text", line, hint) from None
    except (UnicodeError, LookupError):
        raise _unknown(file, named, line) from None
    if named and "coding" not in text:  # another alphabet altogether, as in UTF-16
        raise _unknown(file, named, line)
    if "\0" in text:
        raise _null(file, text[: text.index("\0")].count("\n") + 1)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def for_people(data: bytes) -> str:
    """The text of a file, whatever it is, to be shown."""
    try:
        return decoded(data, "")
    except SourceProblem:
        return data.decode("utf-8", "replace")


def _coding_line(data: bytes) -> tuple[int, str]:
    """The number of the line that names the encoding, and the name; empty if there is none."""
    for number, line in enumerate(data.split(b"\n", 2)[:2], 1):
        if found := _CODING.match(line):
            return number, found[1].decode("latin-1")
        if not _BLANK.fullmatch(line):
            break
    return 1, ""


def _known(named: str, file: str, line: int, *, signed: bool) -> str:
    """The encoding of that name. ``signed``: the file begins with the signature of UTF-8."""
    try:
        # It knows the names that editors add to, such as utf-8-unix.
        found, _ = tokenize.detect_encoding(iter([f"# coding: {named}\n".encode()]).__next__)
        name = codecs.lookup(found).name
    except (SyntaxError, LookupError, OSError):  # an importer may look for a file of that name
        raise _unknown(file, named, line) from None
    if name in SLOW or (signed and name != "utf-8"):
        raise _unknown(file, named, line)
    return name


def _unknown(file: str, named: str, line: int) -> SourceProblem:
    return SourceProblem(
        f"{file} names an unknown encoding, or is not in the encoding it names",
        line,
        _advice(named),
    )


def _advice(named: str) -> str:
    return "Save it as UTF-8 and delete the coding line." if named else "Save it again as UTF-8."


def _null(file: str, line: int) -> SourceProblem:
    return SourceProblem(f"{file} contains a null byte", line, "Delete it, and save as UTF-8.")
