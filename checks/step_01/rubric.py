"""The rubric of step 01: ``GPT2Config``.

Longer than 300 lines, because a file without behaviour is checked by its source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from grader.rubric import (
    Check,
    Evidence,
    Failed,
    Make,
    NotRun,
    Passed,
    Probe,
    Read,
    Rubric,
    Rule,
    Ruling,
    Trial,
    rules,
    source,
)

CLASS = "GPT2Config"

REQUIRED: Mapping[str, Any] = {
    "vocab_size": 50257,
    "n_positions": 1024,
    "n_embd": 768,
    "n_layer": 12,
    "n_head": 12,
    "n_inner": None,
    "layer_norm_epsilon": 1e-5,
}
"""The fields that later steps read, with Hugging Face's defaults."""

FURTHER: Mapping[str, Any] = {
    "activation_function": "gelu_new",
    "resid_pdrop": 0.1,
    "embd_pdrop": 0.1,
    "attn_pdrop": 0.1,
    "initializer_range": 0.02,
    "bos_token_id": 50256,
    "eos_token_id": 50256,
    "tie_word_embeddings": True,
}
"""Fields of Hugging Face's configuration that no step of the course reads."""

OTHER = {
    "n_embd": 20,
    "n_head": 5,
    "n_layer": 3,
    "vocab_size": 71,
    "n_positions": 33,
    "layer_norm_epsilon": 1e-3,
    "n_inner": 44,
}


LARGE = {
    "n_embd": 1600,
    "n_head": 25,
    "n_layer": 48,
    "vocab_size": 128_256,
    "n_positions": 131_072,
    "layer_norm_epsilon": 1e-12,
    "n_inner": 8192,
}
"""Sizes of GPT-2 XL and beyond: some need more than 16 bits, one is more than four widths."""

OTHER_FURTHER: dict[str, tuple[object, ...]] = {
    "activation_function": ("relu",),
    "resid_pdrop": (0.375, 0.0),
    "embd_pdrop": (0.625, 0.0),
    "attn_pdrop": (0.125, 0.0),
    "initializer_range": (0.0125, 0.0),
    "bos_token_id": (7, 0),
    "eos_token_id": (9, 0),
    "tie_word_embeddings": (False,),
}
"""Neither 0, which counts as false, nor what a rounded number would keep, hides another mistake."""

FIELDS = {
    "vocabulary": ("vocab_size", "n_positions"),
    "sizes": ("n_embd", "n_layer", "n_head"),
    "feed-forward": ("n_inner", "activation_function"),
    "dropout": ("resid_pdrop", "embd_pdrop", "attn_pdrop"),
    "constants": ("layer_norm_epsilon", "initializer_range"),
    "tokens": ("bos_token_id", "eos_token_id", "tie_word_embeddings"),
}
"""The checks of the defaults, and the fields of each."""

ORDER = (
    *("vocab_size", "n_positions", "n_embd", "n_layer", "n_head", "n_inner"),
    *("activation_function", "resid_pdrop", "embd_pdrop", "attn_pdrop"),
    *("layer_norm_epsilon", "initializer_range"),
    *("bos_token_id", "eos_token_id", "tie_word_embeddings"),
)
"""Of Hugging Face's fields, and so of the arguments that are given without a name."""

PLACED: Mapping[str, Any] = {**OTHER, **{name: values[0] for name, values in OTHER_FURTHER.items()}}

SIZES = ("n_embd", "n_head", "n_layer", "vocab_size", "n_positions")
NAMES = (*REQUIRED, *FURTHER)


def draw(rng: np.random.Generator) -> Iterable[Trial]:
    """The defaults, and every field and every pair of fields that later steps read set by name.

    All objects of ``together`` exist before the first is read. A field that no step reads has
    a trial of its own, because a program may lack it. Then fields are set by their place: those
    up to ``n_inner``, and all.
    """
    width = int(rng.integers(2, 9)) * 12
    equal: dict[str, Any] = dict.fromkeys(SIZES, 7)
    ones: dict[str, Any] = dict.fromkeys((*SIZES, "n_inner"), 1)
    wide = {**LARGE, "n_inner": LARGE["n_embd"]}
    given: list[Mapping[str, Any]] = [{"n_embd": width}, OTHER, LARGE, wide, equal, ones]
    for one, n_embd in ((OTHER, 4 * width), (LARGE, 1536)):
        values = {**one, "n_embd": n_embd, "n_head": 3}  # widths that 3 and 12 heads share
        given += [{name: values[name]} for name in values]
        given += [{a: values[a], b: values[b]} for a, b in combinations(values, 2)]
    return [
        _made("defaults", {}),
        _made("together", *given),
        *(
            _made(f"further-{name}", *({name: value} for value in values))
            for name, values in OTHER_FURTHER.items()
        ),
        *(_placed(name, ORDER[:count]) for name, count in PLACES.items()),
    ]


PLACES = {"placed-six": 6, "placed-all": len(ORDER)}


def _placed(name: str, fields: tuple[str, ...]) -> Trial:
    """An object whose first fields are given by their place."""
    make = Make("config-0", CLASS, tuple(PLACED[field] for field in fields))
    return Trial(Probe(name, (make, Read("fields-0", make.name, NAMES))))


def _made(name: str, *given: Mapping[str, Any]) -> Trial:
    """An object for each mapping; once all are made, the fields of each."""
    makes = [Make(f"config-{i}", CLASS, (), dict(one)) for i, one in enumerate(given)]
    reads = [Read(f"fields-{i}", make.name, NAMES) for i, make in enumerate(makes)]
    return Trial(Probe(name, (*makes, *reads)))


def defaults(names: tuple[str, ...]) -> Rule:
    """Each of these fields has its default; one that no step reads may be missing."""

    def rule(evidence: Evidence) -> Ruling:
        seen = evidence.seen("defaults", "fields-0")
        if not isinstance(seen, dict):
            return NotRun("builds")
        known = {**REQUIRED, **FURTHER}
        lost = [name for name in names if name in REQUIRED and name not in seen]
        wrong = [name for name in names if name in seen and not _same(seen[name], known[name])]
        bad = [name for name in names if name in lost or name in wrong]
        if not bad:
            missing = [name for name in names if name not in seen]
            note = f"Without {', '.join(missing)}, which no step reads." if missing else None
            return Passed(note)
        name = bad[0]
        which = f"{', '.join(bad)}: " if len(bad) > 1 else ""
        if name in lost:
            return Failed(
                f"{which}GPT2Config has no field {name}",
                f"Write {_field(name)}, spelled exactly so. In your own __init__: "
                f"self.{name} = {name}",
                alone=True,
                about=name,
            )
        return Failed(
            f"{which}{name} is {_shown(seen[name])} by default, expected {known[name]!r}",
            _odd(seen[name], known[name]),
            alone=True,
            about=f"own: {' '.join((name, *_right_beside(seen, name), '!', *_wrong(seen)))}",
        )

    return rule


def _wrong(seen: Mapping[str, Any]) -> list[str]:
    """All fields with another default than GPT-2's."""
    known = {**REQUIRED, **FURTHER}
    return [one for one in known if one in seen and not _same(seen[one], known[one])]


def _right_beside(seen: Mapping[str, Any], name: str) -> list[str]:
    """The other fields that have the value of this one, and are to have it."""
    known = {**REQUIRED, **FURTHER}
    right = (one for one in known if one in seen and _same(seen[one], known[one]))
    return [one for one in right if one != name and _same(seen[name], known[one])]


def kept() -> Rule:
    """What is given by name arrives, and nothing else changes."""

    def rule(evidence: Evidence) -> Ruling:
        fresh = evidence.seen("defaults", "fields-0")
        if not isinstance(fresh, dict):
            return NotRun("builds")
        further = [f"further-{name}" for name in FURTHER if name in fresh]
        for trial in ("together", *further):
            makes = list(_makes(evidence, trial))
            for make in makes:  # all are made before the first is read
                if stop := rules.obstacle(evidence, trial, make.name):
                    told = stop.message if isinstance(stop, Failed) and stop.message else ""
                    lost = [n for n in REQUIRED if n not in fresh and re.search(rf"\b{n}\b", told)]
                    return NotRun(_of_field(lost[0])) if lost else stop
            for index, make in enumerate(makes):
                if stop := rules.obstacle(evidence, trial, f"fields-{index}"):
                    return stop
                if failed := _changed(make, fresh, evidence.seen(trial, f"fields-{index}")):
                    return failed
        return _misplaced(evidence, fresh) or Passed()

    return rule


def _misplaced(evidence: Evidence, fresh: dict[str, Any]) -> Failed | None:
    """The first field that did not get what was given in its place; by name alone is right too."""
    for trial, count in PLACES.items():
        (make,) = _makes(evidence, trial)
        known = all(name in fresh for name in ORDER[:count])
        if known and not rules.obstacle(evidence, trial, "fields-0"):
            failed = _changed(make, fresh, evidence.seen(trial, "fields-0"))
            if failed is not None:
                return failed
    return None


def _of_field(name: str) -> str:
    """The check that says whether there is a field."""
    return next(id for id, names in FIELDS.items() if name in names)


def _makes(evidence: Evidence, trial: str) -> Iterable[Make]:
    return (a for a in evidence.trials[trial].probe.actions if isinstance(a, Make))


def _changed(make: Make, fresh: dict[str, Any], seen: object) -> Failed | None:
    """The first field that is neither what was given nor, if nothing was, its default."""
    have = seen if isinstance(seen, dict) else {}
    given = dict(zip(ORDER, make.args, strict=False)) | make.kwargs
    for name, default in fresh.items():
        want = given.get(name, default)
        if not _same(have.get(name), want):
            named = [f"{key}={value!r}" for key, value in make.kwargs.items()]
            call = ", ".join([*map(repr, make.args), *named])
            told = f"After GPT2Config({call}), {name} is {_shown(have.get(name))}"
            kept = rf"() ~\bself\.{name}\b[^=]*=(?!=)"  # where a method keeps it, else the field
            lost = name in given and not want and want is not None
            about = f"zero: {name}" if lost else kept
            asks = f"{want!r} counts as false. Is it kept, or taken for a missing argument?"
            hint = asks if lost and not isinstance(want, bool) else None
            hint = IN_ORDER if make.args else hint
            return Failed(f"{told}, expected {want!r}", hint, about=about, likely=name)
    return None


IN_ORDER = "Positional arguments follow the order of the fields: is yours the lesson's?"


def _same(seen: object, want: object) -> bool:
    if isinstance(seen, bool) != isinstance(want, bool):
        return False
    if isinstance(want, int) and not isinstance(seen, int):
        return False
    if isinstance(want, int | float) and isinstance(seen, int | float):
        return bool(np.isclose(seen, want, rtol=1e-12, atol=0))
    return seen == want


def _field(name: str) -> str:
    """The line that defines a field."""
    want = REQUIRED[name]
    kind = "int | None" if want is None else type(want).__name__
    return f"{name}: {kind} = {want!r}"


def _odd(seen: object, want: object) -> str | None:
    """What to say about a default of another kind than a number, a string or None."""
    if isinstance(seen, tuple):
        return "A comma makes a tuple: write numbers without commas, even between thousands."
    if isinstance(seen, list | dict):
        return "A default is a single value."
    if isinstance(seen, str) and not isinstance(want, str):
        kind = "" if want is None or isinstance(want, bool) else type(want).__name__
        read = f"; a string from elsewhere needs {kind}(…) around it" if kind else ""
        return f"It is a string: write {want!r} without quotes{read}."
    made = getattr(seen, "type_name", None)
    if made in ("function", "type"):
        return "Write the value itself after the =, not a function or a type."
    if made in ("partial", "builtin_function_or_method", "method"):
        return "It is a function, which gives its value only when called: write () after its name."
    if isinstance(seen, float) and isinstance(want, int) and seen == want:
        return f"It is a float: write the whole number {want}. / gives a float, // does not."
    others = [name for name, one in {**REQUIRED, **FURTHER}.items() if _same(seen, one)]
    told = seen is not None and len(others) == 1  # the stub has None everywhere
    also = f"{seen!r} is the default of {others[0]}. " if told else ""
    return f"{also}Look the value up in the lesson's table of fields."


def _shown(seen: object) -> str:
    return getattr(seen, "type_name", None) or repr(seen)


def fields(id: str, sentence: str, nudge: str, blank: str = "") -> Check:
    """A check of the defaults of some fields."""
    return Check(
        id,
        sentence,
        "Not yet GPT-2's",
        nudge,
        "Names and defaults are Hugging Face's.",
        lesson="The fields",
        blank=blank,
        rule=defaults(FIELDS[id]),
        needs=("builds",),
    )


CHECKS = (
    Check(
        "import",
        "dataclass is imported from dataclasses",
        "dataclass is not imported from dataclasses",
        "Add 'from dataclasses import dataclass'",
        "It writes __init__ from the fields.",
        lesson="A dataclass",
        blank="imports",
        test=source.imports("dataclasses.dataclass"),
        proven_by=("named",),
    ),
    Check(
        "decorator",
        "GPT2Config is a dataclass",
        "GPT2Config is not decorated with @dataclass",
        "What turns fields into arguments of GPT2Config?",
        "Without it, the fields are not arguments.",
        lesson="A dataclass",
        test=source.decorated(CLASS, "dataclasses.dataclass", "dataclass"),
        proven_by=("named",),
    ),
    Check(
        "builds",
        "GPT2Config() can be built without arguments",
        "GPT2Config() cannot be built without arguments",
        "Give every field a default",
        "A field is a name, a type and a default.",
        lesson="The fields",
        answer="n_embd: int = 768",
        rule=rules.builds("defaults", module=False),
    ),
    fields(
        "vocabulary",
        "A vocabulary of 50257 tokens and sequences of up to 1024 tokens",
        "How many tokens does GPT-2 know, and how long may a sequence be?",
        blank="sizes",
    ),
    fields(
        "sizes",
        "Vectors of 768 numbers, 12 layers and 12 heads",
        "How wide and deep is the smallest GPT-2, and how many heads does it have?",
    ),
    fields(
        "feed-forward",
        "The feed-forward layer: n_inner None, which means 4 * n_embd, and gelu_new",
        "Which of the two is computed later from another field, and which is a name?",
        blank="activation",
    ),
    fields(
        "dropout",
        "The three dropout probabilities are 0.1",
        "All three have the same probability. Which one?",
    ),
    fields(
        "constants",
        "layer_norm_epsilon is 1e-5 and initializer_range is 0.02",
        "Two small numbers: which power of ten, and which standard deviation?",
    ),
    fields(
        "tokens",
        "Token 50256 begins and ends a text, and the output layer is tied",
        "What is the id of the last token of the vocabulary? It begins and ends a text.",
    ),
    Check(
        "named",
        "GPT2Config(n_embd=20, n_head=5) sets these fields and leaves the others alone",
        "GPT2Config(n_embd=20, n_head=5) does not set these fields",
        "A value given by name must arrive in the field of that name and in no other",
        "Later steps build small models this way.",
        lesson="A dataclass",
        answer="@dataclass above the class, and each field with its type",
        rule=kept(),
        needs=("builds",),
    ),
)

RUBRIC = Rubric(checks=CHECKS, draw=draw)
