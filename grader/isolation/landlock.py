"""Landlock: the worker can read only the installed programs and write only to its own folder.

Neither contains the course's answers. See the kernel's
``Documentation/userspace-api/landlock.rst``.
"""

# pathlib would cost 10 ms of every start.
from __future__ import annotations

import os
import stat
import struct
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from grader.isolation import allowlist, kernel

if TYPE_CHECKING:
    from grader.isolation.settings import Settings

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
PATH_BENEATH = 1
ASK_VERSION = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
TRUNCATE = 1 << 14
READ = READ_FILE | READ_DIR
MAKE_DEVICES = 1 << 6 | 1 << 11
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | 1 << 15
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""The number of file rights in each version of Landlock."""

NETWORK = 0b11
SCOPES = 0b11
"""Forbid TCP, and signals and abstract sockets to processes outside."""


def apply(settings: Settings) -> bool:
    """Confine this process and its future threads; False if the kernel has no Landlock."""
    return restrict(_rules(settings))


def restrict(rules: Iterable[tuple[str, int]]) -> bool:
    """Allow this process only what ``rules`` say: paths, each with the rights below it.

    Returns False if the kernel has no Landlock.
    """
    if not kernel.LINUX:
        return False
    try:
        version = kernel.syscall(CREATE_RULESET, None, 0, ASK_VERSION)
    except OSError:
        return False
    handled = (1 << FILE_RIGHTS.get(version, 16)) - 1
    ruleset = _create(version, handled)
    try:
        for path, rights in rules:
            _allow(ruleset, path, rights & handled)
        if not kernel.no_new_privileges():
            return False
        kernel.syscall(RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return True


def _create(version: int, handled: int) -> int:
    attributes = struct.pack("<Q", handled)
    if version >= 4:
        attributes += struct.pack("<Q", NETWORK)
    if version >= 6:
        attributes += struct.pack("<Q", SCOPES)
    import ctypes

    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    return kernel.syscall(CREATE_RULESET, buffer, len(attributes), 0)


def _rules(settings: Settings) -> Iterator[tuple[str, int]]:
    """Yield paths, and what is allowed below each."""
    everything = (1 << 16) - 1 & ~EXECUTE & ~MAKE_DEVICES
    programs = EXECUTE if settings.programs else 0
    for path in allowlist.paths(settings.grader, settings.course):
        yield path, READ | programs
    for path in allowlist.KERNEL:
        yield os.path.realpath(path), READ
    if programs:
        yield "/usr/bin", READ | programs
    yield settings.folder, everything
    yield "/dev/null", READ_FILE | WRITE_FILE
    if settings.cache:
        yield settings.cache, READ


def _allow(ruleset: int, path: str, rights: int) -> None:
    """Add a rule; a missing path needs none."""
    import ctypes

    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= ON_FILES
        rule = ctypes.create_string_buffer(struct.pack("<Qi", rights, descriptor), 12)
        kernel.syscall(ADD_RULE, ruleset, PATH_BENEATH, rule, 0)
    finally:
        os.close(descriptor)
