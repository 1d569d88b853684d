"""The engine: MAX's operations on NumPy, so that grading compiles nothing.

MAX still stages every graph and checks every shape and dtype; the numbers come from NumPy, and
faster functions replace the slow parts of MAX's staging. :func:`environment`,
:func:`prepared` and :func:`prepare` import neither NumPy nor MAX: call them before starting the
process that does.
Call :func:`install` in that process, after MAX is imported and before the first tensor.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing `typing` and `collections.abc` takes longer than all the rest
if TYPE_CHECKING:
    from collections.abc import Callable


def environment() -> dict[str, str]:
    """Return the environment variables that must be set before MAX is imported."""
    from grader.frameworks.max.engine import startup

    return startup.environment()


def prepared() -> bool:
    """Whether importing MAX will be quick, because what it compiles the first time exists."""
    from grader.frameworks.max.engine import precompile

    return precompile.prepared()


def prepare() -> None:
    """Let MAX compile what its import needs; 6 s, once per machine.

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

    The last call counts.
    Operations without a NumPy handler run on MAX's kernels. When MAX compiles, which takes up
    to a minute, ``announce`` is called with one line of text, from another thread; without it
    the line goes to standard error. ``before_compiling`` is called before MAX compiles a kernel
    or loads one from its cache.

    Before Python 3.13 this also replaces Python's handler for Ctrl-C, which would make every
    result of MAX take seconds; KeyboardInterrupt is still raised. Call it in the main thread: no
    other can set a handler.

    Raises:
        ValueError: for any other kind.
        grader.frameworks.max.engine.private.Lacking: this MAX lacks what every engine needs.
    """
    from grader.frameworks.max.engine import installing

    installing.install(kind, announce, before_compiling)
