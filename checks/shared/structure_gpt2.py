"""Source tests of the steps that build GPT-2 itself: blocks, cache, model, text.

Like those of :mod:`checks.shared.structure`, each knows the usual spellings and leaves others
to the numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from checks.shared.structure import FUNCTIONAL, NN, Test, forward, has, is_call_of
from grader import source as words
from grader.source import Expr, Finding, Source, walk
from grader.source.words import tracer

Pattern = Callable[[Expr], bool]

TURNING = ("T", "mT", "transpose", "swapaxes", "moveaxis", "permute")
"""Attributes and methods that turn a matrix."""


def called(*names: str) -> Pattern:
    """A call of a function or method with one of these names, wherever it comes from."""
    return lambda e: e.op == "call" and e.name.split(".")[-1] in names


def any_of(*patterns: Pattern) -> Pattern:
    """One of the patterns matches."""
    return lambda e: any(pattern(e) for pattern in patterns)


def every(*tests: Test) -> Test:
    """Every test holds; the first that does not gives the line."""

    def test(source: Source) -> Finding:
        found = [one(source) for one in tests]
        return next((one for one in found if not one.ok), found[-1])

    return test


def imports_model_parts() -> Test:
    """What a model is made of."""
    return words.imports(f"{NN}.Embedding", f"{NN}.Module", f"{NN}.ModuleList")


def makes(cls: str, attribute: str, *names: str) -> Test:
    """The attribute is made by calling one of these classes."""
    return words.stores(f"{cls}.__init__", attribute, called(*names))


def makes_linear(cls: str, attribute: str) -> Test:
    """The attribute is a Linear whose bias is not switched off for good."""

    def right(e: Expr) -> bool:
        bias = e.argument(2, "bias") if e.op == "linear" else None
        return e.op == "linear" and (bias is None or bias.value is not False)

    return words.stores(f"{cls}.__init__", attribute, right)


def makes_norm(cls: str, attribute: str) -> Test:
    """The attribute is a LayerNorm that is given an epsilon of the configuration's."""

    def right(e: Expr) -> bool:
        if not called("LayerNorm")(e):
            return False
        eps = e.argument(1, "eps")
        return eps is not None and has(eps, lambda one: one.name == "layer_norm_epsilon")

    return words.stores(f"{cls}.__init__", attribute, right)


def makes_mlp(cls: str) -> Test:
    """A GPT2MLP whose width depends on n_inner."""

    def right(e: Expr) -> bool:
        inner = e.argument(0, "intermediate_size") if called("GPT2MLP")(e) else None
        known = any_of(lambda one: one.name == "n_inner", lambda one: one.op == "unknown")
        return inner is not None and has(inner, known)

    return words.stores(f"{cls}.__init__", "mlp", right)


def applies(cls: str, *names: str, method: str | None = None) -> Test:
    """The result of the forward pass, or of ``method``, is made with each of these parts."""
    path = forward(cls) if method is None else f"{cls}.{method}"
    return words.returns(path, *(any_of(is_call_of(name), called(name)) for name in names))


def is_gelu(e: Expr) -> bool:
    """GELU by its approximation with tanh, from F or by hand."""
    if called("gelu")(e):
        kind = e.argument(1, "approximate")
        return kind is not None and kind.value == "tanh"
    return called("tanh")(e) or e.op == "tanh"


def bends(cls: str) -> Test:
    """GELU between the two layers."""
    return words.returns(
        forward(cls),
        lambda e: is_call_of("c_proj")(e) and has(e, is_gelu),
        near=any_of(is_gelu, called("gelu"), is_call_of("c_proj")),
    )


def adds_layer(cls: str, layer: str, norm: str) -> Test:
    """The sum x + layer(norm(x)), or step 08's residual."""

    def right(e: Expr) -> bool:
        if called("residual")(e):
            return _mentions(e, layer) and _mentions(e, norm)
        return e.op == "add" and any(
            has(arg, lambda one: is_call_of(layer)(one) and has(one, is_call_of(norm)))
            for arg in e.args
        )

    return words.returns(forward(cls), right, near=is_call_of(layer))


def _mentions(e: Expr, name: str) -> bool:
    return any(one.op in ("attr", "call") and one.name == name for one in walk(e))


def function(name: str, *params: str) -> Test:
    """The function takes these parameters."""
    return words.defines_function(name, *params)


def given(path: str, *patterns: Pattern, near: Pattern | None = None) -> Test:
    """What the function at ``path`` returns is made with these."""
    return words.returns(path, *patterns, near=near)


def functional(name: str) -> str:
    """The full name of a function of F."""
    return f"{FUNCTIONAL}.{name}"


def chooses_scale(cls: str) -> Test:
    """The scale may be attention_scale or a root, and not by "or"."""

    def right(e: Expr) -> bool:
        given = has(e, lambda one: one.op == "param" and one.name == "attention_scale")
        root = has(e, lambda one: one.op in ("sqrt", "rsqrt", "pow"))
        return given and root

    return words.stores(f"{cls}.__init__", "scale", right)


def joins(cls: str) -> Test:
    """F.concat with the cache in it."""

    def right(e: Expr) -> bool:
        return called("concat", "concatenate")(e) and has(
            e, lambda one: one.op == "param" and one.name == "past_key_value"
        )

    return words.returns(forward(cls), right, near=called("concat"))


def adds_arguments(cls: str, *names: str) -> Test:
    """Each of these arguments is added to something, wherever in the class."""
    patterns = [_adds(name) for name in names]
    return words.returns(forward(cls), *patterns, near=lambda e: e.op == "softmax")


def _adds(name: str) -> Pattern:
    return lambda e: (
        e.op == "add"
        and any(has(arg, lambda one: one.op == "param" and one.name == name) for arg in e.args)
    )


def adds_zero(cls: str) -> Test:
    """The scores get a column, or keys and values a row, before the softmax."""

    def right(e: Expr) -> bool:
        return e.op == "softmax" and has(e, called("concat", "concatenate", "pad"))

    return words.returns(forward(cls), right, near=lambda e: e.op == "softmax")


def embeds(cls: str) -> Test:
    """The sum of both tables' vectors."""

    def right(e: Expr) -> bool:
        return e.op == "add" and any(
            has(e.args[i], is_call_of("wte")) and has(e.args[1 - i], is_call_of("wpe"))
            for i in range(min(len(e.args), 2))
        )

    return words.returns(forward(cls), right, near=any_of(is_call_of("wte"), is_call_of("wpe")))


def ties_head(cls: str) -> Test:
    """A product with the weight of wte."""

    def right(e: Expr) -> bool:
        return e.op == "matmul" and has(e, lambda one: one.op == "attr" and one.name == "weight")

    return words.returns(forward(cls), right, near=lambda e: e.op == "matmul")


def turns(name: str) -> Test:
    """The function turns an array, wherever it keeps the result."""

    def test(source: Source) -> Finding:
        function = tracer(source).function(name)
        if function is None:
            return Finding(False)
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute) and node.attr in TURNING:
                return Finding(True, node.lineno)
        unfinished = words.no_placeholders(name)(source)
        return Finding(False, unfinished.line or function.lineno, certain=not unfinished.ok)

    return test


def counts_positions(cls: str) -> Test:
    """A range of positions, made in the forward pass or a method beside it."""

    def test(source: Source) -> Finding:
        scope = tracer(source).classes.get(cls)
        if scope is None:
            return Finding(False)
        for node in ast.walk(scope):
            if isinstance(node, ast.Call) and _called_name(node) in ("range", "arange"):
                return Finding(True, node.lineno)
        forward = tracer(source).function(words.entry(source, cls))
        line = (forward or scope).lineno
        unfinished = words.no_placeholders("__call__", "forward")(source)
        return Finding(False, line, certain=not unfinished.ok)

    return test


def extends(cls: str, base: str) -> Test:
    """The class derives from ``base``."""
    return words.defines_class(cls, base)


def joins_past(cls: str, method: str) -> Test:
    """F.concat of old and new, in this method."""
    return words.returns(f"{cls}.{method}", called("concat", "concatenate"))


def within(path: str, *names: str) -> Test:
    """The function at ``path`` calls each of these functions or methods somewhere."""

    def test(source: Source) -> Finding:
        function = tracer(source).function(path)
        if function is None:
            return Finding(False)
        line = None
        for name in names:
            calls = (node for node in ast.walk(function) if isinstance(node, ast.Call))
            found = [call.lineno for call in calls if _called_name(call) == name]
            if not found:
                return Finding(False, function.lineno, f"{name} is not called")
            line = found[0]
        return Finding(True, line)

    return test


def _called_name(call: ast.Call) -> str:
    """The last part of the name that is called."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
