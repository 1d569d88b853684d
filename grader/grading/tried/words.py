"""The names, arguments and steps that may occur at a place of a program."""

from __future__ import annotations

import ast
import difflib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise

from grader.grading.tried.text import Text
from grader.source.variables import read, reads, stored, stores

MOST_STEPS = 12
MOST_NAMES = 6
"""Of other names and attributes that are tried in place of one."""
MOST_MODULES = 4
DEFAULTED = ("fromkeys", "get", "getattr", "setdefault")
"""Functions that may be given a value for what is not there."""
SMALL = 3
"""Numbers up to this one are tried everywhere."""


@dataclass(frozen=True)
class Words:
    """What the learner's program and the reference say anywhere.

    ``said`` are further attributes: those that the thing really has whose attribute was missing.
    """

    mine: Text
    right: Text
    said: Sequence[str] = ()
    _locals: dict[ast.AST | None, tuple[str, ...]] = field(default_factory=dict)
    _again: dict[ast.AST | None, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    _unread: dict[ast.AST | None, tuple[str, ...]] = field(default_factory=dict)

    def names(self, node: ast.AST) -> list[str]:
        """The names of the same kind: of the function or the module; for an unknown one both."""
        name = getattr(node, "id", "")
        function = self.mine.around(node)
        local = list(self._local(function))
        shared = self._shared
        if name in local:
            return [one for one in dict.fromkeys(local) if one != "self"]
        return list(dict.fromkeys(shared if name in shared else [*local, *shared]))

    def variables(self, node: ast.AST) -> list[str]:
        """The names that the function around a node takes or gives a value."""
        return [one for one in self._local(self.mine.around(node)) if one != "self"]

    def unread(self, node: ast.AST) -> tuple[str, ...]:
        """What the function around a node takes or makes and never reads; attributes likewise."""
        function = self.mine.around(node)
        if function not in self._unread:
            made = self._local(function) if function is not None else ()
            known = read(function) if function is not None else frozenset()
            own = self._unread_attributes if "self" in made else ()
            names = (one for one in made if one not in known and one not in ("self", "_"))
            self._unread[function] = (*names, *own)
        return self._unread[function]

    @cached_property
    def _unread_attributes(self) -> tuple[str, ...]:
        found = {
            node.attr
            for node in self.mine.nodes
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
        }
        return tuple(f"self.{one}" for one in sorted(self.set_attributes - found))

    def beside(self, node: ast.Name) -> list[str]:
        """The names that may be meant by another: what its statement makes, at the same place.

        Also those that a statement makes together with it.
        """
        statement = self.mine.statement(self.mine.numbers[node])
        found = list(_answers(self.mine, statement, node))
        for names in self._together:
            found += names if node.id in names else []
        return [one for one in dict.fromkeys(found) if one != node.id]

    @cached_property
    def _together(self) -> list[list[str]]:
        """The names that one assignment of a tuple, or two that follow each other, give a value."""
        tuples = [node for node in self.mine.nodes if isinstance(node, ast.Tuple)]
        made = [list(_targets(node)) for node in tuples if isinstance(node.ctx, ast.Store)]
        for one in self.mine.nodes:
            if isinstance(one, ast.FunctionDef):
                plain = [node for node in one.body if isinstance(node, ast.Assign)]
                made += [
                    [*_targets(a.targets[0]), *_targets(b.targets[0])] for a, b in pairwise(plain)
                ]
        return made

    def _local(self, function: ast.AST | None) -> tuple[str, ...]:
        if function not in self._locals:
            found = _names(function) if function is not None else ()
            self._locals[function] = tuple(dict.fromkeys(found))
        return self._locals[function]

    @cached_property
    def _shared(self) -> list[str]:
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
    def _attributes(self) -> dict[tuple[str, bool], list[str]]:
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

    def read_after(self, node: ast.stmt, target: str) -> list[str]:
        """The variables of a function that it reads after a statement; none if ``target`` is."""
        function = self.mine.around(node)
        if function is None:
            return []
        end, known = node.end_lineno or node.lineno, stored(function)
        found = [one.id for one in reads(function) if one.lineno > end]
        return [one for one in dict.fromkeys(found) if one in known and target not in found]

    def read_in(self, node: ast.AST) -> frozenset[str]:
        """What the function around a node reads."""
        function = self.mine.around(node)
        return read(function) if function is not None else frozenset()

    @cached_property
    def numbers(self) -> list[str]:
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
    def texts(self) -> list[str]:
        """The short texts that either program writes down, and the names of what it calls with."""
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
        return [one for one in dict.fromkeys([*found, *words]) if one and "\n" not in one]

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
        return frozenset(
            node.attr
            for text in (self.mine, self.right)
            for node in text.nodes
            if isinstance(node, ast.Attribute) and _own(node)
        )

    @cached_property
    def set_attributes(self) -> frozenset[str]:
        """Every attribute that the learner's program sets."""
        found = (node for node in self.mine.nodes if isinstance(node, ast.Attribute))
        return frozenset(node.attr for node in found if isinstance(node.ctx, ast.Store))

    @cached_property
    def bounds(self) -> list[str]:
        """The bounds of the learner's slices."""
        slices = [node for node in self.mine.nodes if isinstance(node, ast.Slice)]
        found = [one for node in slices for one in (node.lower, node.upper) if one is not None]
        return list(dict.fromkeys(self.mine.of(one) for one in found))[:MOST_NAMES]

    @cached_property
    def spans(self) -> list[tuple[str, str]]:
        """Both bounds of the learner's slices that have two."""
        slices = [node for node in self.mine.nodes if isinstance(node, ast.Slice)]
        both = [(one.lower, one.upper) for one in slices if one.lower and one.upper]
        found = [(self.mine.of(lower), self.mine.of(upper)) for lower, upper in both]
        return list(dict.fromkeys(found))[:MOST_NAMES]

    def turns(self, node: ast.AST) -> list[str]:
        """The variables of the loops and comprehensions around a node."""
        found: list[str] = []
        outer = self.mine.parents.get(node)
        while outer is not None:
            loops = [outer, *getattr(outer, "generators", ())]
            kinds = ast.For | ast.comprehension
            found += [n for one in loops if isinstance(one, kinds) for n in _targets(one.target)]
            outer = self.mine.parents.get(outer)
        return found

    def in_method(self, node: ast.AST) -> bool:
        """Whether a node is in a function that has ``self``."""
        return "self" in self._local(self.mine.around(node))

    def defines(self, name: str) -> bool:
        """Whether the learner's objects have an attribute of that name."""
        return name in self.set_attributes or name in self._methods

    @cached_property
    def _methods(self) -> frozenset[str]:
        defined = (node for node in self.mine.nodes if isinstance(node, ast.FunctionDef))
        return frozenset(
            one.name for one in defined if isinstance(self.mine.parents[one], ast.ClassDef)
        )

    def is_list(self, node: ast.stmt, name: str) -> bool:
        """Whether a function makes a variable an empty list, elsewhere than in a statement."""
        function = self.mine.around(node)
        return function is not None and any(
            one is not node
            and self.mine.around(one) is function
            and any(isinstance(to, ast.Name) and to.id == name for to in one.targets)
            for one in self._emptied
        )

    @cached_property
    def _emptied(self) -> tuple[ast.Assign, ...]:
        """The statements that make a variable an empty list."""
        found = (node for node in self.mine.nodes if isinstance(node, ast.Assign))
        return tuple(one for one in found if isinstance(one.value, ast.List) and not one.value.elts)

    def undefined(self, node: ast.AST) -> list[str]:
        """The functions or classes that the reference defines and the program does not."""
        theirs, ours = (
            {one.name for one in text.nodes if type(one) is type(node) and hasattr(one, "name")}
            for text in (self.right, self.mine)
        )
        special = {"__init__", "__call__"} if isinstance(node, ast.FunctionDef) else set()
        return sorted((theirs | special) - ours)

    @cached_property
    def modules(self) -> frozenset[str]:
        """The names that the learner's program imports."""
        return _modules(self.mine)

    @cached_property
    def owners(self) -> list[str]:
        """The modules of which the learner's program calls functions."""
        found = [
            node.func.value.id
            for node in self.mine.nodes
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ]
        return [one for one in dict.fromkeys(found) if one in self.modules][:MOST_MODULES]

    @cached_property
    def _calls(self) -> dict[str, list[tuple[Text, ast.Call]]]:
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
        calls = (call for text, call in self._calls.get(called(node), ()) if text is self.mine)
        found = [self.mine.of(one.args[given]) for one in calls if len(one.args) > given]
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

    def _made_by(self, node: ast.FunctionDef) -> str:
        """The class whose objects a function sets up; empty if none."""
        outer = self.mine.parents.get(node)
        return outer.name if isinstance(outer, ast.ClassDef) and node.name == "__init__" else ""

    def keyword_names(self, node: ast.Call) -> list[str]:
        """The names of keyword arguments that a call of this name has in any program."""
        found = [
            one.arg
            for _, call in self._calls.get(called(node), ())
            for one in call.keywords
            if one.arg is not None
        ]
        return list(dict.fromkeys(found))

    @cached_property
    def _steps(self) -> tuple[tuple[str, str], ...]:
        theirs = tuple(dict.fromkeys(_steps(self.right)))[:MOST_STEPS]
        own = (one for one, _ in Counter(_steps(self.mine)).most_common(MOST_STEPS))
        return tuple(dict.fromkeys((*theirs, *own)))

    def steps(self) -> tuple[tuple[str, str], ...]:
        """What either program writes before and after a value to do something with it alone."""
        return self._steps

    def again(self, node: ast.AST) -> tuple[tuple[str, str], ...]:
        """What the function around a node writes before and after a value in calls of its own."""
        function = self.mine.around(node)
        if function not in self._again:
            some = ast.walk(function) if function is not None else ()
            calls = (one for one in some if isinstance(one, ast.Call))
            self._again[function] = tuple(dict.fromkeys(_again(self.mine, calls)))[:MOST_STEPS]
        return self._again[function]


def _targets(node: ast.expr) -> Iterator[str]:
    """The variables that a target names, alone or in a tuple."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    yield from (one.id for one in parts if isinstance(one, ast.Name))


def _answers(mine: Text, statement: ast.stmt | None, node: ast.AST) -> Iterator[str]:
    """The variables that get the value of the part of a statement in which a node is."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            start, end = mine.span(node)
            for target, value in zip(targets, values, strict=False):
                first, last = mine.span(value)
                if first <= start and end <= last:
                    yield from _targets(target)
        case ast.Assign(targets=[ast.Name(id=name)]):
            yield name


def called(node: ast.Call) -> str:
    """The last name of what is called."""
    match node.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def _steps(text: Text) -> Iterator[tuple[str, str]]:
    for node in text.nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=inner)) if _plain(node.args):
                method = not isinstance(inner, ast.Name) or inner.id not in _modules(text)
                if method and (node.args or node.keywords):
                    yield "", text.of(node).removeprefix(text.of(inner))
            case ast.Attribute(attr="T"):
                yield "", ".T"
        match node:
            case ast.Call(args=[ast.expr() as inner, *rest]) if _plain(rest):
                whole = text.of(node)
                at = whole.find(text.of(inner))
                if "\n" not in whole and "self" not in whole[:at]:
                    yield whole[:at], whole[at + len(text.of(inner)) :]


def _again(text: Text, calls: Iterator[ast.Call]) -> Iterator[tuple[str, str]]:
    """What is written around the first argument of calls that are given only names besides."""
    for node in calls:
        rest = [*node.args[1:], *(one.value for one in node.keywords)]
        names = all(isinstance(one, ast.Name | ast.Constant) for one in rest)
        if node.args and names and not (_plain(rest) and not _own_call(node)):
            (start, end), (first, last) = text.span(node), text.span(node.args[0])
            before, after = text.data[start:first].decode(), text.data[last:end].decode()
            if "\n" not in before + after:
                yield before, after


def _own_call(node: ast.Call) -> bool:
    """Whether a call is of a part of the object itself."""
    return isinstance(node.func, ast.Attribute) and _own(node.func)


def _plain(parts: Sequence[ast.expr]) -> bool:
    """Whether these are numbers only."""
    return all(
        isinstance(one, ast.Constant)
        or (isinstance(one, ast.UnaryOp) and isinstance(one.operand, ast.Constant))
        for one in parts
    )


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
    return infinite or made or (isinstance(node, ast.Constant) and _plain([node]))


def _own(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _names(function: ast.AST) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.comprehension):
            yield from (one.id for one in ast.walk(node.target) if isinstance(one, ast.Name))
    yield from (node.id for node in stores(function))


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
