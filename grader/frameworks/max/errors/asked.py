"""Tensors that Python asks whether they are true: what does the same number by number."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from grader.frameworks.max.errors.case import Case
from grader.frameworks.max.errors.foreign import tensorlike
from grader.frameworks.values import Translation

OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}
"""What compares the other way round."""

CALLS = {ast.And: "F.logical_and", ast.Or: "F.logical_or"}


def number_by_number(case: Case) -> Translation | None:
    """``not``, ``and``, ``or``, ``x if y else z`` or ``a < b < c`` of tensors; not under ``if``."""
    heads = [getattr(case.statement, "test", None)]
    for one in case.nodes():
        for loop in getattr(one, "generators", ()):
            heads += loop.ifs
    under = {each for one in heads if one is not None for each in ast.walk(one)}
    for outer in case.nodes():
        if outer in under or not (case.node is None or case.node in _asked(outer)):
            continue
        made = _made(case, outer)
        if made is outer:
            continue
        every = [one for one in _asked(outer) if _is_tensor(case, one) and not _asks(one)]
        if every:
            what = f"{ast.unparse(every[0])} is a Tensor, and {_word(outer)} asks whether all of it"
            hint = _hint(outer, made)
            return Translation(f"{what} is True or False", hint, case.fix(outer, made))
    return None


def _asks(node: ast.expr) -> bool:
    """Whether an expression asks its parts whether they are true."""
    chained = isinstance(node, ast.Compare) and len(node.ops) > 1
    negated = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return negated or chained or isinstance(node, ast.BoolOp | ast.IfExp)


def _asked(node: ast.expr) -> list[ast.expr]:
    """The expression, and those of its parts whose truth it asks."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=one) | ast.IfExp(test=one):
            return [node, *_asked(one)]
        case ast.BoolOp(values=values):
            return [node, *(each for one in values for each in _asked(one))]
        case ast.Compare() if len(node.ops) > 1:
            return [node, *_pairs(node)]
    return [node]


def _pairs(node: ast.Compare) -> list[ast.Compare]:
    """``a < b`` and ``b < c`` of ``a < b < c``."""
    firsts = [node.left, *node.comparators]
    return [
        ast.Compare(*one)
        for one in zip(
            firsts, [[op] for op in node.ops], [[other] for other in node.comparators], strict=False
        )
    ]


def _made(case: Case, node: ast.expr) -> ast.expr:
    """The same number by number; the expression itself where not all of it are tensors."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=inner) if _is_tensor(case, inner):
            if isinstance(inner, ast.Compare) and len(inner.ops) == 1:
                return ast.Compare(inner.left, [OPPOSITE[type(inner.ops[0])]()], inner.comparators)
            return ast.Call(ast.Name("F.logical_not"), [_made(case, inner)], [])
        case ast.BoolOp(op=op, values=values) if all(_is_tensor(case, one) for one in values):
            return _joined(CALLS[type(op)], [_made(case, one) for one in values])
        case ast.IfExp(test=test, body=body, orelse=other) if there := _there(case, test):
            return ast.IfExp(there, body, other)
        case ast.IfExp(test=test, body=body, orelse=other) if _is_tensor(case, test):
            chosen = (body, other)
            if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                test, chosen = test.operand, (other, body)
            return ast.Call(ast.Name("F.where"), [_made(case, test), *chosen], [])
        case ast.Compare() if len(node.ops) > 1 and _is_tensor(case, node):
            return _joined(CALLS[ast.And], [*_pairs(node)])
    return node


def _there(case: Case, test: ast.expr) -> ast.expr | None:
    """Whether a variable is there, where a condition asks for its truth and it holds numbers."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name() | ast.Attribute() as inner):
            asks: ast.cmpop = ast.Is()
        case ast.Name() | ast.Attribute() as inner:
            asks = ast.IsNot()
        case _:
            return None
    value = case.value(inner)
    if value is None or value.kind != "Tensor" or value.dtype in ("", "bool"):
        return None
    return ast.Compare(inner, [asks], [ast.Constant(None)])


def _joined(name: str, parts: Sequence[ast.expr]) -> ast.expr:
    """A function of two values, called on all of them."""
    made = parts[0]
    for one in parts[1:]:
        made = ast.Call(ast.Name(name), [made, one], [])
    return made


def _word(node: ast.expr) -> str:
    """What asks, as it is written."""
    match node:
        case ast.UnaryOp():
            return "'not'"
        case ast.BoolOp(op=ast.And()):
            return "'and'"
        case ast.BoolOp():
            return "'or'"
        case ast.IfExp():
            return "'if'"
    return f"{ast.unparse(node)}, which means and,"


def _hint(outer: ast.expr, made: ast.expr) -> str:
    """Why to write the other thing."""
    if isinstance(made, ast.Call):
        return f"{ast.unparse(made.func)} goes number by number."
    if isinstance(made, ast.IfExp):
        return "Ask whether it is there."
    return "Compare the other way round." if isinstance(outer, ast.UnaryOp) else ""


def _is_tensor(case: Case, node: ast.expr) -> bool:
    """Whether an expression is a tensor, is computed from one, or compares one."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _is_tensor(case, inner)
        case ast.BoolOp(values=values):
            return all(_is_tensor(case, one) for one in values)
        case ast.Compare(ops=ops) if not all(type(op) in OPPOSITE for op in ops):
            return False
        case ast.Compare(ops=ops) if len(ops) > 1:
            return all(_is_tensor(case, one) for one in _pairs(node))
        case ast.Compare(left=left, comparators=others):
            return any(tensorlike(case, one) for one in (left, *others))
    return tensorlike(case, node)
