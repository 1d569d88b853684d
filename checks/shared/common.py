"""Checks that most steps have. Each takes the step's own sentence."""

from __future__ import annotations

from typing import Any

from checks.shared import structure
from grader.rubric import Check, source

F = "from max.experimental import functional as F"
TENSOR = "from max.experimental.tensor import Tensor"
NN = "from max.experimental.nn import"


def imports_functional(
    why: str,
    *proven_by: str,
    passed: str = "functional module is imported as F from max.experimental",
) -> Check:
    """The module of functions is imported as F."""
    failed = "functional module is not imported from max.experimental"
    return _imports("functional", passed, failed, F, why, structure.IMPORTS_F, proven_by)


def imports_tensor(
    why: str,
    *proven_by: str,
    passed: str = "Tensor is imported from max.experimental.tensor",
    test: source.SourceTest = structure.IMPORTS_TENSOR,
) -> Check:
    """The type of most arguments is imported."""
    failed = "Tensor is not imported from max.experimental.tensor"
    return _imports("tensor", passed, failed, TENSOR, why, test, proven_by)


def imports_layers(
    why: str, *proven_by: str, names: tuple[str, ...] = ("Linear", "Module")
) -> Check:
    """These classes of MAX's layers are imported."""
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    return _imports(
        "nn",
        f"{listed} are imported from max.experimental.nn",
        f"{listed} are not imported from max.experimental.nn",
        f"{NN} {', '.join(names)}",
        why,
        source.imports(*(f"{structure.NN}.{name}" for name in names)),
        proven_by,
    )


def _imports(
    id: str,
    passed: str,
    failed: str,
    line: str,
    why: str,
    test: source.SourceTest,
    proven_by: tuple[str, ...],
) -> Check:
    return Check(
        f"import-{id}",
        passed,
        failed,
        f"Add '{line}'",
        why,
        lesson="MAX operations",
        answer=line,
        test=test,
        proven_by=proven_by,
    )


def imports_for_a_layer(why: str, *proven_by: str) -> Check:
    """All three imports in one check, for a layer that uses none of MAX's layers."""
    return Check(
        "imports",
        "functional as F, Module and Tensor are imported",
        "Not all of functional as F, Module and Tensor are imported",
        "Import F from max.experimental, Module from its nn, Tensor from its tensor",
        why,
        lesson="MAX operations",
        test=source.every(
            source.imports(f"{structure.NN}.Module"), structure.USES_TENSOR, structure.USES_F
        ),
        proven_by=proven_by,
    )


def defines(
    cls: str,
    *proven_by: str,
    id: str = "class",
    passed: str = "{} class exists",
    failed: str = "{} class is missing",
) -> Check:
    """The class exists and is a Module."""
    line = f"class {cls}(Module):"
    return Check(
        id,
        passed.format(cls),
        failed.format(cls),
        f"Define '{line}'",
        "The grader builds the class by this name.",
        lesson="What you build",
        answer=line,
        test=source.defines_class(cls, "Module"),
        proven_by=proven_by,
    )


def is_module(cls: str, *proven_by: str) -> Check:
    """The same as :func:`defines`, with another sentence."""
    failed = "{} is missing or is not a Module"
    return defines(cls, *proven_by, passed="{} is a Module", failed=failed)


def placeholders(test: source.SourceTest) -> Check:
    """Nothing of the stub is left."""
    return Check(
        "placeholders",
        "All placeholder 'None' values have been replaced",
        "Found placeholder 'None' values that need to be replaced:",
        "Replace all 'None' values with the actual implementation",
        "Each is under a TODO.",
        answer="Search the file for None.",
        test=test,
    )


def builds(cls: str, nudge: str, why: str, *, id: str = "builds", **more: Any) -> Check:
    """The class can be instantiated."""
    return Check(
        id,
        f"{cls} class can be instantiated",
        f"{cls} class cannot be instantiated",
        nudge,
        why,
        **more,
    )


def runs(cls: str, nudge: str, why: str, *, id: str = "forward", **more: Any) -> Check:
    """The forward pass of the class returns something."""
    return Check(
        id,
        f"{cls} forward pass executes without errors",
        f"{cls} forward pass does not work",
        nudge,
        why,
        **more,
    )
