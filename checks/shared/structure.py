"""Source tests that several rubrics share: what the lesson's structure looks like.

Each accepts the usual spellings. One that it does not know is left to the numbers: the judge
turns an unrecognised but right program into a note.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from grader import source as words
from grader.source import Expr, Finding, Source, walk

Test = Callable[[Source], Finding]

LAST_TWO = (frozenset({-1, -2}), frozenset({2, 3}), frozenset({-1, 2}), frozenset({-2, 3}))
HEADS_AND_SEQUENCE = (
    frozenset({-3, -2}),
    frozenset({1, 2}),
    frozenset({-3, 2}),
    frozenset({1, -2}),
)
FUNCTIONAL, NN = "max.experimental.functional", "max.experimental.nn"


def method(cls: str, name: str) -> Callable[[Source], str]:
    """The path of a helper; of the forward pass where the class has no such helper."""

    def path(source: Source) -> str:
        own = f"{cls}.{name}"
        found = words.defines_function(own)(source).ok
        return own if found else words.entry(source, cls)

    return path


def forward(cls: str) -> Callable[[Source], str]:
    """The path of the method that runs when the object is called."""
    return lambda source: words.entry(source, cls)


# ---- patterns -----------------------------------------------------------------------------


def swaps(*axes: frozenset[int]) -> Callable[[Expr], bool]:
    """A transpose of one of these pairs of axes."""
    return lambda e: e.op == "transpose" and e.value in axes


def has(e: Expr | None, pattern: Callable[[Expr], bool]) -> bool:
    """Whether something that ``e`` is made of matches."""
    return any(pattern(one) for one in walk(e))


def is_product(e: Expr) -> bool:
    """A matrix product."""
    return e.op == "matmul" and len(e.args) >= 2


def is_softmax(e: Expr) -> bool:
    """A softmax over the last axis."""
    if e.op != "softmax":
        return False
    axis = e.argument(1, "axis")
    unknown = any(name != "axis" for name, _ in e.kwargs)
    return not unknown and (axis is None or axis.value in (-1, 3, None))


def is_scores(e: Expr) -> bool:
    """query @ keyᵀ: the key transposed on its last two axes, the query not."""
    return (
        is_product(e)
        and has(e.args[1], swaps(*LAST_TWO))
        and not has(e.args[0], is_softmax)
        and _from(e.args[0], "query") is not False
        and _from(e.args[1], "key") is not False
    )


def _from(e: Expr, name: str) -> bool | None:
    """Whether ``e`` comes from the parameter ``name``; None where no parameter is in it."""
    params = {one.name for one in walk(e) if one.op == "param"} & {"query", "key", "value"}
    return None if not params else name in params


def is_width(e: Expr) -> bool:
    """head_dim, however it is named: an attribute, a parameter, or the last size of a shape."""
    last = e.op == "item" and e.value in (-1, 3) and e.args[0].op == "attr"
    if e.op == "attr":
        return e.name not in ("embed_dim", "split_size", "n_embd", "num_heads", "n_head")
    return last or e.op in ("param", "global", "unknown", "either", "call", "floordiv", "item")


def is_root(e: Expr) -> bool:
    """√head_dim, or one over it."""
    if e.op in ("sqrt", "rsqrt") and e.args:
        return is_width(e.args[0])
    half = e.op == "pow" and len(e.args) == 2 and e.args[1].value in (0.5, -0.5)
    return half and is_width(e.args[0])


def is_scaling(e: Expr) -> bool:
    """A quotient or product with √head_dim."""
    if e.op == "div":
        return len(e.args) == 2 and has(e.args[1], is_root) and not has(e.args[0], is_softmax)
    return (
        e.op == "mul"
        and any(has(arg, is_root) for arg in e.args)
        and not any(has(arg, is_softmax) for arg in e.args)
    )


def calls_mask(e: Expr) -> bool:
    """A call of causal_mask."""
    return e.op == "call" and e.name.split(".")[-1] == "causal_mask"


def adds_mask(e: Expr) -> bool:
    """The causal mask added to something that is no softmax yet."""
    return (
        e.op == "add"
        and any(has(arg, calls_mask) for arg in e.args)
        and not any(has(arg, is_softmax) for arg in e.args)
    )


def is_mixture(e: Expr) -> bool:
    """weights @ value."""
    return (
        is_product(e)
        and has(e.args[0], lambda one: one.op in ("softmax", "div"))
        and not has(e.args[1], is_softmax)
        and _from(e.args[1], "value") is not False
    )


def is_qkv_split(e: Expr) -> bool:
    """c_attn's output taken apart, by split, chunk or slices."""
    if not e.args or not has(e.args[0], is_call_of("c_attn")):
        return False
    return e.op == "split" or (
        e.op in ("item", "slice") and e.args[0].op == "call" and e.args[0].name == "c_attn"
    )


def is_call_of(name: str) -> Callable[[Expr], bool]:
    """A call of ``self.name``."""
    return lambda e: e.op == "call" and e.name == name


def thirds(e: Expr) -> bool:
    """A split into three equal parts."""
    if not is_qkv_split(e):
        return False
    if e.op != "split":
        return True
    sizes = e.argument(1, "split_sizes") or e.argument(1, "chunks")
    if sizes is None:
        return False
    if e.name == "chunk":
        return bool(sizes.value == 3)
    if sizes.op == "mul":
        return any(arg.value == 3 for arg in sizes.args)
    parts = [(one.op, one.name, one.value) for one in sizes.args]
    return sizes.op != "list" or (len(parts) == 3 and len(set(parts)) == 1)


def _ends_in_list(shape: Expr | None, kept: int, sizes: int) -> bool:
    """A shape that keeps all but ``kept`` axes and appends ``sizes`` new ones."""
    if shape is None:
        return False
    added = shape.op == "add" and len(shape.args) == 2
    if added and shape.args[0].op == "slice" and shape.args[0].value == (None, -kept):
        return shape.args[1].op == "list" and len(shape.args[1].args) == sizes
    if shape.op == "list" and shape.args and shape.args[0].op == "star":
        first = shape.args[0].args[0]
        kept_right = first.op == "slice" and first.value == (None, -kept)
        return kept_right and len(shape.args) == 1 + sizes
    whole = 4 if sizes == 2 else 3
    return shape.op == "list" and len(shape.args) == whole


def _shape_of(e: Expr) -> Expr | None:
    return e.argument(1, "shape") if e.op == "reshape" else None


# ---- tests --------------------------------------------------------------------------------


def imports_nn() -> Test:
    """Linear and Module."""
    return words.imports(f"{NN}.Linear", f"{NN}.Module")


def imports_functional() -> Test:
    """The module of functions on tensors."""
    return words.imports(FUNCTIONAL)


def imports_tensor() -> Test:
    """The tensor type, from its module or from the package above it."""
    here, above = (
        words.imports("max.experimental.tensor.Tensor"),
        words.imports("max.experimental.Tensor"),
    )

    def test(source: Source) -> Finding:
        found = here(source)
        return found if found.ok or not above(source).ok else above(source)

    return test


def imports_dataclass() -> Test:
    """The decorator of the standard library."""
    return words.imports("dataclasses.dataclass")


def is_dataclass(cls: str) -> Test:
    """The class carries it, imported or not: that is another check."""
    return words.decorated(cls, "dataclasses.dataclass", "dataclass")


def defines_layer(cls: str) -> Test:
    """A Module of this name."""
    return words.defines_class(cls, "Module")


def defines_mask() -> Test:
    """The mask's signature."""
    return words.defines_function("causal_mask", "sequence_length", "num_tokens", "dtype", "device")


def is_functional(name: str) -> Test:
    """The function carries F.functional."""
    return words.decorated(name, f"{FUNCTIONAL}.functional")


def counts_columns(name: str) -> Test:
    """sequence_length + num_tokens, in either order."""

    def both(e: Expr) -> bool:
        names = {arg.name for arg in e.args if arg.op == "param"}
        return e.op == "add" and names == {"sequence_length", "num_tokens"}

    return words.returns(name, both)


def minus_infinity(name: str) -> Test:
    """float("-inf"), -math.inf or -np.inf."""

    def endless(e: Expr) -> bool:
        text = (e.op == "call" and e.name == "float") or e.op == "const"
        given = e.args[0].value if e.args else e.value
        if text and isinstance(given, str):
            return given.strip().lower() in ("-inf", "-infinity")
        inner = e.args[0] if e.op == "neg" and e.args else None
        return inner is not None and inner.name in ("math.inf", "numpy.inf")

    return words.returns(name, endless)


def broadcasts(name: str) -> Test:
    """broadcast_to, or a tensor that is made as large."""
    return words.returns(
        name, lambda e: e.op == "broadcast" or e.name.split(".")[-1] in ("full", "full_like")
    )


def takes_band(name: str) -> Test:
    """band_part with an open lower side and exclude."""

    def band(e: Expr) -> bool:
        exclude = dict(e.kwargs).get("exclude", e.args[3] if len(e.args) > 3 else None)
        return e.op == "band_part" and exclude is not None and exclude.value is True

    return words.returns(name, band)


def makes_linear(cls: str, attribute: str, times: int) -> Test:
    """A Linear from the width to ``times`` the width, with a bias."""

    def right(e: Expr) -> bool:
        if e.op != "linear":
            return False
        width, out = e.argument(0, "in_dim"), e.argument(1, "out_dim")
        bias = dict(e.kwargs).get("bias")
        if width is None or out is None or (bias is not None and bias.value is False):
            return False
        tripled = out.op in ("mul", "add") and (
            out.op == "add" or any(arg.value == 3 for arg in out.args)
        )
        return tripled if times == 3 else _same(width, out)

    return words.stores(f"{cls}.__init__", attribute, right)


def _same(left: Expr, right: Expr) -> bool:
    return (left.op, left.name, left.value) == (right.op, right.name, right.value) and all(
        _same(a, b) for a, b in zip(left.args, right.args, strict=False)
    )


def split_shape(cls: str) -> Test:
    """All but the last axis, then the heads and their width."""
    return words.returns(
        method(cls, "_split_heads"),
        lambda e: _ends_in_list(_shape_of(e), 1, 2),
        near=lambda e: e.op == "reshape",
    )


def split_reshape(cls: str) -> Test:
    """A reshape."""
    return words.returns(method(cls, "_split_heads"), lambda e: e.op == "reshape")


def split_transpose(cls: str) -> Test:
    """The heads exchanged with the sequence, after the reshape."""
    return words.returns(
        method(cls, "_split_heads"),
        lambda e: swaps(*HEADS_AND_SEQUENCE)(e) and has(e, lambda one: one.op == "reshape"),
        near=lambda e: e.op in ("transpose", "reshape"),
    )


def merge_transpose(cls: str) -> Test:
    """The sequence exchanged with the heads, before the reshape."""
    return words.returns(
        method(cls, "_merge_heads"),
        lambda e: e.op == "reshape" and has(e.args[0], swaps(*HEADS_AND_SEQUENCE)),
        near=lambda e: e.op in ("transpose", "reshape"),
    )


def merge_reshape(cls: str) -> Test:
    """All but the last two axes, then their product."""
    return words.returns(
        method(cls, "_merge_heads"),
        lambda e: _ends_in_list(_shape_of(e), 2, 1),
        near=lambda e: e.op == "reshape",
    )


def merge_shape(cls: str) -> Test:
    """Both: transposed, and joined by the right shape."""
    return words.returns(
        method(cls, "_merge_heads"),
        lambda e: _ends_in_list(_shape_of(e), 2, 1) and has(e.args[0], swaps(*HEADS_AND_SEQUENCE)),
        near=lambda e: e.op == "reshape",
    )


def scores(cls: str) -> Test:
    """query @ keyᵀ."""
    return words.returns(method(cls, "_attn"), is_scores, near=is_product)


def scaled(cls: str) -> Test:
    """The scale, on the scores or folded into query or key."""
    return words.returns(method(cls, "_attn"), is_scaling, near=is_scores)


def reads_length(cls: str) -> Test:
    """The second to last size of query, key or value."""

    def length(e: Expr) -> bool:
        return (
            e.op == "item"
            and e.value in (-2, 2)
            and has(e.args[0], lambda one: one.op == "attr" and one.name == "shape")
        )

    look, mask = words.returns(method(cls, "_attn"), length, near=calls_mask), called_mask(cls)

    def test(source: Source) -> Finding:
        found = look(source)
        # Only causal_mask asks for the length. A mask made in another way is the mask's affair.
        other = not found.ok and not found.certain and not mask(source).ok
        return replace(found, foreign=True) if other else found

    return test


def called_mask(cls: str) -> Test:
    """A call of causal_mask that reaches the result.

    Its lines are also those that add something to the scores, be it a mask or what should be one.
    """
    look = words.returns(method(cls, "_attn"), calls_mask, near=is_softmax)

    def test(source: Source) -> Finding:
        found = look(source)
        every = walk(words.result(source, method(cls, "_attn")(source)))
        adding = [one.line for one in every if is_sum(one) and one.line is not None]
        if found.ok:
            return replace(found, span=found.span | set(adding))
        return replace(found, line=adding[0]) if adding else found

    return test


def is_sum(e: Expr) -> bool:
    """Something added to the scores."""
    return e.op == "add" and any(has(arg, is_scores) and not has(arg, is_softmax) for arg in e.args)


def masked(cls: str) -> Test:
    """The mask added before the softmax."""
    return words.returns(method(cls, "_attn"), adds_mask, near=lambda e: e.op == "softmax")


def softmax(cls: str) -> Test:
    """A softmax over the keys."""
    return words.returns(method(cls, "_attn"), is_softmax, near=lambda e: e.op == "softmax")


def mixes(cls: str) -> Test:
    """weights @ value."""
    return words.returns(method(cls, "_attn"), is_mixture, near=is_product)


def splits_qkv(cls: str) -> Test:
    """c_attn's output taken apart."""
    return words.returns(forward(cls), is_qkv_split, near=is_call_of("c_attn"))


def split_sizes(cls: str) -> Test:
    """In three equal parts."""
    return words.returns(forward(cls), thirds, near=is_qkv_split)


def calls(cls: str, name: str, times: int) -> Test:
    """``self.name`` is called this often, or once for each of several values."""

    def test(source: Source) -> Finding:
        found = words.returns(forward(cls), is_call_of(name))(source)
        if not found.ok and name.startswith("_") and not _defines(source, cls, name):
            return Finding(False, found.line, foreign=True)
        if not found.ok or times == 1:
            return found
        return _often_enough(source, words.entry(source, cls), name, times, found)

    return test


def _often_enough(source: Source, path: str, name: str, times: int, found: Finding) -> Finding:
    result = words.result(source, path)
    every = [one for one in walk(result) if is_call_of(name)(one)]
    looped = any(has(one.args[0] if one.args else None, lambda e: e.op == "item") for one in every)
    different = {id(one) for one in every}
    if len(different) >= times or (looped and len({one.line for one in every}) == 1):
        return found
    return Finding(False, found.line, f"It is called {len(different)} times, not {times}")


def attends_and_merges(cls: str) -> Test:
    """_merge_heads of what _attn gave; nothing is said of a layer without these two."""
    look = words.returns(
        forward(cls),
        lambda e: is_call_of("_merge_heads")(e) and has(e, is_call_of("_attn")),
        near=is_call_of("_attn"),
    )

    def test(source: Source) -> Finding:
        found = look(source)
        known = found.ok or found.certain or _defines(source, cls, "_merge_heads", "_attn")
        return found if known else Finding(False, found.line, foreign=True)

    return test


def _defines(source: Source, cls: str, *names: str) -> bool:
    return all(words.defines_function(f"{cls}.{name}")(source).ok for name in names)


def no_placeholders(cls: str) -> Test:
    """Nothing of the stub is left in the layer."""
    return words.no_placeholders(
        cls, "__init__", "_split_heads", "_merge_heads", "_attn", "__call__", "forward"
    )
