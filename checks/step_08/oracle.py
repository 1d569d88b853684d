"""The residual connection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checks.shared.attention import Floats

Layer = Callable[[Floats], Floats]


def residual(x: Floats, norm: Layer, sublayer: Layer, /, **knobs: Any) -> Floats:
    """Pre-norm, x + sublayer(norm(x)). Radford et al. 2019, section 2.3."""
    others: dict[str, Callable[[], Floats]] = {
        "missing": lambda: sublayer(norm(x)),
        "post_norm": lambda: norm(x + sublayer(x)),
        "no_norm": lambda: x + sublayer(x),
        "norm_only": lambda: x + norm(x),
        "normalized_input": lambda: norm(x) + sublayer(norm(x)),
        "norm_after": lambda: x + norm(sublayer(x)),
        "twice": lambda: 2 * x + sublayer(norm(x)),
        "norm_twice": lambda: x + sublayer(norm(norm(x))),
        "sublayer_twice": lambda: x + sublayer(sublayer(norm(x))),
        "found_twice": lambda: x + 2 * sublayer(norm(x)),
        "normed_stream": lambda: norm(x) + sublayer(norm(norm(x))),
        "subtracted": lambda: x - sublayer(norm(x)),
        "subtracted_input": lambda: sublayer(norm(x)) - x,
        "multiplied": lambda: x * sublayer(norm(x)),
        "average": lambda: (x + sublayer(norm(x))) / 2,
        "input": lambda: x,
        "norm_of_sum": lambda: norm(x + sublayer(norm(x))),
    }
    return others.get(knobs.get("residual", ""), lambda: x + sublayer(norm(x)))()
