"""Restricts the learner's imports: of the course, only earlier steps, served from memory."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import linecache
import re
import sys
from collections.abc import Mapping, Sequence
from types import CodeType, ModuleType

from grader.worker.errors import deserved

OWN = frozenset(("solutions", "steps", "checks", "grader", "gpt2"))
"""The course's packages, of which only the job's modules exist here."""

STEP_FILE = re.compile(r"(?:step|solution)_\d\d")
"""An earlier step, imported as if it were in the same folder."""


def install(
    modules: Mapping[str, tuple[str, str]],
    packages: Sequence[str],
    others: Sequence[importlib.abc.MetaPathFinder] = (),
) -> None:
    """Put a finder for ``modules`` and ``others`` ahead of Python's own.

    ``packages`` are what a file may import besides these; a refusal names them.
    """
    sys.meta_path[:0] = [EarlierSteps(modules, packages), *others]
    for name in [name for name in sys.modules if name.partition(".")[0] in OWN]:
        del sys.modules[name]


def remember(file: str, source: str) -> None:
    """Let tracebacks and ``inspect`` show the text of a file that exists only in memory."""
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)


class EarlierSteps(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Serves the job's modules from memory and refuses the rest of the course."""

    def __init__(
        self, modules: Mapping[str, tuple[str, str]], packages: Sequence[str] = ()
    ) -> None:
        self._modules = dict(modules)
        self._allowed = (*sorted(modules), *packages)
        self._packages = {name.rpartition(".")[0] for name in modules} - {""}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find a module of the job, or raise an ImportError that says what exists."""
        if name.partition(".")[0] not in OWN and not STEP_FILE.fullmatch(name):
            return None
        if name in self._packages:
            return importlib.machinery.ModuleSpec(name, None, is_package=True)
        if name not in self._modules:
            raise deserved(ImportError(self._refusal(name), name=name))
        file, source = self._modules[name]
        remember(file, source)
        spec = importlib.machinery.ModuleSpec(name, self, origin=file)
        spec.has_location = True
        return spec

    def _refusal(self, name: str) -> str:
        return (
            f"{name} cannot be imported here. A step may import {', '.join(self._allowed)} and "
            "Python's standard library."
        )

    def get_source(self, fullname: str) -> str:
        """Return the text of a module of the job."""
        return self._modules[fullname][1]

    def get_code(self, fullname: str) -> CodeType:
        """Return a module of the job, compiled under the name of its file."""
        file, source = self._modules[fullname]
        code: CodeType = compile(source, file, "exec", dont_inherit=True)
        return code
