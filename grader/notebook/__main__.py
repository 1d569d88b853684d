"""Answers one question of a notebook: a ``Question`` on stdin, an ``Answer`` on stdout."""

from __future__ import annotations

import os
import sys
import warnings

if __name__ == "__main__":
    warnings.simplefilter("ignore")  # a program's odd numbers warn in NumPy, with paths of ours
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # its threads would spin on the worker's cores
    from grader.sandbox.prefork import head_start

    with head_start(1):
        import msgspec

        from grader.notebook.answers import answer
        from grader.notebook.messages import Question

        question = msgspec.json.decode(sys.stdin.buffer.read(), type=Question)
        sys.stdout.buffer.write(msgspec.json.encode(answer(question)))
