"""Changes to syntax trees, which several parts of the grader share."""

from __future__ import annotations

import ast
import copy
from typing import TypeVar

Node = TypeVar("Node", bound=ast.AST)


class Rewriter(ast.NodeTransformer):  # noqa: TID251
    """A transformer that returns a new tree: the old one, which others hold too, stays the same."""

    def generic_visit(self, node: Node) -> Node:
        """A copy of the node, with what ``visit`` returns for each node below it."""
        new = copy.copy(node)
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                each = [self.visit(one) if isinstance(one, ast.AST) else one for one in value]
                setattr(new, name, each)
            elif isinstance(value, ast.AST):
                setattr(new, name, self.visit(value))
        return new
