"""Runs a staged graph on NumPy, again and again, without staging it anew.

MAX interprets a graph once: it stages the operations, lowers them, and reads each attribute while
it computes. Generating text uses the same graph for every token, only with longer inputs. So the
graph is read once here and becomes a Python function (``codegen``), which each run calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from max import graph

from grader.frameworks.max.engine.codegen import Script
from grader.frameworks.max.engine.operation import Array


class Replay:
    """A staged graph as a function of NumPy arrays.

    Call it with one array for each input of the graph; it returns one for each output. The arrays
    may share memory with each other and with the inputs: do not write into them.

    Attributes:
        source: The function, as Python text.
    """

    def __init__(self, staged: graph.Graph, weights: Mapping[str, Array]) -> None:
        """Read a graph.

        Args:
            staged: The graph.
            weights: The values of its external constants, by name.

        Raises:
            Unsupported: it has an operation that NumPy does not compute here.
        """
        script = Script(staged, weights)
        self.source = script.source
        names: dict[str, Any] = script.names
        exec(compile(script.source, "<staged graph>", "exec"), names)  # noqa: S102 - our own text
        self._run: Callable[..., list[Array]] = names["run"]

    def __call__(self, *arrays: Array) -> list[Array]:
        """Run the graph.

        Raises:
            ValueError: an array has another shape than its input.
        """
        with np.errstate(all="ignore"):
            return self._run(*arrays)
