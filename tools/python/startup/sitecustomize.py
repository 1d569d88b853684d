"""Python imports this when it starts: installs the engine as soon as MAX has been imported.

It costs a program that does not import MAX nothing. ``COURSE_ENGINE=max`` leaves everything to
MAX's own kernels.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any

TENSORS = "max.experimental"
"""The package that all tensors come from."""

ENGINE = "COURSE_ENGINE"
LACKING = "The course's engine does not have that operation. Each such wait comes only once."
CHOSEN = f"MAX compiles each operation, 12 to 40 s each. Without {ENGINE}=max nothing is compiled."


class WithEngine:
    """Finds ``max.experimental`` where it is, and installs the engine after its import."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """The specification of ``max.experimental``, with another loader; None for the rest."""
        if name != TENSORS:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = _then_installed(spec.loader.exec_module)  # type: ignore[method-assign]
        return spec


def _then_installed(usual: Any) -> Any:
    def exec_module(module: ModuleType) -> None:
        usual(module)
        _install()

    return exec_module


def _install() -> None:
    if "grader.frameworks.max.engine.installing" in sys.modules:
        return  # the program is installing an engine itself
    from grader.frameworks.max import engine
    from grader.frameworks.max.engine.private import Lacking

    kind = os.environ.get(ENGINE, "numpy")
    advice = [CHOSEN if kind == "max" else LACKING]

    def announce(line: str) -> None:
        print(line, *advice, file=sys.stderr, flush=True)
        advice.clear()  # once is enough

    try:
        engine.install(kind, announce)
    except Lacking as lacking:  # a new MAX: what looks for its private names must still run
        print(f"MAX runs without the course's engine: {lacking}", file=sys.stderr)


def _run_the_usual() -> None:
    """Run the sitecustomize that this one hides, if the machine has one."""
    here = Path(__file__).resolve().parent
    elsewhere = [folder for folder in sys.path if Path(folder).resolve() != here]
    spec = PathFinder.find_spec("sitecustomize", elsewhere)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(module_from_spec(spec))


sys.meta_path.insert(0, WithEngine())
_run_the_usual()
