"""Rules about scores far from 0, and about the cache that the layer returns."""

from __future__ import annotations

import numpy as np

from checks.step_10.calls import CLASS
from checks.step_10.trials import FAR
from grader.rubric import Call, Evidence, Failed, Passed, Ref, Rule, Ruling, SeenTensor, TensorArg

PLACE = f"{CLASS}.__call__() ~use_cache|^return"


def finite(trial: str, path: str, usual: tuple[str, str]) -> Rule:
    """Far from 0, scores make numbers too; told where the result ``usual`` is right."""

    def rule(evidence: Evidence) -> Ruling:
        seen = evidence.seen(trial, path)
        if not isinstance(seen, SeenTensor) or not evidence.equal(*usual):
            return Passed()
        if np.isfinite(seen.array.astype(np.float64)).all():
            return Passed()
        return Failed(
            f"Scores near {FAR:,.0f} or −{FAR:,.0f} give NaN or an infinite number",
            "exp of such a score is infinite or 0 in float32. Subtract the largest score of each "
            "query first, as F.softmax does.",
            about=f"{CLASS}._attn() ~exp\\( ~softmax",
            alone=True,
        )

    return rule


def hides(trial: str, *usual: str) -> Rule:
    """Far from 0 a mask hides as well; told where the trials ``usual`` are right."""

    def rule(evidence: Evidence) -> Ruling:
        if evidence.right(trial) or not all(map(evidence.right, usual)):
            return Passed()
        return Failed(
            f"With scores from −{FAR:,.0f} to {FAR:,.0f} the weights are wrong",
            "Add the mask as it is, and clip nothing: −∞ hides a key whatever its score; a "
            "finite number hides only one with a small score.",
            about=f"{CLASS}._attn() ~mask",
            alone=True,
        )

    return rule


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
            said = f"The returned cache holds only the {new} new {what}, not the "
            said += f"{before} cached ones before them"
            hint = "Join old and new first: F.concat([old, new], axis=-2). Then return the pair."
            return Failed(said, hint, about=PLACE, alone=True)
    return None
