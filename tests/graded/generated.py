"""Mistakes made by machine, as many as are asked for: mutants of right programs made by machine.

The line and the edit that repairs each are known, since this made them: the program that was
right is kept, in the same layout.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from itertools import cycle, islice
from keyword import kwlist
from random import Random

from tests.graded import mistakes, rewrites
from tests.graded.edits import Edit, Place, lines_of
from tests.mutate import mutants, plain

EACH, MOST = 4, 1_000
"""Mutants of a right program that are drawn in a turn, and turns at most."""

MOST_LINES = 4
"""Lines that one takes away or adds. A function without its body is no mistake of one edit."""

TOKEN = re.compile(r"-?\d+(?:\.\d*)?(?:e-?\d+)?|\w+|//|\*\*|[<>=!]=|[-+*/%@<>]")

UNTOLD = {*kwlist, "self", "F"} - {"None", "True", "False", "return"}

UPDATED = re.compile(r"^\s*(\w+) = (?=.*\b\1\b)", re.MULTILINE)
"""The name that gets a value made of its own: it says nothing of the step."""

PLACES = re.compile(r"\[[\d, ]*\]|\blines? \d+", re.IGNORECASE)
"""Shapes and the numbers of lines, which name no number of the program's."""

WORDS = {
    "+": r"\badd|\bsum|\bplus",
    "-": r"\bsubtract|\bminus|\bsign\b|\bnegative",
    "*": r"\bmultipl|\btimes\b|\bfactor|\bscale",
    "/": r"\bdivid|\btimes\b|\bfactor|\bscale",
    "//": r"\bdivid|\btimes\b|\bfactor",
    "%": r"\bmodulo\b|\bremainder",
    "**": r"\bpower|\bsquare",
    "@": r"\bmatmul|\bmatrix|\bproduct",
    "sqrt": "√|\bsquare root",
}
"""What an operator or a function is called, in any case of letters."""


LINE = re.compile(r"\bline (\d+)|\.py:(\d+)", re.IGNORECASE)
"""How a report gives a line."""


class Made(mistakes.Mistake):
    """A mutant of the program ``base``."""

    def names(self, text: str) -> bool:
        """Whether ``text`` gives the line first, and a word of what was changed there.

        The word is a name, a number or an operator that only one of the two programs has at this
        place, or what :data:`WORDS` calls it; "axis" does for the number of one. Of a line that
        was moved it is any. A name that a statement only updates is none, nor are keywords.
        """
        said, place = PLACES.sub("", text), LINE.search(text)
        line = int(place[1] or place[2]) if place else None
        return self.beside(line) and any(re.search(one, said) for one in self._words())

    def _words(self) -> list[str]:
        (place,) = self.edit.places
        old, new = (
            "\n".join(line[1:] for line in place.signed if line[0] == sign) for sign in "-+"
        )
        one, other = (TOKEN.findall(UPDATED.sub("", text)) for text in (old, new))
        changes = SequenceMatcher(None, one, other, False).get_opcodes()
        apart = [(one[a:b], other[c:d]) for kind, a, b, c, d in changes if kind != "equal"]
        found = {word for two in apart or [(one, one)] for side in two for word in side} - UNTOLD
        words = [f"(?i:{WORDS[word]})" for word in found & WORDS.keys()]
        if any(word.lstrip("-").isdigit() for word in found) and re.search(
            "ax[ei]s|transpose|permute", old
        ):
            words.append(r"(?i:\bax[ei]s\b)")
        return [*words, *(rf"(?<!\w){re.escape(word)}(?!\w)" for word in found)]


def drawn(step: str, seed: int, count: int, right: Callable[[str], bool]) -> Iterator[Made]:
    """Mutants of ``count`` programs, which are made anew for each seed and proven to be right."""
    draws = Random(f"{step} {seed}")
    known: set[str] = set()
    programs = rewrites.pairs(step, seed, count) or [rewrites.solution(step)]
    programs = [one for one in programs if right(plain(one.source))]
    for number, program in enumerate(islice(cycle(programs), MOST)):
        base = plain(program.source)
        for one in islice(mutants(base, draws), EACH):
            change = place(base, one.source)
            new = one.source not in known
            known.add(one.source)
            lines = max(sum(line[0] == sign for line in change.signed) for sign in "-+")
            if new and lines <= MOST_LINES:
                name = f"{number} {one.kind}: {one.change}"
                yield Made(step, Edit(name, program.change, {}, (change,)), base)


def place(before: str, after: str) -> Place:
    """All lines of both programs, so that they are there only once."""
    old, new = lines_of(before), lines_of(after)
    signed: list[str] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, False).get_opcodes():
        if kind == "equal":
            signed += [f" {line}" for line in old[a:b]]
        else:
            signed += [*(f"-{line}" for line in old[a:b]), *(f"+{line}" for line in new[c:d])]
    return Place(0, tuple(signed))
