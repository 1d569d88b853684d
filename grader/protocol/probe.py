"""The language in which the judge asks the worker to try the learner's code.

A :class:`Probe` is a short program of :class:`Action` s. The worker runs it on the learner's
module and answers with an :class:`Observation`: what each action returned, and the first error.
A probe contains only inputs. What the judge expects never leaves the parent process.

Longer than 300 lines, because it is one vocabulary, mostly definitions of its words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]

# ---- values that the parent sends ---------------------------------------------------------


@dataclass(frozen=True)
class TensorArg:
    """A tensor of the framework with these numbers, on the CPU."""

    array: Array


@dataclass(frozen=True)
class ArrayArg:
    """A plain NumPy array."""

    array: Array


@dataclass(frozen=True)
class DTypeArg:
    """The framework's element type with this name: ``"float32"``."""

    name: str


@dataclass(frozen=True)
class DeviceArg:
    """The framework's device for the CPU."""


@dataclass(frozen=True)
class DimArg:
    """One size, as in a tensor's shape in the framework."""

    value: int


@dataclass(frozen=True)
class ConfigArg:
    """An object of the course's configuration class with these fields set."""

    fields: dict[str, int | float]


@dataclass(frozen=True)
class Ref:
    """The result of an earlier action of the same probe; ``path`` indexes into it."""

    name: str
    path: tuple[int | str, ...] = ()


@dataclass(frozen=True)
class IteratorArg:
    """A fresh iterator over these values: it gives each once, and has no length."""

    values: tuple[int | float, ...]


Arg = (
    TensorArg
    | ArrayArg
    | IteratorArg
    | DTypeArg
    | DeviceArg
    | DimArg
    | ConfigArg
    | Ref
    | None
    | bool
    | int
    | float
    | str
    | list["Arg"]
    | tuple["Arg", ...]
    | dict[str, "Arg"]
)

# ---- actions ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Make:
    """Build ``target(*args, **kwargs)``; the answer is a :class:`SeenModule`."""

    name: str
    target: str
    args: tuple[Arg, ...] = ()
    kwargs: dict[str, Arg] = field(default_factory=dict)


@dataclass(frozen=True)
class Load:
    """Give the module ``on`` these weights, strictly: every name, shape and dtype must match.

    For a weight with a step only whole multiples are sent, one byte each; the weight is their
    product with the step, in float32. GPT-2's own sizes come to 9 MB otherwise.

    What is seen are the names of the parameters that the module has kept since its first load, or
    None: they stay as they are.
    """

    name: str
    on: str
    weights: dict[str, Array]
    steps: dict[str, float] = field(default_factory=dict)


def multiples(counts: Array, step: float) -> Array:
    """The weight whose ``counts`` were sent, float32."""
    return np.multiply(counts, np.float32(step), dtype=np.float32)


@dataclass(frozen=True)
class Call:
    """Call something and read every tensor of the answer; one graph, if the framework has graphs.

    ``on`` is ``None`` for a function of the learner's module named ``method``. Otherwise it
    names an earlier result; ``method`` ``None`` calls that object itself. ``staged`` is false for
    a call that must read numbers before it ends: no single graph can do that.
    """

    name: str
    on: str | None
    method: str | None
    args: tuple[Arg, ...] = ()
    kwargs: dict[str, Arg] = field(default_factory=dict)
    staged: bool = True


@dataclass(frozen=True)
class Read:
    """Read attributes of an earlier result; the answer is a dict of what was seen."""

    name: str
    on: str
    attributes: tuple[str, ...]


@dataclass(frozen=True)
class Watch:
    """Put the earlier result ``on`` behind an object that passes its call on, and ``names``.

    It has no other attributes but ``fed``, for :class:`Read`: the calls of the object and of its
    methods so far, the name of each, and how many numbers its first array holds.
    """

    name: str
    on: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Take:
    """Take the next ``count`` values of ``on``; the answer is a list, shorter at the end."""

    name: str
    on: str
    count: int


Action = Make | Load | Call | Read | Watch | Take


@dataclass(frozen=True)
class Probe:
    """Actions that run in order on a fresh set of names; the first error ends the probe.

    With a ``source`` they run on this program, in place of the job's; with ``again``, on the job's
    program as it is after being imported once more.
    """

    name: str
    actions: tuple[Action, ...]
    source: str = ""
    again: bool = False


# ---- what the worker saw ------------------------------------------------------------------


@dataclass(frozen=True)
class SeenTensor:
    """A tensor's numbers. ``dtype`` is the framework's name of the element type."""

    array: Array
    dtype: str


@dataclass(frozen=True)
class SeenArray:
    """A NumPy array where a tensor might have been expected."""

    array: Array


@dataclass(frozen=True)
class SeenParameter:
    """The shape and dtype of one parameter of a module."""

    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class SeenModule:
    """An object that was built: its class, its parameters and its attributes' types."""

    type_name: str
    is_module: bool
    parameters: dict[str, SeenParameter]
    attributes: dict[str, str]


@dataclass(frozen=True)
class SeenObject:
    """Anything else, by the name of its type."""

    type_name: str


Seen = (
    SeenTensor
    | SeenArray
    | SeenModule
    | SeenObject
    | None
    | bool
    | int
    | float
    | str
    | list["Seen"]
    | tuple["Seen", ...]
    | dict[str, "Seen"]
)


MOST_NAMES = 300
MOST_VALUES = 24
MOST_CALLS = 6
"""How much a :class:`SeenError` may contain of each."""


@dataclass(frozen=True)
class SeenValue:
    """What a name stood for when an exception was raised.

    ``kind`` is the name of its type; ``text`` a number or text as Python writes it, the length of
    a list or tuple, or the name of a class, function or module. ``signature`` has the parameters
    of callables, as written. ``fields`` are the attributes that it was given,
    ``names`` all that it has, ``uncalled`` those of the fields that cannot be called.
    """

    kind: str
    text: str = ""
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    signature: tuple[str, ...] | None = None
    fields: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    uncalled: tuple[str, ...] = ()


@dataclass(frozen=True)
class SeenCall:
    """One line of the learner's file that an exception went through.

    ``code`` is the expression being evaluated, ``statement`` the whole statement; both
    are empty if they are long. ``values`` has what the names in them stood for.
    """

    line: int
    function: str
    code: str = ""
    statement: str = ""
    values: dict[str, SeenValue] = field(default_factory=dict)


@dataclass(frozen=True)
class SeenError:
    """An exception. ``line`` is the deepest line in the learner's file, 1-based.

    ``function`` is the learner's function at that line. ``chain`` is the text of the
    original traceback, capped. ``origin`` is what raised it: ``"file"``, ``"below"`` (what the
    file called, the framework above all), or ``"grader"`` (a mistake of the worker or the engine).
    ``calls`` are the learner's own lines, outermost first. ``inside``
    is the function that the deepest of them called and that raised, if not the line itself.
    ``about`` is what a missing name was looked for in. ``bases`` are the names of the classes that
    its class inherits from.
    """

    type_name: str
    message: str
    action: str
    line: int | None = None
    function: str | None = None
    chain: str = ""
    origin: str = "file"
    calls: tuple[SeenCall, ...] = ()
    inside: str = ""
    about: SeenValue | None = None
    bases: tuple[str, ...] = ()


MOST_PARTS = 16
"""How many items of a tuple or list a trail has."""
MOST_TURNS = 8
"""How often a trail has one expression. A loop's first turns show what later ones do."""


@dataclass(frozen=True)
class Trail:
    """The values of the learner's expressions while a probe ran, in order.

    ``places`` is ``[n, 3]``, int32: the number of a node of the syntax tree as ``ast.walk`` counts,
    the index if the value is part of a tuple or list (else -1), and the index into ``values``.
    One object has one index. A value that could not be read is None.

    ``scalars`` are the plain numbers, ``[n, 5]``, float64: node, index, the number, whether it is a
    whole number by its type, and how many entries of ``places`` came before.
    """

    places: Array
    values: tuple[SeenTensor | SeenArray | None, ...]
    scalars: Array


@dataclass(frozen=True)
class Observation:
    """What one probe returned: results by action name, and the error that ended it, if any.

    ``trail`` is present if the job asked to follow the values. ``token`` is that of the
    :class:`Ask` that it answers.
    """

    probe: str
    results: dict[str, Seen]
    error: SeenError | None = None
    trail: Trail | None = None
    token: int = 0


# ---- one job and its outcome --------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """Everything the worker is told.

    ``modules`` maps importable names (``"solutions.solution_01"``) to ``(file name, source)``.
    ``configuration`` is the class of a ``ConfigArg``, as ``module:class``. ``without`` names parts
    of the engine to leave to the framework. ``follow`` asks for the values of every
    expression on the way. ``raised`` are the errors that the program is known to raise, each as the
    name of its type and the line. ``seed`` is that of the worker's own random generators.
    ``seconds`` limits the processor time; when it is spent, what is left is answered with an error.
    ``brief``: of what is made nothing is told, and of an error only what it says and where.

    The probes do not travel with the job: each is sent in an :class:`Ask` of its own.
    """

    file: str
    source: str
    modules: dict[str, tuple[str, str]]
    probes: tuple[Probe, ...]
    engine: str = "numpy"
    configuration: str = ""
    follow: bool = False
    raised: tuple[tuple[str, int | None], ...] = ()
    without: tuple[str, ...] = ()
    seed: int = 0
    seconds: float = 0.0
    brief: bool = False


@dataclass(frozen=True)
class Ask:
    """One question of a job, sent when the one before is answered; without a probe, the end.

    The answer repeats ``token``, a random number of 62 bits. So nothing can be answered before
    it is asked, and the learner's file is imported before anything is.
    """

    token: int
    probe: Probe | None


@dataclass(frozen=True)
class Outcome:
    """What came back from the worker process.

    ``load_error`` is the exception that importing the learner's file raised. ``ended`` is
    ``"done"``, or why the process sent no complete answer: ``"timeout"``, ``"memory"``,
    ``"exit"`` (the code ended the process itself; ``status`` says how), ``"killed"`` (by itself,
    by the system or by someone), ``"garbled"`` (its messages broke the protocol), ``"machine"``
    (the framework or the sandbox could not start: a grader error; ``problem`` says what).
    ``probe`` names the current probe when it ended, ``line`` the line of the learner's file at
    which the time ran out, if that is known, and ``action`` the action of that probe. ``slow`` is
    after how many seconds it was stopped that went on answering, 0 if it did not. ``isolation`` is
    the tier in which it was run, None if the worker never took its job. ``left`` says what the
    engine leaves to the framework.
    ``faults`` names the parts of the engine that failed by their own fault, as the worker says:
    the file could say so too. ``spent`` is the processor time of the worker in seconds, as the
    process beside it measured; 0.0 if that was killed. A worker that is kept for more says itself
    what this job took. ``starved``: its time ran out while it mostly waited for a processor that
    others had. ``seconds`` is how long the answer to each probe
    was waited for. ``announced``: it said that it compiles where the grader did not expect that,
    which may be forged.
    """

    ended: str
    observations: dict[str, Observation]
    load_error: SeenError | None = None
    probe: str | None = None
    line: int | None = None
    action: str = ""
    slow: float = 0.0
    status: int | None = None
    problem: str = ""
    output: str = ""
    notes: tuple[str, ...] = ()
    isolation: str | None = None
    left: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    spent: float = 0.0
    starved: bool = False
    seconds: Mapping[str, float] = field(default_factory=dict, compare=False)
    announced: bool = False
