"""What ``trace`` shows: where it goes wrong first, what follows, and nothing that is untouched."""

from __future__ import annotations

import re
from html import unescape

import pytest
from rich.cells import cell_len
from rich.text import Text

from grader.base.model import Margin, Trace
from grader.report import as_margin
from grader.report.style import FILE, Style, paint

SOURCE = '''"""A file."""


def merge(x):
    """Run last."""
    whole = list(x)
    return whole


def untouched(x):
    return x


def attend(query, key):
    scores = query @ key
    # ... a long way

    return scores + mask(query, key)
'''
WRONG = Trace(
    ("The numbers go wrong on line 18.",),
    18,
    (
        Margin(6, "[2]", "left"),
        Margin(11, "[2]", "right", "`x`"),
        Margin(15, "[2, 2]", "right", "the scores"),
        Margin(18, "[2, 2]", "left"),
    ),
)
SHOWN = """The numbers go wrong on line 18.

      … 3 lines
   4  def merge(x):
   5      \"""Run last.\"""
   6      whole = list(x)
↓         [2]
      … 7 lines
  14  def attend(query, key):
  15      scores = query @ key
✓         [2, 2] the scores
  16      # ... a long way
  17
▶ 18      return scores + mask(query, key)
✗         [2, 2]

✓ same as the reference   ▶ ✗ differs from here
↓ only follows from it     · not compared
"""


def test_it_marks_the_first_wrong_line_and_what_follows_and_folds_the_rest() -> None:
    assert as_margin.text(SOURCE, WRONG, FILE) == SHOWN


def test_a_right_program_is_shown_whole() -> None:
    right = Trace((), None, (Margin(15, "[2, 2]", "right", "the scores"),))
    shown = as_margin.text(SOURCE, right, FILE)
    assert "def untouched(x):" in shown
    assert "▶ 1" not in shown


def test_words_and_ascii_say_the_same() -> None:
    words = as_margin.text(SOURCE, WRONG, Style(words=True))
    assert "wrong from here: [2, 2]" in words
    assert "follows from that: [2]" in words
    plain = as_margin.text(SOURCE, WRONG, Style(unicode=False))
    assert plain.isascii()
    assert "> 18  " in plain


@pytest.mark.parametrize("width", [80, 40])
def test_a_terminal_has_colours_and_lines_that_fit(width: int) -> None:
    style = Style(colour=True, width=width)
    painted = paint(as_margin.text(SOURCE, WRONG, style), style)
    assert "\x1b[31m▶ 18" in painted
    assert "\x1b[32m✓" in painted
    assert max(cell_len(Text.from_ansi(one).plain) for one in painted.splitlines()) <= width


def test_the_page_shows_every_line_and_runs_none() -> None:
    shown = unescape(as_margin.table(SOURCE, WRONG))
    assert all(line.strip() in shown for line in SOURCE.splitlines())
    page = as_margin.page("x = '<script>alert(1)</script><img src=y>'\n", WRONG, "<img src=z>")
    assert not re.search("<(script|img|link|iframe)|<[^>]* (src|href)=", page)
    assert "&lt;script&gt;" in page
