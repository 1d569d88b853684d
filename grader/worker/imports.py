"""What the learner's file may import: earlier steps from memory, MAX by its old name too."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import linecache
import re
import sys
from collections.abc import Mapping, Sequence
from types import CodeType, ModuleType

OWN = frozenset(("solutions", "steps", "checks", "grader"))
"""The course's packages. Of these only the modules of the job exist here."""

STEP_FILE = re.compile(r"(?:step|solution)_\d\d")
"""An earlier step imported as if it lay in the same folder."""

OLD_NAME = "max.nn.module_v3"
NEW_NAME = "max.experimental.nn"
OLD_IMPORT = "old-import-path"


def install(modules: Mapping[str, tuple[str, str]]) -> list[str]:
    """Put the finders in front of Python's own. Notes are added to the list as they arise."""
    notes: list[str] = []
    sys.meta_path[:0] = [EarlierSteps(modules), OldPath(notes)]
    for name in [name for name in sys.modules if name.partition(".")[0] in OWN]:
        del sys.modules[name]
    return notes


def remember(file: str, source: str) -> None:
    """Let tracebacks and ``inspect`` show the text of a file that only exists in memory."""
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)


class EarlierSteps(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Serves the job's modules from memory and refuses the rest of the course."""

    def __init__(self, modules: Mapping[str, tuple[str, str]]) -> None:
        self._modules = dict(modules)
        self._packages = {name.rpartition(".")[0] for name in modules} - {""}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A module of the job, or an ImportError that says what there is."""
        if name.partition(".")[0] not in OWN and not STEP_FILE.fullmatch(name):
            return None
        if name in self._packages:
            return importlib.machinery.ModuleSpec(name, None, is_package=True)
        if name not in self._modules:
            raise ImportError(self._refusal(name), name=name)
        file, source = self._modules[name]
        remember(file, source)
        spec = importlib.machinery.ModuleSpec(name, self, origin=file)
        spec.has_location = True
        return spec

    def _refusal(self, name: str) -> str:
        steps = ", ".join(sorted(self._modules))
        also = f"{steps}, " if steps else ""
        return (
            f"{name} cannot be imported here. A step may import {also}max, numpy and "
            "Python's standard library."
        )

    def get_source(self, fullname: str) -> str:
        """The text of a module of the job."""
        return self._modules[fullname][1]

    def get_code(self, fullname: str) -> CodeType:
        """A module of the job, compiled under the name of its file."""
        file, source = self._modules[fullname]
        code: CodeType = compile(source, file, "exec", dont_inherit=True)
        return code


class OldPath(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives ``max.experimental.nn`` to code that imports it by its old name."""

    def __init__(self, notes: list[str]) -> None:
        self._notes = notes

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A module of the old path."""
        if name != OLD_NAME and not name.startswith(OLD_NAME + "."):
            return None
        if OLD_IMPORT not in self._notes:
            self._notes.append(OLD_IMPORT)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """A module of its own, so that the real one keeps its name and its spec."""
        real = importlib.import_module(NEW_NAME + spec.name.removeprefix(OLD_NAME))
        module = ModuleType(spec.name)
        module.__dict__.update(
            {name: value for name, value in vars(real).items() if not name.startswith("__")},
            __doc__=real.__doc__,
        )
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to run."""
