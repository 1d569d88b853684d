"""The quickest way to write with a model on this machine: staged, on NumPy, compiled by MAX."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor

from gpt2.compiled import Compiling
from gpt2.decoding import DecodingGPT2, Quicker, Run, nothing_to_stage, same
from gpt2.staging import Staged, stage
from grader.frameworks.max.engine.replay import Replay

if TYPE_CHECKING:
    from rich.console import Console

CLOSE = 1e-3
"""How near the staged graph's logits must be to those of the model's own Python."""


@contextmanager
def writer(model: Any, kind: str, *, check: bool, notes: Console) -> Iterator[Any]:
    """What to give to ``stream``: the model, or what replaces it and is quicker.

    Args:
        model: A ``GPT2WithCache``.
        kind: ``numpy`` compiles nothing, ``max`` waits until the model is compiled, ``auto``
            writes on NumPy until then.
        check: Compare the staged graph with the model first: a learner's code may be right
            only where lengths are numbers.
        notes: Where messages go.
    """
    staged = _staged(model, check, notes)
    if staged is None:
        yield model
        return
    replay = _replay(staged, notes)
    # MAX changes what it compiles, so it gets a graph of its own.
    compiling = None if kind == "numpy" else Compiling(stage(model, piece=staged.piece))
    run = replay
    if compiling is not None and (kind == "max" or replay is None):
        run = _waited(compiling, notes) or replay
        if run is not None and replay is not None and not _agree(run, replay, model.config):
            notes.print("Compiled, decode gives different numbers. NumPy runs it.", style="yellow")
            run = replay
    elif compiling is not None and replay is not None:
        notes.print("generating on NumPy while MAX compiles the model", style="dim")
        run = Quicker(replay, compiling.ready)
    if run is None:
        yield model
        return
    with nothing_to_stage():
        yield DecodingGPT2(model, run, staged.piece)


def _staged(model: Any, check: bool, notes: Console) -> Staged | None:
    """The graph of ``decode``, for many tokens at once if the model's code allows it."""
    why = ""
    for piece in (None, 1):
        try:
            staged = stage(model) if piece is None else stage(model, piece=piece)
            if check:
                _compare(model, staged)
        except Exception as error:  # noqa: BLE001  a learner's code may not be made for symbols
            why = why or f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
            continue
        if why:
            notes.print(
                f"decode cannot read several tokens at once when their number is not known yet "
                f"({why}). The prompt is read token by token.",
                style="yellow",
                markup=False,
            )
        return staged
    notes.print(
        f"decode cannot be staged once for every length ({why}). It is staged anew for every "
        "token, which is slow.",
        style="yellow",
        markup=False,
    )
    return None


def _replay(staged: Staged, notes: Console) -> Run | None:
    """The graph on NumPy; None if it has an operation that is not computed there."""
    try:
        return Replay(staged.whole, staged.arrays())
    except Exception as error:  # noqa: BLE001  whatever it is, MAX can run the graph
        notes.print(f"NumPy cannot run decode: {error}", style="yellow", markup=False)
        return None


def _compare(model: Any, staged: Staged) -> None:
    """Check that the staged graph computes what the model does.

    Raises:
        ValueError: it does not.
        Exception: whatever the model raises.
    """
    several = min(3, model.config.n_positions - 1)
    texts = [np.zeros((1, size), np.int64) for size in (several, 1) if size]
    fast = DecodingGPT2(model, Replay(staged.whole, staged.arrays()), staged.piece)
    kept: Any = None
    cache: Any = None
    for ids in texts:
        with F.lazy():
            expected, cache = model.decode(Tensor(ids.tolist(), dtype=DType.int64), cache)
        found, kept = fast.decode(Tensor.from_dlpack(ids), kept)
        if not np.allclose(found.to_numpy()[0, -1], expected.to_numpy()[0, -1], CLOSE, CLOSE):
            raise ValueError("staged for any length, it computes different numbers")


def _agree(run: Run, replay: Run, config: Any) -> bool:
    """Whether two ways to run a graph give the same numbers, without a cache and with one."""
    width = config.n_embd // config.n_head
    kept = [np.zeros((1, config.n_head, 0, width), np.float32)] * (2 * config.n_layer)
    ids = np.zeros((1, 1), np.int64)
    first = replay(ids, *kept)
    return same(run(ids, *kept), first) and same(run(ids, *first[1:]), replay(ids, *first[1:]))


def _waited(compiling: Compiling, notes: Console) -> Run | None:
    """The compiled graph, after a wait that shows its progress; None if MAX cannot compile it."""
    from gpt2 import compile_progress

    with _ended_by_interrupt(), compile_progress.compiling(notes):
        while compiling.running:
            compiling.wait(0.2)
    if compiling.error is not None:
        first = str(compiling.error).strip().partition("\n")[0]
        notes.print(
            f"MAX could not compile decode ({type(compiling.error).__name__}: {first}). "
            "It runs on NumPy instead.",
            style="yellow",
            markup=False,
        )
        return None
    notes.print(f"compiled in {compiling.seconds:.1f} s", style="dim")
    return compiling.run


@contextmanager
def _ended_by_interrupt() -> Iterator[None]:
    """Let Ctrl-C end the process at once: MAX's compiler reacts only when it is done."""
    sys.stdout.flush()
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
