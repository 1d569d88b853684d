"""Gradescope's ``autograder.zip``: the grader, and the two scripts that Gradescope calls.

``setup.sh`` runs once, when Gradescope builds the image, and is the only part that needs a
network. ``run_autograder`` runs for each submission.
"""

from __future__ import annotations

from pathlib import Path

from grader.base import course
from grader.base.blanks import EARLIER
from grader.base.model import Step
from grader.classroom.zip_writer import packed

MACHINE = ("grader", "requirements", "tools", "LICENSE", "pixi.toml", "pixiw")
COURSE = ("checks", "gpt2", "solutions", "course.toml")
ENDINGS = (".py", ".toml", ".json", ".txt", ".md", ".css", ".js")

SETUP = """\
#!/usr/bin/env bash
# Gradescope runs this once, as root, while it builds the image. Only this needs the network.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
for python in python3.13 python3.12 python3.11; do
    if apt-get install -yq --no-install-recommends "$python" "$python-venv"; then break; fi
done
apt-get install -yq --no-install-recommends gcc libc6-dev  # MAX links a part of itself, once
apt-get install -yq --no-install-recommends tzdata  # for the time zone of a policy
apt-get install -yq --no-install-recommends bubblewrap || true  # one more layer, where it works
cd "$(dirname "$0")"
bash ./pixiw install
"""

RUN = """\
#!/usr/bin/env bash
# Gradescope runs this for each submission. It needs no network.
base="${{AUTOGRADER_BASE:-/autograder}}"
python="${{AUTOGRADER_PYTHON:-$base/source/.venv/bin/python}}"
cd "$base/source" || exit 1
mkdir -p "$base/results"
exec "$python" -m grader autograde {step} "$base/submission" --points points.toml \\
    --policy policy.toml --metadata "$base/submission_metadata.json" \\
    --output "$base/results/results.json"
"""


def build(step: Step, points: bytes = b"", policy: bytes = b"") -> bytes:
    """Build the archive for ``step``. ``points`` and ``policy`` are those files' bytes, if any."""
    files = {**_files(course.HOME, MACHINE), **_files(step.root, COURSE)}
    earlier = step.stub.with_name(EARLIER)
    for path in (step.lesson, step.stub, *([earlier] if earlier.exists() else [])):
        files[path.relative_to(step.root).as_posix()] = path
    own = {
        "setup.sh": SETUP.encode(),
        "run_autograder": RUN.format(step=step.id).encode(),
        "points.toml": points,
        "policy.toml": policy,
    }
    others = {name: path.read_bytes() for name, path in files.items()}
    return packed({**own, **others}, programs=("setup.sh", "run_autograder", "pixiw"))


def _files(root: Path, names: tuple[str, ...]) -> dict[str, Path]:
    """Return the ``names`` that are files in ``root``, and the files in those that are folders."""
    found = [root / name for name in names if (root / name).is_file()]
    found += [
        path
        for name in names
        for path in sorted((root / name).rglob("*"))
        if path.suffix in ENDINGS and "__pycache__" not in path.parts
    ]
    return {path.relative_to(root).as_posix(): path for path in found}
