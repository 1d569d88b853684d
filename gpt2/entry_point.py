"""Runs a command of ``gpt2``: failures in one line, an exit status, and an end that is at once."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from pathlib import Path

import click

from gpt2.text_generation import SMALL
from grader.cli.options import from_caller

model_option = click.option(
    "--model",
    "folder",
    type=click.Path(path_type=Path),
    callback=lambda _, __, folder: SMALL if folder is None else from_caller(folder),
    help="Folder of a Hugging Face GPT-2. Without it, the small one that ships with the course.",
)


def run(command: click.Command, name: str) -> None:
    """Run a command line. Expected failures are reported without a traceback."""
    from gpt2.checkpoint import NoCheckpoint
    from gpt2.course import StepProblem
    from gpt2.tensorfile import BadTensorFile
    from gpt2.tokenizer import NoTokenizer
    from grader.base.files import Unusable

    try:
        command.main(prog_name=name, standalone_mode=False)
        _leave(0)
    except click.ClickException as problem:
        problem.show()
        sys.exit(problem.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("\nStopped.", err=True)
        _leave(130)
    except Unusable as problem:
        _end(str(problem), problem.status)
    except StepProblem as problem:
        _end(str(problem), 1)
    except (NoCheckpoint, BadTensorFile, NoTokenizer) as problem:
        _end(str(problem), 2)
    except SystemExit as end:  # click ends like this when nobody reads the text any more
        _leave(end.code if isinstance(end.code, int) else 1)
    except OSError as problem:
        _end(f"The machine refused: {problem}. Fix that and run it again.", 3)
    except Exception as problem:
        if os.environ.get("GRADER_TRACEBACK"):
            raise
        told = f"{type(problem).__name__}: {problem}"
        _end(f"MAX or the course failed, not you. {told}\nGRADER_TRACEBACK=1 shows more.", 3)


def _end(message: str, status: int) -> None:
    click.echo(f"Error: {message}", err=True)
    _leave(status)


def _leave(status: int) -> None:
    """End the process, at once if MAX is compiling: it could not be interrupted."""
    if threading.active_count() > 1:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):  # nobody reads it any more
                stream.flush()
        os._exit(status)
    sys.exit(status)
