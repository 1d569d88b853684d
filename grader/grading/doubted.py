"""Which checks that passed must wait, because something is wrong on their own line.

A ✅ says that what a line does is right. It may not stand where the error was raised, where a ❌
of the run points, or where the named mistake is. A check is about the statement at its line and, if
an error was raised, about those before that work out what this one needs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain

from grader.base.model import Kind, Report, Status
from grader.grading.judge import BUT, IN_VAIN
from grader.grading.reading import bindings
from grader.grading.reading.library import TOLD as IMPORTS
from grader.rubric import Rubric
from grader.source import Finding, Source
from grader.source.variables import appended, read
from grader.source.walked import of_kind

RAISED = "The error was raised on line {line}."
CAUSED = "The error came from line {line}."
THROUGH = "What its line, {line}, calls has raised an error."
FAULTY = "Something is wrong on its line, {line}."
PERHAPS = "Something may be wrong on its line, {line}."
LACKS = "Its line, {line}, does not import all that the file uses."

HERE = (FAULTY, PERHAPS, LACKS, THROUGH)
"""Notes that say nothing of the lines before."""

USED = "It is used on line "
"""How the note of a check begins whose line is where something is to be made."""

RAISED_ON = re.compile(rf"(?:{USED}|The error was raised on line )(\d+)")

FROM = re.compile(r"^Called from line (\d+): ", re.MULTILINE)
"""How a note says which line called the function that raised the error."""

CALLED = re.compile(r"([\w.]+)(?: function)? is (?:called|applied|used)\b")
"""How a check says that something is called."""

DEFINES = re.compile(r"\s*(@|(class|def|async|from|import)\b)")
"""How a line begins that only brings in or defines what other lines use."""


def doubted(
    report: Report,
    rubric: Rubric,
    source: Source,
    findings: Mapping[str, Finding],
    *,
    right: int | None = None,
) -> Report:
    """The report, with such checks waiting. The line ``right`` is known to be right."""
    waits: dict[str, str] = {}
    for line, note in chain(_faulty(report, source), _suspect(report, source, findings)):
        defines = DEFINES.match(source.quoted(line)[0] or "") and note is not LACKS
        if line != right and not defines:
            names = _about(source.tree, line, findings, before=note not in HERE)
            if note is RAISED:
                names |= _beside(source.tree, line, findings, rubric)
                names |= _named_after(source.tree, line, findings, rubric)
            for name in names:
                waits.setdefault(name, note.format(line=line))
    pairs = list(zip(rubric.checks, report.checks, strict=True))
    failed = [check for check, one in pairs if one.status is Status.FAIL]
    first = next((check.passed for check in failed if check.rule), "")
    checks = tuple(
        check.waiting(first or failed[0].passed, waits[one.id])
        if one.status is Status.PASS and one.id in waits
        else one
        for check, one in pairs
    )
    return replace(report, checks=checks)


def _faulty(report: Report, source: Source) -> Iterator[tuple[int, str]]:
    """Each line that something is wrong on, and how to say so.

    Where numbers are wrong, a source check that fails there says which part of the line it is; not
    one that says only that another line is for nothing.
    """
    failed = [one for one in report.checks if one.status is Status.FAIL]
    source_checks = (one for one in failed if one.kind is Kind.SOURCE)
    told = {one.line for one in source_checks if IN_VAIN not in one.message}
    for one in failed:
        other = RAISED_ON.search(one.note or "")
        if other is not None:
            yield int(other[1]), RAISED
            if one.line is not None and one.stopped and not other[0].startswith(USED):
                yield one.line, CAUSED
        elif one.stopped and one.line is not None:
            yield one.line, RAISED
        if one.stopped and one.line is not None and any(map(IMPORTS.match, one.hints[:1])):
            yield one.line, LACKS
        if one.stopped and (caller := FROM.search(one.note or "")) is not None:
            yield int(caller[1]), THROUGH
    lines = [one.line for one in failed if one.kind is not Kind.SOURCE and not one.stopped]
    lines += [one.line for one in report.diagnosis]
    for line in filter(None, lines):
        if told.isdisjoint(bindings.statement_at(source.tree, line)):
            yield line, FAULTY


def _suspect(
    report: Report, source: Source, findings: Mapping[str, Finding]
) -> Iterator[tuple[int, str]]:
    """Lines that may be wrong: of a step that is wrong where another line uses it.

    And those that read the variable of which a step made another one, which nothing uses.
    """
    for one in report.checks:
        found = findings.get(one.id)
        if one.status is not Status.FAIL or found is None or found.line is None:
            continue
        if found.unused:
            made = bindings.statement_at(source.tree, found.line)
            inside = bindings.around(source.tree, found.line)
            names = {n.id for n in of_kind(inside or source.tree, ast.Name) if n.lineno in made}
            later = of_kind(inside or source.tree, ast.Name)
            yield from ((n.lineno, PERHAPS) for n in later if n.id in names and n.lineno > made[-1])
        elif BUT in one.message and one.line not in found.span:
            yield from ((line, PERHAPS) for line in sorted(found.span))


def _beside(
    tree: ast.Module, line: int, findings: Mapping[str, Finding], rubric: Rubric
) -> frozenset[str]:
    """The checks that say of a function which ``line`` calls that it is called.

    And those on a line that calls the small function which ``line`` is in.
    """
    called = _called(tree, bindings.statement_at(tree, line))
    said = {one.id: CALLED.search(one.passed) for one in rubric.checks if one.id in findings}
    names = {name for name, one in said.items() if one and one[1].rpartition(".")[2] in called}
    helper = _helper(tree, line)
    names |= {
        name
        for name, one in findings.items()
        if helper and one.line is not None
        if helper in _called(tree, bindings.statement_at(tree, one.line))
    }
    return frozenset(names)


def _named_after(
    tree: ast.Module, line: int, findings: Mapping[str, Finding], rubric: Rubric
) -> frozenset[str]:
    """The checks whose sentence names the helper around ``line``, and is about what it does there.

    Or elsewhere, in another helper that it names too.
    """
    inside = bindings.around(tree, line)
    if inside is None or inside.name in ("__init__", "__call__", "forward"):
        return frozenset()
    word = re.compile(rf"\b{inside.name}\b")
    about = {one.id for one in rubric.checks if one.id in findings and word.search(one.passed)}
    return frozenset(
        name
        for name in about
        if (at := findings[name].line) is not None
        if line in findings[name].span or bindings.around(tree, at) is not inside
    )


def _called(tree: ast.Module, lines: range) -> frozenset[str]:
    """The names of the functions that are called on these lines."""
    calls = (one for one in of_kind(tree, ast.Call) if one.lineno in lines)
    return frozenset(map(bindings.callee, calls))


def _helper(tree: ast.Module, line: int) -> str:
    """The name of the lambda that a line is in, or of the function in a function."""
    for one in of_kind(tree, ast.Assign):
        match one:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda(body=body)):
                if body.lineno <= line <= (body.end_lineno or 0):
                    return name
    inside = bindings.around(tree, line)
    outer = (one for one in of_kind(tree, ast.FunctionDef) if one is not inside)
    nested = inside is not None and any(inside in one.body for one in outer)
    return inside.name if nested and inside is not None else ""


def _about(
    tree: ast.Module, line: int, findings: Mapping[str, Finding], *, before: bool
) -> frozenset[str]:
    """The checks on the statement at ``line``; else, ``before`` it, on the first that needs it."""
    inside = bindings.around(tree, line)
    every = (one for one in ast.walk(inside or tree) if isinstance(one, ast.stmt))
    names: set[str] = set()
    for one in sorted(every, key=lambda one: one.lineno):
        here = bindings.statement_at(tree, one.lineno)
        if line not in here and (line > one.lineno or names.isdisjoint(read(one))):
            continue
        if isinstance(one, ast.If):  # what it asks, it asks for its own lines
            here = range(one.lineno, (one.body[-1].end_lineno or one.lineno) + 1)
        found = {name: known.line for name, known in findings.items() if known.line in here}
        if found:
            first = min(filter(None, found.values()))
            return frozenset(name for name, at in found.items() if at == first)
        lists = _appended_to(one)
        if inside is None or not (before or lists):
            break
        names.update(bindings.targets(one), lists)
    return frozenset()


def _appended_to(node: ast.stmt) -> frozenset[str]:
    """The lists that a loop, or a statement, appends to."""
    inner = ast.walk(node) if isinstance(node, ast.For) else (node,)
    return frozenset(found[0] for one in inner if (found := appended(one)) is not None)
