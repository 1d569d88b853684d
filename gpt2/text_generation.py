"""From a checkpoint folder and a prompt to text on the screen."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.frameworks.max import engine

if TYPE_CHECKING:
    from rich.console import Console

    from gpt2.course import CourseSteps
    from gpt2.tokenizer import Tokenizer

SMALL = Path(__file__).parent / "tiny"
"""The GPT-2 that ships with the course."""


@dataclass(frozen=True)
class Wish:
    """What to write, and how."""

    prompt: str
    max_new_tokens: int
    temperature: float
    top_k: int | None
    seed: int | None


def write(folder: Path, wish: Wish, *, mine: bool, kind: str) -> None:
    """Load, compile, write.

    Raises:
        NoCheckpoint, BadTensorFile, NoTokenizer: the folder has no GPT-2 of the course's kind,
            or the prompt does not fit it.
        StepProblem: with ``mine``, one of the learner's steps is missing or raised an error.
    """
    from rich.console import Console

    from gpt2.checkpoint import read_checkpoint
    from gpt2.course import CourseSteps, require_written
    from gpt2.tokenizer import Tokenizer

    notes = Console(stderr=True, highlight=False, soft_wrap=True)
    if mine:
        require_written()
    fields, checkpoint = read_checkpoint(folder)
    tokenizer = Tokenizer.from_folder(folder if folder.is_dir() else folder.parent)
    tokens = _encode(wish.prompt, tokenizer)
    with blaming(mine):
        with loading(notes):
            prepare_max()
            from gpt2 import backends

            steps = CourseSteps(mine=mine)
            model = built(steps, fields, checkpoint, mine=mine)
        _check_room(tokens, model.config)
        how = _how(wish, fields.get("eos_token_id", tokenizer.end_of_text))
        with backends.writer(model, kind, check=mine, notes=notes) as writer:
            counted = _Counted(steps.stream(writer, tokens, wish.max_new_tokens, **how))
            _print(wish.prompt, counted, how["eos_token_id"], tokenizer, notes)
    if counted.count < wish.max_new_tokens and counted.last != how["eos_token_id"]:
        full = f"The model has room for {model.config.n_positions} tokens, and the text fills it."
        notes.print(full, style="dim")


@contextmanager
def loading(notes: Console) -> Iterator[None]:
    """Show in a terminal that something happens: on a busy machine it takes seconds."""
    with notes.status("loading the model", spinner="line"):  # ASCII
        notes.show_cursor(True)  # nobody restores it after Ctrl-C
        yield


def built(steps: CourseSteps, fields: Any, checkpoint: Any, *, mine: bool) -> Any:
    """The model. Without ``mine``, what does not fit is the checkpoint."""
    from gpt2.checkpoint import NoCheckpoint

    try:
        return steps.build(fields, checkpoint)
    except ValueError as problem:
        if mine:
            raise
        raise NoCheckpoint(str(problem)) from problem


def prepare_max() -> None:
    """Let small operations run at once, on NumPy, so that only the model is compiled."""
    os.environ.update(engine.environment())  # MAX reads it on import
    engine.install("numpy")


@contextmanager
def blaming(mine: bool) -> Iterator[None]:
    """Report errors as the learner's if the learner's steps run."""
    from gpt2.checkpoint import NoCheckpoint
    from gpt2.course import StepProblem, blame

    try:
        yield
    except (StepProblem, NoCheckpoint, BrokenPipeError):
        raise
    except Exception as error:
        if not mine:
            raise
        raise blame(error) from error


def _encode(prompt: str, tokenizer: Tokenizer) -> list[int]:
    """The prompt as ids. An empty one is the end of a previous text."""
    from gpt2.tokenizer import NoTokenizer

    tokens = tokenizer.encode(prompt)
    if tokens:
        return tokens
    if tokenizer.end_of_text is None:
        raise NoTokenizer("Pass a --prompt: this tokenizer has no <|endoftext|> to start from.")
    return [tokenizer.end_of_text]


def _check_room(tokens: list[int], config: Any) -> None:
    """Check that the prompt fits the model."""
    from gpt2.checkpoint import NoCheckpoint

    if len(tokens) >= config.n_positions:
        raise NoCheckpoint(
            f"The prompt is {len(tokens)} tokens long. The model has room for "
            f"{config.n_positions}, new ones included. Shorten the prompt."
        )
    if max(tokens) >= config.vocab_size:
        raise NoCheckpoint(
            f"The tokenizer returned id {max(tokens)}, but the model's vocabulary ends at "
            f"{config.vocab_size - 1}: they do not belong together."
        )


def _how(wish: Wish, end: int | None) -> dict[str, Any]:
    """The keyword arguments of ``stream``."""
    import numpy as np

    return {
        "temperature": wish.temperature,
        "top_k": wish.top_k,
        "eos_token_id": end,
        "draws": iter(np.random.default_rng(wish.seed).random, None),
    }


def _print(
    prompt: str, counted: _Counted, end: int | None, tokenizer: Tokenizer, notes: Console
) -> None:
    """Print the prompt, then the text as it comes, then the speed."""
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    sys.stdout.write(prompt)
    sys.stdout.flush()
    try:
        for piece in tokenizer.decode_each(token for token in counted if token != end):
            sys.stdout.write(piece)
            sys.stdout.flush()
    finally:
        sys.stdout.write("\n")
        sys.stdout.flush()
        if counted.count:
            notes.print(str(counted), style="dim")


class _Counted:
    """Passes tokens on and measures how fast they come."""

    def __init__(self, tokens: Iterator[int]) -> None:
        self._tokens = tokens
        self.count = 0
        self.last: int | None = None
        self._seconds = 0.0

    def __iter__(self) -> Iterator[int]:
        started = time.perf_counter()
        for token in self._tokens:
            self.count += 1
            self.last = token
            self._seconds = time.perf_counter() - started
            yield token

    def __str__(self) -> str:
        rate = self.count / self._seconds if self._seconds else 0.0
        plural = "" if self.count == 1 else "s"
        return f"{self.count} token{plural} in {self._seconds:.2f} s: {rate:.1f} a second"
