"""Prepares the worker for its job: confines it, imports the framework, chooses the engine."""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING, NoReturn

from grader import frameworks
from grader.isolation import layers

if TYPE_CHECKING:
    from grader.frameworks import Runtime
    from grader.isolation.settings import Settings


def serve(settings: Settings) -> None:
    """Confine this process, then do its job. Does not return."""
    try:
        applied, runtime = _prepare(settings)
    except BaseException as error:  # noqa: BLE001 - nothing of the learner has run yet
        _broken(error)
    from grader.worker import job_loop

    job_loop.do_job(applied, settings.wall_ms / 1000, runtime)


def _prepare(settings: Settings) -> tuple[tuple[str, ...], Runtime]:
    """Apply every layer, and import the framework with its engine in between."""
    applied = layers.apply(layers.BEFORE_IMPORT, settings)
    runtime = import_single_threaded(settings)
    from grader.worker import job_loop

    runtime.install(settings.engine, job_loop.announce, settings.cache)
    applied += layers.apply(layers.AFTER_IMPORT, settings)
    layers.fall_back(applied, settings)
    if settings.warm:
        runtime.warm_up()
    gc.enable()
    gc.freeze()
    return applied, runtime


def import_single_threaded(settings: Settings, *, forking: bool = False) -> Runtime:
    """Import what starts no thread of the framework, and what the worker's protocol needs.

    A process that is ``forking`` workers of the usual engine imports more, once for all of them.

    The garbage collector pauses during the import, which saves a tenth of it, and ignores these
    objects later, so forked processes share their pages. The raised thresholds make collections
    rare: a job, which makes many graphs, takes a sixth less time.
    """
    gc.disable()
    runtime = frameworks.load(settings.framework).runtime()
    import grader.worker.job_loop  # noqa: F401

    if forking:
        runtime.prepare()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    return runtime


def _broken(error: BaseException) -> NoReturn:
    """Report why the worker cannot start, and end."""
    import traceback

    from grader.isolation.settings import MESSAGES
    from grader.protocol import wire
    from grader.protocol.message import Broken

    problem = "".join(traceback.format_exception(error))[-4000:]
    os.write(MESSAGES, wire.encode(Broken(problem)))
    os._exit(1)
