"""Random trials of ``generate`` and ``stream``: whole texts, on models whose choices are clear."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from checks.shared.attention import Floats
from checks.shared.drawn import Array, Rng
from checks.step_11.trials import Config, config, model_weights
from checks.step_12 import sampling
from checks.step_12.choices import CLEAR, TRIES
from checks.step_12.oracle import writer
from grader.rubric import (
    Action,
    Arg,
    Call,
    ConfigArg,
    IteratorArg,
    Load,
    Make,
    Probe,
    Read,
    Ref,
    Take,
    Trial,
    Watch,
)

CLASS = "GPT2WithCache"


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
    iterator: bool = False
    """Whether ``draws`` is an iterator, which has no length and can be read once."""

    def call(self, name: str) -> Call:
        """The call, with only the arguments that it needs."""
        given: dict[str, Arg] = {
            "temperature": self.temperature or None,
            "top_k": self.top_k,
            "eos_token_id": self.eos_token_id,
            "use_cache": None if self.use_cache else False,
            "draws": IteratorArg(self.draws) if self.iterator else list(self.draws) or None,
        }
        kwargs: dict[str, Arg] = {key: one for key, one in given.items() if one is not None}
        args: tuple[Arg, ...] = (Ref("module"), list(self.tokens), self.max_new_tokens)
        return Call(name, None, "generate", args, kwargs, staged=False)


def draw(rng: Rng) -> Iterator[Trial]:
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
        lambda write: _ended(write, Text(_prompt(rng, 2), 4)),
        lambda text: replace(text, max_new_tokens=1, eos_token_id=text.tokens[0]),
        end=0,
    )
    yield _written(rng, "text-full", sizes, lambda _: Text(_prompt(rng, 5), 6))
    yield from _settings(rng, sizes)
    yield _streamed(rng, sizes)
    yield _fresh(rng)


def _settings(rng: Rng, sizes: Config) -> Iterator[Trial]:
    """Settings together: two texts of one model each, the second beside the first."""
    name = (f"settings-{index}" for index in itertools.count(1))

    def drawn(length: int, **more: Any) -> Text:
        draws = tuple(float(one) for one in rng.random(3))
        return Text(_prompt(rng, length), 2, temperature=1.8, draws=draws, iterator=True, **more)

    yield _written(
        rng,
        next(name),
        sizes,
        lambda _: _prompted_end(Text(_prompt(rng, 3), 2, top_k=1, iterator=True)),
        lambda text: replace(text, max_new_tokens=0),
        prompted=True,
    )
    yield _written(
        rng,
        next(name),
        sizes,
        lambda _: drawn(1, use_cache=False),
        lambda text: replace(text, tokens=_prompt(rng, 7), max_new_tokens=3),
    )
    yield _written(
        rng,
        next(name),
        sizes,
        lambda write: _ended(write, replace(drawn(2), max_new_tokens=3)),
        lambda text: replace(text, max_new_tokens=0, use_cache=False),
    )
    yield _written(
        rng,
        next(name),
        sizes,
        lambda write: _ended(write, Text(_prompt(rng, 2), 3, top_k=3, use_cache=False)),
        end=0,
    )
    yield _written(
        rng,
        next(name),
        sizes,
        lambda _: Text(_prompt(rng, 5), 9, use_cache=False),
    )


def _prompted_end(text: Text) -> Text:
    """The same text with a token of its prompt as the one that ends it."""
    return replace(text, eos_token_id=text.tokens[1])


STREAM = {"cached": True, "uncached": False}


def _streamed(rng: Rng, sizes: Config) -> Trial:
    """``stream`` on a model that is watched: one token is taken, then the rest."""
    written = _written(rng, "", sizes, lambda _: Text(_prompt(rng, 3), 2))
    text = next(a for a in written.probe.actions if isinstance(a, Call))
    actions: list[Action] = [*written.probe.actions[:2]]
    for how, use_cache in STREAM.items():
        args: tuple[Arg, ...] = (Ref(f"model-{how}"), *text.args[1:])
        kwargs: dict[str, Arg] = {} if use_cache else {"use_cache": False}
        actions += [
            Watch(f"model-{how}", "module"),
            Call(f"stream-{how}", None, "stream", args, kwargs, staged=False),
            Take(f"first-{how}", f"stream-{how}", 1),
            Read(f"early-{how}", f"model-{how}", ("fed",)),
            Take(f"rest-{how}", f"stream-{how}", 9),
            Read(f"late-{how}", f"model-{how}", ("fed",)),
        ]
    answer = written.expect

    def expect(**knobs: object) -> dict[str, Floats]:
        new = answer(**knobs)["text"][3:] if answer else np.zeros(0)
        return {f"{part}-{how}": got for how in STREAM for part, got in _taken(new)}

    return Trial(Probe("stream", tuple(actions)), expect)


def _taken(new: Floats) -> Iterator[tuple[str, Floats]]:
    yield "first", new[:1]
    yield "rest", new[1:]


MANY = 1500


def _fresh(rng: Rng) -> Trial:
    """A text without numbers to draw with, twice. No two are alike in a hundred thousand years."""
    sizes = config(MANY, 6, 2, 1, 1)
    make = Make("module", CLASS, (ConfigArg(dict(sizes)),))
    args: tuple[Arg, ...] = (Ref("module"), [3], 3)
    kwargs: dict[str, Arg] = {"temperature": 1000.0}
    calls = (Call(name, None, "generate", args, kwargs, staged=False) for name in TEXT_CALLS)
    load = Load("loaded", "module", dict(model_weights(rng, sizes)))
    return Trial(Probe("fresh", (make, load, *calls)))


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
    end: int | None = None,
    prompted: bool = False,
) -> Trial:
    """A text on a model whose every choice is clear, and depends on the whole text so far.

    ``then`` makes the text that the same model writes after it. ``end`` is the token that has to
    end the text: the tokens are numbered anew. Where ``prompted``, the end token may be in the
    prompt, where it ends nothing.
    """
    for _ in range(TRIES):
        weights = model_weights(rng, sizes)
        text = make(lambda one, w=weights: _answer(w, sizes, one))  # type: ignore[misc]
        if end is not None and text.eos_token_id is not None:
            weights, text = _renumbered(weights, text, end)
        after = then(text) if then else text
        ends = after is not text and after.eos_token_id in _new(weights, sizes, after)
        new = _new(weights, sizes, text)
        lost = end is not None and new[1:] != [end]
        if ends or lost or (text.eos_token_id in text.tokens and not prompted):
            continue
        if _is_clear(weights, sizes, text) and _tells(weights, sizes, text):
            break
    else:
        raise RuntimeError(f"no text was drawn for {name}")
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


def _renumbered(weights: dict[str, Array], text: Text, end: int) -> tuple[dict[str, Array], Text]:
    """The same model and text with the ids of ``end`` and of the end token swapped."""
    old = end if text.eos_token_id is None else text.eos_token_id
    swap = {end: old, old: end}
    table = weights["transformer.wte.weight"].copy()
    table[list(swap)] = table[list(swap.values())]
    tokens = [swap.get(token, token) for token in text.tokens]
    return {**weights, "transformer.wte.weight": table}, replace(
        text, tokens=tokens, eos_token_id=end
    )


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
    drawn = DRAWN[0 if text.top_k else 1 :] if text.temperature else ()
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
