"""Features that only Linux has, through ``prctl`` and raw system calls.

On other systems, every function reports that it did nothing.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

LINUX = sys.platform == "linux"

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38


def prctl(option: int, value: int) -> bool:
    """Call ``prctl(option, value, 0, 0, 0)``; returns whether it succeeded."""
    if not LINUX:
        return False
    zeros = (ctypes.c_ulong(0),) * 3
    return bool(ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value), *zeros) == 0)


def syscall(number: int, *arguments: int | ctypes.Array[ctypes.c_char] | None) -> int:
    """Return the result of a system call.

    Raises:
        OSError: with the kernel's reason.
    """
    library = ctypes.CDLL(None, use_errno=True)
    passed = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = int(library.syscall(ctypes.c_long(number), *passed))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def adopt_orphans() -> bool:
    """Make every orphan below this process its child, so that none can escape."""
    return prctl(PR_SET_CHILD_SUBREAPER, 1)


def die_with(parent: int) -> None:
    """End this process when ``parent`` ends."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(70)


def no_new_privileges() -> bool:
    """Deny new privileges to programs that this process starts: Landlock and seccomp need that."""
    return prctl(PR_SET_NO_NEW_PRIVS, 1)
