"""The text of one choice, piece by piece, with what the model thought of each token."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from gpt2.serve.request import CompletionRequest, Prompt
    from gpt2.serve.writer import Writer
    from gpt2.tokenizer import Tokenizer

Array = npt.NDArray[Any]


class Scored(NamedTuple):
    """A token, its log-probability and those of the best; None for the first of a text."""

    text: str
    logprob: float | None
    best: dict[str, float] | None
    offset: int


@dataclass
class Piece:
    """What one turn added to a choice; ``finish`` is set with the last."""

    text: str = ""
    scored: list[Scored] = field(default_factory=list)
    tokens: int = 0
    finish: str | None = None


class Held:
    """Text as it grows, without a stop string and what may become one."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = stops
        self._longest = max(map(len, stops), default=1)
        self._sent = 0
        self.whole = ""
        self.stopped = False

    def add(self, piece: str) -> None:
        """Add to it; nothing follows a stop string."""
        seen = max(0, len(self.whole) - self._longest + 1)
        self.whole += piece
        found = [at for stop in self._stops if (at := self.whole.find(stop, seen)) >= 0]
        if found:
            self.whole = self.whole[: min(found)]
            self.stopped = True

    def take(self, *, last: bool) -> tuple[str, int]:
        """What can be sent now, and how far the text has been sent with it."""
        end = len(self.whole)
        if not last:
            end -= next(filter(self._may_stop, range(min(self._longest - 1, end), 0, -1)), 0)
        text, self._sent = self.whole[self._sent : end], max(self._sent, end)
        return text, self._sent

    def _may_stop(self, size: int) -> bool:
        tail = self.whole[-size:]
        return any(len(stop) > size and stop.startswith(tail) for stop in self._stops)


def write(writer: Writer, asked: CompletionRequest, prompt: Prompt, number: int) -> Iterator[Piece]:
    """Choice ``number`` for a prompt."""
    tokenizer, base = writer.tokenizer, len(prompt.text)
    if asked.echo:
        yield Piece(prompt.text, _echoed(writer, asked, prompt))
    held = Held(asked.stop)
    waiting: list[Scored] = []
    fresh, ended = 0, False

    def tokens() -> Iterator[int]:
        nonlocal fresh, ended
        for token, logits in writer.write(prompt.ids, asked, number):
            fresh += 1
            ended = token == writer.end
            if ended:
                return
            if logits is not None and asked.logprobs is not None:
                offset = base + len(held.whole)
                waiting.append(scored(tokenizer, token, logits, asked.logprobs, offset))
            yield token

    for piece in tokenizer.decode_each(tokens()):
        held.add(piece)
        if held.stopped:
            break
        text, sent = held.take(last=False)
        yield Piece(text, _sent(waiting, base + sent), fresh)
        fresh = 0
    text, _ = held.take(last=True)
    if held.stopped:
        waiting = [one for one in waiting if one.offset < base + len(held.whole)]
    yield Piece(text, waiting, fresh, "stop" if held.stopped or ended else "length")


def _sent(waiting: list[Scored], end: int) -> list[Scored]:
    """Take out those that begin before ``end``."""
    found = [one for one in waiting if one.offset < end]
    del waiting[: len(found)]
    return found


def _echoed(writer: Writer, asked: CompletionRequest, prompt: Prompt) -> list[Scored]:
    """What the model thought of the prompt, if that is asked for."""
    if asked.logprobs is None:
        return []
    tokenizer = writer.tokenizer
    found = [Scored(tokenizer.shown(prompt.ids[0]), None, None, 0)]
    offsets = _offsets(tokenizer, prompt)
    rows = writer.scores(prompt.ids) if len(prompt.ids) > 1 else ()
    for token, row, offset in zip(prompt.ids[1:], rows, offsets[1:], strict=False):
        found.append(scored(tokenizer, token, row, asked.logprobs, offset))
    return found


def _offsets(tokenizer: Tokenizer, prompt: Prompt) -> list[int]:
    """Where each token begins in the prompt; one that only ends a character, at that one."""
    found, at = [], 0
    for piece in tokenizer.decode_each(prompt.ids):
        found.append(at)
        at = min(at + len(piece), len(prompt.text))
    return found


def scored(tokenizer: Tokenizer, token: int, logits: Array, best: int, offset: int) -> Scored:
    """A token with its log-probability before temperature and filters, and the ``best`` others."""
    logits = logits.astype(np.float64)
    shifted = logits - logits.max()
    logs = shifted - np.log(np.exp(shifted).sum())
    first = np.argsort(-logs, kind="stable")[:best]
    top = {tokenizer.shown(int(index)): float(logs[index]) for index in first}
    top.setdefault(tokenizer.shown(token), float(logs[token]))
    return Scored(tokenizer.shown(token), float(logs[token]), top, offset)
