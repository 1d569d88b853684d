"""Names of Python's own library that a file uses and does not import."""

from __future__ import annotations

import ast
import copy
import difflib
import importlib
import re
from dataclasses import dataclass, replace
from functools import cache

from grader.grading.reading.bindings import around
from grader.rubric import Failed
from grader.source.variables import all_named, binds, read, stored
from grader.source.walked import of_kind

MISSING = re.compile(r"The name (\w+) is not defined")
"""What the message of an error says if a name is not defined."""

ALIKE = 0.75
"""How alike a name must be to a known one to be a slip of the keyboard."""

MODULES = (
    *("dataclasses", "functools", "itertools", "collections", "collections.abc", "typing"),
    *("enum", "abc", "contextlib", "copy", "math", "operator", "re", "types", "warnings"),
    *("statistics", "numbers", "fractions", "string", "textwrap", "inspect", "pathlib", "heapq"),
    *("bisect", "random", "time", "json", "os", "sys"),
)
"""Those that programs of a course are likely to use; the likeliest home of a name comes first."""

LIKELY: dict[str, frozenset[str]] = {
    "dataclasses": frozenset(("asdict", "astuple", "fields", "is_dataclass", "replace")),
    "functools": frozenset(
        ("cache", "cached_property", "lru_cache", "partial", "partialmethod", "reduce", "wraps")
    ),
    "itertools": frozenset(
        ("accumulate", "batched", "chain", "islice", "pairwise", "starmap", "takewhile", "tee")
    )
    | {"product", "zip_longest"},
    "collections": frozenset(("Counter", "OrderedDict", "defaultdict", "deque", "namedtuple")),
    "typing": frozenset(("Protocol", "TypeAlias", "TypeVar", "TypedDict", "overload")),
    "enum": frozenset(("Enum", "Flag", "IntEnum", "StrEnum", "auto")),
    "contextlib": frozenset(("ExitStack", "contextmanager", "nullcontext", "suppress")),
    "copy": frozenset(("copy", "deepcopy")),
    "operator": frozenset(("attrgetter", "itemgetter", "methodcaller")),
}
"""Names that say by themselves where they live: others are as likely another library's."""

KNOWN = "Import it at the top of the file: "
"""How a hint begins that says from where."""

GUESSES = ("Is it imported, ", "Did you mean ", KNOWN)
"""How hints begin on a name of which no more is known than where it may live."""

WRITE = "Write from "
"""How a hint begins that puts a name into an import that is there."""

SHORTEST = 3
"""Letters of a name that says by itself where it lives."""


@dataclass(frozen=True)
class Missing:
    """What to do about a name that is not imported; ``about`` is where, if not where it is used."""

    hint: str
    about: str = ""


def as_missing(ruling: Failed, tree: ast.Module) -> Failed:
    """The ruling; on a name of Python's library that is not imported, with what to write.

    What is known otherwise of the name counts more than where it may live.
    """
    found = MISSING.search(ruling.message or "")
    if found is None or ruling.line is None or not (ruling.hint or "").startswith(GUESSES):
        return ruling
    told = missing(tree, found[1], ruling.line)
    known = (ruling.hint or "").startswith(KNOWN)
    if told is None or (known and not told.hint.startswith(WRITE)):
        return ruling
    if not told.about:
        return replace(ruling, hint=told.hint)
    used = f"It is used on line {ruling.line}."
    others = [one for one in (ruling.note or "").split("\n") if one and one != used]
    note = "\n".join((used, *others))
    return replace(ruling, hint=told.hint, about=told.about, note=note)


def missing(tree: ast.Module, name: str, line: int) -> Missing | None:
    """How to import a name that ``line`` reads; None where it is not known to be the library's."""
    if name in all_named(tree):
        return None
    for one in tree.body:
        if isinstance(one, ast.ImportFrom) and _has(one, name) and _is_meant(tree, name, line):
            statement = ast.unparse(_with(one, name))
            return Missing(f"Write {statement}", f"library: {statement}")
    if name in MODULES and _asked(tree, name):
        return _at_top(f"import {name}")
    if not _is_called(tree, name) or not _is_meant(tree, name, line):
        return None
    for one in tree.body:
        for alias in one.names if isinstance(one, ast.Import) else ():
            if name in _names(alias.name):
                whole = f"{alias.asname or alias.name}.{name}"
                return Missing(f"The file imports it as {whole}. Write {whole} in place of {name}")
    home = next((module for module, names in LIKELY.items() if name in names), None)
    if home is None:
        return None
    return _at_top(f"from {home} import {name}")


def _at_top(statement: str) -> Missing:
    return Missing(f"{KNOWN}{statement}", f"library: {statement}")


@cache
def _names(module: str) -> frozenset[str]:
    """The names that a module of the library offers."""
    if module not in MODULES:
        return frozenset()
    found = importlib.import_module(module)
    public = getattr(found, "__all__", None) or [one for one in dir(found) if one[:1] != "_"]
    return frozenset(public)


def _has(statement: ast.ImportFrom, name: str) -> bool:
    """Whether a statement imports from a module of the library that has a name, but not all."""
    plain = statement.level == 0 and all(one.name != "*" for one in statement.names)
    return plain and name in _names(statement.module or "")


def _with(statement: ast.ImportFrom, name: str) -> ast.ImportFrom:
    """The statement with a name more, in the order of the others if they have one."""
    given = [*statement.names, ast.alias(name)]
    kept = [one.name for one in statement.names]
    if kept in (sorted(kept), sorted(kept, key=str.lower)):
        given.sort(key=lambda one: one.name if kept == sorted(kept) else one.name.lower())
    new = copy.copy(statement)
    new.names = given
    return new


def _is_meant(tree: ast.Module, name: str, line: int) -> bool:
    """Whether nothing that the line could use is called nearly so, but for the module's own.

    A short name, or one that is never called, may be a slip for anything.
    """
    if len(name) < SHORTEST and not _is_called(tree, name):
        return False
    inside = around(tree, line)
    known = {name for one in tree.body for name in binds(one)}
    if inside is not None:
        known |= stored(inside) | {one.arg for one in of_kind(inside, ast.arg)}
    own = {one for module in MODULES if name in _names(module) for one in _names(module)}
    return not difflib.get_close_matches(name, known - own, 1, ALIKE)


def _is_called(tree: ast.Module, name: str) -> bool:
    """Whether a file calls a name, decorates with it, inherits from it or gives it as a type."""
    for one in of_kind(
        tree, ast.Call, ast.Subscript, ast.FunctionDef, ast.ClassDef, ast.arg, ast.AnnAssign
    ):
        match one:
            case ast.Call(func=ast.Name(id=called)) | ast.Subscript(value=ast.Name(id=called)):
                if called == name:
                    return True
            case ast.FunctionDef(decorator_list=marks) | ast.ClassDef(decorator_list=marks):
                if any(isinstance(mark, ast.Name) and mark.id == name for mark in marks):
                    return True
                if isinstance(one, ast.ClassDef) and any(name in read(base) for base in one.bases):
                    return True
            case ast.arg(annotation=ast.expr() as kind) | ast.AnnAssign(annotation=kind):
                if name in read(kind):
                    return True
    return False


def _asked(tree: ast.Module, module: str) -> bool:
    """Whether a file asks a name for what this module has."""
    asked = of_kind(tree, ast.Attribute)
    own = (one.attr for one in asked if ast.unparse(one.value) == module)
    return any(one in _names(module) for one in own)


TOLD = re.compile(rf"{WRITE}\w+(?:\.\w+)* import ")
"""How such a hint begins in full."""
