"""Grade the grader: every variant and every mutant, and what the grader makes of it.

``python -m tests.grade_the_grader`` prints the table and exits with 0 only if no verdict is
wrong, at least 95 % of the wrong variants are named rightly, every check is killed by a wrong
variant and none by a right one.

``--seeds`` grades the variants with several seeds. ``--twice`` adds mutants with two mistakes.

``--conditional`` prints the matrix of :mod:`tests.graded.conditional` instead: each target and
condition, with what became of every mistake that was tried under it.

``--mutants`` grades every mutant of the solutions, with ``--conditional`` under every condition,
and lists those that pass without being known to be right. ``--sample`` takes so many of each step.

``--rewrites`` grades the solutions in other ways of writing, with ``--pairs`` in two at once
(``--sample`` pairs of each step), and lists those that take longest.

``--explanations`` makes ``--sample`` mistakes of each step by machine, other ones for each seed,
and tells how well they are explained (:mod:`tests.graded.explained`): ``--mistakes`` does so for
those of ``tests/mistakes``. ``--list`` adds those that are not. ``--contradictions`` looks only
for what contradicts itself, in the reports on all wrong variants.
"""

from __future__ import annotations

import argparse
import functools
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from grader.base import course
from grader.rubric import load
from tests.graded import conditional, explained, mutated, rewrites, told, variants, verdicts
from tests.graded.explained import Explained
from tests.graded.verdicts import Graded
from tests.mutate import twice

NAMED = 0.95
"""Of the wrong variants, whose concept the report must name."""

MUTATED = ("s02", "s05", "s07")
"""The steps of which every mutant is graded; of the others an even sample."""

SAMPLE = 40

MADE = 12
"""Mistakes of each step that are made by machine, if no other number is asked for."""

TITLES = "step||right|wrong|wrong passes|wrong fails|diagnosis right|s a file"
COLUMNS = "{:<6} {:<9} {:>6} {:>6} {:>13} {:>12} {:>16} {:>9}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 0 where the grader is right."""
    asked = _asked(arguments)
    steps = asked.steps or variants.steps()
    started = time.perf_counter()
    for wanted, mode in (
        (asked.each, _each_mutant),
        (asked.rewrites, _rewrites),
        (asked.conditional, _conditional),
        (asked.mistakes or asked.explanations, _explanations),
        (asked.contradictions, _contradictions),
    ):
        if wanted:
            return mode(asked, steps)
    print(COLUMNS.format(*TITLES.split("|")))
    complaints: list[str] = []
    for step in steps:
        for seed in range(asked.seed, asked.seed + asked.seeds):
            graded = list(_variants(asked.jobs, step, seed))
            complaints += _row(step, "variants", graded) + _checks(step, graded)
        if asked.twice:
            found = list(_mutants(asked.jobs, step, asked.seed, asked.twice))
            complaints += _row(step, "twice", found)
        if asked.mutants:
            found = list(_mutants(asked.jobs, step, asked.seed))
            complaints += _row(step, "mutants", found)
    for complaint in complaints:
        print(complaint)
    print(
        f"{'Not right yet.' if complaints else 'All right.'} "
        f"{time.perf_counter() - started:.0f} s on {asked.jobs} processes, seed {asked.seed}."
    )
    return 1 if complaints else 0


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="grade-the-grader", description=__doc__)
    parser.add_argument(
        "steps", nargs="*", type=variants.step, help="steps like s05; all by default"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--seed", type=int, default=20240501, help="for the graders' inputs")
    parser.add_argument("--no-mutants", dest="mutants", action="store_false")
    parser.add_argument("--mutants", dest="each", action="store_true", help="all of the solutions")
    parser.add_argument("--rewrites", action="store_true", help="the solutions, written otherwise")
    parser.add_argument("--pairs", action="store_true", help="two rewrites at once")
    parser.add_argument("--mistakes", action="store_true", help="tests/mistakes, what is reported")
    parser.add_argument(
        "--contradictions", action="store_true", help="what reports on wrong variants contradict"
    )
    parser.add_argument(
        "--explanations", action="store_true", help="the same, of mistakes made by machine"
    )
    parser.add_argument("--sample", type=int, default=10_000, help="this many of each step, evenly")
    parser.add_argument("--conditional", action="store_true", help="wrong under a condition only")
    parser.add_argument("--most", type=int, default=13, help="mistakes of a step (default 13)")
    parser.add_argument("--twice", type=int, default=0, help="this many mutants of two mistakes")
    parser.add_argument("--seeds", type=int, default=1, help="so many seeds, from --seed on")
    parser.add_argument("--list", action="store_true", help="those told badly, one line each")
    return parser.parse_args(arguments)


def _variants(jobs: int, step: str, seed: int) -> Iterator[Graded]:
    grade = functools.partial(verdicts.variant, seed=seed, prove=True)
    return verdicts.results(jobs, grade, variants.of(step))


def _mutants(jobs: int, step: str, seed: int, two: int = 0) -> Iterator[Graded]:
    """All mutants of some steps, a sample of others, or ``two`` mutants of two mistakes."""
    found = list(mutated.of(step))
    if two:
        found = list(twice(course.find(step).solution.read_text(encoding="utf-8"), two))
    elif step not in MUTATED:
        found = variants.sample(found, SAMPLE)
    return verdicts.results(jobs, functools.partial(verdicts.mutant, step, seed=seed), found)


def _each_mutant(asked: argparse.Namespace, steps: Sequence[str]) -> int:
    """Print what became of the mutants; 0 if those that pass are known to be right."""
    bad: list[str] = []
    for step in steps:
        cells = mutated.cells(step, asked.seed, asked.sample, conditions=asked.conditional)
        grade = functools.partial(mutated.judged, seed=asked.seed)
        found = list(verdicts.results(asked.jobs, grade, cells))
        bad += (told := mutated.survivors(step, found))
        print(mutated.row(step, found), *told, sep="\n", flush=True)
    return 1 if bad else 0


def _rewrites(asked: argparse.Namespace, steps: Sequence[str]) -> int:
    """Print what became of right programs made by machine; 0 if all pass."""
    verdicts.start()
    bad: list[str] = []
    times: list[tuple[float, Graded]] = []
    for step in steps:
        plain = rewrites.solution(step)
        drawn = rewrites.pairs(step, asked.seed, asked.sample)
        programs = [plain, *(drawn if asked.pairs else rewrites.alone(step))]
        grade = functools.partial(verdicts.mutant, step, seed=asked.seed)
        found = list(verdicts.results(asked.jobs, grade, programs))
        bad += _row(step, "rewrites", found) + [f"not right    {g}" for g in found if not g.right]
        base = next(one.seconds for one in found if "solution" in one.name)
        times += [(one.seconds / base, one) for one in found]
    print(*bad, sep="\n")
    for ratio, one in sorted(times, key=lambda two: -two[0])[:10]:
        print(f"{ratio:5.1f} times the solution's time, {one.seconds:.2f} s: {one.name}")
    return 1 if bad else 0


def _explanations(asked: argparse.Namespace, steps: Sequence[str]) -> int:
    """Print how well mistakes are explained; 0 if as well as they should be."""
    print(explained.title())
    every: list[Explained] = []
    sample = asked.sample if asked.mistakes else min(asked.sample, MADE)
    grade = functools.partial(
        explained.of_step, seed=asked.seed, sample=sample, corpus=asked.mistakes
    )
    for found in verdicts.results(asked.jobs, grade, steps):
        print(explained.row(found[0].one.step, found), flush=True)
        every += found
    print(explained.row("all", every))
    if asked.list:
        print(*explained.details(every), sep="\n")
    return 0 if explained.reached(every) else 1


def _contradictions(asked: argparse.Namespace, steps: Sequence[str]) -> int:
    """Print what the reports on wrong variants contradict; 0 if they contradict nothing."""
    every = [one for step in steps for one in variants.of(step, right=False) if not one.fresh]
    grade = functools.partial(told.of_variant, seed=asked.seed)
    found = [said for some in verdicts.results(asked.jobs, grade, every) for said in some]
    print(*sorted(found), sep="\n")
    print(f"{len({said.partition(':')[0] for said in found})} of {len(every)} reports.")
    return 1 if found else 0


def _conditional(asked: argparse.Namespace, steps: Sequence[str]) -> int:
    """Print the matrix mistake by condition; 0 if the grader refuses all that are not right."""
    bad: list[conditional.Judged] = []
    for step in steps:
        grade = functools.partial(conditional.judged, seed=asked.seed)
        found = list(verdicts.results(asked.jobs, grade, list(conditional.cells(step, asked.most))))
        rows: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for one in found:
            rows[one.cell.target, one.cell.condition][one.verdict] += 1
        for (target, condition), verdicts_ in sorted(rows.items()):
            told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts_.items()))
            print(f"{step} {target}, {condition}: {told}")
        for target, condition, reason in conditional.never(step):
            print(f"{step} {target}, {condition}: never, {reason}")
        bad += [one for one in found if one.verdict not in conditional.FINE]
        print(f"{step} {len(found)} programs", flush=True)
    for one in bad:
        print(f"{one.verdict:<10} {one.cell.step} {one.cell.name} {one.truth or ''}".rstrip())
    return 1 if bad else 0


def _row(step: str, what: str, graded: list[Graded]) -> list[str]:
    """Print one row; what is wrong about it."""
    wrong = [one for one in graded if not one.right]
    passes = [one for one in wrong if one.passed]
    fails = [one for one in graded if one.right and not one.passed]
    crashes = [one for one in graded if one.crash]
    unnamed = [one for one in wrong if not one.named] if what == "variants" else []
    share = 1 - len(unnamed) / max(1, len(wrong))
    told = f"{len(wrong) - len(unnamed)} ({share:.1%})" if what == "variants" else "–"
    seconds = sum(one.seconds for one in graded) / max(1, len(graded))
    print(
        COLUMNS.format(
            step,
            what,
            len(graded) - len(wrong),
            len(wrong),
            len(passes),
            len(fails),
            told,
            f"{seconds:.2f}",
        ),
        flush=True,
    )
    complaints = [f"wrong pass   {one}" for one in passes]
    complaints += [f"wrong fail   {one}" for one in fails]
    complaints += [f"crash        {one}" for one in crashes]
    if share < NAMED:
        complaints += [f"not named    {one}" for one in unnamed]
    return sorted(complaints)


def _checks(step: str, graded: list[Graded]) -> list[str]:
    """Checks that no wrong variant kills, and checks that a right one does."""
    killed: dict[str, Any] = {}
    complaints = []
    for one in graded:
        for check in one.failed:
            if one.right:
                complaints.append(f"right killed {one.name}: {check}")
            else:
                killed.setdefault(check, one)
    every = [check.id for check in load.rubric(course.find(step)).checks]
    complaints += [f"never killed {step}: {check}" for check in every if check not in killed]
    return complaints


if __name__ == "__main__":
    sys.exit(main())
