"""The formats of a report, by their ``--format`` name."""

from __future__ import annotations

import datetime
import importlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.base.model import Report
    from grader.report.points import Points

PLAIN = ("json", "junit", "check50", "github", "lines")
"""Formats that need nothing but the report."""
FORMATS = (*PLAIN, "gradescope", "classroom50")
"""Formats for machines. ``text`` is the one for people."""


def machine_text(form: str, report: Report, points: Points) -> str:
    """The report in one of ``FORMATS``."""
    module = importlib.import_module(f"grader.report.as_{form}")
    if form == "gradescope":
        text: str = module.render(report, points)
    elif form == "classroom50":
        now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        text = module.render(report, os.environ, now, points)
    else:
        text = module.render(report)
    return text
