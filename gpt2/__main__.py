"""The command line: ``python -m gpt2 --prompt "…"``."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from pathlib import Path

import click

from gpt2.writing import SMALL, Wish, write
from grader.cli.options import from_caller
from grader.learner.tasks import typed


def a_number(_: click.Context, __: click.Parameter, value: float) -> float:
    """Refuse ``nan``, which is in every range."""
    if value != value:
        raise click.BadParameter("nan is not a number.")
    return value


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option(
    "--model",
    "folder",
    type=click.Path(path_type=Path),
    help="Folder of a Hugging Face GPT-2. Without it, the small one that ships with the course.",
)
@click.option("--prompt", default="It is a truth", help="The text to continue.")
@click.option(
    "--tokens",
    "--max-new-tokens",
    "tokens",
    type=click.IntRange(1),
    default=120,
    help="How many tokens to write at most.",
)
@click.option(
    "--temperature",
    type=click.FloatRange(0, 1000),
    default=0.8,
    callback=a_number,
    help="0 always takes the likeliest token.",
)
@click.option(
    "--top-k", type=click.IntRange(1), default=40, help="Sample from this many of the best tokens."
)
@click.option("--seed", type=click.IntRange(0), help="Draw the same random numbers again.")
@click.option("--mine", is_flag=True, help="Use your own steps instead of the solutions.")
@click.option(
    "--engine",
    "kind",
    type=click.Choice(["auto", "max", "numpy"]),
    default="auto",
    help="auto starts on NumPy while MAX compiles the model, and continues with the faster of the "
    "two; max waits for it; numpy compiles nothing.",
)
def command(
    folder: Path | None,
    prompt: str,
    tokens: int,
    temperature: float,
    top_k: int,
    seed: int | None,
    mine: bool,
    kind: str,
) -> None:
    """Write text with the GPT-2 of the course.

    Text goes to standard output, messages to standard error. Exit status: 0 it wrote,
    1 one of your steps does not work, 2 wrong usage or a folder without a GPT-2 of this kind,
    3 MAX or the machine failed, 130 stopped by Ctrl-C.
    """
    place = SMALL if folder is None else from_caller(folder)
    write(place, Wish(prompt, tokens, temperature, top_k, seed), mine=mine, kind=kind)


def main() -> None:
    """Run the command line. Expected failures are reported without a traceback."""
    from gpt2.checkpoint import NoCheckpoint
    from gpt2.course import StepProblem
    from gpt2.tensorfile import BadTensorFile
    from gpt2.tokenizer import NoTokenizer

    try:
        command.main(prog_name=typed("gpt2", "python -m gpt2"), standalone_mode=False)
        _leave(0)
    except click.ClickException as problem:
        problem.show()
        sys.exit(problem.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("\nStopped.", err=True)
        _leave(130)
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


if __name__ == "__main__":
    main()
