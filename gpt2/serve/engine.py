"""One thread that writes all answers: those under way take turns, a token each."""

from __future__ import annotations

import asyncio
import threading
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from gpt2.checkpoint import NoCheckpoint
from gpt2.course import StepProblem
from gpt2.serve.choice import Piece, write
from gpt2.serve.errors import ApiError

if TYPE_CHECKING:
    from gpt2.serve.request import CompletionRequest, Prompt
    from gpt2.serve.writer import Writer

AT_ONCE = 8
"""Choices that are written in turns. Each has a cache, so the others wait without one."""

GAP_S = 0.008
"""Between two looks at an answer: a small model writes several tokens meanwhile, sent together."""

Told = tuple[int, Piece | ApiError]
"""Which choice, and what is new about it."""


class Answer:
    """What was asked for, and what has been written of it; the loop's thread waits for it."""

    def __init__(self, asked: CompletionRequest) -> None:
        self.asked = asked
        self.gone = False
        """Nobody waits for it any more."""
        self._loop = asyncio.get_running_loop()
        self._told: deque[Told] = deque()
        self._changed = asyncio.Event()
        self._woken = False
        self._next = 0.0

    def tell(self, index: int, news: Piece | ApiError) -> None:
        """Add something; wake who waits, if it streams or this choice is complete."""
        self._told.append((index, news))
        complete = isinstance(news, ApiError) or news.finish is not None
        if (self.asked.stream or complete) and not self._woken:
            self._woken = True
            with suppress(RuntimeError):  # the server has ended
                self._loop.call_soon_threadsafe(self._changed.set)

    async def take(self) -> list[Told]:
        """What is new, once there is something, and some time after the last time."""
        await self._changed.wait()
        await asyncio.sleep(max(0.0, self._next - self._loop.time()))
        self._next = self._loop.time() + GAP_S
        self._changed.clear()
        self._woken = False
        return [self._told.popleft() for _ in range(len(self._told))]


class Turn:
    """One choice of an answer, while it is written."""

    def __init__(self, writer: Writer, answer: Answer, prompt: Prompt, index: int) -> None:
        self._answer, self._index = answer, index
        self._pieces: Iterator[Piece] = write(writer, answer.asked, prompt, index % answer.asked.n)

    def take(self) -> bool:
        """Write one more token; False if there is nothing more to do."""
        if self._answer.gone:
            return False
        try:
            piece = next(self._pieces)
        except (StepProblem, NoCheckpoint) as problem:
            self._answer.tell(self._index, ApiError(500, str(problem), code="step_failed"))
            return False
        except (Exception, SystemExit) as problem:  # noqa: BLE001 - the server lives on
            traceback.print_exception(problem)
            said = f"The server itself failed: {type(problem).__name__}: {problem}"
            self._answer.tell(self._index, ApiError(500, said))
            return False
        if piece.text or piece.scored or piece.tokens or piece.finish:
            self._answer.tell(self._index, piece)
        return piece.finish is None


class Engine:
    """Takes answers, and writes them in the order in which they came, several at once."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self._waiting: deque[tuple[Answer, Prompt, int]] = deque()
        self._more = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="engine")

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def order(self, asked: CompletionRequest) -> Answer:
        """An answer that is written from now on."""
        answer = Answer(asked)
        for place, prompt in enumerate(asked.prompts):
            for number in range(asked.n):
                self._waiting.append((answer, prompt, place * asked.n + number))
        self._more.set()
        return answer

    def _run(self) -> None:
        writing: list[Turn] = []
        with self.writer.in_this_thread():
            while True:
                if not writing and not self._waiting:
                    self._more.wait()
                    self._more.clear()
                self._admit(writing)
                writing = [turn for turn in writing if turn.take()]

    def _admit(self, writing: list[Turn]) -> None:
        """Begin more of them. Files that were saved are loaded when the earlier answers end."""
        while self._waiting and len(writing) < AT_ONCE:
            if self._waiting[0][0].gone:
                self._waiting.popleft()
                continue
            if self.writer.changed:
                if writing:
                    return
                self.writer.load_again()
            writing.append(Turn(self.writer, *self._waiting.popleft()))


def complete(told: Sequence[Told]) -> int:
    """How many choices end with what was told."""
    return sum(isinstance(news, Piece) and news.finish is not None for _, news in told)
