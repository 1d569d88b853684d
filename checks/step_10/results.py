"""A rule about the cache that the layer returns, whatever happens to it afterwards."""

from __future__ import annotations

from checks.step_10.calls import CLASS
from grader.rubric import Call, Evidence, Failed, Passed, Ref, Rule, Ruling, SeenTensor, TensorArg

PLACE = f"{CLASS}.__call__() ~use_cache|^return"


def grows(*trials: str) -> Rule:
    """Every cache that was returned holds the tokens of all calls so far, keys and values alike."""

    def rule(evidence: Evidence) -> Ruling:
        for name in evidence.matching(*trials):
            lengths: dict[str, int] = {}
            for call in evidence.trials[name].probe.actions:
                if not isinstance(call, Call) or not isinstance(call.args[0], TensorArg):
                    continue
                past = call.kwargs.get("past_key_value")
                before = lengths.get(past.name, 0) if isinstance(past, Ref) else 0
                new = call.args[0].array.shape[1]
                lengths[call.name] = before + new
                if told := _short(evidence, name, call.name, before, new):
                    return told
        return Passed()

    return rule


def before(rule: Rule, trial: str, path: str) -> Rule:
    """``rule``, unless the first result of ``trial`` is right: the rest is about the cache."""

    def first(evidence: Evidence) -> Ruling:
        seen, want = evidence.seen(trial, path), evidence.expected(trial)[path]
        alone = isinstance(seen, SeenTensor) and evidence.close(trial, seen.array, want)
        return Passed() if alone else rule(evidence)

    return first


def _short(evidence: Evidence, trial: str, call: str, before: int, new: int) -> Failed | None:
    """What is wrong with the lengths of a returned cache; None if it was not returned."""
    pair = [evidence.seen(trial, f"{call}.1.{index}") for index in (0, 1)]
    arrays = [one.array for one in pair if isinstance(one, SeenTensor) and one.array.ndim == 4]
    if len(arrays) < 2:
        return None
    for what, array in zip(("keys", "values"), arrays, strict=True):
        length = array.shape[-2]
        if before and length == new:
            said = f"The cache that is returned holds only the {new} new {what}, and not the "
            said += f"{before} cached ones before them"
            hint = "Join old and new first: F.concat([old, new], axis=-2). Then return the pair."
            return Failed(said, hint, about=PLACE, alone=True)
    return None
