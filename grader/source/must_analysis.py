"""What a file certainly does not define, and which functions certainly return nothing.

The worker says what a file defines, and the file can make it say anything. So the grader reads
the file itself and believes the worker only where the source leaves it open. It does if any
statement might bind the name, if a base class comes from elsewhere, if there is a decorator, or
if the file binds names by their text.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from grader.source.ast_cache import walked
from grader.source.name_resolution import Names
from grader.source.parser import Source

CALL = ("__call__", "forward")
"""What runs when an object is called: the first that its class has."""

BY_NAME = frozenset(
    ("__dict__", "__setattr__", "f_globals", "f_locals", "globals", "locals", "setattr", "vars")
)
"""With one of these a file can bind a name that it has only as text."""

BY_CODE = frozenset(("eval", "exec"))
"""With one of these it can bind every name in its texts."""

MAKES_OTHERS = frozenset(("__init_subclass__", "__new__"))
"""With one of these a class may make objects of another."""

INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@lru_cache(maxsize=4)
def certain(source: Source) -> Certain:
    """What is certain about a file; every question of one grading shares it."""
    return Certain(source)


class Certain:
    """Answers about one file, each of which is true only if there is no doubt."""

    def __init__(self, source: Source) -> None:
        every = walked(source.tree)
        self._names = Names(source.tree, source.spellings)
        self._module = _Scope(source.tree.body)
        self._inside: dict[str, _Scope] = {}
        self._elsewhere = {name for node in every for name in _bound_elsewhere(node)}
        used = {_name(node) for node in every}
        self._texts = frozenset(_texts(every)) if used & (BY_NAME | BY_CODE) else frozenset[str]()
        self._code = "\n".join(self._texts) if used & BY_CODE else ""

    def lacks(self, name: str) -> bool:
        """Whether the module has no such name."""
        return name not in self._module.bound and not self._open(name)

    def lacks_method(self, cls: str, name: str) -> bool:
        """Whether objects of ``cls`` have no such method. A call needs one of ``CALL``."""
        names = CALL if name in CALL else (name,)
        return self._settled(cls, names) and not any(
            one in scope.bound or one in self._inherited(scope)
            for scope in self._scopes(cls)
            for one in names
        )

    def returns_nothing(self, name: str) -> bool:
        """Whether the function can only return None."""
        return not self._open(name) and self._module.empty(name)

    def method_returns_nothing(self, cls: str, name: str) -> bool:
        """Whether the method of ``cls`` can only return None. A call runs the first of ``CALL``."""
        names = CALL if name in CALL else (name,)
        if not self._settled(cls, names):
            return False
        found = ((s, one) for one in names for s in self._scopes(cls) if one in s.bound)
        scope, one = next(found, (self._module, ""))
        return scope.empty(one)

    def _open(self, name: str) -> bool:
        """Whether something may bind the name from outside its scope."""
        written = name in self._texts or name in self._code
        return self._module.star or name in self._elsewhere or written

    def _settled(self, cls: str, names: Sequence[str]) -> bool:
        """Whether the file's class statements alone decide what these methods of ``cls`` are."""
        scopes = list(self._scopes(cls))
        return bool(scopes) and not any(map(self._open, names)) and all(map(self._plain, scopes))

    def _plain(self, scope: _Scope) -> bool:
        node = scope.node
        return (
            node is not None
            and not self._open(node.name)
            and self._module.bound[node.name] == 1
            and not node.decorator_list
            and not node.keywords
            and not MAKES_OTHERS & scope.bound.keys()
            and all(self._known(base) for base in scope.bases)
        )

    def _known(self, base: ast.expr) -> bool:
        """Whether a base class is the file's own, or one whose methods are known."""
        own = isinstance(base, ast.Name) and self._module.class_of(base.id) is not None
        return own or self._names.full_name(base) in self._names.spellings.bases

    def _inherited(self, scope: _Scope) -> frozenset[str]:
        """The methods that a class has from base classes that the framework brings."""
        full = (self._names.full_name(base) or "" for base in scope.bases)
        known = self._names.spellings.bases
        return frozenset[str]().union(*(known.get(name, frozenset()) for name in full))

    def _scopes(self, cls: str) -> Iterator[_Scope]:
        """The class and its bases in this file, the class first."""
        todo, seen = [cls], set[str]()
        while todo:
            name = todo.pop(0)
            node = self._module.class_of(name)
            if node is None or name in seen:
                continue
            seen.add(name)
            if name not in self._inside:
                self._inside[name] = _Scope(node.body, node)
            scope = self._inside[name]
            yield scope
            todo += [base.id for base in scope.bases if isinstance(base, ast.Name)]


class _Scope:
    """What the statements of a module or of a class body bind, how often each name."""

    def __init__(self, body: list[ast.stmt], node: ast.ClassDef | None = None) -> None:
        self.node = node
        self.bound: Counter[str] = Counter()
        self.star = False
        self._definitions: dict[str, ast.AST] = {}
        for one in _own(body):
            self._take(one)

    @property
    def bases(self) -> list[ast.expr]:
        """The bases of a class, without what is in their brackets."""
        written = self.node.bases if self.node is not None else []
        return [one.value if isinstance(one, ast.Subscript) else one for one in written]

    def class_of(self, name: str) -> ast.ClassDef | None:
        """The class statement of this name."""
        found = self._definitions.get(name)
        return found if isinstance(found, ast.ClassDef) else None

    def empty(self, name: str) -> bool:
        """Whether ``name`` is a plain function that returns nothing, and is nothing else."""
        found = self._definitions.get(name)
        if not isinstance(found, ast.FunctionDef) or self.bound[name] > 1 or found.decorator_list:
            return False
        return not any(map(_gives, _own(found.body)))

    def _take(self, node: ast.AST) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self._definitions[node.name] = node
                self.bound[node.name] += 1
            case ast.Import() | ast.ImportFrom():
                for alias in node.names:
                    self.star = self.star or alias.name == "*"
                    self.bound[alias.asname or alias.name.partition(".")[0]] += 1
            case ast.Name(id=name, ctx=ast.Store()):
                self.bound[name] += 1
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                self.bound[name] += 1
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                self.bound[name] += 1


def _own(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Every node of one scope; of a function or class in it only the node and its decorators."""
    todo = list(body)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, INNER):
            todo += ast.iter_child_nodes(node)
        elif not isinstance(node, ast.Lambda):
            todo += node.decorator_list


def _gives(node: ast.AST) -> bool:
    """Whether a function with this node may return something."""
    if isinstance(node, ast.Return):
        empty = isinstance(node.value, ast.Constant) and node.value.value is None
        return node.value is not None and not empty
    return isinstance(node, ast.Yield | ast.YieldFrom)


def _bound_elsewhere(node: ast.AST) -> Sequence[str]:
    """The names that a node may bind in another scope, or on an object."""
    if isinstance(node, ast.Global):
        return node.names
    return (node.attr,) if isinstance(node, ast.Attribute) and _is_stored(node) else ()


def _is_stored(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Store)


def _name(node: ast.AST) -> str | None:
    """The name that a node mentions, or the attribute."""
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", None)


def _texts(every: Sequence[ast.AST]) -> Iterator[str]:
    """Every text in a file, and every name that an argument is given by."""
    for node in every:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.keyword) and node.arg is not None:
            yield node.arg
