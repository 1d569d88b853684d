"""Prepares the worker for its one job: confine it, import MAX, put the engine in place."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from grader.confine import layers
from grader.frameworks.max import cache

if TYPE_CHECKING:
    from grader.confine.settings import Settings


def serve(settings: Settings) -> None:
    """Confine this process, then do its one job. Does not return."""
    applied = layers.apply(layers.BEFORE_MAX, settings)
    try:
        _import_max(settings.engine, settings.cache)
    except BaseException as error:  # noqa: BLE001 - nothing of the learner has run yet
        _broken(error)
    applied += layers.apply(layers.AFTER_MAX, settings)
    layers.fall_back(applied, settings)
    from grader.worker import talk

    if settings.warm:
        from grader.frameworks.max import warm

        warm.run_forward()
    _relieve_collector()
    talk.do_job(applied, settings.wall_ms / 1000)


def _relieve_collector() -> None:
    """Spare the job a sixth of its time: MAX's objects are there to stay, and graphs are many."""
    import gc

    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def _import_max(engine: str, compiled: str) -> None:
    import_single_threaded()
    from grader.frameworks.max import engine as engines
    from grader.worker import talk

    engines.install(engine, talk.announce, lambda: cache.seed(compiled))


def import_single_threaded() -> None:
    """Import as much of MAX as starts no thread, and what the worker's talk needs."""
    from grader.frameworks.max.engine import placeholder

    placeholder.install()

    import grader.frameworks.max.warm
    import grader.worker.talk  # noqa: F401


def _broken(error: BaseException) -> None:
    """Say why MAX could not be imported."""
    import traceback

    from grader.confine.settings import MESSAGES
    from grader.protocol import wire
    from grader.protocol.message import Broken

    problem = "".join(traceback.format_exception(error))[-4000:]
    os.write(MESSAGES, wire.encode(Broken(problem)))
    os._exit(1)
