"""Landlock: of all files, the worker reads the installed programs and writes its own folder.

The answers of the course are in none of them. See the kernel's
``Documentation/userspace-api/landlock.rst``.
"""

# pathlib would cost 10 ms of every start.
# ruff: noqa: PTH120
from __future__ import annotations

import contextlib
import os
import stat
import struct
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from grader.worker import kernel

if TYPE_CHECKING:
    from grader.worker.start import Settings

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
PATH_BENEATH = 1
ASK_VERSION = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
TRUNCATE = 1 << 14
READ = READ_FILE | READ_DIR
MAKE_DEVICES = 1 << 6 | 1 << 11
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | 1 << 15
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many rights on files each version of Landlock knows."""

NETWORK = 0b11
SCOPES = 0b11
"""No TCP; no signals and no abstract sockets to processes outside."""

SYSTEM = (
    "/lib",
    "/lib64",
    "/nix/store",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/share/locale",
    "/usr/share/zoneinfo",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/ssl/openssl.cnf",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/self",
    "/sys/devices/system",
    "/sys/bus/pci/devices",
    "/sys/devices",
    "/dev/urandom",
    "/dev/random",
    "/dev/zero",
)


def apply(settings: Settings) -> bool:
    """Confine this process and its future threads; False where the kernel has no Landlock."""
    if not kernel.LINUX:
        return False
    try:
        version = kernel.syscall(CREATE_RULESET, None, 0, ASK_VERSION)
    except OSError:
        return False
    handled = (1 << FILE_RIGHTS.get(version, 16)) - 1
    ruleset = _create(version, handled)
    try:
        for path, rights in _rules(settings):
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
    """Paths, and what may be done below each."""
    everything = (1 << 16) - 1 & ~EXECUTE & ~MAKE_DEVICES
    # Without the interpreter's shared library, MAX's import runs python3 to ask for it.
    programs = 0 if "MOJO_PYTHON_LIBRARY" in os.environ else EXECUTE
    secret = os.path.dirname(settings.grader)
    for path in (*SYSTEM, sys.prefix, sys.base_prefix, *sys.path):
        for allowed in beside(os.path.realpath(path), secret):
            yield allowed, READ | programs
    if programs:
        yield "/usr/bin", READ | programs
    yield settings.grader, READ
    yield settings.folder, everything
    yield "/dev/null", READ_FILE | WRITE_FILE
    if settings.cache:
        yield settings.cache, everything


def beside(path: str, secret: str) -> Iterator[str]:
    """``path``; or, where ``secret`` is inside it, everything in it but that."""
    if path == secret:
        return
    if os.path.commonpath([path, secret]) != path:
        yield path
        return
    with contextlib.suppress(OSError):
        for entry in os.scandir(path):
            if not entry.is_symlink():
                yield from beside(entry.path, secret)


def _allow(ruleset: int, path: str, rights: int) -> None:
    """Add one rule; a path that does not exist needs none."""
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
