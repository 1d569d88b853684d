"""Decides each check from what the source says and what the program did.

Behaviour decides and source explains: a source check that did not recognise a program whose
numbers are right becomes a note. A misconception that explains every wrong number says which
checks fail, and clears the source checks that it does not blame.

Longer than 300 lines, because every way to decide a check is here, in the order of trust.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from grader.base import sanitize
from grader.base.model import CheckResult, Kind, Status
from grader.grading import cascades
from grader.grading.diagnose import Explanation
from grader.protocol.probe import Call, SeenArray, SeenTensor
from grader.rubric import (
    Check,
    Evidence,
    Failed,
    Misconception,
    NotRun,
    Passed,
    Rubric,
    Ruling,
    Trial,
    rules,
)
from grader.rubric.compare import difference
from grader.source import Finding, Source, bindings, fulfils, locations
from grader.source.infinite_loops import infinite_loop, shared_list
from grader.source.placeholders import unfilled

BUT = "Not right yet: "
"""How a ❌ begins on what is there, before what a ✅ would say of it."""
THERE = re.compile(r" (is defined( in this file)?|exists)$")
"""What a ✅ says of what need only be there."""
IN_VAIN = ", but to no effect"
"""How it goes on where nothing comes of that."""

NOT_IMPORTED = re.compile(r"(?P<names>\w+(?:, \w+)* and \w+) are not imported")
"""How the sentence on several imports begins."""

ABSENT = ("MissingName", "AttributeError")
"""Errors that say that a helper is missing. The program may be right without it."""

IMPORTING = ("ImportError", "ModuleNotFoundError")
MOST_SAID = 800
"""Characters of a message."""

UNDECIDED = "Not recognised in your code. Once the numbers are right, it counts."
UNSEEN = "Your code returned nothing here that the grader can compare."
RIGHT_ANYWAY = "Your numbers are right. --strict asks for the lesson's structure too."
UNRECOGNISED = "Written differently from the lesson. The numbers are right, so it counts."
PROVEN = "Written differently from the lesson. It works, so it counts."


@dataclass(frozen=True)
class Case:
    """Everything known about one file when its checks are decided."""

    rubric: Rubric
    source: Source
    evidence: Evidence
    rulings: dict[str, Ruling]
    findings: Mapping[str, Finding]
    explanation: Explanation | None = None
    strict: bool = False


def source_findings(rubric: Rubric, source: Source) -> dict[str, Finding]:
    """What each source check found, by check."""
    return dict(each_finding(rubric, source))


def each_finding(rubric: Rubric, source: Source) -> Iterator[tuple[str, Finding]]:
    """Each source check and what it found, as it is found."""
    for check in rubric.checks:
        if check.test is not None:
            yield check.id, check.test(source)


def rule_all(rubric: Rubric, evidence: Evidence) -> dict[str, Ruling]:
    """The ruling of every run-time check, in order; one whose needs failed is not run."""
    rulings: dict[str, Ruling] = {}
    for check in rubric.checks:
        if check.rule is None:
            continue
        missing = [
            need for need in check.needs if not isinstance(rulings.get(need, Passed()), Passed)
        ]
        rulings[check.id] = NotRun(missing[0]) if missing else check.rule(evidence)
    if evidence.outcome.probe and not any(isinstance(one, Failed) for one in rulings.values()):
        rulings |= _of_what_did_not_end(rubric, evidence)
    return rulings


def _of_what_did_not_end(rubric: Rubric, evidence: Evidence) -> dict[str, Ruling]:
    """The first check that fails because the program was stopped; its needs may not be known."""
    for check in rubric.checks:
        ruling = check.rule(evidence) if check.rule is not None else None
        if isinstance(ruling, Failed) and ruling.stopped:
            return {check.id: ruling}
    return {}


def behaves(rulings: dict[str, Ruling]) -> bool:
    """Whether every run-time check passes."""
    return all(isinstance(ruling, Passed) for ruling in rulings.values())


def settle(case: Case) -> tuple[CheckResult, ...]:
    """One result for each check of the rubric, in its order."""
    case = replace(case, findings=cascades.unbound(case.findings, case.rulings))
    blamed = {check.id for one in _mistakes(case) for check in case.rubric.blamed(one)}
    settled = []
    for check in case.rubric.checks:
        if check.test is not None:
            settled.append(_settle_source_in_turn(case, check, check.id in blamed))
        else:
            settled.append(_settle_runtime(case, check))
    accused = _accuse(case, settled)
    error = case.evidence.outcome.load_error
    right = behaves(case.rulings)
    left = () if right else unfilled(case.source.tree)
    told = cascades.collapsed(
        case.rubric,
        case.findings,
        case.rulings,
        accused,
        at_import=error is not None and error.type_name in IMPORTING,
        complete=error is not None and error.line is not None and not left,
    )
    if not right:
        told = cascades.explained(case.rubric, case.rulings, _mistakes(case), told)
        told = cascades.in_turn(case.rubric, case.findings, told, left)
    return tuple(_located(result, case.source) for result in _never_silent(case, told))


def _settle_source(case: Case, check: Check, finding: Finding, blamed: bool) -> CheckResult:
    if blamed:
        return _blamed(case, check, finding)
    if finding.ok:
        return _pass(check, finding.note)
    if not case.strict:
        if behaves(case.rulings):
            return _pass(check, UNRECOGNISED)
        if _proven(case, check):
            rulings = map(case.rulings.get, check.left_open_by)
            still_open = any(isinstance(one, Failed) for one in rulings)
            return _undecided_yet(case, check) if still_open else _pass(check, PROVEN)
        likely = case.evidence.mostly_right() and not _refuted(case, check)
        if likely and not finding.certain:
            return _undecided_yet(case, check)
        if not finding.certain and case.evidence.outcome.ended == "timeout":
            return _undecided_yet(case, check)
        if not finding.certain or case.evidence.outcome.ended != "done":
            known = case.explanation is not None and case.explanation.complete
            if known or finding.foreign or _undecided(case, check):
                return _undecided_yet(case, check)
    return _not_as_in_the_lesson(case, check, finding)


def _not_as_in_the_lesson(case: Case, check: Check, finding: Finding) -> CheckResult:
    """The ❌ of a source check; where the numbers are right, only --strict has one."""
    if not behaves(case.rulings):
        return _not_found(check, finding)
    failed = _fail(check, finding.line, RIGHT_ANYWAY)
    return replace(failed, message=f"Not written as in the lesson: {check.passed}")


def _settle_source_in_turn(case: Case, check: Check, blamed: bool) -> CheckResult:
    """The result of a source check; one that finds fault waits for the checks that it needs."""
    finding = case.findings[check.id]
    if (blamed or not finding.ok) and (missing := _missing(case, check)):
        return check.waiting(_waits_for(case, missing))
    return _settle_source(case, check, finding, blamed)


def _missing(case: Case, check: Check) -> str | None:
    """The first run-time check that must pass before this source check says anything."""
    passed = {name for name, ruling in case.rulings.items() if isinstance(ruling, Passed)}
    return next((need for need in check.needs if need not in passed), None)


def _blamed(case: Case, check: Check, finding: Finding) -> CheckResult:
    """The ❌ of a source check on a part that a named mistake breaks."""
    failed = _not_found(check, finding)
    if (line := _mistaken(case, check)) is not None:
        failed = replace(failed, line=line)
    if not (finding.ok or finding.there or _is_there(case, check)):
        if case.rubric.guided and _in_its_helper(case, check, failed.line):
            return failed
        if case.rubric.guided or _left_out(case, check):
            return replace(failed, hints=(_why(case, check), *check.hints[1:]))
        return replace(failed, message=_but(case, check), note=None, hints=check.after)
    told = finding.detail if finding.there else None
    note = f"{told[:1].upper()}{told[1:]}." if told else None
    # the mistake has a name: what the check itself advises is about something else
    own = failed.hints if finding.there and finding.hint else check.after
    message = f"{check.passed}{IN_VAIN}" if finding.unused else _but(case, check)
    return replace(failed, message=message, note=note, hints=own)


def _in_its_helper(case: Case, check: Check, line: int | None) -> bool:
    """Whether a line is in the function that a check names first, as the lesson has it."""
    name = check.passed.partition(":")[0]
    if not name.isidentifier() or line is None:
        return True
    inside = bindings.around(case.source.tree, line)
    names = ("__call__", "forward") if name == "__call__" else (name,)
    return inside is not None and inside.name in names


def _right_alone(case: Case, place: str) -> bool:
    """Whether a place is in a helper that is right on its own: then the mistake is elsewhere."""
    helper = place.partition("()")[0]
    about = [
        name
        for name, trial in case.evidence.trials.items()
        if trial.part and helper and getattr(trial.probe.actions[-1], "method", "") == helper
    ]
    return bool(about) and all(map(case.evidence.right, about))


def _mistaken(case: Case, check: Check) -> int | None:
    """The line at which a mistake is written that breaks this part, if it has a place."""
    places = (m.place for m in _mistakes(case) if check in case.rubric.blamed(m))
    place = next((one for one in places if one and not _right_alone(case, one)), None)
    return None if place is None else locations.place(case.source.tree, place)


def _mistaken_in(case: Case, trial: str) -> int | None:
    """The line at which a named mistake is written in the helper that a trial calls."""
    helper = getattr(case.evidence.trials[trial].probe.actions[-1], "method", None)
    places = [one.place for one in _mistakes(case) if one.place.partition("()")[0] == helper]
    return locations.place(case.source.tree, places[0]) if helper and places else None


def _not_found(check: Check, finding: Finding) -> CheckResult:
    """The ❌ of a source check. What is there and leads nowhere is not said to be missing."""
    failed = _fail(check, finding.line, None if finding.ok else finding.detail)
    if not finding.there:
        return replace(failed, message=_of_lacking(failed.message, finding.lacks))
    part = f"{check.passed}{IN_VAIN}" if finding.unused else in_part(check)
    message = because(part, finding.detail or "")
    hints = (finding.hint, *check.hints[1:2]) if finding.hint else check.hints
    return replace(failed, message=message, note=None, hints=hints)


def _of_lacking(sentence: str, lacks: frozenset[str]) -> str:
    """The sentence on names that are not imported: only on those that a file ``lacks``."""
    listed = NOT_IMPORTED.match(sentence)
    names = re.findall(r"\w+", listed["names"].replace(" and ", " ")) if listed else []
    some = [one for one in names if one in lacks]
    if listed is None or not some or len(some) == len(names):
        return sentence
    verb = "are" if some[1:] else "is"
    return f"{' and '.join(some)} {verb} not imported{sentence[listed.end() :]}"


def _but(case: Case, check: Check) -> str:
    """What to say if the thing exists, but a named mistake shows that it is wrong."""
    return because(in_part(check), _why(case, check))


def in_part(check: Check) -> str:
    """The sentence on a step that is there, and wrong.

    Not after what a ✅ would say if that says that it is correct. That it is there, it is.
    """
    correct = check.passed.endswith(("correct", "correctly"))
    return check.failed if correct else f"{BUT}{THERE.sub('', check.passed)}"


def because(part: str, why: str) -> str:
    """The sentence on a step, and what is wrong with it."""
    if not part.startswith(BUT):
        return f"{part}: {why}"
    word = why.partition(" ")[0]
    return f"{part}. {why if set('._(') & set(word) else why[:1].upper() + why[1:]}"


def _why(case: Case, check: Check) -> str:
    """What the named mistake says that breaks this part."""
    return next((one.message for one in _mistakes(case) if check in case.rubric.blamed(one)), "")


def _left_out(case: Case, check: Check) -> bool:
    """Whether the named mistake that breaks this part does without the step."""
    breaks = (one for one in _mistakes(case) if check in case.rubric.blamed(one))
    return next((one.leaves_out for one in breaks), True)


def _mistakes(case: Case) -> tuple[Misconception, ...]:
    return case.explanation.mistakes if case.explanation else ()


def _proven(case: Case, check: Check) -> bool:
    """Whether what the program does shows that this part of it works."""
    return bool(check.proven_by) and all(_holds(case, name) for name in check.proven_by)


def _refuted(case: Case, check: Check) -> bool:
    """Whether a run-time check that would prove this one fails."""
    return any(isinstance(case.rulings.get(name), Failed) for name in check.proven_by)


def _holds(case: Case, name: str) -> bool:
    """Whether the run-time check ``name`` passes, or the trial of that name is right."""
    if name in case.rulings:
        return isinstance(case.rulings[name], Passed)
    return case.evidence.right(name)


def _undecided(case: Case, check: Check) -> bool:
    """Whether nothing can be said about a part that was written in an unknown way.

    That is so if the helper returned no numbers on its own, and if what would prove the part could
    not be tried: the run-time checks report why, and ``_accuse`` the line of an error.
    """
    parts = [name for name in check.proven_by if name in case.evidence.trials]
    if parts:
        return not any(case.evidence.observation(name).results.get("out") for name in parts)
    proofs = [case.rulings[name] for name in check.proven_by if name in case.rulings]
    if proofs and all(isinstance(one, NotRun) for one in proofs):
        return True
    return not case.evidence.wrong_numbers()


def _absent(evidence: Evidence, trial: str) -> bool:
    error = evidence.error(trial)
    return error is not None and error.type_name in ABSENT and "'Tensor'" not in error.message


def _accuse(case: Case, settled: list[CheckResult]) -> list[CheckResult]:
    """The results with a ❌ at each helper that is wrong on its own.

    If a helper's own trial is wrong but all its source checks recognised something, the one
    whose lines raised the error fails, else the last.
    """
    if all(r.status is Status.PASS for r in settled):
        return settled
    results = {result.id: result for result in settled}
    likely = case.evidence.mostly_right()
    missing = cascades.missing(case.rubric, case.findings, settled)
    raised: set[int | None] = set()  # where a small function that two helpers share raised
    for name, trial in case.evidence.trials.items():
        group = [c for c in case.rubric.checks if c.proven_by == (name,)]
        if not trial.part or not group or case.evidence.right(name):
            continue
        lacks = rules.missing_name(case.evidence.error(name)) in missing
        if lacks or (likely and _absent(case.evidence, name)):
            continue
        if any(results[check.id].status is Status.FAIL for check in group):
            continue
        line = getattr(case.evidence.error(name), "line", None)
        again = line is not None and line in raised
        raised.add(line)
        other = _gives_other(case, name)
        if likely or again or other or _told_elsewhere(case, name):
            for check in (c for c in group if results[c.id].status is Status.PASS):
                note = UNSEEN if other else UNDECIDED
                results[check.id] = check.waiting(_waits_for(case, None), note)
        elif wrong := _how_wrong(case, name):
            results |= _accused(case, name, group, wrong, results)
    return [results[result.id] for result in settled]


def _accused(
    case: Case,
    trial: str,
    group: list[Check],
    wrong: _Wrong,
    results: Mapping[str, CheckResult],
) -> dict[str, CheckResult]:
    """The results that change where helper ``trial`` is wrong on its own."""
    line, told, hints = wrong
    words = _operations(case.evidence, trial)
    accused = _standing_at(group, line, words, case.findings) or group[-1]
    here = [check for check in group if line in case.findings[check.id].span]
    if here and _unknown(case, trial, accused):
        passed = (one for one in here if results[one.id].status is Status.PASS)
        return {check.id: _undecided_yet(case, check) for check in passed}
    failed = _fail(accused, line or _mistaken_in(case, trial), told)
    if case.findings[accused.id].ok or _is_there(case, accused):
        failed = replace(failed, message=in_part(accused))
    method = getattr(case.evidence.trials[trial].probe.actions[-1], "method", "")
    if told and method and failed.message == accused.failed and case.evidence.error(trial):
        failed = replace(failed, message=f"{method} does not work: {told}", note=None)
    return {accused.id: failed if hints is None else replace(failed, hints=hints)}


def _unknown(case: Case, trial: str, accused: Check) -> bool:
    """Whether a helper raised an error that may have nothing to do with what ``accused`` is about.

    That may only be written in another way. A run-time check tells the error.
    """
    error, finding = case.evidence.error(trial), case.findings[accused.id]
    if error is None or finding.ok or finding.there or finding.certain:
        return False
    failed = (one for one in case.rulings.values() if isinstance(one, Failed) and one.stopped)
    return any(one.line == error.line for one in failed)


def _half_written(case: Case, trial: Trial) -> bool:
    """Whether a helper still has a placeholder: that is why its result is wrong."""
    calls = [one.method for one in trial.probe.actions if isinstance(one, Call)]
    heads = (n for n in ast.walk(case.source.tree) if isinstance(n, ast.FunctionDef))
    left = unfilled(case.source.tree)
    return any(one.name in calls[-1:] and one.lineno in place for one in heads for place in left)


def _told_elsewhere(case: Case, trial: str) -> bool:
    """Whether a helper stopped at something that it needs: a name, an attribute, a definition.

    Or it takes other arguments than the lesson's, so that nothing of it ran.
    """
    error = case.evidence.error(trial)
    if error is None or error.line is None:
        helper = case.evidence.trials[trial].probe.actions[-1].name
        return error is not None and error.action == helper and not _absent(case.evidence, trial)
    stopped = any(isinstance(one, Failed) and one.stopped for one in case.rulings.values())
    about = case.evidence.framework.translate(error).about
    return stopped and (bool(about) or _absent(case.evidence, trial))


def _is_there(case: Case, check: Check) -> bool:
    """Whether the file calls or uses what the sentence of a ❌ would say is not called or used."""
    said = re.search(r"([\w.]+)(?: function)? is not (?:called|applied|used)", check.failed)
    if said is None:
        return False
    wanted = said[1].rpartition(".")[2]
    calls = (node.func for node in ast.walk(case.source.tree) if isinstance(node, ast.Call))
    return any(ast.unparse(func).rpartition(".")[2] == wanted for func in calls)


def _never_silent(case: Case, settled: list[CheckResult]) -> list[CheckResult]:
    """The results with a ❌ at the first that could not be run, if nothing else says why."""
    if case.evidence.outcome.ended != "done" or any(r.status is Status.FAIL for r in settled):
        return settled
    first = next((r for r in settled if r.status is Status.NOT_RUN), None)
    checks = {check.id: check for check in case.rubric.checks}
    return [_fail(checks[r.id], None, UNSEEN) if r is first else r for r in settled]


def _operations(evidence: Evidence, trial: str) -> frozenset[str]:
    """The words of the error of ``trial``, including the operation it is about."""
    error = evidence.error(trial)
    if error is None:
        return frozenset()
    told = evidence.framework.translate(error)
    code = " ".join(call.code for call in error.calls[-1:])
    return frozenset(re.findall(r"\w+", f"{code} {told.message} {told.hint}"))


def _standing_at(
    group: list[Check], line: int | None, words: frozenset[str], findings: Mapping[str, Finding]
) -> Check | None:
    """The check that is about ``line``: one that lacks something there, else the narrowest.

    Of several that lack something, the one on an operation among ``words`` goes first.
    """
    missing = [c for c in group if not findings[c.id].ok and not findings[c.id].foreign]
    missing.sort(key=lambda c: (c.id.split("-")[-1] not in words, findings[c.id].line != line))
    found = [c for c in group if line in findings[c.id].span]
    found.sort(key=lambda c: (len(findings[c.id].span), c.id.split("-")[-1] not in words))
    return next(iter([*missing, *found]), None) if line is not None else None


_Wrong = tuple[int | None, str, tuple[str, ...] | None]
"""The line, what is wrong, and hints that replace the check's own."""


def _gives_other(case: Case, trial: str) -> bool:
    """Whether a helper gives something else than a tensor, such as a tuple: it has no numbers."""
    found = [case.evidence.seen(trial, path) for path in case.evidence.expected(trial)]
    known = [one for one in found if one is not None]
    return bool(known) and not any(isinstance(one, SeenTensor | SeenArray) for one in known)


def _how_wrong(case: Case, trial: str) -> _Wrong | None:
    """Where and how helper ``trial`` is wrong; None if it does not exist or is half written."""
    error = case.evidence.error(trial)
    if error is not None:
        helper = case.evidence.trials[trial].probe.actions[-1].name
        if _absent(case.evidence, trial) or error.line is None or error.action != helper:
            return None
        told = case.evidence.framework.translate(error)
        return error.line, told.message, (told.hint,) if told.hint else ()
    if _half_written(case, case.evidence.trials[trial]):
        return None
    for path, want in case.evidence.expected(trial).items():
        seen = case.evidence.seen(trial, path)
        results, action = case.evidence.observation(trial).results, path.partition(".")[0]
        if action in results and results[action] is None:
            return None, "Called alone, it returns None", ("Is a return missing at its end?",)
        if not isinstance(seen, SeenTensor | SeenArray):
            return None
        if seen.array.shape != want.shape:
            told_shape = f"shape {seen.array.shape}, expected {want.shape}"
            return None, f"Called alone, it returns {told_shape}", None
        if not case.evidence.close(trial, seen.array, want):
            return None, f"Called alone: {difference(seen.array, want)}", None
    return None


def _settle_runtime(case: Case, check: Check) -> CheckResult:
    ruling = case.rulings[check.id]
    match ruling:
        case Passed(note):
            return _pass(check, note)
        case Failed():
            return _failed(case, check, _ended(case, ruling))
        case NotRun(waits_for):
            return check.waiting(_waits_for(case, waits_for))


def _ended(case: Case, ruling: Failed) -> Failed:
    """The ruling; of a program that did not finish, with the loop that was still running."""
    if not ruling.stopped or case.evidence.outcome.ended != "timeout" or ruling.line is None:
        return ruling
    found = infinite_loop(case.source.tree, ruling.line) or shared_list(case.source.tree)
    return ruling if found is None else replace(ruling, line=found[0], note=found[1])


def _failed(case: Case, check: Check, ruling: Failed) -> CheckResult:
    """The ❌ of a run-time check."""
    own = () if ruling.alone else check.hints
    hints = ((ruling.hint,) if ruling.hint else ()) + own
    line = _place(case, ruling) or _mistaken(case, check)
    note = (ruling.note or "").replace(f"It is used on line {line}.", "").strip()
    return CheckResult(
        check.id,
        check.kind,
        Status.FAIL,
        _said(check.failed, ruling.message),
        hints,
        line=line,
        note=note or None,
        detail=ruling.detail,
        stopped=ruling.stopped,
    )


def _place(case: Case, ruling: Failed) -> int | None:
    """The line of a ruling: of what it is about, else its own, else where it probably is."""
    tree = case.source.tree
    sure = locations.place(tree, ruling.about) if ruling.about else None
    guess = locations.place(tree, ruling.likely) if ruling.likely else None
    return sure or guess or ruling.line


def _said(sentence: str, message: str | None) -> str:
    """The sentence and what was seen, which may contain anything the program made: on one line."""
    return f"{sentence.rstrip(':')}: {sanitize.line(message, MOST_SAID)}" if message else sentence


def _waits_for(case: Case, named: str | None) -> str:
    """The sentence of the check to fix first."""
    failed = [name for name, ruling in case.rulings.items() if isinstance(ruling, Failed)]
    sought = named if named in failed or not failed else failed[0]
    for check in case.rubric.checks:
        if check.id == sought:
            return check.passed
    return "the program to run"


def _pass(check: Check, note: str | None) -> CheckResult:
    return CheckResult(check.id, check.kind, Status.PASS, check.passed, note=note)


def _undecided_yet(case: Case, check: Check) -> CheckResult:
    """Not recognised, and what the program does shows neither that it is right nor wrong."""
    return check.waiting(_waits_for(case, None), UNDECIDED)


def _fail(check: Check, line: int | None, detail: str | None) -> CheckResult:
    return CheckResult(
        check.id, check.kind, Status.FAIL, check.failed, check.hints, line=line, note=detail
    )


def _located(result: CheckResult, source: Source) -> CheckResult:
    """The result with the text of the line that it points at, without hints that this follows."""
    if result.line is None or not 1 <= result.line <= len(source.lines):
        return result
    text, column = source.quoted(result.line)
    inside = bindings.around(source.tree, result.line)
    whole = result.kind is Kind.SOURCE and inside is not None and inside.lineno != result.line
    texts = [text or "", *([ast.unparse(inside)] if whole and inside is not None else [])]
    hints = (one for one in result.hints if not any(fulfils(line, one) for line in texts))
    return replace(result, text=text, column=column, hints=tuple(hints))
