"""Whether a file is right, found by running it on MAX here and now, without rubric or worker.

Only for files of ours: the code runs in this process. ``python -m tests.graded.direct s05 FILE…``
prints one line a file.

What is tried of step NN is in ``tests/graded/trial_NN.py``: a second, independent answer.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import io
import os
import signal
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.graded.trial_tools import Wrong

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Truth:
    """``right``, and in what way it is not. ``off`` is the largest error seen, relative.

    ``raised`` says that the program, or what MAX makes of it, raised an error.
    """

    right: bool
    why: str = ""
    off: float = 0.0
    raised: bool = False


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
            return Truth(True, off=max(trial_of(step)(_loaded(data))))
    except Wrong as wrong:
        return Truth(False, str(wrong))
    except TooLong:
        return Truth(False, "does not end")
    except BaseException as error:  # noqa: BLE001  a learner's code may raise anything
        text = str(error).strip().splitlines()
        why = f"{type(error).__name__}: {text[0][:90] if text else ''}"
        return Truth(False, why, raised=True)


def trial_of(step: str) -> Callable[[types.ModuleType], Iterator[float]]:
    """What is tried of ``step``: yields the error of each result, or raises ``Wrong``.

    Raises:
        ImportError: nothing is. Write ``tests/graded/trial_NN.py``.
    """
    module = importlib.import_module(f"tests.graded.trial_{step.removeprefix('s')}")
    found: Callable[[types.ModuleType], Iterator[float]] = module.trial
    return found


def _hide_solutions(step: str) -> None:
    """Let ``solutions`` of this step and of later ones be as absent as for a learner."""
    for path in (ROOT / "solutions").glob("solution_*.py"):
        name = f"solutions.{path.stem}"
        if path.stem.removeprefix("solution_") >= step.removeprefix("s"):
            sys.modules[name] = None  # type: ignore[assignment]
        elif name in sys.modules and sys.modules[name] is None:
            del sys.modules[name]


def _loaded(data: bytes, name: str = "learner") -> types.ModuleType:
    """The module that ``data`` defines; ``__again__`` defines it anew, as another program would."""
    module = types.ModuleType(name)
    module.__file__ = f"{name}.py"
    module.__dict__["__again__"] = functools.partial(_loaded, data, "learner_again")
    sys.modules[name] = module
    exec(compile(data, module.__file__, "exec", dont_inherit=True), module.__dict__)
    return module


def main() -> None:
    start()
    step, *files = sys.argv[1:]
    for name in files:
        found = truth(step, Path(name).read_bytes())
        print("right" if found.right else "WRONG", f"{found.off:.1e}", name, found.why, flush=True)


if __name__ == "__main__":
    main()
