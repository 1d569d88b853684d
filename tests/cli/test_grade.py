"""The grader from the outside: real files, real processes, real MAX."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.base import course
from grader.cli import cli
from grader.isolation.tiers import TIERS
from tests import ran
from tests.marks import sampled

ROOT = course.ROOT

SENTENCES = """\
functional module is correctly imported as F from max.experimental
Tensor is correctly imported from max.experimental.tensor
Linear and Module are imported from max.experimental.nn
GPT2Attention class exists
self.c_attn Linear layer is created correctly
self.c_proj Linear layer is created correctly
_split_heads: new_shape calculation is correct
_split_heads: tensor.reshape is used
_split_heads: tensor.transpose(-3, -2) is used
_merge_heads: new_shape calculation is correct
_attn: attention scores computed with query @ key.transpose(-1, -2)
_attn: attention weights are scaled
_attn: sequence length extracted from query.shape[-2]
_attn: causal_mask function is called
_attn: F.softmax is applied to attention weights
_attn: attention output computed with attn_weights @ value
__call__: F.split is used on self.c_attn(hidden_states)
__call__: F.split uses correct split sizes
__call__: self._split_heads is called for query, key, and value
__call__: self._attn is called
__call__: self._merge_heads is called
__call__: self.c_proj is called
All placeholder 'None' values have been replaced
GPT2Attention class can be instantiated
GPT2Attention.c_attn is initialized
GPT2Attention.c_proj is initialized
GPT2Attention.embed_dim is correct: 768
GPT2Attention.num_heads is correct: 12
GPT2Attention.head_dim is correct: 64
GPT2Attention forward pass executes without errors
Output shape is correct: (1, 4, 768)
""".splitlines()
"""Step 05's sentences, in the order of the specification."""


def grade(
    *arguments: str, cwd: Path = ROOT, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    more = {"PYTHONPATH": str(ROOT), **(environment or {})}
    return ran.python("-m", "grader", *arguments, cwd=cwd, **more)


def report(*arguments: str) -> dict[str, object]:
    done = grade("grade", *arguments, "--format", "json")
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_step_05_prints_its_sentences_in_order() -> None:
    done = grade("grade", "s05", "--file", "solutions/solution_05.py")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "Running tests for Step 05: Implement Multi-Head Attention..."
    assert [line for line in lines if line.startswith(("✅", "❌", "➖"))] == [
        f"✅ {sentence}" for sentence in SENTENCES
    ]
    assert lines[-2].startswith("🎉 All checks passed!")


def test_the_untouched_step_05_has_each_sentence_and_hint_of_its_specification() -> None:
    done = grade("grade", "s05")
    assert done.returncode == 1
    lines = iter(done.stdout.splitlines())
    for wanted in (ROOT / "tests/data/untouched_05.txt").read_text("utf-8").splitlines():
        assert wanted in lines, wanted


@pytest.fixture(scope="module")
def seeded() -> dict[str, object]:
    """The report on an untouched step 05, with inputs of the seed 7."""
    return report("s05", "--seed", "7")


def test_json_names_its_schema_and_its_seed(seeded: dict[str, object]) -> None:
    """What else is in it ``test_stable`` compares with the page that promises it."""
    assert (seeded["schema"], seeded["seed"]) == ("report/v2", 7)


BROKEN = {
    "empty": b"",
    "binary": bytes(range(256)) * 4,
    "null bytes": b"x = 1\n\x00\n",
    "UTF-16": "import math\n".encode("utf-16"),
    "UTF-16 without BOM": "import math\n".encode("utf-16-le"),
    "unknown coding": b"# -*- coding: klingon -*-\nx = 1\n",
    "wrong encoding": "# -*- coding: utf-8 -*-\nx = '\xe9'\n".encode("latin-1"),
    "50 MB": b"#" * 50_000_000,
    "syntax error": b"def f(:\n    pass\n",
    "nested 10,000 deep": b"x = " + b"(" * 10_000 + b")" * 10_000 + b"\n",
    "nested lists": b"x = " + b"[" * 10_000 + b"]" * 10_000 + b"\n",
    "long chain": b"x = " + b"-" * 10_000 + b"1\n",
    "long sum": b"x = " + b"+".join([b"1"] * 20_000) + b"\n",
}


def failed(path: Path) -> list[str]:
    """The lines with a ❌ in the report on ``path``, where the command itself did not fail."""
    done = CliRunner().invoke(cli, ["grade", "s05", "--file", str(path)])
    assert done.exit_code == 1, done.output
    assert isinstance(done.exception, SystemExit)
    return [line for line in done.output.splitlines() if line.startswith("❌")]


@pytest.mark.parametrize("name", sampled(3, BROKEN))
def test_broken_file_gets_one_clear_message(name: str, tmp_path: Path) -> None:
    path = tmp_path / "step_05.py"
    path.write_bytes(BROKEN[name])
    assert len(failed(path)[0]) < 300


def test_a_file_of_which_nothing_ran_names_no_isolation(
    seeded: dict[str, object], tmp_path: Path
) -> None:
    path = tmp_path / "step_05.py"
    path.write_bytes(BROKEN["UTF-16"])
    assert report("s05", "--file", str(path))["isolation"] is None
    assert seeded["isolation"] in TIERS


def test_missing_file_directory_and_unreadable(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing.py", tmp_path):
        assert len(failed(path)) == 1


def test_works_from_any_directory_and_with_a_relative_file(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        (ROOT / "solutions/solution_05.py").read_text(encoding="utf-8"), encoding="utf-8"
    )
    done = grade("grade", "5", "--file", "mine.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_wrong_usage_is_status_2() -> None:
    done = grade("grade", "s99")
    assert done.returncode == 2
    assert "s05" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "typed"),
    [
        (["grade", "s05", "--no"], "./pixiw run s05 [OPTIONS]"),
        (["grade", "05", "--no"], "./pixiw run grade [OPTIONS] STEP"),
        (["trace"], "./pixiw run trace [OPTIONS] STEP"),
    ],
)
def test_usage_repeats_what_was_typed(
    arguments: list[str], typed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIXI_PROJECT_ROOT", raising=False)
    monkeypatch.setenv("INIT_CWD", str(ROOT))
    done = grade(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"Usage: {typed}\nTry '{typed.partition(' [')[0]} --help'")
    monkeypatch.delenv("INIT_CWD")
    assert grade(*arguments).stderr.startswith(f"Usage: python -m grader {arguments[0]}")


def test_output_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    done = grade("grade", "s05", "--format", "json", "--output", str(target))
    assert done.returncode == 1
    assert json.loads(target.read_text(encoding="utf-8"))["step"] == "s05"
    done = grade("grade", "s05", "--output", str(tmp_path / "no" / "report.txt"))
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == [target]


def test_without_utf8_the_report_is_ascii() -> None:
    plain = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    text = ran.python("-m", "grader", "grade", "s05", **plain).stdout
    assert text.isascii()
    assert "[FAIL] _attn: attention weights are not scaled correctly" in text


def test_the_same_seed_gives_the_same_report(seeded: dict[str, object]) -> None:
    again = report("s05", "--seed", "7")
    assert {**again, "duration_s": None} == {**seeded, "duration_s": None}


def test_verbose_tells_how_the_file_was_run(seeded: dict[str, object], tmp_path: Path) -> None:
    done = grade("grade", "s05", "--seed", "11", "--verbose")
    told = (
        f"How it ran: {seeded['isolation']}, engine numpy. --seed 11 draws the same inputs again."
    )
    assert told in done.stdout.splitlines()
    path = tmp_path / "step_05.py"
    path.write_bytes(BROKEN["UTF-16"])
    unread = grade("grade", "s05", "--file", str(path), "--verbose")
    assert "How it ran: the file was not run." in unread.stdout.splitlines()


@pytest.mark.parametrize(
    ("options", "status", "mark"),
    [(["--solutions"], 0, "✅"), ([], 1, "❌")],
    ids=["solutions", "stubs"],
)
@pytest.mark.whole
def test_check_grades_every_step_in_one_line_each(
    options: list[str], status: int, mark: str
) -> None:
    """Another test compares every line of these reports with the lessons."""
    done = grade("check", *options)
    assert done.returncode == status
    lines = [line.split()[:3] for line in done.stdout.splitlines()]
    assert [step for _, step, _ in lines] == [step.id for step in course.steps()]
    for found, _, points in lines:
        score, most = points.split("/")
        assert (found, score == most) == (mark, status == 0), points
