"""What a course is written in: one folder for each framework, and what the rest asks of any.

:class:`Framework` is the grader's own side and imports neither the framework nor NumPy.
:class:`Runtime` is the side of the worker, which imports it. Both are complete for a library that
needs nothing special; a framework overrides what differs.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from grader.frameworks.values import Spellings, Translation

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from importlib.abc import MetaPathFinder

    from grader.protocol.probe import Array, Seen, SeenArray, SeenError, SeenObject, SeenParameter


__all__ = [
    "Eye",
    "Framework",
    "Runtime",
    "Spellings",
    "Translation",
    "UnknownFramework",
    "current",
    "load",
]


class UnknownFramework(ValueError):
    """The course names a framework that this grader does not have."""


def load(name: str) -> Framework:
    """The framework called ``name``, from the folder of that name.

    Raises:
        UnknownFramework: there is no such folder.
    """
    module = f"{__name__}.{name}"
    try:
        found: Framework = importlib.import_module(module).FRAMEWORK
    except ModuleNotFoundError as problem:
        if problem.name != module:
            raise
        raise UnknownFramework(f"This grader has no framework called {name!r}.") from None
    return found


@cache
def current() -> Framework:
    """The framework of the course that this process grades."""
    from grader.base import course

    return load(course.load().framework)


class Framework:
    """A framework as the grader's own process sees it.

    ``name`` is that of its folder, ``title`` its name in a sentence. ``tensor`` and ``module`` name
    with an article what programs make of it, ``tensor_type`` is the class of the first.
    ``packages`` are the distributions whose versions decide a result; ``pinned`` is the one that
    must have exactly the version in ``pixi.toml``. ``engines`` are what can compute a program's
    numbers; ``compiling`` are those of them that compile, and keep what they compiled.
    ``importable`` are the packages that a learner's file may import. ``notes`` are sentences by the
    name under which a worker may ask for them, ``hints`` by what they are about.
    ``cache_variable`` is the environment variable that moves the cache, ``newest_python`` the last
    Python that it is made for.
    """

    name: str
    title: str
    tensor: str
    tensor_type: str
    module: str = "an object"
    packages: tuple[str, ...] = ("numpy",)
    pinned: str = ""
    engines: tuple[str, ...] = ("numpy",)
    compiling: frozenset[str] = frozenset()
    importable: tuple[str, ...] = ("numpy",)
    notes: Mapping[str, str] = MappingProxyType({})
    hints: Mapping[str, str] = MappingProxyType({})
    cache_variable: str = ""
    newest_python: tuple[int, int] | None = None

    def parts(self) -> frozenset[str]:
        """What of its engine can fail by itself, and be left to the framework."""
        return frozenset()

    def spellings(self) -> Spellings:
        """How programs write its operations."""
        return Spellings()

    def translate(self, error: SeenError) -> Translation:
        """An error of the learner's code, retold. ``errors`` knows those of plain Python."""
        raise NotImplementedError

    def hint(self, about: str, **named: object) -> str | None:
        """Advice on the framework's own ways, where it has any on this subject."""
        found = self.hints.get(about)
        return found and found.format(**named)

    def environment(self, folder: str | None = None) -> dict[str, str]:
        """The variables that must be set before it is imported.

        A process with a private ``folder`` keeps there what it compiles, any other in ``cache``.
        """
        return {}

    def cache(self) -> str:
        """The folder of what it compiled, which a worker may read; empty where it has none."""
        return ""

    def runs_programs(self) -> bool:
        """Whether importing it runs programs, which a worker must then be allowed to."""
        return False

    def prepared(self) -> bool:
        """Whether importing it will be quick."""
        return True

    def prepare(self) -> None:
        """Do what is to be done once on a machine before it is imported.

        Raises:
            RuntimeError: with the reason.
        """

    def versions(self) -> str:
        """The version of each package that decides a result, one a line."""
        from importlib.metadata import version

        return "".join(f"{package} {version(package)}\n" for package in self.packages)

    def runtime(self) -> Runtime:
        """Import the framework, as much of it as starts no thread. For the worker only."""
        raise NotImplementedError


class Eye(Protocol):
    """What looks at the results of one probe, and counts how much it has looked at."""

    def spend(self, numbers: int) -> None:
        """Raise an error where so many more numbers are too many."""

    def array(self, value: Any) -> SeenArray | SeenObject:
        """A copy of a NumPy array, or of a number of NumPy's."""


class Runtime:
    """A framework inside the worker.

    A value of the learner's code may lie about everything: only its real type decides, and its own
    methods are not asked. ``left`` says, a sentence each, what the engine leaves to the framework;
    ``faults`` names each part of the engine that failed by its own mistake.
    """

    def __init__(self, framework: Framework) -> None:
        self.framework = framework
        self.left: tuple[str, ...] = ()
        self.faults: list[str] = []

    def install(self, engine: str, announce: Callable[[str], None], compiled: str) -> None:
        """Choose what computes; called once, and it may start threads.

        Where something is compiled, ``announce`` is called with a line of text, from any thread.
        What others ``compiled`` lies in that folder.

        Raises:
            ValueError: the engine is not known.
        """
        if engine != "numpy":
            raise ValueError(f'engine must be "numpy", got {engine!r}')

    def leave(self, parts: Iterable[str]) -> None:
        """Leave these parts of the engine to the framework from now on."""

    def warm_up(self) -> None:
        """Do now what is slow the first time."""

    def finders(self, notes: list[str]) -> list[MetaPathFinder]:
        """What serves names that the framework no longer has; each use adds to ``notes``."""
        return []

    def staged(self) -> AbstractContextManager[object] | None:
        """A context in which operations become one graph; None where they are computed at once."""
        return None

    def argument(self, value: Any) -> Any:
        """What the learner's code gets for a ``TensorArg``, ``DTypeArg``, ``DimArg``, …."""
        raise NotImplementedError

    def see(self, value: Any, eye: Eye) -> Seen:
        """``value`` as data where it is one of the framework's own; None for all others."""
        raise NotImplementedError

    def holds_numbers(self, kind: type) -> bool:
        """Whether an object of this type is a tensor or an array."""
        import numpy as np

        return issubclass(kind, np.ndarray)

    def is_module(self, value: Any) -> bool:
        """Whether ``value`` can have parameters."""
        return True

    def parameters(self, module: Any) -> Iterator[tuple[str, SeenParameter]]:
        """Each parameter of ``module``, by name."""
        raise NotImplementedError

    def load_weights(self, module: Any, weights: dict[str, Array]) -> None:
        """Give ``module`` these weights. Every name, shape and dtype must match.

        Raises:
            Exception: whatever the framework raises where one does not.
        """
        raise NotImplementedError
