"""What the checkpoints that must be refused, and were not as they should be, show to be missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from checks.shared.results_gpt2 import Refusal, refuses
from checks.step_11.trials import HEAD, PREFIX, REFUSED, TABLE
from grader.rubric import Evidence, Failed, Rule, Ruling, State

WHERE = "convert_checkpoint() ~"
ACTION = "weights"
TURNED = "refuse-turned"
ALL = "refuse-all"
MANY = "refuse-elsewhere"
OTHER = "refuse-head"


@dataclass(frozen=True)
class Kind:
    """A kind of misfit: the trial of it alone, what was not noticed, what to write, and where.

    ``alone`` says what is wrong where nothing else is. ``place`` is a regular expression for the
    statement in ``convert_checkpoint``.
    """

    trial: str
    said: str
    alone: str
    hint: str
    place: str


KINDS = {
    "missing": Kind(
        "refuse-missing",
        "names missing from the checkpoint are not noted",
        "only names are missing",
        "A name is missing if a parameter has it and no array does: note every such name.",
        r"missing|absent|lacking|not in weights|in expected if|\) - |\.difference\("
        r"|\w\((expected, weights|weights, expected)\b ~ array_equal|^if \w+:$",
    ),
    "unexpected": Kind(
        "refuse-unexpected",
        "names that no parameter has are not noted",
        "only a name is unexpected",
        "A name of the checkpoint is unexpected if no parameter has it: note every such name.",
        r"unexpected|not in expected|\.shape.*(!=|==)|(!=|==).*\.shape ~ ^if \w+ is None:"
        r" ~ \.get\(|\) - |\.difference\(",
    ),
    "shape": Kind(
        "refuse-shape",
        "shapes are not compared",
        "only a shape is wrong",
        "Note every array whose shape, after transposing, is not that of its parameter.",
        r"\.shape.*(!=|==)|(!=|==).*\.shape|unexpected|not in expected",
    ),
}
"""By what is wrong with a checkpoint."""

OF = {"h.0.ln_1.bias": "missing", "ln_f.bias": "missing", "wpe.weight": "shape"}
"""Which kind of misfit a name of the trial ``refuse-all`` has; any other is unexpected."""


def refused(*trials: str) -> Rule:
    """In each of these trials the conversion raises an error whose text holds all the names."""
    plain = _refuses(trials)
    alone = _refuses([name for name in trials if name != ALL])

    def rule(evidence: Evidence) -> Ruling:
        ruling = plain(evidence)
        if not isinstance(ruling, Failed):
            return ruling
        accepted = {name for name, one in KINDS.items() if _accepted(evidence, one.trial)}
        if len(accepted) == len(KINDS):
            return _never_raises()
        if accepted == {"missing", "unexpected"} and KINDS["missing"].trial in trials:
            return _in_both()
        silent = _silent(evidence)
        if silent and len(silent) == len(KINDS) - 1 and accepted == silent:
            return _lost(silent)
        if (kind := next(_let_through(accepted, trials), None)) is not None:
            together = evidence.error(ALL) is not None and kind not in silent
            return (_alone if together else _unnoticed)(KINDS[kind])
        if not accepted and TURNED in trials and _accepted(evidence, TURNED):
            return _turned()
        if _accepted(evidence, TURNED):
            accepted.add("shape")  # shapes are compared, and not whole
        if ALL in trials and len(silent) == 1 and not (silent - accepted):
            return alone(evidence)  # the check on that kind says so
        return _ended(evidence, ruling)

    return rule


def _refuses(trials: Sequence[str]) -> Rule:
    names = {name: REFUSED[name] for name in trials}
    beside = {HEAD: TABLE.removeprefix(PREFIX)}
    return refuses(Refusal("CheckpointError", "ValueError", names, PREFIX, beside), ACTION)


def _let_through(accepted: set[str], trials: Sequence[str]) -> Iterator[str]:
    """The kinds that these trials are about, and that are accepted where nothing else is wrong."""
    return (name for name, kind in KINDS.items() if name in accepted and kind.trial in trials)


def _accepted(evidence: Evidence, trial: str) -> bool:
    return evidence.state(trial, ACTION) is State.SEEN


def _silent(evidence: Evidence) -> set[str]:
    """The kinds of which the error about all of them together names nothing."""
    error = evidence.error(ALL)
    if error is None:
        return set()
    named: Mapping[str, str] = {name: OF.get(name, "unexpected") for name in REFUSED[ALL]}
    told = {kind for name, kind in named.items() if name in error.message}
    return set(named.values()) - told


def _never_raises() -> Failed:
    return Failed(
        "No checkpoint is refused, whatever is wrong with it",
        'Where there are problems, raise the error: raise CheckpointError("…" + …)',
        about=rf"{WHERE}Error\(|^raise|^if \w+:$",
        alone=True,
    )


def _another_head() -> Failed:
    return Failed(
        f"A checkpoint is accepted whose {HEAD} is not the table of tokens",
        "Keep the given lines that compare the two: the model has no other head, and would give "
        "other logits than the saved one.",
        about=rf"{WHERE}HEAD\b|lm_head",
        alone=True,
    )


def _turned() -> Failed:
    return Failed(
        f"Arrays that are stored the other way round are accepted ({', '.join(REFUSED[TURNED])})",
        "The name alone must decide what is transposed, and then the whole shape must be compared: "
        "array.shape != expected[name].",
        about=rf"{WHERE}\.size\b|\bprod\(|\.shape\b.*[!=<>]=|[!=<>]=.*\.shape\b"
        r"|^if len\(\w+\) [!=]= len\(|\.ndim [!=]= ",
        likely=rf"{WHERE}^if \w+ [!=]= \w+:$ ~ {KINDS['shape'].place}",
        alone=True,
    )


def _lost(silent: set[str]) -> Failed:
    """The problems of one kind put an end to the others."""
    kept = next(name for name in KINDS if name not in silent)
    return Failed(
        f"Only {kept} names or shapes are reported: the problems noted before them are lost",
        "Add to the list, and keep what is in it: problems += [...], or append.",
        about=rf"{WHERE}^\w+ = \[.+|^return\b",
        alone=True,
    )


def _in_both() -> Failed:
    return Failed(
        "Neither missing nor unexpected names are noted: only names on both sides are compared",
        "Look at every name of the model and at every name of the checkpoint.",
        about=rf"{WHERE} & |intersection|missing|not in weights",
        alone=True,
    )


def _alone(kind: Kind) -> Failed:
    """An error about several kinds names these; where there is nothing else, no error is raised."""
    names = ", ".join(REFUSED[kind.trial])
    return Failed(
        f"No error is raised where {kind.alone} ({names})",
        "Raise the error for any problem of any kind, even for a single one.",
        about=rf"{WHERE}^(if|elif) .*(\blen\(|[<>]|\b\d\b) ~ ^if .*\b(and|or|all|any)\b"
        r" ~ ^if \w+:$ ~ ^raise",
        alone=True,
    )


def _ended(evidence: Evidence, ruling: Failed) -> Failed:
    """A ruling on names that an error lacks; at a ``break``, if only some of a kind are named.

    Where only another head was accepted, it says so.
    """
    if [name for name in REFUSED if _accepted(evidence, name)] == [OTHER]:
        return _another_head()
    error = evidence.error(MANY)
    told = [name for name in REFUSED[MANY] if error is not None and name in error.message]
    some = told and len(told) < len(REFUSED[MANY]) and not ruling.about
    return replace(ruling, about=rf"{WHERE}^break$") if some else ruling


def _unnoticed(kind: Kind) -> Failed:
    names = ", ".join(REFUSED[kind.trial])
    return Failed(
        f"{kind.said[:1].upper()}{kind.said[1:]} ({names})",
        kind.hint,
        about=f"{WHERE}{kind.place}",
        alone=True,
    )
