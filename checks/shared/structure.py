"""Source tests and patterns that several rubrics share: the structure from the lesson.

Each accepts the usual spellings. For any other spelling the numbers decide: if an unrecognized
program is right, the judge adds a note.
"""

from __future__ import annotations

from grader.rubric import source

FUNCTIONAL, NN = "max.experimental.functional", "max.experimental.nn"

IMPORTS_F = source.imports(FUNCTIONAL)
IMPORTS_TENSOR = source.either(
    source.imports("max.experimental.tensor.Tensor"), source.imports("max.experimental.Tensor")
)
IMPORTS_LAYERS = source.imports(f"{NN}.Linear", f"{NN}.Module")
USES_F = source.if_named("F", IMPORTS_F)
USES_TENSOR = source.if_named("Tensor", IMPORTS_TENSOR)

DEFINES_MASK = source.defines_function(
    "causal_mask", "sequence_length", "num_tokens", "dtype", "device"
)


# ---- the formula --------------------------------------------------------------------------


def comes_from(name: str) -> source.Pattern:
    """Match what is made from the parameter ``name``, or from none of query, key and value."""

    def found(e: source.Expr) -> bool:
        params = {one.name for one in source.walk(e) if one.op == "param"} & {
            "query",
            "key",
            "value",
        }
        return not params or name in params

    return found


def is_width(e: source.Expr) -> bool:
    """Whether this is head_dim, by any name: an attribute, a parameter, or a shape's last size."""
    if e.op == "attr":
        return e.name not in ("embed_dim", "split_size", "n_embd", "num_heads", "n_head")
    return e.op in ("item", "param", "global", "unknown", "either", "call", "floordiv")


SOFTMAX = source.pattern(
    "F.softmax(_) | F.softmax(_, $last)", where={"last": lambda e: e.value in (-1, 3, None)}
)
"""A softmax over the keys, or over a computed axis."""

ROLES = {
    "query": comes_from("query"),
    "key": comes_from("key"),
    "value": lambda e: comes_from("value")(e) and not source.made_with(e, SOFTMAX),
    "head_dim": is_width,
}
ROOT = "(math.sqrt($head_dim) | F.rsqrt($head_dim) | $head_dim ** (0.5 | -0.5))"

WEIGHED = source.pattern(
    "F.softmax(_) | F.softmax(_, $last) | F.exp(_)",
    where={"last": lambda e: e.value in (-1, 3, None)},
)
"""The softmax, or part of one that is written out."""

SCORES = source.pattern("$query @ $key.transpose(-1, -2)", without=SOFTMAX, where=ROLES, rank=4)
SCALED = source.pattern(f"_ / {ROOT}", f"_ * {ROOT}", without=WEIGHED, where=ROLES)
MIXTURE = source.pattern("(F.softmax(...) | _ / _) @ $value", where=ROLES)


# ---- the layer ----------------------------------------------------------------------------

NORM = "LayerNorm(_, _.layer_norm_epsilon, ...) | LayerNorm(..., eps=_.layer_norm_epsilon)"
NO_BIAS = "Linear(..., bias=False)"

SPLIT_SHAPE = "_[:-1] + [_, _] | [*_[:-1], _, _] | [_, _, _, _]"
MERGED_SHAPE = "_[:-2] + [_] | [*_[:-2], _] | [_, _, _]"
"""Shapes that split the last axis in two, and that join the last two axes."""

QKV = source.pattern(
    "F.split(self.c_attn(...), ...)",
    "F.chunk(self.c_attn(...), ...)",
    "$projected[_] | $projected[:]",
    where={"projected": "self.c_attn(...)"},
)
"""c_attn's output, separated by split, chunk or slices."""


def calls_part(cls: str, name: str, times: int = 1) -> source.SourceTest:
    """``self.name`` is called this often, or once for each of several values.

    A class without a helper of this name decides nothing.
    """
    made = source.pattern(f"self.{name}(...)")
    look = source.returns(source.call_of(cls), f"self.{name}(...)")

    def test(program: source.Source) -> source.Finding:
        found = look(program)
        every = [
            one for one in source.walk(source.result(program, source.call_of(cls))) if made(one)
        ]
        looped = any(
            source.made_with(one.args[0], lambda e: e.op == "item") for one in every if one.args
        )
        once = looped and len({one.line for one in every}) == 1
        if not found.ok or len(every) >= times or once:
            return found
        return source.Finding(False, found.line, f"It is called {len(every)} times, not {times}")

    return source.only_with(test, f"{cls}.{name}") if name.startswith("_") else test


def no_stub_left(cls: str) -> source.SourceTest:
    """Nothing of the stub is left in the layer."""
    return source.no_placeholders(
        cls, "__init__", "_split_heads", "_merge_heads", "_attn", "__call__", "forward"
    )


def splits_heads(path: source.Path) -> source.SourceTest:
    """The heads are split off the last axis, and moved in front of the sequence."""
    return source.returns(
        path,
        "_.reshape(...).transpose(-3, -2)",
        rank=4,
        near="_.transpose(...) | _.reshape(...)",
    )


def merges_heads(path: source.Path) -> source.SourceTest:
    """The heads are moved behind the sequence, and joined."""
    return source.returns(
        path,
        "_.transpose(-3, -2).reshape(...)",
        rank=4,
        near="_.transpose(...) | _.reshape(...)",
    )
