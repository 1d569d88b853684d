"""Errors of a learner's code, retold as a lesson: what happened, and what to try.

Those that plain Python raises are here; a framework adds its own. The texts matched are those of
CPython 3.11 to 3.14. An error that matches none keeps its own first line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from grader.base import sanitize
from grader.frameworks.values import Translation
from grader.protocol.probe import SeenError

MOST = 400
"""Characters of a message: the groups below may contain whatever the file raised."""

MOST_SAID = 200
"""Characters of an error in its own words that a check's sentence may have."""

MOST_LINES = 12
"""Lines of an error shown in its own words."""

Teller = Callable[[SeenError, str], Translation | None]
"""Retells an error, given with its stripped text; None if it does not recognise it."""

Row = tuple[str, str, str, str | None]
"""Error type (a regular expression), its text, the retold message, the hint.

``{0}``, ``{1}`` … stand for the groups of the text.
"""

NONE_HINT = "A value here is still None: look for a TODO above this line, or a missing return."

FROZEN_HINT = "Make a new object with the new values, or leave out frozen=True above the class."

PYTHON: tuple[Row, ...] = (
    (
        "NameError|UnboundLocalError",
        r"name '(\w+)' is not defined",
        "The name {0} is not defined",
        "Is it imported, and spelled the same as where it is defined?",
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
        "ChangedArgument",
        r"^(.+) changed its argument (.+)",
        "{0} changed its argument {1}",
        "The caller still needs it unchanged. Copy it first, and change the copy.",
    ),
    (
        "ValueError",
        r"not enough values to unpack \(expected (\d+), got (\d+)\)",
        "There are {1} values where {0} were expected",
        "Count the parts that the right-hand side gives.",
    ),
    (
        "ValueError",
        r"too many values to unpack \(expected (\d+)",
        "There are more values than the {0} expected",
        "Count the parts that the right-hand side gives.",
    ),
    (
        "TypeError",
        r"non-default argument '(\w+)' follows default argument",
        "{0} has no default, though a field before it has one",
        "Give every field a default, after a single =.",
    ),
    (
        "TypeError",
        r"^(make_dataclass|namedtuple)\(\) missing \d+ required positional arguments?: (.+)",
        "{0} needs two things: the name of the class, and its fields",
        "The name comes first, as a text.",
    ),
    (
        "TypeError",
        r"<lambda>\(\) missing \d+ required positional argument",
        "A lambda is called without an argument, and needs one",
        "A default_factory takes a function without arguments: lambda: 12.",
    ),
    (
        "TypeError",
        r"NoneType",
        "None was used where a tensor or a number is needed",
        NONE_HINT,
    ),
    (
        "AttributeError",
        r"'NoneType' object has no attribute '(\w+)'",
        "None has no {0}: a value is missing before this line",
        NONE_HINT,
    ),
    (
        "TypeError",
        r"^(\w+)\(\) takes no arguments",
        "{0} takes no arguments",
        "The arguments are those of __init__: of the class itself, of the one in its brackets, or "
        "the one that @dataclass writes.",
    ),
    (
        "FrozenInstanceError",
        r"field '(\w+)'",
        "The field {0} of a frozen dataclass cannot be changed",
        FROZEN_HINT,
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
        "self(...) calls __call__ again: use another name for a helper.",
    ),
)


def translate(error: SeenError, *tellers: Teller) -> Translation:
    """The error as one sentence, with what to try if that is known.

    ``tellers`` handle the framework's own errors; they come before plain Python's.
    """
    text = error.message.strip()
    known = () if _is_own(error) else (_signature, *tellers, _attribute, _keyword, rows(PYTHON))
    told = next((one for tell in known if (one := tell(error, text))), None)
    told = told or _in_its_words(error, text)
    inside = error.function not in (None, "<module>")
    where = f" (in {error.function})" if inside else ""
    hint = told.hint
    if told.fix is not None:
        hint = f"{hint or ''} Write {sanitize.on_one_line(told.fix.new)}".strip()
    field = re.search(
        r"non-default argument '(\w+)'|<class '\w+'> for field (\w+)"
        r"|__init__\(\) got an unexpected keyword argument '(\w+)'",
        text,
    )
    named = next(filter(None, field.groups()), "") if field else ""
    named = "" if told.about.startswith(("text: ", "preset: ")) else named
    return replace(
        told,
        about=named or told.about,
        message=sanitize.line(f"{told.message}{where}", MOST),
        hint=sanitize.line(hint, MOST) if hint else None,
        called=_called(error),
    )


def _is_own(error: SeenError) -> bool:
    """Whether a ``raise`` in the learner's file made it: its words are the learner's."""
    return bool(error.calls) and error.calls[-1].code.startswith("raise") and not error.inside


def _in_its_words(error: SeenError, text: str) -> Translation:
    """The error's own text, whole."""
    first, _, rest = text.partition("\n")
    lines = rest.rstrip().splitlines()
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [f"… ({len(lines) - MOST_LINES} more lines)"]
    said = f"{error.type_name}: {first}" if first else error.type_name
    if len(said) > MOST_SAID:  # the sentence has its beginning, the lines below it have all of it
        lines.insert(0, first)
        said = sanitize.line(said, MOST_SAID)
    return Translation(said, more="\n".join(lines))


def _called(error: SeenError) -> str:
    """The line that called the function in which it happened."""
    if len(error.calls) < 2:
        return ""
    caller, deepest = error.calls[-2:]
    if caller.line == deepest.line and caller.statement == deepest.statement:
        return ""  # a lambda or a comprehension on that very line
    if in_class_body(error):
        return ""
    text = sanitize.on_one_line(_without_comments(caller.statement))
    where = text or f"in {caller.function}"
    return sanitize.line(f"Called from line {caller.line}: {where}", MOST)


def in_class_body(error: SeenError) -> bool:
    """Whether it happened in the body of a class, which nothing calls, outside of its methods."""
    name = re.escape(error.calls[-1].function) if error.calls else ""
    return any(re.match(rf"class {name}\b", one.statement) for one in error.calls[-2:-1])


def _without_comments(statement: str) -> str:
    """A statement of several lines, without the comments that would hide what follows them."""
    lines = statement.split("\n")
    return "\n".join(re.sub(r"\s+#[^'\"]*$", "", one) for one in lines[:-1]) + f"\n{lines[-1]}"


def rows(table: tuple[Row, ...]) -> Teller:
    """Retells by the first row of ``table`` that fits."""

    def tell(error: SeenError, text: str) -> Translation | None:
        for kind, pattern, message, hint in table:
            if not re.fullmatch(kind, error.type_name):
                continue
            found = re.search(pattern, text, re.DOTALL)
            if found is not None:
                told = found.groups()
                return Translation(message.format(*told), hint and hint.format(*told))
        return None

    return tell


def missing_attribute(error: SeenError, text: str) -> tuple[str, str, bool] | None:
    """Who lacks an attribute, its name, and whether the owner is a module."""
    if error.type_name != "AttributeError":
        return None
    found = re.search(r"(?:'([\w.]+)' object|module '([\w.]+)') has no attribute '(\w+)'", text)
    if found is None or found[1] in ("NoneType", "str"):
        return None
    return found[1] or found[2], found[3], found[1] is None


def unknown_keyword(error: SeenError, text: str) -> str | None:
    """The name of a keyword argument that a call does not accept."""
    found = re.search(r"unexpected keyword argument '(\w+)'", text)
    return found[1] if error.type_name == "TypeError" and found is not None else None


OF_PYTHON = ("__post_init__", "__repr__", "__str__", "__hash__", "__len__")
"""Methods that Python calls by itself, with nothing but the object."""


def _signature(error: SeenError, text: str) -> Translation | None:
    """A call from outside, as in the lesson, whose arguments the learner's code refuses."""
    found = re.search(
        r"(\w+)\(\) "
        r"((?:got an unexpected keyword|got multiple values|got some positional-only"
        r"|missing \d+ required"
        r"|takes (?:from )?\d).*)",
        text,
    )
    if error.type_name != "TypeError" or error.line is not None or found is None:
        return None
    field = re.search(r"(\w+)\.__init__\(\) got an unexpected keyword argument '(\w+)'", text)
    if field is not None:
        if "Config" not in field[1]:
            return Translation(
                f"{field[1]} cannot be created as in the lesson: its __init__ takes no {field[2]}",
                "Keep the stub's arguments: their names, their order, their defaults.",
            )
        return Translation(
            f"{field[1]} takes no {field[2]}",
            f"In a dataclass only names with a type are fields: {field[2]}: <type> = ... "
            "An __init__ of your own must have the stub's arguments.",
        )
    why = found[2].replace("missing", "lacks")
    if found[1] in OF_PYTHON:
        return Translation(
            f"Python cannot call {found[1]}: it {why}",
            f"Python gives it the object, as self. Write def {found[1]}(self):",
            about=f"{found[1]}()",
        )
    return Translation(
        f"{found[1]} cannot be called as the lesson does: it {why}",
        "Keep the stub's arguments: their names, their order, their defaults, and a * or / among "
        "them only where the stub has one. A method's first one is self.",
        about=f"{found[1]}()",
    )


def _attribute(error: SeenError, text: str) -> Translation | None:
    """An attribute that nothing has set, or a name that a module lacks."""
    missing = missing_attribute(error, text)
    if missing is None:
        return None
    owner, name, is_module = missing
    if is_module:
        return Translation(f"{owner} has no {name}")
    return Translation(
        f"{owner} has no attribute {name}",
        f"Is self.{name} set in __init__, and spelled the same in both places?",
    )


DATACLASS = "init, repr, eq, order, unsafe_hash, frozen, match_args, kw_only, slots"
"""What ``@dataclass`` takes."""


def _keyword(error: SeenError, text: str) -> Translation | None:
    """An argument that nothing takes by this name: the line that gives it is shown, if one does."""
    name = unknown_keyword(error, text)
    if name is None:
        return None
    who = re.search(r"(\w+)\(\) got an unexpected", text)
    what = f"{who[1]} has no argument called {name}" if who else f"There is no argument {name} here"
    taken = f"The arguments are {DATACLASS}. frozen=True forbids changes."
    hint = taken if who and who[1] == "dataclass" else None
    return Translation(what, hint, about=rf"() ~\b{name}=(?!=)", elsewhere=True)
