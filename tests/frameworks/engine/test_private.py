"""The table of MAX's private names, and what happens where a MAX lacks some of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.frameworks.max import engine
from grader.frameworks.max.engine import audit, private
from tests import ran
from tests.marks import sampled

FOLDER = Path(private.__file__).parent


def run(code: str) -> str:
    """What a process of its own prints, which has the engine's environment."""
    return ran.said("-c", code, **engine.environment()).strip()


def of_max(tree: ast.AST) -> Iterator[str]:
    """The private names that a module takes from MAX: attributes, modules, and names in them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            if not node.attr.endswith("__") and ast.unparse(node.value) not in ("self", "os"):
                yield node.attr
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("max"):
            yield from (name for name in (node.module or "").split(".") if name.startswith("_"))
            yield from (alias.name for alias in node.names if alias.name.startswith("_"))


def test_the_engine_takes_no_private_name_that_is_not_in_the_table() -> None:
    known = {part for name in private.NAMES for part in f"{name}".split(".")}
    # What the engine's own objects keep, seen from outside.
    own = {"_mo", "_multiarch"}
    for path in FOLDER.glob("*.py"):
        taken = set(of_max(ast.parse(path.read_text(encoding="utf-8"))))
        assert taken - known - own == set(), path.name


def test_no_name_is_in_the_table_twice() -> None:
    assert len({str(name) for name in private.NAMES}) == len(private.NAMES)


def test_every_optional_name_says_what_happens_without_it() -> None:
    core = {name for name in private.NAMES if not name.without}
    assert core == {private.REGISTER, private.HANDLERS, private.OPERATIONS}


def test_this_max_has_every_name() -> None:
    assert [audit.line(name) for name in audit.names() if not name.there] == []


def test_the_audit_says_where_a_name_that_moved_is_now() -> None:
    moved = private.Name("max._interpreter", "register_op_handler", "every operation")
    assert audit.line(moved) == (
        "MISSING  max._interpreter.register_op_handler  (every operation)"
        "  now in max._interpreter_ops.handlers?"
    )
    gone = private.Name("max.graph", "Shape.no_such_name", "shapes")
    assert audit.line(gone) == "MISSING  max.graph.Shape.no_such_name  (shapes)"


def test_the_audit_lists_every_name_with_what_needs_it() -> None:
    told = ran.said("-m", audit.__name__).splitlines()
    assert [name for name in audit.names() if f"there    {name}  ({name.serves})" not in told] == []


WITHOUT = """
from grader.frameworks.max.engine import private
for name in {names!r}:
    # As if this MAX had another name for it: MAX itself keeps using its own.
    object.__setattr__(getattr(private, name), "path", f"gone.{{name}}")
from grader.frameworks.max.engine import installing
left = installing.install("numpy", lambda line: None, None).left
import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Linear
from max.experimental.tensor import Tensor
x = Tensor.from_dlpack(np.ones((2, 3), np.float32))
with F.lazy():
    y = F.softmax(Linear(3, 4)(x)) + 1
assert y.to_numpy().shape == (2, 4)
assert np.isfinite(y.to_numpy()).all()
print(*left, sep="\\n")
"""


def without(*names: str) -> list[str]:
    """What the engine says of itself where MAX lacks these names, and works all the same."""
    return run(WITHOUT.format(names=names)).splitlines()


@pytest.mark.parametrize(
    "name", sampled(6, ["FLOAT", "CUSTOM", "COMPILE", "REFUSED", "NODE", "STATE"])
)
def test_without_an_optional_name_the_rest_works_and_one_line_tells(name: str) -> None:
    missing: private.Name = getattr(private, name)
    said = without(name)
    assert said == [f"This MAX has no {missing.home}.gone.{name}: {missing.without}."]


def test_without_any_optional_name_the_core_works() -> None:
    optional = [name for name, value in vars(private).items()
                if isinstance(value, private.Name) and value.without]  # fmt: skip
    needed = {getattr(private, name).without for name in optional} - {
        private.DEVICES.without,  # only where workers are forked
        private.SESSION.without,  # and only where kernels are recorded
        private.VERIFY.without,  # and only with the other names of these operations
    }
    assert {line.partition(": ")[2].removesuffix(".") for line in without(*optional)} == needed


def test_without_the_hard_core_there_is_an_error_that_names_it() -> None:
    code = """
from grader.frameworks.max.engine import private
import max._interpreter_ops.handlers as handlers
del handlers.register_op_handler
from grader.frameworks.max import engine
try:
    engine.install("numpy")
except private.Lacking as error:
    print(error)
"""
    assert run(code) == (
        "MAX has no max._interpreter_ops.handlers.register_op_handler, which serves: "
        "every operation on NumPy"
    )


def test_a_part_that_fails_is_told_and_can_be_left_to_max() -> None:
    code = """
import types
from grader.frameworks.max.engine import elementwise, handlers, interpreter, staging
import numpy as np

def broken(operation, arrays):
    raise TypeError("our own mistake")

table = {**handlers.HANDLERS, "ReduceMaxOp": broken}
handlers.HANDLERS = types.MappingProxyType(table)
from grader.frameworks.max.engine import installing
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.experimental.executor import UnsupportedGraphError
installed = installing.install("numpy", lambda line: None, None)
del staging.StaticDim  # each function that looks for it fails
x = Tensor.from_dlpack(np.ones((2, 3), np.float32))
print((x + 1).to_numpy().sum(), set(installed.faults))
try:
    F.max(x).to_numpy()
except Exception as error:
    print(type(error).__name__, error)
print(sorted(set(installed.faults)))
installed.leave(["staging", "ReduceMaxOp"])
from max.graph import TensorType
print(hasattr(TensorType.to_mlir, "original"))
from max._core.dialects import mo
from max._interpreter_ops.handlers import _MO_OP_HANDLERS
print(_MO_OP_HANDLERS[mo.ReduceMaxOp].__module__.split(".")[0])
"""
    assert run(code).splitlines() == [
        "12.0 {'staging'}",
        "TypeError our own mistake",
        "['ReduceMaxOp', 'staging']",
        "False",
        "max",
    ]


def test_an_error_that_the_program_deserves_is_no_fault_of_the_engine() -> None:
    code = """
from grader.frameworks.max.engine import installing
import numpy as np
from max.driver import CPU
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
installed = installing.install("numpy", None, None)
x = Tensor.from_dlpack(np.ones((2, 3), np.float32))
wrong = Tensor.from_dlpack(np.array([5]))
for call in (
    lambda: F.gather(x, wrong, axis=0).to_numpy(),
    lambda: F.range(0, 1, 0.3, dtype=DType.float32, device=CPU()).to_numpy(),
    lambda: x @ Tensor.from_dlpack(np.ones((7, 7), np.float32)),
    lambda: x.reshape([7]),
    lambda: F.concat([x, 3], axis=0),
    lambda: Tensor.zeros(3.5),
    lambda: Tensor.zeros([2, None]),
    lambda: F.softmax(None),
    lambda: F.split(x, [1, 1], axis=1),
    lambda: F.broadcast_to(x, [7]),
    lambda: F.transpose(x, 0, 5),
    lambda: x + "a",
):
    try:
        call()
        print("went well")
    except Exception:
        pass
print(installed.faults)
"""
    assert run(code) == "[]"
