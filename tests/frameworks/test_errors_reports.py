"""What a report says of a program that raises: the error, where, and what to write; no more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.base import course
from grader.base.model import CheckResult, Report, Status, Verdict
from grader.pipeline import Options, grade
from grader.sandbox import WorkerPool
from grader.source import SourceProblem, parse
from tests.graded import mistakes

pytestmark = pytest.mark.usefixtures("unhurried")
Graded = Callable[[str, str, str], Report]


@pytest.fixture
def graded(workers: WorkerPool, tmp_path: Path) -> Graded:
    """Gives the report on the solution of a step with one place changed."""

    def report(step: str, old: str, new: str) -> Report:
        found = course.find(step)
        text = found.solution.read_text(encoding="utf-8")
        assert text.count(old) == 1
        path = tmp_path / "mine.py"
        path.write_text(text.replace(old, new), encoding="utf-8")
        return grade(found, path, Options(seed=7), workers.start)

    return report


def check(report: Report, name: str) -> CheckResult:
    return next(one for one in report.checks if one.id == name)


def test_an_error_in_a_helper_names_the_line_and_the_line_that_called(graded: Graded) -> None:
    report = graded("s05", "query @ key.transpose(-1, -2)", "query @ key")
    told = check(report, "forward")
    assert "query [" in told.message
    assert "has no product" in told.message
    assert told.text is not None
    assert "query @ key" in told.text
    assert len(told.hints) == 1
    assert "transpose" not in told.hints[0]
    assert told.note is not None
    assert told.note.startswith("Called from line ")
    assert "self._attn(query, key, value)" in told.note


RAISING = [
    ("s05", "math.sqrt(int(value.shape[-1]))", "math.sqrt(value.shape[-1])", "forward",
     "int(value.shape[-1]) turns it into a number."),
    ("s05", "attn_output = self._attn(query, key, value)",
     "attn_output = this._attn(query, key, value)", "forward", "Python calls the object self."),
    ("s05", "= config.n_head\n", "= config.n_heads\n", "builds", "Did you mean n_head?"),
    ("s11", "Embedding(config.vocab_size, dim=config.n_embd)",
     "Embedding(config.vocab_size, config.n_embd)", "builds",
     "The arguments are Embedding(vocab_size, *, dim=None, dims=None)."),
    ("s11", "for block in self.h:\n            hidden_states = block(hidden_states)",
     "hidden_states = self.h(hidden_states)", "forward", "for block in self.h"),
    ("s12", "ids = Tensor([new], dtype=DType.int64)", "ids = Tensor([new])", "generate",
     "dtype=DType.int64"),
    ("s05", "self._merge_heads(", "self.merge_heads(", "forward", "Did you mean _merge_heads?"),
    ("s11", "seq_len, dtype=DType.int64", "seq_len, dtype=F.int64", "forward", "Use DType.int64."),
    ("s01", "from dataclasses import dataclass", "import dataclass", None,
     "from dataclasses import dataclass"),
    ("s12", "np.sort(scores)[-min(top_k, len(scores))]", "np.sort(scores)[len(scores)]", None,
     "Indexes go from 0 to 11"),
    ("s10", "self.head_dim = hidden_size", "head_dim = hidden_size", "builds",
     "set self.head_dim where it gets its value"),
    ("s06", "Tensor(self.sin, dtype=x.dtype, device=x.device)", "self.sin.to(x.device)", None,
     "Use Tensor(array)."),
    ("s05", "+ [num_heads, attn_head_size]", "+ num_heads + attn_head_size", None,
     "Square brackets make a list of it"),
    ("s04", "F.where(is_padding, hidden, visible)", "F.ifelse(is_padding, hidden, visible)", None,
     "Use F.where(condition, tensor, other)."),
    ("s02", "    n = ", "    m = F.gather_rows(n)\n    n = ", None, "Did you mean gather?"),
    ("s05", "tensor = tensor.transpose(-3, -2)  # [batch, seq, n_head, head_dim]",
     "batch, seq, _ = tensor.shape", None, "Count the names on the left"),
    ("s01", "n_inner: int | None = None", "n_inner: int | None = null", None, "Python has None."),
    ("s09", "self.mlp = GPT2MLP(inner, config)\n",
     "self.mlp = GPT2MLP(self._wide(), config)\n        self._config = config\n\n"
     "    def _wide(self):\n        return 4 * self._config.n_embd\n", None,
     "in __init__, before it is used."),
    ("s02", "    n = ", "    def line(first, count, device):\n        return first\n\n"
     "    m = line(4, device)\n    n = ", None, "The arguments are line(first, count, device)."),
]  # fmt: skip


@pytest.mark.parametrize(("step", "old", "new", "name", "hint"), RAISING)
def test_the_hint_is_the_error_s_own(
    step: str, old: str, new: str, name: str | None, hint: str, graded: Graded
) -> None:
    report = graded(step, old, new)
    assert report.verdict is Verdict.FAIL
    failed = [one for one in report.checks if one.status is Status.FAIL and one.detail]
    told = check(report, name) if name else failed[0]
    assert told.status is Status.FAIL, report
    assert len(told.hints) == 1
    assert hint in told.hints[0]


def test_the_learner_s_own_exception_is_shown_whole(graded: Graded) -> None:
    report = graded("s11", "stored.T if name.endswith(TRANSPOSED) else stored", "stored")
    told = check(report, "convert")
    assert told.status is Status.FAIL
    assert told.note is not None
    shown = f"{told.message}\n{told.note}"
    for block in range(2):
        assert f"transformer.h.{block}.attn.c_attn.weight has shape" in shown


@pytest.mark.parametrize(
    ("old", "new", "waits"),
    [
        ("    n_positions: int = 1024", "    n_ctx: int = 1024", "A vocabulary of 50257 tokens"),
        ("    n_embd: int = 768", "    d_model: int = 768", "Vectors of 768 numbers"),
        ("    n_embd: int = 768", "    n_embd = 768", ""),
    ],
)
def test_a_field_that_is_not_there_is_told_once(
    old: str, new: str, waits: str, graded: Graded
) -> None:
    report = graded("s01", old, new)
    assert report.verdict is Verdict.FAIL
    told = check(report, "named")
    assert (told.status is Status.FAIL) is not bool(waits)
    assert (told.waits_for or "").startswith(waits)


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("angle = np.exp(1i * x)", "The imaginary unit is j, right after a number: 1j."),
        ("y = 2x", "A name does not begin with a digit"),
        ("// scale them", "A comment begins with #."),
        ("function attn(q, k) {", "A function begins with def."),
        ("const scale = 0.5", "A variable needs no word before its name."),
        ("layer = new Linear(3, 4)", "Write the name of the class alone, without new."),
        ("def attn(q, k) {", "A block begins with a colon, not a brace."),
        ("y = map(x => x + 1, xs)", "Write >= for greater or equal; a small function is lambda"),
        ("y = x > 0 ? x : 0", "Write a if condition else b."),
        ("y = e ./ total", "An operator has no dot before it"),
        ("n_head :: int = HEADS", "One colon is enough before a type. Write n_head: int = HEADS"),
        ("def f(a, x :: Tensor): ...", "One colon is enough before a type. Write x: Tensor"),
        ("x = Tensor::zeros([2])", "Python has a dot there. Write Tensor.zeros"),
        ("x = y[a, b::f(2)] +* 3", "Look at this line"),
        ("int n_head = 12", "A type comes after the name, behind a colon. Write n_head: int ="),
        ("steps++", "Write steps += 1"),
        ("steps--", "Write steps -= 1"),
    ],
)
def test_the_syntax_of_another_language_is_told_as_pythons(line: str, hint: str) -> None:
    with pytest.raises(SourceProblem) as raised:
        parse(f"{line}\n".encode(), "x.py")
    assert (raised.value.hint or "").startswith(hint)


@pytest.mark.parametrize(
    ("name", "about", "note"),
    [
        ("softmax_of_unmasked", "mask", "No later line uses scores_masques."),
        ("masked_scores_in_weights", "mask", "a new value before this one is used."),
        ("scaled_under_another_name", "scale", "No later line uses q."),
    ],
)
def test_what_is_made_in_vain_is_not_said_to_be_wrong_and_keeps_its_line(
    name: str, about: str, note: str, workers: WorkerPool, tmp_path: Path
) -> None:
    one = mistakes.named("s03", name)
    path = tmp_path / "mine.py"
    path.write_text(one.source, encoding="utf-8")
    told = check(grade(course.find("s03"), path, Options(seed=7), workers.start), about)
    assert told.message.endswith(", but to no effect")
    assert one.beside(told.line)
    assert (told.note or "").endswith(note)


def test_nan_is_called_nan_with_its_place(graded: Graded) -> None:
    report = graded("s05", "F.softmax(attn_weights)", "F.softmax(attn_weights) * float('nan')")
    told = check(report, "output")
    assert "NaN, not a number, first at [0, 0, 0]" in told.message
    assert told.hints[0].startswith("NaN comes from")
