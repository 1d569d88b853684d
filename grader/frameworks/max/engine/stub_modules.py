"""Imports MAX without the modules that no step uses.

With all of ``max.nn``, ``max.experimental.nn`` imports kernels for accelerators and for quantized
weights, code that prints tensors, and code that inspects the machine's processes: a fifth of the
import. A placeholder replaces each of these modules meanwhile. Each name in it is a stand-in that
imports the real module when it is called.

The same is done for the modules that compile the interpreter's kernels: a tenth of what a worker
does before it has its job.

One module keeps its placeholder. ``max._kv_cache_ops`` is written in Mojo: it compiles for 6 s the
first time on a machine, and starts two threads every time.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

COMPILED = "max._kv_cache_ops.kv_cache_ops"
UNUSED = (
    "max.experimental.nn.common_layers.functional_kernels",
    "max.nn.kernels",
    "max.nn.quant_config",
    "psutil",
    "rich.pretty",
)
"""Modules of which MAX's import needs only names. A program may import the real ones later."""

KERNELS = tuple(
    f"max._interpreter_ops.{name}_gc"
    for name in (
        *("band_part", "cast", "conv", "data_movement", "gather", "group_norm", "layer_norm"),
        *("matmul", "nms", "nonzero", "pooling", "random", "range", "resize", "rms_norm"),
        *("roi_align", "select", "shape_rearrange"),
    )
)
"""What compiles MAX's own kernels. Its interpreter only calls these modules, and does not even do
that for an operation with a handler of ours."""


@contextmanager
def installed(unused: Sequence[str] = UNUSED) -> Iterator[None]:
    """Install placeholders in the block. This has no effect on modules imported before."""
    made = {name: _Placeholder(name) for name in (COMPILED, *unused) if name not in sys.modules}
    sys.modules.update(made)
    try:
        yield
    finally:
        for name in unused:
            if name in made and sys.modules.get(name) is made[name]:
                del sys.modules[name]


class _Placeholder(ModuleType):
    """Returns stand-ins while this is the module, and the real objects afterwards."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            return _stand_in(self.__name__, name)
        return getattr(importlib.import_module(self.__name__), name)


def _stand_in(module: str, name: str) -> type:
    """Make a class, because the name may be in an annotation; calling it calls the real object."""

    def new(cls: type, *arguments: Any, **keywords: Any) -> Any:
        if isinstance(sys.modules.get(module), _Placeholder):
            del sys.modules[module]
        return getattr(importlib.import_module(module), name)(*arguments, **keywords)

    return type(name, (), {"__module__": module, "__new__": new})
