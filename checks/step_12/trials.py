"""Random trials of choosing the next token, of decoding in pieces, and of writing text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from checks.shared.attention import Floats
from checks.shared.gpt2 import Ids
from checks.shared.large_scores import SLACK
from checks.shared.layer_norm import layer_norm
from checks.shared.random_inputs import LONG, Array, Rng, long
from checks.step_11.trials import STEADY, Config, config, model_weights, token_ids
from checks.step_12 import generation, next_token
from checks.step_12.oracle import Cache, decode
from checks.step_12.unambiguous import CLASS
from grader.rubric import Call, ConfigArg, Load, Make, Probe, Ref, TensorArg, Trial, in_turn

PIECES = (
    # vocabulary, positions, width, layers, heads; batch, lengths and predecessors of the pieces
    ((2, 5, 4, 2, 2), 2, (2, 2, 2, 2), (None, None, 0, 1)),
    ((5, 9, 6, 1, 3), 1, (1, 1, 2), (None, None, 0)),
    ((7, 6, 8, 3, 1), 3, (3, 5, 2), (None, None, 0)),
    ((6, 72, 4, 1, 4), 4, (1, 4, 5, 60, 5, 2), (None, 0, 1, 2, 0, 3)),
)
"""Between them each length is one, and any two are equal somewhere.

The second piece may be another text, as long as the first or longer: a program that keeps the
first cache is seen with equal lengths, one that counts with others. The last may go on from an
earlier piece, and then is as long as one after another number of tokens, or after other tokens; and
one goes on from a long past.
"""

MORE = 1
"""Of these, the model that gets a second text of more texts."""


def draw(rng: Rng) -> list[Trial]:
    """Choices from given logits, decoding in pieces, and texts."""
    return [
        *next_token.draw(rng),
        decoding(
            rng, "decode-pieces", {**config(9, 8, 6, 2, 3), **STEADY}, (3, 1, 2), (None, 0, 1)
        ),
        _at_once(rng),
        *_in_turn(rng),
        *generation.draw(rng),
    ]


def _in_turn(rng: Rng) -> list[Trial]:
    """Models of other sizes, two in turn."""
    each = [
        decoding(
            rng,
            "model",
            {**config(*sizes), **STEADY},
            lengths,
            behind,
            batch=batch,
            more=index == MORE,
        )
        for index, (sizes, batch, lengths, behind) in enumerate(PIECES)
    ]
    return [
        in_turn(f"decode-sizes-{index}", dict(zip("ab", pair, strict=True)))
        for index, pair in enumerate(zip(each[::2], each[1::2], strict=True), start=1)
    ]


GAP = 92.0
"""Between two scores. With more, exp of a float32 would lose the smaller one."""


def _at_once(rng: Rng) -> Trial:
    """A long text whose last token all others would attend to, if a finite mask let them.

    A normalization bounds what attention reads, so its weights make the scores: a key counts by
    feature 1, by which token 0, the last one, differs from all others. So does its value.
    """
    sizes, seq, n_head, dim = config(7, LONG + 20, 8, 1, 2), long(rng), 2, 4
    weights = model_weights(rng, sizes)
    table, places = weights["transformer.wte.weight"], weights["transformer.wpe.weight"]
    table *= 0.1  # beside feature 1, so that all others score alike
    places *= 0.1
    table[:, 1], places[:, 1] = [3.0] + 6 * [-3.0], 0.0
    ids = np.append(rng.integers(1, 7, seq - 1), 0)
    weight, bias = (weights[f"transformer.h.0.ln_1.{name}"] for name in ("weight", "bias"))
    x = (table[ids] + places[:seq]).astype(np.float64)
    seen = layer_norm(x, weight.astype(np.float64), bias.astype(np.float64))[:, 1]
    query, key, value = np.split(weights["transformer.h.0.attn.c_attn.weight"], 3)
    biases = np.split(weights["transformer.h.0.attn.c_attn.bias"], 3)
    first = np.arange(n_head) * dim
    query[:], biases[0][:] = 0.0, 0.0
    biases[0][first] = dim**0.5
    key[first] = 0.0
    key[first, 1] = GAP / np.ptp(seen) * np.sign(seen[-1] - seen[0])
    biases[1][first] = -key[first, 1] * np.float32(np.max(seen) + np.min(seen)) / 2
    value[:, 1] *= 60.0
    biases[2][:] -= value[:, 1] * np.float32(seen[0])
    return replace(_decoding("decode-at-once", sizes, weights, [ids[None]]), slack=SLACK)


def decoding(
    rng: Rng,
    name: str,
    sizes: Config,
    pieces: Sequence[int],
    behind: Sequence[int | None],
    *,
    batch: int = 2,
    more: bool = False,
) -> Trial:
    """A batch of random texts read in pieces of these lengths.

    ``behind`` has for each the one that it goes on from. A second piece that goes on from none
    begins otherwise than the first, and with ``more`` is of one text more.
    """
    ids = np.split(token_ids(rng, sizes, batch, sum(pieces)), np.cumsum(pieces)[:-1], axis=1)
    if behind[1] is None:
        first = np.concatenate([ids[0][:, :1], ids[0][:more, :1] + 1])
        ids[1] = (first + 1 + np.arange(pieces[1])) % int(sizes["vocab_size"])
    return _decoding(name, sizes, model_weights(rng, sizes), ids, behind)


def _decoding(
    name: str,
    sizes: Config,
    weights: dict[str, Array],
    ids: Sequence[Ids],
    behind: Sequence[int | None] = (None,),
) -> Trial:
    """Texts read piece by piece; logits and caches are compared.

    ``behind`` has for each piece the one that it goes on from; None begins a text.
    """
    calls = []
    for index, (piece, last) in enumerate(zip(ids, behind, strict=True)):
        before = () if last is None else (Ref(f"piece{last}", (1,)),)
        tokens = TensorArg(np.ascontiguousarray(piece))
        calls.append(Call(f"piece{index}", "module", "decode", (tokens, *before)))

    def expect(**knobs: object) -> dict[str, Floats]:
        found: dict[str, Floats] = {}
        caches: list[Cache] = []
        for index, (piece, last) in enumerate(zip(ids, behind, strict=True)):
            past = None if last is None else caches[last]
            try:
                logits, cache = decode(piece, weights, sizes, past, **knobs)
            except ValueError:
                if not knobs:
                    raise
                break
            caches.append(cache)
            found[f"piece{index}.0"] = logits
            for layer, (key, value) in enumerate(cache):
                found[f"piece{index}.1.{layer}.0"] = key
                found[f"piece{index}.1.{layer}.1"] = value
        return found

    make = Make("module", CLASS, (ConfigArg(dict(sizes)),))
    return Trial(Probe(name, (make, Load("loaded", "module", dict(weights)), *calls)), expect)
