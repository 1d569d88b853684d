"""What a course is written in: one folder per framework, and the interface they share.

:class:`Framework` is the grader's side and imports neither the framework nor NumPy.
:class:`Runtime` is the worker's side, which imports it. Both are complete for a library that needs
nothing special; a framework overrides what differs.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
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
    """Load the framework called ``name``, from the folder of that name.

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
    """Return the framework of the course that this process grades."""
    from grader.base import course

    return load(course.load().framework)


class Framework:
    """A framework from the point of view of the grader's own process.

    ``name`` is its folder's name, ``title`` its name in a sentence. ``tensor`` and ``module`` name
    its objects with an article, ``tensor_type`` is the class of the first. ``packages`` are the
    distributions whose versions affect a result; ``pinned`` is the one that must have exactly the
    version in ``pixi.toml``. ``engines`` can compute a program's numbers; ``compiling`` are those
    that compile and keep the result. ``importable`` are the packages that a learner's file may
    import. ``notes`` are sentences by the name under which a worker may request them, ``hints`` by
    their subject. ``cache_variable`` is the environment variable that moves the cache,
    ``newest_python`` the last supported Python.
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
        """Return the engine parts that can fail separately and be left to the framework."""
        return frozenset()

    def spellings(self) -> Spellings:
        """Return how programs write its operations."""
        return Spellings()

    def translate(self, error: SeenError) -> Translation:
        """Explain an error of the learner's code. ``errors`` covers those of plain Python."""
        raise NotImplementedError

    def gist(self, message: str) -> str:
        """Return the most informative line of an error's message."""
        return message.strip().partition("\n")[0]

    def hint(self, about: str, **named: object) -> str | None:
        """Return the framework's advice on this subject, if it has any."""
        found = self.hints.get(about)
        return found and found.format(**named)

    def environment(self, folder: str | None = None) -> dict[str, str]:
        """Return the variables to set before it is imported.

        A process with a private ``folder`` keeps what it compiles there, any other in ``cache``.
        """
        return {}

    def cache(self) -> str:
        """Return the folder with compiled code, which a worker may read; empty if it has none."""
        return ""

    def runs_programs(self) -> bool:
        """Whether importing it runs programs; a worker must then be allowed to run them."""
        return False

    def prepared(self) -> bool:
        """Whether importing it will be quick."""
        return True

    def prepare(self) -> None:
        """Do what must be done once per machine before it is imported.

        Raises:
            RuntimeError: with the reason.
        """

    def compute_here(self) -> None:
        """Make this process compute as the grader does, without compiling."""

    def versions(self) -> str:
        """Return the version of each package that affects a result, one per line."""
        from importlib.metadata import version

        return "".join(f"{package} {version(package)}\n" for package in self.packages)

    def runtime(self) -> Runtime:
        """Import what starts no thread of the framework. For the worker only."""
        raise NotImplementedError


class Eye(Protocol):
    """Reads the results of one probe, and counts how much it has read."""

    def spend(self, numbers: int) -> None:
        """Raise an error if this many more numbers exceed the limit."""

    def array(self, value: Any) -> SeenArray | SeenObject:
        """Copy a NumPy array or scalar."""


class Runtime:
    """A framework inside the worker.

    A value from the learner's code may lie about everything: only its real type counts, and its own
    methods are not called. ``left`` has a sentence on each thing that the engine leaves to the
    framework; ``faults`` names each part of the engine that failed through its own fault.
    """

    def __init__(self, framework: Framework) -> None:
        self.framework = framework
        self.left: tuple[str, ...] = ()
        self.faults: list[str] = []

    def install(self, engine: str, announce: Callable[[str], None], compiled: str) -> None:
        """Choose the engine. Called once; it may start threads.

        If something is compiled, ``announce`` is called with a line of text, from any thread.
        ``compiled`` is the folder with what others compiled.

        Raises:
            ValueError: the engine is not known.
        """
        if engine != "numpy":
            raise ValueError(f'engine must be "numpy", got {engine!r}')

    def prepare(self) -> None:
        """Before a fork, import what ``install`` needs for the engine that compiles nothing.

        It must start no thread.
        """

    def leave(self, parts: Iterable[str]) -> None:
        """Leave these parts of the engine to the framework from now on."""

    def warm_up(self) -> None:
        """Do in advance what is slow the first time."""

    def finders(self, notes: list[str]) -> list[MetaPathFinder]:
        """Return a finder for names that the framework has moved; each use adds to ``notes``."""
        return []

    def staged(self) -> AbstractContextManager[object] | None:
        """Return a context in which operations become one graph; None if they run at once."""
        return None

    def waiting(self) -> AbstractContextManager[object] | None:
        """Return a context in which operations wait until a number is needed; None if none wait."""
        return None

    def unstaged(self, calls: Sequence[tuple[str, int, str]]) -> bool:
        """Whether the same error would have occurred outside the last of these contexts.

        ``calls`` are file, line and function of each call in its traceback. False if unknown.
        """
        return False

    def argument(self, value: Any) -> Any:
        """Return what the learner's code receives for a ``TensorArg``, ``DTypeArg`` and so on."""
        raise NotImplementedError

    def see(self, value: Any, eye: Eye) -> Seen:
        """Return ``value`` as data if it is one of the framework's own; None for all others."""
        raise NotImplementedError

    def holds_numbers(self, kind: type) -> bool:
        """Whether an object of this type is a tensor or an array."""
        import numpy as np

        return issubclass(kind, np.ndarray)

    def size(self, value: Any) -> int | None:
        """Return the number in one of the framework's own sizes; None for anything else."""
        return None

    def is_module(self, value: Any) -> bool:
        """Whether ``value`` can have parameters."""
        return True

    def parameters(self, module: Any) -> Iterator[tuple[str, SeenParameter]]:
        """Yield each parameter of ``module``, by name."""
        raise NotImplementedError

    def load_weights(
        self, module: Any, weights: dict[str, Array], kept: Container[str] = ()
    ) -> None:
        """Load these weights into ``module``. Every name, shape and dtype must match.

        Parameters with a name in ``kept`` keep their numbers.

        Raises:
            Exception: whatever the framework raises if one does not match.
        """
        raise NotImplementedError
