"""Names and modules that are not there to be used or imported."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import difflib
import inspect
import re

from grader.frameworks.errors import in_class_body
from grader.frameworks.max.errors import brought, layers
from grader.frameworks.max.errors.case import Case
from grader.frameworks.max.errors.vocabulary import SHORT, known, meant
from grader.frameworks.values import Fix, Translation

IMPORTS = {
    "F": "from max.experimental import functional as F",
    "functional": "from max.experimental import functional as F",
    "Tensor": "from max.experimental.tensor import Tensor",
    **dict.fromkeys(
        ("Module", "Linear", "Embedding", "ModuleList", "Sequential"),
        "from max.experimental.nn import {}",
    ),
    "DType": "from max.dtype import DType",
    "finfo": "from max.dtype import finfo",
    "Dim": "from max.graph import Dim",
    "DimLike": "from max.graph import DimLike",
    "CPU": "from max.driver import CPU",
    "Device": "from max.driver import Device",
    "math": "import math",
    "np": "import numpy as np",
    "numpy": "import numpy",
    "dataclass": "from dataclasses import dataclass",
    "field": "from dataclasses import field",
    "dataclasses": "import dataclasses",
}


"""Where the names live that the lessons use."""

SLIP = 0.75
"""How alike a name must be to one of Python's own: few of the learner's names mean one."""

CONSTANTS = ("True", "False", "None")

HINTS = frozenset(
    ("Annotated", "Any", "Callable", "ClassVar", "Dict", "Final", "Iterable", "List", "Literal")
    + ("NamedTuple", "Optional", "Sequence", "Tuple", "Union")
)
"""Names of type hints, which live in ``typing``."""


def of_module(name: str) -> tuple[str, ...]:
    """What the lessons import from a module."""
    return tuple(one for one, line in IMPORTS.items() if line == f"from {name} import {one}")


def _no_name(case: Case, node: ast.Name, what: str) -> Translation | None:
    """A name that is to have a value here: of an option, or of a variable as in R."""
    if option := _option(case, node):
        return Translation(what, "An option is given by its name.", option)
    if assigned := _arrow(case, node):
        said = "<- does not assign in Python: it asks for less than minus"
        return Translation(said, None, assigned)
    return None


def _arrow(case: Case, node: ast.Name) -> Fix | None:
    """``y <- x``, with which R assigns."""
    match case.statement:
        case ast.Expr(ast.Compare(left=ast.Name(id=name), ops=[ast.Lt()])) if name == node.id:
            whole = case.segment(case.statement.value)
            _, arrow, value = whole.partition("<-")
            return Fix(whole, f"{name} = {value.strip()}") if arrow else None
    return None


def variable(case: Case, match: re.Match[str]) -> Translation:
    """A name that nothing defines."""
    name = match["name"]
    what = f"The name {name} is not defined"
    node = next((n for n in case.nodes() if isinstance(n, ast.Name) and n.id == name), None)
    own = case.seen.values.get("self")
    line = IMPORTS.get(name, "from typing import {}" if name in HINTS else "").format(name)
    if node is not None and (other := _no_name(case, node, what)):
        return other
    if node is not None and (home := _imported_as(case, node, name)):
        return Translation(what, f"The file imports it as {home[0]}.", case.fix(node, home[1]))
    if node is not None and (told := _in_class(case, node, what) or _with_a_dot(case, node)):
        return told
    if node is not None and (fix := _without_torch(case, node)):
        return Translation(f"{what}, and this course computes with MAX", "MAX has it.", fix)
    if told := brought.brought(case, name):
        return told
    if line:
        hint = f"Import it at the top of the file: {line}"
        return Translation(what, hint, about=f"import: {line}", elsewhere=True)
    if own is not None and name in own.names and node is not None:
        return Translation(what, "It belongs to the object.", case.fix(node, f"self.{name}"))
    if hint := _known_hint(case, name):
        kept = _kept(case, name) and f"around: {case.error.line}"
        return Translation(what, hint, about=kept or "", elsewhere=True)
    holder = _holder(case, name) if own is None else None
    if holder and node is not None:
        return Translation(what, f"{holder} has it.", case.fix(node, f"{holder}.{name}"))
    return _resembling(case, name, node, what)


NAMED = {
    **dict.fromkeys(("nil", "null", "NULL", "nullptr", "none", "Null", "undefined"), "None"),
    "true": "True",
    "false": "False",
}
"""What other languages call Python's constants."""


OBJECT = ("this", "This", "me", "Me", "Self")
"""What other languages call the object of a method."""


ALIASES = {"functional": "F", "numpy": "np"}
"""Modules, and the names by which the lessons import them."""


def _imported_as(case: Case, node: ast.Name, name: str) -> tuple[str, str] | None:
    """The name by which the file has a module, and what to write for ``name``.

    ``@functional`` is the decorator of the module's own name.
    """
    short = ALIASES.get(name)
    if short is None or case.error.about is None or short not in case.error.about.names:
        return None
    owns = any(isinstance(n, ast.Attribute) and n.value is node for n in case.nodes())
    return short, short if owns or name != "functional" else f"F.{name}"


def _in_class(case: Case, node: ast.Name, what: str) -> Translation | None:
    """``this.x`` for ``self.x``; or ``A.x`` in the body of ``class A``, whose name comes after."""
    if node.id in OBJECT and "self" in case.seen.values:
        return Translation(what, "Python calls the object self.", case.fix(node, "self"))
    outer = next(
        (n for n in case.nodes() if isinstance(n, ast.Attribute) and n.value is node), None
    )
    if outer is None or case.seen.function != node.id:
        return None
    hint = f"A class has its name only after its last line; {outer.attr} is known here."
    return Translation(f"{what} yet", hint, case.fix(outer, outer.attr))


def _with_a_dot(case: Case, node: ast.Name) -> Translation | None:
    """A variable with a dot in its name, as other languages allow it: ``minus.inf = 0``."""
    for outer in case.nodes():
        match outer:
            case ast.Attribute(value=value, attr=attr, ctx=ast.Store()) if value is node:
                what = f"No name has a dot: {node.id}.{attr} asks for the {attr} of {node.id}"
                return Translation(what, None, case.fix(outer, f"{node.id}_{attr}"))
    return None


def _option(case: Case, node: ast.Name) -> Fix | None:
    """A switch of ``@dataclass`` that is written without ``=True``."""
    switches = inspect.signature(dataclasses.dataclass).parameters
    for call in case.calls():
        if node in call.args and ast.unparse(call.func).endswith("dataclass"):
            return case.fix(node, f"{node.id}=True") if node.id in switches else None
    return None


def unbound(case: Case, match: re.Match[str]) -> Translation:
    """A variable that has no value yet; perhaps the name of a function that is none."""
    name = match["name"]
    call = next((one for one in case.calls() if ast.unparse(one.func) == name), None)
    if call is not None and call.args:
        what = f"{name} is called before it has a value: there is no function of this name"
        own = case.seen.values.get("self")
        if own is not None and name in own.names:
            return Translation(
                what, "It belongs to the object.", case.fix(call.func, f"self.{name}")
            )
        of_tensor = name in known()["Tensor"] and case.is_tensor(call.args[0])
        method = ast.Call(ast.Attribute(call.args[0], name), call.args[1:], call.keywords)
        made = method if of_tensor else ast.Call(ast.Name(f"F.{name}"), call.args, call.keywords)
        if of_tensor or name in known()["F"]:
            kind = "a method of tensors" if of_tensor else "a function of F"
            return Translation(what, f"It is {kind}.", case.fix(call, made))
    what = f"The variable {name} is used before it has a value"
    return Translation(what, "Give it a value on every path to this line.")


def _without_torch(case: Case, node: ast.Name) -> Fix | None:
    """``torch.x``, where the file has ``x`` itself, or F has it."""
    if node.id != "torch":
        return None
    outer = (n for n in case.nodes() if isinstance(n, ast.Attribute) and n.value is node)
    whole = next(outer, None)
    about = case.error.about.names if case.error.about else ()
    if whole is None or whole.attr not in (*about, *known()["F"]):
        return None
    call = next((one for one in case.calls() if one.func is whole), None)
    made = call is not None and not any(case.is_tensor(one) for one in call.args)
    made = made and "Tensor" in about and whole.attr in known().get("Tensor", ())
    home = "Tensor" if made else "F"
    return case.fix(whole, whole.attr if whole.attr in about else f"{home}.{whole.attr}")


def _known_hint(case: Case, name: str) -> str:
    """What to do about a name that says by itself what it was meant to be."""
    if name in ("torch", "nn", "tf", "keras", "jax"):
        return "This course writes everything in MAX: F, Tensor, Linear."
    if name == "self":
        if in_class_body(case.error):
            return "The body of a class has no self yet: it reads its own names without it."
        return "The first argument of a method is self."
    if instead := brought.CLASSES.get(name):
        return f"This course has {instead} instead: the lesson shows how it is made."
    if _kept(case, name):
        return f"Is {name} missing among the arguments of {case.seen.function}?"
    return ""


def _resembling(case: Case, name: str, node: ast.Name | None, what: str) -> Translation:
    """A name that is much like a known one, or a text without its quotation marks."""
    about = case.error.about.names if case.error.about else ()
    if name.capitalize() in CONSTANTS and node is not None:
        fix = case.fix(node, name.capitalize())
        return Translation(what, f"Did you mean {name.capitalize()}?", fix)
    if name in NAMED and name not in about and node is not None:
        return Translation(what, f"Python has {NAMED[name]}.", case.fix(node, NAMED[name]))
    for owner in ("F", "math") if name not in about else ():
        if name in known()[owner] and name not in dir(builtins) and node is not None:
            call = next((one for one in case.calls() if one.func is node), None)
            tensor = call is not None and any(case.is_tensor(one) for one in call.args)
            home = "F" if tensor or name not in known()["math"] else "math"
            fix = case.fix(node, f"{home}.{name}")
            return Translation(what, f"It is a function of {home}.", fix)
    if name == "j" and node is not None and any(_multiplies(one, node) for one in case.nodes()):
        return Translation(what, "The imaginary unit needs its 1.", case.fix(node, "1j"))
    near = meant(name, (*about, *IMPORTS, *_builtins(name)))
    called = any(one.func is node for one in case.calls())
    if near is not None and name[0].islower() and near[0].isupper() and not called:
        if "self" in case.seen.values and case.seen.function != "__init__":
            kept = f"self.{name}"
            hint = f"If __init__ takes {name}, only __init__ knows it: keep it there with"
            return Translation(what, f"{hint} {kept} = {name}, and read {kept} here.")
    elif near is not None and node is not None:
        return Translation(what, f"Did you mean {near}?", case.fix(node, near))
    if _is_text(case, name):
        return Translation(what, f'A text needs quotation marks: "{name}".')
    return Translation(what, "Is it imported, and is it spelled the same as where it is defined?")


def _multiplies(node: ast.AST, factor: ast.Name) -> bool:
    """Whether a node is a product of which a name is one factor."""
    times = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
    return times and factor in (node.left, node.right)  # type: ignore[attr-defined]


def _builtins(name: str) -> list[str]:
    """The functions of Python that a name may be but for a slip of the keyboard."""
    known = [one for one in dir(builtins) if one.islower() and len(name) > SHORT]
    return difflib.get_close_matches(name.strip("_"), known, cutoff=SLIP)


def _is_text(case: Case, name: str) -> bool:
    """Whether the statement gives ``name`` to something that is said to be a text."""
    return re.match(rf"\w+\s*:\s*str\s*=\s*{name}\b", case.seen.statement) is not None


def _kept(case: Case, name: str) -> bool:
    """Whether the statement is ``self.name = name``: then it is to be an argument."""
    match case.statement:
        case ast.Assign(targets=[ast.Attribute(attr=attr)], value=ast.Name(id=given)):
            return attr == given == name
    return False


def _holder(case: Case, name: str) -> str | None:
    """A value of the line that has an attribute of this name."""
    return next((text for text, one in case.seen.values.items() if name in one.fields), None)


def imported(case: Case, match: re.Match[str]) -> Translation:
    """A name that a module has not."""
    name, module = match["name"], match["module"]
    what = f"{module} has no {name}"
    line = IMPORTS.get(name, "").format(name)
    if line and f"{module} " not in line and name != module:
        return Translation(what, "It lives elsewhere.", _whole(case, line))
    if line and module in line and name in line and name != module:
        return Translation(what, f"The line to write: {line}", _whole(case, line))
    if module.endswith(".nn") and (hint := layers.instead(name)):
        return Translation(what, hint)
    near = meant(name, case.error.about.names if case.error.about else ())
    if near is None:
        return Translation(what, "The lesson says where each name lives.")
    fixed = re.sub(rf"\b{re.escape(name)}\b", near, case.seen.statement)
    return Translation(what, f"Did you mean {near}?", _whole(case, fixed))


def module(case: Case, match: re.Match[str]) -> Translation:
    """A module that does not exist."""
    name = match["name"]
    what = f"There is no module {name}"
    if name.partition(".")[0] in ("torch", "tensorflow", "jax", "transformers", "keras"):
        return Translation(what, "This course writes everything in MAX: leave this import out.")
    if name in IMPORTS and case.seen.statement == f"import {name}":
        whole = IMPORTS[name].format(name)
        home = whole.split()[1]
        used = case.error.about.names if case.error.about else ()
        if any(one.startswith(f"{home}.") for one in used):
            hint = f"Its module is {home}, and the file writes {home}.{name}."
            return Translation(what, hint, _whole(case, f"import {home}"))
        return Translation(what, "It is a name in another module.", _whole(case, whole))
    near = meant(name, known()["modules"])
    if near is None:
        return Translation(what, "The lesson lists the modules that this step needs.")
    fixed = case.seen.statement.replace(name, near, 1)
    return Translation(what, f"Did you mean {near}?", _whole(case, fixed))


def _whole(case: Case, new: str) -> Fix | None:
    """The whole statement replaced, where it imports one name only."""
    old = case.seen.statement
    return Fix(old, new) if old and "," not in old and old != new else None
