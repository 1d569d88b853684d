"""The files with which others take part: workflows, issue forms, and the pages they link."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.base.course import ROOT
from tests.project.test_forks import WORKFLOWS, bash, clone, steps, workflow
from tools.pixiw.manifest import read

pytestmark = pytest.mark.any_python

__all__ = ["clone"]  # a fixture

FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml"))
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/adr").glob("*.md")),
]
FIELDS = {"markdown", "input", "textarea", "dropdown", "checkboxes"}
LINK = re.compile(r"\]\((?!https?:|\.\./\.\./(?:compare|releases))([^)#\s]+)(?:#[^)\s]*)?\)")


def commands(path: Path) -> list[list[str]]:
    """The calls of pixiw and of files of the repository in a workflow's shell lines."""
    found: list[list[str]] = []
    for job in workflow(path.stem)["jobs"].values():
        for line in "\n".join(each.get("run", "") for each in job["steps"]).splitlines():
            found += [shlex.split(call) for call in re.findall(r"(?:\./pixiw|bash) [^;&|)]+", line)]
    return found


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_task_of_a_workflow_exists(path: Path) -> None:
    known = read(ROOT)
    called = commands(path)
    assert called
    for program, *words in called:
        if program == "bash":
            assert (ROOT / words[0]).is_file()
        elif words[0] == "run":
            assert words[1] in known.tasks, words
        else:
            assert words in (["install"], ["--version"])


def test_a_release_has_its_parts() -> None:
    lines = "\n".join(each.get("run", "") for each in steps("release"))
    for part in ("pixiw run book", "zipfile -c release/", "pixiw run autograder", "docker build"):
        assert part in lines
    assert workflow("release")["on"]["push"] == {"tags": ["v*"]}


@pytest.mark.whole
def test_a_release_has_an_autograder_for_each_step(clone: Path) -> None:
    line = next(each["run"] for each in steps("release") if "autograder" in each.get("run", ""))
    done = bash(clone, line)
    assert done.returncode == 0, done.stderr
    numbers = [path.stem[-2:] for path in sorted((ROOT / "steps").glob("step_*.md"))]
    made = sorted((clone / "build/release").iterdir())
    assert [path.name for path in made] == [f"autograder-s{number}.zip" for number in numbers]
    assert all(path.stat().st_size > 100_000 for path in made)


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_an_issue_form_is_as_github_documents_it(path: Path) -> None:
    form: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert set(form) <= {"name", "description", "title", "labels", "body", "assignees"}
    assert form["name"]
    assert form["description"]
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert {field["type"] for field in form["body"]} <= FIELDS
    assert len({field["id"] for field in fields}) == len(fields)
    for field in fields:
        assert set(field) <= {"type", "id", "attributes", "validations"}
        assert field["attributes"]["label"]
        assert set(field.get("validations", {})) <= {"required"}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_of_a_page_leads_to_a_file(page: Path) -> None:
    links = LINK.findall(page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_citation_has_what_its_format_requires() -> None:
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert found["cff-version"] == "1.2.0"
    assert {"authors", "message", "title"} <= set(found)
    assert (
        found["license"] == tomllib.loads((ROOT / "pixi.toml").read_text())["workspace"]["license"]
    )


def test_the_index_of_decisions_names_each_and_what_replaced_it() -> None:
    folder = ROOT / "docs/adr"
    index = (folder / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"\((0\d{3}-[\w-]+\.md)\)(.*) \|$", index, re.MULTILINE))
    assert set(rows) == {path.name for path in folder.glob("0*.md")}
    for name, told in rows.items():
        text = (folder / name).read_text(encoding="utf-8")
        replaced = re.findall(r"\*\*Superseded (?:in part )?by \[(\d{4})\]", text)
        assert re.findall(r"\d{4}", told) == replaced, name
