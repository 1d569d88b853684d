"""The numbers of system calls, as ``(x86_64, aarch64)``; None where there is no such call.

From the kernel's ``arch/x86/entry/syscalls/syscall_64.tbl`` and ``scripts/syscall.tbl``.
"""

from __future__ import annotations

Numbers = tuple[int, int | None]

UNKNOWN = 470
"""Calls with this number or a higher one are newer than this list."""

# Calls whose outcome depends on their arguments.
SPECIAL: dict[str, Numbers] = {
    "clone": (56, 220),
    "clone3": (435, 435),
    "close_range": (436, 436),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "kill": (62, 129),
    "madvise": (28, 233),
    "mmap": (9, 222),
    "open": (2, None),
    "openat": (257, 56),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "sched_setaffinity": (203, 122),
    "socketpair": (53, 199),
    "seccomp": (317, 277),
    "tgkill": (234, 131),
}

PROCESSES: dict[str, Numbers] = {
    "execve": (59, 221),
    "execveat": (322, 281),
    "fork": (57, None),
    "ioprio_set": (251, 30),
    "kcmp": (312, 272),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "setns": (308, 268),
    "setpgid": (109, 154),
    "setpriority": (141, 140),
    "setrlimit": (160, 164),
    "setsid": (112, 157),
    "timer_create": (222, 107),  # a timer may end this process with SIGKILL
    "tkill": (200, 130),
    "unshare": (272, 97),
    "vfork": (58, None),
}

# socketpair is allowed, for streams: Python's event loops wake themselves with one.
NETWORK: dict[str, Numbers] = {
    "accept": (43, 202),
    "accept4": (288, 242),
    "bind": (49, 200),
    "connect": (42, 203),
    "listen": (50, 201),
    # Messages can hold open files, where the supervisor cannot find them.
    "recvmmsg": (299, 243),
    "recvmsg": (47, 212),
    "sendmmsg": (307, 269),
    "sendmsg": (46, 211),
    "setsockopt": (54, 208),  # sets buffer sizes, which no limit counts
    "socket": (41, 198),
}

FILES: dict[str, Numbers] = {
    "chmod": (90, None),
    "chown": (92, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "file_setattr": (469, 469),
    "flock": (73, 32),  # would make a file that two workers can read a channel between them
    "fremovexattr": (199, 16),
    "fsetxattr": (190, 7),
    "futimesat": (261, None),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "lchown": (94, None),
    "lremovexattr": (198, 15),
    "lsetxattr": (189, 6),
    "mknod": (133, None),
    "mknodat": (259, 33),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "openat2": (437, 437),  # its flags are in memory, which filters cannot read
    "removexattr": (197, 14),
    "removexattrat": (466, 466),
    "setxattr": (188, 5),
    "setxattrat": (463, 463),
    "truncate": (76, 45),  # Landlock covers it only since Linux 6.2
    "utime": (132, None),
    "utimensat": (280, 88),
    "utimes": (235, None),
}

# Extended attributes, by path: Landlock lets anyone read them, whoever owns the file.
LABELS: dict[str, Numbers] = {
    "getxattr": (191, 8),
    "getxattrat": (464, 464),
    "lgetxattr": (192, 9),
    "listxattr": (194, 11),
    "listxattrat": (465, 465),
    "llistxattr": (195, 12),
}

# Memory and names that outlive a process, or that are not counted as its own.
SHARED: dict[str, Numbers] = {
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "msgctl": (71, 187),
    "msgget": (68, 186),
    "msgrcv": (70, 188),
    "msgsnd": (69, 189),
    "semctl": (66, 191),
    "semget": (64, 190),
    "semop": (65, 193),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "shmget": (29, 194),
    "vmsplice": (278, 75),
}

MACHINE: dict[str, Numbers] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "capset": (126, 91),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "listmount": (458, 458),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "perf_event_open": (298, 241),
    "pivot_root": (155, 41),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "setdomainname": (171, 162),
    "setgid": (106, 144),
    "setgroups": (116, 159),
    "sethostname": (170, 161),
    "setregid": (114, 143),
    "setresgid": (119, 149),
    "setresuid": (117, 147),
    "setreuid": (113, 145),
    "settimeofday": (164, 170),
    "setuid": (105, 146),
    "statmount": (457, 457),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "userfaultfd": (323, 282),
    "vhangup": (153, 58),
}

FORBIDDEN: dict[str, Numbers] = {**PROCESSES, **NETWORK, **FILES, **SHARED, **MACHINE}
