"""Texts for ``generate`` on models that are drawn until every choice in them is clear."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from checks.shared.attention import Floats
from checks.shared.drawn import Array, Rng
from checks.step_11.trials import Config, model_weights
from checks.step_12 import sampling
from checks.step_12.choices import CLEAR, TRIES
from checks.step_12.oracle import writer
from grader.rubric import (
    Arg,
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


TEXT_CALLS = ("text", "again")

Write = Callable[[Text], list[int]]


def written(
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
        if text.eos_token_id in text.tokens and not prompted:
            continue
        texts = (text, then(text)) if then else (text,)
        if _suits(weights, sizes, texts, end):
            break
    else:
        raise RuntimeError(f"no text was drawn for {name}")
    module = Make("module", CLASS, (ConfigArg(dict(sizes)),))
    load = Load("loaded", "module", dict(weights))
    named = dict(zip(TEXT_CALLS, texts, strict=False))
    calls = [one.call(call) for call, one in named.items()]

    def expect(**knobs: object) -> dict[str, Floats]:
        return {
            call: np.asarray(_answer(weights, sizes, one, **knobs), dtype=np.float64)
            for call, one in named.items()
        }

    return Trial(Probe(name, (module, load, *calls)), expect)


def _suits(
    weights: dict[str, Array], sizes: Config, texts: Sequence[Text], end: int | None
) -> bool:
    """Whether the first of ``texts`` is clear, tells, and ends as it should, and no later one."""
    text, *later = texts
    right = _answer(weights, sizes, text)
    new = right[len(text.tokens) :]
    if (end is not None and new[1:] != [end]) or len(set(new)) < min(3, len(new)):
        return False
    if any(one.eos_token_id in _new(weights, sizes, one) for one in later):
        return False
    return _tells(weights, sizes, text, right) and all(
        _is_clear(weights, sizes, one, _answer(weights, sizes, one)) for one in texts
    )


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
"""Knobs of models that do not know the whole text so far, or not in its order."""

DRAWN = (
    {"best": "ignored"},
    {"heat": "ignored"},
    {"numbers": "same"},
    {"choice": "greedy"},
)
"""Knobs of loops that do not pass on what they were given."""


def _tells(weights: dict[str, Array], sizes: Config, text: Text, right: list[int]) -> bool:
    """Whether a model that forgets writes another text: by luck a small one may write the same."""
    if len(right) - len(text.tokens) < 2:
        return True
    used = FORGETFUL[2:] if text.use_cache else FORGETFUL[:2]
    drawn = DRAWN[0 if text.top_k else 1 :] if text.temperature else ()
    wrong = (*used, *MISPLACED, *drawn)
    return all(_answer(weights, sizes, text, **knobs) != right for knobs in wrong)


def _is_clear(weights: dict[str, Array], sizes: Config, text: Text, right: list[int]) -> bool:
    """Whether rounding changes no choice."""
    model = writer(weights, sizes, len(text.tokens), use_cache=True)
    for index in range(len(right) - len(text.tokens)):
        logits = model(right[: len(text.tokens) + index])
        draw = text.draws[index] if text.draws else 0.0
        if sampling.margin(logits, text.temperature, text.top_k, draw) < CLEAR:
            return False
    return True
