"""Workflows, containers and VS Code's files: their form, and their shell lines as they are."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from grader.base.course import ROOT
from grader.base.model import CheckResult, Kind, Report, Status, Verdict
from grader.report import as_summary
from tests import ran
from tests.graded import variants
from tools.pixiw import shell
from tools.pixiw.manifest import read

pytestmark = pytest.mark.any_python

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FORMS = json.loads((ROOT / "tests/data/editor-forms.json").read_text(encoding="utf-8"))


def workflow(name: str) -> dict[str, Any]:
    text = (ROOT / f".github/workflows/{name}.yml").read_text(encoding="utf-8")
    found = yaml.load(text, Loader=yaml.BaseLoader)  # "on" stays a word
    assert isinstance(found, dict)
    return found


def steps(name: str) -> list[dict[str, Any]]:
    (job,) = workflow(name)["jobs"].values()
    found = job["steps"]
    assert isinstance(found, list)
    return found


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile, each on one line."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    whole = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in whole.splitlines() if line]


# ---- form -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_an_action_is_named_by_its_commit_and_gets_no_right_to_write(path: Path) -> None:
    found = workflow(path.stem)
    assert found["permissions"] == {"contents": "read"}
    used = re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))
    assert used
    for each in used:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each), each
    for each in steps(path.stem):
        if each.get("uses", "").startswith("actions/checkout"):
            assert each["with"] == {"persist-credentials": "false"}


@pytest.mark.parametrize(
    ("form", "path"),
    [("tasks", ".vscode/tasks.json"), ("devcontainer", ".devcontainer/devcontainer.json")],
)
def test_a_file_for_vs_code_has_the_documented_fields(form: str, path: str) -> None:
    jsonschema.Draft7Validator.check_schema(FORMS[form])
    found = json.loads((ROOT / path).read_text(encoding="utf-8"))
    jsonschema.Draft7Validator(FORMS[form]).validate(found)


def test_the_container_of_an_editor_is_a_stage_of_the_dockerfile() -> None:
    found = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text(encoding="utf-8"))
    names = [told.split(" AS ")[1] for what, told in instructions() if " AS " in told]
    assert found["build"]["target"] in names
    assert (ROOT / ".devcontainer" / found["build"]["dockerfile"]).samefile(ROOT / "Dockerfile")
    assert f"useradd --create-home --uid 1000 --shell /bin/bash {found['remoteUser']}" in str(
        instructions()
    )


def test_the_image_ends_as_a_user_without_rights() -> None:
    users = [told for what, told in instructions() if what == "USER"]
    assert users == ["1000"]
    assert [what for what, _ in instructions() if what in ("USER", "COPY", "ENTRYPOINT")] == [
        "USER",
        "COPY",
        "ENTRYPOINT",
    ]


# ---- their shell lines ----------------------------------------------------------------------


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A fresh clone of what is there, with an environment that this Python stands for."""
    home = tmp_path / "clone"
    words = ("git", "-c", f"safe.directory={ROOT}", "ls-files", "-z", "--cached")
    for name in filter(None, ran.command(*words).stdout.split("\0")):
        if (ROOT / name).is_file() and not name.startswith("tests/"):
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, home / name)
    python = home / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    (home / ".venv/.pixiw").mkdir()
    shell.note(read(home), {"default"})
    return home


def bash(clone: Path, line: str, **variables: Any) -> subprocess.CompletedProcess[str]:
    """Run a line as GitHub does."""
    words = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", line)
    return ran.command(*words, cwd=clone, without=["INIT_CWD", "GRADER_COURSE"], **variables)


@pytest.mark.whole
def test_a_fork_is_graded_with_marks_at_the_lines_and_a_list_of_the_steps(
    clone: Path, tmp_path: Path
) -> None:
    line = next(each["run"] for each in steps("grade") if each.get("name") == "Grade")
    page = tmp_path / "summary"
    nothing = bash(clone, line, GITHUB_STEP_SUMMARY=str(page))
    assert (nothing.returncode, nothing.stdout) == (0, ""), nothing.stderr
    assert page.read_text() == "No step has been started yet.\n"

    shutil.copy(clone / "solutions/solution_02.py", clone / "steps/step_02.py")
    (clone / "steps/step_05.py").write_bytes(variants.find("s05/wrong/no_mask").source)
    graded = {"cells": [{"cell_type": "code", "source": "%%grade s01\nx = <b>"}]}
    (clone / "steps/step_01.ipynb").write_text(json.dumps(graded))
    page.unlink()
    some = bash(clone, line, GITHUB_STEP_SUMMARY=str(page))
    assert some.returncode == 1, some.stderr
    errors = [each for each in some.stdout.splitlines() if each.startswith("::error ")]
    places = {re.search(r"file=([^,]+),line=(\d+)", each).groups() for each in errors}  # type: ignore[union-attr]
    assert places == {("steps/step_05.py", "25"), ("steps/step_01.ipynb", "1")}
    table = page.read_text(encoding="utf-8").splitlines()
    assert [row[:9] for row in table[2:5]] == ["| ❌ | s01", "| ✅ | s02", "| ❌ | s05"]
    assert table[-1] == "1 of 3 steps pass."
    assert "<b>" not in "".join(table)


def test_a_table_has_no_markup_of_a_program() -> None:
    name = "a|b\n<img src=x> [l](u) `c` @me"
    failed = CheckResult("c", Kind.SOURCE, Status.FAIL, name, line=3)
    row = as_summary.render([Report("s05", "T", "f.py", Verdict.FAIL, (failed,))]).splitlines()[2]
    assert row.startswith("| ❌ | s05: T | 0 of 1 | line 3: a&#124;b &#60;img")
    assert not set(re.sub(r"&#\d+;", "", row[2:-2])) & set("<>[]`@")


@pytest.mark.parametrize("line", [told for what, told in instructions() if what == "RUN"])
def test_every_line_of_the_dockerfile_is_sound(line: str) -> None:
    done = ran.command("bash", "-n", "-c", line)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.whole
def test_the_containers_install_environments_that_exist(clone: Path) -> None:
    """With pixiw itself, up to what would need the network."""
    found = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text(encoding="utf-8"))
    lines = [found["postCreateCommand"]]
    lines += [told for what, told in instructions() if what == "RUN" and "pixiw" in told]
    lines += [each["run"] for each in steps("grade") if each.get("name") == "Install"]
    known = read(clone).environments
    for line in lines:
        words = shlex.split(line)
        assert words[:2] == ["./pixiw", "install"]
        assert words[2:] == [] or (words[2] == "-e" and words[3] in known)
    entry = json.loads(next(told for what, told in instructions() if what == "ENTRYPOINT"))
    default = json.loads(next(told for what, told in instructions() if what == "CMD"))
    assert "Isolation" in bash(clone, shlex.join([*entry, *default])).stdout


def test_what_is_not_copied_into_the_image_is_not_needed_there() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    for name in ("pixiw", "pixi.toml", "requirements", "grader", "solutions", "steps", "checks"):
        assert name not in ignored
