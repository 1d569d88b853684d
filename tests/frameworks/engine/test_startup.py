"""What the engine does before MAX is there: environment variables, and the first import."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from grader.frameworks.max import engine
from grader.frameworks.max.engine import precompile
from tests import ran


def run(code: str, **variables: str) -> str:
    return ran.said("-c", code, **variables).strip()


def test_asking_for_the_environment_imports_nothing_heavy() -> None:
    # Dataclasses, which every command has imported by then, bring re along.
    heavy = "{'numpy', 'max', 'sysconfig', 'subprocess', 'pathlib'} & set(sys.modules)"
    use = "from grader.frameworks.max import engine; engine.environment()"
    code = f"import sys; {use}; print({heavy})"
    assert run(code) == "set()"


def test_max_runs_no_other_program_when_it_is_imported(tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    for name in ("python", "python3"):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho {name} >> {trace}\nexit 1\n")
        program.chmod(0o755)
    engine.prepare()
    run("import max.experimental.nn", PATH=str(tmp_path), **engine.environment())
    assert not trace.exists()


def test_prepared_once_max_has_been_imported() -> None:
    engine.prepare()
    assert engine.prepared()


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The source of MAX's module in an installation of its own, nothing compiled."""
    path = tmp_path / precompile.COMPILED_MODULE
    path.parent.mkdir(parents=True)
    path.write_text("one")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("MODULAR_HOME", "MODULAR_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return path


def compiled(source: Path, seconds_ago: float) -> None:
    """What MAX writes after compiling."""
    name = f"kv_cache_ops.hash-{precompile._source_hash(source.parent)}.so"
    result = source.parent / "__mojocache__" / name
    result.parent.mkdir()
    result.touch()
    moment = time.time() - seconds_ago
    os.utime(result, (moment, moment))


@pytest.mark.parametrize("seconds_ago", [-5.0, 1000.0])
def test_not_prepared_until_this_source_is_compiled(source: Path, seconds_ago: float) -> None:
    assert not engine.prepared()
    compiled(source, seconds_ago)
    assert engine.prepared()


def test_not_prepared_after_the_source_changed(source: Path) -> None:
    compiled(source, 1000)
    source.write_text("two")
    assert not engine.prepared()


def test_not_prepared_where_max_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert not engine.prepared()


def test_the_engine_is_in_place_after_install(tmp_path: Path) -> None:
    code = """
import os
from grader.frameworks.max import engine
os.environ.update(engine.environment())
os.environ["MAX_EAGER_ALLOW_LAZY_COMPILE"] = "0"
from max.experimental.tensor import Tensor
engine.install("numpy")
print((Tensor.ones([2, 3]) @ Tensor.ones([3, 4])).to_numpy().tolist())
"""
    assert run(code, HOME=str(tmp_path)) == str([[3.0] * 4] * 2)


@pytest.mark.skipif(sys.platform != "linux", reason="counts the threads of a process")
def test_what_is_replaced_ahead_is_replaced_once_and_starts_no_thread(tmp_path: Path) -> None:
    code = """
import os
from grader.frameworks.max import engine
os.environ.update(engine.environment())
from grader.frameworks.max.engine import installing, private
installing.prepare()
print(len(os.listdir("/proc/self/task")))
held = dict(private.HANDLERS.get())
print(installing.install("numpy", None, None).left, private.HANDLERS.get() == held)
installing.install("numpy", None, None)
print(private.HANDLERS.get() == held)
"""
    told = run(code, HOME=str(tmp_path), OPENBLAS_NUM_THREADS="1")
    assert told.splitlines() == ["1", "() True", "False"]


def test_what_the_import_of_max_is_spared_a_program_still_gets() -> None:
    code = """
import os, sys
from grader.frameworks.max import FRAMEWORK, engine
from grader.frameworks.max.engine import stub_modules
os.environ.update(engine.environment())
runtime = FRAMEWORK.runtime()
runtime.install("numpy", print, "")
assert not {"max.nn", *stub_modules.UNUSED} & set(sys.modules)
from max.experimental.nn import Linear, linear
from max.experimental.tensor import Tensor
assert "rich.pretty" not in sys.modules
print(Linear(2, 1, bias=False), repr(Tensor.ones([])).split("(")[0])
try:
    linear.quantize_static_scaled_float8(1, 2, 3, 4)
except (AttributeError, TypeError) as error:
    print(error.__traceback__.tb_next.tb_next.tb_frame.f_globals["__name__"])
from max.nn import Linear, kernels
print(Linear.__module__, kernels.quantize_static_scaled_float8.__code__.co_argcount)
import psutil
from max.profiler.cpu import collector
print(collector.psutil.Process is psutil.Process, issubclass(psutil.NoSuchProcess, Exception))
"""
    assert run(code).splitlines() == [
        "Linear(in_dim=Dim(2), out_dim=Dim(1), bias=False) Tensor",
        "max.nn.kernels",
        "max.nn.linear 4",
        "True True",
    ]


def test_what_compiles_max_own_kernels_is_there_when_it_is_called() -> None:
    code = """
import inspect, os, sys
from grader.frameworks.max import FRAMEWORK, engine
from grader.frameworks.max.engine import stub_modules
os.environ.update(engine.environment())
FRAMEWORK.runtime().install("numpy", print, "")
print(set(stub_modules.KERNELS) & set(sys.modules))
from max._interpreter_ops import handlers, matmul_gc
kept = {name.rpartition(".")[2] for name in stub_modules.KERNELS} & set(vars(handlers))
print(len(kept) == len(stub_modules.KERNELS))
print(all(inspect.isfunction(getattr(vars(handlers)[name], function))
          for name, function in (("matmul_gc", "matmul_model"), ("conv_gc", "conv_model"))))
print(matmul_gc.matmul_model is handlers.matmul_gc.matmul_model)
"""
    assert run(code).splitlines() == ["set()", "True", "True", "True"]


def test_results_print_no_tensor_and_an_interrupt_is_still_one() -> None:
    """Before Python 3.13 asyncio prints every tensor of a forward, which takes 22 s."""
    code = """
import os, signal
from grader.frameworks.max import engine
os.environ.update(engine.environment())
engine.install("numpy")
from max.experimental.tensor import Tensor
printed = []
Tensor.__repr__ = lambda self: printed.append(1) or "a tensor"
(Tensor.ones([2, 3]) @ Tensor.ones([3, 4])).to_numpy()
print(len(printed))
try:
    os.kill(os.getpid(), signal.SIGINT)
    print("went on")
except KeyboardInterrupt:
    print("interrupted")
"""
    assert run(code) == "0\ninterrupted"


def test_installing_leaves_the_handlers_of_others_alone() -> None:
    code = """
import signal
from grader.frameworks.max import engine
signal.signal(signal.SIGINT, signal.SIG_IGN)
engine.install("numpy")
print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)
"""
    assert run(code) == "True"


@pytest.mark.native
def test_what_max_must_compile_is_announced_and_right(tmp_path: Path) -> None:
    code = """
import os
from grader.frameworks.max import engine
os.environ.update(engine.environment())
import numpy as np
from max.experimental import functional as F
from max.experimental.tensor import Tensor
engine.install("numpy", lambda line: print("said:", line, flush=True))
pool = F.avg_pool2d(Tensor(np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)), (2, 2))
print(pool.to_numpy().ravel().tolist())
truth = F.greater(Tensor.ones([]), Tensor.zeros([]))
x = Tensor.ones([2])
print(F.cond(truth, [x.type], lambda: x + 1, lambda: x - 1)[0].to_numpy().tolist())
"""
    empty = {"HOME": str(tmp_path), "MODULAR_CACHE_DIR": str(tmp_path / "cache")}
    lines = run(code, **empty).splitlines()
    assert "said: MAX compiles its kernel pool_AvgPoolOp_float32_cb1" in lines[0]
    assert lines[1] == "[2.5, 3.5, 4.5, 6.5, 7.5, 8.5, 10.5, 11.5, 12.5]"
    assert "said: MAX compiles a graph with mo.if" in lines[2]
    assert lines[3] == "[2.0, 2.0]"


def test_a_missing_compiler_is_told_with_what_to_install() -> None:
    said = "modular/bin/mojo: error: unable to find suitable c compiler for linking\n"
    assert "apt install gcc libc6-dev" in precompile._why(said)
    assert precompile._why(" something else\n") == "something else"
