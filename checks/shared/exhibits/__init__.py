"""What ``show`` draws of each step."""

from __future__ import annotations

from checks.shared.exhibits.attention import (
    block,
    dot_product,
    every_option,
    gpt2,
    gpt2_again,
    rotary,
)
from checks.shared.exhibits.masks import causal, padding
from checks.shared.exhibits.model import whole, with_cache
from grader.rubric.exhibit import ByStep

EXHIBITS: ByStep = {
    "s02": causal,
    "s03": dot_product,
    "s04": padding,
    "s05": gpt2,
    "s06": rotary,
    "s07": gpt2_again,
    "s09": block,
    "s10": every_option,
    "s11": whole,
    "s12": with_cache,
}
"""By step. Steps that are not here have no attention and no mask to draw."""
