"""How much code each room has, against ``budgets.toml``: ``python -m tools.budgets``.

Prints a table. The exit status is 1 if a room is above its ceiling: its budget, or what it had when
the ceiling was last lowered. ``--lower`` lowers the ceilings to what is there now, ``--list`` names
what is longer than the limits.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TABLE = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True)
class Row:
    """One line of the table: what is counted, how much there is, may be, and must be at most.

    ``names`` are the places that are longer than a limit.
    """

    name: str
    now: int
    budget: int
    ceiling: int
    names: tuple[str, ...] = ()

    @property
    def too_much(self) -> bool:
        """Whether there is more than the ceiling allows."""
        return self.now > max(self.budget, self.ceiling)

    def __str__(self) -> str:
        over = f"{self.now - self.budget:>+8,}" if self.now > self.budget else " " * 8
        mark = f"  above the ceiling of {self.ceiling:,}" if self.too_much else ""
        return f"{self.name:<52}{self.now:>8,}{self.budget:>9,}{over}{mark}".rstrip()


def files(root: Path, paths: Sequence[str], endings: Sequence[str] = (".py",)) -> Iterator[Path]:
    """The files at or below ``paths``, which may be files themselves."""
    for place in (root / path for path in paths):
        found = (place,) if place.is_file() else sorted(place.rglob("*"))
        yield from (path for path in found if path.suffix in endings)


def lines(path: Path) -> int:
    """The lines of a file that are not blank."""
    return sum(map(bool, map(str.strip, path.read_text("utf-8", "replace").splitlines())))


def rows(root: Path, table: dict[str, Any]) -> Iterator[Row]:
    """What there is in ``root``: the lines of each room, then what is longer than the limits."""
    for room in table["room"]:
        counted = set(files(root, room["paths"], room.get("endings", [".py"])))
        counted -= set(files(root, room.get("without", ())))
        yield Row(room["name"], sum(map(lines, counted)), room["budget"], room["ceiling"])
    for name, limit in table["limit"].items():
        over = [
            f"{place.relative_to(root)}{detail}: {size}"
            for place, detail, size in SIZES[name](_own(root, table["limits"]))
            if size > limit["most"]
        ]
        title = f"{name}s with more than {limit['most']} {limit['of']}"
        yield Row(title, len(over), 0, limit["ceiling"], tuple(over))


def _own(root: Path, limits: dict[str, Any]) -> list[Path]:
    return sorted(set(files(root, limits["paths"])) - set(files(root, limits["without"])))


def modules(paths: Sequence[Path]) -> Iterator[tuple[Path, str, int]]:
    """Each module and its lines, blank ones included."""
    yield from ((path, "", len(path.read_text("utf-8").splitlines())) for path in paths)


def functions(paths: Sequence[Path]) -> Iterator[tuple[Path, str, int]]:
    """Each function and its lines, decorators not counted."""
    for path in paths:
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                yield path, f"::{node.name}", length


def folders(paths: Sequence[Path]) -> Iterator[tuple[Path, str, int]]:
    """Each folder and the modules directly in it, ``__init__`` not counted."""
    counted = Counter(path.parent for path in paths if path.name != "__init__.py")
    yield from ((folder, "", count) for folder, count in counted.items())


SIZES = {"module": modules, "function": functions, "folder": folders}
"""What has a limit, by its name in the table."""


def lowered(text: str, found: Sequence[Row]) -> str:
    """The table's text with each ceiling lowered to what is there now, or to the budget."""
    wanted = iter(found)

    def lower(match: re.Match[str]) -> str:
        row = next(wanted)
        return f"ceiling = {min(row.ceiling, max(row.now, row.budget))}"

    return re.sub(r"^ceiling = \d+", lower, text, flags=re.MULTILINE)


def main(arguments: Sequence[str]) -> int:
    """Print the table, or lower its ceilings."""
    text = TABLE.read_text(encoding="utf-8")
    found = list(rows(ROOT, tomllib.loads(text)))
    if "--lower" in arguments:
        TABLE.write_text(lowered(text, found), encoding="utf-8")
        return 0
    print(f"{'lines without blanks':<52}{'now':>8}{'budget':>9}{'over':>8}")
    for row in found:
        print(row)
        if "--list" in arguments or row.too_much:
            print("".join(f"    {name}\n" for name in row.names), end="")
    return int(any(row.too_much for row in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
