"""An error with everything known about it: the learner's statement and its values."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from grader.protocol.probe import SeenCall, SeenError, SeenValue

MADE = {"Dim": "StaticDim", "float": "float", "int": "int", "str": "str", "list": "list"}
"""Calls whose result type follows from the function's name."""

MOST_TEXT = 3000
"""Characters of a message that are searched."""

MOST_CODE = 60
"""Characters of an expression that a sentence may quote."""

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
FORMS = ("{}", "{}\n    pass", "({}\n)")


@dataclass(frozen=True)
class Case:
    """An error, and what the facts of a row need to know about it."""

    error: SeenError

    @cached_property
    def text(self) -> str:
        """The message."""
        return self.error.message[:MOST_TEXT].strip()

    @cached_property
    def seen(self) -> SeenCall:
        """The learner's deepest line."""
        return self.error.calls[-1] if self.error.calls else SeenCall(1, "")

    @cached_property
    def _tree(self) -> tuple[str, ast.AST | None]:
        """The statement's text and tree; those of the expression if it cannot be parsed."""
        for text in (self.seen.statement, self.seen.code):
            for form in FORMS if text else ():
                try:
                    return form.format(text), ast.parse(form.format(text))
                except UNREADABLE:
                    continue
        return "", None

    @cached_property
    def statement(self) -> ast.stmt | None:
        """The statement of the learner's deepest line."""
        body = getattr(self._tree[1], "body", [])
        return body[0] if body else None

    def nodes(self) -> Iterator[ast.expr]:
        """Every expression of the statement, outer ones first."""
        if self._tree[1] is not None:
            yield from (node for node in ast.walk(self._tree[1]) if isinstance(node, ast.expr))

    @cached_property
    def node(self) -> ast.expr | None:
        """The expression that raised."""
        code = "".join(self.seen.code.split())
        for node in self.nodes():
            text = ast.get_source_segment(self._tree[0], node) or ""
            if "".join(text.split()) == code:
                return node
        return None

    @cached_property
    def call(self) -> ast.Call | None:
        """The call that raised, or whose function was being looked up."""
        if isinstance(self.node, ast.Call):
            return self.node
        return next((one for one in self.calls() if one.func is self.node), None)

    def calls(self) -> Iterator[ast.Call]:
        """Every call of the statement."""
        return (node for node in self.nodes() if isinstance(node, ast.Call))

    def value(self, node: ast.AST | None) -> SeenValue | None:
        """Return the value of ``node``, if it was recorded or is written there."""
        if node is None:
            return None
        if isinstance(node, ast.Constant):
            return SeenValue(type(node.value).__name__, repr(node.value))
        if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
            return SeenValue(type(node.operand.value).__name__, ast.unparse(node))
        if isinstance(node, ast.List | ast.Tuple):
            return SeenValue(type(node).__name__.lower(), str(len(node.elts)))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in MADE:
            return SeenValue(MADE[ast.unparse(node.func)])
        return self.seen.values.get(ast.unparse(node))

    def kind(self, node: ast.AST | None) -> str:
        """Return the name of the type of ``node``; empty if unknown."""
        value = self.value(node)
        return value.kind if value else ""

    def operands(self) -> list[ast.expr]:
        """The inputs of the expression that raised: arguments, operands, items of a list."""
        return list(_operands(self.node))


def in_class_body(error: SeenError) -> bool:
    """Whether it happened in a class body, which nothing calls, outside of its methods."""
    name = re.escape(error.calls[-1].function) if error.calls else ""
    return any(re.match(rf"class {name}\b", one.statement) for one in error.calls[-2:-1])


def _operands(node: ast.expr | None) -> Iterator[ast.expr]:
    match node:
        case ast.Call():
            given: Iterable[ast.expr] = (*node.args, *(word.value for word in node.keywords))
        case ast.BinOp(left=left, right=right):
            given = (left, right)
        case ast.Compare(left=left, comparators=others):
            given = (left, *others)
        case ast.UnaryOp(operand=operand):
            given = (operand,)
        case ast.Subscript(value=value, slice=index):
            given = (value, index)
        case _:
            given = ()
    for one in given:
        inner = one.value if isinstance(one, ast.Starred) else one
        yield inner
        if isinstance(inner, ast.List | ast.Tuple):
            yield from inner.elts


def short(node: ast.AST | None) -> str:
    """Return the text of an expression; empty if it is too long to quote."""
    text = ast.unparse(node) if node is not None else ""
    return text if len(text) <= MOST_CODE else ""


def sizes(shape: Iterable[int] | None) -> str:
    """Return a shape as the lessons write it."""
    return f"[{', '.join(map(str, shape or ()))}]"


WORDS = {
    "NoneType": "None",
    "Shape": "the shape {text}, a list of Dim",
    "property": "a property of a class",
    "int": "the number {text}",
    "float": "the number {text}",
    "bool": "{text}",
    "str": "the string {text}",
    "list": "a list of {text}",
    "tuple": "a tuple of {text}",
    "dict": "a dict of {text}",
    "StaticDim": "Dim({text})",
    "module": "the module {text}",
    "type": "the class {text}",
    **dict.fromkeys(("function", "method", "builtin_function_or_method"), "a function"),
    **dict.fromkeys(("ufunc", "_ArrayFunctionDispatcher"), "a function of NumPy"),
}
"""How a sentence names kinds of values."""

BARE = {
    "Shape": "a shape, a list of Dim",
    "StaticDim": "a Dim",
    "int": "a whole number",
    "float": "a number",
    "str": "a string",
    "type": "a class",
}
"""The same, if nothing more is known."""


def described(value: SeenValue) -> str:
    """Describe ``value`` briefly, for the middle of a sentence."""
    kind = value.kind
    if kind in WORDS:
        words = WORDS[kind].format(text=value.text)
        return words if value.text or "{" not in WORDS[kind] else BARE.get(kind, f"a {kind}")
    if value.shape is not None:
        name = "a NumPy array" if kind == "ndarray" else f"{_article(kind)} {kind}"
        dtype = f" of {value.dtype}" if value.dtype not in ("", "float32", "float64") else ""
        return f"{name} of shape {sizes(value.shape)}{dtype}"
    return f"{_article(kind)} {kind}"


def _article(word: str) -> str:
    return "an" if word[:1].lower() in "aeiou" else "a"
