"""Values that MAX refuses: devices, lengths, lists, ranges, and NumPy's arrays.

Longer than 300 lines, because each kind of value is refused in words of its own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from grader.frameworks.max.errors.axes import axis
from grader.frameworks.max.errors.calls import told
from grader.frameworks.max.errors.case import Case, described
from grader.frameworks.max.errors.fitting import swapped
from grader.frameworks.max.errors.foreign import of_numpy
from grader.frameworks.max.errors.kinds import not_tensor
from grader.frameworks.max.errors.misfits import FUNCTIONS, misfit
from grader.frameworks.max.errors.shapes import together
from grader.frameworks.values import Translation
from grader.protocol.probe import SeenValue


def in_order(case: Case) -> Translation | None:
    """The arguments put in their order, where two of them are swapped."""
    call = case.call
    if call is None or (fixed := swapped(case, call)) is None:
        return None
    what = f"The arguments of {ast.unparse(call.func)} are in another order: {told(case, call)}"
    return Translation(what, "Swap them.", case.fix(call, fixed))


def ordered(message: str, hint: str) -> Callable[[Case, re.Match[str]], Translation]:
    """Swapped arguments, else these words."""

    def tell(case: Case, match: re.Match[str]) -> Translation:
        return in_order(case) or Translation(message.format(**match.groupdict()), hint)

    return tell


def kept_as(case: Case, match: re.Match[str]) -> Translation:
    """A tensor is made of an array that holds numbers of another type."""
    if (other := in_order(case)) is not None:
        return other
    call, asked, held = case.call, match["asked"], match["held"]
    data = call.args[0] if call is not None and call.args else None
    word = next((one.value for one in call.keywords if one.arg == "dtype"), None) if call else None
    text = ast.unparse(data) if isinstance(data, ast.Name | ast.Attribute) else "The array"
    what = f"{text} holds {held} numbers, and the tensor is to have dtype {asked}; MAX does not"
    floats = asked.startswith("float") and held.startswith("float")
    fix = None
    if text != "The array" and data is not None and word is not None and floats:
        fix = case.fix(data, f"{text}.astype({ast.unparse(word)}.to_numpy())")
    value = case.value(data)
    how = "astype" if value is not None and value.kind == "ndarray" else "cast"
    return Translation(f"{what} convert", f"Convert it first, with {how}.", fix)


def listed(case: Case, match: re.Match[str]) -> Translation | None:
    """Arrays are handed over one by one where NumPy takes them in a list."""
    call = case.call
    name = ast.unparse(call.func) if call is not None else ""
    if call is None or len(call.args) < 2 or not name.endswith(JOINS):
        return None
    arrays = [one for one in call.args if not isinstance(one, ast.Constant)]
    rest = [one for one in call.args if isinstance(one, ast.Constant)]
    new = ast.Call(call.func, [ast.List(arrays), *rest], call.keywords)
    what = f"{name} takes what it joins in one list"
    return Translation(what, "Put the arrays into one list.", case.fix(call, new))


JOINS = (".stack", ".concatenate", ".hstack", ".vstack")
"""NumPy's functions that join arrays."""


def device(case: Case, match: re.Match[str]) -> Translation:
    """Something that is no device was given as one."""
    if (other := in_order(case)) is not None:
        return other
    for node in case.operands():
        value = case.value(node)
        if value is not None and value.kind == "type" and value.text == "CPU":
            return Translation(
                "CPU is a class, and a device is needed", "Call it.", case.fix(node, "CPU()")
            )
        if value is not None and value.kind == "str":
            if (told := _of_array(case, node)) is not None:
                return told
            what = f"A device is needed, and {value.text} is a text"
            return Translation(
                what, "Use the device of a tensor: query.device, or CPU().", case.fix(node, "CPU()")
            )
    return Translation("A device is needed here", "Use the device of a tensor: query.device.")


def _of_array(case: Case, node: ast.expr) -> Translation | None:
    """The device of a NumPy array, which is a text."""
    owner = node.value if isinstance(node, ast.Attribute) else None
    value = case.value(owner)
    if owner is None or value is None or value.kind != "ndarray":
        return None
    text = ast.unparse(owner)
    return Translation(
        f"{text} is {described(value)}, where a tensor is needed",
        f"Make a tensor of it where it is made or handed over: Tensor({text}).",
    )


def moved(case: Case, match: re.Match[str]) -> Translation:
    """``tensor.to`` with an element type, or with the name of a device."""
    call = case.call
    if match["kind"] == "DType" and call is not None and isinstance(call.func, ast.Attribute):
        new = ast.Call(ast.Attribute(call.func.value, "cast"), call.args, call.keywords)
        what = "Tensor.to moves a tensor to a device"
        return Translation(what, "To change the element type use cast.", case.fix(call, new))
    return Translation(
        "Tensor.to moves a tensor to a device, and this is none",
        "Leave it out: everything is on one device here.",
        case.fix(call, call.func.value)
        if call is not None and isinstance(call.func, ast.Attribute)
        else None,
    )


def indexed(case: Case, match: re.Match[str]) -> Translation:
    """A tensor in square brackets after another, perhaps where a comma was to be."""
    node = case.node
    what = "A tensor cannot be indexed with a tensor"
    if isinstance(case.statement, ast.Return) and case.statement.value is node:
        match node:
            case ast.Subscript(value=ast.Name(id=one), slice=ast.Name(id=two)):
                hint = "To return two values, put a comma between them."
                return Translation(what, hint, case.fix(node, f"{one}, {two}"))
    return Translation(
        what, "F.where(condition, x, y) chooses number by number; F.gather takes rows."
    )


def one_of_dims(case: Case, match: re.Match[str]) -> Translation:
    """An Embedding without its width."""
    return Translation(
        "Embedding needs its width too: how long each row is",
        "Give it by name: Embedding(number_of_rows, dim=width).",
    )


def added_to_list(case: Case, match: re.Match[str]) -> Translation:
    """A tuple, a number or a tensor was added to a list."""
    node = case.node
    kind = match["kind"]
    if not isinstance(node, ast.BinOp):
        return Translation(f"A {kind} cannot be added to a list", "Add a list: [a, b].")
    left, right = ast.unparse(node.left), ast.unparse(node.right)
    value = case.value(node.right)
    is_shape = "shape" in left or case.kind(node.left) == "Shape"
    is_tuple = "concatenate tuple" in case.text
    whole = f"{left} is a {'shape, a list' if is_shape else 'tuple' if is_tuple else 'list'}"
    if isinstance(node.right, ast.Tuple) or kind in ("tuple", "Shape", "list"):
        new = (
            ast.List(node.right.elts)
            if isinstance(node.right, ast.Tuple) and not is_tuple
            else f"{'tuple' if is_tuple else 'list'}({right})"
        )
        what = (
            f"{whole}, and {right} is {described(value or SeenValue(kind))}: they cannot be added"
        )
        return Translation(what, "Add one of the same kind.", case.fix(node.right, new))
    if is_tuple and (value is None or value.kind not in ("int", "StaticDim")):
        return misfit(case, node.left, case.value(node.left) or SeenValue("tuple"))
    what = f"{whole}, and {right} is {described(value or SeenValue(kind))}: they cannot be added"
    last, more = node, [node.right]
    for outer in reversed(list(case.nodes())):  # the inner ones first
        added = isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Add)
        if isinstance(outer, ast.BinOp) and added and outer.left is last:
            if case.kind(outer.right) not in ("int", "StaticDim"):
                break
            last, more = outer, [*more, outer.right]
    if len(more) > 1:
        kept = ast.Tuple(more) if is_tuple else ast.List(more)
        fixed = ast.BinOp(node.left, ast.Add(), kept)
        return Translation(what, "Put them into brackets, all in one.", case.fix(last, fixed))
    new = f"({right},)" if is_tuple else f"[{right}]"
    return Translation(what, "Put it into brackets.", case.fix(node.right, new))


def text_for_size(case: Case, match: re.Match[str]) -> Translation:
    """A size is given as a text."""
    for node in case.operands():
        value = case.value(node)
        if value is not None and value.kind == "str":
            number, what = (
                value.text.strip("'\""),
                f"A size is a number, and {value.text} is a text",
            )
            if not isinstance(node, ast.Constant):
                hint = f"Leave the quotes out where it is made: {ast.unparse(node)}."
                return Translation(what, hint)
            fix = case.fix(node, number) if number.lstrip("-").isdecimal() else None
            return Translation(what, "Leave the quotes out.", fix)
    return Translation("A size is a number, and this is a text", "Leave the quotes out.")


def negative(case: Case, match: re.Match[str]) -> Translation:
    """A range that ends before it starts, or a size below zero."""
    call = case.call
    if call is not None and ast.unparse(call.func).endswith("range") and len(call.args) > 1:
        start, stop = call.args[:2]
        what = f"F.range from {ast.unparse(start)} to {ast.unparse(stop)} ends before it starts"
        within = ast.unparse(stop) in [ast.unparse(one) for one in ast.walk(start)]
        if not within and not isinstance(stop, ast.Constant):
            return Translation(what, "stop is where it ends, and no length: start + length.")
        new = ast.Call(call.func, [stop, start, *call.args[2:]], call.keywords)
        return Translation(what, "The order is start, stop.", case.fix(call, new))
    return Translation("A size is below zero", "Which difference of sizes is negative here?")


def without_data(case: Case, match: re.Match[str]) -> Translation:
    """Tensor(...) without its numbers."""
    return Translation(
        "Tensor(...) needs its numbers first, and there are none or None",
        "Give a number, or a list: Tensor(0.0, dtype=DType.float32).",
    )


def counted(case: Case, match: re.Match[str]) -> Translation:
    """A range with another number of elements than ``out_dim`` says."""
    want, got = match["want"], match["got"]
    what = f"out_dim of F.range says {want}, and from start to stop there are {got} numbers"
    hint = "stop is where it ends, and no length: start + length."
    call = case.call
    words = {word.arg: word.value for word in call.keywords} if call else {}
    if call is None or len(call.args) < 2 or "out_dim" not in words:
        return Translation(what, hint)
    start, stop = call.args[:2]
    if ast.unparse(stop) != ast.unparse(words["out_dim"]):
        return Translation(what, hint)
    return Translation(what, hint, case.fix(stop, f"{ast.unparse(start)} + {ast.unparse(stop)}"))


def range_of(case: Case, match: re.Match[str]) -> Translation | None:
    """F.range of something that is no number."""
    call = case.call
    if call is None:
        return None
    for node in call.args:
        value = case.value(node)
        text = ast.unparse(node)
        if value is None or value.kind in ("int", "float", "StaticDim"):
            continue
        if value.kind == "NoneType":
            return misfit(case, node, value)
        if (told := _by_place(case, call)) is not None:
            return told
        if isinstance(node, ast.List | ast.Tuple) and len(node.elts) == 1:
            return Translation(
                f"F.range counts with numbers, and {text} is a list",
                "Leave the brackets out.",
                case.fix(node, node.elts[0]),
            )
        if value.kind == "str":
            return Translation(
                f"F.range counts with numbers, and {text} is a text",
                "Leave the quotes out.",
                case.fix(node, value.text.strip("'\"")),
            )
        what = f"F.range counts from number to number, and {text} is {described(value)}"
        shape = value.shape or ()
        hint = f"A length of it is a number: {text}.shape[-1]." if shape else None
        if value.kind == "Tensor" and not shape:
            hint = "MAX must know the length: give out_dim=, or plain numbers."
        return Translation(what, hint, case.fix(node, f"{text}.shape[-1]") if shape else None)
    return Translation(
        "F.range must know how many numbers it makes", "Give plain numbers, or out_dim=length."
    )


def _by_place(case: Case, call: ast.Call) -> Translation | None:
    """A type or a device by place, where the step belongs: both are given by name."""
    named = {word.arg for word in call.keywords}
    found = {}
    for node in call.args:
        value = case.value(node)
        text = ast.unparse(node)
        kind = value.kind if value is not None else text.partition("(")[0]
        if kind == "DType":
            found["dtype"] = node
        elif kind in ("CPU", "Accelerator", "Device"):
            found["device"] = node
    if not found or named & {*found, None}:
        return None
    words = [ast.keyword(name, node) for name, node in found.items()]
    plain = [one for one in call.args if one not in found.values()]
    made = ast.Call(call.func, plain, [*words, *call.keywords])
    node = next(iter(found.values()))
    place = ("start", "stop", "step", "out_dim")[min(call.args.index(node), 3)]
    what = f"{ast.unparse(call.func)} takes {ast.unparse(node)} as its {place} here"
    every = " and ".join(found)
    return Translation(what, f"Give {every} by name.", case.fix(call, made))


def too_early(case: Case, match: re.Match[str]) -> Translation:
    """Numbers were read while operations are only written down."""
    if case.error.inside and case.call is not None:
        wrong = in_order(case)
        node = next((one for one in case.operands() if case.is_tensor(one)), None)
        name = ast.unparse(case.call.func)
        if wrong is not None:
            return wrong
        if node is not None and not name.endswith(("to_numpy", "item", "realize")):
            text = ast.unparse(node)
            what = f"{name} needs a number here, and {text} is {described(case.value(node))}"  # type: ignore[arg-type]
            if case.kind(case.call.func) == "type":
                hint = f"{name} is a class: call the object of it that __init__ made."
                return Translation(what, hint)
            return Translation(what, f"A length of it: int({text}.shape[-1]).")
    return Translation(
        "Numbers were read inside 'with F.lazy():' or @F.functional, where operations are only "
        "written down",
        "Put nothing but the model's call into that block. Read the numbers after it.",
    )


def loaded(case: Case, match: re.Match[str]) -> Translation:
    """An array for a parameter of another shape or type."""
    name, dtype, other = match["name"], match["dtype"], match["other"]
    have, want = re.findall(r"\d+", match["have"] or ""), re.findall(r"\d+", match["want"])
    if have != want:
        turned = " It is transposed: use array.T." if have == want[::-1] else ""
        return Translation(
            f"The array for {name} has shape [{', '.join(have)}], and the parameter has "
            f"[{', '.join(want)}]",
            f"Shapes must be equal.{turned}",
        )
    return Translation(
        f"The array for {name} is of {dtype}, and the parameter of {other}",
        f"Make the parameter of {dtype}, or convert the array: array.astype(np.{other}).",
        about=name,
    )


def written_into(case: Case, match: re.Match[str]) -> Translation:
    """A tensor, a shape, or what else cannot be changed was written into."""
    kind = re.search(r"'(range|tuple|str)' object", case.text)
    store = (n.value for n in case.nodes() if isinstance(n, ast.Subscript))
    node = next((one for one in store if kind is not None and case.kind(one) == kind[1]), None)
    if kind is not None:
        text = "This" if node is None else ast.unparse(node)
        what = f"{text} is a {kind[1]}, which cannot be changed"
        made = "list(...)" if node is None else f"list({text})"
        return Translation(what, f"Make a list of it first, where it gets its value: {made}.")
    return Translation(
        "A number cannot be written into a tensor",
        "Make a new tensor: F.where(condition, new, old) chooses number by number, F.concat joins "
        "pieces.",
    )


def wrong_value(case: Case, match: re.Match[str]) -> Translation | None:
    """A value that is refused by something inside the call."""
    call = case.call
    if call is not None:
        if fixed := in_order(case):
            return fixed
        if numpy := of_numpy(case, call):
            return numpy
        if wrong := axis(case, call):
            return wrong
    return not_tensor(case, match) or _only_one(case) or _refused(case)


def _refused(case: Case) -> Translation | None:
    """A call of which no more is known than what the function takes."""
    call = case.call
    if call is None or "incompatible function arguments" not in case.text:
        return None
    name, taken = ast.unparse(call.func), told(case, call)
    what = f"{name} was given something of a kind that it does not take"
    return Translation(what, f"The arguments are {taken}." if taken != name else None)


def _only_one(case: Case) -> Translation | None:
    """A call with one argument that is refused, and what that is."""
    spread = case.spread()
    for node in (one for one in case.operands() if one not in spread):
        value = case.value(node)
        if value is not None and value.kind in (*FUNCTIONS, "type", "list", "tuple", "str"):
            return misfit(case, node, value)
    return None


def numpys(case: Case, match: re.Match[str]) -> Translation | None:
    """NumPy was given something that it cannot take."""
    call = case.call
    if call is not None and (told_numpy := of_numpy(case, call)):
        return told_numpy
    tensor = next((one for one in case.operands() if case.is_tensor(one)), None)
    if tensor is not None:
        text = ast.unparse(tensor)
        return Translation(
            f"{text} is a MAX Tensor, and meets a NumPy array",
            "Make both of one kind: Tensor(array), or tensor.to_numpy().",
            case.fix(tensor, f"{text}.to_numpy()"),
        )
    return None


def arrays(case: Case, match: re.Match[str]) -> Translation:
    """Two arrays of NumPy that do not fit together."""
    return numpys(case, match) or together(case, match)


FILLED = ("full", "zeros", "ones", "empty")
"""Functions of NumPy whose first argument is a shape."""


def loose_sizes(case: Case, match: re.Match[str]) -> Translation | None:
    """The sizes of an array one by one: the second is taken for its data type."""
    return _loose(case, ": the second is the data type, which is also given by name")


def _loose(case: Case, then: str) -> Translation | None:
    """Sizes one by one for a function of NumPy that makes an array; ``then`` says what follows."""
    call = case.call
    name = ast.unparse(call.func) if call is not None else ""
    if call is None or name.rpartition(".")[2] not in FILLED or len(call.args) < 2:
        return None
    count = len(call.args) - name.endswith("full")
    shape = ", ".join(ast.unparse(one) for one in call.args[:count])
    fixed = ast.Call(call.func, [ast.Name(f"({shape})"), *call.args[count:]], call.keywords)
    what = f"{name} takes the shape as one argument{then}"
    return Translation(what, "Put the sizes into one tuple.", case.fix(call, fixed))


def no_dtype(case: Case, match: re.Match[str]) -> Translation:
    """Something that NumPy takes for a data type, and that is none."""
    given, call = match["given"], case.call
    name = ast.unparse(call.func) if call is not None else "NumPy"
    if told := _loose(case, f", and {given} as the data type"):
        return told
    words = call.keywords if call is not None else []
    every = [*case.operands(), *(word.value for word in words)]
    own = [
        one for one in every if ast.unparse(one).endswith("dtype") or "DType" in ast.unparse(one)
    ]
    what = f"{name} is of NumPy, which does not know MAX's data type {given}"
    if not own:
        return Translation(what, "dtype.to_numpy() is NumPy's name for it.")
    text = ast.unparse(own[0])
    return Translation(what, "NumPy has its own.", case.fix(own[0], f"{text}.to_numpy()"))
