"""Programs that are wrong only under a condition, made by machine.

Each is the step's solution, and a wrong variant that answers in its place where a condition of
:mod:`tests.graded.conditions` holds. The grader must refuse all that are not equivalent. Whether
one is equivalent says its own trial (:mod:`tests.graded.direct`), which does not know the rubric.
"""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader import frameworks
from grader.base import course
from grader.grading import judge as judging
from grader.grading.inputs import Drawn, draw
from grader.protocol import wire
from grader.protocol.probe import Job, Observation, Outcome
from grader.rubric import Evidence, Rubric, load
from tests.graded import variants
from tests.graded.conditions import CONDITIONS, Target
from tests.graded.variants import Variant

FINE = ("refused", "equivalent")
"""What may become of a cell."""

DISPATCH = Path(__file__).with_name("dispatch.py")


@dataclass(frozen=True)
class Cell:
    """One mistake under one condition."""

    step: str
    mistake: str
    """The name of the wrong variant."""
    target: str
    condition: str
    source: str

    @property
    def name(self) -> str:
        """Which program it is, for people."""
        return f"{self.mistake} | {self.target} | {self.condition}"


@dataclass(frozen=True)
class Judged:
    """What became of one cell.

    ``refused``: by the grader. ``reached``: whether the wrong program answered there.
    ``truth``: why it is wrong; None if it was not asked, "" if the numbers are right.
    ``met``: whether the independent trial met the condition.
    """

    cell: Cell
    refused: bool
    reached: bool
    truth: str | None = None
    met: bool = False

    @property
    def verdict(self) -> str:
        """``refused``, ``equivalent``, ``hole``, or ``unmet``: nothing tells."""
        if self.refused:
            return "wrong fail" if self.truth == "" else "refused"
        if self.truth:
            return "hole"
        return "equivalent" if self.met else "unmet"


def cells(step: str, most: int | None = None) -> Iterator[Cell]:
    """The conditional mutants of ``step``; of its mistakes at most ``most``, evenly chosen."""
    right = ast.parse(course.find(step).solution.read_text(encoding="utf-8"))
    chosen = mistakes(step)
    for one in chosen if most is None else variants.sample(chosen, most):
        wrong = ast.parse(one.source)
        before = ast.parse(one.base.source) if one.base is not None else right
        for target in touched(step, before, wrong):
            for name, condition in target.conditions().items():
                text = program(right, wrong, target, condition)
                yield Cell(step, one.stem, target.name, name, text)


def never(step: str) -> list[tuple[str, str, str]]:
    """Target, condition and reason of what no call can meet."""
    return [
        (target.name, condition, reason)
        for target in CONDITIONS[step]
        for condition, reason in target.never.items()
    ]


def mistakes(step: str) -> list[Variant]:
    """One wrong variant for each concept of ``step`` that can be parsed."""
    found: dict[frozenset[str], Variant] = {}
    for one in variants.of(step, right=False):
        try:
            ast.parse(one.source)
        except (SyntaxError, ValueError):
            continue
        if not one.fresh:
            found.setdefault(one.concepts[0] if one.concepts else frozenset((one.stem,)), one)
    return list(found.values())


def touched(step: str, right: ast.Module, wrong: ast.Module) -> list[Target]:
    """The targets that the wrong program defines otherwise, or all if it is hard to say."""
    before, after = _definitions(right), _definitions(wrong)
    targets = [one for one in CONDITIONS[step] if one.name in after]
    changed = {name for name in after if before.get(name) != after[name]}
    found = [one for one in targets if one.name in changed]
    return found if found and changed <= {one.name for one in targets} else targets


def _definitions(tree: ast.Module) -> dict[str, str]:
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {node.name: ast.dump(_bare(node)) for node in tree.body if isinstance(node, kinds)}


def _bare(node: ast.AST) -> ast.AST:
    """``node`` without docstrings."""
    copied = ast.parse(ast.unparse(node))
    for one in ast.walk(copied):
        if isinstance(one, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(one):
            one.body[:1] = [] if len(one.body) > 1 else [ast.Pass()]
    return copied


def program(right: ast.Module, wrong: ast.Module, target: Target, condition: str) -> str:
    """The text of the program that is wrong where ``condition`` holds."""
    outer = ast.unparse(ast.Module([node for node in right.body if not _future(node)], []))
    either = (
        f"either_class({target.name}, _wrong, {target.methods!r}, _condition)"
        if target.methods
        else f"either_function({target.name}, _wrong, _condition)"
    )
    return f"""from __future__ import annotations
{outer}

{_harness()}

@functools.cache
def _programs():
{_safe(wrong)}
    return locals()

def _wrong():
    return _programs()[{target.name!r}]

def _condition(c):
    return {condition}

{target.name} = {either}
"""


def _safe(wrong: ast.Module) -> str:
    """The wrong program as the body of a function. Texts of several lines stay what they are."""
    function = ast.parse("def _(): pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body = [node for node in wrong.body if not _future(node)]
    text = ast.unparse(ast.fix_missing_locations(ast.Module([function], [])))
    return text.partition("\n")[2]


def _future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


@functools.cache
def _harness() -> str:
    tree = ast.parse(DISPATCH.read_text(encoding="utf-8"))
    return ast.unparse(ast.Module([n for n in tree.body if not _future(n)][1:], []))


# ---- judging ------------------------------------------------------------------------------


def refused(step: str, source: str, seed: int) -> tuple[bool, bool]:
    """Whether the grader refuses the program, and whether its wrong part answered there.

    Only behaviour is looked at: a source check can refuse no program that behaves. The first trial
    for which it would be refused, were all others right, ends the run.
    """
    from tests.graded.inside import Inside

    right = solution(step, seed).observations
    seen: dict[str, Observation] = {}

    def enough(one: Observation) -> bool:
        if wire.encode(one) == wire.encode(right[one.probe]):
            return False
        seen[one.probe] = one
        return not behaves(step, seed, Outcome("done", {**right, **seen}))

    running = Inside(enough)
    outcome = running.finish(_job(step, source, seed))
    return not behaves(step, seed, outcome), _fired(running.module)


def _job(step: str, source: str, seed: int) -> Job:
    found = course.find(step)
    return Job(
        file=f"step_{step[1:]}.py",
        source=source,
        modules=course.earlier_modules(found),
        configuration=course.load(found.root).configuration,
        probes=tuple(trial.probe for trial in drawn(step, seed).trials.values()),
    )


def behaves(step: str, seed: int, outcome: Outcome) -> bool:
    """Whether every run-time check passes."""
    rulings = judging.rule_all(_rubric(step), evidence(step, seed, outcome))
    return outcome.ended == "done" and judging.behaves(rulings)


def evidence(step: str, seed: int, outcome: Outcome) -> Evidence:
    """What was seen, next to what is right."""
    inputs = drawn(step, seed)
    return Evidence(inputs.trials, outcome, frameworks.current(), inputs.expected)


@functools.cache
def solution(step: str, seed: int) -> Outcome:
    """What the step's own solution answers."""
    from tests.graded.inside import Inside

    outcome = Inside().finish(_job(step, course.find(step).solution.read_text("utf-8"), seed))
    assert behaves(step, seed, outcome)
    return outcome


@functools.cache
def _rubric(step: str) -> Rubric:
    return load.rubric(course.find(step))


@functools.cache
def drawn(step: str, seed: int) -> Drawn:
    """The trials, and what is right."""
    return draw(_rubric(step), seed).calculate()


def _fired(module: object) -> bool:
    return bool(getattr(module, "fired", [0])[0])


def judged(cell: Cell, seed: int, *, prove: bool = False) -> Judged:
    """What the grader makes of ``cell``. With ``prove``, its truth is asked in any case."""
    from tests.graded import direct

    no, reached = refused(cell.step, cell.source, seed)
    if no and not prove:
        return Judged(cell, refused=True, reached=reached)
    truth = direct.truth(cell.step, cell.source.encode())
    met = _fired(sys.modules.get("learner"))
    return Judged(cell, no, reached, "" if truth.right else truth.why, met)
