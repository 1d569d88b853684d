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

Run: ./pixiw run s09
"""

from __future__ import annotations

# >>> blank: imports
# TODO: Import functional (as F), Linear, Module and Tensor.
# Hint: from max.experimental import functional as F
# Hint: Linear and Module live in max.experimental.nn, Tensor in max.experimental.tensor.
# stub:
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

# <<< blank
from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm


class GPT2MLP(Module):
    """The feed-forward network of a block: it works on every token separately.

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
        # >>> blank: c-fc
        # TODO: Create the layer that widens.
        # Hint: Linear(in_dim, out_dim, bias=True), from config.n_embd to intermediate_size.
        # stub: self.c_fc = None
        self.c_fc = Linear(config.n_embd, intermediate_size, bias=True)
        # <<< blank

        # >>> blank: mlp-c-proj
        # TODO: Create the layer that narrows.
        # Hint: The same two numbers, the other way round.
        # stub: self.c_proj = None
        self.c_proj = Linear(intermediate_size, config.n_embd, bias=True)
        # <<< blank

    def __call__(self, hidden_states: Tensor) -> Tensor:
        """Widen, bend, narrow.

        Args:
            hidden_states: ``[..., n_embd]``.

        Returns:
            Tensor ``[..., n_embd]``.
        """
        # >>> blank: call-c-fc
        # TODO: Apply the layer that widens.
        # stub: hidden_states = None
        hidden_states = self.c_fc(hidden_states)  # [..., intermediate_size]
        # <<< blank

        # >>> blank: gelu
        # TODO: Bend it with GELU, in GPT-2's variant "gelu_new".
        # Hint: F.gelu(hidden_states, approximate="tanh")
        # stub: hidden_states = None
        hidden_states = F.gelu(hidden_states, approximate="tanh")  # [..., intermediate_size]
        # <<< blank

        # >>> blank: call-mlp-c-proj
        # TODO: Apply the layer that narrows, and return the result.
        # stub: return None
        return self.c_proj(hidden_states)  # [..., n_embd]
        # <<< blank


class GPT2Block(Module):
    """One layer of GPT-2: attention, then the feed-forward network, each added to its input.

    Attributes:
        ln_1: Normalization before the attention.
        attn: Attention of step 05.
        ln_2: Normalization before the feed-forward network.
        mlp: The feed-forward network.

    Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners",
    section 2.3.
    """

    def __init__(self, config: GPT2Config) -> None:
        """Create the four parts with random weights, sized by ``config``."""
        super().__init__()
        # >>> blank: norms
        # TODO: Create both normalizations, with the epsilon of the configuration.
        # Hint: LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)
        # stub: self.ln_1 = None
        # stub: self.ln_2 = None
        self.ln_1 = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)
        self.ln_2 = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)
        # <<< blank

        # >>> blank: attn
        # TODO: Create the attention.
        # Hint: GPT2Attention takes the whole configuration.
        # stub: self.attn = None
        self.attn = GPT2Attention(config)
        # <<< blank

        # >>> blank: inner
        # TODO: Find the width between the two layers of the feed-forward network.
        # Hint: config.n_inner, or four times config.n_embd if that is None.
        # stub: inner = None
        inner = 4 * config.n_embd if config.n_inner is None else config.n_inner
        # <<< blank

        # >>> blank: mlp
        # TODO: Create the feed-forward network.
        # stub: self.mlp = None
        self.mlp = GPT2MLP(inner, config)
        # <<< blank

    def __call__(self, hidden_states: Tensor) -> Tensor:
        """Attend and add, then feed forward and add.

        Args:
            hidden_states: ``[batch, seq, n_embd]``.

        Returns:
            Tensor ``[batch, seq, n_embd]``.
        """
        # >>> blank: attend
        # TODO: Apply the attention to a normalized copy, and add the vectors themselves.
        # Hint: Add self.attn(self.ln_1(hidden_states)).
        # stub: hidden_states = None
        hidden_states = hidden_states + self.attn(self.ln_1(hidden_states))  # [batch, seq, n_embd]
        # <<< blank

        # >>> blank: feed-forward
        # TODO: Apply the feed-forward network to a normalized copy of these, and add these.
        # Hint: The second copy is made with ln_2, from the vectors after the attention.
        # stub: return None
        return hidden_states + self.mlp(self.ln_2(hidden_states))  # [batch, seq, n_embd]
        # <<< blank
