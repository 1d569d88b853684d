"""Makes text from an untrusted process safe to print: no escapes, no controls, bounded length."""

from __future__ import annotations

import re

REPLACEMENT = "\ufffd"

_ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # operating system commands: titles, clipboard, links
    r"|\x1b[PX^_][^\x1b]*(?:\x1b\\)?"  # device control, start of string, privacy, application
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # control sequences: colours, cursor, modes
    r"|\x1b[ -/]*[0-~]?"  # two-character escapes
)
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 and C1 controls; tab and newline are kept
    "\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"  # bidi, invisible, lone surrogates, tags
)

_ADDRESS = re.compile(r" at 0x[0-9a-f]{6,}\b")


def block(text: str, limit: int) -> str:
    """``text`` with its lines kept, and terminal escapes and control characters removed.

    At most ``limit`` characters; a cut is marked with its length.
    """
    kept = text[:limit]
    kept = _ESCAPES.sub("", kept.replace("\r\n", "\n").replace("\r", "\n"))
    kept = _UNSAFE.sub("", kept)
    cut = len(text) - limit
    return f"{kept}\n[{cut} more characters]" if cut > 0 else kept


def steady(text: str, folder: str) -> str:
    """``text`` without what differs between runs of the same program.

    That is the worker's private ``folder``, which is its home, and the addresses of objects.
    """
    return _ADDRESS.sub("", text.replace(folder, "~"))


WORD = 40
"""Characters sacrificed to avoid cutting a word in half."""


def _shortened(text: str, limit: int) -> str:
    """``text`` up to the last whole word that fits, and a sign that it continues."""
    kept = text[: limit - 1]
    end = kept.rfind(" ") if not text[limit - 1].isspace() else limit - 1
    return f"{kept[:end] if end > limit - WORD else kept}…"


def on_one_line(code: str) -> str:
    """Code of several lines on one; the spaces inside its texts stay."""
    return " ".join(filter(None, (one.strip() for one in code.splitlines())))


def line(text: str, limit: int) -> str:
    """``text`` as one line of at most ``limit`` characters.

    Every unsafe character becomes U+FFFD instead of being dropped: a name must not turn into
    another name through sanitizing.
    """
    kept = text if len(text) <= limit else _shortened(text, limit)
    return _UNSAFE.sub(REPLACEMENT, kept).replace("\n", REPLACEMENT).replace("\t", REPLACEMENT)
