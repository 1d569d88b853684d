"""What Python raises where something is called that cannot be, or a module has no forward."""

from __future__ import annotations

import ast
import re

from grader.frameworks.max.errors import imports
from grader.frameworks.max.errors.calls import told
from grader.frameworks.max.errors.case import Case, described
from grader.frameworks.max.errors.misfits import FUNCTIONS, is_layer
from grader.frameworks.max.errors.nothing import none_has
from grader.frameworks.max.errors.vocabulary import meant
from grader.frameworks.values import Fix, Translation
from grader.protocol.probe import SeenValue


def not_callable(case: Case, match: re.Match[str]) -> Translation:
    """Something that is no function was called."""
    call = case.call
    func = call.func if call else None
    value = case.value(func)
    if call is None or func is None:
        return _decorator(case, match["kind"]) or _made_of_field(match["kind"])
    text = ast.unparse(func)
    if match["kind"] == "NoneType":
        return none_has(case, func, "so it cannot be called")
    if value is None:
        if isinstance(func, ast.Tuple | ast.List | ast.Constant | ast.Call):
            return Translation(
                f"{text} was called like a function", "Is a comma or an operator missing?"
            )
        value = SeenValue(match["kind"])
    if value.kind in (*FUNCTIONS, "type") and value.kind != match["kind"]:
        return _handed(case, call, match["kind"])
    what = f"{text} is {described(value)}, and was called like a function"
    if not call.args and not call.keywords:
        return Translation(what, "Leave the parentheses out.", case.fix(call, func))
    if value.kind == "Shape" or (value.kind == "tuple" and text.endswith("shape")):
        index = ast.Subscript(func, call.args[0])
        return Translation(what, "Use brackets for an index.", case.fix(call, index))
    if value.kind in ("list", "tuple", "dict", "ModuleList"):
        return Translation(what, "Use brackets for an index, and a loop for all of it.")
    if value.kind in ("int", "str") and isinstance(func, ast.Name):
        hint = (
            f"If {text} comes from a loop: a loop over a dict gives its keys, one over range gives "
            "numbers. Loop over the layers themselves, in a ModuleList."
        )
        return Translation(what, hint)
    return _around(case, call, func, what)


def _made_of_field(kind: str) -> Translation:
    """What the ``__init__`` of a dataclass called for a field."""
    what = described(SeenValue(kind))
    return Translation(
        f"{what[0].upper()}{what[1:]} was called like a function",
        "What the lesson calls must be a function or a class, and a default_factory a function "
        "without arguments: lambda: 12, or the name of one, without parentheses. A value goes to "
        "default.",
        about=r"() ~default_factory=(?!(?:lambda|list|dict|set|tuple)\b)",
    )


def _decorator(case: Case, kind: str) -> Translation | None:
    """A decorator that is no function: a module, in which there may be one of a near name."""
    node = case.node
    if node is None or case.kind(node) != kind or not isinstance(case.statement, ast.Expr):
        return None
    text, value = ast.unparse(node), case.value(node) or SeenValue(kind)
    what = f"@{text} is {described(value)}, and a decorator is a function"
    near = meant(value.text, imports.of_module(value.text)) if kind == "module" else None
    hint = f"{near} is in it." if near else None
    return Translation(what, hint, case.fix(node, f"{text}.{near}") if near else None)


def _stepped(case: Case, text: str) -> Fix | None:
    """``reduce(lambda f, x: f(x), ...)``, whose parameters are the other way round.

    ``text`` is the first of them, which is called.
    """
    for one in case.calls():
        match one:
            case ast.Call(args=[ast.Lambda(args=taken, body=body) as step, *_]):
                names = [each.arg for each in taken.args]
                calls = names[:1] == [text] and case.kind(ast.Name(names[-1])) in FUNCTIONS
                if calls and ast.unparse(one.func).endswith("reduce") and len(names) == 2:
                    return case.fix(step, f"lambda {names[1]}, {text}: {ast.unparse(body)}")
    return None


def _reduced(case: Case, text: str) -> Fix | None:
    """``reduce(lambda x, f: f(x), value, functions)`` with the last two in their order.

    ``text`` is the second parameter of the lambda, which is called. The first one is all of them.
    """
    for one in case.calls():
        match one:
            case ast.Call(func=func, args=[ast.Lambda(args=taken) as step, first, last]):
                names = [each.arg for each in taken.args]
                listed = case.kind(ast.Name(names[0])) in ("list", "tuple") if names else False
                if ast.unparse(func).endswith("reduce") and names[1:] == [text] and listed:
                    return case.fix(one, ast.Call(func, [step, last, first], one.keywords))
    return None


def _around(case: Case, call: ast.Call, func: ast.expr, what: str) -> Translation:
    """A value was called: a module, or perhaps with the layer that is to be called with it."""
    if (crossed := _stepped(case, ast.unparse(func))) is not None:
        hint = "reduce hands over what it has so far first, and the next of the list second."
        return Translation(what, hint, crossed)
    if (turned := _reduced(case, ast.unparse(func))) is not None:
        hint = "reduce takes the function, then what it goes through, then the first value."
        return Translation(what, hint, turned)
    value = case.value(func) or SeenValue("")
    if value.kind == "module" and (near := meant(value.text, imports.of_module(value.text))):
        return Translation(what, f"{near} is in it.", case.fix(func, f"{ast.unparse(func)}.{near}"))
    given = case.value(call.args[0]) if len(call.args) == 1 else None
    if case.is_tensor(func) and given is not None and is_layer(given):
        other = ast.unparse(call.args[0])
        hint = f"{other} is a layer: the two are swapped. It is the layer that is called."
        return Translation(what, hint, case.fix(call, ast.Call(call.args[0], [func], [])))
    if given is not None and _scales(value, given) and "bias" not in ast.unparse(func):
        made = ast.BinOp(func, ast.Mult(), call.args[0])
        return Translation(what, "Is it a factor? * multiplies.", case.fix(call, made))
    if value.kind == "bool":
        hint = (
            f"Only a layer or a function is called: look where {ast.unparse(func)} gets its value."
        )
        return Translation(what, hint)
    return Translation(what, "Leave the parentheses out, or is an operator missing?")


def _scales(value: SeenValue, given: SeenValue) -> bool:
    """Whether a tensor can be a factor of vectors: one number for each of their features."""
    both = (value.kind, given.kind) == ("Tensor", "Tensor") and value.dtype == given.dtype
    return both and len(value.shape or ()) == 1 and value.shape == (given.shape or ())[-1:]


def _handed(case: Case, call: ast.Call, kind: str) -> Translation:
    """A function was given something of this kind where it needs a function or a layer."""
    text, plain = ast.unparse(call.func), described(SeenValue(kind))
    for node in case.operands():
        if isinstance(node, ast.Call) and case.kind(node) in ("", kind):
            what = f"{text} calls what it is given, and {ast.unparse(node)} is {plain}"
            hint = f"Give {ast.unparse(node.func)} itself, without calling it."
            return Translation(what, hint, case.fix(node, node.func))
    given = next((one for one in case.operands() if case.kind(one) == kind), None)
    what = plain if given is None else f"{ast.unparse(given)}, {plain},"
    return Translation(
        f"{text} was given {what} where it needs a function or a layer",
        f"The arguments are {told(case, call)}.",
    )


def factory(case: Case, match: re.Match[str]) -> Translation | None:
    """The function behind a ``default_factory``, called by the ``__init__`` of a dataclass."""
    if case.error.line is not None and case.call is not None:
        return None
    return Translation(
        "A lambda is called without an argument, and needs one",
        "A default_factory takes a function without arguments: lambda: 12.",
        about=r"() ~default_factory=lambda [^:]",
    )


def no_forward(case: Case, match: re.Match[str]) -> Translation:
    """A module that has no forward was called, or its forward by name."""
    name, call = match["name"], case.call
    func = call.func if call else None
    if call is not None and isinstance(func, ast.Attribute) and func.attr == "forward":
        owner = ast.unparse(func.value)
        if name == "ModuleList":
            return _list_called(owner)
        new = ast.Call(func.value, call.args, call.keywords)
        return Translation(
            f"{name} has no forward: it is called itself",
            f"Call the object: {owner}(...).",
            case.fix(call, new),
        )
    if name in ("ModuleList", "Module"):
        return _list_called(ast.unparse(func) if func else "The list")
    return Translation(
        f"{name} has neither __call__ nor forward",
        "Define one of them inside the class: it is what runs when the object is called.",
    )


def _list_called(owner: str) -> Translation:
    return Translation(
        f"{owner} is a list of layers, and a list cannot be called",
        f"Call its layers, one after another: for block in {owner}: x = block(x)",
    )


def recursion(case: Case, match: re.Match[str]) -> Translation:
    """A call that never ends; MAX does it too, with a text for a number."""
    call = case.call
    for node in case.operands():
        value = case.value(node)
        if value is not None and value.kind in ("str", "list") and call is not None:
            texts = [n for n in ast.walk(node) if isinstance(n, ast.Constant)]
            texts = [one for one in texts if isinstance(one.value, str)]
            if texts and ast.unparse(call.func).startswith("Tensor"):
                what = (
                    f"{ast.unparse(call.func)} takes numbers, and {ast.unparse(texts[0])} is a text"
                )
                new = re.sub(r"'[^']*'", r"float(\g<0>)", ast.unparse(node))
                return Translation(what, "Make a number of it.", case.fix(node, new))
    name = case.error.function
    what = f"{name} calls itself without end" if name else "A function calls itself without end"
    return Translation(
        what, "In a Module, self(...) calls __call__ again: use another name for a helper."
    )
