"""The engine: MAX's operations on NumPy, so that grading compiles nothing.

``environment()`` is cheap and imports neither NumPy nor MAX; call it before starting the
process that imports MAX. ``install()`` belongs into that process, after the import.
"""

from __future__ import annotations


def environment() -> dict[str, str]:
    """The environment variables that must be set before MAX is imported."""
    from grader.engine import startup

    return startup.environment()


def install(kind: str) -> None:
    """Choose what computes MAX's operations: ``"numpy"`` or ``"max"`` (MAX's own kernels).

    Raises:
        ValueError: for any other kind.
    """
    if kind == "max":
        return
    if kind != "numpy":
        raise ValueError(f'engine must be "numpy" or "max", got {kind!r}')
    from grader.engine import create, elementwise, index, rearrange, reduce, seam

    for module in (elementwise, rearrange, reduce, create, index):
        seam.register(module.HANDLERS)
