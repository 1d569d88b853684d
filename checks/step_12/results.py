"""Rules about texts that are streamed, and texts that nobody can foretell."""

from __future__ import annotations

from checks.step_12.texts import STREAM
from grader.rubric import Evidence, Failed, NotRun, Passed, Rule, Ruling, rules

Fed = list[tuple[str, int]]
"""Calls of the model in order: method, and tokens that it read."""


def streams(trial: str, *, prompt: int, new: int) -> Rule:
    """The right tokens, each when it is chosen, and with a cache every token is read once."""
    right = rules.numbers(trial, what="streamed tokens")

    def rule(evidence: Evidence) -> Ruling:
        for how, cached in STREAM.items():
            early, late = (_fed(evidence, trial, f"{when}-{how}") for when in ("early", "late"))
            if early is None or late is None:
                return NotRun()
            if len(early) == len(late) > 1:
                return Failed("The first token comes only after the model has been asked for all")
            if cached and any(name != "decode" for name, _ in late):
                return Failed("With use_cache, the model is called and not its decode")
            read = sum(size for _, size in late)
            if cached and read > prompt + new:
                return Failed(
                    f"With use_cache, the model read {read} tokens in all, for a prompt of "
                    f"{prompt} and {new} new ones: {_sizes(late)}",
                    "Pass the cache that decode returned, and only the last token.",
                )
        return right(evidence)

    return rule


def _fed(evidence: Evidence, trial: str, action: str) -> Fed | None:
    seen = evidence.seen(trial, action)
    fed = seen.get("fed") if isinstance(seen, dict) else None
    if not isinstance(fed, list):
        return None
    pairs = [one for one in fed if isinstance(one, tuple) and len(one) == 2]
    return [(str(name), size) for name, size in pairs if isinstance(size, int)]


def _sizes(fed: Fed) -> str:
    return " + ".join(str(size) for _, size in fed)


def fresh(trial: str, *calls: str) -> Rule:
    """Texts drawn with numbers of the program's own differ, and so do their tokens."""

    def rule(evidence: Evidence) -> Ruling:
        texts = [evidence.seen(trial, call) for call in calls]
        tokens = [text for text in texts if isinstance(text, list | tuple)]
        if len(tokens) < len(calls):
            return NotRun()
        if any(list(text) == list(tokens[0]) for text in tokens[1:]):
            return Failed("The same text was drawn twice: the random numbers are always the same")
        if any(len({repr(token) for token in text[1:]}) < 2 for text in tokens):
            return Failed("Every token was drawn with the same random number")
        return Passed()

    return rule
