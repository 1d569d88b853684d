"""What a ❌ on wrong numbers advises, where more is known than the check itself can say.

A check's own hints fit whatever may be wrong with its part. Once the mistake has a name, or one
change of its line is known to help, most of them ask for what the file does already.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from grader.base.model import CheckResult, Kind, Report, Status
from grader.grading.reading import bindings
from grader.grading.reading.program import parameters
from grader.rubric import Rubric
from grader.rubric.rules import results
from grader.source import Source

ALONE = "your file differs from the reference only on line"
"""What is said where a file has one mistake, wherever that shows."""

SIZES = re.compile(r"\[[\d, ]*\]|\d+")
"""Shapes and numbers of a message, which differ from run to run."""

MEANT = "Did you mean "
"""How a hint begins that asks, and says what to write as well."""

EVERY_PATH = "Give it a value on every path to this line."
"""What a hint says of a variable without a value, whatever is to be in its place."""

HAS = "It has "
"""How a sentence begins on what the reference writes in another way."""

UNUSED = ", and nothing uses the result."
"""What is said of a line whose result is thrown away."""

CHANGES = ("With ", HAS, "The reference says ")
"""How sentences begin that say what to write instead."""


def advised(report: Report, rubric: Rubric, source: Source) -> Report:
    """The report without a check's own advice on numbers where more is known of the mistake.

    A ❌ on a line that is explained above says no more. The first says what the mistake is.
    """
    own = {hint for check in rubric.checks for hint in check.hints} | {*results.GENERAL}
    known, first = _known(report, source), report.first_to_fix
    lone = _lone(report)
    above: dict[int, tuple[str, ...]] = {}
    checks = []
    for one in report.checks:
        found = one
        if _is_general(one, own):
            line = lone if one.line is None else one.line
            if line in above:
                text, column = source.quoted(line)
                found = replace(one, line=line, text=text, column=column, hints=above[line])
            elif one is first and known and one.line is not None:
                found = replace(one, hints=(known, *one.hints[1:]))
        elif one is first and known and _says_less(one, report):
            found = replace(one, hints=(known,))
        elif guesses(one) and not report.diagnosis and (change := _change(report, one, source)):
            found = replace(one, hints=(change,))
        elif one is first and one.stopped:
            found = replace(one, hints=_of_error(report, one, source))
        found = _as_first(found, first)
        if found.status is Status.FAIL and found.line is not None:
            above.setdefault(found.line, found.hints)
        checks.append(found)
    return replace(report, checks=tuple(checks))


def _is_general(one: CheckResult, own: set[str]) -> bool:
    """Whether this is a ❌ on numbers, with a hint that is the check's own."""
    failed = one.status is Status.FAIL and one.kind is Kind.RUNTIME and not one.stopped
    return failed and bool(one.hints) and one.hints[0] in own


def _of_error(report: Report, one: CheckResult, source: Source) -> tuple[str, ...]:
    """The hints on an error; from what is beside its line, or what the reference has."""
    hints = _of_the_reference(report, one, source)
    if one.hints[:1] == (EVERY_PATH,) and (change := _change(report, one, source)):
        hints = (change,)
    return _typed(hints, one, source)


def _as_first(one: CheckResult, first: CheckResult | None) -> CheckResult:
    """The check; told where the first ❌ is, if it has the same error in another run.

    The first was found to come from another line than the one that raised it.
    """
    if first is None or one.id == first.id or not one.stopped or one.line is None:
        return one
    if f"raised on line {one.line}." not in (first.note or ""):
        return one
    messages = (each.message.partition(": ")[2] for each in (one, first))
    same, other = (SIZES.sub("", text) for text in messages)
    if not same or same != other:
        return one
    moved = replace(one, line=first.line, text=first.text, column=first.column)
    return replace(moved, hints=first.hints, note=first.note, detail=first.detail)


def _lone(report: Report) -> int:
    """The line of the only mistake in a file, or of the one named; 0 where that is not known."""
    trace = report.trace
    if len(report.diagnosis) == 1 and (line := report.diagnosis[0].line) is not None:
        return line
    if trace is None or trace.line is None or not any(ALONE in one for one in trace.told):
        return 0
    return trace.line


OF_A_HELPER = " does not work: "
"""How the check of a helper says with what error it ended."""


def _says_less(one: CheckResult, report: Report) -> bool:
    """Whether the advice is that of a loop, or the name of a mistake of which more is known."""
    names = [(each.message,) for each in report.diagnosis]
    return bool(names) and one.hints[:1] in names


def guesses(one: CheckResult) -> bool:
    """Whether this is an error about which the advice only asks."""
    asks = any(hint.endswith("?") and not hint.startswith(MEANT) for hint in one.hints[:1])
    stopped = one.stopped or (one.kind is Kind.SOURCE and OF_A_HELPER in one.message)
    return one.status is Status.FAIL and stopped and asks


FLOAT, CAST, GIVEN = "DType.float32", ".cast({})", "dtype={}"
"""How an error says to make numbers of something, in any file."""


def _typed(hints: tuple[str, ...], one: CheckResult, source: Source) -> tuple[str, ...]:
    """The hints, with the type that the function around a line is asked for."""
    inside = None if one.line is None else bindings.around(source.tree, one.line)
    asked = inside is not None and "dtype" in parameters(inside)
    for text in (CAST, GIVEN) if asked else ():
        hints = tuple(one.replace(text.format(FLOAT), text.format("dtype")) for one in hints)
    return hints


def _of_the_reference(report: Report, one: CheckResult, source: Source) -> tuple[str, ...]:
    """The hints; what the reference has, in place of those on another operation than that."""
    change = _change(report, one, source)
    mine, _, there = change.partition(" where the reference has ")
    here = _operation(mine.partition(" has ")[2])
    write = _operation(one.hints[0].partition("Write ")[2]) if one.hints else None
    other = _operation(there.removesuffix(".")) not in (None, here)
    return (change,) if other and here is not None and write is here else one.hints


def _operation(text: str) -> type[ast.expr] | None:
    """What kind of expression a text is; None if it is none."""
    try:
        return type(ast.parse(text, mode="eval").body)
    except SyntaxError:
        return None


def _known(report: Report, source: Source) -> str:
    """What is known of the mistake at the line of the first ❌: its name, or what to write."""
    first, told = report.first_to_fix, report.trace.told if report.trace is not None else ()
    if report.diagnosis:
        lost = next((one for one in told if UNUSED in one), "")  # it is there, but lost
        return (lost or report.diagnosis[0].message) if len(report.diagnosis) == 1 else ""
    return "" if first is None else _change(report, first, source)


def _change(report: Report, one: CheckResult, source: Source) -> str:
    """The change of a check's line that is told of it."""
    trace = report.trace
    if one.line is None or trace is None or trace.line is None:
        return ""
    if one.line not in bindings.statement_at(source.tree, trace.line):
        return ""
    begins = (*CHANGES, f"Line {trace.line} takes ")
    told = next((said for said in trace.told if said.startswith(begins)), "")
    if not told and trace.lone and one.stopped:
        return trace.slip
    return re.sub(f"^{HAS}", f"Line {trace.line} has ", told)
