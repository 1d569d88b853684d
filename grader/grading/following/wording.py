"""Sentences on a place where a program leaves the path: what it does there, and what is right.

Longer than 300 lines, because all that is said about one departure is worded here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from grader.grading.following import differs, orders
from grader.grading.following.cause import Cause
from grader.grading.following.evaluate import PASSES
from grader.grading.following.kinds import spelled
from grader.grading.following.lesson import Lesson, sizes
from grader.grading.following.omitted import Omitted
from grader.grading.following.relations import Floats, Relation, same
from grader.grading.following.run import operation
from grader.grading.following.trace import Comparison, Departure
from grader.grading.reading.bindings import around
from grader.grading.reading.program import target

FEW = 4  # numbers that are told one by one

HERE = ", which is "
"""How a sentence goes on with what an argument of a helper is called."""


@dataclass(frozen=True)
class Wording:
    """Says one departure in the words of the lesson."""

    lesson: Lesson

    @property
    def comparison(self) -> Comparison:
        """Both runs."""
        return self.lesson.comparison

    def still_right(self, one: Departure, before: int) -> Iterator[str]:
        """The last line above ``before`` whose value the departure takes, and which is right."""
        mine = self.comparison.mine
        known = [v for v in one.sources if self._named(v)]
        if not known:
            return
        last = max(known, key=lambda v: mine.made[v].order)
        at = self.lesson.bound_at(last)
        quantity = self.lesson.own_quantity(last)
        what = f": it gives {quantity}" if quantity else ""
        if at is not None and at < before and self._is_right(at):
            yield f"Line {at} is still right{what}."

    def _is_right(self, line: int) -> bool:
        """Whether the reference has all that the statement on a line ever gave."""
        mine = self.comparison.mine
        gave = (one.value for one in mine.places if self._ends_at(one.node, line))
        return all(map(self.comparison.settled, gave))

    def _ends_at(self, node: int, line: int) -> bool:
        """Whether a node is all that the statement on a line gives, or one of several such."""
        mine = self.comparison.mine
        statement = mine.statement(node)
        given = getattr(statement, "value", None)
        several = isinstance(given, ast.Tuple) and mine.nodes[node] in given.elts
        return getattr(statement, "lineno", 0) == line and (mine.is_whole(node) or several)

    def left_out(self, gap: Omitted, cause: Cause, user: int) -> Iterator[str]:
        """That ``user`` does without a step, which belongs after the line of the gap.

        Or that the line of the gap takes it, and it changes nothing there.
        """
        quantity = self.lesson.own_quantity(gap.have)
        if gap.idle:
            want = self.lesson.quantity(cause.want) or "something else"
            given = quantity or "what it is given"
            yield f"Line {gap.line} changes nothing here: {gap.idle} gives {given} as it is."
            yield f"The reference has {want} there."
            return
        if self._is_right(gap.line):
            yield f"Line {gap.line} is still right{f': it gives {quantity}' if quantity else ''}."
        text = self.comparison.mine.segment(cause.node)
        shown = f": {text}" if len(text) <= differs.MOST_TEXT else ""
        yield f"On line {user} the numbers go wrong{shown}"
        want = self.lesson.quantity(cause.want)
        if want:
            have = quantity or f"what line {gap.line} gives"
            yield f"It uses {have} where the reference uses {want}."
        kind = operation(self.comparison.right.nodes[gap.step.node])
        if self.is_nested(gap) and kind.isidentifier() and kind not in PASSES:
            yield f"The step between the two is missing: {kind}."
        else:
            yield "The step between the two lines is missing."

    def is_nested(self, gap: Omitted) -> bool:
        """Whether the reference takes a step inside the line that uses it, by a call."""
        right = self.comparison.right
        call = isinstance(right.nodes[gap.step.node], ast.Call)
        return call and not right.is_whole(gap.step.node)

    def _named(self, value: int) -> bool:
        """Whether the reference computes this value too, from the same inputs."""
        match = self.comparison.match(value)
        return match is not None and match >= 0 and self.comparison.flows(value)

    def gives(self, one: Departure, cause: Cause, line: int) -> Iterator[str]:
        """What ``line`` does at a departure, and how that differs from the reference."""
        mine = self.comparison.mine
        relation = self._relation(one.relation) if one.relation is not None else ""
        if cause.node != one.node:
            relation = ""
            if not self._begins_otherwise(cause):
                relation = self._other(cause, mine.made[one.value].order)
        multiple = one.relation is not None and one.relation.kind == "scaled"
        worked_out = isinstance(mine.nodes[cause.node], ast.BinOp)
        otherwise = orders.sized(self.comparison, cause.node)
        otherwise = otherwise or self._differs(one, cause)
        first = relation if multiple and worked_out else ""
        used = self.uses(cause)
        # the program has the right one
        kept = cause.have is not None and (", which line " in used or HERE in used)
        said = first or (used if kept else otherwise or used) or relation
        if not said and one.relation is not None and mine.line(one.node) == line:
            said, cause = self._relation(one.relation), Cause(one.node)
        # of an inner expression about which nothing is known, it may be the outer one
        node = cause.node if said or mine.line(one.node) != line else one.node
        text = mine.segment(node)
        there, short = mine.line(node), len(text) <= differs.MOST_TEXT
        shown = f": {text}" if short and there == line else ""
        if there > line and short and not said:
            loops = (one.lineno for one in mine.nodes if isinstance(one, ast.For | ast.While))
            keeps = f"the loop of line {line} fills" if line in loops else f"line {line} keeps"
            yield f"What {keeps} goes wrong on line {there}: {text}"
        else:
            yield f"On line {line} the numbers go wrong{shown}"
        yield from filter(None, (said,))

    def _other(self, cause: Cause, order: int) -> str:
        """The shape that the cause gives, before an entry of the run, and that of the reference.

        Of a few whole numbers, these.
        """
        mine, right = self.comparison.mine, self.comparison.right
        made = [place.value for place in mine.places[:order] if place.node == cause.node]
        if cause.gives is None or not made:
            return ""
        have, want = mine.arrays[made[-1]], right.arrays[cause.gives]
        if have is None or want is None:
            return ""
        if have.shape != want.shape and have.ndim != want.ndim and have.size != want.size:
            return ""
        if have.shape != want.shape:
            told = f"It gives {sizes(have.shape)}, where the reference has "
            return f"{told}{self.lesson.what(cause.gives)}.{self.beside(have, cause)}"
        few = have.size <= FEW and np.isfinite(have).all() and np.isfinite(want).all()
        whole = all(float(one).is_integer() for one in (*have.flat, *want.flat))
        if not few or (not whole and self.comparison.flows(made[-1])):
            return ""
        return f"It holds {_numbers(have)} here, and the reference {_numbers(want)}."

    def _begins_otherwise(self, cause: Cause) -> bool:
        """Whether a cause is made of no value, by another operation than the reference's.

        Such a first step may be one to the same end.
        """
        mine, right = self.comparison.mine, self.comparison.right
        values = mine.values(cause.node)
        if cause.gives is None or any(mine.made[one].sources for one in values if one in mine.made):
            return False
        made = right.nodes[right.made[cause.gives].node]
        return bool(values) and operation(made) != operation(mine.nodes[cause.node])

    def beside(self, have: Floats, cause: Cause) -> str:
        """What else is to be said where the cause gives ``have``, of another shape than it should.

        The sizes may only be in another order.
        """
        want = cause.gives
        array = None if want is None else self.comparison.right.arrays[want]
        if array is not None and (more := differs.longer(have.shape, array.shape)):
            return more
        told = orders.sized(self.comparison, cause.node)
        return f" {told}" if told else ""

    def uses(self, cause: Cause) -> str:
        """Which value is used where the reference has another."""
        if self._reads(cause):
            return ""  # it may use that as well
        have, whole = "", None
        if cause.have is not None:
            whole = self.comparison.piece_of(cause.have)
            have = self.lesson.quantity(whole or self.comparison.match(cause.have))
        want = self.lesson.quantity(cause.want)
        kept, own = self._kept(cause), ""
        if cause.have is not None:
            own = self.read_as(cause.node, cause.have) or self.lesson.own_name(cause.have)
        where = f", which {kept}" if kept and not kept.endswith(f" as {own}") else ""
        there = {ast.unparse(one) for one in ast.walk(self.comparison.mine.nodes[cause.node])}
        have = _as_read(have, own, there)
        if have and want and have != want:
            if whole is not None and self._has_pieces(cause):
                return ""
            return f"It uses {have} where the reference uses {want}{where}."
        if not want and cause.have is not None and kept:
            same = kept.endswith(f" as {own}")
            return "" if same else f"It uses {own} where the reference uses what {kept}."
        if want and self.unsummed(cause):
            return (
                f"The rows of {own} do not sum to 1, as those of {want} do: divide by their sums."
            )
        also = "" if cause.have is not None else "also "
        said = f"The reference {also}uses {want} here{where}."
        return said if want and self._akin(cause) else ""

    def _reads(self, cause: Cause) -> bool:
        """Whether an expression reads what the reference uses as well, by a variable.

        Of two opposite questions, either may be asked.
        """
        mine = self.comparison.mine
        if cause.have is not None and self.comparison.turned(cause.have):
            return True
        names = (one for one in ast.walk(mine.nodes[cause.node]) if isinstance(one, ast.Name))
        values = (value for one in names for value in mine.values(mine.numbers[one]))
        return cause.want is not None and cause.want in map(self.comparison.match, values)

    def _has_pieces(self, cause: Cause) -> bool:
        """Whether the program has a piece of what is wanted as well, like the one that it uses."""
        arrays = self.comparison.mine.arrays
        have = None if cause.have is None else arrays[cause.have]
        alike = (
            value
            for value in self.comparison.mine.made
            if value != cause.have
            and have is not None
            and (array := arrays[value]) is not None
            and array.shape == have.shape
        )
        return any(self.comparison.piece_of(value) == cause.want for value in alike)

    def read_as(self, node: int, value: int) -> str:
        """The variable by which an expression reads a value, or the same numbers; else empty."""
        mine, arrays = self.comparison.mine, self.comparison.mine.arrays
        names = (one for one in ast.walk(mine.nodes[node]) if isinstance(one, ast.Name))
        held = [(one.id, other) for one in names for other in mine.values(mine.numbers[one])]
        found = next((name for name, other in held if other == value), "")
        array = arrays[value]
        if found or array is None:
            return found
        alike = ((name, arrays[other]) for name, other in held)
        return next((name for name, one in alike if one is not None and same(one, array)), "")

    def _akin(self, cause: Cause) -> bool:
        """Whether what is used may stand for what the reference uses, by rank or size."""
        mine = None if cause.have is None else self.comparison.mine.arrays[cause.have]
        right = None if cause.want is None else self.comparison.right.arrays[cause.want]
        if mine is None or right is None:
            return True
        return mine.ndim == right.ndim or mine.size == right.size

    def unsummed(self, cause: Cause) -> bool:
        """Whether only the division by the sum of each row is missing."""
        if cause.have is None or cause.want is None:
            return False
        mine = self.comparison.mine.arrays[cause.have]
        right = self.comparison.right.arrays[cause.want]
        return mine is not None and right is not None and orders.unsummed(mine, right)

    def _kept(self, cause: Cause) -> str:
        """Under which name, and on which line, the program itself has what the reference uses."""
        mine, line = self.comparison.mine, self.comparison.mine.line(cause.node)
        found: dict[bool, str] = {}
        for value in mine.made if cause.want is not None else ():
            if self.comparison.match(value) != cause.want:
                continue
            for statement, part in mine.bindings(value):
                name = target(statement, part)
                if name and statement.lineno < line:
                    kept, user = (around(mine.tree, at) for at in (statement.lineno, line))
                    here = "." in name or kept is user
                    if here:
                        found.setdefault(here, f"line {statement.lineno} keeps as {name}")
        return found.get(True, found.get(False, ""))

    def shapes(self, cause: Cause) -> str:
        """That a value has another shape than the one that the reference uses."""
        if cause.have is None or cause.want is None:
            return ""
        mine = self.comparison.mine.arrays[cause.have]
        right = self.comparison.right.arrays[cause.want]
        if mine is None or right is None or mine.shape == right.shape:
            return ""
        if not self._akin(cause):
            return ""
        own, want = self.lesson.own_name(cause.have), self.lesson.quantity(cause.want)
        if want and self.lesson.quantity(self.comparison.match(cause.have)) not in ("", want):
            return ""
        want = want or self._given_too(cause)
        named = (
            f"{want}, {sizes(right.shape)}" if want not in ("", f"`{own}`") else sizes(right.shape)
        )
        return f"{own} is {sizes(mine.shape)} here; the reference uses {named}."

    def _given_too(self, cause: Cause) -> str:
        """The variable that holds what the reference uses, if the same call is given it as well."""
        mine = self.comparison.mine
        node = mine.nodes[cause.node]
        call = node if isinstance(node, ast.Call) else mine.parents.get(node)
        for one in call.args if isinstance(call, ast.Call) and cause.want is not None else ():
            values = [v for v in mine.values(mine.numbers[one])[-1:] if v != cause.have]
            same_as = any(self.comparison.equal(value, cause.want or 0) for value in values)
            if isinstance(one, ast.Name) and same_as:
                return f"`{one.id}`"
        return ""

    def _differs(self, one: Departure, cause: Cause) -> str:
        """What the operation does otherwise than the reference's: as written, or by its numbers."""
        right = self.comparison.right
        if cause.twin is None and cause.gives is not None:
            return ""
        if cause.twin is not None and cause.have is None:
            return self.written(cause.node, cause.twin)
        if cause.twin is not None or cause.node != one.node or cause.have is not None:
            return ""
        matched = [self.comparison.match(value) for value in one.sources]
        mine = self.comparison.mine
        done = {operation(mine.nodes[mine.made[value].node]) for value in one.sources}
        for value, made in right.made.items():
            if matched and list(made.sources) == matched and value not in self.comparison.matched:
                if operation(right.nodes[made.node]) in done:
                    return ""  # the program takes this step: an epsilon, say, that changes nothing
                return differs.kinds_in(self.comparison, one.node, made.node)
        return ""

    def written(self, node: int, twin: int) -> str:
        """Which written numbers and options differ from those of the reference's operation."""
        mine, right = self.comparison.mine, self.comparison.right
        if spelled(mine.nodes[node]) != spelled(right.nodes[twin]):
            return differs.kinds_in(self.comparison, node, twin)
        arrays = [mine.arrays[value] for value in mine.latest(node)]
        rank = next((one.ndim for one in arrays if one is not None), None)
        return differs.written(mine.nodes[node], right.nodes[twin], rank, self._had)

    def _had(self, node: ast.expr) -> float | None:
        """The one plain number that an expression of the reference had."""
        right = self.comparison.right
        held = {one.value for one in right.scalars.get(right.numbers[node], ())}
        return held.pop() if len(held) == 1 else None

    def _called(self, of: int) -> str:
        """What to call a value of the reference: as the program does, if it lacks that variable."""
        mine, quantity = self.comparison.mine, self.lesson.quantity(of)
        if not quantity.startswith("`") or quantity.strip("`") in mine.names:
            return quantity
        held = [value for value in mine.made if self.comparison.match(value) == of]
        own = [self.lesson.own_name(one) for one in held]
        own += [mine.segment(mine.made[one].node) for one in held]
        other = (o for o in own if o != quantity and len(o) <= differs.MOST_TEXT)
        return next(other, f"what the reference keeps as {quantity}")

    def _relation(self, relation: Relation) -> str:
        quantity = self._called(relation.of)
        if not quantity:
            return ""
        match relation.kind:
            case "scaled" if relation.factor == -1:
                return f"It gives {quantity} with the opposite sign."
            case "scaled":
                return f"It gives {relation.factor:.3g} times {quantity}."
            case "transposed":
                return f"It gives {quantity}, {relation.order}."
            case "reshaped":
                return f"It gives the numbers of {quantity} in another shape."
        return ""


def _numbers(array: Floats) -> str:
    """A few numbers, one after another."""
    return ", ".join(f"{one:.4g}" for one in array.flat)


def _as_read(have: str, own: str, there: set[str]) -> str:
    """What the lesson calls a variable; as the program reads it, if that has no such name there."""
    other = have.startswith("`") and have.strip("`") not in there and own in there
    return f"`{own}`" if other else have
