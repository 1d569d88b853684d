"""Whether a file is right, found by running it on MAX here and now, without rubric or worker.

Only for files of ours: the code runs in this process. ``python -m tests.graded.direct s05 FILE…``
prints one line a file.

Longer than 300 lines, because it has a second, independent answer for every step.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import io
import itertools
import math
import os
import signal
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

TOLERANCE = 2e-4
"""Of the largest right number: float32 against float64 stays a hundred times below it."""


@dataclass(frozen=True)
class Truth:
    """``right``, and in what way it is not. ``off`` is the largest error seen, relative.

    ``raised`` says that the program, or what MAX makes of it, raised an error.
    """

    right: bool
    why: str = ""
    off: float = 0.0
    raised: bool = False


class Wrong(Exception):
    """The file under test does something that a right answer does not."""


class TooLong(BaseException):
    """The file under test ran past its time; no ``except Exception`` in it catches this."""


def start() -> None:
    """Import MAX with the NumPy engine; call once, before anything else here.

    The collector looks at nothing of it later, and as rarely as in a worker.
    """
    from grader.frameworks.max.engine import environment, install

    os.environ.update(environment())
    warnings.simplefilter("ignore", DeprecationWarning)
    import max.experimental.functional
    import max.experimental.nn as nn
    import max.experimental.tensor  # noqa: F401

    sys.modules.setdefault("max.nn.module_v3", nn)
    install("numpy")
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Stop the block with :class:`TooLong`; main thread only.

    It may take ``seconds`` of processor time, or ten times as long by the clock: a busy machine
    makes no file slow, and a file that only waits ends too.
    """

    def stop(*_: object) -> None:
        raise TooLong

    clocks = ((signal.SIGPROF, signal.ITIMER_PROF, 1), (signal.SIGALRM, signal.ITIMER_REAL, 10))
    before = {number: signal.signal(number, stop) for number, _, _ in clocks}
    for _, timer, times in clocks:
        signal.setitimer(timer, times * seconds)
    try:
        yield
    finally:
        for number, timer, _ in clocks:
            signal.setitimer(timer, 0)
            signal.signal(number, before[number])


def truth(step: str, data: bytes, *, seconds: float = 20.0) -> Truth:
    """Run the file ``data`` as an answer to ``step`` against formulas of our own."""
    silent = io.StringIO()
    try:
        with (
            at_most(seconds),
            contextlib.redirect_stdout(silent),
            contextlib.redirect_stderr(silent),
        ):
            _hide_solutions(step)
            return Truth(True, off=trial_of(step)(_loaded(data)))
    except Wrong as wrong:
        return Truth(False, str(wrong))
    except TooLong:
        return Truth(False, "does not end")
    except BaseException as error:  # noqa: BLE001  a learner's code may raise anything
        text = str(error).strip().splitlines()
        why = f"{type(error).__name__}: {text[0][:90] if text else ''}"
        return Truth(False, why, raised=True)


def trial_of(step: str) -> Callable[[types.ModuleType], float]:
    """What is tried of ``step``: gives the largest error, or raises.

    Raises:
        ImportError: nothing is. Write ``tests/graded/trial_NN.py``.
    """
    from tests.graded import gpt2_trials, other_trials

    known = {**other_trials.TRIALS, **gpt2_trials.TRIALS, **TRIALS}
    if step in known:
        return known[step]
    module = importlib.import_module(f"tests.graded.trial_{step.removeprefix('s')}")
    found: Callable[[types.ModuleType], float] = module.trial
    return found


def _hide_solutions(step: str) -> None:
    """Let ``solutions`` of this step and of later ones be as absent as for a learner."""
    for path in (ROOT / "solutions").glob("solution_*.py"):
        name = f"solutions.{path.stem}"
        if path.stem.removeprefix("solution_") >= step.removeprefix("s"):
            sys.modules[name] = None  # type: ignore[assignment]
        elif name in sys.modules and sys.modules[name] is None:
            del sys.modules[name]


def _loaded(data: bytes) -> types.ModuleType:
    """The module that ``data`` defines."""
    module = types.ModuleType("learner")
    module.__file__ = "learner.py"
    sys.modules["learner"] = module
    exec(compile(data, "learner.py", "exec", dont_inherit=True), module.__dict__)
    return module


def _staged(call: Callable[[], Any]) -> Any:
    """The answer of ``call`` as one graph, which is fast; operation by operation if need be."""
    from max.experimental import functional as F

    try:
        with F.lazy():
            return call()
    except TypeError as error:
        if "realize tensor" not in str(error):
            raise
        return call()


def _read(tensor: object, what: str) -> Any:
    """The numbers of a MAX tensor of float32."""
    from max.dtype import DType
    from max.experimental.tensor import Tensor

    if not isinstance(tensor, Tensor):
        raise Wrong(f"{what} is {type(tensor).__name__}")
    if tensor.dtype != DType.float32:
        raise Wrong(f"{what} has dtype {tensor.dtype}")
    return tensor.to_numpy()


def _off(seen: Any, want: Any, what: str) -> float:
    """The largest error relative to the largest right number; raises Wrong where too large."""
    import numpy as np

    if seen.shape != want.shape:
        raise Wrong(f"{what} has shape {seen.shape}, not {want.shape}")
    finite = np.isfinite(want)
    if not np.array_equal(np.where(finite, 0.0, want), np.where(finite, 0.0, seen)):
        raise Wrong(f"{what} is infinite or NaN elsewhere")
    size = max(1.0, float(np.abs(want[finite]).max(initial=0.0)))
    off = float(np.abs(seen - want, where=finite, out=np.zeros(want.shape)).max(initial=0.0)) / size
    if not off < TOLERANCE:
        raise Wrong(f"{what} is off by {off:.2g}")
    return off


DEFAULTS: dict[str, object] = {
    "vocab_size": 50257,
    "n_positions": 1024,
    "n_embd": 768,
    "n_layer": 12,
    "n_head": 12,
    "n_inner": None,
    "activation_function": "gelu_new",
    "resid_pdrop": 0.1,
    "embd_pdrop": 0.1,
    "attn_pdrop": 0.1,
    "layer_norm_epsilon": 1e-5,
    "initializer_range": 0.02,
    "bos_token_id": 50256,
    "eos_token_id": 50256,
    "tie_word_embeddings": True,
}


READ_LATER = (
    "vocab_size",
    "n_positions",
    "n_embd",
    "n_layer",
    "n_head",
    "n_inner",
    "layer_norm_epsilon",
)
"""The fields that later steps read. The others may be missing."""


def _config(module: types.ModuleType) -> float:
    fresh = module.GPT2Config()
    for name, value in DEFAULTS.items():
        if name not in READ_LATER and not hasattr(fresh, name):
            continue
        have = getattr(fresh, name)
        if type(have) is not type(value) or not (have == value or _near(have, value)):
            raise Wrong(f"{name} is {have!r}")
    made = [(given, module.GPT2Config(**given)) for given in _given(fresh)]
    for given, other in made:  # all of them exist by now
        for name in DEFAULTS:
            if not hasattr(fresh, name):
                continue
            have, want = getattr(other, name), given.get(name, getattr(fresh, name))
            if have != want:
                raise Wrong(f"{name} is {have!r} after GPT2Config(**{given})")
    return 0.0


OTHERS: dict[str, tuple[Any, ...]] = {
    "vocab_size": (99, 128_256),
    "n_positions": (8, 131_072),
    "n_embd": (24, 960, 1536),
    "n_layer": (2, 64),
    "n_head": (1, 6),
    "n_inner": (1, 8192),
    "layer_norm_epsilon": (1e-12, 0.5),
    "activation_function": ("relu",),
    "resid_pdrop": (0.4, 0.0),
    "embd_pdrop": (0.0,),
    "attn_pdrop": (0.125, 0.0),
    "initializer_range": (0.3, 0.0),
    "bos_token_id": (3,),
    "eos_token_id": (1,),
    "tie_word_embeddings": (False,),
}


def _given(fresh: Any) -> Iterator[dict[str, Any]]:
    """What is set by name: one field, two that later steps read, and all of those, equal."""
    for name, values in OTHERS.items():
        yield from ({name: value} for value in values if hasattr(fresh, name))
    for a, b in itertools.combinations(READ_LATER, 2):
        yield from ({a: x, b: y} for x in OTHERS[a] for y in OTHERS[b])
    for size in (1, 6):
        yield {**dict.fromkeys(READ_LATER, size), "layer_norm_epsilon": 1e-3}
    yield {"n_embd": 1600, "n_head": 25, "n_layer": 48}


def _near(have: object, value: object) -> bool:
    return isinstance(have, float) and isinstance(value, float) and math.isclose(have, value)


MASKS = (
    *((4, 0), (1, 0), (300, 0), (2, 3), (3, 4), (5, 1), (1, 6), (4, 2)),
    *((2, 0), (3, 3), (1, 1), (2, 40), (4, 1020), (3, 4), (4, 0), (2, 40), (1024, 0)),
)


def _mask(module: types.ModuleType, sizes: tuple[tuple[int, int], ...] = MASKS) -> float:
    from max.driver import CPU
    from max.dtype import DType

    from tests.graded import formulas

    worst = 0.0
    for size in sizes:
        make = functools.partial(module.causal_mask, *size)
        mask = _staged(functools.partial(make, dtype=DType.float32, device=CPU()))
        what = f"causal_mask{size}"
        worst = max(worst, _off(_read(mask, what), formulas.causal_mask(*size), what))
        for kind in (DType.float64, DType.float16):
            other = _staged(functools.partial(make, dtype=kind, device=CPU()))
            if other.dtype != kind:
                raise Wrong("the dtype is not the one asked for")
            worst = max(worst, _off(other.to_numpy(), formulas.causal_mask(*size), what))
    return max(worst, _mask_of_dims(module))


def _mask_of_dims(module: types.ModuleType) -> float:
    """Lengths as a tensor's shape has them. A program may take whole numbers only."""
    from max.driver import CPU
    from max.dtype import DType
    from max.graph import Dim

    from tests.graded import formulas

    worst = 0.0
    for sizes in ((Dim(3), Dim(2)), (Dim(3), 2), (3, Dim(2))):
        make = functools.partial(module.causal_mask, *sizes, dtype=DType.float32, device=CPU())
        try:
            mask = _staged(make)
        except Exception:  # noqa: BLE001  a learner's code may raise anything
            continue
        want = formulas.causal_mask(3, 2)
        worst = max(worst, _off(_read(mask, "a mask"), want, "a mask of dimensions"))
    return worst


LAYERS = (
    # n_head, head_dim, batch and the lengths of the texts given one after another
    (3, 5, 2, (4, 7, 4)),
    (5, 2, 3, (6, 1)),
    (2, 7, 1, (3, 9)),
    (1, 4, 2, (5,)),
    (4, 1, 2, (3,)),
    (12, 2, 2, (4,)),
    (12, 64, 1, (4,)),
    (3, 4, 4, (5,)),
    (1, 72, 1, (530,)),
    (26, 3, 2, (4,)),
    (32, 2, 2, (3,)),
    (2, 3, 33, (3,)),
    (3, 3, 3, (3,)),
    (3, 3, 2, (7,)),
    (2, 2, 2, (2, 2)),
    (4, 3, 2, (4,)),
    (3, 2, 3, (5,)),
    (2, 5, 4, (4, 5)),
    (3, 2, 2, (6,)),
    (2, 2, 4, (5, 5, 5)),
)


UNUSED = {"n_layer": 3, "initializer_range": 0.3, "attn_pdrop": 0.0, "resid_pdrop": 0.5}
"""Of a configuration: what changes nothing in a layer."""


def _layer(cls: str) -> Callable[[types.ModuleType], float]:
    def trial(module: types.ModuleType) -> float:
        import numpy as np

        random = np.random.default_rng(20240501)
        worst = max(_one_layer(getattr(module, cls), random, *sizes) for sizes in LAYERS)
        return max(worst, _far_scores(getattr(module, cls)))

    return trial


def _far_scores(cls: Any) -> float:
    """One head, whose scores are the second feature times the sign of the first."""
    import numpy as np
    from max.experimental.tensor import Tensor

    from solutions.solution_01 import GPT2Config
    from tests.graded import formulas

    width = 4
    fused = np.zeros((3 * width, width), np.float32)
    fused[0, 0], fused[width, 1] = 2.0, 1.0  # the root of the width, and a feature of the key
    fused[2 * width :] = np.eye(width)
    weights = {"c_attn.weight": fused, "c_attn.bias": np.zeros(3 * width, np.float32)}
    weights |= {"c_proj.weight": np.eye(width, dtype=np.float32)}
    weights |= {"c_proj.bias": np.zeros(width, np.float32)}
    x = np.zeros((3, 4, width), np.float32)
    x[0] = [[1, -41, 0, 1], [1, -40, 0, 2], [1, -42, 0, 3], [-1, 43, 1e7, 4]]
    x[1] = [[1, 79, 0, 1], [1, 78, 0, 2], [1, 71, 0, 3], [1, 76, 0, 4]]
    x[2] = [[1, -85, 0, 1], [1, -86, 0, 2], [1, -84, 0, 3], [1, -300, 1e30, 4]]
    layer = _staged(lambda: cls(GPT2Config(n_embd=width, n_head=1)))
    layer.load_state_dict({name: array.copy() for name, array in weights.items()})
    have = _read(_staged(lambda: layer(Tensor.from_dlpack(x.copy()))), "scores far from 0")
    want = formulas.layer(x.astype(np.float64), weights, 1)
    seen = [0, 2, 3]  # of the second feature the value is the key
    return _off(have[..., seen], want[..., seen], "scores far from 0")


def _one_layer(
    cls: Any, random: Any, n_head: int, head_dim: int, batch: int, lengths: tuple[int, ...]
) -> float:
    import numpy as np
    from max.experimental.tensor import Tensor

    from solutions.solution_01 import GPT2Config
    from tests.graded import formulas

    width = n_head * head_dim
    spread = 1.5 / width**0.5
    weights = {
        "c_attn.weight": random.normal(0, spread, (3 * width, width)).astype(np.float32),
        "c_attn.bias": random.normal(0, 0.5, 3 * width).astype(np.float32),
        "c_proj.weight": random.normal(0, spread, (width, width)).astype(np.float32),
        "c_proj.bias": random.normal(0, 0.5, width).astype(np.float32),
    }
    more: dict[str, Any] = UNUSED if batch == 2 else {}
    config = GPT2Config(n_embd=width, n_head=n_head, **more)
    layer = _staged(lambda: cls(config))
    if config != GPT2Config(n_embd=width, n_head=n_head, **more):
        raise Wrong("the configuration is changed")
    _staged(lambda: cls(GPT2Config(n_embd=width, n_head=1)))  # another one, which changes nothing
    layer.load_state_dict({name: array.copy() for name, array in weights.items()})
    worst = 0.0
    twin = _staged(lambda: cls(config))  # of the same size, with other weights
    twin.load_state_dict({name: array[::-1].copy() for name, array in weights.items()})
    for seq in lengths:
        x = random.normal(0, 1, (batch, seq, width)).astype(np.float32)
        y = _staged(functools.partial(layer, Tensor.from_dlpack(x.copy())))
        what = f"the output (n_head {n_head}, head_dim {head_dim}, batch {batch}, seq {seq})"
        want = formulas.layer(x.astype(np.float64), weights, n_head)
        worst = max(worst, _off(_read(y, what), want, what))
    if width == 1:
        return worst
    steered = _steered(weights, n_head)
    layer.load_state_dict({name: array.copy() for name, array in steered.items()})
    for seq in [one for one in lengths if one > 1]:
        # scores that would be clipped, and behind them one that a finite mask would not hide
        x = random.normal(0, 1, (batch, seq, width)).astype(np.float32)
        x[..., 0] = random.uniform(-57, -53, (batch, seq))
        x[:, -1, :2] = 20, 1e10
        y = _staged(functools.partial(layer, Tensor.from_dlpack(x.copy())))
        want = formulas.layer(x.astype(np.float64), steered, n_head)
        seen = slice(0, -1)  # the last token sees itself
        worst = max(worst, _off(_read(y, "y")[:, seen], want[:, seen], f"far scores, {what}"))
    return worst


def _steered(weights: dict[str, Any], n_head: int) -> dict[str, Any]:
    """Weights whose scores grow with feature 0 of a key's token, and values with feature 1."""
    found = {name: array.copy() for name, array in weights.items()}
    fused, bias = found["c_attn.weight"], found["c_attn.bias"]
    width = fused.shape[1]
    dim = width // n_head
    fused[: 2 * width, :2] = 0.0
    fused[2 * width :, 0] = 0.0
    for row in range(0, width, dim):
        fused[[row, width + row]] = 0.0
        bias[row], bias[width + row], fused[width + row, 0] = dim**0.5, 0.0, 1.0
    return found


TRIALS: dict[str, Callable[[types.ModuleType], float]] = {
    "s01": _config,
    "s02": _mask,
    "s05": _layer("GPT2Attention"),
    "s07": _layer("GPT2MultiHeadAttention"),
}


def main() -> None:
    start()
    step, *files = sys.argv[1:]
    for name in files:
        found = truth(step, Path(name).read_bytes())
        print("right" if found.right else "WRONG", f"{found.off:.1e}", name, found.why, flush=True)


if __name__ == "__main__":
    # Not this copy of the module, but the one whose classes the trials of the steps know.
    from tests.graded import direct

    direct.main()
