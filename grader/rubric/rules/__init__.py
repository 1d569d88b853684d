"""The rules that run-time checks are made of: each asks the evidence one question.

A rule takes names of trials; ``*`` stands for any text in them, as in names of files.
"""

from __future__ import annotations

from grader.rubric.rules.combinators import all_of, note, once, optional, placed, wish
from grader.rubric.rules.parameters import attribute_is, has_layer, keeps_none, loads
from grader.rubric.rules.results import numbers, repeats, shapes, tensors, unaffected
from grader.rubric.rules.running import (
    ENDINGS,
    builds,
    defined,
    imports,
    missing_name,
    obstacle,
    runs,
)

__all__ = [
    "ENDINGS",
    "all_of",
    "attribute_is",
    "builds",
    "defined",
    "has_layer",
    "imports",
    "keeps_none",
    "loads",
    "missing_name",
    "note",
    "numbers",
    "obstacle",
    "once",
    "optional",
    "placed",
    "repeats",
    "runs",
    "shapes",
    "tensors",
    "unaffected",
    "wish",
]
