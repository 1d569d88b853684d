"""The server with the learner's own steps: each save counts, and an error is told, not fatal."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator

import pytest

pytest.importorskip("starlette", reason="the environment `desk` is not installed")

from gpt2.course import needed
from grader.base.blanks import make_stub
from grader.base.course import ROOT
from tests.gpt2.serve_server import NoServer, Served, running, serve
from tests.own_course import Course, copy_course

pytestmark = pytest.mark.any_python
ASKED = {"prompt": "She was", "max_tokens": 12, "temperature": 0.8, "top_k": 40, "seed": 1}
CHOICE = "    if temperature == 0:\n        return int(np.argmax(logits))\n"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Course:
    folder = tmp_path_factory.mktemp("course")
    shutil.copytree(ROOT / "gpt2", folder / "gpt2")
    course = copy_course(folder)
    for number in needed():
        course.solve(number)
    return course


@pytest.fixture(scope="module")
def served(own: Course) -> Iterator[Served]:
    with running("--mine", root=own.root) as found:
        yield found


@pytest.fixture(scope="module")
def text() -> str:
    """What the solutions write."""
    with running() as other:
        return other.complete(**ASKED).text


@pytest.fixture(autouse=True)
def _right_again(own: Course) -> Iterator[None]:
    yield
    for number in ("03", "12"):
        own.solve(number)


def test_right_steps_write_what_the_solutions_write(served: Served, text: str) -> None:
    answer = served.complete(**ASKED, model="gpt2-tiny-mine")
    assert (answer.status, answer.text) == (200, text)
    logprobs = served.complete(**ASKED, logprobs=2, echo=True).json()["choices"][0]["logprobs"]
    assert len(logprobs["tokens"]) == 14
    assert "slow" not in "".join(served.errors)


def test_a_save_counts_at_the_next_request(served: Served, own: Course, text: str) -> None:
    for wrong in ("min", "max", "min"):  # saved twice in a second, with the same size
        own.spoil("np.argmax(logits)", f"np.arg{wrong}(logits)", "12")
        found = served.complete(**{**ASKED, "temperature": 0}).text
        right = served.complete(**ASKED).text
        assert right == text
        assert (" so" in found or "not" in found) == (wrong == "max")
    own.solve("12")
    own.spoil("/ math.sqrt(", "* math.sqrt(", "03")
    assert served.complete(**ASKED).text != text
    own.solve("03")
    assert served.complete(**ASKED).text == text
    assert "slow" not in "".join(served.errors)  # what is loaded again is staged as before


@pytest.mark.parametrize(
    ("number", "before", "after", "told"),
    [
        ("12", CHOICE, "    raise KeyError('mine')\n" + CHOICE, "KeyError: 'mine'"),
        ("12", CHOICE, "    raise SystemExit('mine')\n" + CHOICE, "SystemExit: mine"),
        ("12", CHOICE, "    if temperature == 0\n", "SyntaxError"),
        ("03", "import math\n", "import math\nimport no_such\n", "ModuleNotFoundError"),
    ],
)
def test_an_error_is_told_with_its_file_and_line(
    served: Served, own: Course, text: str, number: str, before: str, after: str, told: str
) -> None:
    own.spoil(before, after, number)
    source = own.file(number).read_text(encoding="utf-8")
    line = source[: source.index(after)].count("\n") + (2 if number == "03" else 1)
    for _ in range(2):
        answer = served.complete(**ASKED)
        assert answer.status == 500
        message = answer.error["message"]
        assert f"steps/step_{number}.py, line {line}:" in message
        assert told in message
        assert f"run s{number}" in message
    own.solve(number)
    assert served.complete(**ASKED).text == text


def test_an_error_in_the_middle_ends_the_stream_with_it(served: Served, own: Course) -> None:
    own.spoil("        yield token\n", "        yield token\n        1 / (len(text) - 5)\n", "12")
    connection, answer = served.begin(**ASKED)
    assert answer.status == 200
    events = answer.read().decode().split("\n\n")
    connection.close()
    assert "ZeroDivisionError" in events[-2]
    assert '"step_failed"' in events[-2]
    assert len(events) == 5  # as many tokens as there were, the error, nothing


def test_a_token_that_is_none_is_the_steps_error(served: Served, own: Course) -> None:
    own.spoil("        yield token\n", "        yield token + 5000\n", "12")
    answer = served.complete(**ASKED)
    assert answer.status == 500
    assert "no token of this model" in answer.error["message"]


def test_a_file_that_is_gone_is_told(served: Served, own: Course, text: str) -> None:
    own.file("03").unlink()
    answer = served.complete(**ASKED)
    assert answer.status == 500
    assert "steps/step_03.py cannot be read" in answer.error["message"]
    own.solve("03")
    assert served.complete(**ASKED).text == text


def test_answers_under_way_are_written_by_the_file_they_began_with(
    served: Served, own: Course
) -> None:
    asked = {**ASKED, "max_tokens": 240}
    whole = served.complete(**asked).text
    connection, answer = served.begin(**asked)
    answer.readline()
    own.spoil(CHOICE, "    raise KeyError('mine')\n" + CHOICE, "12")
    assert served.complete(**ASKED).status == 500
    told = answer.read().decode()
    connection.close()
    assert told.count("data: ") >= 239
    assert "[DONE]" in told
    assert whole


def test_code_that_never_ends_does_not_hold_ctrl_c(own: Course) -> None:
    with running("--mine", "--limit", "1", root=own.root) as hanging:
        own.spoil(CHOICE, "    while temperature:\n        pass\n" + CHOICE, "12")
        started = time.monotonic()
        answer = hanging.complete(**ASKED)
        assert (answer.status, answer.error["code"]) == (503, "timeout")
        assert hanging.ask("/health").status == 200
        assert time.monotonic() - started < 5


def refused(own: Course) -> str:
    """What the server says that does not start because of the learner's steps."""
    with pytest.raises(NoServer) as ended:
        serve("--mine", root=own.root)
    status, said = ended.value.args
    assert status == 1
    assert "Traceback" not in said
    return str(said)


def test_a_step_that_does_not_work_is_named_before_the_start(own: Course) -> None:
    own.spoil("import math\n", "import math\n1 / 0\n", "03")
    assert "steps/step_03.py, line" in refused(own)
    own.solve("03")
    own.spoil(CHOICE, "    raise KeyError('mine')\n", "12")
    said = refused(own)
    assert "KeyError: 'mine'" in said
    assert "run s12" in said


def test_a_blank_step_is_named_before_the_start(own: Course) -> None:
    stub = ROOT / "solutions" / "solution_03.py"
    own.file("03").write_text(make_stub(stub.read_text(encoding="utf-8")), encoding="utf-8")
    said = refused(own)
    assert "Write step 03 first" in said
    assert "run s03" in said


def test_a_step_that_failed_when_it_was_graded_is_named(own: Course) -> None:
    own.spoil("/ math.sqrt(", "* math.sqrt(", "03")
    assert own.run("grade", "s03").returncode == 1
    with running("--mine", root=own.root) as warned:
        assert warned.complete(**ASKED).status == 200
        assert "Step 03 fails" in "".join(warned.errors)


def test_it_wants_the_engine_that_loads_at_once(own: Course) -> None:
    with pytest.raises(NoServer) as ended:
        serve("--mine", "--engine", "max", root=own.root)
    assert ended.value.args[0] == 2
