"""What several formats say alike."""

from __future__ import annotations

from grader.base.model import CheckResult


def said(check: CheckResult) -> list[str]:
    """What stands under a failed check: where, why, and its first hint."""
    where = f"Line {check.line}: {check.text or ''}".rstrip(": ") if check.line else ""
    hint = f"Hint: {check.hints[0]}" if check.hints else ""
    return [line for line in (where, check.note or "", hint) if line]
