"""How much of the machine one file may use."""

from __future__ import annotations

from typing import NamedTuple

MIB = 1 << 20


class Limits(NamedTuple):
    """Seconds and bytes.

    ``wall`` is for one answer and ``whole`` for all answers to a job: a right program may be a
    hundred times as slow as the solution, and an endless loop is found sooner. ``start`` is for
    importing the framework, and exceeding it is the machine's fault, not the learner's.
    ``compiling`` is added, in pieces, when the worker announces that it compiles kernels. A program
    can forge that: where the grader does not expect it, all answers together may take ``wall`` plus
    ``unexpected``, and without ``patient`` nothing is added. ``cpu`` counts over all threads and
    matters if the grader cannot keep time. ``memory`` is what the worker may use beyond what it
    uses before its job. ``file_size`` is for one file, ``disk`` for all of them, ``processes`` is
    for machines that cannot forbid starting processes.
    """

    wall: float = 20.0
    whole: float = 120.0
    start: float = 120.0
    compiling: float = 300.0
    unexpected: float = 15.0
    cpu: int = 900
    memory: int = 1536 * MIB
    address_space: int = 4096 * MIB
    output: int = 64 * 1024
    file_size: int = 16 * MIB
    disk: int = 128 * MIB
    threads: int = 512
    processes: int = 16
    patient: bool = True


STRANGERS = Limits(patient=False)
"""For programs of many people, each of whom waits for the others."""
