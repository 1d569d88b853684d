"""Which edits are never what went wrong, though the numbers may be right with them."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from grader.explain.repair.text import Change, Edit, Text
from grader.source.walked import of_kind

GIVEN = ("device", "dtype")
"""Arguments that hardly change a number."""


@dataclass(frozen=True)
class Possible:
    """Knows which edits of a program may be right that ``raised`` an error or has wrong numbers.

    ``right`` is the solution.
    """

    mine: Text
    right: Text
    raised: bool

    def may_be(self, edit: Edit) -> bool:
        """Whether an edit may be what went wrong."""
        if self._turns_parameters(edit):
            return False
        if any(self._overwrites(one) or self._unlike(one) for one in edit.changes):
            return False
        return self.raised or all(self._may_be(one) for one in edit.changes)

    def _turns_parameters(self, edit: Edit) -> bool:
        """Whether it swaps parameters that the solution's function has in the order that is there.

        What calls the function in this file gives it something else then; others do not.
        """
        if edit.kind != "parameters swapped":
            return False
        every = (of_kind(one.tree, ast.FunctionDef) for one in (self.mine, self.right))
        mine, right = (
            [(one.lineno, one.name, [arg.arg for arg in one.args.args]) for one in some]
            for some in every
        )
        wanted = [taken for _, *taken in right]
        return any(line == edit.line and taken in wanted for line, *taken in mine)

    def _overwrites(self, change: Change) -> bool:
        """Whether it puts in an assignment right after one that it makes useless: that is wrong."""
        name, _, value = change.text.strip().partition(" = ")
        if change.start < change.end or not name.isidentifier():
            return False
        before = [one for one in self.mine.statements if self.mine.span(one)[1] < change.start]
        last = max(before, key=lambda one: self.mine.span(one)[1], default=None)
        match last:
            case ast.Assign(targets=[ast.Name(id=bound)]) if bound == name:
                return not re.search(rf"\b{name}\b", value)
        return False

    def _unlike(self, change: Change) -> bool:
        """Whether it has an entry compared with a whole list, which it never equals."""
        return any(
            self._holds(side, change)
            and not self.mine.part(self.mine.span(side), (change,)).endswith("]")
            for one in of_kind(self.mine.tree, ast.Compare)
            if isinstance(one.ops[0], ast.Eq | ast.NotEq)
            and all(isinstance(each, ast.Subscript) for each in (one.left, *one.comparators))
            for side in (one.left, *one.comparators)
        )

    def _may_be(self, change: Change) -> bool:
        if any(start <= change.start < end for start, end in self._imports):
            return False  # the program runs: they are right
        written = self._written.get((change.start, change.end))
        named = isinstance(written, ast.Name) and change.text.isidentifier()
        if named and written is not None:
            return self._may_stand(written, change.text)
        # with another number than the one asked for, the block never runs
        return (
            not any(self._holds(one, change) for one in self._tests) and " is " not in change.text
        )

    def _may_stand(self, node: ast.expr, name: str) -> bool:
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
    def _first(self) -> Mapping[tuple[ast.AST | None, str], int]:
        """The line on which a function first gives a variable a value, outside of loops."""
        found: dict[tuple[ast.AST | None, str], int] = {}
        for one in self.mine.nodes:
            kinds = ast.Name | ast.arg
            stored = isinstance(one, ast.arg) or isinstance(getattr(one, "ctx", None), ast.Store)
            if not isinstance(one, kinds) or not stored:
                continue
            name = one.arg if isinstance(one, ast.arg) else one.id
            line = 0 if isinstance(one, ast.arg) or self.mine.in_loop(one) else one.lineno
            key = (self.mine.around(one), name)
            found[key] = min(line, found.get(key, line))
        return found

    @cached_property
    def _imports(self) -> Sequence[tuple[int, int]]:
        kinds = (ast.Import, ast.ImportFrom)
        return [self.mine.span(one) for one in self.mine.nodes if isinstance(one, kinds)]

    @cached_property
    def _tests(self) -> Sequence[ast.expr]:
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
    def _written(self) -> Mapping[tuple[int, int], ast.expr]:
        """The names by where they are written."""
        return {self.mine.span(one): one for one in self.mine.nodes if isinstance(one, ast.Name)}

    def _holds(self, node: ast.expr, change: Change) -> bool:
        start, end = self.mine.span(node)
        return start <= change.start and change.end <= end
