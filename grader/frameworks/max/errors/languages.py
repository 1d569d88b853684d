"""What other languages ask of a list, a text, a dict or an array, and how Python says it."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from grader.frameworks.max.errors.calls import enclosed
from grader.frameworks.max.errors.case import Case, axes_of, described
from grader.frameworks.values import Translation
from grader.protocol.probe import SeenValue

LENGTH = ("length", "Length", "size", "getLength", "getSize", "Count", "count", "len")
EMPTY = ("isEmpty", "is_empty", "IsEmpty", "empty")
HOLDS = ("contains", "includes", "has", "Contains", "contain", "include", "holds", "exists")
TEXT = ("toString", "to_string", "to_s", "ToString", "toStr", "to_str")
FIRST = ("first", "head", "front", "First", "peekFirst")
LAST = ("last", "back", "Last", "peek", "peekLast")
PIECE = ("slice", "subList", "sublist", "substring", "subarray", "substr", "mid")
JOIN = ("join", "joinToString", "mkString", "implode")

COUNTED = dict.fromkeys(LENGTH, "len({x})")

SEQUENCE: Mapping[str, str] = {
    **COUNTED,
    **dict.fromkeys(EMPTY, "not {x}"),
    **dict.fromkeys(HOLDS, "{0} in {x}"),
    **dict.fromkeys(TEXT, "str({x})"),
    **dict.fromkeys(FIRST, "{x}[0]"),
    **dict.fromkeys(LAST, "{x}[-1]"),
    **dict.fromkeys(("get", "at", "elementAt", "nth", "charAt"), "{x}[{0}]"),
    **dict.fromkeys(PIECE, "{x}[{0}:{1}]"),
    **dict.fromkeys(("take", "prefix"), "{x}[:{0}]"),
    **dict.fromkeys(("drop", "skip", "dropFirst"), "{x}[{0}:]"),
    **dict.fromkeys(("concat", "plus"), "{x} + {0}"),
    **dict.fromkeys(("reverse", "rev", "reversed"), "{x}[::-1]"),
    **dict.fromkeys(("equals", "Equals", "eq"), "{x} == {0}"),
    **dict.fromkeys(
        ("toArray", "toList", "to_list", "to_a", "chars", "toMutableList"), "list({x})"
    ),
    **dict.fromkeys(("entries", "withIndex", "each_with_index", "enumerated"), "enumerate({x})"),
    "zip": "zip({x}, {0})",
    "indexOf": "{x}.index({0})",
}
"""What lists, tuples and texts have in other languages."""

CALLED: Mapping[str, str] = {
    **dict.fromkeys(("map", "collect", "Select"), "[{call} for {one} in {x}]"),
    **dict.fromkeys(("filter", "Where", "retain"), "[{one} for {one} in {x} if {call}]"),
    **dict.fromkeys(("some", "any", "any?"), "any({call} for {one} in {x})"),
    **dict.fromkeys(("every", "all"), "all({call} for {one} in {x})"),
    **dict.fromkeys(("forEach", "for_each", "each", "foreach"), "for {one} in {x}: {call}"),
}
"""Methods that call a function with each of the entries."""

OF_KIND: Mapping[str, Mapping[str, str]] = {
    "list": {
        **SEQUENCE,
        **dict.fromkeys(JOIN, "{0}.join({x})"),
        **dict.fromkeys(
            ("addAll", "appendAll", "AddRange", "append_all", "pushAll"), "{x}.extend({0})"
        ),
        **dict.fromkeys(("set", "setAt"), "{x}[{0}] = {1}"),
        **dict.fromkeys(("shift", "removeFirst", "popFirst", "pop_front", "popleft"), "{x}.pop(0)"),
        **dict.fromkeys(("unshift", "addFirst", "push_front", "prepend"), "{x}.insert(0, {0})"),
        **dict.fromkeys(("removeLast", "pop_back", "popLast"), "{x}.pop()"),
        **dict.fromkeys(("removeAt", "remove_at"), "{x}.pop({0})"),
        "clone": "{x}.copy()",
    },
    "tuple": {
        **SEQUENCE,
        **dict.fromkeys(("append", "push", "add", "push_back"), "{x} += ({0},)"),
        **dict.fromkeys(JOIN, "{0}.join({x})"),
    },
    "str": {
        **SEQUENCE,
        **dict.fromkeys(("trim", "Trim"), "{x}.strip()"),
        **dict.fromkeys(
            ("trimStart", "trimLeft", "TrimStart", "trim_start", "ltrim"), "{x}.lstrip()"
        ),
        **dict.fromkeys(("trimEnd", "trimRight", "TrimEnd", "trim_end", "rtrim"), "{x}.rstrip()"),
        **dict.fromkeys(
            ("toUpperCase", "upcase", "uppercase", "ToUpper", "toUpper"), "{x}.upper()"
        ),
        **dict.fromkeys(
            ("toLowerCase", "downcase", "lowercase", "ToLower", "toLower"), "{x}.lower()"
        ),
        **dict.fromkeys(("hasPrefix", "beginsWith"), "{x}.startswith({0})"),
        **dict.fromkeys(("hasSuffix", "finishesWith"), "{x}.endswith({0})"),
        **dict.fromkeys(("replaceAll", "gsub", "replace_all"), "{x}.replace({0}, {1})"),
        **dict.fromkeys(("strip_prefix", "trimPrefix"), "{x}.removeprefix({0})"),
        **dict.fromkeys(("strip_suffix", "trimSuffix"), "{x}.removesuffix({0})"),
        **dict.fromkeys(("append", "push", "push_str"), "{x} + {0}"),
        **dict.fromkeys(("toInt", "to_i", "toInteger", "parseInt"), "int({x})"),
        **dict.fromkeys(("toFloat", "toDouble", "to_f", "parseFloat"), "float({x})"),
        "repeat": "{x} * {0}",
        "indexOf": "{x}.find({0})",
    },
    "dict": {
        **COUNTED,
        **dict.fromkeys(EMPTY, "not {x}"),
        **dict.fromkeys(HOLDS, "{0} in {x}"),
        **dict.fromkeys(("containsKey", "has_key", "hasKey", "ContainsKey"), "{0} in {x}"),
        **dict.fromkeys(("contains_key", "hasOwnProperty", "key?"), "{0} in {x}"),
        **dict.fromkeys(("put", "set", "add", "insert", "Add", "store"), "{x}[{0}] = {1}"),
        **dict.fromkeys(("keySet", "iterkeys", "Keys", "getKeys"), "{x}.keys()"),
        **dict.fromkeys(("itervalues", "Values", "getValues"), "{x}.values()"),
        **dict.fromkeys(("entrySet", "entries", "iteritems", "each_pair"), "{x}.items()"),
        **dict.fromkeys(
            ("getOrDefault", "get_or_default", "fetch", "getOrElse"), "{x}.get({0}, {1})"
        ),
        **dict.fromkeys(("remove", "delete", "erase", "Remove"), "{x}.pop({0})"),
        **dict.fromkeys(("putAll", "addAll", "merge", "assign"), "{x}.update({0})"),
        **dict.fromkeys(TEXT, "str({x})"),
    },
    "set": {
        **COUNTED,
        **dict.fromkeys(EMPTY, "not {x}"),
        **dict.fromkeys(HOLDS, "{0} in {x}"),
        **dict.fromkeys(("push", "append", "insert", "put", "Add"), "{x}.add({0})"),
        **dict.fromkeys(("delete", "erase", "Remove"), "{x}.discard({0})"),
        **dict.fromkeys(("addAll", "extend"), "{x}.update({0})"),
    },
    "ndarray": {
        **COUNTED,
        **dict.fromkeys(EMPTY, "{x}.size == 0"),
        **dict.fromkeys(HOLDS, "{0} in {x}"),
        **dict.fromkeys(TEXT, "str({x})"),
        **dict.fromkeys(FIRST, "{x}[0]"),
        **dict.fromkeys(LAST, "{x}[-1]"),
        **dict.fromkeys(PIECE, "{x}[{0}:{1}]"),
        **dict.fromkeys(("get", "at"), "{x}[{0}]"),
        **dict.fromkeys(("reverse", "reversed"), "{x}[::-1]"),
        **dict.fromkeys(("append", "push", "add"), "np.append({x}, {0})"),
        "concat": "np.concatenate([{x}, {0}])",
        **dict.fromkeys(("toArray", "toList", "to_list", "list"), "{x}.tolist()"),
        **dict.fromkeys(("equals", "Equals"), "np.array_equal({x}, {0})"),
    },
    "Tensor": {
        **dict.fromkeys(("length", "Length", "len", "getLength"), "int({x}.shape[0])"),
        **dict.fromkeys(TEXT, "str({x})"),
        **dict.fromkeys(FIRST, "{x}[0]"),
        **dict.fromkeys(LAST, "{x}[-1]"),
        **dict.fromkeys(PIECE, "{x}[{0}:{1}]"),
        **dict.fromkeys(("get", "at"), "{x}[{0}]"),
    },
    **{
        kind: {**COUNTED, **dict.fromkeys(EMPTY, "not {x}"), **dict.fromkeys(HOLDS, "{0} in {x}")}
        for kind in ("Shape", "ModuleList", "dict_keys", "dict_values", "dict_items", "range")
    },
    **{
        kind: {
            **dict.fromkeys(TEXT, "str({x})"),
            **dict.fromkeys(("toInt", "to_i", "intValue"), "int({x})"),
            **dict.fromkeys(("toFloat", "toDouble", "to_f", "floatValue"), "float({x})"),
            "pow": "{x} ** {0}",
            "equals": "{x} == {0}",
        }
        for kind in ("int", "float")
    },
}
"""What is asked of each kind, and how Python says it: ``{x}`` is the owner, ``{0}`` an argument."""

UNCALLED = (*LENGTH, *EMPTY, *FIRST, *LAST)
"""What other languages have without brackets, too."""

WHY: tuple[tuple[str, str], ...] = (
    (r"^len\(", "len counts."),
    (r"\.join\(", "The text that is to stand between the entries joins them."),
    (r"\+=", "A tuple does not grow: += makes a new one."),
    (r"^for | for ", "A loop goes through the entries."),
    (r" in ", "Python asks with in."),
    (r"^not ", "What is empty counts as false."),
    (r"^\{x\}\[", "Python writes square brackets."),
)
"""How a template of Python is explained, by what is in it."""

SIMPLE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.List, ast.Tuple)
"""What may stand before a dot or an operator as it is."""

FIELD = re.compile(r"\{(\d)\}")


def of_python(case: Case, node: ast.Attribute, about: SeenValue) -> Translation | None:
    """What another language calls a method or an attribute, as Python has it."""
    name, owner = node.attr, ast.unparse(node.value)
    call = next((one for one in case.calls() if one.func is node), None)
    known = case.seen.values.get(name)
    is_own = known is not None and known.kind == "function"
    if about.kind not in OF_KIND or name in about.names or is_own:
        return None
    template = _template(case, name, about, call)
    made = _filled(case, template, node, call)
    if not made:
        return None
    whole: ast.expr = node if call is None else call
    if negated := next((one for one in case.nodes() if _negates(one, whole)), None):
        if template == "not {x}":
            whole, template = negated, "len({x}) > 0"
            made = _filled(case, template, node, call)
        elif template == "{0} in {x}":
            whole, made = negated, made.replace(" in ", " not in ", 1)
    kind = "a Tensor" if about.kind == "Tensor" else described(about)
    if ".shape[0]" in template and (several := axes_of(owner, about.shape)):
        return Translation(f"{owner} is {kind}, which has no {name}", several)
    hint = next((said for form, said in WHY if re.search(form, template)), "")
    fix = case.fix(whole, enclosed(case, whole, made))
    what = f"{owner} is {kind}, which has no {name}"
    return Translation(what, hint or "Python spells it differently.", fix)


def foreign(name: str) -> str | None:
    """What Python has for a method of other languages' lists; None for a name of no such one."""
    if name in ("reduce", "fold", "foldLeft", "inject", "aggregate"):
        return "A loop does that, or functools.reduce(function, list, first)."
    return "" if name in CALLED or any(name in table for table in OF_KIND.values()) else None


def _negates(outer: ast.expr, inner: ast.expr) -> bool:
    is_not = isinstance(outer, ast.UnaryOp) and isinstance(outer.op, ast.Not)
    return is_not and isinstance(outer, ast.UnaryOp) and outer.operand is inner


def _template(case: Case, name: str, about: SeenValue, call: ast.Call | None) -> str:
    """How Python says it; empty where that is not known."""
    given = list(call.args) if call is not None else []
    if call is None:
        only = about.kind != "dict" or name == "length"  # of a dict, the others may be keys
        return OF_KIND[about.kind].get(name, "") if name in UNCALLED and only else ""
    if call.keywords or any(isinstance(one, ast.Starred) for one in given):
        return ""
    if about.kind in ("list", "tuple") and name in CALLED and len(given) == 1:
        return CALLED[name]
    template = OF_KIND[about.kind].get(name, "")
    if name in PIECE and len(given) < 2:
        return "{x}[{0}:]" if given else "{x}[:]"
    if name == "substr" and len(given) == 2:
        return "{x}[{0}:{0} + {1}]"
    if name in JOIN and not given:
        return "', '.join({x})"
    if name == "concat" and about.kind in ("list", "tuple") and case.kind(given[0]) != about.kind:
        return ""
    if template.startswith("np.append") and len(about.shape or ()) != 1:
        return ""
    return template if len({*FIELD.findall(template)}) == len(given) else ""


def _filled(case: Case, template: str, node: ast.Attribute, call: ast.Call | None) -> str:
    """A template with the owner and the arguments; empty where it cannot stand there."""
    given = list(call.args) if call is not None else []
    is_statement = isinstance(case.statement, ast.Expr) and case.statement.value is call
    if not template or (re.search(r" = |: ", template) and not is_statement):
        return ""
    texts = [_text(case, one) for one in given]
    for at, one in enumerate(given):
        alone = re.search(rf"(^|[ ])\{{{at}\}}|\{{{at}\}}[. ]", template)
        if alone and not isinstance(one, (*SIMPLE, ast.Constant)):
            texts[at] = f"({texts[at]})"
    owner = ast.unparse(node.value)
    x = owner if isinstance(node.value, (*SIMPLE, ast.Constant)) else f"({owner})"
    words = _each(case, given[0]) if "{call}" in template else {}
    if words is None:
        return ""
    return template.format(*texts, x=x, **words)


def _text(case: Case, node: ast.expr) -> str:
    """An expression as the learner wrote it, if that is one line."""
    text = case.segment(node)
    return text if text and "\n" not in text else ast.unparse(node)


def _each(case: Case, function: ast.expr) -> dict[str, str] | None:
    """The name of one entry, and what is called with it; None where that is not one function."""
    match function:
        case ast.Lambda(args=ast.arguments(args=[one], defaults=[]), body=body):
            text = _text(case, body)
            return {"one": one.arg, "call": f"({text})" if isinstance(body, ast.IfExp) else text}
        case ast.Name() | ast.Attribute():
            return {"one": "one", "call": f"{ast.unparse(function)}(one)"}
    return None
