"""Oracles and solutions of steps 01 and 05 to 12 against Hugging Face's GPT-2 and PyTorch."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from checks.shared import attention, block
from checks.shared import gpt2 as model
from checks.shared.layer_norm import layer_norm
from checks.step_06 import oracle as rotary
from checks.step_10 import oracle as cache
from checks.step_12 import oracle as decoding
from tests.parity import peers
from tests.parity.peers import CLOSE, torch

pytestmark = pytest.mark.parity

SIZES: list[dict[str, Any]] = [
    {"n_embd": 12, "n_head": 3, "n_layer": 2},
    {"n_embd": 10, "n_head": 2, "n_layer": 1, "n_inner": 7},
    {"n_embd": 8, "n_head": 8, "n_layer": 2, "layer_norm_epsilon": 0.3},
    {"n_embd": 9, "n_head": 1, "n_layer": 2, "n_inner": 40, "layer_norm_epsilon": 1e-12},
    {"n_embd": 64, "n_head": 4, "n_layer": 2, "vocab_size": 301},
]
SHAPES = [(2, 5), (1, 1)]
"""Batch and length."""

every_size = pytest.mark.parametrize("sizes", SIZES, ids=lambda sizes: f"n_embd-{sizes['n_embd']}")


@pytest.fixture(autouse=True, scope="module")
def _max() -> None:
    peers.start_max()


def vectors(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def gpt2_config(sizes: dict[str, Any]) -> Any:
    from solutions.solution_01 import GPT2Config

    return GPT2Config(**{"vocab_size": 23, "n_positions": 17, **sizes})


def same(found: Any, theirs: Any) -> None:
    np.testing.assert_allclose(found, theirs.detach().numpy(), **CLOSE)


@every_size
def test_attention_is_hugging_faces(sizes: dict[str, Any]) -> None:
    from transformers.models.gpt2.modeling_gpt2 import GPT2Attention

    from solutions import solution_05, solution_07

    layer = peers.randomize(GPT2Attention(peers.config(**sizes)).double(), 1)
    given, config = peers.weights(layer), gpt2_config(sizes)
    solved = [
        peers.ours(kind, config, given=given)
        for kind in (solution_05.GPT2Attention, solution_07.GPT2MultiHeadAttention)
    ]
    for batch, seq in SHAPES:
        x = vectors(seq, batch, seq, sizes["n_embd"])
        hidden = torch.triu(torch.full((seq, seq), -torch.inf, dtype=torch.float64), diagonal=1)
        theirs = layer(torch.from_numpy(x), attention_mask=hidden[None, None])[0]
        same(attention.gpt2_attention(x, given, sizes["n_head"]), theirs)
        for one in solved:
            same(peers.run(one, x), theirs)


@every_size
def test_feed_forward_network_is_hugging_faces(sizes: dict[str, Any]) -> None:
    from transformers.models.gpt2.modeling_gpt2 import GPT2MLP

    from solutions import solution_09

    inner = sizes.get("n_inner", 4 * sizes["n_embd"])
    layer = peers.randomize(GPT2MLP(inner, peers.config(**sizes)).double(), 2)
    given = peers.weights(layer)
    solved = peers.ours(solution_09.GPT2MLP, inner, gpt2_config(sizes), given=given)
    x = vectors(3, 2, 5, sizes["n_embd"]) * 3
    theirs = layer(torch.from_numpy(x))
    same(block.mlp(x, given), theirs)
    same(peers.run(solved, x), theirs)


@every_size
def test_block_is_hugging_faces(sizes: dict[str, Any]) -> None:
    from transformers.models.gpt2.modeling_gpt2 import GPT2Block

    from solutions import solution_09

    config = peers.config(**sizes, attn_implementation="eager")
    layer = peers.randomize(GPT2Block(config, layer_idx=0).double(), 4)
    given = peers.weights(layer)
    solved = peers.ours(solution_09.GPT2Block, gpt2_config(sizes), given=given)
    for batch, seq in SHAPES:
        x = vectors(seq, batch, seq, sizes["n_embd"])
        hidden = torch.triu(torch.full((seq, seq), -torch.inf, dtype=torch.float64), diagonal=1)
        theirs = layer(torch.from_numpy(x), attention_mask=hidden[None, None])
        theirs = theirs[0] if isinstance(theirs, tuple) else theirs
        same(block.block(x, given, sizes["n_head"], sizes.get("layer_norm_epsilon", 1e-5)), theirs)
        same(peers.run(solved, x), theirs)


@every_size
def test_model_and_its_cache_are_hugging_faces(sizes: dict[str, Any]) -> None:
    from solutions import solution_12

    whole = peers.transformers.GPT2LMHeadModel(peers.config(**sizes)).double()
    given = peers.weights(peers.randomize(whole, 5))
    config = {"vocab_size": 23, **sizes}
    solved = peers.ours(solution_12.GPT2WithCache, gpt2_config(sizes), given=given)
    for batch, seq in SHAPES:
        ids = np.random.default_rng(seq).integers(0, config["vocab_size"], (batch, seq))
        with torch.no_grad():
            theirs = whole(torch.from_numpy(ids), use_cache=True)
        same(model.gpt2_logits(ids, given, config), theirs.logits)
        same(peers.run(solved, ids), theirs.logits)
        pieces = np.split(ids, [seq // 2], axis=1) if seq > 1 else [ids]
        for read in (
            lambda *args: decoding.decode(args[0], given, config, args[1]),
            lambda *args: peers.run(solved.decode, args[0], _onto_max(args[1])),
        ):
            kept: Any = None
            logits = []
            for piece in pieces:
                new, kept = read(piece, kept)
                logits.append(new)
            same(np.concatenate(logits, axis=1), theirs.logits)
            for (key, value), layer in zip(kept, theirs.past_key_values.layers, strict=True):
                same(key, layer.keys)
                same(value, layer.values)


def _onto_max(kept: Any) -> Any:
    from max.experimental.tensor import Tensor

    if kept is None:
        return None
    return tuple(tuple(Tensor.from_dlpack(np.array(one)) for one in pair) for pair in kept)


@pytest.mark.parametrize("eps", [1e-5, 0.2])
def test_layer_norm_is_pytorchs(eps: float) -> None:
    from solutions import solution_08

    layer = torch.nn.LayerNorm(7, eps=eps, dtype=torch.float64)
    torch.nn.init.normal_(layer.weight)
    torch.nn.init.normal_(layer.bias)
    given = peers.weights(layer)
    solved = peers.ours(solution_08.LayerNorm, 7, eps, given=given)
    for shape in ((3, 7), (2, 5, 7), (7,)):
        x = vectors(6, *shape) * 4 + 1
        theirs = layer(torch.from_numpy(x))
        same(layer_norm(x, given["weight"], given["bias"], eps), theirs)
        same(peers.run(solved, x), theirs)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("zero", [True, False])
def test_every_option_is_pytorchs_multihead_attention(bias: bool, zero: bool) -> None:
    from solutions import solution_10

    torch.manual_seed(7)
    for heads, width, batch, seq in ((3, 4, 2, 5), (1, 6, 3, 2), (4, 1, 1, 7)):
        size = heads * width
        layer = torch.nn.MultiheadAttention(
            size, heads, bias=bias, add_zero_attn=zero, batch_first=True, dtype=torch.float64
        )
        for parameter in layer.parameters():
            torch.nn.init.normal_(parameter, std=0.7)
        named = {"in_proj_": "qkv_proj.", "out_proj.": "out_proj."}
        given = {
            new + name.removeprefix(old): array.detach().numpy()
            for name, array in layer.named_parameters()
            for old, new in named.items()
            if name.startswith(old)
        }
        solved = peers.ours(
            solution_10.MultiHeadAttention, size, heads, bias=bias, add_zero_attn=zero, given=given
        )
        x = vectors(seq, batch, seq, size)
        mask = np.where(np.tri(seq) > 0, 0.0, -np.inf)
        t = torch.from_numpy(x)
        theirs, _ = layer(t, t, t, attn_mask=torch.from_numpy(mask))
        settled = cache.Layer(given, heads, zero=zero)
        same(cache.multi_head_attention(settled, x, attention_mask=mask)[0], theirs)
        same(peers.run(solved, x, attention_mask=mask)[0], theirs)


def test_rotation_is_multiplication_by_complex_numbers() -> None:
    draw = np.random.default_rng(3)
    x, places = draw.standard_normal((2, 5, 8)), draw.integers(0, 500, (2, 5))
    points = torch.view_as_complex(torch.from_numpy(x).reshape(2, 5, 4, 2))
    frequencies = 10_000.0 ** (-torch.arange(0, 8, 2, dtype=torch.float64) / 8)
    angles = torch.from_numpy(places)[..., None] * frequencies
    turned = torch.view_as_real(points * torch.polar(torch.ones_like(angles), angles))
    ours = rotary.rotate(x, places, 10_000.0)
    np.testing.assert_allclose(ours, turned.reshape(x.shape).numpy(), rtol=0, atol=1e-6)


def test_the_configuration_is_hugging_faces() -> None:
    from solutions.solution_01 import GPT2Config

    theirs = peers.transformers.GPT2Config()
    for ours in fields(GPT2Config):
        assert getattr(theirs, ours.name) == ours.default, ours.name
