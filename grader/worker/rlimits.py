"""Limits that the kernel keeps for one process: memory, processor, files, core dumps."""

from __future__ import annotations

import contextlib
import resource
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.worker.start import Settings

OPEN_FILES = 512


def apply(settings: Settings) -> bool:
    """Lower the limits, hard and soft alike, so that nothing can raise them again."""
    limits = {
        resource.RLIMIT_CPU: settings.cpu,
        resource.RLIMIT_FSIZE: settings.file_size,
        resource.RLIMIT_AS: settings.address_space,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: OPEN_FILES,
    }
    for name, value in limits.items():
        # macOS has some of these names and refuses to set them.
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(name, (value, value))
    return resource.getrlimit(resource.RLIMIT_AS)[0] == settings.address_space
