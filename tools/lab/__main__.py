"""The command line: ``python -m tools.lab NAME``."""

from __future__ import annotations

import os
import time

import click

from grader.base.machine import cores
from grader.frameworks.max import engine
from grader.learner.tasks import typed
from tools.lab.experiments import EXPERIMENTS, Experiment
from tools.lab.timing import Compared, compare


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("name", type=click.Choice(list(EXPERIMENTS)), required=False)
@click.option(
    "--turns", type=click.IntRange(1), default=20, show_default=True, help="How often to measure."
)
@click.option(
    "--engine",
    "kind",
    type=click.Choice(["max", "numpy"]),
    default="max",
    show_default=True,
    help="max compiles first; numpy starts at once.",
)
@click.option(
    "--processor", is_flag=True, help="Count CPU time of all threads: for a busy machine."
)
def main(name: str | None, turns: int, kind: str, processor: bool) -> None:
    """Measure on this machine what the lessons say about speed.

    Without a NAME it lists them. MAX compiles what is measured: some minutes
    the first time, then seconds.
    """
    if name is None:
        click.echo(listing(), nl=False)
        return
    experiment = EXPERIMENTS[name]
    if kind not in experiment.engines:
        raise click.UsageError(f"{experiment.name} needs --engine {experiment.engines[0]}.")
    os.environ.update(engine.environment())  # MAX reads it on import
    engine.install("numpy")  # only what is measured is compiled here
    if kind == "max":
        click.echo("Compiling: minutes the first time, then seconds …", err=True)
    pairs = experiment.prepare(kind)
    click.echo("Measuring …", err=True)
    clock = time.process_time if processor else time.perf_counter
    measured = [compare(pair, turns, clock) for pair in pairs]
    click.echo(table(experiment, measured, turns, kind, processor=processor), nl=False)


def listing() -> str:
    """Every experiment, with what it compares and where the lessons mention it."""
    lines = ["Experiments (`./pixiw run lab NAME`):", ""]
    for one in EXPERIMENTS.values():
        lines += [f"  {one.name:<10} {one.about}", f"  {'':<10} {one.lesson}"]
    return "\n".join(lines) + "\n"


def table(
    experiment: Experiment,
    measured: list[Compared],
    turns: int,
    kind: str,
    *,
    processor: bool = False,
) -> str:
    """What was measured, as text. A ratio is that of the shortest turns to that of the medians."""
    lines = [
        f"{experiment.name}: {experiment.about}",
        f"{cores()} CPU cores; engine {kind}; {'CPU' if processor else 'clock'} time, "
        f"the shortest of {turns} turns",
        "",
        f"{'':<24}{experiment.base:>12}{experiment.other:>12}   times faster",
    ]
    lines += [
        f"{one.size:<24}{_time(one.base):>12}{_time(one.other):>12}   {one.answer}"
        for one in measured
    ]
    return "\n".join(lines) + "\n"


def _time(seconds: float) -> str:
    """Seconds in a unit that needs three digits."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1 or unit == "µs":
            return f"{seconds * factor:.3g} {unit}"
    raise AssertionError("not reached")


if __name__ == "__main__":
    main(prog_name=typed("lab", "python -m tools.lab"))
