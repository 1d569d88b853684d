"""Facts that MAX's rows need: shapes, element types, and uses of its tensors."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from typing import Any

from grader.frameworks.errors import names, values
from grader.frameworks.errors.calls import parameters
from grader.frameworks.errors.case import Case, described, short, sizes
from grader.frameworks.errors.table import Reader
from grader.protocol.probe import SeenValue

Names = Mapping[str, Mapping[str, Any]]
AXES = ("axis", "dim1", "dim2", "axis_1", "axis_2", "chunks")
"""Parameters that are integers."""
OF_NUMPY = ("np", "numpy", "math")


def read(text: str) -> list[int]:
    """Return the sizes in ``[Dim(2), Dim(3)]`` or ``[2, 3]``."""
    return [int(number) for number in re.findall(r"-?\d+", text)]


def on_self(case: Case, match: re.Match[str], table: Names) -> dict[str, str] | None:
    """Describe an attribute of the learner's object that was never set, as ``names.attribute``."""
    facts = names.attribute(case, match, table)
    if facts is None or "me" not in facts:
        return None
    later = "" if case.seen.function == "__init__" else str(case.error.line or "")
    about = case.error.about
    fields = about.fields if about is not None else ()
    extra = names.of("self", match["name"], table)
    if facts.get("near") and facts["near"] in (*fields, *(about.names if about else ())):
        facts["instead"] = ""
    return {**facts, "later": later, **extra}


def of_numpy(case: Case, match: re.Match[str], table: Names) -> dict[str, str] | None:
    """Describe a function of NumPy or ``math`` that was given a MAX tensor."""
    call = case.call or next(case.calls(), None)
    func = call.func if call is not None else None
    if (
        call is None
        or not isinstance(func, ast.Attribute)
        or ast.unparse(func.value) not in OF_NUMPY
    ):
        return None
    flat = [e for a in call.args for e in (a.elts if isinstance(a, ast.List | ast.Tuple) else [a])]
    given = next((one for one in flat if _holds_tensor(case, one)), None)
    if given is None or not (text := short(given)):
        return None
    found = names.of("Tensor", func.attr, table)
    home = table.get("recorded", {}).get("F", ())
    instead = found.get("instead") or (f"F.{func.attr}" if func.attr in home else "")
    return {"call": ast.unparse(func), "given": text, "instead": instead}


def _holds_tensor(case: Case, node: ast.expr) -> bool:
    """Whether ``node`` is a tensor or is computed from one."""
    if isinstance(node, ast.BinOp | ast.UnaryOp):
        return any(case.kind(one) == "Tensor" for one in ast.walk(node))
    return case.kind(node) == "Tensor"


def dtypes(case: Case, match: re.Match[str], table: Names) -> dict[str, str]:
    """Sort the operands by element type: ``bool``, ``whole``, ``float``, or a ``dim``."""
    facts: dict[str, str] = {}
    for node in reversed(case.operands()):
        value, text = case.value(node), short(node)
        if value is None:
            if isinstance(node, ast.BinOp | ast.Subscript) and "shape" in text:
                facts["dim"] = text
        elif value.kind == "StaticDim":
            facts["dim"] = text
        elif value.kind == "Tensor":
            kind = "whole" if value.dtype.startswith(("int", "uint")) else value.dtype
            kind = "float" if kind.startswith(("float", "bfloat")) else kind
            facts[kind] = text
            if kind == "float" and len(case.operands()) == 1:
                facts |= {"only": text, "is": described(value)}
    return facts


def element(case: Case, match: re.Match[str], table: Names) -> dict[str, str] | None:
    """Describe what was passed where one of MAX's element types belongs."""
    words = [one.value for one in case.call.keywords if one.arg == "dtype"] if case.call else []
    for node in words or case.operands():
        value = case.value(node)
        if value is not None and (words or value.kind in ("str", "type", "NoneType", "Tensor")):
            return values.about(case, node, value, table)
    return None


def shapes(case: Case, match: re.Match[str], table: Names) -> dict[str, str] | None:
    """Describe two incompatible shapes, with the names of the values that have them.

    ``layer`` is a call inside which they meet, ``argument`` what it was given. ``axis`` is the
    last one on which they differ, and ``mine`` and ``other`` are their sizes there; ``known`` is a
    number in the line that equals one of them.
    """
    found = match.groupdict()
    texts = [found.get("left") or found.get("one"), found.get("right") or found.get("two")]
    left, right = (read(text or "") for text in texts)
    pair = _pair(case)
    facts = {"left": _named(pair, 0, left), "right": _named(pair, 1, right)}
    call = case.node if isinstance(case.node, ast.Call) else None
    if call is not None and case.error.inside:
        func = ast.unparse(call.func)
        if not func.startswith(("F.", "np.")):
            facts = {"left": sizes(left), "right": sizes(right), "layer": func}
            facts["argument"] = short(call.args[0]) if call.args else ""
    differ = [
        (-1 - at, one, two)
        for at, (one, two) in enumerate(zip(reversed(left), reversed(right), strict=False))
        if one != two and 1 not in (one, two)
    ]
    if "inner" in found and left and right:
        differ = [(-1, left[-1], right[-2:][0])]
    if differ:
        axis, one, two = differ[0]
        facts |= {"axis": str(axis), "mine": str(one), "other": str(two)}
        facts["known"] = _known(case, (one, two))
    return facts


def _pair(case: Case) -> tuple[ast.expr, ast.expr] | None:
    """Return the two operands of the expression that raised."""
    match case.node:
        case ast.BinOp(left=left, right=right):
            return left, right
        case ast.Compare(left=left, comparators=[right]):
            return left, right
        case ast.Call(args=[left, right]):
            return left, right
    return None


def _named(pair: tuple[ast.expr, ast.expr] | None, at: int, shape: list[int]) -> str:
    """Return a shape after the expression that has it, unless that is long."""
    text = ast.unparse(pair[at]) if pair is not None else ""
    return f"{text} {sizes(shape)}" if 0 < len(text) < 40 else sizes(shape)


def _known(case: Case, numbers: tuple[int, int]) -> str:
    """Return a number in the line that equals one of these sizes: ``seq_len is 12``."""
    for text, value in case.seen.values.items():
        if value.kind in ("int", "StaticDim") and value.text in map(str, numbers):
            return f"{text} is {value.text}" if len(text) < 40 else ""
    return ""


def lengths(case: Case, match: re.Match[str], table: Names) -> dict[str, str]:
    """Return the shapes and sizes in a message, as the lessons write them, and their totals.

    ``shapes`` are those of all tensors. ``had`` is how many numbers an ``old`` shape has,
    ``numbers`` how many a ``new`` one has; ``total`` is the sum of ``parts``. ``owner`` is what was
    reshaped, or ``layer`` the call inside which something was.
    """
    found = {name: read(match.groupdict().get(name) or "") for name in ("old", "new", "parts")}
    facts = {name: sizes(one) for name, one in found.items()}
    every = (sizes(read(one)) for one in re.findall(r"shape=(\[[^\]]*\])", case.text))
    facts["shapes"] = " and ".join(list(dict.fromkeys(every))[:3])
    facts |= {"had": str(math.prod(found["old"])), "numbers": str(math.prod(found["new"]))}
    facts |= {"total": str(sum(found["parts"])), "same": "same" * (found["old"] == found["new"])}
    func = case.call.func if case.call is not None else None
    if isinstance(func, ast.Attribute) and func.attr == "reshape":
        facts["owner"] = "" if ast.unparse(func.value) == "F" else short(func.value)
    elif case.error.inside:
        facts["layer"] = short(func)
    return facts


def unpacked(case: Case, match: re.Match[str], table: Names) -> dict[str, str] | None:
    """Describe a tensor that was unpacked, iterated over, or passed as a list of tensors."""
    if isinstance(case.node, ast.Subscript) or match["index"] != str(int(match["have"]) + 1):
        return None
    match case.statement:
        case ast.Assign(targets=[ast.Tuple(elts=taken)], value=ast.Call(func=func)):
            return {"function_": short(func), "names": str(len(taken))}
        case ast.Assign(targets=[ast.Tuple(elts=taken)], value=one):
            return {"whole": short(one), "names": str(len(taken))}
    given = next((one for one in case.operands() if case.kind(one) == "Tensor"), None)
    return {"tensor": short(given) if case.call is not None else ""}


def sliced(case: Case, match: re.Match[str], table: Names) -> dict[str, str]:
    """Describe an index, ``place``, or a slice past the end of an axis."""
    index, have, node = int(match["index"]), int(match["have"]), case.node
    axis = f"this axis of {short(node.value)}" if isinstance(node, ast.Subscript) else "the axis"
    inner = node.slice if isinstance(node, ast.Subscript) else None
    every = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    cut = any(isinstance(one, ast.Slice) and (one.lower or one.upper) for one in every)
    at = index - 1 if match["end"] == "stop" else index
    plain = inner is not None and (not cut or str(at) in map(short, every))
    return {"axis": axis, "place": str(at) if plain else "", "last": str(have - 1) if plain else ""}


def axis(case: Case, match: re.Match[str], table: Names) -> dict[str, str]:
    """Describe an axis that the tensor lacks, as the call writes it, and the tensor's shape."""
    found = {key.rstrip("0123456789"): one for key, one in match.groupdict().items() if one}
    call = case.call
    func = call.func.value if call is not None and isinstance(call.func, ast.Attribute) else None
    every = (*(call.args[:1] if call is not None else ()), func)
    shape = next((v.shape for one in every if (v := case.value(one)) and v.kind == "Tensor"), None)
    rank = found.get("rank") or (str(len(shape)) if shape is not None else "")
    given = [*call.args, *(word.value for word in call.keywords)] if call is not None else []
    plain = [v.text for one in given if (v := case.value(one)) and v.kind == "int"]
    counted = str(int(found["axis"]) - int(rank or 0))
    back = counted.startswith("-") and counted in plain and found["axis"] not in plain
    fits = shape is not None and rank == str(len(shape))
    return {
        "axis": counted if back else found["axis"],
        "axes": {"0": "no axes", "1": "one axis"}.get(rank, rank and f"{rank} axes"),
        "shape": sizes(shape) if fits else "",
    }


def axes(case: Case, match: re.Match[str], table: Names) -> dict[str, str] | None:
    """Describe something other than an integer that was passed as an axis."""
    call = case.call
    value = case.value(call.func) if call is not None else None
    if call is None:
        return None
    plain, _ = parameters(value.signature if value is not None else None)
    given = dict(zip(plain, call.args, strict=False))
    given |= {word.arg: word.value for word in call.keywords if word.arg}
    for name in AXES:
        node = given.get(name)
        if node is None or case.kind(node) in ("int", ""):
            continue
        if isinstance(node, ast.List | ast.Tuple) and len(node.elts) > 1:
            return {"several": short(node)}
        one = case.value(node) or SeenValue("")
        return values.about(case, node, one, table)
    return None


def dims(case: Case, match: re.Match[str], table: Names) -> dict[str, str] | None:
    """Describe a size of a shape that was used like a number."""
    every = [*case.operands(), *case.nodes()]
    node = next((one for one in every if case.kind(one) in ("StaticDim", "Shape")), None)
    return {"dim": short(node) if node is not None else "A size of a shape"}


def truth(case: Case, match: re.Match[str], table: Names) -> dict[str, str]:
    """Describe a tensor that was used as a condition or converted to one number."""
    call = case.call
    name = ast.unparse(call.func).rpartition(".")[2] if call is not None else ""
    nodes = (*case.operands(), *case.nodes())
    tensor = next((one for one in nodes if case.kind(one) == "Tensor"), None)
    asked = {"max": "compares", "min": "compares", "item": "reads"}.get(name)
    return {"given": short(tensor), **({asked: name} if asked else {})}


def forward(case: Case, match: re.Match[str], table: Names) -> dict[str, str]:
    """Describe a module without ``forward`` that was called, or whose ``forward`` was read."""
    func = case.call.func if case.call is not None else None
    asked = isinstance(func, ast.Attribute) and func.attr == "forward"
    owner = short(func.value) if asked and isinstance(func, ast.Attribute) else short(func)
    if match["name"] in ("ModuleList", "Module"):
        return {"owner": owner or "This"}
    return {"object": owner} if asked else {}


def text(case: Case, match: re.Match[str], table: Names) -> dict[str, str] | None:
    """Describe a string among the numbers of a tensor, which MAX iterates over endlessly."""
    call = case.call
    if call is None or not ast.unparse(call.func).startswith("Tensor"):
        return None
    inner = (n for one in call.args for n in ast.walk(one) if isinstance(n, ast.Constant))
    found = next((one for one in inner if isinstance(one.value, str)), None)
    return {"text": short(found)} if found is not None else None


READERS: Mapping[str, Reader] = {
    "on self": on_self,
    "numpy": of_numpy,
    "dtypes": dtypes,
    "element": element,
    "shapes": shapes,
    "lengths": lengths,
    "unpacked tensor": unpacked,
    "sliced": sliced,
    "axis": axis,
    "axes": axes,
    "dims": dims,
    "truth": truth,
    "forward": forward,
    "text": text,
}
"""The functions that read a row's facts, by the name in its ``facts``."""
