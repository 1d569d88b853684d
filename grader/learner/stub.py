"""The stub of a step: whether a file is still the stub, and copies of learners' files."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import time
from pathlib import Path

from grader.base.blanks import make_stub
from grader.base.model import Step
from grader.source import SourceProblem, notebook, read_file

MANIFEST = "stubs.sha256"
BACKUPS = ".grader/backups"


def untouched(step: Step, digest: str) -> bool:
    """Whether the file with this SHA-256, in hex, is the stub of ``step`` as generated."""
    return digest == read_manifest(step.root).get(step.stub.name)


def begun(step: Step) -> Path | None:
    """Return the file that the learner works in; None if both are untouched or missing.

    That is ``step_05.py``, or the notebook beside it while the Python file is untouched.
    """
    if (found := digest(step.stub)) and not untouched(step, found):
        return step.stub
    path = step.stub.with_suffix(notebook.ENDING)
    try:
        code = notebook.read_program(path, step.id).partition(b"\n")[2]
    except SourceProblem:
        return None
    return None if untouched_cell(step, code) else path


def untouched_cell(step: Step, code: bytes) -> bool:
    """Whether a cell's code is the stub, in the notebook's form or the file's."""
    same = code == cell(step).encode()
    return same or untouched(step, hashlib.sha256(code).hexdigest())


def cell(step: Step) -> str:
    """Return the stub as a notebook cell, which does not say how to grade the file."""
    stub = make_stub(step.solution.read_text(encoding="utf-8"))
    return re.sub(rf"\n*^Run: .*{step.id}$", "", stub, count=1, flags=re.MULTILINE)


def digest(path: Path) -> str:
    """Return the SHA-256 of the file at ``path``, in hex; empty if it cannot be read."""
    try:
        return hashlib.sha256(read_file(path)).hexdigest()
    except SourceProblem:
        return ""


def back_up(root: Path, path: Path) -> Path:
    """Copy ``path`` under a unique name, flushed to disk; return the copy's path.

    Raises:
        OSError: the copy failed; no partial copy is left.
    """
    folder = root / BACKUPS
    folder.mkdir(parents=True, exist_ok=True)
    stamp = time.strftime("%Y%m%d-%H%M%S")
    handle, copy = tempfile.mkstemp(dir=folder, prefix=f"{path.stem}-{stamp}-", suffix=path.suffix)
    try:
        with os.fdopen(handle, "wb") as target, path.open("rb") as source:
            shutil.copyfileobj(source, target)
            target.flush()
            os.fsync(target.fileno())
    except BaseException:
        Path(copy).unlink(missing_ok=True)
        raise
    return Path(copy)


def read_manifest(root: Path) -> dict[str, str]:
    """Map file names to digests. A damaged line counts as missing, so that its file is kept."""
    try:
        data = (root / "steps" / MANIFEST).read_bytes()
    except FileNotFoundError:
        data = b""
    text = data.decode(errors="replace")
    lines = (re.fullmatch(r"([0-9a-f]{64})  (step_\w+\.py)", line) for line in text.splitlines())
    return {line[2]: line[1] for line in lines if line is not None}
