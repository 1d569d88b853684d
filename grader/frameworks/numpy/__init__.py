"""NumPy as a course's framework: every array is a tensor, every object a module.

This module does not import NumPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader import frameworks
from grader.frameworks import Spellings

if TYPE_CHECKING:
    from grader.frameworks import Runtime, Translation
    from grader.protocol.probe import SeenError

OPERATIONS = ("matmul", "reshape", "split", "sqrt", "where", "exp", "max", "sum", "mean", "tril")

SPELLINGS = Spellings(
    operations={
        **{f"numpy.{name}": name for name in OPERATIONS},
        "numpy.add": "add",
        "numpy.divide": "div",
        "numpy.dot": "matmul",
        "numpy.multiply": "mul",
        "numpy.power": "pow",
        "numpy.subtract": "sub",
        "numpy.swapaxes": "transpose",
        "numpy.transpose": "permute",
        "numpy.true_divide": "div",
        "math.sqrt": "sqrt",
    },
    methods=frozenset(("max", "mean", "reshape", "sum")),
    wrappers=frozenset(("numpy.asarray", "numpy.array", "numpy.float32", "numpy.float64")),
    conversions=frozenset(("astype", "copy")),
    imports="import math\nimport numpy as np",
)


class NumPy(frameworks.Framework):
    """NumPy, from the point of view of the grader's own process."""

    name = "numpy"
    title = "NumPy"
    tensor = "a NumPy array"
    tensor_type = "ndarray"

    def spellings(self) -> Spellings:
        """Return NumPy's spellings of an operation."""
        return SPELLINGS

    def translate(self, error: SeenError) -> Translation:
        """Explain an error of Python; NumPy's own messages are clear enough."""
        from grader.frameworks import errors

        return errors.translate(error)

    def environment(self, folder: str | None = None) -> dict[str, str]:
        """Allow one thread for matrix products: more would spin on other workers' cores."""
        return {"OPENBLAS_NUM_THREADS": "1"}

    def runtime(self) -> Runtime:
        """Import NumPy."""
        from grader.frameworks.numpy.runtime import NumPyRuntime

        return NumPyRuntime(self)


FRAMEWORK = NumPy()
