"""Calls with arguments that do not fit: which ones there are, and the call put right.

Longer than 300 lines, because a call is read, compared and put right in one place.
"""

from __future__ import annotations

import ast
import difflib
import re

from grader.frameworks.max.errors.calls import KEPT
from grader.frameworks.max.errors.case import Case
from grader.frameworks.max.errors.fitting import fits
from grader.frameworks.max.errors.foreign import of_numpy
from grader.frameworks.max.errors.gathering import LISTS, chained, gathered, spread
from grader.frameworks.max.errors.signature import Signature
from grader.frameworks.max.errors.vocabulary import known, meant
from grader.frameworks.values import Translation
from grader.protocol.probe import SeenValue

SYNONYMS = {
    "dim": ("axis", "dims", "n_embd"),
    "dims": ("axis", "dim"),
    "axes": ("axis", "dims"),
    "dim0": ("dim1", "axis_1"),
    "in_features": ("in_dim",),
    "out_features": ("out_dim",),
    "input_dim": ("in_dim",),
    "output_dim": ("out_dim",),
    "num_embeddings": ("vocab_size",),
    "embedding_dim": ("dim",),
    "size": ("shape",),
    "normalized_shape": ("shape", "dim"),
    "eps": ("epsilon",),
    "epsilon": ("eps",),
    "weight": ("gamma",),
    "bias": ("beta",),
    "input": ("x", "value"),
    "x": ("input", "value"),
    "tensors": ("original_vals", "values"),
    "split_size": ("split_size_or_sections",),
    "diagonal": ("num_upper",),
    "value": ("data",),
    "index": ("indices",),
    "end": ("stop",),
    "immutable": ("frozen",),
    "readonly": ("frozen",),
    "read_only": ("frozen",),
    "const": ("frozen",),
    "sort_keys": ("order",),
}
"""Names of arguments in PyTorch and NumPy, and MAX's names for them."""


USUAL = {
    "dim1": "-1",
    "dim2": "-2",
    "axis_1": "-1",
    "axis_2": "-2",
    "epsilon": "1e-5",
    "graph_op": "",
}
"""What is usually written for an argument that was forgotten."""


def refused(case: Case, match: re.Match[str]) -> Translation | None:
    """A call whose arguments do not fit the function's."""
    call = case.call or next(case.calls(), None)
    if call is None or (case.call is None and isinstance(case.node, ast.Attribute)):
        return None  # to look something up called what is not written there
    if other := of_numpy(case, call) or _by_partial(case, call, match):
        return other
    signature = Signature.of(case.value(call.func))
    what = _what(case, call, match)
    if (
        told := _builtin(case, call)
        or _class_itself(case, call)
        or _on_class(case, call, signature)
        or _permuted(case, call)
        or _loose_texts(case, call)
        or _whole_dict(case, call, signature, what)
        or _starred(case, call, match)
        or _superclass(case, call, what)
        or _closed_early(case, call, match, what)
        or _transposed(case, call, what)
    ):
        return told
    if ast.unparse(call) == "F.functional()":
        return Translation(
            "F.functional is a decorator and takes no parentheses",
            "Leave them out.",
            case.fix(call, "F.functional"),
        )
    if signature is None:
        signature = _recorded(case, call)
    if signature is None or (case.error.inside and not _is_own(case, call, match)):
        return Translation(what, None)
    starred = any(word.arg is None for word in call.keywords)
    fixed = None if starred else repaired(case, call, signature)  # it may lose what ** hands over
    if (
        told := _one_too_many(case, call, fixed, signature, what)
        or _starred_name(call, match, signature, what)
        or _without_stop(call, match, what)
    ):
        return told
    shown = ", ".join(signature.written)
    loose = case.kind(next(iter(call.args), None)) not in ("list", "tuple", "Shape")
    many = len(call.args) > 1 and loose and signature.plain[:1] in (["shape"], ["dims"])
    hint = f"The arguments are {ast.unparse(call.func)}({shown})."
    hint = f"The numbers go into one list. {hint}" if many else hint
    if len(hint) > 120:
        hint = f"The arguments are ({shown})."
    if fixed is not None and _too_few_taken(case, call, fixed, signature):
        less = f"Write {ast.unparse(fixed)} here, or let {ast.unparse(call.func)} take one more."
        return Translation(what, f"{hint} {less}")
    return Translation(what, hint, case.fix(call, fixed) if fixed is not None else None)


def _by_partial(case: Case, call: ast.Call, match: re.Match[str]) -> Translation | None:
    """A name that the function which a ``partial`` calls does not take: the partial sets it."""
    word = match.groupdict().get("unknown")
    given = any(one.arg in (word, None) for one in call.keywords)
    if word is None or word in KEPT or given or case.kind(call.func) != "partial":
        return None
    name, made = ast.unparse(call.func), re.search(r"(\w+)\.__init__\(\) got an", case.text)
    owner = made[1] if made is not None else f"what {name} calls"
    what = f"{owner} has no argument called {word}, and {name} gives it one"
    return Translation(what, None, about=f"preset: {word}", elsewhere=True)


def _too_few_taken(case: Case, call: ast.Call, fixed: ast.Call, signature: Signature) -> bool:
    """Whether a call gives a function of the file one variable more than it has an argument for."""
    own = isinstance(call.func, ast.Name) and case.kind(call.func) == "function"
    own = own and not any("=" in one or "*" in one for one in signature.written)
    given, kept = ([ast.unparse(one) for one in each.args] for each in (call, fixed))
    less = given[:-1] == kept and len(call.keywords) == len(fixed.keywords)
    return own and less and isinstance(call.args[-1], ast.Name | ast.Attribute)


def _starred_name(
    call: ast.Call, match: re.Match[str], signature: Signature, what: str
) -> Translation | None:
    """A name that the call refuses, and that is not written there: ``**`` hands it over."""
    name = match.groupdict().get("unknown") or ""
    handed = [ast.unparse(word.value) for word in call.keywords if word.arg is None]
    if not name or len(handed) != 1 or any(word.arg == name for word in call.keywords):
        return None
    near = meant(name, signature.every)
    said = f"Did you mean {near}? " if near else ""
    return Translation(what, f"{said}The name comes from **{handed[0]}.", about=f"text: {name}")


TRANSPOSES = {
    **dict.fromkeys(("transpose_a", "adjoint_a"), 0),
    **dict.fromkeys(("transpose_b", "adjoint_b"), 1),
}
"""Options of other libraries' products, and which of the two tensors each of them turns."""


def _transposed(case: Case, call: ast.Call, what: str) -> Translation | None:
    """A product that is to swap the last two axes of one of its tensors, as other libraries do."""
    turned = [one for one in call.keywords if one.arg in TRANSPOSES]
    args, owner = list(call.args), ast.unparse(call.func).rpartition(".")[2]
    if not turned or len(args) != 2 or owner not in ("matmul", "bmm"):
        return None
    for word in turned:
        at = TRANSPOSES[word.arg or ""]
        if not isinstance(word.value, ast.Constant) or word.value.value:
            args[at] = ast.parse(f"({ast.unparse(args[at])}).transpose(-1, -2)", mode="eval").body
    rest = [one for one in call.keywords if one not in turned]
    hint = "MAX multiplies the tensors as they are: swap the last two axes before."
    return Translation(what, hint, case.fix(call, ast.Call(call.func, args, rest)))


def _without_stop(call: ast.Call, match: re.Match[str], what: str) -> Translation | None:
    """A range with one number: where it ends, most often, but where it starts is not known."""
    loose = len(call.args) == 1 and not isinstance(call.args[0], ast.List | ast.Tuple)
    if not loose or "'stop'" not in (match.groupdict().get("missing") or ""):
        return None
    name, given = ast.unparse(call.func), ast.unparse(call.args[0])
    example = "start, stop" if given == "0" else f"0, {given}"
    hint = f"It takes the first number and the one behind the last, for example {name}({example}"
    return Translation(what, f"{hint}, ...).")


def _whole_dict(
    case: Case, call: ast.Call, signature: Signature | None, what: str
) -> Translation | None:
    """A dict of options that is one value too many: ``**`` hands over what is in it."""
    if signature is None or len(call.args) <= len(signature.plain):
        return None
    last = call.args[-1]
    if case.kind(last) != "dict":
        return None
    words = [*call.keywords, ast.keyword(None, last)]
    text = ast.unparse(last)
    fixed = ast.Call(call.func, call.args[:-1], words)
    return Translation(
        what, f"** hands over the entries of the dict {text} by name.", case.fix(call, fixed)
    )


def _builtin(case: Case, call: ast.Call) -> Translation | None:
    """``sum(x, axis=-1)`` of a tensor: Python's own functions know no axis."""
    name = ast.unparse(call.func)
    tensors = any(case.is_tensor(one) for one in call.args)
    if name not in ("sum", "max", "min", "abs", "round") or name not in known()["F"] or not tensors:
        return None
    what = f"{name} is Python's own here, which takes no tensor apart along an axis"
    made = ast.Call(ast.Name(f"F.{name}"), call.args, call.keywords)
    return Translation(what, f"MAX has F.{name} for tensors.", case.fix(call, made))


def _class_itself(case: Case, call: ast.Call) -> Translation | None:
    """An attribute that holds a class, where an object of it is to be called."""
    value, name = case.value(call.func), ast.unparse(call.func)
    if value is None or value.kind != "type" or not name.startswith("self.") or not value.text:
        return None
    what = f"{name} is the class {value.text}, and not an object of it"
    made = f"{value.text}(...)" if value.signature else f"{value.text}()"
    return Translation(what, f"Make one where it is set: {name} = {made}")


def _on_class(case: Case, call: ast.Call, signature: Signature | None) -> Translation | None:
    """A method that is called on the class, so that its first value goes to ``self``."""
    func = call.func
    if not isinstance(func, ast.Attribute) or case.kind(func.value) != "type":
        return None
    if signature is None or signature.plain[:1] not in (["self"], ["cls"]):
        return None
    owner = ast.unparse(func.value)
    if signature.plain[0] == "cls":
        what = f"{owner}.{func.attr} is no class method, so nothing is given to its cls"
        name = (case.value(func.value) or SeenValue("")).text
        where = f"{name}.{func.attr}()" if name else ""
        hint = f"@classmethod is missing above def {func.attr}."
        return Translation(what, hint, about=where, elsewhere=bool(where))
    what = f"{owner} is a class, and {func.attr} needs an object of it"
    return Translation(what, f"Make one first: {owner}(...).{func.attr}(...).")


def _starred(case: Case, call: ast.Call, match: re.Match[str]) -> Translation | None:
    """A list handed over where its entries are the arguments."""
    what = _what(case, call, match)
    lacks = len(re.findall(r"'\w+'", match.groupdict().get("missing") or ""))
    last = call.args[-1] if call.args else None
    if not lacks or last is None or call.keywords or isinstance(last, ast.List | ast.Tuple):
        return None
    signature = Signature.of(case.value(call.func))
    room = signature.plain if signature else []
    listed = len(call.args) <= len(room) and room[len(call.args) - 1] in LISTS
    value = case.value(last)
    several = value is not None and value.kind in ("list", "tuple") and not listed
    if value is None or not (
        value.kind in ("generator", "map", "zip") or (several and value.text == str(lacks + 1))
    ):
        return None
    name = ast.unparse(last)
    fixed = ast.Call(call.func, [*call.args[:-1], ast.Starred(last)], [])
    return Translation(what, f"{name} holds all of them: * takes it apart.", case.fix(call, fixed))


def _superclass(case: Case, call: ast.Call, what: str) -> Translation | None:
    """``super().__init__()`` of a class that needs arguments."""
    if ast.unparse(call) != "super().__init__()":
        return None
    own = case.kind(ast.Name("self"))
    return Translation(
        what,
        "Which class does yours extend? One that holds layers extends Module.",
        about=f"{own}()" if own else "",
        elsewhere=bool(own),
    )


def _closed_early(
    case: Case, call: ast.Call, match: re.Match[str], what: str
) -> Translation | None:
    """A keyword that belongs to the call inside: ``f(g(x), word=1)`` for ``f(g(x, word=1))``."""
    word = match.groupdict().get("unknown")
    given = next((one for one in call.keywords if one.arg == word), None)
    for inner in call.args if given is not None else ():
        signature = Signature.of(case.value(inner.func)) if isinstance(inner, ast.Call) else None
        if not isinstance(inner, ast.Call) or signature is None or word not in signature.every:
            continue
        if given is None or word in [one.arg for one in inner.keywords]:
            continue
        new = ast.Call(inner.func, inner.args, [*inner.keywords, given])
        args = [new if one is inner else one for one in call.args]
        words = [one for one in call.keywords if one is not given]
        hint = f"{word} is for {ast.unparse(inner.func)}, whose parenthesis closes too early."
        return Translation(what, hint, case.fix(call, ast.Call(call.func, args, words)))
    return None


def _one_too_many(
    case: Case, call: ast.Call, fixed: ast.Call | None, signature: Signature, what: str
) -> Translation | None:
    """Several values where one is taken, and no use for the others: which is meant is not known."""
    for one in call.args:
        if isinstance(one, ast.Starred) and case.kind(one.value) == "dict":
            rest = [other for other in call.args if other is not one]
            new = ast.Call(call.func, rest, [*call.keywords, ast.keyword(None, one.value)])
            hint = "One * hands over only the keys of a dict: ** hands over its values, by name."
            return Translation(what, hint, case.fix(call, new))
    if fixed is None or call.keywords or fixed.keywords or len(signature.plain) != 1:
        return None
    names, kept = ([ast.unparse(one) for one in each.args] for each in (call, fixed))
    if len(call.args) > 1 and all(case.kind(one) in ("list", "Shape") for one in call.args):
        joined = ast.Call(call.func, [ast.parse(" + ".join(names), mode="eval").body], [])
        return Translation(what, "It takes one list.", case.fix(call, joined))
    dropped = len(kept) == 1 < len(names) and kept == names[:1] and {*names[1:]} != {"_"}
    if not dropped or ast.unparse(fixed.func) != ast.unparse(call.func):
        return None
    tensors = sum(map(case.is_tensor, call.args)) > 1  # what a layer is called with
    if case.kind(call.func) == "type" and tensors and signature.plain[0] not in names:
        makes = f"It makes an object, of {signature.plain[0]} alone"
        both = f"{ast.unparse(call.func)}({signature.plain[0]})({', '.join(names)})"
        return Translation(what, f"{makes}. If these are for that object: {both}")
    meant = f"{', '.join(names[:-1])} or {names[-1]}"
    return Translation(what, f"It takes one: is {meant} meant, or what they make together?")


def _permuted(case: Case, call: ast.Call) -> Translation | None:
    """``x.transpose(0, 2, 1, 3)``, as NumPy has it."""
    func, axes = call.func, call.args
    name = func.attr if isinstance(func, ast.Attribute) else ""
    if not isinstance(func, ast.Attribute) or name != "transpose" or len(axes) < 3:
        return None
    texts = [ast.unparse(one) for one in axes]
    places = {int(text) % len(axes) for text in texts if text.lstrip("-").isdecimal()}
    if ast.unparse(func.value) == "F" or call.keywords or len(places) < len(axes):
        return None
    new = ast.Call(ast.Attribute(func.value, "permute"), [ast.List(axes)], [])
    what = f"transpose swaps two axes, and is given {len(axes)}"
    return Translation(what, "permute takes the order of all axes.", case.fix(call, new))


def _loose_texts(case: Case, call: ast.Call) -> Translation | None:
    """``" ".join(a, b)``, where one list of the texts is taken."""
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr != "join" or len(call.args) < 2:
        return None
    if case.kind(func.value) not in ("", "str") or "exactly one argument" not in case.text:
        return None
    what = f"{ast.unparse(func)} takes one list of texts, and is given {len(call.args)} values"
    new = ast.Call(func, [ast.List(call.args)], call.keywords)
    return Translation(what, "Put them into a list.", case.fix(call, new))


def _recorded(case: Case, call: ast.Call) -> Signature | None:
    """The signature of one of MAX's methods, where its object is the result of another call."""
    found = re.search(r"\bTensor\.(\w+)\(\)", case.text)
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if found is None or found[1] != name or name not in known()["Tensor"]:
        return None
    written = tuple(known()["signatures of Tensor"][known()["Tensor"].index(name)].split(", "))
    return Signature.of(SeenValue("method", signature=written))


def _is_own(case: Case, call: ast.Call, match: re.Match[str]) -> bool:
    """Whether it is the learner's own call that was refused, and not one inside it."""
    name = match.groupdict().get("name")
    if name:
        return any(word.arg == name for word in call.keywords) or "value" in case.text
    return True


def _what(case: Case, call: ast.Call, match: re.Match[str]) -> str:
    """What is wrong with the call, in a sentence."""
    name = ast.unparse(call.func)
    found = {key: value for key, value in match.groupdict().items() if value}
    count = len(call.args)
    signature = Signature.of(case.value(call.func))
    match found:
        case {"unknown": word}:
            if word in KEPT:
                return f"{name} has no argument {word}: MAX always keeps the axis, with size 1"
            return f"{name} has no argument called {word}"
        case {"missing": words}:
            names = ", ".join(re.findall(r"'(\w+)'", words))
            if names in map(ast.unparse, call.args):
                return f"{name} takes one value more: before {names}, one is missing"
            return f"{name} needs {names} as well"
        case {"twice": word}:
            return f"{name} is given {word} twice: once by its place, once by its name"
    most = len(signature.plain) if signature else 0
    if signature is not None and not most and signature.named:
        return f"{name} takes nothing by place, only by name"
    if not most:
        if count > 1:
            return f"{name} takes fewer than {count} arguments by place"
        given = f"is given {count}" if count else "a method is given its object"
        return f"{name} takes nothing by place, and {given}"
    starred = any(isinstance(one, ast.Starred) for one in call.args)
    given = "* hands over several" if starred else f"is given {count}"
    return f"{name} takes {most} value{'s' * (most != 1)} by place, and {given}"


def repaired(case: Case, call: ast.Call, signature: Signature) -> ast.Call | None:
    """The call with arguments that fit; None where that cannot be known."""
    args, words = list(call.args), _words(call, signature)
    args = gathered(case, args, signature, words)
    if len(args) == 1 and isinstance(args[0], ast.List | ast.Tuple):
        args = spread(args[0], signature, words) or args
    if len(args) == len(signature.plain) == 1 and isinstance(args[0], ast.Starred):
        args = [args[0].value]
    if calls := chained(call, args, signature):
        return calls
    room = [name for name in signature.plain if name not in words]
    for one in args[len(room) :]:
        named = (n for n in signature.named if n not in words and _suits(case, n, one))
        if name := next(named, None):
            words[name] = one
    filled = _filled(case, call, signature, args[: len(room)], words)
    if filled is None:
        return None
    if any(fits(n, case.value(a)) is False for n, a in zip(room, filled, strict=False)):
        return None
    if any(_is_mixed(case, one) for one in filled if one not in call.args):
        return None
    return ast.Call(call.func, filled, [ast.keyword(name, value) for name, value in words.items()])


NUMBERS = ("Dim", "Tensor")
"""Classes whose objects are numbers."""


def _is_mixed(case: Case, node: ast.expr) -> bool:
    """Whether an expression is a list of new objects of a class and of numbers."""
    parts = node.elts if isinstance(node, ast.List) else []
    calls = [ast.unparse(one.func).rpartition(".")[2] for one in parts if isinstance(one, ast.Call)]
    made = [name for name in calls if name[:1].isupper() and name not in NUMBERS]
    return bool(made) and any(case.kind(one) == "int" for one in parts)


def _filled(
    case: Case,
    call: ast.Call,
    signature: Signature,
    args: list[ast.expr],
    words: dict[str, ast.expr],
) -> list[ast.expr] | None:
    """The arguments by place with what was forgotten; that by name is added to ``words``."""
    room = [name for name in signature.plain if name not in words]
    missing = signature.required - set(room[: len(args)]) - set(words)
    for name in [one for one in signature.every if one in missing]:
        usual = _usual(case, name, args, call)
        if usual is None or _given(usual, args):  # another one is missing
            return None
        if name == "stop" and "start" not in words:
            args = [ast.Constant(0), *args]
        elif name in room and room.index(name) == len(args):
            args.append(usual)
        else:
            words[name] = usual
    return args


def _given(node: ast.expr, args: list[ast.expr]) -> bool:
    """Whether a variable is handed over already, in another's place."""
    return isinstance(node, ast.Name) and node.id in map(ast.unparse, args)


def _words(call: ast.Call, signature: Signature) -> dict[str, ast.expr]:
    """The keywords under the names that the function has; those without any are left out."""
    made: dict[str, ast.expr] = {}
    taken = {word.arg for word in call.keywords} | set(signature.plain[: len(call.args)])
    for word in call.keywords:
        name = word.arg or ""
        if name not in signature.every:
            free = [one for one in signature.every if one not in taken]
            given = ast.unparse(word.value)
            name = (
                given
                if given in free and name not in KEPT
                else next((one for one in SYNONYMS.get(name, ()) if one in free), "")
                or (_near(name, free) if name not in KEPT else "")
            )
        if name:
            made[name] = word.value
    return made


def _near(name: str, free: list[str]) -> str:
    starts = [one for one in free if len(name) > 1 and one.startswith(name)]
    return (starts or difflib.get_close_matches(name, free, 1, 0.6) or [""])[0]


def _suits(case: Case, name: str, node: ast.expr) -> bool:
    """Whether ``node`` can be the argument ``name`` that is given by name only."""
    text, kind = ast.unparse(node), case.kind(node)
    match name:
        case "default":
            return True
        case "dtype":
            return kind in ("DType", "type", "str") or text.endswith("dtype")
        case "device":
            return kind in ("CPU", "Device") or text.endswith(("device", "CPU()"))
        case "bias" | "exclude" | "use_cache":
            return kind in ("bool", "") or text == name
        case "dim":
            return kind in ("int", "StaticDim", "")
    return text.rpartition(".")[2] == name


def _usual(case: Case, name: str, args: list[ast.expr], call: ast.Call) -> ast.expr | None:
    """What most likely belongs in place of a forgotten argument."""
    if name in ("dim2", "axis_2") and args and ast.unparse(args[-1]) == "-2":
        return ast.parse("-1", mode="eval").body
    if name == "axis" and ast.unparse(call.func).endswith("gather"):
        return ast.Constant(0)
    if name == "axis" and ast.unparse(call.func).endswith("unsqueeze"):
        return ast.Constant(1)
    if name == "stop" and len(args) == 1:
        return args[0]
    if name in ("dtype", "device") and ast.unparse(call.func).endswith("astype"):
        return None
    if name in ("dtype", "device"):
        if name in case.seen.values and name not in [one.arg for one in call.keywords]:
            return ast.Name(name)  # the function has a variable of this name
        tensors = [key for key, value in case.seen.values.items() if value.kind == "Tensor"]
        used = {n.id for n in case.nodes() if isinstance(n, ast.Name)}
        plain = sorted(tensors, key=lambda key: (key not in used, "." in key, len(key)))
        usual = {"dtype": "DType.float32", "device": "CPU()"}[name]
        text = f"{plain[0]}.{name}" if plain else usual
        return ast.parse(text, mode="eval").body
    written = USUAL.get(name)
    return ast.parse(written, mode="eval").body if written else None


def without_self(case: Case, match: re.Match[str]) -> Translation | None:
    """A method of the learner's that is given one value more than it takes besides ``self``.

    Either the call has one too many, or the def has no ``self``.
    """
    func = case.call.func if case.call else None
    given = len(case.call.args) if case.call else 0
    if case.call is None and isinstance(case.node, ast.Attribute):
        return _property_without_self(case, case.node, match)
    if not isinstance(func, ast.Attribute) or int(match["takes"]) != given:
        return None
    name, owner = match["name"], ast.unparse(func.value)
    if func.attr != name or int(match["given"]) != given + 1 or owner != "self":
        return None
    if not given:
        what = f"{owner}.{name} is a method, and its def takes no self"
        return Translation(what, f"Write def {name}(self):")
    takes = f"{given - 1} value{'' if given == 2 else 's'}"
    what = f"{owner}.{name} takes {takes} besides self, and is given {given}"
    if case.call is not None and ast.unparse(case.call.args[0]) == owner:
        less = ast.Call(func, case.call.args[1:], case.call.keywords)
        return Translation(what, "The dot gives it self already.", case.fix(case.call, less))
    return Translation(
        what,
        f"Compare the call with the def. The first argument of a method is self: def {name}(self, "
        "...).",
    )


def _property_without_self(
    case: Case, node: ast.Attribute, match: re.Match[str]
) -> Translation | None:
    """A property of the learner's, whose def takes nothing."""
    if node.attr != match["name"] or (match["takes"], match["given"]) != ("0", "1"):
        return None
    owner = case.kind(node.value)
    return Translation(
        f"{ast.unparse(node)} is a property, and its def takes no self",
        f"Write def {node.attr}(self):",
        about=f"{owner}.{node.attr}()" if owner else "",
        elsewhere=bool(owner),
    )


def outside(case: Case, match: re.Match[str]) -> Translation | None:
    """A call from outside, as the lesson makes it, whose arguments the learner's code refuses."""
    if case.error.line is not None or case.error.calls:
        return None
    why = match["why"].replace("missing", "lacks")
    return Translation(
        f"{match['who']}() cannot be called as the lesson does: it {why}",
        "Keep the stub's arguments: their names, their order, their defaults, and a * or / among "
        "them only where the stub has one. A method's first one is self.",
        about=f"{match['who']}()",
    )
