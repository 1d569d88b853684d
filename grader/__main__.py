"""``python -m grader``. Says what is missing before importing anything that needs it."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import warnings

# An older Python must be able to read this file, and one without packages must be able to run it.
if sys.version_info < (3, 11):  # noqa: UP036 - mypy: this is the place that says so
    sys.stderr.write(
        "The grader needs Python 3.11 or newer; %s is %d.%d.\n"  # noqa: UP031
        "Run it as ./pixiw run NAME, which finds one, or name one: "
        "PIXIW_PYTHON=/path/to/python3.13 ./pixiw run NAME\n"
        % (sys.executable, sys.version_info[0], sys.version_info[1])
    )
    sys.exit(3)

if __name__ == "__main__":
    if not sys.warnoptions:  # a program's odd numbers warn in NumPy, with paths of ours
        warnings.simplefilter("ignore")
        os.environ["PYTHONWARNINGS"] = "ignore"  # in the processes of a class as well
    atexit.register(gc.freeze)  # else Python looks through all of it once more: 35 ms
    gc.set_threshold(50_000, 20, 100)  # syntax trees are many objects, and hardly ever garbage
    # NumPy's threads would spin on the cores that the workers need; it is not imported yet.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    try:
        from grader.base.machine import at_once
        from grader.sandbox.prefork import head_start

        # click alone takes as long to import as a worker to start. A course in another folder is
        # known only when the command line has been read.
        workers = {"grade": 1, "check": at_once()}.get("".join(sys.argv[1:2]), 0)
        with head_start(workers if "GRADER_COURSE" not in os.environ else 0):
            from grader.cli import main

            main()
    except KeyboardInterrupt:
        sys.exit(130)
    except ModuleNotFoundError as problem:
        if (problem.name or "grader").partition(".")[0] == "grader":
            raise
        sys.stderr.write(
            f"The grader needs the package {problem.name}, which is not installed for "
            f"{sys.executable}.\nRun it as ./pixiw run NAME, which installs what is missing; "
            "if it still fails, remove the folder .venv first.\n"
        )
        sys.exit(3)
