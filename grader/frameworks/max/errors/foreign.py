"""Functions of NumPy and of math that were given a MAX tensor."""

from __future__ import annotations

import ast

from grader.frameworks.max.errors.calls import KEPT, renamed
from grader.frameworks.max.errors.case import Case
from grader.frameworks.max.errors.elsewhere import rewritten
from grader.frameworks.max.errors.vocabulary import known
from grader.frameworks.values import Translation


def of_numpy(case: Case, call: ast.Call) -> Translation | None:
    """A function of NumPy or math that was given a MAX tensor."""
    func = call.func
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
        return None
    home, name = func.value.id, func.attr
    if home not in ("np", "numpy", "math"):
        return None
    flat = [e for a in call.args for e in (a.elts if isinstance(a, ast.List | ast.Tuple) else [a])]
    given = next((one for one in flat if tensorlike(case, one)), None)
    first = call.args[0] if call.args else None
    if given is None or not any(one is given for one in ast.walk(first or call)):
        return None
    what = f"{home}.{name} is not made for MAX tensors, and {ast.unparse(given)} is one"
    words = {word.arg: word.value for word in call.keywords if word.arg and word.arg not in KEPT}
    if made := rewritten(name, call.args, words):
        return Translation(what, "MAX has another way.", case.fix(call, made))
    if name in known()["F"]:
        changed = renamed("F", name, call.args, call)
        return Translation(what, f"Use F.{name}.", case.fix(call, changed))
    return Translation(what, "Use a function of F, or read the numbers first: tensor.to_numpy().")


def tensorlike(case: Case, node: ast.expr) -> bool:
    """Whether ``node`` is a tensor, or is computed from one."""
    if case.is_tensor(node):
        return True
    inner = isinstance(node, ast.BinOp | ast.UnaryOp)
    return inner and any(case.is_tensor(n) for n in ast.walk(node) if isinstance(n, ast.expr))
