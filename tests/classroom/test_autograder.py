"""Gradescope's autograder: its archive, and due dates, hidden results and limits there."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from grader.classroom import gradescope_policy
from grader.classroom.autograder import build
from grader.cli import cli
from tests.classroom.test_deadlines import RULE, written
from tests.classroom.test_platforms import STEP
from tests.report.test_exports import GRADESCOPE

POLICY = b'time_zone = "UTC"\n[s05]\nhidden_until = 9000-01-01\n'


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What Gradescope has after building the image, but with the Python of the tests."""
    base = tmp_path_factory.mktemp("autograder")
    with zipfile.ZipFile(io.BytesIO(build(STEP, b"[s05]\noutput = 9\n", POLICY))) as archive:
        archive.extractall(base / "source")
        for name in ("setup.sh", "run_autograder"):
            assert archive.getinfo(name).external_attr >> 16 & 0o111
    return base


def autograded(base: Path, submission: dict[str, bytes]) -> dict[str, object]:
    folder = base / "submission"
    subprocess.run(["rm", "-rf", str(folder), str(base / "results")], check=True)
    for name, data in submission.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    done = subprocess.run(
        ["bash", str(base / "source" / "run_autograder")],
        env={
            **{name: os.environ[name] for name in ("HOME", "PATH") if name in os.environ},
            "AUTOGRADER_BASE": str(base),
            "AUTOGRADER_PYTHON": sys.executable,
        },
        cwd=base,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads((base / "results" / "results.json").read_text())
    jsonschema.validate(found, GRADESCOPE)
    return found


@pytest.mark.whole
def test_gradescopes_archive_grades_with_nothing_but_itself(unpacked: Path) -> None:
    solution = STEP.solution.read_bytes()
    found = autograded(unpacked, {"work/Step_05 (2).py": solution})
    assert (found["score"], found["visibility"]) == (39, "hidden")
    broken = autograded(unpacked, {"step_05.py": b"def (\n"})
    assert broken["score"] == 0
    assert "Syntax error" in str(broken["output"])
    assert "no step_05.py" in str(autograded(unpacked, {"notes.txt": b"x"})["output"])


def test_gradescopes_scripts_are_bash(unpacked: Path) -> None:
    for name in ("setup.sh", "run_autograder"):
        subprocess.run(["bash", "-n", str(unpacked / "source" / name)], check=True)
    assert build(STEP) == build(STEP)


# ---- what is graded when it is handed in -------------------------------------------------------

ONLINE = RULE + 'hidden_until = 2027-01-18\nsubmissions = 2\n[s05.extensions]\n"ada@x.org" = 1\n'
RESULTS = json.dumps({"score": 80, "output": "", "tests": []})


def metadata(
    tmp_path: Path, when: str, *scores: float, mail: str = "bob@x.org", due: str = ""
) -> Path:
    path = tmp_path / "submission_metadata.json"
    told = {
        "created_at": when,
        "assignment": {"due_date": due, "late_due_date": None},
        "users": [{"name": "Somebody", "email": mail, "sid": None}],
        "previous_submissions": [
            {"submission_time": f"2027-01-1{n}T00:00:00Z", "score": score}
            for n, score in enumerate(scores)
        ],
    }
    path.write_text(json.dumps(told))
    return path


@pytest.mark.parametrize(
    ("when", "mail", "score"),
    [
        ("2027-01-15T14:59:59.000000-08:00", "bob@x.org", 80),
        ("2027-01-15T15:00:00.365935-08:00", "bob@x.org", 72),
        ("2027-01-16T15:00:00.365935-08:00", "ada@x.org", 72),
        ("no time", "bob@x.org", 80),
    ],
)
def test_gradescope_takes_off_what_it_costs(
    tmp_path: Path, when: str, mail: str, score: int
) -> None:
    given = written(tmp_path, ONLINE)
    there = gradescope_policy.read(metadata(tmp_path, when, mail=mail))
    after = datetime(2027, 1, 18, tzinfo=UTC)
    found = json.loads(gradescope_policy.applied(RESULTS, given, "s05", there, after))
    jsonschema.validate(found, GRADESCOPE)
    assert found["score"] == score
    assert ("1 day late" in found["output"]) == (score < 80)
    assert "visibility" not in found


@pytest.mark.parametrize(
    ("due", "now", "shown"),
    [
        ("2027-01-18T00:00:00.000000+01:00", "2027-01-17T22:59:59+00:00", "after_due_date"),
        ("2027-01-15T00:00:00.000000+01:00", "2027-01-17T22:59:59+00:00", "hidden"),
        ("", "2027-01-17T23:00:00+00:00", None),
    ],
)
def test_results_are_hidden_until_a_date(tmp_path: Path, due: str, now: str, shown: str) -> None:
    given = written(tmp_path, ONLINE)
    there = gradescope_policy.read(metadata(tmp_path, "", due=due))
    text = gradescope_policy.applied(RESULTS, given, "s05", there, datetime.fromisoformat(now))
    found = json.loads(text)
    jsonschema.validate(found, GRADESCOPE)
    assert found.get("visibility") == shown
    there = gradescope_policy.read(metadata(tmp_path, "", 1, 2, 3, due=due))
    late = json.loads(gradescope_policy.refused(given, "s05", there, datetime.fromisoformat(now)))
    assert (late.get("visibility"), late["score"]) == (shown, 2)


def test_only_the_first_submissions_count(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "policy.toml").write_text(ONLINE)

    def run(*scores: float) -> dict[str, object]:
        given = ["--metadata", str(metadata(tmp_path, "2027-01-01T00:00:00Z", *scores))]
        given += ["--policy", str(tmp_path / "policy.toml")]
        out = tmp_path / "results.json"
        arguments = ["autograde", "s05", str(tmp_path / "in"), *given, "--output", str(out)]
        done = CliRunner().invoke(cli, arguments)
        assert done.exit_code == 0, done.output
        found: dict[str, object] = json.loads(out.read_text())
        jsonschema.validate(found, GRADESCOPE)
        return found

    assert "no step_05.py" in str(run(63)["output"])  # it was looked at
    third = run(63, 71, 71)
    assert third["score"] == 71
    assert "Only the first 2 count" in str(third["output"])


def test_the_archive_has_the_policy_and_refuses_one_without_the_step(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text(ONLINE)
    out = str(tmp_path / "a.zip")

    def run(step: str, name: str) -> tuple[int, str]:
        arguments = ["autograder", step, "--out", out, "--policy", str(tmp_path / name)]
        done = CliRunner().invoke(cli, arguments)
        return done.exit_code, done.output

    assert run("s05", "policy.toml")[0] == 0
    code, said = run("s07", "policy.toml")
    assert code == 2
    assert "says nothing about s07" in said
    code, said = run("s05", "nothing.toml")
    assert code == 2
    assert "cannot be read" in said
