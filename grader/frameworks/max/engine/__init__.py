"""The engine: MAX's operations on NumPy, so that grading compiles nothing.

MAX still stages every graph and checks every shape and dtype; the numbers come from NumPy, and
what is slow in MAX's staging is done sooner. :func:`environment`, :func:`prepared` and
:func:`prepare` import neither NumPy nor MAX: call them before starting the process that does.
:func:`install` belongs into that process, after MAX is imported and before the first tensor.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` and `collections.abc` take longer than all the rest
if TYPE_CHECKING:
    from collections.abc import Callable


def environment() -> dict[str, str]:
    """The environment variables that must be set before MAX is imported."""
    from grader.frameworks.max.engine import startup

    return startup.environment()


def prepared() -> bool:
    """Whether importing MAX will be quick: what it compiles the first time is there."""
    from grader.frameworks.max.engine import precompile

    return precompile.prepared()


def prepare() -> None:
    """Let MAX compile what it needs to be imported; 6 s, once on a machine.

    Raises:
        grader.frameworks.max.engine.precompile.NotPrepared: MAX could not be imported.
    """
    from grader.frameworks.max.engine import precompile

    precompile.prepare()


def install(
    kind: str,
    announce: Callable[[str], None] | None = None,
    before_compiling: Callable[[], None] | None = None,
) -> None:
    """Choose what computes MAX's operations: ``"numpy"`` or ``"max"`` (MAX's own kernels).

    Operations without a NumPy handler run on MAX's kernels. Where MAX compiles, which takes up
    to a minute, ``announce`` is called with one line of text, from another thread; without it
    the line goes to standard error. ``before_compiling`` is called before each such kernel, and
    before each that MAX loads from its cache.

    Before Python 3.13 this also puts a handler for Ctrl-C in the place of Python's, which makes
    every result of MAX take seconds there; KeyboardInterrupt is raised as ever. Call it in the
    main thread: no other can set a handler.

    Raises:
        ValueError: for any other kind.
        grader.frameworks.max.engine.private.Lacking: this MAX lacks what no engine does without.
    """
    from grader.frameworks.max.engine import installing

    installing.install(kind, announce, before_compiling)
