"""Finds submissions that are equal except for names and layout, or nearly so, for the teacher.

Equal answers to a small task are common, and untouched stubs are all equal. So this says which
are equal, not why.
"""

from __future__ import annotations

import ast
import hashlib
import io
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

from grader.base.blanks import make_stub
from grader.base.model import Step
from grader.base.rewriting import Node, Rewriter
from grader.source import Source, SourceProblem, parse

RUN = 6
"""How many consecutive tokens must be the same to count as shared."""
MOST_RUNS = 4_000
FEWEST_RUNS = 15
"""A program with fewer runs that neither the stub nor many others have is not compared."""
COMMON, FEW, MANY = 0.2, 3, 40
"""What more than this share of the class has, and more than a few people, counts as common. So does
what many have, however large the class is."""
NEARLY = 0.7
"""Programs are nearly equal if they share this much of what is their own."""


class Answer(Protocol):
    """What is compared: the shape of a program, its runs of tokens, and the digest of its bytes."""

    @property
    def runs(self) -> frozenset[int]:
        """Digests of the runs of tokens that the stub does not have."""

    @property
    def shape(self) -> str:
        """Empty if it is not a program."""

    @property
    def digest(self) -> str:
        """Equal for equal files."""


@dataclass(frozen=True)
class Pair:
    """Two people whose answers to ``step`` share much of what is their own, from 0 to 1."""

    step: str
    people: tuple[str, str]
    share: float


@dataclass(frozen=True)
class Group:
    """At least two people whose answers to ``step`` have the same shape.

    ``what`` says what else has that shape: the stub, the reference solution, or nothing.
    ``same_bytes``: even the files are identical.
    """

    step: str
    people: tuple[str, ...]
    what: str = ""
    same_bytes: bool = False


def groups(step: Step, answers: Mapping[str, Answer]) -> tuple[Group, ...]:
    """Return the groups among ``answers``, by person; the largest first."""
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


def pairs(step: Step, answers: Mapping[str, Answer]) -> tuple[Pair, ...]:
    """Return the people with nearly but not fully equal answers; the most similar first."""
    first: dict[str, str] = {}  # one answer represents all with the same shape
    for person, answer in answers.items():
        first.setdefault(answer.shape or answer.digest, person)
    holders: dict[int, list[str]] = defaultdict(list)
    for person in first.values():
        for run in answers[person].runs:
            holders[run].append(person)
    most = min(max(FEW, COMMON * len(first)), MANY)
    own, shared = Counter[str](), Counter[tuple[str, str]]()
    for people in holders.values():
        if len(people) <= most:
            own.update(people)
            shared.update(combinations(people, 2))
    found = []
    for (one, other), count in shared.items():
        size = max(own[one], own[other])
        if min(own[one], own[other]) >= FEWEST_RUNS and count >= NEARLY * size:
            found.append(Pair(step.id, (one, other), count / size))
    return tuple(sorted(found, key=lambda pair: (-pair.share, pair.people)))


def compared(data: bytes) -> tuple[str, frozenset[int]]:
    """Return a program's shape and its runs of tokens; both are empty if it is not a program."""
    try:
        source = parse(data, "")
        return _shape(source.tree), _runs(source)
    except (SourceProblem, tokenize.TokenError, SyntaxError):
        return shape(data) or "", frozenset()


def runs(data: bytes) -> frozenset[int]:
    """Return digests of a program's runs of tokens, whatever its own names are.

    Empty if it is not a program.
    """
    return compared(data)[1]


def _runs(source: Source) -> frozenset[int]:
    own = set(_made(source.tree))
    tokens = list(_tokens(source.text, own))
    found = set()
    for start in range(min(len(tokens) - RUN + 1, MOST_RUNS)):
        text = "\0".join(tokens[start : start + RUN]).encode("utf-8", "replace")
        found.add(int.from_bytes(hashlib.blake2b(text, digest_size=7).digest(), "big"))
    return frozenset(found)


def stub_runs(step: Step) -> frozenset[int]:
    """Return the runs of the stub, which everybody has."""
    return runs(make_stub(step.solution.read_text(encoding="utf-8")).encode())


LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def _tokens(text: str, own: set[str]) -> Iterable[str]:
    """Yield the tokens without layout, comments and lone strings; the file's names become ``_``."""
    line_begins = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in LAYOUT or (line_begins and token.type == tokenize.STRING):
            line_begins = True
            continue
        line_begins = False
        yield "_" if token.string in own and not token.string.startswith("__") else token.string


def _stub_shape(step: Step) -> str | None:
    return shape(make_stub(step.solution.read_text(encoding="utf-8")).encode())


def shape(data: bytes) -> str | None:
    """Return a digest of the program without its own names, comments, docstrings and layout.

    Names that the file does not define, such as the framework's, stay. None if it is not a
    program.
    """
    try:
        return _shape(parse(data, "").tree)
    except SourceProblem:
        return None


def _shape(tree: ast.Module) -> str:
    renamed = _Renaming(set(_made(tree))).visit(tree)
    text = ast.dump(renamed, annotate_fields=False, include_attributes=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _made(tree: ast.AST) -> Iterable[str]:
    """Yield all names that the file binds: variables, arguments, functions, classes, attributes."""
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


class _Renaming(Rewriter):
    """Numbers the names in ``own`` in order of appearance, and drops docstrings."""

    def __init__(self, own: set[str]) -> None:
        self._own = own
        self._numbers: dict[str, str] = {}

    def _new(self, name: str) -> str:
        if name not in self._own or name.startswith("__"):
            return name
        return self._numbers.setdefault(name, f"_{len(self._numbers)}")

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        """Treat each name as if it were imported under another name."""
        names = [ast.alias(one.name, self._new(one.asname or one.name)) for one in node.names]
        return ast.ImportFrom(node.module, names, node.level)

    def generic_visit(self, node: Node) -> Node:
        """Return a copy with new names in it and below it."""
        new = super().generic_visit(node)
        match new:
            case ast.alias(asname=str(name)):
                new.asname = self._new(name)
            case ast.Name(id=name):
                new.id = self._new(name)
            case ast.Attribute(attr=name):
                new.attr = self._new(name)
            case ast.arg(arg=name) | ast.keyword(arg=str(name)):
                new.arg = self._new(name)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                new.name = self._new(new.name)
        match new:
            case ast.Module(body=body) | ast.FunctionDef(body=body) | ast.ClassDef(body=body):
                new.body = [each for each in body if not _is_text(each)] or [ast.Pass()]
        return new


def _is_text(statement: ast.stmt) -> bool:
    """Whether a statement is a string that does nothing: a docstring, or disabled code."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
