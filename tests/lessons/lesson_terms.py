"""The terms of the lessons: what the glossary explains, and where the course first uses it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ENTRY = re.compile(r"^### (.+)\n\n(?:Also: (.+)\n\n)?((?:.+\n?)+)", re.MULTILINE)
NOT_PROSE = re.compile(
    r"^```.*?^```$|^#[^\n]*$|!\[.*?\]\(.*?\)|^<!-- figure.*?:start -->.*?:end -->|<!--.*?-->"
    r"|\A.*?(?=^## )|\]\((?!glossary).*?\)",
    re.MULTILINE | re.DOTALL,
)
"""Code, headings, pictures, the lines above the first section, and the targets of other links."""


@dataclass(frozen=True)
class Term:
    """One entry of the glossary. A spelling in backticks is used only as code."""

    name: str
    spellings: tuple[str, ...]
    text: str

    @property
    def link(self) -> str:
        """The target of a link to it, as GitHub makes anchors of headings."""
        return "glossary.md#" + re.sub(r"[^\w\- ]", "", self.name.lower()).replace(" ", "-")


@dataclass(frozen=True)
class Use:
    """A term in the prose of a lesson, counted from 0; its place and its link."""

    term: Term
    lesson: int
    start: int
    end: int
    linked: str | None


def glossary(path: Path) -> list[Term]:
    """Every entry, in its order."""
    found = ENTRY.findall(path.read_text(encoding="utf-8"))
    return [
        Term(name, (name, *filter(None, also.split(", "))), text.strip())
        for name, also, text in found
    ]


def first_uses(terms: list[Term], lessons: list[str]) -> dict[str, Use]:
    """The first use of each term in the course, by name."""
    firsts: dict[str, Use] = {}
    for number, text in enumerate(lessons):
        for use in _uses(terms, number, text):
            firsts.setdefault(use.term.name, use)
    return firsts


def _uses(terms: list[Term], number: int, text: str) -> Iterator[Use]:
    """Every use in one lesson. A term inside a longer one does not count."""
    named = {spelling.lower(): term for term in terms for spelling in term.spellings}
    longest = sorted(named, key=len, reverse=True)
    anyone = "|".join(_pattern(spelling) for spelling in longest)
    prose = NOT_PROSE.sub(lambda match: " " * len(match[0]), text)
    for match in re.finditer(rf"`[^`]*`s?|(?:{anyone})", prose, re.IGNORECASE):
        spelling = re.sub(r"\s+", " ", match[0]).lower()
        if spelling in named:
            link = re.match(r"[^\[\]]*\]\((.*?)\)", prose[match.end() :])
            inside = "[" in prose[: match.start()].rpartition("]")[2]
            linked = link[1] if link and inside else None
            yield Use(named[spelling], number, match.start(), match.end(), linked)


def _pattern(spelling: str) -> str:
    """A spelling as a whole word, also across the end of a line."""
    if spelling.startswith("`"):
        return re.escape(spelling)
    words = r"\s+".join(re.escape(word) for word in spelling.split())
    return rf"(?<![\w-]){words}(?![\w])"
