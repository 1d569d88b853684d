"""What to change where a program leaves the path: its operation beside the reference's.

Two operations of one kind are compared by what they are made from. If one source differs, the
comparison continues with what made that source, in both programs, until the operations differ in
nothing that was computed, or in kind: there is the line to change. If the wrong source was handed
over by a caller, as the reference hands over the right one, it is the line of the call.

Longer than 300 lines, because one search goes through all of it, and calls itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property

from grader.grading.following import differs
from grader.grading.following.kinds import ENTRY, kind
from grader.grading.following.relations import same
from grader.grading.following.run import Made, Run, operation
from grader.grading.following.trace import Comparison, Departure
from grader.grading.reading.bindings import callee, functions
from grader.grading.reading.program import parameters, target
from grader.source.variables import stored

DEEPEST = 30
"""How far back one chain of operations is followed; the course's longest has ten."""

NEAR = 3
"""How far back the operations are compared from which two values come."""


COMMUTE = ("Add", "Mult")
"""Operations on two values in either order."""


@dataclass(frozen=True)
class Cause:
    """The expression to change.

    It uses ``have`` where the reference uses ``want``; or ``gives`` is what the reference's same
    operation gives there. Without ``have``, ``want`` is a source that it lacks. ``twin`` is the
    reference's operation, where there is one of the kind; ``other`` says that it is of another.
    """

    node: int
    have: int | None = None
    want: int | None = None
    gives: int | None = None
    twin: int | None = None
    other: bool = False

    @property
    def is_bare(self) -> bool:
        """Whether this is only a place: nothing is known of what is wrong there."""
        return self.want is None and self.gives is None and self.twin is None


@dataclass(frozen=True)
class Causes:
    """Looks for causes in one comparison."""

    comparison: Comparison
    _seen: dict[tuple[int, int], Cause | None] = field(default_factory=dict)

    @property
    def mine(self) -> Run:
        """The learner's run."""
        return self.comparison.mine

    @property
    def right(self) -> Run:
        """The reference's."""
        return self.comparison.right

    def of(self, departure: Departure) -> Cause:
        """The cause of a departure."""
        return self.outside(self.inside(departure), self.mine.made[departure.value].order)

    def inside(self, departure: Departure) -> Cause:
        """The same, also within a function that is right alone."""
        made = self.mine.made[departure.value]
        return self.at(made.node, made.sources, made.order)

    def outside(self, cause: Cause, order: int) -> Cause:
        """The cause; or the call of what it is in, if that is right alone.

        The first call outside that ends after entry ``order`` is the one.
        """
        if (crossed := self._crosswise(cause.node, order)) is not None:
            return crossed
        proven = self.comparison.proven | self._right_before(cause.node, order)
        proven |= self._given_to_call(cause.node, order)
        if not self.mine.scope(cause.node) & proven:
            return cause
        for place in self.mine.places[order:]:
            called = isinstance(self.mine.nodes[place.node], ast.Call)
            if called and not self.mine.scope(place.node) & proven:
                return self._handed_wrong(cause, place.node)
        return cause

    def _given_to_call(self, node: int, order: int) -> frozenset[str]:
        """The helper around a call of what it is given to call, on nothing that is wrong."""
        call, inside = self.mine.nodes[node], self.mine.around(self.mine.nodes[node])
        place = self.mine.places[order] if order < len(self.mine.places) else None
        if inside is None or place is None or place.node != node or not isinstance(call, ast.Call):
            return frozenset()
        lambdas = (one for one in ast.walk(inside) if isinstance(one, ast.Lambda))
        inner = {arg.arg for one in lambdas for arg in one.args.args} if inside.args.vararg else ()
        named = {*parameters(inside), *inner}
        handed = isinstance(call.func, ast.Name) and callee(call) in named
        right = all(map(self._known, self.mine.made[place.value].sources))
        return frozenset((inside.name,)) if handed and right else frozenset()

    def _right_before(self, node: int, order: int) -> frozenset[str]:
        """The helper around a node, if in a call before all that it gave there was right."""
        inside = self.mine.around(self.mine.nodes[node])
        if inside is None or inside.name in ("__call__", "forward", "__init__"):
            return frozenset()
        places = self.mine.places
        calls = [n for n, one in enumerate(places) if one.node == self.mine.numbers[inside]]
        now = max((n for n in calls if n <= order), default=0)
        gave = [one.value for one in places[:now] if one.node == node]
        right = bool(gave) and all(map(self.comparison.known, gave))
        return frozenset((inside.name,)) if right else frozenset()

    def _handed_wrong(self, cause: Cause, call: int) -> Cause:
        """The call as the cause, with the wrong value if it is one that the call hands over."""
        handed = cause.have is not None and cause.have in self.mine.latest(call)
        if handed and not self._made_within(cause.want, self.mine.scope(cause.node)):
            return Cause(call, cause.have, cause.want)
        return Cause(call, gives=self._gave(call))

    def _made_within(self, want: int | None, helpers: frozenset[str]) -> bool:
        """Whether the reference makes a value only inside its helper of the same name."""
        made = None if want is None else self.right.made.get(want)
        inside = frozenset() if made is None else self.right.scope(made.node)
        return bool(inside & helpers & self.comparison.proven - {"__call__"})

    def _gave(self, call: int) -> int | None:
        """What the reference's one call of this name gives, if the program has that nowhere."""
        gave = self._given_by.get(operation(self.mine.nodes[call]), set())
        (value,) = gave if len(gave) == 1 else (None,)
        return None if value in self._matched else value

    @cached_property
    def _given_by(self) -> Mapping[str, Set[int]]:
        """What the reference's calls give, by their name."""
        found: dict[str, set[int]] = {}
        for place in self.right.places:
            node = self.right.nodes[place.node]
            if isinstance(node, ast.Call):
                found.setdefault(operation(node), set()).add(place.value)
        return found

    def at(self, node: int, sources: Sequence[int], order: int) -> Cause:
        """The cause of what expression ``node`` did with ``sources``, as entry ``order``."""
        twin = self._twin(node, sources)
        if twin is not None and not any(map(self._same, sources, twin.sources)):
            other = self._other_layer(node, sources)
            if other is not None:
                return Cause(node, gives=self.right.places[other.order].value, other=True)
        if twin is None and (behind := self._behind(node, sources)) is not None:
            return behind
        if twin is None:
            other = self._other_kind(node, sources)
            if other is not None:
                gives = self.right.places[other.order].value
                return Cause(node, gives=gives, twin=other.node, other=True)
            return self._alone(node, sources)
        return self._beside(node, sources, order, twin, DEEPEST)

    def _other_layer(self, node: int, sources: Sequence[int]) -> Made | None:
        """The one other layer that the reference calls with exactly these sources."""
        if not _calls_layer(self.mine.nodes[node]) or not all(map(self._known, sources)):
            return None
        found = [
            made
            for value, made in self.right.made.items()
            if len(made.sources) == len(sources) == sum(map(self._same, sources, made.sources))
            and value not in self._matched
            and _calls_layer(self.right.nodes[made.node])
            and self._of_object(self.right.nodes[made.node])
        ]
        return found[0] if len(found) == 1 else None

    def _of_object(self, call: ast.AST) -> bool:
        """Whether the reference calls an attribute of an object that is no tensor: a layer's."""
        owner = call.func.value if _calls_layer(call) else None  # type: ignore[attr-defined]
        if not isinstance(owner, ast.Name):
            return owner is not None and ast.unparse(owner).startswith("self.")
        own = owner.id in stored(self.right.tree) | {"self"}
        return own and not self.right.values(self.right.numbers[owner])

    def _behind(self, node: int, sources: Sequence[int]) -> Cause | None:
        """The cause where the reference makes a like thing of all sources one like step later."""
        for new, made in self._of_kind(kind(self.mine, node), len(sources)):
            pairs = list(zip(map(self.comparison.match, sources), made.sources, strict=True))
            steps = [self.right.made[want] for _, want in pairs]
            late = all(have in one.sources for (have, _), one in zip(pairs, steps, strict=True))
            if new and late and len({one.node for one in steps}) == 1:
                return Cause(node, sources[0], pairs[0][1], twin=made.node)
        return None

    def _other_kind(self, node: int, sources: Sequence[int]) -> Made | None:
        """What else the reference makes from exactly these sources; None if nothing or much."""
        if not sources or not all(map(self._known, sources)) or self._calls_own(node):
            return None
        found = [
            made
            for value, made in self.right.made.items()
            if len(made.sources) == len(sources)
            and all(any(self._same(have, want) for want in made.sources) for have in sources)
            and value not in self._matched
        ]
        if len(sources) == 1:  # much is made from one value: only a whole line counts
            found = [one for one in found if self.right.is_whole(one.node)]
            found = found if self.mine.is_whole(node) else []
        return found[0] if len(found) == 1 else None

    def _calls_own(self, node: int) -> bool:
        """Whether a node calls a function of the learner's own."""
        own = {one.name for one in self.mine.nodes if isinstance(one, ast.FunctionDef)}
        return operation(self.mine.nodes[node]) in own

    def _alone(self, node: int, sources: Sequence[int]) -> Cause:
        """The cause where the reference has no such operation: the one source that is unknown."""
        lacking = self._lacking(node, sources)
        if lacking is not None:
            return Cause(node, want=lacking)
        settled = self.comparison.settled
        unknown = [one for one in sources if not settled(one) and self._made_here(one)]
        if len(unknown) != 1 or len(sources) == 1 or self._leads_back(unknown[0]):
            return Cause(node)
        made = self.mine.made[unknown[0]]
        return self._alone(made.node, made.sources) if made.node != node else Cause(node)

    def _lacking(self, node: int, sources: Sequence[int]) -> int | None:
        """What the reference's operation of this kind is made from besides these sources."""
        own = kind(self.mine, node)
        for made in self.right.made.values():
            if kind(self.right, made.node) != own or not sources:
                continue
            more = [want for want in made.sources if not any(self._same(h, want) for h in sources)]
            if len(more) == 1 and len(made.sources) == len(sources) + 1:
                return more[0]
        return None

    def from_result(self, have: int, want: int) -> Cause | None:
        """The cause of a result whose last operation is of the reference's kind."""
        return self._deeper(have, want, DEEPEST)

    # ---- one operation beside the other ---------------------------------------------------

    def _beside(
        self, node: int, sources: Sequence[int], order: int, twin: Made, depth: int
    ) -> Cause:
        gives, twin = self.right.places[twin.order].value, self._aligned(sources, twin)
        shaped = self._shaped_as(node, gives)
        other = [
            (have, want)
            for have, want in zip(sources, twin.sources, strict=True)
            if not self._same(have, want)
            and not self._is_piece(have, want)
            and not (shaped and self._as_constant(node, have, want))
        ]
        if len(other) == 2 and self._exchanged(node, other):
            return Cause(node, gives=gives, twin=twin.node)
        apart = [pair for pair in other if not self._in_other_shape(*pair)]
        other = apart if len(apart) == 1 else other
        if len(other) > 1 and depth and (common := self._common(other, depth - 1)) is not None:
            return common
        mixed = [pair for pair in other if self._known(pair[0])] if len(other) > 1 else other
        if len(mixed) != 1:
            return Cause(node, gives=gives, twin=twin.node)
        have, want = mixed[0]
        handed = self._handed(want, twin)
        named, wanted = (
            self.named_as(have, self.comparison.match(have)),
            self.named_as(have, want),
        )
        if self.comparison.turned(have) and not wanted:
            return Cause(node, have, want, twin=twin.node)
        used = named or (self._leads_back(have) and not wanted)
        there = named and not wanted and want in self._matched  # it has both, by their names
        right_here = self._known(have) and ((handed and used) or there)
        deeper = self._deeper(have, want, depth - 1) if depth and not right_here else None
        if deeper is not None and not (self._known(have) and self._is_above(deeper, have, node)):
            return deeper
        if self._spread(node, have, want):
            return Cause(node, gives=gives)
        made_wrong = not self._known(have) and self._made_here(have)
        if (
            made_wrong
            and not self._leads_back(have)
            and self.comparison.piece_of(have) in (None, want)
        ):
            return self._made_as(have, want)
        alone = self._known(have) and self._made_here(have) and not self._leads_back(have)
        if wanted and not named and alone:  # nothing else needs it: it was made wrong
            return Cause(self.mine.made[have].node, gives=want)
        at = self._call(node, have, order) if handed else None
        return Cause(node if at is None else at, have, want, twin=twin.node)

    def _crosswise(self, node: int, order: int) -> Cause | None:
        """The call that hands a helper of the file two values, each where the other belongs."""
        inside = self.mine.around(self.mine.nodes[node])
        if inside is None or inside.name in functions(self.right.tree):
            return None
        have = [self._handed_over(self.mine, one) for one in self.mine.latest(node)]
        if len(have) != 2 or have[0] is None or have[1] is None or have[0] == have[1]:
            return None
        if not self.mine.given(self.mine.numbers[inside]).issuperset(have):
            return None
        for made in self.right.made.values():
            want = [self._handed_over(self.right, one) for one in made.sources]
            if len(want) != 2 or kind(self.right, made.node) != kind(self.mine, node):
                continue
            if want[0] is None or want[1] is None:
                continue
            if self._same(have[0], want[1]) and self._same(have[1], want[0]):
                call = self._call(node, have[0], order)
                return None if call is None else Cause(call, have[0], want[0])
        return None

    def _handed_over(self, run: Run, value: int) -> int | None:
        """What a value comes from that was an argument, if it comes from one value only."""
        for _ in range(DEEPEST):
            made = run.made[value]
            if isinstance(run.nodes[made.node], ast.FunctionDef):
                return value
            if len(made.sources) != 1:
                return None
            (value,) = made.sources
        return None

    def _exchanged(self, node: int, other: Sequence[tuple[int, int]]) -> bool:
        """Whether an operation takes two values in each other's place, each read by its name."""
        (one, first), (two, second) = other
        names = [one.id for one in ast.walk(self.mine.nodes[node]) if isinstance(one, ast.Name)]
        read = [
            {target(*each) for each in self.mine.bindings(value)} & set(names)
            for value in (one, two)
        ]
        right = self._same(one, second) and self._same(two, first)
        apart = all(read) and read[0] != read[1]
        return right and apart and not (self.named_as(one, first) or self.named_as(two, second))

    def _is_piece(self, have: int, want: int) -> bool:
        """Whether a value is one of several heads, or texts, of what is wanted."""
        mine, right = self.mine.arrays[have], self.right.arrays[want]
        smaller = mine is not None and right is not None and mine.size < right.size
        return smaller and self.comparison.piece_of(have) == want

    def _is_above(self, cause: Cause, have: int, node: int) -> bool:
        """Whether a cause is above the statement of ``node``, which itself makes ``have``."""
        here = self.mine.statement(node)
        inside = self.mine.statement(self.mine.made[have].node) is here
        return inside and self.mine.statement(cause.node) is not here

    def _spread(self, node: int, have: int, want: int) -> bool:
        """Whether a piece is taken of the right numbers in another shape, as it may well be."""
        mine, right = self.mine.arrays[have], self.right.arrays[want]
        if not isinstance(self.mine.nodes[node], ast.Subscript) or mine is None or right is None:
            return False
        return mine.size == right.size and same(mine.reshape(-1), right.reshape(-1))

    def _common(self, other: Sequence[tuple[int, int]], depth: int) -> Cause | None:
        """The one cause behind several wrong sources."""
        causes = {self._deeper(have, want, depth) for have, want in other}
        found = [one for one in causes if one is not None]
        return found[0] if len({one.node for one in found}) == 1 and None not in causes else None

    def named_as(self, have: int, want: int | None) -> bool:
        """Whether a value of the learner has the name of this value of the reference."""
        mine = {name for one in self.mine.bindings(have) for name in self._names(*one)}
        return bool((mine & {target(*one) for one in self.right.bindings(want)}) - {""})

    def _names(self, statement: ast.stmt, part: int) -> Iterator[str]:
        """What a statement calls its value: a variable, or for what ``_mean`` returns, mean."""
        yield target(statement, part)
        if isinstance(statement, ast.Return):
            yield self.mine.named(self.mine.numbers[statement]).strip("_")

    def _leads_back(self, value: int) -> bool:
        """Whether something right is made from ``value``, which is then another way to it."""
        made = self.mine.made.items()
        return any(value in one.sources and self._known(later) for later, one in made)

    def _deeper(self, have: int, want: int, depth: int) -> Cause | None:
        """The cause behind a wrong source; None if it was made in another way, or given."""
        if (have, want) not in self._seen:
            self._seen[have, want] = None  # a loop's value may come from itself
            self._seen[have, want] = self._followed(have, want, depth)
        return self._seen[have, want]

    def _followed(self, have: int, want: int, depth: int) -> Cause | None:
        mine, right = self.mine.made[have], self.right.made[want]
        short = self.comparison.match(have) in right.sources and not self._is_idle(have, right)
        if not self._made_here(have) or short:
            return None  # given, or a step short of it
        if not _alike(self.mine, mine, self.right, right) and not self._may_call(mine, right):
            return None
        return self._beside(mine.node, mine.sources, mine.order, right, depth)

    def _may_call(self, mine: Made, right: Made) -> bool:
        """Whether an entry of a list is called, which may be the function that is called there."""
        entry = kind(self.mine, mine.node) == ENTRY and len(mine.sources) == len(right.sources)
        return entry and isinstance(self.right.nodes[right.node], ast.Call)

    def _is_idle(self, have: int, right: Made) -> bool:
        """Whether the operation is there, and gave ``have`` as it was: what it makes is wrong."""
        made, match = self.mine.made[have], self.comparison.match(have)
        alike = _alike(self.mine, made, self.right, right)
        return alike and [self.comparison.match(one) for one in made.sources] == [match]

    def _made_as(self, have: int, want: int) -> Cause:
        """The expression that makes ``have``; or what gave it its shape, if that is wrong."""
        right = self.right.arrays[want]
        have = self._reshaped(have)
        while (array := self.mine.arrays[have]) is not None and right is not None:
            made = self.mine.made[have]
            alike = [s for s in made.sources if self._has_shape(s, array.shape)]
            elementwise = isinstance(self.mine.nodes[made.node], ast.BinOp | ast.UnaryOp)
            if array.shape == right.shape or len(alike) != 1 or not elementwise:
                break
            have = alike[0]
        return Cause(self.mine.made[have].node, gives=want)

    def _reshaped(self, value: int) -> int:
        """What an entry only gives more axes: a value that the program made, and that is wrong."""
        made = self.mine.made[value]
        if not isinstance(self.mine.nodes[made.node], ast.Subscript) or len(made.sources) != 1:
            return value
        (source,) = made.sources
        one, other = self.mine.arrays[source], self.mine.arrays[value]
        wrong = self._made_here(source) and not self._known(source)
        if not wrong or one is None or other is None or one.ndim >= other.ndim:
            return value
        return source if same(one.reshape(-1), other.reshape(-1)) else value

    def _has_shape(self, value: int, shape: tuple[int, ...]) -> bool:
        """Whether a value that the program made, and the reference has not, is of this shape."""
        array = self.mine.arrays[value]
        own = self._made_here(value) and not self._known(value)
        return own and array is not None and array.shape == shape

    def _twin(self, node: int, sources: Sequence[int]) -> Made | None:
        """The reference's operation of the same kind with the most of the same sources.

        Of several, one that the learner has not, in the function of the same name. Without a
        common source, the only one of these.
        """
        best, most = None, (-1, 0)
        every = self._of_kind(kind(self.mine, node), len(sources))
        alike = [(new, made, self._aligned(sources, made)) for new, made in every]
        here = [made for new, _, made in alike if new and self._same_function(made, node)]
        for new, as_is, made in alike:
            equal = sum(map(self._same, sources, made.sources))
            likely = 4 * equal + 2 * new + self._same_function(made, node)
            likely -= 3 * (made is not as_is)  # most keep the order
            score = (likely, self._akin(sources, made.sources))
            # a weight says nothing about which operation is meant
            alone = new and len(sources) == 1 and self.comparison.match(sources[0]) != -1
            lone = len(alike) == 1 and len(sources) == 1 and self._known(sources[0])
            only = alone or here == [made] or lone
            if score > most and (equal or (only and self._as_written(node, made))):
                best, most = made, score
        return best

    def _aligned(self, sources: Sequence[int], twin: Made) -> Made:
        """The reference's operation; a sum or product with its sources in the order of these."""
        if kind(self.right, twin.node) not in COMMUTE or not len(sources) == len(twin.sources) == 2:
            return twin
        turned = twin.sources[::-1]
        counts = [sum(map(self._same, sources, one)) for one in (twin.sources, turned)]
        return replace(twin, sources=turned) if counts[1] > counts[0] else twin

    def _akin(self, sources: Sequence[int], others: Sequence[int]) -> int:
        """How alike the operations are that sources come from: those shared, less the others."""
        mine = {one for value in sources for one in _operations(self.mine, value)}
        right = {one for value in others for one in _operations(self.right, value)}
        return len(mine & right) - len(mine ^ right)

    def _as_written(self, node: int, made: Made) -> bool:
        """Whether nothing else that is written there differs: with other sources, it is too much.

        Nor may it use none of several right values.
        """
        other = differs.written(self.mine.nodes[node], self.right.nodes[made.node])
        sources = self.mine.latest(node)
        return not other and (len(sources) < 2 or not all(map(self._known, sources)))

    def _of_kind(self, own: str, count: int) -> Iterator[tuple[bool, Made]]:
        """The reference's operations of a kind with so many sources; is its value new?"""
        for value, made in self._by_kind.get((own, count), ()):
            yield value not in self._matched, made

    @cached_property
    def _by_kind(self) -> Mapping[tuple[str, int], Sequence[tuple[int, Made]]]:
        """The reference's values and what made them, in order, by its kind and its sources."""
        found: dict[tuple[str, int], list[tuple[int, Made]]] = {}
        for value, made in sorted(self.right.made.items(), key=lambda one: one[1].order):
            of_kind = kind(self.right, made.node), len(made.sources)
            found.setdefault(of_kind, []).append((value, made))
        return found

    def _same_function(self, made: Made, node: int) -> bool:
        return self.right.named(made.node) == self.mine.named(node)

    @property
    def _matched(self) -> frozenset[int | None]:
        return self.comparison.matched

    def _same(self, have: int, want: int) -> bool:
        match = self.comparison.match(have)
        return match == want or (match is not None and self.comparison.equal(have, want))

    def _squeezed(self, have: int, want: int) -> bool:
        """Whether two values are the same but for axes of length 1."""
        mine, right = self.mine.arrays[have], self.right.arrays[want]
        alike = mine is not None and right is not None and mine.size == right.size > 1
        return (
            alike
            and mine is not None
            and right is not None
            and same(mine.squeeze(), right.squeeze())
        )

    def _in_other_shape(self, have: int, want: int) -> bool:
        """Whether two values are the same but for axes of length 1, or one number throughout."""
        return self._squeezed(have, want) or self.comparison.constant(have, want)

    def _shaped_as(self, node: int, gives: int) -> bool:
        """Whether an expression gave something of the shape of this value, or nothing."""
        values, right = self.mine.values(node), self.right.arrays[gives]
        array = self.mine.arrays[values[-1]] if values else None
        return array is None or right is None or array.shape == right.shape

    def _as_constant(self, node: int, have: int, want: int) -> bool:
        """Whether two constants are one number in different shapes, and ``node`` took this one."""
        return self.mine.gave(node) and self.comparison.constant(have, want)

    def _known(self, value: int) -> bool:
        return self.comparison.known(value)

    def _made_here(self, value: int) -> bool:
        """Whether the learner's code computed it; otherwise it was given."""
        node = self.mine.nodes[self.mine.made[value].node]
        return not isinstance(node, ast.FunctionDef | ast.Name | ast.Attribute)

    # ---- calls of the learner's own functions ---------------------------------------------

    def _handed(self, want: int, twin: Made) -> bool:
        """Whether the reference's operation gets ``want`` as an argument of its function."""
        inside = self.right.function(twin.node)
        return inside is not None and want in self.right.given(inside)

    def _call(self, node: int, have: int, order: int) -> int | None:
        """The expression that hands ``have`` to the function around ``node``."""
        found = None
        inside = self.mine.function(node)
        while inside is not None and have not in self.mine.given(inside):
            inside = self.mine.function(inside)  # a function in a function reads what that is given
        while inside is not None:
            entry = self.mine.entered(inside, have, order)
            before = [
                place.node
                for place in self.mine.places[: entry or 0]
                if place.value == have
                and place.node != inside
                and self.mine.function(place.node) != inside
            ]
            if not before:
                break
            node, order = before[-1], entry or 0
            if isinstance(self.mine.nodes[node], ast.FunctionDef):
                break
            found, inside = node, self.mine.function(node)
        return found


def _operations(run: Run, value: int) -> Iterator[str]:
    """The operations that a value comes from, as far as NEAR of them."""
    todo = [(value, NEAR)]
    while todo:
        one, left = todo.pop()
        made = run.made[one]
        yield operation(run.nodes[made.node])
        todo += [(source, left - 1) for source in made.sources if left and source != one]


def _alike(mine: Run, one: Made, right: Run, other: Made) -> bool:
    kinds = kind(mine, one.node), kind(right, other.node)
    return kinds[0] == kinds[1] and len(one.sources) == len(other.sources)


def _calls_layer(node: ast.AST) -> bool:
    """Whether a node may call a layer, which is an attribute."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
