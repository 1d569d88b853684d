"""None where a value is needed."""

from __future__ import annotations

import ast

from grader.frameworks.max.errors.case import Case
from grader.frameworks.values import Translation

CHANGES = ("append", "extend", "sort", "insert", "reverse")
"""Methods that change their list and give None."""


def none_has(case: Case, node: ast.expr, then: str) -> Translation:
    """``node`` was None where a value is needed."""
    text = ast.unparse(node)
    compared = next((n for n in case.nodes() if isinstance(n, ast.Compare)), None)
    if text == "None" and compared is not None and isinstance(compared.ops[0], ast.Eq | ast.NotEq):
        asked = "is not None" if isinstance(compared.ops[0], ast.NotEq) else "is None"
        new = f"{ast.unparse(compared.left)} {asked}"
        what = "A tensor compares number by number, and None is none"
        several = any(isinstance(one, ast.BoolOp) for one in case.nodes())
        fix = None if several else case.fix(compared, new)
        return Translation(what, f"Ask {asked}, and nothing else: {new}.", fix)
    if text == "None":
        if (repeated := _repeated(case)) is not None:
            return repeated
        given = case.call is not None
        odd = [
            key for key, one in case.seen.values.items() if given and one.kind in ("int", "float")
        ]
        if (
            odd
            and "tensor" in then
            and case.call is not None
            and case.call.args
            and ast.unparse(case.call.args[0]) == odd[0]
        ):
            what = f"{odd[0]} is a number here, where a tensor is needed"
            return Translation(what, "Is the order of the arguments right?")
        hint = f"Is the order of the arguments right? {odd[0]} is a number." if odd else None
        return Translation(f"None is written here, {then}", hint or "Write the value in its place.")
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func)
        if isinstance(node.func, ast.Attribute) and _is_chained(node.func):
            name = node.func.attr
            text = ast.unparse(ast.Call(ast.Name(name), node.args, node.keywords))
        if name.rpartition(".")[2] in CHANGES:
            hint = f"{name} changes the list itself and gives None: put it on a line of its own."
        else:
            hint = f"Does every path of {name} end in a return?"
        return Translation(f"{text} gave None, {then}", hint)
    match case.statement:
        case ast.Assign(
            targets=[ast.Name(id=kept)],
            value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)) as call,
        ) if kept == owner == text and name in CHANGES:
            told = f"{name} changes the list itself and gives None, which {text} then is."
            return Translation(
                f"{text} is None here, {then}", f"{told} Write {ast.unparse(call)} alone."
            )
    if text.startswith("self."):
        hint = f"Look where {text} gets its value: is None written there, or handed over?"
    else:
        hint = (
            f"If {text} may be None, ask first: if {text} is not None. Otherwise look where it "
            "gets its value: is a TODO above still open, or a return missing?"
        )
    return Translation(f"{text} is None here, {then}", hint)


def _is_chained(func: ast.Attribute) -> bool:
    """Whether what is called is a method of what another call gave."""
    return any(isinstance(one, ast.Call) for one in ast.walk(func.value))


def _repeated(case: Case) -> Translation | None:
    """``None * n``, where a list or a tuple of None is meant."""
    match case.node:
        case ast.BinOp(left=ast.Constant(value=None) as none, op=ast.Mult(), right=other):
            pass
        case ast.BinOp(left=other, op=ast.Mult(), right=ast.Constant(value=None) as none):
            pass
        case _:
            return None
    if case.kind(other) not in ("", "int"):
        return None
    what = "None cannot be repeated: * repeats a list or a tuple"
    return Translation(what, "Put None into a tuple.", case.fix(none, "(None,)"))
