"""Cells that are graded in a notebook, run by a real kernel.

The kernel is one, and its cells share it, as a learner's do.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from grader.base import course
from grader.base.model import Step
from grader.learner import pages, progress, stub
from grader.report.style import FILE
from tests.graded import variants
from tools import notebook as writer
from tools.desk import chromium

pytestmark = [pytest.mark.whole, pytest.mark.any_python]

NOTHING_COMPILED = {"MAX_EAGER_ALLOW_LAZY_COMPILE": "0"}
S05 = course.find("s05")
HOSTILE = '"""</pre><script>alert(1)</script>\x1b[31m"""'
PRINTS = f"print({HOSTILE})\n"


def variant(name: str) -> str:
    return variants.find(name).source.decode()


CELLS = {
    "load": "%load_ext grader.notebook",
    "nothing graded": "%hint",
    "engine": "from max.experimental.tensor import Tensor\nTensor.ones([2]).to_numpy().sum()",
    "stub": None,  # as the notebook of the step has it
    "stub's names": "'GPT2Attention' in globals()",
    "wrong": "%%grade s05\n" + variant("s05/wrong/no_mask") + PRINTS,
    "its names": "GPT2Attention.__module__",
    "hint": "%hint",
    "trace": "%trace",
    "syntax": "%%grade s05\n\ndef broken(:\n    pass",
    "no syntax": "%trace",
    "endless": "%%grade s05\nraise SystemExit",
    "alive": "1 + 1",
    "empty": "%%grade s05",
    "a comment": "%%grade s05\n# nothing",
    "no step": "%%grade s99\nx = 1",
    "no option": "%%grade s05 --sed 3\nx = 1",
    "right": "%%grade 5\n" + S05.solution.read_text(encoding="utf-8"),
    "right's names": "GPT2Attention.__name__",
    "no hint": "%hint",
}


as_printed, LOOSE = OutputChecker().check_output, ELLIPSIS | NORMALIZE_WHITESPACE
Outputs = list[dict[str, Any]]


def shown(outputs: Outputs) -> str:
    """Everything that a cell shows, as text."""
    parts = []
    for one in outputs:
        data = one.get("data", {}).get("text/plain", "")
        parts.append(one.get("text", "") + data + "\n".join(one.get("traceback", ())))
    return "\n".join(parts)


@pytest.fixture(scope="module")
def kernel(root: Path) -> Iterator[NotebookClient]:
    """As VS Code starts it: in the course's folder, and with nothing else of ours."""
    client = NotebookClient(
        nbformat.from_dict(writer.notebook(S05)),
        timeout=300,
        startup_timeout=300,
        allow_errors=True,
        resources={"metadata": {"path": str(root / "steps")}},
    )
    given = {**NOTHING_COMPILED, "GRADER_COURSE": str(root), "PYTHONPATH": str(course.ROOT)}
    # Tests of this process may have set what the engine wants of MAX.
    plain = {name: one for name, one in os.environ.items() if not name.startswith("MAX_")}
    with client.setup_kernel(env=plain | given):
        yield client


class Run:
    """The outputs of cells that were run."""

    def __init__(self, kernel: NotebookClient) -> None:
        *_, graded = writer.notebook(S05)["cells"]
        self._outputs: dict[str, Outputs] = {}
        for name, code in CELLS.items():
            cell = nbformat.v4.new_code_cell("".join(graded["source"]) if code is None else code)
            self._outputs[name] = kernel.execute_cell(cell, 0).outputs

    def text(self, name: str) -> str:
        """Everything that a cell shows, as text."""
        return shown(self._outputs[name])

    def html(self, name: str) -> str:
        """What a cell shows in a page."""
        return "".join(one.get("data", {}).get("text/html", "") for one in self._outputs[name])


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the course, for its progress file."""
    home = tmp_path_factory.mktemp("course")
    for name in ("checks", "gpt2", "solutions", "course.toml"):
        (home / name).symlink_to(course.ROOT / name)
    (home / "steps").mkdir()
    for path in (course.ROOT / "steps").iterdir():
        (home / "steps" / path.name).symlink_to(path)
    return home


@pytest.fixture(scope="module")
def run(kernel: NotebookClient) -> Run:
    return Run(kernel)


def test_the_stub_is_graded_with_the_cells_own_lines_and_is_no_attempt(run: Run) -> None:
    text, html = run.text("stub"), run.html("stub")
    assert "Nothing is written yet: all " in text
    cell = stub.cell(S05).splitlines()
    line = cell.index("        self.c_attn = None") + 2  # the first is %%grade
    assert f"Line {line}: self.c_attn = None" in text
    assert f"<p>Line {line}: <code>self.c_attn = None</code></p>" in html
    assert "its names are not defined" in text
    assert run.text("stub's names") == "False"


def test_a_wrong_cell_has_the_same_report_as_the_file_with_a_picture(run: Run) -> None:
    html, text = run.html("wrong"), run.text("wrong")
    for sentence in (
        "Not right yet: _attn: causal_mask function is called",
        "Fix this first: your output is exactly attention without the causal mask",
        "Output is not correct",
    ):
        assert sentence in text
        assert sentence in html
    assert '<img alt="' in html
    assert 'src="data:image/svg+xml;base64,' in html
    assert "numbers differ by more than 0.1 % of the largest value" in html
    assert run.text("its names") == "'__main__'"


def test_attempts_and_hints_are_counted(run: Run, root: Path) -> None:
    known = progress.read(root)[0]["s05"]
    # wrong, SystemExit, a comment, right; the stub and what is no program are no attempts
    assert known.attempts == 4
    assert known.checks["mask"].asked == 2
    assert run.text("hint").count("Hint:") == 2


def test_a_pass_in_a_notebook_counts_as_passed_in_the_list(run: Run, root: Path) -> None:
    assert run.text("right").count("All checks passed") == 1
    known = progress.read(root)[0]
    page = pages.list_page(course.steps(root), known, FILE)
    assert re.search(r"✅ s05 31/31", page)


def test_what_passes_is_compared_with_the_reference_and_leads_on(run: Run) -> None:
    assert "your code is identical to the reference" in run.text("right")
    assert "notebook s06" in run.text("right")
    assert run.text("right's names") == "'GPT2Attention'"
    assert "nothing to hint at" in run.text("no hint")


def test_the_trace_shows_the_cell_with_what_each_line_gave(run: Run) -> None:
    assert " 1  %%grade s05" in run.text("trace")
    assert '<tr class="left"><th scope="row">26</th>' in run.html("trace")
    assert "Nothing can be followed yet" in run.text("no syntax")


def test_an_empty_cell_never_passes(run: Run) -> None:
    assert "cell body is empty" in run.text("empty")
    assert "functional module is not imported" in run.text("a comment")
    for name in ("empty", "a comment", "syntax", "endless"):
        assert "All checks passed" not in run.text(name)


def test_a_cell_that_does_not_run_to_its_end_is_not_run_in_the_notebook(run: Run) -> None:
    assert "Syntax error" in run.text("syntax")
    assert "Line 3: def broken(:" in run.text("syntax")
    assert "its names are not defined" in run.text("endless")
    assert run.text("alive") == "2"


def test_a_kernel_that_vs_code_started_computes_at_once(run: Run) -> None:
    """Were something compiled, MAX would refuse."""
    assert "2.0" in run.text("engine")


def test_wrong_use_is_one_sentence(run: Run) -> None:
    assert "Grade one first." in run.text("nothing graded")
    assert "There is no step 's99'. The steps are s01" in run.text("no step")
    assert "unrecognized arguments: --sed 3." in run.text("no option")
    for name in ("nothing graded", "no step", "no option"):
        assert "Traceback" not in run.text(name)


class Tags(HTMLParser):
    """The elements of a page, and the attributes that they have."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


def test_no_output_of_a_program_becomes_markup(run: Run) -> None:
    html = run.html("wrong")
    assert "&lt;/pre&gt;&lt;script&gt;alert(1)" in html
    seen = Tags("".join(run.html(name) for name in CELLS))
    assert not seen.tags & {"script", "iframe", "a", "link", "object", "svg"}
    assert not any(name.startswith("on") or name == "id" for name in seen.attributes)
    assert "\x1b" not in html


PAGE = """\
<!doctype html><html lang="en"><meta charset="utf-8"><title>Notebook</title>
<body style="margin:0;background:{ground};color:{ink}"><main>{body}</main></body></html>
"""


@pytest.mark.skipif(chromium() is None, reason="no Chromium here")
@pytest.mark.parametrize(("ground", "ink"), [("#fff", "#1f2328"), ("#111", "#e6edf3")])
def test_in_a_browser_everything_is_seen_on_any_page(ground: str, ink: str, run: Run) -> None:
    from tests import browser

    body = "".join(run.html(name) for name in ("stub", "wrong", "hint", "trace", "right"))
    with browser.opened() as chrome:
        page = chrome.new_page(viewport={"width": 360, "height": 800})
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.set_content(PAGE.format(ground=ground, ink=ink, body=body))
        wide = page.evaluate("[...document.images].map(one => one.complete && one.naturalWidth)")
        assert [width > 200 for width in wide] == [True]
        assert page.locator(".grader img").bounding_box()["width"] <= 360
        assert page.locator("details").count() >= 2
        assert page.evaluate("document.querySelectorAll('script').length") == 0
        assert browser.shut_out(page) == []
        assert [url for url in asked if not url.startswith("data:")] == []


@pytest.mark.parametrize("step", course.steps(), ids=lambda step: step.id)
def test_every_cell_of_a_steps_notebook_runs_and_shows_what_the_lesson_says(
    step: Step, kernel: NotebookClient
) -> None:
    made = nbformat.reads(json.dumps(writer.notebook(step)), as_version=4)
    kernel.execute_cell(nbformat.v4.new_code_cell("%reset -f"), 0)
    for cell in made.cells:
        said = "".join(one.get("text", "") for one in cell.get("outputs", ()))
        if cell.cell_type == "code":
            kernel.execute_cell(cell, 0)
            assert not [one for one in cell.outputs if one.output_type == "error"], cell.source
            found = shown(cell.outputs) + "\n"
            works = "F.lazy" in cell.source  # in a notebook, which has a running event loop
            assert works or not said or as_printed(said, found, LOOSE), cell.source
    assert "Nothing is written yet" in found
