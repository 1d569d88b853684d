"""Puts a report's checks where the trace says that the program goes wrong.

A check is decided without the trace, from the results and the source. Once the line is known, a
check must not point elsewhere: a ❌ that is only a guess waits, and so does a ✅ on that very line.
No hint stays that the quoted line already follows. No verdict changes.

Longer than 300 lines, because each rule on where a check points must know the others.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from grader.base.model import CheckResult, Kind, Report, Status, Trace, Verdict
from grader.grading.advised import advised
from grader.grading.doubted import RAISED, USED, doubted
from grader.grading.judge import BUT, because, in_part
from grader.grading.reading import bindings
from grader.rubric import Check, Rubric
from grader.source import Finding, Source, fulfils, origins
from grader.source.special import MISNAMED
from grader.source.variables import read
from grader.source.walked import walked

SUSPECT = "The numbers go wrong on its line, {line}."
ELSEWHERE = "Not recognised in your code. The numbers go wrong elsewhere, on line {line}."

THERE = (
    "Check the shapes of its arguments",
    "The product of the sizes",
    "Two have one",
    "The left one has one column more",
    "Call it: ",
    "Was the layer made with",
    "From the right, ",
    "If ",
    "Count from 0",
    "There are ",
    "Is the table as long as",
    "Make a tensor of it first: ",
    "Look where self.",
)
"""How hints begin that only make sense at the line which raised the error."""

INSTEAD = "With "
"""How a sentence begins on what another expression would give."""

WITH = re.compile(r"With (?P<new>.+) instead of (?P<old>.+?), (?:this|the result) would \w+ ")
BESIDE = re.compile(r"It has (?P<old>.+) where the reference has (?P<new>.+)\.$")
"""What such a sentence says to write, and one on the only difference."""

SHAPED = re.compile(r"([\w.]+) has shape (\[[\d, ]*\])")
"""How a sentence says what shape a variable has."""

ANOTHER_RUN = "These sizes are those of another run, with the same error."
"""What is told of an error whose sizes are not those that its check tells."""

WRONG = "On line "
"""How a sentence begins on a line that goes wrong."""

SAYS = "At this point the lesson says: "
"""How a sentence begins on the step that a line is to take."""

BELOW = "below this line"
"""How a hint says where to use what its line makes."""

HERE = re.compile(r" here(?=, where )")
"""How the message of an error says that it is about its own line."""

MOST = 10**6
"""More lines than a file has."""

FUNCTION = re.compile(r"\(in \w+\)$")
"""How the message of an error ends that the learner's own line raised."""


@dataclass(frozen=True)
class Placing:
    """Everything that one report is placed by.

    ``sure`` are the checks whose own line is right: they know the attribute, or the definition.
    """

    rubric: Rubric
    source: Source
    findings: Mapping[str, Finding]
    sure: frozenset[str] = frozenset()

    def placed(self, report: Report) -> Report:
        """The report, with its checks at the line that the trace names."""
        if report.verdict is not Verdict.FAIL or report.problem is not None:
            return report
        trace = report.trace
        if trace is not None:  # two looks may say the same
            told = tuple(dict.fromkeys(trace.told))
            trace = replace(trace, told=told)
            report = replace(report, trace=trace)
        right = trace.line if trace is not None and trace.left_out else None
        found = self._as_named(self._owned(_of_one_run(self._placed(report))))
        found = _after(advised(found, self.rubric, self.source), right)
        return doubted(found, self.rubric, self.source, self.findings, right=right)

    def _as_named(self, report: Report) -> Report:
        """The report; numbers that the one named mistake makes wrong are no fault of another line.

        The line of such a check is a guess, made before that mistake was known.
        """
        first = report.first_to_fix
        line = report.diagnosis[0].line if len(report.diagnosis) == 1 else None
        if first is None or line is None or first.line != line:
            return report

        def is_guess(one: CheckResult) -> bool:
            wrong = one.status is Status.FAIL and one.kind is Kind.RUNTIME and not one.stopped
            return wrong and one.line not in (None, line) and one.id not in self.sure

        checks = (self._at(one, line) if is_guess(one) else one for one in report.checks)
        return replace(report, checks=tuple(checks))

    def _owned(self, report: Report) -> Report:
        """The report, with its first ❌ at the step that its line is part of.

        A mistake in a helper or in ``__init__`` shows where that is used, and is not made there.
        """
        pairs = list(zip(self.rubric.checks, report.checks, strict=True))
        first = next((one for _, one in pairs if one.status is Status.FAIL), None)
        if first is None or first.kind is not Kind.SOURCE:
            return report
        checks: dict[str, CheckResult] = {}
        for user, worst in pairs:
            maker = self._maker(report, user, worst) if worst.status is Status.FAIL else None
            result = next((one for check, one in pairs if check is maker), None)
            if maker is None or result is None or (result is not first and worst is not first):
                continue
            said = maker.failed
            if self.findings[maker.id].ok:
                why = worst.message.partition(in_part(user))[2].lstrip(".: ")
                said = because(in_part(maker), why) if why else in_part(maker)
            written = any(hint.startswith("Write ") for hint in worst.hints[:1])
            hints = worst.hints if written else maker.hints
            moved = (
                result if result.status is Status.FAIL else replace(worst, id=maker.id, hints=hints)
            )
            checks[maker.id] = replace(moved, message=said)
            checks[worst.id] = user.waiting(maker.passed, ELSEWHERE.format(line=worst.line))
        return replace(report, checks=tuple(checks.get(one.id, one) for one in report.checks))

    def _maker(self, report: Report, user: Check, worst: CheckResult) -> Check | None:
        """The check on the step that a ❌ points at, which is made in another function."""
        inside, own = self._inside(worst.line), self.findings.get(user.id)
        if inside is None or own is None or self._inside(own.line) in (None, inside):
            return None
        if not own.ok or BUT not in worst.message:
            return None
        makers = [
            check
            for check, one in zip(self.rubric.checks, report.checks, strict=True)
            if check is not user and self._makes(check, one, worst.line or 0, inside)
        ]
        return min(makers, key=lambda one: len(self.findings[one.id].span) or MOST, default=None)

    def _makes(self, check: Check, result: CheckResult, line: int, inside: ast.FunctionDef) -> bool:
        """Whether a check is about what a line is part of, or just about the function around it."""
        finding = self.findings.get(check.id)
        if finding is None or not finding.ok or self._inside(finding.line) is not inside:
            return False
        name = check.passed.partition("(")[0]
        if finding.line == inside.lineno and name == inside.name and check.passed.count("(") == 1:
            return True
        within = all(self._inside(line) is inside for line in finding.span)
        return line in finding.span and within and result.status is not Status.FAIL

    def _inside(self, line: int | None) -> ast.FunctionDef | None:
        """The function around a line."""
        return None if line is None else bindings.around(self.source.tree, line)

    def _placed(self, report: Report) -> Report:
        trace = report.trace
        if trace is None or trace.line is None or not trace.told:
            return self._misnamed(report) or self._silent(report)
        silent = replace(trace, told=(), line=None, blank="", write="", slip="")
        if self._sure_elsewhere(report, trace.line):
            return replace(report, checks=self._kept(report.checks), trace=silent)
        blamed = self._blamed(report)
        pairs = list(zip(self.rubric.checks, report.checks, strict=True))
        running = [one for c, one in pairs if c.rule and one.status is Status.FAIL]
        first = next((c.passed for c, one in pairs if one in running), "")
        stopped = any(one.stopped for one in running)
        checks = [
            self._one(check, result, trace, blamed, first, stopped=stopped, named=_named(report))
            for check, result in pairs
        ]
        if not any(one.status is Status.FAIL for one in checks):
            checks = list(report.checks)
        departed = trace.line
        if not trace.lone and self._is_made_wrong(checks, blamed, departed):
            trace = _used(trace)
        own = self._made_or_written(report, checks, blamed, trace)
        apart = own is not None and self._elsewhere(own, departed)
        unsaid = replace(trace, told=(), blank="", write="", slip="") if apart else trace
        told = self._kept(self._running(checks, unsaid, own or departed))
        if apart:
            return replace(report, checks=told, trace=silent)
        worst = next((one for one in told if one.status is Status.FAIL), None)
        accused = worst is not None and worst.id in blamed and not trace.lone
        if worst and accused and self._elsewhere(worst.line, departed):
            if worst.kind is Kind.SOURCE:
                return replace(self._silent(report), trace=silent)
            return replace(report, checks=told, trace=silent)
        here = bindings.statement_at(self.source.tree, departed)
        if worst and accused and worst.line is not None and worst.line not in here:
            trace = _untried(trace)
        trace = self._of_step(trace, blamed)
        sure = trace.lone and bool(trace.slip)  # a mistake with a place of its own is another one
        named = [d for d in report.diagnosis if not sure or d.line in here]
        diagnosis = tuple(replace(one, line=departed) for one in named)
        denied = {one.message for one in report.diagnosis if one not in named}
        told = tuple(_instead(one, denied, trace.slip) for one in told)
        return replace(report, checks=told, diagnosis=diagnosis, trace=trace)

    def _of_step(self, trace: Trace, blamed: frozenset[str]) -> Trace:
        """The trace without the step of its line, where the named mistake is in another step."""
        steps = [(one.blank, one.id) for one in self.rubric.checks if one.id in blamed]
        return _used(trace) if steps and not any(trace.blank in one for one in steps) else trace

    def _silent(self, report: Report) -> Report:
        """The report without a line of the trace."""
        silent = None if report.trace is None else replace(report.trace, line=None)
        own = self._own(report, report.checks)
        blamed = self._blamed(report)
        checks = [self._written(one, own, one.id in blamed) for one in report.checks]
        return replace(report, checks=self._kept(checks), trace=silent)

    def _misnamed(self, report: Report) -> Report | None:
        """The report with an error at the method that is never called because of its name."""
        first, line = report.first_to_fix, next((one.line for one in report.diagnosis), None)
        if first is None or line is None or report.diagnosis[0].misconception != MISNAMED:
            return None
        given = "by place" in first.message and first.stopped
        if not given and "has no field" not in first.message:
            return None
        moved = replace(self._at(first, line), hints=())
        moved = replace(moved, note=RAISED.format(line=first.line)) if given else moved
        checks = tuple(moved if one is first else one for one in report.checks)
        return replace(report, checks=checks)

    def _made_or_written(
        self,
        report: Report,
        checks: Iterable[CheckResult],
        blamed: frozenset[str],
        trace: Trace,
    ) -> int | None:
        """The line of the mistake that is named: where it is written, or made in ``__init__``."""
        own = None if trace.lone else self._own(report, checks)
        made = not trace.lone and self._is_made_wrong(checks, blamed, trace.line or 0)
        if own is not None or not made:
            return own
        return next((one.line for one in checks if one.status is Status.FAIL), None)

    def _elsewhere(self, line: int | None, departed: int) -> bool:
        """Whether a named mistake has its own line, which the trace does not come from."""
        if line is None or line in bindings.statement_at(self.source.tree, departed):
            return False
        if self._feeds(departed, line):
            return False
        inside = bindings.around(self.source.tree, line)
        return inside is None or inside.name != "__init__"  # what that makes is used elsewhere

    def _is_made_wrong(
        self, checks: Iterable[CheckResult], blamed: frozenset[str], departed: int
    ) -> bool:
        """Whether the first ❌ is a named mistake in ``__init__``: elsewhere that is only used."""
        first = next((one for one in checks if one.status is Status.FAIL), None)
        if first is None or first.line is None or first.id not in blamed:
            return False
        inside, user = (bindings.around(self.source.tree, n) for n in (first.line, departed))
        return inside is not None and inside.name == "__init__" and inside is not user

    def _feeds(self, departed: int, line: int | None) -> bool:
        """Whether the line where the values depart gives a variable its value for another line."""
        tree = self.source.tree
        inside = None if line is None else bindings.around(tree, line)
        if line is None or inside is None or inside is not bindings.around(tree, departed):
            return False
        made = next((one for one in ast.walk(inside) if _begins(one, departed)), None)
        used = next((one for one in ast.walk(inside) if _begins(one, line)), None)
        if not isinstance(made, ast.Assign) or not isinstance(used, ast.Assign | ast.Return):
            return False
        return any(
            name in read(used) and bindings.bound(tree, name, line) is made
            for name in bindings.targets(made)
        )

    def _blamed(self, report: Report) -> frozenset[str]:
        """The checks that a named mistake breaks."""
        named = _named(report)
        return frozenset(
            check.id
            for one in self.rubric.misconceptions
            if one.id in named
            for check in self.rubric.blamed(one)
        )

    def _sure_elsewhere(self, report: Report, line: int) -> bool:
        """Whether the first ❌ knows its own line, and the values leave the path at another."""
        if report.trace is None or report.trace.lone:
            return False
        if all(one.mark != "left" for one in report.trace.margin):
            return False
        first = next((one for one in report.checks if one.status is Status.FAIL), None)
        if first is None or first.id not in self.sure or first.line is None:
            return False
        return first.line not in bindings.statement_at(self.source.tree, line)

    def _knows(
        self, check: Check, result: CheckResult, named: frozenset[str], *, filled: bool
    ) -> bool:
        """Whether a blamed check is where the file makes what it is about, or at a place.

        That is the place of a mistake that is ``named``.

        What ``__init__`` makes wrong is seen only where it is used; not if the values say that the
        check's own step is ``filled`` wrong.
        """
        if result.line is None:
            return False
        places = [
            place
            for one in self.rubric.misconceptions
            if (place := one.place) and one.id in named and check in self.rubric.blamed(one)
        ]
        if result.line in [origins.place(self.source.tree, place) for place in places]:
            return True
        inside = bindings.around(self.source.tree, result.line)
        if inside is None or inside.lineno == result.line:
            return False  # a whole function is no place
        return inside.name == "__init__" and not filled

    def _one(
        self,
        check: Check,
        result: CheckResult,
        trace: Trace,
        blamed: frozenset[str],
        first: str,
        *,
        stopped: bool,
        named: frozenset[str],
    ) -> CheckResult:
        line = trace.line or 0
        here = bindings.statement_at(self.source.tree, line)
        finding = self.findings.get(check.id)
        if finding is None:
            return result
        near = {*here, *bindings.statement_at(self.source.tree, trace.also or line)}
        filled = trace.blank and trace.blank in (check.blank, check.id)
        suspect = finding.line in near or filled or not finding.places.isdisjoint(here)
        suspect = (suspect or self._uses(finding, here)) and not trace.left_out
        if result.status is Status.PASS and suspect and check.id not in blamed:
            return check.waiting(first, SUSPECT.format(line=line))
        raised = filled and stopped and not (finding.ok or finding.there)
        if result.status is not Status.FAIL or finding.certain:
            return result
        unknown = not (finding.ok or finding.there or filled) and check.id not in blamed
        beside = trace.slip and result.line in here and result.line != line  # one of its arguments
        if unknown and (beside or not trace.has.isdisjoint((check.blank, check.id))):
            return check.waiting(first, ELSEWHERE.format(line=line))
        if result.line in here:  # an error that its line raised says more
            return check.waiting(first, SUSPECT.format(line=line)) if raised else result
        known = self._knows(check, result, named, filled=bool(filled or trace.slip))
        known = known and not self._feeds(line, result.line)
        known = known or (finding.replaced and result.line == finding.line)
        if check.id in blamed and known and not trace.lone:
            return result
        if raised:
            return check.waiting(first, ELSEWHERE.format(line=line))
        if check.id in blamed or filled:
            return self._at(_from_afar(result), line)
        return check.waiting(first, ELSEWHERE.format(line=line))

    def _uses(self, finding: Finding, here: range) -> bool:
        """Whether a step uses a variable that gets its value ``here``, of which no step is told.

        Then what is told of this step includes that.
        """
        tree = self.source.tree
        if any(here.start in one.span or one.line in here for one in self.findings.values()):
            return False
        made = next((one for one in walked(tree) if _begins(one, here.start)), None)
        names = bindings.targets(made) if isinstance(made, ast.Assign) else ()
        lines = {*finding.span, finding.line or 0}
        return any(
            name in read(user) and bindings.bound(tree, name, line) is made
            for line in lines
            for user in walked(tree)
            if _begins(user, line)
            for name in names
            if not name.startswith("self.")
        )

    def _own(self, report: Report, checks: Iterable[CheckResult]) -> int | None:
        """The line where the file writes the mistake that is named, if only the run shows it."""
        failed = [one for one in checks if one.status is Status.FAIL]
        if not failed or any(one.kind is Kind.SOURCE or one.stopped for one in failed[:1]):
            return None
        named = {one.misconception for one in report.diagnosis}
        places = {
            (one.id, origins.place(self.source.tree, one.place))
            for one in self.rubric.misconceptions
            if one.place and one.id in named
        }
        lines = [d.line for d in report.diagnosis if (d.misconception, d.line) in places]
        return next(filter(None, lines), None)

    def _written(self, result: CheckResult, own: int | None, blamed: bool) -> CheckResult:
        """The check; a ❌ of the run gets the line of the mistake that is named.

        Not one that knows its own line, and is not ``blamed`` on that mistake or was stopped.
        """
        if result.status is not Status.FAIL or own is None:
            return result
        guessed = blamed and not result.stopped and result.id not in self.sure
        return self._at(result, own) if result.line is None or guessed else result

    def _running(self, checks: list[CheckResult], trace: Trace, line: int) -> list[CheckResult]:
        """The first ❌ of the run gets ``line``; of an error, its own is told below."""
        found, here = list(checks), bindings.statement_at(self.source.tree, line)
        for index, one in enumerate(found):
            if one.status is not Status.FAIL or (one.kind is Kind.SOURCE and one.line not in here):
                continue
            if one.kind is Kind.SOURCE:
                said = any(t.startswith(f"{WRONG}{line} ") for t in trace.told)
                own_line = (trace.slip or said) and line == trace.line  # of a statement on several
                there = self._at(one, line) if own_line else one
                hints = _of_named(there, trace) or _hints(there, trace)
                found[index] = replace(there, hints=hints)
                continue
            known = one.id in self.sure and one.line is not None
            if known and (not trace.lone or USED in (one.note or "")):
                break
            raised = one.stopped and not known and one.line is not None and one.line not in here
            raised = raised and (not trace.lone or FUNCTION.search(one.message) is not None)
            used = USED in (one.note or "")  # its line is not the one that raised the error
            told = RAISED.format(line=one.line) if raised and not used else None
            own = "" if f"{USED}{line}." in (one.note or "") else _without_call(one.note, line)
            note = "\n".join(filter(None, (told, own))) or None
            moved = self._at(one, line)
            aimed = replace(moved, line=one.line, hints=self._aimed(one, trace) or one.hints)
            hints = _hints(aimed, trace)
            message = HERE.sub("", one.message) if told else one.message
            found[index] = replace(moved, message=message, note=note, hints=hints)
            break
        return found

    def _aimed(self, result: CheckResult, trace: Trace) -> tuple[str, ...]:
        """The hints on the step that goes wrong, for a check whose own are on another step."""
        own = next((one.blank for one in self.rubric.checks if one.id == result.id), "")
        if result.stopped or trace.blank in ("", own):
            return ()
        about = (one for one in self.rubric.checks if one.test is not None)
        found = (one.hints for one in about if trace.blank in (one.blank, one.id))
        return _changes(trace) or next(found, ())

    def _at(self, result: CheckResult, line: int) -> CheckResult:
        text, column = self.source.quoted(line)
        return replace(result, line=line, text=text, column=column)

    def _kept(self, checks: Iterable[CheckResult]) -> tuple[CheckResult, ...]:
        """The checks without the hints that the file already follows."""
        return tuple(map(self._unfulfilled, checks))

    def _unfulfilled(self, result: CheckResult) -> CheckResult:
        """The check without the hints that its quoted line follows already."""
        if result.status is not Status.FAIL or not result.text:
            return result
        texts = [result.text]
        inside = bindings.around(self.source.tree, result.line or 0)
        if result.kind is Kind.SOURCE and inside is not None and inside.lineno != result.line:
            texts.append(ast.unparse(inside))
        kept = (h for h in result.hints if not any(fulfils(text, h) for text in texts))
        return replace(result, hints=tuple(kept))


def _instead(check: CheckResult, denied: Collection[str], slip: str) -> CheckResult:
    """The check, with what the source shows to be odd in place of a mistake that is not there."""
    hints = tuple(dict.fromkeys(slip if one in denied else one for one in check.hints))
    return replace(check, hints=hints)


def _named(report: Report) -> frozenset[str]:
    """The mistakes that a report names."""
    return frozenset(one.misconception for one in report.diagnosis)


def _of_one_run(report: Report) -> Report:
    """The report, without shapes in its trace of what the first ❌ has in another run's shape."""
    first, trace = report.first_to_fix, report.trace
    if first is None or trace is None or not first.stopped or not trace.told:
        return report

    def differs(name: str, shape: str) -> bool:
        quoted = rf"(?<![\w.]){re.escape(name)}(?: of shape)? (\[[\d, ]*\])"
        seen = re.findall(quoted, first.message)
        return bool(seen) and shape not in seen

    told = tuple(
        one for one in trace.told if not any(differs(*each) for each in SHAPED.findall(one))
    )
    if len(told) < len(trace.told):
        told = tuple(one for one in told if one != ANOTHER_RUN)
    return replace(report, trace=replace(trace, told=told))


def _without_call(note: str | None, line: int) -> str:
    """The note of an error without its last line, where that only quotes the call on ``line``."""
    kept = (note or "").split("\n")
    return "\n".join(kept[:-1] if kept[-1].startswith(f"Called from line {line}:") else kept)


def _begins(node: ast.AST, line: int) -> bool:
    """Whether a statement begins on a line."""
    return isinstance(node, ast.stmt) and node.lineno == line


def _untried(trace: Trace) -> Trace:
    """The trace without a change of its line: what makes that go wrong is to change elsewhere."""
    told = tuple(one for one in trace.told if not one.startswith(INSTEAD))
    return replace(trace, told=told, write="")


def _used(trace: Trace) -> Trace:
    """The trace of a line that is right, or whose step is: without the step of the line."""
    told = tuple(one for one in trace.told if not one.startswith(SAYS))
    return replace(trace, told=told, blank="")


def _from_afar(result: CheckResult) -> CheckResult:
    """The check, with its hints on what is below its line told from another line."""
    hints = (h.replace(BELOW, f"below line {result.line}") for h in result.hints)
    return replace(result, hints=tuple(hints))


def _hints(result: CheckResult, trace: Trace) -> tuple[str, ...]:
    """What the reference writes; what the error itself says to write, if that may do as well.

    Beside a slip the check's own nudge, which knows nothing of it, would ask for something else.
    """
    if trace.slip and not trace.write and result.kind is Kind.RUNTIME and not result.stopped:
        return (trace.slip,)
    fixed = any("Write " in hint for hint in result.hints[:1])
    done = result.text is not None and fulfils(result.text, trace.write)
    if not trace.write or done or (fixed and not trace.sure):
        moved = result.line not in (None, trace.line) and result.detail
        if moved and trace.elsewhere:
            return ()
        return tuple(h for h in result.hints if not (moved and _about_its_line(h)))
    return (f"Write {trace.write}",)


def _of_named(result: CheckResult, trace: Trace) -> tuple[str, ...]:
    """The hint on a step that is there, but wrong: what is wrong on its line, where that is known.

    What the step is made of, or why, tells nothing about that.
    """
    if BUT not in result.message or trace.write or result.line != trace.line:
        return ()
    return _changes(trace) or ((trace.slip,) if trace.slip else ())


def _changes(trace: Trace) -> tuple[str, ...]:
    """What to write instead of what the line has, as the trace tells it.

    Where the line has several things that the reference has not, none of them is enough.
    """
    for form in (WITH, BESIDE):
        changes = [found for one in trace.told if (found := form.match(one)) is not None]
        for found in changes if form is WITH or len(changes) == 1 else ():
            if _is_clear(found["new"]):
                return (f"Write {found['new']} instead of {found['old']}",)
    return ()


def _is_clear(text: str) -> bool:
    """Whether this is code that can only belong at one place of a line: no bare number."""
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return False
    return not isinstance(getattr(body[0], "value", None), ast.Constant)


def _about_its_line(hint: str) -> bool:
    """Whether a hint on an error makes sense only at the line that raised it."""
    return hint.startswith(THERE) or "Write " in hint


def _after(report: Report, right: int | None) -> Report:
    """The report, whose ❌ at a line that is said to be right point after it."""
    told = report.trace.told if report.trace is not None else ()
    if right is None or not any(one.startswith(f"Line {right} is still right") for one in told):
        return report
    return replace(
        report,
        checks=tuple(
            replace(one, after=one.status is Status.FAIL and one.line == right)
            for one in report.checks
        ),
    )
