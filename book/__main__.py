"""Builds the book: ``python -m book``."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the products are small

import click

from book.build import BookProblem, build
from grader.base.course import ROOT
from grader.learner.tasks import typed

USUAL = ROOT / "build" / "book"


@click.command()
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=USUAL,
    help="Where to write the site.  [default: build/book]",
)
def main(output: Path) -> None:
    """Build the course as a web site that needs no network."""
    began = time.monotonic()
    try:
        build(output)
    except BookProblem as problem:
        click.echo(f"The book could not be built: {problem}", err=True)
        sys.exit(3)
    size = sum(path.stat().st_size for path in output.rglob("*") if path.is_file())
    took = time.monotonic() - began
    click.echo(f"Wrote the book ({size / 1e6:.1f} MB, {took:.0f} s). Open this file in a browser:")
    click.echo(f"  {output.resolve() / 'index.html'}")


if __name__ == "__main__":
    main(prog_name=typed("book", "python -m book"))
