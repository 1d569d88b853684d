"""Texts drawn with random numbers of the program's own: their trials, and the rule about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from checks.shared.random_inputs import Rng
from checks.step_11.trials import TABLE, config, model_weights
from checks.step_12.unambiguous import CLASS, TEXT_CALLS
from grader.rubric import (
    Action,
    Arg,
    Call,
    ConfigArg,
    Evidence,
    Failed,
    Load,
    Make,
    NotRun,
    Passed,
    Probe,
    Ref,
    Rule,
    Ruling,
    Trial,
)

MANY = 50_000
"""Tokens. Their scores rise or fall with their ids, so the best few are at one end."""


def draw(rng: Rng) -> Iterator[Trial]:
    """Texts without numbers to draw with, twice, each time after the file's own import.

    So a generator with a fixed seed shows that belongs to the whole file. Two texts are alike once
    in 10⁹ times. Before them nothing is written; the second has other settings.
    """
    sizes = config(MANY, 6, 2, 1, 1)
    make = Make("module", CLASS, (ConfigArg(dict(sizes)),))
    drawn: dict[str, Arg] = {"temperature": 1000.0}
    other: dict[str, Arg] = {**drawn, "use_cache": False, "eos_token_id": MANY}  # never drawn
    calls = [
        Call(name, None, "generate", (Ref("module"), [3], count), given, staged=False)
        for name, count, given in zip(
            ("nothing", *TEXT_CALLS), (0, 2, 2), (drawn, drawn, other), strict=True
        )
    ]
    weights = model_weights(rng, sizes)
    weights[TABLE][:] = np.linspace((1.0, 0.0), (-1.0, 0.0), MANY)
    actions: tuple[Action, ...] = (make, Load("loaded", "module", dict(weights)), *calls)
    for name in ("fresh", "fresh-imported-again"):
        yield Trial(Probe(name, actions, again=True))


FEW = 100
"""Of the ids at either end. All four draws of a call fall there by luck once in 10⁹ times."""


def _is_near_an_end(texts: Sequence[object]) -> bool:
    """Whether all that one call drew, at each import of the file, are ids at either end."""
    several = (one for one in texts if isinstance(one, list | tuple))
    new = [token for text in several for token in text[1:] if isinstance(token, int)]
    return bool(new) and all(token < FEW or token >= MANY - FEW for token in new)


def differ(trials: str, *calls: str) -> Rule:
    """Texts drawn with numbers of the program's own differ, and so do their tokens."""

    def rule(evidence: Evidence) -> Ruling:
        each = [
            [evidence.seen(trial, call) for call in calls] for trial in evidence.matching(trials)
        ]
        tokens = [text for texts in each for text in texts if isinstance(text, list | tuple)]
        if len(tokens) < len(each) * len(calls):
            return NotRun()
        if any(list(text) == list(tokens[0]) for text in tokens[1 : len(calls)]):
            return Failed("The same text was drawn twice: the random numbers are always the same")
        if any(len({repr(token) for token in text[1:]}) < 2 for text in tokens):
            return Failed("Every token was drawn with the same random number")
        if any(map(_is_near_an_end, zip(*each, strict=True))):
            return Failed(
                "Only some of the likeliest tokens were drawn, although top_k was not given",
                "top_k=None allows all tokens.",
            )
        if len({repr(text) for text in tokens}) < len(tokens):
            return Failed(
                "The same texts are drawn each time the file is imported: it fixes a seed",
                "np.random.default_rng() without an argument takes a new seed each time.",
                about="() ~(default_rng|seed|Random|RandomState)\\(",
            )
        return Passed()

    return rule
