"""Random trials of an attention layer, shared by the steps that build one.

Sizes are as small as possible: width, heads, batch and sequence all differ, so that no mistake
about an axis stays hidden, and the numbers are of order 1, so that none is lost in rounding.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from checks.shared import attention as oracles
from checks.shared.large_scores import LARGEST, SLACK, extreme, slack, steer
from checks.shared.random_inputs import LONG, Array, Rng, long, nonzero, normal
from grader.rubric import (
    Call,
    ConfigArg,
    Expect,
    Load,
    Make,
    Probe,
    Read,
    TensorArg,
    Trial,
    beside,
    in_turn,
    multiples,
    reloaded,
)

GPT2 = {"n_embd": 768, "n_head": 12}

UNUSED: dict[str, int | float] = {
    "vocab_size": 99,
    "n_positions": 64,
    "n_layer": 5,
    "resid_pdrop": 0.0,
    "embd_pdrop": 0.4,
    "attn_pdrop": 0.5,
    "initializer_range": 0.3,
    "bos_token_id": 7,
    "eos_token_id": 8,
}
"""Fields of a configuration that do not affect a layer's forward pass."""


def attention_weights(rng: Rng, n_embd: int) -> dict[str, Array]:
    """Draw weights of a GPT-2 attention layer that keep numbers of order 1."""
    spread = _spread(n_embd)
    return {
        "c_attn.weight": nonzero(rng, 3 * n_embd, n_embd, scale=spread),
        "c_attn.bias": nonzero(rng, 3 * n_embd, scale=0.5),
        "c_proj.weight": nonzero(rng, n_embd, n_embd, scale=spread),
        "c_proj.bias": nonzero(rng, n_embd, scale=0.5),
    }


def _spread(n_embd: int) -> float:
    return 1.4 / math.sqrt(n_embd)


MANY_HEADS = 32
"""More than GPT-2 XL has. With a width of two, all together are as wide as one head of GPT-2."""

MANY_TEXTS = 33

WIDE = 72
"""The width of a wide head. All published GPT-2s have heads of 64."""


def sizes(rng: Rng) -> list[tuple[int, int, int, int]]:
    """Draw ``(n_head, head_dim, batch, seq)``: all distinct, two of them equal, or one of them 1.

    A mistake about an axis may hide where lengths are equal, or exist only there. So any two are
    equal in a case where the others differ: here, in ``sharp``, in ``calls`` and in ``turns``. The
    width equals the batch size in ``calls`` and the length of a text in ``sharp``.
    The single head has the long text, which costs least there. Many heads, many texts and a wide
    head are included for programs that are right only up to some number of them.
    """
    distinct = (MANY_HEADS, 2, MANY_TEXTS, int(rng.choice([3, 5])))
    square = (3, 2, 5, 5)  # as wide as the layer of ``calls``, but with other heads
    head, dim = (int(i) for i in rng.permutation([2, 3, 4])[:2])
    one_token = (head, dim, head, 1)
    width = int(rng.integers(5, 8))
    one_text = (int(rng.integers(2, 4)), width, 1, width)
    one_head = (1, WIDE, 1, long(rng, 2 * LONG + 6))
    return [distinct, square, one_token, one_text, one_head]


def layer_trials(rng: Rng, cls: str) -> list[Trial]:
    """Make forward passes of ``cls(GPT2Config)``, to compare with :func:`gpt2_attention`."""
    found = [_gpt2(rng, cls)]
    for index, size in enumerate(sizes(rng), start=1):
        name, is_far = f"random-{index}", index in FAR
        trial = _forward(rng, cls, name, size, is_far=is_far, is_second=index in SECOND)
        if index == RELOADED:
            trial = reloaded(trial, _forward(rng, cls, name, size, is_far=is_far, x=_read(trial)))
        found.append(trial)
    return [*found, _sharp(rng, cls), _calls(rng, cls), _turns(rng, cls)]


def _gpt2(rng: Rng, cls: str) -> Trial:
    """Use the real GPT-2 sizes, with one text of four tokens."""
    n_embd = GPT2["n_embd"]
    step = _spread(n_embd) / 74  # the standard deviation of integers from -128 to 127
    sent = {
        "c_attn.weight": rng.integers(-128, 128, (3 * n_embd, n_embd), np.int8),
        "c_attn.bias": normal(rng, 3 * n_embd, scale=0.5),
        "c_proj.weight": rng.integers(-128, 128, (n_embd, n_embd), np.int8),
        "c_proj.bias": normal(rng, n_embd, scale=0.5),
    }
    steps = {name: step for name, array in sent.items() if array.dtype == np.int8}
    weights = sent | {name: multiples(sent[name], step) for name in steps}
    x = normal(rng, 1, 4, n_embd)
    read = Read("attributes", "module", ("embed_dim", "num_heads", "head_dim", "split_size"))
    make = Make("module", cls, (ConfigArg(dict(GPT2)),))
    return Trial(
        Probe("gpt2", (make, read, Load("loaded", "module", sent, steps), _call("out", x))),
        _expect(weights, GPT2["n_head"], {"out": x}),
    )


RELOADED = 2
"""The layer of :func:`sizes` that gets new weights after its first call, and the same text."""

FAR = (1, 2, 4, 5)
"""Those of :func:`sizes` with scores far from 0: all but the single token."""

SECOND = (1, 5)
"""Those of :func:`sizes` that the layer reads second: many texts, and a long one."""


def _forward(
    rng: Rng,
    cls: str,
    name: str,
    size: tuple[int, int, int, int],
    *,
    is_far: bool,
    is_second: bool = False,
    x: Array | None = None,
) -> Trial:
    n_head, head_dim, batch, seq = size
    n_embd = n_head * head_dim
    weights = attention_weights(rng, n_embd)
    if is_far:
        _steer(weights, n_head)
    if x is None:
        x = normal(rng, batch, seq, n_embd)
        x = extreme(rng, x, head_dim) if is_far else x
    several = x[:2, ::-1] if batch > 1 else np.concatenate([x[:1, -2:], x[-1:, :2]])
    inputs = {"short": several} if is_second else {}
    inputs["out"] = x
    config = {"n_embd": n_embd, "n_head": n_head}
    calls = tuple(_call(key, array) for key, array in inputs.items())
    return Trial(
        Probe(name, (*_made(cls, config, weights), *calls)),
        _expect(weights, n_head, inputs),
        slack=slack(LARGEST, head_dim) if is_far else 1.0,
    )


def _read(trial: Trial) -> Array:
    """Return the text that a trial of :func:`_forward` reads last."""
    match trial.probe.actions[-1]:
        case Call(args=(TensorArg(array), *_)):
            return array.astype(np.float32, copy=False)
    raise TypeError(f"{trial.probe.name} reads no text last")


LARGEST_SCORE = 60.0
"""The largest score in the trial ``sharp``, as in a trained GPT-2."""


def _sharp(rng: Rng, cls: str) -> Trial:
    """Use scores in the tens, as in a trained GPT-2: a finite mask has to exceed them.

    The softmax amplifies the rounding of such scores, hence the wider tolerance.
    """
    n_head, head_dim, batch, seq = 3, 3, 2, 9
    n_embd = n_head * head_dim
    weights, x = attention_weights(rng, n_embd), normal(rng, batch, seq, n_embd)
    exact = {name: array.astype(np.float64) for name, array in weights.items()}
    fused = oracles.linear(x.astype(np.float64), exact["c_attn.weight"], exact["c_attn.bias"])
    query, key, _ = (oracles.split_heads(part, n_head) for part in np.split(fused, 3, -1))
    factor = np.float32((LARGEST_SCORE / np.abs(oracles.attention_scores(query, key)).max()) ** 0.5)
    both = slice(0, 2 * n_embd)
    weights["c_attn.weight"][both] *= factor
    weights["c_attn.bias"][both] *= factor
    config = {"n_embd": n_embd, "n_head": n_head}
    return Trial(
        Probe("sharp", (*_made(cls, config, weights), _call("out", x))),
        _expect(weights, n_head, {"out": x}),
        slack=5.0,
    )


FUTURE = 3
"""In the trial ``calls``, tokens from this position on change for the second call."""


def _calls(rng: Rng, cls: str) -> Trial:
    """Call a layer with a text, its future changed, a longer one, the first again, one token.

    There is a second layer of the same size.
    The longer text has scores far from 0.
    """
    n_head, head_dim, batch, seq = 2, 3, 6, 4
    n_embd = n_head * head_dim
    weights, x = attention_weights(rng, n_embd), normal(rng, batch, seq, n_embd)
    _steer(weights, n_head)
    changed = x.copy()
    changed[:, FUTURE:] += normal(rng, batch, seq - FUTURE, n_embd, scale=2.0)
    inputs = {
        "first": x,
        "changed": changed,
        "longer": extreme(rng, normal(rng, 1, int(rng.integers(6, 10)), n_embd), head_dim),
        "again": x,
        "token": normal(rng, 1, 1, n_embd),
    }
    config = {"n_embd": n_embd, "n_head": n_head}
    calls = tuple(_call(name, array) for name, array in inputs.items())
    trial = Trial(
        Probe("calls", (*_made(cls, config, weights), *calls)),
        _expect(weights, n_head, inputs),
        slack=SLACK,
    )
    return beside(trial)


def _turns(rng: Rng, cls: str) -> Trial:
    """Call two layers in turn, each on two texts of one shape, the second with scores far from 0.

    The first layer has heads of width 1, the second a configuration that is unusual elsewhere.
    The first layer's first text has scores of exactly 0, and others near a hundredth.
    """
    layers = {}
    for key, (n_head, head_dim, batch, seq) in {"a": (4, 1, 4, 3), "b": (2, 3, 3, 2)}.items():
        n_embd = n_head * head_dim
        weights = attention_weights(rng, n_embd)
        _steer(weights, n_head)
        inputs = {name: normal(rng, batch, seq, n_embd) for name in ("first", "second")}
        inputs["second"] = extreme(rng, inputs["second"], head_dim)
        if key == "a":
            _near_zero(inputs["first"])
        config = {"n_embd": n_embd, "n_head": n_head} | (UNUSED if key == "b" else {})
        made = _made(cls, config, weights)
        calls = tuple(_call(name, x) for name, x in inputs.items())
        expect = _expect(weights, n_head, inputs)
        layers[key] = Trial(Probe(key, (*made, *calls)), expect, slack=SLACK)
    return in_turn("turns", layers)


def _near_zero(x: Array) -> None:
    """Set scores of 0 or about a hundredth in ``x``, for steered heads of width 1.

    All scores of the second token are 0 in half of the texts, and those for the first in all.
    """
    x[..., :2] *= 0.1
    x[::2, 1, 0] = 0.0
    x[:, 0, 1] = 0.0


def _steer(weights: Mapping[str, Array], n_head: int) -> None:
    """Apply :func:`steer` to the weights of a GPT-2 attention layer."""
    bias = weights["c_attn.bias"]
    for begin in (0, len(bias) // 3):
        bias[begin : begin + len(bias) // 3 : len(bias) // 3 // n_head] = 0.0
    query, key, value = np.split(weights["c_attn.weight"], 3)
    steer(query, key, value, n_head)


def _made(
    cls: str, config: Mapping[str, int | float], weights: Mapping[str, Array]
) -> tuple[Make, Load]:
    make = Make("module", cls, (ConfigArg(dict(config)),))
    return make, Load("loaded", "module", dict(weights))


def _call(name: str, x: Array) -> Call:
    return Call(name, "module", None, (TensorArg(x),))


def _expect(weights: Mapping[str, Array], n_head: int, inputs: Mapping[str, Array]) -> Expect:
    """Return the oracle's answers to the inputs of one layer."""

    def expect(**knobs: object) -> dict[str, oracles.Floats]:
        return {
            name: oracles.gpt2_attention(x.astype(np.float64), weights, n_head, **knobs)
            for name, x in inputs.items()
        }

    return expect
