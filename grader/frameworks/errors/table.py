r"""The table of errors: one row per error, in TOML files that anyone can extend.

.. code-block:: toml

    [[error]]
    type = "ValueError"                       # the exception, or a list of them
    text = 'too many values \(expected (?P<want>\d+)'  # a regular expression on its message
    facts = "unpacked"                        # optional: what else is read off the error
    says = ["{value} holds {got} values for {want} names", "More than {want} values"]
    look = "Count the parts on the right-hand side."

The first row whose ``type`` and ``text`` fit explains the error. ``{name}`` stands for a group of
``text``, or for a fact: those of the functions of ``facts``, and the general ones of
:func:`general`. Of several sentences, the first one whose facts are all known is used; a row
without such a sentence passes the error on. ``{?name}`` requires a fact without printing it, and
``"@name"`` stands for the sentences of that name in ``[sentences]``. ``where`` is the place to
show, as :func:`grader.source.locations.place` reads it; ``used`` says that the line which raised
the error is mentioned too. ``page`` is a section of the page of ``[page]``, for learners who know
another framework; names from there have their sections in ``[page.sections]``. Any other key of a
row is a fact that it sets itself.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Formatter
from typing import Any

from grader.frameworks.errors.case import Case, short
from grader.frameworks.values import Translation

Facts = Mapping[str, str]
Names = Mapping[str, Mapping[str, Any]]
"""Tables of names by purpose: ``instead``, ``imports``, ``keywords`` and so on."""
Reader = Callable[[Case, re.Match[str], Names], Facts | None]
"""Reads the facts for a row; None if the row is about something else."""


@dataclass(frozen=True)
class Row:
    """One error: how to recognize it, and what to say."""

    types: frozenset[str]
    text: str
    says: tuple[str, ...]
    look: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    used: bool = False
    facts: str = ""
    page: str = ""
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """Rows in order, the names they refer to, and the functions that read their facts."""

    rows: tuple[Row, ...] = ()
    names: Names = field(default_factory=dict)
    readers: Mapping[str, Reader] = field(default_factory=dict)

    @classmethod
    def load(cls, *files: Path, readers: Mapping[str, Reader]) -> Table:
        """Load the table from these files, the earlier ones first."""
        errors: list[dict[str, Any]] = []
        names: dict[str, Any] = {}
        for file in files:
            found = tomllib.loads(file.read_text(encoding="utf-8"))
            errors += found.pop("error", ())
            names = _merged(found, names)
        shared = names.get("sentences", {})
        return cls(tuple(_row(one, shared) for one in errors), names, readers)

    def tell(self, case: Case) -> Translation | None:
        """Explain the error by its row; None if there is none."""
        for row in self.rows:
            if case.error.type_name not in row.types and "*" not in row.types:
                continue
            match = re.search(row.text, case.text, re.DOTALL)
            if match is not None and (told := self._told(row, case, match)) is not None:
                return told
        return None

    def _told(self, row: Row, case: Case, match: re.Match[str]) -> Translation | None:
        found = {name: one for name, one in match.groupdict().items() if one}
        facts = general(case) | dict(row.words) | found
        if row.facts:
            read = self.readers[row.facts](case, match, self.names)
            if read is None:
                return None
            facts |= {name: one for name, one in read.items() if one}
        message = _first(row.says, facts)
        if message is None:
            return None
        where = _first(row.where, facts) or ""
        used = bool(where) and row.used
        page = self._page(row, match, facts)
        return Translation(message, _first(row.look, facts), about=where, elsewhere=used, page=page)

    def _page(self, row: Row, match: re.Match[str], facts: Facts) -> str:
        """Return where to read about an error or about a name from another framework."""
        known, named = self.names.get("page", {}), match.groupdict()
        word = (named.get("name") or named.get("unknown") or "").rstrip("_")
        also = self.names.get("keywords", {}).get(word, ())
        brought = facts.get("advice") or facts.get("instead") or facts.get("near") in also
        section = row.page or (known.get("sections", {}).get(word) if brought else None)
        return f'{known["file"]}, "{section}"' if section and known else ""


def general(case: Case) -> dict[str, str]:
    """Return the facts about every error.

    ``call`` is the function being called, ``code`` the expression that raised, ``at`` its line,
    ``function`` the function around it.
    """
    call = case.call
    known = {
        "call": short(call.func) if call is not None else "",
        "code": short(case.node),
        "at": str(case.error.line or ""),
        "function": case.error.function or "",
    }
    return {name: one for name, one in known.items() if one}


OWN = {"type", "text", "says", "look", "where", "used", "facts", "page"}


def _row(one: Mapping[str, Any], shared: Names) -> Row:
    said = {key: _several(one.get(key, ()), shared) for key in ("type", "says", "look", "where")}
    return Row(
        frozenset(said["type"]),
        one["text"],
        said["says"],
        said["look"],
        said["where"],
        one.get("used", False),
        one.get("facts", ""),
        one.get("page", ""),
        {key: word for key, word in one.items() if key not in OWN},
    )


def _several(one: str | Iterable[str], shared: Mapping[str, Any]) -> tuple[str, ...]:
    """Return one or several sentences, replacing ``@name`` by those of ``sentences``."""
    every = (one,) if isinstance(one, str) else tuple(one)
    known = ((text, shared.get(text[1:]) if text[:1] == "@" else None) for text in every)
    return tuple(
        each for text, more in known for each in (_several(more, shared) if more else (text,))
    )


def _merged(later: Mapping[str, Any], first: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two tables; where both have an entry, the first's counts."""
    both = {**later, **first}
    for key in later.keys() & first.keys():
        if isinstance(later[key], dict):
            both[key] = _merged(later[key], first[key])
    return both


def _first(sentences: Iterable[str], facts: Facts) -> str | None:
    """Return the first sentence whose facts are all known, filled in."""
    for one in sentences:
        needed = {name.removeprefix("?") for _, name, _, _ in Formatter().parse(one) if name}
        if needed <= facts.keys():
            return one.format_map({**facts, **{f"?{name}": "" for name in facts}})
    return None
