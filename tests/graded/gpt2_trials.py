"""Whether a file is right as an answer to step 09, 10, 11 or 12: see :mod:`tests.graded.direct`.

``python -m tests.graded.gpt2_trials s09 FILE…`` prints one line a file.

Longer than 300 lines, because it has the independent trials of four steps.
"""

from __future__ import annotations

import itertools
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.graded import direct
from tests.graded.direct import Wrong, _off, _read
from tests.graded.other_trials import _call, _random, _tensor


def _weights(random: Any, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Any]:
    """Numbers of order 1 for each shape; norms lie around 1."""
    import numpy as np

    found = {}
    for name, shape in shapes.items():
        spread = 1.4 / shape[-1] ** 0.5 if len(shape) == 2 else 0.5
        middle = 1.0 if ".ln_" in f".{name}" and name.endswith("weight") else 0.0
        found[name] = random.normal(middle, spread, shape).astype(np.float32)
    return found


def _mlp_shapes(width: int, inner: int) -> dict[str, tuple[int, ...]]:
    return {
        "c_fc.weight": (inner, width),
        "c_fc.bias": (inner,),
        "c_proj.weight": (width, inner),
        "c_proj.bias": (width,),
    }


def _block_shapes(width: int, inner: int) -> dict[str, tuple[int, ...]]:
    attn = {
        "c_attn.weight": (3 * width, width),
        "c_attn.bias": (3 * width,),
        "c_proj.weight": (width, width),
        "c_proj.bias": (width,),
    }
    norm: dict[str, tuple[int, ...]] = {"weight": (width,), "bias": (width,)}
    mlp = _mlp_shapes(width, inner)
    parts: dict[str, dict[str, tuple[int, ...]]]
    parts = {"ln_1": norm, "attn": attn, "ln_2": norm, "mlp": mlp}
    return {f"{part}.{name}": shape for part in parts for name, shape in parts[part].items()}


def _made(cls: Any, weights: Mapping[str, Any], *args: Any, **more: Any) -> Any:
    """An object of ``cls`` with these weights, loaded strictly."""
    made = _new(cls, *args, **more)
    made.load_state_dict({name: array.copy() for name, array in weights.items()})
    return made


def _turned(weights: Mapping[str, Any]) -> dict[str, Any]:
    """Other weights of the same shapes."""
    return {name: array[::-1].copy() for name, array in weights.items()}


def _new(cls: Any, *args: Any, **more: Any) -> Any:
    """An object of ``cls``; its first weights are never computed."""
    from max.experimental import functional as F

    with F.lazy():
        return cls(*args, **more)


# ---- step 09 -------------------------------------------------------------------------------

BLOCKS: tuple[tuple[dict[str, Any], tuple[int, int]], ...] = (
    ({"n_embd": 15, "n_head": 3}, (2, 4)),
    ({"n_embd": 8, "n_head": 4, "n_inner": 5}, (3, 6)),
    ({"n_embd": 6, "n_head": 2, "layer_norm_epsilon": 0.2}, (1, 1)),
    ({"n_embd": 4, "n_head": 2, "layer_norm_epsilon": 0.2}, (2, 2)),
    ({"n_embd": 3, "n_head": 3, "n_inner": 3}, (3, 1)),
    ({"n_embd": 9, "n_head": 3}, (2, 3)),
    ({"n_embd": 4, "n_head": 1, "n_inner": 7}, (4, 1)),
    ({"n_embd": 8, "n_head": 2, "n_inner": 20, "layer_norm_epsilon": 0.4}, (4, 5)),
    ({"n_embd": 5, "n_head": 1}, (1, 5)),
    ({"n_embd": 4, "n_head": 2, "n_inner": 40}, (2, 3)),
    ({"n_embd": 6, "n_head": 3, "n_layer": 3, "initializer_range": 0.3}, (2, 4)),
)


def _blocks(module: types.ModuleType) -> float:
    import numpy as np

    from solutions.solution_01 import GPT2Config
    from tests.graded import gpt2_formulas as formulas

    random, worst = _random(91), 0.0
    for width, inner, shape in (
        (6, 9, (4,)),
        (4, 17, (2, 3)),
        (10, 30, (1, 2, 2)),
        (4, 4, (4,)),
        (5, 2, (5, 1)),
        (1, 6, (6, 2)),
        (3, 1, (1, 4)),
        (2, 8, (3,)),
        (7, 28, (2, 1, 3)),
        (6, 90, (3,)),
        (2, 3072, (2,)),
        (6, 12, ()),
        (2, 4, (1, 200)),
    ):
        weights = _weights(random, _mlp_shapes(width, inner))
        weights["c_fc.bias"] = weights["c_fc.bias"] - 1.5
        config = GPT2Config(n_embd=width, n_head=2, n_inner=inner + 1)  # the argument counts
        layer = _made(module.GPT2MLP, weights, inner, config)
        _made(module.GPT2MLP, _turned(weights), inner, GPT2Config(n_embd=width, n_head=2))
        w = {name: array.astype(np.float64) for name, array in weights.items()}
        for _ in range(3):
            x = random.normal(0, 1, (*shape, width)).astype(np.float32)
            want = formulas.rows(x.astype(np.float64), lambda v, w=w: formulas.feed(v, w))
            worst = max(worst, _off(_read(_call(layer, _tensor(x)), "GPT2MLP"), want, "GPT2MLP"))
        far = x * np.float32(1000)
        want = formulas.rows(far.astype(np.float64), lambda v, w=w: formulas.feed(v, w))
        worst = max(worst, _off(_read(_call(layer, _tensor(far)), "GPT2MLP"), want, "far numbers"))
    for fields, size in BLOCKS:
        width = fields["n_embd"]
        weights = _weights(random, _block_shapes(width, fields.get("n_inner", 4 * width)))
        config = GPT2Config(**fields)
        layer = _made(module.GPT2Block, weights, config)
        _made(module.GPT2Block, _turned(weights), config)  # of the same size
        if config != GPT2Config(**fields):
            raise Wrong("the configuration is changed")
        eps = fields.get("layer_norm_epsilon", 1e-5)
        for _ in range(3):
            x = random.normal(0.4, 1.5, (*size, width)).astype(np.float32)
            want = formulas.block(x.astype(np.float64), weights, fields["n_head"], eps)
            have = _read(_call(layer, _tensor(x)), "GPT2Block")
            worst = max(worst, _off(have, want, f"GPT2Block({fields})"))
        x[..., -1, :2] += [300, -300]
        want = formulas.block(x.astype(np.float64), weights, fields["n_head"], eps)
        have = _read(_call(layer, _tensor(x)), "GPT2Block")
        worst = max(worst, _off(have, want, f"GPT2Block({fields}), far numbers"))
    return worst


# ---- step 10 -------------------------------------------------------------------------------

OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"bias": False, "dropout": 0.0},
    {"attention_scale": 0.7, "dropout": 0.6},
    {"attention_scale": 0.0},
    {"attention_scale": -0.4},
    {"attention_scale": 2},
    {"add_zero_attn": True},
    {"use_rotary": True},
    {"use_rotary": True, "add_zero_attn": True, "attention_scale": 0.9},
)


def _attention(module: types.ModuleType) -> float:
    import numpy as np

    random, worst = _random(101), 0.0
    for options in OPTIONS:
        heads, dim, batch, seq = 3, 4, 2, 6
        width = heads * dim
        shapes: dict[str, tuple[int, ...]] = {
            "qkv_proj.weight": (3 * width, width),
            "out_proj.weight": (width, width),
        }
        if options.get("bias", True):
            shapes |= {"qkv_proj.bias": (3 * width,), "out_proj.bias": (width,)}
        weights = _weights(random, shapes)
        layer = _made(module.MultiHeadAttention, weights, width, heads, **options)
        _made(module.MultiHeadAttention, _turned(weights), width, heads, **options)
        x = random.normal(0, 1, (batch, seq, width)).astype(np.float32)
        bias = random.normal(0, 1, (batch, heads, seq, seq)).astype(np.float32)
        bias += np.where(np.arange(seq) % 2, 55, -55).astype(np.float32)[:, None]
        hidden = np.where(random.random((batch, 1, 1, seq)) < 0.4, -np.inf, 0).astype(np.float32)
        hidden[..., 0] = 0
        causal = np.triu(np.full((seq, seq), -np.inf, np.float32), 1)
        for more in (
            {},
            {"position_bias": bias},
            {"attention_mask": hidden},
            {"position_bias": bias, "attention_mask": causal},
            {"attention_mask": np.ascontiguousarray(hidden[0, 0])},
            {"attention_mask": bias[0]},
        ):
            worst = max(worst, _whole(layer, x, weights, heads, options, more))
        worst = max(worst, _pieces(layer, x, weights, heads, options, causal, bias))
    placed = module.MultiHeadAttention(8, 2, 0.3, False, True, True, 0.5)
    named = {"bias": False, "add_zero_attn": True, "use_rotary": True, "attention_scale": 0.5}
    weights = _weights(random, {"qkv_proj.weight": (24, 8), "out_proj.weight": (8, 8)})
    placed.load_state_dict({name: array.copy() for name, array in weights.items()})
    few = random.normal(0, 1, (2, 3, 8)).astype(np.float32)
    worst = max(worst, _whole(placed, few, weights, 2, named, {}))
    for options in ({}, {"use_rotary": True}, {"attention_scale": 0.5}, {"add_zero_attn": True}):
        layer, weights = _drawn(module, random, 2, 4, options)
        long = random.normal(0, 1, (1, 300, 8)).astype(np.float32)
        worst = max(worst, _whole(layer, long, weights, 2, options, {}))
    _hidden_for_sure(module, random)
    worst = max(worst, _every_option(module, random), _last_position(module, random))
    return max(worst, _biases(module, random))


def _biases(module: types.ModuleType, random: Any) -> float:
    """A bias that hides a key beside the zero, and one of a single column after a past."""
    import numpy as np

    from tests.graded import gpt2_formulas as formulas

    options: dict[str, Any] = {"add_zero_attn": True}
    layer, weights = _drawn(module, random, 2, 4, options)
    x = random.normal(0, 1, (2, 5, 8)).astype(np.float32)
    bias = random.normal(0, 1, (2, 5, 5)).astype(np.float32)
    bias[1, 2, 0] = -np.inf
    worst = _whole(layer, x, weights, 2, options, {"position_bias": bias})
    options = {"use_rotary": True}
    layer, weights = _drawn(module, random, 2, 4, options)
    _, cache = _call_pair(layer, np.ascontiguousarray(x[:, :3]), {"use_cache": True})
    more = {"past_key_value": cache, "position_bias": _tensor(bias[:, :1, 1:2])}
    have, _ = _call_pair(layer, np.ascontiguousarray(x[:, 3:]), more)
    w = {name: array.astype(np.float64) for name, array in weights.items()}
    nothing = np.zeros((2, 2, 5, 5))
    want, _, _ = formulas.attention(x.astype(np.float64), w, 2, nothing, **_told(options))
    return max(worst, _off(_read(have, "y"), want[:, 3:], "a bias of one column after a past"))


def _hidden_for_sure(module: types.ModuleType, random: Any) -> None:
    """What a mask hides has no weight, however large its score and its value are."""
    import numpy as np

    layer, weights = _drawn(module, random, 2, 4, {})
    weights["qkv_proj.weight"][:16], weights["qkv_proj.bias"][:16] = 0.0, 0.0  # scores are 0
    layer.load_state_dict({name: array.copy() for name, array in weights.items()})
    x = random.normal(0, 1, (1, 5, 8)).astype(np.float32)
    causal = np.triu(np.full((5, 5), -np.inf, np.float32), 1)
    bias = np.where(causal < 0, np.float32(40), np.float32(-85))[None, None]
    bias[..., 2:, 2] = -300  # a score that is not clipped leaves no weight either
    more = {"attention_mask": _tensor(causal), "position_bias": _tensor(bias)}
    plain, _ = _call_pair(layer, x, more)
    x[:, 2] *= 1e30
    x[:, -1] *= 1e9
    other, _ = _call_pair(layer, x, more)
    _off(_read(other, "y")[:, :-1], _read(plain, "y")[:, :-1], "what a mask hides")


def _last_position(module: types.ModuleType, random: Any) -> float:
    """The last of 2048 tokens, alone after a cache of all others."""
    import numpy as np

    from tests.graded import gpt2_formulas as formulas

    layer, weights = _drawn(module, random, 1, 4, {"use_rotary": True})
    x = random.normal(0, 2, (1, 2048, 4)).astype(np.float32)
    _, cache = _call_pair(layer, np.ascontiguousarray(x[:, :-1]), {"use_cache": True})
    have, _ = _call_pair(layer, np.ascontiguousarray(x[:, -1:]), {"past_key_value": cache})
    w = {name: array.astype(np.float64) for name, array in weights.items()}
    fused = x[0].astype(np.float64) @ w["qkv_proj.weight"].T + w["qkv_proj.bias"]
    query, keys, values = np.split(fused, 3, axis=-1)
    turned = np.array([formulas.turned(key, place) for place, key in enumerate(keys)])
    last = formulas.turned(query[-1], 2047)
    found = formulas.one_query(last, turned, values, 0.5, np.zeros(2048), False)
    want = found @ w["out_proj.weight"].T + w["out_proj.bias"]
    return _off(_read(have, "the last position")[0, 0], want, "the last position")


PIECES = (
    # heads, width of a head, batch, tokens before, new tokens
    (2, 2, 2, 2, 2),
    (3, 4, 3, 1, 2),
    (4, 4, 2, 3, 1),
    (1, 4, 3, 2, 3),
    (2, 1, 2, 1, 4),
    (3, 2, 1, 3, 2),
    (5, 2, 5, 5, 1),
    (2, 6, 4, 6, 3),
    (2, 4, 3, 1, 1),
    (2, 2, 3, 4, 4),
)


def _every_option(module: types.ModuleType, random: Any) -> float:
    """Half of the choices of four options for each of these sizes, with the cache."""
    worst = 0.0
    for number, sizes in enumerate(PIECES):
        for index, chosen in enumerate(itertools.product((False, True), repeat=4)):
            bias, scale, zero, rotary = chosen
            if (rotary and sizes[1] == 1) or (sum(chosen) + number) % 2:
                continue
            options: dict[str, Any] = {"bias": bias, "add_zero_attn": zero}
            options["use_rotary"] = rotary
            options |= {"attention_scale": 0.6} if scale else {}
            worst = max(worst, _two_pieces(module, random, sizes, options, index + number))
    return worst


def _drawn(module: types.ModuleType, random: Any, heads: int, dim: int, options: Any) -> Any:
    """A layer with these options, and its weights."""
    width = heads * dim
    shapes: dict[str, tuple[int, ...]] = {
        "qkv_proj.weight": (3 * width, width),
        "out_proj.weight": (width, width),
    }
    if options.get("bias", True):
        shapes |= {"qkv_proj.bias": (3 * width,), "out_proj.bias": (width,)}
    weights = _weights(random, shapes)
    return _made(module.MultiHeadAttention, weights, width, heads, **options), weights


def _two_pieces(
    module: types.ModuleType, random: Any, sizes: Any, options: Any, index: int
) -> float:
    """A text, what follows it, and both again; masks and biases now here and now there."""
    import numpy as np

    from tests.graded import gpt2_formulas as formulas

    heads, dim, batch, before, new = sizes
    layer, weights = _drawn(module, random, heads, dim, options)
    w = {name: array.astype(np.float64) for name, array in weights.items()}
    total, worst = before + new, 0.0
    for turn in range(2):
        if turn:  # other weights
            weights = {name: array[::-1].copy() for name, array in weights.items()}
            layer.load_state_dict({name: array.copy() for name, array in weights.items()})
            w = {name: array.astype(np.float64) for name, array in weights.items()}
        x = random.normal(0, 1, (batch, total, heads * dim)).astype(np.float32)
        cache = None
        added = np.zeros((batch, heads, total, total))
        added[:, :, :before, before:] = -np.inf
        for begin, end in ((0, before), (before, total)):
            more: dict[str, Any] = {"past_key_value": cache, "use_cache": True}
            kind = index + turn + (begin > 0)
            if kind % 2:
                new = end - begin
                shapes = ((new, end), (batch, 1, 1, end), (batch, heads, new, end), (new, 1))
                shape = shapes[kind // 2 % (3 if options["add_zero_attn"] else 4)]
                mask = random.normal(0, 1, shape).astype(np.float32)
                hidden = random.random(mask.shape) < 0.3
                hidden[..., -1] = False
                mask[hidden] = -np.inf
                more["attention_mask"] = _tensor(mask)
                added[:, :, begin:end, :end] += mask
            if kind // 2 % 2:
                bias = random.normal(0, 1, (1, heads, end - begin, end)).astype(np.float32)
                more["position_bias"] = _tensor(bias)
                added[:, :, begin:end, :end] += bias
            out, cache = _call_pair(layer, np.ascontiguousarray(x[:, begin:end]), more)
            want, _, values = formulas.attention(
                x[:, :end].astype(np.float64), w, heads, added[:, :, :end, :end], **_told(options)
            )
            what = f"{sizes} with {options}, {sorted(more)}, tokens {begin} to {end}"
            worst = max(worst, _off(_read(out, what), want[:, begin:end], what))
            worst = max(worst, _off(_read(cache[1], "values"), values, "values"))
    return worst


def _told(options: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "scale": options.get("attention_scale"),
        "zero": options.get("add_zero_attn", False),
        "rotary": options.get("use_rotary", False),
    }


def _whole(
    layer: Any, x: Any, weights: Any, heads: int, options: Any, more: Mapping[str, Any]
) -> float:
    """A whole text at once, without the cache."""
    import numpy as np

    from tests.graded import gpt2_formulas as formulas

    pair = _call_pair(layer, x, {name: _tensor(array) for name, array in more.items()})
    if pair[1] is not None:
        raise Wrong("a cache is returned unasked")
    batch, seq, _ = x.shape
    added = sum(
        (array.astype(np.float64) for array in more.values()), np.zeros((batch, heads, seq, seq))
    )
    w = {name: array.astype(np.float64) for name, array in weights.items()}
    want, _, _ = formulas.attention(x.astype(np.float64), w, heads, added, **_told(options))
    what = f"the output with {options}, {sorted(more)}"
    return _off(_read(pair[0], what), want, what)


def _pieces(
    layer: Any, x: Any, weights: Any, heads: int, options: Any, causal: Any, bias: Any
) -> float:
    """The same text in pieces with the cache, against the formula for the whole."""
    import numpy as np

    from tests.graded import gpt2_formulas as formulas

    batch, seq, _ = x.shape
    added = np.broadcast_to(bias.astype(np.float64) + causal, (batch, heads, seq, seq))
    w = {name: array.astype(np.float64) for name, array in weights.items()}
    want, keys, values = formulas.attention(x.astype(np.float64), w, heads, added, **_told(options))
    cache, worst = None, 0.0
    for begin, end in ((0, 2), (2, 3), (3, 6)):
        more = {
            "position_bias": _tensor(np.ascontiguousarray(bias[..., begin:end, :end])),
            "attention_mask": _tensor(np.ascontiguousarray(causal[begin:end, :end])),
            "past_key_value": cache,
            "use_cache": True,
        }
        out, cache = _call_pair(layer, np.ascontiguousarray(x[:, begin:end]), more)
        what = f"tokens {begin} to {end} with {options}"
        worst = max(worst, _off(_read(out, what), want[:, begin:end], what))
        if not isinstance(cache, tuple | list) or len(cache) != 2:
            raise Wrong("the cache is no pair")
        if not options.get("use_rotary"):
            worst = max(worst, _off(_read(cache[0], "keys"), keys[:, :, :end], "keys"))
        worst = max(worst, _off(_read(cache[1], "values"), values[:, :, :end], "values"))
    return worst


def _call_pair(layer: Any, x: Any, more: Mapping[str, Any]) -> Any:
    from max.experimental import functional as F

    try:
        with F.lazy():
            pair = layer(_tensor(x), **more)
        if isinstance(pair, tuple) and pair:
            pair[0].to_numpy()
    except Exception:  # noqa: BLE001  a learner's code may raise anything
        pair = layer(_tensor(x), **more)
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise Wrong("no pair is returned")
    return pair


# ---- step 11 -------------------------------------------------------------------------------

MODELS: tuple[tuple[dict[str, Any], tuple[int, int]], ...] = (
    ({"vocab_size": 9, "n_positions": 6, "n_embd": 4, "n_layer": 2, "n_head": 2}, (2, 5)),
    (
        {
            "vocab_size": 5,
            "n_positions": 8,
            "n_embd": 9,
            "n_layer": 1,
            "n_head": 3,
            "n_inner": 9,
            "layer_norm_epsilon": 0.3,
        },
        (3, 1),
    ),
    ({"vocab_size": 4, "n_positions": 4, "n_embd": 4, "n_layer": 2, "n_head": 2}, (2, 2)),
    ({"vocab_size": 3, "n_positions": 6, "n_embd": 3, "n_layer": 3, "n_head": 3}, (3, 3)),
    ({"vocab_size": 6, "n_positions": 1, "n_embd": 2, "n_layer": 1, "n_head": 1}, (1, 1)),
    (
        {"vocab_size": 7, "n_positions": 5, "n_embd": 4, "n_layer": 3, "n_head": 1, "n_inner": 5},
        (1, 4),
    ),
    (
        {
            "vocab_size": 6,
            "n_positions": 4,
            "n_embd": 6,
            "n_layer": 4,
            "n_head": 2,
            "layer_norm_epsilon": 0.3,
        },
        (4, 2),
    ),
    ({"vocab_size": 5, "n_positions": 3, "n_embd": 3, "n_layer": 13, "n_head": 1}, (2, 3)),
    ({"vocab_size": 1, "n_positions": 4, "n_embd": 1, "n_layer": 2, "n_head": 1}, (2, 3)),
    ({"vocab_size": 70_000, "n_positions": 3, "n_embd": 2, "n_layer": 1, "n_head": 1}, (2, 3)),
    (
        {
            "vocab_size": 6,
            "n_positions": 4,
            "n_embd": 4,
            "n_layer": 2,
            "n_head": 2,
            "initializer_range": 0.3,
        },
        (2, 3),
    ),
)


def _model_weights(random: Any, fields: Mapping[str, Any]) -> dict[str, Any]:
    width = fields["n_embd"]
    shapes: dict[str, tuple[int, ...]] = {
        "wte.weight": (fields["vocab_size"], width),
        "wpe.weight": (fields["n_positions"], width),
    }
    for index in range(fields["n_layer"]):
        block = _block_shapes(width, fields.get("n_inner", 4 * width))
        shapes |= {f"h.{index}.{name}": shape for name, shape in block.items()}
    shapes |= {"ln_f.weight": (width,), "ln_f.bias": (width,)}
    weights = _weights(random, shapes)
    weights["wte.weight"] *= 1.5
    return {f"transformer.{name}": array for name, array in weights.items()}


def _ids(random: Any, fields: Mapping[str, Any], size: tuple[int, int]) -> Any:
    return random.integers(0, fields["vocab_size"], size)


def _logits(ids: Any, weights: Any, fields: Mapping[str, Any]) -> Any:
    from tests.graded import gpt2_formulas as formulas

    eps = fields.get("layer_norm_epsilon", 1e-5)
    return formulas.logits(ids, weights, fields["n_layer"], fields["n_head"], eps)


def _model(module: types.ModuleType) -> float:
    from solutions.solution_01 import GPT2Config

    random, worst = _random(111), 0.0
    for fields, size in MODELS:
        weights = _model_weights(random, fields)
        ids = _ids(random, fields, size)
        want = _logits(ids, weights, fields)
        model = _made(module.GPT2LMHeadModel, weights, GPT2Config(**fields))
        _made(module.GPT2LMHeadModel, _turned(weights), GPT2Config(**fields))
        worst = max(worst, _off(_read(_call(model, _tensor(ids)), "logits"), want, "logits"))
        for _ in range(2):
            ids = _ids(random, fields, size).astype("int32")
            want = _logits(ids, weights, fields)
            have = _read(_call(model, _tensor(ids)), "logits")
            worst = max(worst, _off(have, want, "logits of a later call"))
        others = _model_weights(random, fields)
        found = module.convert_checkpoint(model, _stored(others, prefix=True))
        have = _read(_call(model, _tensor(ids)), "logits")
        worst = max(worst, _off(have, want, "logits after a conversion"))
        model.load_state_dict(found)
        have = _read(_call(model, _tensor(ids)), "logits")
        worst = max(worst, _off(have, _logits(ids, others, fields), "logits of other weights"))
        for prefix in (True, False):
            stored = _stored(weights, prefix=prefix)
            if not prefix:
                stored = {name: stored[name] for name in sorted(stored)}
                stored["h.0.attn.bias"] = random.normal(0, 1, (1, 1, 4, 4))
                stored["lm_head.weight"] = weights["transformer.wte.weight"]
            if prefix:
                stored = {"lm_head.weight": weights["transformer.wte.weight"], **stored}
            model = _new(module.GPT2LMHeadModel, GPT2Config(**fields))
            given = dict(stored)
            model.load_state_dict(module.convert_checkpoint(model, given))
            if list(given) != list(stored):
                raise Wrong("the checkpoint is changed")
            have = _read(_call(model, _tensor(ids)), "logits")
            worst = max(worst, _off(have, want, f"logits of a checkpoint, prefix {prefix}"))
        _halves(module, GPT2Config(**fields), _stored(weights, prefix=True))
        _refusals(module, GPT2Config(**fields), _stored(weights, prefix=True))
    return worst


def _stored(weights: Mapping[str, Any], *, prefix: bool) -> dict[str, Any]:
    import numpy as np

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
    import numpy as np

    for kind in (np.float16, np.float64):
        other = {name: array.astype(kind) for name, array in stored.items()}
        model = _new(module.GPT2LMHeadModel, config)
        model.load_state_dict(module.convert_checkpoint(model, other))


def _refusals(module: types.ModuleType, config: Any, stored: dict[str, Any]) -> None:
    """Each kind of bad checkpoint raises an error that names all that is wrong."""
    import numpy as np

    names = ["transformer.ln_f.weight", "transformer.h.0.mlp.c_fc.bias"]
    others = ["transformer.h.77.x", "transformer.x.weight", "transformer.h.0.mlp.bias"]
    kept = {name: array for name, array in stored.items() if name not in names}
    table = "transformer.wpe.weight"
    tables = {"lm_head.weight" if "wte" in name else name: a for name, a in stored.items()}
    model = _new(module.GPT2LMHeadModel, config)
    for kind, checkpoint, wanted in (
        ("empty", {}, [name for name, _ in model.parameters]),
        ("head's", tables, ["wte.weight"]),
        ("other head's", {**stored, "lm_head.bias": stored[names[0]]}, ["lm_head.bias"]),
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
        if not isinstance(error, ValueError | KeyError):
            raise Wrong(f"the error on {kind} tensors is a {type(error).__name__}") from error
        if not all(name in str(error) for name in wanted):
            raise Wrong(f"the error on {kind} tensors does not name them: {error}") from error
    else:
        raise Wrong(f"{kind} tensors are accepted")


# ---- step 12 -------------------------------------------------------------------------------


TEXTS: tuple[tuple[dict[str, Any], tuple[int, ...]], ...] = (
    ({"vocab_size": 3, "n_positions": 5, "n_embd": 4, "n_layer": 2, "n_head": 2}, (2, 2)),
    ({"vocab_size": 6, "n_positions": 9, "n_embd": 6, "n_layer": 1, "n_head": 3}, (1, 1, 3)),
    ({"vocab_size": 5, "n_positions": 8, "n_embd": 8, "n_layer": 3, "n_head": 2}, (3, 1, 2)),
    ({"vocab_size": 4, "n_positions": 6, "n_embd": 3, "n_layer": 4, "n_head": 1}, (4, 1)),
    ({"vocab_size": 7, "n_positions": 6, "n_embd": 5, "n_layer": 1, "n_head": 5}, (2, 3)),
)


def _writing(module: types.ModuleType) -> float:
    random = _random(121)
    sizes = {"vocab_size": 10, "n_positions": 8, "n_embd": 4, "n_head": 2}
    two, one = {**sizes, "n_layer": 2}, {**sizes, "n_layer": 1}
    _choices(module)
    _texts(module, random, _model_weights(random, one), one)
    worst = _in_pieces(module, random, _model_weights(random, two), two, (3, 1, 4))
    for fields, pieces in TEXTS:
        weights = _model_weights(random, fields)
        worst = max(worst, _in_pieces(module, random, weights, fields, pieces))
    _fed(module, random, _model_weights(random, one), one)
    long = {**one, "n_positions": 320}
    return max(worst, _in_pieces(module, random, _model_weights(random, long), long, (300, 20)))


def _choices(module: types.ModuleType) -> None:
    import numpy as np

    from tests.graded import gpt2_formulas as formulas

    large = np.arange(90_000, 90_005, dtype=np.float32)
    if int(module.next_token(large, temperature=1.0, draw=0.4)) != 4:
        raise Wrong("large scores overflow")
    scores = np.array([0.3, -2.0, 2.2, 1.1, 0.9, 1.9, -0.5, 1.4], np.float32)
    if int(module.next_token(scores)) != 2 or int(module.next_token(scores - 9)) != 2:
        raise Wrong("the greedy token is another")
    for temperature in (0.4, 1.0, 2.6):
        for top_k in (None, 1, 2, 4, 50):
            for draw in (0.02, 0.31, 0.55, 0.77, 0.93):
                have = module.next_token(scores, temperature=temperature, top_k=top_k, draw=draw)
                want = formulas.choose([float(s) for s in scores], temperature, top_k, draw)
                if int(have) != want:
                    raise Wrong(f"token {have}, not {want}, at {temperature}, {top_k}, {draw}")
    _more_choices(module, scores)


def _more_choices(module: types.ModuleType, scores: Any) -> None:
    """Other element types and sizes, equal scores, and draws where two shares meet."""
    import numpy as np

    from tests.graded import gpt2_formulas as formulas

    texts = [scores.astype(kind) for kind in (np.float64, np.float16)]
    texts += [scores[:2], scores - np.float32(20), np.array([-1, 2, 2, 0.5], np.float32)]
    texts += [np.array([1.0, 1.05, 0.9], np.float32)]
    for logits in texts:
        before = logits.copy()
        for temperature in (0.0, 0.05, 0.5, 1.0, 1.9):
            for top_k in (None, 1, 2, len(logits), 60):
                for draw in (0.0, 0.13, 0.48, 0.94):
                    alike = len(logits) == 4
                    if alike and (top_k == 1 or temperature == 0):
                        continue  # either of two equal ones may be taken
                    have = module.next_token(
                        logits, temperature=temperature, top_k=top_k, draw=draw
                    )
                    exact = [float(s) for s in logits]
                    want = formulas.choose(exact, temperature, top_k, draw)
                    if int(have) != want:
                        raise Wrong(f"token {have}, not {want}, at {temperature}, {top_k}, {draw}")
                    if not np.array_equal(before, logits):
                        raise Wrong("the logits are changed")
    wide = np.linspace(1, 0, 300, dtype=np.float32)
    for top_k in (200, None):
        want = formulas.choose([float(s) for s in wide], 1.0, top_k, 0.951)
        if int(module.next_token(wide, temperature=1.0, top_k=top_k, draw=0.951)) != want:
            raise Wrong(f"the token of 300 is not {want} with top_k {top_k}")
    _boundaries(module)


def _boundaries(module: types.ModuleType) -> None:
    """A draw where one share ends is in the next, the largest in the last; nearly 0 is not 0."""
    import numpy as np

    even = np.full(4, 0.5, np.float32)
    for token, draw in enumerate((0.0, 0.25, 0.5, 0.75, float(np.nextafter(1, 0)))):
        if int(module.next_token(even, temperature=1.0, draw=draw)) != min(token, 3):
            raise Wrong(f"a draw of {draw} is not in the share of {min(token, 3)}")
    cold = np.array([0.0, 5e-5, -1.0], np.float32)
    if int(module.next_token(cold, temperature=1e-4, draw=0.2)) != 0:
        raise Wrong("a temperature near 0 is taken for 0")
    if int(module.next_token(cold[[1, 0, 2]], temperature=1e-4, draw=0.9)) != 1:
        raise Wrong("scores that are far apart overflow")


def _in_pieces(
    module: types.ModuleType, random: Any, weights: Any, fields: Any, lengths: tuple[int, ...]
) -> float:
    """Logits of two texts that are read in pieces of these lengths, against the whole."""
    import numpy as np

    from solutions.solution_01 import GPT2Config

    model = _made(module.GPT2WithCache, weights, GPT2Config(**fields))
    ids = _ids(random, fields, (2, sum(lengths)))
    want = _logits(ids, weights, fields)
    cache, worst, ends = None, 0.0, np.cumsum([0, *lengths])
    for begin, end in itertools.pairwise(ends):
        piece = _tensor(np.ascontiguousarray(ids[:, begin:end]))
        logits, cache = _decoded(model, piece, cache)
        worst = max(worst, _off(_read(logits, "logits"), want[:, begin:end], "decoded logits"))
        _decoded(model, _tensor(np.ascontiguousarray(ids[::-1, :1])), None)  # another text begins
    return worst


def _texts(module: types.ModuleType, random: Any, weights: Any, fields: Any) -> None:
    """Whole texts, token for token."""
    from solutions.solution_01 import GPT2Config

    first = _expected(weights, fields, [1, 2], 2, {})
    config = GPT2Config(**fields, eos_token_id=first[2])  # nobody asked to end there
    model = _made(module.GPT2WithCache, weights, config)
    best: dict[str, Any] = {"temperature": 9.0, "draws": [0.98, 0.9, 0.96]}
    wishes: tuple[tuple[list[int], int, dict[str, Any]], ...] = (
        ([3, 7], 3, {}),
        ([4, 0, 6], 2, {"use_cache": False}),
        ([5], 3, {"temperature": 1.2, "draws": [0.11, 0.52, 0.93, 0.34]}),
        ([2, 8], 2, {"temperature": 2.5, "top_k": 2, "draws": [0.98, 0.03]}),
        ([1, 2], 4, {"eos_token_id": first[3]}),
        ([8, 2], 2, {"eos_token_id": 8}),
        ([3, 1, 4, 1, 5, 9], 5, {}),
        ([3, 1, 4], 0, {}),
        ([1, 2, 3, 4, 5, 6, 7, 8], 2, {"use_cache": False}),
        ([7, 2], 2, {"top_k": 1, "draws": []}),
        ([7, 2, 4], 3, {"top_k": 3, "use_cache": False, "eos_token_id": 9}),
        ([6, 5], 2, {"temperature": 1.4, "draws": [0.41, 0.83], "use_cache": False}),
        ([6], 1, {"temperature": 1.4, "draws": [0.41]}),
        ([4, 2], 4, {"temperature": 3.5, "draws": [0.9, 0.8, 0.95, 0.7], "use_cache": False}),
        ([2, 8], 3, {**best, "top_k": 2, "use_cache": False}),
        ([5, 8], 3, {**best, "top_k": 3}),
        ([1, 3, 5], 3, {"temperature": 1.9, "draws": [0.4, 0.6, 0.2], "eos_token_id": 3}),
        ([2, 3, 5, 1, 7], 9, {"temperature": 1.9, "draws": [0.4, 0.6, 0.2], "top_k": 4}),
    )
    zero = next(
        (tokens, settings)
        for tokens in ([a, b] for a in range(10) for b in range(10))
        for settings in ({"temperature": 6.0, "draws": [0.02, 0.03, 0.01], "eos_token_id": 0},)
        if _expected(weights, fields, tokens, 3, settings)[-1] == 0
    )
    for tokens, settings in (zero, (zero[0], {**zero[1], "use_cache": False})):
        _compare(module, model, weights, fields, tokens, 3, settings)
    for tokens, count, settings in wishes:
        _compare(module, model, weights, fields, tokens, count, settings)


def _decoded(model: Any, piece: Any, cache: Any) -> Any:
    from max.experimental import functional as F

    try:
        with F.lazy():
            answer = model.decode(piece, cache)
        answer[0].to_numpy()
    except Exception:  # noqa: BLE001  a learner's code may raise anything
        answer = model.decode(piece, cache)
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise Wrong("decode returns no pair")
    return answer


def _compare(
    module: types.ModuleType,
    model: Any,
    weights: Any,
    fields: Any,
    tokens: Sequence[int],
    count: int,
    settings: Mapping[str, Any],
) -> None:
    import numpy as np

    want = _expected(weights, fields, tokens, count, settings)
    given = list(tokens)
    kinds: list[Any] = [iter, np.array] if settings.get("draws") else [iter]
    for kind in kinds:
        more = {**settings, "draws": kind(settings["draws"])} if "draws" in settings else settings
        have = module.generate(model, given, count, **more)
        if given != list(tokens):
            raise Wrong("the prompt is changed")
        if not isinstance(have, list | tuple) or [int(token) for token in have] != want:
            raise Wrong(f"the text is {have}, not {want}, with {dict(settings)}")
    if list(module.generate(model, tuple(tokens), 0)) != list(tokens):
        raise Wrong("a prompt that is a tuple is changed")


def _fed(module: types.ModuleType, random: Any, weights: Any, fields: Any) -> None:
    """With a cache every token is read once, and tokens come as they are chosen."""
    from solutions.solution_01 import GPT2Config

    model = _made(module.GPT2WithCache, weights, GPT2Config(**fields))
    read: list[int] = []

    class Counting:
        config = model.config

        def __call__(self, ids: Any) -> Any:
            read.append(int(ids.shape[-1]))
            return model(ids)

        def decode(self, ids: Any, cache: Any = None) -> Any:
            read.append(int(ids.shape[-1]))
            return model.decode(ids, cache)

    for settings in ({}, {"use_cache": False}):
        read.clear()
        written = iter(module.stream(Counting(), [3, 1], 6, **settings))
        next(written)
        early = len(read)
        list(written)
        if early == len(read):
            raise Wrong("nothing is written before the end")
        if not settings and sum(read) > 8:
            raise Wrong(f"the model read {sum(read)} tokens of 8")
    if len({tuple(_fresh(module, model)) for _ in range(3)}) == 1:
        raise Wrong("fresh draws are the same each time")
    _large_vocabulary(module)


def _large_vocabulary(module: types.ModuleType) -> None:
    """Any of 300 tokens may be written where top_k is not given."""
    import numpy as np

    scores = np.linspace(1, 0, 300, dtype=np.float32)

    class Even:
        config = types.SimpleNamespace(n_positions=8)

        def __call__(self, ids: Any) -> Any:
            return _tensor(np.tile(scores, (1, int(ids.shape[-1]), 1)))

        def decode(self, ids: Any, cache: Any = None) -> Any:
            return self(ids), "kept"

    more = {"temperature": 1.0, "draws": [0.951, 0.951], "use_cache": False}
    if min(int(token) for token in module.generate(Even(), [1], 2, **more)[1:]) < 200:
        raise Wrong("only the likeliest tokens are written")
    best = {"temperature": 99.0, "top_k": 1, "use_cache": False}
    if [int(token) for token in module.generate(Even(), [1], 5, **best)[1:]] != [0] * 5:
        raise Wrong("without draws, top_k is lost")
    last = int(module.next_token(scores, temperature=1.0, draw=0.99))
    ends = {"temperature": 1.0, "draws": [0.99] * 2, "eos_token_id": int(str(last))}
    if len(module.generate(Even(), [1], 2, **ends, use_cache=False)) != 2:
        raise Wrong(f"{last} does not end the text")


def _fresh(module: types.ModuleType, model: Any) -> list[int]:
    return list(module.generate(model, [1], 6, temperature=99.0))


def _expected(
    weights: Any, fields: Any, tokens: Sequence[int], count: int, settings: Mapping[str, Any]
) -> list[int]:
    from tests.graded import gpt2_formulas as formulas

    text = list(tokens)
    for index in range(count):
        if len(text) == fields["n_positions"]:
            break
        scores = [float(s) for s in _logits([text], weights, fields)[0, -1]]
        draws = settings.get("draws") or [0.0] * count
        text.append(
            formulas.choose(
                scores, settings.get("temperature", 0), settings.get("top_k"), draws[index]
            )
        )
        if text[-1] == settings.get("eos_token_id"):
            break
    return text


TRIALS: dict[str, Callable[[types.ModuleType], float]] = {
    "s09": _blocks,
    "s10": _attention,
    "s11": _model,
    "s12": _writing,
}


if __name__ == "__main__":
    direct.TRIALS.update(TRIALS)
    direct.main()
