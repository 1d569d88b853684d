"""Loads the learner's file as a module."""

# pathlib would cost 10 ms of every start.
# ruff: noqa: PTH119, PTH122
from __future__ import annotations

import ast
import functools
import os
import sys
from types import CodeType, ModuleType
from typing import TYPE_CHECKING

from grader.worker import errors, imports, instrumentation

if TYPE_CHECKING:
    from grader.protocol.probe import Job, SeenError
    from grader.worker.instrumentation import Recorder


_made: set[str] = set()
"""The names of modules made here: the next program replaces the last one."""


def load(job: Job, recorder: Recorder | None = None) -> tuple[ModuleType, SeenError | None]:
    """Return the module made from the learner's source, and the error that importing it raised.

    With a ``recorder``, every expression in its functions reports its value to it.
    """
    module = ModuleType(module_name(job.file))
    module.__file__ = job.file
    imports.remember(job.file, job.source)
    sys.modules[module.__name__] = module
    _made.add(module.__name__)
    try:
        if recorder is not None:
            module.__dict__[instrumentation.SEE] = recorder.see
        exec(_code(job.source, job.file, recorder is not None), module.__dict__)  # noqa: S102 - this process exists for it
    except BaseException as error:  # noqa: BLE001 - sys.exit() too is a mistake to report
        return module, errors.see(error, "import", job.file)
    return module, None


@functools.lru_cache(4)
def _code(source: str, file: str, seen: bool) -> CodeType:
    """Compile the program; ``seen``: for the recorder. More than one trial may run it.

    Raises:
        SyntaxError: as ``compile``.
    """
    program: str | ast.Module = instrumentation.rewritten(source, file) if seen else source
    return compile(program, file, "exec", dont_inherit=True)


def module_name(file: str) -> str:
    """Return the file's own name if no other module has it, and never ``__main__``."""
    stem = os.path.splitext(os.path.basename(file))[0]
    taken = stem in sys.modules.keys() - _made or stem in sys.stdlib_module_names
    return stem if stem.isidentifier() and not taken else "submission"
