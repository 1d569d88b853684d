"""Grades cells of a Jupyter notebook: ``%load_ext grader.notebook`` (docs/adr/0024).

``%%grade s05`` above a cell grades it as an answer to the step; ``%hint`` and ``%trace`` are about
the cell that was graded last. The cell is graded as a file is: another process
(``python -m grader.notebook``) has the grader's, and the worker runs the program. What this one
does is show the answer, and then define in the notebook what the cell defines.
"""

from __future__ import annotations

import sys
from typing import Any


def load_ipython_extension(shell: Any) -> None:
    """Register the magics; IPython calls this.

    Raises:
        ModuleNotFoundError: this is another Python than the course's; with what to do.
    """
    try:
        from grader.notebook import magics

        magics.register(shell)
    except ModuleNotFoundError as problem:
        raise ModuleNotFoundError(
            f"{problem.msg}. This kernel is {sys.executable}, which lacks what the course needs. "
            "Run `./pixiw install -e notebook`, then choose the kernel .venv.notebook/bin/python.",
            name=problem.name,
        ) from None
