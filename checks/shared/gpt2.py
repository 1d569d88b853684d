"""GPT-2 from token ids to logits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from checks.shared.attention import Floats, softmax
from checks.shared.block import Weights, block, part
from checks.shared.layer_norm import layer_norm

Ids = npt.NDArray[np.int64]


def gpt2_hidden(ids: Ids, weights: Weights, config: Mapping[str, Any], **knobs: Any) -> Floats:
    """Compute GPT-2 up to its last normalization: ``[batch, seq]`` → ``[batch, seq, n_embd]``.

    ``weights`` has Hugging Face's names, Linear weights as ``[out, in]``. Radford et al. 2019.
    """
    w = part(weights, "transformer.")
    x = _embedded(ids, w, **knobs)
    layers = [part(w, f"h.{index}.") for index in range(config["n_layer"])]
    layers = {
        "reversed": layers[::-1],
        "first_only": layers[:1],
        "first_repeated": layers[:1] * len(layers),
        "last_repeated": layers[-1:] * len(layers),
        "without_first": layers[1:],
        "without_last": layers[:-1],
        "none": [],
    }.get(knobs.get("layers", ""), layers)
    eps = config.get("layer_norm_epsilon", 1e-5)
    if knobs.get("ln_f") in ("first", "also_first"):
        x = layer_norm(x, w["ln_f.weight"], w["ln_f.bias"], eps)
    for layer in layers:
        found = block(x, layer, config["n_head"], eps)
        x = x + found if knobs.get("layers") == "residual" else found
        if knobs.get("ln_f") == "each":
            x = layer_norm(x, w["ln_f.weight"], w["ln_f.bias"], eps)
    if knobs.get("ln_f") in ("missing", "first"):
        return x
    eps = 1e-5 if knobs.get("ln_f") == "eps" else eps
    final = layer_norm(x, w["ln_f.weight"], w["ln_f.bias"], eps)
    if knobs.get("ln_f") == "twice":
        return layer_norm(final, w["ln_f.weight"], w["ln_f.bias"], eps)
    return final


def _embedded(ids: Ids, w: Mapping[str, Floats], **knobs: Any) -> Floats:
    """Return token plus position vectors, or what the knob ``embed`` makes of them."""
    wte, wpe = w["wte.weight"], w["wpe.weight"]
    kind = knobs.get("embed")
    order = np.arange(ids.shape[-1])
    if kind is None:
        return np.asarray(wte[ids] + wpe[order])
    places = {
        "from_one": order + 1,
        "same_position": order * 0,
        "last_position": order * 0 + ids.shape[-1] - 1,
        "reversed": order[::-1],
        "doubled": order * 2,
        "ids": ids,
    }.get(kind, order)
    if kind == "tables_swapped":
        return np.asarray(wpe[ids] + wte[places])
    tokens, positions = wte[ids], np.broadcast_to(wpe[places], (*ids.shape, wpe.shape[-1]))
    others: dict[str, Floats] = {
        "no_positions": tokens,
        "only_positions": positions,
        "multiplied": tokens * positions,
        "scaled": tokens * wte.shape[-1] ** 0.5 + positions,
    }
    return others.get(kind, np.asarray(tokens + positions))


def gpt2_logits(ids: Ids, weights: Weights, config: Mapping[str, Any], **knobs: Any) -> Floats:
    """Compute GPT-2's logits: ``[batch, seq]`` → ``[batch, seq, vocab_size]``."""
    hidden = gpt2_hidden(ids, weights, config, **knobs)
    table = weights["transformer.wte.weight"].astype(np.float64, copy=False)
    logits = np.asarray(hidden @ table.T)
    match knobs.get("head"):
        case "softmax":
            return softmax(logits)
        case "log_softmax":
            return np.log(softmax(logits))
        case "scaled":
            return np.asarray(logits * hidden.shape[-1] ** -0.5)
        case "hidden":
            return hidden
        case "last":
            return logits[:, -1:]
        case "positions":
            return np.asarray(hidden @ weights["transformer.wpe.weight"].astype(np.float64).T)
    return logits
