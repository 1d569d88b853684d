"""The transformer block of GPT-2, explained step by step."""

from __future__ import annotations

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm

# How many times wider the hidden layer of the MLP is, if the config does not say.
DEFAULT_EXPANSION_FACTOR = 4

# Names of Hugging Face on the left, names of MAX on the right.
GELU_VARIANTS = {"gelu": "none", "gelu_new": "tanh"}


def resolve_intermediate_size(config: GPT2Config) -> int:
    """Return the width of the hidden layer of the MLP.

    Args:
        config: The model configuration.

    Returns:
        ``n_inner``, or the default multiple of ``n_embd``.
    """
    if config.n_inner is not None:
        return config.n_inner
    return DEFAULT_EXPANSION_FACTOR * config.n_embd


def create_layer_norm(config: GPT2Config) -> LayerNorm:
    """Create one layer normalization for the block."""
    embedding_dimension = config.n_embd
    epsilon = config.layer_norm_epsilon
    return LayerNorm(embedding_dimension, epsilon)


class GPT2MLP(Module):
    """Position-wise feed-forward network."""

    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        """Initialize the two linear layers.

        Args:
            intermediate_size: The width of the hidden layer.
            config: The model configuration.
        """
        super().__init__()
        embedding_dimension = config.n_embd
        self.c_fc = Linear(in_dim=embedding_dimension, out_dim=intermediate_size)
        self.c_proj = Linear(in_dim=intermediate_size, out_dim=embedding_dimension)

    def _activate(self, values: Tensor) -> Tensor:
        """Apply the activation function of GPT-2."""
        variant = GELU_VARIANTS["gelu_new"]
        activated = F.gelu(values, approximate=variant)
        return activated

    def forward(self, hidden_states: Tensor) -> Tensor:
        """Run the forward pass.

        Args:
            hidden_states: The input tensor.

        Returns:
            A tensor of the same shape.
        """
        # Step 1: expand
        expanded = self.c_fc(hidden_states)
        # Step 2: activate
        activated = self._activate(expanded)
        # Step 3: project back
        projected = self.c_proj(activated)
        return projected


class GPT2Block(Module):
    """Pre-norm transformer block."""

    def __init__(self, config: GPT2Config) -> None:
        """Initialize all sub-modules of the block.

        Args:
            config: The model configuration.
        """
        super().__init__()
        # First sub-layer: attention
        self.ln_1 = create_layer_norm(config)
        self.attn = GPT2Attention(config)

        # Second sub-layer: feed-forward network
        self.ln_2 = create_layer_norm(config)
        intermediate_size = resolve_intermediate_size(config)
        self.mlp = GPT2MLP(intermediate_size, config)

    def _attention_sublayer(self, hidden_states: Tensor) -> Tensor:
        """Normalize and attend. The residual is added by the caller."""
        normalized_states = self.ln_1(hidden_states)
        attention_output = self.attn(normalized_states)
        return attention_output

    def _feed_forward_sublayer(self, hidden_states: Tensor) -> Tensor:
        """Normalize and feed forward. The residual is added by the caller."""
        normalized_states = self.ln_2(hidden_states)
        feed_forward_output = self.mlp(normalized_states)
        return feed_forward_output

    def forward(self, hidden_states: Tensor) -> Tensor:
        """Run the forward pass.

        Args:
            hidden_states: The input tensor of shape (batch, seq, n_embd).

        Returns:
            A tensor of the same shape.
        """
        # Step 1: attention with residual connection
        residual = hidden_states
        attention_output = self._attention_sublayer(hidden_states)
        hidden_states = residual + attention_output

        # Step 2: feed-forward network with residual connection
        residual = hidden_states
        feed_forward_output = self._feed_forward_sublayer(hidden_states)
        hidden_states = residual + feed_forward_output

        # Step 3: return the new hidden states
        return hidden_states
