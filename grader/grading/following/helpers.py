"""What an error comes from that a small helper of the file gives, or is given."""

from __future__ import annotations

import ast
import re

from grader.grading.reading.bindings import (
    arguments,
    around,
    bound,
    callee,
    calling,
    functions,
    statement_at,
)
from grader.grading.reading.program import parameters, taken
from grader.grading.reading.shown import Slip
from grader.protocol.probe import SeenCall, SeenError
from grader.source.variables import read, reads, stored
from grader.source.walked import of_kind, walked

DIM = re.compile(
    r"^(\w+) is a Dim, (?:and was used like a number|a whole number, and meets a floating)"
)
"""How an error begins about a length that is no plain number."""

UNDEFINED = re.compile(r"^The name (\w+) is not defined")
"""How an error begins about a name that nothing defines."""

NO_ENTRY = re.compile(r"has no entry (?P<key>['\"].+['\"])")
"""What is said of an error about a key that a dict has not."""


def dim_given(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The line of a helper that returns a Dim where the error, as ``told``, needs a number."""
    found = DIM.search(told)
    kept = bound(tree, found[1], error.calls[-1].line) if found and error.calls else None
    value = getattr(kept, "value", None)
    helper = functions(tree).get(callee(value))
    if kept is not None and found is not None and _is_length(value):
        return _length(tree, kept, found[1])
    if helper is None or not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
        return None
    ends = [one for one in ast.walk(helper) if isinstance(one, ast.Return)]
    match ends:
        case [ast.Return(value=ast.expr() as given, lineno=line)] if callee(given) == "Dim":
            said = f"{found[1] if found else ''} comes from {helper.name}, which returns a Dim."
            return Slip(line, said, f"return int({ast.unparse(given)})")
    return None


def _is_length(node: ast.AST | None) -> bool:
    """Whether a node is a length that is taken out of a shape."""
    match node:
        case ast.Subscript(value=ast.Attribute(attr="shape"), slice=ast.Constant() | ast.UnaryOp()):
            return True
    return False


def _length(tree: ast.Module, kept: ast.stmt, name: str) -> Slip | None:
    """The line that keeps a length as it is, where more than one place reads it."""
    inside = around(tree, kept.lineno)
    read = [one for one in reads(inside or tree) if one.id == name]
    if not isinstance(kept, ast.Assign) or len(kept.targets) != 1 or len(read) < 2:
        return None
    text = ast.unparse(kept.value)
    said = f"{name} comes from line {kept.lineno}, and more than one place reads it."
    return Slip(kept.lineno, said, f"{name} = int({text})" if name else "")


def named_by_caller(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The line of a helper that reads a variable of its caller, which gives it that as another."""
    found = UNDEFINED.search(told)
    if found is None or len(error.calls) < 2:
        return None
    outer, call = error.calls[-2:]
    name, inside = found[1], around(tree, call.line)
    if inside is None:
        return None
    for one in _calls(tree, inside, outer):
        names = taken(inside)
        given = [*zip(names, one.args, strict=False), *((w.arg, w.value) for w in one.keywords)]
        meant = [own for own, value in given if isinstance(value, ast.Name) and value.id == name]
        if len(meant) == 1 and meant[0] and meant[0] != name:
            said = f"{name} is what line {one.lineno} gives {inside.name}, where it is called"
            return Slip(call.line, f"{said} {meant[0]}.", meant[0])
    return None


def key_given(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The line that gives a helper a key which its dict has not, as the error is ``told``."""
    found = NO_ENTRY.search(told)
    if found is None or error.type_name != "KeyError" or len(error.calls) < 2:
        return None
    outer, call = error.calls[-2:]
    key, inside = found["key"][1:-1], around(tree, call.line)
    calls = _calls(tree, inside, outer)
    values = [value for call in calls for value in (*call.args, *_words(call))]
    given = [one for one in values if isinstance(one, ast.Constant) and one.value == key]
    if inside is None or len(given) != 1 or not _reads_parameter(tree, inside, call.line):
        return None
    line = given[0].lineno
    return Slip(line, f"Line {line} gives {inside.name} the key {key!r}.")


def unread_key(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The entry that is looked up by one name of a loop, beside another that nothing reads."""
    call, inside = error.calls[-1] if error.calls else None, around(tree, error.line or 0)
    if NO_ENTRY.search(told) is None or error.type_name != "KeyError" or call is None:
        return None
    nodes = walked(inside) if inside is not None else ()
    loops = (one for one in nodes if isinstance(one, ast.For | ast.comprehension))
    pairs = [stored(one.target) for one in loops if len(stored(one.target)) == 2]
    for node in nodes:
        match node:
            case ast.Subscript(slice=ast.Name(id=name)) if ast.unparse(node) == call.code:
                others = {one for pair in pairs if name in pair for one in pair - {name}}
                idle = others - read(inside or tree)
                if len(others) == len(idle) == 1 and not min(idle).startswith("_"):
                    write = f"{ast.unparse(node.value)}[{min(idle)}]"
                    said = f"Line {node.lineno} looks up {call.code}, and nothing reads"
                    return Slip(node.lineno, f"{said} {min(idle)}: is it meant?", write)
    return None


def bound_first(tree: ast.Module, error: SeenError) -> Slip | None:
    """The partial that binds a number by place, where the tensor goes that it is given later.

    The error is raised where the partial is called, most often in a helper that calls anything.
    """
    _, shown = _partial(error)
    made = _partials(tree) if shown is not None else []
    odd = [one for one in made if len(one.args) > 1 and _takes_tensor(one.args[0], one.args[1])]
    if len(odd) != 1:
        return None
    one, free = odd[0], [each.partition("=")[0] for each in shown or ()]
    text, number = ast.unparse(one), ast.unparse(one.args[1])
    said = f"{text} binds {number} as the first argument of {ast.unparse(one.args[0])}"
    said = f"Line {one.lineno}: {said}, where the tensor goes. Bind it by name."
    if len(one.args) != 2 or not free or not free[0].isidentifier():
        return Slip(one.lineno, said)
    word = ast.keyword(free[0], one.args[1])
    fixed = ast.Call(one.func, one.args[:1], [word, *one.keywords])
    return Slip(one.lineno, said, ast.unparse(fixed))


def preset_by(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The partial that sets the argument which an error, as ``told``, is about.

    The call that raised it only reads the partial, or is in a helper that calls anything.
    """
    name, shown = _partial(error)
    words = re.findall(r"-?\b\w+", told)
    found: list[tuple[ast.Call, ast.keyword]] = []
    for node in _partials(tree) if shown is not None else ():
        own = any(
            isinstance(one, ast.Assign) and one.value is node and name in stored(one)
            for one in tree.body
        )
        given = {ast.unparse(one) for one in node.keywords}
        alike = bool(given) and given <= {*(shown or ())}
        hits = [one for one in node.keywords if {one.arg, ast.unparse(one.value)} & {*words}]
        found += [(node, one) for one in hits[:1] if own or alike]
    if len(found) != 1:
        return None
    node, word = found[0]
    said = f"Line {word.value.lineno} sets {ast.unparse(word)}: {ast.unparse(node)}."
    return Slip(word.value.lineno, said)


def _partial(error: SeenError) -> tuple[str, tuple[str, ...] | None]:
    """The name of the partial that raised an error, and its parameters; None if it is none."""
    call = error.calls[-1] if error.calls else None
    name = call.code.partition("(")[0] if call is not None else ""
    value = call.values.get(name) if call is not None else None
    return name, value.signature or () if value is not None and value.kind == "partial" else None


def _partials(tree: ast.Module) -> list[ast.Call]:
    """The calls of a file that make a partial."""
    every = of_kind(tree, ast.Call)
    return [one for one in every if callee(one) == "partial"]


def _takes_tensor(function: ast.expr, given: ast.expr) -> bool:
    """Whether a function of the framework that works on a tensor is given a plain number first."""
    number = given.operand if isinstance(given, ast.UnaryOp) else given
    plain = isinstance(number, ast.Constant) and isinstance(number.value, int | float)
    match function:
        case ast.Attribute(value=ast.Name(id="F"), attr=name):
            return plain and name not in MAKES
    return False


MAKES = ("arange", "constant", "full", "hann_window", "ones", "range", "zeros")
"""Functions that make a tensor of numbers."""


NONE_IN = re.compile(r"^(?P<name>\w+)\[(?P<at>-?\d+)\] is None here")
"""How an error begins about an entry that is None."""


def entry_meant(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The line that gives a helper a list of None, where the helper asks if it is None itself."""
    found = NONE_IN.search(told)
    if found is None or len(error.calls) < 2:
        return None
    outer, call = error.calls[-2:]
    inside, name = around(tree, call.line), found["name"]
    calls = _calls(tree, inside, outer)
    if inside is None or len(calls) != 1 or name not in parameters(inside):
        return None
    if not any(_asks(one, name) for one in ast.walk(inside)):
        return None
    given = arguments(calls[0], taken(inside)).get(name)
    if not isinstance(given, ast.Name | ast.Attribute):
        return None
    line, text = given.lineno, ast.unparse(given)
    said = f"Line {line} gives {inside.name} {text}, whose entries are None here. {inside.name}"
    said = f"{said} asks if {name} itself is None: is one entry meant, as {text}[0]?"
    return Slip(line, said)


def _asks(node: ast.AST, name: str) -> bool:
    """Whether a comparison asks if a variable is None."""
    match node:
        case ast.Compare(left=ast.Name(id=one), comparators=[ast.Constant(value=None)]):
            return one == name
    return False


WHOLE_LIST = re.compile(r"^(\w+) is a (?:list|tuple) of (\d+), which has no \w+")
"""How an error begins about a helper that was given a list where it takes one tensor."""


def list_given(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The line that gives a helper a list of tensors, through others that hand it on.

    Only if it keeps as many values as the list is long: each of them was to be given alone.
    """
    found, calls = WHOLE_LIST.search(told), list(error.calls)
    name = found[1] if found is not None else ""
    while found is not None and len(calls) > 1:
        first = _taken_first(tree, calls.pop().line)
        given = _first_in(tree, calls[-1]) if first == name else None
        if not isinstance(given, ast.Name):
            return None
        name = given.id
    statement = next((one for one in walked(tree) if _keeps(one, error)), None)
    match statement:
        case ast.Assign(
            targets=[ast.Tuple(elts=names)], value=ast.Call(func=func, args=[ast.Name(id=one)])
        ) if found is not None and one == name and len(names) == int(found[2]):
            many, write = f"a list of {found[2]}", f"map({ast.unparse(func)}, {one})"
            said = f"Line {statement.lineno} gives {ast.unparse(func)} {one}, which is {many}"
            return Slip(statement.lineno, f"{said}: it takes one of them at a time.", write)
    return None


def _keeps(node: ast.AST, error: SeenError) -> bool:
    """Whether a statement is the outermost that an error went through."""
    outermost = error.calls[0].line if error.calls else 0
    return isinstance(node, ast.Assign) and node.lineno == outermost


def _taken_first(tree: ast.Module, line: int) -> str:
    """What the function around a line takes first."""
    inside = around(tree, line)
    names = [one for one in parameters(inside) if one != "self"] if inside is not None else []
    return names[0] if names else ""


def _first_in(tree: ast.Module, call: SeenCall) -> ast.expr | None:
    """What a call that an error went through is given first."""
    for one in walked(tree):
        here = isinstance(one, ast.Call) and one.lineno == call.line
        if isinstance(one, ast.Call) and here and ast.unparse(one) == call.code and one.args:
            return one.args[0]
    return None


TEXT_KEY = re.compile(r"^(\w+) is a (tuple|list), and (['\"].+['\"]) is a text")
"""How an error begins about a key that was looked up in something without keys."""


def kind_given(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The line that gives a helper a tuple where it looks up a key, and other lines do not."""
    found = TEXT_KEY.search(told)
    if found is None or len(error.calls) < 2:
        return None
    outer, call = error.calls[-2:]
    name, takes = _helper_at(tree, call.line)
    every = calling(tree, name)
    here = [one for one in every if one.lineno in statement_at(tree, outer.line)]
    if found[1] not in takes or len(here) != 1 or len(every) < 2:
        return None
    said = f"Line {here[0].lineno} gives {name} a {found[2]}, and {name} looks up {found[3]} in"
    return Slip(here[0].lineno, f"{said} what it is given: that must be a dict.")


def _helper_at(tree: ast.Module, line: int) -> tuple[str, list[str]]:
    """The helper around a line, with what it takes: a lambda that has a name, or a function."""
    for one in of_kind(tree, ast.Assign):
        match one:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda(args=args) as made):
                if made.lineno <= line <= (made.end_lineno or 0):
                    return name, [each.arg for each in args.args]
    inside = around(tree, line)
    return ("", []) if inside is None else (inside.name, parameters(inside))


def in_either(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The line of a loop over all names of two groups, each of which is looked up in one."""
    found = NO_ENTRY.search(told)
    if found is None or error.type_name != "KeyError" or not error.calls:
        return None
    here = statement_at(tree, error.calls[-1].line)
    keys = {
        one.slice.id
        for one in of_kind(tree, ast.Subscript)
        if isinstance(one.slice, ast.Name) and one.lineno in here
    }
    for loop in walked(tree):
        if not isinstance(loop, ast.For | ast.comprehension) or len(keys) != 1:
            continue
        names = loop.iter
        if isinstance(names, ast.Call) and callee(names) == "sorted" and names.args:
            names = names.args[0]
        if not keys & stored(loop.target) or not _spans(loop, error.calls[-1].line):
            continue
        match names:
            case ast.BinOp(left=one, op=ast.BitOr(), right=other):
                both = ast.unparse(ast.BinOp(one, ast.BitAnd(), other))
            case ast.Call(func=ast.Attribute(value=one, attr="union"), args=[other]):
                both = f"{ast.unparse(one)}.intersection({ast.unparse(other)})"
            case _:
                continue
        line, text = names.lineno, ast.unparse(names)
        said = f"Line {line} goes through {text}: the names that are in one of the two, also those"
        return Slip(line, f"{said} that are not in both. {both} are in both.", both)
    return None


def _spans(loop: ast.For | ast.comprehension, line: int) -> bool:
    """Whether a loop is at a line or around it."""
    if isinstance(loop, ast.For):
        return loop.lineno <= line <= (loop.end_lineno or 0)
    return abs(loop.iter.lineno - line) <= NEAR


NEAR = 5
"""Lines that a comprehension takes."""


def _calls(tree: ast.Module, inside: ast.FunctionDef | None, outer: SeenCall) -> list[ast.Call]:
    """The calls of a function in the statement that called it."""
    here = statement_at(tree, outer.line)
    every = (one for one in of_kind(tree, ast.Call) if one.lineno in here)
    return [one for one in every if inside is not None and callee(one) == inside.name]


def _words(call: ast.Call) -> list[ast.expr]:
    """What a call gives by name."""
    return [one.value for one in call.keywords]


def _reads_parameter(tree: ast.Module, inside: ast.FunctionDef, line: int) -> bool:
    """Whether the statement at ``line`` looks something up by a parameter of its function."""
    here = statement_at(tree, line)
    keys = (one.slice for one in ast.walk(inside) if isinstance(one, ast.Subscript))
    names = (one for one in keys if isinstance(one, ast.Name) and one.lineno in here)
    return any(one.id in parameters(inside) for one in names)
