"""The benchmarks answer and say which limit is kept; pages show what was stored. No times here."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from grader.base.course import ROOT
from tools import measured
from tools.bench import compare
from tools.bench import page as speed
from tools.bench.page import Figure
from tools.bench.processes import Answer, Impossible, side


def answers(module: str, *given: str, requests: list[Answer]) -> list[Answer]:
    """What a side says to each request."""
    with side(module, *given) as started:
        assert started.ready_s > 0
        return [started.ask(request) for request in requests]


def test_the_courses_gpt2_reads_and_writes_when_asked() -> None:
    write = {"do": "write", "length": 8, "count": 4}
    requests = [{"do": "read", "length": 8}, write, {"do": "read", "length": 200}, write]
    tiny = str(ROOT / "gpt2" / "tiny")
    read, written, _, again = answers("models", "numpy", tiny, requests=requests)
    assert read["result"] == written["result"][:1]
    assert len(written["result"]) == 4
    assert again["result"] == written["result"]


def test_a_layer_computes_the_same_for_any_shape() -> None:
    shapes = [(1, 4, 768), (2, 3, 768), (1, 4, 768)]
    requests = [{"shape": shape} for shape in shapes]
    first, other, again = answers("layers", "numpy", requests=requests)
    assert first["result"] == again["result"] != other["result"]


def test_a_limit_is_a_multiple_of_what_importing_max_takes_beside_it() -> None:
    slow = Figure("", 2.1, 0.7, 2.9)
    assert "3.00 × importing MAX, at most 2.9  NOT KEPT" in str(slow)
    assert "NOT KEPT" not in str(replace(slow, most=3.1))


def test_what_a_machine_cannot_measure_is_left_out_and_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_browser(*_: int) -> list[float]:
        raise Impossible("It needs Chromium.")

    kept: dict[str, measured.Kept] = {}
    rows = (speed.Row("desk", 1, no_browser), speed.Row("one", 9, lambda *_: [0.1]))
    monkeypatch.setattr(speed, "ROWS", rows)
    monkeypatch.setattr(speed, "IMPORT", ("-c", "pass"))
    monkeypatch.setattr(measured, "keep", kept.update)
    speed.main(1, 1, keep=True)
    assert capsys.readouterr().out.startswith("desk: left out. It needs Chromium.\none")
    assert kept["bench"]["left_out"] == {"desk": "It needs Chromium."}
    [one] = kept["bench"]["figures"]
    assert (one["what"], one["seconds"]) == ("one", 0.1)


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", ROOT / "docs/working.md", *(ROOT / "book/pages").glob("*.md")]
)
def test_a_page_tells_no_time_but_those_that_come_with_a_machine(page: Path) -> None:
    prose = re.sub(r"(?s)<!-- measured:\w+:start -->.*?:end -->", "", page.read_text("utf-8"))
    bare = re.findall(r".*(?:\d|\babout an?|\bhalf an?) ?(?:m?s|(?:second|minute)s?)\b.*", prose)
    assert bare == []


def test_every_page_shows_the_figures_that_were_stored() -> None:
    for page, text in measured.pages():
        assert page.read_text(encoding="utf-8") == text, f"{page}: python -m tools.measured"


def test_what_is_stored_changes_the_pages(tmp_path: Path) -> None:
    for name in (
        *measured.PAGES,
        *(str(path.relative_to(ROOT)) for path in (ROOT / measured.FOLDER).glob("*.json")),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    small = dict(measured.read("small"))
    small["figures"] = [
        {"task": "one token", "side": side, "median_s": seconds, "same_result": same}
        for side, seconds, same in (
            ("numpy", 0.0123, True),
            ("max", 0.001, False),
            ("torch", 0.0246, True),
        )
    ]
    measured.keep({"small": small}, tmp_path)
    changed = (tmp_path / "steps" / "what_it_costs.md").read_text(encoding="utf-8")
    assert "| small | one token | 12.3 | – | 24.6 | 2.00 |" in changed


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.000512, "0.512"), (0.0123, "12.3"), (1.99, "1,990"), (0.04, "40.0")]
)
def test_three_digits(seconds: float, said: str) -> None:
    assert measured.milliseconds(seconds) == said


def test_a_side_that_cannot_start_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    task = compare.Task("1×4×768", {"shape": (1, 4, 768)})
    sides = ("nonsense", "numpy")
    subject = compare.Subject("layer", "layers", (), sides, (task,))
    [figure] = compare.measure(subject, set(), 1)
    assert (figure.side, figure.same_result) == ("numpy", True)
    assert "nonsense: does not run" in capsys.readouterr().out
