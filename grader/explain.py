"""MAX's and Python's errors, retold as a lesson: what happened, and what to try."""

from __future__ import annotations

from dataclasses import dataclass

from grader.probe import SeenError


@dataclass(frozen=True)
class Explained:
    """One error in a learner's words."""

    message: str
    hint: str | None = None


def explain(error: SeenError) -> Explained:
    """The error as one sentence, with what to try where that is known."""
    where = f" in {error.function}" if error.function else ""
    first = error.message.strip().splitlines()[0] if error.message.strip() else ""
    return Explained(f"{error.type_name}{where}: {first}" if first else f"{error.type_name}{where}")
