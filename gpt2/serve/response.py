"""A completion as OpenAI's clients read it, whole or in chunks."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from gpt2.serve.choice import Piece, Scored
from gpt2.serve.engine import Told
from gpt2.serve.request import CompletionRequest


class CompletionResponse:
    """Puts what the engine tells of one request into objects for JSON."""

    def __init__(self, model: str, name: str, asked: CompletionRequest) -> None:
        self._model, self._name, self._created = model, name, int(time.time())
        self.asked = asked
        self.choices = len(asked.prompts) * asked.n
        self._written = 0

    def whole(self, news: Sequence[Told]) -> dict[str, Any]:
        """The complete answer."""
        every = [Piece() for _ in range(self.choices)]
        for index, piece in _pieces(news):
            found = every[index]
            found.text += piece.text
            found.scored += piece.scored
            found.finish = piece.finish
            self._written += piece.tokens
        choices = [self._choice(index, piece) for index, piece in enumerate(every)]
        return {**self._object(choices), "usage": self._usage()}

    def chunks(self, news: Sequence[Told]) -> Iterator[dict[str, Any]]:
        """One object for each piece that adds something."""
        for index, piece in _pieces(news):
            self._written += piece.tokens
            if piece.text or piece.scored or piece.finish:
                chunk = self._object([self._choice(index, piece)])
                yield {**chunk, "usage": None} if self.asked.usage else chunk

    def counted(self) -> dict[str, Any]:
        """The last chunk, which counts tokens."""
        return {**self._object([]), "usage": self._usage()}

    def _object(self, choices: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "id": self._name,
            "object": "text_completion",
            "created": self._created,
            "model": self._model,
            "choices": choices,
        }

    def _choice(self, index: int, piece: Piece) -> dict[str, Any]:
        scored = None if self.asked.logprobs is None else _logprobs(piece.scored)
        return {
            "text": piece.text,
            "index": index,
            "logprobs": scored,
            "finish_reason": piece.finish,
        }

    def _usage(self) -> dict[str, int]:
        read = sum(len(prompt.ids) for prompt in self.asked.prompts)
        written = self._written
        return {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
        }


def _pieces(news: Sequence[Told]) -> Iterator[tuple[int, Piece]]:
    return ((index, piece) for index, piece in news if isinstance(piece, Piece))


def _logprobs(scored: Sequence[Scored]) -> dict[str, Any]:
    return {
        "tokens": [one.text for one in scored],
        "token_logprobs": [one.logprob for one in scored],
        "top_logprobs": [one.best for one in scored],
        "text_offset": [one.offset for one in scored],
    }
