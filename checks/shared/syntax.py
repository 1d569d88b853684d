"""Source tests that look at the statements of one function or class.

They serve where values are not followed: comparisons, slices with a step, calls of parameters.
Names of operations are compared by their last part, so ``F.gather`` and ``gather`` are one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace

from grader.source import Finding, Source

Test = Callable[[Source], Finding]
Node = ast.FunctionDef | ast.ClassDef


def within(name: str, *patterns: Callable[[ast.AST], bool]) -> Test:
    """Every pattern matches something in the function or class ``name`` of the module."""

    def test(source: Source) -> Finding:
        found = definition(source, name)
        if found is None:
            return Finding(False, certain=True)
        line = found.lineno
        for pattern in patterns:
            matching = [node for node in statements(source, found) if pattern(node)]
            if not matching:
                return Finding(False, found.lineno)
            line = getattr(matching[0], "lineno", line)
        return Finding(True, line)

    return test


def shown_at(test: Test, name: str, pattern: Callable[[ast.AST], bool]) -> Test:
    """``test``, with the line of what ``pattern`` matches in ``name``, if it matches anything."""

    def shown(source: Source) -> Finding:
        finding, found = test(source), definition(source, name)
        matching = (node for node in statements(source, found) if pattern(node)) if found else ()
        line = next((getattr(node, "lineno", None) for node in matching), None)
        return replace(finding, line=line or finding.line)

    return shown


def definition(source: Source, name: str) -> Node | None:
    """The last definition of this name at the top of the module."""
    found = [
        node
        for node in source.tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name
    ]
    return found[-1] if found else None


def statements(source: Source, node: Node) -> Iterator[ast.AST]:
    """Everything in ``node``, and in the module's functions and classes that it names."""
    todo: list[Node] = [node]
    done: set[str] = set()
    while todo:
        one = todo.pop()
        if one.name in done:
            continue
        done.add(one.name)
        for inner in ast.walk(one):
            yield inner
            if isinstance(inner, ast.Name | ast.Attribute):
                named = definition(source, last_name(inner))
                if named is not None:
                    todo.append(named)


def last_name(node: ast.AST) -> str:
    """``softmax`` for ``F.softmax`` and for ``softmax``; empty for anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def calls(*names: str) -> Callable[[ast.AST], bool]:
    """A call of something that ends in one of these names."""
    return lambda node: isinstance(node, ast.Call) and last_name(node.func) in names


def compares() -> Callable[[ast.AST], bool]:
    """A comparison with == or !=, written as an operator or as a function."""

    def pattern(node: ast.AST) -> bool:
        if isinstance(node, ast.Compare):
            return any(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops)
        return calls("equal", "not_equal")(node)

    return pattern


def every_second() -> Callable[[ast.AST], bool]:
    """A slice with step 2, or a list of sizes that ends in 2."""

    def pattern(node: ast.AST) -> bool:
        if isinstance(node, ast.Slice):
            return isinstance(node.step, ast.Constant) and node.step.value == 2
        if isinstance(node, ast.List | ast.Tuple) and node.elts:
            end = node.elts[-1]
            return isinstance(end, ast.Constant) and end.value == 2
        return calls("as_interleaved_complex")(node)

    return pattern


def differences() -> Callable[[ast.AST], bool]:
    """A minus, between two values or before one."""

    def pattern(node: ast.AST) -> bool:
        if isinstance(node, ast.BinOp | ast.UnaryOp):
            return isinstance(node.op, ast.Sub | ast.USub)
        return calls("sub", "negate", "complex_mul")(node)

    return pattern


def sums_of_products() -> Callable[[ast.AST], bool]:
    """``a * b + c * d`` or ``a * b - c * d``."""

    def pattern(node: ast.AST) -> bool:
        parts = (node.left, node.right) if isinstance(node, ast.BinOp) else ()
        return len(parts) == 2 and all(
            isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult) for part in parts
        )

    return pattern


def powers() -> Callable[[ast.AST], bool]:
    """A power, as an operator or as a function."""

    def pattern(node: ast.AST) -> bool:
        if isinstance(node, ast.BinOp):
            return isinstance(node.op, ast.Pow)
        return calls("pow", "power", "exp")(node)

    return pattern


def uses_parameter(cls: str, index: int, *methods: str) -> Test:
    """The parameter at ``index`` (0 is self) of one of the ``methods`` is used in its body."""

    def test(source: Source) -> Finding:
        found = definition(source, cls)
        for method in found.body if isinstance(found, ast.ClassDef) else []:
            if not isinstance(method, ast.FunctionDef) or method.name not in methods:
                continue
            names = [arg.arg for arg in (*method.args.posonlyargs, *method.args.args)]
            used = {
                node.id
                for node in ast.walk(method)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
            }
            if method.args.vararg is not None or (len(names) > index and names[index] in used):
                return Finding(True, method.lineno)
            return Finding(False, method.lineno)
        return Finding(False)

    return test
