"""Slips that the source itself shows, once a program has failed: true of it whatever else is."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence

from grader.grading.following import branches
from grader.grading.reading.bindings import (
    CHANGES,
    around,
    bound,
    callee,
    functions,
    is_none,
    none_by_default,
    statement_at,
    targets,
)
from grader.grading.reading.ends import without_return
from grader.grading.reading.program import parameters
from grader.grading.reading.shown import Slip, name_of
from grader.protocol.probe import SeenCall, SeenError
from grader.source.annotations import allows_none
from grader.source.walked import of_kind, walked

Function = ast.FunctionDef


ODD = {
    "NoneType": "None",
    "bool": "{text}",
    "builtin_function_or_method": "a function",
    "function": "a function",
    "list": "a list",
    "method": "a function",
    "tuple": "a tuple of {text}",
    "type": "a class",
}
"""Kinds of values that no computation is made with, and what to call them."""
MAY_BE = {"NoneType": "None", "list": "list", "tuple": "tuple"}
"""Those of them that are often right, and their word."""
FUNCTIONS = ("builtin_function_or_method", "function", "method")


PAIRS = {
    "items": "pairs of key and value",
    "enumerate": "pairs of number and entry",
    "zip": "tuples",
}
"""What loops get several values at once from."""


Ran = Callable[[ast.stmt], bool] | None
"""Whether a statement is known to have run."""


def misfit(
    tree: ast.Module, error: SeenError, told: str | None = None, ran: Ran = None
) -> Slip | None:
    """Where a name got what an error shows to be of an odd kind: None, a tuple, a function.

    A None or a tuple may be right: it must be what the error is about, as it is ``told``, if so.
    """
    if found := _late(tree, error) or _silent(tree, error, ran) or _whole(tree, error):
        return found
    for depth in range(len(error.calls) - 1, -1, -1):
        call = error.calls[depth]
        odd = [one for one in call.values if call.values[one].kind in ODD]
        names = [one for one in odd if is_read(one, _code(call)) and not _is_called(call, one)]
        for name in names if depth == len(error.calls) - 1 else ():
            value = call.values[name]
            if told is not None and not _is_about(told, name, value.kind):
                continue
            if value.kind == "NoneType" and (none := _unasked(tree, name, error.calls)):
                return none
            found_at = origin(tree, name, error.calls[: depth + 1], value.kind, ran)
            if found_at is None or (found_at[0] == call.line and not found_at[1]):
                continue
            line, where = found_at
            if value.kind == "list" and not where:  # most lists are meant, too
                continue
            if not where and value.kind in FUNCTIONS:
                where = ", where the parentheses of a call are missing"
            what = ODD[value.kind].format(text=value.text)
            said = _where_from(tree, name, what, found_at, call.line)
            return Slip(line, said)
    return None


def _is_called(call: SeenCall, name: str) -> bool:
    """Whether a line calls a name, which is a function: so it is to be."""
    called = re.search(rf"(?<![\w.]){re.escape(name)}\(", _code(call)) is not None
    return called and call.values[name].kind in FUNCTIONS


def _where_from(tree: ast.Module, name: str, what: str, found: tuple[int, str], used: int) -> str:
    """That a name is something odd on the line that ``used`` it, and which line that is from.

    That line may be in another function, and know nothing of the name.
    """
    line, where = found
    lines = statement_at(tree, line)
    names = (one for one in walked(tree) if isinstance(one, ast.Name | ast.Attribute))
    here = any(one.lineno in lines and ast.unparse(one) == name for one in names)
    if here or around(tree, line) is around(tree, used):
        return f"{name} is {what} here: it comes from line {line}{where}."
    return f"Line {line} gives {what}{where}: it is {name} on line {used}."


def _unasked(tree: ast.Module, name: str, calls: Sequence[SeenCall]) -> Slip | None:
    """The line that does not ask for None as another does, or that hands it over."""
    asks = branches.unasked(tree, name, calls[-1].line)
    return Slip(*asks) if asks else None


def _silent(tree: ast.Module, error: SeenError, ran: Ran) -> Slip | None:
    """The end of the helper that gave the None which an error is raised at, for want of a return.

    Whatever else is odd about the call that hands it over.
    """
    call = error.calls[-1] if error.calls else None
    for name in call.values if call is not None else ():
        if call is None or call.values[name].kind != "NoneType" or not is_read(name, _code(call)):
            continue
        line, where = origin(tree, name, error.calls, "NoneType", ran) or (0, "")
        if where.endswith("without a return"):
            said = f"{name} is None here: it comes from line {line}{where}."
            return Slip(line, said)
    return None


def _whole(tree: ast.Module, error: SeenError) -> Slip | None:
    """The call that gives a function an object for its attribute of the parameter's name."""
    inside = around(tree, error.line or 0)
    if error.type_name != "AttributeError" or len(error.calls) < 2 or inside is None:
        return None
    *_, outer, call = error.calls
    for name, value in call.values.items():
        given = _given(tree, name, inside, outer.line) if name in value.fields else None
        if given is None or bound(tree, name, call.line) is not None:
            continue
        node, whole = given
        text = ast.unparse(whole)
        said = f"Line {node.lineno} gives {name} the whole {value.kind}: {text} has {name}."
        return Slip(node.lineno, said, f"{text}.{name}")
    return None


def _is_about(told: str, name: str, kind: str) -> bool:
    """Whether an error is about a variable of that kind."""
    words = re.findall(r"[\w.]+", told)
    return kind not in MAY_BE or name in words or MAY_BE[kind] in words


def is_read(name: str, code: str) -> bool:
    """Whether a name occurs in a piece of code, and not as what it gives a value."""
    return re.search(rf"(?<![\w.]){re.escape(name)}\b(?!\s*=[^=])", code) is not None


def _code(call: SeenCall) -> str:
    """The code that raised an error; where that is only the names of parts, what has the parts."""
    taken = (f"{call.code} = ", f"({call.code}) = ", f"for {call.code} in ")
    start = next((one for one in taken if call.statement.startswith(one)), None)
    return call.code if start is None else call.statement.removeprefix(start)


def _late(tree: ast.Module, error: SeenError) -> Slip | None:
    """The line that gives a variable its value after it is used."""
    found = re.search(r"local variable '(\w+)'", error.message)
    if found is None or error.line is None:
        return None
    name, line = found[1], error.line
    inside = ast.walk(around(tree, line) or tree)
    after = [one.lineno for one in inside if isinstance(one, ast.stmt) and name in targets(one)]
    later = next((at for at in after if at > line), None)
    if later is None:
        return None
    said = f"{name} gets its value on line {later}, after it is used."
    return Slip(later, said)


def origin(
    tree: ast.Module, name: str, calls: Sequence[SeenCall], kind: str, ran: Ran = None
) -> tuple[int, str] | None:
    """The line that gave ``name`` its value, followed through the calls; and what it lacks.

    A tuple that is handed over is meant to be one.
    """
    line = calls[-1].line
    statement = _bound(tree, name, line, kind, ran)
    old = "" if kind in FUNCTIONS else _renamed(statement, name)
    if old not in ("", name):
        return origin(tree, old, calls, kind, ran)
    if statement is not None:
        none = _none_of(tree, getattr(statement, "value", None), kind, ran)
        if _may_be_none(statement):
            return None
        return none or _lacking(tree, statement, kind, name)
    inside = around(tree, line)
    if inside is None or len(calls) < 2:
        return None
    params = [arg.arg for arg in inside.args.args]
    words = [arg.arg for arg in inside.args.kwonlyargs]
    if name not in (*params, *words):
        within = inside in ast.walk(around(tree, calls[-2].line) or ast.Pass())
        return origin(tree, name, calls[:-1], kind, ran) if within else None
    if kind and none_by_default(inside, name):
        return None
    found = _given(tree, name, inside, calls[-2].line)
    if found is not None:
        node, given = found
        outer = ast.unparse(given)
        if kind == "tuple":
            return None
        none = _none_of(tree, given, kind, ran)
        return none or origin(tree, outer, calls[:-1], kind, ran) or (node.lineno, "")
    return None if kind == "tuple" else (calls[-2].line, "")


def _given(
    tree: ast.Module, name: str, function: Function, line: int
) -> tuple[ast.Call, ast.expr] | None:
    """The call of a function on this line, and what it gives for the parameter ``name``."""
    params = [arg.arg for arg in function.args.args]
    for node in walked(tree):
        if not isinstance(node, ast.Call) or not _calls(node, tree, function):
            continue
        if not node.lineno <= line <= (node.end_lineno or 0):
            continue
        at = params.index(name) - (params[0] == "self") if name in params else -1
        named = {word.arg: word.value for word in node.keywords}
        given = node.args[at] if 0 <= at < len(node.args) else named.get(name)
        if given is not None:
            return node, given
    return None


def _bound(tree: ast.Module, name: str, line: int, kind: str, ran: Ran) -> ast.stmt | None:
    """What gave ``name`` its value, of this kind: a statement that cannot give None did not run."""
    found = bound(tree, name, line, ran)
    if name.startswith("self.") and kind == "NoneType":
        return None
    inside = around(tree, line)
    if found is None and inside is not None and name not in parameters(inside):
        outer = [one for one in tree.body if name in targets(one)]  # of the file
        found = outer[0] if len(outer) == 1 else None
    while found is not None and kind == "NoneType" and _is_something(found, name):
        found = bound(tree, name, found.lineno, ran)
    return found


def _is_something(statement: ast.stmt, name: str) -> bool:
    """Whether a statement gives a name a value that is not None, whatever is in it."""
    value = getattr(statement, "value", None)
    plain = (ast.BinOp, ast.Compare, ast.List, ast.Tuple, ast.Dict, ast.JoinedStr)
    written = isinstance(value, ast.Constant) and value.value is not None
    alone = [name, "self"] if name.startswith("self.") else [name]
    return targets(statement) == alone and (written or isinstance(value, plain))


def _renamed(statement: ast.stmt | None, name: str) -> str:
    """The variable to which a statement only gives another name; empty for none."""
    match statement:
        case ast.Assign(targets=[ast.Name()], value=ast.Name(id=old)):
            return old
        case ast.Assign(targets=[ast.Tuple(elts=new)], value=ast.Tuple(elts=given)):
            pairs = zip(new, given, strict=False)
            return next((name_of(one) for to, one in pairs if name_of(to) == name), "")
    return ""


def _calls(node: ast.Call, tree: ast.Module, function: Function) -> bool:
    """Whether a call is of this function; of a ``forward``, whether it calls an attribute."""
    if function.name in ("forward", "__call__"):
        return isinstance(node.func, ast.Attribute) and len(node.args) < len(function.args.args)
    return callee(node) == called_as(tree, function)


def called_as(tree: ast.Module, function: Function) -> str:
    """The name by which a function is called: of an ``__init__`` the class's."""
    classes = of_kind(tree, ast.ClassDef)
    own = next((one.name for one in classes if function in one.body), function.name)
    return own if function.name == "__init__" else function.name


def _may_be_none(statement: ast.stmt) -> bool:
    """Whether a statement chooses None on purpose: what uses it must ask."""
    if isinstance(statement, ast.AnnAssign) and allows_none(statement.annotation):
        return True
    value = getattr(statement, "value", None)
    return isinstance(value, ast.IfExp) and (is_none(value.body) or is_none(value.orelse))


def _entry(statement: ast.stmt, name: str) -> ast.AST | None:
    """What a statement keeps as ``name``: of several values that it gives names, the one of it."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=given)):
            pairs = zip(names, given, strict=False)
            return next((one for to, one in pairs if name_of(to) == name), statement.value)
    value = getattr(statement, "value", None)
    match value:  # a tuple is not None
        case ast.IfExp(body=ast.Call() as call, orelse=ast.Tuple()):
            return call
        case ast.IfExp(body=ast.Tuple(), orelse=ast.Call() as call):
            return call
    return value if isinstance(value, ast.AST) else None


def _lacking(
    tree: ast.Module, statement: ast.stmt, kind: str = "", name: str = ""
) -> tuple[int, str]:
    """The line at fault for the value that a statement keeps as ``name``, and what it lacks."""
    helper = callee(_entry(statement, name))
    function = functions(tree).get(helper)
    end = without_return(function) if function is not None else None
    if end is not None:
        return end, f", where {helper} ends without a return"
    for one in ast.walk(function) if function is not None else ():
        if isinstance(one, ast.Return) and isinstance(one.value, ast.List):
            return one.lineno, f", where {helper} returns a list"
    if helper in CHANGES:
        return statement.lineno, f": {helper} changes the list itself and gives None"
    if kind == "tuple" and function is None and helper not in ("", "tuple", *PAIRS):
        match statement:
            case ast.Assign(targets=[ast.Name()], value=ast.Call()):
                return statement.lineno, f", where {helper} gives several values: name each"
    return statement.lineno, ""


def _none_of(tree: ast.Module, node: ast.AST | None, kind: str, ran: Ran) -> tuple[int, str] | None:
    """The line on which a function returned None to a call: it may, and left no number."""
    function = functions(tree).get(callee(node))
    if function is None or kind != "NoneType":
        return None
    every = [one for one in ast.walk(function) if isinstance(one, ast.Return)]
    may = [one for one in every if isinstance(one.value, ast.Name | ast.Attribute)]
    sure = sum(isinstance(one.value, ast.BinOp) for one in every)
    found = [one for one in may if not (ran and ran(one))]
    if len(found) != 1 or found[0].value is None or len(may) + sure < len(every):
        return None
    text, line = ast.unparse(found[0].value), found[0].lineno
    where = f", where {function.name} returns {text}"
    for test in (one for one in ast.walk(function) if isinstance(one, ast.If)):
        if found[0] in test.body and ast.unparse(test.test) in (f"{text} is None", f"not {text}"):
            return line, f"{where}: line {test.lineno} chooses it just where it is None"
    return (line, where)
