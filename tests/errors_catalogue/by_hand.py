"""Mistakes that no rewriting of a call makes: each wrong, then as it is right.

The first are those of the course as new learners would take it, the rest others of their kinds.

Longer than 300 lines, because it is one table.
"""

from __future__ import annotations

_CLASS = """\
class Layer(Module):
    def __init__(self, config):
        super().__init__()
        self.c_proj = Linear(config.n_embd, config.n_embd)
        {init}
    def __call__(self, x):
        {body}
result = Layer(config)(x)
"""


def _layer(*, init: str = "pass", body: str = "return self.c_proj(x)") -> str:
    return _CLASS.format(init=init, body=body)


def _with_helper(body: str) -> str:
    helper = "def _merge_heads(self, x):\n        return x"
    return _layer(init=f"self.num_heads = 3\n    {helper}", body=body)


BY_HAND: tuple[tuple[str, str], ...] = (
    # met by new learners
    (
        "result = F.gather(table, F.range(0, 5), axis=0)",
        "result = F.gather(table, F.range(0, 5, dtype=DType.int64), axis=0)",
    ),
    (
        "result = F.gather(table, Tensor([1, 2, 3]), axis=0)",
        "result = F.gather(table, Tensor([1, 2, 3], dtype=DType.int64), axis=0)",
    ),
    (
        "result = embedding(Tensor([[1, 2]]))",
        "result = embedding(Tensor([[1, 2]], dtype=DType.int64))",
    ),
    (
        "positions = F.range(0, 5)\nresult = embedding(positions)",
        "positions = F.range(0, 5, dtype=DType.int64)\nresult = embedding(positions)",
    ),
    ('rows = ["a", "b"]\nresult = "\\n" + rows', 'rows = ["a", "b"]\nresult = "\\n".join(rows)'),
    (
        'rows = ["a", "b"]\nresult = "rows: " + rows',
        'rows = ["a", "b"]\nresult = "rows: " + ", ".join(rows)',
    ),
    ('result = "row " + 3', 'result = "row " + str(3)'),
    ("result = square | square", "result = F.min(square, square)"),
    ("result = square & square", "result = F.min(square, square)"),
    ("result = F.concat([past, key])", "result = F.concat([past, key], axis=-2)"),
    ("result = F.concat([past, key], axis=-1)", "result = F.concat([past, key], axis=-2)"),
    ("result = F.concat(past, key, axis=-2)", "result = F.concat([past, key], axis=-2)"),
    ("result = F.concat((past, key), 1)", "result = F.concat((past, key), -2)"),
    ("q, k, v = F.split(qkv, 3, axis=-1)", "q, k, v = F.split(qkv, [12, 12, 12], axis=-1)"),
    ("q, k, v = F.split(qkv, 3)", "q, k, v = F.split(qkv, [12, 12, 12], axis=-1)"),
    ("q, k, v = F.split(qkv, [12, 24], axis=-1)", "q, k, v = F.split(qkv, [12, 12, 12], axis=-1)"),
    ("q, k = F.split(qkv, [12, 12, 12], axis=-1)", "q, k, v = F.split(qkv, [12, 12, 12], axis=-1)"),
    ("q, k, v = F.split(qkv, [12, 12], axis=-1)", "q, k, v = F.split(qkv, [12, 12, 12], axis=-1)"),
    ("dim = 12\nresult = Tensor.ones(dim)", "dim = 12\nresult = Tensor.ones([dim])"),
    ("result = Tensor.ones(x.shape[-1])", "result = Tensor.ones([x.shape[-1]])"),
    ("n, d = 11, 12\nresult = Embedding(n, d)", "n, d = 11, 12\nresult = Embedding(n, dim=d)"),
    ("result = np.mean(x, keepdims=True)", "result = F.mean(x)"),
    ("result = np.mean(x, axis=-1, keepdims=True)", "result = F.mean(x, axis=-1)"),
    ('result = Tensor("-inf")', 'result = Tensor(float("-inf"))'),
    (
        'result = Tensor(["1", "2"], dtype=DType.float32)',
        "result = Tensor([1, 2], dtype=DType.float32)",
    ),
    (
        "a, b = 5, 5\nresult = F.broadcast_to(zero, a, b)",
        "a, b = 5, 5\nresult = F.broadcast_to(zero, [a, b])",
    ),
    (
        "@F.functional()\ndef f(a):\n    return a\nresult = f(x)",
        "@F.functional\ndef f(a):\n    return a\nresult = f(x)",
    ),
    (
        "result = F.where(keep, float('-inf'), 0.0)",
        "result = F.where(keep, Tensor(float('-inf'), dtype=DType.float32), 0.0)",
    ),
    ("result = F.where(square, 1.0, 0.0)", "result = F.where(square != 0, 1.0, 0.0)"),
    ("result = F.minimum(square, square)", "result = F.min(square, square)"),
    ("result = F.maximum(square, 0.0 * square)", "result = F.max(square, 0.0 * square)"),
    ("result = min(square, square)", "result = F.min(square, square)"),
    ("result = square.min(square)", "result = F.min(square, square)"),
    ("result = keep.unsqueeze(1, 2)", "result = keep.unsqueeze(1).unsqueeze(2)"),
    ("result = F.unsqueeze(keep, 1, 2)", "result = F.unsqueeze(F.unsqueeze(keep, 1), 2)"),
    ("result = keep.unsqueeze([1, 2])", "result = keep.unsqueeze(1).unsqueeze(2)"),
    ("result = keep.unsqueeze((1, 2))", "result = keep.unsqueeze(1).unsqueeze(2)"),
    (
        "result = F.triu(square, 1)",
        "result = F.band_part(square, num_lower=None, num_upper=0, exclude=True)",
    ),
    ("result = F.triu(square)", "result = F.band_part(square, num_lower=0, num_upper=None)"),
    (
        "result = F.triu(square, diagonal=2)",
        "result = F.band_part(square, num_lower=None, num_upper=1, exclude=True)",
    ),
    ("result = F.tril(square)", "result = F.band_part(square, num_lower=None, num_upper=0)"),
    (
        "result = square.tril(-1)",
        "result = F.band_part(square, num_lower=0, num_upper=None, exclude=True)",
    ),
    ("result = mlp.forward(x)", "result = mlp(x)"),
    (
        _layer(init="self.mlp = GPT2MLP(48, config)", body="return self.mlp.forward(x)"),
        _layer(init="self.mlp = GPT2MLP(48, config)", body="return self.mlp(x)"),
    ),
    (
        _layer(init="self.h = ModuleList([Linear(12, 12)])", body="return self.h(x)"),
        _layer(init="self.h = ModuleList([Linear(12, 12)])", body="return self.h[0](x)"),
    ),
    (
        _layer(body="return self.c_proj(scaled_dot_product_attention(x, x, x))"),
        _layer(body="return self.c_proj(scaled_dot_product_attention(x, x, x)[0])"),
    ),
    (
        "out = scaled_dot_product_attention(query, key, value)\nresult = out.transpose(1, 2)",
        "out = scaled_dot_product_attention(query, key, value)\nresult = out[0].transpose(1, 2)",
    ),
    (
        "out = scaled_dot_product_attention(query, key, value)\nresult = out + value",
        "out = scaled_dot_product_attention(query, key, value)\nresult = out[0] + value",
    ),
    ("result = config.n_emb", "result = config.n_embd"),
    ("result = config.num_heads", "result = config.n_head"),
    ("result = config.hidden_size", "result = config.n_embd"),
    ("result = config['n_embd']", "result = config.n_embd"),
    ("result = GPT2MLP(config, 48)", "result = GPT2MLP(48, config)"),
    ("result = GPT2MLP(config)", "result = GPT2MLP(48, config)"),
    ("result = GPT2Block(config.n_embd)", "result = GPT2Block(config)"),
    ("result = GPT2Attention(12, 3)", "result = GPT2Attention(config)"),
    ("result = LayerNorm(config)", "result = LayerNorm(config.n_embd)"),
    ("result = LayerNorm(12, epsilon=1e-5)", "result = LayerNorm(12, eps=1e-5)"),
    (
        "@dataclass\nclass C:\n    a: int = 1\n    b = 2\nresult = C(b=3)",
        "@dataclass\nclass C:\n    a: int = 1\n    b: int = 2\nresult = C(b=3)",
    ),
    (
        "@dataclass\nclass C:\n    a: int = 1\n    b: int\nresult = C(b=3)",
        "@dataclass\nclass C:\n    a: int = 1\n    b: int = 2\nresult = C(b=3)",
    ),
    (
        "@dataclass\nclass C:\n    a: list = []\nresult = C()",
        "from dataclasses import field\n@dataclass\nclass C:\n"
        "    a: list = field(default_factory=list)\nresult = C()",
    ),
    # on self
    (_layer(body="return self.c_prj(x)"), _layer()),
    (_layer(body="return c_proj(x)"), _layer()),
    (_layer(body="return self.c_attn(x)"), _layer()),
    (
        _layer(init="self.num_heads = config.n_head", body="return x / num_heads"),
        _layer(init="self.num_heads = config.n_head", body="return x / self.num_heads"),
    ),
    (
        _layer(init="self.scale = None", body="return x * self.scale"),
        _layer(init="self.scale = 2.0", body="return x * self.scale"),
    ),
    (_layer(init="self.c_attn = None", body="return self.c_attn(x)"), _layer()),
    (_layer(body="y = None\n        return self.c_proj(y)"), _layer()),
    (_layer(body="return self._merge(x)"), _layer()),
    (
        _layer(init="self.heads = config.n_head", body="return x.reshape(self.heads.shape)"),
        _layer(),
    ),
    # shapes and lengths
    ("result = query @ key", "result = query @ key.transpose(-1, -2)"),
    ("result = query @ key.transpose(1, 2)", "result = query @ key.transpose(-1, -2)"),
    ("result = scores @ value.transpose(-1, -2)", "result = scores @ value"),
    ("result = linear(qkv)", "result = linear(x)"),
    ("result = linear(query)", "result = linear(x)"),
    ("result = Linear(12, 36)(qkv)", "result = Linear(36, 12)(qkv)"),
    ("result = x + numbers(2, 12, 5)", "result = x + numbers(2, 12, 5).transpose(-1, -2)"),
    ("result = scores + numbers(2, 5, 5)", "result = scores + numbers(2, 5, 5).unsqueeze(1)"),
    ("result = x.reshape([2, 5, 3, 5])", "result = x.reshape([2, 5, 3, 4])"),
    ("result = x.reshape(2, 5, 12)", "result = x.reshape([2, 5, 12])"),
    ("result = x.reshape([x.shape[:-1], 3, 4])", "result = x.reshape([*x.shape[:-1], 3, 4])"),
    ("result = x.reshape(x.shape[:-1] + (3, 4))", "result = x.reshape(x.shape[:-1] + [3, 4])"),
    ("result = x.shape[:-1] + 3", "result = x.shape[:-1] + [3]"),
    ("result = x.reshape([2, 5, 3, 12 / 3])", "result = x.reshape([2, 5, 3, 12 // 3])"),
    (
        "n = 12 / 3\nresult = x.reshape([2, 5, 3, n])",
        "n = 12 // 3\nresult = x.reshape([2, 5, 3, n])",
    ),
    (
        "result = scores / math.sqrt(value.shape[-1])",
        "result = scores / math.sqrt(int(value.shape[-1]))",
    ),
    ("result = scores / value.shape[-1] ** 0.5", "result = scores / int(value.shape[-1]) ** 0.5"),
    (
        "d = value.shape[-1]\nresult = scores / math.sqrt(d)",
        "d = value.shape[-1]\nresult = scores / math.sqrt(int(d))",
    ),
    ("d = value.shape[-1]\nresult = scores * d", "d = value.shape[-1]\nresult = scores * int(d)"),
    ("result = [i for i in range(x.shape[1])]", "result = [i for i in range(int(x.shape[1]))]"),
    ("result = np.zeros(x.shape)", "result = np.zeros([int(n) for n in x.shape])"),
    ("result = x.shape()", "result = x.shape"),
    ("result = x.shape(0)", "result = x.shape[0]"),
    ("result = x.size(0)", "result = x.shape[0]"),
    ("result = len(x)", "result = int(x.shape[0])"),
    (
        "result = scores / F.sqrt(value.shape[-1])",
        "result = scores / math.sqrt(int(value.shape[-1]))",
    ),
    ("result = math.sqrt(x)", "result = F.sqrt(x)"),
    ("result = np.exp(x)", "result = F.exp(x)"),
    ("result = np.concatenate([past, key], axis=-2)", "result = F.concat([past, key], axis=-2)"),
    ("result = np.where(keep, scores, other)", "result = F.where(keep, scores, other)"),
    ("result = x.permute(0, 2, 1)", "result = x.permute([0, 2, 1])"),
    ("result = query.permute([0, 2, 1])", "result = query.permute([0, 2, 1, 3])"),
    ("result = query.view(2, 3, 20)", "result = query.reshape([2, 3, 20])"),
    (
        "result = query.transpose(1, 2).contiguous().view(2, 5, 12)",
        "result = query.transpose(1, 2).reshape([2, 5, 12])",
    ),
    ("result = scores.softmax(dim=-1)", "result = F.softmax(scores, axis=-1)"),
    ("result = F.softmax(scores, dim=-1)", "result = F.softmax(scores, axis=-1)"),
    (
        "result = scores.masked_fill(keep, float('-inf'))",
        "result = F.where(keep, float('-inf'), scores)",
    ),
    ("result = x.var(dim=-1, keepdim=True)", "result = F.mean(x * x) - x.mean() * x.mean()"),
    ("result = x.pow(2)", "result = F.pow(x, 2)"),
    ("result = x.float()", "result = x.cast(DType.float32)"),
    ("result = x.to(DType.float32)", "result = x.cast(DType.float32)"),
    ("result = x.astype(np.float32)", "result = x.cast(DType.float32)"),
    ("result = x.numpy()", "result = x.to_numpy()"),
    ("result = x.values", "result = x.to_numpy()"),
    ("result = torch.cat([past, key], dim=2)", "result = F.concat([past, key], axis=2)"),
    ("result = F.cat([past, key], dim=2)", "result = F.concat([past, key], axis=2)"),
    ("result = F.gelu(x, 'gelu_new')", "result = F.gelu(x, 'tanh')"),
    ("result = F.gelu_new(x)", "result = F.gelu(x, approximate='tanh')"),
    (
        "result = F.layer_norm(x, weight, bias, eps=1e-5)",
        "result = F.layer_norm(x, weight, bias, epsilon=1e-5)",
    ),
    (
        "result = F.layer_norm(x, [12], weight, bias)",
        "result = F.layer_norm(x, weight, bias, 1e-5)",
    ),
    ("result = keep * -1e9", "result = keep.cast(DType.float32) * -1e9"),
    ("result = 1.0 - keep", "result = 1.0 - keep.cast(DType.float32)"),
    ("if keep:\n    result = x", "if keep is not None:\n    result = x"),
    ("result = keep and keep", "result = keep & keep"),
    ("result = ids + 0.5", "result = ids.cast(DType.float32) + 0.5"),
    ("result = linear(ids)", "result = linear(embedding(ids))"),
    ("result = x[:, :, 12]", "result = x[:, :, 11]"),
    ("result = x[:, :9]", "result = x[:, :5]"),
    ("q, k, v = x", "q, k, v = x, x, x"),
    ("for t in x:\n    result = t", "result = x[0]"),
    ("result = blocks[2](x)", "result = blocks[1](x)"),
    (
        "past_key_value = None\nresult = past_key_value[0]",
        "past_key_value = (past, past)\nresult = past_key_value[0]",
    ),
    ("result = table.T()", "result = table.T"),
    ("result = embedding.weight(ids)", "result = embedding(ids)"),
    ("result = linear.parameters['weight']", "result = dict(linear.parameters)['weight']"),
    ("result = [p for p in linear.parameters()]", "result = [p for p in linear.parameters]"),
    ("result = causal_mask(5, 0)", "result = causal_mask(5, 0, dtype=DType.float32, device=CPU())"),
    (
        "result = causal_mask(5, 0, query.dtype, query.device)",
        "result = causal_mask(5, 0, dtype=query.dtype, device=query.device)",
    ),
    ("result = scores + causal_mask", "result = scores + square"),
    (
        "result = rotary(F.range(0, 5, dtype=DType.int64), query)",
        "result = rotary(query, F.range(0, 5, dtype=DType.int64))",
    ),
    (
        "rotate = RotaryEmbedding(8, 4, 10000.0)\n"
        "result = rotate(numbers(2, 3, 5, 8), F.range(0, 5, dtype=DType.int64))",
        "rotate = RotaryEmbedding(8, 5, 10000.0)\n"
        "result = rotate(numbers(2, 3, 5, 8), F.range(0, 5, dtype=DType.int64))",
    ),
    ("result = ModuleList(linear, linear)", "result = ModuleList([linear, linear])"),
    ("result = ModuleList(linear)", "result = ModuleList([linear])"),
    ("result = Linear(12, 36, True)", "result = Linear(12, 36, bias=True)"),
    ("result = Linear(in_features=12, out_features=36)", "result = Linear(in_dim=12, out_dim=36)"),
    ("result = Linear(12, 36, bias=True)(x).split(12, 2)[0].T()", "result = linear(x).T"),
    ("result = (x - 1.0) ^ 2", "result = (x - 1.0) ** 2"),
    ("result = 1.0 / 10000.0 ^ (2.0 / 4)", "result = 1.0 / 10000.0 ** (2.0 / 4)"),
    ("result = len({1, 2} ^ tokens)", "result = len({1, 2} ^ set(tokens))"),
    ("result = min(9, logits.length)", "result = min(9, len(logits))"),
    ("result = ', '.join(map(str, tokens.filter(lambda one: one > 1)))", "result = '2, 3'"),
    ("names = ['a', 'b']\nresult = names.join('; ')", "result = '; '.join(['a', 'b'])"),
    ("if not tokens.isEmpty():\n    result = 1", "result = 1"),
    ("if not tokens.contains(4):\n    result = 1", "result = 1"),
    ("names = {}\nnames.put('a', 1)", "names = {'a': 1}"),
    ("result = 'h.0.ln_1'.substring(2, 4)", "result = 'h.0.ln_1'[2:4]"),
    ("result = past.concat([key], axis=-2)", "result = F.concat([past, key], axis=-2)"),
    ("result = past.concat(key, axis=-2)", "result = F.concat([past, key], axis=-2)"),
    ("from max.experimental.nn import Dense", "from max.experimental.nn import Linear"),
    (
        "from max.experimental import nn\nresult = nn.Dense(features=36, use_bias=False)",
        "result = Linear(12, 36, bias=False)",
    ),
    ("from max.experimental import nn\nresult = nn.Conv1D(36, 12)", "result = Linear(12, 36)"),
    (
        "from max.experimental import nn\nresult = nn.Embed(11, 12)",
        "result = Embedding(11, dim=12)",
    ),
    ("from max.experimental.nn import Liner", "from max.experimental.nn import Linear"),
    ("from max.experimental.tensor import Tensors", "from max.experimental.tensor import Tensor"),
    ("from max.nn import functional as F", "from max.experimental import functional as F"),
    ("from max.experimental.functional import F", "from max.experimental import functional as F"),
    ("import torch", "import max"),
    ("from max.experimentl import functional as F", "from max.experimental import functional as F"),
    ("result = undefined_name", "result = x"),
    # what is written in its place must do the same
    ("result = len(x.shape[1])", "result = x.shape[1]"),
    ("result = math.sqrt(len(x.shape[1]))", "result = math.sqrt(int(x.shape[1]))"),
    ("result = math.sqrt(x.size(-1))", "result = math.sqrt(int(x.shape[-1]))"),
    ("result = np.arange(3).unsqueeze(-1) * logits", "result = np.arange(3)[:, None] * logits"),
    ("result = np.arange(3) * logits", "result = np.arange(3)[:, None] * logits"),
    (
        "def f(a, b, c):\n    return a\nrest = (1, 2)\nresult = f(x, rest)",
        "def f(a, b, c):\n    return a\nrest = (1, 2)\nresult = f(x, *rest)",
    ),
    ("n = 5\nresult = F.range(n)", "n = 5\nresult = F.range(0, n)"),
    ("result = np.sort(logits)[tokens[2] + 8]", "result = np.sort(logits)[-tokens[2]]"),
    # a name that another resembles, and one that none does
    ("result = F.range(0, 5, dtype=F.int64)", "result = F.range(0, 5, dtype=DType.int64)"),
    ("result = x.cast(Tensor.float32)", "result = x.cast(DType.float32)"),
    ("result = x.cast(np.float32)", "result = x.cast(DType.float32)"),
    ("result = Linear(12, 12, bias=true)", "result = Linear(12, 12, bias=True)"),
    ("past = none\nresult = x", "past = None\nresult = x"),
    (
        _with_helper("return self.merge_heads(x)"),
        _with_helper("return self._merge_heads(x)"),
    ),
    (
        _with_helper("return self.merge_head(x)"),
        _with_helper("return self._merge_heads(x)"),
    ),
    (
        _with_helper("return self.MergeHeads(x)"),
        _with_helper("return self._merge_heads(x)"),
    ),
    ("result = Tensr([1.0])", "result = Tensor([1.0])"),
    ("result = sqrt(4)", "result = math.sqrt(4)"),
    (
        "tokens = [1]\ntokens = tokens.append(2)\nresult = tokens[0]",
        "tokens = [1]\ntokens.append(2)\nresult = tokens[0]",
    ),
    ("result = logits[11]", "result = logits[10]"),
    ("result = int(logits)", "result = int(logits[0])"),
    ("result = np.argmax(logits, axis=-1)[0]", "result = np.argmax(logits, axis=-1)"),
    ("result = Tensor(tokens, DType.int64)", "result = Tensor(tokens, dtype=DType.int64)"),
    ("result = Tensor([tokens], dtype=int)", "result = Tensor([tokens], dtype=DType.int64)"),
    ("result = finfo(x).min", "result = finfo(x.dtype).min"),
    ("result = finfo('float32').min", "result = finfo(DType.float32).min"),
    ("result = np.finfo(x.dtype).min", "result = finfo(x.dtype).min"),
    ("result = x.dtype.min", "result = finfo(x.dtype).min"),
    ("def f(n):\n    return f(n)\nresult = f(1)", "def f(n):\n    return n\nresult = f(1)"),
    (
        "def f():\n    if False:\n        y = 1\n    return y\nresult = f()",
        "def f():\n    return 1\nresult = f()",
    ),
    (
        "def f(a):\n    a + 1\nresult = f(x).shape",
        "def f(a):\n    return a + 1\nresult = f(x).shape",
    ),
    ("def f(a):\n    a + 1\nresult = f(x) + x", "def f(a):\n    return a + 1\nresult = f(x) + x"),
)
"""Wrong code, and the same code right."""
