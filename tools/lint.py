"""Style, layout, types, imports and size: ``python -m tools.lint``. Says at the end what failed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LIMIT_S = 1800.0
COMMANDS = (
    ("ruff", "check", "--quiet"),
    ("ruff", "format", "--check", "--quiet"),
    ("mypy",),
    ("tools.contracts",),
    ("tools.budgets",),
)
"""What to run; on what is in pyproject.toml."""
PROGRAMS = (("actionlint",), ("hadolint", "Dockerfile"))
"""The same for programs that are no Python modules; the environment has them."""


def main() -> int:
    """Run every tool; the exit status is 1 if one found something."""
    python = (sys.executable, "-m")
    failed = [" ".join(command) for command in COMMANDS if not _passes(*python, *command)]
    for name, *arguments in PROGRAMS:
        if not _passes(str(Path(sys.executable).with_name(name)), *arguments):
            failed.append(" ".join((name, *arguments)))
    if failed:
        print(f"Failed: {', '.join(failed)}.", file=sys.stderr)
        if "ruff format --check --quiet" in failed:
            print("`./pixiw run -e lint ruff format` formats the files.", file=sys.stderr)
    return 1 if failed else 0


def _passes(*command: str) -> bool:
    return subprocess.run(command, check=False, timeout=LIMIT_S).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
