"""Finds where in the learner's file an exception was raised, and the values there.

This serves explanations only. Any inspected object may be the learner's and may lie; nothing here
computes a tensor's numbers, and the caller catches whatever is raised.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from types import FrameType, TracebackType
from typing import Any

from grader.protocol.probe import MOST_CALLS, MOST_VALUES, SeenCall, SeenValue
from grader.worker.description import TEXT_LIMIT, describe, public_names

ENDS = MOST_CALLS // 2
"""How many calls are kept at each end of a chain."""

CODE_LIMIT = 500

Place = tuple[int, int, int, int]
"""First line, last line, first byte and last byte, as ``co_positions`` counts them."""


def calls(error: BaseException, file: str, source: str) -> tuple[SeenCall, ...]:
    """Return the learner's lines that ``error`` passed through, outermost first; only both ends."""
    own = [here for here in _tracebacks(error) if here.tb_frame.f_code.co_filename == file]
    kept = own if len(own) <= 2 * ENDS else own[:ENDS] + own[-ENDS:]
    return tuple(_call(here, source, values=here is kept[-1]) for here in kept)


def inside(error: BaseException, file: str) -> str:
    """Return the function called by the learner's deepest line in the traceback, or ''."""
    every = list(_tracebacks(error))
    own = [at for at, here in enumerate(every) if here.tb_frame.f_code.co_filename == file]
    if not own or own[-1] + 1 == len(every):
        return ""
    return str(every[own[-1] + 1].tb_frame.f_code.co_qualname)


def about(error: BaseException, file: str, source: str) -> SeenValue | None:
    """Describe where a missing name was looked up: an object, a module, or the names in scope.

    For a missing module, describe what the file asks of similar names.
    """
    if type(error) is ModuleNotFoundError and error.name:
        every = (n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Attribute))
        own = [text for n in every if error.name in (text := ast.unparse(n))]
        return SeenValue("file", names=public_names(own))
    if type(error) is AttributeError and error.name is not None:
        return describe(error.obj, names=True, near=error.name)
    if type(error) is ImportError and error.name in sys.modules:
        near = re.search(r"cannot import name '(\w+)'", str(error))
        return describe(sys.modules[error.name], names=True, near=near[1] if near else "")
    if issubclass(type(error), NameError):
        lines = [h for h in _tracebacks(error) if h.tb_frame.f_code.co_filename == file]
        if lines:
            frame = lines[-1].tb_frame
            return SeenValue("scope", names=public_names([*frame.f_locals, *frame.f_globals]))
    return None


def _tracebacks(error: BaseException) -> Iterator[TracebackType]:
    here: TracebackType | None = BaseException.__dict__["__traceback__"].__get__(error)
    while here is not None:
        yield here
        here = here.tb_next


def _call(here: TracebackType, source: str, *, values: bool) -> SeenCall:
    code = here.tb_frame.f_code
    line = here.tb_lineno or 1
    place = next(islice(code.co_positions(), here.tb_lasti // 2, None), (None,) * 4)
    start, end, first, last = place
    exact = None
    if start is not None and end is not None and first is not None and last is not None:
        exact = (start, end, first, last)
    statement = _statement(source, start or line)
    text = _segment(source, _whole(source, exact)) if exact else statement
    seen = _values(here.tb_frame, text, statement, "self") if values else {}
    if values and here.tb_next is not None:
        nones = dict.fromkeys(_nones(text, here.tb_next.tb_frame), describe(None))
        seen = dict(islice({**nones, **seen}.items(), MOST_VALUES))
    return SeenCall(line, code.co_name, text, statement, seen)


def _whole(source: str, place: Place) -> Place:
    """Return the place of a whole expression; of a method on its own line Python reports a part."""
    start, end, first, last = place
    for node in _nodes(source):
        if not isinstance(node, ast.Attribute | ast.Call):
            continue
        func = node.func if isinstance(node, ast.Call) else node
        if (node.end_lineno, node.end_col_offset) != (end, last) or node.lineno >= start:
            continue
        if not isinstance(func, ast.Attribute) or func.end_lineno != start:
            continue
        if (func.end_col_offset or 0) - len(func.attr.encode()) == first:
            return node.lineno, end, node.col_offset, last
    return place


def _nones(text: str, frame: FrameType) -> Iterator[str]:
    """Yield the calls among the arguments of ``text`` that returned None, as ``frame`` got them."""
    body = getattr(_parsed(text), "body", None)
    if not isinstance(body, ast.Call) or any(isinstance(n, ast.Starred) for n in body.args):
        return
    by_place, words = _taken(frame)
    pairs = list(zip(body.args, by_place, strict=False))
    pairs += [(one.value, words.get(one.arg, text)) for one in body.keywords if one.arg]
    for node, value in pairs:
        inner = [(node, value)]
        if isinstance(node, ast.List | ast.Tuple) and type(value) in (list, tuple):
            inner = list(zip(node.elts, value, strict=False))
        for one, given in inner:
            if given is None and isinstance(one, ast.Call) and len(ast.unparse(one)) <= TEXT_LIMIT:
                yield ast.unparse(one)


def _segment(source: str, place: Place) -> str:
    """Return the text of an expression; empty if it is long."""
    start, end, first, last = place
    lines = [line.encode() for line in source.split("\n")[start - 1 : end]]
    if not lines:
        return ""
    lines[-1] = lines[-1][:last]
    lines[0] = lines[0][first:]
    text = b"\n".join(lines).decode(errors="replace")
    return text if len(text) <= CODE_LIMIT else ""


def _taken(frame: FrameType) -> tuple[list[Any], dict[str, Any]]:
    """Return a function's positional arguments, without its object, and its keyword arguments."""
    code, known = frame.f_code, frame.f_locals
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    by_place = [known.get(name, name) for name in names[: code.co_argcount]]
    if names[:1] in (("self",), ("cls",)):
        by_place = by_place[1:]
    more = iter(code.co_varnames[len(names) :])
    if code.co_flags & inspect.CO_VARARGS:
        by_place += known.get(next(more), ())
    words = {name: known[name] for name in names if name in known}
    if code.co_flags & inspect.CO_VARKEYWORDS:
        words.update(known.get(next(more), {}))
    return by_place, words


@lru_cache(maxsize=4)
def _nodes(source: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(source)))


@lru_cache(maxsize=4)
def _statements(source: str) -> tuple[ast.stmt, ...]:
    return tuple(node for node in _nodes(source) if isinstance(node, ast.stmt))


def _statement(source: str, line: int) -> str:
    """Return the text of the innermost statement at ``line``; for one with a body, its header.

    A decorator counts as a statement of its own.
    """
    found: ast.stmt | None = None
    for node in _statements(source):
        if node.lineno <= line <= (node.end_lineno or node.lineno) and (
            found is None or node.lineno >= found.lineno
        ):
            found = node
    for node in _statements(source):
        for one in getattr(node, "decorator_list", ()):
            if one.lineno <= line <= (one.end_lineno or one.lineno):
                return _segment(
                    source, (one.lineno, one.end_lineno, one.col_offset, one.end_col_offset)
                )
    if found is None:
        return ""
    body = getattr(found, "body", None)
    end = found.end_lineno or found.lineno
    if isinstance(body, list) and body:
        end = max(found.lineno, body[0].lineno - 1)
    text = "\n".join(source.split("\n")[found.lineno - 1 : end]).strip()
    return text if len(text) <= CODE_LIMIT else ""


def _values(frame: FrameType, *texts: str) -> dict[str, SeenValue]:
    """Return the value of each name, attribute and item in ``texts``, by its text."""
    scope = {**frame.f_builtins, **frame.f_globals, **frame.f_locals}
    seen: dict[str, SeenValue] = {}
    for text in texts:
        for node in ast.walk(_parsed(text)):
            if not isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
                continue
            if isinstance(node, ast.Attribute) and node.attr in frame.f_globals:
                with suppress(Exception):  # self.helper where helper is a function of the file
                    seen.setdefault(node.attr, describe(frame.f_globals[node.attr]))
            key = ast.unparse(node)
            if key in seen or len(seen) >= MOST_VALUES or len(key) > TEXT_LIMIT:
                continue
            try:
                value = _value(node, scope)
                seen[key] = describe(value, names=key == "self")
            except Exception:  # noqa: BLE001, S112 - it has no value yet, or its own code fails
                continue
    for key, value in frame.f_locals.items():
        if key not in seen and len(seen) < MOST_VALUES:
            with suppress(Exception):
                seen[key] = describe(value)
    return seen


def _parsed(text: str) -> ast.AST:
    for form, mode in (("({}\n)", "eval"), ("{}", "exec"), ("{}\n    pass", "exec")):
        try:
            return ast.parse(form.format(text), mode=mode)
        except (SyntaxError, ValueError):
            continue
    return ast.Module([], [])


def _value(node: ast.expr, scope: Mapping[str, Any]) -> Any:
    """Return the value of a dotted name with plain indices; calls nothing but ``__getattr__``."""
    match node:
        case ast.Name(id=name):
            return scope[name]
        case ast.Attribute(value=owner, attr=name):
            return getattr(_value(owner, scope), name)
        case ast.Subscript(value=owner, slice=index):
            whole = _value(owner, scope)
            if issubclass(type(whole), list | tuple):
                return whole[ast.literal_eval(index)]
    raise LookupError
