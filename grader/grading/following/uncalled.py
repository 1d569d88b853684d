"""What an error comes from that is not called, or too early: a layer, a function, a class."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grader.grading.following.slips import is_read
from grader.grading.reading.bindings import around, bound, callee, functions, statement_at, targets
from grader.grading.reading.program import parameters, taken
from grader.grading.reading.shown import Slip
from grader.protocol.probe import SeenCall, SeenError, SeenValue
from grader.source.variables import stored
from grader.source.walked import of_kind, walked


def uncalled(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The line that keeps a layer, or hands one over, where the result of calling it belongs.

    Only if the error as it is ``told`` says that a layer is where a tensor belongs.
    """
    if not error.calls or ", a layer" not in told:
        return None
    if (kept := _kept(tree, error, told)) is not None or len(error.calls) < 2:
        return kept
    outer, call = error.calls[-2:]
    inside = around(tree, call.line)
    params = [arg.arg for arg in inside.args.args if arg.arg != "self"] if inside else []
    for name in params:
        value = call.values.get(name)
        if value is None or not is_read(name, call.code) or not _is_layer(value, error):
            continue
        for handed in _arguments(outer.code, params.index(name)):
            said = f"Line {outer.line} hands over {handed}, a layer, where a tensor belongs."
            return Slip(outer.line, f"{said} Call it there: {handed}(...).")
    return None


def kept_method(tree: ast.Module, error: SeenError) -> Slip | None:
    """The one place that takes a method for what it gives, if an error shows that.

    Or of several the method itself: it is to be a property.
    """
    found = BOUND.search(error.message)
    if found is None or not error.calls:
        return None
    called = {one.func for one in of_kind(tree, ast.Call)}
    reads = [one for one in of_kind(tree, ast.Attribute) if one.attr == found[2]]
    idle = [one for one in reads if one not in called]
    objects = {name for name, one in error.calls[-1].values.items() if one.kind == found[1]}
    idle = [one for one in idle if ast.unparse(one.value) in objects] or idle
    method = functions(tree).get(found[2])
    if len(idle) > 1 and method is not None:
        said = (
            f"{found[2]} of {found[1]} is a method, and nothing calls it: is it to be a property?"
        )
        return Slip(method.lineno, said, f"@property above def {found[2]}")
    if len(idle) != 1:
        return None
    text, line = ast.unparse(idle[0]), idle[0].lineno
    said = f"{text} on line {line} is the method of {found[1]} itself, which is not called."
    return Slip(line, said, f"{text}() in place of {text}")


def curried(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """``lambda x: lambda y: x + y``, which gives the function that an error says is not called."""
    found = NOT_CALLED.match(told)
    value = error.calls[-1].values.get(found[1]) if found is not None and error.calls else None
    if value is None or not value.text.endswith("<lambda>.<locals>.<lambda>"):
        return None
    pairs = [(n, n.body) for n in of_kind(tree, ast.Lambda) if isinstance(n.body, ast.Lambda)]
    pairs = [two for two in pairs if tuple(arg.arg for arg in two[1].args.args) == value.signature]
    if len(pairs) != 1:
        return None
    ((one, inner),) = pairs
    both = [" and ".join(arg.arg for arg in each.args.args) for each in (one, inner)]
    said = f"The lambda on line {one.lineno} takes {both[0]}, and gives another, which takes"
    return Slip(one.lineno, f"{said} {both[1]}: nothing calls that one. Leave one of them out.")


def called_early(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The line that calls what a helper is to call, if an error is ``told`` to come of that."""
    if "was called like a function" not in told or not error.calls:
        return None
    if (chosen := _chosen(tree, error.calls[-1], told)) is not None or len(error.calls) < 2:
        return chosen
    outer, call = error.calls[-2:]
    inside = around(tree, call.line)
    if inside is None:
        return None
    params = [arg.arg for arg in inside.args.args if arg.arg != "self"]
    name = next((one for one in params if told.startswith(f"{one} is ")), "")
    for node in walked(tree) if name else ():
        if not isinstance(node, ast.Call) or callee(node) != inside.name:
            continue
        at = params.index(name)
        given = node.args[at] if at < len(node.args) else None
        if isinstance(given, ast.Call) and given.lineno in statement_at(tree, outer.line):
            text, line = ast.unparse(given.func), given.lineno
            said = f"Line {line} calls {text} and hands over what it gives: {inside.name} is to"
            return Slip(line, f"{said} call it. Hand over {text} itself.")
    return None


def _chosen(tree: ast.Module, call: SeenCall, told: str) -> Slip | None:
    """The line that calls a function of the file, or one of two, where a later one calls it."""
    name = next((one for one in call.values if told.startswith(f"{one} is ")), "")
    calls = of_kind(tree, ast.Call)
    here = [one for one in calls if one.lineno in statement_at(tree, call.line)]
    users = [one for one in here if ast.unparse(one.func) == name]
    sets = list(_sets(tree, name, call.line)) if len(users) == 1 else []
    given = [each for one in sets for each in _either(getattr(one, "value", None))]
    funcs = [one.func for one in given if isinstance(one, ast.Call)]
    if not given or not all(_is_meant(tree, one, users[0]) for one in given):
        return None
    text, of = " or ".join(map(ast.unparse, funcs)), "them" if funcs[1:] else "it"
    lines = [one.lineno for one in sets]
    where = f"Lines {' and '.join(map(str, lines))} call {text} and keep"
    where = where if lines[1:] else f"Line {lines[0]} calls {text} and keeps"
    said = f"{where} what it gives, and line {call.line} calls that. Without the parentheses"
    said = f"{said} behind {of}, {name} is the function itself."
    value = getattr(sets[0], "value", None)
    whole = ast.IfExp(value.test, *funcs) if isinstance(value, ast.IfExp) else funcs[0]
    return Slip(lines[0], said, "" if lines[1:] else f"{name} = {ast.unparse(whole)}")


def _sets(tree: ast.Module, name: str, line: int) -> Iterator[ast.stmt]:
    """The statements above a line of its function that give a variable a value, from the first."""
    made = bound(tree, name, line)
    if made is not None:
        yield from () if "." in name else _sets(tree, name, made.lineno)
        yield made


def _either(value: ast.expr | None) -> list[ast.expr]:
    """What a statement keeps: of a choice, both."""
    if isinstance(value, ast.IfExp):
        return [value.body, value.orelse]
    return [] if value is None else [value]


def _is_meant(tree: ast.Module, node: ast.expr, user: ast.Call) -> bool:
    """Whether an expression calls a function of the file with nothing, which fits another call."""
    helper = functions(tree).get(callee(node))
    if not isinstance(node, ast.Call) or node.args or node.keywords or helper is None:
        return False
    takes = taken(helper)
    words = [one.arg for one in user.keywords]
    return len(user.args) + len(words) <= len(takes) and all(one in takes for one in words)


def unmade(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The line that gives a class a name for which the error, as ``told``, needs an object."""
    call = error.calls[-1] if error.calls else None
    if call is None or " is a class, and " not in told:
        return None
    for name in call.values:
        match bound(tree, name, call.line):
            case ast.Assign(value=ast.Name(id=old), lineno=line) if told.startswith(f"{name} is "):
                said = f"Line {line} gives {name} the class {old} itself: an object is {old}(...)."
                return Slip(line, said)
    return None


BOUND = re.compile(r"<bound method (\w+)\.(\w+) of ")
"""How Python shows a method of an object."""

NOT_CALLED = re.compile(r"(\w+) is a function that was not called")
"""How an error begins on a function in place of what it gives."""

LACKS = re.compile(r"^(\w+) needs \w+(?:, \w+)* as well")
"""How an error begins about a call of a function that lacks arguments."""


def called_at_once(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The call among the arguments of another, where others are functions that ``partial`` makes.

    It lacks what it is to be given later.
    """
    found, line = LACKS.search(told), error.line or 0
    for node in walked(tree) if found is not None else ():
        if not isinstance(node, ast.Call) or callee(node) == "partial":
            continue
        early = [one for one in node.args if callee(one) == (found[1] if found else "")]
        early = [one for one in early if line in range(one.lineno, (one.end_lineno or 0) + 1)]
        later = [one for one in node.args if callee(one) == "partial"]
        match early:
            case [ast.Call(func=ast.Name() as func, keywords=[]) as call] if later:
                own = ast.unparse(getattr(later[0], "func", later[0]))
                write = ast.unparse(ast.Call(ast.Name(own), [func, *call.args], []))
                said = f"Line {line} calls {func.id} at once, as an argument of {callee(node)}:"
                said = f"{said} {own} makes a function that is called later."
                return Slip(call.lineno, said, write)
    return None


def _kept(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The line that gives a layer another name, which the line with the error reads."""
    call = error.calls[-1]
    for name in call.values:
        statement = bound(tree, name, call.line)
        match statement:
            case ast.Assign(value=ast.Attribute() as layer, lineno=line):
                text, kept = ast.unparse(layer), name
            case ast.Assign(value=ast.Call() as given):
                helper = functions(tree).get(callee(given))
                found = None if helper is None else _returned(tree, helper)
                if found is None:
                    continue
                line, text, kept = found
            case _:
                continue
        if is_read(name, call.code) and told.startswith(f"{name} is "):
            same = "it returns" if text == kept else f"{kept} is"
            return Slip(line, f"Line {line} does not call {text}: {same} the layer itself.")
    return None


def _returned(tree: ast.Module, helper: ast.FunctionDef) -> tuple[int, str, str] | None:
    """The line of a helper that returns what it was given, or keeps it to return it.

    With it the name of what is not called, and that of what is returned.
    """
    loops = (one for one in ast.walk(helper) if isinstance(one, ast.For))
    given = {*parameters(helper), *(name for one in loops for name in stored(one.target))}
    ends = [one for one in ast.walk(helper) if isinstance(one, ast.Return)]
    if len(ends) != 1 or not isinstance(ends[0].value, ast.Name):
        return None
    name, line = ends[0].value.id, ends[0].lineno
    match bound(tree, name, line):
        case None if name in given:
            return line, name, name
        case ast.Assign(value=ast.Name(id=other), lineno=line) if other in given:
            return line, other, name
    return None


def _arguments(code: str, at: int) -> Iterator[str]:
    """What calls in a piece of code are given at a place, where that is a name."""
    try:
        nodes = list(ast.walk(ast.parse(code, mode="eval")))
    except SyntaxError:
        return
    for node in nodes:
        given = node.args[at] if isinstance(node, ast.Call) and at < len(node.args) else None
        if isinstance(given, ast.Name | ast.Attribute):
            yield ast.unparse(given)


def _is_layer(value: SeenValue, error: SeenError) -> bool:
    """Whether a value is a layer: it has weights, or layers of its own."""
    about = error.about
    layer = about is not None and "load_state_dict" in about.names and about.kind == value.kind
    return layer or "weight" in value.fields


def class_called(tree: ast.Module, error: SeenError) -> Slip | None:
    """A class that is given a tensor where ``self.x``, an object of it, is to be called."""
    call = error.calls[-1] if error.calls else None
    if call is None or call.function == "__init__" or not call.code:
        return None
    tensors = {name for name, value in call.values.items() if value.kind == "Tensor"}
    for node in walked(tree):
        if not isinstance(node, ast.Call) or node.lineno not in statement_at(tree, call.line):
            continue
        given = {one.id for one in node.args if isinstance(one, ast.Name)}
        owners = _objects(tree, callee(node)) if given & tensors else []
        if owners and isinstance(node.func, ast.Name):
            idle = [one for one in owners if not _reads(tree, one)]
            owners = idle if len(idle) == 1 else owners  # the others have their calls
            text = " or ".join(owners)
            said = f"Line {node.lineno} makes a new {callee(node)}: the one to call is {text}."
            args = ", ".join(map(ast.unparse, node.args))
            return Slip(node.lineno, said, f"{owners[0]}({args})" if len(owners) == 1 else "")
    return None


def _reads(tree: ast.Module, attribute: str) -> bool:
    """Whether the file reads an attribute of ``self`` anywhere."""
    every = of_kind(tree, ast.Attribute)
    return any(isinstance(one.ctx, ast.Load) and ast.unparse(one) == attribute for one in every)


def _objects(tree: ast.Module, name: str) -> list[str]:
    """The attributes of ``self`` that hold an object of a class."""
    kept = of_kind(tree, ast.Assign)
    found = [one for one in kept if isinstance(one.value, ast.Call) and callee(one.value) == name]
    own = (text for one in found for text in targets(one) if text.startswith("self."))
    return list(dict.fromkeys(own)) if name[:1].isupper() else []
