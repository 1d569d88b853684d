"""Where a program leaves the reference's path: the line, and what is told.

Longer than 300 lines, because the order in which the explanations are tried is the subject.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from grader.base.model import Trace
from grader.grading.following.alike import (
    copied,
    grown,
    own_way,
    unturned,
)
from grader.grading.following.arguments import crosswise, namesake
from grader.grading.following.cause import Cause, Causes
from grader.grading.following.complexes import made_of
from grader.grading.following.decided import decided
from grader.grading.following.differs import MOST_TEXT
from grader.grading.following.early import returned_early
from grader.grading.following.factors import misscaled
from grader.grading.following.given import called_in_turn, calls_given, composed
from grader.grading.following.given_numbers import numbers
from grader.grading.following.lesson import Lesson
from grader.grading.following.lines import Lines
from grader.grading.following.margin import margin
from grader.grading.following.nans import multiplied
from grader.grading.following.omitted import (
    Omitted,
    omitted,
    wasted,
)
from grader.grading.following.retried import Change, Retried
from grader.grading.following.scalars import Scalars
from grader.grading.following.shifted import shifted
from grader.grading.following.spreads import shaped
from grader.grading.following.trace import Comparison, Departure
from grader.grading.following.wording import Wording
from grader.grading.reading.bindings import (
    around,
    bound,
    exchanged_at,
    reads,
    statement_at,
)
from grader.grading.reading.shown import (
    Slip,
    crossed,
    left_early,
    reordered,
    repeated,
)

ON_ANOTHER = ("It uses ", "The reference uses ", "The reference also uses ")
"""How sentences begin that are about one expression, and say nothing once another is quoted."""

GIVES = "It gives "
"""How a sentence begins on what the quoted expression gives."""

STILL_RIGHT = re.compile(r"Line (\d+) is still right")
"""How a sentence begins that names a line before the one to change."""

GOES_WRONG = re.compile(r"^On line (\d+) the numbers go wrong")
SHOWS = r"Line \1 uses it, and there the numbers go wrong"
"""How a sentence begins on a line that goes wrong, and what is said where another is to blame."""

BETWEEN = "between the two"
"""What a sentence says that needs both lines before it."""

MOST_DEPARTURES = 2
"""Where a program leaves the path at more places than this, it goes another way altogether."""


@dataclass(frozen=True)
class Teller:
    """Says what a comparison found, in the words of the lesson."""

    lesson: Lesson

    def departed(self, result: int | None, wanted: int | None) -> Trace:
        """Where the values on the way to ``result`` leave the path; the right one is ``wanted``."""
        if (born := multiplied(self.comparison, result, wanted)) is not None:
            return self.slipped(born)
        rows = shifted(self.comparison, result, wanted)
        rows = rows or decided(self.comparison, result, wanted)
        if rows is not None:
            return self.slipped(rows)
        trace = self._departed_at(result, wanted)
        wrong = () if result is None else (result,)
        return trace if trace.slip or not wrong else self.retried(trace, wrong)

    def retried(self, trace: Trace, wrong: Sequence[int], error: int | None = None) -> Trace:
        """The trace, with the one small change that would make a value right; if need be, there."""
        mine = self.comparison.mine
        change = Retried(self.comparison).found(wrong, error)
        if change is None or len(change.text) > MOST_TEXT:
            return trace
        line, quantity = mine.line(change.node), self.lesson.quantity(change.value)
        old = mine.segment(change.node)
        instead = f" instead of {old}" if len(old) <= MOST_TEXT else ""
        by_hand = change.value is not None and change.value < 0
        other = "a step of what the reference computes" if by_hand else "what the reference has"
        if quantity.startswith("`"):
            quantity = ""  # the program calls nothing so, or something else
        gives = ", this would lead to" if change.around else ", this would give"
        gives = ", the result would be" if change.onward else gives
        said = f"With {change.text}{instead}{gives} {quantity or other}."
        if line in statement_at(mine.tree, trace.line or 0):
            told = [*trace.told]
            goes = f"On line {line} the numbers go wrong"
            moved = any(one.startswith(f"{goes}:") and one != f"{goes}: {old}" for one in told)
            told = [f"{goes}: {old}" if one.startswith(f"{goes}:") else one for one in told]
            told = [one for one in told if not (moved and one.startswith((*ON_ANOTHER, GIVES)))]
            return replace(trace, told=(*told, said))
        if trace.line is not None and (change.renames or self._does_without(change, trace.line)):
            return trace
        first = tuple(one for value in wrong for one in self.comparison.departures(value))
        where = f"On line {line} the numbers go wrong: {mine.segment(change.node)}"
        return self.trace((where, said), line, first)

    def _does_without(self, change: Change, made: int) -> bool:
        """Whether a change only leaves out what ``__init__`` makes wrong, on the line ``made``."""
        tree, old = self.comparison.mine.tree, self.comparison.mine.nodes[change.node]
        inside, user = around(tree, made), self.comparison.mine.line(change.node)
        new = ast.dump(change.new)
        kept = inside is not None and inside.name == "__init__" and inside is not around(tree, user)
        return kept and any(ast.dump(one) == new for one in ast.walk(old))

    def _departed_at(self, result: int | None, wanted: int | None) -> Trace:
        """The same, without trying changes."""
        if result is not None and self.comparison.known(result):
            return self._returned(result, wanted)
        every = () if result is None else self.comparison.departures(result)
        found = tuple(one for one in every if len(every) == 1 or not self._is_first_step(one))
        found = tuple(one for one in found if not self.comparison.swaps(one)) or found
        found = tuple(one for one in found if not self._scales_early(one)) or found
        found = self._but_rewritten(found)
        if (made := made_of(self.comparison, found)) is not None:
            return self._made_on(made, found)
        lines = {self.comparison.mine.line(one.node): one for one in map(self.causes.of, found)}
        cause = next(iter(lines.values()), None) if len(lines) <= MOST_DEPARTURES else None
        if cause is not None and len(found) == 1 and self.comparison.from_nothing(found[0]):
            own = own_way(self.comparison, cause, found[0])
            cause = self._from_result(result, wanted) or (None if own else cause)
        slip = self.slip(cause, found[0] if found else None)
        slip = slip or crosswise(self.comparison) or namesake(self.comparison, found)
        if slip is not None:
            also = None if cause is None else self.lines.of(cause)
            return replace(self.slipped(slip, (), found), also=also)
        if cause is None or (cause.is_bare and len(lines) > 1):
            return self.trace()
        first, line = found[0], self.lines.of(cause)
        odd = unturned(self.comparison, cause)
        odd = odd or misscaled(self.comparison, found)
        if odd is not None:
            return self.slipped(odd, tuple(self.wording.still_right(first, odd.line)), found)
        gap = omitted(self.comparison, cause)
        if gap is not None:
            return self.left_out(gap, cause, found)
        return self._unlike(cause, found, line)

    def _made_on(self, node: int, found: Sequence[Departure]) -> Trace:
        """The line of complex numbers that are wrong, or of what these are made of."""
        mine = self.comparison.mine
        whole = mine.statement(node)
        text = mine.of(value) if (value := getattr(whole, "value", None)) else mine.segment(node)
        line = mine.line(node)
        return self.trace((f"On line {line} the numbers go wrong: {text}",), line, found)

    def _unlike(self, cause: Cause, found: Sequence[Departure], line: int) -> Trace:
        """What ``line`` does otherwise than the reference, where it leaves the path."""
        first = found[0]
        if (given := self._handed_in(cause, found, line)) is not None:
            return given
        if (shape := shaped(self.comparison, cause)) is not None:
            also = self.comparison.mine.line(cause.node)
            return replace(self.slipped(shape, (), found), also=also)
        where, *why = self.wording.gives(first, cause, line)
        told = [*self.wording.still_right(first, line), where, *why]
        order = self.comparison.mine.made[first.value].order
        origin = Scalars(self.comparison).of(self.causes.inside(first), order)
        if origin is not None:  # of another number, what is done with it may well be right
            told = [one for one in told if "; the reference " not in one]
            told = [one for one in told if not one.startswith(ON_ANOTHER)]
            told = [GOES_WRONG.sub(SHOWS, one) for one in told]
            told = [str(origin), *(one for one in told if not STILL_RIGHT.match(one)), *told]
            return self.trace(
                tuple(dict.fromkeys(told)), origin.line, found, self.lesson.filled(cause)
            )
        return self._of_step(cause, found, told, line)

    def _of_step(
        self, cause: Cause, found: Sequence[Departure], told: Sequence[str], line: int
    ) -> Trace:
        """What is told of a line, with the step of the lesson that it is to take."""
        blank = self._step(cause, found[0])
        return self.trace((*told, *self.lesson.said(blank)), line, found, blank)

    def _handed_in(self, cause: Cause, found: Sequence[Departure], line: int) -> Trace | None:
        """Where a helper is given what it calls, or hands on, if it goes wrong there."""
        first = found[0]
        if (crossed_over := composed(self.comparison.mine, cause.node)) is not None:
            return self.slipped(crossed_over, (), found)
        calls = calls_given(self.comparison.mine, first.node)
        return self._given(cause, found, line) if calls else None

    def _given(self, cause: Cause, found: Sequence[Departure], line: int) -> Trace:
        """What a helper calls that is given what to call; else the line that calls the helper."""
        mine, first = self.comparison.mine, found[0]
        if (after := called_in_turn(mine, first)) is not None:
            return self.trace((after.said,), after.line, found)
        outside = mine.function(cause.node) != mine.function(first.node)
        if not outside or mine.line(cause.node) != line:
            return self.trace()
        text = mine.segment(cause.node)
        shown = f": {text}" if len(text) <= MOST_TEXT else ""
        return self.trace((f"On line {line} the numbers go wrong{shown}",), line, found)

    def _step(self, cause: Cause, first: Departure) -> str:
        """The step of the lesson at a line; none if only its sign is wrong, or many are taken."""
        signed = first.relation is not None and first.relation.factor == -1
        if signed or self.lesson.at_once(first.node):
            return ""
        blank = self.lesson.left_out(cause, first) or self.lesson.filled(cause)
        return blank or self.lesson.next_blank(first.sources, first.node)

    def _scales_early(self, one: Departure) -> bool:
        """Whether a helper that is right alone scales something right before it goes on with it."""
        scaled = one.relation is not None and one.relation.kind == "scaled"
        inside = self.comparison.mine.scope(one.node) & self.comparison.proven
        return scaled and bool(inside) and all(map(self.comparison.known, one.sources))

    def _but_rewritten(self, found: tuple[Departure, ...]) -> tuple[Departure, ...]:
        """Of many places, the one line that makes new numbers of what is right.

        Where all the others only give what is right another sign or shape, as ways of their own do.
        """
        if len({self.lines.of(self.causes.of(one)) for one in found}) <= MOST_DEPARTURES:
            return found
        left = self.comparison.but_rewritten(found)
        lines = {self.lines.of(self.causes.of(one)) for one in left}
        return left if len(lines) == 1 else found

    def _is_first_step(self, one: Departure) -> bool:
        """Whether a value is only the first step of another way: a constant, made of nothing."""
        nothing = self.comparison.from_nothing(one)
        return nothing and own_way(self.comparison, self.causes.of(one), one)

    def left_out(self, gap: Omitted, cause: Cause, found: Sequence[Departure]) -> Trace:
        """A step is missing: the line after which it belongs, and the line that does without."""
        blank = self.lesson.blank(self.comparison.right.line(gap.step.node))
        if self.lines.of(cause) == gap.line and not gap.idle:
            want = self.lesson.quantity(cause.want)  # it is one line, which gives too little
            told = [f"On line {gap.line} the numbers go wrong"]
            told += [f"The reference has {want} there."] if want else []
            return self.trace(told, gap.line, found, blank)
        told = [*self.wording.left_out(gap, cause, self.lines.of(cause))]
        told += []
        told += self.lesson.said(blank)
        if gap.idle:
            return self.trace(told, gap.line, found, blank)
        tree, user = self.comparison.mine.tree, self.lines.of(cause)
        inside = around(tree, gap.line) is around(tree, user)
        right, twin = self.comparison.right, cause.twin
        beside = twin is not None and right.function(twin) == right.function(gap.step.node)
        beside = beside and not self._out_of_reach(gap, user)
        if beside and not inside:
            return self.trace(told, user, found, blank)  # the helper is to take both steps
        if self.wording.is_nested(gap) and inside:
            return self.trace(told, user, found, blank)
        far = self._out_of_reach(gap, user)
        if not (inside or far) and user < gap.line:  # the helper that takes it does without
            return replace(self.trace(told, user, found, blank), left_out=True)
        return replace(self.trace(told, gap.line, found, blank), left_out=True)

    def _out_of_reach(self, gap: Omitted, user: int) -> bool:
        """Whether the helper that line ``user`` is in has no ``self``, and the step needs it."""
        step, inside = (
            self.comparison.right.nodes[gap.step.node],
            around(self.comparison.mine.tree, user),
        )
        own = any(isinstance(one, ast.Name) and one.id == "self" for one in ast.walk(step))
        names = [] if inside is None else [one.arg for one in inside.args.args]
        return own and "self" not in names

    def slipped(
        self, slip: Slip, told: Sequence[str] = (), departures: Sequence[Departure] = ()
    ) -> Trace:
        """A slip, and what to write there if it says so."""
        trace = self.trace((*told, slip.said), slip.line, departures)
        return replace(trace, write=slip.write, sure=bool(slip.write), slip=slip.said)

    def trace(
        self,
        told: Sequence[str] = (),
        line: int | None = None,
        departures: Sequence[Departure] = (),
        blank: str = "",
    ) -> Trace:
        """What is told, with the margin; of two distant lines first what to change."""
        right = STILL_RIGHT.match(told[0]) if told else None
        far = right is not None and line is not None and abs(int(right[1]) - line) > 1
        if far and not any(BETWEEN in one for one in told):
            told = (*told[1:], told[0])
        return Trace(tuple(told), line, tuple(margin(self.lesson, departures)), blank)

    @property
    def comparison(self) -> Comparison:
        """Both runs."""
        return self.lesson.comparison

    @property
    def causes(self) -> Causes:
        """What looks for causes in both runs."""
        return Causes(self.comparison)

    @property
    def lines(self) -> Lines:
        """Where a learner reads a cause."""
        return Lines(self.comparison)

    @property
    def wording(self) -> Wording:
        """The sentences on a departure."""
        return Wording(self.lesson)

    def slip(self, cause: Cause | None = None, first: Departure | None = None) -> Slip | None:
        """What the source itself shows to be wrong: arguments swapped, a result not used.

        A variable of the reference's own name is right, and wrong where it should be read.
        """
        mine = self.comparison.mine
        orders = reordered(mine.tree, self.comparison.right.tree)
        slips = chain(left_early(mine.tree), crossed(mine.tree), repeated(mine.tree), orders)
        slip = next(slips, None)
        slip = slip or grown(mine.tree) or copied(self.comparison)
        slip = slip or numbers(mine, self.comparison.right)
        if slip is not None:
            return slip
        found = returned_early(self.comparison, cause)
        if found is not None:
            return Slip(*found)
        for node, value, name in wasted(self.comparison):
            line, match = mine.line(node), self.comparison.match(value)
            if name and (used := self._used_instead(cause, line, value, name)) is not None:
                return used
            if name and first is not None and mine.is_seen(name, node):
                return Slip(line, f"Line {line} changes {name}, and no line below uses it.")
            known = match is not None and name not in self.lesson.variables(match)
            if name and cause is not None and not known:
                continue
            return self._wasted(node, value, name)
        return None

    def _wasted(self, node: int, value: int, name: str) -> Slip:
        """That nothing uses what a statement works out and keeps as ``name``, if it does."""
        mine, line = self.comparison.mine, self.comparison.mine.line(node)
        quantity = self.lesson.own_quantity(value)
        if name and isinstance(getattr(mine.statement(node), "targets", [0])[0], ast.Tuple):
            said = f"Line {line} keeps {quantity or 'a part'} as {name}, and nothing uses it"
            known = self.lesson.quantity(self.comparison.match(value))
            ask = " Are the names in the right order?" if known else ""
            return Slip(line, f"{said}.{ask}")
        text = mine.segment(node)
        works = f"works out {text}" if len(text) <= MOST_TEXT else "works something out"
        what = f"gives {quantity}" if quantity else works
        ends, where = mine.ends(node), "after" if name else "before"
        fix = f" Is a return missing {where} it?" if ends else " Is it to be assigned?"
        fix = "" if name and not ends else fix
        if name:  # what the lesson calls it may be another thing in this file
            return Slip(line, f"Line {line} makes {name}, and nothing uses it.{fix}")
        return Slip(line, f"Line {line} {what}, and nothing uses the result.{fix}")

    def _used_instead(self, cause: Cause | None, line: int, value: int, name: str) -> Slip | None:
        """The line that uses another value than the reference, which uses what ``name`` keeps."""
        match = self.comparison.match(value)
        if cause is None or cause.have is None or match is None or cause.want is None:
            return None
        if not self.comparison.equal(value, cause.want):
            return None
        at, quantity = self.lines.of(cause), self.lesson.own_quantity(value)
        if at <= line or self.causes.named_as(cause.have, match):
            return None
        own = self.wording.read_as(cause.node, cause.have)
        at, own = self._handed_on(cause.have, at, own, line)
        what = quantity or "what the reference uses"
        kept = f"Line {line} keeps {what} as {name}, and nothing uses it"
        uses = f"uses {own}" if own else f"works out {self.lesson.own_name(cause.have)} itself"
        known = what.strip("`") == name
        idle = f"{name} from line {line}" if known else f"{name}, in which line {line} keeps {what}"
        read = f"Line {at} {uses}. Nothing uses {idle}."
        if (end := _returned(self.comparison.mine.tree, line, at)) is not None:
            return Slip(end, f"{kept}: line {end} does without it.")
        several = own and len(reads(self.comparison.mine.tree, own, line)) > 1
        if several and not self.comparison.known(cause.have):
            return None  # several lines use it: the one that gives it is to change
        instead = own
        write = exchanged_at(self.comparison.mine.tree, at, instead, name, line)
        return Slip(at, read, write)

    def _handed_on(self, value: int, at: int, name: str, since: int) -> tuple[int, str]:
        """The first line after ``since`` that reads a value which it only hands on, and its name.

        ``name`` is the variable by which line ``at`` reads it in the end.
        """
        mine = self.comparison.mine
        made = bound(mine.tree, name, at) if name.isidentifier() else None
        if not isinstance(made, ast.Assign) or not since < made.lineno < at:
            return at, name
        for one in ast.walk(made.value):
            read = isinstance(one, ast.Name) and value in mine.values(mine.numbers[one])
            if isinstance(one, ast.Name) and read and one.id != name:
                return self._handed_on(value, made.lineno, one.id, since)
        return at, name

    def _from_result(self, result: int | None, wanted: int | None) -> Cause | None:
        """The cause in a program that computes from no input: its last operation says more."""
        if result is None or wanted is None:
            return None
        return self.causes.from_result(result, wanted)

    def _returned(self, result: int, wanted: int | None) -> Trace:
        """The line that returns a right value where another is wanted."""
        mine = self.comparison.mine
        bound = [
            one for one, _ in mine.bindings(result) if isinstance(one, ast.Return | ast.Assign)
        ]
        if wanted in self.comparison.matched:  # the program has it, and returns another value
            places = [mine.statement(one.node) for one in mine.places if one.value == result]
            bound = [one for one in places if isinstance(one, ast.Return)]
        last = bound[-1:]
        ends = [p.node for p in self.comparison.mine.places if p.value == result]
        instead = Cause(ends[-1], result, wanted) if ends else None
        if (slip := self.slip(instead) or self.slip()) is not None:
            return self.slipped(slip)
        have, want = self.lesson.own_quantity(result), self.lesson.quantity(wanted)
        paired = self._paired(result, wanted)
        if paired.line is None and last and have and want and have != want:
            line = last[0].lineno
            return self.trace(
                (f"Line {line} gives {have} where the reference gives {want}.",), line
            )
        return paired

    def _paired(self, result: int, wanted: int | None) -> Trace:
        """The line that puts a right value into a pair where another one belongs."""
        mine, compared = self.comparison.mine, self.comparison
        right = [one for one in mine.made if wanted is not None and compared.match(one) == wanted]
        for place in reversed(mine.places if right else ()):
            node = mine.nodes[place.node]
            pair = mine.parents.get(node)
            if place.value != result or place.part >= 0 or not isinstance(node, ast.Name):
                continue
            if isinstance(pair, ast.Tuple | ast.List) and isinstance(pair.ctx, ast.Load):
                own, other = self.lesson.own_name(result), self.lesson.own_name(right[-1])
                told = f"Line {node.lineno} has {own} where the reference has {other}."
                return self.trace((told,) if own != other else (), node.lineno)
        return self.trace()


def _returned(tree: ast.Module, line: int, user: int) -> int | None:
    """The one return after ``line`` in its function, if ``user`` is in another function."""
    inside = around(tree, line)
    if inside is None or inside is around(tree, user):
        return None
    ends = [one.lineno for one in ast.walk(inside) if isinstance(one, ast.Return)]
    return ends[0] if len(ends) == 1 and ends[0] > line else None
