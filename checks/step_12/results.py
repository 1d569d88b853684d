"""Rules about texts that are streamed, and texts that nobody can foretell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from checks.step_12 import sampling
from checks.step_12.generation import NEW, STREAM, STREAMED
from grader.rubric import (
    ArrayArg,
    Call,
    ConfigArg,
    Evidence,
    Failed,
    Make,
    Misconception,
    NotRun,
    Passed,
    Rule,
    Ruling,
    SeenArray,
    rules,
)

Fed = list[tuple[str, int]]
"""Calls of the model in order: method, and tokens that it read."""


def streams(trial: str) -> Rule:
    """The right tokens, each when it is chosen, and with a cache every token is read once."""
    right = rules.numbers(trial, what="streamed tokens")

    def rule(evidence: Evidence) -> Ruling:
        for how, cached in STREAM.items():
            early, late = (_fed(evidence, trial, f"{when}-{how}") for when in ("early", "late"))
            if early is None or late is None:
                return NotRun()
            if len(early) == len(late) > 1:
                return Failed("The first token comes only after the model has computed them all")
            if cached and any(name != "decode" for name, _ in late):
                return Failed("With use_cache, the model is called instead of its decode")
            read = sum(size for _, size in late)
            if cached and read > STREAMED + NEW:
                return Failed(
                    f"With use_cache, the model read {read} tokens in all, for a prompt of "
                    f"{STREAMED} and {NEW} new ones: {_sizes(late)}",
                    "Pass the cache that decode returned, and only the last token.",
                    about=r"stream() ~\.decode\(",
                )
        return right(evidence)

    return rule


def feeding(rule: Rule, trial: str) -> Rule:
    """``rule``; where it fails, it says what the model of ``trial`` was fed, if that is wrong.

    With a cache: the whole prompt, then one token. Without: the whole text, one longer each time.
    """

    def told(evidence: Evidence) -> Ruling:
        ruling = rule(evidence)
        for how, cached in STREAM.items() if isinstance(ruling, Failed) else ():
            fed = _fed(evidence, trial, f"late-{how}") or _fed(evidence, trial, f"early-{how}")
            method = "decode" if cached else "__call__"
            sizes = [size for name, size in fed or () if name == method]
            right = [STREAMED, 1 if cached else STREAMED + 1][: len(sizes)]
            if sizes[:2] != right:
                return _misfed(sizes[:2], cached=cached)
        return ruling

    return told


FEEDS, APPENDED = r"stream() ~^\w+ = \[\w+\]$ ~ \[-1:?\]|\[:1\]", "stream() ~^yield"
APPENDS = r"stream() ~append\(|\+= \["
"""Where the tokens to feed are chosen, to what the new one is appended, and where it is."""
MADE = r"stream() ~Tensor\("
"""Where a tensor is made of the tokens."""


def _misfed(sizes: list[int], *, cached: bool) -> Failed:
    """What is wrong with the numbers of tokens that the model was fed for a prompt."""
    prompt = STREAMED
    use = "With" if cached else "Without"
    told = f"{use} the cache the model is fed {' and then '.join(map(str, sizes))} tokens"
    if cached:
        want = f"the prompt of {prompt}, and then 1"
        hint = "The first call must read the whole text, each later one the last token: text[-1:]."
    else:
        want = f"the prompt of {prompt}, and then {prompt + 1}"
        hint = (
            "Without the cache every call must read the whole text: append each new token to it, "
            "and feed all of it."
        )
    grows = not cached and sizes[0] == sizes[-1] == prompt
    if not cached and sizes == [prompt, prompt + 2]:
        return Failed(f"{told}, expected {want}", "Append each new token once.", about=APPENDS)
    if grows:
        return Failed(f"{told}, expected {want}", hint, about=APPENDED)
    return Failed(f"{told}, expected {want}", hint, about=FEEDS, likely=MADE)


def _fed(evidence: Evidence, trial: str, action: str) -> Fed | None:
    seen = evidence.seen(trial, action)
    fed = seen.get("fed") if isinstance(seen, dict) else None
    if not isinstance(fed, list):
        return None
    pairs = [one for one in fed if isinstance(one, tuple) and len(one) == 2]
    return [(str(name), size) for name, size in pairs if isinstance(size, int)]


def _sizes(fed: Fed) -> str:
    return " + ".join(str(size) for _, size in fed)


def ends(trials: str) -> Rule:
    """The texts end without errors; an error that a text itself makes is told as that.

    It may run out of random numbers, outgrow the positions, or choose a token that is none.
    """
    plain = rules.runs(trials)

    def rule(evidence: Evidence) -> Ruling:
        ruling = plain(evidence)
        for name in evidence.matching(trials) if isinstance(ruling, Failed) else ():
            if (found := _ended(evidence, name)) is not None:
                return found
        return ruling

    return rule


def _ended(evidence: Evidence, name: str) -> Failed | None:
    """What a text made wrong that ended in an error."""
    error = evidence.error(name)
    if error is None:
        return None
    if "StopIteration" in f"{error.type_name} {error.message}":
        calls = (a for a in evidence.trials[name].probe.actions if a.name == error.action)
        drawn = any(isinstance(a, Call) and a.kwargs.get("temperature") for a in calls)
        said = "next(...) asks for more random numbers than there are new tokens"
        if not drawn:
            said = "At temperature 0 nothing is drawn, but next(...) asks for a random number"
        hint = "Take one number for each token drawn: next(numbers) if temperature"
        return Failed(said, hint, about=r"stream() ~next\(", alone=True)
    asked = ROW.search(evidence.framework.translate(error).message)
    sizes = _sizes_of(evidence, name)
    if asked is None or sizes.get("n_positions") == sizes.get("vocab_size"):
        return None
    row, rows = int(asked[1]), int(asked[2])
    if rows == sizes.get("n_positions"):
        said = f"Position {row} was asked for, but the last one is {rows - 1}"
        if row > rows:  # several new positions at once: with one at a time, it would be this one
            hint = "With a cache, feed only the new token: the others are in the cache already."
            return Failed(said, hint, about=FED_WHOLE, alone=True, stopped=True)
        hint = "Stop when the text has n_positions tokens; with a cache, feed only the new one."
        return Failed(said, hint, about=FED_AGAIN, alone=True, stopped=True)
    if rows == sizes.get("vocab_size"):
        said = f"Token {row} was chosen, but there are only {rows} tokens"
        hint = "Give next_token the scores of the last position only: logits.to_numpy()[0, -1]"
        return Failed(said, hint, about=r"stream() ~to_numpy|argmax", alone=True, stopped=True)
    return None


ROW = re.compile(r"Row (\d+) was asked of a table with (\d+) rows")


def _sizes_of(evidence: Evidence, name: str) -> Mapping[str, float]:
    """The configuration of the model of a trial."""
    made = (a for a in evidence.trials[name].probe.actions if isinstance(a, Make))
    given = (arg for one in made for arg in one.args if isinstance(arg, ConfigArg))
    return next((arg.fields for arg in given), {})


COUNTS = r"range\(|^while"
CHOICE, COUNT = r"stream() ~next_token\(", rf"stream() ~{COUNTS}"
"""Where a new token is chosen, and where new tokens are counted."""
FULL = rf"stream() ~^(if|while) .*\blen\(.*[<>=] ~ \bn_positions\b ~ {COUNTS}"
"""Where the length of the text is compared with what there is room for, or that is worked out."""
FED_AGAIN = r"stream() ~(?<!shape)\[:-1\] ~ range\(|^while"
"""Where more is fed than the new token, or else where new tokens are counted."""
FED_WHOLE = r"stream() ~(?<!shape)\[:-1\] ~ ^\w+ = (?!None|True|False)[a-z]\w*$ ~ Tensor\("
"""Where the whole text is fed again: where it gets another name, or else its tensor is made."""


def written(
    trials: str, what: str, mistakes: Iterable[Misconception] = (), counted: str = COUNT
) -> Rule:
    """The texts have the right tokens.

    Where one has not, the line is that of the mistake that explains it. If none does, it is where
    tokens are chosen or counted: ``next_token`` itself is right by then.
    """
    same = rules.placed(rules.numbers(trials, what=what), mistakes, trials)
    short = rules.placed(partial(_lengths, trials=trials), mistakes, trials)

    def rule(evidence: Evidence) -> Ruling:
        for told, place in ((short, counted), (same, CHOICE)):
            ruling = told(evidence)
            if isinstance(ruling, Failed):
                note = _texts(evidence, *ruling.wrong[0]) if ruling.wrong else None
                return replace(ruling, likely=ruling.likely or place, note=note)
        return ruling

    return rule


def _lengths(evidence: Evidence, trials: str) -> Ruling:
    """Every text is as long as it must be."""
    for name in evidence.matching(trials):
        for call, want in evidence.expected(name).items():
            seen, prompt = evidence.seen(name, call), _prompt(evidence, name, call)
            if isinstance(seen, list):
                return Failed(
                    f"generate returned a list of {len(seen)}, and not every entry is a number",
                    "stream yields one token at a time, a whole number: yield token",
                    likely=r"stream() ~yield",
                )
            if not isinstance(seen, SeenArray) or seen.array.shape == want.shape:
                continue
            tokens = [int(token) for token in seen.array.ravel()]
            if tokens[: len(prompt)] == prompt:
                said = f"generate added {len(tokens) - len(prompt)} new tokens, "
                said += f"expected {len(want) - len(prompt)}"
            else:
                said = f"generate returned {len(tokens)} tokens, expected {len(want)}: "
                said += f"the prompt of {len(prompt)} comes first"
            return Failed(said, wrong=((name, call),))
    return Passed()


def _prompt(evidence: Evidence, trial: str, call: str) -> list[int]:
    """The tokens that a call of ``generate`` was given."""
    made = next(a for a in evidence.trials[trial].probe.actions if a.name == call)
    given = made.args[1] if isinstance(made, Call) and len(made.args) > 1 else None
    return [one for one in given if isinstance(one, int)] if isinstance(given, list) else []


def _texts(evidence: Evidence, trial: str, call: str) -> str | None:
    """The tokens that a call wrote, and the right ones."""
    seen, prompt = evidence.seen(trial, call), _prompt(evidence, trial, call)
    if not isinstance(seen, SeenArray) or seen.array.ndim != 1 or not prompt:
        return None
    tokens, want = seen.array.tolist(), evidence.expected(trial)[call].astype(int).tolist()
    if tokens[: len(prompt)] != prompt:
        return f"It returned {tokens}, expected {want}."
    return f"After {prompt} it wrote {tokens[len(prompt) :]}, expected {want[len(prompt) :]}."


def chosen(rule: Rule) -> Rule:
    """``rule``; where it fails, a note says what the first wrong call of ``next_token`` chose."""

    def told(evidence: Evidence) -> Ruling:
        ruling = rule(evidence)
        if not isinstance(ruling, Failed) or not ruling.wrong:
            return ruling
        name, path = ruling.wrong[0]
        call = next(a for a in evidence.trials[name].probe.actions if a.name == path)
        seen, want = evidence.seen(name, path), int(evidence.expected(name)[path])
        if not isinstance(call, Call) or not isinstance(seen, SeenArray) or seen.array.ndim:
            return ruling
        return replace(ruling, note=_chosen(call, f"{float(seen.array):g}", want))

    return told


def _chosen(call: Call, token: str, want: int) -> str | None:
    """What a call of ``next_token`` chose, and what is right."""
    logits, given = call.args[0], call.kwargs
    if not isinstance(logits, ArrayArg):
        return None
    heat, best, draw = (given.get(name) for name in ("temperature", "top_k", "draw"))
    if not isinstance(heat, float) or not heat or not isinstance(draw, float):
        return f"It chose token {token}, but token {want} has the highest score."
    top_k = best if isinstance(best, int) else None
    ends = np.cumsum(sampling.shares(logits.array.astype(np.float64), heat, top_k))
    start = float(ends[want - 1]) if want else 0.0
    return (
        f"With temperature={heat:g}, top_k={top_k} and draw={draw:.3f} it chose token {token}. "
        f"draw falls into the share of token {want}, from {start:.3f} to {float(ends[want]):.3f}."
    )
