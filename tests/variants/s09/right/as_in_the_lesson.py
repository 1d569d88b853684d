"""Step 09: the transformer block.

Attention lets tokens exchange information. A small network then works on each token alone. Both
read a normalized copy of the vectors, and both add what they found. That is one block of GPT-2,
and GPT-2 is little more than twelve of them in a row.

Tasks:
    1. Import functional as F, Linear, Module and Tensor.
    2. Create the two layers of the feed-forward network.
    3. Widen, bend, narrow.
    4. Create the two normalizations.
    5. Create the attention and, in the right width, the feed-forward network.
    6. Attend and add; feed forward and add.

Run: pixi run s09
"""

from __future__ import annotations

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm


class GPT2MLP(Module):
    """The feed-forward network of a block: it works on every token by itself.

    Attributes:
        c_fc: Widens, ``n_embd`` to ``intermediate_size``.
        c_proj: Narrows again, ``intermediate_size`` to ``n_embd``.

    Source: Radford et al. 2019; GELU is from Hendrycks and Gimpel 2016, "Gaussian Error Linear
    Units", which also gives the approximation with tanh that GPT-2 uses.
    """

    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        """Create both layers with random weights.

        Args:
            intermediate_size: Width between the two layers.
            config: Its ``n_embd`` is the width outside.
        """
        super().__init__()
        self.c_fc = Linear(config.n_embd, intermediate_size, bias=True)

        self.c_proj = Linear(intermediate_size, config.n_embd, bias=True)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        """Widen, bend, narrow.

        Args:
            hidden_states: ``[..., n_embd]``.

        Returns:
            Tensor ``[..., n_embd]``.
        """
        hidden_states = self.c_fc(hidden_states)  # [..., intermediate_size]

        hidden_states = F.gelu(hidden_states, approximate="tanh")  # [..., intermediate_size]

        return self.c_proj(hidden_states)  # [..., n_embd]


class GPT2Block(Module):
    """One layer of GPT-2: attention, then the feed-forward network, each added to its input.

    Attributes:
        ln_1: Normalization in front of the attention.
        attn: Attention of step 05.
        ln_2: Normalization in front of the feed-forward network.
        mlp: The feed-forward network.

    Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners",
    section 2.3.
    """

    def __init__(self, config: GPT2Config) -> None:
        """Create the four parts with random weights, sized by ``config``."""
        super().__init__()
        self.ln_1 = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)
        self.ln_2 = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)

        self.attn = GPT2Attention(config)

        inner = 4 * config.n_embd if config.n_inner is None else config.n_inner

        self.mlp = GPT2MLP(inner, config)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        """Attend and add, then feed forward and add.

        Args:
            hidden_states: ``[batch, seq, n_embd]``.

        Returns:
            Tensor ``[batch, seq, n_embd]``.
        """
        hidden_states = hidden_states + self.attn(self.ln_1(hidden_states))  # [batch, seq, n_embd]

        return hidden_states + self.mlp(self.ln_2(hidden_states))  # [batch, seq, n_embd]
