"""What a report says of a program that raises: the error, where, and what to write; no more."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.base import course
from grader.base.model import CheckResult, Report, Status, Verdict
from grader.grading.following.slips import origin
from grader.grading.pipeline import Follow, Options, grade
from grader.grading.reading.outer import outer
from grader.protocol.probe import SeenCall
from grader.report import as_text
from grader.sandbox import WorkerPool
from grader.source import SourceProblem, parse
from tests.graded import mistakes, variants

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


def test_the_body_of_a_class_is_not_called_and_has_no_self(graded: Graded) -> None:
    report = graded("s01", "n_layer: int = 12", "n_layer: int = self.n_positions")
    told = report.first_to_fix
    assert told is not None
    assert "The name self is not defined" in told.message
    assert told.hints == (
        "The body of a class has no self yet: it reads its own names without it.",
    )
    assert "Called from" not in (told.note or "")


def test_a_prefix_that_is_taken_away_is_no_condition_the_wrong_way_round(graded: Graded) -> None:
    kept = 'key if key.startswith("transformer.") else f"transformer.{key}"'
    report = graded("s11", kept, 'key.removeprefix("transformer.")')
    told = check(report, "convert")
    assert told.message.endswith(
        "It makes the name wte.weight: the model's names begin with transformer."
    )


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
    ("s01", "    vocab_size: int = 50257", "    vocab_size: int", None, "no default"),
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


@pytest.mark.parametrize(("base", "own"), [("", "(frozen=True)"), ("(frozen=True)", "")])
def test_a_dataclass_is_frozen_as_its_base_is(base: str, own: str, graded: Graded) -> None:
    both = f"@dataclass{base}\nclass Base:\n    size: int = 1\n\n@dataclass{own}"
    report = graded(
        "s01", "@dataclass\n# <<< blank\nclass GPT2Config", f"{both}\nclass GPT2Config(Base)"
    )
    told = report.first_to_fix
    assert told is not None
    assert "inherits from" in told.message
    assert told.hints[0].startswith("Write @dataclass(frozen=True) above both classes")
    assert told.text == "@dataclass"


def test_a_pair_that_grows_the_cache_by_two_is_told_where_it_does(graded: Graded) -> None:
    told = graded("s12", "grown.append(key_value)", "grown.extend(key_value)").first_to_fix
    assert told is not None
    assert told.text is not None
    assert "grown.extend(key_value)" in told.text
    assert told.hints[0].startswith("The pair of a block is one entry: grown.append(pair)")


def test_a_list_of_a_layer_and_a_number_is_not_advised(graded: Graded) -> None:
    right = "ModuleList([GPT2Block(config) for _ in range(config.n_layer)])"
    report = graded("s11", right, "ModuleList(GPT2Block(config), config.n_layer)")
    assert check(report, "builds").hints == ("The arguments are ModuleList(iterable=..., /).",)


SILENT = """\
    def known(ids):
        match dtype:
            case DType.float64:
                return ids
            case _:
                return ids

    def padding(ids):
        known(ids) == pad_token_id

    is_padding = token_ids == pad_token_id"""


def test_of_the_arguments_of_a_call_the_one_that_is_none_is_told(
    workers: WorkerPool, tmp_path: Path
) -> None:
    found = course.find("s04")
    text = found.solution.read_text(encoding="utf-8")
    text = text.replace("    is_padding = token_ids == pad_token_id", SILENT)
    text = text.replace(
        "F.where(is_padding, hidden, visible)", "F.where(padding(known(token_ids)), 1.0, visible)"
    )
    path = tmp_path / "mine.py"
    path.write_text(text, encoding="utf-8")
    told = grade(found, path, Options(seed=7, follow=Follow.FAILING), workers.start).first_to_fix
    assert told is not None
    assert ": padding(known(token_ids)) gave None" in told.message
    assert told.line == text[: text.index("known(ids) == pad")].count("\n") + 1
    assert told.hints == ("Write return known(ids) == pad_token_id",)


BUILDER = """\
class Builder:
    def __init__(self):
        self.width = 0

    def wide(self, width) -> "Builder":
        self.width = width

    def biased(self):
        return self

    def build(self):
        return Linear(self.width, self.width)


class GPT2Attention(Module):"""

CHAIN = """\
self.c_proj = (
            Builder()
            .biased()
            .wide(self.embed_dim)
            .build()
        )"""


@pytest.mark.parametrize(
    ("chain", "said"),
    [
        (CHAIN, "wide ends on line {line} without a return. End it with: return self."),
        (CHAIN.replace(".wide(self.embed_dim)", ".biased()"), None),
    ],
)
def test_of_a_chain_the_method_that_gave_none_is_told(
    chain: str, said: str | None, workers: WorkerPool, tmp_path: Path
) -> None:
    found = course.find("s05")
    text = found.solution.read_text(encoding="utf-8")
    text = text.replace("class GPT2Attention(Module):", BUILDER)
    text = text.replace("self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)", chain)
    path = tmp_path / "mine.py"
    path.write_text(text, encoding="utf-8")
    report = grade(found, path, Options(seed=7, follow=Follow.FAILING), workers.start)
    told = report.first_to_fix
    assert told is not None
    assert (": wide(self.embed_dim) gave None" in told.message) is (said is not None)
    if said is not None:
        line = text[: text.index("self.width = width")].count("\n") + 1
        assert told.line == line
        assert report.trace is not None
        assert said.format(line=line) in report.trace.told


def test_no_line_that_sets_a_number_is_said_to_give_none() -> None:
    tree = ast.parse(BUILDER.removesuffix("class GPT2Attention(Module):"))
    calls = [SeenCall(12, "build")]
    found = [origin(tree, "self.width", calls, "NoneType", ran) for ran in (None, lambda _: False)]
    assert {None if one is None else one[0] for one in found} <= {None, 6}


def test_of_pairs_on_the_first_axis_the_line_that_stacks_them_is_told(
    workers: WorkerPool, tmp_path: Path
) -> None:
    text = variants.find("s06/right/complex_numbers").source.decode()
    before = "turns = F.gather(table, token_positions, axis=0)"
    parts = "[F.gather(table[:, :, at], token_positions, axis=0) for at in (0, 1)]"
    path = tmp_path / "mine.py"
    path.write_text(text.replace(before, f"turns = F.stack({parts})"), encoding="utf-8")
    told = grade(
        course.find("s06"), path, Options(seed=7, follow=Follow.FAILING), workers.start
    ).first_to_fix
    assert told is not None
    assert "F.complex_mul takes pairs: the last axis of both must be 2 long" in told.message
    assert told.line == text[: text.index(before)].count("\n") + 1
    assert told.hints == (f"Write F.stack({parts}, axis=-1)",)


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
        ("if mask not None:", "Write mask is not None, with is before not."),
        ("y = x if self.cache not True else z", "Write self.cache is not True"),
        ("if mask is not None", "End the line with a colon."),
        ("if x and not None y:", "Look at this line"),
    ],
)
def test_a_line_that_lacks_is_before_not_is_told_so(line: str, hint: str) -> None:
    with pytest.raises(SourceProblem) as raised:
        parse(f"{line}\n    pass\n".encode(), "x.py")
    assert (raised.value.hint or "").startswith(hint)


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


@pytest.mark.parametrize("name", ["offset_subtracted", "queries_start_at_zero"])
def test_what_hides_earlier_tokens_is_no_band_that_works(
    name: str, workers: WorkerPool, tmp_path: Path
) -> None:
    one = mistakes.named("s02", name)
    path = tmp_path / "mine.py"
    path.write_text(one.source, encoding="utf-8")
    report = grade(course.find("s02"), path, Options(seed=7), workers.start)
    assert check(report, "earlier").status is Status.FAIL
    assert check(report, "band").status is Status.NOT_RUN
    assert "inus infinity" not in check(report, "broadcast").message


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


@pytest.mark.parametrize(
    ("name", "at", "told", "never"),
    [
        (
            "s07/turn_length_of_the_width",
            21,
            "t is 2, from line 21; the reference has 3 there.",
            "Side by side",
        ),
        ("s07/heads_called_on_the_list", 71, "heads qkv, which is a list of 3", "has shape"),
        (
            "s07/key_shaped_by_heads_first",
            44,
            "self.head_dim]).transpose(-3, -2) instead of",
            "it would be right",
        ),
        ("s07/key_transpose_of_three_and_two", 123, "swaps the axes 1 and 2", "It has 2 where"),
        ("s07/list_made_a_tensor", 62, "", "At this point the lesson says"),
        ("s07/row_strictly_smaller", 25, "by j < num_tokens + i: in row 0", "the loop of line 24"),
        ("s07/scale_of_n", 37, "Line 37 multiplies by 0.5774.", "from line 21"),
        ("s08/propre_oublie", 30, "makes propre, and nothing uses it.", "the output of the layer"),
        ("s08/shortcut_taken_too_late", 34, "norm(x) is added", "line 22 keeps as flat"),
        ("s09/halves_without_residual", 65, "both residual connections", "On line 24"),
        ("s09/network_first", 42, "The feed-forward network comes before", "Line 28"),
        ("s10/mask_taken_off", 132, "_attn: position bias and mask", "_attn: add_zero_attn gives"),
        (
            "s10/zero_dropped_before_the_softmax",
            137,
            "F.softmax(scores)[..., :-1]",
            "scores.softmax",
        ),
        ("s10/scala_dimenticata", 56, "Line 56 is still right.", "The numbers are right without"),
        ("s11/boucle_qui_oublie", 38, "only what the last turn makes", "The reference then"),
        ("s11/missing_from_the_checkpoint", 172, "It misses lm_head.weight", "It makes the name"),
        ("s11/owner_of_one_part", 65, "It does not transpose", "Line 66"),
        ("s11/prefix_the_other_way", 162, "It makes the name", "leaves out the weights"),
        ("s07/build_left_to_the_framework", 37, "nothing calls build", "Line 41"),
        ("s07/row_appended_each_time", 29, "which still fills it", "too many turns"),
        ("s08/composed_the_wrong_way_round", 68, "gives compose sublayer to call first", "Line 39"),
        ("s08/offset_copied_from_scale", 22, "self.bias starts with 1", "Line 55"),
        ("s08/square_of_mean", 12, "The square _mean(centered) * _mean(centered)", "x.mean(axis"),
        ("s09/narrowing_row_not_turned_round", 36, "c_proj.weight has shape", "Line 34"),
        ("s09/second_row_copied_with_the_first_norm", 19, "nothing names ln_2.", "Line 73"),
        (
            "s09/stage_listed_under_a_name_that_no_method_has",
            14,
            "self is a GPT2MLP, which has no gelu",
            "The arguments are",
        ),
        ("s10/load_is_no_classmethod", 27, "@classmethod is missing", "The arguments are"),
        ("s10/mascara_dos_veces", 58, "reads attention_mask once more", "holds too often"),
        ("s10/new_keys_joined_to_old_values", 78, "which is axia here", "orders the axes"),
        ("s10/rotated_before_the_heads", 64, "Write rotated(heads(q))", "stop is 12"),
        ("s10/update_of_a_frozen_ledger", 38, "an object of a frozen dataclass", "keeps self.keys"),
        ("s11/last_token_only", 133, "takes only [:, -1] of", "[("),
        ("s11/row_looked_up_by_target_name", 143, "nothing reads source", "Look at what it has"),
        ("s11/seq_is_there_and_batch_taken", 103, "Nothing reads seq_len", "unsqueeze"),
        ("s11/wanted_and_present_swapped_at_the_call", 140, "A name is missing if", "Line 142"),
        ("s12/heads_and_width_swapped_in_split", 34, "for its attn_head_size", "Split attn.c_attn"),
        ("s12/more_best_than_words", 123, "Write ranking[min(top_k, len(ranking)) - 1]", "[-"),
        ("s12/mlp_of_the_attention", 39, "Line 37 is still right: it gives `a`.", "`attended`"),
        ("s12/one_id_without_a_list", 68, "of text, and also a list of them", "and line 68"),
        (
            "s12/only_new_keys_cached",
            69,
            "makes all_keys, and nothing uses it: lines 78 and 81 use key.",
            "mask has shape",
        ),
        ("s01/field_declared_without_default", 34, "n_layer has no default", "same object"),
        ("s06/width_not_kept_on_self", 114, "self.d_k does not exist", "is b meant"),
        ("s06/append_is_assignment", 15, "makes it a list to be filled", "is meant"),
        ("s12/cache_not_handed_back", 77, "nothing uses cache", "is meant"),
        ("s12/parts_not_transposed", 25, "Nothing swaps the axes -3 and -2 of part", "orders the"),
        ("s12/past_is_len_of_cache", 95, "the number of blocks", "Line 75"),
        ("s12/permuted_heads_last", 29, "the axes -3 and -2 of query", "still right"),
        ("s12/query_not_turned", 71, "The reference then calls transpose", "It calls reshape"),
        ("s12/top_k_off_by_one", 141, "and with top_k=1 all of them.", "1 of them. np"),
    ],
)
def test_what_a_report_says_is_true(
    name: str, at: int, told: str, never: str, workers: WorkerPool, tmp_path: Path
) -> None:
    step, _, short = name.partition("/")
    one = mistakes.named(step, short)
    path = tmp_path / "mine.py"
    path.write_text(one.source, encoding="utf-8")
    options = Options(seed=11, follow=Follow.FAILING)
    report = grade(course.find(step), path, options, workers.start)
    failed = [line for line in as_text.render(report).splitlines() if not line.startswith("✅")]
    text = "\n".join(line for line in failed if not line.startswith("➖"))
    assert report.first_to_fix is not None
    assert report.first_to_fix.line == at
    assert told in text
    assert never not in text


def test_nan_is_called_nan_with_its_place(graded: Graded) -> None:
    report = graded("s05", "F.softmax(attn_weights)", "F.softmax(attn_weights) * float('nan')")
    told = check(report, "output")
    assert "NaN, not a number, first at [0, 0, 0]" in told.message
    assert told.hints[0].startswith("NaN comes from")


def test_a_check_of_two_lines_waits_where_one_is_wrong(workers: WorkerPool, tmp_path: Path) -> None:
    one = mistakes.named("s06", "cosine_of_the_frequency")
    path = tmp_path / "mine.py"
    path.write_text(one.source, encoding="utf-8")
    options = Options(seed=11, follow=Follow.FAILING)
    report = grade(course.find("s06"), path, options, workers.start)
    assert check(report, "tables").status is Status.NOT_RUN


def test_what_calls_a_line_that_raised_is_not_said_to_be_right(
    workers: WorkerPool, tmp_path: Path
) -> None:
    name = "old_name_asked_for_its_parts"
    one = mistakes.named("s11", name)
    path = tmp_path / "mine.py"
    path.write_text(one.source, encoding="utf-8")
    options = Options(seed=11, follow=Follow.FAILING)
    report = grade(course.find("s11"), path, options, workers.start)
    assert check(report, "transpose").status is Status.NOT_RUN


@pytest.mark.parametrize(
    ("text", "line", "hint"),
    [
        ("def f():\n    kept = None\n    def g():\n        kept = h(kept)\n    return g\n", 4,
         "Begin g with: nonlocal kept"),
        ("def f(kept):\n    def g():\n        if kept:\n            kept = 1\n    g()\n", 3,
         "Begin g with: nonlocal kept"),
        ("kept = 0\ndef f():\n    kept += 1\n", 3, "Begin f with: global kept"),
        ("KEPT = 4\ndef f():\n    KEPT = KEPT // 2\n", 3,
         "Give what line 3 makes another name than KEPT."),
        ("kept = 0\ndef f(x):\n    if x:\n        kept = 1\n    return kept\n", 5, None),
        ("kept = 0\ndef f(x):\n    kept = g(kept)\n", 3, None),  # x may be meant
        ("def kept(x): ...\ndef f():\n    kept = kept(2)\n", 3, None),
    ],
)  # fmt: skip
def test_a_variable_of_an_outer_function_is_told_with_what_to_declare(
    text: str, line: int, hint: str | None
) -> None:
    message = "cannot access local variable 'kept' where it is not associated with a value"
    told = outer(
        ast.parse(text), line, message.replace("kept", "KEPT") if "KEPT" in text else message
    )
    assert (told and told.hint) == hint
