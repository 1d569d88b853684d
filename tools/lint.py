"""Style, layout, types and imports: ``python -m tools.lint``. Runs all, then says which failed."""

from __future__ import annotations

import subprocess
import sys

COMMANDS = (
    ("ruff", "check", "--quiet"),
    ("ruff", "format", "--check", "--quiet"),
    ("mypy",),
    ("tools.contracts",),
)
"""What to run; on what is in pyproject.toml."""


def main() -> int:
    """Run every tool; the exit status is 1 if one found something."""
    failed = [" ".join(command) for command in COMMANDS if not _passes(command)]
    if failed:
        print(f"Failed: {', '.join(failed)}.", file=sys.stderr)
        if "ruff format --check --quiet" in failed:
            print("`./pixiw run -e lint ruff format` formats the files.", file=sys.stderr)
    return 1 if failed else 0


def _passes(command: tuple[str, ...]) -> bool:
    arguments = [sys.executable, "-m", *command, *sys.argv[1:]]
    return subprocess.run(arguments, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
