"""Facts about unknown names: what was probably meant, and what exists instead."""

from __future__ import annotations

import ast
import builtins
import difflib
import re
from collections.abc import Mapping
from typing import Any

from grader.frameworks.errors.case import Case, described, in_class_body, short
from grader.frameworks.errors.near import SHORT, meant
from grader.protocol.probe import SeenValue

Names = Mapping[str, Mapping[str, Any]]
SLIP = 0.75
"""How similar a name must be to one of Python's own."""
MOST_LISTED = 12
"""The most attributes of an object that a sentence lists."""
PLAIN = ("int", "float", "bool", "str", "list", "tuple", "dict", "set", "Shape", "StaticDim")


def undefined(case: Case, match: re.Match[str], names: Names) -> dict[str, str]:
    """Describe an undefined name.

    ``import`` is the line that would import it, ``constant`` Python's name for it, ``member`` its
    name with ``self.``, ``argument`` the function that lacks it as an argument, ``holder`` a value
    that has it as an attribute, ``quoted`` the name as a string. ``advice`` and ``instead`` are as
    in :func:`attribute`.
    """
    name, seen = match["name"], case.seen
    scope = case.error.about.names if case.error.about is not None else ()
    own = seen.values.get("self")
    facts = {
        "import": _import(name, names),
        "constant": "" if name in scope else names.get("constants", {}).get(name, ""),
        "alias": _alias(name, names, scope),
        "member": f"self.{name}" if own is not None and name in own.names else "",
        "argument": seen.function if _kept(case, name) else "",
        "quoted": name if re.match(rf"\w+\s*:\s*str\s*=\s*{name}\b", seen.statement) else "",
        "holder": next((key for key, one in seen.values.items() if name in one.fields), ""),
        "near": _near(case, name, scope, names),
        "body": seen.function if _in_body(case, name) else "",
        **of("name", name, names),
    }
    if not facts.get("advice") and name not in dir(builtins):
        facts["instead"] = _recorded(name, names)
    return facts


def attribute(case: Case, match: re.Match[str], names: Names) -> dict[str, str] | None:
    """Describe an attribute that an object or a module lacks.

    ``owner`` is the object, ``is`` a description of it; a module or a class is ``home`` instead,
    the learner's own object ``me``, and None ``nothing``. ``near`` is an attribute with a similar
    name, ``has`` lists the attributes that were set, ``instead`` is what exists in its place, and
    ``advice`` a whole sentence on it; both come from the tables ``of``, one for each kind of owner.
    """
    name = match["name"]
    node, about = _asked(case, name), case.error.about or _from_text(case)
    if about is None or node is None:
        return None
    owner = ast.unparse(node.value)
    own = [one for one in about.fields if not one.startswith("_")]
    kept = owner == "self" and name in case.seen.values  # a variable, which may be meant
    facts = {
        "near": "" if kept else _attribute_near(case, node, about, names),
        "has": "" if about.kind in PLAIN else ", ".join(own[:MOST_LISTED]),
        "variable": name if _is_variable(case, name) else "",
        **of(about.kind, name, names),
    }
    if about.kind in ("module", "type", "EnumType", "nb_enum"):
        facts |= {"home": owner, **of(about.text.rpartition(".")[2], name, names)}
    elif about.kind == "NoneType":
        facts["nothing"] = owner
    elif owner == "self":
        facts["me"] = "self"
    else:
        facts |= {"owner": owner, "is": described(about)}
    return facts | _in_place(facts, about, owner, name, names)


def _in_place(
    facts: Mapping[str, str], about: SeenValue, owner: str, name: str, names: Names
) -> dict[str, str]:
    """Find what exists if no table has the attribute: a framework's function, or advice."""
    if facts.get("advice") or facts.get("instead"):
        return {}
    if about.kind in PLAIN:
        return {"advice": names.get("kinds", {}).get(about.kind, "").replace("{given}", owner)}
    if found := _recorded(name, names, owner):
        return {"instead": found}
    return {} if owner == "self" or facts["near"] else {"near": _resembling(name, names)}


def _attribute_near(case: Case, node: ast.Attribute, about: SeenValue, names: Names) -> str:
    """Find an existing attribute with a synonymous or similar name."""
    other = names.get("also", {}).get(node.attr, "")
    called = any(one.func is node for one in case.calls())
    pool = [one for one in about.names if not called or one not in about.uncalled]
    return other if other in about.fields else meant(node.attr, pool) or ""


def by_text(case: Case, match: re.Match[str], names: Names) -> dict[str, str] | None:
    """Describe ``getattr(owner, name)``, where the attribute's name comes from a string."""
    call, about = case.call, case.error.about
    if call is None or about is None or ast.unparse(call.func) != "getattr" or len(call.args) != 2:
        return None
    given = "" if isinstance(call.args[1], ast.Constant) else short(call.args[1])
    near = meant(match["name"], [*about.fields, *about.names]) or ""
    return {"owner": short(call.args[0]), "is": described(about), "given": given, "near": near}


def imported(case: Case, match: re.Match[str], names: Names) -> dict[str, str]:
    """Describe a missing module, or a name that a module lacks."""
    name, module = match["name"], match.groupdict().get("module") or ""
    line = _import(name.partition(".")[0] if not module else name, names)
    about = case.error.about
    known = [*names.get("modules", {})] if not module else []
    pool = about.names if module and about is not None else known
    facts = {**of(module.rpartition(".")[2] or "name", name, names)}
    root = names.get("of", {}).get("name", {}).get(name.partition(".")[0], "")
    if root.endswith("."):
        facts["advice"] = root
    return {"import": line, "near": meant(name, pool) or "", **facts}


def of(kind: str, name: str, names: Names) -> dict[str, str]:
    """Find what replaces ``name``: a sentence of ``advice``, or something ``instead``."""
    every = names.get("of", {})
    kinds = (kind, names.get("same", {}).get(kind, ""))
    found = next((every[one][name] for one in kinds if name in every.get(one, ())), "")
    plain = name.removesuffix("_")
    if not found and plain != name and plain:  # PyTorch's add_ changes the tensor in place
        return of(kind, plain, names)
    return {"advice" if found.endswith(".") else "instead": found} if found else {}


def _recorded(name: str, names: Names, owner: str = "") -> str:
    """Return the framework's function or method with that name, as it is called."""
    homes = names.get("recorded", {})
    found = (one for one, known in homes.items() if name in known and one != owner)
    return " or ".join(f"{one}.{name}" for one in found)


def _resembling(name: str, names: Names) -> str:
    """Return a function or method of the framework with a similar name."""
    for home, known in names.get("recorded", {}).items():
        if (near := meant(name, known)) is not None:
            return f"{home}.{near}"
    return ""


def _import(name: str, names: Names) -> str:
    return str(names.get("imports", {}).get(name, ""))


def _alias(name: str, names: Names, scope: tuple[str, ...]) -> str:
    """Return the name under which the file has imported a module, if it has."""
    other = names.get("aliases", {}).get(name, "")
    return other if other in scope else ""


def _near(case: Case, name: str, scope: tuple[str, ...], names: Names) -> str:
    """Find a known name similar to this one; one of Python's must be very similar."""
    plain = [one for one in dir(builtins) if one.islower() and len(name) > SHORT]
    own = difflib.get_close_matches(name.strip("_"), plain, cutoff=SLIP)
    near = meant(name, (*scope, *names.get("imports", ()), *own))
    called = any(isinstance(c.func, ast.Name) and c.func.id == name for c in case.calls())
    if near is None or (name[0].islower() and near[0].isupper() and not called):
        return ""
    return near


def _kept(case: Case, name: str) -> bool:
    """Whether the statement is ``self.name = name``, so that it should be an argument."""
    match case.statement:
        case ast.Assign(targets=[ast.Attribute(attr=attr)], value=ast.Name(id=given)):
            return attr == given == name
    return False


def _in_body(case: Case, name: str) -> bool:
    """Whether a class body uses the class, or ``self``, before it exists."""
    return name in ("self", case.seen.function) and in_class_body(case.error)


def _asked(case: Case, name: str) -> ast.Attribute | None:
    """Return the expression that reads the attribute; None if something inside a call does."""
    if isinstance(case.node, ast.Attribute):
        return case.node if case.node.attr == name else None
    every = (one for one in case.nodes() if isinstance(one, ast.Attribute) and one.attr == name)
    found = [] if case.error.inside else list(every)
    return found[0] if len(found) == 1 else None


def _is_variable(case: Case, name: str) -> bool:
    value = case.seen.values.get(name)
    return value is not None and value.kind not in ("function", "type")


def _from_text(case: Case) -> SeenValue | None:
    """Describe the owner as far as the message names it."""
    found = re.search(r"'([\w.]+)' object|type object '(\w+)'|module '([\w.]+)'", case.text)
    if found is None:
        return None
    if found[1]:
        return SeenValue(found[1].rpartition(".")[2])
    return SeenValue("type" if found[2] else "module", found[2] or found[3])
