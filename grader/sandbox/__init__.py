"""Runs a learner's file in its own process, within limits, and leaves nothing behind.

Importing this package is cheap: NumPy is imported when the job is sent, while the worker
imports the framework.
"""

from __future__ import annotations

from grader.sandbox.launch import run, start
from grader.sandbox.limits import Limits
from grader.sandbox.pool import WorkerPool
from grader.sandbox.prefork import fork_servers, preforked
from grader.sandbox.running import Running
from grader.sandbox.worker import Worker

__all__ = ["Limits", "Running", "Worker", "WorkerPool", "fork_servers", "preforked", "run", "start"]
