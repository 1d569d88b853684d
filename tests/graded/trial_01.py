"""Whether a file is right as an answer to step 01: see :mod:`tests.graded.direct`."""

from __future__ import annotations

import itertools
import math
import types
from collections.abc import Iterator
from typing import Any

from tests.graded.trial_tools import Wrong

DEFAULTS: dict[str, object] = {
    "vocab_size": 50257,
    "n_positions": 1024,
    "n_embd": 768,
    "n_layer": 12,
    "n_head": 12,
    "n_inner": None,
    "activation_function": "gelu_new",
    "resid_pdrop": 0.1,
    "embd_pdrop": 0.1,
    "attn_pdrop": 0.1,
    "layer_norm_epsilon": 1e-5,
    "initializer_range": 0.02,
    "bos_token_id": 50256,
    "eos_token_id": 50256,
    "tie_word_embeddings": True,
}

READ_LATER = (
    "vocab_size",
    "n_positions",
    "n_embd",
    "n_layer",
    "n_head",
    "n_inner",
    "layer_norm_epsilon",
)
"""The fields that later steps read. The others may be missing."""

OTHERS: dict[str, tuple[Any, ...]] = {
    "vocab_size": (99, 128_256),
    "n_positions": (8, 131_072),
    "n_embd": (24, 960, 1536),
    "n_layer": (2, 64),
    "n_head": (1, 6),
    "n_inner": (1, 8192),
    "layer_norm_epsilon": (1e-12, 0.5),
    "activation_function": ("relu",),
    "resid_pdrop": (0.4, 0.0),
    "embd_pdrop": (0.0,),
    "attn_pdrop": (0.125, 0.0),
    "initializer_range": (0.3, 0.0),
    "bos_token_id": (3,),
    "eos_token_id": (1,),
    "tie_word_embeddings": (False,),
}


def trial(module: types.ModuleType) -> Iterator[float]:
    fresh = module.GPT2Config()
    for name, value in DEFAULTS.items():
        if name not in READ_LATER and not hasattr(fresh, name):
            continue
        have = getattr(fresh, name)
        if type(have) is not type(value) or not (have == value or _near(have, value)):
            raise Wrong(f"{name} is {have!r}")
    made = [(given, module.GPT2Config(**given)) for given in _given(fresh)]
    for given, other in made:  # all of them exist by now
        for name in DEFAULTS:
            if not hasattr(fresh, name):
                continue
            have, want = getattr(other, name), given.get(name, getattr(fresh, name))
            if have != want:
                raise Wrong(f"{name} is {have!r} after GPT2Config(**{given})")
    _in_order(module, fresh)
    yield 0.0


def _in_order(module: types.ModuleType, fresh: Any) -> None:
    """What is given without a name arrives in the fields in their order, or is refused."""
    for count in (6, len(DEFAULTS)):
        values = {name: OTHERS[name][0] for name in list(DEFAULTS)[:count]}
        if not all(hasattr(fresh, name) for name in values):
            continue
        try:
            other = module.GPT2Config(*values.values())
        except TypeError:
            continue
        for name, value in values.items():
            if getattr(other, name) != value:
                raise Wrong(f"{name} is {getattr(other, name)!r} where it is the place of {value}")


def _given(fresh: Any) -> Iterator[dict[str, Any]]:
    """What is set by name: one field, two that later steps read, and all of those, equal."""
    for name, values in OTHERS.items():
        yield from ({name: value} for value in values if hasattr(fresh, name))
    for a, b in itertools.combinations(READ_LATER, 2):
        yield from ({a: x, b: y} for x in OTHERS[a] for y in OTHERS[b])
    for size in (1, 6):
        yield {**dict.fromkeys(READ_LATER, size), "layer_norm_epsilon": 1e-3}
    yield {"n_embd": 1600, "n_head": 25, "n_layer": 48}


def _near(have: object, value: object) -> bool:
    return isinstance(have, float) and isinstance(value, float) and math.isclose(have, value)
