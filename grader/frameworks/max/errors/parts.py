"""Tensors that are cut into parts, parts that are given names, and parts that are joined."""

from __future__ import annotations

import ast
import re
from itertools import combinations

from grader.frameworks.max.errors.case import Case, sizes
from grader.frameworks.max.errors.shapes import Shape, one_for_several, read, tensor_of
from grader.frameworks.values import Fix, Translation

MODULES = ("F", "functional")
"""What the lessons call the module of functions."""

MOST_PARTS = 16
"""Names on the left of an assignment that a fix is written out for."""


def split(case: Case, match: re.Match[str]) -> Translation:
    """Parts that do not add up to the axis."""
    have, parts = int(match["have"]), read(match["parts"])
    call = case.call
    tensor = tensor_of(case, call)
    shape = list(tensor) if tensor is not None else []
    total = sum(parts)
    what = f"The parts {parts} make {total}, and the axis that is split is {have} long"
    if total in shape and call is not None:
        axis = shape.index(total) - len(shape)
        words = [word for word in call.keywords if word.arg != "axis"]
        count = 2 if ast.unparse(call.func).startswith("F.") else 1
        new = ast.Call(
            call.func,
            call.args[:count],
            [*words, ast.keyword("axis", ast.parse(str(axis), mode="eval").body)],
        )
        told = f"Axis {axis} is {total} long"
        if len(call.args) == count and len(words) == len(call.keywords):
            told += ", and without axis= it is axis 0 that is split"
        return Translation(what, f"{told}.", case.fix(call, new))
    each = f" Of {have}, {len(parts)} equal parts are {have // len(parts)} long." if parts else ""
    return Translation(what, f"They must add up to {have}.{each if have % len(parts) == 0 else ''}")


def chunked(case: Case, match: re.Match[str]) -> Translation:
    """Equal parts of an axis that cannot be had."""
    count, have = int(match["count"]), int(match["have"])
    what = f"An axis of length {have} cannot be cut into {count} equal parts"
    call = case.call
    shape = list(tensor_of(case, call) or ())
    fitting = [i - len(shape) for i, size in enumerate(shape) if size % count == 0]
    if call is not None and fitting and not any(w.arg == "axis" for w in call.keywords):
        axis = ast.parse(str(fitting[-1]), mode="eval").body
        new = ast.Call(call.func, call.args[:2], [*call.keywords, ast.keyword("axis", axis)])
        return Translation(what, "Say along which axis.", case.fix(call, new))
    return Translation(what, "Check the axis, and the number of parts.")


def _rest(case: Case) -> str:
    """How the last of the names takes all values that are left, where there are more than names."""
    match case.statement:
        case ast.Assign(targets=[ast.Tuple(elts=[*names, ast.Name(id=last)])]) if (
            "too many values" in case.text and all(isinstance(one, ast.Name) for one in names)
        ):
            return f" *{last} takes all that are left, as a list."
    return ""


def _of_python(case: Case, what: str) -> Translation | None:
    """A list, or a text that is split, has more or fewer parts than there are names."""
    match getattr(case.statement, "value", None):
        case ast.Name(id=name) as node if case.kind(node) in ("list", "tuple"):
            hint = f"Either the names are not as many as they are to be, or {name} is too short or "
            return Translation(what, f"{hint}too long: then change it where it is made.")
        case ast.Call(func=ast.Attribute(value=node, attr="split")) as call:
            text = case.value(node)
            if text is not None and text.kind == "str":
                by = ast.unparse(call.args[0]) if call.args else "a blank"
                hint = f"The text is {text.text}. Is {by} in every text as often as it is to be?"
                written = text.text[1:-1]  # in the file, perhaps
                return Translation(what, hint, about=f"text: {written}", elsewhere=True)
    return None


def numbers_of_parts(case: Case, match: re.Match[str]) -> Translation:
    """More or fewer values than names."""
    want, got = match.groupdict().get("want"), match.groupdict().get("got")
    what = (
        f"There {'is 1 value' if got == '1' else f'are {got} values'} where {want} were expected"
        if got
        else f"There are more values than the {want} expected"
    )
    if counted := _counted(case, int(want or 0)):
        return counted
    if pairs := next(filter(None, (_keys_alone(case, one) for one in _loops(case))), None):
        return pairs
    if zipped := next(filter(None, map(_zipped, _loops(case))), None):
        return zipped
    if own := _of_python(case, what) or _alone(case, int(want or 0)):
        return own
    call = _right(case)
    if call is not None and (parts := _equal_parts(case, call, int(want or 0))):
        return Translation(what, _EACH, case.fix(call, parts))
    tensor = tensor_of(case, call)
    if call is None or tensor is None or not ast.unparse(call.func).endswith("split"):
        return Translation(what, f"Count the parts that the right-hand side gives.{_rest(case)}")
    second = case.value(call.args[1]) if len(call.args) > 1 else None
    count = min(int(want or 1), MOST_PARTS)
    fitting = [i - len(tensor) for i, size in enumerate(tensor) if size % count == 0]
    axes = [word.value for word in call.keywords if word.arg == "axis"]
    given = ast.unparse(axes[0]) if axes else ""
    asked = [int(given)] if given.lstrip("-").isdecimal() else []
    asked = [at for at in asked if -len(tensor) <= at < len(tensor) and tensor[at] % count == 0]
    where = next(iter([*asked, *reversed(fitting)]), None)
    if second is None or second.kind not in ("int", "StaticDim", "list") or where is None:
        return Translation(what, "Count the parts that the right-hand side gives.")
    if second.kind == "list":
        if second.text.isdecimal() and int(second.text) > count:
            said = f"There are {count} names for {second.text} sizes: each part needs a name."
            return Translation(what, said)
        return Translation(what, f"Give {count} sizes, one for each name.")
    told = f"A number is the length of each part, not how many there are: {second.text} each."
    new = ast.Call(
        ast.parse("F.chunk", mode="eval").body,
        [call.args[0], ast.Constant(count)],
        [ast.keyword("axis", ast.parse(str(where), mode="eval").body)],
    )
    return Translation(what, told, case.fix(call, new))


ONE = ("max", "min", "argmax", "argmin", "sum", "mean", "softmax", "sqrt", "exp", "matmul")
"""Functions of MAX that give one tensor; in other libraries some of them give a pair."""


def _alone(case: Case, want: int) -> Translation | None:
    """``best, _ = F.max(x)``, where the function gives one tensor, of several rows."""
    match case.statement:
        case ast.Assign(
            targets=[ast.Tuple(elts=[ast.Name(id=name), *_]) as taken],
            value=ast.Call(func=ast.Attribute(attr=attr) as func),
        ) if attr in ONE:
            pass
        case _:
            return None
    fix = case.fix(taken, name)
    return Translation(one_for_several(func, want), "One name takes all of it.", fix)


def _counted(case: Case, want: int) -> Translation | None:
    """A variable with several values is taken apart into fewer names."""
    statement = case.statement
    value = statement.value if isinstance(statement, ast.Assign) else None
    if isinstance(value, ast.Attribute) and value.attr == "shape":
        shape = getattr(case.value(value.value), "shape", None)
        if shape and len(shape) != want:
            what = f"{ast.unparse(value)} holds {len(shape)} sizes, and {want} names are to take"
            if (fixed := _starred(case, statement)) is not None and len(shape) == want - 1:
                return Translation(f"{what} them", "*_ takes as many as there are.", fixed)
            if len(shape) < want and isinstance(value.value, ast.Name):
                said = f"Is a name too many here, or does {value.value.id} lack a dimension?"
                return Translation(f"{what} them", said)
            more = _unnamed(case, statement, len(shape) - want)
            return Translation(f"{what} them", f"Give each a name: {len(shape)} of them.", more)
    held = case.value(value) if isinstance(value, ast.Name) else None
    several = held is not None and held.kind in ("list", "tuple") and held.text.isdecimal()
    if value is None or held is None or not several or int(held.text) <= want:
        return None
    name = ast.unparse(value)
    what = f"{name} holds {held.text} values, and {want} names are to take them"
    return Translation(what, f"{name}[:{want}] are the first {want}, {name}[{want}] the next.")


def _unnamed(case: Case, statement: ast.stmt | None, more: int) -> Fix | None:
    """``batch, seq, _, _ = x.shape`` for names of which the last is not used, and one too few."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=[*_, ast.Name(id="_") as last]) as names]):
            every = ast.Tuple([*names.elts, *[last] * more])
            return Fix(case.segment(names), ast.unparse(every).strip("()")) if more > 0 else None
    return None


def _starred(case: Case, statement: ast.stmt | None) -> Fix | None:
    """``*_, rows, columns = x.shape`` for names of which the first is not used."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id="_") as first, *_]) as names]):
            starred = ast.Tuple([ast.Starred(first), *names.elts[1:]])
            return Fix(case.segment(names), ast.unparse(starred).strip("()"))
    return None


_EACH = (
    "The number that split is given is the length of each part, or a list of their lengths. chunk "
    "takes how many there are."
)


def _equal_parts(case: Case, call: ast.Call, want: int) -> ast.Call | None:
    """``F.chunk`` for a split into as many parts as there are names."""
    split = isinstance(call.func, ast.Attribute) and call.func.attr == "split"
    axes = [word.value for word in call.keywords if word.arg in ("axis", "dim")]
    given = [*call.args, *(w.value for w in call.keywords if w.arg not in ("axis", "dim"))]
    if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) not in MODULES:
        given.insert(0, call.func.value)
    count = given[1] if len(given) > 1 else None
    if not split or not axes or not isinstance(count, ast.Constant) or count.value != want:
        return None
    func = ast.parse("F.chunk", mode="eval").body
    return ast.Call(func, [given[0], count], [ast.keyword("axis", axes[0])])


def _loops(case: Case) -> list[ast.For | ast.comprehension]:
    """The loop that a statement is, or those of its comprehensions, that take several values."""
    if isinstance(case.statement, ast.For):
        return [case.statement]
    inside = ast.walk(case.statement) if case.statement is not None else ()
    loops = (one for one in inside if isinstance(one, ast.comprehension))
    return [one for one in loops if isinstance(one.target, ast.Tuple)]


def _zipped(loop: ast.For | ast.comprehension) -> Translation | None:
    """A loop over ``zip`` of more or fewer than its head names."""
    match loop:
        case ast.For(target=target, iter=call) | ast.comprehension(target=target, iter=call):
            pass
    if not isinstance(call, ast.Call) or ast.unparse(call.func) != "zip":
        return None
    names, given = getattr(target, "elts", []), call.args
    if len(names) == len(given) or any(isinstance(one, ast.Starred) for one in (*names, *given)):
        return None
    what = f"{ast.unparse(call)} gives {len(given)} values in each turn"
    return Translation(
        f"{what}, and {len(names)} names are to take them",
        f"One for each of them: {', '.join(map(ast.unparse, given))}. Are two of them a pair?",
    )


def _keys_alone(case: Case, loop: ast.For | ast.comprehension) -> Translation | None:
    """A loop over a dict whose head names both key and value."""
    value = case.value(loop.iter)
    if value is None or value.kind not in ("dict", "mappingproxy"):
        return None
    text = ast.unparse(loop.iter)
    what = f"A loop over the dict {text} gives its keys alone, and its head names two things"
    return Translation(what, ".items() gives both.", case.fix(loop.iter, f"{text}.items()"))


def _right(case: Case) -> ast.Call | None:
    """The call on the right of an assignment."""
    value = getattr(case.statement, "value", None)
    return value if isinstance(value, ast.Call) else None


_SHAPE = re.compile(r"shape=(\[[^\]]*\])")


def joined(case: Case, match: re.Match[str]) -> Translation:
    """Tensors that differ on another axis than the one on which they are joined."""
    shapes = [read(text) for text in _SHAPE.findall(case.text)]
    each = list(dict.fromkeys(map(sizes, shapes)))
    told = " and ".join(each[:3])
    call = case.call
    name = ast.unparse(call.func) if call else "F.concat"
    if name.endswith("stack"):
        given = call.args[0] if call and call.args else None
        filled = f" Look at where {given.id} is filled." if isinstance(given, ast.Name) else ""
        return Translation(
            f"F.stack needs tensors of one shape, and with the new axis these have {told[:200]}",
            f"To join along an axis that is there, use F.concat.{filled}",
        )
    if match.groupdict().get("axis") is None:
        what = f"{name} needs tensors with equally many axes, and these have {told}"
        return Translation(
            what, "Does one of them lack an axis? tensor.unsqueeze(axis) inserts one."
        )
    what = (
        f"{name} cannot join {told} here: they differ on axis {match['axis']}, and only the axis "
        "on which they are joined may differ"
    )
    differ = [i for i in range(len(shapes[0])) if len({shape[i] for shape in shapes}) > 1]
    if len(differ) != 1 and (turned := _turned(case, shapes)):
        return Translation(what, turned)
    if len(differ) != 1 or call is None or not call.args:
        return Translation(what, "Only one axis may differ: check the shapes.")
    axis = differ[0] - len(shapes[0])
    words = [word for word in call.keywords if word.arg != "axis"]
    new = ast.Call(
        call.func,
        call.args[:1],
        [*words, ast.keyword("axis", ast.parse(str(axis), mode="eval").body)],
    )
    return Translation(
        what, f"They differ on axis {axis} alone: join them there.", case.fix(call, new)
    )


def _turned(case: Case, shapes: list[Shape]) -> str | None:
    """Which two axes of the second tensor are swapped, where that alone is wrong."""
    words = {word.arg: word.value for word in case.call.keywords} if case.call else {}
    given = ast.unparse(words["axis"]) if "axis" in words else ""
    if not given.lstrip("-").isdecimal() or len(shapes) != 2 or len(shapes[0]) != len(shapes[1]):
        return None
    first, second = shapes
    at = int(given) % max(1, len(first))
    for i, j in combinations([axis for axis in range(len(first)) if len(first) > 1], 2):
        swapped = list(second)
        swapped[i], swapped[j] = swapped[j], swapped[i]
        if swapped != second and all(
            a == b for axis, (a, b) in enumerate(zip(first, swapped, strict=True)) if axis != at
        ):
            return (
                f"With its axes {i - len(first)} and {j - len(first)} swapped the second would fit "
                f"along axis {given}: is a transpose missing, or one too many?"
            )
    return None
