"""The only line that differs from the reference: found whatever the names, and never guessed."""

from __future__ import annotations

import pytest

from grader import frameworks
from grader.base import course
from grader.base.blanks import make_answer, make_stub
from grader.explain.repair.lone import lone
from grader.explain.repair.unlike import Lone
from grader.source import parse

STEP = course.find("s09")
SOLUTION = STEP.solution.read_text(encoding="utf-8")
RIGHT = make_answer(SOLUTION)


def found(*edits: tuple[str, str], right: str = RIGHT, solution: str = SOLUTION) -> Lone | None:
    for old, new in edits:
        assert old in right, old
        right = right.replace(old, new, 1)
    return lone(parse(right.encode(), "x.py", frameworks.current().spellings()), solution)


def line_of(text: str, right: str = RIGHT) -> int:
    return right[: right.index(text)].count("\n") + 1


GELU = 'hidden_states = F.gelu(hidden_states, approximate="tanh")'
NORM = "self.ln_2 = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)"


@pytest.mark.parametrize(
    ("old", "new", "at", "said"),
    [
        (GELU, GELU.partition(" = ")[2], GELU, "where the reference has hidden_states = F.gelu"),
        ("self.ln_2(hidden_states)", "self.ln_1(hidden_states)", "return hidden_states +", "ln_2"),
        ("4 * config.n_embd if", "4 + config.n_embd if", "inner = ", "4 + config.n_embd where"),
        ("is None else config.n_inner", "is None else 4 * config.n_inner", "inner = ", "n_inner"),
    ],
)
def test_the_only_difference_is_named(old: str, new: str, at: str, said: str) -> None:
    if old not in RIGHT:
        pytest.skip("the solution is written differently now")
    only = found((old, new))
    assert only is not None
    assert only.line == line_of(at)
    assert said in " ".join(only.told)


def test_a_decorator_in_the_place_of_a_base_is_told_with_it() -> None:
    step = course.find("s01").solution.read_text(encoding="utf-8")
    base = ("@dataclass\nclass GPT2Config:", "class GPT2Config(dataclass):")
    only = found(base, right=make_answer(step), solution=step)
    assert only is not None
    assert "the reference has @dataclass above class GPT2Config." in only.told[1]


def test_a_missing_statement_is_named_after_the_line_before_it() -> None:
    only = found((f"        {NORM}\n", ""))
    assert only is not None
    assert only.line == line_of("self.ln_1 = LayerNorm")
    assert NORM in only.told[0]


def test_a_statement_in_another_place_is_named() -> None:
    step = course.find("s12").solution.read_text(encoding="utf-8")
    right = make_answer(step)
    inside, outside = (
        " " * 12 + "grown.append(key_value)\n",
        " " * 8 + "grown.append(key_value)\n",
    )
    only = found((inside, outside), right=right, solution=step)
    assert only is not None
    assert only.line == line_of("grown.append", right)
    assert "inside the loop" in only.told[1]


def test_a_misspelled_method_is_named() -> None:
    only = found(("def __call__(", "def __cal__("))
    assert only is not None
    assert only.line == line_of("def __call__(")
    assert "defines __cal__ where the reference defines __call__" in " ".join(only.told)


def test_a_method_that_is_written_otherwise_is_not_the_one_difference() -> None:
    norm = course.find("s08").solution.read_text(encoding="utf-8")
    right = make_answer(norm)
    start = right.index("def __call__(")
    other = (
        "def forward(self, x):\n        return F.layer_norm(x, self.bias, self.weight, self.eps)\n"
    )
    right = right[:start] + other + right[right.index("\n\ndef residual") :]
    assert found(right=right, solution=norm) is None


def test_names_do_not_matter() -> None:
    renamed = RIGHT.replace("hidden_states", "versteckt").replace("inner", "innen")
    renamed = renamed.replace("config.n_innen", "config.n_inner")
    assert found(right=renamed) is None
    only = found(("self.ln_2(versteckt)", "self.ln_1(versteckt)"), right=renamed)
    assert only is not None
    assert only.line == line_of("return versteckt +", renamed)
    assert "self.ln_2(versteckt)" in only.told[1]


def test_nothing_is_said_of_two_differences_of_none_or_of_a_blank() -> None:
    assert found() is None
    assert found(("self.ln_2(hidden", "self.ln_1(hidden"), ("4 * config", "5 * config")) is None
    assert found(("self.attn = GPT2Attention(config)", "self.attn = None")) is None
    assert found(right=make_stub(SOLUTION)) is None


def test_imports_that_the_program_does_not_use_are_no_difference() -> None:
    step = course.find("s12").solution.read_text(encoding="utf-8")
    right = make_answer(step)
    more = ("import numpy as np\n", "import math\nimport numpy as np\n")
    only = found(
        more,
        ("logits.astype(np.float64) / ", "logits.astype(np.float64) * "),
        right=right,
        solution=step,
    )
    assert only is not None
    assert only.line == line_of("scores = logits.astype", right) + 1


def test_an_import_or_a_constant_of_its_own_is_no_difference() -> None:
    own = "from functools import partial\n\nKept = partial(int, base=10)\n\n\nclass GPT2MLP("
    edit = ("class GPT2MLP(", own)
    only = found(edit, ("self.ln_2(hidden_states)", "self.ln_1(hidden_states)"))
    assert only is not None
    assert "ln_1" in " ".join(only.told)
    shadows = ("class GPT2Block(", "LayerNorm = partial(LayerNorm)\n\n\nclass GPT2Block(")
    assert found(edit, shadows) is not None
