"""The error that a program raised: whether a check of its own did, and what was said."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from grader import frameworks
from grader.base import sanitize
from grader.protocol.probe import SeenError
from grader.source.ast_cache import of_kind, parsed
from grader.source.bindings import callee

MOST_SAID = 200
"""Characters of what MAX or Python said."""
OF_THE_MACHINE = re.compile(r" \((?:/|[A-Z]:\\)[^)]*\)|(?:/[^\s/'\"]+){2,}/")
"""Where this machine keeps its programs: a path, up to the name of the file."""


def said(error: SeenError | None) -> str:
    """What was raised, in its own words, shortened."""
    if error is None:
        return ""
    framework = frameworks.current()
    who = f"{framework.title} says" if error.origin == "below" else error.type_name
    message = OF_THE_MACHINE.sub("", framework.gist(error.message))
    short = sanitize.line(f"{who}: {message}".rstrip(": "), MOST_SAID)
    return f"{short.rpartition('. ')[0]}." if short.endswith("…") and ". " in short else short


def page(error: SeenError | None, root: Path) -> str:
    """The place to read about what was raised, if the course in ``root`` has it."""
    place = frameworks.current().translate(error).page if error is not None else ""
    return place if place and (root / place.partition(",")[0]).is_file() else ""


def raises(solution: str) -> frozenset[str]:
    """The classes of the errors that a solution raises."""
    every = of_kind(parsed(solution), ast.Raise)
    return frozenset(callee(one.exc) for one in every)


def own_check(source: str, line: int, solution: str) -> range:
    """The lines of the program's own check that raises an error at ``line``, and its condition.

    None where the solution has the same ``raise`` or ``assert``: that check is the course's.
    """
    try:
        tree, right = parsed(source), parsed(solution)
    except SyntaxError:
        return range(0)
    known = {ast.unparse(one) for one in of_kind(right, ast.Raise, ast.Assert)}
    for one in of_kind(tree, ast.Raise, ast.Assert):
        last = one.end_lineno or one.lineno
        if one.lineno <= line <= last and ast.unparse(one) not in known:
            outer = (each.lineno for each in of_kind(tree, ast.If) if one in each.body)
            return range(next(outer, one.lineno), last + 1)
    return range(0)
