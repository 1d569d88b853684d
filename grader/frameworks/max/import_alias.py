"""Serves ``max.experimental.nn`` to code that imports it under its old name."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
from collections.abc import Sequence
from types import ModuleType

from grader.frameworks.max.spellings import NN, OLD_NN

NOTE = "old-import-path"


class OldPath(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds modules of the old path, and notes that one was requested."""

    def __init__(self, notes: list[str]) -> None:
        self._notes = notes

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find a module of the old path."""
        if name != OLD_NN and not name.startswith(OLD_NN + "."):
            return None
        if NOTE not in self._notes:
            self._notes.append(NOTE)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """Create a separate module, so that the real one keeps its name and spec."""
        real = importlib.import_module(NN + spec.name.removeprefix(OLD_NN))
        module = ModuleType(spec.name)
        module.__dict__.update(
            {name: value for name, value in vars(real).items() if not name.startswith("__")},
            __doc__=real.__doc__,
        )
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: nothing is left to run."""
