"""Trials of ``causal_mask``, for the steps that define one."""

from __future__ import annotations

from dataclasses import replace

from checks.shared import attention as oracles
from checks.shared.random_inputs import Rng, long
from grader.rubric import Arg, Call, DeviceArg, DimArg, DTypeArg, Probe, Trial, in_turn

POSITIONS = 1024
"""The positions of GPT-2: a mask sliced from a table of this size is right."""


def mask_trials(rng: Rng) -> list[Trial]:
    """Make trials of ``causal_mask`` of several lengths, without and then with earlier tokens.

    Those named after a type request that element type; ``square-dims`` and ``later-dims`` pass
    dimensions of a tensor's shape, as step 05 does.
    """
    lengths = [(4, 0), (1, 0), (POSITIONS, 0), (2, 0)]
    later = [(3, int(rng.integers(4, 7))), (5, 2), (1, 6), (3, 3), (2, 1), (1, 1)]
    later += [(2, POSITIONS - 2), (long(rng), 7)]
    return [
        *(_mask(f"square-{i}", *pair) for i, pair in enumerate(lengths, start=1)),
        _mask("square-float64", 3, 0, dtype="float64"),
        _mask("square-float64-long", long(rng), 0, dtype="float64"),
        _mask("later-float64", 2, 3, dtype="float64"),
        _mask("later-float64-equal", 3, 3, dtype="float64"),
        _mask("later-float64-one", 2, 1, dtype="float64"),
        _mask("later-float64-row", 1, 2, dtype="float64"),
        _mask("square-float16", 3, 0, dtype="float16"),
        _mask("later-float16", 2, 3, dtype="float16"),
        *(_mask(f"later-{i}", *pair) for i, pair in enumerate(later, start=1)),
        _again(),
        _mask("square-dims", 4, 0, dims=(True, True)),
        _mixed(),
    ]


def _again() -> Trial:
    """Request masks of three sizes in turn, two of the same length, then all of them again."""
    lengths = [(3, 4), (3, 1), (2, 5)] * 2
    calls = {f"call{index}": _mask("", *size) for index, size in enumerate(lengths)}
    return in_turn("later-again", calls)


def _mixed() -> Trial:
    """Pass dimensions for both lengths, and for only one, with a plain int as the other."""
    kinds = ((True, True), (True, False), (False, True))
    calls = {f"call{index}": _mask("", 3, 2, dims=dims) for index, dims in enumerate(kinds)}
    return in_turn("later-dims", calls)


def mask_parts() -> list[Trial]:
    """Make trials that call a layer's own ``causal_mask`` alone.

    First for a whole text, then with earlier tokens, in another element type and with dimensions.
    """
    made = [
        _mask("mask", 5, 0),
        _mask("mask-later", 2, 3),
        _mask("mask-float64", 1, 2, dtype="float64"),
        _mask("mask-dims", 3, 1, dims=(True, True)),
    ]
    return [replace(one, part=True) for one in made]


def _mask(
    name: str,
    seq: int,
    tokens: int,
    *,
    dtype: str = "float32",
    dims: tuple[bool, bool] = (False, False),
) -> Trial:
    kwargs: dict[str, Arg] = {"dtype": DTypeArg(dtype), "device": DeviceArg()}
    pairs = zip((seq, tokens), dims, strict=True)
    given = tuple(DimArg(length) if is_dim else length for length, is_dim in pairs)
    return Trial(
        Probe(name, (Call("out", None, "causal_mask", given, kwargs),)),
        lambda **knobs: {"out": oracles.causal_mask(seq, tokens, **knobs)},
    )
