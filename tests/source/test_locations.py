"""Where a program makes what a mistake is about: what a check's place means in its source."""

from __future__ import annotations

import ast

import pytest

from grader import frameworks
from grader.source import locations, parse, placeholders, returns

UNFINISHED = """\
class Layer:
    def _attn(self, scores, mask):
        return scores + mask

    def __call__(self, x, mask):
        x = None
        return None
"""


@pytest.mark.parametrize(
    ("old", "new", "foreign"),
    [
        ("", "", True),
        ("scores + mask", "scores", False),
        ("x = None\n        return None", "return x", False),
    ],
)
def test_a_finished_helper_is_not_accused_before_it_is_called(
    old: str, new: str, foreign: bool
) -> None:
    source = parse(UNFINISHED.replace(old, new).encode(), "x.py", frameworks.current().spellings())
    found = returns("Layer.__call__", "_ + mask")(source)
    assert not found.ok
    assert found.foreign is foreign


MADE = """def dense(units, width):
    return Linear(units, width)

class MLP(Module):
    def __init__(self, config):
        self.c_fc = dense(4, config.n_embd)
        self.c_proj = Linear(4, config.n_embd)
"""


MAKERS = """\
project = partial(Linear, bias=True)
widen = lambda size: Linear(size, 4 * size, bias=False)

class Block(Module):
    def __init__(self, size):
        self.c_fc = widen(size)
        self.c_proj = project(size, size)
        norm = partial(LayerNorm, size, epsilon=1e-5)
        self.ln_1 = norm()
        self.ln_2 = LayerNorm(size)
"""


@pytest.mark.parametrize(
    ("about", "line"),
    [
        ("made: c_fc", 2),
        ("made: c_proj", 1),
        ("made: ln_1", 8),
        ("made: ln_2", 10),
        ("given: c_proj", 7),
        ("given: ln_1", 8),
        ("preset: epsilon", 8),
        ("preset: eps", None),
    ],
)
def test_what_a_partial_or_a_lambda_makes_is_found_there(about: str, line: int | None) -> None:
    assert locations.place(ast.parse(MAKERS), about) == line


@pytest.mark.parametrize(("about", "line"), [("made: c_fc", 2), ("made: c_proj", 7)])
def test_what_a_helper_makes_is_made_there(about: str, line: int) -> None:
    assert locations.place(ast.parse(MADE), about) == line


def test_a_field_that_has_the_name_of_a_right_one_is_wrong_itself() -> None:
    tree = ast.parse("class Config:\n    size: int = 5\n    end: int = size\n")
    assert locations.place(tree, "own: end size ! end") == 3
    assert locations.place(tree, "own: end ! size end") == 2


FIELDS = """LAST = 50_257

class Sizes:
    vocab_size: int = LAST + 1
    n_layer: int = 12

class Config(Sizes):
    eos_token_id: int = LAST
    bos_token_id: int = eos_token_id
"""
ENDS = "bos_token_id eos_token_id"


@pytest.mark.parametrize(
    ("about", "line"),
    [
        (f"own: vocab_size ! vocab_size {ENDS}", 1),
        (f"own: bos_token_id ! vocab_size {ENDS}", 1),
        (f"own: eos_token_id ! {ENDS}", 8),
        ("own: vocab_size ! vocab_size", 4),
        ("own: n_layer ! n_layer", 5),
    ],
)
def test_a_constant_is_wrong_where_all_that_is_worked_out_from_it_is(about: str, line: int) -> None:
    assert locations.place(ast.parse(FIELDS), about) == line


PARTS = """def call(self, x):
    {0} = F.chunk(self.c_attn(x), 3)
    fraga = self.heads(fraga)
    nyckel = self.heads(nyckel)
    varde = self.heads(varde)
    return self._attn({1}, x)
"""


@pytest.mark.parametrize(
    ("cut", "given", "line"),
    [
        ("nyckel, fraga, varde", "fraga, nyckel, varde", 2),
        ("fraga, nyckel, varde", "fraga, varde, nyckel", 6),
        ("fraga, nyckel, varde", "fraga, nyckel, varde", None),
        ("varde, nyckel, fraga", "fraga, varde, nyckel", None),
    ],
)
def test_parts_in_another_order_than_elsewhere(cut: str, given: str, line: int | None) -> None:
    assert locations.place(ast.parse(PARTS.format(cut, given)), "parts: chunk") == line


PLACES = """ENDS = ("c_attn.weight", "c_fc.weight")

def turn(name, array):
    if name.endswith(ENDS):
        return array
    return array

def convert(arrays):
    found = []
    for name, array in arrays:
        found.append(turn(name, array))
    return found
"""


@pytest.mark.parametrize(
    ("about", "line"),
    [
        (r"convert() ~append\(", 11),
        (r"convert() ~endswith", 4),
        (r"convert() ~c_fc", 1),
        (r"convert() ~transpose", None),
        ("reads: c_attn", 4),
        ("reads: bias", None),
    ],
)
def test_a_place_is_looked_for_in_helpers_and_constants_too(about: str, line: int | None) -> None:
    assert locations.place(ast.parse(PLACES), about) == line


SHARED = """\
LAST = 6


@dataclass
class Sizes:
    size: int = LAST
    first: int = LAST
    rate: float = 0.1

    def __post_init__(self):
        for one in fields(self):
            if not getattr(self, one.name):
                setattr(self, one.name, one.default)
"""


@pytest.mark.parametrize(
    ("about", "line"), [("own: size", 1), ("own: size first", 6), ("zero: rate", 12)]
)
def test_a_field_is_wrong_at_its_own_line_where_another_has_its_value_rightly(
    about: str, line: int
) -> None:
    assert locations.place(ast.parse(SHARED), about) == line


def test_a_zero_that_two_places_may_take_for_nothing_is_told_at_neither() -> None:
    twice = f"{SHARED}        self.rate = self.rate or 0.1\n"
    assert locations.place(ast.parse(twice), "zero: rate") == 14  # where it is kept


MATCHED = """def best(scores, k):
    match k:
        case None:
            return scores
        case _:
            return np.sort(scores)[k]
"""


def test_the_head_of_a_match_is_not_what_its_cases_do() -> None:
    assert locations.place(ast.parse(MATCHED), r"best() ~\bsort") == 6


def test_of_an_attribute_that_is_read_twice_either_read_can_be_a_place() -> None:
    tree = ast.parse(
        "def f(self, x):\n    x = self.norm(x)\n    return self.norm(x) + self.lin(x)\n"
    )
    assert [locations.place(tree, f"read: norm {n}") for n in (1, 2)] == [2, 3]
    assert locations.place(tree, "read: lin 1") is None


def test_a_protocol_has_nothing_to_fill_in() -> None:
    text = "class Layer(Protocol):\n    def forward(self, x): ...\n"
    assert not placeholders.unfilled(ast.parse(text))
    assert placeholders.unfilled(ast.parse(text.replace("(Protocol)", "")))
