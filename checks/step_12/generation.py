"""Random trials of ``generate`` and ``stream``: whole texts, on models whose choices are clear."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from checks.shared.attention import Floats
from checks.shared.random_inputs import Rng
from checks.step_11.trials import Config, config
from checks.step_12 import fresh
from checks.step_12.sampling import shares
from checks.step_12.unambiguous import TEXT_CALLS, Model, Text, written
from grader.rubric import Action, Arg, Call, Probe, Read, Ref, Take, Trial, Watch


def draw(rng: Rng) -> Iterator[Trial]:
    """Greedy and drawn texts, with and without the cache, and each way to end."""
    sizes = config(11, 7, 6, 1, 2)
    yield written(
        rng,
        "text-greedy",
        sizes,
        lambda _: Text(_prompt(rng, 3), 3),
        lambda text: replace(text, tokens=_prompt(rng, 3), max_new_tokens=2),
    )
    yield written(rng, "text-uncached", sizes, lambda _: Text(_prompt(rng, 2), 3, use_cache=False))
    yield written(
        rng,
        "text-drawn",
        sizes,
        lambda _: Text(
            _prompt(rng, 2), 3, temperature=2.0, top_k=4, draws=_draws(rng, 3), given_as="array"
        ),
    )
    yield written(
        rng,
        "text-end",
        sizes,
        lambda model: _ended(model, Text(_prompt(rng, 2), 4)),
        lambda text: replace(text, max_new_tokens=1, eos_token_id=text.tokens[-1]),
        end=0,
    )
    yield written(
        rng,
        "text-full",
        sizes,
        lambda _: Text(_prompt(rng, 5), 6, temperature=1.8, draws=_draws(rng, 6)),
    )
    yield from _settings(rng, sizes)
    yield _streamed(rng, sizes)
    yield from fresh.draw(rng)


def _settings(rng: Rng, sizes: Config) -> Iterator[Trial]:
    """Settings together: two texts of one model each, the second beside the first."""
    number = itertools.count(1)
    large = {**sizes, "vocab_size": LARGE + 1}
    drawn = functools.partial(_drawn, rng)

    def trial(*make: Any, sizes: Config = sizes, **more: Any) -> Trial:
        return written(rng, f"settings-{next(number)}", sizes, *make, **more)

    yield trial(
        lambda _: _prompted_end(Text(_prompt(rng, 3), 2, top_k=1, given_as="iterator")),
        lambda text: replace(text, max_new_tokens=0),
        prompted=True,
    )
    yield trial(
        lambda _: drawn(1, use_cache=False),
        lambda text: replace(text, tokens=_prompt(rng, 7), max_new_tokens=3),
    )
    yield trial(
        lambda model: _ended(model, drawn(3, top_k=3, use_cache=False, max_new_tokens=3)),
        lambda text: replace(text, max_new_tokens=0, use_cache=False),
        end=LARGE,
        sizes=large,
    )
    yield trial(
        lambda model: _ended_as_prompted(model, drawn(2, use_cache=False, max_new_tokens=3)),
        prompted=True,
    )
    yield trial(lambda _: Text(_prompt(rng, 5), 9, use_cache=False))
    yield trial(
        lambda model: _ended_as_prompted(model, drawn(4, max_new_tokens=3, given_as="array")),
        lambda text: replace(text, max_new_tokens=1),
        prompted=True,
    )
    yield trial(
        lambda model: _ended(model, Text(_prompt(rng, 3), 2), 0),
        lambda text: _best_only(replace(text, tokens=_prompt(rng, 4))),
        sizes=large,
    )


def _drawn(rng: Rng, length: int, **more: Any) -> Text:
    """A text of two drawn tokens after ``length`` others, or of what ``more`` says."""
    draws = _draws(rng, 3)
    text = Text(_prompt(rng, length), 2, temperature=1.8, draws=draws, given_as="iterator")
    return replace(text, **more)


LARGE = 259
"""The id of an end token. Python has one object for each int up to 256, and several for others."""


def _best_only(text: Text) -> Text:
    """Drawn with fresh numbers from the best one alone: of more, all would be as likely."""
    return replace(
        text,
        max_new_tokens=3,
        eos_token_id=None,
        temperature=1000.0,
        top_k=1,
        draws=(0.5,) * 3,
        given_as="nothing",
    )


def _prompted_end(text: Text) -> Text:
    """The same text with a token of its prompt as the one that ends it."""
    return replace(text, eos_token_id=text.tokens[1])


STREAM = {"cached": True, "uncached": False}
STREAMED, NEW = 2, 5
"""Tokens of the prompt, and new ones: a cache may be lost later than at once."""


def _streamed(rng: Rng, sizes: Config) -> Trial:
    """``stream`` on a model that is watched: one token is taken, then the rest."""
    first = written(
        rng,
        "",
        sizes,
        lambda _: Text(_prompt(rng, STREAMED), NEW),
        lambda text: replace(text, max_new_tokens=2, use_cache=False),
    )
    texts = (a for a in first.probe.actions if isinstance(a, Call))
    actions: list[Action] = [*first.probe.actions[:2]]
    for (how, use_cache), text in zip(STREAM.items(), texts, strict=True):
        args: tuple[Arg, ...] = (Ref(f"model-{how}"), *text.args[1:])
        kwargs: dict[str, Arg] = {} if use_cache else {"use_cache": False}
        actions += [
            Watch(f"model-{how}", "module", ("config", "decode")),
            Call(f"stream-{how}", None, "stream", args, kwargs, staged=False),
            Take(f"first-{how}", f"stream-{how}", 1),
            Read(f"early-{how}", f"model-{how}", ("fed",)),
            Take(f"rest-{how}", f"stream-{how}", 9),
            Read(f"late-{how}", f"model-{how}", ("fed",)),
        ]
    answer = first.expect

    def expect(**knobs: object) -> dict[str, Floats]:
        found = answer(**knobs) if answer else {}
        return {
            f"{part}-{how}": got
            for how, text in zip(STREAM, TEXT_CALLS, strict=True)
            for part, got in _taken(found[text][STREAMED:])
        }

    return Trial(Probe("stream", tuple(actions)), expect)


def _taken(new: Floats) -> Iterator[tuple[str, Floats]]:
    yield "first", new[:1]
    yield "rest", new[1:]


def _prompt(rng: Rng, length: int) -> list[int]:
    return [int(token) for token in rng.permutation(11)[:length]]


def _draws(rng: Rng, count: int) -> tuple[float, ...]:
    return tuple(rng.random(count).tolist())


def _ended_as_prompted(model: Model, text: Text) -> Text:
    """A text whose second new token, 0, ends it and is in its prompt, where it ends nothing.

    The first two draws are the middles of the shares of the likeliest other token, and of 0.
    """
    prompt = text.tokens if 0 in text.tokens else [0, *text.tokens[1:]]
    draws, tokens = list[float](), list(prompt)
    for ends in (False, True):
        part = shares(model.logits(tokens), text.temperature)
        others = [token for token in range(len(part)) if token not in prompt]
        token = 0 if ends else max(others, key=lambda one: part[one])
        draws.append(float(part[:token].sum() + part[token] / 2))
        tokens.append(token)
    return replace(text, tokens=prompt, draws=(*draws, 0.5), eos_token_id=0)


def _ended(model: Model, text: Text, last: int = 1) -> Text | None:
    """The same text with a new token, by default the second, as the one that ends it.

    None if the same token comes earlier: such a text would end too soon to tell of much.
    """
    new = model.new(replace(text, max_new_tokens=last + 1))
    return None if new[last] in new[:last] else replace(text, eos_token_id=new[last])
