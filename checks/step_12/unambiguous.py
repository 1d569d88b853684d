"""Texts for ``generate`` on models that are drawn until every choice in them is clear."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from checks.shared.attention import Floats
from checks.shared.random_inputs import Array, Rng
from checks.step_11.trials import Config, model_weights
from checks.step_12 import sampling
from checks.step_12.next_token import CLEAR, TRIES
from checks.step_12.oracle import writer
from grader.rubric import (
    UNKNOWN,
    Arg,
    ArrayArg,
    Call,
    ConfigArg,
    IteratorArg,
    Load,
    Make,
    Probe,
    Ref,
    Trial,
)

CLASS = "GPT2WithCache"


@dataclass(frozen=True)
class Text:
    """One call of ``generate``."""

    tokens: Sequence[int]
    max_new_tokens: int
    temperature: float = 0.0
    top_k: int | None = None
    eos_token_id: int | None = None
    use_cache: bool = True
    draws: tuple[float, ...] = ()
    given_as: Literal["list", "iterator", "array", "nothing"] = "list"
    """What ``draws`` is. An iterator has no length and can be read once; an array is not true.

    Nothing is given where no number makes a difference.

    With an iterator, the prompt is a tuple.
    """

    def call(self, name: str) -> Call:
        """The call, with only the arguments that it needs."""
        given: dict[str, Arg] = {
            "temperature": self.temperature or None,
            "top_k": self.top_k,
            "eos_token_id": self.eos_token_id,
            "use_cache": None if self.use_cache else False,
            "draws": self._draws(),
        }
        kwargs: dict[str, Arg] = {key: one for key, one in given.items() if one is not None}
        kind = tuple if self.given_as == "iterator" else list
        tokens: Arg = kind(self.tokens)
        args: tuple[Arg, ...] = (Ref("module"), tokens, self.max_new_tokens)
        return Call(name, None, "generate", args, kwargs, staged=False)

    def _draws(self) -> Arg | None:
        match self.given_as:
            case "iterator":
                return IteratorArg(self.draws)
            case "array":
                return ArrayArg(np.array(self.draws))
            case "nothing":
                return None
        return list(self.draws) or None


TEXT_CALLS = ("text", "again")


class Model:
    """The weights of a model, and the logits of the texts that it has read."""

    def __init__(self, weights: dict[str, Array], sizes: Config) -> None:
        self.weights, self.sizes = weights, sizes
        self._exact = {name: array.astype(np.float64) for name, array in weights.items()}
        self._known: dict[tuple[int, ...], Floats] = {}
        self._answers: dict[Text, list[int]] = {}

    def logits(self, text: Sequence[int]) -> Floats:
        """Of the next token, ``[vocab_size]``."""
        key = tuple(text)
        if key not in self._known:
            read = writer(self._exact, self.sizes, len(key), use_cache=False)
            self._known[key] = read(text)
        return self._known[key]

    def answer(self, text: Text, **knobs: object) -> list[int]:
        """The whole text, or what the knobs make of it."""
        if knobs:
            wrong = writer(self._exact, self.sizes, len(text.tokens), text.use_cache, **knobs)
            return self._written(text, wrong, **knobs)
        key = replace(text, tokens=tuple(text.tokens))
        if key not in self._answers:
            self._answers[key] = self._written(text, self.logits)
        return self._answers[key]

    def _written(self, text: Text, model: Callable[..., Floats], **knobs: object) -> list[int]:
        return sampling.generate(
            model,
            text.tokens,
            text.max_new_tokens,
            context=int(self.sizes["n_positions"]),
            temperature=text.temperature,
            top_k=text.top_k,
            eos_token_id=text.eos_token_id,
            draws=text.draws,
            **knobs,
        )

    def new(self, text: Text) -> list[int]:
        """The tokens that are written after ``text``."""
        return self.answer(text)[len(text.tokens) :]


def written(
    rng: Rng,
    name: str,
    sizes: Config,
    make: Callable[[Model], Text | None],
    then: Callable[[Text], Text] | None = None,
    end: int | None = None,
    prompted: bool = False,
) -> Trial:
    """A text on a model whose every choice is clear, and depends on the whole text so far.

    ``make`` gives None for a model with which there is no such text. ``then`` makes the text that
    the same model writes after it. ``end`` is the token that has to end the text: the tokens are
    numbered anew. Where ``prompted``, the end token may be in the prompt, where it ends nothing;
    beside that, the text need only tell of a model that forgets.
    """
    for _ in range(TRIES):
        model = Model(model_weights(rng, sizes), sizes)
        text = make(model)
        if text is None:
            continue
        if end is not None and text.eos_token_id is not None:
            model, text = _renumbered(model, text, end)
        if text.eos_token_id in text.tokens and not prompted:
            continue
        texts = (text, then(text)) if then else (text,)
        if _suits(model, texts, end) and (_remembers if prompted else _tells)(model, text):
            return _writing(name, model, texts)
    raise RuntimeError(f"no text was drawn for {name}")


def _writing(name: str, model: Model, texts: Sequence[Text]) -> Trial:
    """The model writes each of ``texts``."""
    fields, text = model.sizes, texts[0]
    # a setting that is not given is not taken from the configuration either
    if text.eos_token_id is None:
        fields = {**fields, "eos_token_id": next(iter(model.new(text)), 0)}
    module = Make("module", CLASS, (ConfigArg(dict(fields)),))
    load = Load("loaded", "module", dict(model.weights))
    named = dict(zip(TEXT_CALLS, texts, strict=False))
    calls = [one.call(call) for call, one in named.items()]

    def expect(**knobs: object) -> dict[str, Floats]:
        return {
            call: UNKNOWN  # it is drawn with fresh numbers
            if one.given_as == "nothing" and "best" in knobs
            else np.asarray(model.answer(one, **knobs), dtype=np.float64)
            for call, one in named.items()
        }

    return Trial(Probe(name, (module, load, *calls)), expect)


def _suits(model: Model, texts: Sequence[Text], end: int | None) -> bool:
    """Whether all of ``texts`` are clear, and the first ends as it should, and no later one."""
    text, *later = texts
    new = model.new(text)
    if (end is not None and new[1:] != [end]) or len(set(new)) < min(3, len(new)):
        return False
    if any(one.eos_token_id in model.new(one) for one in later):
        return False
    return all(_is_clear(model, one) for one in texts)


def _renumbered(model: Model, text: Text, end: int) -> tuple[Model, Text]:
    """The same model and text with the ids of ``end`` and of the end token swapped."""
    old = end if text.eos_token_id is None else text.eos_token_id
    swap = {end: old, old: end}
    table = model.weights["transformer.wte.weight"].copy()
    table[list(swap)] = table[list(swap.values())]
    tokens = [swap.get(token, token) for token in text.tokens]
    weights = {**model.weights, "transformer.wte.weight": table}
    return Model(weights, model.sizes), replace(text, tokens=tokens, eos_token_id=end)


FORGETFUL = (
    {"reads": "last_only"},
    {"reads": "last_new"},
    {"decode": "ignored"},
    {"decode": "restart"},
)
MISPLACED = ({"position": "first"}, {"position": "before_last"})
"""Knobs of models that do not know the whole text so far, or not in its order."""

DRAWN = (
    {"best": "ignored"},
    {"heat": "ignored"},
    {"numbers": "same"},
    {"choice": "greedy"},
)
"""Knobs of loops that do not pass on what they were given."""


def _tells(model: Model, text: Text) -> bool:
    """Whether a model that forgets writes another text: by luck a small one may write the same."""
    right = model.answer(text)
    if len(right) - len(text.tokens) < 2:
        return True
    drawn = DRAWN[0 if text.top_k else 1 :] if text.temperature else ()
    knobs = (*MISPLACED, *drawn)
    return _remembers(model, text) and all(model.answer(text, **one) != right for one in knobs)


def _remembers(model: Model, text: Text) -> bool:
    """Whether a model that forgets writes another text."""
    right = model.answer(text)
    used = FORGETFUL[2:] if text.use_cache else FORGETFUL[:2]
    return all(model.answer(text, **knobs) != right for knobs in used)


def _is_clear(model: Model, text: Text) -> bool:
    """Whether rounding changes no choice."""
    right = model.answer(text)
    for index in range(len(right) - len(text.tokens)):
        logits = model.logits(right[: len(text.tokens) + index])
        draw = text.draws[index] if text.draws else 0.0
        temperature = 0.0 if text.top_k == 1 else text.temperature
        if sampling.margin(logits, temperature, text.top_k, draw) < CLEAR:
            return False
    return True
