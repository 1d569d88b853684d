"""Reads what a completion is asked for, and refuses what the model cannot do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

from gpt2.serve.errors import ApiError
from gpt2.tokenizer import NoTokenizer, Tokenizer

MOST_CHOICES = 64
"""Texts of one request: prompts times ``n``."""
MOST_STOPS = 4
MOST_LOGPROBS = 5
LONGEST_STOP = 200
LETTERS = 16
"""Characters of a prompt for each token that the model has room for; text has four or five."""
COLDEST = 1e-4
"""The lowest temperature above 0: scores are divided by it."""

UNUSED: Mapping[str, tuple[Any, ...]] = {
    "best_of": (None, 1),
    "frequency_penalty": (None, 0),
    "logit_bias": (None, {}),
    "presence_penalty": (None, 0),
    "suffix": (None, ""),
}
"""Parameters of OpenAI's that are understood only if they ask for nothing."""
IGNORED = ("user", "metadata", "store")


class Prompt(NamedTuple):
    """A text to continue."""

    ids: tuple[int, ...]
    text: str


class Room(NamedTuple):
    """What a prompt must fit into."""

    model: str
    positions: int
    vocabulary: int


@dataclass(frozen=True)
class CompletionRequest:
    """One request. The defaults are OpenAI's."""

    prompts: tuple[Prompt, ...] = ()
    max_tokens: int = 16
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    n: int = 1
    echo: bool = False
    logprobs: int | None = None
    stream: bool = False
    usage: bool = False


def parse(body: Mapping[str, Any], tokenizer: Tokenizer, room: Room) -> CompletionRequest:
    """The request in a JSON object.

    Raises:
        Refused: something in it is not valid; the message says what.
    """
    given = {name: value for name, value in body.items() if name not in IGNORED}
    model = given.pop("model", None)
    if model not in (None, room.model):
        said = f"The model {str(model)[:100]!r} does not exist. This server has {room.model!r}."
        raise ApiError(404, said, param="model", code="model_not_found")
    for name, unset in UNUSED.items():
        if given.pop(name, None) not in unset:
            raise _bad(name, "is not supported here")
    usage = _usage(given.pop("stream_options", None))
    prompts = _prompts(given.pop("prompt", ""), tokenizer, room)
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in READERS:
            said = f"Unrecognized request argument supplied: {name[:100]}"
            raise ApiError(400, said, param=name[:100])
        if value is not None:
            values[name] = READERS[name](name, value)
    asked = CompletionRequest(prompts, usage=usage, **values)
    _check_room(asked, room)
    return asked


def _check_room(asked: CompletionRequest, room: Room) -> None:
    if len(asked.prompts) * asked.n > MOST_CHOICES:
        raise _bad("n", f"times the number of prompts must be at most {MOST_CHOICES}")
    for prompt in asked.prompts:
        if len(prompt.ids) + asked.max_tokens > room.positions:
            raise _too_long(
                room, f"{len(prompt.ids)} in the prompt and {asked.max_tokens} to write"
            )


def _too_long(room: Room, asked: str) -> ApiError:
    said = f"This model's maximum context length is {room.positions} tokens; you asked for {asked}."
    return ApiError(400, said, param="prompt", code="context_length_exceeded")


def _bad(name: str, what: str) -> ApiError:
    return ApiError(400, f"{name} {what}.", param=name)


# ---- prompts ----------------------------------------------------------------------------------


def _prompts(value: Any, tokenizer: Tokenizer, room: Room) -> tuple[Prompt, ...]:
    """A text, ids, or a list of either."""
    several = isinstance(value, list) and bool(value) and isinstance(value[0], (str, list))
    each = value if several else [value]
    if len(each) > MOST_CHOICES:
        raise _bad("prompt", f"may be at most {MOST_CHOICES} texts")
    return tuple(_prompt(one, tokenizer, room) for one in each)


def _prompt(value: Any, tokenizer: Tokenizer, room: Room) -> Prompt:
    if isinstance(value, str):
        return Prompt(tuple(_encoded(value, tokenizer, room)), value)
    if not isinstance(value, list) or not value:
        raise _bad("prompt", "must be a text, a list of token ids, or a list of either")
    if len(value) > room.positions:
        raise _too_long(room, f"{len(value)} in the prompt")
    for token in value:
        if type(token) is not int or not 0 <= token < room.vocabulary:
            raise _bad("prompt", f"has an id that is not a whole number below {room.vocabulary}")
    return Prompt(tuple(value), tokenizer.decode(value))


def _encoded(text: str, tokenizer: Tokenizer, room: Room) -> list[int]:
    """The ids of a text. An empty one is the end of a previous text."""
    if len(text) > LETTERS * room.positions:
        raise _too_long(room, f"{len(text)} characters in the prompt")
    try:
        ids = tokenizer.encode(text)
    except UnicodeEncodeError:
        raise _bad("prompt", "has half a character (a lone surrogate)") from None
    except NoTokenizer as problem:
        raise ApiError(400, str(problem), param="prompt") from None
    if not ids and tokenizer.end_of_text is None:
        raise _bad("prompt", "is empty, and this tokenizer has no <|endoftext|> to start from")
    if not ids and tokenizer.end_of_text is not None:
        ids = [tokenizer.end_of_text]
    if max(ids) >= room.vocabulary:
        raise _bad("prompt", "has tokens that this model does not know")
    return ids


# ---- values -----------------------------------------------------------------------------------


def _whole(lowest: int, highest: int) -> Callable[[str, Any], int]:
    def read_one(name: str, value: Any) -> int:
        if type(value) is not int or not lowest <= value <= highest:
            raise _bad(name, f"must be a whole number from {lowest} to {highest}")
        return value

    return read_one


def _number(lowest: float, highest: float) -> Callable[[str, Any], float]:
    def read_one(name: str, value: Any) -> float:
        known = type(value) in (int, float) and isfinite(value)
        if not known or not lowest <= value <= highest:
            raise _bad(name, f"must be a number from {lowest:g} to {highest:g}")
        return float(value)

    return read_one


def _temperature(name: str, value: Any) -> float:
    found = _number(0, 1000)(name, value)
    if 0 < found < COLDEST:
        raise _bad(name, f"must be 0 or at least {COLDEST:g}")
    return found


def _truth(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _bad(name, "must be true or false")
    return value


def _stop(name: str, value: Any) -> tuple[str, ...]:
    each = value if isinstance(value, list) else [value]
    if len(each) > MOST_STOPS:
        raise _bad(name, f"may be at most {MOST_STOPS} texts")
    if not all(isinstance(one, str) and 0 < len(one) <= LONGEST_STOP for one in each):
        raise _bad(name, f"must be one or several texts of 1 to {LONGEST_STOP} characters")
    return tuple(each)


def _usage(value: Any) -> bool:
    if value is None:
        return False
    if not isinstance(value, dict):
        raise _bad("stream_options", "must be an object")
    return value.get("include_usage") is True


READERS: Mapping[str, Callable[[str, Any], Any]] = {
    "echo": _truth,
    "logprobs": _whole(0, MOST_LOGPROBS),
    "max_tokens": _whole(0, 1 << 31),
    "n": _whole(1, MOST_CHOICES),
    "seed": _whole(0, (1 << 63) - 1),
    "stop": _stop,
    "stream": _truth,
    "temperature": _temperature,
    "top_k": _whole(1, 1 << 31),
    "top_p": _number(0, 1),
}
