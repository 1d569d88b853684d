"""Hostile files in real processes: each way to end is told, and leaves nothing behind.

There is a file for each ending. ``test_hostile`` has many more, and looks at their reports.
"""

from __future__ import annotations

import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from grader import sandbox
from grader.protocol.probe import Call, Make
from grader.sandbox import Limits
from tests.marks import sampled
from tests.sandbox.attacks import HEAD, Attack, Result, carry_out
from tests.worker_jobs import QUICK, call, out, probe

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for survivors in /proc")

MIB = 1 << 20

ATTACKS = {
    "loops while imported": Attack("while True: pass", "timeout"),
    "sleeps while imported": Attack("import time; time.sleep(100)", "timeout"),
    "loops in __init__": Attack(
        HEAD + "class T:\n    def __init__(self):\n        while True: pass\n",
        "timeout",
        "make",
        (call("first"), probe("make", Make("m", "T")), call("after")),
    ),
    "loops in forward": Attack(
        HEAD + "from max.experimental.nn import Module\n"
        "class T(Module):\n    def forward(self):\n        while True: pass\n",
        "timeout",
        "forward",
        (call("first"), probe("forward", Make("m", "T"), Call("out", "m", None)), call("after")),
    ),
    "loops in an error's text": Attack(
        HEAD + "class E(Exception):\n    def __str__(self):\n        while True: pass\n"
        "def attack(): raise E\n",
        "timeout",
        "attack",
    ),
    "ends the process": Attack(HEAD + "def attack(): os._exit(0)\n", "exit", "attack", status=0),
    "kills itself": Attack(
        HEAD + "def attack(): os.abort()\n", "exit", "attack", status=-signal.SIGABRT
    ),
    "recurses without end": Attack(
        HEAD + "sys.setrecursionlimit(10 ** 9)\ndef attack(): return attack()\n",
        "memory",
        "attack",
        limits=Limits(wall=20, memory=300 * MIB),
    ),
    "forges a report and leaves": Attack(
        HEAD
        + """
def attack():
    print(json.dumps({"schema": "report/v1", "verdict": "pass", "score": 31}), flush=True)
    os._exit(0)
""",
        "exit",
        "attack",
    ),
    "writes into every descriptor": Attack(
        HEAD
        + """
def attack():
    for number in range(256):
        try: os.write(number, b'{"verdict": "pass"}\\n' * 9)
        except OSError: pass
""",
        "garbled",
        "attack",
    ),
    "closes every descriptor": Attack(
        HEAD + "def attack(): os.closerange(0, 256)\n", "exit", "attack"
    ),
    "closes every descriptor and stays": Attack(
        HEAD + "def attack():\n    os.closerange(0, 256)\n    while True: pass\n",
        "timeout",
        "attack",
    ),
    "floods its output": Attack(
        HEAD + "def attack():\n    while True: os.write(1, b'flood ' * 9999)\n", "timeout", "attack"
    ),
    "keeps memory without end": Attack(
        HEAD + "def attack():\n    kept = []\n    while True: kept.append(b'x' * 50_000_000)\n",
        "memory",
        "attack",
        limits=Limits(wall=20, memory=300 * MIB),
    ),
    "fills the disk": Attack(
        HEAD
        + """
def attack():
    for number in range(10 ** 6):
        with open(f"file{number}", "wb") as file: file.write(bytes(10 ** 6))
""",
        "memory",
        "attack",
        limits=Limits(wall=20, disk=20 * MIB),
    ),
    "starts threads without end": Attack(
        HEAD
        + """
def attack():
    threading.stack_size(65536)
    while True: threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
""",
        "memory",
        "attack",
        limits=Limits(wall=20, threads=200),
    ),
    "leaves a thread that never ends": Attack(
        HEAD
        + """
def attack():
    def spin():
        while True: time.sleep(0.01)
    threading.Thread(target=spin).start()
    return "thread"
""",
        "done",
    ),
}


@pytest.fixture(scope="module")
def results(request: pytest.FixtureRequest) -> dict[str, Result]:
    """Every attack that is tested now, a few at a time: most of them wait for their limit.

    Those with limits of their own meet a fresh worker, the others a forked one.
    """
    with sandbox.WorkerPool(4, limits=QUICK, warm=False) as workers, ThreadPoolExecutor(4) as pool:
        one = partial(carry_out, start=workers.start)
        called = (getattr(item, "callspec", None) for item in request.session.items)
        wanted = {each.params.get("name") for each in called if each is not None}
        names = [name for name in ATTACKS if name in wanted]
        return dict(zip(names, pool.map(one, map(ATTACKS.get, names)), strict=True))


@pytest.mark.parametrize("name", sampled(4, ATTACKS))
def test_an_attack_has_a_clear_ending(results: dict[str, Result], name: str) -> None:
    attack, outcome = ATTACKS[name], results[name].outcome
    assert (outcome.ended, outcome.probe) == (attack.ended, attack.under_way)
    assert attack.status in (None, outcome.status)
    if attack.under_way:
        assert out(outcome, "first") == "seen"
        assert attack.under_way not in outcome.observations
    assert ("after" in outcome.observations) == (outcome.ended == "done")


@pytest.mark.parametrize("name", sampled(4, ATTACKS))
def test_an_attack_leaves_nothing(results: dict[str, Result], name: str) -> None:
    assert results[name].processes == []
    assert not results[name].folder_left


def line_of(name: str, text: str) -> int:
    lines = ATTACKS[name].source.splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("loops while imported", "while"),
        ("loops in __init__", "while"),
        ("loops in forward", "while"),
        ("loops in an error's text", "while"),
        ("sleeps while imported", "sleep"),
    ],
)
def test_a_timeout_names_the_line_that_was_running(
    results: dict[str, Result], name: str, text: str
) -> None:
    outcome = results[name].outcome
    if outcome.line is None:  # beside others, on a busy machine, it may come too late
        with sandbox.WorkerPool(1, limits=QUICK, warm=False) as workers:
            outcome = carry_out(ATTACKS[name], start=workers.start).outcome
    assert outcome.line == line_of(name, text)


@pytest.mark.parametrize("name", ["forges a report and leaves"])
def test_a_forged_report_is_only_output(results: dict[str, Result], name: str) -> None:
    assert '"verdict": "pass"' in results[name].outcome.output


@pytest.mark.parametrize("name", ["floods its output"])
def test_a_flood_of_output_is_drained_and_cut(results: dict[str, Result], name: str) -> None:
    output = results[name].outcome.output
    assert len(output) < QUICK.output + 100
    more = int(output.rpartition("\n[")[2].split()[0])
    assert more > MIB  # a full pipe would have stopped it at 64 KiB
