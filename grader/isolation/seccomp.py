"""seccomp: after its imports the worker can start no process, open no socket and signal nobody.

The filter also forbids changing files' modes, owners, times and attributes, which Landlock does
not cover. See the kernel's ``Documentation/userspace-api/seccomp_filter.rst``. It is a classic BPF
program over ``struct seccomp_data``: the call's number is at offset 0, the architecture at 4, and
the arguments, 8 bytes each, start at 16.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from typing import TYPE_CHECKING

from grader.isolation import kernel
from grader.isolation.syscalls import FORBIDDEN, LABELS, SPECIAL, UNKNOWN

if TYPE_CHECKING:
    from grader.isolation.settings import Settings

SET_MODE_FILTER = 1
ALL_THREADS = 1

LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
DENY = ERRNO | errno.EPERM

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
CLONE_THREAD, CLONE_FILES = 0x00010000, 0x00000400
CLOSE_RANGE_UNSHARE = 2
FCNTL_FORBIDDEN = (5, 6, 7, 8, 10, 15, 36, 37, 38, 1024, 1026, 1031)
"""Locks, through which two workers that read one file could communicate. F_SETOWN, F_SETSIG and
F_SETOWN_EX send any signal to any process of the user; F_SETLEASE blocks whoever opens the file;
F_NOTIFY reports what happens in a folder; F_SETPIPE_SZ gives a pipe memory that no limit counts."""
MAP_SHARED, MAP_ANONYMOUS = 0x01, 0x20
"""Memory with both flags remains when a process releases its pages, and counts for no process."""
MADV_OUT = (20, 21)
"""MADV_COLD and MADV_PAGEOUT move memory to where the supervisor does not see it."""
NO_STREAM = 0xE
"""Bits that every type of socket except a stream has. A pair of streams reaches nobody else; a
datagram socket of a pair can send to any path."""
IOCTL_ALLOWED = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX. Others change a file's flags, type
into a terminal or send signals."""
PRCTL_ALLOWED = (15, 16)
"""PR_SET_NAME and PR_GET_NAME, of threads. Others would let a process outlive its parent, or hide
its files from the supervisor."""
O_ACCMODE, O_TRUNC = 0o3, 0o1000
SIGKILL = 9

Block = list[tuple[int, int, int, int]]
"""Instructions: code, jump if true, jump if false, operand."""


def apply(settings: Settings | None) -> bool:
    """Filter the system calls of every thread of this process; False if that is impossible."""
    machine = os.uname().machine
    if not kernel.LINUX or machine not in ARCHITECTURES or sys.maxsize < 1 << 32:
        return False
    return kernel.no_new_privileges() and install(program(machine, os.getpid()))


def install(code: Block) -> bool:
    """Install a filter made by :func:`program` in every thread of this process."""
    text = b"".join(struct.pack("<HBBI", *instruction) for instruction in code)
    held = ctypes.create_string_buffer(text, len(text))
    header = struct.pack("<HxxxxxxQ", len(code), ctypes.addressof(held))
    call = SPECIAL["seccomp"][os.uname().machine == "aarch64"]
    try:
        # A result above 0 is the id of a thread to which the filter could not be applied.
        buffer = ctypes.create_string_buffer(header, len(header))
        return kernel.syscall(call or 0, SET_MODE_FILTER, ALL_THREADS, buffer) == 0
    except OSError:
        return False


def program(machine: str, own: int) -> Block:
    """Return the filter for process ``own`` on ``machine``."""
    arm = machine == "aarch64"
    code: Block = [
        (LOAD, 0, 0, ARCHITECTURE),
        (JUMP_EQUAL, 1, 0, ARCHITECTURES[machine]),
        (RETURN, 0, 0, DENY),
        (LOAD, 0, 0, NUMBER),
    ]
    code += [(JUMP_AT_LEAST, 0, 1, UNKNOWN), (RETURN, 0, 0, ERRNO | errno.ENOSYS)]
    for name, block in _blocks(own).items():
        number = SPECIAL[name][arm]
        if number is not None:
            code += [(JUMP_EQUAL, 0, len(block), number), *block]
    # As on a disk without extended attributes, so that programs that copy files do without them.
    unlabelled = ERRNO | errno.EOPNOTSUPP
    for calls, answer in ((FORBIDDEN, DENY), (LABELS, unlabelled)):
        for numbers in calls.values():
            number = numbers[arm]
            if number is not None:
                code += [(JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, answer)]
    return [*code, (RETURN, 0, 0, ALLOW)]


def _blocks(own: int) -> dict[str, Block]:
    """Return a block for each call whose outcome depends on its arguments; it ends in a return."""
    first, second, third = ARGUMENTS, ARGUMENTS + 8, ARGUMENTS + 16
    return {
        # A thread with its own table of open files would hide them from the supervisor.
        "clone": _with_all(first, (CLONE_THREAD, CLONE_FILES), ALLOW, DENY),
        "close_range": _with_all(third, (CLOSE_RANGE_UNSHARE,), DENY, ALLOW),
        # Its flags are in memory, which filters cannot read. The C library falls back to clone.
        "clone3": [(RETURN, 0, 0, ERRNO | errno.ENOSYS)],
        "fcntl": [(LOAD, 0, 0, second), *_one_of(FCNTL_FORBIDDEN, DENY, ALLOW)],
        "ioctl": [(LOAD, 0, 0, second), *_one_of(IOCTL_ALLOWED, ALLOW, DENY)],
        "kill": _itself(own, second),
        "tgkill": _itself(own, third),
        "madvise": [(LOAD, 0, 0, third), *_one_of(MADV_OUT, DENY, ALLOW)],
        "mmap": _with_all(third + 8, (MAP_SHARED, MAP_ANONYMOUS), DENY, ALLOW),
        "open": _no_emptying(second),
        "openat": _no_emptying(third),
        "prctl": [(LOAD, 0, 0, first), *_one_of(PRCTL_ALLOWED, ALLOW, DENY)],
        # A call that only reads a limit passes no new one.
        "prlimit64": [
            (LOAD, 0, 0, third),
            (JUMP_EQUAL, 0, 3, 0),
            (LOAD, 0, 0, third + 4),
            (JUMP_EQUAL, 0, 1, 0),
            (RETURN, 0, 0, ALLOW),
            (RETURN, 0, 0, DENY),
        ],
        "socketpair": _with_all(second, (NO_STREAM,), DENY, ALLOW),
        "sched_setaffinity": [(LOAD, 0, 0, first), *_one_of((0, own), ALLOW, DENY)],
    }


def _one_of(values: tuple[int, ...], then: int, otherwise: int) -> Block:
    """Return ``then`` if the loaded value is one of ``values``."""
    tests = [(JUMP_EQUAL, len(values) - n, 0, value) for n, value in enumerate(values)]
    return [*tests, (RETURN, 0, 0, otherwise), (RETURN, 0, 0, then)]


def _with_all(flags_at: int, wanted: tuple[int, ...], then: int, otherwise: int) -> Block:
    """Return ``then`` if the flags have a bit of each of ``wanted``."""
    tests = [(JUMP_ANY_BIT, 0, len(wanted) - n, bits) for n, bits in enumerate(wanted)]
    return [(LOAD, 0, 0, flags_at), *tests, (RETURN, 0, 0, then), (RETURN, 0, 0, otherwise)]


def _itself(own: int, signal_at: int) -> Block:
    """Allow signals to process ``own`` only, without SIGKILL: that always comes from outside."""
    return [
        (LOAD, 0, 0, ARGUMENTS),
        (JUMP_EQUAL, 1, 0, own),
        (RETURN, 0, 0, DENY),
        (LOAD, 0, 0, signal_at),
        *_one_of((SIGKILL,), DENY, ALLOW),
    ]


def _no_emptying(flags_at: int) -> Block:
    """Forbid truncating a file opened for reading, which Landlock allows before Linux 6.2."""
    return [
        (LOAD, 0, 0, flags_at),
        (JUMP_ANY_BIT, 0, 2, O_TRUNC),
        (JUMP_ANY_BIT, 1, 0, O_ACCMODE),
        (RETURN, 0, 0, DENY),
        (RETURN, 0, 0, ALLOW),
    ]
