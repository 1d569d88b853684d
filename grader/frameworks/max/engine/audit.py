"""Which private names the engine takes from MAX, and whether the installed MAX has them.

``python -m grader.frameworks.max.engine.audit``: one line per name, with what needs it; for
a missing one, what happens without it. The exit status is 1 if the engine cannot work.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from grader.frameworks import version
from grader.frameworks.max.engine import private, startup


def names() -> Iterator[private.Name]:
    """The table's names, and the operation of each handler."""
    from grader.frameworks.max.engine import handlers

    yield from private.NAMES
    for name in handlers.HANDLERS:
        yield private.operation(name)


def lines() -> Iterator[str]:
    """The audit as text."""
    wanted = version.pinned("max") or "no version in particular"
    yield f"MAX {version.installed('max') or 'is not installed'}; the engine is made for {wanted}."
    missing = []
    for name in names():
        if not name.there:
            missing.append(name)
        yield f"{'there  ' if name.there else 'MISSING'}  {name}  ({name.serves})"
    yield f"{len(missing)} missing"
    yield from (f"  {line}" for line in private.told(missing))


def main() -> None:
    """Print the audit."""
    os.environ.update(startup.environment())
    print("\n".join(lines()))
    sys.exit(any(not name.without for name in names() if not name.there))


if __name__ == "__main__":
    main()
