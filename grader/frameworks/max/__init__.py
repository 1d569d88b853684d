"""MAX: its operations on NumPy or on its own kernels, its spellings, its errors explained.

This is the only folder that knows MAX. This module imports neither MAX nor NumPy.
"""

from __future__ import annotations

import importlib
import os
import re
from typing import TYPE_CHECKING

from grader import frameworks

if TYPE_CHECKING:
    from grader.frameworks import Runtime, Spellings, Translation
    from grader.protocol.probe import SeenError


DIAGNOSTICS = re.compile(r"Diagnostics:\s*(.+)")
SHAPE = re.compile(r"#mosh<ape(\[[^\]]*\])>(?: : !mosh\.ape)?")
"""How MAX's compiler writes a shape."""
VALUES = re.compile(r":? vals=\[.*")
"""Tensors that MAX lists at the end of a message, with all their details."""
NOTES = {
    "old-import-path": "max.nn.module_v3 is an old name. Today it is max.experimental.nn; "
    "the grader accepts both.",
}
HINTS = {
    "array returned": "Return the MAX Tensor itself: leave out to_numpy() and NumPy's functions.",
    "bias missing": "Linear has a bias unless you pass bias=False.",
    "bias too many": "self.{owner} must have no bias here: pass the argument on, "
    "Linear(..., bias=bias).",
    "no module": "Write class {cls}(Module) and call super().__init__() first.",
    "no parameter": "Only a Tensor on self becomes a parameter: Tensor.ones, Tensor.zeros.",
    "turned": "The two sizes are in the other order. Linear(in_dim, out_dim) keeps "
    "[out_dim, in_dim], Embedding(rows, dim=d) [rows, d].",
}


IDLE = {"MODULAR_THREAD_BUSY_WAIT_US": "0"}
"""Make MAX's idle threads sleep. If they spun, they would take a fifteenth of a grading's processor
time from the other workers."""
CHOSEN = "MAX_EAGER_EXECUTOR"
"""Set where the user has chosen how MAX computes."""


class Max(frameworks.Framework):
    """MAX, from the point of view of the grader's own process."""

    name = "max"
    title = "MAX"
    tensor = "a MAX Tensor"
    module = "a MAX Module"
    tensor_type = "Tensor"
    packages = ("max", "numpy")
    pinned = "max"
    engines = ("numpy", "max")
    compiling = frozenset(("max",))
    importable = ("max", "numpy")
    cache_variable = "MODULAR_CACHE_DIR"
    newest_python = (3, 14)
    notes = NOTES
    hints = HINTS

    def parts(self) -> frozenset[str]:
        """Return the staging, and the operations computed on NumPy."""
        from grader.frameworks.max.engine.handlers import PARTS

        return PARTS

    def spellings(self) -> Spellings:
        """Return MAX's many spellings of one operation."""
        from grader.frameworks.max.spellings import SPELLINGS

        return SPELLINGS

    def translate(self, error: SeenError) -> Translation:
        """Explain an error of MAX or of Python."""
        from grader.frameworks.max import errors

        return errors.translate(error)

    def gist(self, message: str) -> str:
        """Return MAX's diagnosis, with shapes as Python writes them."""
        found = DIAGNOSTICS.search(message)
        return SHAPE.sub(r"\1", VALUES.sub("", found[1] if found else super().gist(message)))

    def environment(self, folder: str | None = None) -> dict[str, str]:
        """Return the engine's variables, and where compiled kernels go."""
        from grader.frameworks.max import cache, engine

        kept = cache.shared() if folder is None else cache.private(folder)
        return {cache.VARIABLE: kept, **IDLE, **engine.environment()}

    def cache(self) -> str:
        """Return the folder where MAX keeps compiled kernels."""
        from grader.frameworks.max import cache

        return cache.shared()

    def runs_programs(self) -> bool:
        """Whether MAX's import runs python3, to find the interpreter's shared library."""
        from grader.frameworks.max import engine

        return "MOJO_PYTHON_LIBRARY" not in engine.environment()

    def prepared(self) -> bool:
        """Whether what MAX compiles on its first import exists."""
        from grader.frameworks.max import engine

        return engine.prepared()

    def prepare(self) -> None:
        """Let MAX compile what its import needs; 6 s, once per machine."""
        from grader.frameworks.max import engine

        engine.prepare()

    def compute_here(self) -> None:
        """Install the engine, unless ``tools/python`` or the user has chosen one."""
        from grader.frameworks.max import engine

        if CHOSEN in os.environ:
            return
        os.environ.update(engine.environment())
        importlib.import_module("max.experimental.functional")
        engine.install("numpy")

    def runtime(self) -> Runtime:
        """Import what starts no thread of MAX."""
        from grader.frameworks.max.engine import stub_modules

        with stub_modules.installed():
            from grader.frameworks.max.runtime import MaxRuntime

        return MaxRuntime(self)


FRAMEWORK = Max()
