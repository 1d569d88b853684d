"""A hostile file in a worker, and what is left of it; for the tests of the sandbox."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from grader import sandbox
from grader.isolation import kernel, landlock
from grader.isolation.tiers import LAYERS
from grader.protocol.probe import Outcome, Probe
from grader.sandbox import Limits
from tests.worker_jobs import QUICK, Leftovers, call, job

LONGER = (1, 4, 12)

HEAD = """
import ctypes, gc, json, os, signal, socket, subprocess, sys, threading, time
def first(): return "seen"
def after(): return "after"
"""


class Attack(NamedTuple):
    """A hostile file, how it must end, which probe was under way then, and its exit status."""

    source: str
    ended: str
    under_way: str | None = None
    probes: tuple[Probe, ...] = (call("first"), call("attack"), call("after"))
    limits: Limits = QUICK
    status: int | None = None


class Result(NamedTuple):
    """What an attack came to, and what was left right after."""

    outcome: Outcome
    processes: list[int]
    folder_left: bool


def carry_out(
    attack: Attack,
    layers: tuple[str, ...] = LAYERS,
    start: Callable[..., sandbox.Running] = sandbox.start,
) -> Result:
    """With more time if the attack got nowhere: its limits are short, and a machine may be busy."""
    wall = attack.limits.wall
    for longer in LONGER:
        limits = attack.limits._replace(wall=longer * wall)
        result = _once(attack._replace(limits=limits), layers, start)
        if not _late(attack, result.outcome):
            break
    return result


def _late(attack: Attack, outcome: Outcome) -> bool:
    """Whether the time ran out before the attack was under way: while imported, at no line yet."""
    at_import = attack.under_way is None
    begun = outcome.line is not None if at_import else attack.under_way == outcome.probe
    return outcome.ended == "timeout" and (attack.ended != "timeout" or not begun)


def _once(attack: Attack, layers: tuple[str, ...], start: Callable[..., sandbox.Running]) -> Result:
    with start(limits=attack.limits, layers=layers) as running:
        leftovers = Leftovers(running)
        outcome = running.finish(job(attack.source, *attack.probes))
        left = leftovers.processes()
    return Result(outcome, left, Path(running.folder).exists())


def confinable() -> bool:
    """Whether this machine has Landlock and seccomp, asked without the code under test."""
    actions = Path("/proc/sys/kernel/seccomp/actions_avail")
    try:
        kernel.syscall(landlock.CREATE_RULESET, None, 0, landlock.ASK_VERSION)
    except OSError:
        return False
    return actions.exists() and os.uname().machine in ("x86_64", "aarch64")
