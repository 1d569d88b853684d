"""The fresh call: a wrong call that is right where nothing ran before it. Then something is kept.

What is kept is written by the few statements of a program whose effect outlives a call.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from grader.explain.trace.program import parameters
from grader.grading.judge import rule_all
from grader.protocol.probe import Call, Probe, Ref
from grader.rubric import Failed
from grader.source.ast_cache import of_kind
from grader.source.bindings import around
from grader.source.def_use import binds

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.grading.conclude import Judge
    from grader.protocol.probe import Action, Job, Outcome
    from grader.rubric import Evidence
    from grader.sandbox import Worker

MOST = 3
"""Wrong trials that are run once more."""
CHANGES = ("add", "append", "appendleft", "extend", "insert", "pop", "setdefault", "update")
"""Methods that change what they are called on."""
CACHES = ("cache", "lru_cache", "cached_property")
"""Decorators that keep what a function gave."""


@dataclass(frozen=True)
class State:
    """What outlives a call: the ``name``, and the ``lines`` of a function that use or write it."""

    name: str
    lines: tuple[int, ...]

    @property
    def line(self) -> int:
        """The first of them."""
        return self.lines[0]


def kept(judge: Judge, job: Job, outcome: Outcome, start: Callable[..., Worker]) -> State | None:
    """What a failing program keeps from one call to the next, if its calls are right without."""
    if outcome.ended != "done" or outcome.load_error is not None:
        return None
    tree = judge.source.tree
    names = dict(written(tree))
    if not names or not _right_when_fresh(judge, judge.evidence(outcome), job, start):
        return None
    name = min(names, key=lambda one: names[one])
    return State(name, _uses(tree, name, names[name]))


def _right_when_fresh(
    judge: Judge, evidence: Evidence, job: Job, start: Callable[..., Worker]
) -> bool:
    """Whether wrong trials are right, each in a program that was imported for its last call.

    Where only a check without an oracle fails, its trials are run whole.
    """
    wrong = [
        name
        for name, one in evidence.trials.items()
        if one.expect is not None and not one.wished and not evidence.right(name)
    ]
    probes = [one for name in wrong[:MOST] if (one := _fresh(evidence, name)) is not None]
    if not wrong:
        probes = [one.probe for one in evidence.trials.values() if one.expect is None]
    if not probes:
        return False
    probes = [replace(one, source=f"{job.source}\n# {n}\n") for n, one in enumerate(probes)]
    with start(engine=job.engine) as running:
        outcome = running.finish(replace(job, probes=tuple(probes)))
    if not wrong:
        every = {**evidence.outcome.observations, **outcome.observations}
        seen = replace(evidence, outcome=replace(outcome, observations=every))
        return not any(isinstance(one, Failed) for one in rule_all(judge.rubric, seen).values())
    seen = replace(evidence, outcome=outcome)
    last = {one.name: one.actions[-1].name for one in probes}
    return all(
        seen.equal(name, path)
        for name, action in last.items()
        for path in evidence.expected(name)
        if path.partition(".")[0] == action
    )


def _fresh(evidence: Evidence, name: str) -> Probe | None:
    """The probe of a trial up to its first wrong call, with no other call that this does without.

    None if what is wrong is no call.
    """
    probe = evidence.until_wrong(name)
    last = probe.actions[-1]
    if not isinstance(last, Call):
        return None
    needed = set(_refs(last))
    actions: list[Action] = [last]
    for one in reversed(probe.actions[:-1]):
        if not isinstance(one, Call) or one.name in needed:
            needed |= set(_refs(one))
            actions.insert(0, one)
    return replace(probe, actions=tuple(actions))


def _refs(action: Action) -> Iterator[str]:
    """The names of the results that an action is given."""
    todo = [*getattr(action, "args", ()), *getattr(action, "kwargs", {}).values()]
    while todo:
        one = todo.pop()
        if isinstance(one, Ref):
            yield one.name
        elif isinstance(one, list | tuple):
            todo += one
        elif isinstance(one, dict):
            todo += one.values()


def written(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """What the functions of a program write that is there in the next call, and where."""
    shared = {name for one in tree.body for name in binds(one)}
    for function in of_kind(tree, ast.FunctionDef):
        defaults = [*function.args.defaults, *filter(None, function.args.kw_defaults)]
        plain = any(isinstance(one, ast.List | ast.Dict | ast.Set) for one in defaults)
        local = {one.id for one in of_kind(function, ast.Name) if isinstance(one.ctx, ast.Store)}
        bound = {name for one in of_kind(function, ast.Global) for name in one.names}
        own = bound | (shared - local) | (set(parameters(function)) - {"self"} if plain else set())
        for given in of_kind(function, ast.Assign):  # another name for what is shared
            if isinstance(given.value, ast.Name) and given.value.id in shared - local:
                own |= {*binds(given)}
        outer = function.name not in ("__init__", "__post_init__")
        for node in of_kind(function, ast.expr):
            target = _changed(node, bound)
            name = ast.unparse(target) if target is not None else ""
            if (outer and name.startswith("self.")) or name.partition(".")[0] in own:
                yield name, node.lineno
        for one in function.decorator_list:
            if any(word in ast.unparse(one) for word in CACHES):
                yield function.name, one.lineno


def _changed(node: ast.expr, bound: set[str]) -> ast.expr | None:
    """What an expression changes that others may see: an attribute, an entry, a global name."""
    match node:
        case ast.Attribute(ctx=ast.Store()):
            return node
        case ast.Subscript(value=value, ctx=ast.Store()):
            return value
        case ast.Name(id=name, ctx=ast.Store()) if name in bound:
            return node
        case ast.Call(func=ast.Attribute(value=value, attr=method)) if method in CHANGES:
            return value
    return None


def _uses(tree: ast.Module, name: str, line: int) -> tuple[int, ...]:
    """The lines of the function around ``line`` that use what is kept, or give it as a default."""
    inside = around(tree, line)
    if inside is None or inside.name == name:
        return (line,)
    uses = {one.lineno for one in of_kind(inside, ast.expr) if ast.unparse(one) == name}
    uses |= {one.lineno for one in of_kind(inside, ast.arg) if one.arg == name}
    return tuple(sorted(uses)) or (line,)
