"""Source tests of steps 03, 04, 06 and 08: see :mod:`checks.shared.structure`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from checks.shared import structure, syntax
from checks.shared.structure import FUNCTIONAL, NN, Test, has
from grader import source as words
from grader.source import Expr, Finding, Source, walk

LOWEST_SEEN = -1000.0
"""A number below this is meant to hide."""


def both(*tests: Test) -> Test:
    """Every test finds its part; the first that does not speaks."""

    def test(source: Source) -> Finding:
        finding = Finding(True)
        for one in tests:
            finding = one(source)
            if not finding.ok:
                return finding
        return finding

    return test


def imports_tensor() -> Test:
    """Tensor, if the file names it."""
    return _if_named("Tensor", structure.imports_tensor())


def imports_for_a_function() -> Test:
    """functional and Tensor, if the file names them."""
    return both(imports_tensor(), _if_named("F", words.imports(FUNCTIONAL)))


def imports_for_a_layer() -> Test:
    """Module; functional and Tensor, if the file names them."""
    return both(
        words.imports(f"{NN}.Module"), imports_tensor(), _if_named("F", words.imports(FUNCTIONAL))
    )


def _if_named(name: str, test: Test) -> Test:
    """What no line of the file needs does not have to be imported."""

    def only_if(source: Source) -> Finding:
        if words.says(source, name):
            found = test(source)
            return found if found.ok else replace(found, certain=True)
        return Finding(True)

    return only_if


def called(e: Expr) -> str:
    """The last part of the name of what ``e`` calls."""
    return e.name.split(".")[-1] if e.op == "call" else ""


# ---- step 03 ------------------------------------------------------------------------------


def scores(name: str) -> Test:
    """The queries times the keys, the latter transposed, perhaps in a way that is not followed."""

    def pattern(e: Expr) -> bool:
        turned = structure.is_product(e) and has(
            e.args[1], lambda one: one.op == "transpose" and one.value is None
        )
        return structure.is_scores(e) or turned

    return words.returns(name, pattern, near=structure.is_product)


def adds_given_mask(name: str) -> Test:
    """The parameter ``mask`` added to something that is no softmax yet."""

    def pattern(e: Expr) -> bool:
        return (
            e.op == "add"
            and any(
                has(arg, lambda one: one.op == "param" and one.name == "mask") for arg in e.args
            )
            and not any(has(arg, structure.is_softmax) for arg in e.args)
        )

    return words.returns(name, pattern, near=lambda e: e.op == "softmax")


def returns_pair(name: str) -> Test:
    """Two results, the second of which is not the first."""

    def test(source: Source) -> Finding:
        result = words.result(source, name)
        branches = result.args if result.op == "either" else (result,)
        ok = all(_is_pair(one) or (one.inside and _is_pair(one.inside)) for one in branches)
        return Finding(ok and bool(branches), result.line)

    return test


def _is_pair(e: Expr) -> bool:
    return e.op == "list" and len(e.args) == 2


# ---- step 04 ------------------------------------------------------------------------------


def hides_with_a_low_number(name: str) -> Test:
    """finfo(dtype).min, or a number that is as good."""
    return words.returns(name, _is_low)


def _is_low(e: Expr) -> bool:
    if e.op == "attr" and e.name == "min":
        return has(e, lambda one: called(one) == "finfo")
    number = isinstance(e.value, float | int) and not isinstance(e.value, bool)
    return e.op == "const" and number and e.value < LOWEST_SEEN


def chooses(name: str) -> Test:
    """F.where, or a product of ones and zeros with the number that hides."""
    return words.returns(
        name, lambda e: e.op == "where" or (e.op == "mul" and any(has(a, _is_low) for a in e.args))
    )


def inserts_dimensions(name: str) -> Test:
    """Two times unsqueeze, one reshape, or None in an index."""

    def test(source: Source) -> Finding:
        result = words.result(source, name)
        every = list(walk(result))
        count = sum(called(e) == "unsqueeze" for e in every)
        new_axes = any(
            e.op == "item" and has(e.args[-1], lambda i: i.op == "const" and i.value is None)
            for e in every
        )
        ok = count >= 2 or new_axes or any(e.op == "reshape" for e in every)
        return Finding(ok, result.line)

    return test


def keeps_the_lower(name: str) -> Test:
    """The elementwise minimum, the sum, or a choice between the two masks."""

    def pattern(e: Expr) -> bool:
        joined = (called(e) in ("min", "elementwise_min", "max") and len(e.args) == 2) or (
            e.op in ("add", "where")
        )
        return joined and len({one.name for one in walk(e) if one.op == "param"}) >= 2

    return words.returns(name, pattern)


# ---- step 06 ------------------------------------------------------------------------------


def interleaves(cls: str) -> Test:
    """The pairs stacked side by side, and joined."""
    return syntax.within(
        cls, syntax.calls("stack", "complex_mul", "concat", "concatenate", "matmul", "permute")
    )


def projects(cls: str) -> Test:
    """A product with a transposed weight."""

    def pattern(e: Expr) -> bool:
        return e.op == "matmul" and has(e.args[-1], lambda one: one.op in ("transpose", "permute"))

    return words.returns(structure.forward(cls), pattern, near=structure.is_product)


def keeps_leading_dimensions(cls: str) -> Test:
    """The heads exchanged with the sequence, counted from the end.

    A layer without ``_split_heads`` may do without an exchange.
    """
    swapped = words.returns(
        structure.forward(cls),
        structure.swaps(frozenset({-3, -2})),
        near=lambda e: e.op in ("transpose", "reshape"),
    )

    def test(source: Source) -> Finding:
        finding = swapped(source)
        helper = words.defines_function(f"{cls}._split_heads")(source).ok
        return finding if finding.ok or helper else replace(finding, foreign=True)

    return test


def attends_causally(cls: str) -> Test:
    """causal_mask made, and handed to the attention or added."""
    return words.returns(structure.forward(cls), structure.calls_mask)


def projects_last(cls: str) -> Test:
    """The outermost operation is a product with a transposed weight."""

    def test(source: Source) -> Finding:
        result = words.result(source, words.entry(source, cls))
        branches = result.args if result.op == "either" else (result,)
        ok = all(
            one.op == "matmul" and has(one.args[-1], lambda e: e.op in ("transpose", "permute"))
            for one in branches
        )
        return Finding(ok and bool(branches), result.line)

    return test


# ---- step 08 ------------------------------------------------------------------------------


def fills(cls: str, attribute: str, *makers: str) -> Test:
    """The attribute is made by one of these functions, or with one number throughout."""
    return words.stores(
        f"{cls}.__init__",
        attribute,
        lambda e: called(e) in (*makers, "full", "Tensor", "constant") or e.name in makers,
    )


def _normalizes(e: Expr) -> bool:
    """MAX's own layer normalization, which does everything at once."""
    return called(e) == "layer_norm"


def _is_mean(e: Expr) -> bool:
    return called(e) == "mean" or (e.op == "div" and has(e.args[0], lambda a: called(a) == "sum"))


def subtracts_mean(cls: str) -> Test:
    """A difference with a mean."""

    def pattern(e: Expr) -> bool:
        return _normalizes(e) or (e.op == "sub" and len(e.args) == 2 and has(e.args[1], _is_mean))

    return words.returns(structure.forward(cls), pattern, near=_is_mean)


def takes_variance(cls: str) -> Test:
    """A mean of squares."""

    def pattern(e: Expr) -> bool:
        squared = has(e, lambda one: one.op in ("mul", "pow")) and _is_mean(e)
        return _normalizes(e) or squared

    return words.returns(structure.forward(cls), pattern, near=_is_mean)


def divides_by_root(cls: str) -> Test:
    """A root of a sum with eps, and a division by it."""

    def pattern(e: Expr) -> bool:
        if _normalizes(e):
            return True
        root = e.op in ("sqrt", "rsqrt") or (
            e.op == "pow" and len(e.args) == 2 and e.args[1].value in (0.5, -0.5)
        )
        return root and bool(e.args) and e.args[0].op == "add"

    return words.returns(structure.forward(cls), pattern, near=lambda e: e.op == "div")


def scales_and_shifts(cls: str) -> Test:
    """A product with the weight, and the bias added."""

    def uses(name: str) -> Callable[[Expr], bool]:
        return lambda one: one.op == "attr" and one.name == name

    def pattern(e: Expr) -> bool:
        if _normalizes(e):
            return True
        weighted = any(
            has(arg, lambda one: one.op == "mul" and _direct(one, "weight")) for arg in e.args
        )
        return e.op == "add" and weighted and any(has(arg, uses("bias")) for arg in e.args)

    return words.returns(structure.forward(cls), pattern)


def _direct(e: Expr, name: str) -> bool:
    return any(arg.op == "attr" and arg.name == name for arg in e.args)


def adds_residual(name: str) -> Test:
    """A sum of the first parameter and of what a parameter was called with."""

    def applied(e: Expr) -> bool:
        return e.op == "call" and bool(e.args) and e.args[0].op == "param"

    def pattern(e: Expr) -> bool:
        plain = [arg for arg in e.args if arg.op == "param"]
        return e.op == "add" and bool(plain) and any(has(arg, applied) for arg in e.args)

    return words.returns(name, pattern)
