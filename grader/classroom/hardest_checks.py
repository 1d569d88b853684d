"""What a class finds hard: the checks that fail, and the most common mistakes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from grader.base.model import Report, Status
from grader.classroom import markup
from grader.classroom.gradebook import Gradebook

HOW_MANY = re.compile(r" in \d+ of \d+\b.*")
"""The end of a sentence that counts one program's trials."""


def checks(book: Gradebook, *, own: bool = False) -> str:
    """Show how many pass each check, the hardest first, labelled by what went wrong.

    With ``own``, label them by the course's own sentences: what went wrong may quote a program.
    """
    parts = []
    for number, (step, title) in enumerate(book.titles.items()):
        reports = _counted(book, step)
        passed, wrong = Counter[str](), defaultdict[str, Counter[str]](Counter)
        for report in reports:
            for check in report.checks:
                if check.status is Status.PASS:
                    passed[check.id] += 1
                elif check.status is Status.FAIL:
                    wrong[check.id][_without_numbers(check.message)] += 1
        failed = [check for check, _ in book.sentences[step] if wrong[check]]
        failed.sort(key=lambda check: passed[check])
        own_words = dict(book.sentences[step]) if own else {}
        rows = (
            f'<tr><th scope="row">{markup.text(own_words.get(check) or _label(wrong[check]))}</th>'
            f"{markup.number(passed[check], len(reports))}"
            f"{markup.rate(passed[check], len(reports))}</tr>\n"
            for check in failed
        )
        heads = [("Check", False), ("Passed", True), ("Share", True)]
        caption = f"{step}: how many who handed in pass each check, the hardest first"
        parts.append(f"<h3>{markup.text(title)}</h3>\n")
        if failed:
            parts.append(markup.table(f"checks-{number}", caption, heads, rows))
        parts.append(_rest(len(book.sentences[step]) - len(failed), any_failed=bool(failed)))
    return markup.section("checks", "Checks", "".join(parts))


def _without_numbers(message: str) -> str:
    """Return a report's message about a check, without the numbers of this one file."""
    message = HOW_MANY.sub("", message)
    said, _, numbers = message.rpartition(": ")
    return said if " " in said and any(map(str.isdigit, numbers)) else message


def _label(wrong: Counter[str]) -> str:
    """Return what most who fail a check are told; omit what only one of many is told."""
    told, count = wrong.most_common(1)[0]
    head, special, _ = told.partition(". ")
    special = special if told.startswith("Not right yet: ") else ""
    return head if special and 2 * count <= wrong.total() else told.rstrip(":")


def _rest(count: int, *, any_failed: bool) -> str:
    """Say how many checks nobody fails; they need no row."""
    if not count:
        return ""
    other = " other" if any_failed else ""
    which = f"{count}{other} checks" if count > 1 else f"1{other} check"
    said = f"Nobody fails the {which}; a program that stops earlier does not get that far."
    return f'<p class="soft">{said}</p>\n'


def _counted(book: Gradebook, step: str) -> list[Report]:
    rows = (book.row(person, step) for person in book.people)
    return [row.report for row in rows if row.report is not None and row.counts]


def mistakes(book: Gradebook, *, names: bool) -> str:
    """Show the mistakes that the reports name, and with ``names`` who makes them.

    Without names, use only the course's own sentences, because others may quote a program.
    """
    who: dict[tuple[str, str], list[int]] = defaultdict(list)
    for index, person in enumerate(book.people):
        for step in book.titles:
            report = book.row(person, step).report
            for message in dict.fromkeys(d.message for d in report.diagnosis) if report else ():
                if names or message in book.known.get(step, ()):
                    who[step, message].append(index)
    if not who:
        none = '<p class="soft">No known mistake was found.</p>\n'
        return markup.section("mistakes", "Commonest mistakes", none)
    ordered = sorted(who.items(), key=lambda each: (-len(each[1]), each[0]))
    rows = (
        f'<tr><th scope="row">{markup.text(message)}</th><td>{markup.text(step)}</td>'
        f'<td class="number" data-sort="{len(people)}">{len(people)}</td>'
        + (f"<td>{links(book, people)}</td></tr>\n" if names else "</tr>\n")
        for (step, message), people in ordered
    )
    heads = [("Mistake", False), ("Step", False), ("People", True)]
    heads += [("Who", False)] if names else []
    return markup.section(
        "mistakes",
        "Commonest mistakes",
        markup.table("mistakes-table", "Most people first", heads, rows),
    )


def links(book: Gradebook, people: Iterable[int]) -> str:
    """Return people's names, each a link to the report."""
    return "; ".join(
        f'<a href="#p{index}">{markup.text(book.people[index].name)}</a>' for index in people
    )
