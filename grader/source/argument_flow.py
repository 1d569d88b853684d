"""What a helper of a class is given, under another name, and what one makes for an attribute."""

from __future__ import annotations

import ast

from grader.source.ast_cache import of_kind
from grader.source.bindings import assigned, callee, functions, only


def argument_line(tree: ast.Module, name: str, line: int) -> int:
    """``line``; or that of the one call which gives its helper another variable for ``name``.

    That is so where the helper itself keeps the right argument: ``self.n_embd = embd``.
    """
    for method in of_kind(tree, ast.FunctionDef):
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
    calls = [one for one in of_kind(tree, ast.Call) if ast.unparse(one.func) == f"self.{method}"]
    if len(calls) != 1 or at >= len(calls[0].args):
        return None
    given = calls[0].args[at]
    return given.lineno if isinstance(given, ast.Name) and given.id != name else None


def constructor_line(tree: ast.Module, line: int) -> int:
    """``line``; or that of the one object which a function of the file makes that it calls.

    A lambda and a partial with a name are functions as well.
    """
    calls = [one.value for one in assigned(tree, line) if isinstance(one.value, ast.Call)]
    if len(calls) != 1:
        return line
    text = ast.unparse(calls[0].func)
    helper = functions(tree).get(callee(calls[0]))
    inner: ast.AST | None = helper
    match [one.value for one in of_kind(tree, ast.Assign) if text in map(ast.unparse, one.targets)]:
        case [ast.Lambda(body=body)]:
            inner = body
        case [ast.Call(args=[ast.Name(id=kind) | ast.Attribute(attr=kind), *_]) as preset]:
            if callee(preset) == "partial" and kind[:1].isupper():
                return preset.lineno
    every = of_kind(inner, ast.Call) if inner is not None else ()
    return only([one.lineno for one in every if callee(one)[:1].isupper()], line)


def giver(tree: ast.Module, line: int) -> int:
    """``line``; or :func:`constructor_line`, where no argument is given on the line."""
    calls = [one.value for one in assigned(tree, line) if isinstance(one.value, ast.Call)]
    bare = len(calls) == 1 and not calls[0].args and not calls[0].keywords
    return constructor_line(tree, line) if bare else line


def preset(tree: ast.Module, name: str) -> int | None:
    """The line on which the one partial that sets an argument of this name sets it."""
    calls = of_kind(tree, ast.Call)
    words = [one for call in calls if callee(call) == "partial" for one in call.keywords]
    lines = [one.value.lineno for one in words if one.arg == name]
    return only(lines, None)


def part_of(tree: ast.Module, name: str, line: int) -> int:
    """``line``; or where a helper makes the part of what it gives that becomes an attribute.

    ``self.weight, self.bias = make(dim)``; also of ``self.bias = made.bias``, what a helper made.
    What the helper is given must be plain variables: what is worked out there may be wrong.
    """
    found = (_part(tree, one, name) for one in assigned(tree, line))
    return next((one for one in found if one is not None), line)


def _part(tree: ast.Module, kept: ast.Assign, name: str) -> int | None:
    """Where the part is made that an assignment keeps as an attribute."""
    call: ast.expr = kept.value
    at: int | str
    match kept:
        case ast.Assign(targets=[ast.Tuple(elts=parts)]):
            named = [one.attr if isinstance(one, ast.Attribute) else "" for one in parts]
            if name not in named:
                return None
            at = named.index(name)
        case ast.Assign(value=ast.Attribute(value=ast.Name(id=whole), attr=at)):
            sets = of_kind(tree, ast.Assign)
            made = [one.value for one in sets if ast.unparse(one.targets[0]) == whole]
            if len(made) != 1:
                return None
            call = made[0]
        case _:
            return None
    own = of_kind(tree, ast.FunctionDef)
    if not isinstance(call, ast.Call) or not all(isinstance(one, ast.Name) for one in call.args):
        return None
    helpers = [one for one in own if one.name == callee(call)]
    returns = [one for each in helpers for one in of_kind(each, ast.Return)]
    if len(helpers) != 1 or len(returns) != 1 or call.keywords:
        return None
    part = _taken(tree, returns[0].value, at)
    return None if part is None else _where(helpers[0], part)


def _taken(tree: ast.Module, value: ast.expr | None, at: int | str) -> ast.expr | None:
    """The part of what is returned that has this place or this name."""
    match value:
        case ast.Tuple(elts=parts) if isinstance(at, int):
            return parts[at] if at < len(parts) else None
        case ast.Call(func=ast.Name(id=kind), args=given, keywords=words):
            fields = _fields(tree, kind)
            key = fields[at] if isinstance(at, int) and at < len(fields) else at
            by_name = [one.value for one in words if one.arg == key]
            index = fields.index(key) if isinstance(key, str) and key in fields else len(given)
            return by_name[0] if by_name else given[index] if index < len(given) else None
    return None


def _fields(tree: ast.Module, name: str) -> list[str]:
    """The fields of a class of the file, in order."""
    for one in tree.body:
        if isinstance(one, ast.ClassDef) and one.name == name:
            return [ast.unparse(n.target) for n in one.body if isinstance(n, ast.AnnAssign)]
    return []


def _where(helper: ast.FunctionDef, part: ast.expr) -> int:
    """The line of an expression; of a variable that is given a value once, of that."""
    sets = of_kind(helper, ast.Assign)
    found = [one for one in sets if ast.unparse(part) in map(ast.unparse, one.targets)]
    return found[0].lineno if len(found) == 1 and isinstance(part, ast.Name) else part.lineno
