"""MAX's errors, retold: what happened, and what to try.

The texts matched here are those of max 26.7, collected by making each mistake.
"""

from __future__ import annotations

from grader.frameworks import Translation, errors
from grader.frameworks.errors import Row
from grader.protocol.probe import SeenError

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

DIM_HINT = "A shape holds Dim objects. Make a number of one first: int(tensor.shape[-1])."

ROWS: tuple[Row, ...] = (
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
        r"Unsupported dimension type (\S+) \(<class 'float'>\)",
        "A shape holds whole numbers, and {0} is not one",
        "Use // instead of / where sizes are divided.",
    ),
    (
        "TypeError",
        r"to\(\) expects Device(?!.*NoneType)",
        "Tensor.to moves a tensor to a device",
        "To change the element type use tensor.cast(dtype).",
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
        "RecursionError",
        r"",
        "A function calls itself without end",
        "In a Module, self(...) calls __call__ again: use another name for a helper.",
    ),
)


def translate(error: SeenError) -> Translation:
    """The error as one sentence, with what to try where that is known."""
    return errors.translate(error, _attribute, _keyword, errors.rows(ROWS))


def _attribute(error: SeenError, text: str) -> Translation | None:
    """A name that a tensor or a module has not, with MAX's own name for what was meant."""
    missing = errors.missing_attribute(error, text)
    if missing is None:
        return None
    owner, name, is_module = missing
    if owner != "Tensor" and not is_module:
        return None
    what = "MAX tensors have" if owner == "Tensor" else f"{owner} has"
    return Translation(f"{what} no {name}", ELSEWHERE.get(name))


def _keyword(error: SeenError, text: str) -> Translation | None:
    """A keyword argument that MAX does not know."""
    name = errors.unknown_keyword(error, text)
    if name is None:
        return None
    return Translation(f"There is no argument called {name} here", KEYWORDS.get(name))
