"""The texts in lesson 12 are what the small GPT-2 really writes, with and without each mistake."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from gpt2.checkpoint import read_checkpoint
from gpt2.tokenizer import Tokenizer
from grader.base import course
from grader.base.course import ROOT

pytestmark = [pytest.mark.any_python, pytest.mark.usefixtures("numpy_engine")]
SMALL = ROOT / "gpt2" / "tiny"
LESSON = course.find("12").lesson.read_text(encoding="utf-8")
SOURCE = course.find("12").solution.read_text(encoding="utf-8")
SEED, LENGTH = 1, 20

NEXT, NEW = "logits.to_numpy()[0, -1]", "text[-1:] if cache is not None else text"
MISTAKES = {
    "positions start at 0 in every call": [
        ("past, past + seq_len, out_dim", "0, seq_len, out_dim")
    ],
    "every block gets the cache of the first": [("else cache[index]", "else cache[0]")],
    "the whole text is fed again with a cache, so every token is there twice": [(NEW, "text")],
    "the first call feeds only the last token": [(NEW, "text[-1:]")],
    "`ln_f` left out": [("transformer.ln_f(hidden_states)", "hidden_states")],
    "logits of the first position, no cache": [(NEXT, "logits.to_numpy()[0, 0]")],
    "logits of the first position, with cache": [(NEXT, "logits.to_numpy()[0, 0]")],
    "new keys in front of the cached ones": [
        ("[past[0], key]", "[key, past[0]]"),
        ("[past[1], value]", "[value, past[1]]"),
    ],
    "`causal_mask(seq_len, 0, …)` after a cache": [
        ("if seq_len != 1:", "if True:"),
        ("causal_mask(seq_len, cached,", "causal_mask(seq_len, 0,"),
    ],
}


def written(edits: list[tuple[str, str]], count: int, **how: Any) -> str:
    """What the solution with these edits writes after *She was*, on one line."""
    from max.experimental import functional as F

    from solutions.solution_01 import GPT2Config
    from solutions.solution_11 import convert_checkpoint

    source = SOURCE
    for old, new in edits:
        assert old in source
        source = source.replace(old, new)
    step = ModuleType("step_12")
    exec(compile(source, "step_12.py", "exec"), step.__dict__)
    fields, checkpoint = read_checkpoint(SMALL)
    with F.lazy():
        model = step.GPT2WithCache(GPT2Config(**fields))
    model.load_state_dict(convert_checkpoint(model, checkpoint))
    tokenizer = Tokenizer.from_folder(SMALL)
    ids = step.generate(model, tokenizer.encode("She was"), count, **how)
    return " ".join(tokenizer.decode(ids).split())


def right_text() -> str:
    found = re.search(r"The\s+right\s+text\s+is\s+\*(.+?)\*", LESSON, re.DOTALL)
    assert found
    return " ".join(found[1].split())


def shown(mistake: str) -> str:
    """What the lesson's table says of a mistake."""
    (row,) = [line for line in LESSON.splitlines() if line.startswith(f"| {mistake} |")]
    cell = row.split("|")[2].strip()
    return right_text() if cell.startswith("the right text") else cell.split("*")[1]


@pytest.mark.whole
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_writes_what_the_table_shows(mistake: str) -> None:
    wanted = shown(mistake)
    count = len(Tokenizer.from_folder(SMALL).encode(wanted))  # "She was" included, so some to spare
    text = written(MISTAKES[mistake], count, use_cache=not mistake.endswith("no cache"))
    assert text.startswith(wanted)


@pytest.mark.parametrize(
    ("name", "how"),
    [
        pytest.param("greedy", {}, marks=pytest.mark.whole),
        ("temperature 0.8, top_k 40", {"temperature": 0.8, "top_k": 40}),
        pytest.param("temperature 1", {"temperature": 1.0}, marks=pytest.mark.whole),
        pytest.param("temperature 2", {"temperature": 2.0}, marks=pytest.mark.whole),
    ],
)
def test_a_sample_is_what_is_written(name: str, how: dict[str, Any]) -> None:
    block = re.search(rf"^{re.escape(name)} {{2,}}(.+\n(?: {{31}}.+\n)*)", LESSON, re.MULTILINE)
    assert block
    draws = np.random.default_rng(SEED).random(LENGTH)
    assert written([], LENGTH, draws=draws, **how) == " ".join(block[1].split())
