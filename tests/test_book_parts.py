"""Parts of the book without building it: the explorer's numbers, formulas, drawings, conversion."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import PurePosixPath
from xml.etree import ElementTree

import numpy as np
import pytest

from book import formulas
from book.drawings import computation, speed, stream
from book.explorer import TEXTS
from book.model import Switches, read, tokenizer
from book.sources import convert
from checks.shared import texts
from checks.shared.attention import softmax
from grader.base import course
from grader.base.course import ROOT

pytestmark = pytest.mark.any_python

TEXT = "She was happy and he was not, and she knew it"
IDS = tokenizer().encode(TEXT)


def test_as_trained_it_is_the_gpt2_of_the_course() -> None:
    seen, model = read(IDS, Switches()), texts.read(TEXT)
    assert np.abs(seen.weights - model.weights).max() < 1e-9
    assert np.abs(seen.logits - model.logits()).max() < 1e-9


@pytest.mark.parametrize("rotation", [False, True])
def test_the_cache_changes_no_number(rotation: bool) -> None:
    whole = read(IDS, Switches(rotation=rotation))
    pieces = read(IDS, Switches(rotation=rotation, cache=True))
    assert np.abs(whole.logits - pieces.logits).max() < 1e-9
    assert np.abs(whole.weights - pieces.weights).max() < 1e-9
    assert np.abs(whole.stream - pieces.stream).max() < 1e-9


def test_without_the_mask_tokens_see_what_follows_unless_it_is_not_there_yet() -> None:
    later = np.triu(np.ones((len(IDS), len(IDS)), bool), 1)
    assert (read(IDS, Switches(mask=False)).weights[..., later] > 0).all()
    assert (read(IDS, Switches(mask=False, cache=True)).weights[..., later] == 0).all()


def test_without_places_rotation_alone_tells_equal_words_apart() -> None:
    same = [IDS[1]] * 6
    last = [
        read(same, Switches(positions=False, rotation=on)).weights[..., -1, :]
        for on in (False, True)
    ]
    assert np.allclose(last[0], 1 / 6)
    assert float(np.min(np.max(last[1], axis=-1) - np.min(last[1], axis=-1))) > 1e-3


def test_without_the_scale_the_first_layer_multiplies_the_scores() -> None:
    seen = read(IDS, Switches(scale=False))
    later = np.triu(np.full((len(IDS), len(IDS)), -np.inf), 1)
    assert np.allclose(seen.weights[0], softmax(seen.scores[0] + later))
    shares = [(one.weights.max(axis=-1) > 0.9).mean() for one in (seen, read(IDS, Switches()))]
    assert shares[0] > 0.4 > 0.2 > shares[1]  # what the explorer says


def test_the_texts_of_the_static_book_fit() -> None:
    assert all(0 < len(tokenizer().encode(text)) <= 24 for text in TEXTS)


def test_every_formula_is_one_of_the_lessons() -> None:
    lessons = "".join(path.read_text("utf-8") for path in sorted((ROOT / "steps").glob("*.md")))
    blocks = {" ".join(block.split()) for block in formulas.BLOCK.findall(lessons)}
    assert [text for text in formulas.FORMULAS if text not in blocks] == []
    for lines in formulas.FORMULAS.values():
        for latex in lines:
            assert "<merror" not in formulas.markup(latex)
            assert "\\" not in re.sub(r"<[^>]*>", "", formulas.markup(latex))


def test_every_step_has_its_own_part_lit() -> None:
    drawn = {step.id: computation.figure(step.id) for step in course.steps()}
    assert all('class="part lit"' in figure for figure in drawn.values())
    assert 'class="part lit"' not in computation.figure("")
    assert {part for parts in computation.LIT.values() for part in parts} - {"shapes"} == set(
        computation.NAMES
    )
    assert all(
        drawn[step].count('class="part lit"') >= len(parts) > 0
        for step, parts in computation.LIT.items()
    )


@pytest.mark.parametrize(
    "figure", [partial(computation.figure, "s05"), speed.figure, stream.figure]
)
def test_a_drawing_is_told_in_words_and_has_no_colour_of_its_own(figure: Callable[[], str]) -> None:
    drawn = re.findall(r"<svg.*?</svg>", figure(), re.DOTALL)
    assert drawn
    for svg in drawn:
        root = ElementTree.fromstring(svg)
        named = root.attrib["aria-labelledby"].split()
        told = {one.attrib["id"]: one.text or "" for one in root if "id" in one.attrib}
        assert root.attrib["role"] == "img"
        assert [name for name in named if len(told[name]) < 10] == []
        words = {name for one in root.iter() for name in one.attrib}
        assert not words & {"fill", "stroke", "style"}


def test_links_lead_to_pages_or_stay_words() -> None:
    places = {"steps/glossary.md": "glossary.md"}
    origin = PurePosixPath("steps/step_05.md")
    text = "[a `b`](glossary.md#c) [d](step_05.py) [`e`](../LICENSE) <https://f> [g](https://h)\n"
    expected = "[a `b`](/glossary.md#c) *d* `e` <https://f> [g](https://h)\n"
    fence = "```text\n[i](glossary.md)\n```\n"
    assert convert(text + fence, origin, places) == expected + fence
