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

from grader.base import course
from grader.protocol.probe import Observation
from tests.graded import refusal, variants
from tests.graded.conditions import CONDITIONS, Target
from tests.graded.in_process import Inside
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


@functools.lru_cache(4)
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
    either = (
        f"either_class({target.name}, _wrong, {target.methods!r}, _condition)"
        if target.methods
        else f"either_function({target.name}, _wrong, _condition)"
    )
    return f"""from __future__ import annotations
{_outer(right)}

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


@functools.lru_cache(4)  # of a tree that is not changed: a step has hundreds of cells
def _outer(right: ast.Module) -> str:
    """The right program as text."""
    return ast.unparse(ast.Module([node for node in right.body if not _future(node)], []))


@functools.lru_cache(4)
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


def judged(cell: Cell, seed: int) -> Judged:
    """What the grader makes of ``cell``, and of one that passes, whether it is right.

    Only trials that meet the condition run: in the others the solution answers.
    """
    from tests.graded import direct

    text = _target(cell.step, cell.target).conditions()[cell.condition]
    trials = None if counts(text) else meeting(cell.step, cell.target, seed).get(cell.condition, ())
    no, module = refusal.refused(cell.step, cell.source, seed, trials)
    reached = _fired(module)
    if no:
        return Judged(cell, refused=True, reached=reached)
    if cell.condition not in met(cell.step, cell.target):
        return Judged(cell, no, reached, "")
    truth = direct.truth(cell.step, cell.source.encode())
    fired = _fired(sys.modules.get("learner"))
    return Judged(cell, no, reached, "" if truth.right else truth.why, fired)


def counts(condition: str) -> bool:
    """Whether the condition is about what came before, in other trials too."""
    return "c.calls" in condition or "c.number" in condition


@functools.cache
def meeting(step: str, target: str, seed: int) -> dict[str, list[str]]:
    """Which trials of the grader meet each condition, by the condition's name.

    One process runs them all, so it says nothing of conditions that :func:`counts` is true of.
    """
    found: dict[str, list[str]] = {}

    def noted(one: Observation) -> bool:
        met: set[str] = getattr(running.module, "met", set())
        for condition in met:
            found.setdefault(condition, []).append(one.probe)
        met.clear()
        return False

    running = Inside(noted)
    job = refusal.job(step, _noting(step, target), seed)
    running.finish(job)
    fresh = [probe.name for probe in job.probes if probe.again]  # on a module of their own
    return {condition: [*names, *fresh] for condition, names in found.items()}


@functools.cache
def met(step: str, target: str) -> frozenset[str]:
    """The conditions that the independent trial meets."""
    from tests.graded import direct

    direct.truth(step, _noting(step, target).encode())
    return frozenset(getattr(sys.modules.get("learner"), "met", ()))


def _target(step: str, name: str) -> Target:
    return next(one for one in CONDITIONS[step] if one.name == name)


def _noting(step: str, name: str) -> str:
    """The solution, which notes in ``met`` the conditions under which ``name`` is called."""
    target = _target(step, name)
    right = ast.parse(course.find(step).solution.read_text(encoding="utf-8"))
    table = ", ".join(f"{name!r}: lambda c: {text}" for name, text in target.conditions().items())
    return f"""{program(right, right, target, "_note(c)")}
met = set()
_CONDITIONS = {{{table}}}

def _note(c):
    met.update(name for name, condition in _CONDITIONS.items() if c.holds(condition))
"""


def _fired(module: object) -> bool:
    return bool(getattr(module, "fired", [0])[0])
