"""Slips that the source shows in any program, and where values of a wrong kind come from."""

from __future__ import annotations

import ast

import pytest

from grader import frameworks
from grader.frameworks.max.errors.case import Case
from grader.frameworks.max.errors.fitting import swapped
from grader.grading.following import handed, slips
from grader.grading.following.helpers import bound_first, preset_by
from grader.grading.reading import shown
from grader.protocol.probe import SeenCall, SeenError, SeenValue
from grader.source import origins, parse, returns

TUPLE, NONE = SeenValue("tuple", "2"), SeenValue("NoneType", "None")


def raised(code: str, line: int, *calls: tuple[int, str], **values: SeenValue) -> SeenError:
    seen = [SeenCall(number, "f", text, text) for number, text in calls]
    last = SeenCall(line, "f", code, code, values)
    return SeenError("TypeError", "no", "call", line, calls=(*seen, last))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("lib.data\nclass A: pass", "Put an @ in front of it, on the line before class A."),
        ("data\ndef f(): pass", "Put an @ in front of it, on the line before def f."),
        ("lib.data\nx = 1\nclass A: pass", "nothing uses the result. Is it to be assigned?"),
    ],
)
def test_a_name_on_the_line_before_a_definition_lacks_its_mark(text: str, told: str) -> None:
    (slip,) = shown.idle(ast.parse(text))
    assert slip.said.endswith(told)


@pytest.mark.parametrize(
    ("text", "write"),
    [
        ("past == key.shape[2]\n    return past", "past = key.shape[2]"),
        ("x.transpose(0, 1)\n    return x", "x = x.transpose(0, 1)"),
        ("y = x + 1\n    y.T\n    return y", "y = y.T"),
        ("x * 2\n    return x", "x = x * 2"),
        ("x.transpose(0, 1)\n    return 1", ""),
        ("self.weight.T\n    return self.weight", ""),
        ("other.values.T\n    return other", ""),
    ],
)
def test_what_keeps_nothing_is_to_be_assigned_where_that_is_clear(text: str, write: str) -> None:
    (slip,) = shown.idle(ast.parse(f"def f(self, x):\n    {text}\n"))
    assert slip.said.endswith("and nothing uses the result. Is it to be assigned?")
    assert slip.write == write


@pytest.mark.parametrize(
    ("text", "write"),
    [
        ("def next(n):\n    n + 1\nLAST = next(4)", "return n + 1"),
        ("def pair(a, b):\n    c = a + b\n    a, c\nprint(pair(1, 2))", "return (a, c)"),
        ("def next(n):\n    n + 1\nnext(4)", ""),
        ("def next(n):\n    n + 1\n    return n\nLAST = next(4)", ""),
        ("class A:\n    def __init__(self, n):\n        n + 1", ""),
        ("class A:\n    def empty(self):\n        self.n == 1", ""),
    ],
)
def test_a_result_at_the_end_of_a_function_that_is_used_is_to_be_returned(
    text: str, write: str
) -> None:
    found = [one for one in shown.idle(ast.parse(text)) if one.said.endswith("missing before it?")]
    assert [one.write for one in found] == ([write] if write else [])


LOOP = "def skip(key):\n    return key.endswith('x')\n\ndef go(d):\n    for key in {over}:\n"
LOOP += "        if skip(key):\n            continue\n"


@pytest.mark.parametrize(("over", "line"), [("d", None)])
def test_a_pair_comes_from_the_loop(over: str, line: int | None) -> None:
    tree = ast.parse(LOOP.replace("{over}", over))
    error = raised("key.endswith('x')", 2, (6, "skip(key)"), key=TUPLE)
    found = slips.misfit(tree, error)
    assert (found.line if found else None) == line


def test_an_argument_is_put_in_front_and_the_others_keep_their_order() -> None:
    tensor, bools = (SeenValue("Tensor", shape=(2, 2), dtype=kind) for kind in ("float32", "bool"))
    where = SeenValue("function", "where", signature=("cond", "x", "y"))
    values = {"F.where": where, "a": tensor, "b": tensor, "c": bools}
    call = SeenCall(1, "f", "F.where(a, b, c)", "F.where(a, b, c)", values)
    case = Case(SeenError("TypeError", "no", "call", 1, calls=(call,)))
    assert case.call is not None
    found = swapped(case, case.call)
    assert found is not None
    assert ast.unparse(found) == "F.where(c, a, b)"


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


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("rows + [1]", 1),
        ("array.T", 1),
        ("rows.reshape([2, 3])", 1),
        ("CheckpointError('no')", 1),
        ("raise CheckpointError('no')", 0),
        ("rows.append(1)", 0),
        ("'a text'", 0),
        ("yield rows + [1]", 0),
    ],
)
def test_what_is_worked_out_and_not_kept(text: str, count: int) -> None:
    assert len(list(shown.idle(ast.parse(f"def f(rows):\n    {text}\n")))) == count


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("def f(a, b):\n    return g(a), g(a)\n", [2]),
        ("def f(a, b):\n    return g(a), g(b)\n", []),
        ("def f(a):\n    return a, a\n", []),
    ],
)
def test_a_return_that_works_out_the_same_twice(text: str, lines: list[int]) -> None:
    assert [one.line for one in shown.repeated(ast.parse(text))] == lines


ADDS = "def add(a, b):\n    {body}\n\ndef f(self, a, b):\n    {call}(a, b)\n    return b\n"


@pytest.mark.parametrize(
    ("body", "call", "lines"),
    [
        ("return a + b", "add", [5]),
        ("return a + b", "self.add", [5]),
        ("return a + b", "a.add", []),
        ("a[0] = b; return a", "add", []),
        ("print(a, b)", "add", []),
    ],
)
def test_what_a_helper_only_returns_is_lost_in_a_statement(
    body: str, call: str, lines: list[int]
) -> None:
    tree = ast.parse(ADDS.format(body=body, call=call))
    assert [one.line for one in shown.idle(tree)] == lines


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("if a:\n        return\n    return b", 3),
        ("return b", None),
    ],
)
def test_where_a_helper_returns_nothing(body: str, line: int | None) -> None:
    tree = ast.parse(f"def give(a, b):\n    {body}\n")
    found = handed.unreturned(tree, "give(x, y) gave None, where a tensor is needed")
    assert (found.line if found else None) == line


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
    assert origins.place(ast.parse(MAKERS), about) == line


@pytest.mark.parametrize(("about", "line"), [("made: c_fc", 2), ("made: c_proj", 7)])
def test_what_a_helper_makes_is_made_there(about: str, line: int) -> None:
    assert origins.place(ast.parse(MADE), about) == line


def test_a_field_that_has_the_name_of_a_right_one_is_wrong_itself() -> None:
    tree = ast.parse("class Config:\n    size: int = 5\n    end: int = size\n")
    assert origins.place(tree, "own: end size ! end") == 3
    assert origins.place(tree, "own: end ! size end") == 2


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
    assert origins.place(ast.parse(FIELDS), about) == line


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
    assert origins.place(ast.parse(PARTS.format(cut, given)), "parts: chunk") == line


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
    assert origins.place(ast.parse(PLACES), about) == line


@pytest.mark.parametrize(
    ("call", "told"),
    [("point.turned(2)", True), ("text.append(2)", False), ("cell.other(2)", False)],
)
def test_what_a_method_of_the_file_s_own_class_returns_is_to_be_kept(call: str, told: bool) -> None:
    text = "class Point:\n    def turned(self, by):\n        return Point(self.x * by)\n"
    text += f"def f(point, text, cell):\n    {call}\n    return point, text, cell\n"
    found = [one.write for one in shown.idle(ast.parse(text))]
    assert found == ([f"point = {call}"] if told else [])


PARTIALS = "import F\nsteps = [partial(F.chunk, chunks=3, axis=1), partial(F.sum, axis=-1)]\n"


@pytest.mark.parametrize(
    ("made", "signature", "told", "line"),
    [
        ("", ("x", "chunks=3", "axis=1"), "cannot be cut into 3 equal parts", 2),
        ("", ("x", "axis=-1"), "axis -1 does not exist", 2),
        ("", ("x", "axis=-1"), "no product", None),
        ("step = partial(F.softmax, dim=-1)\n", None, "step has no argument called dim", 3),
    ],
)
def test_what_a_partial_sets_is_wrong_there(
    made: str, signature: tuple[str, ...] | None, told: str, line: int | None
) -> None:
    error = raised("step(x)", 9, step=SeenValue("partial", signature=signature))
    slip = preset_by(ast.parse(PARTIALS + made), error, told)
    assert (None if slip is None else slip.line) == line


def test_a_number_that_a_partial_binds_first_is_to_be_bound_by_name() -> None:
    error = raised("step(x)", 9, step=SeenValue("partial", signature=("chunks", "axis=-1")))
    slip = bound_first(ast.parse("step = partial(F.chunk, 3, axis=-1)"), error)
    assert slip is not None
    assert slip.write == "partial(F.chunk, chunks=3, axis=-1)"
    assert bound_first(ast.parse("step = partial(F.full, 3)"), error) is None


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
    ("about", "line"),
    [("value: size", 1), ("own: size", 1), ("own: size first", 6), ("zero: rate", 12)],
)
def test_a_field_is_wrong_at_its_own_line_where_another_has_its_value_rightly(
    about: str, line: int
) -> None:
    assert origins.place(ast.parse(SHARED), about) == line


def test_a_zero_that_two_places_may_take_for_nothing_is_told_at_neither() -> None:
    twice = f"{SHARED}        self.rate = self.rate or 0.1\n"
    assert origins.place(ast.parse(twice), "zero: rate") == 14  # where it is kept


MATCHED = """def best(scores, k):
    match k:
        case None:
            return scores
        case _:
            return np.sort(scores)[k]
"""


def test_the_head_of_a_match_is_not_what_its_cases_do() -> None:
    assert origins.place(ast.parse(MATCHED), r"best() ~\bsort") == 6
