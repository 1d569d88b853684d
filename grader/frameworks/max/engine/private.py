"""Every private name that the engine takes from MAX, each written once.

The core registers handlers and reads an operation: without it there is no engine. Every other
name is optional; if this MAX lacks one, the task it serves is left to MAX. The table is complete:
the engine uses these names only through it (``tests/frameworks/engine/test_private`` looks for
others), and ``python -m grader.frameworks.max.engine.audit`` prints it for the installed MAX.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


class Lacking(RuntimeError):
    """This MAX lacks a name that the engine cannot do without."""


@dataclass(frozen=True)
class Name:
    """A name in a module of MAX, what needs it, and what happens without it.

    ``path`` is the dotted path to it from module ``home``. If a name with an empty ``without`` is
    missing, there is no engine.
    """

    home: str
    path: str
    serves: str
    without: str = ""

    def __str__(self) -> str:
        return f"{self.home}.{self.path}"

    @property
    def there(self) -> bool:
        """Whether this MAX has it, even as a declared attribute that only instances have."""
        try:
            owner, last = self.owner
        except (ImportError, AttributeError):
            return False
        return hasattr(owner, last) or last in _of_instances(owner)

    @property
    def owner(self) -> tuple[Any, str]:
        """Return the module or class that has it, and its name there."""
        *owners, last = self.path.split(".")
        return _follow(importlib.import_module(self.home), owners), last

    def get(self) -> Any:
        """Return the object.

        Raises:
            Lacking: this MAX does not have it.
        """
        try:
            return _follow(importlib.import_module(self.home), self.path.split("."))
        except (ImportError, AttributeError):
            raise Lacking(f"MAX has no {self}, which serves: {self.serves}") from None

    def put(self, value: Any) -> None:
        """Replace it with ``value`` in this process."""
        owner, last = self.owner
        setattr(owner, last, value)

    def find(self) -> Any:
        """Return the object; None if this MAX does not have it."""
        try:
            return self.get()
        except Lacking:
            return None


def _follow(value: Any, path: list[str]) -> Any:
    for name in path:
        value = getattr(value, name)
    return value


def _of_instances(owner: Any) -> set[str]:
    """Return the attributes that only a class's instances have, if the class declares them."""
    places = ("__annotations__", "__static_attributes__")  # the second from Python 3.13 on
    found = (
        vars(base).get(place, ()) for base in getattr(owner, "__mro__", ()) for place in places
    )
    return {name for names in found for name in names}


def lacking(*names: Name) -> list[Name]:
    """Return those of ``names`` that this MAX does not have."""
    return [name for name in names if not name.there]


def told(names: Iterable[Name]) -> tuple[str, ...]:
    """Return a sentence on each thing that MAX does itself because it lacks these names."""
    groups: dict[tuple[str, str], list[str]] = {}
    for name in dict.fromkeys(names):
        groups.setdefault((name.serves, name.without), []).append(str(name))
    return tuple(
        f"This MAX has no {', '.join(missing)}: {without or f'{serves} is impossible'}."
        for (serves, without), missing in groups.items()
    )


# ---- the core: registering handlers, reading an operation -----------------------------------

_CORE = "every operation on NumPy"
REGISTER = Name("max._interpreter_ops.handlers", "register_op_handler", _CORE)
HANDLERS = Name("max._interpreter_ops.handlers", "_MO_OP_HANDLERS", _CORE)
OPERATIONS = Name("max._core.dialects", "mo", _CORE)

# ---- single operations ----------------------------------------------------------------------

FLOAT = Name(
    "max.graph.ops.rms_norm",
    "_float32_attr_value",
    "RMS norm on NumPy",
    "MAX's own kernel computes RMS norm",
)
_CUSTOM = "argsort, repeat_interleave and acos on NumPy"
_CUSTOM_KERNELS = "MAX's own kernels compute argsort, repeat_interleave and acos"
CUSTOM = Name("max._interpreter", "_is_interpretable_custom", _CUSTOM, _CUSTOM_KERNELS)
CUSTOM_OPERATION = Name("max._core.dialects", "mo.CustomOp", _CUSTOM, _CUSTOM_KERNELS)
VERIFY = Name(
    "max.graph",
    "KernelLibrary.verify_custom_op",
    "staging argsort, repeat_interleave and acos at once",
    "MAX reads all its kernels to stage argsort, repeat_interleave or acos",
)


def operation(name: str) -> Name:
    """Return the operation that a handler of this name computes."""
    word = name.removesuffix("Op")
    path = f"{OPERATIONS.path}.{name}"
    return Name(OPERATIONS.home, path, f"{word} on NumPy", f"MAX computes {word} itself")


# ---- what MAX compiles ----------------------------------------------------------------------

_SILENT = "MAX compiles without saying so"
COMPILE = Name(
    "max._interpreter_ops.gc_compile", "compile_single_target", "announcing kernels", _SILENT
)
POLICY = Name("max._eager_policy", "allow_lazy_compile", "announcing whole graphs", _SILENT)
EXECUTOR = "max.experimental.executor"
INTERPRET = Name(EXECUTOR, "InterpreterExecutor", POLICY.serves, _SILENT)
COMPILE_GRAPH = Name(EXECUTOR, "CompilingExecutor", POLICY.serves, _SILENT)
REFUSED = Name(EXECUTOR, "UnsupportedGraphError", POLICY.serves, _SILENT)
USE_EXECUTOR = Name(EXECUTOR, "set_default_executor", POLICY.serves, _SILENT)
SESSION = Name(
    "max._interpreter_ops.gc_compile", "session_for", "recording MAX's kernels", "tests only"
)
CONTEXT = Name(
    "max._mlir_context", "in_default_mlir_context", "recording MAX's kernels", "tests only"
)

# ---- importing the interpreter before a fork ------------------------------------------------

_AHEAD = "importing the interpreter once for all workers"
_EACH = "each worker imports it"
DEVICES = Name("max.driver", "load_devices", _AHEAD, _EACH)
FOUND = Name("max._interpreter_ops.gc_compile", "DISCOVERED_DEVICES", _AHEAD, _EACH)
FIND = Name("max._interpreter_ops.gc_compile", "discover_devices", _AHEAD, _EACH)
FIND_BY = Name("max._interpreter_ops.gc_compile", "load_devices", _AHEAD, _EACH)

# ---- where tensors are ----------------------------------------------------------------------

_ON_CPU = "making tensors on the CPU without a look at each"
_ANYWHERE = "MAX looks for an accelerator at each tensor, and makes it there"
DEVICE = Name("max.experimental.tensor", "_DEFAULT_DEVICE", _ON_CPU, _ANYWHERE)
MESH = Name("max.experimental.tensor", "_as_mesh", _ON_CPU, _ANYWHERE)

# ---- staging done sooner --------------------------------------------------------------------


def _staging(home: str, path: str, what: str) -> Name:
    return Name(home, path, f"staging {what} faster", f"MAX stages {what} itself, slower")


SHAPE = _staging("max.graph", "Shape.__init__", "shapes")
SHAPE_READ = _staging("max.graph", "Shape.from_mlir", "shapes")
TYPE_READ = _staging("max.graph", "TensorType.from_mlir", "types")
TYPE_WRITE = _staging("max.graph", "TensorType.to_mlir", "types")
TYPE_LAYOUT = _staging("max.graph", "TensorType._layout", "types")
VALUE = _staging("max.graph", "TensorValue.__init__", "values")
VALUE_MLIR = _staging("max.graph", "TensorValue._mlir_value", "values")
MLIR_VALUE = _staging("max._core", "Value", "values")
STRONG = _staging("max.graph.value", "_is_strong_tensor_value_like", "values")
CONSTANT = _staging("max.graph.ops.constant", "constant", "constants")
ARRAY = _staging("max._core.graph", "array_attr", "constants")
ADD = _staging("max.graph", "Graph._add_op_generated", "operations")
_GRAPH = "max.graph.graph"
BUILDER = _staging(_GRAPH, "OpBuilder", "operations")
BLOCK_OF = _staging(_GRAPH, "Block._from_cmlir", "operations")
NOW = _staging("max.graph", "Graph._current_block", "operations")
DECLARED = _staging(_GRAPH, "_set_output_param_decls", "operations")
PARAMETERS = _staging("max.graph", "Graph._params", "operations")
VERIFIED = _staging("max.graph", "Graph._should_verify_ops", "operations")
MLIR_CONTEXT = _staging("max._mlir_context", "default_mlir_context", "operations")
TELL_DEVICES = _staging("max.graph", "Graph._populate_device_info_mapping", "graphs")
OPERATION = _staging("max.graph", "Graph._mlir_op", "graphs")
DEVICES_TOLD = _staging(_GRAPH, "_DEVICE_INFO_MAPPING_ATTR_NAME", "graphs")
INPUT = _staging("max.experimental._passes", "add_input", "inputs")
BLOCK = _staging("max.experimental._passes", "_graph_block", "inputs")
LOCATION = _staging("max.experimental._passes", "_location", "inputs")
CHAIN = _staging("max.graph", "Graph._has_chain_input", "inputs")
REALIZE = _staging("max.experimental.tensor", "Tensor._sync_realize", "results")
STATE = _staging("max.experimental.tensor", "Tensor._state", "results")
IN_LOOP = _staging("max.experimental.functional", "_in_running_loop", "results")
_REALIZATION = "max.experimental.realization_context"
EAGER = _staging(_REALIZATION, "EagerRealizationContext", "results")
LAZY = _staging(_REALIZATION, "LazyRealizationContext", "results")
CURRENT = _staging(_REALIZATION, "current_realization_context", "operations")
ENSURE = _staging(_REALIZATION, "ensure_context", "operations")
_CALLED = "max.experimental.functional.spmd_ops"
DISTRIBUTED = _staging(_CALLED, "any_distributed", "operations")
RESULTS = _staging(_CALLED, "to_tensors", "operations")
WRAP = _staging(_CALLED, "functional", "operations")
CONVERTERS = _staging(_CALLED, "_graph_value_converters", "operations")
ITEM = _staging("max.experimental.tensor", "Tensor.__getitem__", "operations")
TENSOR = _staging("max.experimental.tensor", "Tensor.__init__", "results")
STORAGES = _staging("max.experimental.tensor", "Tensor._storages", "results")
MAPPING = _staging("max.experimental.tensor", "Tensor._mapping", "results")
RENDER = _staging("max.experimental._tensor_repr", "render", "text")
LEAVES = _staging("max.tree", "leaves", "arguments")
MAP = _staging("max.tree", "map", "arguments")
PREDICATE = _staging("max.tree", "as_predicate", "arguments")
NODE = _staging("max.tree", "_node_kind", "arguments")

# ---- running a graph ------------------------------------------------------------------------

_RUNNING = "running a graph on arrays"
_BUFFERS = "MAX runs it, with a buffer for each value"
EXECUTE = Name("max._interpreter", "execute", _RUNNING, _BUFFERS)
WALK = Name("max._interpreter", "_walk_ops", _RUNNING, _BUFFERS)
LOOK_UP = Name("max._interpreter", "lookup_handler", _RUNNING, _BUFFERS)
FINALIZE = Name(_REALIZATION, "EagerRealizationContext.finalize_graph", _RUNNING, _BUFFERS)
INSIDE = Name(_REALIZATION, "realization_context", _RUNNING, _BUFFERS)
UNUSED = Name("max.experimental._passes", "remove_unused_arguments", _RUNNING, _BUFFERS)
PEEK = Name("max.graph.ops.random", "_peek_seed", _RUNNING, _BUFFERS)
GRAPH_VALUE = Name("max.experimental.tensor", "Tensor._graph_value", _RUNNING, _BUFFERS)

# ---- a graph that is run again and again ----------------------------------------------------

MODULE = Name(
    "max.graph",
    "Graph._module",
    "running a staged graph again",
    "a text is staged anew for every token",
)

NAMES: tuple[Name, ...] = tuple(value for value in list(vars().values()) if type(value) is Name)
"""All of the above, in order."""
