"""A rule about what ``decode`` returns: logits, and a cache that has grown."""

from __future__ import annotations

from checks.shared.results_gpt2 import described
from grader.rubric import Call, Evidence, Failed, Passed, Rule, Ruling, Seen, SeenTensor

WHERE = "decode() end"
GROWS = r"append\(|\+= |^grown = (?!\[\])"
APPENDED = f"decode() ~{GROWS}"
"""Where the cache grows."""
SPLICED = (
    r"decode() ~[(\[]\*\w+, \*\w+[)\]]|\.extend\(\w"
    r" ~ ^\w*(?:grow|cach|pair|kv|present)\w* (?:\+=|= \w+ \+) [\w.]+$"
)
"""Where it may grow by the two parts of a pair."""
SPLICED_HINT = (
    "The pair of a block is one entry: grown.append(pair), or (*grown, pair). extend, += and a "
    "second star add its key and its value as two."
)
TURNED = "Heads come before tokens: transpose(-3, -2) after the reshape, for all three parts."
BOTH = "return self.lm_head(...), tuple(grown): the logits, and the cache of all blocks"


def decoded(*trials: str) -> Rule:
    """Every call of ``decode`` that returned gave logits, and a cache: a pair for each block."""

    def rule(evidence: Evidence) -> Ruling:
        for name in evidence.matching(*trials):
            calls = [a for a in evidence.trials[name].probe.actions if isinstance(a, Call)]
            tensors = sum(path.count(".") == LEVELS for path in evidence.expected(name))
            for call in calls:
                ran = call.name in evidence.observation(name).results
                seen = evidence.seen(name, call.name)
                if ran and (told := _no_cache(seen, tensors // 2 // len(calls))) is not None:
                    return told
                if ran and (told := _not_grown(evidence, name, call.name)) is not None:
                    return told
        return Passed()

    return rule


LEVELS = 3
"""Dots in the path of a cached tensor: call, cache, block, key or value."""


def _no_cache(seen: Seen, blocks: int) -> Failed | None:
    """What is wrong with what ``decode`` returned."""
    if not isinstance(seen, tuple | list) or len(seen) != 2:
        said = f"decode returned {described(seen)}, expected a pair: the logits and the cache"
        return Failed(said, BOTH, about=WHERE)
    if not isinstance(seen[0], SeenTensor):
        said = f"The first of the pair from decode is {described(seen[0])}, expected the logits"
        return Failed(said, BOTH, about=WHERE)
    cache = seen[1]
    if not isinstance(cache, tuple | list):
        said = f"The cache from decode is {described(cache)}, expected a pair for each block"
        return Failed(said, BOTH, about=WHERE)
    if len(cache) != blocks:
        said = f"The cache from decode has {len(cache)} entries, but the model has {blocks} blocks"
        hint = "Append one pair for each block, inside the loop: grown.append(key_value)"
        if len(cache) == 2 * blocks and all(isinstance(one, SeenTensor) for one in cache):
            return Failed(said, SPLICED_HINT, about=f"{SPLICED} ~ {GROWS}")
        return Failed(said, hint, about=APPENDED)
    odd = next((one for one in cache if not _is_pair(one)), None)
    if odd is None:
        return None
    said = f"An entry of the cache is {described(odd)}, expected the tensors (key, value)"
    if isinstance(odd, SeenTensor):
        hint = "Append one pair for each block, inside the loop: grown.append(key_value)"
        return Failed(said, hint, about=APPENDED)
    return Failed(said, "return output, (key, value)", about="_attend() end")


def _not_grown(evidence: Evidence, trial: str, call: str) -> Failed | None:
    """What is wrong with the number of tokens in a cache."""
    for path, want in evidence.expected(trial).items():
        seen = evidence.seen(trial, path)
        inside = path.startswith(f"{call}.1.") and isinstance(seen, SeenTensor)
        if not inside or not isinstance(seen, SeenTensor) or seen.array.ndim != want.ndim:
            continue
        have, total = seen.array.shape[-2], want.shape[-2]
        shape = seen.array.swapaxes(-3, -2).shape
        if shape == want.shape != seen.array.shape:
            said = (
                f"Keys and values in the cache are {list(seen.array.shape)}, expected {list(shape)}"
            )
            return Failed(said, TURNED, likely="_attend() end")
        if have != total and seen.array.shape[-1] == want.shape[-1]:
            said = f"The cache from decode holds {have} tokens, and the text so far has {total}"
            hint = "Every call returns a cache that has grown: old and new keys and values, joined."
            return Failed(said, hint, about="_attend() end")
    return None


def _is_pair(seen: Seen) -> bool:
    return (
        isinstance(seen, tuple | list)
        and len(seen) == 2
        and all(isinstance(one, SeenTensor) for one in seen)
    )
