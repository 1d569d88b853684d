"""The masks of steps 02 and 04, with words beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from checks.shared.attention import Floats, causal_mask
from checks.shared.exhibits import texts
from checks.step_04 import oracle as oracles
from grader.protocol.probe import Arg, Call, DeviceArg, DTypeArg, Probe, Ref, TensorArg
from grader.rubric import Trial
from grader.rubric.exhibit import Exhibit, NoExhibit, View

USUAL = "she loves cats and dogs"
PADDING = "[pad]"


def causal(text: str | None) -> Exhibit:
    """Step 02: a text at once, and its last two words behind the others."""
    labels = texts.words(text, USUAL)
    new = min(2, len(labels))
    past = len(labels) - new
    typed: dict[str, Arg] = {"dtype": DTypeArg("float32"), "device": DeviceArg()}
    calls = (
        Call("whole", None, "causal_mask", (len(labels), 0), dict(typed)),
        Call("later", None, "causal_mask", (new, past), dict(typed)),
    )

    def expect(**knobs: Any) -> dict[str, Floats]:
        return {
            "whole": causal_mask(len(labels), 0, **knobs),
            "later": causal_mask(new, past, **knobs),
        }

    return Exhibit(
        "Causal mask",
        "A row is a token that looks. It may look where the number is 0, not where it is -∞.",
        Trial(Probe("masks", calls), expect),
        (
            View(f"causal_mask({len(labels)}, 0)", "whole", _same, labels, labels, mask=True),
            View(f"causal_mask({new}, {past})", "later", _same, labels[past:], labels, mask=True),
        ),
    )


def padding(text: str | None) -> Exhibit:
    """Step 04: a text and a shorter one in one batch."""
    labels = texts.words(text, USUAL)
    if len(labels) < 2:
        raise NoExhibit('One word leaves no room for padding. Give two or more: --text "she loves"')
    short = max(1, len(labels) - 2)
    padded = (*labels[:short], *(PADDING,) * (len(labels) - short))
    seq = len(labels)
    ids = np.arange(1, seq + 1)
    batch = np.stack([ids, np.where(ids <= short, ids, 0)])  # [batch, seq]
    hidden = causal_mask(seq)
    calls = (
        Call("padding", None, "padding_mask", (TensorArg(batch), 0)),
        Call(
            "both",
            None,
            "combine_masks",
            (TensorArg(hidden.astype(np.float32)), Ref("padding")),
        ),
    )

    def expect(**knobs: Any) -> Mapping[str, Floats]:
        mask = oracles.padding_mask(batch, 0, **knobs)
        return {"padding": mask, "both": oracles.combine_masks(hidden, mask, **knobs)}

    rows = ("text 0", "text 1")
    views = (
        View("padding_mask", "padding", lambda a: a[:, 0, 0], rows, padded, mask=True),
        *(
            View(f"Combined, text {index}", "both", pick, names, names, mask=True)
            for index, (pick, names) in enumerate(((_first, labels), (_second, padded)))
        ),
    )
    about = (
        "Two texts share a batch; the second is shorter, and padding fills it up. A token may "
        "look where the number is 0. Every number low enough to hide is drawn as -∞."
    )
    trial = Trial(Probe("masks", calls), expect, view=oracles.canonical)
    return Exhibit("Masks for padding", about, trial, views)


def _same(array: Any) -> Any:
    return array


def _first(array: Any) -> Any:
    return array[0, 0]


def _second(array: Any) -> Any:
    return array[1, 0]
