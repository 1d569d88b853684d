"""A rubric's words that take snippets: :mod:`grader.source.patterns` says what they mean."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import TypeGuard

from grader.source import placeholders
from grader.source.ast_cache import of_kind, walked
from grader.source.definitions import definition, gives_none, no_placeholders, place, result, tracer
from grader.source.expr import walk
from grader.source.findings import Finding, Path, SourceTest, absent
from grader.source.parser import Source
from grader.source.patterns import (
    Pattern,
    Snippet,
    Where,
    Written,
    last_name,
    made_with,
    pattern,
    written,
)


def returns(
    path: Path,
    *snippets: Snippet,
    near: Snippet | None = None,
    without: Snippet | None = None,
    where: Where | None = None,
    rank: int = 0,
) -> SourceTest:
    """The function's result is made with a value that one of the snippets matches.

    ``near`` finds the line to show if there is none.
    """
    wanted = pattern(*snippets, without=without, where=where, rank=rank)
    close = pattern(near, where=where) if near is not None else None

    def test(source: Source) -> Finding:
        function = definition(source, path)
        if function is None:
            return absent(path, certain=True)
        value = result(source, path)
        found = next((one for one in walk(value) if wanted(one)), None)
        if found is not None:
            lines = {one.line for one in walk(found) if one.line is not None}
            return Finding(True, found.line, span=frozenset(lines))
        if (left := _left_lying(source, path, wanted)) is not None:
            return left
        nearest = next((one for one in walk(value) if close is not None and close(one)), value)
        line = nearest.line or function.lineno
        if _not_called_yet(source, path, wanted):
            return Finding(False, line, foreign=True)
        return Finding(False, line, certain=gives_none(value))

    return test


def _not_called_yet(source: Source, path: Path, wanted: Pattern) -> bool:
    """Whether another function makes such a value, and the one at ``path`` is not finished."""
    function, at = definition(source, path), place(source, path)
    if not placeholders.unfinished([function] if function is not None else ()):
        return False
    cls = tracer(source).classes.get(at.rpartition(".")[0])
    methods = [f"{cls.name}.{one.name}" for one in cls.body if _is_function(one)] if cls else []
    others = [one for one in (*methods, *tracer(source).functions) if one != at]
    return any(wanted(one) for other in others for one in walk(result(source, other)))


def _is_function(node: ast.stmt) -> TypeGuard[ast.FunctionDef]:
    return isinstance(node, ast.FunctionDef)


def _left_lying(source: Source, path: Path, wanted: Pattern) -> Finding | None:
    """The finding on a value that is computed and then not used, or part of such a value."""
    traced = tracer(source).trace(place(source, path))
    for name, value in traced.unused:
        if value.inside is not None and gives_none(value.inside):
            continue  # a helper that changes what it is given
        itself = any(wanted(one) for one in (value, value.inside) if one is not None)
        if itself or made_with(value, wanted):
            told, use = "the result of this line is thrown away", "Assign it and use it below."
            if name:
                told, use = f"no later line uses {name}", f"Use {name} below this line."
            return Finding(
                False, value.line, told, foreign=not itself, there=True, hint=use, unused=True
            )
    for name, value, line in traced.replaced:
        if wanted(value):
            told = f"line {line} gives {name} a new value before this one is used"
            use = f"Keep it under a name used below, not as {name}."
            return Finding(
                False, value.line, told, there=True, hint=use, unused=True, replaced=True
            )
    return None


def results_are(path: Path, *snippets: Snippet) -> SourceTest:
    """Each value that the function can return itself matches one of the snippets."""
    wanted = pattern(*snippets)

    def test(source: Source) -> Finding:
        value = result(source, path)
        every = value.args if value.op == "either" else (value,)
        ok = all(wanted(one) or (one.inside and wanted(one.inside)) for one in every)
        return Finding(ok and bool(every), value.line)

    return test


def stores(
    path: str,
    attribute: str,
    *snippets: Snippet,
    without: Snippet | None = None,
    where: Where | None = None,
    rank: int = 0,
) -> SourceTest:
    """``self.attribute`` is made with a value that matches, in the method at ``path``."""
    wanted = pattern(*snippets, without=without, where=where, rank=rank)

    def test(source: Source) -> Finding:
        function = definition(source, path)
        if function is None:
            return absent(path)
        value = tracer(source).trace(path).stores.get(attribute)
        if value is None:
            return _unset(source, function, attribute)
        if made_with(value, wanted):
            return Finding(True, value.line, span=_sets(function, attribute))
        return Finding(False, value.line or function.lineno, certain=gives_none(value))

    return test


def _unset(source: Source, function: ast.AST, attribute: str) -> Finding:
    """The finding on an attribute that a function does not set, as far as it was followed."""
    line = getattr(function, "lineno", None)
    elsewhere = _sets(source.tree, attribute)
    names = {one.id for one in of_kind(source.tree, ast.Name)}
    if elsewhere or "setattr" in names:
        return Finding(False, min(elsewhere, default=line))
    return Finding(False, line, f"self.{attribute} is not set", unset=attribute)


def _sets(function: ast.AST, attribute: str) -> frozenset[int]:
    """The lines that set ``self.attribute`` in a function, or in a class."""
    every = (one for one in ast.walk(function) if isinstance(one, ast.Attribute))
    stored = (one for one in every if isinstance(one.ctx, ast.Store) and one.attr == attribute)
    return frozenset(one.lineno for one in stored)


def only_with(test: SourceTest, *paths: str) -> SourceTest:
    """``test``; if it fails and one of these functions is missing, it says nothing."""

    def found(source: Source) -> Finding:
        finding = test(source)
        if finding.ok or all(definition(source, path) for path in paths):
            return finding
        return Finding(False, finding.line, foreign=True, absent=finding.absent)

    return found


def mentions(path: Path, *snippets: Written, shown: Written | None = None) -> SourceTest:
    """One of the snippets is written in the function or class, or in what it names.

    ``shown`` finds the line to show, found or not.
    """
    wanted = written(*snippets)
    close = written(shown) if shown is not None else wanted

    def test(source: Source) -> Finding:
        found = definition(source, path)
        if found is None:
            return absent(path, certain=True)
        every = _written_in(source, path)
        seen = [node for node in every if wanted(node)]
        lines = [node.lineno for node in seen]
        places = frozenset(one.lineno for one in seen if not isinstance(one, ast.UnaryOp))
        near = next((node.lineno for node in every if close(node)), next(iter(lines), None))
        return Finding(bool(lines), near or found.lineno, places=places)

    return test


def surely(test: SourceTest, *names: str, there: bool = False) -> SourceTest:
    """``test``; while the things with these names have a placeholder, a failure means missing.

    ``there`` shows the placeholder's line.
    """

    def found(source: Source) -> Finding:
        finding = test(source)
        left = no_placeholders(*names)(source)
        if finding.ok or left.ok:
            return finding
        return replace(finding, line=left.line if there else finding.line, certain=True)

    return found


def calls(path: str, *names: str) -> SourceTest:
    """The function calls each of these functions or methods somewhere."""

    def test(source: Source) -> Finding:
        function = definition(source, path)
        if function is None:
            return absent(path)
        line = function.lineno
        every = [node for node in _with_own(source, function) if isinstance(node, ast.Call)]
        for name in names:
            call = next((node for node in every if last_name(node.func) == name), None)
            if call is None:
                return Finding(False, function.lineno, f"{name} is not called")
            line = call.lineno
        return Finding(True, line)

    return test


def _with_own(source: Source, function: ast.FunctionDef | ast.ClassDef) -> Iterator[ast.AST]:
    """The nodes of a function, then those of the file's own functions that it calls."""
    own = {node.name: node for node in of_kind(source.tree, ast.FunctionDef)}
    todo: list[ast.AST] = [function]
    seen: set[ast.AST] = {function}
    while todo:
        inside = list(ast.walk(todo.pop(0)))
        yield from inside
        names = [last_name(node.func) for node in inside if isinstance(node, ast.Call)]
        called = [own[name] for name in names if name in own and own[name] not in seen]
        todo += called
        seen.update(called)


@lru_cache(maxsize=8)
def _written_in(source: Source, path: Path) -> tuple[ast.expr, ...]:
    """The expressions in what is at ``path``, and in the functions and classes that it names."""
    cls = place(source, path).partition(".")[0]
    kinds = (ast.FunctionDef, ast.ClassDef)
    defined = {node.name for node in walked(source.tree) if isinstance(node, kinds)}
    todo, found = [definition(source, path)], dict[ast.AST, list[ast.expr]]()
    while todo:
        one = todo.pop()
        if one is None or one in found:
            continue
        inner = ast.walk(ast.Module(one.body, []))  # without annotations of parameters
        found[one] = [node for node in inner if isinstance(node, ast.expr)]
        named = dict.fromkeys(map(last_name, found[one]))
        todo += [definition(source, (n, f"{cls}.{n}")) for n in named if n in defined]
    return tuple(node for one in found.values() for node in one)
