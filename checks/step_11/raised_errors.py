"""What a learner's own error about a right checkpoint shows to be wrong in ``convert_checkpoint``.

The error may be worded in any language: it is read by the names of tensors and the shapes in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from checks.step_11.trials import BUFFERS, HEAD, PREFIX, TURNED
from grader.rubric import ArrayArg, Call, Evidence, Failed, Rule, Ruling, State

NAME = re.compile(r"[A-Za-z_][\w.{}]*\.[\w.{}]+")
PREFIXES = r"transformer|startswith|removeprefix|replace\("
SHAPE = re.compile(r"[\[(](\d+(?:, *\d+)*),?[\])]")


@dataclass(frozen=True)
class Complaint:
    """What is wrong, what to do, and a regular expression for the line in convert_checkpoint.

    ``likely`` is the place, as ``Failed.likely``, if no line of it is found. ``guarded`` says that
    what decides whether that line runs is wrong, not the line.
    """

    said: str
    hint: str
    line: str
    likely: str = ""
    guarded: bool = False


def converts(rule: Rule, *trials: str) -> Rule:
    """``rule``; where the learner's own error stopped a conversion, it says why that is wrong."""

    def told(evidence: Evidence) -> Ruling:
        ruling = rule(evidence)
        if not isinstance(ruling, Failed):
            return ruling
        for name in evidence.matching(*trials):
            error = evidence.error(name)
            own = error is not None and error.calls and error.calls[-1].code.startswith("raise")
            if error is None or not own or evidence.state(name, "weights") is not State.FAILED:
                continue
            later = evidence.matching(*trials)[0] != name
            found = complaint(error.message, _stored(evidence, name), later)
            note = f"Your error says: {error.message}"
            return replace(
                ruling,
                message=found.said,
                hint=found.hint,
                line=None,
                note=note if len(note) < MOST else _shortened(note[:MOST]),
                about=f"{'guard: ' * found.guarded}convert_checkpoint() ~{found.line}",
                likely=found.likely,
            )
        return ruling

    return told


MOST = 600


def _shortened(text: str) -> str:
    """The beginning of a text that is cut, up to a word after which no bracket is open."""
    ends = [one.start() for one in re.finditer(r"\s", text)]
    whole = (end for end in reversed(ends) if _is_closed(text[:end]))
    return f"{text[: next(whole, ends[-1])]} …"


def _is_closed(text: str) -> bool:
    return all(text.count(one) == text.count(other) for one, other in ("()", "[]", "{}"))


def _stored(evidence: Evidence, trial: str) -> list[str]:
    """The names in the checkpoint of a trial."""
    calls = [one for one in evidence.trials[trial].probe.actions if isinstance(one, Call)]
    given = [arg for one in calls for arg in one.args if isinstance(arg, dict)]
    return [name for one in given for name, array in one.items() if isinstance(array, ArrayArg)]


def complaint(message: str, stored: Iterable[str], later: bool = False) -> Complaint:
    """The complaint of an error about a checkpoint that fits, ``later`` than one that did too."""
    keys = set(stored)
    names = NAME.findall(message)
    shown = next(iter(names), "")
    made = filter(None, (_name(name, keys) for name in names if name != HEAD))
    if found := _inverted(set(names), keys) or _of_others(names, keys) or next(made, None):
        return found
    if "Dim(" in message:
        return OF_DIMS
    pairs = {line: SHAPE.findall(line) for line in re.split(r"[\n;]", message)}
    for line, shapes in pairs.items():
        if len(shapes) >= 2 and (found := _shapes(line, shapes)):
            return found
    if set(names) == {HEAD} and not any(pairs.values()):
        return MISSES_HEAD
    if not names:
        return UNFOUNDED
    if all(name.endswith(TURNED) for name in names):
        return _untransposed(shown)
    if found := _left_out({name.removeprefix(PREFIX) for name in names}, keys):
        return found
    if later and shown not in keys and shown.removeprefix(PREFIX) in keys:
        return Complaint(
            f"It finds a problem with {shown}, which the checkpoint has as "
            f"{shown.removeprefix(PREFIX)}: the model's names and the checkpoint's are mixed up",
            "Keep each array under the model's name, weights[name] = ..., and look these names "
            "up in expected and in weights, not in checkpoint.",
            r"not in checkpoint\b ~ ^(?!.*\.shape\b)[\w.]+\[\w+\] = ",
        )
    return Complaint(
        f"It finds a problem with {shown}, but there is none: what a condition compares is of two "
        "kinds, or it is the wrong way round",
        "A name is unexpected where it is not in expected, and missing where it is not in weights: "
        "weights[name] is kept by the model's name. A shape is wrong where the two differ; a tuple "
        "never equals a list",
        _words(message, shown) or r"^(el)?if \w+ (not )?in \w+:|\.shape.*(!=|==)|(!=|==).*\.shape",
    )


OF_DIMS = Complaint(
    "It compares a tuple of numbers with a list of Dims, and the two are never equal",
    "Turn each parameter's shape into a tuple of whole numbers: tuple(int(dim) for dim in p.shape)",
    r"^(?!.*\bint\b).*= .*\.shape\b|model\.parameters",
)
UNFOUNDED = Complaint(
    "It raises although nothing is wrong with the checkpoint",
    "Raise only where there are problems: if problems:",
    r"^if (not )?\w+:$|^if len",
)
MISSES_HEAD = Complaint(
    f"It misses {HEAD}, which the model does not have: missing is what the model expects",
    "Go through the names in expected, and see which are not in weights",
    r"\bfor \w+ in \w+ if|missing|not in weights",
)
TAKES_HEAD = Complaint(
    f"It takes {HEAD} for a weight, but that is a copy of the table of tokens",
    f'Leave it out, as the causal masks are: key == "{HEAD}"',
    r"BUFFERS|masked_bias|attn\.bias",
)


def _inverted(names: set[str], keys: set[str]) -> Complaint | None:
    """What is said of an error that names every weight of a checkpoint, and what is none too."""
    if any(name.startswith(PREFIX * 2) for name in names):
        return None
    bare = {name.removeprefix(PREFIX) for name in names}
    known = {key.removeprefix(PREFIX) for key in keys}
    masks = {key for key in known if key.endswith(BUFFERS)}
    others, weights = masks | {HEAD}, known - masks - {HEAD}
    if weights & names and not masks & bare:  # then transformer. is missing
        return None
    if not others & bare or len(weights) < len(TURNED) or not weights <= bare:
        return None
    return Complaint(
        "It keeps what must be left out, and leaves out the weights",
        f'A condition is the wrong way round. Leave out the causal masks and "{HEAD}", and nothing '
        "else.",
        r"^if (not |.*( and | or | not in |!=|endswith|startswith))|masked_bias|BUFFERS",
    )


def _of_others(names: list[str], keys: set[str]) -> Complaint | None:
    """What is said of an error that names what the checkpoint has, with lm_head, as it has it."""
    several = HEAD in names and len(set(names)) > 1
    bare = not any(name.startswith(PREFIX) for name in names)
    return MISSES_HEAD if several and bare and keys.issuperset(names) else None


def _left_out(names: set[str], keys: set[str]) -> Complaint | None:
    """What is said of an error that misses just the weights whose names end like a mask's."""
    known = {key.removeprefix(PREFIX) for key in keys}
    weights = {name for name in known if not name.endswith(BUFFERS) and name != HEAD}
    for end in MASKS:
        if names and names == {name for name in weights if name.endswith(end)}:
            return Complaint(
                f"It leaves out {min(names)} too, whose name ends in {end}",
                f"The names of the causal masks end in {BUFFERS[0]}, with a dot in front of attn: "
                "key.endswith(BUFFERS)",
                r"endswith|BUFFERS|attn\.bias|bias",
                r"() ~endswith\(.*bias|BUFFERS = ",
            )
    return None


MASKS = ("attn.bias", ".bias", "bias")
"""Ends of the names of causal masks that other names have too."""


def _words(message: str, name: str) -> str:
    """The learner's own words in front of a name, as a pattern for the line that writes them."""
    line = next((one for one in message.splitlines() if name in one), "")
    found = re.findall(r"[^\W\d_][^{}'\"]*[^\W\d_]", line.partition(name)[0])
    return re.escape(found[-1]) if name and found else ""


def _name(name: str, keys: set[str]) -> Complaint | None:
    """What a name that no parameter has says about how it was made."""
    if name == PREFIX + HEAD:
        return TAKES_HEAD
    if name.startswith(PREFIX * 2):
        return Complaint(
            f"It makes the name {name}: transformer. is put in front of names that have it already",
            'Put it there only where the name lacks it: key if key.startswith("transformer.") '
            'else f"transformer.{key}"',
            rf"{PREFIXES}|\b[A-Z]\w* \+ [a-z]|\{{[A-Z]\w*\}}\{{",
        )
    if "{" in name:
        return Complaint(
            f"It makes the name {name}: the braces are not filled in",
            'An f belongs in front of the quote: f"transformer.{key}"',
            PREFIXES,
        )
    if name.startswith("transformer") and not name.startswith(PREFIX):
        return Complaint(
            f"It makes the name {name}: the dot after transformer is missing",
            'f"transformer.{key}"',
            r"transformer['{]",
            f"convert_checkpoint() ~{PREFIXES}",
        )
    if name.endswith(BUFFERS):
        return Complaint(
            f"It takes {name} for a weight, but that is a causal mask of an old checkpoint",
            "Leave out every key that ends in one of BUFFERS: key.endswith(BUFFERS)",
            r"endswith|startswith|BUFFERS|bias",
            r"() ~^(if|return) .*(== HEAD\b|lm_head\.weight|masked_bias|attn\.bias|BUFFERS)",
        )
    bare = name.removeprefix(PREFIX)
    known = {key.removeprefix(PREFIX) for key in keys}
    if bare == name and bare in known:
        return Complaint(
            f"It makes the name {name}: the model's names begin with transformer.",
            'The names of the parameters are f"transformer.{key}": put it in front where it lacks',
            PREFIXES + r" ~ ^\w+\[\w+\] = ",
        )
    return _made_up(name, known)


def _made_up(name: str, known: set[str]) -> Complaint | None:
    """What is said of a name with a name of the checkpoint in it, and more than the model's has."""
    inner = max((one for one in known if one in name), key=len, default="")
    if not inner or name in (inner, PREFIX + inner):
        return None
    return Complaint(
        f"It makes the name {name} from {inner}: the model's name is {PREFIX}{inner}",
        'Put transformer. in front of a name that lacks it, and nothing else: f"transformer.{key}"',
        rf"\w \+ (['\"]transformer|[A-Z]\w*\b)|\}}transformer ~ {PREFIXES}",
    )


def _untransposed(name: str) -> Complaint:
    return Complaint(
        f"It finds a wrong shape for {name}, which was not transposed",
        "Transpose the arrays whose names end in one of TRANSPOSED: stored.T",
        r"\.T\b|transpose|swapaxes",
        ENDS,
        guarded=True,
    )


ENDS = r"reads: c_attn"
"""Where the ends of the names are asked for whose arrays are to be transposed."""


def _shapes(line: str, shapes: list[str]) -> Complaint | None:
    """What two shapes in one line of an error say."""
    one, two = (tuple(map(int, text.split(","))) for text in shapes[:2])
    name = next(iter(NAME.findall(line)), "")
    if one == two:
        return Complaint(
            f"It reports {name}, whose shape is right: {list(one)} and {list(two)} are equal",
            "Report a shape where the two differ (!=), and compare a tuple with a tuple: "
            "array.shape != expected[name]",
            r": \[.*shape|^(el)?if .*\.shape.*(!=|==|\bis\b)|^(el)?if .*(!=|==|\bis\b).*\.shape",
        )
    if one != two[::-1]:
        return None
    turn = r"\.T\b|transpose\(|swapaxes"
    if name.endswith(TURNED):
        return Complaint(
            f"It does not transpose {name}: Hugging Face keeps it as [in, out]",
            "Transpose the arrays whose names end in one of TRANSPOSED: "
            "stored.T if name.endswith(TRANSPOSED) else stored",
            turn,
            ENDS,
            guarded=True,
        )
    return Complaint(
        f"It transposes {name}, which Hugging Face keeps as the model does",
        "Transpose only the arrays whose names end in one of TRANSPOSED, and leave the others: "
        "stored.T if name.endswith(TRANSPOSED) else stored",
        turn,
        guarded=True,
    )
