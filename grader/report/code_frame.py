"""The explanation of a failure, drawn: what to fix first, in a frame of the learner's lines.

Every report shows these lines: the terminal, pages, the notebook and the desk.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from textwrap import dedent
from typing import NamedTuple

from grader.base import sanitize
from grader.base.model import Explanation, Framed, Replaced, Report, Tried
from grader.report import parts
from grader.report.style import Style

FIRST = "Fix this first: "
WIDTH = 80
"""Columns up to which two things stand on one line."""
MOST_SHOWN = 200
"""Characters of a learner's line."""
COMMENT = re.compile(r"(?<=\S)\s{2,}#[^\"']*$")
"""A comment after code: the frame has facts there."""
MARKS = {"right": "✓ ", "wrong": "✗ ", "error": "← the error", "change": "← here"}
ASCII = {"right": "+ ", "wrong": "x ", "error": "<- the error", "change": "<- here"}
WORDS = {
    "right": "right: ",
    "wrong": "wrong: ",
    "error": "raises the error",
    "change": "change this",
}


class CodeFrame(NamedTuple):
    """The parts of the block, none of them wrapped.

    ``frame`` has for each line its number, what is marked, its code, and the fact beside it.
    """

    head: str
    place: str = ""
    frame: tuple[tuple[str, str, str, str], ...] = ()
    told: tuple[str, ...] = ()


def build(report: Report, style: Style, level: int = 1) -> CodeFrame | None:
    """The block in its parts; None where nothing is explained.

    ``level`` is how many hints are shown of the check to fix first.
    """
    one = report.explanation
    if one is None:
        return None
    if one.blanks:
        begin = f"Begin with the first TODO, on line {one.line}."
        said = f"Nothing is written yet: all {one.blanks} blanks are open."
        return CodeFrame(said, told=(begin, f"The lesson: {one.lesson}"))
    place = f"{report.file}, after line {one.line}" if one.after else f"{report.file}:{one.line}"
    code = [_code(line, style, _gap(one)) for line in one.frame]
    indent = min((len(text) - len(text.lstrip()) for text in code if text), default=0)
    frame = (
        (str(line.number or ""), line.mark, text[indent:], _fact(line, style))
        for line, text in zip(one.frame, code, strict=True)
    )
    told = tuple(_told(one, report, style, level))
    return CodeFrame(FIRST + one.cause, place if one.line else "", tuple(frame), told)


def lines(report: Report, style: Style, level: int = 1) -> Iterator[str]:
    """The whole block, not wrapped; nothing where nothing is explained."""
    block = build(report, style, level)
    if block is None:
        return
    width = min(WIDTH, style.width or WIDTH)
    head, place, _, told = block
    one_line = place and len(head) + 4 + len(place) <= width
    yield f"{head}{place:>{width - len(head)}}" if one_line else head
    if place and not one_line:
        yield f"   {place}"
    frame = list(_frame(block, style, width))
    below = "   " if head.startswith(FIRST) else ""
    yield from (*([""] if frame else ()), *frame, *([""] if frame and told else ()))
    yield from (below + line for line in told)


def _frame(block: CodeFrame, style: Style, most: int) -> Iterator[str]:
    """The lines of the program, numbered, with what is known of each beside it, or below."""
    width = max((len(row[0]) for row in block.frame), default=0) + 3
    bar = ":" if style.words else "│" if style.unicode else "|"
    room = most - width - 5
    wide = max(
        (len(a) for _, _, a, b in block.frame if b and len(a) + len(b) <= room),
        default=0,
    )
    for number, _, text, fact in block.frame:
        left = f"{number:>{width}} {bar} "
        if len(text) + len(fact) <= room:
            yield f"{left}{text:<{min(wide, room - len(fact))}}  {fact}".rstrip()
            continue
        yield (left + text).rstrip()
        if fact:
            blank = " " * (len(text) - len(text.lstrip()))
            yield f"{'':>{width}} {bar} {blank}{fact}"


def _fact(line: Framed, style: Style) -> str:
    marks = WORDS if style.words else MARKS if style.unicode else ASCII
    known = line.fact if line.mark in ("right", "wrong") else ""
    return f"{marks.get(line.mark, '')}{known}".rstrip()


def _gap(one: Explanation) -> str:
    """The indent of what is missing: that of the change, or of the line before it."""
    added = [line for change in one.change.changes[:1] for line in change.new] if one.change else []
    before = [line.text for line in one.frame if line.number == one.line]
    text = next((line.expandtabs(4) for line in (*added, *before) if line.strip()), "")
    return " " * (len(text) - len(text.lstrip()))


def _code(line: Framed, style: Style, gap: str) -> str:
    if line.number is None:
        return gap + ("‹ here ›" if style.unicode else "<here>")
    return sanitize.line(COMMENT.sub("", line.text.expandtabs(4)), MOST_SHOWN)


def _told(one: Explanation, report: Report, style: Style, level: int) -> Iterator[str]:
    """What is known beside the frame: facts, the change, what was raised, where to read."""
    first = report.first_to_fix
    yield from one.facts
    settled = one.change is not None and one.change.holds
    if level > 1 or not settled:
        yield from (f"Hint: {hint}" for hint in parts.hints(one, level) if hint)
    if one.searched and one.change is None:
        yield "No single change that was tried makes it right."
    if one.change is not None:
        if one.shown or (first is not None and parts.used_up(first, level)):
            yield from changed(one.change, report, style)
        else:
            yield f"{what(one.change)}, {_achieves(one.change, report)} (tried)."
    if one.said:
        yield one.said
    if one.lesson:
        yield f"Lesson: {one.lesson}"


def _achieves(change: Tried, report: Report) -> str:
    if change.right is not None:
        return "the first {} of {} trials are right".format(*change.right)
    if change.passes and report.problem is None:
        return f"all {report.max_score} checks pass"
    return "all checks pass" if change.passes else "this check passes"


def changed(change: Tried, report: Report, style: Style) -> Iterator[str]:
    """A change, where, and what it achieves."""
    several = len(change.changes) > 1
    achieved = f"this {_achieved(change, report)} (tried)"
    yield f"T{achieved[1:]}:" if several else f"{_where(change.changes[0])}, {achieved}:"
    for one in change.changes:
        yield from ([f"   {_where(one)}:"] if several else [])
        yield from (f"   {line}" for line in _diff(change, one, style))


def _where(one: Replaced) -> str:
    return f"{'On' if one.old else 'Before'} line {one.line}"


def _achieved(change: Tried, report: Report) -> str:
    if change.right is not None:
        return "is right in the first {} of {} trials".format(*change.right)
    if change.passes:
        return f"passes all {report.max_score} checks"
    return "gets you past this check"


def _diff(change: Tried, one: Replaced, style: Style) -> Iterator[str]:
    """A part of the change: their lines after ``- ``, what to write after ``+ ``."""
    marks = ("Your line: ", "Instead: ") if style.words else ("- ", "+ ")
    every = [line.expandtabs(4) for each in change.changes for line in (*each.old, *each.new)]
    indent = min((len(line) - len(line.lstrip()) for line in every if line.strip()), default=0)
    for mark, some in zip(marks, (one.old, one.new), strict=True):
        for line in some:
            yield mark + sanitize.line(line.expandtabs(4)[indent:], MOST_SHOWN)


# ---- a change in words ----------------------------------------------------------------------


def what(change: Tried) -> str:
    """What a change does, without what it writes: ``With another axis on line 27``."""
    first, *more = change.changes
    if more:
        *places, last = (str(one.line) for one in change.changes)
        return f"With changes on lines {', '.join(places)} and {last}"
    if not first.old:
        count = f"{len(first.new)} lines" if len(first.new) > 1 else "one line"
        return f"With {count} added after line {first.line - 1}"
    if _refuses(first.old) and not _refuses(first.new):
        return f"Without the check on line {first.line}"
    if _is_choice(first.old) and not _is_choice(first.new) and first.new:
        return f"Without the condition on line {first.line}"
    if not first.new:
        last = str(first.line + len(first.old) - 1)
        word = "and" if len(first.old) == 2 else "to"
        return f"Without line{f's {first.line} {word}' if len(first.old) > 1 else ''} {last}"
    return f"With {_kind(first)} on line {first.line}"


def _refuses(some: tuple[str, ...]) -> bool:
    return any(line.lstrip().startswith(("raise ", "assert ")) for line in some)


def _is_choice(some: tuple[str, ...]) -> bool:
    return "\n".join(some).lstrip().startswith("if ")


def _kind(change: Replaced) -> str:
    """What differs: the smallest part that does."""
    before, after = _parsed(change.old), _parsed(change.new)
    if before is None or after is None:
        return "other code"
    return _between(before, after) or "another expression"


def _parsed(some: tuple[str, ...]) -> ast.AST | None:
    text = dedent("\n".join(some)).strip()
    for ending in ("", "\n    pass"):
        try:
            return ast.parse(text + ending)
        except SyntaxError:
            continue
    return None


NAMES = {
    "id": "another name",
    "attr": "another attribute",
    "arg": "another keyword",
    "op": "another operator",
    "ops": "another operator",
    "args": "other arguments",
    "keywords": "other arguments",
    "value": "another value",
}
"""What differs, by the field of the syntax tree."""


def _between(before: ast.AST, after: ast.AST) -> str:
    """The one part in which two trees differ, in a word or two; empty if it has no name."""
    apart = [
        (name, one, other)
        for name, one in ast.iter_fields(before)
        if _dumped(one) != _dumped(other := getattr(after, name, None))
    ]
    if type(before) is not type(after) or len(apart) != 1:
        return "other arguments" if isinstance(before, ast.Call) and apart else ""
    ((name, one, other),) = apart
    if isinstance(one, list) and isinstance(other, list):
        if sorted(_dumped(one)) == sorted(_dumped(other)):
            return f"the {'arguments' if name == 'args' else 'items'} in another order"
        pairs = [
            pair for pair in zip(one, other, strict=False) if _dumped(pair[0]) != _dumped(pair[1])
        ]
        if len(one) != len(other) or len(pairs) != 1:
            return NAMES.get(name, "")
        ((one, other),) = pairs
    if isinstance(before, ast.keyword) and name == "value" and before.arg:
        return f"another {before.arg}"
    if isinstance(one, ast.AST) and isinstance(other, ast.AST):
        return _between(one, other) or NAMES.get(name, "")
    return NAMES.get(name, "") if not isinstance(one, int | float) else "another number"


def _dumped(part: object) -> list[str] | str:
    if isinstance(part, list):
        return [str(_dumped(one)) for one in part]
    return ast.dump(part) if isinstance(part, ast.AST) else repr(part)
