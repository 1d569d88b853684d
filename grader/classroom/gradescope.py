"""Finds out who handed in what in Gradescope's export of an assignment.

``assignment_12_export/`` has a folder ``submission_345`` for each submission, with the files as
they were handed in, and ``submission_metadata.yml``, which says whose each is:

.. code-block:: yaml

    submission_345:
      :submitters:
      - :name: Ada Lovelace
        :sid: S70000
        :email: ada@example.org
      :created_at: 2026-01-02 03:04:05.000000000 Z

Only these lines are read. The results of Gradescope's own tests follow them and may be anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from grader.classroom.layout import Student

METADATA = "submission_metadata.yml"
LARGEST = 128 << 20
FOLDER = re.compile(r"(submission_[0-9]{1,20}):")
FIELD = re.compile(r"(?P<indent> *)(?P<item>- )?:(?P<name>[a-z_]{1,40}):(?: (?P<value>.*))?")
CREATED = re.compile(r"  :created_at: (.*)")
LONGEST = 300
"""Characters of a value."""


def submitters(text: str) -> dict[str, list[Student]]:
    """Return the students by the name of their folder. A group's submission has several."""
    found: dict[str, list[dict[str, str]]] = {}
    people: list[dict[str, str]] | None = None
    inside = False
    for line in _lines(text):
        if folder := FOLDER.fullmatch(line):
            people, inside = found.setdefault(folder[1], []), False
            continue
        field = FIELD.fullmatch(line)
        if people is None or field is None:
            continue
        if len(field["indent"]) == 2 and not field["item"]:
            inside = field["name"] == "submitters"
        elif inside and len(field["indent"]) <= 4:
            if field["item"]:
                people.append({})
            if people and field["value"]:
                people[-1].setdefault(field["name"], _value(field["value"]))
    return {folder: [_student(one) for one in each if one] for folder, each in found.items()}


def times(text: str) -> dict[str, str]:
    """Return when each folder was handed in."""
    found: dict[str, str] = {}
    inside = ""
    for line in _lines(text):
        if folder := FOLDER.fullmatch(line):
            inside = folder[1]
        elif inside and (told := CREATED.fullmatch(line)):
            found.setdefault(inside, _value(told[1]))
    return found


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        if len(line) <= LONGEST:
            yield line.rstrip("\r")


def _student(fields: dict[str, str]) -> Student:
    sid, mail = fields.get("sid", ""), fields.get("email", "")
    return Student(fields.get("name", "") or mail or sid or "?", sid or mail)


def _value(written: str) -> str:
    """Return a YAML value: a text with or without quotation marks."""
    written = written.strip()
    if written.startswith('"'):
        try:
            return str(json.loads(written)).encode("utf-8", "replace").decode()
        except ValueError:
            return written.strip('"')
    if written.startswith("'") and written.endswith("'"):
        return written[1:-1].replace("''", "'")
    return "" if written in ("~", "null") else written
