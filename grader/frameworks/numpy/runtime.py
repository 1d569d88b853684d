"""NumPy inside the worker."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

import numpy as np

from grader import frameworks
from grader.frameworks import Eye
from grader.protocol import probe as language
from grader.protocol.probe import Array, Seen, SeenArray, SeenParameter, SeenTensor


class NumPyRuntime(frameworks.Runtime):
    """Converts values to and from NumPy. An object's parameters are its array attributes."""

    def argument(self, value: Any) -> Any:
        """Return the NumPy value that ``value`` stands for."""
        match value:
            case language.TensorArg(array):  # a copy: arrays from a frame are read-only
                return np.array(array, order="C")
            case language.DTypeArg(name):
                return np.dtype(name)
            case language.DimArg(size):
                return size
            case language.DeviceArg():
                return "cpu"
        return value

    def see(self, value: Any, eye: Eye) -> Seen:
        """Return a copy of an array; None for anything else."""
        if not issubclass(type(value), np.ndarray):
            return None
        seen = eye.array(value)
        return (
            SeenTensor(seen.array, seen.array.dtype.name) if isinstance(seen, SeenArray) else seen
        )

    def parameters(self, module: Any) -> Iterator[tuple[str, SeenParameter]]:
        """Yield name, shape and dtype of each array of ``module``."""
        for name, array in _arrays(module).items():
            yield name, SeenParameter(array.shape, array.dtype.name)

    def load_weights(
        self, module: Any, weights: dict[str, Array], kept: Container[str] = ()
    ) -> None:
        """Set the attributes with these names.

        Raises:
            ValueError: another name, shape or dtype.
        """
        have = {
            name: (array.shape, array.dtype)
            for name, array in _arrays(module).items()
            if name not in kept
        }
        if have != {name: (array.shape, array.dtype) for name, array in weights.items()}:
            raise ValueError("the weights do not fit")
        for name, array in weights.items():
            object.__setattr__(module, name, array)


def _arrays(module: Any) -> dict[str, Array]:
    """Return the array attributes of ``module``, whatever it says about itself."""
    try:
        attributes = object.__getattribute__(module, "__dict__")
    except AttributeError:  # it has slots
        return {}
    return {
        name: np.asarray(value).view(np.ndarray)
        for name, value in dict.items(attributes)
        if type(name) is str and issubclass(type(value), np.ndarray)
    }
