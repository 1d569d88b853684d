"""Makes the desk's editor, one file, and the licences beside it: ``python -m tools.editor``.

Needs npm and its registry. ``package-lock.json`` pins each package by version and hash, and names
no address. The same packages give the same bytes on every machine.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from grader.base.files import write_whole

HERE = Path(__file__).resolve().parent
STATIC = HERE.parents[1] / "grader" / "learner" / "desk" / "static"
SOURCES = ("package.json", "package-lock.json", "entry.js")
INSTALL = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent")
BUNDLE = (
    "node_modules/.bin/esbuild",
    "entry.js",
    "--bundle",
    "--minify",
    "--format=esm",
    "--target=es2022",
    "--legal-comments=none",
    "--log-level=error",
    "--outfile=codemirror.js",
)
LIMIT_S = 600.0
BUILDS = "esbuild"
"""What builds the file, and is not in it."""


def main() -> None:
    """Write the bundle and its licences."""
    if shutil.which("npm") is None:
        sys.exit("npm is needed, which comes with Node.js.")
    for name, content in bundle().items():
        write_whole(STATIC / name, content)
        print(f"wrote {(STATIC / name).relative_to(HERE.parents[1])}, {len(content):,} bytes")


def bundle() -> dict[str, bytes]:
    """The files by name, made anew.

    Raises:
        CalledProcessError: npm or esbuild failed, as it says on standard error.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name in SOURCES:
            shutil.copy(HERE / name, folder)
        for command in (INSTALL, BUNDLE):
            subprocess.run(
                command, cwd=folder, check=True, stdout=subprocess.DEVNULL, timeout=LIMIT_S
            )
        made = (Path(folder) / "codemirror.js").read_bytes()
        return {"codemirror.js": made, "codemirror.LICENSE": _licences(Path(folder))}


def _licences(folder: Path) -> bytes:
    """The licence of every package that is in the bundle."""
    locked = json.loads((folder / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    parts = []
    for place, package in sorted(locked.items()):
        name = place.removeprefix("node_modules/")
        if place and name != BUILDS and not name.startswith(f"@{BUILDS}/"):
            text = (folder / place / "LICENSE").read_text(encoding="utf-8").strip()
            parts.append(f"{name} {package['version']}\n\n{text}\n")
    return f"\n{'-' * 78}\n\n".join(parts).encode()


if __name__ == "__main__":
    main()
