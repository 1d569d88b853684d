"""Every mistake of the catalogue is made on MAX again, and told by a row of the table.

``python -m tests.errors_catalogue.record`` rewrites the catalogue.
"""

from __future__ import annotations

import json
import multiprocessing
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

from tests.errors_catalogue import record
from tests.errors_catalogue.by_hand import BY_HAND

KNOWN = 0.985
"""Of all mistakes: told by a row."""

RAW = re.compile(
    r"TensorValue|Failed to create op|\bmo\.|rmo\.|mlir|<class|0x[0-9a-f]{6}|StaticDim|locals>"
)
"""Words of MAX's inside."""

Entry = dict[str, Any]

pytestmark = pytest.mark.whole

as_recorded = pytest.mark.skipif(
    sys.version_info[:2] != (3, 13), reason="recorded with Python 3.13; others word errors anew"
)


@pytest.fixture(scope="module")
def made() -> tuple[list[Entry], str, list[str]]:
    """The catalogue, the names of MAX, and right code that raises, found by MAX as it is."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, record.start) as pool:
        every = pool.submit(record.catalogue)
        names = pool.submit(record.known_names)
        wrong = pool.submit(record.not_running, [right for _, right in BY_HAND])
        return every.result(), names.result(), wrong.result()


@pytest.fixture(scope="module")
def catalogue(made: tuple[list[Entry], Any, Any]) -> list[Entry]:
    return made[0]


@as_recorded
def test_it_is_what_max_says(catalogue: list[Entry]) -> None:
    recorded = json.loads(record.CATALOGUE.read_text(encoding="utf-8"))
    for old, new in zip(recorded, catalogue, strict=True):
        assert new == old, "run python -m tests.errors_catalogue.record"


@as_recorded
def test_the_names_are_those_of_max(made: tuple[Any, str, Any]) -> None:
    assert record.NAMES.read_text(encoding="utf-8") == made[1]


def test_what_is_right_runs(made: tuple[Any, Any, list[str]]) -> None:
    assert made[2] == []


@as_recorded
def test_every_mistake_made_by_hand_raises_and_is_told(catalogue: list[Entry]) -> None:
    by_hand = [one for one in catalogue if one["kind"] == "by hand"]
    assert len(by_hand) == len(BY_HAND)
    assert [one["code"] for one in by_hand if not one["known"]] == []


def test_nearly_all_are_told(catalogue: list[Entry]) -> None:
    unknown = [one["code"] for one in catalogue if not one["known"]]
    assert len(unknown) <= (1 - KNOWN) * len(catalogue), "\n".join(unknown)


ADVICE = re.compile(r"\bunsqueeze\b|swap (?:two|the last two|axes)", re.IGNORECASE)
"""Advice that only makes shapes fit, of which nobody knows whether it is right."""


def test_no_advice_only_makes_shapes_fit(catalogue: list[Entry]) -> None:
    fitting = [one for one in catalogue if "do not fit" in one["sentence"]]
    fitting += [one for one in catalogue if "has no product" in one["sentence"]]
    assert fitting
    assert [one["hint"] for one in fitting if ADVICE.search(one["hint"] or "")] == []


def test_no_word_of_the_inside_of_max_is_shown(catalogue: list[Entry]) -> None:
    shown = [f"{one['sentence']} {one['hint'] or ''}" for one in catalogue if one["known"]]
    assert [text for text in shown if RAW.search(text)] == []


def test_no_text_is_cut_in_a_word_or_a_bracket(catalogue: list[Entry]) -> None:
    for one in catalogue:
        for text in (one["sentence"], one["hint"] or ""):
            if one["known"] and "…" not in text:
                assert text.count("(") == text.count(")"), text
                assert text.count("[") == text.count("]"), text
