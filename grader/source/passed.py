"""What a helper of a class is given, under another name, and what one makes for an attribute."""

from __future__ import annotations

import ast

from grader.source.walked import walked


def passed(tree: ast.Module, name: str, line: int) -> int:
    """``line``; or that of the one call which gives its helper another variable for ``name``.

    That is so where the helper itself keeps the right argument: ``self.n_embd = embd``.
    """
    for method in (one for one in walked(tree) if isinstance(one, ast.FunctionDef)):
        params = [one.arg for one in method.args.args if one.arg != "self"]
        for kept in method.body:
            match kept:
                case ast.Assign(
                    targets=[ast.Attribute(attr=attr)], value=ast.Name(id=param), lineno=at
                ) if (attr, at) == (name, line) and param in params and _is_short(param, name):
                    return _given(tree, method.name, params.index(param), name) or line
    return line


def _is_short(param: str, name: str) -> bool:
    """Whether an argument is called as an attribute is, or as the end or the beginning of it."""
    return name == param or name.endswith(f"_{param}") or name.startswith(f"{param}_")


def _given(tree: ast.Module, method: str, at: int, name: str) -> int | None:
    """The line of the variable that the only call of a method gives it there, if not ``name``."""
    calls = [
        one
        for one in walked(tree)
        if isinstance(one, ast.Call) and ast.unparse(one.func) == f"self.{method}"
    ]
    if len(calls) != 1 or at >= len(calls[0].args):
        return None
    given = calls[0].args[at]
    return given.lineno if isinstance(given, ast.Name) and given.id != name else None


def maker(tree: ast.Module, line: int) -> int:
    """``line``; or that of the one object which a function of the file makes that it calls."""
    own = {one.name: one for one in walked(tree) if isinstance(one, ast.FunctionDef)}
    kept = [one for one in walked(tree) if isinstance(one, ast.Assign) and one.lineno == line]
    calls = [one.value for one in kept if isinstance(one.value, ast.Call)]
    helper = own.get(_called(calls[0])) if len(calls) == 1 else None
    inner = ast.walk(helper) if helper is not None else ()
    made = [one for one in inner if isinstance(one, ast.Call) and _called(one)[:1].isupper()]
    return made[0].lineno if len(made) == 1 else line


def _called(call: ast.Call) -> str:
    """The last name of what is called."""
    return ast.unparse(call.func).rpartition(".")[2]
