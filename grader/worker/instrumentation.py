"""Runs a learner's program so that every expression's value is recorded.

Each expression ``e`` in a function or named lambda of the file becomes ``see(number, e)``, where
the number identifies a node of the syntax tree: the grader numbers the same file in the same way.
So names, style and helpers do not matter, and intermediate values within a line are recorded as
well as assigned ones. The program computes the same; only its tensors and arrays are kept.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from grader.frameworks import Runtime
from grader.protocol.probe import MOST_PARTS, MOST_TURNS, SeenArray, SeenTensor, Trail
from grader.worker import observe

SEE = "__see__"
"""The name by which the rewritten program calls the recorder. No learner's file uses it."""

MOST_SEEN = 2_000
"""How many values of expressions are kept per run; a step's program needs a hundredth."""
MOST_SCALARS = 8_000
"""How many plain numbers are kept; there are many more of them than tensors."""
MOST_BYTES = 24 << 20

LOAD = ast.Load()

WRAPPED = (
    ast.Attribute,
    ast.BinOp,
    ast.BoolOp,
    ast.Call,
    ast.Compare,
    ast.IfExp,
    ast.Name,
    ast.Subscript,
    ast.UnaryOp,
)


def rewritten(source: str, file: str) -> ast.Module:
    """Return the program with every expression of its functions and lambdas passed to the recorder.

    Raises:
        SyntaxError: as ``ast.parse``.
    """
    tree = ast.parse(source, file)
    outer: list[ast.Module | ast.ClassDef] = []
    for number, node in enumerate(ast.walk(tree)):
        node.number = number  # type: ignore[attr-defined]
        if isinstance(node, ast.Module | ast.ClassDef):
            outer.append(node)
    rewriter = _Rewriter()
    for node in outer:
        for one in node.body:
            if isinstance(one, ast.FunctionDef):
                rewriter.visit(one)
            elif isinstance(one, ast.Assign) and isinstance(one.value, ast.Lambda):
                one.value.body = rewriter.visit(one.value.body)
    return tree


class _Rewriter(ast.NodeTransformer):  # noqa: TID251, nobody else holds this tree
    """Rewrites one function; nodes without a value at run time stay unchanged."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Rewrite the body, and record the values of the parameters before it."""
        names = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        at = _location(node)
        given = ast.Tuple([ast.Name(name, LOAD, **at) for name in names], LOAD, **at)
        entry = ast.Expr(_see(node, given), **_location(node.body[0]))
        documented = ast.get_docstring(node, clean=False) is not None
        body = [self._statement(one) for one in node.body]
        flat = [one for group in body for one in group]
        node.body = [*flat[:documented], entry, *flat[documented:]]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        """Leave a class inside a function unchanged."""
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        """Rewrite the value, not the annotation."""
        node.value = self.visit(node.value) if node.value is not None else None
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.JoinedStr:
        """Leave it unchanged: text has no tensors."""
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Record the arguments, the object whose method is called, and the result."""
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        elif not isinstance(node.func, ast.Name):
            node.func = self.visit(node.func)
        node.args = [self.visit(one) for one in node.args]
        node.keywords = [self.visit(one) for one in node.keywords]
        return _see(node, node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Rewrite any other node's parts, and the node itself if it is an expression with a value.

        The pattern of a ``case`` stays unchanged, because it cannot contain a call.
        """
        if isinstance(node, ast.pattern):
            return node
        for name, old in ast.iter_fields(node):
            if isinstance(old, list):
                old[:] = [new for one in old for new in self._listed(one)]
            elif isinstance(old, ast.AST):
                setattr(node, name, self.visit(old))
        loads = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        return _see(node, node) if isinstance(node, WRAPPED) and loads else node

    def _listed(self, one: Any) -> list[Any]:
        if isinstance(one, ast.stmt):
            return self._statement(one)
        return [self.visit(one)] if isinstance(one, ast.AST) else [one]

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        """Rewrite a statement; for ``x += y`` and ``x[i] = y``, record ``x`` before and after."""
        match node:
            case ast.AugAssign(target=ast.Name(id=name) as changed):
                before, after = [_seen(changed, name)], _seen(node, name)
            case (
                ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))])
                | ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name)))
            ):  # x is read in the statement itself
                before, after = [], _seen(node, name, within=True)
            case _:
                return [self.visit(node)]
        return [*before, self.visit(node), after]


def _seen(numbered: ast.stmt | ast.Name, name: str, *, within: bool = False) -> ast.Expr:
    """Make a statement that records a variable; ``within``: something inside it was changed."""
    at = _location(numbered)
    call = _see(numbered, ast.Name(name, LOAD, **at))
    call.args += [ast.Constant(True, **at)] if within else []
    return ast.Expr(call, **at)


def _see(numbered: ast.AST, value: ast.expr) -> ast.Call:
    """Make ``see(number, value)`` in place of the node."""
    at = _location(numbered)
    number = ast.Constant(numbered.number, **at)  # type: ignore[attr-defined]
    return ast.Call(ast.Name(SEE, LOAD, **at), [number, value], [], **at)


def _location(node: Any) -> dict[str, Any]:
    """Return a node's location, for its replacement; a pass over the whole tree takes longer."""
    return {
        "lineno": node.lineno,
        "col_offset": node.col_offset,
        "end_lineno": node.end_lineno,
        "end_col_offset": node.end_col_offset,
    }


class Recorder:
    """Keeps the values of expressions, as the objects themselves, until the run is over."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._kinds: dict[type, bool] = {}
        self._places: list[tuple[int, int, int]] = []
        self._objects: list[Any] = []
        self._alive: list[Any] = []
        self._index: dict[int, int] = {}
        self._turns: dict[int, int] = {}
        self._scalars: list[tuple[float, ...]] = []

    def see(self, number: int, value: Any, within: bool = False) -> Any:
        """Record ``value``, or its items if it is a list or tuple, and return it.

        ``within`` says that something inside it was changed: a list is not a new value then.
        """
        kind = type(value)
        if within and kind is not np.ndarray:
            return value
        if kind is tuple or kind is list:
            parts = [(i, one) for i, one in enumerate(value[:MOST_PARTS]) if self._kept(type(one))]
        else:
            parts = [(-1, value)] if self._kept(kind) else []
        if parts and len(self._places) < MOST_SEEN:
            turn = self._turns[number] = self._turns.get(number, 0) + 1
            if turn <= MOST_TURNS:
                self._places += [(number, part, self._place(one)) for part, one in parts]
        else:
            self._number(number, value)
        return value

    def _number(self, number: int, value: Any) -> None:
        """Record a plain number, or those in a list or tuple."""
        if len(self._scalars) >= MOST_SCALARS:
            return
        kind = type(value)
        several = list if issubclass(kind, list) else tuple if issubclass(kind, tuple) else None
        items = [value] if several is None else several.__getitem__(value, slice(MOST_PARTS))
        for part, one in enumerate(items):
            if (found := observe.scalar(one, self._runtime)) is not None:
                at = -1 if several is None else part
                whole = not isinstance(found, float)
                self._scalars.append((number, at, found, whole, len(self._places)))

    def _kept(self, kind: type) -> bool:
        if kind not in self._kinds:
            self._kinds[kind] = self._runtime.holds_numbers(kind)
        return self._kinds[kind]

    def _place(self, value: Any) -> int:
        """Return the number of a value. An array changed in place counts as another value."""
        at = self._index.get(id(value))
        array = type(value) is np.ndarray
        if at is None or (array and self._objects[at].tobytes() != value.tobytes()):
            at = self._index[id(value)] = len(self._objects)
            self._objects.append(value.copy() if array else value)
            self._alive.append(value)  # so that no other object gets its id
        return at

    def clear(self) -> None:
        """Forget everything, for the next probe."""
        self.__init__(self._runtime)  # type: ignore[misc]

    def trail(self) -> Trail:
        """Return what was recorded, in order."""
        budget = MOST_BYTES
        values: list[SeenTensor | SeenArray | None] = []
        for value in self._objects:
            seen = observe.numbers(value, self._runtime) if budget > 0 else None
            budget -= seen.array.nbytes if seen is not None else 0
            values.append(seen)
        places = np.asarray(self._places, np.int32).reshape(-1, 3)
        scalars = np.asarray(self._scalars, np.float64).reshape(-1, 5)
        return Trail(places, tuple(values), scalars)
