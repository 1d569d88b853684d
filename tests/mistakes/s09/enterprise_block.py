"""Step 09: transformer block, assembled from builders and small collaborators."""

from __future__ import annotations

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm


class LinearLayerBuilder:
    """Fluent builder for linear layers."""

    def __init__(self) -> None:
        self._input_width = 0
        self._output_width = 0
        self._has_bias = True

    def with_input_width(self, input_width: int) -> LinearLayerBuilder:
        self._input_width = input_width
        return self

    def with_output_width(self, output_width: int) -> LinearLayerBuilder:
        self._output_width = output_width
        return self

    def build(self) -> Linear:
        return Linear(self._input_width, self._output_width, bias=self._has_bias)


class FeedForwardWidthResolver:
    """Decides how wide the hidden layer of the feed-forward network is."""

    DEFAULT_EXPANSION_FACTOR = 4

    def __init__(self, configuration: GPT2Config) -> None:
        self._configuration = configuration

    def resolve(self) -> int:
        if self._is_width_configured():
            return self._configuration.n_inner
        return self._compute_default_width()

    def _is_width_configured(self) -> bool:
        return self._configuration.n_inner is not None

    def _compute_default_width(self) -> int:
        return self.DEFAULT_EXPANSION_FACTOR * self._configuration.n_embd


class GPT2MLP(Module):
    """Feed-forward network. Stateless except for its two projections."""

    GELU_APPROXIMATION = "tanh"

    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        embedding_width = config.n_embd
        self.c_fc = (
            LinearLayerBuilder()
            .with_input_width(embedding_width)
            .with_output_width(intermediate_size)
            .build()
        )
        self.c_proj = (
            LinearLayerBuilder()
            .with_input_width(intermediate_size)
            .with_output_width(embedding_width)
            .build()
        )

    def __call__(self, hidden_states: Tensor) -> Tensor:
        widened_states = self.c_fc(hidden_states)
        activated_states = self._apply_activation(widened_states)
        return self.c_proj(activated_states)

    def _apply_activation(self, widened_states: Tensor) -> Tensor:
        return F.gelu(widened_states, approximate=self.GELU_APPROXIMATION)


class GPT2Block(Module):
    """Pre-norm block: two residual sublayers, executed one after the other."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self._initialize_feed_forward(config)
        self._initialize_attention(config)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        states_after_attention = self._add_attention(hidden_states)
        states_after_feed_forward = self._add_feed_forward(states_after_attention)
        return states_after_feed_forward

    def _initialize_attention(self, config: GPT2Config) -> None:
        self.ln_1 = self._create_normalization(config)
        self.attn = GPT2Attention(config)

    def _initialize_feed_forward(self, config: GPT2Config) -> None:
        feed_forward_width = FeedForwardWidthResolver(config).resolve()
        self.ln_2 = self._create_normalization(config)
        self.mlp = GPT2MLP(feed_forward_width, config)

    @staticmethod
    def _create_normalization(config: GPT2Config) -> LayerNorm:
        return LayerNorm(config.n_embd, config.layer_norm_epsilon)

    def _add_attention(self, incoming_states: Tensor) -> Tensor:
        normalized_copy = self.ln_1(incoming_states)
        attention_result = self.attn(normalized_copy)
        return incoming_states + attention_result

    def _add_feed_forward(self, incoming_states: Tensor) -> Tensor:
        normalized_copy = self.ln_2(incoming_states)
        feed_forward_result = self.mlp(normalized_copy)
        return incoming_states + feed_forward_result
