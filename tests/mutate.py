"""Small mistakes made by a machine: every mutant is the program with one thing changed.

``mutants(source)`` gives them in a fixed order, or as they are drawn, each once; ``twice`` those
with two things changed.
What is changed says :mod:`tests.graded.mutations`. Nothing here knows what the program
computes: whether a mutant is still right is for the oracle to say.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass

from tests.graded.mutations import places


@dataclass(frozen=True)
class Mutant:
    """One changed program: what was done, in which function, on which line of the original.

    ``before`` and ``after`` are the lines that differ, as ``ast.unparse`` writes them.
    """

    kind: str
    line: int
    change: str
    source: str
    where: str = ""
    before: str = ""
    after: str = ""

    @property
    def name(self) -> str:
        """Which mutant it is, whatever else is in the file: for people and for lists."""
        return f"{self.where}: {self.before} -> {self.after}"


def plain(source: str) -> str:
    """The program in the layout of its mutants, without docstrings and comments."""
    tree = ast.parse(source)
    _strip(tree)
    return ast.unparse(tree)


def mutants(source: str, draws: random.Random | None = None) -> Iterator[Mutant]:
    """Every program that differs from ``source`` by one mistake; each text once."""
    tree = ast.parse(source)
    _strip(tree)
    right = ast.unparse(tree)
    seen = {right}
    every = [(place, *offer) for place in places(tree) for offer in place.offers]
    if draws is not None:
        draws.shuffle(every)
    for place, kind, change, apply in every:
        node = place.node
        before = node.__class__, dict(vars(node))
        apply(node)
        text = ast.unparse(tree)
        node.__class__, node.__dict__ = before
        if text not in seen:
            seen.add(text)
            where, line = place.scope.where, getattr(node, "lineno", 0)
            yield Mutant(kind, line, change, text, where, *_differing(right, text))


def twice(source: str, count: int) -> Iterator[Mutant]:
    """At most ``count`` programs with two mistakes each, spread evenly over the first ones."""
    first = list(mutants(source))
    for index in range(min(count, len(first))):
        one = first[index * len(first) // min(count, len(first))]
        second = list(mutants(one.source))
        two = second[index * STRIDE % len(second)]
        yield Mutant(f"{one.kind}, {two.kind}", one.line, f"{one.change}; {two.change}", two.source)


STRIDE = 7919
"""A large prime: the second mistakes are from everywhere in the program."""


def _strip(tree: ast.Module) -> None:
    """Remove docstrings: they do nothing, and mutants are easier to read without."""
    for node in ast.walk(tree):
        kinds = (ast.FunctionDef, ast.ClassDef, ast.Module)
        if isinstance(node, kinds) and ast.get_docstring(node):
            node.body[:1] = [] if len(node.body) > 1 else [ast.Pass()]
        if isinstance(node, ast.Module):  # texts about a name of the module
            node.body = [one for one in node.body if not _is_text(one)]


def _is_text(one: ast.stmt) -> bool:
    return isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)


def _differing(one: str, other: str) -> tuple[str, str]:
    """The lines in which two texts differ, from the first such line to the last."""
    ours, theirs = one.split("\n"), other.split("\n")
    begin, end = 0, 0
    shorter = min(len(ours), len(theirs))
    while begin < shorter and ours[begin] == theirs[begin]:
        begin += 1
    while end < shorter - begin and ours[-1 - end] == theirs[-1 - end]:
        end += 1
    return _joined(ours[begin : len(ours) - end]), _joined(theirs[begin : len(theirs) - end])


def _joined(lines: list[str]) -> str:
    return "; ".join(line.strip() for line in lines)
