"""What Python itself raises, and the few errors of MAX that are about no shape and no kind."""

from __future__ import annotations

import ast
import re

from grader.frameworks.max.errors import asked, imports
from grader.frameworks.max.errors.case import Case, described
from grader.frameworks.max.errors.fitting import swapped
from grader.frameworks.max.errors.foreign import of_numpy
from grader.frameworks.max.errors.kinds import not_tensor
from grader.frameworks.max.errors.nothing import none_has
from grader.frameworks.values import Fix, Translation
from grader.protocol.probe import SeenValue


def attribute_name(case: Case, match: re.Match[str]) -> Translation:
    """setattr or getattr whose second argument is no text."""
    call = case.call
    name = ast.unparse(call.func) if call is not None else "setattr"
    what = f"{name} takes the name of an attribute second, as a text, and is given"
    node = call.args[1] if call is not None and len(call.args) > 1 else None
    if node is None:
        return Translation(f"{what} a {match['kind']}", None)
    what = f"{what} {ast.unparse(node)}, {described(case.value(node) or SeenValue(match['kind']))}"
    return Translation(what, f"Where does {ast.unparse(node)} come from: are two things swapped?")


def no_number(case: Case, match: re.Match[str]) -> Translation | None:
    """Something with several entries was given to ``range``, which counts up to a number."""
    call = case.call
    if call is None or ast.unparse(call.func) != "range":
        return None
    node = next((one for one in case.operands() if case.kind(one) == match["kind"]), None)
    if node is None:
        return None
    text = ast.unparse(node)
    what = f"range counts up to a number, and {text} is {described(SeenValue(match['kind']))}"
    if match["kind"] in ("Tensor", "ndarray"):
        return Translation(what, "Give a whole number, such as int(tensor.shape[0]).")
    return Translation(what, "Count its entries.", case.fix(node, f"len({text})"))


def in_text(case: Case, match: re.Match[str]) -> Translation:
    """Something that is no text was looked for in a text."""
    every = (one for one in case.nodes() if isinstance(one, ast.Compare))
    node = next((one for one in every if isinstance(one.ops[0], ast.In | ast.NotIn)), None)
    what = f"in looks for a text in a text, and this is a {match['kind']}"
    if node is None or match["kind"] not in ("tuple", "list"):
        return Translation(what, "Look for one text.")
    text, owner = ast.unparse(node.left), ast.unparse(node.comparators[0])
    what = f"in looks for one text in {owner}, and {text} is a {match['kind']}"
    one = "not any" if isinstance(node.ops[0], ast.NotIn) else "any"
    new = f"{one}(end in {owner} for end in {text})"
    return Translation(what, "Ask for one after the other.", case.fix(node, new))


def added_to_text(case: Case, match: re.Match[str]) -> Translation:
    """Something that is no text was added to one."""
    node, kind = case.node, match["kind"]
    if not isinstance(node, ast.BinOp):
        return Translation(f"A {kind} cannot be added to a text", "str(x) makes a text of a value.")
    left, right = node.left, ast.unparse(node.right)
    plain = described(case.value(node.right) or SeenValue(kind))
    what = f"{ast.unparse(left)} is a text, and {right} is {plain}: they cannot be added"
    held = case.value(left)
    number = held is not None and held.text.strip("'\"").isdecimal()
    if isinstance(left, ast.Name) and number and kind in ("int", "float"):
        return Translation(what, f"Is {left.id} a number? Leave the quotes out where it is made.")
    if kind not in ("list", "tuple", "set", "generator", "dict_keys"):
        return Translation(what, "Make a text of it.", case.fix(node.right, f"str({right})"))
    between = left.value if isinstance(left, ast.Constant) and isinstance(left.value, str) else ""
    if between and not any(map(str.isalnum, between)):
        joined = f"{ast.unparse(left)}.join({right})"
        return Translation(what, "Join the texts in it.", case.fix(node, joined))
    joined = f"', '.join({right})" if '"' in ast.unparse(left) else f'", ".join({right})'
    return Translation(what, "Join the texts in it.", case.fix(node.right, joined))


def texts(case: Case, match: re.Match[str]) -> Translation:
    """startswith or endswith of a list."""
    call = case.call
    node = call.args[0] if call is not None and call.args else None
    what = f"{match['name']} takes a text or a tuple of texts, and this is a {match['kind']}"
    if node is None:
        return Translation(what, "Make a tuple of it.")
    inner = (
        node.args[0] if isinstance(node, ast.Call) and ast.unparse(node.func) == "list" else node
    )
    kind = case.kind(inner)
    new = ast.unparse(inner) if kind == "tuple" else f"tuple({ast.unparse(inner)})"
    return Translation(what, "It must be a tuple.", case.fix(node, new))


def by_zero(case: Case, match: re.Match[str]) -> Translation:
    """A division by zero; of one number by a 0 that is written there, infinity is meant."""
    what, node = "A number is divided by zero", case.node
    if not isinstance(node, ast.BinOp) or not _is_zero(node.right):
        return Translation(what, "Which size is 0 here?")
    if isinstance(node.left, ast.Name | ast.Attribute | ast.Call):
        return Translation(f"{what}, which is written there", "Python gives no infinity for that.")
    sign = "-" if ast.unparse(node.left).startswith("-") else ""
    hint = "In Python that is an error, and not infinity."
    return Translation(what, hint, case.fix(node, f'float("{sign}inf")'))


def _is_zero(node: ast.expr) -> bool:
    """Whether a 0 is written here."""
    return isinstance(node, ast.Constant) and node.value == 0


def captures(case: Case, match: re.Match[str]) -> Translation:
    """A name as a pattern that is not the last: it takes any value."""
    name = match["name"]
    what = f"case {name} takes any value and calls it {name}: no case below it can be reached"
    if name in imports.NAMED:
        return Translation(
            what, f"Python has {imports.NAMED[name]}. Write case {imports.NAMED[name]}:"
        )
    return Translation(what, "Put it last; or compare with a value: a number, a text or None.")


def truth(case: Case, match: re.Match[str]) -> Translation:
    """A tensor as if it were True or False; MAX says nothing at all then."""
    call = case.call
    if call is not None:
        name = ast.unparse(call.func)
        if fixed := swapped(case, call):
            return Translation(
                f"The arguments of {name} are in another order", "Swap them.", case.fix(call, fixed)
            )
        if told := of_numpy(case, call):
            return told
        if name in ("max", "min") or name.endswith((".max", ".min")):
            return _two(case, call, name)
        if name.endswith("item"):
            return Translation(
                "item reads a tensor that holds one number, and this one holds more",
                "Take one with an index first, or read all: tensor.to_numpy().",
            )
        if case.error.inside and "Tensor" not in name:
            tensor = next((one for one in case.operands() if case.is_tensor(one)), None)
            if tensor is not None:
                return Translation(
                    f"{name} cannot take the tensor {ast.unparse(tensor)} here", None
                )
    if (told := asked.number_by_number(case)) is not None:
        return told
    tensor = next((one for one in case.nodes() if case.is_tensor(one)), None)
    what = f"{ast.unparse(tensor)} is a Tensor, and" if tensor is not None else "A tensor"
    hint = "Ask 'if tensor is not None', not 'if tensor'. To choose number by number: F.where."
    fix = _asked_for(case, tensor) if tensor is not None else None
    return Translation(f"{what} was used as if it were True or False", hint, fix)


def _asked_for(case: Case, tensor: ast.expr) -> Fix | None:
    """``x is None`` for ``not x``, and ``x is not None`` for an ``x`` that is all that is asked."""
    test = getattr(case.statement, "test", None)
    text = ast.unparse(tensor)
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner) if ast.unparse(inner) == text:
            return case.fix(test, f"{text} is None")
        case ast.Name() | ast.Attribute() if ast.unparse(test) == text:
            return case.fix(test, f"{text} is not None")
    return None


def _two(case: Case, call: ast.Call, name: str) -> Translation:
    word = name.rpartition(".")[2]
    args = list(call.args)
    if name != word and isinstance(call.func, ast.Attribute) and case.is_tensor(call.func.value):
        args.insert(0, call.func.value)
    made = f"F.{word}({', '.join(ast.unparse(one) for one in args)})"
    if name == word:
        what = f"Python's {word} compares whole tensors, and they are neither more nor less"
    else:
        which = "higher" if word == "max" else "lower"
        what = f"{name} takes an axis; of two tensors F.{word} takes the {which} numbers"
    return Translation(what, f"Use F.{word}.", case.fix(call, made))


def none(case: Case, match: re.Match[str]) -> Translation | None:
    """None where something else is needed."""
    if told := not_tensor(case, match):
        return told
    value = getattr(case.statement, "value", None) or getattr(case.statement, "iter", None)
    raised = value if isinstance(value, ast.Call) else None  # it gave nothing yet
    within = raised is not None and any(one is case.node for one in ast.walk(raised))
    if isinstance(value, ast.expr) and case.kind(value) in ("", "NoneType") and not within:
        return none_has(case, value, "where a value is needed")
    if case.error.inside:
        return None
    return Translation(
        "None was used where a tensor or a number is needed",
        "Look for an open TODO above this line, or a missing return.",
    )
