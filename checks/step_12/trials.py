"""Random trials of choosing the next token, of decoding in pieces, and of writing text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from checks.shared.attention import Floats
from checks.shared.drawn import LONG, Rng, long
from checks.step_11.trials import Config, config, model_weights, token_ids
from checks.step_12 import choices, texts
from checks.step_12.oracle import Cache, decode
from checks.step_12.texts import CLASS
from grader.rubric import Call, ConfigArg, Load, Make, Probe, Ref, TensorArg, Trial, in_turn

PIECES = (
    # vocabulary, positions, width, layers, heads; batch; lengths of the pieces
    ((2, 4, 2, 2, 1), 2, (2, 2)),
    ((5, 9, 6, 1, 3), 1, (1, 2)),
    ((7, 6, 8, 1, 2), 3, (3, 1)),
    ((6, 5, 4, 1, 4), 4, (1, 4)),
)
"""Between them each length is one, and any two are equal somewhere."""


def draw(rng: Rng) -> list[Trial]:
    """Choices from given logits, decoding in pieces, and texts."""
    return [
        *choices.draw(rng),
        decoding(rng, "decode-pieces", config(9, 8, 6, 2, 3), (3, 1, 2)),
        decoding(rng, "decode-at-once", config(7, LONG + 20, 4, 1, 2), (long(rng),)),
        *_in_turn(rng),
        *texts.draw(rng),
    ]


def _in_turn(rng: Rng) -> list[Trial]:
    """Models of other sizes, two in turn."""
    each = [
        decoding(rng, "model", config(*sizes), pieces, batch=batch)
        for sizes, batch, pieces in PIECES
    ]
    return [
        in_turn(f"decode-sizes-{index}", dict(zip("ab", pair, strict=True)))
        for index, pair in enumerate(zip(each[::2], each[1::2], strict=True), start=1)
    ]


def decoding(rng: Rng, name: str, sizes: Config, pieces: Sequence[int], *, batch: int = 2) -> Trial:
    """A batch of texts read in pieces of these lengths; logits and caches are compared."""
    weights = model_weights(rng, sizes)
    ids = np.split(token_ids(rng, sizes, batch, sum(pieces)), np.cumsum(pieces)[:-1], axis=1)
    calls = []
    for index, piece in enumerate(ids):
        before = (Ref(f"piece{index - 1}", (1,)),) if index else ()
        tokens = TensorArg(np.ascontiguousarray(piece))
        calls.append(Call(f"piece{index}", "module", "decode", (tokens, *before)))

    def expect(**knobs: object) -> dict[str, Floats]:
        cache: Cache | None = None
        found = {}
        for index, piece in enumerate(ids):
            try:
                logits, cache = decode(piece, weights, sizes, cache, **knobs)
            except ValueError:
                if not knobs:
                    raise
                break
            found[f"piece{index}.0"] = logits
            for layer, (key, value) in enumerate(cache):
                found[f"piece{index}.1.{layer}.0"] = key
                found[f"piece{index}.1.{layer}.1"] = value
        return found

    make = Make("module", CLASS, (ConfigArg(dict(sizes)),))
    return Trial(Probe(name, (make, Load("loaded", "module", dict(weights)), *calls)), expect)
