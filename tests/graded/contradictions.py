"""What a report must not say: statements that are false, or that contradict each other.

Found by machine, so each rule only tells what it can be sure of.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from grader.base.model import CheckResult, Kind, Report, Status, Verdict
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
    r"([A-Za-z_][\w.]*)(?: function| method| class)? is not (called|defined|used)"
    r"(?: in (?:this|your) file)?(?=$|[:.,])"
)
"""A sentence which says that a name is not there."""

PAIRS = {")": "(", "]": "[", "}": "{"}


def found(
    report: Report, source: str, lines: Sequence[int], findings: Mapping[str, Finding]
) -> list[str]:
    """What is wrong with ``report`` on a wrong program.

    ``lines`` are the numbers of those that are wrong as they stand. ``findings`` is what each
    source check recognised in the program.
    """
    if report.verdict is Verdict.PASS:
        return ["a wrong program passes"]
    return [
        *_counts(report),
        *_fulfilled(report),
        *_praised(report, lines, findings),
        *_absent(report, source),
        *_unreadable(report),
    ]


def _counts(report: Report) -> Iterator[str]:
    """Notes which say that the numbers are right, while a check of the numbers does not pass."""
    if all(c.status is Status.PASS for c in report.checks if c.kind is Kind.RUNTIME):
        return
    for check in report.checks:
        if check.note and COUNTS.search(check.note):
            yield f"{check.id}: says that the numbers are right"


def _fulfilled(report: Report) -> Iterator[str]:
    """Hints which ask for what the quoted line does."""
    for check in _failed(report):
        if check.text and any(fulfils(check.text, hint) for hint in check.hints):
            yield f"{check.id}: the quoted line does what the hint says"


def _praised(
    report: Report, lines: Sequence[int], findings: Mapping[str, Finding]
) -> Iterator[str]:
    """✅ at the line that must change, where no ❌ stands at it."""
    if any(check.line in lines for check in _failed(report)):
        return
    for check in report.checks:
        finding = findings.get(check.id)
        if check.status is Status.PASS and finding and finding.ok and finding.line in lines:
            yield f"{check.id}: ✅ at line {finding.line}, which is the one to change"


def _absent(report: Report, source: str) -> Iterator[str]:
    """Sentences which say that a name is not there, where it is."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    nodes = list(ast.walk(tree))
    called = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)}
    called |= {name.rpartition(".")[2] for name in called}
    kinds = (ast.FunctionDef, ast.ClassDef)
    defined = {node.name for node in tree.body if isinstance(node, kinds)}
    for check in _failed(report):
        for text in filter(None, (check.message, check.note)):
            for name, verb in ABSENT.findall(text):
                if name in (defined if verb == "defined" else called):
                    yield f"{check.id}: says that {name} is not {verb}"


def _unreadable(report: Report) -> Iterator[str]:
    """Raw text of the framework, and texts that were cut."""
    for check in report.checks if report.problem is None else (report.problem,):
        for text in filter(None, (check.message, check.note, *check.hints)):
            if RAW.search(text):
                yield f"{check.id}: raw text: {text[:80]}"
            elif cut(text):
                yield f"{check.id}: cut: {text[-60:]}"
    for one in report.diagnosis:
        if cut(one.message):
            yield f"{one.misconception}: cut: {one.message[-60:]}"


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
