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

# TODO: Import functional (as F), Linear, Module and Tensor.
# Hint: from max.experimental import functional as F
# Hint: Linear and Module live in max.experimental.nn, Tensor in max.experimental.tensor.

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
        # TODO: Create the layer that widens.
        # Hint: Linear(in_dim, out_dim, bias=True), from config.n_embd to intermediate_size.
        self.c_fc = None

        # TODO: Create the layer that narrows.
        # Hint: The same two numbers, the other way round.
        self.c_proj = None

    def __call__(self, hidden_states: Tensor) -> Tensor:
        """Widen, bend, narrow.

        Args:
            hidden_states: ``[..., n_embd]``.

        Returns:
            Tensor ``[..., n_embd]``.
        """
        # TODO: Apply the layer that widens.
        hidden_states = None

        # TODO: Bend it with GELU, in GPT-2's variant "gelu_new".
        # Hint: F.gelu(hidden_states, approximate="tanh")
        hidden_states = None

        # TODO: Apply the layer that narrows, and return the result.
        return None


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
        # TODO: Create both normalizations, with the epsilon of the configuration.
        # Hint: LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)
        self.ln_1 = None
        self.ln_2 = None

        # TODO: Create the attention.
        # Hint: GPT2Attention takes the whole configuration.
        self.attn = None

        # TODO: Find the width between the two layers of the feed-forward network.
        # Hint: config.n_inner, or four times config.n_embd if that is None.
        inner = None

        # TODO: Create the feed-forward network.
        self.mlp = None

    def __call__(self, hidden_states: Tensor) -> Tensor:
        """Attend and add, then feed forward and add.

        Args:
            hidden_states: ``[batch, seq, n_embd]``.

        Returns:
            Tensor ``[batch, seq, n_embd]``.
        """
        # TODO: Apply the attention to a normalized copy, and add the vectors themselves.
        # Hint: Add self.attn(self.ln_1(hidden_states)).
        hidden_states = None

        # TODO: Apply the feed-forward network to a normalized copy of these, and add these.
        # Hint: The second copy is made with ln_2, from the vectors after the attention.
        return None
