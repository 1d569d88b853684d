"""What pixiw asks of pip, and how pip's talk is retold to a learner."""

from __future__ import annotations

import re
from collections.abc import Callable

from tools.pixiw.manifest import Environment, Manifest, Problem

Run = Callable[[list[str], Callable[[str], None]], tuple[int, str]]
"""Runs a command, hands on each line of its output, and returns its status and output."""

DOWNLOAD = re.compile(
    r"\s*(?:Downloading|Using cached) (?:\S*/)?([^\s/]+?)-(\d[^-\s]*)-\S+ (\(.+\))"
)
UNPACK = re.compile(r"Installing collected packages: (.*)")

OFFLINE = """\
The package index did not answer. Is this machine online, and is a proxy set where one is
needed? Only making an environment needs the network; nothing after that does."""

NO_WHEEL = """\
The package index has nothing of that name and version for this machine. MAX runs on Linux
(x86-64 or ARM, glibc 2.34 or newer: Ubuntu 22.04, Debian 12, Fedora 35) and on Macs with Apple
silicon (macOS 13 or newer)."""

CHANGED = """\
A downloaded package is not the one that requirements/ names. If your package index serves
builds of its own, remove the folder requirements/; the versions then come from pixi.toml."""


def install(
    run: Run, manifest: Manifest, environment: Environment, say: Callable[[str], None]
) -> None:
    """Install the packages of ``environment`` where ``run`` runs.

    Raises:
        Problem: with pip's own words and what to do about them.
    """
    options = ["--no-input", "--disable-pip-version-check", "--progress-bar", "off"]
    wanted = _locked(manifest, environment, say) or list(environment.requirements)
    status, output = run(
        ["python", "-I", "-m", "pip", "install", *options, *wanted], _Teller(say).hear
    )
    if status:
        raise Problem(_explain(output))


def _locked(
    manifest: Manifest, environment: Environment, say: Callable[[str], None]
) -> list[str] | None:
    """The options that install the locked versions; None where there are none."""
    lock = manifest.root / environment.lock
    if not lock.exists():
        return None
    if f"pixi.toml {environment.digest}" not in lock.read_text(encoding="utf-8").splitlines()[0]:
        say(f"{environment.lock} was made for another pixi.toml; its versions are NOT used.")
        say("`./pixiw run lock` brings it up to date.")
        return None
    return ["--require-hashes", "--requirement", str(lock)]


class _Teller:
    """Retells pip's output line by line: what is fetched, how large it is, what goes on."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._complained = False

    def hear(self, line: str) -> None:
        """Retell one line, if a learner gains from it."""
        if found := DOWNLOAD.match(line):
            self._say(f"  fetching {found[1].replace('_', '-')} {found[2]} {found[3]}")
        elif found := UNPACK.match(line):
            count = found[1].count(",") + 1
            self._say(f"  unpacking {count} package{'s' if count > 1 else ''}")
        elif "Retrying" in line and not self._complained:
            self._complained = True
            self._say("  the package index does not answer; trying again")


def _explain(output: str) -> str:
    errors = [line for line in output.splitlines() if line.startswith("ERROR")]
    said = "\n".join(f"    {line}" for line in errors[-4:] or output.splitlines()[-8:])
    advice = ""
    if "Retrying" in output or "ConnectionError" in output:
        advice = OFFLINE
    elif "DO NOT MATCH THE HASHES" in output:
        advice = CHANGED
    elif "No matching distribution" in output:
        advice = NO_WHEEL
    return f"The packages could not be installed. pip says:\n{said}\n{advice}".rstrip()
