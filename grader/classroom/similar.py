"""Submissions that are equal except for names and layout, for the teacher to look at.

Equal answers to a small task are common, and untouched stubs are all equal. So
this says which are equal, not why.
"""

from __future__ import annotations

import ast
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from grader.base.blanks import make_stub
from grader.base.model import Step
from grader.source import SourceProblem, parse


class Answer(Protocol):
    """What is compared: the shape of a program, and the digest of its bytes."""

    @property
    def shape(self) -> str:
        """Empty if it is not a program."""

    @property
    def digest(self) -> str:
        """Equal for equal files."""


@dataclass(frozen=True)
class Group:
    """At least two people whose answers to ``step`` have the same shape.

    ``what`` says what else has that shape: the stub, the reference solution, or nothing.
    ``same_bytes`` says that even the files are the same.
    """

    step: str
    people: tuple[str, ...]
    what: str = ""
    same_bytes: bool = False


def groups(step: Step, answers: Mapping[str, Answer]) -> tuple[Group, ...]:
    """The groups among ``answers``, by person; the largest first."""
    found: dict[str, list[str]] = defaultdict(list)
    for person, answer in answers.items():
        if answer.shape:
            found[answer.shape].append(person)
    known = {
        shape(step.solution.read_bytes()): "the reference solution",
        _stub_shape(step): "the stub as given out",
    }
    alike = [
        Group(
            step.id,
            tuple(people),
            known.get(key, ""),
            len({answers[person].digest for person in people}) == 1,
        )
        for key, people in found.items()
        if len(people) > 1
    ]
    return tuple(sorted(alike, key=lambda group: (-len(group.people), group.people)))


def _stub_shape(step: Step) -> str | None:
    return shape(make_stub(step.solution.read_text(encoding="utf-8")).encode())


def shape(data: bytes) -> str | None:
    """A digest of the program without its own names, comments, docstrings and layout.

    Names that the file does not define itself, like those of the framework, stay. None if it is
    not a program.
    """
    try:
        tree = parse(data, "").tree
    except SourceProblem:
        return None
    own = set(_made(tree))
    _Renaming(own).visit(tree)
    text = ast.dump(tree, annotate_fields=False, include_attributes=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _made(tree: ast.AST) -> Iterable[str]:
    """Every name that the file binds: variables, arguments, functions, classes, attributes."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.ImportFrom(names=names):
                yield from (alias.asname or alias.name for alias in names)
            case ast.Import(names=names):
                yield from (alias.asname for alias in names if alias.asname)


class _Renaming(ast.NodeTransformer):
    """Numbers the names in ``own`` in order of appearance, and drops docstrings."""

    def __init__(self, own: set[str]) -> None:
        self._own = own
        self._numbers: dict[str, str] = {}

    def _new(self, name: str) -> str:
        if name not in self._own or name.startswith("__"):
            return name
        return self._numbers.setdefault(name, f"_{len(self._numbers)}")

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Rename in this node, then below it."""
        match node:
            case ast.ImportFrom(names=names):
                node.names = [
                    ast.alias(alias.name, self._new(alias.asname or alias.name)) for alias in names
                ]
                return node
            case ast.alias(asname=str(name)):
                node.asname = self._new(name)
            case ast.Name(id=name):
                node.id = self._new(name)
            case ast.Attribute(attr=name):
                node.attr = self._new(name)
            case ast.arg(arg=name) | ast.keyword(arg=str(name)):
                node.arg = self._new(name)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                node.name = self._new(node.name)
        match node:
            case ast.Module(body=body) | ast.FunctionDef(body=body) | ast.ClassDef(body=body):
                node.body = [each for each in body if not _is_text(each)] or [ast.Pass()]
        return super().generic_visit(node)


def _is_text(statement: ast.stmt) -> bool:
    """Whether a statement is a string that does nothing: a docstring, or disabled code."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
