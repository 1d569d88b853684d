"""Lines written for NumPy, PyTorch or plain Python: the same line as MAX, or as NumPy, has it."""

from __future__ import annotations

import ast
import re

import numpy as np

from grader.base.rewriting import Rewriter
from grader.frameworks.max.errors.calls import renamed
from grader.frameworks.max.errors.case import Case, described
from grader.frameworks.max.errors.elsewhere import PROSE, rewritten
from grader.frameworks.max.errors.foreign import tensorlike
from grader.frameworks.max.errors.layers import MADE, OTHER, moved
from grader.frameworks.max.errors.vocabulary import known
from grader.frameworks.values import Translation

HOMES = ("np", "numpy", "torch", "nn", "math", "tf", "keras", "jax", "jnp")
"""What other libraries are imported as."""

CREATE = ("zeros", "ones", "full")

CLASSES = {
    **{name: theirs for name, (theirs, _) in OTHER.items() if theirs in MADE},
    "Sequential": "ModuleList",
    "Parameter": "",
    "LayerNorm": "LayerNorm",
    **{name: name for name in ("Linear", "Embedding", "Module", "ModuleList")},
}
"""Layers of other libraries, and what this course uses."""

NUMPY = {
    **dict.fromkeys(("float", "to_float"), "{x}.astype(np.float32)"),
    "double": "{x}.astype(np.float64)",
    **dict.fromkeys(("long", "int"), "{x}.astype(np.int64)"),
    **dict.fromkeys(("numpy", "to_numpy", "detach", "cpu", "clone"), "{x}"),
    "cast": "{x}.astype({0})",
    "masked_fill": "np.where({0}, {1}, {x})",
    "unsqueeze": "np.expand_dims({x}, {0})",
    "size": "{x}.shape[{0}]",
}
"""Methods that learners ask of an array, and what NumPy has."""

FUNCTIONS = (
    *("abs", "argmax", "argmin", "argsort", "concatenate", "cumsum", "exp", "log", "log2", "max"),
    *("mean", "min", "searchsorted", "sort", "sqrt", "sum", "tanh", "where"),
)
"""Functions of NumPy that the course uses."""


def brought(case: Case, name: str) -> Translation | None:
    """A line that uses ``name``, another library, which is not imported; or MAX's own in NumPy."""
    if name not in HOMES:
        return _type_of_numpy(case, name)
    calls = [one for one in case.calls() if _home(one) == name]
    if not calls:
        return None
    call = max(calls, key=lambda one: len(ast.unparse(one)))
    inner = [one for one in calls if one.args]
    tensors = any(tensorlike(case, one) for call in inner for one in call.args)
    makes = _function(call) in CREATE
    if name in ("np", "numpy", "math") and not tensors and not makes:
        return None
    what = f"The name {name} is not defined, and this course computes with MAX"
    if _function(call) in PROSE and _function(call) not in CLASSES:
        return Translation(what, PROSE[_function(call)])
    made = _Moved().visit(call)
    if any(_home(one) for one in ast.walk(made) if isinstance(one, ast.Call)):
        return Translation(what, "Use F, Tensor or Linear: MAX has its own way.")
    return Translation(what, "MAX has its own.", case.fix(call, made))


def _type_of_numpy(case: Case, name: str) -> Translation | None:
    """NumPy's element type for ``DType.float32`` in ``array.astype(...)`` or a call of NumPy."""
    every = (one for one in case.nodes() if isinstance(one, ast.Attribute))
    asked = next((one for one in every if ast.unparse(one.value) == name), None)
    if name != "DType" or asked is None or not hasattr(np, asked.attr):
        return None
    for call in case.calls():
        given = [*call.args, *(word.value for word in call.keywords)]
        func = call.func
        casts = isinstance(func, ast.Attribute) and func.attr == "astype"
        if asked in given and (casts or _home(call) in ("np", "numpy")):
            root = "numpy" if "numpy." in ast.unparse(call) else "np"
            what = "The name DType is not defined, and NumPy has element types of its own"
            return Translation(what, None, case.fix(asked, f"{root}.{asked.attr}"))
    return None


def _home(call: ast.Call) -> str:
    """The library that a call is of; empty where it is none of the known."""
    node = call.func
    while isinstance(node, ast.Attribute):
        node = node.value
    is_home = isinstance(node, ast.Name) and node.id in HOMES and node is not call.func
    return node.id if is_home and isinstance(node, ast.Name) else ""


def _function(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


class _Moved(Rewriter):
    """Each call of another library as MAX writes it; what cannot be moved stays."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """The call, its arguments first."""
        node = self.generic_visit(node)
        if not _home(node):
            return node
        name = _function(node)
        words = {word.arg: word.value for word in node.keywords if word.arg}
        if name == "Parameter" and node.args:
            return node.args[0]
        if name in OTHER:
            whole = moved(node, name)
            return ast.parse(whole, mode="eval").body if whole else node
        if name in CLASSES:
            return ast.Call(ast.Name(CLASSES[name]), node.args, node.keywords)
        if name in CREATE and node.args:
            shape, *rest = node.args
            listed = shape if isinstance(shape, ast.List | ast.Tuple) else ast.List([shape])
            return ast.Call(ast.parse(f"Tensor.{name}", mode="eval").body, [listed, *rest], [])
        if made := rewritten(name, node.args, words):
            return ast.parse(made, mode="eval").body
        return renamed("F", name, list(node.args), node) if name in known()["F"] else node


def of_array(case: Case, node: ast.Attribute) -> Translation | None:
    """A method that a NumPy array has not: one of a tensor, or a function of NumPy."""
    owner, name = ast.unparse(node.value), node.attr
    value = case.value(node.value)
    what = f"{owner} is {described(value)}" if value else f"{owner} is a NumPy array"
    what = f"{what}, which has no {name}"
    call = next((one for one in case.calls() if one.func is node), None)
    args = [ast.unparse(one) for one in call.args] if call else []
    x = owner if isinstance(node.value, ast.Name | ast.Attribute | ast.Call) else f"({owner})"
    about = case.error.about
    if name == "unsqueeze" and args == ["-1"] and about is not None and len(about.shape or ()) == 1:
        hint = "NumPy spells it differently."
        return Translation(what, hint, case.fix(call or node, f"{x}[:, None]"))
    if name in NUMPY:
        try:
            made = NUMPY[name].format(*args, x=x)
        except IndexError:
            return Translation(what, None)
        return Translation(what, "NumPy spells it differently.", case.fix(call or node, made))
    if name == "to" and len(args) == 1 and args[0].endswith(".device"):
        made = f"Tensor({x}, dtype={args[0].removesuffix('.device')}.dtype, device={args[0]})"
        return Translation(what, "Make a tensor of it.", case.fix(call or node, made))
    if name in FUNCTIONS and call is not None:
        made = f"np.{name}({', '.join([owner, *map(ast.unparse, call.args)])})"
        return Translation(what, "It is a function of NumPy.", case.fix(call, made))
    return None


def array_given(case: Case, match: re.Match[str]) -> Translation | None:
    """A function of F that was given a NumPy array, of which MAX says nothing."""
    call = case.call
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    array = next((one for one in case.operands() if case.kind(one) == "ndarray"), None)
    if array is None or ast.unparse(call.func.value) != "F":
        return None
    name, text = call.func.attr, ast.unparse(array)
    what = f"F.{name} works on MAX tensors, and {text} is a NumPy array"
    if name not in FUNCTIONS:
        return Translation(what, "Use a function of NumPy, or make a tensor of it: Tensor(array).")
    new = ast.Call(ast.Attribute(ast.Name("np"), name), call.args, call.keywords)
    return Translation(what, "Stay with NumPy here.", case.fix(call, new))
