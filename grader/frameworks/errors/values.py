"""Facts about values of the wrong kind, wrong counts, and missing entries."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from grader.frameworks.errors.calls import parameter
from grader.frameworks.errors.case import Case, described, short
from grader.frameworks.errors.near import meant
from grader.protocol.probe import SeenValue

Names = Mapping[str, Mapping[str, Any]]
FUNCTIONS = (
    "function",
    "method",
    "builtin_function_or_method",
    "ufunc",
    "_ArrayFunctionDispatcher",
)
UNFIT = ("NoneType", "list", "tuple", "dict", "str", "type", "map", "generator", *FUNCTIONS)
"""Kinds of values that no operation on numbers accepts."""
CHANGES = ("append", "extend", "sort", "insert", "reverse", "update", "add")
"""Methods that modify their object and return None."""


def given(case: Case, match: re.Match[str], names: Names) -> dict[str, str] | None:
    """Describe the value that does not fit, and what to look at for values of its kind.

    ``given`` is its text, ``is`` a description, ``kind`` the name of its type, ``parameter`` the
    parameter that receives it. ``nothing`` replaces ``given`` for None, ``written`` for something
    self-explanatory. ``advice`` comes from the table ``kinds``.
    """
    node, value = _unfit(case, _kinds(match, names))
    return about(case, node, value, names) if node is not None else None


def about(case: Case, node: ast.expr, value: SeenValue, names: Names) -> dict[str, str] | None:
    """Return the facts of :func:`given` about ``node``."""
    if not (text := short(node)):
        return None
    facts = {"kind": value.kind, "parameter": parameter(case, node), "is": described(value)}
    if value.kind == "NoneType":
        return facts | _nothing(case, node, text)
    kind = "layer" if is_layer(value) else "function" if value.kind in FUNCTIONS else value.kind
    sentence = names.get("kinds", {}).get(kind, "")
    signature = ", ".join(value.signature or ())
    advice = sentence.replace("{given}", text).replace("{signature}", signature)
    gives = isinstance(node, ast.Call) and value.kind != "StaticDim" and text not in facts["is"]
    written = isinstance(node, ast.Constant | ast.UnaryOp)
    return {
        **facts,
        "given": "" if written else text,
        "verb": "gives" if gives else "is",
        "written": facts["is"] if written else "",
        "advice": advice,
    }


def inside(case: Case, match: re.Match[str], names: Names) -> dict[str, str] | None:
    """Describe an argument whose attribute was read inside what the learner called."""
    owner = case.error.about
    node = case.node
    if owner is None or (isinstance(node, ast.Attribute) and node.attr == match["name"]):
        return None
    for one in case.operands():
        value = case.value(one)
        if value is not None and value.kind == owner.kind:
            return about(case, one, value, names)
    return None


def is_layer(value: SeenValue) -> bool:
    """Whether ``value`` is a callable object, as a layer is."""
    named = value.kind[:1].isupper() and value.kind not in ("DType", "EnumType")
    return value.signature is not None and named


def is_unfit(value: SeenValue) -> bool:
    """Whether no operation on numbers accepts ``value``."""
    return value.kind in UNFIT or is_layer(value)


def _kinds(match: re.Match[str], names: Names) -> list[str]:
    """Return the kinds of values that the message mentions."""
    found = (
        match.groupdict().get(name) for name in ("kind", "left", "right", "one", "two", "other")
    )
    kinds = [one.rpartition(".")[2] for one in found if one]
    return [names.get("same", {}).get(one, one) for one in kinds]


def _unfit(case: Case, kinds: list[str]) -> tuple[ast.expr | None, SeenValue]:
    """Return the operand of one of these kinds, else one that no operation accepts."""
    words = [word.value for word in case.call.keywords] if case.call is not None else []
    texts = [node for node in words if case.kind(node) == "str"]  # approximate="tanh" is right
    nodes = [node for node in case.operands() if node not in texts]
    seen = [(node, value) for node in nodes if (value := case.value(node)) is not None]
    wanted: tuple[Callable[[SeenValue], bool], ...] = (
        lambda v: v.kind in kinds and is_unfit(v),
        lambda v: v.kind in kinds,
        is_unfit,
        lambda v: v.kind == "ndarray" and not kinds,
    )
    for fits in wanted:
        found = [(node, value) for node, value in seen if fits(value)]
        if found and not (kinds and found[0][1].kind not in kinds and _is_sized(found[0][0])):
            return _inner(case, *found[0], kinds)
    unseen = [one for one in nodes if case.value(one) is None]
    if case.error.inside and len(nodes) > 1:  # it may be any of them, or none
        return None, SeenValue("")
    calls = [one for one in unseen if isinstance(one, ast.Call)]
    node = next(iter(unseen if len(unseen) == 1 else calls), None)
    return (node, SeenValue(kinds[-1])) if kinds and node is not None else (None, SeenValue(""))


def _inner(
    case: Case, node: ast.expr, value: SeenValue, kinds: list[str]
) -> tuple[ast.expr, SeenValue]:
    """Return the only item of a list that is of these kinds or unknown; else the list."""
    if not kinds or not isinstance(node, ast.List | ast.Tuple):
        return node, value
    odd = [one for one in node.elts if case.kind(one) in ("", *kinds)]
    return (odd[0], case.value(odd[0]) or SeenValue(kinds[0])) if len(odd) == 1 else (node, value)


def _is_sized(node: ast.expr) -> bool:
    """Whether this is a literal list, as a shape is."""
    return isinstance(node, ast.List | ast.Tuple)


def _nothing(case: Case, node: ast.expr, text: str) -> dict[str, str]:
    """Describe None and where it comes from: it is written there, or a call returned it."""
    if text == "None":
        return {"written": "None", "literal": "None"}
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func)
        changes = name if name.rpartition(".")[2] in CHANGES else ""
        return {"gave": text, "giver": name, "changes": changes}
    match case.statement:
        case ast.Assign(
            targets=[ast.Name(id=kept)], value=ast.Call(func=ast.Attribute(attr=attr) as func)
        ) if kept == text and attr in CHANGES:
            return {"nothing": text, "changes": ast.unparse(func)}
    return {"nothing": text, "member": text if text.startswith("self.") else ""}


def owner(case: Case, match: re.Match[str], names: Names) -> dict[str, str] | None:
    """Describe what cannot be indexed or called, with the facts of :func:`given`."""
    node: ast.expr | None = case.node
    node = node.func if isinstance(node, ast.Call) else getattr(node, "value", None)
    kind = match["kind"].rpartition(".")[2]
    value = case.value(node) or SeenValue(kind)
    if node is None or not (text := short(node)) or value.kind != kind:
        return None
    if kind == "NoneType":
        return _nothing(case, node, text)
    key = getattr(getattr(case.node, "slice", None), "value", None)
    dotted = f"{text}.{key}" if isinstance(key, str) and key in value.fields else ""
    call = case.node if isinstance(case.node, ast.Call) else None
    return {
        "given": text,
        "is": described(value),
        "dotted": dotted,
        "callable": text if value.signature is not None else "",
        "several": text if value.kind in ("list", "tuple", "dict", "ModuleList", "Shape") else "",
        "empty": text if call is not None and not call.args and not call.keywords else "",
    }


def iterated(case: Case, match: re.Match[str], names: Names) -> dict[str, str] | None:
    """Describe a single value that was iterated over or unpacked like a list."""
    if case.call is not None:
        return given(case, match, names)
    whole = getattr(case.statement, "value", None) or getattr(case.statement, "iter", None)
    loops = [n for n in ast.walk(whole) if isinstance(n, ast.comprehension)] if whole else []
    node = loops[0].iter if len(loops) == 1 else whole
    kind = next((one for one in match.groupdict().values() if one), "").rpartition(".")[2]
    if not isinstance(node, ast.expr) or not (text := short(node)):
        return None
    value = case.value(node) or SeenValue(kind)
    if value.kind == "NoneType":
        return {"kind": kind, **_nothing(case, node, text)}
    return {"kind": kind, "given": text, "is": described(value), "verb": "is"}


def unpacked(case: Case, match: re.Match[str], names: Names) -> dict[str, str]:
    """Describe more or fewer values than names: where they come from, and how many there are.

    ``value`` has ``got`` values; ``shape`` is that of a tensor whose sizes are unpacked.
    """
    want, got = match["want"], match.groupdict().get("got") or ""
    facts = {"want": want, "got": got}
    loops = [one for one in ast.walk(case.statement or ast.Pass()) if hasattr(one, "iter")]
    loop = loops[0].iter if loops and isinstance(loops[0], ast.For | ast.comprehension) else None
    node = loop if loop is not None else getattr(case.statement, "value", None)
    value = case.value(node)
    if loop is not None and value is not None and value.kind in ("dict", "mappingproxy"):
        return {**facts, "keys": short(loop)}
    if isinstance(node, ast.Attribute) and node.attr == "shape":
        shape = getattr(case.value(node.value), "shape", None)
        if shape is not None and str(len(shape)) != want:
            sizes = f"[{', '.join(map(str, shape))}]"
            return {**facts, "value": short(node), "got": str(len(shape)), "shape": sizes}
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "zip" and loop is not None:
        return {**facts, "value": short(node), "got": str(len(node.args)), "turn": "each"}
    if value is not None and value.kind in ("list", "tuple") and value.text.isdecimal():
        return {**facts, "value": short(node), "got": value.text if loop is None else got}
    return {**facts, "value": short(node) if loop is None else "", "one": got if got == "1" else ""}


def entry(case: Case, match: re.Match[str], names: Names) -> dict[str, str]:
    """Describe a missing index or key: of what, how many items that has, which key was meant.

    ``number`` is the value of a name in the index, ``sizes`` the shape that was indexed.
    """
    node, about = case.node, case.error.about
    if not isinstance(node, ast.Subscript):
        return {}
    value = case.value(node.value) or SeenValue("")
    count = value.text if value.kind in ("list", "tuple") else match.groupdict().get("size") or ""
    count = count if count.isdecimal() else ""
    held = ((one, case.value(one)) for one in ast.walk(node.slice) if isinstance(one, ast.Name))
    numbers = (f"{one.id} is {v.text}" for one, v in held if v is not None and v.kind == "int")
    near = meant(case.text.strip("'\""), about.names) if about else None
    return {
        "owner": short(node.value),
        "index": short(node.slice),
        "count": count if count != "0" else "",
        "empty": count if count == "0" else "",
        "last": str(int(count) - 1) if count not in ("", "0") else "",
        "sizes": value.text if value.kind == "Shape" else "",
        "number": next(numbers, ""),
        "near": near or "",
    }
