"""Fields that have another name than the solution's, are no fields, or are read for another."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.base.model import Trace
from grader.grading.reading.bindings import callee, functions, statement_at
from grader.grading.reading.shown import Slip
from grader.source.walked import of_kind


def of_layer(tree: ast.Module, right: ast.Module, trace: Trace | None) -> Iterator[Slip]:
    """A layer in whose call the values leave the path, and that is made with another field.

    The solution makes its layer of that name with one field that this one is not made with.
    """
    line = trace.line if trace is not None and not trace.slip else None
    lines = statement_at(tree, line) if line is not None else range(0)
    called = {callee(one) for one in of_kind(tree, ast.Call) if one.lineno in lines}
    wanted = dict(_layers(right))
    for name, made in _layers(tree):
        other = wanted.get(name)
        if name not in called or other is None or callee(other) != callee(made):
            continue
        mine, theirs = _read(made), _read(other)
        wrong, lacks = mine.keys() - theirs.keys(), theirs.keys() - mine.keys()
        if len(wrong) == len(lacks) == 1:
            (old,), (new,) = wrong, lacks
            if [new if one == old else one for one in mine] != list(theirs):
                continue  # something else differs too
            text = ast.unparse(mine[old])
            write = f"{text.removesuffix(old)}{new}"
            said = f"Line {made.lineno} makes {name} with {text}; the reference has {new} there."
            yield Slip(mine[old].lineno, said, f"{write} in place of {text}")


def _layers(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """What is called to make an attribute of ``self``, perhaps in a helper, by the name of that."""
    for one in of_kind(tree, ast.Assign):
        match one:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)],
                value=ast.Call() as made,
            ):
                helper = functions(tree).get(callee(made))
                ends = [] if helper is None else of_kind(helper, ast.Return)
                inner = ends[0].value if len(ends) == 1 else None
                yield name, inner if isinstance(inner, ast.Call) else made


def _read(call: ast.Call) -> dict[str, ast.Attribute]:
    """The fields that a call is given as they are: by the name of the field."""
    given = (*call.args, *(one.value for one in call.keywords))
    return {one.attr: one for one in given if isinstance(one, ast.Attribute)}
