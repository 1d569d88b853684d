"""The names, arguments and steps that may occur at a place of a program."""

from __future__ import annotations

import ast
import difflib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from grader.explain.repair.context import Context, own, plain
from grader.explain.repair.edits import Text, expressions
from grader.source.bindings import functions
from grader.source.def_use import read

MOST_STEPS = 8
MOST_NAMES = 6
"""Of other names and attributes that are tried in place of one."""
MOST_KEYS, MOST_LACKING = 8, 4
"""Keys of dicts, and texts of the reference, that are tried in place of a text."""
DEFAULTED = ("fromkeys", "get", "getattr", "setdefault")
"""Functions that may be given a value for what is not there."""
SMALL = 3
"""Numbers up to this one are tried everywhere."""


@dataclass(frozen=True)
class Vocabulary:
    """What the learner's program and the reference say anywhere.

    ``said`` are further attributes: those that the thing really has whose attribute was missing.
    ``takes`` has the parameters of what was called on the line of an error, by its text.
    """

    mine: Text
    right: Text
    said: Sequence[str] = ()
    takes: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @cached_property
    def around(self) -> Context:
        """What the learner's program says around a place."""
        return Context(self.mine)

    def names(self, node: ast.AST) -> list[str]:
        """The names of the same kind: of the function or the module; for an unknown one both.

        Not that of the function itself, which would call itself then without end.
        """
        name = getattr(node, "id", "")
        function = self.mine.around(node)
        local = list(self.around.local(function))
        shared = [one for one in self._shared if one != getattr(function, "name", "")]
        if name in local:
            return [one for one in dict.fromkeys(local) if one != "self"]
        return list(dict.fromkeys(shared if name in shared else [*local, *shared]))

    @cached_property
    def _shared(self) -> Sequence[str]:
        bodies = (*self.mine.tree.body, *self.right.tree.body)
        return [name for one in bodies for name in _binds(one)]

    def attributes(self, node: ast.Attribute) -> list[str]:
        """The attributes that things have in either program."""
        return [*self.said, *self._attributes[self._kind(self.mine, node)]]

    def _kind(self, text: Text, node: ast.Attribute) -> tuple[str, bool]:
        """What an attribute is of, the object itself, a module or a value, and if it is called."""
        of = getattr(node.value, "id", "")
        owner = "self" if of == "self" else "module" if of in _modules(text) else "value"
        return owner, self._is_called(text, node)

    @cached_property
    def _attributes(self) -> Mapping[tuple[str, bool], Sequence[str]]:
        """The attributes of each kind, in either program."""
        found: dict[tuple[str, bool], dict[str, None]] = defaultdict(dict)
        for text in (self.mine, self.right):
            for one in text.nodes:
                if isinstance(one, ast.Attribute):
                    found[self._kind(text, one)][one.attr] = None
                elif isinstance(one, ast.FunctionDef):
                    found["self", True][one.name] = None
        return defaultdict(list, {kind: list(names) for kind, names in found.items()})

    def _is_called(self, text: Text, node: ast.AST) -> bool:
        outer = text.parents.get(node)
        return isinstance(outer, ast.Call) and outer.func is node

    @cached_property
    def numbers(self) -> Sequence[str]:
        """The larger numbers that the reference writes down, and its fractions."""
        found = {
            node.value: self.right.of(node)
            for node in self.right.nodes
            if isinstance(node, ast.Constant)
            and type(node.value) in (int, float)
            and not (isinstance(node.value, int) and node.value <= SMALL)
        }
        return list(found.values())

    @cached_property
    def texts(self) -> Sequence[str]:
        """The short texts that either program writes down, and the names of what it calls with.

        Of one with full stops also its pieces.
        """
        found = [
            node.value
            for text in (self.right, self.mine)
            for node in text.nodes
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and not isinstance(text.parents.get(node), ast.Expr)
        ]
        words = [
            node.arg
            for text in (self.right, self.mine)
            for node in text.nodes
            if isinstance(node, ast.keyword | ast.arg) and node.arg
        ]
        pieces = [
            one for text in found if " " not in text for one in text.split(".") if one != text
        ]
        every = dict.fromkeys([*found, *words, *pieces])
        return [one for one in every if one and "\n" not in one]

    @cached_property
    def keys(self) -> Sequence[str]:
        """The texts under which the learner's program keeps something in a dict."""
        dicts = (node for node in self.mine.nodes if isinstance(node, ast.Dict))
        found = [
            key.value
            for one in dicts
            for key in one.keys
            if isinstance(key, ast.Constant) and isinstance(key.value, str)
        ]
        return list(dict.fromkeys(found))[:MOST_KEYS]

    @cached_property
    def constants(self) -> frozenset[str]:
        """The names of the learner's module that stand for a written number, infinite ones too."""
        return frozenset(
            target.id
            for node in self.mine.tree.body
            if isinstance(node, ast.Assign) and _is_number(node.value)
            for target in node.targets
            if isinstance(target, ast.Name)
        )

    @cached_property
    def own(self) -> frozenset[str]:
        """The attributes of the object itself, in either program."""
        return _own(self.mine) | self.theirs

    @cached_property
    def theirs(self) -> frozenset[str]:
        """The attributes of the object itself in the reference."""
        return _own(self.right)

    @cached_property
    def functions(self) -> frozenset[str]:
        """The functions of the learner's module."""
        return frozenset(
            one.name for one in self.mine.tree.body if isinstance(one, ast.FunctionDef)
        )

    @cached_property
    def lacking(self) -> Sequence[str]:
        """The short texts that the reference writes down and the learner's program does not."""
        mine, right = (
            [one.value for one in text.nodes if isinstance(one, ast.Constant)]
            for text in (self.mine, self.right)
        )
        texts = [one for one in right if isinstance(one, str) and one.isidentifier()]
        return [one for one in dict.fromkeys(texts) if one not in mine][:MOST_LACKING]

    @cached_property
    def modules(self) -> frozenset[str]:
        """The names that the learner's program imports."""
        return _modules(self.mine)

    @cached_property
    def _calls(self) -> Mapping[str, Sequence[tuple[Text, ast.Call]]]:
        found: dict[str, list[tuple[Text, ast.Call]]] = {}
        for text in (self.right, self.mine):
            for one in text.nodes:
                if isinstance(one, ast.Call):
                    found.setdefault(called(one), []).append((text, one))
        return found

    def keywords(self, node: ast.Call) -> list[str]:
        """Keyword arguments that a call of this name has elsewhere, and not here."""
        here = {one.arg for one in node.keywords}
        return list(
            dict.fromkeys(
                f"{one.arg}={text.of(one.value)}"
                for text, call in self._calls.get(called(node), ())
                for one in call.keywords
                if one.arg is not None and one.arg not in here
            )
        )

    def positional(self, node: ast.Call) -> list[str]:
        """What comes next in a longer call of this name in the learner's program."""
        given = len(node.args)
        calls = ((text, call) for text, call in self._calls.get(called(node), ()))
        longer = [(text, one.args[given]) for text, one in calls if len(one.args) > given]
        known = {*self.around.variables(node), "self", *self._shared}
        found = [text.of(one) for text, one in longer if text is self.mine or read(one) <= known]
        return list(dict.fromkeys([*found, *self.numbers] if called(node) in DEFAULTED else found))

    def missing(self, node: ast.Call) -> list[str]:
        """What the learner's function of that name takes and this call may lack, in this place."""
        given = len(node.args)
        found = []
        for one in self.mine.nodes:
            if isinstance(one, ast.FunctionDef) and called(node) in (one.name, self._made_by(one)):
                names = [arg.arg for arg in one.args.args if arg.arg != "self"]
                found += [text for name in names[given:] for text in (name, f"self.{name}")]
        return found

    def optional(self, node: ast.Call) -> list[str]:
        """What the learner's function of that name may be given, and a variable here is called."""
        here = {one.arg for one in node.keywords}
        known = self.around.variables(node)
        return [
            arg.arg
            for one in self.mine.nodes
            if isinstance(one, ast.FunctionDef) and one.name == called(node)
            for arg in (*one.args.args[len(node.args) :], *one.args.kwonlyargs)
            if arg.arg in known and arg.arg not in here
        ]

    def taken(self, node: ast.expr) -> list[str] | None:
        """What the function or class of the learner's that is named here takes; None if none is."""
        function = self._own.get(getattr(node, "attr", getattr(node, "id", "")))
        if function is None:
            return None
        plain = [one.arg for one in function.args.args if one.arg != "self"]
        return plain[: len(plain) - len(function.args.defaults)]

    @cached_property
    def _own(self) -> Mapping[str, ast.FunctionDef]:
        """The learner's functions, and for each class what sets up its objects."""
        every = [one for one in self.mine.nodes if isinstance(one, ast.FunctionDef)]
        makers = {self._made_by(one): one for one in reversed(every) if self._made_by(one)}
        return makers | dict(functions(self.mine.tree))

    def meant(self, parameter: str, node: ast.AST) -> str:
        """The variable at a place that a parameter is called like, or the nearest attribute."""
        if parameter in self.around.variables(node):
            return parameter
        kept = sorted(_own(self.mine))
        best = max(kept, key=lambda one: _like(parameter, one), default="")
        return f"self.{best}" if best else "None"

    @cached_property
    def given(self) -> Mapping[str, Sequence[str]]:
        """What calls of either program are given by each name, if it reads no variable."""
        known = self.modules | self.constants
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for text in (self.right, self.mine):
            for one in text.nodes:
                if isinstance(one, ast.keyword) and one.arg and read(one.value) <= known:
                    found[one.arg][text.of(one.value)] = None
        return {name: list(values) for name, values in found.items()}

    def _made_by(self, node: ast.FunctionDef) -> str:
        """The class whose objects a function sets up; empty if none."""
        outer = self.mine.parents.get(node)
        return outer.name if isinstance(outer, ast.ClassDef) and node.name == "__init__" else ""

    def keyword_names(self, node: ast.Call) -> list[str]:
        """The names that a call's function takes; if unknown, those of its calls in any program."""
        given = {one.arg for one in node.keywords}
        if takes := self.takes.get(self.mine.of(node.func)):
            return [one for one in takes if one not in given]
        found = [
            one.arg
            for _, call in self._calls.get(called(node), ())
            for one in call.keywords
            if one.arg is not None
        ]
        return list(dict.fromkeys(found))

    @cached_property
    def _steps(self) -> tuple[tuple[str, str], ...]:
        return tuple(dict.fromkeys(_steps(self.right)))[:MOST_STEPS]

    @cached_property
    def twice(self) -> Sequence[tuple[str, str, str]]:
        """What the reference writes before, between and after two readings of one variable.

        In statements that read no other.
        """
        found = []
        for node in self.right.nodes:
            if isinstance(node, ast.Assign) and len(read(node.value)) == 1:
                names = [one for one in expressions(node) if isinstance(one, ast.Name)]
                spans = sorted(self.right.span(one) for one in names if one.id in read(node.value))
                if len(spans) == 2:
                    (start, end), ((a, b), (c, d)) = self.right.span(node.value), spans
                    text = self.right.data
                    pieces = text[start:a], text[b:c], text[d:end]
                    found.append((pieces[0].decode(), pieces[1].decode(), pieces[2].decode()))
        return list(dict.fromkeys(found))

    def steps(self) -> tuple[tuple[str, str], ...]:
        """What either program writes before and after a value to do something with it alone."""
        return self._steps


def called(node: ast.Call) -> str:
    """The last name of what is called."""
    match node.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def _steps(text: Text) -> Iterator[tuple[str, str]]:
    for node in text.nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=inner)) if plain(node.args):
                method = not isinstance(inner, ast.Name) or inner.id not in _modules(text)
                if method and (node.args or node.keywords):
                    yield "", text.of(node).removeprefix(text.of(inner))
            case ast.Attribute(attr="T"):
                yield "", ".T"
            case ast.Subscript(value=inner, slice=part) if not read(part):
                yield "", text.of(node).removeprefix(text.of(inner))
        match node:
            case ast.Call(args=[ast.expr() as inner, *rest]) if plain(rest):
                whole = text.of(node)
                at = whole.find(text.of(inner))
                if "\n" not in whole and "self" not in whole[:at]:
                    yield whole[:at], whole[at + len(text.of(inner)) :]


def _modules(text: Text) -> frozenset[str]:
    return frozenset(
        one.asname or one.name
        for node in text.tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for one in node.names
    )


def _is_number(node: ast.expr) -> bool:
    """Whether an expression is a number: written so, or as ``float("-inf")`` and ``-math.inf``."""
    while isinstance(node, ast.UnaryOp):
        node = node.operand
    infinite = isinstance(node, ast.Attribute) and node.attr == "inf"
    made = isinstance(node, ast.Call) and called(node) == "float"
    return infinite or made or (isinstance(node, ast.Constant) and plain([node]))


@lru_cache(8)
def _own(text: Text) -> frozenset[str]:
    """The attributes of the object itself."""
    every = (node for node in text.nodes if isinstance(node, ast.Attribute))
    return frozenset(node.attr for node in every if own(node))


def _binds(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (one.asname or one.name.partition(".")[0] for one in node.names)
    elif isinstance(node, ast.Assign):
        yield from (one.id for one in node.targets if isinstance(one, ast.Name))


def nearest(name: str, others: Sequence[str]) -> list[str]:
    """The most similar of other names, the likest first."""
    rest = [one for one in dict.fromkeys(others) if one != name]
    return sorted(rest, key=lambda one: -_like(name, one))[:MOST_NAMES]


@lru_cache(8192)
def _like(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other, False).ratio()


def unlike(one: str, other: str) -> int:
    """How different two names are: 0 to 8."""
    return int(8 * (1 - _like(one, other)))
