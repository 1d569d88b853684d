"""Ways to write a program otherwise that no pattern can say: see :mod:`tests.graded.rewrites`."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Sequence

Pick = Callable[[], bool]
"""Whether to change this place."""


def insert(tree: ast.Module, some: Sequence[ast.stmt]) -> None:
    """Put statements in front of the first definition."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    at = next(index for index, one in enumerate(tree.body) if isinstance(one, kinds))
    tree.body[at:at] = some


def _classes(tree: ast.Module) -> list[ast.ClassDef]:
    """The classes that are Modules, or inherit from one."""
    return [one for one in tree.body if isinstance(one, ast.ClassDef) and not one.decorator_list]


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef))


def _simple(function: ast.FunctionDef) -> bool:
    """Whether the body may move: it yields nothing, and asks for no base class."""
    names = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)}
    return "super" not in names and not any(isinstance(n, ast.Yield) for n in ast.walk(function))


def _passed(args: ast.arguments) -> str:
    """The arguments of a function, as it would pass them on."""
    on = [one.arg for one in args.args] + [f"{one.arg}={one.arg}" for one in args.kwonlyargs]
    return ", ".join(on)


def _bare(args: ast.arguments) -> ast.arguments:
    """Arguments without defaults: each is passed."""
    nothing: list[ast.expr | None] = [None] * len(args.kwonlyargs)
    return ast.arguments([], args.args, None, args.kwonlyargs, nothing, None, [])


def _delegated(function: ast.FunctionDef, name: str) -> ast.FunctionDef:
    """A copy of ``function`` under another name, which the function now calls."""
    moved = copy.deepcopy(function)
    moved.name, moved.args, moved.decorator_list = name, _bare(moved.args), []
    function.body = ast.parse(f"def _():\n    return {name}({_passed(function.args)})").body[0].body  # type: ignore[attr-defined]
    return moved


def other_names(tree: ast.Module, pick: Pick) -> None:
    """Local names in another language."""
    for function in _functions(tree):
        stores = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
        given = {one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}
        local = {one.id for one in stores if isinstance(one.ctx, ast.Store)} - given
        for one in stores if pick() else ():
            if one.id in local:
                one.id = f"ß_{one.id}"


def helpers_out(tree: ast.Module, pick: Pick) -> None:
    """Functions of the module for what methods do."""
    for cls in _classes(tree):
        for one in cls.body:
            if isinstance(one, ast.FunctionDef) and _simple(one) and pick():
                insert(tree, [_delegated(one, f"{cls.name}_{one.name.strip('_')}")])


def helpers_in(tree: ast.Module, pick: Pick) -> None:
    """A function inside of each function."""
    for one in [one for one in _functions(tree) if _simple(one)]:
        if pick():
            inner = _delegated(one, "inner")
            one.body.insert(0, inner)


def base_classes(tree: ast.Module, pick: Pick) -> None:
    """Methods that are inherited from a class of the file."""
    for cls in _classes(tree):
        if pick():
            base = copy.deepcopy(cls)
            base.name = f"{cls.name}Base"
            tree.body.insert(tree.body.index(cls), base)
            cls.bases, cls.body = [ast.Name(base.name, ast.Load())], [ast.Pass()]


def objects_for_functions(tree: ast.Module, pick: Pick) -> None:
    """Classes with one method, and the functions call their objects."""
    for one in [one for one in tree.body if isinstance(one, ast.FunctionDef) and _simple(one)]:
        if pick():
            moved = _delegated(one, f"Class_{one.name}()")
            moved.name = "__call__"
            moved.args.args.insert(0, ast.arg("self"))
            insert(tree, [ast.ClassDef(f"Class_{one.name}", [], [], [moved], [])])


def forward(tree: ast.Module, pick: Pick) -> None:
    """``forward`` for ``__call__``."""
    for cls in _classes(tree):
        for one in cls.body:
            if isinstance(one, ast.FunctionDef) and one.name == "__call__" and pick():
                one.name = "forward"


def no_words(tree: ast.Module, pick: Pick) -> None:
    """No docstring, and no annotation but those of a dataclass's fields."""
    for one in ast.walk(tree):
        for field in ("annotation", "returns"):
            if not isinstance(one, ast.AnnAssign) and getattr(one, field, None) is not None:
                setattr(one, field, None)
        kinds = (ast.FunctionDef, ast.ClassDef, ast.Module)
        if isinstance(one, kinds) and ast.get_docstring(one) and len(one.body) > 1 and pick():
            one.body = one.body[1:]


def constants(tree: ast.Module, pick: Pick) -> None:
    """Whole numbers with a name of the module."""
    used: set[int] = set()
    for function in _functions(tree):
        for one in [n for part in function.body for n in ast.walk(part)]:
            if isinstance(one, ast.Constant) and type(one.value) is int and pick():
                used.add(one.value)
                one.__class__ = ast.Name  # type: ignore[assignment]
                one.__dict__.update(id=f"NUMBER_{one.value}", ctx=ast.Load())
    insert(tree, [ast.parse(f"NUMBER_{value} = {value}").body[0] for value in sorted(used)])


def keywords(tree: ast.Module, pick: Pick) -> None:
    """Arguments by name, in calls of what the file defines."""
    known = {one.name: [arg.arg for arg in one.args.args] for one in _functions(tree)}
    for one in ast.walk(tree):
        if isinstance(one, ast.Call) and not any(isinstance(a, ast.Starred) for a in one.args):
            method = isinstance(one.func, ast.Attribute)
            name = one.func.attr if isinstance(one.func, ast.Attribute) else ast.unparse(one.func)
            names = known.get(name, [])[1 if method else 0 :]
            if names and len(one.args) <= len(names) and pick():
                named = zip(names, one.args, strict=False)
                one.keywords = [*(ast.keyword(*two) for two in named), *one.keywords]
                one.args = []


def step_by_step(tree: ast.Module, pick: Pick) -> None:
    """A name for each operand and object that is calculated itself."""
    for block in [n.body for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.For)]:
        for one in [one for one in block if isinstance(one, ast.Assign | ast.Return)]:
            value = one.value
            kinds = (ast.BinOp, ast.Attribute, ast.Subscript, ast.Compare)
            for field, part in list(ast.iter_fields(value)) if isinstance(value, kinds) else ():
                if isinstance(part, ast.BinOp | ast.Call) and pick():
                    name = f"{field}_{len(block)}"
                    block.insert(block.index(one), ast.Assign([ast.Name(name, ast.Store())], part))
                    setattr(value, field, ast.Name(name, ast.Load()))


def direct_names(tree: ast.Module, pick: Pick) -> None:
    """Functions of MAX by their own names."""
    used: set[str] = set()
    for one in ast.walk(tree):
        if isinstance(one, ast.Attribute) and ast.unparse(one.value) == "F" and pick():
            used.add(one.attr)
            one.__class__, one.__dict__["id"] = ast.Name, f"max_{one.attr}"  # type: ignore[assignment]
    text = "from max.experimental.functional import {0} as max_{0}"
    insert(tree, [ast.parse(text.format(name)).body[0] for name in sorted(used)])


ALL: dict[str, Callable[[ast.Module, Pick], None]] = {
    one.__name__.replace("_", " "): one
    for one in (
        other_names,
        helpers_out,
        helpers_in,
        base_classes,
        objects_for_functions,
        forward,
        no_words,
        constants,
        keywords,
        step_by_step,
        direct_names,
    )
}
"""By name."""
