"""``python -m tools.sync``: bring every generated file up to date with the solutions."""

from __future__ import annotations

import argparse
import sys

from grader.base import course
from grader.learner.tasks import typed
from tools.sync.generate import sync


def main() -> int:
    """Read the options and regenerate."""
    parser = argparse.ArgumentParser(
        prog=typed("sync", "python -m tools.sync"),
        description="Regenerate the stubs, the step tasks and what lessons show.",
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if out of date")
    parser.add_argument(
        "--force", action="store_true", help="replace edited stubs too; each is backed up first"
    )
    asked = parser.parse_args()
    return sync(course.ROOT, check=asked.check, force=asked.force)


if __name__ == "__main__":
    sys.exit(main())
