"""What a learner's syntax tree says. Never the text: comments, strings and dead code are not seen.

``parse`` gives a :class:`Source` or the one :class:`SourceProblem` that stops everything else.
A rubric asks with words, each a function that gives a test:

``imports("max.experimental.nn.Linear")``
    the name is imported, under any alias, or reached through its module;
``defines_class("GPT2Attention", "Module")``, ``defines_function("causal_mask", "dtype")``
    the definition is there, with this base or these parameters;
``decorated("GPT2Config", "dataclasses.dataclass")``
    the definition carries this decorator;
``returns("GPT2Attention._attn", pattern, near=other)``
    the pattern matches a value that the function's result is made of;
``stores("GPT2Attention.__init__", "c_attn", pattern)``
    the attribute gets a value that matches;
``no_placeholders()``
    nothing of the stub is left.

A pattern is a function from an :class:`Expr` to bool. Expressions are canonical: names are
replaced by what they hold, helpers are followed, and the framework's spellings of one operation
are one.
"""

from __future__ import annotations

from grader.source.read import Source, SourceProblem, parse, read_file
from grader.source.trace import Expr, walk
from grader.source.words import (
    Finding,
    decorated,
    defines_class,
    defines_function,
    entry,
    imports,
    no_placeholders,
    result,
    returns,
    says,
    stores,
)

__all__ = [
    "Expr",
    "Finding",
    "Source",
    "SourceProblem",
    "decorated",
    "defines_class",
    "defines_function",
    "entry",
    "imports",
    "no_placeholders",
    "parse",
    "read_file",
    "result",
    "returns",
    "says",
    "stores",
    "walk",
]
