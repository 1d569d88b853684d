"""Importing MAX without the one module that it compiles and that starts threads.

``max.experimental.nn`` reaches ``max._kv_cache_ops``, whose code is Mojo: compiled for 6 s the
first time on a machine, and two threads from then on. It plans attention on accelerators;
nothing in the course calls it. A placeholder takes its place until it is called.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

NAME = "max._kv_cache_ops.kv_cache_ops"


def install() -> None:
    """Install the placeholder before MAX is imported. No effect after that."""
    if NAME not in sys.modules:
        sys.modules[NAME] = _Placeholder(NAME)


class _Placeholder(ModuleType):
    """Every name is a function that imports the real module when it is called."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)

        def call(*arguments: Any, **keywords: Any) -> Any:
            if sys.modules.get(NAME) is self:
                del sys.modules[NAME]
            return getattr(importlib.import_module(NAME), name)(*arguments, **keywords)

        return call
