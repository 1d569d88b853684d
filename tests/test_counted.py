"""What is counted is told as a count: parameters, blocks, turns, axes, diagonals."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.base import course
from grader.base.model import CheckResult, Report, Status
from grader.frameworks.max.errors.case import axes_of
from grader.grading.following import differs
from grader.grading.pipeline import Follow, Options, grade
from grader.sandbox import WorkerPool
from grader.source import origins

pytestmark = pytest.mark.usefixtures("unhurried")
Edit = tuple[str, str]
Graded = Callable[..., Report]


@pytest.fixture
def graded(workers: WorkerPool, tmp_path: Path) -> Graded:
    """Gives the report on the solution of a step with some places changed."""

    def report(step: str, *edits: Edit) -> Report:
        found = course.find(step)
        text = found.solution.read_text(encoding="utf-8")
        for old, new in edits:
            assert text.count(old) == 1
            text = text.replace(old, new)
        path = tmp_path / "mine.py"
        path.write_text(text, encoding="utf-8")
        return grade(found, path, Options(seed=7, follow=Follow.FAILING), workers.start)

    return report


def first(report: Report) -> CheckResult:
    one = report.first_to_fix
    assert one is not None
    return one


BLOCKS = "self.h = ModuleList([GPT2Block(config) for _ in range(config.n_layer)])"
LOOP = """blocks = []
        for _ in range({}):
            blocks.append(GPT2Block(config))
        self.h = ModuleList(blocks)"""


@pytest.mark.parametrize(
    ("made", "said", "line", "hint"),
    [
        (
            BLOCKS.replace("n_layer", "n_head"),
            "self.h has 3 entries, expected 2 with n_layer=2",
            "self.h = ",
            "It has as many as n_head says.",
        ),
        (
            LOOP.format("config.n_head"),
            "self.h has 3 entries, expected 2 with n_layer=2",
            "for _ in",
            "Write range(config.n_layer)",
        ),
        (
            LOOP.format("1, config.n_layer"),
            "self.h has 1 entry, expected 2 with n_layer=2",
            "for _ in",
            "Write range(config.n_layer)",
        ),
    ],
)
def test_a_list_of_blocks_of_another_length_is_told_where_it_is_counted(
    made: str, said: str, line: str, hint: str, graded: Graded
) -> None:
    report = graded("s11", (BLOCKS, made))
    worst = first(report)
    assert said in worst.message
    assert (worst.text or "").startswith(line)
    assert worst.hints[0].endswith(hint)
    assert not any("without weights to load" in one for one in worst.hints)
    (blocks,) = [one for one in report.checks if one.id == "blocks"]
    assert blocks.status is Status.NOT_RUN


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(
    ("counts", "hint"),
    [
        ("config.n_head", "as many entries as n_layer says. It has as many as n_head says."),
        ("1, config.n_layer", "as many entries as n_layer says."),
    ],
)
def test_without_time_to_look_for_a_change_it_says_what_counts_them(
    counts: str, hint: str, graded: Graded
) -> None:
    assert first(graded("s11", (BLOCKS, LOOP.format(counts)))).hints[0].endswith(hint)


def test_a_count_with_a_name_and_one_in_a_helper_are_where_they_are_worked_out() -> None:
    named = "class M:\n def __init__(self, c):\n  n = c.k\n  self.h = L([B(c) for _ in range(n)])\n"
    helper = "def make(c):\n return [B(c) for _ in range(c.k)]\n"
    helped = f"{helper}class M:\n def __init__(self, c):\n  self.h = L(make(c))\n"
    plain = "class M:\n def __init__(self, c):\n  self.h = L([B(c), B(c)])\n"
    lines = [origins.place(ast.parse(one), "counted: m.h") for one in (named, helped, plain)]
    assert lines == [3, 2, 3]


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            f"{BLOCKS}\n        self.a = Embedding(3, dim=4)\n        self.b = Embedding(3, dim=4)",
            "There are 2 parameters too many",
        ),
        (BLOCKS.replace("self.h", "self.layers"), "24 parameters are missing: transformer.h.0."),
    ],
)
def test_parameters_are_counted(made: str, said: str, graded: Graded) -> None:
    edits = [(BLOCKS, made)]
    if "self.layers" in made:
        edits.append(("for block in self.h:", "for block in self.layers:"))
    assert said in first(graded("s11", *edits)).message


def test_the_length_of_a_tensor_of_several_axes_is_asked_for_by_axis() -> None:
    said = axes_of("x", (9, 5))
    assert said == "Its shape tells: int(x.shape[0]) is 9, int(x.shape[1]) is 5. Which is meant?"
    assert [axes_of("x", shape) for shape in ((9,), (), None)] == ["", "", ""]


def test_a_text_that_is_stripped_by_its_letters_is_told(graded: Graded) -> None:
    old = 'key if key.startswith("transformer.") else f"transformer.{key}"'
    worst = first(graded("s11", (old, '"transformer." + key.lstrip("transformer.")')))
    assert worst.hints[0] == "Write key.removeprefix('transformer.')"
    assert "lstrip" in (worst.text or "")


BAND = "        mask, num_lower=None, num_upper=allowed, exclude=True"
FULL = "mask = F.broadcast_to(mask, shape=(sequence_length, n))"
OTHER = FULL.replace("sequence_length, n", "int(sequence_length), n")


def test_an_argument_that_is_another_is_told_with_the_number_of_the_reference() -> None:
    mine, right = (
        ast.parse(f"F.band_part(x, num_upper={one})", mode="eval").body for one in ("0", "int(n)")
    )
    known = differs.written(mine, right, None, lambda _: 3.0)
    assert known == "Its num_upper=0 is not the reference's: that is 3 here."
    assert differs.written(mine, right) == "Its num_upper=0 is not the reference's."


def test_a_size_that_the_matrix_is_made_with_is_not_what_is_wrong(graded: Graded) -> None:
    whole = BAND.replace("num_lower=None, num_upper=allowed", "num_upper=n")
    worst = first(graded("s02", (BAND, whole), (FULL, OTHER)))
    assert "columns: num_upper must be less" in worst.message
    assert not (worst.text or "").startswith("n = ")


def test_a_cache_that_is_none_is_told_as_what_was_seen(graded: Graded) -> None:
    given = "if past_key_value is not None else None)"
    report = graded("s10", ("if use_cache else None)", given))
    said = "\n".join([*first(report).hints, *(one.message for one in report.diagnosis)])
    assert "or the cache that was given is returned" not in said
    assert not any("(output, None) without use_cache" in one.message for one in report.checks)


ROOM = "for _ in range(min(max_new_tokens, model.config.n_positions - len(text))):"


def test_turns_that_a_variable_counts_are_wrong_where_it_is_set(graded: Graded) -> None:
    room = "left = min(max_new_tokens, model.config.n_positions - len(text) + 1)"
    loop = f"{room}\n    while left > 0:\n        left -= 1"
    worst = first(graded("s12", (ROOM, loop)))
    assert worst.text == room


def test_the_values_of_what_is_shown_are_followed(graded: Graded) -> None:
    worst = first(graded("s12", ("draw=next(numbers) if", "draw=next(iter(draws)) if")))
    assert "drawn tokens are wrong" in worst.message
    assert not any("may be None" in one for one in worst.hints)


def test_of_two_results_the_wrong_one_is_named(graded: Graded) -> None:
    old = "hidden_states = hidden_states + block.mlp(block.ln_2(hidden_states))"
    worst = first(graded("s12", (old, old.replace(" + block.mlp", " - block.mlp"))))
    assert "Of what a call returns, only the first is wrong" in worst.message


def test_what_is_fed_without_the_cache_is_told_as_what_must_be(graded: Graded) -> None:
    new = "new = text[-1:] if cache is not None else text"
    worst = first(graded("s12", (new, "new = text if len(text) == len(tokens) else text[-1:]")))
    assert worst.hints[0].startswith("Without the cache every call must read")
