"""What is worked out once and given to many: mypy lets none of them change it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from grader.base.course import ROOT

CACHES = {"cache", "lru_cache", "cached_property"}
MUTABLE = {"list", "dict", "set", "bytearray", "Counter", "defaultdict", "deque"}
"""A cache of its own that a module means to fill is a ``MutableMapping``."""


def names(*expressions: ast.AST | None) -> set[str]:
    """The last parts of the names in expressions."""
    every = (one for node in expressions if node for one in ast.walk(node))
    return {getattr(one, "id", getattr(one, "attr", "")) for one in every}


def cached() -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions whose results are kept, and where each is."""
    for folder in ("checks", "grader"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(text)) if "cache" in text else ():
                if isinstance(node, ast.FunctionDef) and CACHES & names(*node.decorator_list):
                    yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", node


@pytest.mark.any_python
def test_what_is_cached_has_a_type_that_forbids_changes() -> None:
    found = dict(cached())
    assert len(found) > 100
    assert not [place for place, node in found.items() if names(node.returns) & MUTABLE]
