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


def no_field(tree: ast.Module, right: ast.Module, name: str) -> Slip | None:
    """What a dataclass keeps by this name that is no argument of its ``__init__``, and why.

    That is what has no type, or one that says so. ``right`` is the solution, which has the type.
    """
    kinds = {
        name: ast.unparse(field.annotation)
        for one in right.body
        if isinstance(one, ast.ClassDef)
        for name, field in _fields(one).items()
    }
    classes = [one for one in tree.body if isinstance(one, ast.ClassDef) and _is_made(tree, one)]
    for node in (node for one in classes for node in one.body):
        match node:
            case ast.Assign(targets=[ast.Name(id=one)], value=value) if one == name:
                why = f"Line {node.lineno} gives {name} no type, so it is no field"
            case ast.AnnAssign(target=ast.Name(id=one), annotation=kind, value=value) if (
                one == name and "ClassVar" in ast.unparse(kind)
            ):
                why = f"ClassVar makes {name} a variable of the class itself, and no field"
            case _:
                continue
        given = f" = {ast.unparse(value)}" if value is not None else ""
        write = f"{name}: {kinds[name]}{given}" if name in kinds else ""
        return Slip(node.lineno, f"{why}.", write)
    return None


def _is_made(tree: ast.Module, owner: ast.ClassDef) -> bool:
    """Whether a class is decorated with ``@dataclass``, with options, without, or as a variable."""
    marks = [ast.unparse(one) for one in owner.decorator_list]
    kept = {
        ast.unparse(one.targets[0]): ast.unparse(one.value)
        for one in tree.body
        if isinstance(one, ast.Assign)
    }
    return any("dataclass" in one or "dataclass" in kept.get(one, "") for one in marks)


def _fields(owner: ast.ClassDef) -> dict[str, ast.AnnAssign]:
    """The fields of a class with their statements, in their order."""
    return {
        one.target.id: one
        for one in owner.body
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
    }
