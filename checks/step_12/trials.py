"""Random trials of choosing the next token and of writing text.

Longer than 300 lines, because each way to sample has trials of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from checks.shared.attention import Floats
from checks.shared.trials import LONG, Array, Rng, long
from checks.step_11.trials import Config, config, model_weights, token_ids
from checks.step_12 import sampling
from checks.step_12.oracle import Cache, decode, writer
from grader.rubric import Arg, ArrayArg, Call, ConfigArg, Load, Make, Probe, Ref, TensorArg, Trial

CLASS = "GPT2WithCache"

CLEAR = 0.02
"""A choice counts as clear if no score or random number this much off would change it."""

TRIES = 1000
SOON = 25


def draw(rng: Rng) -> list[Trial]:
    """Choices from given logits, decoding in pieces, and texts."""
    return [
        _greedy(rng),
        _choices(rng, "temperature", [(0.5, None), (2.5, None), (1.0, None)]),
        _choices(rng, "top-k", [(1.0, 3), (1.0, 1), (0.8, 5), (2.0, 40), (3.0, 2)]),
        decoding(rng, "decode-pieces", config(9, 8, 6, 2, 3), (3, 1, 2)),
        decoding(rng, "decode-at-once", config(7, LONG + 20, 4, 1, 2), (long(rng),)),
        *_texts(rng),
    ]


# ---- next_token ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Choice:
    """One call of ``next_token``."""

    logits: Array
    temperature: float = 0.0
    top_k: int | None = None
    draw: float = 0.0

    def call(self, name: str) -> Call:
        """The call, with only the arguments that it needs."""
        kwargs: dict[str, Arg] = {}
        if self.temperature:
            kwargs = {"temperature": self.temperature, "draw": self.draw}
        if self.top_k is not None:
            kwargs["top_k"] = self.top_k
        return Call(name, None, "next_token", (ArrayArg(self.logits),), kwargs)

    def answer(self, **knobs: object) -> Floats:
        """The oracle's token."""
        logits = self.logits.astype(np.float64)
        token = sampling.next_token(logits, self.temperature, self.top_k, self.draw, **knobs)
        return np.asarray(float(token))

    def clear(self) -> bool:
        """Whether rounding cannot change the answer."""
        logits = self.logits.astype(np.float64)
        return sampling.margin(logits, self.temperature, self.top_k, self.draw) > CLEAR


def _trial(name: str, choices: Sequence[Choice]) -> Trial:
    named = {f"token{index}": choice for index, choice in enumerate(choices)}
    calls = tuple(choice.call(key) for key, choice in named.items())
    return Trial(
        Probe(name, calls),
        lambda **knobs: {key: choice.answer(**knobs) for key, choice in named.items()},
    )


def _logits(rng: Rng, vocab: int) -> Array:
    """Scores of which some lie far above 0 and all are different."""
    return rng.permutation(np.linspace(-4, 4, vocab, dtype=np.float32)) + np.float32(2.0)


def _greedy(rng: Rng) -> Trial:
    """Scores around 2, and scores below 0 without exception."""
    texts = [_logits(rng, 5), _logits(rng, 13) - np.float32(7.0), _logits(rng, 2)]
    return _trial("greedy", [Choice(logits) for logits in texts])


def _choices(rng: Rng, name: str, settings: Sequence[tuple[float, int | None]]) -> Trial:
    """Four draws for each setting, from low to high, all of them clear.

    Without ``top_k`` another temperature gives other tokens, a higher and a lower one by turns, or
    one that is rounded would pass.
    """
    drawn = (
        _clear(rng, temperature, top_k, low, other=1.25 if low in (0.0, 0.5) else 0.8)
        for temperature, top_k in settings
        for low in (0.0, 0.25, 0.5, 0.75)
    )
    large = Choice(np.arange(900, 905, dtype=np.float32), 1.0, None, 0.4)
    return _trial(name, [*drawn, large])


def _clear(rng: Rng, temperature: float, top_k: int | None, low: float, other: float) -> Choice:
    """A clear choice with a random number at most a quarter above ``low``.

    Where one is found soon, it is another at ``other`` times the temperature.
    """
    for attempt in range(TRIES):
        draw = low + 0.25 * float(rng.random())
        choice = Choice(_logits(rng, 12), temperature, top_k, draw)
        if not choice.clear():
            continue
        heated = replace(choice, temperature=temperature * other)
        if top_k is not None or attempt > SOON or heated.answer() != choice.answer():
            return choice
    raise RuntimeError("no clear choice was drawn")


# ---- decode -------------------------------------------------------------------------------


def decoding(rng: Rng, name: str, sizes: Config, pieces: Sequence[int]) -> Trial:
    """A batch of texts read in pieces of these lengths; logits and caches are compared."""
    weights = model_weights(rng, sizes)
    ids = np.split(token_ids(rng, sizes, 2, sum(pieces)), np.cumsum(pieces)[:-1], axis=1)
    calls = []
    for index, piece in enumerate(ids):
        before = (Ref(f"piece{index - 1}", (1,)),) if index else ()
        tokens = TensorArg(np.ascontiguousarray(piece))
        calls.append(Call(f"piece{index}", "module", "decode", (tokens, *before)))

    def expect(**knobs: object) -> dict[str, Floats]:
        cache: Cache | None = None
        found = {}
        for index, piece in enumerate(ids):
            try:
                logits, cache = decode(piece, weights, sizes, cache, **knobs)
            except ValueError:
                if not knobs:
                    raise
                break
            found[f"piece{index}.0"] = logits
            for layer, (key, value) in enumerate(cache):
                found[f"piece{index}.1.{layer}.0"] = key
                found[f"piece{index}.1.{layer}.1"] = value
        return found

    make = Make("module", CLASS, (ConfigArg(dict(sizes)),))
    return Trial(Probe(name, (make, Load("loaded", "module", dict(weights)), *calls)), expect)


# ---- generate -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Text:
    """One call of ``generate``."""

    tokens: list[int]
    max_new_tokens: int
    temperature: float = 0.0
    top_k: int | None = None
    eos_token_id: int | None = None
    use_cache: bool = True
    draws: tuple[float, ...] = ()

    def call(self, name: str) -> Call:
        """The call, with only the arguments that it needs."""
        given: dict[str, Arg] = {
            "temperature": self.temperature or None,
            "top_k": self.top_k,
            "eos_token_id": self.eos_token_id,
            "use_cache": None if self.use_cache else False,
            "draws": list(self.draws) or None,
        }
        kwargs: dict[str, Arg] = {key: one for key, one in given.items() if one is not None}
        args: tuple[Arg, ...] = (Ref("module"), list(self.tokens), self.max_new_tokens)
        return Call(name, None, "generate", args, kwargs, staged=False)


def _texts(rng: Rng) -> Iterator[Trial]:
    """Greedy and drawn texts, with and without the cache, and each way to end."""
    sizes = config(11, 7, 6, 1, 2)
    yield _written(rng, "text-greedy", sizes, lambda _: Text(_prompt(rng, 3), 3), lambda one: one)
    yield _written(rng, "text-uncached", sizes, lambda _: Text(_prompt(rng, 2), 4, use_cache=False))
    yield _written(
        rng,
        "text-drawn",
        sizes,
        lambda _: Text(
            _prompt(rng, 2),
            3,
            temperature=2.0,
            top_k=4,
            draws=tuple(float(one) for one in rng.random(3)),
        ),
    )
    yield _written(
        rng,
        "text-end",
        sizes,
        lambda write: _ended(write, Text(_prompt(rng, 1), 4)),
        lambda text: replace(text, max_new_tokens=1, eos_token_id=text.tokens[0]),
    )
    yield _written(rng, "text-full", sizes, lambda _: Text(_prompt(rng, 5), 6))


def _prompt(rng: Rng, length: int) -> list[int]:
    return [int(token) for token in rng.permutation(11)[:length]]


Write = Callable[[Text], list[int]]


def _ended(write: Write, text: Text) -> Text:
    """The same text with its second new token as the one that ends it."""
    written = write(text)[len(text.tokens) :]
    return Text(text.tokens, text.max_new_tokens, eos_token_id=written[1])


TEXT_CALLS = ("text", "again")


def _written(
    rng: Rng,
    name: str,
    sizes: Config,
    make: Callable[[Write], Text],
    then: Callable[[Text], Text] | None = None,
) -> Trial:
    """A text on a model whose every choice is clear, and depends on the whole text so far.

    ``then`` makes the text that the same model writes after it.
    """
    for _ in range(TRIES):
        weights = model_weights(rng, sizes)
        text = make(lambda one, w=weights: _answer(w, sizes, one))  # type: ignore[misc]
        after = then(text) if then else text
        ends = after is not text and after.eos_token_id in _new(weights, sizes, after)
        if ends or text.eos_token_id in text.tokens:
            continue
        if _is_clear(weights, sizes, text) and _tells(weights, sizes, text):
            break
    module = Make("module", CLASS, (ConfigArg(dict(sizes)),))
    load = Load("loaded", "module", dict(weights))
    texts = dict(zip(TEXT_CALLS, (text, after) if then else (text,), strict=False))
    calls = [one.call(call) for call, one in texts.items()]

    def expect(**knobs: object) -> dict[str, Floats]:
        return {
            call: np.asarray(_answer(weights, sizes, one, **knobs), dtype=np.float64)
            for call, one in texts.items()
        }

    return Trial(Probe(name, (module, load, *calls)), expect)


def _new(weights: dict[str, Array], sizes: Config, text: Text) -> list[int]:
    """The tokens that are written behind ``text``."""
    return _answer(weights, sizes, text)[len(text.tokens) :]


def _answer(weights: dict[str, Array], sizes: Config, text: Text, **knobs: object) -> list[int]:
    model = writer(weights, sizes, len(text.tokens), text.use_cache, **knobs)
    return sampling.generate(
        model,
        text.tokens,
        text.max_new_tokens,
        context=int(sizes["n_positions"]),
        temperature=text.temperature,
        top_k=text.top_k,
        eos_token_id=text.eos_token_id,
        draws=text.draws,
        **knobs,
    )


FORGETFUL = (
    {"reads": "last_only"},
    {"reads": "last_new"},
    {"decode": "ignored"},
    {"decode": "restart"},
)
MISPLACED = ({"position": "first"}, {"position": "before_last"})
DRAWN = (
    {"best": "ignored"},
    {"heat": "ignored"},
    {"numbers": "same"},
    {"choice": "greedy"},
)
"""Knobs of loops that do not pass on what they were given."""

"""Knobs of models that do not know the whole text so far, or not in its order."""


def _tells(weights: dict[str, Array], sizes: Config, text: Text) -> bool:
    """Whether a model that forgets writes another text: by luck a small one may write the same."""
    right = _answer(weights, sizes, text)
    used = FORGETFUL[2:] if text.use_cache else FORGETFUL[:2]
    drawn = DRAWN if text.temperature else ()
    texts = [_answer(weights, sizes, text, **knobs) for knobs in (*used, *MISPLACED, *drawn)]
    return len(right) - len(text.tokens) < 2 or right not in texts


def _is_clear(weights: dict[str, Array], sizes: Config, text: Text) -> bool:
    """Whether rounding changes no choice, and three new tokens differ, or all of fewer."""
    written = _answer(weights, sizes, text)
    new = written[len(text.tokens) :]
    if len(set(new)) < min(3, len(new)):
        return False
    model = writer(weights, sizes, len(text.tokens), use_cache=False)
    for index in range(len(new)):
        logits = model(written[: len(text.tokens) + index])
        draw = text.draws[index] if text.draws else 0.0
        if sampling.margin(logits, text.temperature, text.top_k, draw) < CLEAR:
            return False
    return True
