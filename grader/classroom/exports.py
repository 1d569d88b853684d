"""Everything that a class run writes besides the results."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Sequence

from grader.base.model import Report
from grader.classroom import feedback, gradebook, page, platforms
from grader.classroom.export_formats import EACH
from grader.classroom.gradebook import Gradebook
from grader.report import as_junit

LONGEST = 180
"""Bytes of a file's name, before its number and extension. Most disks allow 255."""
ENDINGS = {"text": "txt", "github": "txt"}


def names(forms: Sequence[str], steps: Sequence[str]) -> list[str]:
    """Return the names of the class-wide files that :func:`files` makes for ``forms``."""
    found = ["gradebook.csv", "class.html", "wall.html"]
    found += ["canvas.csv"] if "canvas" in forms else []
    found += ["roster.csv"] if "roster" in forms else []
    found += ["junit.xml"] if "junit" in forms else []
    found += [f"feedback_{step}.zip" for step in steps if "feedback" in forms]
    return found + [f"moodle_{step}.csv" for step in steps if "moodle" in forms]


def files(
    book: Gradebook, forms: Sequence[str], machine: Callable[[str, Report], str]
) -> dict[str, str | bytes]:
    """Return the gradebook, the page and the exports in ``forms``: the content of each by name.

    ``machine`` renders a report in one of the machine formats.
    """
    found: dict[str, str | bytes] = {
        "gradebook.csv": gradebook.as_csv(book),
        "class.html": page.render(book),
        "wall.html": page.wall(book),
    }
    if "canvas" in forms:
        found["canvas.csv"] = platforms.canvas(book)
    if "roster" in forms:
        found["roster.csv"] = platforms.roster(book)
    if "junit" in forms:
        found["junit.xml"] = as_junit.render_all(_reports(book))
    if "moodle" in forms:
        found |= {f"moodle_{step}.csv": platforms.moodle(book, step) for step in book.titles}
    if "feedback" in forms:
        found |= {f"feedback_{step}.zip": feedback.archive(book, step) for step in book.titles}
    for form in dict.fromkeys(forms):
        if form in EACH:
            found |= _each(book, form, machine)
    return found


def _reports(book: Gradebook) -> list[tuple[str, Report]]:
    return [
        (person.name, report)
        for person in book.people
        for step in book.titles
        if (report := book.row(person, step).report) is not None
    ]


def _each(book: Gradebook, form: str, machine: Callable[[str, Report], str]) -> dict[str, str]:
    taken: set[str] = set()
    found = {}
    for name, report in _reports(book):
        file = file_name(f"{name}_{report.step}", taken)
        text = feedback.told(book, name, report) if form == "text" else machine(form, report)
        found[f"{form}/{file}.{ENDINGS.get(form, 'json')}"] = text
    return found


def _encodable(name: str) -> str:
    """Replace letters that file names cannot have here, where the system does not use UTF-8."""
    encoding = sys.getfilesystemencoding()
    return name.encode(encoding, "replace").decode(encoding)


def file_name(name: str, taken: set[str]) -> str:
    """Make a file name for any system from an untrusted name; never the same one twice."""
    plain = re.sub(r"[^\w .,()-]+", "_", _encodable(unicodedata.normalize("NFC", name)))
    base = plain.encode()[:LONGEST].decode("utf-8", "ignore").strip(" .") or "_"
    file, number = base, 1
    while file.casefold() in taken:
        number += 1
        file = f"{base} ({number})"
    taken.add(file.casefold())
    return file
