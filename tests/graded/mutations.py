"""What :mod:`tests.mutate` changes in a program, node by node: one function for each kind.

Made are changes of behaviour. Left alone are docstrings, annotations, sentences, and what stands
in an error's text.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from tests.graded.places import EVERYWHERE, Place, Scope, becomes, with_fields, with_items

ARITHMETIC = {
    "Add": "Sub Mult",
    "Sub": "Add",
    "Mult": "Add Div FloorDiv",
    "Div": "Mult FloorDiv Sub",
    "FloorDiv": "Div Mult Mod",
    "Pow": "Mult",
    "MatMult": "Mult Add",
}
"""What each operator is taken for."""

COMPARISONS = {"Lt": "LtE GtE", "LtE": "Lt Gt", "Gt": "GtE LtE", "GtE": "Gt Lt"}
COMPARISONS |= {"Eq": "NotEq LtE GtE", "NotEq": "Eq Lt Gt"}
COMPARISONS |= {"Is": "IsNot", "IsNot": "Is", "In": "NotIn", "NotIn": "In"}
"""Off by one, one-sided, and the contrary."""

_FAMILIES = """
num_heads attn_head_size | embed_dim num_heads head_dim | sequence_length num_tokens n |
attn_weights attn_output | n_embd n_head n_layer | vocab_size n_positions |
hidden_size head_dim | c_attn c_proj c_fc | qkv_proj out_proj | ln_1 ln_2 | wte wpe |
weight bias | _split_heads _merge_heads | softmax logsoftmax sigmoid exp |
sqrt exp log rsqrt | mean sum max | min max | argmax argmin | cos sin | even odd |
turned_even turned_odd | zeros ones | hidden visible | query key value | past seq_len |
float32 float64 | int64 int32 | startswith endswith | eos_token_id bos_token_id |
ValueError Exception
"""

FAMILIES = [family.split() for family in _FAMILIES.split("|")]
"""Names that are taken for one another, besides arguments of one type."""

BUILT_IN = ("Exception", "min", "max")
"""Names that a file knows without defining them."""

COUNTS = ("int", "len", "min", "max")
"""Functions whose results may be off by one."""


def places(
    node: ast.AST, parent: ast.AST | None = None, scope: Scope = EVERYWHERE
) -> Iterator[Place]:
    """Every node that may be changed, with what can be done to it."""
    sentence = isinstance(node, ast.JoinedStr) and _is_sentence(node)
    alias = isinstance(parent, ast.Module) and isinstance(node, ast.Assign)
    if sentence or isinstance(node, ast.Raise):
        return
    if alias and isinstance(getattr(node, "value", None), ast.Subscript):
        return  # a name of a type
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        scope = scope.inside(node)
    here = Place(node, parent, scope)
    for offer in OFFERS:
        offer(here)
    yield here
    for name, part in ast.iter_fields(node):
        if name not in ("annotation", "returns") and not _is_device(node):
            for child in part if isinstance(part, list) else [part]:
                if isinstance(child, ast.AST):
                    yield from places(child, node, scope)


def _is_device(node: ast.AST) -> bool:
    """Whether it says where a tensor lives: here there is one device."""
    return isinstance(node, ast.keyword) and node.arg == "device"


def _is_sentence(node: ast.AST) -> bool:
    """Whether a text is for people: it has a space."""
    return any(isinstance(n, ast.Constant) and " " in str(n.value) for n in ast.walk(node))


# ---- expressions --------------------------------------------------------------------------


def _operators(at: Place) -> None:
    node = at.node
    if isinstance(node, ast.BinOp):
        here = type(node.op).__name__
        for other in ARITHMETIC.get(here, "").split():
            at.add("operator", f"{here} to {other}", with_fields(op=getattr(ast, other)()))
        listed = any(isinstance(side, ast.List) for side in (node.left, node.right))
        if listed or not isinstance(node.op, ast.Add | ast.Mult):
            at.add("operand", f"{here} exchanged", with_fields(left=node.right, right=node.left))
        at.add("operand", f"{here}: left only", becomes(node.left))
        at.add("operand", f"{here}: right only", becomes(node.right))
    elif isinstance(node, ast.UnaryOp):
        at.add("sign", f"{type(node.op).__name__} removed", becomes(node.operand))
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        for other in COMPARISONS[type(node.ops[0]).__name__].split():
            at.add("comparison", f"to {other}", with_fields(ops=[getattr(ast, other)()]))
    elif isinstance(node, ast.BoolOp):
        contrary = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        at.add("operator", f"to {type(contrary).__name__}", with_fields(op=contrary))
        for index, value in enumerate(node.values):
            at.add("operand", f"only operand {index}", becomes(value))


def _branches(at: Place) -> None:
    node = at.node
    if isinstance(node, ast.If | ast.IfExp):
        for name, test in (("always", ast.Constant(True)), ("never", ast.Constant(False))):
            at.add("branch", name, with_fields(test=test))
        if not isinstance(node.test, ast.Compare):
            at.add("branch", "negated", with_fields(test=ast.UnaryOp(ast.Not(), node.test)))
    elif isinstance(node, ast.comprehension) and node.ifs:
        at.add("branch", "always", with_fields(ifs=[]))


def _constants(at: Place) -> None:
    node = at.node
    if not isinstance(node, ast.Constant) or isinstance(at.parent, ast.Expr):
        return
    value, others = node.value, list[object]()
    if isinstance(value, bool):
        others = [not value]
    elif isinstance(value, int):
        minus = isinstance(at.parent, ast.UnaryOp)
        others = [value + 1, value - 1, value if minus else -value, 0, 2 * value]
    elif isinstance(value, float):
        others = [2 * value, -value, 0.0, value + 1.0]
    elif value is None and not isinstance(at.parent, ast.Compare | ast.Return):
        others = [0]
    elif isinstance(value, str) and " " not in value and value:
        others = ["inf", "nan", "-1e4", "0"] if value == "-inf" else [value[:-1], ""]
    for other in dict.fromkeys(map(repr, others)):
        if other != repr(value):
            at.add("constant", f"to {other}", with_fields(value=ast.literal_eval(other)))


def _counts(at: Place) -> None:
    node = at.node
    called = isinstance(node, ast.Call) and ast.unparse(node.func) in COUNTS
    size = isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith(".shape")
    if called or (size and not isinstance(getattr(node, "slice", None), ast.Slice)):
        for operator in (ast.Add(), ast.Sub()):
            more = ast.BinOp(copy.copy(node), operator, ast.Constant(1))  # type: ignore[arg-type]
            at.add("off by one", type(operator).__name__, becomes(more))
    elif isinstance(node, ast.Slice):
        for bound in ("lower", "upper", "step"):
            if getattr(node, bound) is not None:
                at.add("slice", f"{bound} dropped", with_fields(**{bound: None}))


def _calls(at: Place) -> None:
    node = at.node
    if not isinstance(node, ast.Call):
        return
    called = node.func
    for index in range(len(node.args)):
        at.add("argument", f"{index} dropped", with_items("args", index, []))
        if index and not ast.unparse(called).endswith(".transpose"):  # there both orders mean one
            one, two = node.args[index - 1 : index + 1]
            at.add("argument", f"{index} exchanged", with_items("args", index - 1, [two, one], 2))
    for index, keyword in enumerate(node.keywords):
        if not _is_device(keyword):
            at.add("keyword", f"{keyword.arg} dropped", with_items("keywords", index, []))
    if isinstance(at.parent, ast.Expr):
        return  # what replaces it would do nothing
    if len(node.args) == 1 or (node.args and not isinstance(called, ast.Attribute)):
        at.add("call", "replaced by its argument", becomes(node.args[0]))
    if isinstance(called, ast.Attribute) and not (
        isinstance(called.value, ast.Name) and called.value.id in ("F", "np", "math", "self")
    ):
        at.add("call", f".{called.attr} dropped", becomes(called.value))


def _names(at: Place) -> None:
    node = at.node
    if not isinstance(getattr(node, "ctx", None), ast.Load):
        return
    if isinstance(node, ast.Name):
        mine = at.scope.arguments.get(node.id)
        alike = [one for one, kind in at.scope.arguments.items() if kind == mine]
        family = [one for one in _relatives(node.id) if one in at.scope.names or one in BUILT_IN]
        for other in dict.fromkeys([*family, *alike]):
            if other != node.id:
                at.add("name", f"{node.id} to {other}", with_fields(id=other))
    elif isinstance(node, ast.Attribute):
        for other in _relatives(node.attr):
            at.add("name", f".{node.attr} to .{other}", with_fields(attr=other))


def _relatives(name: str) -> list[str]:
    return [other for family in FAMILIES if name in family for other in family if other != name]


def _series(at: Place) -> None:
    """Lists and tuples that are read: one element dropped, two neighbours exchanged."""
    node = at.node
    if isinstance(node, ast.List | ast.Tuple) and isinstance(node.ctx, ast.Load):
        for index in range(len(node.elts)):
            at.add("element", f"{index} dropped", with_items("elts", index, []))
            if index and ast.dump(node.elts[index]) != ast.dump(node.elts[index - 1]):
                one, two = node.elts[index - 1 : index + 1]
                at.add(
                    "element", f"{index} exchanged", with_items("elts", index - 1, [two, one], 2)
                )


# ---- statements ---------------------------------------------------------------------------


def _statements(at: Place) -> None:
    for part in ("body", "orelse"):
        block = getattr(at.node, part, None)
        if isinstance(block, list) and not isinstance(at.node, ast.Module):
            for index, statement in enumerate(block):
                _statement(at, part, block, index, statement)


def _functions(at: Place) -> None:
    node = at.node
    if isinstance(node, ast.arguments):
        if node.defaults:
            at.add("default", "dropped", with_items("defaults", 0, []))
        if node.kw_defaults:
            at.add("default", "dropped", with_items("kw_defaults", 0, [None]))
    elif isinstance(node, ast.FunctionDef):
        if node.decorator_list:
            at.add("decorator", "dropped", with_items("decorator_list", 0, []))
        for argument in node.args.args[1:] if node.name != "__init__" else ():
            result: list[ast.stmt] = [ast.Return(ast.Name(argument.arg, ast.Load()))]
            at.add("return", f"of {argument.arg}", with_fields(body=result))


def _statement(at: Place, part: str, block: list[ast.stmt], index: int, one: ast.stmt) -> None:
    nothing = [] if len(block) > 1 or part == "orelse" else [ast.Pass()]
    if not isinstance(one, ast.Pass | ast.Import | ast.ImportFrom):
        at.add("statement", "dropped", with_items(part, index, nothing))
    before = block[index - 1] if index else None
    fields = isinstance(before, ast.AnnAssign) and isinstance(one, ast.AnnAssign)
    simple = not isinstance(one, ast.FunctionDef)
    if before is not None and simple and (fields or _written(before) & _read(one)):
        at.add("statement", "earlier", with_items(part, index - 1, [one, before], 2))
    if _written(one) & _read(one) and isinstance(one, ast.Assign):
        at.add("statement", "twice", with_items(part, index, [one, one]))


def _written(one: ast.AST) -> set[str]:
    return {ast.unparse(n) for n in ast.walk(one) if isinstance(getattr(n, "ctx", 0), ast.Store)}


def _read(one: ast.AST) -> set[str]:
    return {ast.unparse(n) for n in ast.walk(one) if isinstance(getattr(n, "ctx", 0), ast.Load)}


OFFERS = (
    _operators,
    _branches,
    _constants,
    _counts,
    _calls,
    _names,
    _series,
    _functions,
    _statements,
)
