"""The rubric of step 12: ``GPT2WithCache``, ``next_token`` and ``generate``.

Longer than 300 lines, because the step has a class and three functions, each with its checks.
"""

from __future__ import annotations

from checks.shared import common
from checks.shared.mistakes import named
from checks.step_12 import caches, fresh, mistakes, results, trials, unambiguous
from grader.rubric import Check, Rubric, Rule, rules, source

CLASS = unambiguous.CLASS
PIECES = ("decode-pieces", "decode-at-once")
ATTEND, DECODE = f"{CLASS}._attend", f"{CLASS}.decode"


CHOICES = ("greedy*", "temperature*", "top-k*")
CHOOSING, WRITING = named(mistakes.CHOICE), named(mistakes.LOOP)


def chooses(trials: str, what: str) -> Rule:
    """The calls of ``next_token`` in these trials return the right tokens."""
    right = rules.placed(rules.numbers(trials, what=what), CHOOSING, *CHOICES)
    return rules.all_of(rules.runs(trials), results.chosen(right))


def writes(trial: str, what: str = "tokens") -> Rule:
    """The texts of this trial end, with the right tokens."""
    return rules.all_of(results.ends(trial), results.written(trial, what, WRITING))


SOURCE = (
    common.imports_functional("F.concat, F.range and F.split are used here.", "decode-forward"),
    common.imports_tensor("The ids that the model reads are a Tensor.", "decode-forward"),
    Check(
        "class",
        "GPT2WithCache class exists and extends GPT2LMHeadModel",
        "GPT2WithCache class is missing, or does not extend GPT2LMHeadModel",
        "Define 'class GPT2WithCache(GPT2LMHeadModel):'",
        "It has the weights of step 11's model and one more method.",
        lesson="What you build",
        answer="class GPT2WithCache(GPT2LMHeadModel):",
        test=source.defines_class(CLASS, "GPT2LMHeadModel"),
    ),
    Check(
        "project",
        "_attend: attn.c_attn projects the new tokens",
        "_attend: attn.c_attn does not project the new tokens",
        "Split attn.c_attn(hidden_states) into three, and split the heads of each",
        "Only new tokens are projected.",
        lesson="Attention with a past",
        gives="query, key and value",
        test=source.calls(ATTEND, "c_attn"),
    ),
    Check(
        "join",
        "_attend: F.concat puts cached keys and values in front of the new ones",
        "_attend: cached keys and values are not put in front of the new ones",
        "Join along the tokens, key and value alike: F.concat([old, new], axis=-2)",
        "Old ones first, along the tokens.",
        lesson="Attention with a past",
        gives="the values of all tokens",
        test=source.returns(ATTEND, "concat(...)", "concatenate(...)"),
    ),
    Check(
        "mask",
        "_attend: causal_mask hides the future from several new tokens",
        "_attend: causal_mask is not called",
        "causal_mask takes the number of new tokens, then of cached ones; pass its mask on",
        "Its second argument counts the cached tokens.",
        lesson="Attention with a past",
        gives="the causal mask",
        test=source.calls(ATTEND, "causal_mask"),
    ),
    Check(
        "attend",
        "_attend: the new queries attend, and attn.c_proj gives the output",
        "_attend: attention or attn.c_proj is missing",
        "Attend to all keys and values, merge the heads, and project with attn.c_proj",
        "The heads are merged in between, as in step 05.",
        lesson="Attention with a past",
        gives="the output of the attention",
        test=source.calls(ATTEND, "c_proj"),
    ),
    Check(
        "positions",
        "decode: positions continue where the cache ends",
        "decode: token and position vectors are not added",
        "The positions of new tokens are past, past + 1, …: past is the length of the cached keys",
        "The position of the first new token is the number of tokens in the cache.",
        lesson="Positions and blocks",
        gives="the vectors of tokens and positions",
        test=source.calls(DECODE, "wte", "wpe"),
    ),
    Check(
        "layers",
        "decode: every block attends with its own cache and feeds forward",
        "decode: a part of the block does not run",
        "Loop over transformer.h: self._attend, then block.mlp, both added",
        "It is the block of step 09 with another attention.",
        lesson="Positions and blocks",
        answer="hidden_states = hidden_states + block.mlp(block.ln_2(hidden_states))",
        gives="the output of the last block",
        test=source.calls(DECODE, "ln_1", "ln_2", "mlp"),
    ),
    Check(
        "head",
        "decode: ln_f and lm_head give the logits",
        "decode: ln_f and lm_head do not give the logits",
        "Normalize with ln_f, apply lm_head, and return both logits and the new cache",
        "As in step 11.",
        lesson="Positions and blocks",
        gives="the logits and the cache",
        test=source.calls(DECODE, "ln_f", "lm_head"),
    ),
    Check(
        "functions",
        "next_token, stream and generate exist",
        "next_token, stream and generate are not all defined",
        "Keep their names and their arguments",
        "The grader calls next_token and generate by these names.",
        lesson="What you build",
        answer="def next_token(logits, *, temperature=0.0, top_k=None, draw=0.0):",
        test=source.every(
            source.defines_function("next_token", "temperature", "top_k", "draw"),
            source.defines_function("stream"),
            source.defines_function("generate"),
        ),
    ),
    Check(
        "loop",
        "stream: next_token chooses each token",
        "stream: next_token is not called",
        "Call next_token with the logits of the last position",
        "The loop feeds, chooses, appends and yields.",
        lesson="The loop",
        answer="token = next_token(logits.to_numpy()[0, -1], temperature=temperature, ...)",
        test=source.calls("stream", "next_token"),
    ),
    common.placeholders(
        source.no_placeholders(CLASS, "_attend", "decode", "next_token", "stream", "generate")
    ),
)

RUNTIME = (
    Check(
        "imports",
        "The file can be imported",
        "The file cannot be imported",
        "The error says where it stops",
        "It needs functional and Tensor; the rest is there.",
        lesson="MAX operations",
        rule=rules.imports(),
    ),
    Check(
        "greedy",
        "next_token takes the likeliest token at temperature 0",
        "next_token does not take the likeliest token at temperature 0",
        "Before dividing, return the index of the highest score",
        "The token with the highest score is the likeliest.",
        lesson="Choosing a token",
        rule=chooses("greedy*", "greedy choices"),
        needs=("imports",),
    ),
    Check(
        "temperature",
        "next_token draws by softmax(logits / temperature)",
        "next_token does not draw by softmax(logits / temperature)",
        "Divide, make probabilities, add them up by id, and see where draw falls",
        "Each token owns a share of the numbers from 0 to 1.",
        lesson="Drawing",
        blank="draw",
        rule=chooses("temperature*", "drawn tokens"),
        needs=("greedy",),
    ),
    Check(
        "top-k",
        "next_token draws only from the best top_k tokens",
        "next_token does not draw only from the best top_k tokens",
        "Hide the others before the softmax: their scores become -inf",
        "Cut below the lowest of the best top_k.",
        lesson="The best few",
        rule=chooses("top-k*", "tokens drawn with top_k"),
        needs=("temperature",),
    ),
    Check(
        "builds",
        "GPT2WithCache class can be instantiated, with the weights of step 11",
        "GPT2WithCache class cannot be instantiated",
        "It needs no __init__ and no weights of its own",
        "It adds methods to step 11 and no weights.",
        lesson="Positions and blocks",
        answer="class GPT2WithCache(GPT2LMHeadModel): without an __init__",
        rule=rules.all_of(rules.builds(*PIECES), rules.loads(*PIECES)),
        needs=("imports",),
    ),
    Check(
        "decode-forward",
        "decode returns logits and a cache, at the start of a text and further on",
        "decode does not work",
        "return logits, cache: the cache is a tuple with (key, value) for every block",
        "Each block has its own keys and values.",
        lesson="Positions and blocks",
        answer="Collect key_value of every block in a list, and return logits, tuple(grown)",
        rule=rules.all_of(
            caches.decoded(*PIECES),
            rules.runs(*PIECES),
            rules.tensors(*PIECES),
            rules.shapes(*PIECES),
        ),
        needs=("builds",),
    ),
    Check(
        "decode",
        "A text in pieces gives the logits of the whole text, and the cache holds all tokens",
        "A text in pieces does not give the logits of the whole text",
        "New tokens see the cached ones, and their positions continue where the cache ends",
        "Positions and mask both count the cached tokens.",
        lesson="Attention with a past",
        answer="past = 0 if cache is None else cache[0][0].shape[-2]; positions start there, "
        "and so does the mask",
        rule=rules.all_of(
            rules.numbers("decode-at-once", what="logits or cache without a past"),
            rules.placed(
                rules.numbers("decode-pieces", what="logits or cache after a past"),
                WRITING,
                "decode-pieces",
            ),
            rules.numbers("decode-sizes-*", what="logits or cache of other sizes"),
        ),
        needs=("decode-forward",),
    ),
    Check(
        "generate",
        "generate returns the likeliest text: all tokens, old and new, in one list",
        "generate does not return the likeliest text",
        "Take the logits of the last position, and append max_new_tokens tokens",
        "Choose, append, repeat.",
        lesson="The loop",
        answer="next_token(logits of the last position, ...), append it to the text, yield it",
        part=("loop", "fed", "written"),
        rule=results.feeding(writes("text-greedy"), "stream"),
        needs=("greedy", "decode"),
    ),
    Check(
        "uncached",
        "use_cache=False generates with the plain model, which reads the whole text each time",
        "use_cache=False does not generate the right text",
        "Call model with all tokens so far",
        "Without a cache every call reads the whole text.",
        lesson="The loop",
        answer="logits = model(Tensor([text], dtype=DType.int64)) in every turn",
        rule=results.feeding(writes("text-uncached"), "stream"),
        needs=("generate",),
    ),
    Check(
        "drawn",
        "generate draws with one random number for each new token",
        "generate does not draw as it should",
        "Pass temperature and top_k on, and take next(numbers) each time",
        "The token whose share the number falls into is chosen.",
        lesson="Drawing",
        answer="next_token(..., temperature=temperature, top_k=top_k, draw=next(numbers))",
        rule=writes("text-drawn", "drawn tokens"),
        needs=("generate", "top-k"),
    ),
    Check(
        "end",
        "generate stops after eos_token_id",
        "generate does not stop after eos_token_id",
        "Yield the token first, then compare it",
        "The end token is part of the text.",
        lesson="The loop",
        answer="yield new, then: if new == eos_token_id: return",
        rule=writes("text-end"),
        needs=("generate",),
    ),
    Check(
        "full",
        "generate stops when the text is n_positions tokens long",
        "generate does not stop when the text is n_positions tokens long",
        "There is no vector for a later position: generate at most n_positions - len(text) tokens",
        "The table of positions has n_positions rows.",
        lesson="The loop",
        answer="room = min(max_new_tokens, model.config.n_positions - len(tokens))",
        rule=rules.all_of(
            results.ends("text-full"),  # how new tokens are counted is right by then
            results.written("text-full", "tokens", counted=results.FULL),
        ),
        needs=("generate",),
    ),
    Check(
        "settings",
        "generate honours all its arguments at once: cache, temperature, top_k, end, draws",
        "generate does not honour all its arguments at once",
        "Each setting works alone. Look for one that is left out when another is given",
        "draws may be any iterable, eos_token_id may be 0, and so may max_new_tokens.",
        lesson="The loop",
        answer="Pass temperature and top_k on in both branches; compare each new token with "
        "eos_token_id; iter(draws)",
        rule=rules.all_of(results.ends("settings-*"), results.written("settings-*", "tokens")),
        needs=("drawn", "end", "full", "uncached"),
    ),
    Check(
        "stream",
        "stream yields each token when it is chosen, and with a cache feeds every token once",
        "stream does not yield each token when it is chosen, or feeds tokens twice",
        "yield inside the loop; with a cache, feed only the last token after the first call",
        "A reader need not wait for the last token, and the model reads no token twice.",
        lesson="The loop",
        answer="new = text[-1:] if cache is not None else text; logits, cache = "
        "model.decode(ids, cache)",
        rule=rules.all_of(rules.runs("stream"), results.streams("stream")),
        needs=("generate", "uncached"),
    ),
    Check(
        "fresh",
        "Without draws, every token is drawn with a fresh random number",
        "Without draws, tokens are not drawn with fresh random numbers",
        "np.random.default_rng() without a seed, made once for each text",
        "Drawn twice, a text comes out differently.",
        lesson="The loop",
        answer="numbers = iter(np.random.default_rng().random, None) if draws is None else "
        "iter(draws)",
        rule=rules.all_of(rules.runs("fresh*"), fresh.differ("fresh*", "text", "again")),
        needs=("drawn",),
    ),
)

RUBRIC = Rubric(
    checks=(*SOURCE, *RUNTIME),
    draw=trials.draw,
    misconceptions=(*CHOOSING, *WRITING),
    result="decode",
    gives={
        "temperature": "the logits over the temperature",
        "probabilities": "the probabilities",
    },
)
