"""A call that gives a function another plain number than the reference gives it."""

from __future__ import annotations

import ast

from grader.grading.following.run import Run
from grader.grading.following.slips import called_as
from grader.grading.reading.bindings import around, callee, statement_at, targets
from grader.grading.reading.shown import Slip
from grader.source.variables import reads


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
        calls = [n for n in mine.nodes if called and callee(n) == called]
        if len(calls) == 1:
            (call,), (one,), (two,) = calls, have[apart[0]], want[apart[0]]
            line, name = mine.line(mine.numbers[call]), names[apart[0]]
            said = f"Line {line} gives {callee(call)} {one:g} for {name}, where the reference"
            at = apart[0] - (names[0] == "self")
            given = _variable(right, called, at, name)
            said = f"{said} gives it {f'{given}, {two:g} here' if given else f'{two:g}'}."
            made = _worked_out(mine, call, at, name, one) if isinstance(call, ast.Call) else None
            if made is not None:
                variable, there = made
                return Slip(there, f"Line {there} makes {variable} {one:g}. {said}")
            return Slip(line, said)
    return None


def _variable(run: Run, called: str, at: int, name: str) -> str:
    """The variable that the one call of a function gives it for an argument; empty for none."""
    calls = [one for one in run.nodes if isinstance(one, ast.Call) and callee(one) == called]
    call = calls[0] if len(calls) == 1 else ast.Call(ast.Name(called), [], [])
    by_name = (one.value for one in call.keywords if one.arg == name)
    given = call.args[at] if 0 <= at < len(call.args) else next(by_name, None)
    return ast.unparse(given) if isinstance(given, ast.Name | ast.Attribute) else ""


def _worked_out(
    mine: Run, call: ast.Call, at: int, name: str, number: float
) -> tuple[str, int] | None:
    """The variable that a call is given as an argument, and the line that works the number out.

    Only if the variable is worked out for that call alone.
    """
    named = {word.arg: word.value for word in call.keywords}
    given = call.args[at] if at < len(call.args) else named.get(name)
    if not isinstance(given, ast.Name):
        return None
    inside = around(mine.tree, call.lineno) or mine.tree
    made = [
        one
        for one in ast.walk(inside)
        if isinstance(one, ast.Assign) and targets(one) == [given.id] and one.lineno < call.lineno
        if mine.held(mine.numbers[one.value]) == (number,)
    ]
    if len(made) != 1 or not isinstance(made[0].value, ast.BinOp):
        return None
    used = {one.lineno for one in reads(inside) if one.id == given.id}
    used = {line for line in used if line > made[0].lineno}
    alone = used <= set(statement_at(mine.tree, call.lineno))
    return (given.id, made[0].lineno) if alone else None


def _plain(run: Run, function: int) -> dict[int, set[float]]:
    """The plain numbers that a function ever got, by the place of the argument."""
    found: dict[int, set[float]] = {}
    for one in run.scalars.get(function, ()):
        found.setdefault(one.part, set()).add(one.value)
    return found
