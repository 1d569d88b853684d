"""Make each mistake on MAX, and write down what MAX says and what the grader makes of it.

``python -m tests.errors_catalogue.record`` writes ``catalogue.json`` next to this file, and the
names of MAX next to the table of errors. A test compares both with MAX as it is.
"""

from __future__ import annotations

import json
import linecache
import os
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.frameworks.errors import tell
from grader.frameworks.max import errors as retold
from grader.protocol.probe import SeenError
from grader.worker import errors
from grader.worker.description import describe
from tests.errors_catalogue.by_hand import BY_HAND
from tests.errors_catalogue.misuses import misuses
from tests.errors_catalogue.operations import PRELUDE, RIGHT

HERE = Path(__file__).parent
CATALOGUE = HERE / "catalogue.json"
NAMES = Path(retold.__file__).parent / "recorded.toml"
FILE = "step.py"
HEAD = (
    "# The public names of MAX that the lessons use, written by tests/errors_catalogue/record.py."
)

MAX_LINE = 300
"""Characters kept of what MAX says: it prints whole tensors."""


def start() -> None:
    """Import MAX with the NumPy engine; call once, before anything else here."""
    from grader.frameworks.max import engine

    os.environ.update(engine.environment())
    warnings.simplefilter("ignore")
    engine.install("numpy")


def prelude() -> dict[str, Any]:
    """The names that every mistake is made with."""
    module = ModuleType("prelude")
    exec(compile(PRELUDE, "prelude", "exec"), module.__dict__)
    return module.__dict__


def raised(code: str, names: dict[str, Any]) -> SeenError | None:
    """What ``code`` raises, as the worker sees it; None where it runs."""
    linecache.cache[FILE] = (len(code), None, code.splitlines(keepends=True), FILE)
    module = ModuleType("step")
    sys.modules["step"] = module
    scope = module.__dict__
    scope.update(names, __name__="step")
    try:
        exec(compile(code, FILE, "exec"), scope)
        _realize(scope.get("result"))
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the answer
        return errors.see(error, "out", FILE)
    return None


def _realize(value: Any) -> None:
    from max.experimental.tensor import Tensor

    for one in value if isinstance(value, list | tuple) else [value]:
        if isinstance(one, Tensor):
            one.to_numpy()


def mistakes() -> Iterator[tuple[str, str, str]]:
    """Kind, the right code, the wrong code: the systematic ones, then those made by hand."""
    for right in RIGHT:
        for kind, wrong in misuses(right):
            yield kind, f"result = {right}", f"result = {wrong}"
    for wrong, right in BY_HAND:
        yield "by hand", right, wrong


def steady(text: str) -> str:
    """``text`` no longer than is read, without addresses and without what varies from run to run.

    MAX tries its kinds of arguments in any order, and tells of the last one.
    """
    text = re.sub(r"0x[0-9a-f]+", "0x…", text.strip())
    text = re.sub(r"\([^()\s]*/site-packages/", "(", text)
    text = re.split(r"(?<=\n)(?:__new__\(\)|unhashable)", text)[0].strip()
    return text if len(text) <= MAX_LINE else f"{text[:MAX_LINE]}…"


def entry(kind: str, right: str, wrong: str, names: dict[str, Any]) -> dict[str, Any] | None:
    """One mistake of the catalogue; None where it raises nothing.

    ``known`` says that a row of the table tells it, ``right`` is what was meant.
    """
    error = raised(wrong, names)
    if error is None:
        return None
    told = retold.translate(error)
    return {
        "kind": kind,
        "code": wrong,
        "says": f"{error.type_name}: {steady(error.message)}",
        "known": tell(error, retold.table()) is not None,
        "sentence": told.message,
        "hint": told.hint,
        "right": right,
    }


def catalogue() -> list[dict[str, Any]]:
    """All that raise."""
    names = prelude()
    every = (entry(kind, right, wrong, names) for kind, right, wrong in mistakes())
    return [one for one in every if one is not None]


def not_running(codes: list[str]) -> list[str]:
    """Those of ``codes`` that raise."""
    names = prelude()
    return [code for code in codes if raised(code, names) is not None]


def known_names() -> str:
    """The public names of MAX that the lessons use, as ``recorded.toml`` has them."""
    import math

    import max.dtype
    import max.experimental.functional as functional
    import max.experimental.tensor

    Tensor = max.experimental.tensor.Tensor
    owners = {"F": functional, "tensor": Tensor, "DType": max.dtype.DType, "math": math}
    lines = [HEAD, "", "[recorded]"]
    for owner, value in owners.items():
        names = sorted(name for name in dir(value) if not name.startswith("_"))
        lines.append(f"{owner} = {json.dumps(names)}")
    lines += ["", "[signatures]"]
    methods = sorted(name for name in dir(Tensor) if not name.startswith("_"))
    taken = {name: _parameters(getattr(Tensor, name)) for name in methods}
    lines += [f'"Tensor.{name}" = {json.dumps(taken[name])}' for name in methods if taken[name]]
    return "".join(f"{line}\n" for line in lines)


def _parameters(method: Any) -> str:
    """The parameters of a method as they are written, without self."""
    seen = describe(method).signature if callable(method) else None
    return ", ".join(one for one in seen or () if one != "self")


def main() -> None:
    """Write both files."""
    start()
    NAMES.write_text(known_names(), encoding="utf-8")
    rows = ",\n".join(json.dumps(one, ensure_ascii=False) for one in catalogue())
    CATALOGUE.write_text(f"[\n{rows}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
