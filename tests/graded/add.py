"""Adds a program to the variants: ``python -m tests.graded.add s05/wrong/no_scale FILE``.

It is stored as an edit of the nearest right program, or as a file where none is near. A variant
of that name is replaced.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.graded import differences, edits, variants
from tests.graded.edits import Edit
from tests.graded.variants import FOLDER, Variant

HEADER = re.compile(rf"# ({'|'.join(edits.HEADER)}): *(.*?) *\n")

PREAMBLE = """\
# Each entry is a program: its base, a right program of this step, with a change at each @@.
# ' ' is a line of the base, '-' removes one, '+' adds one. Give as many lines as it takes to find
# the place. To see the whole program, and to make an entry of a program:
#   python -m tests.graded.write {side}/{name}
#   python -m tests.graded.add {side}/{name} FILE
"""


def main(arguments: Sequence[str] | None = None, folder: Path = FOLDER) -> int:
    """Add the program and say how; 2 where that cannot be."""
    parser = argparse.ArgumentParser(prog="python -m tests.graded.add", description=__doc__)
    parser.add_argument("name", help="like s05/wrong/no_scale")
    parser.add_argument("file", type=Path, help="the whole program")
    asked = parser.parse_args(arguments)
    try:
        print(add(variants.named(asked.name), asked.file.read_bytes(), folder))
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def add(name: str, source: bytes, folder: Path = FOLDER) -> str:
    """Store the program under ``name``; a sentence that says where.

    Raises:
        ValueError: the name is no such name, or others are edits of the one that it has now.
    """
    if not re.fullmatch(r"s\d\d/(right|wrong)/\w+", name):
        raise ValueError(f"expected a name like s05/wrong/no_scale, not {name}")
    step, side, stem = name.split("/")
    every = variants.of(step, folder=folder)
    edited = [one.name for one in every if one.base and one.base.name == name]
    if edited:
        raise ValueError(f"{name} is the base of {', '.join(edited)}")
    made = edit(stem, source, [one for one in every if one.right and one.name != name], side)
    path = folder / step / f"{side}.edits"
    others = [one for one in edits.read(path) if one.name != stem] if path.exists() else []
    file = folder / f"{name}.py"
    if made is None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(source)
        said = f"{file}: no right program is near, so it is stored whole"
    else:
        file.unlink(missing_ok=True)
        said = f"{path}: {stem}, as an edit of {made.base}"
        others.append(made)
    if others or path.exists():
        save(path, others)
    return said


def edit(stem: str, source: bytes, bases: Sequence[Variant], side: str) -> Edit | None:
    """The program as an edit of one of ``bases``, files first; None where it must be a file."""
    if (program := plain(source)) is None:
        return None
    header, text = {}, program
    while found := HEADER.match(text):
        header[found[1]] = found[2]
        text = text[found.end() :]
    files = [one for one in bases if one.edit is None]
    others = [one for one in bases if one.edit is not None and side == "wrong"]
    known = {one.stem: plain(one.source) for one in files + others}
    texts = {name: base for name, base in known.items() if base is not None}
    made = differences.nearest(stem, header, text, texts)
    # A header that is spaced in its own way, or says a thing twice, would not come back.
    same = made is not None and made.program(texts[made.base]) == program
    return made if same else None


def plain(source: bytes) -> str | None:
    """The text of a program that an editor keeps as it is; None for tabs, CRLF, BOM and so on."""
    try:
        text = source.decode()
    except UnicodeDecodeError:
        return None
    lines = edits.lines_of(text)
    kept = all(line.isprintable() and line == line.rstrip() for line in lines)
    return text if kept and text.endswith("\n") else None


def save(path: Path, entries: list[Edit]) -> None:
    """Write the file of edits, by name; none where there are no entries."""
    if not entries:
        path.unlink()
        return
    entries = sorted(entries, key=lambda one: one.name)
    side = f"{path.parent.name}/{path.stem}"
    preamble = PREAMBLE.format(side=side, name=entries[0].name)
    path.write_text("\n".join([preamble, *map(str, entries)]), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
