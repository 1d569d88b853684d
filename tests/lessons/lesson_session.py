"""Run the Python of lessons as a learner would type it: one session a lesson.

Blocks marked ``pycon`` are doctests, blocks marked ``python`` are plain code. What differs from
the lesson is printed; the exit status says whether anything did.
"""

from __future__ import annotations

import doctest
import re
import sys
from pathlib import Path

BLOCK = re.compile(r"^```(pycon|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(path: Path) -> doctest.TestResults:
    """Every Python block of the lesson at ``path``, in order and in one namespace."""
    text = path.read_text(encoding="utf-8")
    session: dict[str, object] = {"__name__": "lesson"}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for block in BLOCK.finditer(text):
        line = text[: block.start()].count("\n") + 1
        if block[1] == "python":
            exec(compile("\n" * line + block[2], str(path), "exec"), session)
            continue
        example = doctest.DocTestParser().get_doctest(block[2], session, path.name, str(path), line)
        example.globs = session
        runner.run(example, clear_globs=False)
    return runner.summarize(verbose=False)


if __name__ == "__main__":
    results = [run(Path(argument)) for argument in sys.argv[1:]]
    print("attempted", *(result.attempted for result in results))
    sys.exit(any(result.failed for result in results))
