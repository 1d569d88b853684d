"""What remains of a stub: ``x = None``, ``return None``, ``pass`` and ``...``."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import lru_cache

from grader.source.annotations import allows_none
from grader.source.ast_cache import walked
from grader.source.def_use import stores


def left(tree: ast.Module, names: tuple[str, ...]) -> list[tuple[int, str]]:
    """Lines and texts of placeholders in the functions, methods and classes with these names."""
    found: set[tuple[int, str]] = set()
    declared = _declared(walked(tree))
    for node in _defined(tree):
        if node in declared:
            continue
        if isinstance(node, ast.FunctionDef) and node.name in names:
            found.update(_placeholders(node))
        elif isinstance(node, ast.ClassDef) and node.name in names:
            found.update(_unset(node))
    return sorted(found)


def unfinished(nodes: Iterable[ast.AST]) -> bool:
    """Whether some function among them still has a placeholder, or there is none yet."""
    every = list(nodes)
    declared = _declared(every)
    functions = [one for one in every if isinstance(one, ast.FunctionDef) and one not in declared]
    return not functions or any(any(_placeholders(node)) for node in functions)


@lru_cache(maxsize=16)
def unfilled(tree: ast.Module) -> tuple[range, ...]:
    """The lines of each function that still has a placeholder, in a program that nobody changes."""
    nodes = walked(tree)
    declared = _declared(nodes)
    unset = {line for one in nodes if isinstance(one, ast.ClassDef) for line, _ in _unset(one)}
    places = [
        (range(one.lineno, (one.end_lineno or one.lineno) + 1), any(_placeholders(one)))
        for one in nodes
        if isinstance(one, ast.FunctionDef) and one not in declared
    ]
    return tuple(place for place, empty in places if empty or not unset.isdisjoint(place))


def _declared(nodes: Iterable[ast.AST]) -> set[ast.AST]:
    """The functions that only say what others take and give: nothing is to be filled in there.

    They are those of a protocol, abstract ones, and overloads.
    """
    every = list(nodes)
    protocols = [one for one in every if isinstance(one, ast.ClassDef) and _is_protocol(one)]
    of_protocols = {method for one in protocols for method in one.body}
    functions = (one for one in every if isinstance(one, ast.FunctionDef))
    return {one for one in functions if one in of_protocols or _is_marked(one)}


def _is_protocol(owner: ast.ClassDef) -> bool:
    """Whether a class is a ``Protocol``, or a ``Protocol[T]``."""
    names = (ast.unparse(one).partition("[")[0] for one in owner.bases)
    return any(name.rpartition(".")[2] == "Protocol" for name in names)


def _is_marked(function: ast.FunctionDef) -> bool:
    """Whether a decorator says that a function is an abstract one, or an overload."""
    marks = (ast.unparse(one).rpartition(".")[2] for one in function.decorator_list)
    return any(mark in ("abstractmethod", "overload") for mark in marks)


def _defined(tree: ast.AST) -> Iterable[ast.AST]:
    """Every node, except definitions replaced by a later one of the same name."""
    for body in (getattr(tree, field, None) for field in ("body", "orelse", "finalbody")):
        if not isinstance(body, list):
            continue
        last = {node.name: node for node in body if isinstance(node, _DEFINITIONS)}
        for node in body:
            if not isinstance(node, _DEFINITIONS) or last[node.name] is node:
                yield node
                yield from _defined(node)


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _is_none(node: ast.expr | None) -> bool:
    """Whether it is ``None``, or several of it: ``query, key = None, None``."""
    if isinstance(node, ast.Tuple) and node.elts:
        return all(map(_is_none, node.elts))
    return isinstance(node, ast.Constant) and node.value is None


def _placeholders(function: ast.FunctionDef) -> Iterable[tuple[int, str]]:
    """Names that are only ever None or become so, a lone ``return None``, ``pass`` and ``...``."""
    given: dict[str, list[tuple[int, bool]]] = {}
    every = walked(function)
    for target, value, line in _assignments(every):
        for node in stores(target):
            given.setdefault(node.id, []).append((line, _is_none(value)))
    yield from _only_none(given)
    yield from _emptied(function, given)
    results = [n for n in every if isinstance(n, ast.Return)]
    if results and all(_is_none(n.value) for n in results):
        yield from ((n.lineno, "return None") for n in results)
    for statement in function.body:
        if _is_empty(statement):
            yield statement.lineno, "yield from ()"
        if isinstance(statement, ast.Pass):
            yield statement.lineno, "pass"
        elif isinstance(statement, ast.Expr) and (
            isinstance(statement.value, ast.Constant) and statement.value.value is ...
        ):
            yield statement.lineno, "..."


def _is_empty(statement: ast.stmt) -> bool:
    """Whether it is ``yield from ()``, which makes a generator of nothing."""
    given = statement.value if isinstance(statement, ast.Expr) else None
    inside = given.value if isinstance(given, ast.YieldFrom) else None
    return isinstance(inside, ast.Tuple) and not inside.elts


def _unset(cls: ast.ClassDef) -> Iterable[tuple[int, str]]:
    """Attributes of self that are only ever None in the whole class."""
    given: dict[str, list[tuple[int, bool]]] = {}
    for target, value, line in _assignments(walked(cls)):
        for node in ast.walk(target):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                text = f"{node.value.id}.{node.attr}"
                given.setdefault(text, []).append((line, _is_none(value)))
    yield from _only_none(given)


def _assignments(nodes: Iterable[ast.AST]) -> Iterable[tuple[ast.expr, ast.expr | None, int]]:
    """Each target, the value it gets, and the line. Loops and the like assign some value.

    ``cache: Cache | None = None`` is no placeholder.
    """
    for node in nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                yield from ((target, value, node.lineno) for target in targets)
            case ast.AnnAssign(target=target, annotation=kind, value=value) if value is not None:
                if not (_is_none(value) and allows_none(kind)):
                    yield target, value, node.lineno
            case ast.AugAssign(target=target) | ast.NamedExpr(target=target):
                yield target, ast.Constant(True), node.lineno
            case ast.For(target=target):
                yield target, ast.Constant(True), node.lineno


def _only_none(given: dict[str, list[tuple[int, bool]]]) -> Iterable[tuple[int, str]]:
    for text, values in given.items():
        if all(empty for _, empty in values):
            yield from ((line, f"{text} = None") for line, _ in values)


def _emptied(
    function: ast.FunctionDef, given: dict[str, list[tuple[int, bool]]]
) -> Iterable[tuple[int, str]]:
    """``x = None`` after ``x`` had a value: the blank after one that is filled."""
    own = {statement.lineno for statement in function.body}
    for text, values in given.items():
        filled = [line for line, empty in values if not empty]
        for line, empty in values:
            if filled and empty and line > max(filled) and line in own:
                yield line, f"{text} = None"
