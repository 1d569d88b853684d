"""Layers that other frameworks have: what MAX calls them, and how it makes them."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from grader.frameworks.max.errors.case import Case
from grader.frameworks.max.errors.elsewhere import PROSE
from grader.frameworks.max.errors.vocabulary import known
from grader.frameworks.values import Translation

OUT = ("out_dim",)

OTHER: Mapping[str, tuple[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        ("Dense", "DenseGeneral", "LinearGeneral", "FullyConnected", "Affine", "LazyLinear"),
        ("Linear", OUT),
    ),
    "Conv1D": ("Linear", ("out_dim", "in_dim")),
    "NonDynamicallyQuantizableLinear": ("Linear", ("in_dim", "out_dim")),
    **dict.fromkeys(
        ("Embed", "Embeddings", "TokenEmbedding", "WordEmbedding", "LookupTable"),
        ("Embedding", ("vocab_size", "dim")),
    ),
    **dict.fromkeys(("LayerNormalization", "LayerNormalisation"), ("LayerNorm", ())),
    **dict.fromkeys(("RMSNormalization", "RMSNormalisation"), ("RMSNorm", ())),
    **dict.fromkeys(("LayerList", "ModuleSequence"), ("ModuleList", ("layers",))),
    **dict.fromkeys(("Layer", "HybridBlock", "Cell"), ("Module", ())),
}
"""MAX's class, and which of its arguments the other one takes by their places."""

MADE: Mapping[str, tuple[str, ...]] = {
    "Linear": ("in_dim", "out_dim"),
    "Embedding": ("vocab_size", "dim"),
    "LayerNorm": ("dim",),
    "RMSNorm": ("dim",),
    "ModuleList": ("layers",),
}
"""What MAX needs to make a layer."""

WORDS: Mapping[str, str] = {
    **dict.fromkeys(("in_features", "input_dim", "in_units", "input_size", "nx"), "in_dim"),
    **dict.fromkeys(("out_features", "features", "units", "output_size", "nf"), "out_dim"),
    **dict.fromkeys(("num_embeddings", "num_rows", "vocab"), "vocab_size"),
    **dict.fromkeys(("embedding_dim", "hidden_size", "normalized_shape", "num_features"), "dim"),
    **dict.fromkeys(("use_bias", "with_bias", "has_bias"), "bias"),
    **dict.fromkeys(("epsilon", "layer_norm_epsilon"), "eps"),
}
"""Arguments of other frameworks, and what MAX calls them."""

WITHOUT = re.compile(r"\w*(init|initializer|regularizer|constraint)|dtype|name|rngs|key|\w+_dtype")
"""Arguments that only begin a training, or that MAX has no need of."""

BY_NAME = {"Embedding": ("dim",), "Linear": ("bias",), "LayerNorm": ("eps",), "RMSNorm": ("eps",)}
"""What MAX takes by its name."""


def layer(case: Case, node: ast.Attribute) -> Translation | None:
    """``nn.Dense(width)``: a layer by the name that another framework has for it."""
    owner, (theirs, places) = ast.unparse(node.value), OTHER.get(node.attr, ("", ()))
    what, said = f"{owner} has no {node.attr}", f"MAX calls it {theirs}"
    if not theirs:
        hint = instead(node.attr)
        return Translation(what, hint) if hint else None
    call = next((one for one in case.calls() if one.func is node), None)
    if call is None or theirs not in MADE:
        return Translation(what, f"{said}.", case.fix(node, f"{owner}.{theirs}"))
    two = len(call.args) == 2 and case.kind(call.args[1]) == "int"  # no activation of Keras
    given = _given(call, theirs, MADE["Linear"] if two and places == OUT else places)
    if given is None:
        return Translation(what, f"{said}: {_form(theirs)}.")
    missing = [one for one in MADE[theirs] if one not in given]
    made = _made(f"{owner}.{theirs}", theirs, given)
    if not missing:
        return Translation(what, f"{said}.", case.fix(call, made))
    needed = "the width of what goes in" if missing == ["in_dim"] else " and ".join(missing)
    return Translation(what, f"{said}, and it takes {needed} as well: {made}.")


def instead(name: str) -> str:
    """What MAX has instead of another framework's layer; empty where that is not known."""
    theirs, _ = OTHER.get(name, ("", ()))
    if theirs:
        made = f", and makes it with {_form(theirs)}" if theirs in MADE else ""
        return f"MAX calls it {theirs}{made}."
    if name.lower() in known()["F"]:
        return f"It is a function in MAX, and no layer: F.{name.lower()}(x)."
    return PROSE.get(name, PROSE.get(name.lower(), ""))


def _form(name: str) -> str:
    """How one of MAX's layers is made, as the lessons write it."""
    return f"{name}({', '.join(_word(name, one, one) for one in MADE[name])})"


def moved(call: ast.Call, name: str) -> str | None:
    """The call of another framework's layer as MAX has it; None where something is missing."""
    theirs, places = OTHER[name]
    given = _given(call, theirs, places) if theirs in MADE else None
    whole = given is not None and all(one in given for one in MADE[theirs])
    return _made(theirs, theirs, given or {}) if whole else None


def _given(call: ast.Call, theirs: str, places: tuple[str, ...]) -> dict[str, str] | None:
    """The arguments of a call by MAX's names; None where one is something else."""
    if len(call.args) > len(places) or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    given = {name: ast.unparse(one) for name, one in zip(places, call.args, strict=False)}
    for word in call.keywords:
        name = WORDS.get(word.arg or "**", word.arg or "**")
        if theirs == "Embedding" and name in ("in_dim", "out_dim"):
            name = {"in_dim": "vocab_size", "out_dim": "dim"}[name]
        if name in (*MADE[theirs], *BY_NAME.get(theirs, ())) and name not in given:
            given[name] = ast.unparse(word.value)
        elif not WITHOUT.fullmatch(name):
            return None
    return given


def _made(whole: str, theirs: str, given: Mapping[str, str]) -> str:
    """MAX's layer with these arguments, in its order; what is missing by MAX's own name for it."""
    order = dict.fromkeys((*MADE[theirs], *given))
    return f"{whole}({', '.join(_word(theirs, one, given.get(one, one)) for one in order)})"


def _word(theirs: str, name: str, value: str) -> str:
    return f"{name}={value}" if name in BY_NAME.get(theirs, ()) else value
