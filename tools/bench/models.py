"""The course's GPT-2 and Hugging Face's on PyTorch, as sides of ``bench compare``."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.bench.processes import Answer

PROMPT = (464, 318, 257, 262, 290, 286, 11, 284)
"""Token ids that every prompt repeats; a smaller vocabulary takes their remainder."""


@dataclass(frozen=True)
class Model:
    """A GPT-2 that reads and writes greedily.

    Attributes:
        vocabulary: How many tokens it knows.
        read: The likeliest token after some, which the cache is made of on the way.
        write: So many tokens after some, one by one.
    """

    vocabulary: int
    read: Callable[[list[int]], int]
    write: Callable[[list[int], int], Iterator[int]]

    def __call__(self, asked: Answer) -> Answer:
        """Read a prompt, or write: seconds for each token after the first."""
        length, known = asked["length"], self.vocabulary
        ids = [PROMPT[index % len(PROMPT)] % known for index in range(length)]
        times = [time.perf_counter()]
        if asked["do"] == "read":
            token = self.read(ids)
            return {"seconds": time.perf_counter() - times[0], "result": [token]}
        tokens = []
        for token in self.write(ids, asked["count"]):
            tokens.append(token)
            times.append(time.perf_counter())
        return {"seconds": (times[-1] - times[1]) / (len(times) - 2), "result": tokens}


def prepare(name: str, folder: str) -> Callable[[], Model]:
    """What makes a side run the checkpoint in ``folder``: ``numpy``, ``max`` or ``torch``."""
    return hugging_face(folder) if name == "torch" else course(Path(folder), name)


def course(folder: Path, engine_name: str) -> Callable[[], Model]:
    """The course's GPT-2; what is left to do is to record it and to compile it."""
    from grader.frameworks.max import engine

    os.environ.update(engine.environment() | {"OPENBLAS_NUM_THREADS": str(threads())})
    engine.install("numpy")
    import numpy as np
    from max.experimental.tensor import Tensor

    from gpt2.decoding import nothing_to_stage
    from solutions.solution_12 import stream
    from tools.lab.model import loaded, recorded

    model = loaded(folder)

    def make() -> Model:
        decoding = recorded(model, engine_name)

        def read(ids: list[int]) -> int:
            logits, _ = decoding.decode(Tensor.from_dlpack(np.array([ids])))
            return int(logits.to_numpy()[0, -1].argmax())

        def write(ids: list[int], count: int) -> Iterator[int]:
            with nothing_to_stage():
                yield from stream(decoding, ids, count)

        return Model(model.config.vocab_size, read, write)

    return make


def hugging_face(folder: str) -> Callable[[], Model]:
    """Hugging Face's GPT-2 on PyTorch with its own cache, in inference mode."""
    import torch
    import transformers

    torch.set_num_threads(threads())
    loaded: Any = transformers.GPT2LMHeadModel.from_pretrained(folder, dtype=torch.float32)
    model = loaded.eval()

    def step(ids: list[int], cache: Any = None) -> tuple[int, Any]:
        given = {"past_key_values": cache, "use_cache": True, "logits_to_keep": 1}
        with torch.inference_mode():
            out = model(torch.tensor([ids]), **given)
            return int(out.logits[0, -1].argmax()), out.past_key_values

    def write(ids: list[int], count: int) -> Iterator[int]:
        """One token after the other; ``generate`` would do more for each."""
        cache = None
        for _ in range(count):
            token, cache = step(ids, cache)
            yield token
            ids = [token]

    return lambda: Model(model.config.vocab_size, lambda ids: step(ids)[0], write)


def threads() -> int:
    """How many threads every side may use."""
    return int(os.environ.get("BENCH_THREADS", "0")) or os.cpu_count() or 1
