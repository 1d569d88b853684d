"""What a report says of a program that raises: the error, where, and what to write; no more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.base import course
from grader.base.model import CheckResult, Report, Status, Verdict
from grader.grading.pipeline import Options, grade
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
    assert told.hints == ("Transpose the right one. Write query @ key.transpose(-1, -2)",)
    assert told.note is not None
    assert told.note.startswith("Called from line ")
    assert "self._attn(query, key, value)" in told.note


RAISING = [
    ("s05", "math.sqrt(int(value.shape[-1]))", "math.sqrt(value.shape[-1])", "forward",
     "Write math.sqrt(int(value.shape[-1]))"),
    ("s05", "attn_output = self._attn(query, key, value)",
     "attn_output = this._attn(query, key, value)", "forward",
     "Python calls the object self. Write self._attn(query, key, value)"),
    ("s04", "hidden = Tensor(finfo(dtype).min,",
     "def expect(number, message):\n        return number\n\n"
     "    hidden = Tensor(finfo(dtype).min.expect('none'),", None,
     "expect is a function, and no method. Write expect(finfo(dtype).min, 'none')"),
    ("s04", "hidden = Tensor(finfo(dtype).min,", "hidden = Tensor(finfo(dtype).min.abs(),", None,
     "abs is a function of Python, and no method. Write abs(finfo(dtype).min)"),
    ("s05", "= config.n_head\n", "= config.n_heads\n", "builds", "config.n_head"),
    ("s10", "key = F.concat([past_key_value[0], key], axis=-2)",
     "key = F.concat([past_key_value[0], key])", None, "axis=-2"),
    ("s11", "Embedding(config.vocab_size, dim=config.n_embd)",
     "Embedding(config.vocab_size, config.n_embd)", "builds",
     "Write Embedding(config.vocab_size, dim=config.n_embd)"),
    ("s11", "for block in self.h:\n            hidden_states = block(hidden_states)",
     "hidden_states = self.h(hidden_states)", "forward", "for block in self.h"),
    ("s12", "ids = Tensor([new], dtype=DType.int64)", "ids = Tensor([new])", "generate",
     "dtype=DType.int64"),
    ("s03", "query @ key.transpose(-1, -2)", "query.transpose(-1, -2) @ key", None,
     "Two have one: query @ key.transpose(-1, -2) and key @ query.transpose(-1, -2)."),
    ("s05", "self._merge_heads(", "self.merge_heads(", "forward",
     "Did you mean _merge_heads? Write self._merge_heads"),
    ("s11", "seq_len, dtype=DType.int64", "seq_len, dtype=F.int64", "forward",
     "Write F.range(0, seq_len, dtype=DType.int64"),
    ("s01", "from dataclasses import dataclass", "import dataclass", None,
     "Write from dataclasses import dataclass"),
    ("s12", "np.sort(scores)[-min(top_k, len(scores))]", "np.sort(scores)[len(scores)]", None,
     "entries: indexes 0 to "),
    ("s02", "dtype=dtype, device", "dtype=DType.float, device", None, "dtype=DType.float32"),
    ("s11", "seq_len, dtype=DType.int64", "seq_len, dtype=DType.int8", "forward",
     "Use a larger one. Write F.range(0, seq_len, dtype=DType.int64"),
    ("s08", "centered * centered", "centered ^ 2", None, "(centered ** 2).mean(axis=-1)"),
    ("s10", "self.head_dim = hidden_size", "head_dim = hidden_size", "builds",
     "write self.head_dim where it gets its value"),
    ("s11", "range(config.n_layer)", "config.n_layer", "builds", "range(config.n_layer)"),
    ("s12", "text.append(token)", "text += token", None, "Write text.append(token)"),
    ("s11", "problems += [f\"missing: {name}\" for name in expected if name not in weights]",
     "problems += [name for name in expected.keys() | weights.keys()"
     " if weights[name].shape != expected[name]]", None,
     "in expected.keys() & weights.keys()"),
    ("s03", "query @ key.transpose(-1, -2)", "F.matmul(query, key, transpose_b=True)", None,
     "Write F.matmul(query, key.transpose(-1, -2))"),
    ("s06", "Tensor(self.sin, dtype=x.dtype, device=x.device)", "self.sin.to(x.device)", None,
     "Write Tensor(self.sin, dtype=x.dtype, device=x.device)"),
    ("s12", "cache: Cache | None = None\n    #", "cache = None * len(text)\n    #", None,
     "Write (None,) * len(text)"),
    ("s05", "+ [num_heads, attn_head_size]", "+ num_heads + attn_head_size", None,
     "+ [num_heads, attn_head_size]"),
    ("s06", "frequencies = theta ** (", "frequencies = theta ^ (", None, "A power is **."),
    ("s05", "attn_output = self._attn(query, key, value)",
     "every = map(F.relu, (query, key, value))\n        attn_output = self._attn(every)",
     "forward", "Write self._attn(*every)"),
    ("s01", "@dataclass\n", "import functools\n"
     "made = functools.partial(dataclass, immutable=True)\n@made\n", None, "frozen"),
    ("s01", ': str = "gelu_new"', ': str = "_".join("gelu", "new")', None,
     "Write '_'.join(['gelu', 'new'])"),
    ("s02", "shape=(sequence_length, n)", "shape=(sequence_length, n())", None,
     "Leave the parentheses out. Write n"),
    ("s04", "F.where(is_padding, hidden, visible)", "F.ifelse(is_padding, hidden, visible)", None,
     "Write F.where(is_padding, hidden, visible)"),
    ("s10", "self.rotary = RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA)",
     "self.rotary = use_rotary", None,
     "Only a layer or a function is called: look where self.rotary gets its value."),
    ("s02", "    n = ", "    m.all = 1\n    n = ", None, "Write m_all"),
    ("s02", "    n = ", "    m = -F.less_than(Tensor(1.0), 2.0)\n    n = ", None,
     "Write (Tensor(1.0) < 2.0)"),
    ("s02", "    n = ", "    m = F.gather_rows(n)\n    n = ", None, "Did you mean gather?"),
    ("s02", "    n = ", "    m = Tensor.arange(0, 4, DType.int64, device=device)\n    n = ", None,
     "Write Tensor.arange(0, 4, dtype=DType.int64, device=device)"),
    ("s04", "token_ids == pad", "not token_ids != pad", None, "is_padding = token_ids == pad"),
    ("s04", "token_ids == pad_token_id", "token_ids >= 0 and not token_ids > 1", None,
     "F.logical_and(token_ids >= 0, token_ids <= 1)"),
    ("s04", "F.where(is_padding, hidden, visible)", "visible if not is_padding else hidden", None,
     "mask = F.where(is_padding, hidden, visible)"),
    ("s06", "x.shape[:-1] + [self.num_heads,", "x.shape[:-1] + [x.shape[-1] / 2,", None,
     "Write x.shape[:-1] + [x.shape[-1] // 2,"),
    ("s05", "tensor = tensor.transpose(-3, -2)  # [batch, seq, n_head, head_dim]",
     "batch, seq, _ = tensor.shape", None, "Give each a name: 4 of them. Write batch, seq, _, _"),
    ("s01", "n_inner: int | None = None", "n_inner: int | None = null", None, "Python has None."),
    ("s08", "= x - mean", "= x.sub(mean, axis=0)", None, "x - mean"),
    ("s09", "self.mlp = GPT2MLP(inner, config)\n",
     "self.mlp = GPT2MLP(self._wide(), config)\n        self._config = config\n\n"
     "    def _wide(self):\n        return 4 * self._config.n_embd\n", None,
     "sets it too late: move it above line"),
    ("s02", "    n = ", "    def line(first, count, device):\n        return first\n\n"
     "    m = line(4, device)\n    n = ", None, "The arguments are line(first, count, device)."),
    ("s06", "return turned.reshape(x.shape)", "return F.stack([turned.y, turned.x])", None,
     "F.stack([turned[..., 1], turned[..., 0]])"),
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
        ("y = map(x => x + 1, xs)", "Greater or equal is >=, and a small function is lambda"),
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
        ("masked_scores_in_weights", "mask", "another value, and nothing uses this one."),
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
    assert told.message.endswith(", but in vain")
    assert one.beside(told.line)
    assert (told.note or "").endswith(note)


def test_nan_is_called_nan_with_its_place(graded: Graded) -> None:
    report = graded("s05", "F.softmax(attn_weights)", "F.softmax(attn_weights) * float('nan')")
    told = check(report, "output")
    assert "NaN, not a number, first at [0, 0, 0]" in told.message
    assert told.hints[0].startswith("NaN comes from")
