"""Hostile files in real processes: each gets a clear ending, and nothing of it is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from grader import sandbox
from grader.probe import Call, Make, Outcome, Probe
from grader.sandbox import Limits, bubble, surroundings, tiers
from grader.sandbox.tiers import LAYERS
from grader.worker import cache, folder, kernel, landlock
from tests.worker_jobs import QUICK, ROOT, call, error, job, out, probe, processes_with

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for survivors in /proc")

SECRET = ROOT / "solutions" / "solution_05.py"
MIB = 1 << 20


class Attack(NamedTuple):
    """A hostile file, how it must end, and which probe was under way then."""

    source: str
    ended: str
    under_way: str | None = None
    probes: tuple[Probe, ...] = (call("first"), call("attack"), call("after"))
    limits: Limits = QUICK


HEAD = """
import ctypes, gc, json, os, signal, socket, subprocess, sys, threading, time
def first(): return "seen"
def after(): return "after"
"""

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
    "loops and refuses to be stopped": Attack(
        HEAD
        + """
def attack():
    for number in range(1, 65):
        try: signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError): pass
    while True:
        try:
            while True: pass
        except BaseException: pass
""",
        "timeout",
        "attack",
    ),
    "loops in an error's text": Attack(
        HEAD + "class E(Exception):\n    def __str__(self):\n        while True: pass\n"
        "def attack(): raise E\n",
        "timeout",
        "attack",
    ),
    "ends the process": Attack(HEAD + "def attack(): os._exit(0)\n", "exit", "attack"),
    "ends the process while imported": Attack("import os; os._exit(0)", "exit"),
    "kills itself": Attack(
        HEAD + "def attack(): os.kill(os.getpid(), signal.SIGKILL)\n", "exit", "attack"
    ),
    "crashes": Attack(HEAD + "def attack(): ctypes.string_at(0)\n", "exit", "attack"),
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
    "announces an endless message": Attack(
        HEAD + "def attack(): os.write(4, b'gw01' + b'\\xff' * 12)\n", "garbled", "attack"
    ),
    "talks without end": Attack(
        HEAD
        + """
def attack():
    head = b'{"Progress":["x"]}'
    while True: os.write(4, b"gw01" + len(head).to_bytes(4, "little") + bytes(8) + head)
""",
        "garbled",
        "attack",
    ),
    "says it is done before it is": Attack(
        HEAD
        + """
def attack():
    head = b'{"Done":[{"t":[]}]}'
    os.write(4, b"gw01" + len(head).to_bytes(4, "little") + bytes(8) + head)
    time.sleep(100)
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
        HEAD + "def attack():\n    while True: os.write(1, b'flood ' * 9999)\n",
        "timeout",
        "attack",
    ),
    "stops itself": Attack(
        HEAD + "def attack(): os.kill(os.getpid(), signal.SIGSTOP)\n", "timeout", "attack"
    ),
    "keeps memory without end": Attack(
        HEAD + "def attack():\n    kept = []\n    while True: kept.append(b'x' * 50_000_000)\n",
        "memory",
        "attack",
        limits=Limits(wall=20, memory=300 * MIB),
    ),
    "keeps small objects without end": Attack(
        HEAD + "def attack():\n    kept = []\n    while True: kept.append([len(kept)])\n",
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
    "hides files deep down": Attack(
        HEAD
        + """
def attack():
    while True:
        os.mkdir("deeper")
        os.chdir("deeper")
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
    "replaces what the worker uses": Attack(
        HEAD
        + """
import io
def attack():
    json.dumps = json.loads = os.write = os.read = None
    sys.stdout = sys.stderr = io.StringIO()
    gc.collect()
    return "replaced"
""",
        "exit",
        "attack",
    ),
}


class Result(NamedTuple):
    """What an attack came to, and what was left right after."""

    outcome: Outcome
    processes: list[int]
    folder_left: bool


def carry_out(attack: Attack, layers: tuple[str, ...] = LAYERS) -> Result:
    with sandbox.start(limits=attack.limits, layers=layers) as running:
        outcome = running.finish(job(attack.source, *attack.probes))
        left = processes_with(running.folder)
    return Result(outcome, left, Path(running.folder).exists())


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    """Every attack, a few at a time: most of them wait for their limit."""
    with ThreadPoolExecutor(6) as pool:
        return dict(zip(ATTACKS, pool.map(carry_out, ATTACKS.values()), strict=True))


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_has_a_clear_ending(results: dict[str, Result], name: str) -> None:
    attack, outcome = ATTACKS[name], results[name].outcome
    assert (outcome.ended, outcome.probe) == (attack.ended, attack.under_way)
    if attack.under_way:
        assert out(outcome, "first") == "seen"
        assert attack.under_way not in outcome.observations
    assert ("after" in outcome.observations) == (outcome.ended == "done")


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_leaves_nothing(results: dict[str, Result], name: str) -> None:
    assert results[name].processes == []
    assert not results[name].folder_left


def test_how_a_process_ended_itself_is_told(results: dict[str, Result]) -> None:
    assert results["ends the process"].outcome.status == 0
    assert results["kills itself"].outcome.status == -signal.SIGKILL
    assert results["crashes"].outcome.status == -signal.SIGSEGV


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
    assert results[name].outcome.line == line_of(name, text)


def test_a_forged_report_is_only_output(results: dict[str, Result]) -> None:
    assert '"verdict": "pass"' in results["forges a report and leaves"].outcome.output


def test_a_flood_of_output_is_drained_and_cut(results: dict[str, Result]) -> None:
    output = results["floods its output"].outcome.output
    assert len(output) < QUICK.output + 100
    more = int(output.rpartition("\n[")[2].split()[0])
    assert more > MIB  # a full pipe would have stopped it at 64 KiB


# ---- what is out of reach -----------------------------------------------------------------

PEEKS = (
    HEAD
    + f"ROOT, SECRET, PARENT = {str(ROOT)!r}, {str(SECRET)!r}, {os.getpid()}\n"
    + f"CACHE = {surroundings.compile_cache()!r}\n"
    + """
import importlib.util, shutil, pathlib, mmap, resource
libc = ctypes.CDLL(None, use_errno=True)

def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def syscall(number, *arguments): return checked(libc.syscall(number, *arguments))
def read_solution(): return open(SECRET).read()
def read_solution_bytes(): return os.read(os.open(SECRET, os.O_RDONLY), 99)
def read_through_root(): return open("/proc/self/root" + SECRET).read()
def read_through_parent(): return open(f"/proc/{PARENT}/root" + SECRET).read()
def read_through_cwd(): return open(f"/proc/{PARENT}/cwd/solutions/solution_05.py").read()
def read_through_dots(): return open("/usr/lib/../.." + SECRET).read()
def read_through_libc():
    return checked(libc.open(SECRET.encode(), 0))
def read_through_link():
    name = f"link{time.monotonic_ns()}"
    os.symlink(SECRET, name)
    return open(name).read()
def read_through_hard_link():
    os.link(SECRET, "hard")
    return open("hard").read()
def import_by_path():
    spec = importlib.util.spec_from_file_location("x", SECRET)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
def import_from_path():
    sys.path.insert(0, ROOT + "/checks")
    import oracles
def list_course(): return os.listdir(ROOT)
def list_checks(): return os.listdir(ROOT + "/checks")
def read_own_file(): return open(ROOT + "/" + __file__).read()
def read_passwd(): return open("/etc/passwd").read()
def read_parent_environment(): return open(f"/proc/{PARENT}/environ", "rb").read()
def read_parent_memory(): return open(f"/proc/{PARENT}/mem", "rb").read(1)
def list_root_home(): return os.listdir("/root")
def write_tmp(): return open("/tmp/grader-test-of-the-sandbox", "w")
def write_course(): return open(ROOT + "/steps/new.py", "w")
def write_installed(): return open(os.path.join(os.path.dirname(os.__file__), "new.py"), "w")
def write_memory_file(): return open("/dev/shm/grader-test", "w")
def write_cache(): return open(CACHE + "/poison", "w")
def list_processes(): return os.listdir("/proc")
def change_mode(): return os.chmod(SECRET, 0o777)
def change_time(): return os.utime(SECRET)
def change_owner(): return os.chown(SECRET, 0, 0)
def change_attribute(): return os.setxattr(SECRET, "user.x", b"1")
def remove_solution(): return os.remove(SECRET)
def move_solution(): return os.rename(SECRET, "mine.py")
def fork(): return os.fork()
def fork_below_python(): return checked(libc.fork())
def fork_by_clone3(): return syscall(435, bytes(88), 88)
def run_program(): return subprocess.run(["/bin/true"])
def run_python(): return os.execv(sys.executable, [sys.executable, "-c", "0"])
def run_below_python(): return checked(libc.execv(b"/bin/true", None))
def connect(): return socket.create_connection(("127.0.0.1", 9), 1)
def make_socket(): return socket.socket(socket.AF_UNIX)
def kill_parent(): return os.kill(PARENT, 0)
def kill_parent_below_python(): return checked(libc.kill(PARENT, 0))
def kill_referee(): return os.kill(os.getppid(), signal.SIGKILL)
def kill_everyone(): return os.kill(-1, 0)
def kill_group_of_parent(): return os.killpg(os.getppid(), 0)
def trace_parent(): return checked(libc.ptrace(16, PARENT, 0, 0))
def more_memory(): return resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
def limit_parent(): return resource.prlimit(PARENT, resource.RLIMIT_NOFILE, (1, 1))
def slow_parent(): return os.setpriority(os.PRIO_PROCESS, PARENT, 19)
def outlive_parent(): return checked(libc.prctl(1, 0))
def new_session(): return checked(libc.setsid())
def shared_memory(): return checked(libc.shmget(0, 4096, 0o1600))
def memory_file(): return os.memfd_create("x")
def new_namespace(): return checked(libc.unshare(0x10000000))
def unfiltered_call(): return syscall(400 + 200)

def environment(): return dict(os.environ)
def working_folder(): return [os.getcwd(), os.environ["HOME"], os.environ["TMPDIR"]]
def own_files():
    with open("mine.txt", "w") as file: file.write("mine")
    shutil.copyfile("mine.txt", os.path.expanduser("~/copy.txt"))
    return pathlib.Path("copy.txt").read_text()
def threads_work():
    seen = []
    thread = threading.Thread(target=seen.append, args=(1,))
    thread.start()
    thread.join()
    return seen
def event_loops_work():
    import asyncio
    return asyncio.run(asyncio.sleep(0, "awake"))
def random_works(): return len(os.urandom(4))
def who_am_i(): return [os.getuid(), os.geteuid(), os.getgid(), len(os.getgroups())]
def become_root(): return os.setuid(0)
def subclasses():
    found = [o for o in gc.get_objects() if type(o).__name__ == "Job"]
    return [len(o.source) for o in found]
"""
)
FREE = (
    "environment", "working_folder", "own_files", "threads_work", "event_loops_work",
    "random_works", "who_am_i",
)  # fmt: skip
USERS = ("GRADER_TEST_SECRET", "MODULAR_TEST_SECRET", "PYTHONTESTSECRET")
"""Variables of the user, among them some that look like MAX's or Python's."""
ALLOWED = {
    "PATH", "LANG", "HOME", "TMPDIR", "MALLOC_ARENA_MAX", "MODULAR_CACHE_DIR",
    "MODULAR_TELEMETRY_ENABLED", "MAX_EAGER_EXECUTOR", "OPENBLAS_NUM_THREADS",
    "MOJO_PYTHON_LIBRARY",
}  # fmt: skip
SET_BY_IMPORTING_MAX = ("MODULAR_", "TRANSFORMERS_")
INSIDE = tuple(layer for layer in LAYERS if layer != "bubblewrap")
DENIED = tuple(
    line.split()[1].partition("(")[0]
    for line in PEEKS.splitlines()
    if line.startswith("def ")
    and line.split()[1].partition("(")[0]
    not in (*FREE, "first", "after", "checked", "syscall", "subclasses")
)


def confinable() -> bool:
    """Whether this machine has Landlock and seccomp, asked without the code under test."""
    actions = Path("/proc/sys/kernel/seccomp/actions_avail")
    try:
        kernel.syscall(landlock.CREATE_RULESET, None, 0, landlock.ASK_VERSION)
    except OSError:
        return False
    return actions.exists() and os.uname().machine in ("x86_64", "aarch64")


@pytest.fixture(scope="module", params=["sandboxed", "confined"])
def peeks(request: pytest.FixtureRequest) -> Outcome:
    if not confinable():
        pytest.skip("this machine has no Landlock or no seccomp")
    layers = LAYERS if request.param == "sandboxed" else INSIDE
    if set(layers) - set(tiers.usable(layers)) - {"user"}:
        pytest.skip(bubble.problem())
    Path(surroundings.compile_cache()).mkdir(parents=True, exist_ok=True)
    os.environ.update(dict.fromkeys(USERS, "hunter2"))
    try:
        with sandbox.start(layers=layers) as running:
            outcome = running.finish(job(PEEKS, *map(call, (*DENIED, *FREE))))
    finally:
        for name in USERS:
            del os.environ[name]
    expected = request.param if "user" in tiers.usable(layers) else "process"
    assert outcome.isolation == expected
    return outcome


@pytest.mark.parametrize("name", DENIED)
def test_what_is_outside_is_out_of_reach(peeks: Outcome, name: str) -> None:
    assert peeks.ended == "done"
    reason = error(peeks, name)
    # clone3 and calls that are too new look as if the kernel had none; a file that may not be
    # seen looks missing to the import system.
    refusals = {
        "fork_by_clone3": "not implemented",
        "unfiltered_call": "not implemented",
        "import_from_path": "No module named",
        "more_memory": "not permitted|not allowed",
    }
    usual = "ermission denied|not permitted|cross-device"
    if peeks.isolation == "sandboxed":
        usual += "|No such file|Read-only file system"  # there is nothing to be denied
    expected = refusals.get(name, usual).split("|")
    assert any(text in reason.message for text in expected), reason.message


def test_the_solution_is_still_there() -> None:
    assert "class GPT2Attention" in SECRET.read_text(encoding="utf-8")
    assert not (ROOT / "steps" / "new.py").exists()


def test_the_environment_is_made_anew_from_a_list(peeks: Outcome) -> None:
    environment = out(peeks, "environment")
    others = environment.keys() - ALLOWED
    assert not [name for name in others if not name.startswith(SET_BY_IMPORTING_MAX)]
    assert "hunter2" not in environment.values()
    programs = environment["PATH"].split(os.pathsep)
    assert programs == [str(Path(sys.executable).parent), "/usr/bin", "/bin"]
    assert environment["MODULAR_TELEMETRY_ENABLED"] == "0"


def test_home_and_working_folder_are_private(peeks: Outcome) -> None:
    folders = out(peeks, "working_folder")
    assert len(set(folders)) == 1
    assert Path(folders[0]) not in (Path.cwd(), Path.home())
    assert not Path(folders[0]).exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [("own_files", "mine"), ("threads_work", [1]), ("event_loops_work", "awake"),
     ("random_works", 4)],
)  # fmt: skip
def test_what_honest_code_needs_still_works(peeks: Outcome, name: str, value: Any) -> None:
    assert out(peeks, name) == value


def test_no_submission_runs_as_root(peeks: Outcome) -> None:
    if peeks.isolation == "process":
        pytest.skip("root, and nobody may not read what is installed")
    ids = out(peeks, "who_am_i")
    assert 0 not in ids[:3]
    if os.geteuid() == 0:
        assert ids == [folder.NOBODY] * 3 + [0]


# ---- what the report may say ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("worn", "tier"),
    [
        (LAYERS, "sandboxed"),
        (("user", "limits", "landlock", "seccomp"), "confined"),
        (("bubblewrap", "user", "limits", "seccomp"), "process"),
        (("bubblewrap", "limits", "landlock", "seccomp"), "process"),
        ((), "process"),
    ],
)
def test_a_tier_is_named_only_where_every_layer_of_it_is_on(
    worn: tuple[str, ...], tier: str
) -> None:
    assert tiers.name(worn) == tier


OFFER = """
import sys
sys.path.insert(0, sys.argv[1])
from grader.sandbox import tiers
print(*tiers.offered(), sep="\\n")
"""


def offered(path: str) -> list[str]:
    """What a grader with this PATH says of its machine."""
    command = [sys.executable, "-c", OFFER, str(ROOT)]
    surroundings = {**os.environ, "PATH": path}
    return subprocess.check_output(command, env=surroundings, text=True).splitlines()


def test_without_bubblewrap_the_tier_is_lower_and_says_what_to_install(tmp_path: Path) -> None:
    tier, why, remedy = offered(str(tmp_path))
    if os.geteuid() != 0:
        assert tier == ("confined" if confinable() else "process")
    assert tier != "sandboxed"
    assert "bwrap is not installed" in why or "root" in why or "This system has no" in why
    assert remedy


def test_bubblewrap_that_cannot_work_counts_for_nothing(tmp_path: Path) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: No permissions to make a namespace' >&2\nexit 1\n")
    program.chmod(0o755)
    tier, why, remedy = offered(f"{tmp_path}:{os.environ['PATH']}")
    assert tier != "sandboxed"
    assert "No permissions to make a namespace" in why or "root" in why
    assert remedy


# ---- MAX's cache of compiled kernels -------------------------------------------------------


def test_a_worker_reads_the_cache_and_writes_to_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, mine = tmp_path / "real", tmp_path / "folder" / "cache"
    (real / "a").mkdir(parents=True)
    (real / "a" / "kernel").write_text("compiled")
    monkeypatch.setenv(cache.VARIABLE, str(mine))
    cache.seed(str(real))
    assert (mine / "a" / "kernel").read_text() == "compiled"
    (mine / "a" / "new").write_text("mine")
    assert [path.name for path in (real / "a").iterdir()] == ["kernel"]
    (real / "b").touch()
    cache.seed(str(real))
    assert not (mine / "b").exists()


def test_only_a_trusted_worker_is_given_the_real_cache() -> None:
    seen = []
    for trusted, layers in ((True, ("limits",)), (False, ("limits",)), (False, LAYERS)):
        with sandbox.start(limits=QUICK, layers=layers, trusted=trusted) as running:
            source = HEAD + f"def f(): return os.environ[{cache.VARIABLE!r}]\n"
            outcome = running.finish(job(source, call("f")))
        seen.append(out(outcome, "f") == surroundings.compile_cache())
    assert seen == [True, False, False]


# ---- a machine with no layers but limits --------------------------------------------------

DAEMON = (
    HEAD
    + """
libc = ctypes.CDLL(None)
def attack():
    "Daemonise, twice over, below Python's audit hooks."
    for _ in range(3):
        if libc.fork() == 0:
            os.setsid()
            if libc.fork() != 0: os._exit(0)
            for number in range(256):
                try: os.close(number)
                except OSError: pass
            time.sleep(100)
            os._exit(0)
    return "daemons"
"""
)
BOMB = (
    HEAD
    + """
libc = ctypes.CDLL(None)
def attack():
    for _ in range(5): libc.fork()  # 32 processes: enough to see, few enough to be safe
    if os.getpid() % 2:
        try: os.setsid()
        except OSError: pass
    while True: time.sleep(0.1)
"""
)


REVOLT = (
    HEAD
    + """
libc = ctypes.CDLL(None)
def attack():
    libc.prctl(1, 0)
    libc.kill(os.getppid(), 9)
    while True: time.sleep(0.1)
"""
)


@pytest.mark.parametrize(
    ("source", "ended"),
    [(DAEMON, "done"), (BOMB, "timeout"), (REVOLT, "exit")],
    ids=["daemons", "fork bomb", "kills its referee"],
)
def test_processes_are_found_where_they_cannot_be_forbidden(source: str, ended: str) -> None:
    result = carry_out(Attack(source, ended), layers=("limits",))
    assert result.outcome.ended == ended
    assert result.outcome.isolation == "process"
    assert result.processes == []
    assert not result.folder_left


def test_landlock_alone_keeps_files_and_signals_in() -> None:
    if not confinable():
        pytest.skip("this machine has no Landlock or no seccomp")
    names = ("read_through_libc", "kill_parent_below_python", "write_memory_file")
    attack = Attack(PEEKS, "done", probes=tuple(map(call, names)))
    outcome = carry_out(attack, layers=("limits", "landlock")).outcome
    assert outcome.isolation == "process"
    for name in names:
        assert error(outcome, name).type_name == "PermissionError", name


def test_without_layers_an_audit_hook_refuses_the_plain_ways() -> None:
    names = ("read_solution", "import_by_path", "list_checks", "write_course", "write_tmp", "fork",
             "run_program", "connect", "remove_solution", "kill_parent")  # fmt: skip
    attack = Attack(PEEKS, "done", probes=tuple(map(call, (*names, "own_files", "threads_work"))))
    outcome = carry_out(attack, layers=()).outcome
    assert outcome.isolation == "process"
    for name in names:
        assert error(outcome, name).type_name == "PermissionError", name
    assert out(outcome, "own_files") == "mine"
    assert out(outcome, "threads_work") == [1]


# ---- when the grader itself ends ----------------------------------------------------------

LOOPING_GRADER = """
import sys
sys.path.insert(0, sys.argv[1])
from grader import sandbox
from tests.worker_jobs import call, job
with sandbox.start() as running:
    print(running.folder, flush=True)
    while not running.ready:
        pass
    print("ready", flush=True)
    running.finish(job("while True: pass", call("f")))
"""


@pytest.fixture
def looping_grader() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A grader whose worker loops for ever, and the worker's folder."""
    command = [sys.executable, "-c", LOOPING_GRADER, str(ROOT)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as grader:  # fmt: skip
        assert grader.stdout is not None
        folder = grader.stdout.readline().strip()
        grader.stdout.readline()
        try:
            yield grader, folder
        finally:
            grader.kill()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_worker_ends_with_its_grader(
    looping_grader: tuple[subprocess.Popen[str], str], number: int
) -> None:
    grader, folder = looping_grader
    assert processes_with(folder)
    grader.send_signal(number)
    grader.wait(30)
    deadline = time.monotonic() + 30
    while (processes_with(folder) or Path(folder).exists()) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert processes_with(folder) == []
    assert not Path(folder).exists()


# ---- the life of a worker -----------------------------------------------------------------


def test_a_spare_worker_waits_until_it_is_used() -> None:
    with sandbox.start(limits=QUICK) as running:
        while not running.ready:
            time.sleep(0.01)
        time.sleep(0.1)
        assert running.ready
        outcome = running.finish(job(HEAD, call("first")))
        with pytest.raises(RuntimeError):
            running.finish(job(HEAD, call("first")))
    assert out(outcome, "first") == "seen"
    assert not running.ready


def test_a_worker_that_is_not_used_is_ended_and_leaves_no_open_file() -> None:
    descriptors = Path("/proc/self/fd")
    before = len(list(descriptors.iterdir()))
    with sandbox.start() as running:
        assert processes_with(running.folder)
    assert processes_with(running.folder) == []
    assert not Path(running.folder).exists()
    assert len(list(descriptors.iterdir())) == before
    running.close()
    with pytest.raises(RuntimeError):
        running.finish(job(HEAD, call("first")))


def test_a_spare_worker_that_died_is_the_machines_fault() -> None:
    with sandbox.start() as running:
        while not running.ready:
            time.sleep(0.01)
        for process in processes_with(running.folder):
            os.kill(process, signal.SIGKILL)
        outcome = running.finish(job(HEAD, call("first")))
    assert outcome.ended == "machine"
    assert not Path(running.folder).exists()


def test_a_worker_that_takes_too_long_to_start_is_the_machines_fault() -> None:
    outcome = sandbox.run(job(HEAD, call("first")), limits=Limits(start=0.01))
    assert outcome.ended == "machine"
    assert "was not imported within" in outcome.problem


def test_an_engine_that_cannot_be_installed_is_the_machines_fault() -> None:
    outcome = sandbox.run(job(HEAD, call("first"), engine="abacus"))
    assert outcome.ended == "machine"
    assert "abacus" in outcome.problem


def test_patience_with_compiling_has_an_end() -> None:
    source = (
        HEAD
        + """
def attack():
    head = json.dumps({"Progress": ["compiling \\x1b[2J"]}).encode()
    while True:
        os.write(4, b"gw01" + len(head).to_bytes(4, "little") + bytes(8) + head)
        time.sleep(0.05)
"""
    )
    said: list[str] = []
    limits = Limits(wall=1.0, compiling=1.0)
    outcome = sandbox.run(job(source, call("attack")), limits=limits, on_progress=said.append)
    assert outcome.ended == "timeout"
    assert set(said) == {"compiling \ufffd[2J"}


def test_importing_the_sandbox_imports_nothing_slow() -> None:
    code = "import sys; from grader import sandbox; print(*sys.modules)"
    modules = subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True).split()
    assert "grader.sandbox" in modules
    assert {"numpy", "max", "subprocess", "dataclasses", "json"}.isdisjoint(modules)
