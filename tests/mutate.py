"""Small mistakes made by a machine: every mutant is the program with one thing changed.

``mutants(source)`` gives them in a fixed order, each once; ``twice`` those with two things changed.
Nothing here knows what the program
computes: whether a mutant is still right is for the oracle to say.

Longer than 300 lines, because it is one list of mutations.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """One changed program: what was done, on which line of the original."""

    kind: str
    line: int
    change: str
    source: str


Change = Callable[[ast.AST], None]
Offer = tuple[str, ast.AST, str, Change]
"""Kind, the node to change, what is done, and the doing: it touches only this node."""

ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add, ast.Div, ast.FloorDiv),
    ast.Div: (ast.Mult, ast.FloorDiv, ast.Sub),
    ast.FloorDiv: (ast.Div, ast.Mult, ast.Mod),
    ast.Pow: (ast.Mult,),
    ast.MatMult: (ast.Mult, ast.Add),
}
"""What each operator is taken for."""


def mutants(source: str) -> Iterator[Mutant]:
    """Every program that differs from ``source`` by one mistake; each text once."""
    tree = ast.parse(source)
    _strip(tree)
    seen = {ast.unparse(tree)}
    for kind, node, change, apply in _offers(tree):
        line = getattr(node, "lineno", 0)
        before = _state(node)
        apply(node)
        text = ast.unparse(tree)
        _restore(node, before)
        if text not in seen:
            seen.add(text)
            yield Mutant(kind, line, change, text)


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


State = tuple[type[ast.AST], dict[str, object], dict[str, list[object]]]


def _state(node: ast.AST) -> State:
    """What a change may touch: the node's class, its fields, and the lists among them."""
    lists = {name: list(part) for name, part in vars(node).items() if isinstance(part, list)}
    return node.__class__, dict(vars(node)), lists


def _restore(node: ast.AST, before: State) -> None:
    """Take a change back. Lists stay the same objects."""
    node.__class__, fields, lists = before
    node.__dict__ = fields
    for name, items in lists.items():
        getattr(node, name)[:] = items


def _strip(tree: ast.Module) -> None:
    """Remove docstrings: they do nothing, and mutants are easier to read without."""
    for node in ast.walk(tree):
        kinds = (ast.FunctionDef, ast.ClassDef, ast.Module)
        if isinstance(node, kinds) and ast.get_docstring(node):
            node.body[:1] = [] if len(node.body) > 1 else [ast.Pass()]


def _offers(tree: ast.Module) -> Iterator[Offer]:
    """Every change that can be made. Annotations say nothing that a program does: left alone."""
    said = {id(part) for node in ast.walk(tree) for part in _annotations(node)}
    misspelled: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in said:
            continue
        for offer in (_operators, _numbers, _words, _calls, _names, _attributes, _statements):
            yield from offer(node)
        if isinstance(node, ast.Name) and node.id not in misspelled:
            misspelled.add(node.id)
            yield "typo", node, f"{node.id} misspelled", _rename("id", node.id + "s")


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    for field in ("annotation", "returns"):
        part = getattr(node, field, None)
        if isinstance(part, ast.AST):
            yield from ast.walk(part)


# ---- expressions --------------------------------------------------------------------------


def _operators(node: ast.AST) -> Iterator[Offer]:
    if isinstance(node, ast.BinOp):
        here = type(node.op).__name__
        for other in ARITHMETIC.get(type(node.op), ()):
            yield "operator", node, f"{here} to {other.__name__}", _set("op", other)
        yield "operand", node, f"{here}: left and right exchanged", _exchange
        yield "operand", node, f"{here}: left only", _becomes("left")
        yield "operand", node, f"{here}: right only", _becomes("right")
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "sign", node, "minus removed", _becomes("operand")
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        for comparison in (ast.Lt, ast.LtE, ast.Gt, ast.GtE):
            if not isinstance(node.ops[0], comparison):
                yield "comparison", node, f"to {comparison.__name__}", _compare(comparison)


def _set(field: str, kind: type[ast.AST]) -> Change:
    return lambda node: setattr(node, field, kind())


def _compare(kind: type[ast.cmpop]) -> Change:
    return lambda node: setattr(node, "ops", [kind()])


def _exchange(node: ast.AST) -> None:
    assert isinstance(node, ast.BinOp)
    node.left, node.right = node.right, node.left


def _becomes(field: str) -> Change:
    """The node turns into its own part ``field``."""

    def change(node: ast.AST) -> None:
        _turn(node, getattr(node, field))

    return change


def _turn(node: ast.AST, other: ast.AST) -> None:
    """Make ``node`` the same as ``other``, in place."""
    node.__class__ = other.__class__
    node.__dict__ = dict(other.__dict__)


def _numbers(node: ast.AST) -> Iterator[Offer]:
    if not isinstance(node, ast.Constant):
        return
    value = node.value
    if isinstance(value, bool):
        yield "constant", node, f"{value} to {not value}", _value(not value)
    elif isinstance(value, int):
        for other in (value + 1, value - 1, -value, 0):
            if other != value:
                yield "constant", node, f"{value} to {other}", _value(other)
    elif value is None:
        yield "constant", node, "None to 0", _value(0)


def _words(node: ast.AST) -> Iterator[Offer]:
    if isinstance(node, ast.Constant) and node.value == "-inf":
        for other in ("inf", "nan", "-1", "0"):
            yield "constant", node, f"-inf to {other}", _value(other)


def _value(value: object) -> Change:
    return lambda node: setattr(node, "value", value)


# ---- calls --------------------------------------------------------------------------------


def _calls(node: ast.AST) -> Iterator[Offer]:
    if not isinstance(node, ast.Call):
        return
    name, called = ast.unparse(node.func), node.func
    for index in range(len(node.args)):
        yield "argument", node, f"{name}: argument {index} dropped", _drop("args", index)
        if index:
            yield "argument", node, f"{name}: {index - 1} and {index} exchanged", _swap(index)
    for index, keyword in enumerate(node.keywords):
        yield "keyword", node, f"{name}: {keyword.arg} dropped", _drop("keywords", index)
    if len(node.args) == 1 or (node.args and not isinstance(node.func, ast.Attribute)):
        yield "call", node, f"{name} replaced by its argument", _is_its_argument
    if isinstance(called, ast.Attribute) and (
        not isinstance(called.value, ast.Name) or called.attr in ("transpose", "reshape")
    ):
        yield "call", node, f".{called.attr} dropped", _is_its_object


def _is_its_argument(node: ast.AST) -> None:
    assert isinstance(node, ast.Call)
    _turn(node, node.args[0])


def _is_its_object(node: ast.AST) -> None:
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Attribute)
    _turn(node, node.func.value)


def _drop(field: str, index: int) -> Change:
    return lambda node: getattr(node, field).pop(index)


def _swap(index: int) -> Change:
    def change(node: ast.AST) -> None:
        assert isinstance(node, ast.Call)
        node.args[index - 1], node.args[index] = node.args[index], node.args[index - 1]

    return change


# ---- names --------------------------------------------------------------------------------

FAMILIES = (
    ("query", "key", "value"),
    ("num_heads", "attn_head_size"),
    ("embed_dim", "num_heads", "head_dim"),
    ("sequence_length", "num_tokens", "n"),
    ("attn_weights", "attn_output"),
    ("n_embd", "n_head", "n_layer"),
    ("c_attn", "c_proj"),
    ("_split_heads", "_merge_heads"),
    ("softmax", "logsoftmax", "sigmoid", "exp"),
    ("sqrt", "exp", "log"),
)
"""Names that are taken for one another."""


def _names(node: ast.AST) -> Iterator[Offer]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        for other in _relatives(node.id):
            yield "name", node, f"{node.id} to {other}", _rename("id", other)


def _attributes(node: ast.AST) -> Iterator[Offer]:
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        for other in _relatives(node.attr):
            yield "name", node, f".{node.attr} to .{other}", _rename("attr", other)


def _relatives(name: str) -> list[str]:
    return [other for family in FAMILIES if name in family for other in family if other != name]


def _rename(field: str, name: str) -> Change:
    return lambda node: setattr(node, field, name)


# ---- statements ---------------------------------------------------------------------------


def _statements(node: ast.AST) -> Iterator[Offer]:
    if isinstance(node, ast.FunctionDef):
        if node.decorator_list:
            yield "decorator", node, f"{node.name}: dropped", _drop("decorator_list", 0)
        for argument in node.args.args[1:] if node.args.args[:1] else ():
            if argument.arg != "config":
                what = f"{node.name} returns {argument.arg}"
                yield "return", node, what, _returns(argument.arg)
    body = getattr(node, "body", None)
    if not isinstance(body, list) or isinstance(node, ast.Module | ast.ClassDef):
        return
    for index, statement in enumerate(body):
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        text = ast.unparse(statement).splitlines()[0][:60]
        yield "statement", node, f"dropped: {text}", _without(index)
        if index and not isinstance(body[index - 1], ast.Expr):
            yield "statement", node, f"earlier: {text}", _earlier(index)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            yield "statement", node, f"result lost: {text}", _lost(index)
            yield "statement", node, f"twice: {text}", _twice(index)


def _returns(name: str) -> Change:
    def change(node: ast.AST) -> None:
        assert isinstance(node, ast.FunctionDef)
        node.body = [ast.Return(ast.Name(name, ast.Load()))]

    return change


def _without(index: int) -> Change:
    def change(node: ast.AST) -> None:
        body: list[ast.stmt] = node.body  # type: ignore[attr-defined]
        body[index : index + 1] = [] if len(body) > 1 else [ast.Pass()]

    return change


def _earlier(index: int) -> Change:
    def change(node: ast.AST) -> None:
        body: list[ast.stmt] = node.body  # type: ignore[attr-defined]
        body[index - 1], body[index] = body[index], body[index - 1]

    return change


def _lost(index: int) -> Change:
    def change(node: ast.AST) -> None:
        body: list[ast.stmt] = node.body  # type: ignore[attr-defined]
        body[index] = ast.Expr(body[index].value)  # type: ignore[attr-defined]

    return change


def _twice(index: int) -> Change:
    def change(node: ast.AST) -> None:
        body: list[ast.stmt] = node.body  # type: ignore[attr-defined]
        body.insert(index, copy.deepcopy(body[index]))

    return change
