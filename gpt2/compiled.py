"""GPT-2's graph compiled by MAX, in the background if text is to be written meanwhile."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import numpy.typing as npt
from max.driver import Buffer
from max.experimental.compilation import CompiledCallable

from gpt2.decoding import Run
from gpt2.staging import Staged

Array = npt.NDArray[Any]


def compile_graph(staged: Staged) -> Run:
    """A staged graph, compiled. That takes a minute the first time, seconds afterwards."""
    compiled: CompiledCallable[Any, Any] = CompiledCallable(staged.graph, staged.weights)

    def run(*arrays: Array) -> list[Array]:
        buffers = [Buffer.from_numpy(np.ascontiguousarray(array)) for array in arrays]
        return [np.from_dlpack(result) for result in compiled.execute_raw(*buffers)]

    return run


class Compiling:
    """A graph that is being compiled in another thread."""

    def __init__(self, staged: Staged) -> None:
        """Begin. The thread does not keep the process alive."""
        self._staged = staged
        self._started = time.perf_counter()
        self.seconds: float | None = None
        self.run: Run | None = None
        self.error: Exception | None = None
        self._thread = threading.Thread(target=self._compile, daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether it is not done yet."""
        return self._thread.is_alive()

    def ready(self) -> Run | None:
        """What it made, once it is done."""
        return self.run

    def wait(self, seconds: float) -> None:
        """Wait until it is done, but no longer than that."""
        self._thread.join(seconds)

    def _compile(self) -> None:
        try:
            run = compile_graph(self._staged)
        except Exception as error:  # noqa: BLE001  reported by whoever asks
            self.error = error
            return
        self.seconds = time.perf_counter() - self._started
        self.run = run
