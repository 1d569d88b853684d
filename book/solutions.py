"""A solution, line by line: the code, the shape that a line gave, and what that value is called."""

from __future__ import annotations

from grader.base.blanks import make_answer
from grader.base.model import Step


def page(step: Step) -> str:
    """The page of a step's solution, as Markdown."""
    source = make_answer(step.solution.read_text(encoding="utf-8"))
    return f"# Solution {step.number}: {step.title}\n\n```python\n{source}```\n"
