"""Where a program that raises an error leaves the path, and what the error comes from."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from grader import frameworks
from grader.base.model import Trace
from grader.grading.following.alike import apart
from grader.grading.following.cause import Cause, Causes
from grader.grading.following.differs import MOST_TEXT
from grader.grading.following.given import called_first, calls_given
from grader.grading.following.handed import (
    divided,
    made,
    unreturned,
)
from grader.grading.following.helpers import (
    TEXT_KEY,
    bound_first,
    preset_by,
)
from grader.grading.following.lesson import Lesson, sizes
from grader.grading.following.loops import without_turn
from grader.grading.following.misgiven import given_crosswise, selfless
from grader.grading.following.omitted import forgotten, omitted
from grader.grading.following.repeats import other_axes, returned
from grader.grading.following.rewrite import Rewrite
from grader.grading.following.run import Run, operation
from grader.grading.following.runs import backwards
from grader.grading.following.scalars import Scalars
from grader.grading.following.slips import misfit
from grader.grading.following.telling import Teller
from grader.grading.following.trace import Comparison
from grader.grading.following.wording import Wording
from grader.grading.reading.shown import Slip, crossed
from grader.grading.reading.texts import unfilled
from grader.protocol.probe import SeenError

SHAPES = re.compile("ValueError|IndexError|RuntimeError")
"""Types of errors that come from the shapes of values, and so perhaps from an earlier line."""

NAMES = re.compile("NameError|UnboundLocalError|AttributeError")
"""Types of errors whose expression was not evaluated: what it is not made from says nothing."""

UNKNOWN = re.compile("NameError|UnboundLocalError|FrozenInstanceError")
"""Types of errors that have nothing to do with the shapes on their line."""

OWN_LINE = re.compile(
    r"True and False|if it were True or False|has no entries|by place, and (?:is given|\* hands)"
    "|has no argument"
    "|once by its place"
    "|was called like a function|was not called|cannot be added|takes one axis, and"
    "|besides self, and is given|cannot be gone through"
)
"""What is said of errors that are fixed at their own line, whatever came before it."""

PAIRS = "takes pairs: the last axis"
"""What is said of a product of complex numbers whose pairs are not in the last axis."""

LACKS = re.compile(r"\bneeds \S+ as well")
"""What is said of a call without one of its arguments, which is fixed in that call."""

OWN = re.compile("AttributeError|unexpected keyword argument|as a data type")
"""Errors whose own fix is the better one."""


@dataclass(frozen=True)
class Raising:
    """Says what an error comes from, by ``teller``."""

    teller: Teller

    @property
    def comparison(self) -> Comparison:
        """Both runs."""
        return self.teller.comparison

    @property
    def lesson(self) -> Lesson:
        """The words of the lesson."""
        return self.teller.lesson

    @property
    def wording(self) -> Wording:
        """The sentences on a departure."""
        return self.teller.wording

    @property
    def causes(self) -> Causes:
        """What looks for causes in both runs."""
        return self.teller.causes

    def told(self, error: SeenError) -> Trace:
        """The values on the line that raised an error, and where they went wrong.

        Of a helper that only calls what it is given, the line that gives it that.
        """
        trace, at = self._told(error), self._raised_at(error)
        if trace.slip or trace.line not in (None, error.line) or not self._hands_on(error):
            return trace
        said = f"Line {at} hands over what line {error.line} calls, and with what."
        return replace(trace, told=(*trace.told, said), line=at)

    def _told(self, error: SeenError) -> Trace:
        """The same, where it is found."""
        again = None
        if SHAPES.search(error.type_name):
            again = returned(self.comparison, error) or other_axes(self.comparison, error)
            order = called_first(self.comparison, error)
            if again is None and order is not None:
                return replace(self.teller.slipped(order), elsewhere=True, lone=True)
        if again is not None:
            told = (*self.lesson.shapes_on(error.line or 0), again.said)
            return replace(self.teller.trace(told, again.line), elsewhere=True)
        if (turned := backwards(self.comparison, error)) is not None:
            return replace(self.teller.slipped(turned), elsewhere=True, lone=True)
        line, said = error.line or 0, frameworks.current().translate(error).message
        trace = self._explained(error)
        node = self.comparison.mine.written(line, error.calls[-1].code if error.calls else "")
        shaped = SHAPES.search(error.type_name) and "True and False" not in said
        known = trace.slip or trace.write or not shaped or " is a Dim" in said
        if node is None or known or self.comparison.mine.outran(node):
            return trace
        return self.teller.retried(trace, self._wrong(node), node)

    def _explained(self, error: SeenError) -> Trace:
        """The same, without trying changes."""
        mine, line = self.comparison.mine, error.line or 0
        shaped = UNKNOWN.search(error.type_name) is None
        told = list(self.lesson.shapes_on(line)) if shaped else []
        told_as = frameworks.current().translate(error)
        said, hint = told_as.message, told_as.hint or ""
        slip = _read_from(mine, error, said, hint)
        code = error.calls[-1].code if error.calls else ""
        cause = self._before(line, code, error.type_name)
        origin = None
        if cause is not None:
            scalars = Scalars(self.comparison)
            origin = None if "is a list" in said else scalars.of(cause, len(mine.places))
            cause = self.causes.outside(cause, self._order(cause.node))
        here = ("Write" in hint or hint.startswith("Call it: ")) and (
            error.type_name == "NameError" or OWN_LINE.search(said) is not None
        )
        cause = None if here or PAIRS in said else cause
        slip = slip or (None if here else self.teller.slip(cause))
        idle = slip is not None and slip.said.endswith(", and nothing uses it.")
        if slip is not None and (LACKS.search(said) or idle) and slip.line < line:
            return self.teller.trace((*told, slip.said), line)
        if slip is not None:
            trace = self.teller.slipped(slip, told)
            preset = slip == preset_by(mine.tree, error, said)
            return replace(trace, elsewhere=preset or TEXT_KEY.search(said) is not None)
        if cause is None:
            return self.teller.trace(told, self._raised_at(error))
        gap, other = omitted(self.comparison, cause), forgotten(self.comparison, cause)
        if other is not None and (gap is None or not gap.idle):
            return self.teller.trace((*told, str(other)), other.line, (), self.lesson.filled(cause))
        if gap is not None and gap.line != line:
            lacks = self.teller.left_out(gap, cause, ())
            return replace(lacks, told=(*told, *lacks.told))
        refused = OWN.search(f"{error.type_name}: {error.message}") is not None
        # what the call lacks is not that it is another one
        silent = refused and cause.other
        of_shape = "out of range" not in error.message
        why = () if silent else filter(None, self._why(cause, line, of_shape=of_shape))
        # an error that says what to write is not about the other way in which it is worked out
        fixed_there = "Write" in hint and SHAPES.search(error.type_name) is None
        told += [one for one in why if not (fixed_there and "; the reference " in one)]
        if origin is not None:
            return self.teller.trace(
                (str(origin), *told), origin.line, (), self.lesson.filled(cause)
            )
        return self._caused(error, cause, told)

    def _order(self, node: int, like: int | None = None) -> int:
        """The last entry of the run at which a node gave what is wrong; if nothing, the last.

        Of several values at once, the one that is in the place of ``like`` in the reference.
        """
        places = self.comparison.mine.places
        parts = {one.part for one in self.comparison.right.places if one.value == like}
        every = [n for n, one in enumerate(places) if one.node == node]
        every = [n for n in every if places[n].part in parts] or every
        wrong = [n for n in every if not self.comparison.settled(places[n].value)]
        return (wrong or every or [len(places)])[-1]

    def _caused(self, error: SeenError, cause: Cause, told: list[str]) -> Trace:
        """The trace of an error whose cause is known."""
        mine, line = self.comparison.mine, error.line or 0
        several = error.about is not None and error.about.kind in ("tuple", "list")
        named = NAMES.search(error.type_name) is not None and not (several and cause.gives)
        # an error about a name is where it is raised
        at = line if named or cause.is_bare else self.teller.lines.of(cause)
        blank = self.lesson.filled(cause)
        if at == line:
            lacks = LACKS.search(frameworks.current().translate(error).message) is not None
            # what raised an error about a name was not worked out
            if not (named or blank or lacks or self._takes_several(cause.node)):
                told += self.lesson.said(
                    self.lesson.next_blank(mine.latest(cause.node), cause.node)
                )
            told += self.lesson.said(blank)
        silent = self._only_read(error, cause) or self._hands_on(error)
        write = "" if silent else Rewrite(self.comparison).of(cause)
        sure = not cause.other and OWN.search(f"{error.type_name}: {error.message}") is None
        moved = at != line and cause.gives is not None
        return replace(
            self.teller.trace(told, at, (), blank), write=write, sure=sure, elsewhere=moved
        )

    def _only_read(self, error: SeenError, cause: Cause) -> bool:
        """Whether an error is about an attribute that is not called: it is no step of the way."""
        mine, about_one = self.comparison.mine, error.type_name == "AttributeError"
        node = mine.nodes[cause.node]
        return about_one and isinstance(node, ast.Attribute) and not mine.is_called(node)

    def _takes_several(self, node: int) -> bool:
        """Whether a node takes a list of values: the next step is not one on the last of them."""
        mine, inner = self.comparison.mine, {*self.comparison.mine.inner(node)}
        return any(place.part > 0 and place.node in inner for place in mine.places)

    def _raised_at(self, error: SeenError) -> int:
        """The line that raised an error; of a helper that is right, the one that calls it."""
        given = error.function in self.comparison.proven - {"__call__"} or self._hands_on(error)
        return error.calls[-2].line if given and len(error.calls) > 1 else error.line or 0

    def _hands_on(self, error: SeenError) -> bool:
        """Whether a helper raised it that only calls what it is given."""
        mine = self.comparison.mine
        node = mine.written(error.line or 0, error.calls[-1].code if error.calls else "")
        return node is not None and calls_given(mine, node)

    def _before(self, line: int, code: str, error: str) -> Cause | None:
        """The cause of an error that the expression ``code`` raised at ``line``."""
        mine = self.comparison.mine
        node = mine.written(line, code)
        if node is None:
            return None
        if mine.outran(node):  # what it took at the error is not known
            return Cause(node)
        for outer in (node, *mine.outer(node)):
            cause = self.causes.at(outer, mine.latest(outer), len(mine.places))
            twin = cause.twin
            if twin is not None and self.comparison.in_other_function(outer, twin):
                continue
            if NAMES.search(error) and cause.want is not None:
                continue
            if cause.twin is not None or cause.gives is not None:
                return self._where_left(cause)
        if NAMES.search(error):
            return Cause(node)
        for value in mine.latest(node) if SHAPES.search(error) else ():
            found = self.comparison.departures(value)
            if found and self.comparison.flows(value) and not self.comparison.settled(value):
                return replace(self.causes.of(found[0]), twin=None)
        return self.causes.at(node, mine.latest(node), len(mine.places))

    def _where_left(self, cause: Cause) -> Cause:
        """The cause; or where the path is left before it, if that uses what is wrong already."""
        if cause.gives is None or cause.have is not None:
            return cause
        for value in self.comparison.mine.latest(cause.node):
            if self.comparison.settled(value) or not self.comparison.flows(value):
                continue
            found = self.comparison.departures(value)
            first = next((one for one in map(self.causes.of, found) if one.gives is not None), None)
            if first is not None:
                return replace(first, twin=None)
        return cause

    def _why(self, cause: Cause, line: int, *, of_shape: bool) -> Iterator[str]:
        """What an error came from; of one that is not ``of_shape`` no shape alone is told."""
        mine = self.comparison.mine
        at = self.teller.lines.of(cause)
        text = mine.segment(cause.node)
        if said := apart(self.comparison, cause.node):
            yield f"On line {at}, {said}"
            return
        if cause.want is not None:
            if said := self.wording.shapes(cause) or self.wording.uses(cause):
                yield said if at == line else f"Line {at}: {said}"
        elif cause.twin is not None and (said := self.wording.written(cause.node, cause.twin)):
            kind = operation(mine.nodes[cause.node])
            named = isinstance(mine.nodes[cause.node], ast.Call) and said.startswith("It ")
            told = f"{kind} {said.removeprefix('It ')}" if named else said
            yield said if at == line else f"Line {at}: {told}"
        elif cause.gives is not None:
            want = self.lesson.what(cause.gives)
            if not want or (want.startswith("[") and (not of_shape or self._is_read(cause.gives))):
                return
            order = self._order(cause.node, cause.gives)
            made = mine.places[order] if order < len(mine.places) else None
            array = None if made is None else mine.arrays[made.value]
            right = (o for o in mine.latest(cause.node) if self.comparison.equal(o, cause.gives))
            before = any(o not in mine.made or mine.line(mine.made[o].node) != at for o in right)
            if at < line and before:
                yield f"Line {at} comes too early: line {line} needs {want} as it was before."
                return
            there = self.comparison.right.arrays[cause.gives]
            other = array is not None and there is not None and array.ndim != there.ndim
            other = other and not self.teller.lines.lacks_axes(cause)
            if at != line and other and array is not None and not self.wording.beside(array, cause):
                return
            if at == line or array is None:
                short = not mine.is_whole(cause.node) and len(text) <= MOST_TEXT
                place = f", in place of {text}" if short else ""
                said = f"From the same values the reference computes {want} here{place}."
                yield said
            else:
                shown = text if len(text) <= MOST_TEXT else "this line"
                turned = self.teller.lines.ordered(cause)
                by = "" if turned is None else f", in {operation(mine.nodes[turned])}"
                alike = there is not None and there.shape == array.shape
                gives = "gives other numbers" if alike else f"gives {sizes(array.shape)}"
                yield (
                    f"It goes wrong on line {at}{by}: {shown} {gives}, "
                    f"where the reference has {want}.{self.wording.beside(array, cause)}"
                )

    def _is_read(self, value: int) -> bool:
        """Whether the reference only reads a value, as a weight: it does not compute it."""
        right = self.comparison.right
        return isinstance(right.nodes[right.made[value].node], ast.Attribute | ast.Name)

    def _wrong(self, node: int) -> list[int]:
        """The values that a node takes of which something made before it is wrong."""
        compared = self.comparison
        taken = compared.mine.latest(node)
        return [one for one in taken if compared.flows(one) and not compared.settled(one)]


def _read_from(mine: Run, error: SeenError, said: str, hint: str) -> Slip | None:
    """The slip that an error shows by itself, without the values; ``said`` is what it means."""
    return (
        next(crossed(mine.tree), None)
        or unfilled(mine.tree, error.message)
        or selfless(mine.tree, error)
        or bound_first(mine.tree, error)
        or unreturned(mine.tree, said)
        or divided(mine, error, said)
        or given_crosswise(mine.tree, error, said)
        or misfit(mine.tree, error, said, mine.ran)
        or made(mine.tree, error, f"{said} {hint}", mine.ran)
        or preset_by(mine.tree, error, said)
        or without_turn(mine, error)
    )
