"""The commands that keep the course itself in order."""

from __future__ import annotations

import sys

import click

from grader import course


@click.command()
@click.option("--check", "only_check", is_flag=True, help="Change nothing; fail if out of step.")
@click.option("--force", is_flag=True, help="Replace edited stubs too; each is backed up first.")
def sync(only_check: bool, force: bool) -> None:
    """Regenerate the stubs, the step tasks and the reports in the lessons."""
    from grader import stubs

    sys.exit(stubs.sync(course.ROOT, check=only_check, force=force))
