"""Where a value comes from that an error says is of the wrong kind: the line to change."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from grader.grading.following.run import Run, operation
from grader.grading.following.slips import (
    Ran,
    called_as,
    is_read,
    origin,
    to_return,
)
from grader.grading.reading.bindings import (
    around,
    bound,
    callee,
    calling,
    functions,
    is_none,
    statement_at,
    stores,
    targets,
)
from grader.grading.reading.ends import open_end, results, without_return
from grader.grading.reading.program import parameters
from grader.grading.reading.shown import Slip, with_swapped
from grader.protocol.probe import SeenCall, SeenError, SeenValue
from grader.source.variables import reads, stored
from grader.source.walked import of_kind, walked

MADE, YIELD, ORDER = "where it is made", "needs yield", "order of the arguments"
LOOP = "What a loop makes"
FILLS = re.compile("Put one tensor into it each time|is filled")
QUOTES = "Leave the quotes out where it is made"
GAVE_NONE = re.compile(r"(\w+)\(.*\) gave None")
"""What an error is told as if a function of the file returned nothing."""
PROPERTIES = {"property", "cached_property", "functools.cached_property"}
"""What makes a method without arguments an attribute."""
PARTS = "too short or too long"
"""What a hint says if a list is taken apart that has other parts than there are names."""
ONCE = "Make an iterator of it once"
"""What a hint says if the line to change is where a value comes from."""


def made(tree: ast.Module, error: SeenError, told: str, ran: Ran = None) -> Slip | None:
    """Where a value comes from, or is filled, if an error as ``told`` asks to change that."""
    if error.calls and FILLS.search(told):
        return _filled(tree, error.calls[-1], told)
    return _made(tree, error, told, ran)


def _made(tree: ast.Module, error: SeenError, told: str, ran: Ran) -> Slip | None:
    """Where a value comes from that is of the wrong kind for the line which raised an error.

    Only if the error as it is ``told`` asks to change it there.
    """
    call = error.calls[-1] if error.calls else None
    if call is None or not any(one in told for one in (MADE, YIELD, ORDER, LOOP)):
        return None
    words = re.findall(r"\w+", told)
    code = call.statement if PARTS in told else call.code  # that is only the names
    names = [one for one in call.values if one in words and is_read(one, code)]
    for name in names:
        if YIELD in told:
            helper = functions(tree).get(
                callee(getattr(bound(tree, name, call.line), "value", None))
            )
            returns = [one for one in ast.walk(helper or tree) if isinstance(one, ast.Return)]
            given = [one.lineno for one in returns if one.value is not None]
            if helper is not None and len(given) == 1:
                return Slip(
                    given[0], f"{helper.name} ends at its first return, on line {given[0]}."
                )
            continue
        if LOOP in told:
            kept = bound(tree, name, call.line, ran)
            loops = (n for n in walked(tree) if isinstance(n, ast.For | ast.While))
            if kept is not None and any(kept in ast.walk(one) for one in loops):
                said = f"{name} is set anew in each turn of the loop, on line {kept.lineno}."
                return Slip(kept.lineno, said)
            continue
        inside = around(tree, call.line)
        if ORDER in told:
            handed = inside is not None and name in [one.arg for one in inside.args.args]
            if handed and len(error.calls) > 1 and call.values[name].kind in ("int", "float"):
                line = error.calls[-2].line
                return Slip(line, f"Line {line} gives {name} a number: swap the arguments there?")
            continue
        source = _source(tree, name, error, told, ran)
        if source is not None and source[0] != call.line:
            return Slip(source[0], f"{name} comes from line {source[0]}.")
    return None


def _filled(tree: ast.Module, call: SeenCall, told: str) -> Slip | None:
    """The one line that fills the list which an error is about."""
    for name in (one for one in call.values if one in re.findall(r"\w+", told)):
        first = bound(tree, name, call.line)
        lines = [one.lineno for one in stores(tree, name, first.lineno)] if first else []
        if len(lines) == 1:
            return Slip(lines[0], f"Line {lines[0]} fills {name}.")
    return None


def _source(
    tree: ast.Module, name: str, error: SeenError, told: str, ran: Ran
) -> tuple[int, str] | None:
    """The line that gave ``name`` its value, or has the text that it was made of.

    An argument may well be a list: not who gave it.
    """
    if ONCE in told:
        kept = bound(tree, name, error.calls[-1].line, ran)
        return None if kept is None else (kept.lineno, "")
    found = origin(tree, name, error.calls, "", ran)
    return (_quoted(tree, found[0]), "") if found is not None and QUOTES in told else found


def _quoted(tree: ast.Module, line: int) -> int:
    """``line``; or that of the one constant of the file which it reads, if that is a text."""
    here = statement_at(tree, line)
    names = {one.id for one in of_kind(tree, ast.Name) if one.lineno in here}
    texts = [
        one.lineno
        for one in tree.body
        if isinstance(one, ast.Assign) and names.intersection(targets(one))
        if isinstance(one.value, ast.Constant) and isinstance(one.value.value, str)
    ]
    return texts[0] if len(texts) == 1 else line


def unreturned(tree: ast.Module, told: str) -> Slip | None:
    """Where a function of the file ends that gave None, if an error is ``told`` to come of that."""
    found = GAVE_NONE.search(told)
    helper = functions(tree).get(found[1]) if found is not None else None
    if helper is None:
        return None
    if (ends := without_return(helper)) is not None:
        said = f"{helper.name} ends on line {ends} without a return."
        if _chains(tree, helper):
            return Slip(ends, f"{said} End it with: return self.")
        return Slip(ends, said, to_return(tree, ends))
    for one in ast.walk(helper):
        if isinstance(one, ast.Return) and (one.value is None or is_none(one.value)):
            lists = any(isinstance(n, ast.Return) and _listed(n.value) for n in ast.walk(helper))
            write = "return []" if lists and "list" in told else ""
            return Slip(one.lineno, f"{helper.name} returns None on line {one.lineno}.", write)
    if (end := open_end(helper.body)) is None:
        return None
    more = f" End it with: {given}." if (given := results(helper)) else ""
    return Slip(end, f"{helper.name} ends on line {end} without a return.{more}")


def _chains(tree: ast.Module, method: ast.FunctionDef) -> bool:
    """Whether a method is to return its object: it says so, or all others that return nothing else.

    That is, its annotation is the name of its class, or ``Self``; or without one, another method of
    the class returns self.
    """
    owner = next((n for n in of_kind(tree, ast.ClassDef) if method in n.body), None)
    if owner is None or [one.arg for one in method.args.args[:1]] != ["self"]:
        return False
    if method.returns is not None:
        return ast.unparse(method.returns).strip("'\"") in (owner.name, "Self")
    every = (one for other in owner.body for one in ast.walk(other) if isinstance(one, ast.Return))
    return any(isinstance(one.value, ast.Name) and one.value.id == "self" for one in every)


def _listed(node: ast.expr | None) -> bool:
    """Whether a list is written here."""
    return isinstance(node, ast.List | ast.ListComp)


STACKED = re.compile(r"takes pairs: .* here there is (?P<text>\S.*) \[2, [^\]]*\]")
"""What is said of a value whose pairs are along its first axis."""


def stacked_first(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The line that stacks two parts along a new first axis, if an error is ``told`` of pairs."""
    found = STACKED.search(told)
    if found is None or error.line is None:
        return None
    made = bound(tree, found["text"], error.line)
    value = getattr(made, "value", None)
    helper = functions(tree).get(found["text"].partition("(")[0].rpartition(".")[2])
    ends = [one for one in ast.walk(helper or ast.Pass()) if isinstance(one, ast.Return)]
    if made is None and len(ends) == 1:
        value = ends[0].value
    if not isinstance(value, ast.Call) or callee(value) != "stack":
        return None
    if len(value.args) != 1 or value.keywords:
        return None
    last = ast.Call(value.func, value.args, [ast.keyword("axis", ast.Constant(-1))])
    said = f"Line {value.lineno} stacks its parts along axis 0: pairs need the last axis."
    return Slip(value.lineno, said, ast.unparse(last))


UNPACKED = re.compile(r"There (?:are|is) .* than the \d+ expected|There (?:are|is) .* expected")
"""How an error begins about more or fewer values than names."""
ALONE = re.compile(r"gives one tensor, and \d+ names are to share it")
"""What an error says of a function that gives one value for several names."""


def unpaired(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """What a function of the file gives at a time, where the line of an error takes several."""
    line, alone = error.line or 0, ALONE.search(told) is not None
    if UNPACKED.match(told) is None and not alone:
        return None
    for node in of_kind(tree, ast.For, ast.comprehension, ast.Assign):
        match node:
            case (
                ast.For(target=ast.Tuple(elts=names), iter=ast.Call() as call)
                | ast.comprehension(target=ast.Tuple(elts=names), iter=ast.Call() as call)
            ):
                verb = "yields"
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Call() as call):
                verb = "returns"
            case _:
                continue
        helper = functions(tree).get(callee(call))
        if call.lineno != line or helper is None:
            continue
        kind = ast.Yield if verb == "yields" else ast.Return
        ends = [one for one in ast.walk(helper) if isinstance(one, kind)]
        if len(ends) != 1 or ends[0].value is None:
            continue
        given, at = ends[0].value, ends[0].lineno
        count = len(given.elts) if isinstance(given, ast.Tuple) else 1
        if count == len(names) or (count == 1 and verb == "returns" and not alone):
            continue
        many = "one value" if count == 1 else f"{count} values"
        said = f"Line {at} {verb} {many}, and line {line} takes {len(names)} from {helper.name}."
        return Slip(at, said)
    return None


SIZED = re.compile(r" must end in .*, and (\w+) is (\d+)")
"""How a hint ends on two shapes, with the variable that holds the odd size."""


def sized(tree: ast.Module, error: SeenError, hint: str) -> Slip | None:
    """The line that reads from a shape the size which an error is about, by its ``hint``."""
    found, line = SIZED.search(hint), error.line or 0
    made = bound(tree, found[1], line) if found is not None else None
    if found is None or not isinstance(made, ast.Assign) or ".shape" not in ast.unparse(made.value):
        return None
    return Slip(made.lineno, f"{found[1]} comes from line {made.lineno}.")


def divided(mine: Run, error: SeenError, said: str) -> Slip | None:
    """Where a size was divided into a fraction, if an error ``said`` that it is one."""
    told = [float(one) for one in re.findall(r"\d+\.\d+", said)]
    values = error.calls[-1].values if error.calls else {}
    named = [one for name, one in values.items() if is_read(name, said)]
    told = told or [float(one.text) for one in named if one.kind == "float" and one.text]
    lines = {
        mine.line(number): number
        for number, scalars in mine.scalars.items()
        if operation(mine.nodes[number]) == "Div" and not scalars[-1].whole
        if not told or mine.held(number)[0] in told
    }
    if "whole number" not in said or len(lines) != 1:
        return None
    ((line, number),) = lines.items()
    gets = f"Line {line} divides with / and gets {mine.held(number)[0]}: // keeps it whole."
    node = mine.nodes[number]
    if not isinstance(node, ast.BinOp):
        return Slip(line, gets)
    return Slip(line, gets, ast.unparse(ast.BinOp(node.left, ast.FloorDiv(), node.right)))


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
    takes = [one for one in parameters(helper) if one != "self"]
    words = [one.arg for one in user.keywords]
    return len(user.args) + len(words) <= len(takes) and all(one in takes for one in words)


AS_ONE = re.compile(r"\b(?:a list|a tuple|lists?|tuples?)\b")
"""What an error says if one thing was given where several are taken one by one."""


def unstarred(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The call that gives a helper one list for ``*parts``, of which it takes one as the list."""
    if AS_ONE.search(told) is None:
        return None
    own = {name: one for name, one in functions(tree).items() if one.args.vararg is not None}
    for outer, inner in pairwise(error.calls):
        helper = own.get(inner.function)
        for node in walked(tree) if helper is not None else ():
            if not isinstance(node, ast.Call) or callee(node) != inner.function:
                continue
            if helper is None or not node.lineno <= outer.line <= (node.end_lineno or 0):
                continue
            bound = parameters(helper)[:1] == ["self"] and isinstance(node.func, ast.Attribute)
            extra = node.args[len(helper.args.args) - bound :]
            told_so = _as_one(node, helper, extra[0], outer) if len(extra) == 1 else None
            if told_so is not None:
                return told_so
    return None


def _as_one(
    node: ast.Call, helper: ast.FunctionDef, given: ast.expr, outer: SeenCall
) -> Slip | None:
    """The call that gives a list, if this is one, as the only one of the parts that are taken."""
    parts = helper.args.vararg.arg if helper.args.vararg is not None else ""
    said = f"Line {node.lineno} gives {helper.name}"
    match given:
        case ast.List(elts=entries) | ast.Tuple(elts=entries) if entries:
            kind = "list" if isinstance(given, ast.List) else "tuple"
            said = f"{said} one {kind} for *{parts}, which takes its values one by one:"
            said = f"{said} leave the brackets out."
        case ast.Name() | ast.Attribute():
            text = ast.unparse(given)
            seen = outer.values.get(text)
            if seen is None or seen.kind not in ("list", "tuple"):
                return None
            kind = seen.kind
            said = f"{said} the {kind} {text} as one thing: a star hands over what is in it, one by"
            said, entries = f"{said} one.", [ast.Starred(given)]
        case _:
            return None
    write = ast.unparse(ast.Call(node.func, [*node.args[:-1], *entries], node.keywords))
    return Slip(node.lineno, said, write)


WANTED = (
    ("not an element type", ("DType",)),
    ("A device is needed", ("CPU",)),
    ("A size is a whole number", ("int", "StaticDim")),
    ("where a tensor is needed", ("Tensor",)),
    ("where a tensor or a number is needed", ("Tensor",)),
)
"""What an error says, and the kinds of values that its line needs then."""


def given_crosswise(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The call that gives a helper two arguments, of which each is of the kind of the other.

    The error, as it is ``told``, says what kind is needed for one of them.
    """
    wanted = next((kinds for said, kinds in WANTED if said in told), ())
    if not wanted or len(error.calls) < 2:
        return None
    outer, call = error.calls[-2:]
    inside = around(tree, call.line)
    if inside is None:
        return None
    params = [arg.arg for arg in inside.args.args if arg.arg != "self"]
    known = {one: call.values[one].kind for one in params if one in call.values}
    bad = [p for p, kind in known.items() if kind not in (*wanted, "NoneType")]
    bad = [one for one in bad if is_read(one, call.code)]
    bad = [one for one in bad if f"dtype={one}" in call.code] or bad
    good = [p for p, kind in known.items() if kind in wanted]
    here = statement_at(tree, outer.line)
    owner = called_as(tree, inside)
    calls = calling(tree, owner)
    calls = [one for one in calls if one.lineno in here]
    calls = [one for one in calls if one.lineno == outer.line] or calls
    if len(bad) != 1 or len(good) != 1 or len(calls) != 1:
        return None
    (node,), first, second = calls, params.index(bad[0]), params.index(good[0])
    if max(first, second) >= len(node.args):
        return None
    one, other = (ast.unparse(node.args[at]) for at in (first, second))
    said = f"Line {node.lineno} gives {bad[0]} {one} and {good[0]} {other}: are they swapped?"
    return Slip(node.lineno, said, with_swapped(node, first, second))


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


ALL_SIZES = re.compile(r"(?:^|, and )(\w+) is the shape \[(?P<sizes>\d+, [\d, ]+)\]")
"""What an error says of a variable that is a whole shape, where a number is needed."""


def all_sizes(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The line that keeps all sizes of a tensor by a name where an error needs one of them."""
    found, call = ALL_SIZES.search(told), error.calls[-1] if error.calls else None
    made = bound(tree, found[1], call.line) if found is not None and call is not None else None
    match made:
        case ast.Assign(targets=[ast.Name()], value=ast.Attribute(attr="shape") as shape):
            text, count = ast.unparse(shape), len(found["sizes"].split(",")) if found else 0
            said = f"Line {made.lineno} keeps all {count} sizes of {text} as one: take one of them"
            return Slip(made.lineno, f"{said} there, or give each its name.")
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


def misordered(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The line that gives two variables each other's value, if an error is ``told`` to be that."""
    call = error.calls[-1] if error.calls else None
    if call is None or "are in another order" not in told:
        return None
    for name in (one for one in call.values if is_read(one, call.code)):
        match bound(tree, name, call.line):
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=one), ast.Name(id=other)])],
                value=ast.Tuple(elts=[first, second]),
                lineno=line,
            ) if {one, other} <= _given(call.code):
                said = f"Line {line} gives {one} and {other} their values, in another order."
                write = f"{one}, {other} = {ast.unparse(second)}, {ast.unparse(first)}"
                return Slip(line, said, write)
    return None


def _given(code: str) -> set[str]:
    """The variables that a call, as it is written, is given as they are."""
    try:
        call = ast.parse(code.strip(), mode="eval").body
    except SyntaxError:
        return set()
    return {one.id for one in getattr(call, "args", ()) if isinstance(one, ast.Name)}


def selfless(tree: ast.Module, error: SeenError) -> Slip | None:
    """The method whose first argument is not ``self`` and is given it; or is, and is not given it.

    A static method is given no object.
    """
    many = re.search(r"(\w+)\(\) takes (\d+) positional .* but (\d+) (?:was|were)", error.message)
    few = re.search(r"(\w+)\(\) missing 1 required positional argument: '\w+'$", error.message)
    if many is not None and int(many[3]) != int(many[2]) + 1:
        return None
    found = many or few
    for cls, one in _methods(tree, found[1] if found is not None else ""):
        given = [arg.arg for arg in one.args.args]
        marks = {ast.unparse(mark) for mark in one.decorator_list}
        own = given[:1] in (["self"], ["cls"])
        if many and not own and marks <= PROPERTIES:
            said = f"{one.name} is a method of {cls}, and its first argument is not self."
            return Slip(one.lineno, said, f"def {one.name}({', '.join(['self', *given])}):")
        if few and own and marks == {"staticmethod"}:
            said = f"{one.name} is a static method: no object goes to its {given[0]}. Leave out"
            return Slip(one.lineno, f"{said} {given[0]}, or @staticmethod.")
    return None


def _methods(tree: ast.Module, name: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The methods of this name, each with its class."""
    for cls in of_kind(tree, ast.ClassDef):
        for one in cls.body:
            if isinstance(one, ast.FunctionDef) and one.name == name:
                yield cls.name, one


def numbers(mine: Run, right: Run) -> Slip | None:
    """The call that gives a function of the reference's name another plain number than that does.

    Only if each program calls it once, or always with the same numbers.
    """
    for own in (one for one in mine.nodes if isinstance(one, ast.FunctionDef)):
        scope = mine.scope(mine.numbers[own])
        other = next(
            (
                one
                for one in right.nodes
                if isinstance(one, ast.FunctionDef)
                and one.name == own.name
                and right.scope(right.numbers[one]) == scope
            ),
            None,
        )
        names = [arg.arg for arg in own.args.args]
        if other is None or names != [arg.arg for arg in other.args.args]:
            continue
        have, want = (_plain(run, run.numbers[one]) for run, one in ((mine, own), (right, other)))
        apart = [
            part
            for part, held in have.items()
            if len(held) == len(want.get(part, ())) == 1 and held != want[part]
        ]
        called = called_as(mine.tree, own) if apart else ""  # that goes through the whole file
        calls = [n for n in mine.nodes if called and callee(n) == called]
        if len(calls) == 1:
            (call,), (one,), (two,) = calls, have[apart[0]], want[apart[0]]
            line, name = mine.line(mine.numbers[call]), names[apart[0]]
            said = f"Line {line} gives {callee(call)} {one:g} for {name}, where the reference"
            at = apart[0] - (names[0] == "self")
            given = _variable(right, called, at, name)
            said = f"{said} gives it {f'{given}, {two:g} here' if given else f'{two:g}'}."
            made = _worked_out(mine, call, at, name, one) if isinstance(call, ast.Call) else None
            if made is not None:
                variable, there = made
                return Slip(there, f"Line {there} makes {variable} {one:g}. {said}")
            return Slip(line, said)
    return None


def _variable(run: Run, called: str, at: int, name: str) -> str:
    """The variable that the one call of a function gives it for an argument; empty for none."""
    calls = [one for one in run.nodes if isinstance(one, ast.Call) and callee(one) == called]
    call = calls[0] if len(calls) == 1 else ast.Call(ast.Name(called), [], [])
    by_name = (one.value for one in call.keywords if one.arg == name)
    given = call.args[at] if 0 <= at < len(call.args) else next(by_name, None)
    return ast.unparse(given) if isinstance(given, ast.Name | ast.Attribute) else ""


def _worked_out(
    mine: Run, call: ast.Call, at: int, name: str, number: float
) -> tuple[str, int] | None:
    """The variable that a call is given as an argument, and the line that works the number out.

    Only if the variable is worked out for that call alone.
    """
    named = {word.arg: word.value for word in call.keywords}
    given = call.args[at] if at < len(call.args) else named.get(name)
    if not isinstance(given, ast.Name):
        return None
    inside = around(mine.tree, call.lineno) or mine.tree
    made = [
        one
        for one in ast.walk(inside)
        if isinstance(one, ast.Assign) and targets(one) == [given.id] and one.lineno < call.lineno
        if mine.held(mine.numbers[one.value]) == (number,)
    ]
    if len(made) != 1 or not isinstance(made[0].value, ast.BinOp):
        return None
    used = {one.lineno for one in reads(inside) if one.id == given.id}
    used = {line for line in used if line > made[0].lineno}
    alone = used <= set(statement_at(mine.tree, call.lineno))
    return (given.id, made[0].lineno) if alone else None


def _plain(run: Run, function: int) -> dict[int, set[float]]:
    """The plain numbers that a function ever got, by the place of the argument."""
    found: dict[int, set[float]] = {}
    for one in run.scalars.get(function, ()):
        found.setdefault(one.part, set()).add(one.value)
    return found
