"""What the learner's commands and watch's keys show: pure functions from progress to text."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from grader.base.blanks import make_answer, regions
from grader.base.model import LEVELS, Status, Verdict
from grader.learner import hints, lesson
from grader.learner.progress import UNTOUCHED, Progress, StepProgress
from grader.learner.tasks import task
from grader.report import as_text
from grader.source import SourceProblem, read_file

if TYPE_CHECKING:
    from grader.base.model import CheckResult, Report, Step
    from grader.learner.attempt import Attempt
    from grader.report.style import Style

BAR = 10
"""Characters in a progress bar."""
FEW = 8
"""A diff of at most this many lines is shown after a pass; a longer one only on request."""
WIDE = 60
"""From this width, a list has bars."""


def bar(done: int, of: int, style: Style) -> str:
    """A progress bar of ``BAR`` characters; nothing for a screen reader."""
    if style.words:
        return ""
    full = BAR * done // of if of else 0
    return (
        f"{'█' * full}{'░' * (BAR - full)}"
        if style.unicode
        else f"{'#' * full}{'.' * (BAR - full)}"
    )


def list_page(
    steps: Sequence[Step], known: Progress, style: Style, current: Step | None = None
) -> str:
    """One line for each step: its state, a bar, the score, the attempts, the title.

    ``current`` is marked, by default the step to do next.
    """
    current = current or next_step(steps, known)
    lines = [_listed(step, known.get(step.id, UNTOUCHED), step == current, style) for step in steps]
    passed = sum(known.get(step.id, UNTOUCHED).state == "passed" for step in steps)
    whole = f"{passed} of {len(steps)} steps passed"
    return "\n".join([*lines, "", f"{bar(passed, len(steps), style)} {whole}".strip()]) + "\n"


def _listed(step: Step, one: StepProgress, current: bool, style: Style) -> str:
    if style.words:
        score = f", {one.score} of {one.of} checks" if one.of else ""
        tries = f", {_count(one.attempts, 'attempt')}" if one.attempts else ""
        return f"{step.id}: {one.state}{score}{tries}{', next' if current else ''}: {step.title}"
    marks = {"passed": "✅", "started": "🔸", "new": "  "}
    plain = {"passed": "[pass]", "started": "[... ]", "new": "[    ]"}
    mark = (marks if style.unicode else plain)[one.state]
    arrow = ("▸" if style.unicode else ">") if current else " "
    score = f"{one.score}/{one.of}" if one.of else ""
    line = f"{arrow} {mark} {step.id} {score:>5} "
    if (style.width or 80) >= WIDE:
        tries = _count(one.attempts, "attempt") if one.attempts else ""
        line += f"{bar(one.of if one.passed else one.score, one.of, style)} {tries:>12}  "
    room = (style.width or 200) - len(line) - 2
    cut = "…" if style.unicode else "~"
    return line + (step.title if len(step.title) <= room else step.title[: room - 1] + cut)


def next_step(steps: Sequence[Step], known: Progress) -> Step | None:
    """The step last worked on, else the first after it that is not passed.

    None if all are passed.
    """
    begun = [step for step in steps if known.get(step.id, UNTOUCHED).last]
    last = max(begun, key=lambda step: known[step.id].last or "", default=None)
    ahead = steps[steps.index(last) :] if last is not None else ()
    return next((s for s in (*ahead, *steps) if not known.get(s.id, UNTOUCHED).passed), None)


def next_page(steps: Sequence[Step], known: Progress) -> str:
    """Which step to do next, and how. A suggestion: every step can be done at any time."""
    step = next_step(steps, known)
    if step is None:
        return (
            f"All {len(steps)} steps are passed. Write text with what you built: "
            f"{task('gpt2')} --mine\n"
        )
    one = known.get(step.id, UNTOUCHED)
    state = f"{one.score} of {one.of} checks pass so far.\n" if one.attempts else ""
    return f"Next is step {step.number}: {step.title}.\n{state}{_how_to(step)}"


def _how_to(step: Step) -> str:
    name = step.stub.relative_to(step.root).as_posix()
    read = step.lesson.relative_to(step.root).as_posix()
    return (
        f"   Read:  {read}\n   Write: {name}\n"
        f"   Check: {task(step.id)}, or on every save: {task(f'watch {step.id}')}\n"
    )


def progress_page(steps: Sequence[Step], known: Progress, style: Style) -> str:
    """The progress so far: overall, and what each started step still lacks."""
    lines = []
    attempts = sum(one.attempts for one in known.values())
    passed = [step for step in steps if known.get(step.id, UNTOUCHED).passed]
    whole = f"{len(passed)} of {len(steps)} steps passed in {_count(attempts, 'attempt')}."
    lines.append(f"{bar(len(passed), len(steps), style)} {whole}".strip())
    for step in steps:
        one = known.get(step.id, UNTOUCHED)
        if not one.last:
            continue
        lines += ["", f"Step {step.number}: {step.title}"]
        first = f"   Passed first: {_day(one.passed)}" if one.passed else "   Not passed yet"
        lines.append(f"{first}. Last: {one.score} of {one.of} checks, {_day(one.last)}.")
        lines.append(f"   {_count(one.attempts, 'attempt')}. {_hardest(step, one)}".rstrip())
    lines += ["", next_page(steps, known)]
    return style.text("\n".join(lines))


def _hardest(step: Step, one: StepProgress) -> str:
    """The check that took the most attempts."""
    from grader.rubric import load

    if not one.checks:
        return ""
    name, tried = max(one.checks.items(), key=lambda item: item[1].tries)
    sentence = next((c.passed for c in load.rubric(step).checks if c.id == name), None)
    return f"Most of them at: {sentence} ({tried.tries})" if sentence and tried.tries > 1 else ""


def hint_page(
    step: Step,
    found: Attempt,
    style: Style,
    check_id: str | None = None,
    *,
    keys: bool = False,
) -> str:
    """The hints of one check, as many as were asked for; the first failing one by default.

    ``keys`` says whether the reader presses keys (``watch``) or runs tasks.
    """
    report = found.report
    if report.problem is not None:
        return "\n".join(as_text.one_check(report.problem, style)) + "\n"
    if report.verdict is Verdict.PASS:
        return f"Step {step.number} passes: nothing to hint at.\n"
    check = _sought(report, check_id)
    if check is None:
        return f"Nothing fails, but the run did not end well. Full report: {task(step.id)}\n"
    if check.status is not Status.FAIL:
        return "\n".join(as_text.one_check(check, style)) + "\n"
    level = hints.shown(found.known).get(check.id, 1)
    lines = list(as_text.one_check(check, style, hint_level=level))
    if level < LEVELS and level < len(check.hints):
        lines += ["", f"Another hint: {'press h' if keys else task(f'hint {step.id}')}"]
    else:
        lines += ["", f"Why this check exists: {task(f'explain {step.id} {check.id}')}"]
        reference = "press s" if keys else task(f"solution {step.id} --now")
        lines.append(f"The reference: {reference}")
    return style.text("\n".join(lines) + "\n")


def _sought(report: Report, check_id: str | None) -> CheckResult | None:
    for check in report.checks:
        if check.id == check_id or (check_id is None and check.status is Status.FAIL):
            return check
    return None


def after_pass(
    step: Step, steps: Sequence[Step], found: Attempt, style: Style, *, keys: bool = False
) -> str:
    """What to notice after a pass, how the file differs from the reference, and what comes next.

    ``keys`` says whether the reader presses keys (``watch``) or runs tasks.
    """
    lines = []
    if asked := lesson.questions(step):
        question, answer = asked[found.known.attempts % len(asked)]
        place = step.lesson.relative_to(step.root).as_posix()
        lines += [f"To notice: {question}", f"   {answer}"]
        lines += [f'   More questions: {place}, "Check yourself"', ""]
    lines += [*_compared(step, keys=keys), ""]
    following = next((other for other in steps if other.number > step.number), None)
    if following is not None:
        lines.append(f"Next is step {following.number}: {following.title}.")
        begin = "press n" if keys else task(f"watch {following.id}")
        lines.append(f"   {following.lesson.relative_to(step.root).as_posix()}, then {begin}")
    else:
        lines.append(f"That was the last step. Write text with it: {task('gpt2')} --mine")
    return style.text("\n".join(lines) + "\n")


def mend_first(found: Attempt, style: Style) -> str:
    """The first failing check again, in case it has scrolled away; empty without one."""
    check = _sought(found.report, None)
    if check is None:
        return ""
    told = as_text.one_check(check, style, hint_level=hints.shown(found.known).get(check.id, 1))
    again = f"On one screen, on every save: {task(f'watch {found.report.step}')}"
    return style.text("\n".join(["", "Fix this first:", *told, "", again]) + "\n")


def after_error() -> str:
    """What to do if the grader could not finish."""
    return f"What is wrong on this machine, and how to fix it: {task('doctor')}\n"


def _compared(step: Step, *, keys: bool) -> Iterator[str]:
    """The difference between the learner's file and the reference, or how to see it."""
    changed = [
        line for line in _difference(step, lines_around=0) if line[:1] in "+-" and line[1:].strip()
    ]
    if not changed:
        yield "Your code is identical to the reference."
        return
    counted = f"Yours (-) and the reference (+) differ in {_count(len(changed), 'line')}"
    if len(changed) <= FEW:
        yield f"{counted}:"
        yield from (f"   {line}" for line in changed)
    else:
        yield f"{counted}: {'press s' if keys else task(f'solution {step.id}')}"


def solution_page(step: Step) -> str:
    """The reference as a diff from the learner's file: - is theirs, + the reference's."""
    lines = list(_difference(step, lines_around=3))
    if not lines:
        return "Your file is identical to the reference.\n"
    name = step.stub.relative_to(step.root).as_posix()
    return "\n".join([f"# From {name} (-) to the reference (+).", *lines]) + "\n"


def _difference(step: Step, lines_around: int) -> Iterator[str]:
    """The lines of a unified diff, its marks followed by a space, with the learner's line numbers.

    It leaves out the stub's own tasks and hints, which the learner may have kept.
    """
    reference = step.solution.read_text(encoding="utf-8")
    given = {line.strip() for region in regions(reference) for line in region.stub}
    try:
        lines = read_file(step.stub).decode("utf-8", "replace").splitlines()
    except SourceProblem:
        lines = []
    numbers, mine = [], []
    for number, line in enumerate(lines, 1):
        if not (line.strip() in given and line.strip()[:1] == "#"):
            numbers.append(number)
            mine.append(line)
    theirs = make_answer(reference).splitlines()
    for group in difflib.SequenceMatcher(None, mine, theirs).get_grouped_opcodes(lines_around):
        yield f"@@ your line {[*numbers, len(lines) + 1][group[0][1]]}"
        for kind, a, b, c, d in group:
            if kind == "equal":
                yield from (f"  {line}" for line in mine[a:b])
            else:
                yield from (f"- {line}" for line in mine[a:b])
                yield from (f"+ {line}" for line in theirs[c:d])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _day(moment: str | None) -> str:
    return (moment or "")[:10]
