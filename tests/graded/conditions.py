"""Under which conditions a mistake of each step is tried: see :mod:`tests.graded.conditional`.

A condition is a Python expression about ``c``, a call as ``dispatch`` describes it. Those that
lengths have in common are made by machine: each is one, each pair is equal.

Longer than 300 lines, because the conditions of all steps are one table.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Target:
    """What of a program is wrong under a condition, and which conditions its contract allows.

    ``methods`` are those of a class; none for a function. ``lengths`` names expressions for what
    can be equal or one, ``others`` further conditions.
    """

    name: str
    methods: tuple[str, ...] = ()
    lengths: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)
    state: bool = True
    never: Mapping[str, str] = field(default_factory=dict)
    """Conditions that no call can meet, each with the reason."""

    def conditions(self) -> dict[str, str]:
        """All of them, by name."""
        found = {f"{name} is 1": f"{text} == 1" for name, text in self.lengths.items()}
        for (one, first), (two, second) in itertools.combinations(self.lengths.items(), 2):
            found[f"{one} equals {two}"] = f"{first} == {second}"
        if self.state:
            found["second call"] = "c.calls == 1" if self.methods else "c.calls >= 1"
            found["from the third call on"] = "c.calls >= 2"
            if self.methods:
                found["every object but the first"] = "c.number >= 1"
        found = {name: text for name, text in found.items() if name not in self.never}
        return {**found, **self.others}


def _is(name: str) -> str:
    return f"c.a[{name!r}] is not None"


def _none(name: str) -> str:
    return f"c.a[{name!r}] is None"


def _dim(name: str) -> str:
    return f"(type(c.a[{name!r}]).__name__ != 'int')"


_CALL = ("__call__",)
_TEXTS = {"batch": "c.size('hidden_states', 0)", "seq": "c.size('hidden_states', 1)"}
_HEADS = {
    "heads": "c.init['config'].n_head",
    "head_dim": "c.init['config'].n_embd // c.init['config'].n_head",
    "width": "c.init['config'].n_embd",
}
_WIDTH = {
    "width is 1": "it is heads and head_dim that are 1",
    "heads equals width": "it is head_dim that is 1",
    "head_dim equals width": "it is heads that is 1",
}
"""What is said of a width in other words."""
_LONG = {
    "beyond 256 tokens": "c.size('hidden_states', 1) > 256",
    "beyond 512 tokens": "c.size('hidden_states', 1) > 512",
    "more than 25 heads": "c.init['config'].n_head > 25",
    "wider heads than 64": "c.init['config'].n_embd // c.init['config'].n_head > 64",
    "more than 32 texts": "c.size('hidden_states', 0) > 32",
}

_MASK = Target(
    "causal_mask",
    (),
    {"sequence_length": "int(c.a['sequence_length'])", "num_tokens": "int(c.a['num_tokens'])"},
    {
        "earlier tokens": "int(c.a['num_tokens']) > 0",
        "more earlier than new": "int(c.a['num_tokens']) > int(c.a['sequence_length'])",
        "float64": "c.a['dtype'].name == 'float64'",
        "float16": "c.a['dtype'].name == 'float16'",
        "beyond 256 tokens": "int(c.a['sequence_length']) > 256",
        "a Dim": _dim("sequence_length"),
        "a Dim of earlier tokens": _dim("num_tokens"),
        "a Dim, and an int of earlier tokens": f"{_dim('sequence_length')} "
        f"and not {_dim('num_tokens')}",
        "an int, and a Dim of earlier tokens": f"{_dim('num_tokens')} "
        f"and not {_dim('sequence_length')}",
    },
)

_X = "hidden_states"
_PAST = "(0 if c.a['past_key_value'] is None else int(c.a['past_key_value'][0].shape[-2]))"

CONDITIONS: Mapping[str, tuple[Target, ...]] = {
    "s01": (
        Target(
            "GPT2Config",
            ("__init__",),
            {},
            {
                "every object but the first": "c.number >= 1",
                "from the third object on": "c.number >= 2",
                "n_embd given": "c.a['n_embd'] != 768",
                "n_inner given": "c.a['n_inner'] is not None",
                "n_head given": "c.a['n_head'] != 12",
                "vocab_size given": "c.a['vocab_size'] != 50257",
                "n_positions given": "c.a['n_positions'] != 1024",
                "epsilon given": "c.a['layer_norm_epsilon'] != 1e-5",
            },
            state=False,
        ),
    ),
    "s02": (_MASK,),
    "s03": (
        Target(
            "scaled_dot_product_attention",
            (),
            {
                "queries": "c.size('query', -2)",
                "keys": "c.size('key', -2)",
                "head_dim": "c.size('query', -1)",
                "value_dim": "c.size('value', -1)",
                "batch": "c.size('query', 0)",
            },
            {
                "without a mask": _none("mask"),
                "with a mask": _is("mask"),
                "2-D": "len(c.a['query'].shape) == 2",
                "3-D": "len(c.a['query'].shape) == 3",
                "4-D": "len(c.a['query'].shape) == 4",
                "5-D": "len(c.a['query'].shape) == 5",
                "a mask of 2 axes": "len(c.a['mask'].shape) == 2",
                "a mask of 4 axes": "len(c.a['mask'].shape) == 4",
                "a mask with one row": "c.size('mask', -2) == 1",
                "a mask of one axis": "len(c.a['mask'].shape) == 1",
                "equal lengths, no mask": "c.size('query', -2) == c.size('key', -2) "
                "and c.a['mask'] is None",
            },
        ),
    ),
    "s04": (
        Target(
            "padding_mask",
            (),
            {"batch": "c.size('token_ids', 0)", "seq": "c.size('token_ids', 1)"},
            {
                "token 0 pads": "c.a['pad_token_id'] == 0",
                "float64": "c.a['dtype'].name == 'float64'",
                "int32 tokens": "c.a['token_ids'].dtype.name == 'int32'",
                "a large padding token": "c.a['pad_token_id'] >= 50000",
            },
            never={"float16": "the mask is float32 or float64; a note says what float16 would do"},
        ),
        Target(
            "combine_masks",
            (),
            {"batch": "c.size('padding', 0)", "seq": "c.size('causal', -1)"},
            {"padding of float64": "c.a['padding'].dtype.name == 'float64'"},
        ),
    ),
    "s05": (Target("GPT2Attention", _CALL, _TEXTS | _HEADS, _LONG, never=_WIDTH),),
    "s06": (
        Target(
            "RotaryEmbedding",
            _CALL,
            {
                "leading": "c.size('x', 0)",
                "seq": "c.size('x', -2)",
                "d_k": "c.size('x', -1)",
                "half of d_k": "c.size('x', -1) // 2",
            },
            {
                "2-D": "len(c.a['x'].shape) == 2",
                "3-D": "len(c.a['x'].shape) == 3",
                "4-D": "len(c.a['x'].shape) == 4",
                "shared positions": "len(c.a['token_positions'].shape) == 1",
                "positions of each text": "len(c.a['token_positions'].shape) > 1",
                "theta 10000": "c.init['theta'] == 10000",
                "another theta": "c.init['theta'] != 10000",
                "int32 positions": "c.a['token_positions'].dtype.name == 'int32'",
                "1024 positions and more": "c.init['max_seq_len'] >= 1024",
            },
            never={
                "d_k is 1": "pairs of features turn: the width is even",
                "d_k equals half of d_k": "only 0 is its own half",
            },
        ),
        Target(
            "MultiHeadSelfAttentionRoPE",
            _CALL,
            {
                "leading": "c.size('in_features', 0)",
                "seq": "c.size('in_features', -2)",
                "heads": "c.init['num_heads']",
                "d_k": "c.init['d_model'] // c.init['num_heads']",
                "d_model": "c.init['d_model']",
            },
            {
                "2-D": "len(c.a['in_features'].shape) == 2",
                "3-D": "len(c.a['in_features'].shape) == 3",
                "4-D": "len(c.a['in_features'].shape) == 4",
                "shared positions": "len(c.a['token_positions'].shape) == 1",
                "beyond 256 tokens": "c.size('in_features', -2) > 256",
            },
            never={
                "d_k is 1": "pairs of features turn: the width is even",
                "d_model is 1": "pairs of features turn: the width is even",
                "heads equals d_model": "d_k would be 1",
                "d_k equals d_model": "it is heads that is 1",
            },
        ),
    ),
    "s07": (Target("GPT2MultiHeadAttention", _CALL, _TEXTS | _HEADS, _LONG, never=_WIDTH),),
    "s08": (
        Target(
            "LayerNorm",
            _CALL,
            {"first": "c.size('x', 0)", "seq": "c.size('x', -2)", "dim": "c.size('x', -1)"},
            {
                "1-D": "len(c.a['x'].shape) == 1",
                "2-D": "len(c.a['x'].shape) == 2",
                "3-D": "len(c.a['x'].shape) == 3",
                "4-D": "len(c.a['x'].shape) == 4",
                "the usual eps": "c.init['eps'] == 1e-5",
                "a large eps": "c.init['eps'] > 1e-3",
                "a tiny eps": "c.init['eps'] < 1e-8",
                "768 wide": "c.size('x', -1) >= 768",
            },
        ),
        Target(
            "residual",
            (),
            {"batch": "c.size('x', 0)", "seq": "c.size('x', -2)", "dim": "c.size('x', -1)"},
            {"2-D": "len(c.a['x'].shape) == 2", "3-D": "len(c.a['x'].shape) == 3"},
            never={"dim is 1": "the norm of one number is its bias, whatever it reads"},
        ),
    ),
    "s09": (
        Target(
            "GPT2MLP",
            _CALL,
            {
                "first": f"c.size({_X!r}, 0)",
                "width": f"c.size({_X!r}, -1)",
                "inner": "c.init['intermediate_size']",
            },
            {
                "2-D": f"len(c.a[{_X!r}].shape) == 2",
                "3-D": f"len(c.a[{_X!r}].shape) == 3",
                "4-D": f"len(c.a[{_X!r}].shape) == 4",
                "narrower than the width": f"c.init['intermediate_size'] < c.size({_X!r}, -1)",
                "four times the width": f"c.init['intermediate_size'] == 4 * c.size({_X!r}, -1)",
            },
        ),
        Target(
            "GPT2Block",
            _CALL,
            _TEXTS | _HEADS,
            {
                "n_inner given": "c.init['config'].n_inner is not None",
                "no n_inner": "c.init['config'].n_inner is None",
                "the usual eps": "c.init['config'].layer_norm_epsilon == 1e-5",
                "another eps": "c.init['config'].layer_norm_epsilon != 1e-5",
            },
            never=_WIDTH,
        ),
    ),
    "s10": (
        Target(
            "MultiHeadAttention",
            _CALL,
            {
                "batch": f"c.size({_X!r}, 0)",
                "seq": f"c.size({_X!r}, 1)",
                "heads": "c.init['num_heads']",
                "head_dim": "c.init['hidden_size'] // c.init['num_heads']",
                "width": "c.init['hidden_size']",
                "past": _PAST,
                "total": f"({_PAST} + c.size({_X!r}, 1))",
            },
            {
                "no mask": _none("attention_mask"),
                "a mask": _is("attention_mask"),
                "no position bias": _none("position_bias"),
                "a position bias": _is("position_bias"),
                "mask and position bias": f"{_is('attention_mask')} and {_is('position_bias')}",
                "no cache given": _none("past_key_value"),
                "a cache given": _is("past_key_value"),
                "a cache asked for": "c.a['use_cache']",
                "a cache given, none asked for": f"{_is('past_key_value')} and "
                "not c.a['use_cache']",
                "bias=False": "not c.init['bias']",
                "add_zero_attn": "c.init['add_zero_attn']",
                "use_rotary": "c.init['use_rotary']",
                "a scale given": "c.init['attention_scale'] is not None",
                "mask and cache": f"{_is('attention_mask')} and {_is('past_key_value')}",
                "position bias and cache": f"{_is('position_bias')} and {_is('past_key_value')}",
                "scale and cache": f"c.init['attention_scale'] is not None and "
                f"{_is('past_key_value')}",
                "rotary and scale": "c.init['use_rotary'] and "
                "c.init['attention_scale'] is not None",
                "rotary and position bias": f"c.init['use_rotary'] and {_is('position_bias')}",
                "rotary and mask": f"c.init['use_rotary'] and {_is('attention_mask')}",
                "zero and mask": f"c.init['add_zero_attn'] and {_is('attention_mask')}",
                "zero and cache": f"c.init['add_zero_attn'] and {_is('past_key_value')}",
                "zero and rotary": "c.init['add_zero_attn'] and c.init['use_rotary']",
                "rotary and cache": f"c.init['use_rotary'] and {_is('past_key_value')}",
                "several new tokens and a cache, no mask": f"c.size({_X!r}, 1) > 1 and "
                f"{_is('past_key_value')} and {_none('attention_mask')}",
                "a mask of two axes": "len(c.a['attention_mask'].shape) == 2",
                "a mask for each head": "len(c.a['attention_mask'].shape) == 3",
                "a mask with one row": "c.size('attention_mask', -2) == 1",
                "a mask for each text": "c.size('attention_mask', 0) == c.size('hidden_states', 0)"
                " and len(c.a['attention_mask'].shape) == 4",
                "beyond 256 tokens": f"c.size({_X!r}, 1) > 256",
            },
            never={"past equals total": "there is at least one new token", **_WIDTH},
        ),
    ),
    "s11": (
        Target(
            "GPT2LMHeadModel",
            _CALL,
            {
                "batch": "c.size('input_ids', 0)",
                "seq": "c.size('input_ids', 1)",
                "layers": "c.init['config'].n_layer",
                "heads": "c.init['config'].n_head",
                "width": "c.init['config'].n_embd",
                "vocabulary": "c.init['config'].vocab_size",
                "positions": "c.init['config'].n_positions",
            },
            {
                "n_inner given": "c.init['config'].n_inner is not None",
                "another eps": "c.init['config'].layer_norm_epsilon != 1e-5",
                "the usual eps": "c.init['config'].layer_norm_epsilon == 1e-5",
                "int32 tokens": "c.a['input_ids'].dtype.name == 'int32'",
                "more than twelve layers": "c.init['config'].n_layer > 12",
            },
            never={
                "width is 1": "a normalized number is 0: nothing of the text reaches the logits",
                "vocabulary is 1": "there is one text of each length, and nothing to compare it to",
            },
        ),
        Target(
            "convert_checkpoint",
            (),
            {},
            {
                "names with transformer.": "any(k.startswith('transformer.h') "
                "for k in c.a['checkpoint'])",
                "names without transformer.": "any(k.startswith('h.') for k in c.a['checkpoint'])",
                "buffers": "any(k.endswith('attn.bias') for k in c.a['checkpoint'])",
                "a copy of the head": "'lm_head.weight' in c.a['checkpoint']",
                "float16": "any(v.dtype == 'float16' for v in c.a['checkpoint'].values())",
                "float64": "any(v.dtype == 'float64' for v in c.a['checkpoint'].values())",
                "more than ten layers": "c.a['model'].config.n_layer > 10",
                "a square feed-forward": "c.a['model'].config.n_inner == "
                "c.a['model'].config.n_embd",
                "something missing": "len(c.a['checkpoint']) < len(list(c.a['model'].parameters))",
            },
        ),
        Target("load_gpt2", state=False, never={"always": "it is given, and the grader says so"}),
    ),
    "s12": (
        Target(
            "GPT2WithCache",
            ("__call__", "decode"),
            {
                "batch": "c.size('input_ids', 0)",
                "seq": "c.size('input_ids', 1)",
                "past": "(0 if c.a['cache'] is None else int(c.a['cache'][0][0].shape[-2]))",
                "layers": "c.init['config'].n_layer",
                "heads": "c.init['config'].n_head",
                "head_dim": "c.init['config'].n_embd // c.init['config'].n_head",
            },
            {
                "a cache": "c.a['cache'] is not None",
                "no cache": "c.a['cache'] is None",
                "one new token after a cache": "c.size('input_ids', 1) == 1 "
                "and c.a['cache'] is not None",
                "several new tokens after a cache": "c.size('input_ids', 1) > 1 "
                "and c.a['cache'] is not None",
            },
        ),
        Target(
            "next_token",
            (),
            {},
            {
                "greedy": "c.a['temperature'] == 0",
                "greedy with top_k": "c.a['temperature'] == 0 and c.a['top_k'] is not None",
                "temperature 1": "c.a['temperature'] == 1",
                "below temperature 1": "0 < c.a['temperature'] < 1",
                "above temperature 1": "c.a['temperature'] > 1",
                "top_k given": "c.a['top_k'] is not None",
                "top_k 1": "c.a['top_k'] == 1",
                "top_k of all": "c.a['top_k'] == len(c.a['logits'])",
                "top_k larger than the vocabulary": "c.a['top_k'] > len(c.a['logits'])",
                "no top_k": "c.a['top_k'] is None and c.a['temperature'] > 0",
                "draw 0": "c.a['draw'] == 0 and c.a['temperature'] > 0",
                "draw above 0.9": "c.a['draw'] > 0.9",
                "two tokens": "len(c.a['logits']) == 2",
                "ties": "len(set(c.a['logits'].tolist())) < len(c.a['logits'])",
                "float64": "c.a['logits'].dtype == 'float64'",
                "float16": "c.a['logits'].dtype == 'float16'",
                "large scores": "c.a['logits'].max() > 500",
            },
        ),
        Target(
            "stream",
            (),
            {"prompt": "len(c.a['tokens'])", "count": "c.a['max_new_tokens']"},
            {
                "nothing to write": "c.a['max_new_tokens'] == 0",
                "greedy": "not c.a['temperature']",
                "drawn": "c.a['temperature'] > 0",
                "drawn without top_k": "c.a['temperature'] > 0 and c.a['top_k'] is None",
                "top_k given": "c.a['top_k'] is not None",
                "greedy with top_k": "c.a['top_k'] is not None and not c.a['temperature']",
                "end token given": "c.a['eos_token_id'] is not None",
                "end token 0": "c.a['eos_token_id'] == 0",
                "end token in the prompt": "c.a['eos_token_id'] in c.a['tokens']",
                "cached": "c.a['use_cache']",
                "uncached": "not c.a['use_cache']",
                "uncached and drawn": "not c.a['use_cache'] and c.a['temperature'] > 0",
                "uncached with an end token": "not c.a['use_cache'] and "
                "c.a['eos_token_id'] is not None",
                "drawn with an end token": "c.a['temperature'] > 0 and "
                "c.a['eos_token_id'] is not None",
                "draws an iterator": "iter(c.a['draws']) is c.a['draws']",
                "more than there is room for": "len(c.a['tokens']) + c.a['max_new_tokens'] > "
                "c.a['model'].config.n_positions",
                "a full prompt": "len(c.a['tokens']) == c.a['model'].config.n_positions",
            },
        ),
    ),
}
"""The targets of each step."""
