"""Covering designs, trials in turn, and programs that are wrong under a condition only."""

from __future__ import annotations

import ast
import itertools

import numpy as np

from grader.rubric import Call, Load, Make, Probe, Ref, Trial, covering, in_turn, reloaded
from tests.graded import conditional
from tests.graded.conditions import CONDITIONS, Target

AXES = {"mask": (None, "row", "full"), "bias": (False, True), "size": (1, 2, 3, 4)}


def test_every_pair_is_covered() -> None:
    cases = covering(AXES)
    for one, other in itertools.combinations(AXES, 2):
        met = {(case[one], case[other]) for case in cases}
        assert met == set(itertools.product(AXES[one], AXES[other]))
    assert len(cases) < 24


def test_threes_are_covered_where_they_are_asked_for() -> None:
    cases = covering(AXES, three=tuple(AXES))
    assert {tuple(case.values()) for case in cases} == set(itertools.product(*AXES.values()))


def test_what_is_not_allowed_is_in_no_case() -> None:
    cases = covering(AXES, lambda case: not (case["bias"] and case["size"] == 1))
    assert not any(case["bias"] and case["size"] == 1 for case in cases)
    assert {(case["mask"], case["size"]) for case in cases} == set(
        itertools.product(AXES["mask"], AXES["size"])
    )


def test_actions_of_two_trials_alternate_under_names_of_their_own() -> None:
    one = Trial(
        Probe("x", (Make("module", "Layer"), Call("out", "module", None, (Ref("module"),)))),
        lambda **knobs: {},
    )
    both = in_turn("both", {"a": one, "b": one})
    assert [action.name for action in both.probe.actions] == [
        "a-module",
        "b-module",
        "a-out",
        "b-out",
    ]
    last = both.probe.actions[-1]
    assert isinstance(last, Call)
    assert (last.on, last.args) == ("b-module", (Ref("b-module"),))


def test_other_weights_are_loaded_into_the_same_object() -> None:
    one = Trial(
        Probe(
            "x", (Make("module", "Layer"), Load("in", "module", {}), Call("out", "module", None))
        ),
        lambda **knobs: {"out": np.zeros(1)},
    )
    both = reloaded(one, one)
    names = [action.name for action in both.probe.actions]
    assert names == ["module", "in", "out", "again-in", "again-out"]
    assert {action.on for action in both.probe.actions if not isinstance(action, Make)} == {
        "module"
    }
    assert both.expect is not None
    assert set(both.expect()) == {"out", "again-out"}


def test_a_conditional_mutant_is_wrong_only_under_its_condition() -> None:
    right = ast.parse("def double(x):\n    return 2 * x\n")
    wrong = ast.parse("def double(x):\n    return helper(x)\n\ndef helper(x):\n    return x\n")
    text = conditional.program(right, wrong, Target("double"), "c.a['x'] == 3")
    program: dict[str, object] = {"__name__": "program"}
    exec(text, program)
    double = program["double"]
    assert callable(double)
    assert [double(x) for x in (2, 3, 4)] == [4, 3, 8]
    assert program["fired"] == [1]


def test_every_condition_is_an_expression() -> None:
    for targets in CONDITIONS.values():
        for target in targets:
            for text in target.conditions().values():
                ast.parse(text, mode="eval")
