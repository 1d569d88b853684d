"""What the source says for certain, and what of the worker's answers is then believed."""

from __future__ import annotations

import pytest

from grader import frameworks
from grader.base import course
from grader.grading.inputs import draw
from grader.grading.validation import validated
from grader.protocol.probe import Call, Make, Observation, Outcome, Probe
from grader.rubric import load
from grader.source import Certain, certain, parse
from tests.graded import variants

SPELLINGS = frameworks.current().spellings()
HEAD = "from max.experimental.nn import Linear, Module\n"
PROBES = (
    Probe("f", (Call("out", None, "f"),)),
    Probe("A", (Make("a", "A"), Call("out", "a", None), Call("more", "a", "_split"))),
)


def known(source: str) -> Certain:
    return certain(parse((HEAD + source).encode(), "f.py", SPELLINGS))


LACKS = {
    "nothing": "x = 1\n",
    "a comment": "# A = 1\n",
    "a text": "'class A: pass'\n",
    "only a local name": "def g():\n    A = 1\n",
    "only a method": "class B:\n    def A(self): ...\n",
    "only an attribute read": "x = Module.A\n",
    "a name in other texts": "exec('B = 1')\n",
    "a text beside what binds by name": "globals()['B'] = 'class A: pass'\n",
}
MAY_HAVE = {
    "a class": "class A: ...\n",
    "a class in a branch": "if Module:\n    class A: ...\n",
    "a function": "def A(): ...\n",
    "an alias": "A = Module\n",
    "an import": "from elsewhere import A\n",
    "an import under this name": "import elsewhere as A\n",
    "everything": "from elsewhere import *\n",
    "a loop": "for A in (Module,): pass\n",
    "a walrus": "print(A := Module)\n",
    "a tuple": "A, B = Module, Linear\n",
    "a global": "def g():\n    global A\n    A = 1\n",
    "on the module": "import sys\nsys.modules[__name__].A = Module\n",
    "by text": "globals()['A'] = Module\n",
    "by a text that runs": "exec('class A: pass')\n",
    "by an argument": "vars().update(A=Module)\n",
}


@pytest.mark.parametrize("source", LACKS.values(), ids=LACKS)
def test_a_name_that_nothing_can_bind_is_missing(source: str) -> None:
    assert known(source).lacks("A")


@pytest.mark.parametrize("source", MAY_HAVE.values(), ids=MAY_HAVE)
def test_a_name_that_something_may_bind_is_left_open(source: str) -> None:
    assert not known(source).lacks("A")


CLASS = "class A(Module):\n    def __init__(self):\n        super().__init__()\n"
NO_METHOD = {
    "no method": CLASS,
    "no base": "class A:\n    x = 1\n",
    "typed": CLASS.replace("Module", "Module[[int], int]"),
    "a base in the file": f"{CLASS.replace('A', 'B', 1)}\nclass A(B): ...\n",
    "only a method of another class": f"{CLASS}\nclass B:\n    def forward(self): return 1\n",
    "only a function": f"{CLASS}\ndef forward(self): return 1\n",
}
MAY_HAVE_METHOD = {
    "forward": f"{CLASS}    def forward(self): return 1\n",
    "call": f"{CLASS}    def __call__(self): return 1\n",
    "assigned in the class": f"{CLASS}    forward = len\n",
    "in a branch": f"{CLASS}    if Linear:\n        def forward(self): return 1\n",
    "in a base": f"{CLASS.replace('A', 'B', 1)}    forward = len\nclass A(B): ...\n",
    "from an unknown base": "from elsewhere import B\nclass A(B): ...\n",
    "from a base that is computed": f"def b(): return Module\n{CLASS.replace('Module', 'b()')}",
    "assigned later": f"{CLASS}A.forward = len\n",
    "assigned on the object": f"{CLASS}        self.forward = len\n",
    "by text": f"{CLASS}setattr(A, 'forward', len)\n",
    "a decorator": f"@print\n{CLASS}",
    "a metaclass": CLASS.replace("Module", "Module, metaclass=type"),
    "another object": f"{CLASS}    def __new__(cls): return len\n",
    "another class too": f"{CLASS}\nA = Linear\n",
    "no class": "A = Module\n",
}


@pytest.mark.parametrize("source", NO_METHOD.values(), ids=NO_METHOD)
def test_a_method_that_no_class_statement_has_is_missing(source: str) -> None:
    assert known(source).lacks_method("A", "__call__")


@pytest.mark.parametrize("source", MAY_HAVE_METHOD.values(), ids=MAY_HAVE_METHOD)
def test_a_method_that_may_come_from_somewhere_is_left_open(source: str) -> None:
    assert not known(source).lacks_method("A", "__call__")
    assert not known(source).method_returns_nothing("A", "__call__")


def test_what_every_module_can_do_is_not_missing() -> None:
    assert not known(CLASS).lacks_method("A", "load_state_dict")
    assert known(CLASS).lacks_method("A", "_split")


NOTHING = ("pass", "...", "return", "return None", "raise NotImplementedError", "x = lambda: 1",
           "def g(): return 1")  # fmt: skip
SOMETHING = ("return 1", "yield 1", "if 1:\n        return 1", "return g()")


@pytest.mark.parametrize("body", NOTHING)
def test_a_function_without_a_value_returns_nothing(body: str) -> None:
    assert known(f"def f():\n    {body}\n").returns_nothing("f")
    inner = f"class A(Module):\n  def forward(self):\n    {body}\n"
    assert known(inner).method_returns_nothing("A", "__call__")
    assert not known(f"@print\ndef f():\n    {body}\n").returns_nothing("f")
    assert not known(f"def f():\n    {body}\nf = len\n").returns_nothing("f")
    assert not known(f"{inner}Module.__call__ = len\n").method_returns_nothing("A", "__call__")


@pytest.mark.parametrize("body", SOMETHING)
def test_a_function_with_a_value_may_return_it(body: str) -> None:
    assert not known(f"def f():\n    {body}\n").returns_nothing("f")


def answered(source: str) -> Outcome:
    """What is believed of a worker that says that everything went well."""
    results = {"a": None, "out": 1.0, "more": 2.0}
    said = {
        probe.name: Observation(probe.name, {one.name: results[one.name] for one in probe.actions})
        for probe in PROBES
    }
    return validated(Outcome("done", said), PROBES, known(source), "f.py")


def test_answers_that_the_source_rules_out_become_honest_errors() -> None:
    outcome = answered("x = 1\n")
    for name, told in (("f", "f is not defined in f.py"), ("A", "A is not defined in f.py")):
        seen = outcome.observations[name]
        assert seen.results == {}
        assert seen.error is not None
        assert (seen.error.type_name, seen.error.message) == ("MissingName", told)


def test_results_before_the_first_that_is_ruled_out_are_kept() -> None:
    outcome = answered(f"{CLASS}    def forward(self): return 1\ndef f(): pass\n")
    assert outcome.observations["f"].results == {"out": None}
    seen = outcome.observations["A"]
    assert seen.results == {"a": None, "out": 1.0}
    assert seen.error is not None
    assert seen.error.action == "more"


@pytest.mark.parametrize("step", variants.steps())
@pytest.mark.sampled(3)
def test_no_right_program_is_doubted(step: str) -> None:
    """Whatever an honest worker may answer is believed of it."""
    drawn = draw(load.rubric(course.find(step)), 1)
    whole = [trial.probe for trial in drawn.trials.values() if not trial.part]
    said = {
        probe.name: Observation(probe.name, {action.name: 1.0 for action in probe.actions})
        for probe in whole
    }
    for one in variants.of(step, right=True):
        source = parse(one.source, "f.py", SPELLINGS)
        found = validated(Outcome("done", said), whole, certain(source), "f.py")
        assert found.observations == said, one.name
