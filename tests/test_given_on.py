"""What runs is told where it is given: a list of functions, a default, a partial, a counter."""

from __future__ import annotations

import ast

from grader.explain.trace.unannotated import unannotated
from grader.source import origins


def test_an_assignment_with_an_annotation_keeps_its_number() -> None:
    text = "def f(x):\n    y: int = x + 1\n    z: int | None = None\n    return y\n"
    tree = ast.parse(text)
    before = [type(one) for one in ast.walk(ast.parse(text))]
    after = [type(one) for one in unannotated(tree)]
    assert [one for one, other in zip(before, after, strict=True) if one is not other] == [
        ast.AnnAssign
    ]
    assert "y = x + 1" in ast.unparse(tree)


def test_of_an_attribute_that_is_read_twice_either_read_can_be_a_place() -> None:
    tree = ast.parse(
        "def f(self, x):\n    x = self.norm(x)\n    return self.norm(x) + self.lin(x)\n"
    )
    assert [origins.place(tree, f"read: norm {n}") for n in (1, 2)] == [2, 3]
    assert origins.place(tree, "read: lin 1") is None
