"""The attention oracles against PyTorch and Hugging Face's GPT-2, in float64.

Both are independent of this project: they judge the numbers that judge the learners.
"""

from __future__ import annotations

import numpy as np
import pytest

from checks.shared import attention as oracles

pytestmark = pytest.mark.parity

torch = pytest.importorskip("torch", reason="the parity environment is not installed")

SIZES = [(2, 3, 1, 4), (3, 5, 2, 7), (5, 2, 3, 1), (1, 6, 2, 5), (4, 8, 1, 9)]
"""``(n_head, head_dim, batch, seq)``."""


def heads(seed: int, *shape: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for _ in range(3)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("causal", [True, False])
def test_attention_is_pytorchs(size: tuple[int, int, int, int], causal: bool) -> None:
    n_head, head_dim, batch, seq = size
    query, key, value = heads(1, batch, n_head, seq, head_dim)
    theirs = torch.nn.functional.scaled_dot_product_attention(
        *(torch.from_numpy(a) for a in (query, key, value)), is_causal=causal
    )
    ours = oracles.attention(query, key, value, causal=causal)
    np.testing.assert_allclose(ours, theirs.numpy(), rtol=0, atol=1e-6)


@pytest.mark.parametrize("size", SIZES)
def test_layer_is_pytorchs_multihead_attention(size: tuple[int, int, int, int]) -> None:
    n_head, head_dim, batch, seq = size
    n_embd = n_head * head_dim
    layer = torch.nn.MultiheadAttention(n_embd, n_head, batch_first=True, dtype=torch.float64)
    rng = np.random.default_rng(2)
    weights = {
        "c_attn.weight": rng.standard_normal((3 * n_embd, n_embd)),
        "c_attn.bias": rng.standard_normal(3 * n_embd),
        "c_proj.weight": rng.standard_normal((n_embd, n_embd)),
        "c_proj.bias": rng.standard_normal(n_embd),
    }
    layer.load_state_dict(
        {
            "in_proj_weight": torch.from_numpy(weights["c_attn.weight"]),
            "in_proj_bias": torch.from_numpy(weights["c_attn.bias"]),
            "out_proj.weight": torch.from_numpy(weights["c_proj.weight"]),
            "out_proj.bias": torch.from_numpy(weights["c_proj.bias"]),
        }
    )
    x = rng.standard_normal((batch, seq, n_embd))
    t = torch.from_numpy(x)
    hidden = torch.triu(torch.ones(seq, seq, dtype=torch.bool), diagonal=1)
    theirs, _ = layer(t, t, t, attn_mask=hidden)
    ours = oracles.gpt2_attention(x, weights, n_head)
    np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=0, atol=1e-6)


@pytest.mark.parametrize("size", SIZES)
def test_layer_is_hugging_faces_gpt2_attention(size: tuple[int, int, int, int]) -> None:
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    from transformers.models.gpt2.modeling_gpt2 import GPT2Attention

    n_head, head_dim, batch, seq = size
    n_embd = n_head * head_dim
    config = transformers.GPT2Config(
        n_embd=n_embd, n_head=n_head, attn_pdrop=0.0, resid_pdrop=0.0, attn_implementation="eager"
    )
    layer = GPT2Attention(config).double().eval()
    torch.nn.init.normal_(layer.c_attn.bias)
    torch.nn.init.normal_(layer.c_attn.weight, std=0.5)
    state = {k: v.detach().numpy() for k, v in layer.state_dict().items() if "c_" in k}
    weights = {k: v.T if k.endswith("weight") else v for k, v in state.items()}
    x = np.random.default_rng(3).standard_normal((batch, seq, n_embd))
    hidden = torch.triu(torch.full((seq, seq), -torch.inf, dtype=torch.float64), diagonal=1)
    theirs = layer(torch.from_numpy(x), attention_mask=hidden[None, None])[0]
    ours = oracles.gpt2_attention(x, weights, n_head)
    np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=0, atol=1e-6)
