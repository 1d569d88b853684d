"""The backward slice of a line: the statements that what it computes depends on, and how far."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from grader.explain.trace.program import Program, head_end, parameters
from grader.source.bindings import callee

Function = ast.FunctionDef | ast.AsyncFunctionDef

FARTHEST = 6
"""Steps that are followed back."""


@dataclass(frozen=True)
class Slices:
    """The backward slices of a program, by what its text says."""

    mine: Program
    _known: dict[int, Mapping[int, int]] = field(default_factory=dict)

    def of(self, line: int) -> Mapping[int, int]:
        """How many steps each statement, by its first line, is before the one at ``line``."""
        if line not in self._known:
            self._known[line] = self._found(line)
        return self._known[line]

    def _found(self, line: int) -> Mapping[int, int]:
        every = (one for one in self.mine.statements if one.lineno <= line)
        start = next((n for n in reversed([*every]) if line <= head_end(n)), None)
        if start is None:
            return {}
        found = {start.lineno: 0}
        todo = [start]
        while todo:
            one = todo.pop(0)
            far = found[one.lineno] + 1
            for before in self._before(one) if far <= FARTHEST else ():
                if before.lineno not in found:
                    found[before.lineno] = far
                    todo.append(before)
        return found

    def _before(self, statement: ast.stmt) -> Iterator[ast.stmt]:
        """The statements that give a statement its values, or decide whether it runs."""
        inside = self.mine.around(statement)
        for node in _own(statement):
            match node:
                case ast.Name(id=name, ctx=ast.Load()):
                    yield from self._binding(name, inside)
                case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Load()):
                    yield from self._bound["self", name]
                case ast.Call():
                    yield from self._returns[callee(node)]
        outer = self.mine.parents.get(statement)
        if isinstance(outer, ast.stmt) and not isinstance(outer, Function | ast.ClassDef):
            yield outer

    def _binding(self, name: str, inside: ast.AST | None) -> Iterator[ast.stmt]:
        own = self._bound[inside, name]
        if own:
            yield from own
        elif isinstance(inside, Function) and name in parameters(inside):
            yield from self._calls[inside.name]
            yield inside
        elif inside is not None:
            yield from self._bound[None, name]

    @cached_property
    def _bound(self) -> Mapping[tuple[object, str], Sequence[ast.stmt]]:
        """The statements that bind each name of a function, and each attribute of ``self``."""
        found = defaultdict[tuple[object, str], list[ast.stmt]](list)
        for statement in self.mine.statements:
            inside = self.mine.around(statement)
            for node in _own(statement):
                match node:
                    case ast.Name(id=name, ctx=ast.Store()):
                        found[inside, name].append(statement)
                    case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                        found["self", name].append(statement)
                    case (
                        ast.Subscript(value=ast.Name(id=name), ctx=ast.Store())
                        | ast.Call(func=ast.Attribute(value=ast.Name(id=name)))
                    ) if isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr):
                        found[inside, name].append(statement)
        return found

    @cached_property
    def _returns(self) -> Mapping[str, Sequence[ast.stmt]]:
        found = defaultdict[str, list[ast.stmt]](list)
        for statement in self.mine.statements:
            inside = self.mine.around(statement)
            if isinstance(statement, ast.Return) and inside is not None:
                found[inside.name].append(statement)
        for function in self.mine.statements:
            if isinstance(function, Function) and function.name not in found:
                found[function.name].append(function.body[-1])  # which may lack a return
        return found

    @cached_property
    def _calls(self) -> Mapping[str, Sequence[ast.stmt]]:
        found = defaultdict[str, list[ast.stmt]](list)
        for statement in self.mine.statements:
            for node in _own(statement):
                if isinstance(node, ast.Call):
                    found[callee(node)].append(statement)
        return found


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement, without the statements inside it."""
    todo: list[ast.AST] = [statement]
    while todo:
        node = todo.pop()
        yield node
        todo += [one for one in ast.iter_child_nodes(node) if not isinstance(one, ast.stmt)]
