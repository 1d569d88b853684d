"""The model that the server writes with: the solutions', or the learner's, as saved last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gpt2.checkpoint import read_checkpoint
from gpt2.course import Choose, CourseSteps, StepProblem, blame, needed, require_written
from gpt2.text_generation import SMALL, blaming, built, prepare_max
from gpt2.tokenizer import Tokenizer
from grader.base import course
from grader.frameworks.max.engine import private

if TYPE_CHECKING:
    from rich.console import Console

    from gpt2.serve.request import CompletionRequest

Array = npt.NDArray[Any]

UNCHOSEN = (
    "stream in steps/step_12.py does not call next_token, so nothing is known of a token's "
    "probability. Ask without logprobs and top_p."
)


class Sight:
    """The logits that ``next_token`` got last, and those that ``top_p`` leaves of them."""

    def __init__(self, asked: CompletionRequest) -> None:
        self._asked = asked
        self.logits: Array | None = None

    def __call__(self, logits: Array) -> Array:
        """What ``next_token`` is to choose from."""
        self.logits = logits
        asked = self._asked
        if asked.top_p == 1 or asked.temperature == 0:
            return logits
        from gpt2.serve.nucleus import within

        return within(logits, asked.temperature, asked.top_k, asked.top_p)


class Writer:
    """Writes tokens: in one thread, the engine's, once it has been opened."""

    def __init__(self, folder: Path, kind: str, *, mine: bool, notes: Console) -> None:
        """Read the checkpoint.

        Raises:
            NoCheckpoint, BadTensorFile, NoTokenizer: the folder has no GPT-2 of this kind.
        """
        self._kind, self._mine, self._notes = kind, mine, notes
        self._fields, self._checkpoint = read_checkpoint(folder)
        place = folder if folder.is_dir() else folder.parent
        self.tokenizer = Tokenizer.from_folder(place)
        self.end: int | None = self._fields.get("eos_token_id", self.tokenizer.end_of_text)
        name = "gpt2-tiny" if place == SMALL else place.resolve().name
        self.name = f"{name}-mine" if mine else name
        self._sight: Sight | None = None
        self._opened = ExitStack()
        self._problem: BaseException | None = None
        self._files = [course.find(number).stub for number in needed()] if mine else []
        self._state = self._saved()

    def open(self) -> None:
        """Load the steps.

        Raises:
            StepProblem: one of the learner's does not work.
        """
        if self._mine:
            require_written()
        with blaming(self._mine):
            prepare_max()
            from gpt2 import backends

            self._steps = CourseSteps(mine=self._mine)
            self._model = built(self._steps, self._fields, self._checkpoint, mine=self._mine)
            self.config = self._model.config
            self._steps.choose_with(self._watched)
            writer = backends.writer(self._model, self._kind, check=self._mine, notes=self._notes)
            self._writer = self._opened.enter_context(writer)
            for _ in self._stream([0], 2, {}):  # a step that cannot write says so now
                pass

    @contextmanager
    def in_this_thread(self) -> Iterator[None]:
        """Let MAX stage graphs in another thread than the one that imported it."""
        context = private.MLIR_CONTEXT
        with context.get()() if context.there else nullcontext():
            yield

    @property
    def changed(self) -> bool:
        """Whether a file was saved since the steps were loaded."""
        return self._mine and self._saved() != self._state

    def load_again(self) -> None:
        """Load the steps as they are now; what goes wrong is raised by ``write``."""
        self._state, self._problem = self._saved(), None
        self._opened.close()
        try:
            self.open()
        except (Exception, SystemExit) as problem:  # noqa: BLE001 - told to whoever asks
            self._problem = problem

    def write(
        self, ids: Sequence[int], asked: CompletionRequest, number: int
    ) -> Iterator[tuple[int, Array | None]]:
        """New tokens, each with its logits if they are asked for.

        Raises:
            StepProblem: the learner's code does not work.
        """
        if self._problem is not None:
            raise self._problem
        if not asked.max_tokens:
            return
        sees = asked.logprobs is not None or asked.top_p < 1
        sight = Sight(asked) if sees else None
        seed = [asked.seed, number] if asked.seed is not None and number else asked.seed
        how = {
            "temperature": asked.temperature,
            "top_k": asked.top_k,
            "eos_token_id": self.end,
            "draws": iter(np.random.default_rng(seed).random, None),
        }
        stream = self._stream(ids, asked.max_tokens, how)
        while True:
            self._sight = sight
            token = next(stream, None)
            if token is None:
                return
            if sight is not None and sight.logits is None:
                raise StepProblem(UNCHOSEN)
            yield token, None if sight is None else sight.logits

    def scores(self, ids: Sequence[int]) -> Array:
        """The logits after each of these tokens, ``[seq, vocab_size]``."""
        if self._problem is not None:
            raise self._problem
        with blaming(self._mine):
            from max.dtype import DType
            from max.experimental import functional as F
            from max.experimental.tensor import Tensor

            with F.lazy():
                logits = self._model(Tensor([list(ids)], dtype=DType.int64))
            found: Array = logits.to_numpy()[0]
            return found

    def _stream(self, ids: Sequence[int], count: int, how: dict[str, Any]) -> Iterator[int]:
        """Step 12's ``stream``, whose errors are the learner's if its file is."""
        try:
            written = self._steps.stream(self._writer, ids, count, **how)
            for token in islice(written, count):
                yield self._known(token)
        except (Exception, SystemExit) as error:
            if not self._mine or isinstance(error, StepProblem):
                raise
            raise blame(error) from error

    def _known(self, token: Any) -> int:
        found = int(token)
        if not 0 <= found < self.config.vocab_size:
            raise ValueError(f"stream gave {found}, which is no token of this model")
        return found

    def _watched(self, own: Choose) -> Choose:
        def choose(logits: Any, *rest: Any, **how: Any) -> int:
            sight = self._sight
            return own(logits if sight is None else sight(logits), *rest, **how)

        return choose

    def _saved(self) -> tuple[Any, ...]:
        """What tells whether a file is another than before."""
        return tuple(_version(path) for path in self._files)


def _version(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
