"""The families of errors: what they say, and who retells them.

The texts are those of max 26.7 and of CPython 3.11 to 3.14, collected by making each mistake:
``tests/errors_catalogue`` has them. The first family whose pattern is found tells the error; one
that cannot make anything of it passes it on. So their order counts, and they stay in one table,
though that makes a long module.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from grader.frameworks.max.errors import (
    arguments,
    axes,
    bits,
    brought,
    dtypes,
    earlier,
    imports,
    indexed,
    iterated,
    kinds,
    names,
    parts,
    products,
    python,
    shapes,
    uncallable,
    values,
)
from grader.frameworks.max.errors.case import Case
from grader.frameworks.values import Translation

Tell = Callable[[Case, re.Match[str]], Translation | None]


@dataclass(frozen=True)
class Family:
    """Errors of one kind: a pattern for the name of their type, one for their text."""

    types: str
    text: str
    tell: Tell

    def explain(self, case: Case) -> Translation | None:
        """The error retold; None where it is of another family."""
        if not re.fullmatch(self.types, case.error.type_name):
            return None
        match = re.search(self.text, case.text, re.DOTALL)
        return self.tell(case, match) if match else None


def say(message: str, hint: str | None = None) -> Tell:
    """The same words always; ``{name}`` stands for a group of the pattern."""

    def tell(case: Case, match: re.Match[str]) -> Translation:
        found = match.groupdict()
        return Translation(message.format(**found), hint and hint.format(**found))

    return tell


ANY = r"\w+"
GELU = 'It takes approximate="none", "tanh" or "quick". GPT-2 has "tanh".'
SHAPE = r"\[[^\]]*\]"

FAMILIES: tuple[Family, ...] = (
    # ---- names ---------------------------------------------------------------------------
    Family("MissingName", r"^(?P<name>\w+) is not defined", indexed.not_found),
    Family("MissingName", r"^(?P<owner>\S+) has no method (?P<name>\w+)", indexed.not_found),
    Family("NameError", r"name '(?P<name>\w+)' is not defined", imports.variable),
    Family(
        "UnboundLocalError|NameError",
        r"variable '(?P<name>\w+)'",
        imports.unbound,
    ),
    Family("AttributeError", r"size_in_bits|is_float", kinds.element),
    Family(
        "AttributeError", r"'function' object has no attribute '__mro__'", names.decorated_function
    ),
    Family(
        "AttributeError",
        r"property '(?P<name>\w+)' of '(?P<owner>\w+)' object has no setter",
        names.only_read,
    ),
    Family("AttributeError", r"has no attribute '(?P<name>\w+)'", names.attribute),
    Family("AttributeError", r"^it can be called and has .*, but no (?P<name>\w+)$", names.only),
    Family("AttributeError", r"`np\.(?P<name>\w+)` was removed", arguments.refused),
    Family(
        "ImportError",
        r"cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'",
        imports.imported,
    ),
    Family(
        "ModuleNotFoundError|ImportError", r"No module named '(?P<name>[\w.]+)'", imports.module
    ),
    Family(
        "ImportError",
        r"^(?P<name>[\w.]+) cannot be imported here\. (?P<what>.*)",
        say("{name} cannot be imported here", "{what}"),
    ),
    Family(
        "FrozenInstanceError",
        r"cannot (?P<how>assign to|delete) field '(?P<name>\w+)'",
        names.frozen,
    ),
    Family(
        "TypeError",
        r"cannot inherit (?P<own>non-frozen|frozen) dataclass from a (?:non-)?frozen one",
        names.partly_frozen,
    ),
    # ---- arguments -----------------------------------------------------------------------
    Family(
        "TypeError",
        r"descriptor '(?P<name>\w+)' of 'super' object needs an argument",
        say("super is a function, and it is not called here", "Write super().{name}()"),
    ),
    Family(
        "TypeError",
        r"(?P<name>\w+)\(\) takes (?P<takes>\d+) positional arguments? but (?P<given>\d+)",
        arguments.without_self,
    ),
    Family(
        "TypeError",
        r"(?P<who>\w+)\(\) (?P<why>(?:got an unexpected keyword|got multiple values"
        r"|got some positional-only|missing \d+ required|takes (?:from )?\d).*)",
        arguments.outside,
    ),
    Family("TypeError", r"<lambda>\(\) missing \d+ required positional", uncallable.factory),
    Family("TypeError", r"unexpected keyword argument '(?P<unknown>\w+)'", arguments.refused),
    Family(
        "TypeError",
        r"missing (?:a|\d+) required (?:keyword-only |positional )?arguments?:? "
        r"(?P<missing>.*)",
        arguments.refused,
    ),
    Family("TypeError", r"missing required argument (?P<missing>'\w+')", arguments.refused),
    Family("TypeError", r"multiple values for argument '(?P<twice>\w+)'", arguments.refused),
    Family(
        "TypeError",
        r"(?P<many>takes (?:from )?\d+.* positional|too many positional"
        r"|expected at most|takes (?:exactly|at most|no) )",
        arguments.refused,
    ),
    Family(
        "TypeError", r"attribute name must be string, not '(?P<kind>\w+)'", python.attribute_name
    ),
    Family("TypeError", r"Must specify exactly one of `(?P<one>\w+)`", values.one_of_dims),
    Family(
        "TypeError",
        r"non-default argument '(?P<name>\w+)' follows default argument",
        say(
            "{name} has no default, though a field before it has one",
            "Give every field a default, after a single =.",
        ),
    ),
    Family(
        "TypeError",
        r"function\(\) argument 'code' must be code",
        say(
            "A class cannot inherit from a function",
            "A decorator such as @dataclass goes on a line of its own, above the class.",
        ),
    ),
    Family(
        "ValueError",
        r"Must provide at least one value to (?P<name>\w+)|need at least one array to (?P<np>\w+)",
        say("The list of what is to be joined is empty", "Which line is to fill it?"),
    ),
    Family(
        "ValueError",
        r"mutable default <class '(?P<kind>\w+)'> for field (?P<name>\w+)",
        say(
            "The default of {name} is a {kind}, which all objects would share",
            "One number or text goes without brackets. A {kind} for each object is "
            "field(default_factory={kind}).",
        ),
    ),
    # ---- element types -------------------------------------------------------------------
    Family(
        "KeyError",
        r"^(?:<class '(?:numpy\.)?(?:float|int|bool)\w*'>|'(?:float|int|bool)\d*')$",
        kinds.element,
    ),
    Family("ValueError", r"Failed to create op 'CastOp'.*dtype=", kinds.element),
    Family("TypeError", r"ShapeAttr, dtype: max\._core\.dtype\.DType", kinds.element),
    Family("ValueError", r"not compatible with finfo", kinds.element),
    Family("TypeError", r"to\(\) expects Device.* got (?P<kind>\w+)", values.moved),
    Family(
        "TypeError",
        r"finfo only supports floating-point types, got (?P<name>\w+)",
        say("finfo is about floating-point types, and {name} is none", "Use DType.float32."),
    ),
    Family("TypeError", r"expected a Device.*got (?P<name>\w+)", values.device),
    Family(
        "ValueError|TypeError",
        r"Can't promote python \w+ .*?to dtype\(DType\.(?P<dtype>\w+)\)",
        dtypes.promoted,
    ),
    Family("ValueError", r"Failed to create op 'MoGatherOp'.*integer or index", dtypes.indices),
    Family("ValueError|TypeError", r"Unsafe cast from (?:si|ui|i|bool)", dtypes.mixed),
    Family("ValueError", r"Expected condition to be a boolean", dtypes.condition),
    Family(
        "ValueError|TypeError", r"Failed to create op '(?P<name>Or|And|Xor|Not)Op'", dtypes.logical
    ),
    Family("TypeError", r"'mo\.(?P<name>or|and|xor|not)' op operand", dtypes.logical),
    Family("OverflowError", r"cannot convert float infinity to integer", dtypes.infinite),
    Family(
        "ValueError",
        r"DType must match input dtype: dtype=(?P<asked>\w+) != value\.dtype=(?P<held>\w+)",
        values.kept_as,
    ),
    Family("TypeError", r"only integer scalar arrays can be converted", values.listed),
    Family("RuntimeError", r"std::bad_cast", dtypes.values),
    Family(
        "ValueError",
        r"Array literals must be rectangular",
        say(
            "The lists inside have different lengths, and a tensor has rows of one length",
            "Make all rows equally long.",
        ),
    ),
    Family(
        "TypeError",
        r"'mo\.(?P<name>\w+)' op operand #0 must be floating point tensor",
        dtypes.whole_operand,
    ),
    Family(
        "TypeError",
        r"must be tensor with signed elements|numpy boolean (?:subtract|negative)",
        dtypes.negated,
    ),
    # ---- shapes --------------------------------------------------------------------------
    Family(
        "ValueError",
        rf"Matrix multiplication input lhs \(shape (?P<left>{SHAPE})\) dimension at axis -1 "
        rf"\(value (?P<inner>\d+)\) must match input rhs \(shape (?P<right>{SHAPE})\) dimension "
        r"at axis -2 \(value (?P<outer>\d+)\)",
        products.product,
    ),
    Family(
        "ValueError",
        rf"Input lhs \(shape (?P<left>{SHAPE})\).*?rhs \(shape (?P<right>{SHAPE})\)",
        shapes.together,
    ),
    Family(
        "ValueError",
        rf"Input (?P<one>condition|x) \(shape (?P<left>{SHAPE})\).*?"
        rf"input (?P<other>x|y) \(shape (?P<right>{SHAPE})\)",
        shapes.chosen,
    ),
    Family(
        "ValueError",
        r"^Complex-valued tensors must be 2-dimensional vectors.*?"
        r"lhs\.type=\w+\(.*?shape=(?P<left>\[.*?\]).*?rhs\.type=\w+\(.*?shape=(?P<right>\[.*?\])",
        shapes.paired,
    ),
    Family("ValueError", r"^The last dimension must be divisible by 2", shapes.halved),
    Family("ValueError", r"Concat inputs differ on non-concat axis (?P<axis>\d+)", parts.joined),
    Family("ValueError", r"Concat inputs must all have the same rank", parts.joined),
    Family(
        "ValueError",
        r"number of elements must match:[^\[]*(?P<old>\[[^\]]*\])[^\[]*"
        r"(?P<new>\[[^\]]*\])",
        shapes.reshaped,
    ),
    Family(
        "ValueError",
        r"at most one -1 dimension",
        say("A shape holds more than one -1", "Only one size can be left open."),
    ),
    Family(
        "ValueError",
        r"Split sizes must sum to dimension value; \S+=Dim\((?P<have>\d+)\) != "
        rf"sum\(sizes=(?P<parts>{SHAPE})\)",
        parts.split,
    ),
    Family(
        "ValueError",
        r"chunks=(?P<count>\d+) must statically divide .*?Dim\((?P<have>\d+)\)",
        parts.chunked,
    ),
    Family("ValueError", r"\[broadcast_to\] input (?:ranks|dimension)", shapes.widened),
    Family(
        "ValueError",
        r"slice (?P<end>start|stop) index (?P<index>-?\d+) out of range for "
        r"dimension size (?P<have>\d+)",
        shapes.sliced,
    ),
    Family(
        "IndexError|ValueError",
        r"[Aa]xis\S* out of range \(expected to be in range of "
        r"\[-(?P<rank>\d+), \d+\], but got (?P<axis>-?\d+)",
        shapes.axis,
    ),
    Family(
        "IndexError",
        r"Axis must be in range \[-(?P<rank>\d+), \d+\), got (?P<axis>-?\d+)",
        shapes.axis,
    ),
    Family("IndexError", r"[Aa]xis(?: out of range axis)?=(?P<axis>-?\d+)", shapes.axis),
    Family(
        "ValueError", r"Invalid axis=(?P<axis>-?\d+) for input x\.rank=(?P<rank>\d+)", shapes.axis
    ),
    Family(
        "ValueError", r"axis out of bounds: axis=(?P<axis>-?\d+), rank=(?P<rank>\d+)", shapes.axis
    ),
    Family(
        "AxisError",
        r"axis (?P<axis>-?\d+) is out of bounds for array of dimension (?P<rank>\d+)",
        shapes.axis,
    ),
    Family(
        "ValueError",
        r"Squeeze dim must be 1, got axis=(?P<axis>-?\d+), shape=(?P<shape>\[.*\])",
        say(
            "Axis {axis} is not of length 1, so it cannot be taken away",
            "squeeze takes away an axis of length 1 only.",
        ),
    ),
    Family(
        "ValueError",
        r"rank of the input \((?P<rank>\d+)\) does not match the number of dims "
        r"used for ordering \((?P<given>\d+)\)",
        shapes.permuted,
    ),
    Family(
        "ValueError",
        r"num_(?P<side>upper|lower)=(?P<asked>-?\d+|Dim\(\d+\)|True|False) is out of bounds for "
        r"dimension size (?P<have>\d+)",
        earlier.banded,
    ),
    Family(
        "ValueError",
        r"not enough values to unpack \(expected (?P<want>\d+), got (?P<got>\d+)\)",
        parts.numbers_of_parts,
    ),
    Family(
        "ValueError", r"too many values to unpack \(expected (?P<want>\d+)", parts.numbers_of_parts
    ),
    Family(
        "IndexError",
        r"gather: index (?P<index>-?\d+) is out of range for an axis of size "
        r"(?P<have>\d+)",
        earlier.row,
    ),
    Family(
        "ValueError",
        r"Gamma size (?P<one>\d+) does not match dimension of reduction (?P<two>\d+)",
        values.ordered(
            "The weight has {one} numbers, and the last axis is {two} long",
            "The order is F.layer_norm(x, weight, bias, epsilon).",
        ),
    ),
    Family("TypeError", r"Static tensor dimensions must be non-negative", values.negative),
    Family("ValueError", r"Dynamic ranges must provide", values.range_of),
    Family(
        "RuntimeError",
        r"range declared a static length of (?P<want>\d+) but produced (?P<got>\d+)",
        values.counted,
    ),
    Family(
        "ValueError",
        r"^'(?P<name>[\w.]+)': Loaded tensor \(shape=(?P<have>\[[^\]]*\])?.*?"
        r"dtype=DType\.(?P<dtype>\w+)\) not assignable to parameter "
        r"\(shape=(?P<want>\[[^\]]*\]), dtype=DType\.(?P<other>\w+)\)",
        values.loaded,
    ),
    # ---- kinds ---------------------------------------------------------------------------
    Family(
        "TypeError",
        r"Unsupported dimension type (?P<value>.*) \(<(?:class|enum) "
        r"'(?P<kind>[\w.]+)'>\)",
        kinds.size,
    ),
    Family("ValueError", r"Invalid name for symbolic dimension", values.text_for_size),
    Family(
        "TypeError",
        r"can only concatenate (?:list|tuple) \(not \"(?P<kind>\w+)\"\)",
        values.added_to_list,
    ),
    Family(
        "TypeError", r"'(?:\w+\.)*(?P<kind>\w+)' object is not an iterator", iterated.no_iterator
    ),
    Family(
        "TypeError",
        r"'(?P<kind>[\w.]+)' object is not (?:iterable|an iterator)"
        r"|cannot unpack non-iterable (?P<other>\w+)",
        iterated.not_iterable_either,
    ),
    Family("TypeError", r"object of type '(?P<kind>\w+)' has no len\(\)", iterated.no_length),
    Family("ValueError|TypeError", r"dictionary update sequence element #", iterated.no_pairs),
    Family(
        "TypeError",
        r"when using dims to index into a list|'StaticDim'(?! object is not callable)|got 'Dim\(",
        axes.dim_or_axis,
    ),
    Family(
        "TypeError",
        r"ufunc 'bitwise_(?P<name>xor|and|or)' not supported|unsupported operand type\(s\) for \^",
        bits.bitwise,
    ),
    Family(
        "TypeError",
        r"unsupported operand type\(s\) for .+?: '(?P<left>[\w.]+)' and "
        r"'(?P<right>[\w.]+)'",
        kinds.operator,
    ),
    Family("TypeError", r"'(?P<kind>[\w.]+)' object is not callable", uncallable.not_callable),
    Family("TypeError", r"'(?P<kind>[\w.]+)' object is not subscriptable", indexed.not_indexed),
    Family(
        "TypeError",
        r"Can't realize tensor before realization context is completed",
        values.too_early,
    ),
    Family(
        "ValueError",
        r"external array with value (?P<value>\S+) out of range for DType (DType\.)?(?P<dtype>\w+)",
        dtypes.too_large,
    ),
    Family("TypeError", r"Cannot interpret '(?P<given>.*)' as a data type", values.no_dtype),
    Family(
        "TypeError", r"given by name \('dtype'\) and position \(position 1\)", values.loose_sizes
    ),
    Family(
        "TypeError",
        r"TensorValue\(\) can not be created directly from an? '(?P<kind>[\w.]+)'",
        kinds.no_value,
    ),
    Family("TypeError", r"^Binary ops require at least one max object", kinds.operands),
    Family("TypeError", r"^$", python.truth),
    Family("AssertionError", r"^$", brought.array_given),
    Family("AssertionError", r"^$", kinds.not_tensor),
    Family(
        "TypeError",
        r"(?P<name>startswith|endswith) first arg must be .*, not (?P<kind>\w+)",
        python.texts,
    ),
    Family("TypeError", r"(?P<kind>list|tuple) indices must be .*, not str", iterated.listed),
    Family(
        "TypeError",
        r"can only concatenate str \(not \"(?P<kind>\w+)\"\)",
        python.added_to_text,
    ),
    Family("TypeError", r"requires string as left operand, not (?P<kind>\w+)", python.in_text),
    Family(
        "TypeError",
        r"(?:argument must be|must be real number|created directly|must be str)"
        r".*?(?:not|from a) '?(?P<kind>\w+)'?(?:\. Use ops.*)?$",
        values.wrong_value,
    ),
    Family("TypeError", r"only valid when 'data' is provided", values.without_data),
    Family(
        "TypeError",
        r"'(?P<kind>list|tuple|dict|ModuleList|Tensor|ndarray)' object cannot be interpreted",
        python.no_number,
    ),
    Family(
        "TypeError",
        r"Unary ops do not support|incompatible function arguments"
        r"|not supported between instances of '(?P<one>\w+)' and '(?P<two>\w+)'"
        r"|indices must be integers|cannot be interpreted as an integer"
        r"|argument 0 of type (?P<kind>\w+)",
        values.wrong_value,
    ),
    Family(
        "ValueError",
        r"The truth value of an array",
        say(
            "A NumPy array with several numbers was used as if it were True or False",
            "np.where chooses number by number; .any() and .all() make one of them.",
        ),
    ),
    Family(
        "ValueError",
        r"Slice index value must be a scalar",
        values.indexed,
    ),
    Family(
        "TypeError", r"__setitem__ requires|does not support item assignment", values.written_into
    ),
    Family(
        "TypeError",
        r"only 0-dimensional arrays can be converted",
        say(
            "A NumPy array with several numbers was used as one number",
            "Take one of them with an index first.",
        ),
    ),
    Family(
        "IndexError",
        r"invalid index to scalar variable",
        say("A single number was indexed", "It is a number already: leave the index out."),
    ),
    Family(
        "ValueError",
        r"slice start and stop should be increasing.*?start (?P<start>-?\d+), stop (?P<stop>-?\d+)",
        shapes.backwards,
    ),
    Family(
        "ValueError",
        r"shape=(?P<shape>\[[^\]]*\]) must have at least 2 dimensions",
        shapes.without_axes,
    ),
    # ---- Python --------------------------------------------------------------------------
    Family(
        "TypeError",
        r"(?:Value after \* must be an iterable|argument after \* must be an iterable)"
        r", not (?P<kind>\w+)",
        iterated.starred,
    ),
    Family(
        "ValueError",
        r"either both or neither of x and y",
        say(
            "np.where needs three things: where, the number if so, the number if not",
            "Write np.where(condition, x, y).",
        ),
    ),
    Family("IndexError", r"list assignment index out of range", indexed.assigned),
    Family(
        "IndexError", r"(?:list|tuple) index out of range|is out of bounds for axis", indexed.index
    ),
    Family(
        "KeyError",
        r"Weight '(?P<name>[\w.]+)' is missing from the provided",
        say(
            "There is no array for the parameter {name}",
            "The names must be those of module.parameters.",
        ),
    ),
    Family(
        "ValueError",
        r"did not use some weights: (?P<names>.*)",
        say(
            "These arrays belong to no parameter: {names}",
            "The names must be those of module.parameters.",
        ),
    ),
    Family("KeyError", r".", indexed.key),
    Family(
        "NotImplementedError", r"(?P<name>\w+) must implement forward\(\)", uncallable.no_forward
    ),
    Family("RecursionError", r"", uncallable.recursion),
    Family("ZeroDivisionError", r"", python.by_zero),
    Family(
        "StopIteration",
        r"",
        say(
            "next(...) was asked, and there is nothing left",
            "Take one value for each turn, and none in between.",
        ),
    ),
    Family(
        "ValueError",
        r"Invalid approximation method: (?P<name>\w+)",
        say("F.gelu has no approximation {name}", GELU),
    ),
    Family(
        "ValueError",
        r"Invalid approximation method: ",
        say("approximate of F.gelu is one of three texts, and here it is something else", GELU),
    ),
    Family("ValueError", r"epsilon must be positive", say("epsilon must be above 0", "Use 1e-5.")),
    Family(
        "ValueError",
        r"too small depth|too deep for desired array",
        say(
            "np.searchsorted needs a sorted array first, then the number to look for",
            "np.searchsorted(ends, draw).",
        ),
    ),
    Family(
        "ValueError",
        r"operands could not be broadcast together with shapes "
        r"(?P<left>\([\d,]*\)) (?P<right>\([\d,]*\))",
        values.arrays,
    ),
    Family(
        "ValueError",
        r"not have enough dimensions|zero-dimensional arrays|cannot reshape array|axes don't match"
        r"|setting an array element with a sequence",
        values.numpys,
    ),
    Family(
        "SyntaxError",
        r"name capture '(?P<name>\w+)' makes remaining patterns unreachable",
        python.captures,
    ),
    Family("SyntaxError|IndentationError|TabError", r"^(?P<text>.+)$", say("{text}")),
    Family(ANY, r"NoneType", python.none),
)
