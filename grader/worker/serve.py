"""Prepares the worker for its one job: confine it, import the framework, choose the engine."""

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
    """Confine this process, then do its one job. Does not return."""
    try:
        applied, runtime = _prepare(settings)
    except BaseException as error:  # noqa: BLE001 - nothing of the learner has run yet
        _broken(error)
    from grader.worker import job_loop

    job_loop.do_job(applied, settings.wall_ms / 1000, runtime)


def _prepare(settings: Settings) -> tuple[tuple[str, ...], Runtime]:
    """Apply every layer, and between them import the framework with its engine."""
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
    """Import as much of the framework as starts no thread, and what the worker's protocol needs.

    What is ``forking`` workers of the usual engine imports more, once for all of them.

    The collector rests meanwhile, which saves a tenth of the import, and looks at nothing of it
    later: imports stay anyway. A process forked from here shares those pages. With the rare
    collections of the thresholds a job takes a sixth less: graphs are many.
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
    """Report why the worker cannot start."""
    import traceback

    from grader.isolation.settings import MESSAGES
    from grader.protocol import wire
    from grader.protocol.message import Broken

    problem = "".join(traceback.format_exception(error))[-4000:]
    os.write(MESSAGES, wire.encode(Broken(problem)))
    os._exit(1)
