"""Random trials of the whole GPT-2, and of loading a checkpoint into it.

Longer than 300 lines, because a checkpoint can be wrong in many ways, each a trial of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from checks.shared.attention import Floats
from checks.shared.gpt2 import Ids, gpt2_logits
from checks.shared.random_inputs import Array, Rng, normal
from checks.shared.trials import UNUSED
from checks.step_09.trials import block_weights, norm_weights
from grader.rubric import (
    Action,
    Arg,
    ArrayArg,
    Call,
    ConfigArg,
    Load,
    Make,
    Probe,
    Ref,
    TensorArg,
    Trial,
    beside,
    in_turn,
    reloaded,
)

CLASS = "GPT2LMHeadModel"
Config = dict[str, int | float]
AnyArray = npt.NDArray[np.floating]

TURNED = ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")
"""Ends of the names that Hugging Face keeps as ``[in, out]``."""

PREFIX = "transformer."
TABLE, HEAD = "transformer.wte.weight", "lm_head.weight"

BUFFERS = (".attn.bias", ".attn.masked_bias")
"""Ends of the names that are causal masks and no weights."""


def draw(rng: Rng) -> list[Trial]:
    """Logits of two models, and checkpoints that fit or do not."""
    return [
        reloaded(_two_layers(rng), _two_layers(rng)),
        logits_trial(
            rng,
            "logits-one-token",
            {**UNUSED, **config(5, 6, 8, 1, 2), "layer_norm_epsilon": 0.4},
            (9, 1),
        ),
        logits_trial(rng, "logits-long", {**config(9, LONGER, 4, 1, 2), **STEADY}, (1, LONGER)),
        *_in_turn(rng),
        *checkpoint_trials(rng),
    ]


STEADY: Config = {"layer_norm_epsilon": 0.3}
"""With a small one, a vector of nearly equal features makes large what float32 rounds away.

One in a thousand gradings has such a vector, among those of many tokens with few features.
"""

LONGER = 130
"""Tokens of a text that is longer than most tables of positions which a program may make."""


def _two_layers(rng: Rng) -> Trial:
    return logits_trial(rng, "logits-two-layers", config(11, 7, 6, 2, 3), (9, 6))


def _in_turn(rng: Rng) -> list[Trial]:
    """Models whose sizes are equal or one, two in turn; one has ids beyond 15 bits.

    A third batch is of int32. One model reads longer and shorter texts after its first, one more
    texts. Each model has another epsilon, for a program that keeps the one of an earlier model.
    """
    models: tuple[tuple[Config, dict[str, tuple[int, int]]], ...] = (
        (
            {**config(3, 6, 3, 1, 1), "layer_norm_epsilon": 0.3},
            {"first": (3, 3), "second": (3, 5), SHORT: (3, 2)},
        ),
        (config(33_000, 1, 4, 1, 1), {"first": (1, 1)}),
        (
            {**config(3, 3, 3, 1, 3), "n_inner": 3, "layer_norm_epsilon": 0.2},
            {"first": (3, 1)},
        ),
        (
            {**config(3, 3, 3, 3, 1), "layer_norm_epsilon": 0.4},
            {"first": (2, 1), "second": (2, 1), SHORT: (3, 1)},
        ),
    )
    each = [_reading(rng, "model", *one) for one in models]
    return [
        in_turn(f"logits-turn-{index}", dict(zip("ab", pair, strict=True)))
        for index, pair in enumerate(zip(each[::2], each[1::2], strict=True), start=1)
    ]


def config(vocab: int, positions: int, n_embd: int, n_layer: int, n_head: int) -> Config:
    """A small model's configuration; no two sizes alike, unless asked."""
    return {
        "vocab_size": vocab,
        "n_positions": positions,
        "n_embd": n_embd,
        "n_layer": n_layer,
        "n_head": n_head,
    }


def model_weights(rng: Rng, sizes: Mapping[str, int | float]) -> dict[str, Array]:
    """Weights of a model under Hugging Face's names, Linear weights as ``[out, in]``."""
    n_embd = int(sizes["n_embd"])
    weights = {
        "wte.weight": normal(rng, int(sizes["vocab_size"]), n_embd, scale=0.8),
        "wpe.weight": normal(rng, int(sizes["n_positions"]), n_embd, scale=0.8),
    }
    for index in range(int(sizes["n_layer"])):
        layer = block_weights(rng, sizes)
        weights |= {f"h.{index}.{name}": array for name, array in layer.items()}
    weights |= {f"ln_f.{name}": array for name, array in norm_weights(rng, n_embd).items()}
    return {f"transformer.{name}": array for name, array in weights.items()}


def token_ids(rng: Rng, sizes: Mapping[str, int | float], batch: int, seq: int) -> Ids:
    """Random ids, all different within a text as far as the vocabulary goes; its last ones."""
    vocab = int(sizes["vocab_size"])
    some = min(vocab, 200)
    texts = [rng.permutation(some)[np.arange(seq) % some] for _ in range(batch)]
    return vocab - 1 - np.stack(texts)


def logits_trial(rng: Rng, name: str, sizes: Config, size: tuple[int, int]) -> Trial:
    """``GPT2LMHeadModel(config)`` on a batch of texts, ``size`` being batch and length."""
    return _reading(rng, name, sizes, {"out": size})


def _reading(rng: Rng, name: str, sizes: Config, calls: Mapping[str, tuple[int, int]]) -> Trial:
    """The same, called on several batches of these sizes."""
    weights = model_weights(rng, sizes)
    texts = {call: token_ids(rng, sizes, *size) for call, size in calls.items()}
    make = Make("module", CLASS, (ConfigArg(dict(sizes)),))
    load = Load("loaded", "module", dict(weights))
    return Trial(
        Probe(name, (make, load, *(_read(call, ids) for call, ids in texts.items()))),
        lambda **knobs: {
            call: gpt2_logits(ids, weights, sizes, **knobs) for call, ids in texts.items()
        },
    )


SHORT = "short"
"""The call whose ids are int32."""


def _read(name: str, ids: Ids) -> Call:
    given = ids.astype(np.int32) if name == SHORT else ids
    return Call(name, "module", None, (TensorArg(given),))


# ---- checkpoints --------------------------------------------------------------------------


def stored(weights: Mapping[str, Array], *, prefix: bool) -> dict[str, Array]:
    """The same weights as Hugging Face stores them: four kinds of matrices as ``[in, out]``."""
    return {
        name if prefix else name.removeprefix("transformer."): (
            np.ascontiguousarray(array.T) if name.endswith(TURNED) else array
        )
        for name, array in weights.items()
    }


def weights_of(checkpoint: Mapping[str, npt.NDArray[np.generic]]) -> dict[str, Array]:
    """The weights in what Hugging Face stores; what is no weight is left out."""
    named = {PREFIX + key.removeprefix(PREFIX): array for key, array in checkpoint.items()}
    return {
        name: np.ascontiguousarray(array.T if name.endswith(TURNED) else array).astype(np.float32)
        for name, array in named.items()
        if name != PREFIX + HEAD and not name.endswith(BUFFERS)
    }


def misread(weights: Mapping[str, Array], **knobs: object) -> dict[str, Array]:
    """The weights that a wrong conversion would give."""
    turned = knobs.get("turned")
    ends = {"not_attn_c_proj": TURNED[1:2], "not_mlp": TURNED[2:], "not_square": TURNED}
    return {
        name: np.ascontiguousarray(array.T)
        if name.endswith(ends.get(str(turned), ()))
        and (turned != "not_square" or array.shape == array.T.shape)
        else array
        for name, array in weights.items()
    }


def checkpoint_trials(rng: Rng) -> list[Trial]:
    """Checkpoints that fit, in the forms that exist."""
    sizes: Config = {**config(7, 5, 6, 2, 2), "n_inner": 6}
    weights = model_weights(rng, sizes)
    prefixed, bare = stored(weights, prefix=True), stored(weights, prefix=False)
    narrow: Config = {**config(8, 4, 4, 2, 2), "n_inner": 4}  # other sizes, as many blocks
    halves = {
        name: array.astype(np.float16)
        for name, array in stored(model_weights(rng, narrow), prefix=True).items()
    }
    rounded = weights_of(halves)
    head = {HEAD: weights[TABLE]}
    every = {**bare, **head, **_buffers(sizes)}
    doubles = {name: array.astype(np.float64) for name, array in every.items()}
    mixed = {
        name if index % 3 else name.removeprefix(PREFIX): array
        for index, (name, array) in enumerate(prefixed.items())
    }
    return [
        _run(rng, "checkpoint-prefix", sizes, weights, {**head, **mixed}),
        replace(_run(rng, "checkpoint-deep", *_deep(rng)), slack=DEEP),
        _loaded("checkpoint-float16", narrow, rounded, halves),
        _loaded("checkpoint-float64", sizes, weights, doubles),
        _kept(rng),
        _read_by_the_loader(rng),
        *(_refused(name, checkpoint) for name, checkpoint in _damaged(rng)),
        _deep_and_damaged(rng),
    ]


DEEP = 10.0
"""The tolerance of thirteen blocks: with some weights, each makes rounding larger."""


def _deep(rng: Rng) -> tuple[Config, dict[str, Array], dict[str, Array]]:
    """Sizes, weights and checkpoint of a model with a block more than GPT-2: some have two digits.

    The checkpoint has the causal masks too. Its names are in another order than the model's, some
    with a prefix, some of float64. After so many blocks a small epsilon would change nothing that
    can be seen.
    """
    sizes: Config = {**config(5, 4, 3, 13, 1), "layer_norm_epsilon": 5.0}
    weights = model_weights(rng, sizes)
    bare = stored(weights, prefix=False)
    bare |= _buffers(sizes)
    names = enumerate(sorted(bare))
    return (
        sizes,
        weights,
        {
            PREFIX * (index % 3 == 1) + name: bare[name].astype((np.float32, np.float64)[index % 2])
            for index, name in names
        },
    )


def _buffers(sizes: Config) -> dict[str, Array]:
    """The causal masks that old checkpoints have."""
    mask = np.tril(np.ones((1, 1, 4, 4), np.float32))
    each = dict(zip(BUFFERS, (mask, np.array(-1e4, np.float32)), strict=True))
    return {f"h.{n}{name}": one for n in range(int(sizes["n_layer"])) for name, one in each.items()}


def _converted(sizes: Config, checkpoint: Mapping[str, AnyArray]) -> tuple[Make, Call]:
    make = Make("model", CLASS, (ConfigArg(dict(sizes)),))
    arrays: dict[str, Arg] = {name: ArrayArg(array) for name, array in checkpoint.items()}
    return make, Call("weights", None, "convert_checkpoint", (Ref("model"), arrays))


def _loading(sizes: Config, checkpoint: Mapping[str, AnyArray]) -> tuple[Action, ...]:
    """Convert and load: names, shapes and dtypes must fit, and arrays be contiguous."""
    load = Call("loaded", "model", "load_state_dict", (Ref("weights"),))
    return (*_converted(sizes, checkpoint), load)


def _loaded(
    name: str, sizes: Config, weights: Mapping[str, Array], checkpoint: Mapping[str, AnyArray]
) -> Trial:
    """Convert and load; the converted arrays are compared."""

    def expect(**knobs: object) -> dict[str, Floats]:
        read = misread(weights, **knobs)
        return {f"weights.{name}": array.astype(np.float64) for name, array in read.items()}

    return Trial(Probe(name, _loading(sizes, checkpoint)), expect)


def _run(
    rng: Rng,
    name: str,
    sizes: Config,
    weights: Mapping[str, Array],
    checkpoint: Mapping[str, AnyArray],
) -> Trial:
    """Convert, load, and run: logits tell whether every array came to its place."""
    ids = token_ids(rng, sizes, 1, 4)
    run = Call("out", "model", None, (TensorArg(ids),))

    def expect(**knobs: object) -> dict[str, Floats]:
        return {"out": gpt2_logits(ids, misread(weights, **knobs), sizes, **knobs)}

    return Trial(Probe(name, (*_loading(sizes, checkpoint), run)), expect)


def _read_by_the_loader(rng: Rng) -> Trial:
    """``load_gpt2``, with a path that says what is there: see ``given``. It may be missing."""
    weights, ids = model_weights(rng, DAMAGED), token_ids(rng, DAMAGED, 2, 3)
    arrays = {name: array.tolist() for name, array in stored(weights, prefix=False).items()}
    load = Call("loaded", None, "load_gpt2", (json.dumps([DAMAGED, arrays]),))
    run = Call("out", "loaded", None, (TensorArg(ids),))

    def expect(**knobs: object) -> dict[str, Floats]:
        return {"out": gpt2_logits(ids, misread(weights, **knobs), DAMAGED, **knobs)}

    return Trial(Probe(LOADER, (load, run)), expect, part=True)


LOADER = "loader"


def _kept(rng: Rng) -> Trial:
    """A conversion alone leaves the model as it is, and so does a second model of its size."""
    trial = logits_trial(rng, "model-kept", DAMAGED, (2, 3))
    make, load, *calls = trial.probe.actions
    whole = stored(model_weights(rng, DAMAGED), prefix=True)
    mask = {"h.0.attn.bias": np.tril(np.ones((1, 1, 5, 5), np.float32))}
    checkpoint = {**whole, **mask, HEAD: whole[TABLE]}
    arrays: dict[str, Arg] = {name: ArrayArg(array) for name, array in checkpoint.items()}
    convert = Call("weights", None, "convert_checkpoint", (Ref("module"), arrays))
    return beside(replace(trial, probe=Probe("model-kept", (make, load, convert, *calls))))


DAMAGED = config(7, 5, 6, 1, 2)
"""The model that most of the damaged checkpoints do not fit."""

EMPTY = config(7, 5, 6, 4, 2)
"""The model that gets no array at all: an error that names only so many leaves some out."""


REFUSED = {
    "refuse-missing": ("h.0.ln_1.bias", "wpe.weight"),
    "refuse-empty": (
        *("wte.weight", "wpe.weight", "ln_f.weight", "ln_f.bias"),
        *(
            f"h.{index}.{part}.{kind}"
            for index in range(int(EMPTY["n_layer"]))
            for part in ("ln_1", "ln_2", "attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj")
            for kind in ("weight", "bias")
        ),
    ),
    "refuse-tied": ("wte.weight",),
    "refuse-unexpected": ("h.1.ln_1.bias",),
    "refuse-head": (HEAD,),
    "refuse-shape": (
        *("h.0.ln_1.bias", "wte.weight", "wpe.weight"),
        *("h.0.mlp.c_fc.bias", "ln_f.weight"),
    ),
    "refuse-turned": ("h.0.attn.c_attn.weight", "wpe.weight"),
    "refuse-elsewhere": (
        *("ln_g.weight", "h.0.mlp.bias", "h.0.attn.q.bias", "h.0.x", PREFIX + "wpe.weight"),
        "h.0.crossattention.c_attn.bias",
        *("lm_head.bias", "score.weight"),
    ),
    "refuse-deep": ("h.0.attn.q.bias", "h.11.ln_1.bias", "h.10.attn.c_attn.weight", "wpe.weight"),
    "refuse-all": ("h.0.ln_1.bias", "ln_f.bias", "wpe.weight", "h.9.ln_2.weight", "h.9.ln_2.bias"),
}
"""Trials of checkpoints that do not fit, and the names that each error must hold."""


def _damaged(rng: Rng) -> Iterable[tuple[str, dict[str, Array]]]:
    """One checkpoint for each of ``REFUSED`` but the deep one."""
    whole = stored(model_weights(rng, DAMAGED), prefix=True)
    bias, table = "transformer.h.0.ln_1.bias", "transformer.wpe.weight"
    missing = {name: array for name, array in whole.items() if name not in (bias, table)}
    yield "refuse-missing", {**missing, HEAD: whole[TABLE]}
    yield "refuse-empty", {}
    yield "refuse-tied", {HEAD if name == TABLE else name: array for name, array in whole.items()}
    yield "refuse-unexpected", {**whole, "transformer.h.1.ln_1.bias": whole[bias]}
    head = whole[TABLE].copy()
    head[-1, -1] += 1.0
    yield "refuse-head", {name.removeprefix(PREFIX): a for name, a in whole.items()} | {HEAD: head}
    other = {table: whole[table][:3], bias: whole[bias][:, None], TABLE: whole[TABLE].ravel()}
    wide, first = "transformer.h.0.mlp.c_fc.bias", "transformer.ln_f.weight"
    other |= {wide: whole[wide][:1], first: whole[first][None, None]}  # NumPy would stretch one
    yield "refuse-shape", {**whole, **other}
    fused = "transformer.h.0.attn.c_attn.weight"
    turned = {name: np.ascontiguousarray(whole[name].T) for name in (fused, table)}
    yield "refuse-turned", {**whole, **turned}
    *inside, tied, score = REFUSED["refuse-elsewhere"]
    extra = dict.fromkeys([*(PREFIX + name for name in inside), tied, score], whole[bias])
    extra[PREFIX + "h.0.x"] = np.array(1.0, np.float32)  # of no dimension, as masked_bias is
    yield "refuse-elsewhere", {**whole, **extra}
    last = "transformer.ln_f.bias"
    rest = {name: array for name, array in whole.items() if name not in (bias, last)}
    other = {table: whole[table][:, :2]}  # and as many too many as are missing
    other |= {f"transformer.h.9.ln_2.{kind}": whole[bias] for kind in ("weight", "bias")}
    yield "refuse-all", {**rest, **other}


def _deep_and_damaged(rng: Rng) -> Trial:
    """Square matrices in many blocks, names without a prefix: tensors too many, and turned ones."""
    sizes: Config = {**config(5, 4, 3, 11, 1), "n_inner": 3}
    whole = stored(model_weights(rng, sizes), prefix=False)
    *extra, one, other = REFUSED["refuse-deep"]
    turned = {name: np.ascontiguousarray(whole[name].T) for name in (one, other)}
    return _refused(
        "refuse-deep", {**whole, **dict.fromkeys(extra, whole["ln_f.bias"]), **turned}, sizes
    )


def _refused(name: str, checkpoint: Mapping[str, Array], sizes: Config | None = None) -> Trial:
    sizes = sizes or (DAMAGED if checkpoint else EMPTY)
    return Trial(Probe(name, _converted(sizes, checkpoint)))
