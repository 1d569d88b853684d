"""Whether a file is right as an answer to step 12: see :mod:`tests.graded.direct`."""

from __future__ import annotations

import itertools
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tests.graded import gpt2_formulas as formulas
from tests.graded import trial_tools as tools
from tests.graded.trial_11 import logits_of, model_weights, token_ids
from tests.graded.trial_tools import Wrong

TEXTS: tuple[tuple[dict[str, Any], tuple[int, ...]], ...] = (
    ({"vocab_size": 3, "n_positions": 5, "n_embd": 4, "n_layer": 2, "n_head": 2}, (2, 2)),
    ({"vocab_size": 6, "n_positions": 9, "n_embd": 6, "n_layer": 1, "n_head": 3}, (1, 1, 3)),
    ({"vocab_size": 5, "n_positions": 8, "n_embd": 8, "n_layer": 3, "n_head": 2}, (3, 1, 2)),
    ({"vocab_size": 4, "n_positions": 6, "n_embd": 3, "n_layer": 4, "n_head": 1}, (4, 1)),
    ({"vocab_size": 7, "n_positions": 6, "n_embd": 5, "n_layer": 1, "n_head": 5}, (2, 3)),
)


def trial(module: types.ModuleType) -> Iterator[float]:
    random = tools.generator(121)
    sizes = {"vocab_size": 10, "n_positions": 8, "n_embd": 4, "n_head": 2}
    two, one = {**sizes, "n_layer": 2}, {**sizes, "n_layer": 1}
    _choices(module)
    _texts(module, random, model_weights(random, one), one)
    yield from _in_pieces(module, random, model_weights(random, two), two, (3, 1, 4))
    for fields, pieces in TEXTS:
        weights = model_weights(random, fields)
        yield from _in_pieces(module, random, weights, fields, pieces)
    _fed(module, random, model_weights(random, one), one)
    long = {**one, "n_positions": 320}
    yield from _in_pieces(module, random, model_weights(random, long), long, (300, 20))


def _takes(module: types.ModuleType, want: int, scores: Any, **how: Any) -> None:
    """``next_token`` gives this token."""
    have = int(module.next_token(scores, **how))
    if have != want:
        raise Wrong(f"of {len(scores)} tokens {have} is next, not {want}, with {how}")


def _agrees(
    module: types.ModuleType, scores: Any, temperature: float, top_k: int | None, draw: float
) -> None:
    want = formulas.choose(scores.tolist(), temperature, top_k, draw)
    _takes(module, want, scores, temperature=temperature, top_k=top_k, draw=draw)


def _choices(module: types.ModuleType) -> None:
    large = np.arange(90_000, 90_005, dtype=np.float32)
    _takes(module, 4, large, temperature=1.0, draw=0.4)  # nothing overflows
    scores = np.array([0.3, -2.0, 2.2, 1.1, 0.9, 1.9, -0.5, 1.4], np.float32)
    for greedy in (scores, scores - 9):
        _takes(module, 2, greedy)
    draws = (0.02, 0.31, 0.55, 0.77, 0.93)
    for how in itertools.product((0.4, 1.0, 2.6), (None, 1, 2, 4, 50), draws):
        _agrees(module, scores, *how)
    _more_choices(module, scores)


def _more_choices(module: types.ModuleType, scores: Any) -> None:
    """Other element types and sizes, equal scores, and draws where two shares meet."""
    texts = [scores.astype(kind) for kind in (np.float64, np.float16)]
    texts += [scores[:2], scores - np.float32(20), np.array([-1, 2, 2, 0.5], np.float32)]
    texts += [np.array([1.0, 1.05, 0.9], np.float32)]
    for logits in texts:
        before, heats = logits.copy(), (0.0, 0.05, 0.5, 1.0, 1.9)
        tops, draws = (None, 1, 2, len(logits), 60), (0.0, 0.13, 0.48, 0.94)
        for temperature, top_k, draw in itertools.product(heats, tops, draws):
            if len(logits) == 4 and (top_k == 1 or temperature == 0):
                continue  # either of two equal ones may be taken
            _agrees(module, logits, temperature, top_k, draw)
            if not np.array_equal(before, logits):
                raise Wrong("the logits are changed")
    for top_k in (200, None):
        _agrees(module, np.linspace(1, 0, 300, dtype=np.float32), 1.0, top_k, 0.951)
    _many_shares(module)
    _boundaries(module)


def _many_shares(module: types.ModuleType) -> None:
    """As many scores as GPT-2 has, draws in the middle of a share; and ties at top_k's edge."""
    equal = np.zeros(50_257, np.float32)
    equal[0] = 11  # a large first end, to which float32 adds each later share with the same error
    for scores in (tools.generator(122).normal(0, 2, 50_257).astype(np.float32), equal):
        shares = np.exp(scores.astype(np.float64))
        ends = np.cumsum(shares) / shares.sum()
        likely = shares >= shares[1:].mean()
        for want in np.flatnonzero(likely)[1::5_000]:
            draw = float(ends[want - 1 : want + 1].mean())
            _takes(module, int(want), scores, temperature=1.0, draw=draw)
    tied = np.array([3, 2.5, 2.5, -5], np.float32)
    if int(module.next_token(tied, temperature=1.0, top_k=2, draw=0.95)) not in {1, 2}:
        raise Wrong("of two equal scores at the edge none is kept")


def _boundaries(module: types.ModuleType) -> None:
    """A draw where one share ends is in the next, the largest in the last; nearly 0 is not 0."""
    below = float(np.nextafter(1, 0))
    for token, draw in enumerate((0.0, 0.25, 0.5, 0.75, below)):
        _takes(module, min(token, 3), np.full(4, 0.5, np.float32), temperature=1.0, draw=draw)
    cold = np.array([0.0, 5e-5, -1.0], np.float32)
    _takes(module, 0, cold, temperature=1e-4, draw=0.2)
    _takes(module, 1, cold[[1, 0, 2]], temperature=1e-4, draw=0.9)
    # The first of all is hit at 0, the last just below 1, however small.
    for scores, top_k, draw, want in (
        ([-30.0, 0.0, 0.0], None, 0.0, 0),
        ([1.0, 0.5, -15.0], None, 1 - 2e-8, 2),
        ([-2.0, 3.0, 3.0, -1.0], 2, below, 2),
    ):
        given = np.array(scores, np.float32)
        _takes(module, want, given, temperature=1.0, top_k=top_k, draw=draw)
    _halves(module)


def _halves(module: types.ModuleType) -> None:
    """Draws on either side of each end of a share, of scores in float16."""
    half = tools.generator(123).uniform(-2, 9, 12).astype(np.float16)
    for heat in (1.0, 6.3):
        shares = np.exp(half.astype(np.float64) / heat)
        shares /= shares.sum()
        for token, end in enumerate(np.cumsum(shares)[:-1]):
            for late, apart in enumerate((-2e-5, 2e-5)):
                draw = float(end) + apart
                if end - shares[token] < draw < end + shares[token + 1]:
                    _takes(module, token + late, half, temperature=heat, draw=draw)


def _in_pieces(
    module: types.ModuleType, random: Any, weights: Any, fields: Any, lengths: tuple[int, ...]
) -> Iterator[float]:
    """Logits of two texts that are read in pieces of these lengths, against the whole."""
    from solutions.solution_01 import GPT2Config

    model = tools.loaded(module.GPT2WithCache, weights, GPT2Config(**fields))
    ids = token_ids(random, fields, (2, sum(lengths)))
    want = logits_of(ids, weights, fields)
    cache, ends = None, np.cumsum([0, *lengths])
    for begin, end in itertools.pairwise(ends):
        logits, cache = tools.pair(model.decode, ids[:, begin:end], cache)
        yield tools.off(logits, want[:, begin:end], "decoded logits")
        tools.pair(model.decode, ids[::-1, :1], None)  # another text begins
    for few in (ids, ids[:1, : lengths[-1]]):  # all at once, and one text as long as a piece
        logits, _ = tools.pair(model.decode, few, None)
        seen = want[: len(few), : few.shape[1]]
        yield tools.off(logits, seen, "a later text's logits")


def _texts(module: types.ModuleType, random: Any, weights: Any, fields: Any) -> None:
    """Whole texts, token for token."""
    from solutions.solution_01 import GPT2Config

    first = _expected(weights, fields, [1, 2], 2, {})
    config = GPT2Config(**fields, eos_token_id=first[2])  # nobody asked to end there
    model = tools.loaded(module.GPT2WithCache, weights, config)
    best: dict[str, Any] = {"temperature": 9.0, "draws": [0.98, 0.9, 0.96]}
    wishes: tuple[tuple[list[int], int, dict[str, Any]], ...] = (
        ([3, 7], 3, {}),
        ([4, 0, 6], 2, {"use_cache": False}),
        ([5], 3, {"temperature": 1.2, "draws": [0.11, 0.52, 0.93, 0.34]}),
        ([2, 8], 2, {"temperature": 2.5, "top_k": 2, "draws": [0.98, 0.03]}),
        ([1, 2], 4, {"eos_token_id": first[3]}),
        ([8, 2], 2, {"eos_token_id": 8}),
        ([3, 1, 4, 1, 5, 9], 5, {}),
        ([3, 1, 4], 0, {}),
        ([1, 2, 3, 4, 5, 6, 7, 8], 2, {"use_cache": False}),
        ([7, 2], 2, {"top_k": 1, "draws": []}),
        ([7, 2, 4], 3, {"top_k": 3, "use_cache": False, "eos_token_id": 9}),
        ([6, 5], 2, {"temperature": 1.4, "draws": [0.41, 0.83], "use_cache": False}),
        ([6], 1, {"temperature": 1.4, "draws": [0.41]}),
        ([4, 2], 4, {"temperature": 3.5, "draws": [0.9, 0.8, 0.95, 0.7], "use_cache": False}),
        ([2, 8], 3, {**best, "top_k": 2, "use_cache": False}),
        ([5, 8], 3, {**best, "top_k": 3}),
        ([1, 3, 5], 3, {"temperature": 1.9, "draws": [0.4, 0.6, 0.2], "eos_token_id": 3}),
        ([2, 3, 5, 1, 7], 9, {"temperature": 1.9, "draws": [0.4, 0.6, 0.2], "top_k": 4}),
    )
    zero = next(
        (tokens, settings)
        for tokens in ([a, b] for a in range(10) for b in range(10))
        for settings in ({"temperature": 6.0, "draws": [0.02, 0.03, 0.01], "eos_token_id": 0},)
        if _expected(weights, fields, tokens, 3, settings)[-1] == 0
    )
    for tokens, settings in (zero, (zero[0], {**zero[1], "use_cache": False})):
        _compare(module, model, weights, fields, tokens, 3, settings)
    for tokens, count, settings in wishes:
        _compare(module, model, weights, fields, tokens, count, settings)


def _compare(
    module: types.ModuleType,
    model: Any,
    weights: Any,
    fields: Any,
    tokens: Sequence[int],
    count: int,
    settings: Mapping[str, Any],
) -> None:
    want = _expected(weights, fields, tokens, count, settings)
    given = list(tokens)
    kinds: list[Any] = [iter, np.array] if settings.get("draws") else [iter]
    for kind in kinds:
        more = {**settings, "draws": kind(settings["draws"])} if "draws" in settings else settings
        have = module.generate(model, given, count, **more)
        if given != list(tokens):
            raise Wrong("the prompt is changed")
        if not isinstance(have, list | tuple) or [int(token) for token in have] != want:
            raise Wrong(f"the text is {have}, not {want}, with {dict(settings)}")
    if list(module.generate(model, tuple(tokens), 0)) != list(tokens):
        raise Wrong("a prompt that is a tuple is changed")


def _fed(module: types.ModuleType, random: Any, weights: Any, fields: Any) -> None:
    """With a cache every token is read once, and tokens come as they are chosen."""
    from solutions.solution_01 import GPT2Config

    model = tools.loaded(module.GPT2WithCache, weights, GPT2Config(**fields))
    read: list[int] = []

    class Counting:
        config = model.config

        def __call__(self, input_ids: Any) -> Any:
            read.append(int(input_ids.shape[-1]))
            return model(input_ids)

        def decode(self, input_ids: Any, cache: Any = None) -> Any:
            read.append(int(input_ids.shape[-1]))
            return model.decode(input_ids, cache)

    for settings in ({}, {"use_cache": False}):
        read.clear()
        written = iter(module.stream(Counting(), [3, 1], 6, **settings))
        next(written)
        early = len(read)
        list(written)
        if early == len(read):
            raise Wrong("nothing is written before the end")
        if not settings and sum(read) > 8:
            raise Wrong(f"the model read {sum(read)} tokens of 8")
    if len({tuple(_fresh(module, model)) for _ in range(3)}) == 1:
        raise Wrong("fresh draws are the same each time")
    if len({tuple(_fresh(module.__again__(), model)) for _ in range(3)}) == 1:
        raise Wrong("fresh draws are the same in each program")
    _large_vocabulary(module)


def _large_vocabulary(module: types.ModuleType) -> None:
    """Any of 300 tokens may be written where top_k is not given."""
    scores = np.linspace(1, 0, 300, dtype=np.float32)

    class Even:
        config = types.SimpleNamespace(n_positions=8)

        def __call__(self, ids: Any) -> Any:
            return tools.tensor(np.tile(scores, (1, int(ids.shape[-1]), 1)))

        def decode(self, ids: Any, cache: Any = None) -> Any:
            return self(ids), "kept"

    more = {"temperature": 1.0, "draws": [0.951, 0.951], "use_cache": False}
    if min(int(token) for token in module.generate(Even(), [1], 2, **more)[1:]) < 200:
        raise Wrong("only the likeliest tokens are written")
    best = {"temperature": 99.0, "top_k": 1, "use_cache": False}
    if [int(token) for token in module.generate(Even(), [1], 5, **best)[1:]] != [0] * 5:
        raise Wrong("without draws, top_k is lost")
    last = int(module.next_token(scores, temperature=1.0, draw=0.99))
    ends = {"temperature": 1.0, "draws": [0.99] * 2, "eos_token_id": int(str(last))}
    if len(module.generate(Even(), [1], 2, **ends, use_cache=False)) != 2:
        raise Wrong(f"{last} does not end the text")


def _fresh(module: types.ModuleType, model: Any) -> list[int]:
    return list(module.generate(model, [1], 6, temperature=99.0))


def _expected(
    weights: Any, fields: Any, tokens: Sequence[int], count: int, settings: Mapping[str, Any]
) -> list[int]:
    text = list(tokens)
    for index in range(count):
        if len(text) == fields["n_positions"]:
            break
        scores = [float(s) for s in logits_of([text], weights, fields)[0, -1]]
        draws = settings.get("draws") or [0.0] * count
        text.append(
            formulas.choose(
                scores, settings.get("temperature", 0), settings.get("top_k"), draws[index]
            )
        )
        if text[-1] == settings.get("eos_token_id"):
            break
    return text
