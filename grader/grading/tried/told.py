"""Edits that write what the report says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from grader.base.model import Report, Trace
from grader.grading.tried.maker import Maker
from grader.grading.tried.text import Change, Edit, expressions, head_end, of_kind

INSTEAD = re.compile(
    r"[Ww]ith (.+?) instead of (.+?)(?: on line \d+)?, (?:this|every|the)\b", re.DOTALL
)
"""How a sentence says what another text in place of one would give."""
IN_PLACE = " in place of "
WRITE = re.compile(r"\bWrite (.+)$", re.DOTALL)
"""How a hint says what to write."""
MADE = re.compile(r"\b(int|iter|len|list|tuple)\((\w+)\)")
"""How a hint says what to make of a variable."""
SURE = -2
"""What an edit weighs that is said word for word."""


class Told(Maker):
    """Edits of the line where a report says that the values leave the path."""

    @of_kind("told")
    def edits(self, report: Report) -> Iterator[Edit]:
        """What is to be written there, in place of what is said or of any part of it."""
        trace, first = report.trace, report.first_to_fix
        if trace is not None:
            yield from self.of_trace(trace)
        if first is not None and first.line is not None:
            write = next((one[1] for text in first.hints if (one := WRITE.search(text))), "")
            yield from self._written(first.line, write)
            for text in first.hints:
                for made, name in MADE.findall(text):
                    yield from self._made(first.line, made, name)

    def of_trace(self, trace: Trace) -> Iterator[Edit]:
        """What the trace says to write, at its line."""
        if trace.line is not None:
            yield from self._written(trace.line, trace.write, trace.told)

    def _made(self, line: int, made: str, name: str) -> Iterator[Edit]:
        """A number, a list or the like of a value, where a variable gets it before a line."""
        for one in reversed(self.mine.statements):
            match one:
                case ast.Assign(targets=[ast.Name(id=target)]) if target == name:
                    if one.lineno < line:
                        yield from self.put(one.value, f"{made}({self.mine.of(one.value)})")
                        return

    def _written(self, line: int, write: str, told: Sequence[str] = ()) -> Iterator[Edit]:
        """What a line is to say, or what is said about one text in place of another."""
        new, _, old = write.partition(IN_PLACE)
        pairs = [one.groups() for text in told if (one := INSTEAD.search(text))]
        for statement in [one for one in self.mine.statements if _at(one, line)]:
            for text, instead in [*pairs, *([(new, old)] if old else [])]:
                for node in expressions(statement):
                    if _flat(self.mine.of(node)) == _flat(instead):
                        yield from self.put(node, text, SURE)
            if new and not old:
                yield from self._anywhere(statement, new)

    def _anywhere(self, statement: ast.stmt, text: str) -> Iterator[Edit]:
        """A text in place of the statement, of its value or of any part."""
        plain = not isinstance(getattr(statement, "body", None), list)
        if plain and (isinstance(statement, ast.Expr) or not _is_expression(text)):
            start, end = self.mine.span(statement)
            yield Edit((Change(start, end, text),), statement.lineno, 2)
        for node in expressions(statement):
            same = isinstance(node, ast.Call) and text.startswith(f"{self.mine.of(node.func)}(")
            yield from self.put(node, text, SURE if same else 0)


def _at(statement: ast.stmt, line: int) -> bool:
    return statement.lineno <= line <= head_end(statement)


def _is_expression(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True


def _flat(text: str) -> str:
    return "".join(text.split())
