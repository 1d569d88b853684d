"""What each name in a file stands for, and each operator."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from grader.frameworks import Spellings

OPERATORS: Mapping[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitOr: "or",
}

WRAPPERS = frozenset(("int", "float", "list", "tuple"))
"""Functions whose result has the value of their one argument."""


def aliases(body: list[ast.stmt], spellings: Spellings) -> dict[str, str]:
    """Local name to full name for the imports among these statements, nested ones included."""
    found = {}
    for statement in _statements(body):
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                if alias.asname:
                    found[alias.asname] = spellings.today(alias.name)
                else:
                    top = alias.name.split(".")[0]
                    found[top] = top
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            for alias in statement.names:
                full = spellings.today(f"{statement.module}.{alias.name}")
                found[alias.asname or alias.name] = full
    return found


def imported(body: list[ast.stmt], spellings: Spellings) -> Iterator[tuple[str, int]]:
    """Every full name that an import brings in, with its line."""
    for statement in _statements(body):
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                yield spellings.today(alias.name), statement.lineno
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            for alias in statement.names:
                yield spellings.today(f"{statement.module}.{alias.name}"), statement.lineno


def dotted(node: ast.expr) -> str | None:
    """``a.b.c`` as text; None for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of one scope: inside if, try and with, but not functions or classes."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(statement, field, None)
            if isinstance(inner, list):
                yield from _statements([s for s in inner if isinstance(s, ast.stmt)])
        for handler in getattr(statement, "handlers", []):
            yield from _statements(handler.body)


class Names:
    """What the names of one module stand for: imports, functions, classes, constants."""

    def __init__(self, tree: ast.Module, spellings: Spellings) -> None:
        self.spellings = spellings
        self.imports = aliases(tree.body, spellings)
        self.functions = {s.name: s for s in tree.body if isinstance(s, ast.FunctionDef)}
        self.classes = {s.name: s for s in tree.body if isinstance(s, ast.ClassDef)}
        self.constants = {
            target.id: s.value
            for s in tree.body
            if isinstance(s, ast.Assign)
            for target in s.targets
            if isinstance(target, ast.Name)
        }

    def knows(self, name: str) -> bool:
        """Whether the module imports something under this name."""
        return name in self.imports

    def full_name(self, node: ast.expr, scope_imports: dict[str, str] | None = None) -> str | None:
        """The full name that ``a.b`` stands for: ``F.softmax`` becomes the framework's name."""
        name = dotted(node)
        if name is None:
            return None
        first, _, rest = name.partition(".")
        known = {**self.imports, **(scope_imports or {})}
        return self.spellings.today(known.get(first, first) + (f".{rest}" if rest else ""))

    def function(self, path: str) -> ast.FunctionDef | None:
        """``causal_mask`` or ``GPT2Attention._attn``; the last definition counts."""
        cls, _, name = path.rpartition(".")
        if not cls:
            return self.functions.get(name)
        return self.method(self.classes.get(cls), name)

    def method(self, cls: ast.ClassDef | None, name: str) -> ast.FunctionDef | None:
        """The method ``name`` of a class, or of one of its bases in the same module."""
        if cls is None:
            return None
        looked_at: set[str] = set()
        while cls is not None and cls.name not in looked_at:
            looked_at.add(cls.name)
            own = [s for s in cls.body if isinstance(s, ast.FunctionDef) and s.name == name]
            if own:
                return own[-1]
            bases = [b.id for b in cls.bases if isinstance(b, ast.Name) and b.id in self.classes]
            cls = self.classes[bases[0]] if bases else None
        return None
