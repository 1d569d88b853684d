"""A helper that calls the functions which it is given: a mistake is in what gives them."""

from __future__ import annotations

import ast

from grader.grading.following.run import Run, operation
from grader.grading.following.trace import Comparison, Departure
from grader.grading.reading.bindings import around, bound, callee, calling, functions
from grader.grading.reading.program import parameters
from grader.grading.reading.shown import Slip
from grader.protocol.probe import SeenError
from grader.source.variables import stored
from grader.source.walked import of_kind, walked


def calls_given(run: Run, node: int) -> bool:
    """Whether an expression only calls what its function is given: one, or one after the other."""
    call = run.nodes[node]
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return False
    first = call.args[1:2] if call.func.id == "reduce" else [call.func]
    names = {one.id for one in first if isinstance(one, ast.Name)}
    outer = run.parents.get(call)
    while outer is not None and names:
        if isinstance(outer, ast.Lambda | ast.FunctionDef):
            rest = [outer.args.vararg] if outer.args.vararg else []
            if names.intersection(one.arg for one in (*outer.args.args, *rest)):
                return True
        if isinstance(outer, ast.For) and names & stored(outer.target):
            names |= {one.id for one in [outer.iter] if isinstance(one, ast.Name)}
        outer = run.parents.get(outer)
    return False


def composed(run: Run, node: int) -> Slip | None:
    """The one call of a helper that calls one of two functions on what the other gives.

    ``compose(norm, sublayer)``, of which the helper calls the second first.
    """
    inner = run.nodes[node]
    outer, helper = run.parents.get(inner), run.around(inner)
    match inner, outer:
        case ast.Call(func=ast.Name(id=first)), ast.Call(func=ast.Name(id=then), args=[only]):
            pass
        case _:
            return None
    names = parameters(helper) if helper is not None else []
    if helper is None or only is not inner or not {first, then} <= set(names):
        return None
    calls = [one for one in walked(run.tree) if callee(one) == helper.name]
    call = calls[0] if len(calls) == 1 else None
    if not isinstance(call, ast.Call) or call.keywords or len(call.args) != len(names):
        return None
    one, other = (ast.unparse(call.args[names.index(name)]) for name in (first, then))
    line, at = call.lineno, run.line(node)
    said = f"Line {line} gives {helper.name} {one} to call first, and {other} to call on what that"
    return Slip(line, f"{said} gives: line {at} does it in this order.")


def called_first(comparison: Comparison, error: SeenError) -> Slip | None:
    """A helper that raised an error, and whose result another one takes: that one is to be first.

    ``heads(rotated(q))``, where the reference does with ``q`` what ``heads`` does, and only that.
    """
    mine, right, own = comparison.mine, comparison.right, functions(comparison.mine.tree)
    line = error.calls[-2].line if len(error.calls) > 1 else 0
    for outer in of_kind(mine.tree, ast.Call):
        inner = outer.args[0] if outer.args else None
        if outer.lineno != line or not isinstance(inner, ast.Call) or len(inner.args) != 1:
            continue
        first, then = own.get(callee(inner)), own.get(callee(outer))
        if first is None or then is None or first is then or first.name != error.function:
            continue
        matched = {comparison.match(one) for one in mine.values(mine.numbers[inner.args[0]])}
        users = [one for one in right.made.values() if matched & {*one.sources}]
        steps = {operation(right.nodes[one.node]) for one in users} - {""}
        does, other = ({operation(one) for one in walked(each)} for each in (then, first))
        if len(matched) == 1 and steps and steps <= does and not steps & other:
            text, whole = ast.unparse(inner.args[0]), mine.segment(mine.numbers[outer])
            fixed = ast.Call(outer.func, [inner.args[0], *outer.args[1:]], outer.keywords)
            write = ast.unparse(ast.Call(inner.func, [fixed], inner.keywords))
            said = f"{whole} calls {first.name} first. With {text} the reference does first what"
            return Slip(line, f"{said} {then.name} does.", write)
    return None


def called_in_turn(run: Run, found: Departure) -> Slip | None:
    """The call of a helper, of several, in which what it is given goes wrong: ``x.f(a).f(b)``.

    Only if each call was made once: then they were made in the order in which they end.
    """
    helper = run.around(run.nodes[found.node])
    turns = [one.value for one in run.places if one.node == found.node and one.part <= 0]
    sites = [] if helper is None else calling(run.tree, helper.name)
    if found.value not in turns or len(sites) != len(turns) or len(sites) < 2:
        return None
    sites = sorted(sites, key=lambda one: (one.end_lineno or 0, one.end_col_offset or 0))
    site = sites[turns.index(found.value)]
    line = site.func.end_lineno or site.lineno
    text = ast.unparse(ast.Call(ast.Name(callee(site)), site.args, site.keywords))
    return Slip(line, f"On line {line} the numbers go wrong: {text}")


def entries(mine: Run, given: ast.expr) -> list[ast.expr]:
    """What is in a list that is written in the file: there, before it, or in the one call."""
    if isinstance(given, ast.List | ast.Tuple):
        return given.elts
    inside = around(mine.tree, given.lineno)
    if not isinstance(given, ast.Name):
        return []
    kept = bound(mine.tree, given.id, given.lineno)
    tops = (one for one in mine.tree.body if isinstance(one, ast.Assign))
    kept = kept or next((one for one in tops if given.id in stored(one)), None)
    if isinstance(kept, ast.Assign) and isinstance(kept.value, ast.List | ast.Tuple):
        return kept.value.elts
    if inside is None:
        return []
    calls = [one for one in walked(mine.tree) if callee(one) == inside.name]
    names = [one.arg for one in inside.args.args if one.arg != "self"]
    rest = inside.args.vararg
    found: list[ast.expr] = []
    for call in calls:
        args = call.args if isinstance(call, ast.Call) else []
        if rest is not None and rest.arg == given.id:
            found += args[len(names) :]
        elif given.id in names and names.index(given.id) < len(args):
            one = args[names.index(given.id)]
            found += one.elts if isinstance(one, ast.List | ast.Tuple) else []
    return found
