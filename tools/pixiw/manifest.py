"""What ``pixi.toml`` says: the environments and the tasks, as far as pixiw can do them.

We read a deliberately small part of pixi's format. An unknown key
is an error: a task that silently does something else would be worse than none.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEFAULT = "default"
PREPARE = "_prepare"
"""The task run once in a new default environment. pixi hides names with ``_`` too."""

FOR_A_SHELL = frozenset("\"'`\\$&|;<>(){}[]*?~#\n")
"""Characters special to pixi's shell. A command with such a word is a list."""


class Problem(Exception):
    """Something the user must know, in one or a few sentences, with the exit status."""

    def __init__(self, message: str, status: int = 3) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Environment:
    """One environment of ``pixi.toml``. ``requirements`` are lines for uv, sorted."""

    name: str
    features: frozenset[str]
    requirements: tuple[str, ...]

    @property
    def folder(self) -> str:
        """Where pixiw makes it, relative to the root."""
        return ".venv" if self.name == DEFAULT else f".venv.{self.name}"

    @property
    def lock(self) -> str:
        """The file that pins its packages, relative to the root. It may be missing."""
        return f"requirements/{self.name}.txt"

    @property
    def digest(self) -> str:
        """What the first line of the lock names, to show that it belongs to ``requirements``."""
        return hashlib.sha256(json.dumps(self.requirements).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Task:
    """One task: a plain command, where it runs, and the variables that it gets."""

    name: str
    command: tuple[str, ...]
    environment: str
    variables: Mapping[str, str]
    description: str = ""


@dataclass(frozen=True)
class Manifest:
    """Everything pixiw needs from ``pixi.toml``."""

    root: Path
    name: str
    environments: Mapping[str, Environment]
    tasks: Mapping[str, Task]
    variables: Mapping[str, str]

    def environment(self, name: str) -> Environment:
        """The environment called ``name``.

        Raises:
            Problem: with the names that exist.
        """
        if name not in self.environments:
            known = ", ".join(self.environments)
            raise Problem(f"There is no environment {name!r}. There are: {known}.", 2)
        return self.environments[name]

    def layers(self, environment: Environment) -> list[Environment]:
        """The environments whose features ``environment`` includes: lowest first, itself last."""
        inside = [e for e in self.environments.values() if e.features <= environment.features]
        return sorted(inside, key=lambda each: len(each.features))

    def unknown(self, name: str) -> Problem:
        """What to say about a task that does not exist."""
        steps = sorted(task for task in self.tasks if re.fullmatch(r"s\d\d", task))
        if steps and re.fullmatch(r"s?\d+", name):
            said = f"There is no step {name.lstrip('s')}: the steps are {steps[0]} to {steps[-1]}."
            return Problem(f"{said} `./pixiw run next` says which one is yours.", 2)
        near = difflib.get_close_matches(name, self.tasks, n=1)
        guess = f" Did you mean {near[0]!r}?" if near else ""
        return Problem(f"There is no task {name!r}.{guess} `./pixiw` lists them.", 2)


def read(root: Path) -> Manifest:
    """``pixi.toml`` of the folder ``root``.

    Raises:
        Problem: if it cannot be read, or asks for something that only pixi can do.
    """
    try:
        tables = tomllib.loads((root / "pixi.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise Problem(f"pixi.toml cannot be read: {problem}") from None
    features = {DEFAULT: tables, **tables.get("feature", {})}
    environments = {
        name: _environment(name, body, features)
        for name, body in {DEFAULT: [], **tables.get("environments", {})}.items()
    }
    tasks = {
        name: _task(name, body, feature, environments)
        for feature, table in features.items()
        for name, body in table.get("tasks", {}).items()
    }
    variables = _variables(tables.get("activation", {}).get("env", {}), "[activation.env]")
    title = str(tables.get("workspace", {}).get("name", root.name))
    return Manifest(root, title, environments, tasks, variables)


def _environment(name: str, body: Any, features: Mapping[str, Any]) -> Environment:
    what = f"The environment {name!r}"
    table = {"features": body} if isinstance(body, list) else body
    _only(table, {"features", "solve-group", "no-default-feature"}, what)
    used = set(table.get("features", []))
    if not table.get("no-default-feature"):
        used.add(DEFAULT)
    for feature in used - features.keys():
        raise Problem(f"{what} names a feature that pixi.toml lacks: {feature!r}.")
    lines = {
        _requirement(package, wanted)
        for feature in used
        for package, wanted in features[feature].get("pypi-dependencies", {}).items()
    }
    return Environment(name, frozenset(used), tuple(sorted(lines)))


def _requirement(package: str, wanted: str | Mapping[str, Any]) -> str:
    table = {"version": wanted} if isinstance(wanted, str) else wanted
    _only(table, {"version", "extras"}, f"The dependency {package!r}")
    extras = ",".join(table.get("extras", []))
    version = table.get("version", "*").strip()
    return package + (f"[{extras}]" if extras else "") + ("" if version == "*" else version)


def _task(name: str, body: object, feature: str, environments: Mapping[str, Environment]) -> Task:
    what = f"The task {name!r}"
    table = {"cmd": body} if isinstance(body, str) else body
    if not isinstance(table, dict):
        raise Problem(f"{what} only names other tasks, which pixiw cannot run.")
    _only(table, {"cmd", "env", "description", "default-environment"}, what)
    command = table.get("cmd", "")
    if isinstance(command, str):
        if not command or FOR_A_SHELL & set(command):
            raise Problem(f"{what} is not a plain command, so pixiw cannot run it: {command!r}")
        command = command.split()
    environment = table.get("default-environment", DEFAULT)
    if environment not in environments or feature not in environments[environment].features:
        raise Problem(f"{what} needs a default-environment that has the feature {feature!r}.")
    variables = _variables(table.get("env", {}), what)
    return Task(name, tuple(command), environment, variables, str(table.get("description", "")))


def _variables(table: Mapping[str, object], what: str) -> dict[str, str]:
    for name, value in table.items():
        if not name.isidentifier() or not isinstance(value, str) or "$" in value:
            raise Problem(f"{what} sets {name!r} in a way that pixiw cannot follow.")
    return {name: str(value) for name, value in table.items()}


def _only(table: Mapping[str, object], known: set[str], what: str) -> None:
    other = sorted(set(table) - known)
    if other:
        raise Problem(f"{what} uses {', '.join(other)}, which only pixi supports.")
