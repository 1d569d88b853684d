"""The system call filter, run here on an interpreter of its own, for both architectures."""

from __future__ import annotations

import errno
import re
from pathlib import Path

import pytest

from grader.isolation import seccomp, syscalls

OWN = 4242
MACHINES = tuple(seccomp.ARCHITECTURES)
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
REFUSED = seccomp.ERRNO | errno.EPERM
ABSENT = seccomp.ERRNO | errno.ENOSYS
HARMLESS = {"read": (0, 63), "munmap": (11, 215), "futex": (202, 98), "exit_group": (231, 94)}
MUST_BE_FORBIDDEN = (
    "fork", "vfork", "execve", "execveat", "socket", "connect", "bind", "ptrace", "tkill",
    "process_vm_writev", "pidfd_send_signal", "rt_sigqueueinfo", "setsid", "setpgid", "unshare",
    "setns", "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchownat", "utimensat",
    "setxattr", "fsetxattr", "removexattr", "mount", "chroot", "bpf", "io_uring_setup",
    "memfd_create", "shmget", "mq_open", "keyctl", "open_by_handle_at", "mknodat", "setuid",
    "inotify_init1", "open_tree_attr", "file_setattr", "truncate", "openat2", "flock",
    "sendmsg", "sendmmsg", "recvmsg", "recvmmsg", "timer_create", "listmount", "statmount",
    "vmsplice", "setsockopt",
)  # fmt: skip


def verdict(machine: str, number: int, *arguments: int, architecture: int | None = None) -> int:
    """What the filter answers to one call."""
    words = {
        seccomp.NUMBER: number,
        seccomp.ARCHITECTURE: architecture or seccomp.ARCHITECTURES[machine],
    }
    for index in range(6):
        value = arguments[index] if index < len(arguments) else 0
        words[seccomp.ARGUMENTS + 8 * index] = value & 0xFFFFFFFF
        words[seccomp.ARGUMENTS + 8 * index + 4] = value >> 32
    code, at, loaded = seccomp.program(machine, OWN), 0, 0
    while True:
        operation, if_true, if_false, operand = code[at]
        at += 1
        if operation == seccomp.RETURN:
            return operand
        if operation == seccomp.LOAD:
            loaded = words[operand]
            continue
        holds = {
            seccomp.JUMP_EQUAL: loaded == operand,
            seccomp.JUMP_AT_LEAST: loaded >= operand,
            seccomp.JUMP_ANY_BIT: bool(loaded & operand),
        }[operation]
        at += if_true if holds else if_false


def number_of(name: str, machine: str) -> int:
    known = {**syscalls.SPECIAL, **syscalls.FORBIDDEN, **syscalls.LABELS, **HARMLESS}
    number = known[name][machine == "aarch64"]
    assert number is not None
    return number


@pytest.mark.parametrize("machine", MACHINES)
def test_forbidden_calls_are_refused_and_others_are_not(machine: str) -> None:
    for name, numbers in syscalls.FORBIDDEN.items():
        if numbers[machine == "aarch64"] is not None:
            assert verdict(machine, number_of(name, machine)) == REFUSED, name
    for name in HARMLESS:
        assert verdict(machine, number_of(name, machine)) == seccomp.ALLOW, name
    for name in syscalls.LABELS:
        unlabelled = seccomp.ERRNO | errno.EOPNOTSUPP
        assert verdict(machine, number_of(name, machine)) == unlabelled, name


@pytest.mark.parametrize("name", MUST_BE_FORBIDDEN)
def test_what_would_leave_the_sandbox_is_on_the_list(name: str) -> None:
    assert name in syscalls.FORBIDDEN


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("clone", (0x3D0F00,), seccomp.ALLOW),  # what pthread_create asks for
        ("clone", (0x3D0B00,), REFUSED),  # a thread with a table of open files of its own
        ("close_range", (3, 9, 0), seccomp.ALLOW),
        ("close_range", (3, 9, 4), seccomp.ALLOW),
        ("close_range", (3, 9, 2), REFUSED),  # which gives the thread such a table too
        ("clone", (17,), REFUSED),  # SIGCHLD alone: a fork
        ("clone", (0x4111,), REFUSED),  # vfork
        ("clone3", (0,), ABSENT),
        ("kill", (OWN, 6), seccomp.ALLOW),
        ("kill", (OWN, 9), REFUSED),  # who is killed was killed by others
        ("kill", (1, 9), REFUSED),
        ("kill", (0, 9), REFUSED),
        ("kill", (0xFFFFFFFF, 9), REFUSED),
        ("tgkill", (OWN, OWN, 6), seccomp.ALLOW),
        ("tgkill", (OWN + 1, OWN, 6), REFUSED),
        ("prctl", (15,), seccomp.ALLOW),  # a thread's name
        ("tgkill", (OWN, OWN, 9), REFUSED),
        ("prctl", (1, 0), REFUSED),  # surviving the parent
        ("prctl", (4, 0), REFUSED),  # PR_SET_DUMPABLE: hiding files from the supervisor
        ("prctl", (22, 2, 0), REFUSED),
        ("prctl", (1 << 30, 0), REFUSED),
        ("openat", (3, 0, 0o100), seccomp.ALLOW),
        ("openat", (3, 0, 0o1101), seccomp.ALLOW),  # a new file to write
        ("openat", (3, 0, 0o1000), REFUSED),  # emptying a file by reading it
        ("open", (0, 0o1000), REFUSED),
        ("open", (0, 0o1002), seccomp.ALLOW),
        ("fcntl", (3, 6, 0), REFUSED),  # a lock
        ("fcntl", (3, 37, 0), REFUSED),
        ("prlimit64", (0, 7, 0), seccomp.ALLOW),
        ("prlimit64", (0, 7, 0x1000), REFUSED),
        ("prlimit64", (0, 7, 0x1000_0000_0000), REFUSED),
        ("fcntl", (3, 0), seccomp.ALLOW),  # F_DUPFD
        ("fcntl", (3, 2, 1), seccomp.ALLOW),  # F_SETFD
        ("fcntl", (3, 8, 1), REFUSED),  # F_SETOWN: signals for somebody else
        ("fcntl", (3, 10, 9), REFUSED),  # F_SETSIG: and which
        ("fcntl", (3, 15, 0), REFUSED),
        ("fcntl", (3, 1024, 0), REFUSED),  # F_SETLEASE
        ("fcntl", (3, 1031, 1 << 20), REFUSED),  # F_SETPIPE_SZ
        ("mmap", (0, 4096, 3, 0x22), seccomp.ALLOW),  # private memory
        ("mmap", (0, 4096, 1, 0x01), seccomp.ALLOW),  # a file
        ("mmap", (0, 4096, 3, 0x21), REFUSED),  # memory that stays when it is given back
        ("madvise", (0, 4096, 4), seccomp.ALLOW),  # MADV_DONTNEED
        ("madvise", (0, 4096, 21), REFUSED),  # MADV_PAGEOUT
        ("ioctl", (1, 0x5401), seccomp.ALLOW),  # isatty
        ("ioctl", (1, 0x5451), seccomp.ALLOW),  # FIOCLEX
        ("ioctl", (0, 0x5412), REFUSED),  # TIOCSTI
        ("ioctl", (3, 0x40086602), REFUSED),  # FS_IOC_SETFLAGS
        ("ioctl", (3, 0x8901), REFUSED),  # FIOSETOWN
        ("socketpair", (1, 0o2000001), seccomp.ALLOW),  # a stream, closed on exec
        ("socketpair", (1, 2), REFUSED),  # datagrams: sendto takes any path
        ("socketpair", (1, 5), REFUSED),
        ("sched_setaffinity", (0, 8, 0), seccomp.ALLOW),
        ("sched_setaffinity", (OWN, 8, 0), seccomp.ALLOW),
        ("sched_setaffinity", (OWN - 1, 8, 0), REFUSED),
    ],
)
def test_arguments_decide_where_they_must(
    machine: str, name: str, arguments: tuple[int, ...], answer: int
) -> None:
    if syscalls.SPECIAL[name][machine == "aarch64"] is None:
        pytest.skip("there is no such call")
    assert verdict(machine, number_of(name, machine), *arguments) == answer


@pytest.mark.parametrize("machine", MACHINES)
def test_other_ways_into_the_kernel_are_closed(machine: str) -> None:
    assert verdict(machine, 0, architecture=0x40000003) == REFUSED  # 32-bit calls
    assert verdict(machine, 0x40000000 + 57) == ABSENT  # x32 calls
    assert verdict(machine, syscalls.UNKNOWN) == ABSENT
    assert verdict(machine, 0xFFFFFFFF) == ABSENT


@pytest.mark.parametrize("machine", MACHINES)
def test_the_numbers_are_those_of_the_kernels_headers(machine: str) -> None:
    if not HEADERS[machine].exists():
        pytest.skip("the kernel's headers are not installed")
    text = HEADERS[machine].read_text(encoding="utf-8")
    known = {name: int(n) for name, n in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
    newer = {"fchmodat2", "setxattrat", "removexattrat", "open_tree_attr", "file_setattr"}
    newer |= {"getxattrat", "listxattrat", "statmount", "listmount"}
    for name, numbers in {**syscalls.SPECIAL, **syscalls.FORBIDDEN, **syscalls.LABELS}.items():
        number = numbers[machine == "aarch64"]
        if name in known or name not in newer:
            assert known.get(name) == number, name
