"""What the learner's commands and watch's keys show: pure functions from progress to text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from grader.base import sanitize
from grader.base.blanks import make_answer
from grader.base.model import LEVELS, Status, Verdict
from grader.learner import hints, lesson, program_diff, progress
from grader.learner.navigation import following, left, next_step, state
from grader.learner.progress import UNTOUCHED, Progress, StepProgress
from grader.learner.tasks import task
from grader.report import as_text, code_frame, parts
from grader.source import SourceProblem, read_file

if TYPE_CHECKING:
    from grader.base.model import CheckResult, Report, Step
    from grader.learner.attempt import Attempt
    from grader.report.style import Style

BAR = 10
"""Characters in a progress bar."""
SAME = "Apart from comments and layout, your code is identical to the reference."
FEW = 8
"""A diff of at most this many lines is shown after a pass; a longer one only on request."""
WIDE = 60
"""From this width on, a list has bars."""


def bar(done: int, of: int, style: Style) -> str:
    """Return a progress bar of ``BAR`` characters; empty for a screen reader."""
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
    """Return a line for each step: its state, a bar, the score, the attempts, the title.

    ``current`` is marked, by default the step to do next.
    """
    current = current or next_step(steps, known)
    lines = [_listed(step, known.get(step.id, UNTOUCHED), step == current, style) for step in steps]
    passed = sum(state(step, known.get(step.id, UNTOUCHED)) == "passed" for step in steps)
    whole = f"{passed} of {len(steps)} steps passed"
    return "\n".join([*lines, "", f"{bar(passed, len(steps), style)} {whole}".strip()]) + "\n"


def _listed(step: Step, one: StepProgress, current: bool, style: Style) -> str:
    now = state(step, one)
    if style.words:
        score = f", {one.score} of {one.of} checks" if one.of else ""
        tries = f", {_count(one.attempts, 'attempt')}" if one.attempts else ""
        said = {"edited": "edited since it passed", "later": "left for later"}.get(now, now)
        return f"{step.id}: {said}{score}{tries}{', next' if current else ''}: {step.title}"
    marks = {"passed": "✅", "edited": "🔸", "started": "🔸", "later": "⏩"}
    plain = {"passed": "[pass]", "edited": "[... ]", "started": "[... ]", "later": "[skip]"}
    mark = marks.get(now, "  ") if style.unicode else plain.get(now, "[    ]")
    arrow = ("▸" if style.unicode else ">") if current else " "
    score = f"{one.score}/{one.of}" if one.of else ""
    line = f"{arrow} {mark} {step.id} {score:>5} "
    if (style.width or 80) >= WIDE:
        tries = _count(one.attempts, "attempt") if one.attempts else ""
        line += f"{bar(one.score, one.of, style)} {tries:>12}  "
    note = {"edited": "edited since: ", "later": "for later: "}.get(now, "")
    title = f"{note}{step.title}"
    room = (style.width or 200) - len(line) - 2
    cut = "…" if style.unicode else "~"
    return line + (title if len(title) <= room else title[: room - 1] + cut)


def next_page(steps: Sequence[Step], known: Progress) -> str:
    """Suggest which step to do next, and how; any step can be done at any time."""
    step = next_step(steps, known)
    if step is None:
        return (
            f"All {len(steps)} steps passed. Generate text with what you built: "
            f"{task('gpt2')} --mine\n"
        )
    one = known.get(step.id, UNTOUCHED)
    state = f"{one.score} of {one.of} checks pass so far.\n" if one.attempts else ""
    return f"Next is step {step.number}: {step.title}.\n{state}{_how_to(step)}"


def skipped_page(step: Step, steps: Sequence[Step], known: Progress) -> str:
    """Confirm that a step was left for later or taken up again, and say what is next."""
    if not left(step, known):
        return f"Step {step.number} is no longer left for later.\n\n{next_page(steps, known)}"
    undo = f"Take it up again: {task(f'skip --undo {step.id}')}, or just make it pass."
    return f"Step {step.number} is left for later.\n   {undo}\n\n{next_page(steps, known)}"


def _how_to(step: Step) -> str:
    name = step.stub.relative_to(step.root).as_posix()
    read = step.lesson.relative_to(step.root).as_posix()
    return (
        f"   Read:  {read}\n   Write: {name}\n"
        f"   Check: {task(step.id)}, or on every save: {task(f'watch {step.id}')}\n"
    )


def progress_page(steps: Sequence[Step], known: Progress, style: Style) -> str:
    """Show the progress so far: overall, and what each started step still lacks."""
    lines = []
    attempts = sum(one.attempts for one in known.values())
    passed = [step for step in steps if known.get(step.id, UNTOUCHED).passes]
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
    """Return the check that took the most attempts."""
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
    """Show the hints of one check, as many as were requested; by default the first failing one.

    ``keys`` says whether the reader presses keys (``watch``) or runs tasks.
    """
    report = found.report
    if report.problem is not None:
        return style.text("\n".join(as_text.explanation(report, style, {})) + "\n")
    if report.verdict is Verdict.PASS:
        return f"Step {step.number} passes, so there is nothing to hint at.\n"
    check = _sought(report, check_id)
    if check is None:
        return f"Nothing fails, but the run did not end well. Full report: {task(step.id)}\n"
    if check.status is not Status.FAIL:
        return "\n".join(as_text.one_check(check, style)) + "\n"
    level = hints.shown(found.known).get(check.id, 1)
    lines = list(as_text.one_check(check, style, hint_level=level))
    lines += _change(report, check, style, level)
    if level < LEVELS and level < len(check.hints):
        named = step.id if check_id is None else f"{step.id} {check_id}"
        lines += ["", f"Another hint: {'press h' if keys else task(f'hint {named}')}"]
    else:
        if not parts.used_up(check, level):
            asked = "press h" if keys else task(f"hint {step.id}")
            lines += ["", f"We tried a change on your file: {asked}"]
        lines += ["", f"Why this check exists: {task(f'explain {step.id} {check.id}')}"]
        reference = "press s" if keys else task(f"solution {step.id} --now")
        lines.append(f"The reference: {reference}")
    return style.text("\n".join(lines) + "\n")


def _change(report: Report, check: CheckResult, style: Style, level: int) -> Iterator[str]:
    """Yield the last hint: the graded change, if it concerns ``check``."""
    if not parts.used_up(check, level):
        return
    explanation = report.explanation
    change = explanation.change if explanation is not None else None
    if explanation is not None and explanation.searched is None:
        yield from ("", "Changes to your file are being tried.")
    elif explanation is not None and not explanation.searched:
        yield from ("", "No change to your file was tried.")
    elif change is None or not (change.passes or change.check == check.id):
        yield from ("", "Small changes to your file were tried, but none helped.")
    else:
        yield from ("", *code_frame.changed(change, report, style))


def _sought(report: Report, check_id: str | None) -> CheckResult | None:
    for check in report.checks:
        if check.id == check_id or (check_id is None and check.status is Status.FAIL):
            return check
    return None


def after_pass(
    step: Step, steps: Sequence[Step], found: Attempt, style: Style, *, keys: bool = False
) -> str:
    """Show a question after a pass, how the file differs from the reference, and what comes next.

    ``keys`` says whether the reader presses keys (``watch``) or runs tasks.
    """
    lines = []
    if asked := lesson.questions(step):
        question, _ = asked[found.known.attempts % len(asked)]
        place = step.lesson.relative_to(step.root).as_posix()
        lines += [f"Check yourself: {question}", f'   The answer: {place}, "Check yourself"', ""]
    lines += [*_compared(step, keys=keys), ""]
    known = progress.read(step.root)[0]
    skipped = next((other for other in steps if left(other, known)), None)
    if (after := following(step, steps, known)) is not None:
        begin = "press n" if keys else task(f"watch {after.id}")
        lines.append(f"Next is step {after.number}: {after.title}.")
        lines.append(f"   Read {after.lesson.relative_to(step.root).as_posix()}, then {begin}.")
    elif skipped is not None:
        lines.append(f"You left step {skipped.number} for later: {task(f'watch {skipped.id}')}")
    else:
        lines.append(f"That was the last step. Generate text with it: {task('gpt2')} --mine")
    return style.text("\n".join(lines) + "\n")


def next_hint(step: Step, report: Report) -> str:
    """Say how to get a hint on what to fix first; empty if there is nothing to explain."""
    known = report.explanation
    return f"   The next hint: {task(f'hint {step.id}')}\n" if known and not known.blanks else ""


def on_one_screen(step: Step, style: Style) -> str:
    """Say how to see a report whose start has scrolled away."""
    return style.text(f"\nOn one screen, on every save: {task(f'watch {step.id}')}\n")


def after_error() -> str:
    """Say what to do if the grader could not finish."""
    return f"What is wrong on this machine, and how to fix it: {task('doctor')}\n"


def _compared(step: Step, *, keys: bool) -> Iterator[str]:
    """Yield the difference between the learner's file and the reference, or how to see it."""
    changed = [line for line in _difference(step, around=0) if line[:1] in "+-"]
    if not changed:
        yield SAME
        return
    counted = f"Yours (-) and the reference (+) differ in {_count(len(changed), 'line')}"
    if len(changed) <= FEW:
        yield f"{counted}:"
        yield from (f"   {line}" for line in changed)
    else:
        yield f"{counted}: {'press s' if keys else task(f'solution {step.id}')}"


def solution_page(step: Step) -> str:
    """Show the reference as a diff from the learner's file: - is theirs, + the reference's."""
    lines = list(_difference(step, around=3))
    if not lines:
        return f"{SAME}\n"
    name = step.stub.relative_to(step.root).as_posix()
    return "\n".join([f"# From {name} (-) to the reference (+), without comments.", *lines]) + "\n"


def _difference(step: Step, around: int) -> list[str]:
    """Return the diff to the reference; all of the reference if the file cannot be parsed."""
    reference = make_answer(step.solution.read_text(encoding="utf-8"))
    try:
        mine = read_file(step.stub).decode("utf-8-sig", "replace")
        return list(program_diff.difference(sanitize.block(mine, len(mine)), reference, around))
    except (SourceProblem, SyntaxError, ValueError, RecursionError):
        return [*program_diff.difference("", reference, around)]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _day(moment: str | None) -> str:
    return (moment or "")[:10]
