"""One error with all that is known of it: the learner's statement as a tree, and its values."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from grader.frameworks.values import Fix
from grader.protocol.probe import SeenCall, SeenError, SeenValue

MADE = {"Dim": "StaticDim", "float": "float", "int": "int", "str": "str", "list": "list"}
"""Calls whose result is known by the name of what is called."""

MOST_TEXT = 3000
"""Characters of a message in which its family is looked for."""

MOST_FIX = 100
"""Characters up to which a fix is shown with what surrounds it."""

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
FORMS = ("{}", "{}\n    pass", "({}\n)")


@dataclass(frozen=True)
class Case:
    """An error, and the questions that the families ask about it."""

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
        """The statement's text and tree; where that is unknown, those of the expression."""
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
        """Every expression of the statement, the outer ones first."""
        if self._tree[1] is not None:
            yield from (node for node in ast.walk(self._tree[1]) if isinstance(node, ast.expr))

    @cached_property
    def node(self) -> ast.expr | None:
        """The expression that raised."""
        code = "".join(self.seen.code.split())
        for node in self.nodes():
            if "".join(self.segment(node).split()) == code:
                return node
        return None

    @cached_property
    def call(self) -> ast.Call | None:
        """The call that raised, or whose function was being looked up."""
        if isinstance(self.node, ast.Call):
            return self.node
        return next((n for n in self.calls() if n.func is self.node), None)

    def calls(self) -> Iterator[ast.Call]:
        """Every call of the statement."""
        return (node for node in self.nodes() if isinstance(node, ast.Call))

    def segment(self, node: ast.AST) -> str:
        """The text of ``node``, as the learner wrote it."""
        return ast.get_source_segment(self._tree[0], node) or ""

    def value(self, node: ast.AST | None) -> SeenValue | None:
        """What ``node`` stood for, where that was seen or is written there."""
        if node is None:
            return None
        if isinstance(node, ast.Constant):
            kind = type(node.value).__name__
            return SeenValue(kind, repr(node.value))
        if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
            return SeenValue(type(node.operand.value).__name__, ast.unparse(node))
        if isinstance(node, ast.List | ast.Tuple):
            return SeenValue(type(node).__name__.lower(), str(len(node.elts)))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in MADE:
            return SeenValue(MADE[ast.unparse(node.func)])
        return self.seen.values.get(ast.unparse(node))

    def kind(self, node: ast.AST | None) -> str:
        """The name of the type of ``node``; empty where it is unknown."""
        value = self.value(node)
        return value.kind if value else ""

    def is_tensor(self, node: ast.AST | None) -> bool:
        """Whether ``node`` stood for a MAX tensor."""
        return self.kind(node) == "Tensor"

    def operands(self) -> list[ast.expr]:
        """What the expression that raised was given: arguments, operands, entries of a list."""
        return list(_operands(self.node))

    def spread(self) -> list[ast.expr]:
        """What a call takes its arguments from with ``*`` or ``**``: what is in it counts."""
        call = self.call
        stars = [one.value for one in self.nodes() if isinstance(one, ast.Starred)]
        return stars + [word.value for word in (call.keywords if call else ()) if not word.arg]

    def fix(self, old: ast.expr, new: ast.expr | str) -> Fix | None:
        """``new`` instead of ``old``; None where the text of ``old`` is not known.

        Of a small piece the expression around it is shown, and as much as makes it unique.
        """
        text = self.segment(old)
        written = new if isinstance(new, str) else ast.unparse(new)
        if not text or text == written or self._tree[1] is None:
            return None
        found, whole = Fix(text, written), self._tree[0]
        around = [node for node in self.around(old) if len(self.segment(node)) <= MOST_FIX]
        small = not isinstance(old, ast.Call)
        for node in around:
            if whole.count(found.old) == 1 and not small:
                break
            found = Fix(self.segment(node), self._spliced(node, old, written))
            small = small and isinstance(node, ast.Attribute | ast.Tuple | ast.List | ast.Subscript)
        return found

    def around(self, inner: ast.expr) -> list[ast.AST]:
        """What holds ``inner``, the nearest first."""
        kinds = (ast.expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)
        holds = [
            node
            for node in ast.walk(self._tree[1] or inner)
            if isinstance(node, kinds)
            and node is not inner
            and any(child is inner for child in ast.walk(node))
        ]
        return list(reversed(holds))

    def _spliced(self, outer: ast.AST, inner: ast.expr, text: str) -> str:
        """The text of ``outer`` with ``text`` where ``inner`` is."""
        first, last = (self._offset(inner, end=end) for end in (False, True))
        start, stop = (self._offset(outer, end=end) for end in (False, True))
        whole = self._tree[0].encode()
        return (whole[start:first] + text.encode() + whole[last:stop]).decode(errors="replace")

    def _offset(self, node: ast.AST, *, end: bool) -> int:
        """Where ``node`` begins or ends in the text, in bytes."""
        line = getattr(node, "end_lineno" if end else "lineno")
        column: int = getattr(node, "end_col_offset" if end else "col_offset")
        lines = self._tree[0].encode().split(b"\n")
        return sum(len(one) + 1 for one in lines[: line - 1]) + column


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


def sizes(shape: Iterable[int] | None) -> str:
    """A shape, as the lessons write it."""
    return f"[{', '.join(map(str, shape or ()))}]"


WORDS = {
    "NoneType": "None",
    "Shape": "the shape {text}, a list of Dim",
    "property": "a property of a class",
    "function": "a function",
    "method": "a function",
    "builtin_function_or_method": "a function",
    "ufunc": "a function of NumPy",
    "_ArrayFunctionDispatcher": "a function of NumPy",
    "int": "the number {text}",
    "float": "the number {text}",
    "bool": "{text}",
    "str": "the text {text}",
    "list": "a list of {text}",
    "tuple": "a tuple of {text}",
    "dict": "a dict of {text}",
    "StaticDim": "Dim({text})",
    "module": "the module {text}",
    "type": "the class {text}",
}
"""Kinds of values in the middle of a sentence."""

BARE = {
    "Shape": "a shape, a list of Dim",
    "StaticDim": "a Dim",
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
}
"""The same where nothing more is known."""


def described(value: SeenValue) -> str:
    """``value`` in a few words, for the middle of a sentence."""
    kind = value.kind
    if kind in WORDS:
        words = WORDS[kind].format(text=value.text)
        return words if value.text or "{" not in WORDS[kind] else BARE.get(kind, f"a {kind}")
    if value.shape is not None:
        name = "a NumPy array" if kind == "ndarray" else f"{_article(kind)} {kind}"
        dtype = f" of {value.dtype}" if value.dtype not in ("", "float32", "float64") else ""
        return f"{name} of shape {sizes(value.shape)}{dtype}"
    return f"{_article(kind)} {kind}"


def axes_of(text: str, shape: Sequence[int] | None) -> str:
    """How long each axis of a tensor is, where it has several: only the program tells which."""
    if shape is None or len(shape) < 2:
        return ""
    lengths = ", ".join(f"int({text}.shape[{at}]) is {size}" for at, size in enumerate(shape))
    return f"Its shape tells: {lengths}. Which is meant?"


def _article(word: str) -> str:
    return "an" if word[:1].lower() in "aeiou" else "a"
