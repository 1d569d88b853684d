"""The process that becomes the worker, and never returns, whatever goes wrong."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from grader.isolation.settings import Settings


def work_or_die(settings: Settings, parent: int) -> NoReturn:
    """Be the worker of ``parent``, and end with it, whatever goes wrong."""
    try:
        _work(settings, parent)
    except BaseException:  # noqa: BLE001
        # The worker failed, or code broke it. Report that here: Python's own shutdown would
        # run more of that code.
        sys.__excepthook__(*sys.exc_info())
    finally:
        os._exit(70)


def _work(settings: Settings, parent: int) -> None:
    from grader.isolation import kernel

    os.setsid()
    kernel.die_with(parent)
    os.chdir(settings.folder)
    sys.argv = [""]
    sys.orig_argv = [sys.executable]
    from grader.worker import serve

    serve.serve(settings)
