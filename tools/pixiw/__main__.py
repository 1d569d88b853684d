"""``python -m tools.pixiw``: the tasks in groups; with ``--all``, what each of them does."""

from __future__ import annotations

import sys
from pathlib import Path

from tools.pixiw.groups import page
from tools.pixiw.manifest import read

if __name__ == "__main__":
    sys.stdout.write(page(read(Path(__file__).resolve().parents[2]), whole="--all" in sys.argv))
