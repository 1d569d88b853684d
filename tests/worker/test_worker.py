"""What the worker sees of honest and of odd files, run once in real processes on real MAX.

Longer than 300 lines, because one way to run a program serves all its tests.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest

from grader import sandbox
from grader.protocol.probe import (
    ArrayArg,
    Call,
    ConfigArg,
    DeviceArg,
    DTypeArg,
    Load,
    Make,
    Outcome,
    Probe,
    Read,
    Ref,
    SeenArray,
    SeenModule,
    SeenObject,
    SeenParameter,
    SeenTensor,
    TensorArg,
)
from grader.worker import program
from tests.graded import formulas
from tests.worker_jobs import FILE, ROOT, call, error, floats, job, out, probe

# ---- a right file -------------------------------------------------------------------------

EMBED, HEADS, BATCH, SEQ = 12, 3, 2, 5


def attention_weights() -> dict[str, Any]:
    return {
        "c_attn.weight": floats(1, 3 * EMBED, EMBED),
        "c_attn.bias": floats(2, 3 * EMBED),
        "c_proj.weight": floats(3, EMBED, EMBED),
        "c_proj.bias": floats(4, EMBED),
    }


def test_a_right_attention_is_built_loaded_called_and_computed() -> None:
    source = (ROOT / "solutions/solution_05.py").read_text(encoding="utf-8")
    config = ConfigArg({"n_embd": EMBED, "n_head": HEADS})
    x = floats(0, BATCH, SEQ, EMBED)
    outcome = sandbox.run(
        job(
            source,
            probe(
                "p",
                Make("module", "GPT2Attention", (config,)),
                Load("load", "module", attention_weights()),
                Call("out", "module", None, (TensorArg(x),)),
                Call("again", "module", None, (TensorArg(x),)),
                Read("read", "module", ("head_dim", "num_heads", "no_such_thing")),
            ),
        )
    )
    assert (outcome.ended, outcome.problem, outcome.output) == ("done", "", "")
    results = outcome.observations["p"].results
    module = results["module"]
    assert isinstance(module, SeenModule)
    assert module.is_module
    assert module.parameters["c_attn.weight"] == SeenParameter((3 * EMBED, EMBED), "float32")
    assert module.attributes["c_proj"] == "Linear"
    for name in ("out", "again"):
        assert out(outcome, "p", name).dtype == "float32"
        wanted = formulas.layer(x.astype(np.float64), attention_weights(), HEADS)
        np.testing.assert_allclose(out(outcome, "p", name).array, wanted, rtol=1e-4, atol=1e-4)
    assert results["read"] == {"head_dim": EMBED // HEADS, "num_heads": HEADS}


# ---- many small things in one process -----------------------------------------------------

SOURCE = """
import math
import sys
from dataclasses import dataclass

import numpy as np
from max.driver import CPU
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.nn.module_v3 import Linear, Module
import max.nn.module_v3 as old

print("imported", __name__, __file__)
if __name__ == "__main__":
    raise RuntimeError("the main block ran")


def nothing(): pass
def numbers(): return [1, 2.5, float("inf"), True, "text", (None, {"a": -3})]
def huge_integer(): return 10 ** 100
def an_array(x): return x * 2
def a_scalar(): return np.float32(1.5)
def complex_array(): return np.zeros(2, complex)
def a_type(): return DType.float32
def escapes(): return "a\\x1b[31mred\\x1b]0;title\\x07\\u202eb"
def loud(): print("said \\x1b[1mloudly\\x1b[0m", file=sys.stderr)
def doubled(x): return (x + x, {"half": x * 0.5})
def same_type(x): return x.cast(DType.bfloat16) * 2
def integers(x): return x.cast(DType.int64)
def dims(x): return list(x.shape)
def reads_numbers(x): return x * float((x + 1.0).sum(0).item())
def reads_numbers_third(x, calls=[]):
    calls.append(x)
    return x * float(x.max().item()) if len(calls) > 2 else x
def exits_at_its_third_call(x, calls=[]):
    calls.append(x)
    return x * 2 if len(calls) < 3 else sys.exit(3)
def raises_at_its_third_call(x, calls=[]):
    calls.append(x)
    return x / (len(calls) - 3 or int(""))
def too_large(): return Tensor.zeros([10_000, 10_000])
def array_too_large(): return np.zeros((10_000, 10_000))
def deep():
    value = 1
    for _ in range(200): value = [value]
    return value
def endless_list():
    value = []
    value.append(value)
    return value
def wide(): return list(range(100_000))
def bomb():
    value = [1] * 50
    for _ in range(6): value = [value] * 50
    return value
def long_texts(): return ["x" * 5_000] * 5_000
def many_arrays(): return [np.zeros(10 ** 6)] * 100
def half(x, dtype, device): return Tensor.full([2], 0.5, dtype=dtype, device=device)


def fails(x):
    y = x * 2

    def inner():
        return y @ Tensor.zeros([7, 7])

    return inner()


def calls_exit(): sys.exit(3)
def interrupts(): raise KeyboardInterrupt
def recurses(): return recurses()
def raises_key(): return {}["missing key"]
def evil_text(): raise ValueError("a\\x1b[2Jb\\u202e\\nsecond line")
def long_text(): raise ValueError("x" * 300_000_000)


class Unprintable(Exception):
    def __str__(self): raise RuntimeError("no text for you")
    __repr__ = __str__
    @property
    def __class__(self): raise RuntimeError("no class either")
    @property
    def __traceback__(self): raise RuntimeError("no traceback")


def unprintable(): raise Unprintable()


class Liar:
    __class__ = Tensor
    shape = property(lambda self: 1 / 0)
    def __eq__(self, other): return True
    def __hash__(self): return 0
    def __repr__(self): sys.exit()
    __str__ = __len__ = __iter__ = __array__ = __repr__
    def __getattr__(self, name): raise SystemExit(name)


def liar(): return Liar()


class Text(str):
    def __str__(self): return "lie"
    def __getitem__(self, key): return 1 / 0
    def __len__(self): return -1


def lying_text(): return Text("truth")


class Strange(Tensor):
    def to_numpy(self): return np.ones(1)


class Plain:
    def __init__(self): self.size = 3


class Attention(Module):
    def __init__(self, config):
        self.inner = Linear(config.n_embd, 4)
        self.calls = 0
        self.config = config

    def forward(self, x):
        self.calls = self.calls + 1
        return self.inner(x)

    def fails(self, x):
        raise ValueError(f"embedding {self.config.n_embd}")

    @property
    def broken(self):
        return self.no_such_attribute

    @property
    def raises(self):
        return 1 / 0


class Masked(Module):
    def __init__(self):
        self.mask = Tensor.zeros([2, 2])
        self.inner = old.Linear(3, 4, bias=False)


def imports(name):
    try:
        __import__(name)
    except ImportError as error:
        return str(error)
    return "imported"


def goes_on_without_numbers(x):
    try:
        rows = int((x * 0.0).to_numpy()[0]) + 3
    except Exception:
        rows = 4
    return x.reshape([rows, 1])


def writes():
    text = [1]
    for _ in range(3):
        tokens = Tensor(text, dtype=DType.int64)
        with F.lazy():
            after = tokens + 1
        text.append(int(after.to_numpy()[-1]))
    print("wrote", text)
    return text


def earlier():
    from solutions.solution_01 import GPT2Config
    from solutions import solution_02
    return [GPT2Config().n_head, callable(solution_02.causal_mask), solution_02.__file__]


def own_text():
    import inspect
    return inspect.getsource(nothing)


def reads_input():
    return [sys.stdin.read(), sys.argv]


@dataclass
class Point:
    x: int
"""
X = floats(5, 3)
IMPORTS = (
    "solutions.solution_05", "solutions.solution_07", "checks.shared.attention", "steps.step_01",
    "grader", "grader.protocol.wire", "solution_01", "grader.worker.probes", "json", "numpy.linalg",
)  # fmt: skip
CONFIG = ConfigArg({"n_embd": 3})
WEIGHT, BIAS = floats(6, 4, 3), floats(7, 4)


def module(name: str, *actions: Any) -> Probe:
    return probe(name, Make("m", "Attention", (CONFIG,)), *actions)


PROBES = (
    *(call(name) for name in (
        "nothing", "numbers", "huge_integer", "a_scalar", "complex_array", "a_type", "escapes",
        "loud", "too_large", "array_too_large", "deep", "endless_list", "wide", "bomb",
        "long_texts", "many_arrays", "calls_exit",
        "interrupts", "recurses", "raises_key", "evil_text", "long_text", "unprintable", "liar",
        "lying_text", "missing", "earlier", "own_text", "reads_input", "writes",
    )),
    probe("writes directly", Call("out", None, "writes", staged=False)),
    *(call(name, TensorArg(X)) for name in (
        "doubled", "same_type", "integers", "dims", "reads_numbers", "fails", "Strange",
        "goes_on_without_numbers",
    )),
    *(probe(name, *(Call(key, None, name, (TensorArg(X),)) for key in "abcd"))
      for name in (
          "raises_at_its_third_call", "reads_numbers_third", "exits_at_its_third_call")),
    call("an_array", ArrayArg(X)),
    call("half", 1, dtype=DTypeArg("float64"), device=DeviceArg()),
    *(Probe(f"import {name}", (Call("out", None, "imports", (name,)),)) for name in IMPORTS),
    module("right", Load("l", "m", {"inner.weight": WEIGHT, "inner.bias": BIAS}),
           Call("out", "m", None, (TensorArg(X),)), Call("out2", "m", "forward", (TensorArg(X),)),
           Read("r", "m", ("calls", "inner", "broken"))),
    module("unloaded", Call("out", "m", None, (TensorArg(X),))),
    module("lacks", Load("l", "m", {"inner.weight": WEIGHT})),
    module("misshaped", Load("l", "m", {"inner.weight": WEIGHT.T.copy(), "inner.bias": BIAS})),
    module("wrong dtype",
           Load("l", "m", {"inner.weight": WEIGHT.astype(np.float64), "inner.bias": BIAS})),
    module("no method", Call("out", "m", "_split_heads", ())),
    module("method fails", Call("out", "m", "fails", (TensorArg(X),))),
    module("raises", Read("out", "m", ("raises",))),
    probe("accidental", Make("m", "Masked"), Load("l", "m", {"inner.weight": WEIGHT})),
    probe("plain", Make("m", "Plain"), Load("l", "m", {})),
    probe("no class", Make("m", "GPT2Attention")),
    probe("wrong arguments", Make("m", "Attention")),
    probe("chained", Call("first", None, "doubled", (TensorArg(X),)),
          Call("out", None, "doubled", (Ref("first", (1, "half")),))),
    probe("two", Make("m", "Plain"), Call("out", None, "nothing"), Call("after", None, "recurses")),
)  # fmt: skip


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return sandbox.run(job(SOURCE, *PROBES))


def test_every_probe_is_answered_in_one_process(outcome: Outcome) -> None:
    assert (outcome.ended, outcome.load_error, outcome.problem) == ("done", None, "")
    assert list(outcome.observations) == [one.name for one in PROBES]


def test_the_old_import_path_works_and_is_noted(outcome: Outcome) -> None:
    assert outcome.notes == ("old-import-path",)


def test_output_is_kept_without_its_escapes(outcome: Outcome) -> None:
    assert f"imported step_05 {FILE}\n" in outcome.output
    assert "said loudly\n" in outcome.output
    assert "\x1b" not in outcome.output


def test_a_graph_that_cannot_be_staged_is_run_again_and_not_printed(outcome: Outcome) -> None:
    assert out(outcome, "writes") == out(outcome, "writes directly") == [1, 2, 3, 4]
    assert outcome.output.count("wrote [1, 2, 3, 4]\n") == 2
    assert "mo." not in outcome.output


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("nothing", None),
        ("numbers", [1, 2.5, math.inf, True, "text", (None, {"a": -3})]),
        ("huge_integer", SeenObject("int")),
        ("complex_array", SeenObject("ndarray of complex128")),
        ("a_type", SeenObject("DType")),
        ("escapes", "aredb"),
        ("dims", [3]),
        ("liar", SeenObject("Liar")),
        ("lying_text", "truth"),
        ("own_text", "def nothing(): pass\n"),
        ("reads_input", ["", [""]]),
        ("earlier", [12, True, "solutions/solution_02.py"]),
    ],
)
def test_values_are_seen_as_they_are(outcome: Outcome, name: str, value: Any) -> None:
    assert out(outcome, name) == value


@pytest.mark.parametrize("name", ["deep", "endless_list"])
def test_nesting_without_end_is_cut(outcome: Outcome, name: str) -> None:
    value = out(outcome, name)
    for _ in range(8):
        (value,) = value
    assert value == SeenObject("list")


def test_tensors_inside_containers_are_realised(outcome: Outcome) -> None:
    twice, rest = out(outcome, "doubled")
    assert isinstance(twice, SeenTensor)
    np.testing.assert_array_equal(twice.array, 2 * X)
    np.testing.assert_array_equal(rest["half"].array, X / 2)


def test_every_element_type_comes_back(outcome: Outcome) -> None:
    assert out(outcome, "same_type").dtype == "bfloat16"
    np.testing.assert_allclose(out(outcome, "same_type").array, 2 * X, rtol=1e-2)
    assert out(outcome, "integers").array.dtype == np.int64
    np.testing.assert_array_equal(out(outcome, "integers").array, X.astype(np.int64))
    assert out(outcome, "half").array.tolist() == [0.5, 0.5]
    assert out(outcome, "half").array.dtype == np.float64


def test_arrays_are_told_from_tensors(outcome: Outcome) -> None:
    array = out(outcome, "an_array")
    assert isinstance(array, SeenArray)
    np.testing.assert_array_equal(array.array, 2 * X)
    assert out(outcome, "a_scalar").array == np.float32(1.5)


def test_a_subclass_of_tensor_cannot_invent_its_numbers(outcome: Outcome) -> None:
    np.testing.assert_array_equal(out(outcome, "Strange").array, X)


def test_code_that_reads_numbers_while_it_is_staged_runs_eagerly(outcome: Outcome) -> None:
    np.testing.assert_allclose(out(outcome, "reads_numbers").array, X * (X + 1).sum(), rtol=1e-5)
    assert outcome.observations["reads_numbers_third"].error is None


def test_code_that_is_refused_numbers_and_goes_on_runs_eagerly_too(outcome: Outcome) -> None:
    assert out(outcome, "goes_on_without_numbers").array.shape == (3, 1)


def test_an_error_that_comes_at_one_call_only_counts(outcome: Outcome) -> None:
    seen = error(outcome, "raises_at_its_third_call")
    assert (seen.type_name, seen.action) == ("ValueError", "c")


def test_an_exit_among_calls_of_one_graph_is_an_answer(outcome: Outcome) -> None:
    seen = error(outcome, "exits_at_its_third_call")
    assert (seen.type_name, seen.message, seen.action) == ("SystemExit", "3", "a")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("too_large", "100000000 numbers"),
        ("array_too_large", "100000000 numbers"),
        ("many_arrays", "1000000 numbers"),
        ("wide", "10000 values"),
        ("bomb", "10000 values"),
        ("long_texts", "500000 characters"),
    ],
)
def test_results_larger_than_any_answer_are_errors(outcome: Outcome, name: str, says: str) -> None:
    assert error(outcome, name).type_name == "TooLarge"
    assert says in error(outcome, name).message


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("calls_exit", "SystemExit", "3"),
        ("interrupts", "KeyboardInterrupt", ""),
        ("recurses", "RecursionError", "maximum recursion depth exceeded"),
        ("raises_key", "KeyError", "missing key"),
        ("evil_text", "ValueError", "ab\nsecond line"),
        ("unprintable", "Unprintable", "(its message cannot be read: RuntimeError)"),
        ("missing", "MissingName", f"missing is not defined in {FILE}"),
        ("no class", "MissingName", f"GPT2Attention is not defined in {FILE}"),
        ("no method", "MissingName", "Attention has no method _split_heads"),
        ("raises", "ZeroDivisionError", "division by zero"),
        ("method fails", "ValueError", "embedding 3"),
    ],
)
def test_errors_are_seen_and_end_only_their_probe(
    outcome: Outcome, name: str, kind: str, text: str
) -> None:
    seen = error(outcome, name)
    assert (seen.type_name, seen.message) == (kind, text)


def test_an_error_text_without_end_is_cut(outcome: Outcome) -> None:
    assert 1_000 < len(error(outcome, "long_text").message) < 10_000


def lines_with(text: str) -> list[int]:
    return [i for i, line in enumerate(SOURCE.splitlines(), 1) if text in line]


def test_an_error_names_the_deepest_line_of_the_learner(outcome: Outcome) -> None:
    seen = error(outcome, "fails")
    assert [seen.line] == lines_with("return y @ Tensor.zeros([7, 7])")
    assert seen.function == "inner"
    assert "return y @ Tensor.zeros([7, 7])" in seen.chain
    assert "grader" not in seen.chain
    assert [error(outcome, "recurses").line] == lines_with("return recurses()")
    assert "more calls" in error(outcome, "recurses").chain
    assert [error(outcome, "unprintable").line] == lines_with("raise Unprintable()")


def test_a_wrong_call_has_no_line_of_the_learner(outcome: Outcome) -> None:
    seen = error(outcome, "wrong arguments")
    assert seen.type_name == "TypeError"
    assert "config" in seen.message
    assert seen.line is None


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("lacks", "not expected in your module: inner.bias [4]"),
        ("misshaped", "inner.weight is [4, 3], expected [3, 4]"),
        ("wrong dtype", "inner.weight is float32, expected float64"),
        ("accidental", "not expected in your module: mask [2, 2]"),
        ("plain", "Plain is not a MAX Module"),
    ],
)
def test_weights_that_do_not_fit_are_named_with_their_shapes(
    outcome: Outcome, name: str, says: str
) -> None:
    assert error(outcome, name).action == "l"
    assert says in error(outcome, name).message


def test_a_module_is_loaded_called_and_read(outcome: Outcome) -> None:
    results = outcome.observations["right"].results
    for name in ("out", "out2"):
        np.testing.assert_allclose(out(outcome, "right", name).array, WEIGHT @ X + BIAS, rtol=1e-5)
    assert results["r"] == {"calls": 2, "inner": SeenObject("Linear")}


def test_a_module_without_weights_still_answers(outcome: Outcome) -> None:
    seen = outcome.observations["unloaded"].results["out"]
    assert isinstance(seen, SeenTensor)
    assert seen.array.shape == (4,)


def test_what_is_no_module_is_seen_as_such(outcome: Outcome) -> None:
    seen = outcome.observations["plain"].results["m"]
    assert seen == SeenModule("Plain", False, {}, {"size": "int"})


def test_results_before_an_error_are_kept(outcome: Outcome) -> None:
    observation = outcome.observations["two"]
    assert list(observation.results) == ["m", "out"]
    assert error(outcome, "two").action == "after"


def test_a_result_is_handed_on_to_a_later_call(outcome: Outcome) -> None:
    twice, _ = out(outcome, "chained")
    np.testing.assert_array_equal(twice.array, X)


@pytest.mark.parametrize("name", ["json", "numpy.linalg"])
def test_python_and_numpy_can_be_imported(outcome: Outcome, name: str) -> None:
    assert out(outcome, f"import {name}") == "imported"


@pytest.mark.parametrize("name", sorted(set(IMPORTS) - {"json", "numpy.linalg"}))
def test_other_parts_of_the_course_cannot_and_the_error_says_what_can(
    outcome: Outcome, name: str
) -> None:
    text = out(outcome, f"import {name}")
    assert "cannot be imported here" in text
    assert "solutions.solution_01, solutions.solution_02, max, numpy" in text


# ---- files that cannot be imported --------------------------------------------------------

BROKEN = {
    "a syntax error": ("x = 1\ndef f(:\n", "SyntaxError", 2),
    "an error while importing": ("import math\n\nmath.sqrt(-1)\n", "ValueError", 3),
    "a name that a module lacks": ("from math import sqroot\n", "ImportError", 1),
    "sys.exit": ("import sys\nsys.exit()\n", "SystemExit", 2),
    "a lone surrogate": ("x = '\ud800'\n", "UnicodeEncodeError", None),
}


@pytest.mark.parametrize(("source", "kind", "line"), BROKEN.values(), ids=BROKEN)
def test_a_file_that_cannot_be_imported_says_where(
    source: str, kind: str, line: int | None
) -> None:
    module, seen = program.load(job(source))
    del sys.modules[module.__name__]
    assert seen is not None
    assert (seen.type_name, seen.line, seen.action) == (kind, line, "import")


def test_nothing_is_tried_on_a_file_that_cannot_be_imported() -> None:
    outcome = sandbox.run(job("print('here')\n1 / 0\n", call("f")))
    assert (outcome.ended, outcome.output, outcome.observations) == ("done", "here\n", {})
    assert outcome.load_error is not None
    assert (outcome.load_error.type_name, outcome.load_error.line) == ("ZeroDivisionError", 2)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("steps/step_77.py", "step_77"),
        ("/home/me/my answer.py", "submission"),
        ("__main__.py", "submission"),
        ("numpy.py", "submission"),
        ("antigravity.py", "submission"),
    ],
)
def test_a_file_gets_a_name_that_nothing_else_has(file: str, name: str) -> None:
    assert program.module_name(file) == name
