"""Whether a file is right as an answer to step 11: see :mod:`tests.graded.direct`."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tests.graded import gpt2_formulas as formulas
from tests.graded import trial_tools as tools
from tests.graded.trial_tools import Wrong

SIZES = ("vocab_size", "n_positions", "n_embd", "n_layer", "n_head")
MODELS: tuple[tuple[dict[str, Any], tuple[int, int]], ...] = tuple(
    ({**dict(zip(SIZES, sizes, strict=True)), **more}, shape)
    for sizes, more, shape in (
        ((9, 6, 4, 2, 2), {}, (2, 5)),
        ((5, 8, 9, 1, 3), {"n_inner": 9, "layer_norm_epsilon": 0.3}, (3, 1)),
        ((4, 4, 4, 2, 2), {}, (2, 2)),
        ((3, 6, 3, 3, 3), {}, (3, 3)),
        ((6, 1, 2, 1, 1), {}, (1, 1)),
        ((7, 5, 4, 3, 1), {"n_inner": 5}, (1, 4)),
        ((6, 4, 6, 4, 2), {"layer_norm_epsilon": 0.3}, (4, 2)),
        ((5, 3, 3, 13, 1), {}, (2, 3)),
        ((1, 4, 1, 2, 1), {}, (2, 3)),
        ((70_000, 3, 2, 1, 1), {}, (2, 3)),
        ((6, 4, 4, 2, 2), {"initializer_range": 0.3}, (2, 3)),
    )
)
"""Configurations, and the shape of the token ids."""


def model_weights(random: Any, fields: Mapping[str, Any]) -> dict[str, Any]:
    width = fields["n_embd"]
    shapes: dict[str, tuple[int, ...]] = {
        "wte.weight": (fields["vocab_size"], width),
        "wpe.weight": (fields["n_positions"], width),
    }
    for index in range(fields["n_layer"]):
        block = tools.block_shapes(width, fields.get("n_inner", 4 * width))
        shapes |= {f"h.{index}.{name}": shape for name, shape in block.items()}
    shapes |= {"ln_f.weight": (width,), "ln_f.bias": (width,)}
    weights = tools.weights(random, shapes)
    weights["wte.weight"] *= 1.5
    return {f"transformer.{name}": array for name, array in weights.items()}


def token_ids(random: Any, fields: Mapping[str, Any], size: tuple[int, int]) -> Any:
    return random.integers(0, fields["vocab_size"], size)


def logits_of(ids: Any, weights: Any, fields: Mapping[str, Any]) -> Any:
    eps = fields.get("layer_norm_epsilon", 1e-5)
    return formulas.logits(ids, weights, fields["n_layer"], fields["n_head"], eps)


def trial(module: types.ModuleType) -> Iterator[float]:
    from solutions.solution_01 import GPT2Config

    random = tools.generator(111)
    _loader(module)
    for fields, size in MODELS:
        weights = model_weights(random, fields)
        ids = token_ids(random, fields, size)
        want = logits_of(ids, weights, fields)
        model = tools.loaded(module.GPT2LMHeadModel, weights, GPT2Config(**fields))
        tools.loaded(module.GPT2LMHeadModel, tools.turned(weights), GPT2Config(**fields))
        yield tools.off(tools.call(model, ids), want, "logits")
        for _ in range(2):
            ids = token_ids(random, fields, size).astype("int32")
            want = logits_of(ids, weights, fields)
            yield tools.off(tools.call(model, ids), want, "logits of a later call")
        others = model_weights(random, fields)
        found = module.convert_checkpoint(model, _stored(others, prefix=True))
        yield tools.off(tools.call(model, ids), want, "logits after a conversion")
        model.load_state_dict(found)
        yield tools.off(
            tools.call(model, ids), logits_of(ids, others, fields), "logits of other weights"
        )
        for prefix in (True, False):
            stored = _stored(weights, prefix=prefix)
            if not prefix:
                stored = {name: stored[name] for name in sorted(stored)}
                stored["h.0.attn.bias"] = random.normal(0, 1, (1, 1, 4, 4))
                stored["lm_head.weight"] = weights["transformer.wte.weight"]
            if prefix:
                stored = {"lm_head.weight": weights["transformer.wte.weight"], **stored}
            model = tools.created(module.GPT2LMHeadModel, GPT2Config(**fields))
            given = dict(stored)
            model.load_state_dict(module.convert_checkpoint(model, given))
            if list(given) != list(stored):
                raise Wrong("the checkpoint is changed")
            yield tools.off(
                tools.call(model, ids), want, f"logits of a checkpoint, prefix {prefix}"
            )
        _halves(module, GPT2Config(**fields), _stored(weights, prefix=True))
        _refusals(module, GPT2Config(**fields), _stored(weights, prefix=True))


def _stored(weights: Mapping[str, Any], *, prefix: bool) -> dict[str, Any]:
    turned = {"c_attn", "c_proj", "c_fc"}
    return {
        name if prefix else name.removeprefix("transformer."): (
            np.ascontiguousarray(array.T)
            if array.ndim == 2 and turned & set(name.split("."))
            else array
        )
        for name, array in weights.items()
    }


def _halves(module: types.ModuleType, config: Any, stored: dict[str, Any]) -> None:
    """A checkpoint of float16 or float64 numbers loads as well."""
    for kind in (np.float16, np.float64):
        other = {name: array.astype(kind) for name, array in stored.items()}
        model = tools.created(module.GPT2LMHeadModel, config)
        model.load_state_dict(module.convert_checkpoint(model, other))


def _loader(module: types.ModuleType) -> None:
    """``load_gpt2``, where there is one, returns what it has read."""
    from gpt2.checkpoint import read_checkpoint
    from grader.base.course import ROOT

    if not hasattr(module, "load_gpt2"):
        return
    model = module.load_gpt2(ROOT / "gpt2" / "tiny")
    wanted = module.convert_checkpoint(model, read_checkpoint(ROOT / "gpt2" / "tiny")[1])
    for name, parameter in model.parameters:
        if not np.array_equal(parameter.to_numpy(), wanted[name]):
            raise Wrong(f"load_gpt2 does not load {name}")


def _refusals(module: types.ModuleType, config: Any, stored: dict[str, Any]) -> None:
    """Each kind of bad checkpoint raises an error that names all that is wrong."""
    names = ["transformer.ln_f.weight", "transformer.h.0.mlp.c_fc.bias"]
    others = ["transformer.h.77.x", "transformer.x.weight", "transformer.h.0.mlp.bias"]
    others.append("transformer.h.0.crossattention.c_attn.bias")
    kept = {name: array for name, array in stored.items() if name not in names}
    table = "transformer.wpe.weight"
    tables = {"lm_head.weight" if "wte" in name else name: a for name, a in stored.items()}
    model = tools.created(module.GPT2LMHeadModel, config)
    turned = stored["transformer.wte.weight"][::-1] + 1
    plain = {name.removeprefix("transformer."): array for name, array in stored.items()}
    for kind, checkpoint, wanted in (
        ("empty", {}, [name for name, _ in model.parameters]),
        ("head's", tables, ["wte.weight"]),
        ("other head's", {**stored, "lm_head.bias": stored[names[0]]}, ["lm_head.bias"]),
        ("another head's", {**stored, "lm_head.weight": turned}, ["lm_head.weight"]),
        ("another head's, plain", {**plain, "lm_head.weight": turned}, ["lm_head.weight"]),
        ("doubly prefixed", {**stored, f"transformer.{table}": stored[table]}, ["wpe.weight"]),
        ("score's", {**stored, "score.weight": stored[names[0]]}, ["score.weight"]),
    ):
        _refused(module, model, kind, checkpoint, wanted)
    bad = {
        "missing": kept,
        "unexpected": {**stored, **dict.fromkeys(others, stored[names[0]])},
        "missing and unexpected": {**kept, **dict.fromkeys(others, stored[names[0]])},
        "turned": {**stored, table: np.ascontiguousarray(stored[table].T)},
        "shape": {**stored, **{name: np.repeat(stored[name], 2) for name in names}},
        "long": {**stored, **{name: stored[name][:, None] for name in names}},
        "wrapped": {**stored, **{name: stored[name][None, None] for name in names}},
        "single": {**stored, **{name: stored[name][:1] for name in names}},
        "no number's": {**stored, others[1]: np.array(1.0, np.float32)},
    }
    if len(set(stored[table].shape)) == 1:
        del bad["turned"]
    if any(stored[name].shape == (1,) for name in names):
        del bad["single"]
    for kind, checkpoint in bad.items():
        if kind == "no number's":
            _refused(module, model, kind, checkpoint, [others[1][12:]])
            continue
        wanted = [name[12:] for name in names if kind != "unexpected"]
        wanted = wanted + [name[12:] for name in others] if "unexpected" in kind else wanted
        _refused(module, model, kind, checkpoint, ["wpe"] if kind == "turned" else wanted)


def _refused(
    module: types.ModuleType, model: Any, kind: str, checkpoint: Any, wanted: Sequence[str]
) -> None:
    try:
        module.convert_checkpoint(model, checkpoint)
    except Exception as error:
        kinds = {one.__name__ for one in type(error).__mro__}
        if not {"CheckpointError", "ValueError"} <= kinds:
            raise Wrong(f"the error on {kind} tensors is a {type(error).__name__}") from error
        if not all(name in str(error) for name in wanted):
            raise Wrong(f"the error on {kind} tensors does not name them: {error}") from error
        fine = [name for name, _ in model.parameters if not any(one in name for one in wanted)]
        if "head" not in kind and any(name in str(error) for name in fine):
            raise Wrong(f"the error on {kind} tensors names others too: {error}") from error
    else:
        raise Wrong(f"{kind} tensors are accepted")
