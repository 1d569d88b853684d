"""The experiments. Each computes the same in two ways, checks that, and times both.

With the engine ``max`` everything that is timed is compiled by MAX first. With ``numpy`` it runs
on the engine that grades, which starts at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tools.lab.timing import Pair, Work

WIDTH = 768
"""GPT-2's ``n_embd``."""


@dataclass(frozen=True)
class Experiment:
    """A question, and the pairs whose ratio answers it.

    ``prepare`` takes the engine and returns the pairs; ``engines`` are those that it can use.
    ``base`` and ``other`` head the columns, ``lesson`` is where the figures are.
    """

    prepare: Callable[[str], Sequence[Pair]]
    base: str
    other: str
    lesson: str
    engines: tuple[str, ...]

    @property
    def name(self) -> str:
        """What it is called on the command line."""
        return self.prepare.__name__

    @property
    def about(self) -> str:
        """What is compared: the first line of the function's docstring."""
        said = (self.prepare.__doc__ or "").partition("\n")[0].rstrip(".")
        return said[:1].lower() + said[1:]


def experiment(
    base: str, other: str, lesson: str, *engines: str
) -> Callable[[Callable[[str], Sequence[Pair]]], Experiment]:
    """Make a function an experiment; without ``engines`` it can use both."""
    return lambda prepare: Experiment(prepare, base, other, lesson, engines or ("max", "numpy"))


class NotTheSame(AssertionError):
    """Two sides of an experiment do not compute the same."""


def require_close(what: str, base: Any, other: Any, tolerance: float) -> None:
    """Check that two arrays agree, relative to the largest number.

    Raises:
        NotTheSame: if they do not.
    """
    apart = float(np.abs(base - other).max() / np.abs(base).max())
    if not apart <= tolerance:
        raise NotTheSame(f"{what}: the two sides differ by {apart:.2g} of the largest number")


def _random(seed: int, *shape: int) -> Any:
    """Normal numbers, float32, as a MAX tensor."""
    from max.experimental.tensor import Tensor

    return Tensor(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


def _ready(layer: Any, kind: str, *inputs: Any) -> Any:
    """``layer`` compiled by MAX, or as it is: operation by operation on the engine that grades."""
    return layer.compile(*inputs) if kind == "max" else layer


# ---- fused --------------------------------------------------------------------------------


@experiment("three", "fused", "steps/what_it_costs.md, One projection for three")
def fused(kind: str) -> list[Pair]:
    """One projection to query, key and value against three."""
    from max.driver import CPU
    from max.dtype import DType
    from max.graph import TensorType

    taken = TensorType(DType.float32, [1, "seq", WIDTH], CPU())
    separate, one = (_ready(layer, kind, taken) for layer in _projections())
    pairs = []
    for seq in (1, 16, 256):
        x = _random(seq, 1, seq, WIDTH)
        for three, part in zip(separate(x), one(x), strict=True):
            require_close("fused", three.to_numpy(), part.to_numpy(), 1e-4)
        pairs.append(Pair(_tokens(seq), _calling(separate, x), _calling(one, x)))
    return pairs


def _projections() -> tuple[Any, Any]:
    """Three projections, and one with the weights of all three."""
    from max.experimental import functional as F
    from max.experimental.nn import Linear, Module

    class Separate(Module):
        def __init__(self) -> None:
            super().__init__()
            self.query = Linear(WIDTH, WIDTH, bias=False)
            self.key = Linear(WIDTH, WIDTH, bias=False)
            self.value = Linear(WIDTH, WIDTH, bias=False)

        def forward(self, x: Any) -> Any:
            return self.query(x), self.key(x), self.value(x)

    class Fused(Module):
        def __init__(self) -> None:
            super().__init__()
            self.c_attn = Linear(WIDTH, 3 * WIDTH, bias=False)

        def forward(self, x: Any) -> Any:
            return tuple(F.split(self.c_attn(x), [WIDTH] * 3, axis=-1))

    weight = np.random.default_rng(1).standard_normal((3 * WIDTH, WIDTH)).astype(np.float32)
    parts = np.split(weight, 3)
    with F.lazy():
        separate, one = Separate(), Fused()
    names = ("query.weight", "key.weight", "value.weight")
    separate.load_state_dict(dict(zip(names, parts, strict=True)))
    one.load_state_dict({"c_attn.weight": weight})
    return separate, one


def _tokens(count: int) -> str:
    return f"{count} token{'s' * (count > 1)}"


def _calling(run: Any, x: Any) -> Work:
    """Calls the compiled layer, and waits for its numbers."""
    return lambda: _read(run(x))


def _read(outputs: Any) -> None:
    """Wait for every output: a call may return before the numbers are there."""
    for output in outputs if isinstance(outputs, tuple | list) else [outputs]:
        output.to_numpy()


# ---- the course's small GPT-2 -------------------------------------------------------------


class _Forgetful:
    """Reads a whole text with the graph that can read with a cache, and keeps nothing."""

    def __init__(self, model: Any) -> None:
        self.config = model.config
        self._model = model

    def __call__(self, ids: Any) -> Any:
        return self._model.decode(ids)[0]


@experiment("whole text", "cache", "steps/what_it_costs.md, The KV cache")
def cache(kind: str) -> list[Pair]:
    """Writing with the KV cache against reading the whole text for every token."""
    from gpt2.decoding import nothing_to_stage
    from solutions.solution_12 import generate
    from tools.lab.model import loaded, recorded

    cached = recorded(loaded(), kind)
    whole: Any = _Forgetful(cached)
    prompt = [11, 5, 8, 200]
    pairs = []
    for count in (8, 64, 240):

        def again(count: int = count) -> list[int]:
            with nothing_to_stage():
                return generate(whole, prompt, count, use_cache=False)

        def once(count: int = count) -> list[int]:
            with nothing_to_stage():
                return generate(cached, prompt, count)

        if again(4) != once(4):
            raise NotTheSame("cache: the two sides write different text")
        pairs.append(Pair(_tokens(count), again, once))
    return pairs


@experiment("NumPy", "compiled", "steps/what_it_costs.md, Compiling", "max")
def compiled(_: str) -> list[Pair]:
    """One step of writing, compiled by MAX against run by NumPy.

    NumPy runs it in three ways.
    """
    from max.dtype import DType
    from max.experimental import functional as F
    from max.experimental.tensor import Tensor

    from tools.lab.model import loaded, recorded

    model = loaded()
    replayed, fast = recorded(model, "numpy"), recorded(model, "max")
    config = model.config
    ids = Tensor([[7]], dtype=DType.int64)
    shape = (1, config.n_head, 64, config.n_embd // config.n_head)
    kept = tuple((_random(i, *shape), _random(100 + i, *shape)) for i in range(config.n_layer))

    def staged() -> Any:
        with F.lazy():
            logits, _ = model.decode(ids, kept)
        return logits.to_numpy()

    def decoded(way: Any) -> Any:
        return way.decode(ids, kept)[0].to_numpy()

    run = partial(decoded, fast)
    pairs = [
        Pair("operation by operation", partial(decoded, model), run),
        Pair("one graph (F.lazy)", staged, run),
        Pair("one graph, kept", partial(decoded, replayed), run),
    ]
    for pair in pairs:
        require_close("compiled", pair.base(), run(), 1e-3)
    return pairs


# ---- precision ----------------------------------------------------------------------------


@experiment("float32", "bfloat16", "steps/what_it_costs.md, Fewer digits", "max")
def precision(_: str) -> list[Pair]:
    """A layer of 768 to 3072 features in bfloat16 against float32."""
    from max.driver import CPU
    from max.dtype import DType
    from max.experimental import functional as F
    from max.experimental.nn import Linear, Module
    from max.experimental.tensor import default_dtype
    from max.graph import TensorType

    class Widen(Module):
        """Takes and returns float32; computes in ``kind``."""

        def __init__(self, kind: Any) -> None:
            super().__init__()
            self.kind = kind
            self.c_fc = Linear(WIDTH, 4 * WIDTH, bias=False)

        def forward(self, x: Any) -> Any:
            return self.c_fc(x.cast(self.kind)).cast(DType.float32)

    runs = []
    for kind in (DType.float32, DType.bfloat16):
        with default_dtype(kind), F.lazy():
            layer = Widen(kind)
            layer.c_fc.weight = _random(3, 4 * WIDTH, WIDTH).cast(kind)
        runs.append(_ready(layer, "max", TensorType(DType.float32, ["rows", WIDTH], CPU())))
    pairs = []
    for rows in (1, 16, 256):
        x = _random(rows, rows, WIDTH)
        full, half = (run(x).to_numpy() for run in runs)
        require_close("precision", full, half, 0.02)
        pairs.append(Pair(_tokens(rows), *(_calling(run, x) for run in runs)))
    return pairs


EXPERIMENTS = {one.name: one for one in (fused, cache, compiled, precision)}
