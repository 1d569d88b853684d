"""What a learner's syntax tree says, never the text: comments, strings and dead code are ignored.

``parse`` returns a :class:`Source`, or raises the one :class:`SourceProblem` that stops all else.
A rubric asks with words, each a function that returns a test:

``imports("max.experimental.nn.Linear")``
    the name is imported, under any alias, or reached through its module;
``defines_class("GPT2Attention", "Module")``, ``defines_function("causal_mask", "dtype")``
    the definition is there, with this base or these parameters;
``decorated("GPT2Config", "dataclasses.dataclass")``
    the definition carries this decorator;
``returns("GPT2Attention._attn", "F.softmax(_)", near="F.softmax(...)")``
    the function's result is made with a value that looks like the snippet;
``stores("GPT2Attention.__init__", "c_attn", "Linear(_, 3 * _, ...)")``
    the same for the attribute;
``mentions("RotaryEmbedding", "cos(...)")``, ``calls("generate", "next_token")``
    it is written somewhere in the definition;
``no_placeholders("GPT2Attention")``
    no placeholder of the stub is left.

:mod:`grader.source.patterns` says what a snippet can contain. Values are canonical: names are
replaced by their values, helpers are followed, and the framework's spellings of one operation
become one.
"""

from __future__ import annotations

from grader.source.definitions import (
    call_of,
    decorated,
    defines_class,
    defines_function,
    definition,
    if_named,
    imports,
    method,
    no_placeholders,
    result,
)
from grader.source.errors import SourceProblem
from grader.source.expr import Expr, walk
from grader.source.findings import Finding, Path, SourceTest, either, every
from grader.source.hint_match import fulfils
from grader.source.must_analysis import Certain, certain
from grader.source.parser import Source, parse, read_file
from grader.source.pattern_tests import (
    calls,
    mentions,
    only_with,
    results_are,
    returns,
    stores,
    surely,
)
from grader.source.patterns import Pattern, made_with, pattern

__all__ = [
    "Certain",
    "Expr",
    "Finding",
    "Path",
    "Pattern",
    "Source",
    "SourceProblem",
    "SourceTest",
    "call_of",
    "calls",
    "certain",
    "decorated",
    "defines_class",
    "defines_function",
    "definition",
    "either",
    "every",
    "fulfils",
    "if_named",
    "imports",
    "made_with",
    "mentions",
    "method",
    "no_placeholders",
    "only_with",
    "parse",
    "pattern",
    "read_file",
    "result",
    "results_are",
    "returns",
    "stores",
    "surely",
    "walk",
]
