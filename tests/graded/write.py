"""Writes variants out as whole programs.

``python -m tests.graded.write s05/wrong/no_scale`` prints one. With ``--to DIR`` all of them go
there, or those whose names begin like the names given: ``s05``, ``s05/wrong``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.graded import variants
from tests.graded.variants import FOLDER


def main(arguments: Sequence[str] | None = None, folder: Path = FOLDER) -> int:
    """Write what is asked for; 2 where there is none of that name."""
    parser = argparse.ArgumentParser(prog="python -m tests.graded.write", description=__doc__)
    parser.add_argument("names", nargs="*", help="like s05/wrong/no_scale, s05/wrong or s05")
    parser.add_argument("--to", type=Path, metavar="DIR", help="write files there")
    asked = parser.parse_args(arguments)
    names = [variants.named(name) for name in asked.names]
    found = [
        one
        for step in variants.steps()
        for one in variants.of(step, folder=folder)
        if not names or any(f"{one.name}/".startswith(f"{name}/") for name in names)
    ]
    if not found or (asked.to is None and len(found) > 1):
        what = "Several variants: give --to DIR." if found else "There is no variant of that name."
        print(what, file=sys.stderr)
        return 2
    for one in found:
        if asked.to is None:
            sys.stdout.buffer.write(one.source)
            continue
        path = asked.to / f"{one.name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(one.source)
    return 0


if __name__ == "__main__":
    sys.exit(main())
