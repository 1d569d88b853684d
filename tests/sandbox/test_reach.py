"""What a hostile file cannot reach from inside, layer by layer."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from grader import sandbox
from grader.frameworks.max import cache
from grader.isolation import bubblewrap, folder, tiers
from grader.protocol.probe import Outcome
from grader.sandbox import environment
from tests.sandbox.attacks import HEAD, Attack, carry_out, confinable
from tests.worker_jobs import ROOT, TIERS, call, error, job, out

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for survivors in /proc")

SECRET = ROOT / "solutions" / "solution_05.py"
PEEKS = (
    HEAD
    + f"ROOT, SECRET, PARENT = {str(ROOT)!r}, {str(SECRET)!r}, {os.getpid()}\n"
    + f"CACHE = {cache.shared()!r}\n"
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
def hide_files_from_the_supervisor(): return checked(libc.prctl(4, 0, 0, 0, 0))
def send_a_file_in_flight():
    ours, theirs = socket.socketpair()
    with open("flying.txt", "w") as file:
        return socket.send_fds(ours, [b"x"], [file.fileno()])
def empty_the_solution(): return os.truncate(SECRET, 0)
def empty_by_reading():
    return os.open(os.path.abspath(os.__file__), os.O_RDONLY | os.O_TRUNC)
def lock_a_file_that_others_read():
    import fcntl
    return fcntl.flock(os.open(os.__file__, os.O_RDONLY), fcntl.LOCK_SH)
def lock_below_python():
    import fcntl
    return fcntl.lockf(os.open(os.__file__, os.O_RDONLY), fcntl.LOCK_SH)
def have_a_table_of_open_files(): return syscall(436, 1000, 1000, 2)
def read_a_label(): return os.getxattr(os.__file__, "user.x")
def list_labels(): return os.listxattr("/usr")
def list_mounts(): return syscall(458, ctypes.create_string_buffer(32), 0, 0, 0)
def look_at_a_mount(): return syscall(457, ctypes.create_string_buffer(32), 0, 0, 0)
def kill_itself_as_the_kernel_would(): return os.kill(os.getpid(), signal.SIGKILL)

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
    "PATH", "LANG", "HOME", "TMPDIR", "MALLOC_ARENA_MAX", "MALLOC_MMAP_THRESHOLD_",
    "MALLOC_TRIM_THRESHOLD_", "MODULAR_CACHE_DIR",
    "MODULAR_TELEMETRY_ENABLED", "MODULAR_THREAD_BUSY_WAIT_US", "MAX_EAGER_EXECUTOR",
    "OPENBLAS_NUM_THREADS", "MOJO_PYTHON_LIBRARY",
    "PYTHONHASHSEED",
}  # fmt: skip
SET_BY_IMPORTING_MAX = ("MODULAR_", "TRANSFORMERS_")
DENIED = tuple(
    line.split()[1].partition("(")[0]
    for line in PEEKS.splitlines()
    if line.startswith("def ")
    and line.split()[1].partition("(")[0]
    not in (*FREE, "first", "after", "checked", "syscall", "subclasses")
)


@pytest.fixture(scope="module", params=["sandboxed", "confined"])
def peeks(request: pytest.FixtureRequest) -> Outcome:
    if not confinable():
        pytest.skip("this machine has no Landlock or no seccomp")
    layers = TIERS[request.param]
    if set(layers) - set(tiers.usable(layers)) - {"user"}:
        pytest.skip(bubblewrap.problem())
    Path(cache.shared()).mkdir(parents=True, exist_ok=True)
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
        "read_a_label": "not supported",  # as on a disk that has none
        "list_labels": "not supported",
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


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has folders that its workers cannot enter")
def test_the_folder_of_nobody_is_where_nobody_can_enter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {}
    for mode in (0o700, 0o711):
        tmp_path.chmod(mode)
        (tmp_path / str(mode)).mkdir()
        monkeypatch.setenv("TMPDIR", str(tmp_path / str(mode)))
        made[mode] = environment.make_folder(("user",))
        Path(made[mode]).rmdir()
    outside = not folder.closed(str(tmp_path.parent))
    assert made[0o700].startswith("/tmp/grader-")
    assert made[0o711].startswith(str(tmp_path) if outside else "/tmp/grader-")


def test_landlock_alone_keeps_files_and_signals_in() -> None:
    if not confinable():
        pytest.skip("this machine has no Landlock or no seccomp")
    names = ("read_through_libc", "kill_parent_below_python", "write_memory_file")
    attack = Attack(PEEKS, "done", probes=tuple(map(call, names)))
    outcome = carry_out(attack, layers=("limits", "landlock")).outcome
    assert outcome.isolation == "process"
    for name in names:
        assert error(outcome, name).type_name == "PermissionError", name
