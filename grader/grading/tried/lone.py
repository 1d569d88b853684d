"""The one place where a program differs from the reference, apart from names, comments and layout.

If all else is the reference's, the mistake is there, whatever the program does when it runs: an
error may be raised far away, and numbers may leave the path in another function. Nothing is run.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeGuard

from grader.base.blanks import make_answer
from grader.base.model import Report, Step, Trace
from grader.grading.placing import INSTEAD
from grader.grading.reading import bindings, fields, odd, shown, siblings
from grader.grading.reading.likely import unused, withheld
from grader.grading.tried.align import Gap, Pair, aligned
from grader.grading.tried.forms import Function, same
from grader.grading.tried.naming import parameters
from grader.grading.tried.text import Names, Text
from grader.grading.tried.unlike import Lone, Nodes, Telling
from grader.source import Source, placeholders
from grader.source.variables import binds
from grader.source.walked import parsed


def is_guess(trace: Trace | None, before: Trace | None) -> TypeGuard[Trace]:
    """Whether a trace is what a rule about the text suspects, and not what the run showed."""
    if trace is None or trace is before or not trace.slip or not trace.lone:
        return False
    return before is None or before.line != trace.line


def traced(source: Source, step: Step, report: Report, *, slips: bool = True) -> Trace | None:
    """The report's trace; if it does not name the only difference, this goes in its place.

    Without ``slips``, what is odd in any program is not looked for.
    """
    trace = report.trace
    apart = differences(source, step.solution.read_text(encoding="utf-8"))
    only = apart.of_all()
    if only is None:
        return _slipped(source, step, report) if slips else trace
    here = bindings.statement_at(source.tree, only.line)
    if any(one.line in here for one in report.diagnosis):
        return trace
    if trace is None or trace.line not in here or not trace.told:
        margin = () if trace is None else trace.margin
        own = (one for one in odd.certain(source.tree) if one.line in here and one.write)
        if slips and (slip := next(own, None)) is not None:
            told, write = (slip.said, *only.told[1:]), slip.write
            return Trace(told, slip.line, margin, "", write, sure=True, slip=slip.said, lone=True)
        return Trace(only.told, only.line, margin, lone=True)
    if trace.write:
        return trace
    if only.lacks:
        return replace(trace, told=(*trace.told, *only.told))
    return replace(trace, line=only.line, told=(*trace.told, *only.told[1:]))


def _slipped(source: Source, step: Step, report: Report) -> Trace | None:
    """The trace, or what the source shows to be odd in any program, which is sure."""
    tree, trace = source.tree, report.trace
    some = (shown.left_early, shown.idle, odd.certain)
    right = parsed(step.solution.read_text(encoding="utf-8"))
    every = chain(*(one(tree) for one in some), withheld(tree, right))
    every = chain(every, fields.of_layer(tree, right, trace))
    every = chain(every, siblings.refilled(tree))
    slip = next(every, None)
    if slip is None:
        return _unread(source, right, trace)
    if trace is not None and trace.line == slip.line and trace.told:
        own = trace.slip == slip.said
        told = trace.told if own or trace.slip else (*trace.told, slip.said)
        if slip.write and not (own or trace.write):  # the reason of what is to be written
            told = tuple(dict.fromkeys((slip.said, *trace.told)))
        write = trace.write or slip.write
        return replace(trace, told=told, lone=own, write=write, sure=trace.sure or bool(write))
    margin = () if trace is None else trace.margin
    sure = bool(slip.write)
    return Trace((slip.said,), slip.line, margin, "", slip.write, sure, slip=slip.said, lone=True)


def _unread(source: Source, right: ast.Module, trace: Trace | None) -> Trace | None:
    """The trace; with an argument that the function around its line does not read, if any."""
    if trace is None or trace.line is None or not trace.told or trace.slip or trace.write:
        return trace
    if any(one.startswith(INSTEAD) for one in trace.told):
        return trace  # what to change is known
    inside = bindings.around(source.tree, trace.line)
    if inside is None or placeholders.unfilled(source.tree):
        return trace
    found = (one for one in unused(source.tree, right) if one.line == inside.lineno)
    slip = next(found, None)
    if slip is None:
        return trace
    if trace.left_out:  # a line that does without it is not right, whatever it gave here
        return replace(trace, told=(slip.said,))
    return replace(trace, told=(*trace.told, slip.said))


@dataclass(frozen=True)
class Apart:
    """What is different in a program and the reference: ``found``, out of ``pairs``."""

    telling: Telling
    found: tuple[Pair | Gap, ...] = ()
    every: tuple[Pair | Gap, ...] = ()

    def of_all(self) -> Lone | None:
        """The only difference."""
        return self.telling.of(self.found)


IMPORTS = (ast.Import, ast.ImportFrom)

SAME = 2
"""Statements that a function must have in common with the reference's, to be like it."""


def differences(source: Source, solution: str) -> Apart:
    """How a program differs from the step's ``solution``, which has its blanks marked.

    In nothing, if the program still has a placeholder.
    """
    mine, right = Text.of_source(source.text), Text.of_source(make_answer(solution))
    telling = Telling(mine, right)
    if placeholders.unfilled(mine.tree):
        return Apart(telling)
    used = {node.id for node in mine.nodes if isinstance(node, ast.Name)}
    bound = Counter(name for node in mine.tree.body for name in binds(node))
    again = {name for name, times in bound.items() if times > 1} & used
    again |= {name for node in right.tree.body for name in binds(node)}
    every = aligned(mine, right)
    found = (one for one in every if _differs(one) and not _idle(one, used, again))
    return Apart(telling, tuple(found), every)


def lone(source: Source, solution: str) -> Lone | None:
    """The only difference of a program from the step's ``solution``.

    None if there are more, or none, or the program still has a placeholder.
    """
    return differences(source, solution).of_all()


def _differs(one: Pair | Gap) -> bool:
    """Whether more than names, layout and annotations differs."""
    if isinstance(one, Gap):
        return True
    names, pairs = one.scope.names, _given(one.mine, one.right)
    if isinstance(one.mine, Function) and isinstance(one.right, Function):
        if {one.mine.name, one.right.name} == {"__call__", "forward"}:
            return False  # either runs when an object is called
        own = parameters(one.mine, one.right)
        names = Names({**names.names, **own}, names.attributes)
    return not all(same(mine, right, names) for mine, right in pairs)


def _given(mine: ast.stmt, right: ast.stmt) -> list[Nodes]:
    """What to compare of two statements: of assignments target and value, without annotations."""
    parts = [
        (*one.targets, one.value)
        if isinstance(one, ast.Assign)
        else (one.target, one.value)
        if isinstance(one, ast.AnnAssign) and one.value is not None
        else (one,)
        for one in (mine, right)
    ]
    equal = len(parts[0]) == len(parts[1])
    return list(zip(*parts, strict=True)) if equal else [(mine, right)]


def _idle(one: Pair | Gap, used: set[str], again: set[str]) -> bool:
    """Whether only imports and constants differ, or a function, that change nothing.

    The program does not use what it lacks, and what it has more is its own: it binds that once.
    ``again`` are the names that it uses and binds several times, and those of the reference.
    """
    if isinstance(one, Pair):
        imports = isinstance(one.right, IMPORTS)
        return imports and used.isdisjoint(set(binds(one.right)) - set(binds(one.mine)))
    if one.scope.function is not None or isinstance(one.around, ast.ClassDef):
        return False
    if any(not isinstance(node, (*IMPORTS, ast.Assign, ast.AnnAssign)) for node in one.mine):
        return False
    lacks = {name for node in one.right for name in binds(node)}
    has = {name for node in one.mine for name in binds(node)}
    return used.isdisjoint(lacks) and again.isdisjoint(has - lacks)
