"""What a call is handed with ``**``: the line of the dict that has what an error is about."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from grader.grading.following.slips import called_as
from grader.grading.reading.bindings import bound, callee, calling, functions, statement_at
from grader.grading.reading.program import parameters
from grader.grading.reading.shown import Slip, there
from grader.protocol.probe import SeenError
from grader.source.walked import of_kind, walked

LACKS = re.compile(r"(\S+) needs (\w+) as well")
UNKNOWN = re.compile(r"(\S+) has no argument called (\w+)")
"""What is said of a call that lacks an argument, or gives one that there is not."""

PRESET = re.compile(r" has no argument called (\w+), and (\S+) gives it one")
"""What is said where a partial gives what it calls such an argument."""

MOST_STEPS = 4
"""Names and helpers through which a dict is followed back."""


@dataclass(frozen=True)
class Option:
    """One entry of a dict that is handed over."""

    name: str
    value: ast.expr
    line: int
    by_key: bool = True

    def called(self, name: str) -> str:
        """The entry under another name, as it is written there."""
        value = ast.unparse(self.value)
        return f'"{name}": {value}' if self.by_key else f"{name}={value}"


def misnamed(tree: ast.Module, error: SeenError, told: str) -> Slip | None:
    """The entry of a dict that gives a call the argument, or the lack of one, of an error."""
    found = LACKS.search(told) or UNKNOWN.search(told)
    if found is None or not error.calls:
        return None
    name, word, call = found[1], found[2], error.calls[-1]
    here = statement_at(tree, call.line)
    calls = [n for n in of_kind(tree, ast.Call) if n.lineno in here]
    calls = [one for one in calls if ast.unparse(one.func) == name]
    given = list(_handed(tree, calls[0])) if len(calls) == 1 else []
    if not given:
        return None
    known = call.values.get(name)
    takes = [re.split("[:=]", one.lstrip("*"))[0] for one in (known and known.signature) or ()]
    odd = [one for one in given if one.name not in takes] if takes else []
    odd = odd or [one for one in given if UNKNOWN.search(told) and one.name == word]
    if len(odd) != 1:
        if odd or LACKS.search(told) is None:
            return None
        line = given[-1].line
        return Slip(
            line, f"{name} gets its arguments from line {line}, and none of them is {word}."
        )
    (one,) = odd
    said = f"Line {one.line} makes the argument {one.name}, which line {call.line} hands to {name}."
    if LACKS.search(told) is None:
        return Slip(one.line, f"{said} That has none of this name.")
    return Slip(one.line, f"{said} There it is called {word}.", one.called(word))


def misset(tree: ast.Module, reference: ast.Module, told: str) -> Slip | None:
    """The partial that gives what it calls an argument of no name of that, by an error as told."""
    found = PRESET.search(told)
    calls = [one for one in of_kind(tree, ast.Call) if callee(one) == "partial"]
    odd = [(c, w) for c in calls for w in c.keywords if found is not None and w.arg == found[1]]
    if found is None or len(odd) != 1 or not odd[0][0].args:
        return None
    ((call, word),), (name, user) = odd, found.groups()
    owner = ast.unparse(call.args[0])
    given, value = {one.arg for one in call.keywords}, ast.unparse(word.value)
    takes = {
        one: text for one, text in _takes(tree, reference, call.args[0]).items() if one not in given
    }
    plain = isinstance(word.value, ast.Constant)
    near = {one for one, text in takes.items() if text == value and not plain}
    near |= {*difflib.get_close_matches(name, takes, n=2, cutoff=0.6)}
    line = word.value.lineno
    said = f"Line {line} sets {name}, which {user} hands to {owner}. That has none of this name."
    if len(near) != 1:
        return Slip(line, said)
    words = [ast.keyword(min(near), one.value) if one is word else one for one in call.keywords]
    write = ast.unparse(ast.Call(call.func, call.args, words))
    said = f"Line {line} sets {name}, which {user} hands to {owner}. There it is called"
    return Slip(line, f"{said} {min(near)}.", write)


def without(tree: ast.Module, told: str) -> Slip | None:
    """The partial of a class that lacks an argument, by an error as told: no call gives it more."""
    found = LACKS.search(told)
    for made in walked(tree) if found is not None else ():
        match made:
            case ast.Assign(targets=[target], value=ast.Call(args=[kind, *_]) as call):
                name, owner = ast.unparse(target), ast.unparse(kind)
            case _:
                continue
        if found is None or name != found[1] or callee(call) != "partial":
            continue
        calls = of_kind(tree, ast.Call)
        users = [one for one in calls if ast.unparse(one.func) == name]
        bare = all(not one.args and not one.keywords for one in users)
        if users and bare and owner.rpartition(".")[2][:1].isupper():
            said = f"Line {made.lineno} gives {owner} no {found[2]}, and each call of {name}"
            return Slip(made.lineno, f"{said} gives nothing more.")
    return None


def _takes(tree: ast.Module, reference: ast.Module, function: ast.expr) -> dict[str, str]:
    """The arguments of a class or a function of the file; else those that the reference gives it.

    Each with what the reference gives for it, as it is written.
    """
    name = ast.unparse(function).rpartition(".")[2]
    for one in walked(tree):
        if isinstance(one, ast.FunctionDef) and called_as(tree, one) == name:
            return dict.fromkeys(parameters(one), "")
    calls = calling(reference, name)
    return {w.arg: ast.unparse(w.value) for one in calls for w in one.keywords if w.arg}


def odd_option(tree: ast.Module, node: ast.AST) -> Slip | None:
    """The entry of what ``**`` hands to a call that another entry has as well.

    None for a call that gives its arguments itself.
    """
    given = list(_handed(tree, node)) if isinstance(node, ast.Call) else []
    texts = [ast.unparse(one.value) for one in given]
    twice = [one for one in given if texts.count(ast.unparse(one.value)) > 1]
    if len(twice) != 2 or isinstance(twice[0].value, ast.Constant):
        return None
    one, other = twice
    text = ast.unparse(one.value)
    said = f"Line {one.line} makes {one.name} {text}, and {there(other.line, one.line)} makes"
    said = f"{said} {other.name} the"
    return Slip(one.line, f"{said} same. Line {getattr(node, 'lineno', 0)} hands over both.")


def _handed(tree: ast.Module, call: ast.Call) -> Iterator[Option]:
    """The entries of the dicts that a call hands over with ``**``, where the file writes them."""
    for word in call.keywords:
        if word.arg is None:
            yield from entries(tree, word.value)


def entries(tree: ast.Module, node: ast.expr | None, left: int = MOST_STEPS) -> Iterator[Option]:
    """The entries of a dict: written there, kept under a name, or returned by a helper."""
    match node:
        case ast.Dict():
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield Option(key.value, value, key.lineno)
                elif key is None and left:
                    yield from entries(tree, value, left - 1)
        case ast.Call(func=ast.Name(id="dict")):
            for word in node.keywords:
                if word.arg is not None:
                    yield Option(word.arg, word.value, word.value.lineno, by_key=False)
        case ast.expr() if left:
            yield from entries(tree, _source(tree, node), left - 1)


def _source(tree: ast.Module, node: ast.expr) -> ast.expr | None:
    """What a name was given, or what a helper of the file returns."""
    if isinstance(node, ast.Call):
        helper = functions(tree).get(callee(node))
        ends = [one for one in ast.walk(helper or node) if isinstance(one, ast.Return)]
        return ends[0].value if len(ends) == 1 else None
    text = ast.unparse(node)
    return getattr(bound(tree, text, node.lineno) or _constant(tree, text), "value", None)


def _constant(tree: ast.Module, name: str) -> ast.stmt | None:
    """The one statement of the file itself that gives a name its value."""
    for one in tree.body:
        match one:
            case ast.Assign(targets=[ast.Name(id=own)]) if own == name:
                return one
            case ast.AnnAssign(target=ast.Name(id=own)) if own == name:
                return one
    return None
