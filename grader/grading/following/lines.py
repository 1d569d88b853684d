"""The line to change for a cause: where what is wrong about it is decided."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from grader.grading.following.cause import Cause
from grader.grading.following.evaluate import PLAIN
from grader.grading.following.relations import same
from grader.grading.following.run import Run, operation
from grader.grading.following.trace import Comparison
from grader.grading.reading.bindings import around, bound, callee, functions, targets

ORDERS = ("permute", "transpose", "swapaxes", "reshape")
"""Operations that decide the order of axes."""

CONVERTS = ("Tensor", "constant", "from_dlpack")
"""Calls that make a tensor of an array, with the same numbers."""


@dataclass(frozen=True)
class Lines:
    """Looks for lines in one comparison."""

    comparison: Comparison

    @property
    def mine(self) -> Run:
        """The learner's run."""
        return self.comparison.mine

    def of(self, cause: Cause) -> int:
        """The line of a cause; of a tensor that the object keeps, the line that sets it.

        Of a call in a chain over several lines it is the method's own.
        """
        mine = self.mine
        line, node = mine.line(cause.node), mine.nodes[cause.node]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            line = node.func.end_lineno or line
        if isinstance(node, ast.Attribute):
            statement = bound(mine.tree, mine.of(node), line)
            return line if statement is None else statement.lineno
        if (given := self._converted(node)) is not None and not self.lacks_axes(cause):
            return given
        if (kept := self._kept(cause)) is not None:
            return kept
        if (piped := self._piped(cause)) is not None:
            return piped
        order = self.ordered(cause)
        return line if order is None else mine.line(order)

    def _kept(self, cause: Cause) -> int | None:
        """The line that only keeps the wrong value under another name, for this line alone."""
        mine = self.mine
        inner = list(ast.walk(mine.nodes[cause.node]))
        names = [one for one in inner if isinstance(one, ast.Name)]
        for name in names if cause.have is not None and cause.want is not None else ():
            made = bound(mine.tree, name.id, name.lineno)
            piece = cause.have is not None and self.comparison.piece_of(cause.have) is not None
            kinds = (ast.Name, ast.Subscript) if piece else (ast.Name,)
            if not isinstance(made, ast.Assign) or not isinstance(made.value, kinds):
                continue
            if self._set_anew(name, made):
                continue
            if self._rightly_named(name.id, cause.have):
                continue
            if cause.have in mine.values(mine.numbers[name]) and self._alone(name, made):
                return made.lineno
        return None

    def _set_anew(self, name: ast.Name, made: ast.stmt) -> bool:
        """Whether a loop that comes after ``made`` gives the variable, which it reads, a value."""
        outer = self.mine.parents.get(name)
        while outer is not None and not isinstance(outer, ast.FunctionDef):
            loop = isinstance(outer, ast.For | ast.While) and outer.lineno > made.lineno
            if loop and any(name.id in targets(one) for one in ast.walk(outer)):
                return True
            outer = self.mine.parents.get(outer)
        return False

    def _piped(self, cause: Cause) -> int | None:
        """The lambda, one of several functions, that gave the next one what it was itself given."""
        mine, call = self.mine, self.mine.nodes[cause.node]
        named = isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        if not named or callee(call) in functions(mine.tree):
            return None
        gave = [one.value for one in mine.places if one.node == cause.node]
        wrong = next((one for one in gave if not self._is_worked_out(one)), None)
        for place in mine.places if wrong is not None else ():
            outer: ast.AST | None = mine.nodes[place.node]
            while outer is not None and not isinstance(outer, ast.Lambda | ast.stmt):
                outer = mine.parents.get(outer)
            if place.value == wrong and isinstance(outer, ast.Lambda):
                return outer.lineno
        return None

    def _is_worked_out(self, value: int) -> bool:
        """Whether a value is the reference's, and not just what the program was given."""
        given = isinstance(self.mine.nodes[self.mine.made[value].node], ast.FunctionDef)
        return self.comparison.known(value) and not given

    def _rightly_named(self, name: str, value: int | None) -> bool:
        """Whether the reference gives a value the same name: then it is wrong where it is read."""
        match = None if value is None else self.comparison.match(value)
        bindings = self.comparison.right.bindings(match)
        return match is not None and any(name in targets(one) for one, _ in bindings)

    def _alone(self, name: ast.Name, made: ast.stmt) -> bool:
        """Whether nothing else reads what a statement gives a variable, until it gets another."""
        tree = self.mine.tree
        inside = around(tree, made.lineno) or tree
        every = (one for one in ast.walk(inside) if isinstance(one, ast.stmt))
        stored = (one.lineno for one in every if name.id in targets(one))
        until = min((line for line in stored if line > made.lineno), default=name.lineno)
        others = [
            one
            for one in ast.walk(inside)
            if isinstance(one, ast.Name)
            and one.id == name.id
            and made.lineno < one.lineno <= until
            and isinstance(one.ctx, ast.Load)
            and not isinstance(self.mine.parents.get(one), ast.Attribute)  # its dtype or shape
        ]
        return all(one.lineno == name.lineno for one in others)

    def lacks_axes(self, cause: Cause) -> bool:
        """Whether a value has the numbers that the reference's have, and not as many axes."""
        right = None if cause.gives is None else self.comparison.right.arrays[cause.gives]
        for value in self.mine.values(cause.node) if right is not None else ():
            array = self.mine.arrays[value]
            if array is not None and right is not None and array.ndim != right.ndim:
                return array.size == right.size and same(array.reshape(-1), right.reshape(-1))
        return False

    def _converted(self, node: ast.AST) -> int | None:
        """The line that works out the array of which a call only makes a tensor."""
        if not isinstance(node, ast.Call) or not node.args:
            return None
        array = node.args[0]
        if not isinstance(array, ast.Name):
            return None
        listed = operation(node) in PLAIN and not self.mine.gave(self.mine.numbers[array])
        if operation(node) not in CONVERTS and not listed:
            return None
        made = bound(self.mine.tree, array.id, node.lineno)
        whole = isinstance(made, ast.Assign) and not isinstance(made.value, ast.List)
        if made is None or not whole:
            return None
        return made.lineno

    def ordered(self, cause: Cause) -> int | None:
        """The node that orders the axes of a tensor, where a piece of it has the wrong order."""
        mine, want = self.mine, cause.gives
        if not isinstance(mine.nodes[cause.node], ast.Subscript) or want is None:
            return None
        values, sources = mine.values(cause.node), mine.latest(cause.node)
        array = mine.arrays[values[-1]] if values else None
        right = self.comparison.right.arrays[want]
        if array is None or right is None or len(sources) != 1 or array.shape == right.shape:
            return None
        made = mine.made[sources[0]]
        turned = operation(mine.nodes[made.node]) in ORDERS
        alike = sorted(array.shape) == sorted(right.shape)
        here = mine.function(made.node) == mine.function(cause.node)
        return made.node if turned and alike and here else None
