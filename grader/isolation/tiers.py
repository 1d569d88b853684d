"""The tier that a set of layers amounts to, as the report names it; and what the machine offers."""

# pathlib would cost 10 ms of every start.
# ruff: noqa: PTH100, PTH116, PTH120, PTH123
from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable
from functools import cache
from typing import NamedTuple

from grader.isolation import bubblewrap
from grader.isolation.folder import NOBODY, closed

LAYERS = ("bubblewrap", "user", "limits", "landlock", "seccomp")
"""Every layer: those around the worker, then those that it applies to itself."""

SANDBOXED = frozenset(LAYERS)
CONFINED = SANDBOXED - {"bubblewrap"}
TIERS = ("sandboxed", "confined", "process")
"""Strongest first."""

CONFINED_SEES = (
    "A confined program can see the size and the dates of a file whose path it guesses, "
    "but not what is in it."
)

INSTALLERS = {
    "apt-get": "apt-get install bubblewrap",
    "dnf": "dnf install bubblewrap",
    "pacman": "pacman -S bubblewrap",
    "zypper": "zypper install bubblewrap",
    "apk": "apk add bubblewrap",
}
"""How each package manager installs bubblewrap."""
ALLOW = (
    "Let bubblewrap create user namespaces: on Ubuntu 24.04 and later with an AppArmor profile for "
    "/usr/bin/bwrap that has the rule 'userns,'; in a container by starting it with "
    "--security-opt seccomp=unconfined --security-opt apparmor=unconfined "
    "--security-opt systempaths=unconfined."
)


class Offer(NamedTuple):
    """The best tier of this machine, why it is not better, and how to improve it."""

    tier: str
    why: str = ""
    remedy: str = ""


def name(layers: Iterable[str]) -> str:
    """Return ``sandboxed`` or ``confined`` if all its layers are in force, else ``process``."""
    applied = set(layers)
    if applied >= SANDBOXED:
        return "sandboxed"
    return "confined" if applied >= CONFINED else "process"


def usable(layers: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of ``layers`` worth trying here; the worker reports which are in force."""
    lacking = set()
    if "bubblewrap" in layers and bubblewrap.problem():
        lacking.add("bubblewrap")
    if "user" in layers and not _droppable(inside="bubblewrap" in layers and not lacking):
        lacking.add("user")
    return tuple(layer for layer in layers if layer not in lacking)


def reason(missing: Collection[str]) -> tuple[str, str]:
    """Return why layers are ``missing``, in a sentence, and the easiest remedy on this machine."""
    kernel = {"landlock": "Landlock", "seccomp": "seccomp"}
    if lacks := [title for layer, title in kernel.items() if layer in missing]:
        why = f"This system has no {' and no '.join(lacks)}."
        return why, "Use Linux 5.13 or later, on x86-64 or aarch64."
    if "user" in missing:
        return _root(bare="bubblewrap" in missing and bubblewrap.program() is None)
    if "bubblewrap" in missing:
        why = f"bubblewrap does not work here: {bubblewrap.problem()}."
        return why, ALLOW if bubblewrap.program() else _install()
    return f"Missing: {', '.join(missing)}.", ""


def _root(*, bare: bool) -> tuple[str, str]:
    """Return why the worker can run only as root, and the remedy; ``bare``: without bubblewrap."""
    if not _has_nobody():
        why = "The grader runs as root in a user namespace that has no other user."
        return why, "Run it as an ordinary user, for whom programs are confined at once."
    barred = _barred(inside=False)
    also = "; bubblewrap is not installed" if bare else ""
    where = " or ".join((*barred.paths, *barred.above))
    why = f"The grader runs as root, and no other user can enter {where}{also}."
    if bare and not any(_barred(inside=True)) and bubblewrap.promising():
        return why, _install()
    return why, f"Let other users read Python and the grader ({barred.opening()})."


def _install() -> str:
    """Say how to install bubblewrap with this machine's package manager."""
    import shutil

    here = (command for program, command in INSTALLERS.items() if shutil.which(program))
    command = next(here, "")
    sudo = "" if os.geteuid() == 0 else "sudo "
    return f"Install bubblewrap ({sudo}{command})." if command else "Install bubblewrap."


class Barred(NamedTuple):
    """What keeps other users from Python and the grader: closed paths and folders above them."""

    paths: list[str]
    above: list[str]

    def opening(self) -> str:
        """Return the command that opens them."""
        import shlex

        commands = (("chmod -R o+rX", self.paths), ("chmod o+x", self.above))
        return " && ".join(f"{begin} {shlex.join(given)}" for begin, given in commands if given)


@cache
def _barred(*, inside: bool) -> Barred:
    """Find what bars other users. ``inside`` bubblewrap the folders above are recreated, open."""
    grader = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    real = {os.path.realpath(path) for path in (sys.prefix, sys.base_prefix, grader)}
    above = {folder for path in real for folder in closed(os.path.dirname(path))}
    paths = {path for path in real if os.stat(path).st_mode & 0o005 != 0o005}
    return Barred(sorted(paths), [] if inside else sorted(above - paths))


def _droppable(*, inside: bool) -> bool:
    """Whether the worker can run as a user other than root and still read its programs."""
    if sys.platform == "win32" or os.geteuid() != 0:
        return True
    return _has_nobody() and not any(_barred(inside=inside))


def _has_nobody() -> bool:
    """Whether root can become another user: in a user namespace there may be no other."""
    try:
        with open("/proc/self/uid_map", encoding="ascii") as users:
            ranges = [line.split() for line in users]
        with open("/proc/self/setgroups", encoding="ascii") as groups:
            allowed = groups.read().strip() != "deny"
    except OSError:  # not Linux
        return True
    return allowed and any(int(one) <= NOBODY < int(one) + int(n) for one, _, n in ranges)
