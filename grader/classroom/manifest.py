"""Records what runs have written to the results folder, so that the next one replaces all of it.

A file that no run has written is someone's own and is never replaced.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from grader.base.files import Unusable, write_whole

LIST = "written"
"""A file in the folder of results: the digest of each written file, by name."""
EDITED = ".edited"
"""Added to the name of a file that has been changed since."""


class Manifest:
    """The files that runs have written to the folder ``out``, listed in ``kept``."""

    def __init__(self, out: Path, kept: Path) -> None:
        self._out = out
        self._list = kept / LIST
        self._known = {
            name: found for name, found in _read(self._list).items() if _inside(out, name)
        }

    def check(self, names: Iterable[str]) -> None:
        """Check that no file of someone else has one of these names.

        Raises:
            Unusable: one does.
        """
        for name in names:
            path = self._out / name
            if not _inside(self._out, name):
                raise Unusable(f"{path.parent} leads out of {self._out}. Name another --out.")
            if (path.exists() or path.is_symlink()) and name not in self._known:
                raise Unusable(
                    f"{path} was not written by this command. Move it, or name another --out."
                )

    def replace(self, files: Mapping[str, str | bytes]) -> list[str]:
        """Write ``files``, remove what else earlier runs wrote, and return what was unusual.

        A file that has been changed since is kept under another name.

        Raises:
            Unusable: a file of someone else is in the way.
            OSError: the disk is full or not writable.
        """
        self.check(files)
        new = {name: [_digest(content)] for name, content in files.items()}
        # First, so that a run that is killed halfway leaves no file that seems someone else's.
        self._save(
            {
                name: [*self._known.get(name, ()), *new.get(name, ())]
                for name in {**self._known, **new}
            }
        )
        moved = [kept for name in self._known if (kept := self._moved(name))]
        said = [f"Kept your changes as {kept}." for kept in moved]
        for name, content in files.items():
            path = self._out / name
            path.parent.mkdir(exist_ok=True)
            write_whole(path, content, durable=len(files) < 100)
        # A copied folder of results lists files that exist only in the original place.
        gone = [name for name in self._known if name not in files and (self._out / name).exists()]
        for name in gone:
            (self._out / name).unlink(missing_ok=True)
            with suppress(OSError):  # other files are in it
                if (folder := (self._out / name).parent) != self._out:
                    folder.rmdir()
        tops = dict.fromkeys(name.partition("/")[0] for name in gone)
        said += [
            f"Removed {top}: an earlier run wrote it."
            for top in tops
            if not (self._out / top).exists()
        ]
        self._known = new
        self._save(new)
        return said

    def _moved(self, name: str) -> str:
        """Rename a file that was changed since it was written; return its new name, or ''."""
        path = self._out / name
        try:
            if _digest(path.read_bytes()) in self._known[name]:
                return ""
        except FileNotFoundError:
            return ""
        kept, number = path.with_name(path.name + EDITED), 1
        while kept.exists():
            number += 1
            kept = path.with_name(f"{path.name}{EDITED}{number}")
        path.replace(kept)
        return kept.name

    def _save(self, known: Mapping[str, list[str]]) -> None:
        self._known = dict(known)
        write_whole(self._list, json.dumps(known, indent=0, sort_keys=True))


def _inside(out: Path, name: str) -> bool:
    """Whether this names a file in ``out`` and no link on the way leads out of it."""
    if not name or "\0" in name or name.startswith("/") or {"", ".", ".."} & {*name.split("/")}:
        return False
    return (out / name).parent.resolve().is_relative_to(out.resolve())


def _read(path: Path) -> dict[str, list[str]]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    good = isinstance(found, dict) and all(isinstance(each, list) for each in found.values())
    return found if good else {}


def _digest(content: str | bytes) -> str:
    data = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()
