"""What a machine offers, what a tier is called, and what holds where there are only limits."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader import sandbox
from grader.frameworks.max import cache
from grader.isolation import tiers
from grader.isolation.tiers import LAYERS
from tests.sandbox.attacks import HEAD, Attack, carry_out, confinable
from tests.worker_jobs import QUICK, ROOT, call, job, out

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for survivors in /proc")


@pytest.mark.parametrize(
    ("applied", "tier"),
    [
        (LAYERS, "sandboxed"),
        (("user", "limits", "landlock", "seccomp"), "confined"),
        (("bubblewrap", "user", "limits", "seccomp"), "process"),
        (("bubblewrap", "limits", "landlock", "seccomp"), "process"),
        ((), "process"),
    ],
)
def test_a_tier_is_named_only_where_every_layer_of_it_is_on(
    applied: tuple[str, ...], tier: str
) -> None:
    assert tiers.name(applied) == tier


OFFER = """
import sys
sys.path.insert(0, sys.argv[1])
from grader.sandbox import launch
print(*launch.offered(), sep="\\n")
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


CLOSED = """
import sys
sys.path.insert(0, sys.argv[1])
from grader.isolation import tiers
print(*tiers.reason(("bubblewrap", "user")), sep="\\n")
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root needs another user for submissions")
def test_root_whom_nobody_can_replace_is_told_what_is_closed(tmp_path: Path) -> None:
    closed = tmp_path / "home" / "grader"
    shutil.copytree(ROOT / "grader" / "isolation", closed / "isolation")
    (closed / "__init__.py").touch()

    def told(mode: int) -> str:
        closed.chmod(mode)
        command = [sys.executable, "-c", CLOSED, str(closed.parent)]
        return subprocess.check_output(command, env={"PATH": str(tmp_path)}, text=True)

    (tmp_path / "home").chmod(0o700)
    assert f"chmod -R o+rX {closed} && chmod o+x " in told(0o700)
    assert f"chmod -R o+rX {closed}" not in told(0o755)
    assert f" {closed.parent}" in told(0o755)


LOWERED = """
import resource, sys, types
sys.path.insert(0, sys.argv[1])
from grader.isolation import rlimits
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
wanted = types.SimpleNamespace(cpu=900, file_size=1 << 24, address_space=4 << 30)
print(rlimits.apply(wanted), resource.getrlimit(resource.RLIMIT_AS) == (2 << 30, 2 << 30))
"""


def test_a_limit_that_is_lower_already_stays_and_counts() -> None:
    said = subprocess.check_output([sys.executable, "-c", LOWERED, str(ROOT)], text=True)
    assert said == "True True\n"


SCARCE = """
import resource, sys
sys.path.insert(0, sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]), int(sys.argv[2])))
resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
from grader.cli import main
sys.argv[1:] = ["grade", "s01"]
main()
"""


@pytest.mark.parametrize(
    ("space", "status", "said"), [(3 << 30, 1, "❌"), (1 << 30, 3, "1024 MiB of address space")]
)
def test_a_file_is_graded_within_the_limits_that_the_shell_has(
    space: int, status: int, said: str
) -> None:
    command = [sys.executable, "-c", SCARCE, str(ROOT), str(space)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, said in done.stdout) == (status, True), done.stdout


ALONE = ("unshare", "--user", "--map-root-user")
"""Makes root of a user namespace that has no other user."""


@pytest.mark.skipif(
    shutil.which(ALONE[0]) is None or subprocess.run([*ALONE, "true"], check=False).returncode != 0,
    reason="needs user namespaces",
)
def test_root_without_other_users_grades_and_says_what_is_missing() -> None:
    command = [*ALONE, sys.executable, "-m", "grader", "doctor"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    assert "Grading: works" in told
    assert "sandboxed" not in told


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
        seen.append(out(outcome, "f") == cache.shared())
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
    [(DAEMON, "done"), (BOMB, "timeout"), (REVOLT, "killed")],
    ids=["daemons", "fork bomb", "kills its supervisor"],
)
def test_processes_are_found_where_they_cannot_be_forbidden(source: str, ended: str) -> None:
    result = carry_out(Attack(source, ended), layers=("limits",))
    assert result.outcome.ended == ended
    assert result.outcome.isolation == "process"
    assert result.processes == []
    assert not result.folder_left
