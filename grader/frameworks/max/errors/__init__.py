"""MAX's errors, retold: what happened, and what to write.

:func:`translate` looks for the family of an error (``families``); a family asks the
:class:`~grader.frameworks.max.errors.case.Case` for the values on the learner's line and says
what is wrong with them. An error of no family keeps its own words.
"""

from __future__ import annotations

from grader.frameworks import errors
from grader.frameworks.max.errors.case import Case
from grader.frameworks.max.errors.families import FAMILIES
from grader.frameworks.values import Translation
from grader.protocol.probe import SeenError


def translate(error: SeenError) -> Translation:
    """The error as one sentence, with what to do and what to write where that is known."""
    return errors.translate(error, _family)


def _family(error: SeenError, text: str) -> Translation | None:
    # What is said of an error comes from the learner's process. A text that only looks like
    # MAX's, with values to match, must not stop the grader.
    try:
        return family(error, text)
    except Exception:  # noqa: BLE001
        return None


def family(error: SeenError, text: str) -> Translation | None:
    """The error as its family tells it; None for one of no family."""
    case = Case(error)
    for one in FAMILIES:
        if told := one.explain(case):
            return told
    return None
