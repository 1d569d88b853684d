"""The sides of ``bench compare``: processes that do one thing when asked, and say how long it took.

``python -m tools.bench_sides SIDE FOLDER`` reads one JSON request a line and answers each with
one line. The sides are ``numpy`` and ``max``, the course's GPT-2 as its two engines run it, and
``torch``, Hugging Face's on PyTorch. ``FOLDER`` has a checkpoint that every side reads.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Answer = dict[str, Any]

PROMPT = (464, 318, 257, 262, 290, 286, 11, 284)
"""Token ids that every prompt repeats; a smaller vocabulary takes their remainder."""


def prompt(length: int, vocabulary: int) -> list[int]:
    """A prompt of so many tokens."""
    return [PROMPT[index % len(PROMPT)] % vocabulary for index in range(length)]


class Side:
    """A GPT-2 that reads and writes greedily."""

    vocabulary: int

    def read(self, ids: list[int]) -> tuple[int, Any]:
        """The likeliest token after ``ids``, and the cache."""
        raise NotImplementedError

    def write(self, ids: list[int], count: int) -> tuple[list[int], list[float]]:
        """``count`` tokens after ``ids``, and when each came, in seconds from the start."""
        raise NotImplementedError


class Course(Side):
    """The course's GPT-2, staged once and run on NumPy or compiled by MAX."""

    def __init__(self, folder: Path, engine_name: str) -> None:
        from grader.frameworks.max import engine

        os.environ.update(engine.environment() | {"OPENBLAS_NUM_THREADS": str(threads())})
        engine.install("numpy")
        from gpt2.checkpoint import read_checkpoint
        from gpt2.course import CourseSteps
        from gpt2.decoding import DecodingGPT2
        from gpt2.staging import stage

        fields, weights = read_checkpoint(folder)
        self._steps = CourseSteps(mine=False)
        model = self._steps.build(fields, weights)
        staged = stage(model)
        started = time.perf_counter()
        if engine_name == "max":
            from gpt2.compiled import compile_graph

            run = compile_graph(staged)
        else:
            from grader.frameworks.max.engine.replay import Replay

            run = Replay(staged.whole, staged.arrays())
        self.ready_s = time.perf_counter() - started
        self._model = DecodingGPT2(model, run, staged.piece)
        self.vocabulary = model.config.vocab_size

    def read(self, ids: list[int]) -> tuple[int, Any]:
        """With ``decode``, as ``stream`` calls it."""
        import numpy as np
        from max.experimental.tensor import Tensor

        logits, cache = self._model.decode(Tensor.from_dlpack(np.array([ids])))
        return int(logits.to_numpy()[0, -1].argmax()), cache

    def write(self, ids: list[int], count: int) -> tuple[list[int], list[float]]:
        """With step 12's ``stream``."""
        from gpt2.decoding import nothing_to_stage

        tokens, times = [], []
        started = time.perf_counter()
        with nothing_to_stage():
            for token in self._steps.stream(self._model, ids, count):
                tokens.append(token)
                times.append(time.perf_counter() - started)
        return tokens, times


class HuggingFace(Side):
    """Hugging Face's GPT-2 on PyTorch with its own cache, in inference mode."""

    ready_s = 0.0

    def __init__(self, folder: Path) -> None:
        import torch
        import transformers

        torch.set_num_threads(threads())
        self._torch: Any = torch
        loaded: Any = transformers.GPT2LMHeadModel.from_pretrained(folder, dtype=torch.float32)
        self._model = loaded.eval()
        self.vocabulary = self._model.config.vocab_size

    def read(self, ids: list[int]) -> tuple[int, Any]:
        """The logits of the last token only, as its own ``generate`` asks for."""
        with self._torch.inference_mode():
            out = self._model(self._torch.tensor([ids]), use_cache=True, logits_to_keep=1)
            return int(out.logits[0, -1].argmax()), out.past_key_values

    def write(self, ids: list[int], count: int) -> tuple[list[int], list[float]]:
        """One token after the other; ``generate`` would do more for each."""
        tokens, times = [], []
        started = time.perf_counter()
        with self._torch.inference_mode():
            token, cache = self.read(ids)
            while True:
                tokens.append(token)
                times.append(time.perf_counter() - started)
                if len(tokens) == count:
                    return tokens, times
                new = self._torch.tensor([[token]])
                out = self._model(new, past_key_values=cache, use_cache=True)
                token = int(out.logits[0, -1].argmax())


def threads() -> int:
    """How many threads every side may use."""
    return int(os.environ.get("BENCH_THREADS", "0")) or os.cpu_count() or 1


def _reading(side: Side, asked: Answer) -> Answer:
    ids = prompt(asked["length"], side.vocabulary)
    started = time.perf_counter()
    token, _ = side.read(ids)
    return {"seconds": time.perf_counter() - started, "result": [token]}


def _writing(side: Side, asked: Answer) -> Answer:
    """Seconds for each token after the first."""
    tokens, times = side.write(prompt(asked["length"], side.vocabulary), asked["count"])
    return {"seconds": (times[-1] - times[0]) / (len(times) - 1), "result": tokens}


DOES: dict[str, Callable[[Side, Answer], Answer]] = {"read": _reading, "write": _writing}


def main() -> None:
    """Answer until the input ends."""
    name, folder = sys.argv[1], Path(sys.argv[2])
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever else is printed is no answer
    side = HuggingFace(folder) if name == "torch" else Course(folder, name)
    print(json.dumps({"ready_s": side.ready_s}), file=answers, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(DOES[asked["do"]](side, asked)), file=answers, flush=True)


if __name__ == "__main__":
    main()
