"""What Python itself raises, and the few errors of MAX that are about no shape and no kind.

Longer than 300 lines, because each family is a few lines, and they share how a name is found.
"""

from __future__ import annotations

import ast
import re

from grader.frameworks.max.errors import asked, imports
from grader.frameworks.max.errors.calls import told
from grader.frameworks.max.errors.case import Case, axes_of, described
from grader.frameworks.max.errors.fitting import swapped
from grader.frameworks.max.errors.foreign import of_numpy
from grader.frameworks.max.errors.kinds import not_tensor
from grader.frameworks.max.errors.misfits import FUNCTIONS, is_layer
from grader.frameworks.max.errors.nothing import none_has
from grader.frameworks.max.errors.vocabulary import meant
from grader.frameworks.values import Fix, Translation
from grader.protocol.probe import SeenValue

COUNTER = re.compile(r"^\w{1,2}\d*$|ind|idx|num|count|^n_|pos|layer|step|head", re.IGNORECASE)
"""Names that loops give to what enumerate counts."""


def not_callable(case: Case, match: re.Match[str]) -> Translation:
    """Something that is no function was called."""
    call = case.call
    func = call.func if call else None
    value = case.value(func)
    if call is None or func is None:
        what = described(SeenValue(match["kind"]))
        return Translation(
            f"{what[0].upper()}{what[1:]} was called like a function",
            "What the lesson calls must be a function or a class, and a default_factory a function "
            "without arguments: lambda: 12, or the name of one, without parentheses.",
            about=r"() ~default_factory=(?!lambda)([\d'\"\[{]|[A-Z][A-Z\d_]*\b|[\w.]+[(].*)",
        )
    text = ast.unparse(func)
    if match["kind"] == "NoneType":
        return none_has(case, func, "so it cannot be called")
    if value is None:
        if isinstance(func, ast.Tuple | ast.List | ast.Constant | ast.Call):
            return Translation(
                f"{text} was called like a function", "Is a comma or an operator missing?"
            )
        value = SeenValue(match["kind"])
    if value.kind in (*FUNCTIONS, "type") and value.kind != match["kind"]:
        return _handed(case, call, match["kind"])
    what = f"{text} is {described(value)}, and was called like a function"
    if not call.args and not call.keywords:
        return Translation(what, "Leave the parentheses out.", case.fix(call, func))
    if value.kind == "Shape" or (value.kind == "tuple" and text.endswith("shape")):
        index = ast.Subscript(func, call.args[0])
        return Translation(what, "Use brackets for an index.", case.fix(call, index))
    if value.kind in ("list", "tuple", "dict", "ModuleList"):
        return Translation(what, "Use brackets for an index, and a loop for all of it.")
    if value.kind in ("int", "str") and isinstance(func, ast.Name):
        hint = (
            f"If {text} comes from a loop: a loop over a dict gives its keys, one over range gives "
            "numbers. Loop over the layers themselves, in a ModuleList."
        )
        return Translation(what, hint)
    return _around(case, call, func, what)


def _reduced(case: Case, text: str) -> Fix | None:
    """``reduce(lambda x, f: f(x), value, functions)`` with the last two in their order.

    ``text`` is the second parameter of the lambda, which is called. The first one is all of them.
    """
    for one in case.calls():
        match one:
            case ast.Call(func=func, args=[ast.Lambda(args=taken) as step, first, last]):
                names = [each.arg for each in taken.args]
                listed = case.kind(ast.Name(names[0])) in ("list", "tuple") if names else False
                if ast.unparse(func).endswith("reduce") and names[1:] == [text] and listed:
                    return case.fix(one, ast.Call(func, [step, last, first], one.keywords))
    return None


def _around(case: Case, call: ast.Call, func: ast.expr, what: str) -> Translation:
    """A value was called: a module, or perhaps with the layer that is to be called with it."""
    if (turned := _reduced(case, ast.unparse(func))) is not None:
        hint = "reduce takes the function, then what it goes through, then the first value."
        return Translation(what, hint, turned)
    value = case.value(func) or SeenValue("")
    if value.kind == "module" and (near := meant(value.text, imports.of_module(value.text))):
        return Translation(what, f"{near} is in it.", case.fix(func, f"{ast.unparse(func)}.{near}"))
    given = case.value(call.args[0]) if len(call.args) == 1 else None
    if case.is_tensor(func) and given is not None and is_layer(given):
        other = ast.unparse(call.args[0])
        hint = f"{other} is a layer: the two are swapped. It is the layer that is called."
        return Translation(what, hint, case.fix(call, ast.Call(call.args[0], [func], [])))
    if given is not None and _scales(value, given) and "bias" not in ast.unparse(func):
        made = ast.BinOp(func, ast.Mult(), call.args[0])
        return Translation(what, "Is it a factor? * multiplies.", case.fix(call, made))
    if value.kind == "bool":
        hint = (
            f"Only a layer or a function is called: look where {ast.unparse(func)} gets its value."
        )
        return Translation(what, hint)
    return Translation(what, "Leave the parentheses out, or is an operator missing?")


def _scales(value: SeenValue, given: SeenValue) -> bool:
    """Whether a tensor can be a factor of vectors: one number for each of their features."""
    both = (value.kind, given.kind) == ("Tensor", "Tensor") and value.dtype == given.dtype
    return both and len(value.shape or ()) == 1 and value.shape == (given.shape or ())[-1:]


def _handed(case: Case, call: ast.Call, kind: str) -> Translation:
    """A function was given something of this kind where it needs a function or a layer."""
    text, plain = ast.unparse(call.func), described(SeenValue(kind))
    for node in case.operands():
        if isinstance(node, ast.Call) and case.kind(node) in ("", kind):
            what = f"{text} calls what it is given, and {ast.unparse(node)} is {plain}"
            hint = f"Give {ast.unparse(node.func)} itself, without calling it."
            return Translation(what, hint, case.fix(node, node.func))
    given = next((one for one in case.operands() if case.kind(one) == kind), None)
    what = plain if given is None else f"{ast.unparse(given)}, {plain},"
    return Translation(
        f"{text} was given {what} where it needs a function or a layer",
        f"The arguments are {told(case, call)}.",
    )


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


def not_indexed(case: Case, match: re.Match[str]) -> Translation:
    """Something that has no entries was indexed."""
    node = case.node
    kind = match["kind"]
    if not isinstance(node, ast.Subscript):
        return Translation(f"{described(SeenValue(kind))} has no entries".capitalize(), None)
    owner, key = node.value, node.slice
    text, value = ast.unparse(owner), case.value(owner) or SeenValue(kind)
    if kind == "NoneType":
        return none_has(case, owner, "so it has no entries")
    what = f"{text} is {described(value)}, which has no entries"
    if kind == "dict_itemiterator":
        return Translation(what, "Make a dict of it.", case.fix(owner, f"dict({text})"))
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        new = ast.Attribute(owner, key.value)
        return Translation(what, "Its values are attributes.", case.fix(node, new))
    layer = bool(value.signature) and case.is_tensor(key)
    if layer or kind in ("function", "method", "builtin_function_or_method", "type"):
        args = key.elts if isinstance(key, ast.Tuple) else [key]
        if any(isinstance(one, ast.Slice) for one in args):  # of what the call gives
            return Translation(what, "A call has round brackets. They come before the square ones.")
        called = ast.Call(owner, args, [])
        return Translation(what, "A call has round brackets.", case.fix(node, called))
    return Translation(what, "Is the index on the right name?")


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


def factory(case: Case, match: re.Match[str]) -> Translation | None:
    """The function behind a ``default_factory``, called by the ``__init__`` of a dataclass."""
    if case.error.line is not None and case.call is not None:
        return None
    return Translation(
        "A lambda is called without an argument, and needs one",
        "A default_factory takes a function without arguments: lambda: 12.",
        about=r"() ~default_factory=lambda [^:]",
    )


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


def no_forward(case: Case, match: re.Match[str]) -> Translation:
    """A module that has no forward was called, or its forward by name."""
    name, call = match["name"], case.call
    func = call.func if call else None
    if call is not None and isinstance(func, ast.Attribute) and func.attr == "forward":
        owner = ast.unparse(func.value)
        if name == "ModuleList":
            return _list_called(owner)
        new = ast.Call(func.value, call.args, call.keywords)
        return Translation(
            f"{name} has no forward: it is called itself",
            f"Call the object: {owner}(...).",
            case.fix(call, new),
        )
    if name in ("ModuleList", "Module"):
        return _list_called(ast.unparse(func) if func else "The list")
    return Translation(
        f"{name} has neither __call__ nor forward",
        "Define one of them inside the class: it is what runs when the object is called.",
    )


def _list_called(owner: str) -> Translation:
    return Translation(
        f"{owner} is a list of layers, and a list cannot be called",
        f"Call its layers, one after another: for block in {owner}: x = block(x)",
    )


def recursion(case: Case, match: re.Match[str]) -> Translation:
    """A call that never ends; MAX does it too, with a text for a number."""
    call = case.call
    for node in case.operands():
        value = case.value(node)
        if value is not None and value.kind in ("str", "list") and call is not None:
            texts = [n for n in ast.walk(node) if isinstance(n, ast.Constant)]
            texts = [one for one in texts if isinstance(one.value, str)]
            if texts and ast.unparse(call.func).startswith("Tensor"):
                what = (
                    f"{ast.unparse(call.func)} takes numbers, and {ast.unparse(texts[0])} is a text"
                )
                new = re.sub(r"'[^']*'", r"float(\g<0>)", ast.unparse(node))
                return Translation(what, "Make a number of it.", case.fix(node, new))
    name = case.error.function
    what = f"{name} calls itself without end" if name else "A function calls itself without end"
    return Translation(
        what, "In a Module, self(...) calls __call__ again: use another name for a helper."
    )


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


def index(case: Case, match: re.Match[str]) -> Translation:
    """An index past the end of a list."""
    node = case.node
    if not isinstance(node, ast.Subscript):
        return Translation("An index is past the end of a list", "Count from 0; -1 is the last.")
    owner, value = ast.unparse(node.value), case.value(node.value)
    long = f" and has {value.text} entries" if value and value.text else ""
    if value is not None and value.shape is not None:
        long = f" and has shape {list(value.shape)}"
    if value is not None and value.kind in ("list", "tuple") and not value.text:
        long = ""
    given = ast.unparse(node.slice)
    seen = case.value(node.slice)
    number = seen.text if seen is not None else _worked_out(case, node.slice)
    at = f"{given} = {number}" if number not in ("", given) else given
    kind = described(value) if value else "a list"
    bounds = re.search(r"index (-\d+) is out of bounds for axis \d+ with size (\d+)", case.text)
    if bounds is not None and given.startswith("-"):
        what = f"{owner} has {bounds[2]} entries, and {given} is {bounds[1]}"
        hint = f"Count no further than there are entries: min({given[1:]}, their number)."
        return Translation(what, hint)
    if (flat := _too_flat(node, value, at)) is not None:
        return flat
    if value is not None and value.kind in ("list", "tuple"):
        hint = _too_many(case, node, value.text) or _indexes(value.text)
        return Translation(f"{owner} is {kind}, and has no entry {at}", hint)
    past = re.search(r"is out of bounds for axis (\d+) with size (\d+)", case.text)
    several = past is not None and isinstance(node.slice, ast.Tuple)
    along = f" along axis {past[1]}" if past is not None and several else ""
    hint = _indexes(past[2] if past is not None else "", along)
    return Translation(f"{owner} has no entry {at}{long and f': it is {kind}'}", hint)


def _worked_out(case: Case, node: ast.expr) -> str:
    """The whole number that an expression is, of names whose values were seen; empty if unknown."""
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as op, right=right):
            one, other = (_worked_out(case, part) for part in (left, right))
            if not one or not other:
                return ""
            if isinstance(op, ast.Mult):
                return str(int(one) * int(other))
            return str(int(one) + (1 if isinstance(op, ast.Add) else -1) * int(other))
    value = case.value(node)
    whole = value is not None and value.kind == "int" and value.text.lstrip("-").isdecimal()
    return value.text if value is not None and whole else ""


def _too_many(case: Case, node: ast.Subscript, size: str) -> str:
    """That the last of so many was asked for, and there are fewer: ``ranking[top_k - 1]``."""
    match node.slice:
        case ast.BinOp(left=ast.Name() as many, op=ast.Sub(), right=ast.Constant(value=1)):
            pass
        case ast.UnaryOp(op=ast.USub(), operand=ast.Name() as many):
            pass
        case _:
            return ""
    number, owner = _worked_out(case, many), ast.unparse(node.value)
    if not number or not size.isdecimal() or not 0 < int(size) < int(number):
        return ""
    entries = "there is only 1 entry" if size == "1" else f"there are only {size} entries"
    least = f"min({many.id}, len({owner})) is never more than there are."
    return f"{many.id} is {number}, and {entries}: {least}"


def _too_flat(node: ast.Subscript, value: SeenValue | None, at: str) -> Translation | None:
    """A shape that lacks the axis which it is asked for: the tensor was made with too few."""
    owner = node.value
    shape = isinstance(owner, ast.Attribute) and owner.attr == "shape"
    if not shape or not isinstance(owner, ast.Attribute) or not isinstance(owner.value, ast.Name):
        return None
    sizes = None if value is None else re.findall(r"\d+", value.text)
    if not sizes or len(sizes) > 2:
        return None
    name, axes = owner.value.id, "one axis" if len(sizes) == 1 else "two axes"
    return Translation(
        f"{name} has only {axes}, {value.text if value else ''}, and no axis {at}",
        "Look where it is made: [x] has one axis more than x, so Tensor([tokens]) is a batch of "
        f"one text. Is a pair of brackets missing around what {name} is made of?",
    )


def _indexes(size: str, along: str = "") -> str:
    """Which indexes there are; ``size`` is how many entries, and empty where that is unknown."""
    if not size.isdecimal():
        return "Count from 0; -1 is the last."
    if size == "0":
        return "It is empty here."
    if size == "1":
        return "There is one entry: index 0."
    ends = f"indexes 0 to {int(size) - 1}, or from the end -1 to -{size}"
    return f"There are {size} entries{along}: {ends}."


def key(case: Case, match: re.Match[str]) -> Translation:
    """A key that a dict has not."""
    node = case.node
    owner = ast.unparse(node.value) if isinstance(node, ast.Subscript) else "The dict"
    near = meant(case.text.strip("'\""), case.error.about.names) if case.error.about else None
    hint = f"Did you mean {near!r}?" if near else f"Look at what it has: print(list({owner}))."
    what, fix = f"{owner} has no entry {case.text.splitlines()[0]!r}", None
    if near is None and (either := _in_either(case, node)) is not None:
        names, both = either
        hint = f"{ast.unparse(names)} has the names of both, also those that only one of them has."
        fix = case.fix(names, both)
    return Translation(what, hint, fix)


def _in_either(case: Case, node: ast.expr | None) -> tuple[ast.expr, str] | None:
    """The names of two groups together, among which a comprehension takes a key; those in both."""
    key = ast.unparse(node.slice) if isinstance(node, ast.Subscript) else ""
    loops = [n for n in ast.walk(case.statement or ast.Pass()) if isinstance(n, ast.comprehension)]
    for loop in (one for one in loops if ast.unparse(one.target) == key):
        for one in ast.walk(loop.iter):
            match one:
                case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                    return one, f"{ast.unparse(left)} & {ast.unparse(right)}"
                case ast.Call(func=ast.Attribute(value=left, attr="union"), args=[right]):
                    return one, f"{ast.unparse(left)}.intersection({ast.unparse(right)})"
    return None


def not_found(case: Case, match: re.Match[str]) -> Translation:
    """What was asked for is not in the file: see ``MissingName`` of the worker."""
    if match.groupdict().get("owner"):
        return Translation(
            f"{match['owner']} has no method {match['name']}",
            "The lesson names it; define it inside the class, spelled so.",
        )
    return Translation(
        f"{match['name']} is not defined in your file",
        "The lesson names it; define it at the top level of the file.",
        about=f"{match['name']}()",
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
