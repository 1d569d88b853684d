"""What Python raises where something is taken apart or gone through: no parts, or too many."""

from __future__ import annotations

import ast
import re

from grader.frameworks.max.errors.case import Case, axes_of, described
from grader.frameworks.max.errors.fitting import swapped
from grader.frameworks.max.errors.misfits import FUNCTIONS
from grader.frameworks.max.errors.nothing import none_has
from grader.frameworks.values import Fix, Translation
from grader.protocol.probe import SeenValue

COUNTER = re.compile(r"^\w{1,2}\d*$|ind|idx|num|count|^n_|pos|layer|step|head", re.IGNORECASE)
"""Names that loops give to what enumerate counts."""


def not_iterable(case: Case, kind: str) -> Translation | None:
    """A list is needed, and one value was given."""
    call = case.call
    if counted := _counted(case):
        return counted
    if call is None:
        value = getattr(case.statement, "value", None) or getattr(case.statement, "iter", None)
        if kind == "NoneType" and isinstance(value, ast.expr):
            return none_has(case, value, "so it cannot be taken apart")
        return None if value is None else _taken_apart(case, value, kind)
    if fixed := swapped(case, call):
        name = ast.unparse(call.func)
        return Translation(
            f"The arguments of {name} are in another order", "Swap them.", case.fix(call, fixed)
        )
    for node in (*call.args, *(word.value for word in call.keywords)):
        given = case.value(node)
        if given is not None and given.kind == kind:
            if kind == "NoneType":
                return none_has(case, node, "where a list is needed")
            if kind == "Tensor":
                return None
            return _one_alone(case, call, node, given)
    if kind == "NoneType":
        return _none_given(case, call)
    return _one_number(case, call, kind) or _no_list(case, ast.unparse(call.func))


def _one_alone(case: Case, call: ast.Call, node: ast.expr, given: SeenValue) -> Translation:
    """A call was given one value where it needs a list."""
    plain = ast.unparse(node)
    what = f"{ast.unparse(call.func)} needs a list, and {plain} is {described(given)}"
    if given.kind in FUNCTIONS:
        return _called(case, node, given, what)
    return Translation(what, "Put it into a list.", case.fix(node, f"[{plain}]"))


def _called(case: Case, node: ast.expr, value: SeenValue, what: str) -> Translation:
    """A function stands where the list belongs that it gives when it is called."""
    needed = [one for one in value.signature or () if "=" not in one and not one.startswith("*")]
    text = ast.unparse(node)
    if needed:
        return Translation(what, f"Call it: {text}({', '.join(needed)}).")
    return Translation(what, "It gives one when it is called.", case.fix(node, f"{text}()"))


def _none_given(case: Case, call: ast.Call) -> Translation:
    """None was given where a list is needed: what the one call among the arguments gave."""
    every = (*call.args, *(word.value for word in call.keywords))
    made = [one for one in every if isinstance(one, ast.Call) and case.value(one) is None]
    if len(made) == 1:
        return none_has(case, made[0], "where a list is needed")
    return Translation(f"{ast.unparse(call.func)} needs a list, and was given None")


def _taken_apart(case: Case, value: ast.expr, kind: str) -> Translation:
    """One value was gone through, taken apart into names, or added to a list as if it were one."""
    match case.statement:
        case ast.AugAssign(target=ast.Name(id=name) as target, op=ast.Add()) as whole:
            if case.kind(target) == "list":
                text, one = ast.unparse(value), case.value(value) or SeenValue(kind)
                what = f"{text} is {described(one)}, and += adds the entries of a list to {name}"
                fix = Fix(case.segment(whole), f"{name}.append({text})")
                return Translation(what, "append adds one value.", fix)
    loops = [one for one in ast.walk(value) if isinstance(one, ast.comprehension)]
    over = [one.iter for one in loops if case.kind(one.iter) == kind or one.iter is case.node]
    if len(loops) == 1 and isinstance(loops[0].target, ast.Name):
        over = [loops[0].iter]
    if isinstance(case.statement, ast.For) and case.statement.iter is value and not loops:
        over = [value]
    if loops and not over:
        what = described(SeenValue(kind))
        return Translation(f"{what[:1].upper()}{what[1:]} cannot be taken apart")
    wrong, verb = (over[0], "gone through") if over else (value, "taken apart")
    one = case.value(wrong) or SeenValue(kind)
    what = f"{ast.unparse(wrong)} is {described(one)}, and cannot be {verb}"
    if one.kind in FUNCTIONS:
        return _called(case, wrong, one, what)
    if kind != "int" or not over:
        return Translation(what)
    return Translation(what, "range counts.", case.fix(wrong, f"range({ast.unparse(wrong)})"))


def _one_number(case: Case, call: ast.Call, kind: str) -> Translation | None:
    """A number that is worked out where a list is needed: the only argument of unknown value."""
    every = (*call.args, *(word.value for word in call.keywords))
    unseen = [one for one in every if not case.is_tensor(one) and not _is_listed(case, one)]
    if len(unseen) != 1 or not kind.endswith(("Dim", "int")):
        return None
    what = f"{ast.unparse(call.func)} needs a list, and {ast.unparse(unseen[0])} is one number"
    return Translation(what, "Put its numbers into brackets, with commas between them.")


def _is_listed(case: Case, node: ast.expr) -> bool:
    """Whether this is a list or a tuple, or a value that no list belongs for."""
    given = case.value(node)
    return isinstance(node, ast.List | ast.Tuple | ast.Constant) or given is not None


def _no_list(case: Case, name: str) -> Translation:
    """The function ``name`` needs a list, and none of its arguments is known to be odd."""
    tensor = next(
        (n for n in case.operands() if isinstance(n, ast.Name) and case.is_tensor(n)), None
    )
    if tensor is not None:
        text = tensor.id
        what = f"{name} needs a list of tensors, and {text} is one tensor"
        hint = f"Put what is joined into one list: [a, {text}]. What a loop makes is collected in a"
        return Translation(what, f"{hint} list, with append.")
    return Translation(f"{name} needs a list of values", "Put them into brackets.")


def listed(case: Case, match: re.Match[str]) -> Translation | None:
    """A list or tuple was asked for an entry by its name."""
    every = [one for one in case.nodes() if isinstance(one, ast.Subscript)]
    texts = [one for one in every if isinstance(getattr(one.slice, "value", None), str)]
    node = next(iter((*texts, *every)), None)
    if node is None:
        return None
    owner = ast.unparse(node.value)
    what = f"{owner} is a {match['kind']}, and {ast.unparse(node.slice)} is a text"
    if match["kind"] == "tuple":
        return Translation(what, f"A tuple's entries have numbers: {owner}[0] is the first.")
    hint = f"Entries with names are in a dict. Start with {owner} = {{}}."
    return Translation(what, hint, about=owner if owner.isidentifier() else "")


def _counted(case: Case) -> Translation | None:
    """A loop whose head names two things, as after enumerate; or that goes through a length."""
    match case.statement:
        case ast.For(target=ast.Tuple(elts=[first, _]), iter=over) if not isinstance(
            over, ast.Call
        ):
            text, name = ast.unparse(over), ast.unparse(first)
            if COUNTER.search(name):
                what = f"Each entry of {text} is one thing, and {name} is to be a number"
                return Translation(what, "enumerate counts.", case.fix(over, f"enumerate({text})"))
            what = f"Each entry of {text} is one thing, and the loop has two names for it"
            entries = over.elts if isinstance(over, ast.Tuple | ast.List) else []
            if not entries or len(entries) % 2:
                return Translation(what, "Give it one name; or enumerate, if one is to count.")
            texts = [ast.unparse(one) for one in entries]
            pairs = ", ".join(f"({a}, {b})" for a, b in zip(texts[::2], texts[1::2], strict=True))
            return Translation(what, f"Put two into brackets each: [{pairs}].")
        case ast.For(target=target, iter=ast.Call(func=ast.Name(id="len"), args=[over])):
            text = ast.unparse(over)
            what = f"len({text}) is a number, and a loop goes through a list"
            return Translation(what, f"Loop over it itself: for {ast.unparse(target)} in {text}")
    return None


def no_iterator(case: Case, match: re.Match[str]) -> Translation:
    """next(...) of a list."""
    node = next(iter(case.operands()), None)
    text = ast.unparse(node) if node is not None else "this"
    other = next(
        (n for n, v in case.seen.values.items() if v.kind.endswith(("iterator", "generator"))), None
    )
    known = case.value(node) if node is not None else None
    kind = described(known or SeenValue(match["kind"]))
    what = f"next takes the next entry of an iterator, and {text} is {kind}"
    if other is not None and node is not None:
        return Translation(what, f"{other} is one.", case.fix(node, other))
    hint = "Make an iterator of it once, where it is made, before the loop: iter(...)."
    return Translation(what, hint)


def no_pairs(case: Case, match: re.Match[str]) -> Translation:
    """dict(...) of something else than pairs."""
    given = case.call.args if case.call is not None else []
    text = ast.unparse(given[0]) if given else "this"
    what = f"dict makes entries of pairs, and {text} has something else in it"
    return Translation(what, "Each is to be a pair: the key, then its value.")


def starred(case: Case, match: re.Match[str]) -> Translation:
    """``*value`` of a value that has no entries."""
    text = next((ast.unparse(n.value) for n in case.nodes() if isinstance(n, ast.Starred)), "")
    stars = [ast.unparse(n.value) for n in case.nodes() if isinstance(n, ast.Starred)]
    text = next(
        (t for t in stars if (v := case.seen.values.get(t)) and v.kind == match["kind"]), text
    )
    kind = described(case.seen.values.get(text) or SeenValue(match["kind"]))
    return Translation(
        f"*{text} takes {text} apart, and it is {kind}",
        "A function that is to give several values, one after another, needs yield, not return.",
    )


def not_iterable_either(case: Case, match: re.Match[str]) -> Translation | None:
    """A list is needed, and one value was given; or one value was taken apart."""
    return not_iterable(case, match["kind"] or match["other"])


NUMBERS = ("math", "np", "numpy", "range", "float", "min", "max")
"""Functions that a Dim does not serve as a number."""


def _counts(case: Case, node: ast.expr) -> bool:
    """Whether ``node`` is computed with, so that it must be a number of Python."""
    for outer in case.nodes():
        inside = outer is not node and any(one is node for one in ast.walk(outer))
        called = ast.unparse(outer.func).partition(".")[0] if isinstance(outer, ast.Call) else ""
        if inside and (isinstance(outer, ast.BinOp) or called in NUMBERS):
            return True
    return False


def no_length(case: Case, match: re.Match[str]) -> Translation:
    """The length of something that has none."""
    node = next((one for one in case.operands() if case.kind(one) == match["kind"]), None)
    call, kind = case.call, match["kind"]
    if node is None or call is None:
        return Translation(f"A length was asked of {described(SeenValue(kind))}", None)
    if kind == "NoneType":
        return none_has(case, node, "so it has no length")
    text = ast.unparse(node)
    if kind == "Tensor":
        what, value = f"{text} is a Tensor, which has no len", case.value(node)
        if several := axes_of(text, value.shape if value is not None else None):
            return Translation(what, several)
        new = f"int({text}.shape[0])"
        return Translation(what, "Its shape tells.", case.fix(call, new))
    if kind in ("int", "StaticDim") and ast.unparse(call.func) == "len":
        what = f"{text} is {described(case.value(node) or SeenValue(kind))}, a number already"
        plain = text if kind == "int" or not _counts(case, call) else f"int({text})"
        return Translation(what, "Leave len out.", case.fix(call, plain))
    told = described(case.value(node) or SeenValue(kind))
    what = f"{ast.unparse(call.func)} needs a list, and {text} is {told}"
    return Translation(what, "Put it into brackets.")
