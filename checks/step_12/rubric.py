"""The rubric of step 12: ``GPT2WithCache``, ``next_token`` and ``generate``."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from checks.shared import structure
from checks.shared.mistakes import named
from checks.step_12 import mistakes, trials
from grader.rubric import (
    Rubric,
    Trial,
    calls,
    defines_class,
    defines_function,
    every,
    no_placeholders,
    returns,
    rules,
    runtime_check,
    source_check,
)

CLASS = trials.CLASS
PIECES = ("decode-*",)
TEXTS = ("text-*",)
ATTEND, DECODE = f"{CLASS}._attend", f"{CLASS}.decode"


def draw(rng: np.random.Generator) -> Iterable[Trial]:
    """Choices from given logits, decoding in pieces, and whole texts."""
    return trials.draw(rng)


SOURCE = (
    source_check(
        "import-functional",
        "functional module is imported as F from max.experimental",
        "functional module is not imported from max.experimental",
        "Add 'from max.experimental import functional as F'",
        'F.concat, F.range and F.split are used here. See "MAX operations".',
        "from max.experimental import functional as F",
        test=structure.IMPORTS_F,
        proven_by=("decode-forward",),
    ),
    source_check(
        "import-tensor",
        "Tensor is imported from max.experimental.tensor",
        "Tensor is not imported from max.experimental.tensor",
        "Add 'from max.experimental.tensor import Tensor'",
        'The ids that the model reads are a Tensor. See "MAX operations".',
        "from max.experimental.tensor import Tensor",
        test=structure.IMPORTS_TENSOR,
        proven_by=("decode-forward",),
    ),
    source_check(
        "class",
        "GPT2WithCache class exists and extends GPT2LMHeadModel",
        "GPT2WithCache class is missing, or does not extend GPT2LMHeadModel",
        "Define 'class GPT2WithCache(GPT2LMHeadModel):'",
        "It has the weights of step 11's model and one method more.",
        "class GPT2WithCache(GPT2LMHeadModel):",
        test=defines_class(CLASS, "GPT2LMHeadModel"),
    ),
    source_check(
        "project",
        "_attend: attn.c_attn projects the new tokens",
        "_attend: attn.c_attn does not project the new tokens",
        "Split attn.c_attn(hidden_states) into three, and split the heads of each",
        'Only new tokens are projected. See "Attention with a past".',
        "F.split(attn.c_attn(hidden_states), [attn.embed_dim] * 3, axis=-1)",
        test=calls(ATTEND, "c_attn"),
    ),
    source_check(
        "join",
        "_attend: F.concat puts cached keys and values in front of the new ones",
        "_attend: cached keys and values are not put in front of the new ones",
        "Use F.concat([past[0], key], axis=-2), and the same for the value",
        'Old ones first, along the tokens. See "Attention with a past".',
        "key = F.concat([past[0], key], axis=-2)",
        test=returns(ATTEND, "concat(...)", "concatenate(...)"),
    ),
    source_check(
        "mask",
        "_attend: causal_mask hides the future from several new tokens",
        "_attend: causal_mask is not called",
        "Use causal_mask(seq_len, cached, dtype=query.dtype, device=query.device)",
        'Its second argument counts the cached tokens. See "Attention with a past".',
        "mask = causal_mask(seq_len, cached, dtype=query.dtype, device=query.device)",
        test=calls(ATTEND, "causal_mask"),
    ),
    source_check(
        "attend",
        "_attend: the new queries attend, and attn.c_proj gives the output",
        "_attend: attention or attn.c_proj is missing",
        "Use scaled_dot_product_attention(query, key, value, mask), then attn.c_proj",
        "The heads are merged in between, as in step 05.",
        "output, _ = scaled_dot_product_attention(query, key, value, mask)",
        test=calls(ATTEND, "c_proj"),
    ),
    source_check(
        "positions",
        "decode: positions go on where the cache ends",
        "decode: token and position vectors are not added",
        "Add transformer.wte(input_ids) and transformer.wpe(positions)",
        'The first new token stands at the length of the cache. See "Going on".',
        "F.range(past, past + seq_len, out_dim=seq_len, ...)",
        test=calls(DECODE, "wte", "wpe"),
    ),
    source_check(
        "layers",
        "decode: every block attends with its own cache and feeds forward",
        "decode: the blocks are not run",
        "Loop over transformer.h: self._attend, then block.mlp, both added",
        'It is the block of step 09 with another attention. See "Going on".',
        "hidden_states = hidden_states + block.mlp(block.ln_2(hidden_states))",
        test=calls(DECODE, "ln_1", "ln_2", "mlp"),
    ),
    source_check(
        "head",
        "decode: ln_f and lm_head give the logits",
        "decode: ln_f and lm_head do not give the logits",
        "Return self.lm_head(transformer.ln_f(hidden_states)) and the cache",
        'As in step 11. See "Going on".',
        "return self.lm_head(transformer.ln_f(hidden_states)), tuple(grown)",
        test=calls(DECODE, "ln_f", "lm_head"),
    ),
    source_check(
        "functions",
        "next_token, stream and generate exist",
        "next_token, stream or generate is missing",
        "Keep their names and their arguments",
        "The grader calls next_token and generate by these names.",
        "def next_token(logits, *, temperature=0.0, top_k=None, draw=0.0):",
        test=every(
            defines_function("next_token", "temperature", "top_k", "draw"),
            defines_function("stream"),
            defines_function("generate"),
        ),
    ),
    source_check(
        "loop",
        "stream: next_token chooses each token",
        "stream: next_token is not called",
        "Call next_token with the logits of the last position",
        'The loop feeds, chooses, appends and yields. See "The loop".',
        "token = next_token(logits.to_numpy()[0, -1], temperature=temperature, ...)",
        test=calls("stream", "next_token"),
    ),
    source_check(
        "placeholders",
        "All placeholder 'None' values have been replaced",
        "Found placeholder 'None' values that need to be replaced:",
        "Replace all 'None' values with the actual implementation",
        "Each stands under a TODO.",
        "Search the file for None.",
        test=no_placeholders(CLASS, "_attend", "decode", "next_token", "stream", "generate"),
    ),
)

RUNTIME = (
    runtime_check(
        "imports",
        "The file can be imported",
        "The file cannot be imported",
        "The error says where it stops",
        'It needs functional and Tensor; the rest is there. See "MAX operations".',
        "from max.experimental import functional as F; from max.experimental.tensor import Tensor",
        rule=rules.imports(),
    ),
    runtime_check(
        "greedy",
        "next_token takes the likeliest token at temperature 0",
        "next_token does not take the likeliest token at temperature 0",
        "int(np.argmax(logits))",
        'The highest score is the likeliest token. See "Choosing a token".',
        "if temperature == 0: return int(np.argmax(logits))",
        rule=rules.all_of(rules.runs("greedy"), rules.numbers("greedy", what="greedy choices")),
        needs=("imports",),
    ),
    runtime_check(
        "temperature",
        "next_token draws by softmax(logits / temperature)",
        "next_token does not draw by softmax(logits / temperature)",
        "Divide, make probabilities, add them up by id, and look where draw falls",
        'Each token owns a share of the numbers from 0 to 1. See "Drawing".',
        'np.searchsorted(np.cumsum(probabilities), draw, side="right")',
        rule=rules.all_of(
            rules.runs("temperature"), rules.numbers("temperature", what="drawn tokens")
        ),
        needs=("greedy",),
    ),
    runtime_check(
        "top-k",
        "next_token draws only from the best top_k tokens",
        "next_token does not draw only from the best top_k tokens",
        "Hide the others before the softmax: their scores become -inf",
        'The lowest of the best top_k is where to cut. See "The best few".',
        "scores[scores < np.sort(scores)[-min(top_k, len(scores))]] = -np.inf",
        rule=rules.all_of(
            rules.runs("top-k"), rules.numbers("top-k", what="tokens drawn with top_k")
        ),
        needs=("temperature",),
    ),
    runtime_check(
        "builds",
        "GPT2WithCache class can be instantiated, with the weights of step 11",
        "GPT2WithCache class cannot be instantiated",
        "It needs no __init__ and no weights of its own",
        'It adds methods to step 11 and no weights. See "Going on".',
        "class GPT2WithCache(GPT2LMHeadModel): without an __init__",
        rule=rules.all_of(rules.builds(*PIECES), rules.loads(*PIECES)),
        needs=("imports",),
    ),
    runtime_check(
        "decode-forward",
        "decode returns logits and a cache, at the start of a text and after it",
        "decode does not work",
        "return logits, cache: the cache is a tuple with (key, value) for every block",
        'Each block has its own keys and values. See "Going on".',
        "Collect key_value of every block in a list, and return logits, tuple(grown)",
        rule=rules.all_of(rules.runs(*PIECES), rules.tensors(*PIECES), rules.shapes(*PIECES)),
        needs=("builds",),
    ),
    runtime_check(
        "decode",
        "A text in pieces gives the logits of the whole text, and the cache holds all tokens",
        "A text in pieces does not give the logits of the whole text",
        "New tokens see the cached ones, and their positions go on where the cache ends",
        'Positions and mask both count the cached tokens. See "Attention with a past".',
        "past = 0 if cache is None else cache[0][0].shape[-2]; positions start there, and so "
        "does the mask",
        rule=rules.all_of(
            rules.numbers("decode-at-once", what="logits or cache without a past"),
            rules.numbers("decode-pieces", what="logits or cache behind a past"),
        ),
        needs=("decode-forward",),
    ),
    runtime_check(
        "generate",
        "generate writes the likeliest text: all tokens, old and new, in one list",
        "generate does not write the likeliest text",
        "Take the logits of the last position, and append max_new_tokens tokens",
        'Choose, append, go on. See "The loop".',
        "next_token(logits of the last position, ...), append it to the text, yield it",
        rule=rules.all_of(
            rules.repeats("text-greedy", "text", "again"),
            rules.runs("text-greedy"),
            rules.shapes("text-greedy"),
            rules.numbers("text-greedy", what="tokens"),
        ),
        needs=("greedy", "decode"),
    ),
    runtime_check(
        "uncached",
        "use_cache=False writes with the plain model, which reads the whole text each time",
        "use_cache=False does not write the right text",
        "Call model with all tokens so far",
        'Without a cache every call reads the whole text. See "The loop".',
        "logits = model(Tensor([text], dtype=DType.int64)) in every turn",
        rule=rules.all_of(
            rules.runs("text-uncached"), rules.numbers("text-uncached", what="tokens")
        ),
        needs=("generate",),
    ),
    runtime_check(
        "drawn",
        "generate draws with one random number for each new token",
        "generate does not draw as it should",
        "Pass temperature and top_k on, and take next(numbers) each time",
        'The number decides into whose share it falls. See "Drawing".',
        "next_token(..., temperature=temperature, top_k=top_k, draw=next(numbers))",
        rule=rules.all_of(
            rules.runs("text-drawn"), rules.numbers("text-drawn", what="drawn texts")
        ),
        needs=("generate", "top-k"),
    ),
    runtime_check(
        "end",
        "generate stops behind eos_token_id",
        "generate does not stop behind eos_token_id",
        "Yield the token first, then compare it",
        'The end is part of the text. See "The loop".',
        "yield new, then: if new == eos_token_id: return",
        rule=rules.all_of(
            rules.runs("text-end"),
            rules.shapes("text-end"),
            rules.numbers("text-end", what="tokens"),
        ),
        needs=("generate",),
    ),
    runtime_check(
        "full",
        "generate stops when the text is n_positions tokens long",
        "generate does not stop when the text is n_positions tokens long",
        "There is no vector for a position beyond: write at most n_positions - len(text) tokens",
        'The table of positions has n_positions rows. See "The loop".',
        "room = min(max_new_tokens, model.config.n_positions - len(tokens))",
        rule=rules.all_of(
            rules.runs("text-full"),
            rules.shapes("text-full"),
            rules.numbers("text-full", what="tokens"),
        ),
        needs=("generate",),
    ),
)

BLAMES = {
    "greedy": ("greedy",),
    "temperature": ("temperature",),
    "top_k": ("top-k",),
    "probabilities": ("temperature",),
    "draw": ("temperature",),
    "loop": ("loop", "generate"),
    "end": ("loop", "end"),
    "draws": ("loop", "drawn"),
    "position": ("loop", "generate"),
    "positions": ("positions", "decode"),
    "join": ("join", "decode"),
    "mask": ("mask", "decode"),
    "layers": ("layers", "decode"),
    "logits": ("head", "decode"),
    "attend": ("attend", "decode"),
}

LESSON = {
    "greedy": "Choosing a token",
    "temperature": "Temperature",
    "top_k": "The best few",
    "probabilities": "Drawing",
    "draw": "Drawing",
    "loop": "The loop",
    "end": "The loop",
    "draws": "The loop",
    "position": "The loop",
    "positions": "Going on",
    "join": "Attention with a past",
    "mask": "Attention with a past",
    "layers": "Going on",
    "logits": "Going on",
    "attend": "Attention with a past",
}

RUBRIC = Rubric(
    checks=(*SOURCE, *RUNTIME),
    draw=draw,
    misconceptions=(
        *named(mistakes.CHOICE, BLAMES, LESSON),
        *named(mistakes.LOOP, BLAMES, LESSON),
    ),
)
