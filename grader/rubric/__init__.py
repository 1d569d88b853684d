"""The author's vocabulary for what a step asks: probes, trials, checks, rules, exhibits.

Content imports nothing else of the grader. ``source`` has the tests of the syntax tree, with the
snippets they look for, and ``rules`` those of the running program.
"""

from __future__ import annotations

from grader import source
from grader.protocol.probe import (
    Action,
    Arg,
    ArrayArg,
    Call,
    ConfigArg,
    DeviceArg,
    DimArg,
    DTypeArg,
    IteratorArg,
    Load,
    Make,
    Probe,
    Read,
    Ref,
    Seen,
    SeenArray,
    SeenError,
    SeenModule,
    SeenObject,
    SeenTensor,
    Take,
    TensorArg,
    Watch,
    multiples,
)
from grader.rubric.checks import Check, Failed, Misconception, NotRun, Passed, Rubric, Rule, Ruling
from grader.rubric.compare import RELATIVE, close, rounding
from grader.rubric.evidence import UNKNOWN, Evidence, Expect, Floats, State, Trial
from grader.rubric.exhibit import Exhibit, LessonFigure, NoExhibit, View
from grader.rubric.plan import Case, beside, covering, in_turn, reloaded

__all__ = [
    "RELATIVE",
    "UNKNOWN",
    "Action",
    "Arg",
    "ArrayArg",
    "Call",
    "Case",
    "Check",
    "ConfigArg",
    "DTypeArg",
    "DeviceArg",
    "DimArg",
    "Evidence",
    "Exhibit",
    "Expect",
    "Failed",
    "Floats",
    "IteratorArg",
    "LessonFigure",
    "Load",
    "Make",
    "Misconception",
    "NoExhibit",
    "NotRun",
    "Passed",
    "Probe",
    "Read",
    "Ref",
    "Rubric",
    "Rule",
    "Ruling",
    "Seen",
    "SeenArray",
    "SeenError",
    "SeenModule",
    "SeenObject",
    "SeenTensor",
    "State",
    "Take",
    "TensorArg",
    "Trial",
    "View",
    "Watch",
    "beside",
    "close",
    "covering",
    "in_turn",
    "multiples",
    "reloaded",
    "rounding",
    "source",
]
