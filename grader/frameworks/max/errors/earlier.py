"""Tables, and functions of earlier steps, that were given what they cannot take."""

from __future__ import annotations

import ast
import re

from grader.frameworks.max.errors.case import Case
from grader.frameworks.values import Translation


def attention(case: Case, call: ast.Call) -> Translation | None:
    """A function of query, key and value was given ones that do not belong together."""
    given = [case.value(node) for node in call.args[:3]]
    shapes = [one.shape for one in given if one is not None and one.shape and len(one.shape) > 1]
    if len(shapes) < 3:
        return None
    query, key, value = (ast.unparse(node) for node in call.args[:3])
    (_, width), (tokens, other), (many, _) = (shape[-2:] for shape in shapes)
    if tokens != many:
        plural = "s" * (tokens != 1)
        what = f"{key} holds {tokens} token{plural} and {value} {many}: each key needs its value"
        return Translation(what, "Are both joined with the cached ones, along axis -2?")
    if width != other:
        return Translation(
            f"{query} is {width} wide and {key} is {other}: their last axes must be equally long",
            "Are the heads of both split in the same way, and both joined along axis -2?",
        )
    return None


def row(case: Case, match: re.Match[str]) -> Translation:
    """A row that a table does not have; perhaps a length where positions are needed."""
    call = case.call
    given = call.args[0] if call is not None and call.args else None
    if call is not None and given is not None and case.kind(given) in ("int", "StaticDim"):
        name, text = ast.unparse(call.func), ast.unparse(given)
        what = f"{name}({text}) looks up one row, number {match['index']}: {text} is a number"
        hint = "Give it the numbers of all rows, such as the positions 0, 1, 2, … of F.range."
        return Translation(what, hint)
    said = f"Row {match['index']} was asked of a table with {match['have']} rows"
    if match["index"] == match["have"]:
        last = int(match["have"]) - 1
        hint = "Is each number 1 too high, or the table too short?"
        return Translation(said, f"Count from 0: the last row is {last}. {hint}")
    return Translation(
        said,
        "Is the table as long as the longest text, and are its sizes in the right order?",
    )


def banded(case: Case, match: re.Match[str]) -> Translation:
    """More diagonals than a matrix has; perhaps inside a mask of an earlier step."""
    call = case.call
    name = ast.unparse(call.func) if call else ""
    if call is not None and len(call.args) > 1 and not name.endswith("band_part"):
        first, second = call.args[:2]
        given = f"{ast.unparse(first)} and {ast.unparse(second)}"
        new = ast.Call(call.func, [second, first, *call.args[2:]], call.keywords)
        return Translation(
            f"{name} cannot make a mask from {given}: the number of new tokens comes first, then "
            "that of earlier ones",
            "Are the two swapped?",
            case.fix(call, new),
        )
    asked, have, side = match["asked"], match["have"], match["side"]
    if asked in ("True", "False"):
        what = f"num_{side} is {asked} here, where F.band_part needs a number"
        return Translation(what, "Look where it gets its value.")
    rows = "columns" if side == "upper" else "rows"
    return Translation(
        f"num_{side} is {asked} here, and the matrix has {have} {rows}: num_{side} must be less",
        "num_lower is how far the band reaches below the diagonal, num_upper how far to the right "
        "of it. None means no limit.",
    )
