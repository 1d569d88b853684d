"""Methods whose names are nearly those that Python calls by itself."""

from __future__ import annotations

import ast
from typing import NamedTuple

MISNAMED = "misnamed-method"
"""What this mistake is called."""

SPECIAL = {"init": "__init__", "int": "__init__", "post_init": "__post_init__", "call": "__call__"}
"""What is left of a name without its underscores, and the name that Python calls."""

WHEN = {"__call__": "when the object is called"}
INSTEAD = {"__call__": "forward"}
"""Another method that does the same."""


class Misnamed(NamedTuple):
    """A method and the name that it should have."""

    line: int
    name: str
    right: str

    def __str__(self) -> str:
        when = WHEN.get(self.right, "when an object is created")
        return (
            f"Line {self.line} defines {self.name}, but nothing calls it {when}. "
            f"Write {self.right}, with two underscores on each side."
        )


def misnamed(tree: ast.Module) -> Misnamed | None:
    """The first method of the file that is nearly a special one, where its class has none."""
    for cls in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        methods = {one.name: one for one in cls.body if isinstance(one, ast.FunctionDef)}
        for name, method in methods.items():
            right = SPECIAL.get(name.strip("_").lower())
            if right is None or name == "int" or {right, INSTEAD.get(right)} & methods.keys():
                continue
            return Misnamed(method.lineno, name, right)
    return None
