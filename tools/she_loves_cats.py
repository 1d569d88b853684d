"""Makes the numbers of step 03's example: ``python -m tools.she_loves_cats``.

A small attention layer with PyTorch's random weights of seed 42, once on random vectors and once
on the words of "She loves cats". PyTorch draws them; this stores them in ``steps/data``, so that
the lesson and its check need no PyTorch.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "steps" / "data" / "she_loves_cats.json"

VOCABULARY = ("she", "loves", "cats", "dogs")
EMBED_SIZE, NUM_HEADS, SEED = 8, 2, 42


def make() -> dict[str, Any]:
    """Both experiments: their input ``x`` ``[seq, embed_size]`` and the layer's parameters."""
    import torch

    torch.manual_seed(SEED)
    random = torch.rand(1, 3, EMBED_SIZE)[0]
    first = {"x": _plain(random), "layer": _layer()}

    torch.manual_seed(SEED)
    embedding = torch.nn.Embedding(len(VOCABULARY), EMBED_SIZE)
    words = embedding(torch.tensor([0, 1, 2]))
    second = {"x": _plain(words), "layer": _layer()}
    return {
        "source": "PyTorch, torch.manual_seed(42); made by tools/she_loves_cats.py",
        "embed_size": EMBED_SIZE,
        "num_heads": NUM_HEADS,
        "random vectors": first,
        "she loves cats": {"words": list(VOCABULARY[:3]), **second},
    }


def _layer() -> dict[str, Any]:
    """Weights and biases of four fresh linear layers, drawn in this order."""
    import torch

    parameters = {}
    for name in ("W_q", "W_k", "W_v", "W_o"):
        linear = torch.nn.Linear(EMBED_SIZE, EMBED_SIZE)
        parameters[f"{name}.weight"] = _plain(linear.weight)
        parameters[f"{name}.bias"] = _plain(linear.bias)
    return parameters


def _plain(tensor: Any) -> Any:
    """A tensor as lists of the shortest numbers that round-trip to the same float32."""
    array = tensor.detach().numpy()
    if array.ndim > 1:
        return [_plain(row) for row in tensor]
    return [float(str(number)) for number in array]


def text(made: dict[str, Any]) -> str:
    """The file: one line per row of numbers."""
    indented = json.dumps(made, indent=1)
    rows = re.sub(r"\[([-\d.,e\s]*)\]", lambda row: f"[{' '.join(row[1].split())}]", indented)
    return rows + "\n"


if __name__ == "__main__":
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(text(make()), encoding="utf-8")
    print(f"Wrote {TARGET.relative_to(ROOT)}.")
