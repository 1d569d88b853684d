"""What independent trials share: tensors, objects with weights, errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

TOLERANCE = 2e-4
"""Of the largest right number: float32 against float64 stays a hundred times below it."""


class Wrong(Exception):
    """The file under test does something that a right answer does not."""


def staged(call: Callable[[], Any]) -> Any:
    """The answer of ``call`` as one graph, which is fast; operation by operation if need be."""
    from max.experimental import functional as F

    try:
        with F.lazy():
            return call()
    except TypeError as error:
        if "realize tensor" not in str(error):
            raise
        return call()


def call(function: Callable[..., Any], *args: Any, **more: Any) -> Any:
    """The answer, staged as one graph where that goes, else operation by operation.

    Arrays become tensors.
    """
    from max.experimental import functional as F
    from max.experimental.tensor import Tensor

    args = tuple(map(_tensor, args))
    more = {name: _tensor(value) for name, value in more.items()}
    try:
        with F.lazy():
            answer = function(*args, **more)
        for one in answer if isinstance(answer, tuple | list) else [answer]:
            if isinstance(one, Tensor):
                one.to_numpy()
        return answer
    except Exception:  # noqa: BLE001  a learner's code may raise anything
        return function(*args, **more)


def pair(function: Callable[..., Any], *args: Any, **more: Any) -> Any:
    """The same of what must answer with two things."""
    answer = call(function, *args, **more)
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise Wrong("no pair is returned")
    return answer


def _tensor(value: Any) -> Any:
    import numpy as np

    return tensor(value) if isinstance(value, np.ndarray) else value


def read(tensor: object, what: str) -> Any:
    """The numbers of a MAX tensor of float32."""
    from max.dtype import DType
    from max.experimental.tensor import Tensor

    if not isinstance(tensor, Tensor):
        raise Wrong(f"{what} is {type(tensor).__name__}")
    if tensor.dtype != DType.float32:
        raise Wrong(f"{what} has dtype {tensor.dtype}")
    return tensor.to_numpy()


def off(seen: Any, want: Any, what: str, times: float = 1.0) -> float:
    """The largest error relative to the largest right number; raises Wrong where too large.

    ``seen`` is an array, or a tensor of float32. ``times`` multiplies the tolerance, and divides
    the error that is returned.
    """
    import numpy as np

    seen = seen if isinstance(seen, np.ndarray) else read(seen, what)
    if seen.shape != want.shape:
        raise Wrong(f"{what} has shape {seen.shape}, not {want.shape}")
    finite = np.isfinite(want)
    if not np.array_equal(np.where(finite, 0.0, want), np.where(finite, 0.0, seen)):
        raise Wrong(f"{what} is infinite or NaN elsewhere")
    size = max(1.0, float(np.abs(want[finite]).max(initial=0.0)))
    off = float(np.abs(seen - want, where=finite, out=np.zeros(want.shape)).max(initial=0.0)) / size
    if not off < TOLERANCE * times:
        raise Wrong(f"{what} is off by {off:.2g}")
    return off / times


def tensor(array: Any) -> Any:
    from max.experimental.tensor import Tensor

    return Tensor.from_dlpack(array.copy())


def generator(seed: int) -> Any:
    import numpy as np

    return np.random.default_rng(seed)


def made_module(cls: Any, *args: Any, **more: Any) -> Any:
    """An object of ``cls``, which is a Module."""
    from max.experimental.nn import Module

    made = created(cls, *args, **more)
    if not isinstance(made, Module):
        raise Wrong(f"{cls.__name__} is no Module")
    return made


def weights(random: Any, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Any]:
    """Numbers of order 1 for each shape; norms lie around 1."""
    import numpy as np

    found = {}
    for name, shape in shapes.items():
        spread = 1.4 / shape[-1] ** 0.5 if len(shape) == 2 else 0.5
        middle = 1.0 if ".ln_" in f".{name}" and name.endswith("weight") else 0.0
        found[name] = random.normal(middle, spread, shape).astype(np.float32)
    return found


def mlp_shapes(width: int, inner: int) -> dict[str, tuple[int, ...]]:
    return {
        "c_fc.weight": (inner, width),
        "c_fc.bias": (inner,),
        "c_proj.weight": (width, inner),
        "c_proj.bias": (width,),
    }


def block_shapes(width: int, inner: int) -> dict[str, tuple[int, ...]]:
    attn = {
        "c_attn.weight": (3 * width, width),
        "c_attn.bias": (3 * width,),
        "c_proj.weight": (width, width),
        "c_proj.bias": (width,),
    }
    norm: dict[str, tuple[int, ...]] = {"weight": (width,), "bias": (width,)}
    mlp = mlp_shapes(width, inner)
    parts: dict[str, dict[str, tuple[int, ...]]]
    parts = {"ln_1": norm, "attn": attn, "ln_2": norm, "mlp": mlp}
    return {f"{part}.{name}": shape for part in parts for name, shape in parts[part].items()}


def loaded(cls: Any, weights: Mapping[str, Any], *args: Any, **more: Any) -> Any:
    """An object of ``cls`` with these weights, loaded strictly."""
    made = created(cls, *args, **more)
    load(made, weights)
    return made


def exact(weights: Mapping[str, Any]) -> dict[str, Any]:
    """The weights in float64."""
    return {name: array.astype(float) for name, array in weights.items()}


def load(made: Any, weights: Mapping[str, Any]) -> None:
    """Load copies of weights, strictly."""
    made.load_state_dict({name: array.copy() for name, array in weights.items()})


def turned(weights: Mapping[str, Any]) -> dict[str, Any]:
    """Other weights of the same shapes."""
    return {name: array[::-1].copy() for name, array in weights.items()}


def created(cls: Any, *args: Any, **more: Any) -> Any:
    """An object of ``cls``; its first weights are never computed."""
    from max.experimental import functional as F

    with F.lazy():
        return cls(*args, **more)
