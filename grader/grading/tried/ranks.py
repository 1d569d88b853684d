"""How likely an edit is what went wrong, by what it changes: where the place is not known."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property

from grader.grading.tried.expressions import NOTHING
from grader.grading.tried.text import Change, Edit, Text

UNLIKELY, LIKELIER = 60, -40
"""How many places an edit is put back in the order, or brought forward."""
GIVEN = ("device", "dtype")
"""Arguments that hardly change a number."""
OPERATORS = frozenset(("<", "<=", ">", ">=", "==", "!=", "+", "-", "*", "/", "//", "%", "@", "**"))
NEAR = frozenset((-1, 0, 1))
"""Numbers that are often meant where another is written."""


@dataclass(frozen=True)
class Ranks:
    """Ranks the edits of a program, which ``raised`` an error or gives wrong numbers."""

    mine: Text
    raised: bool

    def of(self, edit: Edit) -> int | None:
        """How far to put an edit back; None for one that is never what went wrong."""
        found = [self._of(one) for one in edit.changes]
        known = [one for one in found if one is not None]
        return max(known) if len(known) == len(found) else None

    def _of(self, change: Change) -> int | None:
        if self.raised:
            return 0
        if any(start <= change.start < end for start, end in self._imports):
            return None  # the program runs: they are right
        span, test = (change.start, change.end), self._test(change)
        named = isinstance(self._written.get(span), ast.Name) and change.text.isidentifier()
        if test is not None and isinstance(test, ast.Compare) and not named:
            return None  # another number than the one asked for, and the block never runs
        if named and not self._may_be(self._written[span], change.text):
            return None
        if " is " in change.text:
            return None
        word = self._words.get(span)
        if word is not None and word.arg in GIVEN:
            return UNLIKELY
        return self._among(change, self._written.get(span))

    def _among(self, change: Change, node: ast.expr | None) -> int:
        """The rank of an edit that may be what went wrong."""
        text = change.text.strip()
        if text.isidentifier() and change.end in self._attributes:
            return 2 * LIKELIER
        if text.isidentifier() and isinstance(node, ast.Constant):
            return 2 * LIKELIER
        if text in OPERATORS or (text == NOTHING and isinstance(node, ast.Name)):
            return 2 * LIKELIER
        if text.isidentifier() and node is not None:
            return LIKELIER
        if (change.start, change.end) in self._results and text.startswith("-"):
            return 3 * LIKELIER
        if isinstance(node, ast.Constant) and text.lstrip("-").isdecimal():
            listed = isinstance(self.mine.parents.get(node), ast.List | ast.Tuple)
            near = int(text) in NEAR or abs(int(text) - _number(node)) == 1
            return UNLIKELY if listed or not near else 0
        return 0

    def _may_be(self, node: ast.expr, name: str) -> bool:
        """Whether a name may stand at a node: a function is called, and a variable has a value.

        The function around the node may give it that only later.
        """
        outer = self.mine.parents.get(node)
        word = outer.arg if isinstance(outer, ast.keyword) else ""
        if name in GIVEN or word in GIVEN:
            return name == word
        first = self._first.get((self.mine.around(node), name))
        called = isinstance(outer, ast.Call) and outer.func is node
        return first is None or (first < node.lineno and not called)

    @cached_property
    def _first(self) -> dict[tuple[ast.AST | None, str], int]:
        """The line on which a function first gives a variable a value, outside of loops."""
        found: dict[tuple[ast.AST | None, str], int] = {}
        for one in self.mine.nodes:
            kinds = ast.Name | ast.arg
            stored = isinstance(one, ast.arg) or isinstance(getattr(one, "ctx", None), ast.Store)
            if not isinstance(one, kinds) or not stored:
                continue
            name = one.arg if isinstance(one, ast.arg) else one.id
            line = 0 if isinstance(one, ast.arg) or self._is_in_loop(one) else one.lineno
            key = (self.mine.around(one), name)
            found[key] = min(line, found.get(key, line))
        return found

    def _is_in_loop(self, node: ast.AST) -> bool:
        """Whether a node is in a loop, a comprehension or a function of its own within one."""
        outer = self.mine.parents.get(node)
        while outer is not None and not isinstance(outer, ast.FunctionDef):
            if isinstance(outer, ast.For | ast.While | ast.comprehension | ast.Lambda):
                return True
            outer = self.mine.parents.get(outer)
        return False

    def _test(self, change: Change) -> ast.expr | None:
        """The test of an ``if`` that a change is in."""
        return next((one for one in self._tests if self._holds(one, change)), None)

    @cached_property
    def _imports(self) -> list[tuple[int, int]]:
        kinds = (ast.Import, ast.ImportFrom)
        return [self.mine.span(one) for one in self.mine.nodes if isinstance(one, kinds)]

    @cached_property
    def _tests(self) -> list[ast.expr]:
        """What an ``if`` compares with a number."""
        tests = [one.test for one in self.mine.nodes if isinstance(one, ast.If)]
        return [
            one
            for one in tests
            if isinstance(one, ast.Compare)
            and isinstance(one.comparators[-1], ast.Constant)
            and isinstance(one.comparators[-1].value, int | float)
        ]

    @cached_property
    def _written(self) -> dict[tuple[int, int], ast.expr]:
        """The names and the numbers by where they are written."""
        kinds = (ast.Name, ast.Constant)
        return {self.mine.span(one): one for one in self.mine.nodes if isinstance(one, kinds)}

    @cached_property
    def _words(self) -> dict[tuple[int, int], ast.keyword]:
        """What is given by name, by where its value is written."""
        words = (one for one in self.mine.nodes if isinstance(one, ast.keyword))
        return {self.mine.span(one.value): one for one in words}

    @cached_property
    def _attributes(self) -> frozenset[int]:
        """Where attributes end: the last of their name."""
        every = (one for one in self.mine.nodes if isinstance(one, ast.Attribute))
        return frozenset(self.mine.span(one)[1] for one in every)

    @cached_property
    def _results(self) -> frozenset[tuple[int, int]]:
        """Where the values of returns and assignments are written."""
        kinds = (ast.Return, ast.Assign)
        values = (one.value for one in self.mine.nodes if isinstance(one, kinds))
        return frozenset(self.mine.span(one) for one in values if one is not None)

    def _holds(self, node: ast.expr, change: Change) -> bool:
        start, end = self.mine.span(node)
        return start <= change.start and change.end <= end


def _number(node: ast.Constant) -> float:
    return node.value if isinstance(node.value, int | float) else 0
