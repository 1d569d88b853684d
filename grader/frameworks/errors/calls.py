"""Facts about calls whose arguments do not fit the function."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Mapping
from typing import Any

from grader.frameworks.errors.case import Case, short
from grader.frameworks.errors.near import meant
from grader.protocol.probe import SeenValue

Names = Mapping[str, Mapping[str, Any]]
MOST_TAKEN = 100
"""The longest signature that is shown with its function's name, in characters."""
MOST_SHOWN = 200
"""The longest signature that is shown, in characters."""


def arguments(case: Case, match: re.Match[str], names: Names) -> dict[str, str] | None:
    """Describe arguments that a function does not accept, or lacks.

    ``takes`` is the function's real signature. ``near`` is its argument with a similar name,
    ``spread`` what passes the unknown one with ``**``, ``preset`` a partial that does.
    ``passed`` is a function among the arguments that refuses its own arguments. ``room`` is how
    many positional arguments it accepts, ``many`` how many it was given.
    """
    call = case.call or next(case.calls(), None)
    if call is None or (case.call is None and isinstance(case.node, ast.Attribute)):
        return None  # a lookup called something that is not written there
    value, func = case.value(call.func) or SeenValue(""), ast.unparse(call.func)
    if (passed := _passed(case, call)) is not None:
        return {**passed, "missing": _missing(match)}
    written = value.signature
    written = _recorded(func, case.text, names) if written is None else written
    taken = parameters(written)
    plain, every = taken
    facts = {
        "call": func,
        "takes": _takes(func, written),
        "room": _values(len(plain)) if written is not None else "",
        "many": "" if any(isinstance(a, ast.Starred) for a in call.args) else str(len(call.args)),
        "listed": _listed(plain, len(call.args), names),
        "missing": _missing(match),
        **_unknown(call, match, value, every, names),
    }
    if facts.get("near") and len(facts["takes"]) > MOST_TAKEN:
        facts["takes"] = ""
    if value.kind == "type" and func.startswith("self."):
        facts["class"] = value.text
    if plain[:1] in (["self"], ["cls"]) and isinstance(call.func, ast.Attribute):
        facts["unbound"] = short(call.func.value)
    if func == "super().__init__":
        facts["base"] = case.kind(ast.Name("self"))
    return facts


def outside(case: Case, match: re.Match[str], names: Names) -> dict[str, str] | None:
    """Describe a call by the grader, as in the lesson, that the learner's code refuses."""
    if case.error.line is not None or case.error.calls:
        return None
    return {"lacks": match["why"].replace("missing", "lacks")}


def parameters(written: tuple[str, ...] | None) -> tuple[list[str], list[str]]:
    """Return the names of the positional parameters, and of all parameters."""
    plain: list[str] = []
    every: list[str] = []
    star = False
    for text in written or ():
        name = text.partition("=")[0]
        star = star or name.startswith("*")
        if name != "/" and not name.startswith("*"):
            every.append(name)
            plain += [] if star else [name]
    return plain, every


def parameter(case: Case, node: ast.expr) -> str:
    """Return the name of the parameter that receives ``node``, if the function is known."""
    call = case.call
    value = case.value(call.func) if call is not None else None
    if call is None or value is None:
        return ""
    plain, _ = parameters(value.signature)
    named = {id(word.value): word.arg or "" for word in call.keywords}
    named |= {id(one): name for name, one in zip(plain, call.args, strict=False)}
    return named.get(id(node), "")


def _missing(match: re.Match[str]) -> str:
    return ", ".join(re.findall(r"'(\w+)'", match.groupdict().get("missing") or ""))


def _listed(plain: list[str], many: int, names: Names) -> str:
    """Return the last positional parameter, if a list for it seems to be written out."""
    last = plain[-1] if plain and many > len(plain) else ""
    return last if last in names.get("lists", {}).get("names", ()) else ""


def _takes(func: str, written: tuple[str, ...] | None) -> str:
    if written is None:
        return ""
    taken = f"({', '.join(written)})"
    if len(taken) > MOST_SHOWN:
        return ""
    return f"{func}{taken}" if len(func) + len(taken) <= MOST_TAKEN else taken


def _values(count: int) -> str:
    return {0: "no positional argument", 1: "one positional argument"}.get(
        count, f"{count} positional arguments"
    )


def _recorded(func: str, text: str, names: Names) -> tuple[str, ...] | None:
    """Return the parameters of a framework's method whose object is unknown."""
    name = func.rpartition(".")[2]
    found = re.search(rf"\b(\w+)\.{re.escape(name)}\(\)", text)
    known = names.get("signatures", {}).get(f"{found[1]}.{name}") if found else None
    return tuple(known.split(", ")) if known else None


def _passed(case: Case, call: ast.Call) -> dict[str, str] | None:
    """Describe a function among the arguments that the error is about: ``map(f, rows)``.

    The function that receives it calls it.
    """
    found = re.search(r"([\w.<>]+)\(\) ", case.text)
    who = found[1].rpartition(".")[2] if found else ""
    func = ast.unparse(call.func)
    if not who or func.rpartition(".")[2] == who:
        return None
    for outer in case.calls():
        for node in outer.args:
            value = case.value(node)
            if value is not None and value.signature and value.text.rpartition(".")[2] == who:
                text = short(node)
                takes = _takes(text, value.signature)
                return {"call": short(outer.func), "passed": text, "takes": takes}
    return {"call": func, "passed": who} if func in dir(builtins) else None


def _unknown(
    call: ast.Call, match: re.Match[str], value: SeenValue, every: list[str], names: Names
) -> dict[str, str]:
    """Describe the name that the call refuses: what exists instead, and where it comes from.

    One that is written while another argument is missing is ``stray``.
    """
    word = match.groupdict().get("unknown") or ""
    written = [one.arg for one in call.keywords if one.arg]
    if not word and every and match.groupdict().get("missing"):
        stray = next((one for one in written if one not in every), "")
        return {"stray": stray, "near": _near(stray, every, names)}
    if not word:
        return {}
    spread = [ast.unparse(one.value) for one in call.keywords if one.arg is None]
    given = word in written
    advice = (one for one in names.get("keywords", {}).get(word, ()) if one.endswith("."))
    return {
        "advice": next(advice, ""),
        "near": _near(word, every, names),
        "spread": spread[0] if len(spread) == 1 and not given else "",
        "preset": word if value.kind == "partial" and not given and not spread else "",
    }


def _near(word: str, every: list[str], names: Names) -> str:
    """Return the argument that has this name elsewhere, or a similar name."""
    if not word:
        return ""
    known = [*names.get("keywords", {}).get(word, ()), names.get("also", {}).get(word, "")]
    return next((one for one in known if one in every), "") or meant(word, every) or ""
