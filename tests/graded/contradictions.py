"""What a report must not say: statements that are false, or that contradict each other.

Found by machine, so each rule only tells what it can be sure of.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from grader.base.model import CheckResult, Kind, Report, Status, Verdict
from grader.rubric import Evidence, Rubric
from grader.source import Finding, fulfils

COUNTS = re.compile(r"(?<!once )the numbers are right, so", re.IGNORECASE)
"""A note which says that every trial passed."""

RAW = re.compile(
    r"Failed to create op|\b[A-Z]\w+Op\b|TensorValue|BufferValue|TensorType\(|explicit rebind"
    r"|\bmlir\b|\br?mo\.\w|\bloc\(|0x[0-9a-f]{6}|Traceback|File \"|max\._|<class '|object at "
    r"|sum\(sizes="
)
"""Words of MAX's insides, or of a traceback, that no learner can read."""

ABSENT = re.compile(
    r"([A-Za-z_][\w.]*)(?: function| method| class)? is "
    r"(not called|not defined|not used|not set|not imported|missing)"
    r"(?: in (?:this|your) file)?(?=$|[:.,])"
)
"""A sentence which says that a name is not there."""

SEVERAL = re.compile(r"(\w+(?:, \w+)* and \w+) are not imported from ([\w.]+)")
"""The same of several names of one module."""

WORD = re.compile(r"\w+")

PAIRS = {")": "(", "]": "[", "}": "{"}


def found(
    report: Report,
    source: str,
    lines: Sequence[int],
    findings: Mapping[str, Finding],
    parts: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> list[str]:
    """What is wrong with ``report`` on a wrong program.

    ``lines`` are the numbers of those that are wrong as they stand. ``findings`` is what each
    source check recognised in the program. ``parts`` has the helpers that are wrong on their own:
    the trial, and the source checks that only it proves.
    """
    if report.verdict is Verdict.PASS:
        return ["a wrong program passes"]
    return [
        *_counts(report),
        *_fulfilled(report, source),
        *_praised(report, lines, findings),
        *_praised_parts(report, parts),
        *_praised_departure(report, findings),
        *_absent(report, source),
        *_unreadable(report),
    ]


def wrong_parts(
    rubric: Rubric, evidence: Evidence | None, report: Report
) -> dict[str, tuple[str, ...]]:
    """The helpers that ran on their own and were wrong, as :func:`found` takes them.

    Not those that raised an error at a line at which a ❌ stands.
    """
    wrong = {}
    told = {check.line for check in _failed(report)}
    for name, trial in evidence.trials.items() if evidence is not None else ():
        assert evidence is not None
        ids = tuple(c.id for c in rubric.checks if c.test and c.proven_by == (name,))
        seen, last = evidence.observation(name), trial.probe.actions[-1].name
        raised = seen.error is not None and seen.error.action == last
        gone = seen.error is not None and seen.error.type_name == "MissingName"
        known = seen.error is not None and seen.error.line in told
        ran = (last in seen.results or raised) and not gone and not known
        if trial.part and trial.expect and ids and ran and not evidence.right(name):
            wrong[name] = ids
    return wrong


def _counts(report: Report) -> Iterator[str]:
    """Notes which say that the numbers are right, while a check of the numbers does not pass."""
    if all(c.status is Status.PASS for c in report.checks if c.kind is Kind.RUNTIME):
        return
    for check in report.checks:
        if check.note and COUNTS.search(check.note):
            yield f"{check.id}: says that the numbers are right"


def _fulfilled(report: Report, source: str) -> Iterator[str]:
    """Hints which ask for what the quoted line does, or the function that it is in."""
    for check in _failed(report):
        if check.text and any(fulfils(check.text, hint) for hint in check.hints):
            yield f"{check.id}: the quoted line does what the hint says"
        elif check.kind is Kind.SOURCE and any(
            fulfils(_around(source, check.line), hint) for hint in check.hints[:1]
        ):
            yield f"{check.id}: the function does what the hint says"


def _around(source: str, line: int | None) -> str:
    """The function that ``line`` is in; without a line the whole program."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return ""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    inside = [node for node in ast.walk(tree) if isinstance(node, kinds)]
    if line is None:
        return source
    inside = [node for node in inside if node.lineno < line <= (node.end_lineno or 0)]
    return ast.unparse(inside[-1]) if inside else ""


def _praised(
    report: Report, lines: Sequence[int], findings: Mapping[str, Finding]
) -> Iterator[str]:
    """✅ at the line that must change, where there is no ❌."""
    if any(check.line in lines for check in _failed(report)):
        return
    for check in report.checks:
        finding = findings.get(check.id)
        if check.status is Status.PASS and finding and finding.ok and finding.line in lines:
            yield f"{check.id}: ✅ at line {finding.line}, which is the one to change"


def _praised_parts(report: Report, parts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """✅ on all there is to say on a helper that is wrong on its own."""
    status = {check.id: check.status for check in report.checks}
    for trial, ids in parts.items():
        if all(status[name] is Status.PASS for name in ids):
            yield f"{', '.join(ids)}: ✅, and {trial} is wrong on its own"


def _praised_departure(report: Report, findings: Mapping[str, Finding]) -> Iterator[str]:
    """✅ at the line to change, and ❌ on nothing there.

    A known mistake that explains every number says itself what is right and what is wrong.
    """
    told = report.explanation
    line = told.line if told is not None and not told.after else None
    if line is None or report.diagnosis:
        return
    about = {name for name, one in findings.items() if line == one.line}
    if any(check.line == line for check in _failed(report)):
        return
    for check in report.checks:
        if check.id in about and check.status is Status.PASS and findings[check.id].ok:
            yield f"{check.id}: ✅ at line {line}, which is the one to change"


def _absent(report: Report, source: str) -> Iterator[str]:
    """Sentences which say that a name is not there, where it is."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    there = _there(tree)
    for check in _failed(report):
        for text in filter(None, (check.message, check.note)):
            for name, said in ABSENT.findall(text):
                if name in there[said.rpartition(" ")[2]]:
                    yield f"{check.id}: says that {name} is {said}"
            for listed, module in SEVERAL.findall(text):
                for name in sorted(_taken_from(tree, module).intersection(WORD.findall(listed))):
                    yield f"{check.id}: says that {name} is not imported"


def _taken_from(tree: ast.Module, module: str) -> set[str]:
    """The names that a program imports from a module."""
    every = (one for one in ast.walk(tree) if isinstance(one, ast.ImportFrom))
    return {alias.name for one in every if one.module == module for alias in one.names}


def _there(tree: ast.Module) -> dict[str, set[str]]:
    """The names that are called, defined, set and imported, by the word that denies it."""
    nodes = list(ast.walk(tree))
    called = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)}
    called |= {name.rpartition(".")[2] for name in called}
    defined = {one.name for one in nodes if isinstance(one, ast.FunctionDef | ast.ClassDef)}
    stored = [one for one in nodes if isinstance(one, ast.Attribute | ast.Name)]
    given = {ast.unparse(one) for one in stored if isinstance(one.ctx, ast.Store)}
    imports = [one for one in nodes if isinstance(one, ast.Import | ast.ImportFrom)]
    brought = {alias.asname or alias.name for one in imports for alias in one.names}
    return {
        "called": called,
        "used": called,
        "defined": defined,
        "missing": defined,
        "set": given,
        "imported": brought,
    }


def _unreadable(report: Report) -> Iterator[str]:
    """Raw text of the framework, and texts that were cut."""
    for check in report.checks if report.problem is None else (report.problem,):
        for text in filter(None, (check.message, check.note, *check.hints)):
            if RAW.search(text):
                yield f"{check.id}: raw text: {text[:80]}"
            elif cut(text):
                yield f"{check.id}: cut: {text[-60:]}"
    told = report.trace.told if report.trace is not None else ()
    for text in (*(one.message for one in report.diagnosis), *told):
        if RAW.search(text):
            yield f"what happened: raw text: {text[:80]}"
        elif cut(text):
            yield f"what happened: cut: {text[-60:]}"


def cut(text: str) -> bool:
    """Whether ``text`` ends in mid-word, in mid-bracket or before what it announces."""
    end = text.rstrip()
    if re.search(r"\w(…|\.\.\.)$|[,(\[{]$|: \(in \S+\)$", end) or "\ufffd" in end:
        return True
    opened: list[str] = []
    for mark in re.sub(r"'[^']*'|\"[^\"]*\"", "", end):
        if mark in PAIRS.values():
            opened.append(mark)
        elif mark in PAIRS and (not opened or opened.pop() != PAIRS[mark]):
            return True
    return bool(opened)


def _failed(report: Report) -> list[CheckResult]:
    return [check for check in report.checks if check.status is Status.FAIL]
