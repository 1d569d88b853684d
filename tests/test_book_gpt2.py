"""The GPT-2 in the book's first page expects the same next tokens as the solution."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from book.explorer import TEXTS
from book.model import Switches, read, tokenizer
from tests.browser import MARKS, computed, opened

pytestmark = MARKS

RNG = np.random.default_rng(50)
WORDS = [
    *("she", "he", "was", "not", "happy", "and", "the", "Darcy,", "Bennet's", "“very”"),
    *("1813;", "naïve:", "said\n", "never", "ever"),
]
TRIED = [*TEXTS, *(" ".join(RNG.choice(WORDS, size=RNG.integers(1, 9))) for _ in range(46))]

SOLUTION = """
import json, os, sys
import numpy as np
from grader.frameworks.max import engine
os.environ.update(engine.environment())
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from book.model import FOLDER
from gpt2.checkpoint import read_checkpoint
from solutions.solution_01 import GPT2Config
from solutions.solution_11 import GPT2LMHeadModel, convert_checkpoint
engine.install("numpy")
fields, arrays = read_checkpoint(FOLDER)
with F.lazy():
    model = GPT2LMHeadModel(GPT2Config(**fields))
model.load_state_dict(convert_checkpoint(model, arrays))
def next_tokens(ids):
    return model(Tensor.from_dlpack(np.array([ids]))).to_numpy()[0].argmax(-1).tolist()
json.dump([next_tokens(ids) for ids in json.load(sys.stdin)], sys.stdout)
"""

SCRIPT = """async ([texts, on]) => {
  const loaded = await gpt2.load();
  return texts.map((text) => {
    const ids = loaded.tokenizer.encode(text);
    const { weights, logits } = gpt2.read(loaded, ids, on);
    return { ids, next: logits.map(gpt2.likeliest), weights, logits: logits[logits.length - 1] };
  });
}"""


def in_the_page(book: Path, texts: list[str], switches: dict[str, bool]) -> Any:
    with opened() as chrome:
        page = chrome.new_page()
        page.goto((book / "index.html").as_uri())
        return page.evaluate(SCRIPT, [texts, switches])


def test_the_same_next_tokens_as_the_solution_for_50_texts(book: Path) -> None:
    assert len(TRIED) == 50
    ids = [tokenizer().encode(text) for text in TRIED]
    expected = computed(ids, "-c", SOLUTION)
    found = in_the_page(book, TRIED, vars(Switches()))
    assert [one["ids"] for one in found] == ids
    assert [one["next"] for one in found] == expected


def test_switched_parts_give_the_same_numbers_as_in_python(book: Path) -> None:
    ids = tokenizer().encode(TEXTS[0])
    for name in ("mask", "scale", "positions", "rotation", "cache"):
        on = {**vars(Switches()), name: not vars(Switches())[name]}
        [found] = in_the_page(book, [TEXTS[0]], on)
        expected = read(ids, Switches(**on))
        np.testing.assert_allclose(found["logits"], expected.logits[-1], atol=1e-9, err_msg=name)
