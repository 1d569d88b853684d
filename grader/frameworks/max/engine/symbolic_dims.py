"""Python text for the lengths of a staged graph that are known only when it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from max import graph
from max.graph import Dim, StaticDim, SymbolicDim


class Lengths:
    """Text for dimensions: numbers, or variables that a function's first lines set."""

    def __init__(self, inputs: Sequence[Sequence[Dim]]) -> None:
        """Take the shapes of the function's arguments, which are called ``a0``, ``a1``, etc."""
        self.functions: dict[str, Callable[..., int]] = {}
        self._called: dict[Dim, str] = {}
        self._lines: list[str] = []
        for index, dims in enumerate(inputs):
            self._lines.append(f"if a{index}.ndim != {len(dims)}: {_refuse(index)}")
            for axis, dim in enumerate(dims):
                if isinstance(dim, SymbolicDim) and dim not in self._called:
                    self._define(dim, f"a{index}.shape[{axis}]")
        self._names = dict(self._called)
        for index, dims in enumerate(inputs):
            self._lines.append(f"if a{index}.shape != {self._tuple(dims)}: {_refuse(index)}")

    def lines(self) -> list[str]:
        """Return the lines that set the variables and check the shapes of the arguments."""
        return self._lines

    def of(self, attribute: Any) -> list[str]:
        """Return the text of each dimension of a shape in the graph."""
        return [self._text(dim) for dim in graph.Shape.from_mlir(attribute)]

    def shape(self, attribute: Any) -> str:
        """Return the text of a shape in the graph as a tuple."""
        return self._tuple(graph.Shape.from_mlir(attribute))

    def _tuple(self, dims: Iterable[Dim]) -> str:
        return f"({''.join(f'{self._text(dim)}, ' for dim in dims)})"

    def _text(self, dim: Dim) -> str:
        if isinstance(dim, StaticDim):
            return str(int(dim))
        if dim not in self._called:
            self._define(dim, self._computed(dim))
        return self._called[dim]

    def _computed(self, dim: Dim) -> str:
        """Return the text that computes a dimension from those that have names."""
        attribute: Any = dim.to_mlir()
        if attribute.opcode == (Dim("past") + "seq").to_mlir().opcode:
            return " + ".join(self._text(Dim(each)) for each in attribute.operands)
        names = [str(each.name) for each in self._names if isinstance(each, SymbolicDim)]
        function = f"size{len(self.functions)}"
        self.functions[function] = lambda *found: int(
            dim.substitute(dict(zip(names, found, strict=True)))  # takes MAX 30 microseconds
        )
        return f"{function}({', '.join(self._names.values())})"

    def _define(self, dim: Dim, text: str) -> None:
        name = f"d{len(self._called)}"
        self._called[dim] = name
        self._lines.append(f"{name} = {text}")


def _refuse(index: int) -> str:
    return f"raise ValueError('input {index} has shape ' + str(a{index}.shape))"
