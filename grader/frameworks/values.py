"""Values that describe a framework's spellings and explain an error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Translation:
    """One error in a learner's words: what happened and, if known, what to look at.

    ``called`` says which line called the function in which it happened. ``more`` has the remaining
    lines of an error's own message. ``about`` is the name whose line to show, if that is not where
    it was raised; ``elsewhere`` says that the line which raised it is mentioned as well. ``page``
    is the place to read about it, if the course has one.
    """

    message: str
    hint: str | None = None
    called: str = ""
    more: str = ""
    about: str = ""
    elsewhere: bool = False
    page: str = ""


@dataclass(frozen=True)
class Spellings:
    """How programs write a framework's operations. Without arguments: plain Python.

    ``operations`` maps the full name of a function to its operation. ``methods`` are operations
    that are also methods of a tensor. ``moved`` maps the old name of a module to the current one.
    ``wrappers`` are functions, and ``conversions`` methods, whose result has the same value.
    ``parameters`` are an operation's, in order, if arguments may be passed by name. ``imports``
    are the statements that a rubric's snippets need not repeat. ``bases`` maps the full names of
    known base classes to the methods that a program need not write. ``elsewhere`` maps an
    attribute of tensors in other frameworks to the spelling here: ``{x}`` is the tensor, ``{0}``
    an argument, ``{all}`` a list of all.
    """

    operations: Mapping[str, str] = field(default_factory=dict)
    methods: frozenset[str] = frozenset()
    moved: Mapping[str, str] = field(default_factory=dict)
    wrappers: frozenset[str] = frozenset()
    conversions: frozenset[str] = frozenset()
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    imports: str = ""
    bases: Mapping[str, frozenset[str]] = field(default_factory=lambda: {"object": frozenset()})
    elsewhere: Mapping[str, str] = field(default_factory=dict)

    def today(self, name: str) -> str:
        """Return the current full name of something the framework has moved."""
        for old, new in self.moved.items():
            if name == old or name.startswith(f"{old}."):
                return new + name.removeprefix(old)
        return name
