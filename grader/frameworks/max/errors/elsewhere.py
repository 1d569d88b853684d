"""Names that learners bring from PyTorch and NumPy, and what to write in MAX."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

from grader.base.rewriting import Rewriter
from grader.frameworks.max.errors.vocabulary import known

GREATER_EQUAL = tuple(
    f"greater_{one}" for one in ("or_equal", "than_equal", "equal_to", "than_or_equal")
)
LESS_EQUAL = tuple(one.replace("greater", "less") for one in ("greater_equal", *GREATER_EQUAL))
"""Names of two comparisons in other libraries and languages."""

TEMPLATES: Mapping[str, str] = {
    "view": "{x}.reshape({list})",
    "reshape": "{x}.reshape({list})",
    "resize": "{x}.reshape({list})",
    "contiguous": "{x}",
    "detach": "{x}",
    "clone": "{x}",
    "copy": "{x}",
    "cpu": "{x}",
    "cuda": "{x}",
    "requires_grad_": "{x}",
    **dict.fromkeys(("ifelse", "if_else", "iif", "select", "cond"), "F.where({x}, {0}, {1})"),
    "masked_fill": "F.where({0}, {1}, {x})",
    "masked_fill_": "F.where({0}, {1}, {x})",
    "swapaxes": "{x}.transpose({0}, {1})",
    "swapdims": "{x}.transpose({0}, {1})",
    "moveaxis": "{x}.transpose({0}, {1})",
    "t": "{x}.T",
    "mT": "{x}.transpose(-1, -2)",
    "expand": "F.broadcast_to({x}, {list})",
    "expand_dims": "{x}.unsqueeze({0})",
    "newaxis": "{x}.unsqueeze({0})",
    "size": "int({x}.shape[{0}])",
    "ncol": "int({x}.shape[-1])",
    "nrow": "int({x}.shape[-2])",
    "cols": "int({x}.shape[-1])",
    "rows": "int({x}.shape[-2])",
    "dim": "{x}.rank",
    "ndim": "{x}.rank",
    "ndimension": "{x}.rank",
    "numpy": "{x}.to_numpy()",
    "values": "{x}.to_numpy()",
    "tolist": "{x}.to_numpy().tolist()",
    "float": "{x}.cast(DType.float32)",
    "double": "{x}.cast(DType.float64)",
    "long": "{x}.cast(DType.int64)",
    "int": "{x}.cast(DType.int32)",
    "bool": "{x}.cast(DType.bool)",
    "astype": "{x}.cast({dtype})",
    "type": "{x}.cast({dtype})",
    "type_as": "{x}.cast({0}.dtype)",
    "matmul": "{x} @ {0}",
    "mm": "{x} @ {0}",
    "bmm": "{x} @ {0}",
    "dot": "{x} @ {0}",
    "minimum": "F.min({x}, {0})",
    "fmin": "F.min({x}, {0})",
    "maximum": "F.max({x}, {0})",
    "fmax": "F.max({x}, {0})",
    "amin": "F.min({x}, axis={axis})",
    "amax": "F.max({x}, axis={axis})",
    "cat": "F.concat({x}, axis={axis0})",
    "concatenate": "F.concat({x}, axis={axis0})",
    "var": "F.mean(({x} - F.mean({x}, axis={axis})) * ({x} - F.mean({x}, axis={axis})), "
    "axis={axis})",
    "std": "F.sqrt(F.mean(({x} - F.mean({x}, axis={axis})) * ({x} - F.mean({x}, axis={axis})), "
    "axis={axis}))",
    "square": "{x} * {x}",
    "power": "F.pow({x}, {0})",
    "pow_": "F.pow({x}, {0})",
    **dict.fromkeys(("multiply", "mul"), "{x} * {0}"),
    **dict.fromkeys(("divide", "div", "truediv"), "{x} / {0}"),
    "true_divide": "{x} / {0}",
    **dict.fromkeys(("subtract", "sub"), "{x} - {0}"),
    "add": "{x} + {0}",
    "eq": "{x} == {0}",
    "ne": "{x} != {0}",
    "lt": "{x} < {0}",
    "le": "{x} <= {0}",
    "gt": "{x} > {0}",
    "ge": "{x} >= {0}",
    **dict.fromkeys(("greater_than", "isgreater"), "{x} > {0}"),
    **dict.fromkeys(("less", "less_than", "isless", "lesser"), "{x} < {0}"),
    **dict.fromkeys(GREATER_EQUAL, "{x} >= {0}"),
    **dict.fromkeys(LESS_EQUAL, "{x} <= {0}"),
    **dict.fromkeys(("equals", "equal_to", "is_equal"), "{x} == {0}"),
    **dict.fromkeys(("not_equals", "not_equal_to"), "{x} != {0}"),
    "gelu_new": "F.gelu({x}, approximate='tanh')",
    "new_gelu": "F.gelu({x}, approximate='tanh')",
    "linear": "{x} @ {0}.T",
    "embedding": "F.gather({0}, {x}, axis=0)",
    "index_select": "F.gather({x}, {1}, axis={0})",
    "take": "F.gather({x}, {0}, axis=0)",
    "new_zeros": "Tensor.zeros({list})",
    "new_ones": "Tensor.ones({list})",
    "tensor": "Tensor({all})",
    "as_tensor": "Tensor({all})",
    "from_numpy": "Tensor({all})",
    "array": "Tensor({all})",
    "asarray": "Tensor({all})",
    "scalar": "Tensor({all})",
    "finfo": "finfo({0})",
    "inf": "float('inf')",
    "pi": "math.pi",
}
"""``{x}`` is the tensor, ``{0}`` and ``{1}`` the first arguments after it, ``{list}`` all of them
as one list, ``{all}`` everything as it is written."""

IN_PLACE: Mapping[str, str] = {
    "add_": "{x} + {0}",
    "sub_": "{x} - {0}",
    "mul_": "{x} * {0}",
    "div_": "{x} / {0}",
}
"""PyTorch's methods that change a tensor where it is, and the operator that makes a new one."""

PROSE: Mapping[str, str] = {
    "einsum": "MAX has no einsum. Transpose, then use the @ operator.",
    "rearrange": "MAX has no einops. reshape splits and joins axes, transpose swaps two of them.",
    "dropout": "Leave dropout out: the course never trains, it only computes.",
    "backward": "Leave it out: the course never trains, it only computes.",
    "no_grad": "Leave it out: MAX tensors have no gradients.",
    "scaled_dot_product_attention": "The course writes it out: scores, scale, mask, softmax, "
    "weighted sum.",
    "register_buffer": "Make the tensor inside the method that uses it: a tensor on self becomes "
    "a parameter.",
    "register_parameter": "Assign the tensor to self: it becomes a parameter.",
    "Parameter": "Assign a Tensor to self: it becomes a parameter.",
    "append": "A tensor does not grow: F.concat([a, b], axis=0) makes a new one of two.",
    "repeat": "F.broadcast_to(tensor, shape) repeats along dimensions of length 1.",
}

FIELDS = re.compile(r"\{\w*\}")
FLOATS = {"float": "float32", "half": "float16", "double": "float64", "int": "int64"}


class _Inner(Rewriter):
    """Attributes of tensors that MAX has not either, inside what is written anew."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """``key.mT`` has no arguments, so it can be written in MAX's way at once."""
        value = self.visit(node.value)
        template = TEMPLATES.get(node.attr, "")
        if node.attr in known()["Tensor"] or set(FIELDS.findall(template)) != {"{x}"}:
            return ast.Attribute(value, node.attr)
        made = template.format(x=_tight(ast.unparse(value), value))
        return ast.parse(made, mode="eval").body

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Of ``key.view(2, 3)`` only the operands are looked at."""
        if isinstance(node.func, ast.Attribute):
            func = ast.Attribute(self.visit(node.func.value), node.func.attr)
            return ast.Call(func, [self.visit(one) for one in node.args], node.keywords)
        return self.generic_visit(node)


def rewritten(name: str, given: Sequence[ast.expr], words: Mapping[str, ast.expr]) -> str | None:
    """The call of ``name`` as MAX has it; None where that is not known.

    ``given`` starts with the tensor.
    """
    if name in ("triu", "tril"):
        return _band(name, given, words)
    template = TEMPLATES.get(name) or _in_place(name)
    if template is None:
        return None
    given = [_Inner().visit(one) for one in given]
    texts = [ast.unparse(one) for one in given]
    values = {ast.unparse(ast.keyword(k, v)) for k, v in words.items()}
    axis = next((ast.unparse(words[w]) for w in ("axis", "dim") if w in words), None)
    plain = axis or (texts[1] if len(texts) > 1 and texts[1].lstrip("-").isdecimal() else None)
    if name == "size" and len(texts) < 2:
        template = "{x}.shape"
    if name in ("new_zeros", "zeros_like", "new_ones", "ones_like") and len(texts) == 1:
        template = "{x} * 0 + 1" if "ones" in name else "{x} * 0"
    try:
        made = template.format(
            *texts[1:],
            x=_tight(texts[0], given[0]) if texts else "",
            list=_list(given[1:]),
            all=", ".join([*texts, *sorted(values)]),
            axis=plain or "-1",
            axis0=plain or "0",
            dtype=element_type(given[1]) if len(given) > 1 else "DType.float32",
        )
    except IndexError:
        return None
    return made if texts or "{" not in template else None


def _in_place(name: str) -> str | None:
    """What stands for a method of PyTorch whose name ends in an underscore."""
    plain = name.removesuffix("_")
    if name == plain or name in IN_PLACE:
        return IN_PLACE.get(name)
    return TEMPLATES.get(plain) or (f"F.{plain}({{all}})" if plain in known()["F"] else None)


def _tight(text: str, node: ast.expr) -> str:
    """``text`` so that a dot or an operator may follow it."""
    simple = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.List, ast.Tuple)
    return text if isinstance(node, simple) else f"({text})"


def _list(given: Sequence[ast.expr]) -> str:
    """Arguments as one list, unless they are one already."""
    if len(given) == 1 and not isinstance(given[0], ast.Constant | ast.UnaryOp):
        return ast.unparse(given[0])
    return f"[{', '.join(ast.unparse(one) for one in given)}]"


def element_type(node: ast.expr) -> str:
    """MAX's name of an element type that is written as NumPy's, Python's, or as a text."""
    text = ast.unparse(node)
    name = text.rpartition(".")[2].strip("'\"")
    return text if text.startswith("DType.") else f"DType.{FLOATS.get(name, name)}"


def _band(name: str, given: Sequence[ast.expr], words: Mapping[str, ast.expr]) -> str | None:
    """``triu`` and ``tril`` with their diagonal, as ``F.band_part``."""
    if not given:
        return None
    shift = next((words[w] for w in ("diagonal", "k") if w in words), None)
    if shift is None:
        shift = given[1] if len(given) > 1 else ast.Constant(0)
    x = ast.unparse(given[0])
    try:
        k = ast.literal_eval(shift)
    except (ValueError, TypeError):  # an expression, most often the number of earlier tokens plus 1
        text = ast.unparse(shift)
        if name == "tril":
            return f"F.band_part({x}, num_lower=None, num_upper={text})"
        return f"F.band_part({x}, num_lower=None, num_upper={text} - 1, exclude=True)"
    if not isinstance(k, int):
        return None
    if name == "triu":  # what is on diagonal k and above stays
        kept = (-k, None, False) if k <= 0 else (None, k - 1, True)
    else:
        kept = (None, k, False) if k >= 0 else (-k - 1, None, True)
    lower, upper, exclude = kept
    end = ", exclude=True" if exclude else ""
    return f"F.band_part({x}, num_lower={lower}, num_upper={upper}{end})"
