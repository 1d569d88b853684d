"""The mistakes that learners really make, by name: settings of the oracles' knobs.

A family is defined once, and a rubric's checks name the parts that they are about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from grader.rubric import Misconception


@dataclass(frozen=True)
class Form:
    """One form of a mistake: its sentence, the knobs that make it, the part it breaks, its place.

    ``place`` is its place in the source, as in ``Misconception.place``; empty where that varies.
    """

    message: str
    knobs: Mapping[str, Any]
    part: str
    place: str = ""
    unless: str = ""

    def also(self, **knobs: object) -> tuple[Form, Form]:
        """Return this form, and the same form with these knobs turned as well."""
        return self, replace(self, knobs={**self.knobs, **knobs})


ASKED = r"(?<!-)[<>]|\b(greater|less)(_equal)?\("
"""A comparison, by an operator or a function."""

Family = Mapping[str, Form | tuple[Form, ...]]
"""Maps ids to mistakes; several forms of one mistake share an id."""


@dataclass(frozen=True)
class Knob:
    """A knob of an oracle, and the part of the program that contains its mistakes.

    Calling it sets it to a value: ``scale("none", "Your output is exactly …")``.
    """

    name: str
    part: str = ""
    place: str = ""

    def __call__(
        self,
        value: object,
        message: str,
        *,
        part: str = "",
        place: str = "",
        unless: str = "",
        **more: object,
    ) -> Form:
        """Make the mistake that ``value`` causes, together with ``more`` knobs."""
        knobs = {self.name: value, **more}
        return Form(message, knobs, part or self.part or self.name, place or self.place, unless)


INSTEAD = frozenset(
    (
        "returns-input",
        "returns-zeros",
        "returns-ones",
        "returns-mean",
        "block-input",
        "mask-zero-times-inf",
    )
)
"""Results without computation or numbers, which reveal nothing about the program's parts."""


def chosen(ids: str, *families: Family) -> Family:
    """Return the mistakes with these space-separated ids, in the order of the families."""
    every = {id: one for family in families for id, one in family.items()}
    return {id: one for id, one in every.items() if id in ids.split()}


def named(*families: Family) -> tuple[Misconception, ...]:
    """Return the misconceptions of these families, one for each form."""
    return tuple(
        Misconception(
            id, form.message, form.knobs, form.part, id in INSTEAD, form.place, form.unless
        )
        for family in families
        for id, forms in family.items()
        for form in (forms if isinstance(forms, tuple) else (forms,))
    )
