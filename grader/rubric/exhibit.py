"""What ``show`` draws of a step: a trial, and the grids that its results show.

A program returns outputs, not its attention weights. But if the values say only which position
they are at, an output is a row of weights. So an exhibit is a trial with such inputs; its oracle
returns the right weights, and the learner's program returns what it really computes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from grader.rubric.evidence import Trial


class NoExhibit(ValueError):
    """This text cannot be drawn; the message says why, and what to do."""


@dataclass(frozen=True)
class View:
    """One grid: ``pick`` cuts it out of the result at ``path``.

    ``head`` and ``layer`` are numbers to select it by. ``mask`` says that the numbers are added to
    scores.
    """

    title: str
    path: str
    pick: Callable[[npt.NDArray[Any]], npt.NDArray[Any]]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    head: int | None = None
    layer: int | None = None
    mask: bool = False


@dataclass(frozen=True)
class Exhibit:
    """A trial and its views. ``about`` says in a sentence or two what it shows."""

    title: str
    about: str
    trial: Trial
    views: tuple[View, ...]


MakeExhibit = Callable[[str | None], Exhibit]
"""Makes the exhibit for a text; for None, the text that shows most.

Raises:
    NoExhibit: the text is too long, too short or not made of what the step accepts.
"""


@dataclass(frozen=True)
class LessonFigure:
    """A figure in a lesson, between the markers ``figure:NAME``.

    ``alt`` replaces it where it cannot be seen, ``command`` is how a reader draws it. ``views`` are
    indices of the exhibit's views, none for all. With ``wrong``, the knobs of a mistake, the first
    view is drawn next to what the mistake turns it into. ``small`` leaves labels and numbers out.
    ``text`` draws with characters, as a terminal without colours shows it.
    """

    name: str
    alt: str
    command: str
    views: tuple[int, ...] = ()
    wrong: Mapping[str, Any] | None = None
    small: bool = False
    text: bool = False

    def chosen(self, exhibit: Exhibit) -> tuple[View, ...]:
        """The views of the step's exhibit to draw."""
        return tuple(exhibit.views[index] for index in self.views) or exhibit.views
