"""Names that are not there: attributes, variables, modules, and what was probably meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

import numpy as np

from grader.frameworks.errors import FROZEN_HINT
from grader.frameworks.max.errors import brought, elsewhere, languages, layers
from grader.frameworks.max.errors.calls import enclosed, renamed
from grader.frameworks.max.errors.case import Case, described
from grader.frameworks.max.errors.kinds import wrong_argument
from grader.frameworks.max.errors.misfits import JOINS, bound_first
from grader.frameworks.max.errors.nothing import none_has
from grader.frameworks.max.errors.signature import Signature
from grader.frameworks.max.errors.vocabulary import known, meant
from grader.frameworks.values import Fix, Translation
from grader.protocol.probe import SeenValue

MODULES = {"F": "max.experimental.functional"}


def attribute(case: Case, match: re.Match[str]) -> Translation | None:
    """An attribute that the object has not."""
    about = case.error.about or _from_text(case)
    name = match["name"]
    node = case.node if isinstance(case.node, ast.Attribute) else None
    if about is None:
        return None
    if node is None or node.attr != name:
        return _inside(case, about, name)
    owner = ast.unparse(node.value)
    if about.kind == "NoneType":
        return none_has(case, node.value, f"so it has no {name}")
    if (told := languages.of_python(case, node, about) or _of_file(case, node, about)) is not None:
        return told
    if about.text in MODULES.values() or about.kind == "Tensor" or about.text == "Tensor":
        return _of_max(case, node, about)
    if about.kind == "DType" and name in ("min", "max"):
        return _of_limits(case, node)
    if owner in ("self", "np", "numpy") and name in known()["DType"]:
        return _of_dtype(case, node)
    if owner in ("np", "numpy") and (told := _in_numpy(case, node)) is not None:
        return told
    of_max = name in known()["F"] or (owner == "math" and name in elsewhere.TEMPLATES)
    if owner in ("np", "numpy", "math") and of_max:
        return _of_max(case, node, about)
    return bound_first(case, node, about) or _of_others(case, node, about)


def _in_numpy(case: Case, node: ast.Attribute) -> Translation | None:
    """What NumPy never had by this name, or has no longer."""
    what = f"NumPy has no {node.attr}"
    if node.attr in OF_NUMPY:
        return Translation(what, OF_NUMPY[node.attr])
    if node.attr in NO_LONGER:
        said = "Older versions of NumPy had it."
        return Translation(what, said, case.fix(node, NO_LONGER[node.attr]))
    return None


def _of_file(case: Case, node: ast.Attribute, about: SeenValue) -> Translation | None:
    """A function of the file, or one of Python, that is asked for like a method."""
    owner, name = ast.unparse(node.value), node.attr
    value = case.seen.values.get(name)
    function = value if value is not None and value.kind == "function" else None
    plain = about.kind in ("int", "float", "bool", "str", "list", "tuple", "dict")
    if owner in ("self", "cls") or about.kind in ("module", "type", "super"):
        return None
    if function is None and not (plain and name in OF_PYTHON and name not in about.names):
        return None
    call = next((one for one in case.calls() if one.func is node), None)
    given = [node.value, *(call.args if call is not None else ())]
    words = call.keywords if call is not None else []
    signature = Signature.of(function)
    if call is None or (words if function is None else signature is None):
        return None
    named = {one.arg for one in words}
    if signature is not None and (
        len(given) > len(signature.plain)
        or not signature.required <= {*signature.plain[: len(given)], *named}
    ):
        return None
    kind = "a function of Python" if function is None else "a function"
    what = f"{owner} is {described(about)}, which has no {name}"
    made = ast.Call(ast.Name(name), given, words)
    return Translation(what, f"{name} is {kind}, and no method.", case.fix(call, made))


OF_PYTHON = (
    *("abs", "all", "any", "enumerate", "float", "int", "len", "list", "max", "min"),
    *("reversed", "round", "sorted", "str", "sum", "tuple"),
)
"""Functions of Python that take first what other languages ask for them."""


RUN = ("forward", "__call__", "call", "apply")
"""Methods that run a layer in one framework or another."""


def only_read(case: Case, match: re.Match[str]) -> Translation:
    """A property that something sets: the field of its name, or an assignment."""
    name = match["name"]
    what = f"{name} is a property of {match['owner']}, which is worked out and cannot be set"
    hint = "A field, or what the class sets, has the same name: give one of them another name."
    return Translation(what, hint, about=f"{match['owner']}.{name}()")


def decorated_function(case: Case, match: re.Match[str]) -> Translation:
    """``@dataclass`` above a function."""
    mark = ast.unparse(case.node) if case.node is not None else "dataclass"
    name = case.error.about.text if case.error.about is not None else "a function"
    what = f"@{mark} stands above {name}, which is a function"
    return Translation(what, "It belongs above a class: move it there.")


def only(case: Case, match: re.Match[str]) -> Translation:
    """An attribute of something of which no more is known than that it can be called."""
    name, node = match["name"], case.node if isinstance(case.node, ast.Attribute) else None
    owner = "This" if node is None else ast.unparse(node.value)
    what = f"{owner} has no {name}: it may be anything that can be called, not only a layer"
    call = next((one for one in case.calls() if one.func is node), None)
    if node is None or call is None or name not in RUN:
        return Translation(what, "Use nothing of it that the task does not name.")
    return Translation(what, None, case.fix(node, owner))


def frozen(case: Case, match: re.Match[str]) -> Translation:
    """A field of a frozen dataclass that gets another value."""
    name, how = match["name"], "assigned" if match["how"] == "assign to" else "deleted"
    stored = [one for one in case.nodes() if isinstance(one, ast.Attribute) and one.attr == name]
    owners = [one.value for one in stored if not isinstance(one.ctx, ast.Load)]
    owner = case.value(owners[0]) if owners else None
    who = f"{ast.unparse(owners[0])} is {described(owner)}" if owner is not None else "This is"
    kind = ", an object of a frozen dataclass" if owner is not None else " a frozen dataclass"
    hint = FROZEN_HINT
    return Translation(f"{who}{kind}: its field {name} cannot be {how}", hint)


def partly_frozen(case: Case, match: re.Match[str]) -> Translation:
    """A frozen dataclass whose base is not frozen, or the other way round."""
    own = match["own"] == "frozen"
    what = "A frozen dataclass inherits from one that is not frozen"
    if not own:
        what = "A dataclass that is not frozen inherits from a frozen one"
    hint = "Write @dataclass(frozen=True) above both classes, or leave frozen=True out of both."
    if case.error.line is None:
        return Translation(what, hint)
    where = f"The one that inherits is on line {case.error.line}." if own else ""
    return Translation(what, f"{hint} {where}".strip(), about=f"thawed: {case.error.line}")


def _of_limits(case: Case, node: ast.Attribute) -> Translation:
    """An end of an element type that is asked of the type itself; perhaps inside of ``finfo``."""
    owner = ast.unparse(node.value)
    what = f"{owner} is an element type, which has no {node.attr}"
    outer = next((one for one in case.calls() if one.args == [node]), None)
    maker = "" if outer is None else ast.unparse(outer.func)
    if outer is None or maker.rpartition(".")[2] not in ("finfo", "iinfo"):
        return Translation(what, None, case.fix(node, f"finfo({owner}).{node.attr}"))
    fix = case.fix(outer, f"{maker}({owner}).{node.attr}")
    return Translation(what, f"Close the bracket before .{node.attr}.", fix)


def _of_dtype(case: Case, node: ast.Attribute) -> Translation:
    """An element type of MAX that is asked of something else."""
    what = f"{ast.unparse(node.value)} has no {node.attr}"
    hint = "It is one of DType: from max.dtype import DType."
    return Translation(what, hint, case.fix(node, f"DType.{node.attr}"))


TYPES = {
    **dict.fromkeys(("int", "integer", "long", "int_"), "int64"),
    **dict.fromkeys(("float", "f32", "single", "float_"), "float32"),
    **dict.fromkeys(("double", "f64"), "float64"),
    **dict.fromkeys(("half", "f16"), "float16"),
    **dict.fromkeys(("bool_", "boolean"), "bool"),
    **dict.fromkeys(("short",), "int16"),
    **dict.fromkeys(("byte",), "uint8"),
}
"""What other libraries, and Python, call element types."""


def _of_types(case: Case, node: ast.Attribute, about: SeenValue) -> Translation:
    """An element type by a name that MAX has not."""
    what = f"{ast.unparse(node.value)} has no {node.attr}"
    near = TYPES.get(node.attr) or meant(node.attr, about.names)
    if near is None:
        return Translation(what, "The types are float32, int64, bool and others like these.")
    fix = case.fix(node, ast.Attribute(node.value, near, node.ctx))
    own = node.attr in TYPES and near[-1].isdigit()
    hint = "A type's name ends with its size in bits." if own else f"Did you mean {near}?"
    return Translation(what, hint, fix)


OF_NUMPY = {
    **dict.fromkeys(
        ("topk", "top_k"), "np.sort(x)[-k] is the lowest of the k largest numbers of x."
    ),
    "softmax": "Divide np.exp(x - np.max(x)) by its sum.",
    "cat": "It is np.concatenate([a, b]) in NumPy.",
    "multinomial": "Add up the shares, and look where the random number falls: np.cumsum, then "
    "np.searchsorted.",
}
"""What learners ask of NumPy that other libraries have, and what NumPy has."""


NO_LONGER = {
    **{name: name for name in ("float", "int", "bool", "object", "str", "complex")},
    **dict.fromkeys(("Inf", "infty", "Infinity", "PINF"), "np.inf"),
    **dict.fromkeys(("NaN", "NAN"), "np.nan"),
    "NINF": "-np.inf",
    "float_": "np.float64",
    "product": "np.prod",
    "cumproduct": "np.cumprod",
    "alltrue": "np.all",
    "sometrue": "np.any",
}
"""What NumPy had before version 2, and what to write today."""


def _of_others(case: Case, node: ast.Attribute, about: SeenValue) -> Translation | None:
    """An attribute that something has not which MAX's tables do not know."""
    owner, name = ast.unparse(node.value), node.attr
    if about.kind == "super" and name.strip("_") in ("init", "int", "forward"):
        method = "forward" if name == "forward" else "__init__"
        fix = case.fix(node, f"{owner}.{method}")
        return Translation(f"{owner} has no {name}", "Two underscores on each side.", fix)
    if about.kind == "type" and set(known()["DType"]) <= set(about.names):
        return _of_types(case, node, about)
    near = _of_config(name, about) or LIMITS.get(about.kind, {}).get(name)
    unfit = about.uncalled if _is_called(case, node) else ()
    hidden = owner != "self" and about.kind in known() and not name.startswith("_")
    pool = [one for one in about.names if one not in unfit and not (hidden and one[:1] == "_")]
    near = near or meant(name, pool) or (owner == "self" and meant(f"_{name}", pool)) or None
    if about.kind in ("module", "type", "EnumType", "nb_enum") or (
        about.text and about.kind == "finfo"
    ):
        what = f"{owner} has no {name}"
        if name == "functional" and (outer := _outer(case, node)) is not None:
            said = "MAX has its functions in max.experimental.functional, imported as F."
            return Translation(what, said, case.fix(outer, f"F.{outer.attr}"))
        if about.text.endswith(".nn") and (told := layers.layer(case, node)) is not None:
            return told
        if about.kind == "type" and near is not None and not _is_called(case, node):
            hint = f"Did you mean {near}? Ask an object for it, not the class: "
            return Translation(what, f"{hint}{_object(owner)}.{near}.")
        first = f"Call it first: {owner}(...).{name}" if about.kind == "type" else None
        return _suggested(case, node, what, near, first)
    if owner == "self":
        return _on_self(case, node, about, near)
    if holder := _elsewhere(case, node):
        return holder
    if about.fields and about.kind not in ("int", "list", "tuple", "dict", "str", "float"):
        own = [one for one in about.fields if not one.startswith("_")]
        every = f"It has: {', '.join(own[:12])}." if own else None
        return _suggested(case, node, f"{owner} is {described(about)} without {name}", near, every)
    return _of_python(case, node, about, near)


def _outer(case: Case, node: ast.Attribute) -> ast.Attribute | None:
    """The attribute that is asked of ``node``: ``nn.functional.gelu`` of ``nn.functional``."""
    every = (one for one in case.nodes() if isinstance(one, ast.Attribute))
    return next((one for one in every if one.value is node), None)


CONFIG = {
    **dict.fromkeys(("hidden_size", "d_model", "embed_dim", "embd_dim", "width"), "n_embd"),
    **dict.fromkeys(("num_heads", "num_attention_heads", "heads"), "n_head"),
    **dict.fromkeys(("num_layers", "num_hidden_layers", "layers"), "n_layer"),
    **dict.fromkeys(("max_position_embeddings", "block_size", "seq_len", "n_ctx"), "n_positions"),
    **dict.fromkeys(("eps", "epsilon", "layer_norm_eps"), "layer_norm_epsilon"),
    **dict.fromkeys(("intermediate_size", "n_intermediate"), "n_inner"),
}
"""Names of the sizes in other models' configurations."""


LAYERS = {
    **dict.fromkeys(("blocks", "layers", "layer", "block"), "h"),
    **dict.fromkeys(("norm", "ln", "final_norm", "layer_norm"), "ln_f"),
    **dict.fromkeys(("embedding", "embeddings", "embed_tokens", "tok_emb", "token_embd"), "wte"),
    **dict.fromkeys(("pos_emb", "embed_positions", "position_embedding"), "wpe"),
    **dict.fromkeys(("attention", "self_attn"), "attn"),
    **dict.fromkeys(("ffn", "feed_forward", "ff"), "mlp"),
}
"""Names of a model's parts in other models."""


LIMITS = {
    "finfo": {
        **dict.fromkeys(("lowest", "minimum", "smallest", "low"), "min"),
        **dict.fromkeys(("highest", "maximum", "largest", "high"), "max"),
    },
    "list": dict.fromkeys(("add", "push", "push_back", "put"), "append"),
}
"""Other words for the ends of an element type, and for what a list does."""


BESIDE = ("math", "np", "numpy")
"""Modules beside MAX that a file imports."""


def _is_called(case: Case, node: ast.Attribute) -> bool:
    return any(call.func is node for call in case.calls())


def _object(cls: str) -> str:
    """What an object of a class is usually called: the last word of its name."""
    return re.split(r"(?<=[a-z0-9])(?=[A-Z])", cls)[-1].lower()


def _of_config(name: str, about: SeenValue) -> str | None:
    """GPT-2's name of a size or a part that other models call otherwise."""
    meaning = CONFIG.get(name) or LAYERS.get(name)
    return meaning if meaning in about.fields else None


def _elsewhere(case: Case, node: ast.Attribute) -> Translation | None:
    """A layer lacks what its weight has, or what the object around it has."""
    owner, name = ast.unparse(node.value), node.attr
    about = case.error.about or SeenValue("")
    if name in known()["Tensor"] and "weight" in about.fields:
        what = f"{owner} is {described(about)}, a layer: its numbers are {owner}.weight"
        return Translation(what, None, case.fix(node, f"{owner}.weight.{name}"))
    outer = node.value.value if isinstance(node.value, ast.Attribute) else None
    holds = about.kind in ("ndarray", "Tensor", "dict", "list", "tuple", "str", "int", "float")
    for text in () if holds else ([ast.unparse(outer)] if outer is not None else []) + ["self"]:
        value = case.seen.values.get(text)
        if value is not None and name in (*value.fields, *value.names):
            what = f"{owner} has no {name}"
            return Translation(what, f"{text} has it.", case.fix(node, f"{text}.{name}"))
    return None


def _from_text(case: Case) -> SeenValue | None:
    """The owner as far as the message names it."""
    found = re.search(r"'([\w.]+)' object|type object '(\w+)'|module '([\w.]+)'", case.text)
    if found is None:
        return None
    if found[1]:
        return SeenValue(found[1].rpartition(".")[2])
    return SeenValue("type" if found[2] else "module", found[2] or found[3])


def _suggested(
    case: Case, node: ast.Attribute, what: str, near: str | None, hint: str | None
) -> Translation:
    if near is None:
        return Translation(what, hint)
    text = case.error.about is not None and case.error.about.kind == "str"
    if text and (node.attr in known()["Tensor"] or hasattr(np.ndarray, node.attr)):
        return Translation(what, f"Arrays and tensors have {node.attr}. Is another variable meant?")
    changed = ast.Attribute(node.value, near, node.ctx)
    called = case.call is not None and case.call.func is node
    whole = case.call if called and near in PLAIN and case.call is not None else node
    said = f"Did you mean {near}?" if whole is node else f"Did you mean {near}? It is not called."
    return Translation(what, said, case.fix(whole, changed))


PLAIN = ("T", "device", "dtype", "ndim", "parameters", "shape", "size")
"""Attributes that are no methods."""


GLOBAL = {"function": "a function of the file", "type": "a class"}
"""What a name without ``self.`` may be that is no variable of the function, by its kind."""


def _on_self(case: Case, node: ast.Attribute, about: SeenValue, near: str | None) -> Translation:
    """An attribute of the learner's own object that was never set."""
    own = [one for one in about.fields if not one.startswith("_")]
    what = f"self.{node.attr} does not exist: nothing has set it"
    if node.attr in ("wte", "wpe", "h", "ln_f") and "transformer" in own:
        fix = case.fix(node, f"self.transformer.{node.attr}")
        return Translation(what, "self.transformer has it.", fix)
    if node.attr in ("c_attn", "c_proj") and "transformer" in own:
        return Translation(what, "It is a part of attn.", case.fix(node, f"attn.{node.attr}"))
    value = case.seen.values.get(node.attr)
    here = case.seen.function == "__init__" and value is not None and value.kind not in GLOBAL
    if near is not None and (near in own or near in about.names) and not here:
        return _suggested(case, node, what, near, None)
    if value is not None:
        kind = GLOBAL.get(value.kind)
        hint = f"{node.attr} is {kind or 'a variable here'}, without self."
        if here:  # other methods will want it from self
            hint = (
                f"{node.attr} is a variable here: leave self. out. If other methods need it, write "
                f"self.{node.attr} where it gets its value."
            )
            place = f"stored: {node.attr} {case.error.line}"
            return Translation(what, hint, about=place)
        return Translation(what, hint, case.fix(node, node.attr))
    call = next((one for one in case.calls() if one.func is node and one.args), None)
    if "drop" in node.attr and call is not None:
        hint = "Dropout is for training, and this course does without it: leave it out."
        return Translation(what, hint, case.fix(call, call.args[0]))
    if call is not None and node.attr in known()["F"]:
        hint = f"It is a function in MAX: F.{node.attr}."
        return Translation(what, hint, case.fix(node, f"F.{node.attr}"))
    there = f" So far there is {', '.join(f'self.{one}' for one in own[:8])}." if own else ""
    early = "" if case.seen.function != "__init__" else ", above this line"
    or_method = (
        f", or define a method {node.attr}" if any(c.func is node for c in case.calls()) else ""
    )
    hint = f"Set self.{node.attr} in __init__{early}{or_method}.{there}"
    place = "" if early else f"unset: {node.attr} {case.error.line}"
    return Translation(what, hint, about=place, elsewhere=True)


def _instead_of_shape(case: Case, node: ast.Attribute, owner: str) -> str:
    """What to do where a number is asked for its shape, or a float for what a Dim has."""
    calls = case.error.calls
    if node.attr == "shape" and isinstance(node.value, ast.Name) and len(calls) > 1:
        given = f"Line {calls[-2].line} calls this function: is {owner} what it hands over?"
        return f"A tensor is needed. {given}"
    return f"It is a number already: use {owner} itself."


def _of_python(case: Case, node: ast.Attribute, about: SeenValue, near: str | None) -> Translation:
    """A number, a list, a tuple or a text that was taken for something else."""
    own = {"ndarray": brought.of_array(case, node), "dict": _by_key(case, node, about, near)}
    if told := own.get(about.kind):
        return told
    owner = ast.unparse(node.value)
    what = f"{owner} is {described(about)}, which has no {node.attr}"
    if node.attr == "next" and about.kind.endswith(("iterator", "generator")):
        whole = case.call if case.call is not None and case.call.func is node else node
        return Translation(what, "next is a function.", case.fix(whole, f"next({owner})"))
    if about.kind == "tuple" and node.attr in (*known()["Tensor"], *elsewhere.TEMPLATES):
        return Translation(
            what,
            "Take the tuple apart first: one name for each value, or an index.",
            case.fix(node.value, f"{owner}[0]"),
        )
    call = next((one for one in case.calls() if one.func is node), None)
    taken = about.kind in ("list", "tuple") and node.attr not in LIMITS.get(about.kind, {})
    if node.attr in JOINS and call is not None and taken:
        made = renamed("F", node.attr, [node.value, *call.args], call)
        return Translation(what, f"It is a function: F.{node.attr}.", case.fix(call, made))
    if about.kind in ("list", "ndarray") and node.attr in known()["Tensor"]:
        return Translation(
            what, "Make a tensor of it first: Tensor(...), or take one with an index."
        )
    if about.kind in ("int", "float", "StaticDim") and node.attr in ("item", "shape", "value"):
        if about.kind == "float" or node.attr == "shape":
            return Translation(what, _instead_of_shape(case, node, owner))
        hint = "int(...) makes a plain number of a Dim, and leaves a number as it is."
        return Translation(what, hint, case.fix(call or node, f"int({owner})"))
    if about.kind == "Shape" and node.attr == "numel":
        return Translation(what, "Multiply the sizes that you need.")
    if near is None and (asked := _as_argument(node, about)) is not None:
        return Translation(what, asked or None)
    is_numpy = described(about) == "a function of NumPy"
    uncalled = f"Call it first: {owner}(...)." if is_numpy else None
    return _suggested(case, node, what, None if uncalled else near, uncalled)


def _as_argument(node: ast.Attribute, about: SeenValue) -> str | None:
    """What to look at where a plain value lacks an attribute, perhaps as another one is meant."""
    listed = about.kind in ("list", "tuple", "str")
    if listed and (hint := languages.foreign(node.attr)) is not None:
        return hint
    if not isinstance(node.value, ast.Name) or not (
        listed or about.kind in ("int", "float", "bool")
    ):
        return None
    return f"If {node.value.id} is an argument: are the arguments in the lesson's order?"


def _by_key(
    case: Case, node: ast.Attribute, about: SeenValue, near: str | None
) -> Translation | None:
    """A value of a dict that was asked for like an attribute of an object."""
    if near and _is_called(case, node):
        return None
    owner = ast.unparse(node.value)
    what = f"{owner} is {described(about)}, which has no {node.attr}"
    fix = case.fix(node, f'{owner}["{node.attr}"]')
    return Translation(what, "A dict gives its values by key, in square brackets.", fix)


def _of_max(case: Case, node: ast.Attribute, about: SeenValue) -> Translation:
    """A name that a Tensor or F has not, with MAX's own for it where there is one."""
    name, owner = node.attr, ast.unparse(node.value)
    is_class = about.kind in ("type", "module")
    what = f"{owner} has no {name}" if is_class else f"{owner} is a Tensor, which has no {name}"
    call = next((c for c in case.calls() if c.func is node), None)
    given = [*(() if is_class else (node.value,)), *(call.args if call else ())]
    words = {word.arg: word.value for word in call.keywords if word.arg} if call else {}
    target: ast.expr = call or node
    if (told := _no_tensors(case, node, about, what)) is not None:
        return told
    if chained := _chained(case, node, name):
        return Translation(what, "MAX needs none of it before a reshape.", chained)
    made = elsewhere.rewritten(name, given, words)
    if made and not (given and case.kind(given[0]) == "ndarray"):
        made = enclosed(case, target, made)
        return Translation(what, "MAX spells it differently.", case.fix(target, made))
    if name in known()["F"] and owner != "F":
        said = f"It is a function in MAX: F.{name}."
        if name in JOINS and not is_class:
            given = _joined(case, given)
        fix = case.fix(target, renamed("F", name, given, call)) if call else None
        return Translation(what, said, fix)
    if name in known()["Tensor"] and is_class and given and owner != "Tensor":
        method = ast.Call(ast.Attribute(given[0], name), given[1:], call.keywords if call else [])
        return Translation(what, f"It is a method in MAX: tensor.{name}.", case.fix(target, method))
    pool = about.names or known()["F" if about.kind == "module" else "Tensor"]
    near = None if name in elsewhere.TEMPLATES else meant(name, pool) or _begins(name, pool)
    given_away = any(node in one.args for one in case.calls())
    if near is None and given_away and not is_class:
        hint = f"If {name} is a variable of yours: is a comma missing between {owner} and {name}?"
        return Translation(what, hint)
    if near is None and (other := meant(name, known()["F"])):
        return Translation(what, f"Did you mean F.{other}?", case.fix(node, f"F.{other}"))
    return _suggested(case, node, what, near, None)


def _joined(case: Case, given: list[ast.expr]) -> list[ast.expr]:
    """The tensor whose method joins others to it, and these, in one list; then all else."""
    first, *others = given
    parts: list[ast.expr] = [first]
    for one in others:
        parts += one.elts if isinstance(one, ast.List) else [one] if case.is_tensor(one) else []
    kept = [one for one in others if one not in parts and not isinstance(one, ast.List)]
    return [ast.List(parts), *kept]


def _no_tensors(case: Case, node: ast.Attribute, about: SeenValue, what: str) -> Translation | None:
    """A name of which no call of MAX takes the place: a type, a module, a part of a vector."""
    name, outer = node.attr, _outer(case, node)
    if name in known()["DType"] and (about.kind == "module" or ast.unparse(node.value) == "Tensor"):
        return _of_dtype(case, node)
    if name in BESIDE and outer is not None and about.kind == "module":
        fix = case.fix(outer, f"{name}.{outer.attr}")
        return Translation(what, f"{name} is a module of its own.", fix)
    if name in elsewhere.PROSE:
        return Translation(what, elsewhere.PROSE[name])
    if about.kind == "Tensor" and name in tuple(PLACES):
        return _places(case, node, what)
    return None


PLACES = "xyzw"
"""What shaders and vector classes call the numbers of a vector, in their order."""


def _places(case: Case, node: ast.Attribute, what: str) -> Translation | None:
    """``v.x`` of a tensor: the first number of each vector along the last axis, and so on."""
    owner = ast.unparse(node.value)
    shape = (case.value(node.value) or SeenValue("")).shape
    if not shape or shape[-1] > len(PLACES) or PLACES.index(node.attr) >= shape[-1]:
        return None
    every = [
        one
        for one in case.nodes()
        if isinstance(one, ast.Attribute)
        and one.attr in PLACES[: shape[-1]]
        and ast.unparse(one.value) == owner
        and isinstance(one.ctx, ast.Load)
    ]
    holds = [one for one in case.nodes() if set(every) <= set(ast.walk(one))]
    whole = case.segment(holds[-1]) if holds else ""
    pattern = rf"(?<![\w.]){re.escape(owner)}\.([{PLACES}])\b(?!\s*\()"
    new = re.sub(pattern, lambda found: f"{owner}[..., {PLACES.index(found[1])}]", whole)
    fix = case.fix(holds[-1], new) if holds and new != whole else None
    said = f"The numbers along its last axis have places, and no names: {owner}[..., 0] is the"
    return Translation(what, f"{said} first of each.", fix)


def _begins(name: str, pool: Iterable[str]) -> str | None:
    """The longest of the names with which another begins, up to an underscore."""
    found = [one for one in pool if name.startswith(f"{one}_") and one.islower()]
    return max(found, key=len, default=None)


def _chained(case: Case, node: ast.Attribute, name: str) -> Fix | None:
    """``x.contiguous().view(a, b)`` in one go."""
    if elsewhere.TEMPLATES.get(name) != "{x}":
        return None
    for call in case.calls():
        func = call.func
        inner = func.value if isinstance(func, ast.Attribute) else None
        if isinstance(func, ast.Attribute) and isinstance(inner, ast.Call) and inner.func is node:
            made = elsewhere.rewritten(func.attr, [node.value, *call.args], {})
            return case.fix(call, made) if made else None
    return None


def _inside(case: Case, about: SeenValue, name: str) -> Translation | None:
    """The attribute was asked of an argument, inside what the learner called."""
    if name in ("size_in_bits", "is_float") or case.node is None:
        return None
    if case.call is not None and ast.unparse(case.call.func) == "getattr":
        return _by_name(case, case.call, about, name)
    return wrong_argument(case, about, f"which has no {name}")


def _by_name(case: Case, call: ast.Call, about: SeenValue, name: str) -> Translation | None:
    """``getattr(self, name)``, with a name that the object has not; told where its text is."""
    if len(call.args) != 2 or call.keywords:
        return None
    owner, given = call.args
    text = ast.unparse(owner)
    what = f"{text} is {described(about)}, which has no {name}"
    own = [one for one in about.fields if not one.startswith("_")]
    near = meant(name, [*own, *about.names])
    there = f"It has {', '.join(own[:8])}, and what its class defines." if own else ""
    hint = f"Did you mean {near}?" if near else there
    if isinstance(given, ast.Constant):
        return Translation(what, hint or None, case.fix(given, repr(near)) if near else None)
    asked = f"getattr is given the name {ast.unparse(given)}, which is {name!r} here."
    return Translation(what, f"{asked} {hint}".strip(), about=f"text: {name}", elsewhere=True)
