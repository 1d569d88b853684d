"""Step 10: attention as a join of tables. The past is a ledger that is only appended to."""

from __future__ import annotations

from dataclasses import dataclass

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding

KeyValue = tuple[Tensor, Tensor]
MAX_POSITIONS = 2048
THETA = 10000.0
ROWS, COLS = -2, -1  # rows of a table are tokens, columns are features


@dataclass(frozen=True)
class Ledger:
    """The table of everything that was looked at: one row for each token."""

    keys: Tensor | None = None
    values: Tensor | None = None

    @classmethod
    def load(cls, record: KeyValue | None) -> Ledger:
        return cls() if record is None else cls(*record)

    def count(self):
        """select count(*)"""
        return 0 if self.keys is None else self.keys.shape[ROWS]

    def insert(self, keys: Tensor, values: Tensor) -> Ledger:
        """union all: old rows first. The old ledger stays as it was."""
        if self.keys is None:
            return Ledger(keys, values)
        return Ledger(
            keys=F.concat([self.keys, keys], axis=ROWS),
            values=F.concat([self.values, values], axis=ROWS),
        )

    def dump(self) -> KeyValue:
        return self.keys, self.values


class MultiHeadAttention(Module):
    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        dropout: float = 0.1,
        bias: bool = True,
        add_zero_attn: bool = False,
        use_rotary: bool = False,
        attention_scale: float | None = None,
    ) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.add_zero_attn = add_zero_attn
        self.dropout = dropout  # not used: nothing is trained here

        self.scale = attention_scale
        if self.scale is None:
            self.scale = 1 / self.head_dim**0.5
        self.rotary = (
            RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA) if use_rotary else None
        )

        self.qkv_proj = Linear(hidden_size, hidden_size * 3, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)

    def _split_heads(self, tensor: Tensor) -> Tensor:
        batch, seq, _ = tensor.shape
        table = tensor.reshape([batch, seq, self.num_heads, self.head_dim])
        return table.permute([0, 2, 1, 3])

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        batch, _, seq, _ = tensor.shape
        return tensor.permute([0, 2, 1, 3]).reshape([batch, seq, self.hidden_size])

    def _share(self, scores: Tensor, query: Tensor) -> Tensor:
        """Shares of each row; with the option, one null column takes part and is dropped."""
        if not self.add_zero_attn:
            return F.softmax(scores)
        null = query[..., :1] * 0
        wide = F.concat([scores, null], axis=COLS)
        return F.softmax(wide)[..., :-1]

    def _attn(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
    ) -> Tensor:
        scores = (query @ key.transpose(ROWS, COLS)) * self.scale
        for extra in (position_bias, attention_mask):
            if extra is not None:
                scores = scores + extra
        return self._share(scores, query) @ value

    def _row_numbers(self, first, tensor: Tensor) -> Tensor:
        """row_number() over the whole text"""
        last = first + tensor.shape[ROWS]
        return F.range(first, last, dtype=DType.int64, device=tensor.device)

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        ledger = Ledger.load(past_key_value)

        columns = F.split(self.qkv_proj(hidden_states), [self.hidden_size] * 3, axis=COLS)
        query, key, value = map(self._split_heads, columns)

        if self.rotary is not None:
            places = self._row_numbers(ledger.count(), query)
            query = self.rotary(query, places)
            key = self.rotary(key, places)

        ledger = ledger.insert(key, value)
        context = self._attn(
            query, ledger.keys, ledger.values, attention_mask, position_bias
        )
        output = self.out_proj(self._merge_heads(context))
        return output, ledger.dump() if use_cache else None
