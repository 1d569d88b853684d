"""MAX's and Python's errors, retold as a lesson: what happened, and what to try.

The texts matched here are those of max 26.7 and of CPython 3.11 to 3.14, collected by making
each mistake. An error that matches none keeps its own first line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.base import sanitize
from grader.protocol.probe import SeenError

MOST = 400
"""Characters of a message: the groups of the texts below may hold whatever the file raised."""


@dataclass(frozen=True)
class Translation:
    """One error in a learner's words."""

    message: str
    hint: str | None = None


ELSEWHERE = {
    "view": "MAX tensors have no view. Use tensor.reshape(new_shape).",
    "contiguous": "MAX needs no contiguous(): reshape works on any tensor. Leave it out.",
    "softmax": "Softmax is a function in MAX: F.softmax(tensor).",
    "chunk": "Use F.chunk(tensor, 3, axis=-1), or F.split with three sizes.",
    "size": "Read tensor.shape[i]; make it a number with int(tensor.shape[i]).",
    "dim": "Read tensor.rank, or use negative axes, which need no rank.",
    "ndim": "Read tensor.rank, or use negative axes, which need no rank.",
    "masked_fill": "Use F.where(condition, value, tensor), or add a mask of 0 and −inf.",
    "swapaxes": "Use tensor.transpose(axis1, axis2).",
    "mT": "Use tensor.transpose(-1, -2).",
    "astype": "Use tensor.cast(DType.float32).",
    "float": "Use tensor.cast(DType.float32).",
    "numpy": "Use tensor.to_numpy(), outside the model.",
    "matmul": "Use the @ operator, or F.matmul(left, right).",
    "triu": "Use F.band_part(tensor, num_lower=0, num_upper=None).",
    "tril": "Use F.band_part(tensor, num_lower=None, num_upper=0).",
    "cat": "The function is called F.concat([left, right], axis=...).",
    "ones_like": "Use F.ones_like from max.experimental.functional.",
    "zeros_like": "Use F.zeros_like from max.experimental.functional.",
    "exp": "Use F.exp(tensor).",
    "einsum": "MAX has no einsum. Transpose, then use the @ operator.",
    "dot": "Use the @ operator, or F.matmul(left, right).",
    "bmm": "Use the @ operator, or F.matmul(left, right).",
    "mm": "Use the @ operator, or F.matmul(left, right).",
    "var": "Work it out: the mean of (x - mean) * (x - mean).",
    "std": "Work it out: the square root of the mean of (x - mean) * (x - mean).",
    "sqrt": "Use math.sqrt on a number, F.sqrt on a tensor.",
}
"""Names that learners bring from PyTorch and NumPy, and what MAX has instead."""

KEYWORDS = {
    "dim": "MAX calls this argument axis, not dim.",
    "in_features": "MAX calls the first two arguments of Linear in_dim and out_dim.",
    "out_features": "MAX calls the first two arguments of Linear in_dim and out_dim.",
    "keepdims": "MAX always keeps the reduced axis, with size 1. Leave keepdims out.",
    "keepdim": "MAX always keeps the reduced axis, with size 1. Leave keepdim out.",
    "dims": "MAX's permute takes one list: tensor.permute([0, 2, 1, 3]).",
}

Row = tuple[str, str, str, str | None]
"""Error type (a regular expression), its text, the retold message, the hint.

``{0}``, ``{1}`` … stand for the groups of the text.
"""

DIM_HINT = "A shape holds Dim objects. Make a number of one first: int(tensor.shape[-1])."
NONE_HINT = "A value here is still None: look for a TODO above this line, or a missing return."

ROWS: tuple[Row, ...] = (
    (
        "NameError|UnboundLocalError",
        r"name '(\w+)' is not defined",
        "The name {0} is not defined",
        "Is it imported, and spelled as where it was defined?",
    ),
    (
        "UnboundLocalError",
        r"local variable '(\w+)'",
        "The variable {0} is used before it has a value",
        "Give it a value on every path to this line.",
    ),
    (
        "MissingName",
        r"^(\w+) is not defined",
        "{0} is not defined in your file",
        "The lesson names it; define it at the top level of the file.",
    ),
    (
        "MissingName",
        r"^(\S+) has no method (\w+)",
        "{0} has no method {1}",
        "The lesson names it; define it inside the class, spelled so.",
    ),
    (
        "ValueError",
        r"Can't promote python (?:float|int) to dtype\(DType\.bool\)",
        "A tensor of True and False meets a number, and MAX does not convert it",
        "Use F.where(condition, number, tensor), or condition.cast(dtype) first.",
    ),
    (
        "ValueError",
        r"num_(upper|lower)=(\d+) is out of bounds for dimension size (\d+)",
        "F.band_part is asked for {1} diagonals of a matrix that has {2} there",
        "Check both: the shape of the matrix, and num_{0}.",
    ),
    (
        "RuntimeError",
        r"std::bad_cast",
        "A Tensor cannot be made of these values in this dtype",
        "It takes numbers, or lists of numbers of one kind: whole ones for an integer dtype.",
    ),
    (
        "TypeError",
        r"Can't realize tensor before realization context is completed",
        "Numbers were read inside 'with F.lazy():', where operations are only written down",
        "Put nothing but the model's call into that block. Read the numbers after it.",
    ),
    (
        "TypeError",
        r"^$",
        "A tensor was used as if it were True or False",
        "Ask 'if tensor is not None', not 'if tensor'. For its numbers there is F.where.",
    ),
    (
        "IndexError|ValueError",
        r"[Aa]xis\S* out of range \(expected to be in range of \[-(\d+), \d+\], but got (-?\d+)",
        "Axis {1} does not exist: the tensor has {0} axes here",
        "Count axes from the end: -1 is the last, -2 the one before it.",
    ),
    (
        "ValueError",
        r"rank of the input \((\d+)\) does not match the number of dims used for ordering "
        r"\((\d+)\)",
        "permute was given {1} axes, and the tensor has {0} here",
        "tensor.transpose(-1, -2) exchanges two axes of a tensor with any number of them.",
    ),
    (
        "ValueError",
        r"Matrix multiplication input lhs \(shape (\[[^\]]*\])\) dimension at axis -1 \(value "
        r"(\d+)\) must match input rhs \(shape (\[[^\]]*\])\) dimension at axis -2 \(value (\d+)\)",
        "Matrix product of shapes {0} and {2}: the last axis of the left one ({1}) must equal "
        "the second to last of the right one ({3})",
        "Write down both shapes. Is a transpose(-1, -2) missing, or on the wrong tensor?",
    ),
    (
        "ValueError",
        r"number of elements must match:[^\[]*\[([^\]]*)\][^\[]*\[([^\]]*)\]",
        "A tensor of shape [{0}] cannot be reshaped to [{1}]: the numbers of elements differ",
        "The product of the sizes must stay the same.",
    ),
    (
        "ValueError",
        r"Input lhs \(shape (\[[^\]]*\])\).*?rhs \(shape (\[[^\]]*\])\)",
        "Shapes {0} and {1} do not fit together, element by element",
        "From the right, each pair of sizes must be equal, or one of them 1.",
    ),
    (
        "ValueError",
        r"slice stop index (-?\d+) out of range for dimension size (\d+)",
        "A slice ends at {0}, and the axis ends at {1}",
        "Python would give fewer elements here; MAX does not. Is the size of one of them fixed?",
    ),
    (
        "ValueError",
        r"\[broadcast_to\] input ranks",
        "A tensor cannot be broadcast to a shape with fewer axes",
        None,
    ),
    (
        "ValueError",
        r"Split sizes must sum to dimension value; \S+=Dim\((\d+)\) != sum\(sizes=(\[[^\]]*\])\)",
        "The split sizes {1} do not add up to the size of the axis, {0}",
        "The projection is three times as wide as the input: split it on its last axis.",
    ),
    (
        "ValueError",
        r"not enough values to unpack \(expected (\d+), got (\d+)\)",
        "{1} values came where {0} were expected",
        "Count the parts that the right-hand side gives.",
    ),
    (
        "ValueError",
        r"too many values to unpack \(expected (\d+)",
        "More values came than the {0} that were expected",
        "Count the parts that the right-hand side gives.",
    ),
    (
        "TypeError",
        r"non-default argument '(\w+)' follows default argument",
        "{0} has no default, though a field before it has one",
        "Give every field a default.",
    ),
    (
        "ValueError",
        r"Unsafe cast from si64 to f",
        "An integer tensor or Dim meets a floating-point tensor, and MAX does not convert it",
        DIM_HINT,
    ),
    (
        "TypeError",
        r"when using dims to index into a list|for \S+ (?:or pow\(\))?: '(?:int|float|StaticDim)'"
        r" and '(?:int|float|StaticDim)'|'StaticDim'",
        "A dimension of a shape was used like a number",
        DIM_HINT,
    ),
    (
        "TypeError",
        r"can only concatenate (?:list|tuple) \(not \"(?:tuple|Shape)\"\)",
        "A shape is a list: a tuple cannot be added to it",
        "Add a list: tensor.shape[:-1] + [a, b].",
    ),
    (
        "TypeError",
        r"Tensor\.(reshape|permute|ones|zeros|unsqueeze)\(\) takes \d+ positional",
        "Tensor.{0} takes the sizes as one list",
        "Write tensor.{0}([a, b, c]).",
    ),
    (
        "TypeError",
        r"Linear\.__init__\(\) takes 3 positional arguments",
        "Linear takes two positional arguments: in_dim and out_dim",
        "Say the bias by name: Linear(in_dim, out_dim, bias=True).",
    ),
    (
        "TypeError",
        r"not 'NoneType'|Unsupported dimension type None|'NoneType' object|NoneType",
        "None was used where a tensor or a number is needed",
        NONE_HINT,
    ),
    (
        "TypeError",
        r"Unsupported dimension type (\S+) \(<class 'float'>\)",
        "A shape holds whole numbers, and {0} is not one",
        "Use // instead of / where sizes are divided.",
    ),
    (
        "TypeError",
        r"to\(\) expects Device",
        "Tensor.to moves a tensor to a device",
        "To change the element type use tensor.cast(dtype).",
    ),
    (
        "AttributeError",
        r"'NoneType' object has no attribute '(\w+)'",
        "None has no {0}: a value is missing before this line",
        NONE_HINT,
    ),
    (
        "AttributeError",
        r"'str' object has no attribute 'size_in_bits'",
        "An element type is given as text",
        "Use DType.float32 from max.dtype, or the dtype of another tensor: query.dtype.",
    ),
    (
        "NotImplementedError",
        r"(\w+) must implement forward\(\)",
        "{0} has neither __call__ nor forward",
        "Define one of them: it is what runs when the object is called.",
    ),
    (
        "ModuleNotFoundError|ImportError",
        r"No module named '([\w.]+)'",
        "There is no module {0}",
        "Check the spelling. The lesson lists the modules that this step needs.",
    ),
    (
        "ImportError",
        r"cannot import name '(\w+)' from '([\w.]+)'",
        "{1} has no {0}",
        "Check the spelling and the module. The lesson says where each name lives.",
    ),
    (
        "RecursionError",
        r"",
        "A function calls itself without end",
        "In a Module, self(...) calls __call__ again: use another name for a helper.",
    ),
)


def translate(error: SeenError) -> Translation:
    """The error as one sentence, with what to try where that is known."""
    text = error.message.strip()
    inside = error.function not in (None, "<module>")
    where = f" (in {error.function})" if inside else ""
    for translation in (
        _signature(error, text),
        _attribute(error, text),
        _keyword(error, text),
        _row(error, text),
    ):
        if translation is not None:
            return Translation(
                sanitize.line(f"{translation.message}{where}", MOST), translation.hint
            )
    first = text.splitlines()[0][:200] if text else ""
    plain = f"{error.type_name}: {first}" if first else error.type_name
    return Translation(sanitize.line(f"{plain}{where}", MOST))


def _signature(error: SeenError, text: str) -> Translation | None:
    """A call from outside, as the lesson makes it, whose arguments the learner's code refuses."""
    found = re.search(
        r"(\w+)\(\) "
        r"((?:got an unexpected keyword|got multiple values|got some positional-only"
        r"|missing \d+ required"
        r"|takes (?:from )?\d).*)",
        text,
    )
    if error.type_name != "TypeError" or error.line is not None or found is None:
        return None
    why = found[2].replace("missing", "lacks")
    return Translation(
        f"{found[1]} cannot be called as the lesson does: it {why}",
        "Keep the stub's arguments: their names, their order, their defaults, and a * or / among "
        "them only where the stub has one. A method's first one is self.",
    )


def _attribute(error: SeenError, text: str) -> Translation | None:
    """A missing attribute, with MAX's own name for what was meant."""
    if error.type_name != "AttributeError":
        return None
    found = re.search(r"(?:'([\w.]+)' object|module '([\w.]+)') has no attribute '(\w+)'", text)
    if found is None or found[1] in ("NoneType", "str"):
        return None
    owner, name = found[1] or found[2], found[3]
    if owner == "Tensor" or found[2]:
        what = "MAX tensors have" if owner == "Tensor" else f"{owner} has"
        return Translation(f"{what} no {name}", ELSEWHERE.get(name))
    return Translation(
        f"{owner} has no attribute {name}",
        f"Is self.{name} set in __init__, and spelled alike in both places?",
    )


def _keyword(error: SeenError, text: str) -> Translation | None:
    """A keyword argument that MAX does not know."""
    found = re.search(r"unexpected keyword argument '(\w+)'", text)
    if error.type_name != "TypeError" or found is None:
        return None
    return Translation(f"There is no argument called {found[1]} here", KEYWORDS.get(found[1]))


def _row(error: SeenError, text: str) -> Translation | None:
    for kind, pattern, message, hint in ROWS:
        if not re.fullmatch(kind, error.type_name):
            continue
        found = re.search(pattern, text, re.DOTALL)
        if found is not None:
            told = found.groups()
            return Translation(message.format(*told), hint and hint.format(*told))
    return None
