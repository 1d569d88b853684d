"""The sides of ``bench compare`` answer, and its page says which limit is kept. No times here."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from grader.base.course import ROOT
from tools.bench_page import Figure


def answers(module: str, *arguments: str, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a side says first, and to each request."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        input="".join(json.dumps(request) + "\n" for request in requests),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_courses_gpt2_reads_and_writes_when_asked() -> None:
    write = {"do": "write", "length": 8, "count": 4}
    requests = [{"do": "read", "length": 8}, write, {"do": "read", "length": 200}, write]
    tiny = str(ROOT / "gpt2" / "tiny")
    ready, read, written, _, again = answers("tools.bench_sides", "numpy", tiny, requests=requests)
    assert ready.keys() == {"ready_s"}
    assert read["result"] == written["result"][:1]
    assert len(written["result"]) == 4
    assert again["result"] == written["result"]


def test_a_layer_computes_the_same_for_any_shape() -> None:
    shapes = [(1, 4, 768), (2, 3, 768), (1, 4, 768)]
    _, first, other, again = answers(
        "tools.bench_layer", "numpy", requests=[{"shape": shape} for shape in shapes]
    )
    assert first["result"] == again["result"] != other["result"]


def test_a_limit_is_an_upper_or_a_lower_one() -> None:
    assert Figure("", 2.0, "s", 3.0).kept
    assert not Figure("", 4.0, "s", 3.0).kept
    assert not Figure("", 2.0, "a second", 3.0, at_least=True).kept
    assert "NOT KEPT" in str(Figure("", 4.0, "s", 3.0))
