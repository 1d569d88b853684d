"""The command line: ``python -m gpt2 --prompt "…"``."""

from __future__ import annotations

from pathlib import Path

import click

from gpt2.entry_point import model_option, run
from gpt2.text_generation import Wish, write
from grader.learner.tasks import typed


def a_number(_: click.Context, __: click.Parameter, value: float) -> float:
    """Refuse ``nan``, which is in every range."""
    if value != value:
        raise click.BadParameter("nan is not a number.")
    return value


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@model_option
@click.option("--prompt", default="It is a truth", help="The text to continue.")
@click.option(
    "--tokens",
    "--max-new-tokens",
    "tokens",
    type=click.IntRange(1),
    default=120,
    help="How many tokens to generate at most.",
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
    folder: Path,
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
    write(folder, Wish(prompt, tokens, temperature, top_k, seed), mine=mine, kind=kind)


if __name__ == "__main__":
    run(command, typed("gpt2", "python -m gpt2"))
