"""A program as text and syntax tree, ready to be asked: which node is where, and inside of what.

Nodes have numbers, in the order of ``ast.walk``: the worker numbers the same file the same way.
Positions are byte offsets, because that is how the syntax tree counts columns.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from grader.base.sanitize import on_one_line
from grader.source.ast_cache import parsed, walked

BLOCKS = ("body", "orelse", "finalbody")
"""The parts of a statement that hold others."""


@lru_cache(maxsize=8)
def _parents(nodes: tuple[ast.AST, ...]) -> Mapping[ast.AST, ast.AST]:
    """The node around each of these."""
    return {inner: outer for outer in nodes for inner in ast.iter_child_nodes(outer)}


@dataclass(frozen=True)
class Program:
    """A program that is valid Python."""

    source: str

    @cached_property
    def data(self) -> bytes:
        """The text in UTF-8."""
        return self.source.encode()

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree."""
        return parsed(self.source)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """The nodes of the syntax tree, by number."""
        return walked(self.tree)

    @cached_property
    def statements(self) -> tuple[ast.stmt, ...]:
        """Every statement."""
        return tuple(node for node in self.nodes if isinstance(node, ast.stmt))

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name that the program says."""
        return frozenset(one.id for one in self.nodes if isinstance(one, ast.Name))

    @cached_property
    def numbers(self) -> Mapping[ast.AST, int]:
        """The number of each node."""
        return {node: number for number, node in enumerate(self.nodes)}

    @cached_property
    def called(self) -> Mapping[str, Sequence[int]]:
        """The numbers of the nodes that are a variable or an attribute of this text."""
        found: dict[str, list[int]] = {}
        for number, node in enumerate(self.nodes):
            if isinstance(node, ast.Name | ast.Attribute):
                found.setdefault(ast.unparse(node), []).append(number)
        return found

    @cached_property
    def parents(self) -> Mapping[ast.AST, ast.AST]:
        """The node around each node."""
        return _parents(self.nodes)

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        ends = (found.end() for found in re.finditer(rb"\r\n|\r|\n", self.data))
        return (0, *ends, len(self.data))

    def start(self, line: int) -> int:
        """Where a line begins; after the last line, the end."""
        return self._starts[line - 1]

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node begins and ends; decorators are left out."""
        first, last, begin, end = (
            getattr(node, name) for name in ("lineno", "end_lineno", "col_offset", "end_col_offset")
        )
        return self.start(first) + begin, self.start(last) + end

    def of(self, node: ast.AST) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.data[start:end].decode()

    def segment(self, number: int) -> str:
        """The text of a node, on one line; without the comments inside it."""
        node = self.nodes[number]
        if not hasattr(node, "end_lineno"):
            return ""
        text = self.of(node)
        if "\n" in text and "#" in text and isinstance(node, ast.expr):
            return ast.unparse(node)
        return on_one_line(text)

    def line(self, number: int) -> int:
        """Where a node begins, 1-based; 0 for one that has no place."""
        return int(getattr(self.nodes[number], "lineno", 0))

    def statement(self, number: int) -> ast.stmt | None:
        """The statement that a node belongs to."""
        node = self.nodes[number]
        return node if isinstance(node, ast.stmt) else self._statements.get(node)

    @cached_property
    def _statements(self) -> Mapping[ast.AST, ast.stmt | None]:
        """The statement around each node."""
        found: dict[ast.AST, ast.stmt | None] = {}
        for inner, outer in self.parents.items():  # from the outside in
            found[inner] = outer if isinstance(outer, ast.stmt) else found.get(outer)
        return found

    def block(self, node: ast.stmt, names: Sequence[str] = BLOCKS) -> list[ast.stmt]:
        """The statements of the block that a statement is in, if it is one of these."""
        outer = self.parents.get(node)
        every = (getattr(outer, name, None) for name in names)
        lists = (one for one in every if isinstance(one, list))
        return next((one for one in lists if any(other is node for other in one)), [])

    def in_loop(self, node: ast.AST) -> bool:
        """Whether a node is in a loop, a comprehension or a function of its own within one."""
        outer = self.parents.get(node)
        while outer is not None and not isinstance(outer, ast.FunctionDef):
            if isinstance(outer, ast.For | ast.While | ast.comprehension | ast.Lambda):
                return True
            outer = self.parents.get(outer)
        return False

    def is_whole(self, number: int) -> bool:
        """Whether a node is all that its statement computes."""
        return getattr(self.statement(number), "value", None) is self.nodes[number]

    def around(self, node: ast.AST) -> ast.FunctionDef | None:
        """The innermost function that a node is in."""
        return self._functions.get(node)

    @cached_property
    def _functions(self) -> Mapping[ast.AST, ast.FunctionDef | None]:
        """The function around each node."""
        found: dict[ast.AST, ast.FunctionDef | None] = {}
        for inner, outer in self.parents.items():  # from the outside in
            found[inner] = outer if isinstance(outer, ast.FunctionDef) else found.get(outer)
        return found

    def function(self, number: int) -> int | None:
        """The innermost function that a node is in, both by number."""
        outer = self.around(self.nodes[number])
        return None if outer is None else self.numbers[outer]

    def named(self, number: int) -> str:
        """The name of the innermost function that a node is in; empty outside of any."""
        outer = self.around(self.nodes[number])
        return "" if outer is None else outer.name


def head_end(statement: ast.stmt) -> int:
    """The last line of a statement; of a block, of its head."""
    body = getattr(statement, "body", None)
    if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
        return max(statement.lineno, body[0].lineno - 1)
    return statement.end_lineno or statement.lineno


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """The names of a function's parameters, in the order in which its values are recorded."""
    given = function.args
    return [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def taken(function: ast.FunctionDef) -> list[str]:
    """What a call gives a function: its parameters, without ``self``."""
    return [one for one in parameters(function) if one != "self"]


def target(statement: ast.stmt | None, part: int) -> str:
    """The variable that an assignment gives its value, or that part of it; empty for none."""
    if not isinstance(statement, ast.Assign):
        return ""
    given = statement.targets[0]
    if isinstance(given, ast.Tuple | ast.List) and 0 <= part < len(given.elts):
        given = given.elts[part]
    return given.id if isinstance(given, ast.Name) else ""


def parts_of(statement: ast.stmt) -> int:
    """How many names an assignment gives the parts of its value; 0 if it does not take it apart."""
    given = statement.targets[0] if isinstance(statement, ast.Assign) else None
    return len(given.elts) if isinstance(given, ast.Tuple | ast.List) else 0
