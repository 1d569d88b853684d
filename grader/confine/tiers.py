"""What a set of layers amounts to, in the report's one word; and what the machine offers."""

# pathlib would cost 10 ms of every start.
# ruff: noqa: PTH100, PTH116, PTH120, PTH123
from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from grader.confine import bubblewrap
from grader.confine.folder import NOBODY, reachable

LAYERS = ("bubblewrap", "user", "limits", "landlock", "seccomp")
"""Every layer: those around the worker, then those that it applies from inside."""

SANDBOXED = frozenset(LAYERS)
CONFINED = SANDBOXED - {"bubblewrap"}
TIERS = ("sandboxed", "confined", "process")
"""From the strongest to the weakest."""

CONFINED_SEES = (
    "A confined program can see the size and the dates of a file whose path it guesses, "
    "but not what is in it."
)

INSTALL = (
    "Install bubblewrap: sudo apt install bubblewrap (Debian, Ubuntu), "
    "sudo dnf install bubblewrap (Fedora), sudo pacman -S bubblewrap (Arch)."
)
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
    """``sandboxed`` or ``confined`` if all its layers are in force, else ``process``."""
    applied = set(layers)
    if applied >= SANDBOXED:
        return "sandboxed"
    return "confined" if applied >= CONFINED else "process"


def usable(layers: tuple[str, ...]) -> tuple[str, ...]:
    """Those of ``layers`` that can be tried here; the worker says which are in force."""
    lacking = set()
    if "bubblewrap" in layers and bubblewrap.problem():
        lacking.add("bubblewrap")
    if "user" in layers and not _droppable(inside="bubblewrap" in layers and not lacking):
        lacking.add("user")
    return tuple(layer for layer in layers if layer not in lacking)


def reason(missing: list[str]) -> tuple[str, str]:
    """Why a layer is missing, naming the one that most depends on, and the remedy."""
    if "landlock" in missing or "seccomp" in missing:
        lacks = " and ".join(layer for layer in missing if layer in ("landlock", "seccomp"))
        return f"This system has no {lacks}.", "Use Linux 5.13 or later, on x86-64 or aarch64."
    mends_both = "bubblewrap" in missing and _droppable(inside=True)
    if "user" in missing and not mends_both:
        if not _has_nobody():
            why = "The grader runs as root in a user namespace that has no other user."
            return why, "Run it as an ordinary user, for whom programs are confined at once."
        why = "The grader runs as root, and no other user may read Python or the grader."
        remedy = (
            "Run it as an ordinary user, for whom programs are confined at once, or install it "
            "where everyone may read it."
        )
        return why, f"{remedy} Or: {INSTALL}" if "bubblewrap" in missing else remedy
    if "bubblewrap" in missing:
        problem = bubblewrap.problem()
        remedy = ALLOW if bubblewrap.program() else INSTALL
        return f"bubblewrap does not work here: {problem}.", remedy
    return f"Missing: {', '.join(missing)}.", ""


@cache
def _droppable(*, inside: bool) -> bool:
    """Whether the worker can run as a user other than root and still read its programs."""
    if sys.platform == "win32" or os.geteuid() != 0:
        return True
    if not _has_nobody():
        return False
    grader = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return all(_open_to_all(path, inside) for path in (sys.prefix, sys.base_prefix, grader))


def _has_nobody() -> bool:
    """Whether root can become another user; in a user namespace it may be alone."""
    try:
        with open("/proc/self/uid_map", encoding="ascii") as users:
            ranges = [line.split() for line in users]
        with open("/proc/self/setgroups", encoding="ascii") as groups:
            allowed = groups.read().strip() != "deny"
    except OSError:  # not Linux
        return True
    return allowed and any(int(one) <= NOBODY < int(one) + int(n) for one, _, n in ranges)


def _open_to_all(path: str, inside: bool) -> bool:
    """Whether anyone may read ``path``. bubblewrap recreates the folders above it."""
    real = os.path.realpath(path)
    if os.stat(real).st_mode & 0o005 != 0o005:
        return False
    return inside or reachable(real)
