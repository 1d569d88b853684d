"""A call that gives a function another plain number than the reference gives it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from grader.grading.following.run import Run
from grader.grading.following.slips import called_as
from grader.grading.reading.bindings import (
    arguments,
    callee,
    calling,
)
from grader.grading.reading.shown import Slip


def numbers(mine: Run, right: Run) -> Slip | None:
    """The call that gives a function of the reference's name another plain number than that does.

    Only if each program calls it once, or always with the same numbers.
    """
    for own in (one for one in mine.nodes if isinstance(one, ast.FunctionDef)):
        scope = mine.scope(mine.numbers[own])
        other = next(
            (
                one
                for one in right.nodes
                if isinstance(one, ast.FunctionDef)
                and one.name == own.name
                and right.scope(right.numbers[one]) == scope
            ),
            None,
        )
        names = [arg.arg for arg in own.args.args]
        if other is None or names != [arg.arg for arg in other.args.args]:
            continue
        have, want = (_plain(run, run.numbers[one]) for run, one in ((mine, own), (right, other)))
        apart = [
            part
            for part, held in have.items()
            if len(held) == len(want.get(part, ())) == 1 and held != want[part]
        ]
        called = called_as(mine.tree, own) if apart else ""  # that goes through the whole file
        calls = calling(mine.tree, called) if called else []
        if len(calls) == 1 and apart[0] < len(names):  # it has that name
            (call,), (one,), (two,) = calls, have[apart[0]], want[apart[0]]
            line, name = mine.line(mine.numbers[call]), names[apart[0]]
            said = f"Line {line} gives {callee(call)} {one:g} for {name}, where the reference"
            params = names[names[:1] == ["self"] :]
            there = _variable(right, called, params, name)
            said = f"{said} gives it {f'{there}, {two:g} here' if there else f'{two:g}'}."
            return Slip(line, said)
    return None


def _variable(run: Run, called: str, params: Sequence[str], name: str) -> str:
    """The variable that the one call of a function gives it for an argument; empty for none."""
    calls = calling(run.tree, called)
    given = arguments(calls[0], params).get(name) if len(calls) == 1 else None
    return ast.unparse(given) if isinstance(given, ast.Name | ast.Attribute) else ""


def _plain(run: Run, function: int) -> dict[int, set[float]]:
    """The plain numbers that a function ever got, by the place of the argument."""
    found: dict[int, set[float]] = {}
    for one in run.scalars.get(function, ()):
        found.setdefault(one.part, set()).add(one.value)
    return found
