"""Runs a learner's program so that every expression's value is recorded.

Each expression ``e`` in a function or named lambda of the file becomes ``see(number, e)``, where
the number says which node of the syntax tree it is: the grader numbers the same file the same way.
So names, style and helpers do not matter, and values inside a line are seen as well as those that
it assigns. The program computes the same; only its tensors and arrays are kept.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from grader.frameworks import Runtime
from grader.protocol.probe import MOST_PARTS, MOST_TURNS, SeenArray, SeenTensor, Trail
from grader.worker import observe

SEE = "__see__"
"""The name by which the rewritten program calls the recorder. No learner's file has it."""

MOST_SEEN = 2_000
"""How many values of expressions are kept per run; a course program needs a hundredth."""
MOST_SCALARS = 8_000
"""Plain numbers among them; there are many more of them than tensors."""
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
    """The program with every expression of its functions and lambdas passed to the recorder.

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
    """Rewrites one function; what has no value at run time stays unchanged."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """The body, preceded by the values of the parameters."""
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
        """A class inside a function stays unchanged."""
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        """The value, not the annotation."""
        node.value = self.visit(node.value) if node.value is not None else None
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.JoinedStr:
        """Text has no tensors."""
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """The arguments, the object whose method is called, and the result."""
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        elif not isinstance(node.func, ast.Name):
            node.func = self.visit(node.func)
        node.args = [self.visit(one) for one in node.args]
        node.keywords = [self.visit(one) for one in node.keywords]
        return _see(node, node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Any other node: its parts, and itself if it is an expression with a value.

        What a ``case`` compares with stays unchanged: no call may be written there.
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
        """The statement; of ``x += y`` and ``x[i] = y`` also ``x`` before and after it."""
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
    """A statement that records a variable, perhaps as one in which something was changed."""
    at = _location(numbered)
    call = _see(numbered, ast.Name(name, LOAD, **at))
    call.args += [ast.Constant(True, **at)] if within else []
    return ast.Expr(call, **at)


def _see(numbered: ast.AST, value: ast.expr) -> ast.Call:
    """``see(number, value)`` in place of the node."""
    at = _location(numbered)
    number = ast.Constant(numbered.number, **at)  # type: ignore[attr-defined]
    return ast.Call(ast.Name(SEE, LOAD, **at), [number, value], [], **at)


def _location(node: Any) -> dict[str, Any]:
    """Where a node is, for another one in its place; a pass over the whole tree takes longer."""
    return {
        "lineno": node.lineno,
        "col_offset": node.col_offset,
        "end_lineno": node.end_lineno,
        "end_col_offset": node.end_col_offset,
    }


class Recorder:
    """Keeps the values of expressions, as the objects themselves until the run is over."""

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

        ``within`` says that something in it was changed: a list is no new value then.
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
        """The number of a value. An array that was changed in place since is another value."""
        at = self._index.get(id(value))
        array = type(value) is np.ndarray
        if at is None or (array and self._objects[at].tobytes() != value.tobytes()):
            at = self._index[id(value)] = len(self._objects)
            self._objects.append(value.copy() if array else value)
            self._alive.append(value)  # so that no other object gets its id
        return at

    def clear(self) -> None:
        """Forget everything: the next probe begins."""
        self.__init__(self._runtime)  # type: ignore[misc]

    def trail(self) -> Trail:
        """What was seen, in order."""
        budget = MOST_BYTES
        values: list[SeenTensor | SeenArray | None] = []
        for value in self._objects:
            seen = observe.numbers(value, self._runtime) if budget > 0 else None
            budget -= seen.array.nbytes if seen is not None else 0
            values.append(seen)
        places = np.asarray(self._places, np.int32).reshape(-1, 3)
        scalars = np.asarray(self._scalars, np.float64).reshape(-1, 5)
        return Trail(places, tuple(values), scalars)
