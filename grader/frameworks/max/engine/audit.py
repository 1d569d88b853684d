"""Lists the private names that the engine takes from MAX, and whether the installed MAX has them.

``python -m grader.frameworks.max.engine.audit`` prints one line per name, with what needs it; for
a missing one, where it may be now, and what happens without it. The exit status is 1 if the engine
cannot work. docs/new_max.md says what to do with the list.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path

from grader.frameworks import version
from grader.frameworks.max.engine import private, startup

MOST_PLACES = 3
"""How many places are listed for a name that has moved, nearest first."""


def names() -> Iterator[private.Name]:
    """Yield the table's names, and the operation of each handler."""
    from grader.frameworks.max.engine import handlers

    yield from private.NAMES
    for name in handlers.HANDLERS:
        yield private.operation(name)


def moved_to(name: private.Name) -> list[str]:
    """Return the modules of MAX whose source defines the last part of ``name``, nearest first."""
    last = re.escape(name.path.rpartition(".")[2])
    defined = re.compile(
        rf"^\s*(?:(?:async )?def|class)\s+{last}\b|^\s*{last}\s*[:=]", re.MULTILINE
    )
    spec = find_spec("max")
    found = [
        ".".join(path.relative_to(root.parent).with_suffix("").parts).removesuffix(".__init__")
        for root in map(Path, (spec and spec.submodule_search_locations) or ())
        for path in root.rglob("*.py*")
        if path.suffix in (".py", ".pyi")
        and defined.search(path.read_text(encoding="utf-8", errors="replace"))
    ]
    return sorted(
        set(found) - {name.home}, key=lambda module: (-_shared(module, name.home), module)
    )


def _shared(module: str, other: str) -> int:
    """Return how many packages two modules share, counted from the top."""
    pairs = zip(module.split("."), other.split("."), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def line(name: private.Name) -> str:
    """Say whether MAX has a name, what needs it, and where a missing one may be now."""
    if name.there:
        return f"there    {name}  ({name.serves})"
    places = ", ".join(moved_to(name)[:MOST_PLACES])
    return f"MISSING  {name}  ({name.serves})" + (f"  now in {places}?" if places else "")


def lines() -> Iterator[str]:
    """Yield the audit as text."""
    wanted = version.pinned("max") or "no version in particular"
    yield f"MAX {version.installed('max') or 'is not installed'}; the engine is made for {wanted}."
    every = list(names())
    yield from map(line, every)
    missing = private.lacking(*every)
    yield f"{len(missing)} missing"
    yield from (f"  {told}" for told in private.told(missing))


def main() -> None:
    """Print the audit."""
    os.environ.update(startup.environment())
    print("\n".join(lines()))
    sys.exit(any(not name.without for name in names() if not name.there))


if __name__ == "__main__":
    main()
