"""The magics: they run in the notebook's kernel, and start the process that grades."""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from typing import Any, Literal, NoReturn

import msgspec
from IPython.core.error import UsageError

from grader import frameworks
from grader.base import course
from grader.notebook.messages import Answer, Question

PATIENCE_S = 900.0
"""Longer than every limit of one grading together."""
FAILED = (
    "The grader itself failed. This is not your mistake, and it costs you nothing. Run the cell "
    "again; if it fails again, run `./pixiw run doctor`.\n"
)


def register(shell: Any) -> None:
    """Give ``shell``, an InteractiveShell, the magics. Most of its methods have no types.

    Its cells have the course on their path and the engine in place, whoever started the kernel.
    """
    home = str(course.HOME)
    if home not in sys.path:
        sys.path.append(home)
    frameworks.current().compute_here()
    magics = Magics(shell)
    shell.register_magic_function(magics.grade, "cell", "grade")
    shell.register_magic_function(magics.hint, "line", "hint")
    shell.register_magic_function(magics.trace, "line", "trace")


class Magics:
    """The magics of one notebook, and the cell that it graded last."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._last: Question | None = None

    def grade(self, line: str, cell: str) -> None:
        """Grade the cell: %%grade STEP [--seed N] [--strict] [--mine].

        --seed N draws the same random inputs again, --strict requires the lesson's structure,
        --mine imports your own earlier steps. If the program runs, its names are then defined in
        the notebook.
        """
        given = _options(line)
        self._last = Question(
            "grade",
            _step(given.step),
            f"%%grade {line}",
            cell,
            given.seed,
            given.strict,
            given.mine,
        )
        if self._show(self._last).loaded:
            self._shell.run_cell(cell)

    def hint(self, line: str) -> None:
        """Show one more hint on the cell that was graded last: %hint [CHECK]."""
        self._show(msgspec.structs.replace(self._graded("hint"), check=line.strip()))

    def trace(self, line: str) -> None:
        """Show what each line of the cell that was graded last computed: %trace."""
        self._show(self._graded("trace"))

    def _graded(self, ask: Literal["hint", "trace"]) -> Question:
        if self._last is None:
            raise UsageError(f"%{ask} is about the cell that was graded last. Grade one first.")
        return msgspec.structs.replace(self._last, ask=ask)

    def _show(self, question: Question) -> Answer:
        answer = _asked(question)
        self._shell.display_pub.publish({"text/html": answer.html, "text/plain": answer.text})
        return answer


def _asked(question: Question) -> Answer:
    """The grader's answer, from a process of its own: a kernel is full of a learner's things.

    MAX changes the variables that a process inherits, unseen by ``os.environ``: so it gets those.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-m", "grader.notebook"],
            input=msgspec.json.encode(question),
            cwd=course.HOME,
            env={**os.environ, "PYTHON_COLORS": "0"},
            capture_output=True,
            check=False,
            timeout=PATIENCE_S,
        )
    except subprocess.TimeoutExpired:
        raise UsageError(
            f"{FAILED}It did not answer within {PATIENCE_S / 60:.0f} minutes."
        ) from None
    try:
        return msgspec.json.decode(done.stdout, type=Answer)
    except msgspec.DecodeError:
        why = done.stderr.decode("utf-8", "replace")
        raise UsageError(f"{FAILED}{why}".rstrip()) from None


class _Parser(argparse.ArgumentParser):
    """Says what is wrong instead of ending the kernel."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}. It is %%grade STEP [--seed N] [--strict] [--mine].")


def _options(line: str) -> argparse.Namespace:
    parser = _Parser(prog="%%grade", add_help=False, allow_abbrev=False)
    parser.add_argument("step")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--mine", action="store_true")
    try:
        return parser.parse_args(shlex.split(line))
    except ValueError as problem:  # a quotation mark without its other
        parser.error(str(problem))


def _step(name: str) -> str:
    try:
        return course.find(name).id
    except course.UnknownStep as problem:
        raise UsageError(str(problem)) from None
