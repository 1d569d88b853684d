"""Where in a program an edit is likely to help: where it raises an error, or leaves the path."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from grader.base.model import Report, Status
from grader.grading.tried.text import Text
from grader.protocol.probe import SeenError
from grader.rubric import Evidence

INNER = 2
"""What an expression weighs that is in the line of an error, but not what raised it."""
ACTING = frozenset(("__init__", "append", "extend", "insert", "print", "setattr", "update"))
"""What is called for what it does, not for its result."""
IDLE = 1
"""What a statement weighs whose result nobody uses."""
CALLER = 4
"""What a line weighs that called the one which raised."""
DEFINED = 5
"""What a statement weighs that made a value which is used there."""
RIGHT = 7
"""What the rest of a line weighs in which one expression is known to be wrong."""
ANYWHERE = 9
"""What any line weighs where nothing says more."""
NAMED = 6
"""What a line weighs that a failing check names."""


@dataclass(frozen=True)
class Suspects:
    """How likely each line is, and each expression: the less, the likelier.

    ``pointed`` says whether an error points at a line.
    """

    lines: dict[int, int]
    nodes: dict[ast.AST, int]
    pointed: bool = False

    def line(self, number: int, *, other: int) -> int:
        """What a line weighs; ``other`` if nothing speaks against it."""
        return self.lines.get(number, other)


def suspects(mine: Text, report: Report, error: SeenError | None) -> Suspects:
    """The suspects, without what following the values would say."""
    found = Suspects({}, {}, error is not None and error.line is not None)
    for line in _idle(mine):
        found.lines[line] = IDLE
    failed = [check.line for check in report.checks if check.status is Status.FAIL]
    for named in (*failed, *(one.line for one in report.diagnosis)):
        if named:
            add(found, mine, named, NAMED)
    if error is not None:
        for depth, call in enumerate(error.calls[::-1]):
            add(found, mine, call.line, CALLER * depth, call.code)
        if not error.calls and error.line:
            add(found, mine, error.line, 0)
    for line, weight in list(found.lines.items()):
        if weight < NAMED:
            _definitions(found, mine, line, weight + DEFINED)
    return found


def add_all(found: Suspects, mine: Text) -> None:
    """Suspect every line a little."""
    for statement in mine.statements:
        add(found, mine, statement.lineno, ANYWHERE)


def add(found: Suspects, mine: Text, line: int, weight: int, code: str = "") -> None:
    """Suspect a line, and of its expressions the one that is ``code`` most."""
    for statement in mine.statements:
        if not statement.lineno <= line <= _end(statement):
            continue
        at = weight
        found.lines[statement.lineno] = min(weight, found.lines.get(statement.lineno, 99))
        for node in _own(statement):
            if isinstance(node, ast.expr):
                inside = not code or mine.of(node) in code
                extra = 0 if inside else INNER
                found.nodes[node] = min(at + extra, found.nodes.get(node, 99))
    found.lines[line] = min(weight, found.lines.get(line, 99))


def add_departure(found: Suspects, mine: Text, node: ast.AST, known: frozenset[ast.AST]) -> None:
    """Suspect the expression where the values leave the path, and a little the rest of its line.

    ``known`` are the values inside it that are right: it may take another one, but nothing is
    wrong inside them.
    """
    line: int = getattr(node, "lineno", 0)
    add(found, mine, line, RIGHT)
    found.lines[line] = 0
    add_node(found, node, known, 0)


def add_node(found: Suspects, node: ast.AST, known: frozenset[ast.AST], weight: int) -> None:
    """Suspect an expression and what is inside it, up to the ``known`` values."""
    found.lines.setdefault(getattr(node, "lineno", 0), weight)
    todo = [node]
    while todo:
        inner = todo.pop()
        if isinstance(inner, ast.expr):
            at = weight + (inner in known)
            found.nodes[inner] = min(at, found.nodes.get(inner, at))
        todo += [] if inner in known else ast.iter_child_nodes(inner)


def _definitions(found: Suspects, mine: Text, line: int, weight: int) -> None:
    """Suspect the statements that gave names to what a line uses, if they come before it."""
    used = {
        node.id
        for statement in mine.statements
        if statement.lineno == line
        for node in _own(statement)
        if isinstance(node, ast.Name)
    }
    for statement in mine.statements:
        targets = getattr(statement, "targets", [getattr(statement, "target", None)])
        names = {
            node.id
            for target in targets
            if target is not None
            for node in ast.walk(target)
            if isinstance(node, ast.Name)
        }
        near = 0 < line - statement.lineno < 40
        if near and names & used and statement.lineno not in found.lines:
            add(found, mine, statement.lineno, weight)


def _idle(mine: Text) -> Iterator[int]:
    """The lines whose result nobody uses: thrown away, or under a name that is never read."""
    read = {
        node.id
        for node in mine.nodes
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store)
    }
    for statement in mine.statements:
        inside = isinstance(statement, ast.Expr) and not acts(statement.value)
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        names = [one.id for one in targets if isinstance(one, ast.Name)]
        if inside or (names and not read.intersection(names)):
            yield statement.lineno


def acts(value: ast.expr) -> bool:
    """Whether an expression is no result: a docstring, a yield, a call that changes something."""
    called = value.func if isinstance(value, ast.Call) else None
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return isinstance(value, ast.Constant | ast.Yield | ast.YieldFrom) or name in ACTING


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement without those of statements inside it."""
    todo: list[ast.AST] = [statement]
    while todo:
        node = todo.pop()
        yield node
        todo += [one for one in ast.iter_child_nodes(node) if not isinstance(one, ast.stmt)]


def _end(statement: ast.stmt) -> int:
    """The last line of a statement; of a block, of its head."""
    body = getattr(statement, "body", None)
    if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
        return max(statement.lineno, body[0].lineno - 1)
    return statement.end_lineno or statement.lineno


def first_error(evidence: Evidence) -> SeenError | None:
    """The error that ended the program: at import, else in the first trial that raised one."""
    if evidence.outcome.load_error is not None:
        return evidence.outcome.load_error
    errors = (evidence.error(name) for name, one in evidence.trials.items() if not one.part)
    return next((one for one in errors if one is not None), None)
