"""Starts a step over without losing anything."""

from __future__ import annotations

from hashlib import sha256

from grader.base.blanks import make_stub
from grader.base.files import Unusable, write_whole
from grader.base.model import Step
from grader.learner import progress
from grader.learner.stub import back_up, untouched


def reset(step: Step) -> str:
    """Restore the stub of the learner's file, keeping a copy; return a sentence on what was done.

    Raises:
        Unusable: the copy or the stub could not be written; the file is unchanged.
    """
    name = step.stub.relative_to(step.root).as_posix()
    if step.stub.exists() and not step.stub.is_file():
        raise Unusable(f"{name} is not a file. Move it away, then reset the step.")
    try:
        return _reset(step, name)
    except OSError as problem:
        where = f" ({problem.filename})" if problem.filename else ""
        raise Unusable(
            f"{name} is unchanged: {problem.strerror or problem}{where}. "
            "Fix that, then reset the step.",
            status=3,
        ) from problem


def _reset(step: Step, name: str) -> str:
    try:
        data = step.stub.read_bytes()
    except FileNotFoundError:
        data = None
    if data is not None and untouched(step, sha256(data).hexdigest()):
        kept = f"{name} is already the stub.\n"
    else:
        kept = ""
        if data is not None:
            copy = back_up(step.root, step.stub).relative_to(step.root).as_posix()
            kept = f"Your file is kept as {copy}\n"
        write_whole(step.stub, make_stub(step.solution.read_text(encoding="utf-8")))
        kept += f"{name} is the stub again.\n"
    _, note = progress.update(step.root, step.id, progress.restarted)
    return kept + (f"{note}\n" if note else "")
