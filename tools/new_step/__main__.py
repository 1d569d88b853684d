"""``python -m tools.new_step 13 "Share Keys and Values"``: lay out the files of a new step."""

from __future__ import annotations

import argparse
import sys

from grader.base.course import ROOT
from grader.learner.tasks import typed
from tools.new_step.layout import CannotLayOut, lay_out

NEXT = """
A small working step is in them: replace it piece by piece. Then:
   ./pixiw run sync           writes steps/step_{number}.py, the task and the reports of the lesson
   ./pixiw run s{number}            grades the stub
   ./pixiw run test           says what is missing
Also say in the lesson before it, under "Next", what step {number} is, and add it to README.md."""


def main() -> int:
    """Read the arguments and write the files."""
    parser = argparse.ArgumentParser(
        prog=typed("new-step", "python -m tools.new_step"),
        description="Lay out every file of a new step, to be filled in.",
    )
    parser.add_argument("number", help="the number after the last step's")
    parser.add_argument("title", nargs="?", default="A New Step", help="the title of the step")
    asked = parser.parse_args()
    try:
        files = lay_out(asked.number, asked.title)
    except CannotLayOut as problem:
        print(problem, file=sys.stderr)
        return 2
    for path in files:
        print(path.relative_to(ROOT))
    print(NEXT.format(number=asked.number.zfill(2)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
