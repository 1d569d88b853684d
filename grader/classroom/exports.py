"""Everything that a class run writes besides the results."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

from grader.base.files import write_whole
from grader.base.model import Report
from grader.classroom import gradebook, page, platforms
from grader.classroom.gradebook import Gradebook
from grader.report import as_junit, as_text

LONGEST = 180
"""Bytes of a file's name, before its number and ending. Most disks allow 255."""
ENDINGS = {"text": "txt", "github": "txt"}


def write(
    out: Path, book: Gradebook, forms: Sequence[str], machine: Callable[[str, Report], str]
) -> None:
    """Write the gradebook, the page and the exports in ``forms`` to the folder ``out``.

    ``machine`` renders a report in one of the machine formats.

    Raises:
        OSError: the disk is full or not writable.
    """
    write_whole(out / "gradebook.csv", gradebook.as_csv(book))
    write_whole(out / "class.html", page.render(book))
    if "canvas" in forms:
        write_whole(out / "canvas.csv", platforms.canvas(book))
    if "junit" in forms:
        write_whole(out / "junit.xml", as_junit.render_all(_reports(book)))
    if "moodle" in forms:
        for step in book.titles:
            write_whole(out / f"moodle_{step}.csv", platforms.moodle(book, step))
    for form in forms:
        if form not in ("canvas", "junit", "moodle"):
            _write_each(out / form, book, form, machine)


def _reports(book: Gradebook) -> list[tuple[str, Report]]:
    return [
        (person.name, report)
        for person in book.people
        for step in book.titles
        if (report := book.row(person, step).report) is not None
    ]


def _write_each(
    folder: Path, book: Gradebook, form: str, machine: Callable[[str, Report], str]
) -> None:
    folder.mkdir(exist_ok=True)
    taken: set[str] = set()
    for name, report in _reports(book):
        text = as_text.render(report) if form == "text" else machine(form, report)
        file = file_name(f"{name}_{report.step}", taken)
        write_whole(folder / f"{file}.{ENDINGS.get(form, 'json')}", text)


def file_name(name: str, taken: set[str]) -> str:
    """A file name for any system, from an untrusted name; never the same twice."""
    plain = re.sub(r"[^\w .,()-]+", "_", unicodedata.normalize("NFC", name))
    base = plain.encode()[:LONGEST].decode("utf-8", "ignore").strip(" .") or "_"
    file, number = base, 1
    while file.casefold() in taken:
        number += 1
        file = f"{base} ({number})"
    taken.add(file.casefold())
    return file
