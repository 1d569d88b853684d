"""Every file in tests/hostile is graded: none passes wrongly, reads, changes, sends or survives.

Each attack says in its first lines what it tries, what must hold all the same, which verdicts
are right and what it prints when it has tried. It prints ``BROKE`` where it got through. Names
between at signs stand for decoys that are made for the run.

Without bubblewrap all run, as the other walls must hold by themselves, and with it a sample:
``-m whole``. ``-m slow`` runs all with it too. With no wall at all, those run that aim at the
verdict: some of them in the ordinary tests.

Longer than 300 lines, because all attacks are judged in one arena.
"""

from __future__ import annotations

import hashlib
import json
import os
import py_compile
import re
import shutil
import socket
import subprocess
import sys
import time
import unicodedata
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from grader.base import course
from grader.grading import faults
from grader.isolation.tiers import name as name_of
from grader.isolation.tiers import usable
from grader.rubric import load
from grader.sandbox.launch import offered
from tests.marks import todays
from tests.worker_jobs import ROOT, TIERS, processes_with

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the attacks are Linux's")

FOLDER = ROOT / "tests" / "hostile"
SHARED = FOLDER / "shared"
"""What several files begin with; each names it in ``# Uses:``."""
RIGHT = ROOT / "solutions" / "solution_05.py"
SECRET = "hunter2-" + os.urandom(6).hex()
GRACE_S = 20.0
"""Beyond what the limits of an attack allow."""
SLOWER = 20
"""So many right files more may it take, on a machine that does other things too."""
EVERY = 25
"""After so many attacks a right file is graded."""


@dataclass(frozen=True)
class Attack:
    """What the first lines of a hostile file say."""

    name: str
    source: str
    verdicts: tuple[str, ...]
    says: str
    limits: dict[str, int] = field(default_factory=dict)
    step: str = "s05"


def read(path: Path) -> Attack:
    source = path.read_text(encoding="utf-8")
    pattern = r"^# (Verdict|Says|Wall|Memory|Disk|Tries|Holds|Step|Uses): (.+)$"
    head = dict(re.findall(pattern, source, re.MULTILINE))
    if "Uses" in head:
        source = (SHARED / f"{head['Uses']}.py").read_text(encoding="utf-8") + source
    assert head["Tries"]
    assert head["Holds"]
    limits = {key.lower(): int(head[key]) for key in ("Wall", "Memory", "Disk") if key in head}
    verdicts = tuple(head["Verdict"].split())
    return Attack(path.stem, source, verdicts, head["Says"], limits, head.get("Step", "s05"))


ATTACKS = {path.stem: read(path) for path in sorted(FOLDER.glob("*.py"))}
OTHERS = [name for name, attack in ATTACKS.items() if attack.says != "held"]
REFUSED = [name for name in ATTACKS if name not in OTHERS]
SAMPLE = [name for name in ATTACKS if name in (*REFUSED[::2], *OTHERS[::10])]
"""Half of those that must be refused something, and every tenth of the rest."""


# ---- the place -----------------------------------------------------------------------------


@dataclass
class Arena:
    """Decoys that must stay as they are, and listeners that must hear nothing."""

    folder: Path
    names: dict[str, str]
    sockets: list[socket.socket]
    decoy: subprocess.Popen[bytes]

    def watched(self) -> dict[str, tuple[object, ...]]:
        """Mode, owner, times, size and content of everything that no attack may change."""
        course = [ROOT / name for name in ("solutions", "checks", "steps", "grader", "course.toml")]
        found = {}
        for top in (*(self.folder / name for name in ("home", "others", "cache")), *course):
            for path in (top, *sorted(top.rglob("*"))):
                if "__pycache__" in path.parts:
                    continue
                at = path.lstat()
                text = path.read_bytes() if path.is_file() else b""
                digest = hashlib.sha256(text).hexdigest()
                attributes = sorted(os.listxattr(path, follow_symlinks=False))
                found[str(path)] = (at.st_mode, at.st_uid, at.st_gid, at.st_size, at.st_nlink,
                                    at.st_mtime_ns, digest, *attributes)  # fmt: skip
        return found

    def heard(self) -> list[str]:
        """What reached a listener."""
        found = []
        for one in self.sockets:
            one.setblocking(False)
            try:
                found.append(str(one.accept() if one.type == socket.SOCK_STREAM else one.recv(99)))
            except BlockingIOError:
                continue
        return found


MARKERS = (
    "/tmp/grader-hostile-marker", "/dev/shm/grader-hostile-marker",
    "/var/tmp/grader-hostile-marker", "/dev/mqueue/grader-hostile",
    *(f"{entry}/{name}" for entry in sys.path if entry.endswith("site-packages")
      for name in ("hostile_marker.py", "hostile_marker.pth")),
    f"{Path(os.__file__).parent}/hostile_marker.py",
)  # fmt: skip
"""Where attacks try to write outside the decoys."""


def repository(folder: Path) -> Path:
    """Where git keeps this course, or a decoy below ``folder`` where it does not."""
    asked = ["git", "rev-parse", "--path-format=absolute", "--git-common-dir"]
    found = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    if found.returncode == 0:
        return Path(found.stdout.strip())
    subprocess.run(["git", "init", "-q", str(folder / "decoy")], check=True)
    (folder / "decoy/.git/index").touch()
    return folder / "decoy/.git"


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    folder = tmp_path_factory.mktemp("arena")
    other = folder / "others" / "ada" / "step_05.py"
    home = folder / "home"
    for path in (home / ".ssh/id_rsa", home / ".netrc", home / ".aws/credentials",
                 home / ".local/lib/x.py", other, folder / "cache/kernel.so"):  # fmt: skip
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {SECRET}\n")
        path.chmod(0o600)
    (folder / "tmp").mkdir()
    for name in ("checks/step_05/rubric", "checks/shared/attention", "solutions/solution_05",
                 "grader/grading/judge", "grader/worker/probes"):  # fmt: skip
        py_compile.compile(str(ROOT / f"{name}.py"))
    for name in ("checks", "grader", "solutions"):  # what is imported now for the first time
        for module in (ROOT / name).rglob("*.py"):
            (module.parent / "__pycache__").mkdir(exist_ok=True)
    short = Path(f"/tmp/h-{os.getpid()}")  # a socket's path is short
    short.mkdir()
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, short)
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        unix = stack.enter_context(socket.socket(socket.AF_UNIX))
        unix.bind(str(short / "u"))
        unix.listen()
        datagrams = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        datagrams.bind(str(short / "u.dgram"))
        decoy = stack.enter_context(subprocess.Popen(["sleep", "1000"]))
        stack.callback(decoy.kill)
        names = {
            "ROOT": ROOT, "ARENA": folder, "HOME": home, "OTHER": other, "GIT": repository(folder),
            "CACHE": folder / "cache", "SECRET": SECRET, "TCP": tcp.getsockname()[1],
            "UDP": udp.getsockname()[1], "UNIX": short / "u", "DECOY": decoy.pid,
            "GRADER": os.getpid(),
        }  # fmt: skip
        texts = {name: str(value) for name, value in names.items()}
        yield Arena(folder, texts, [tcp, udp, unix, datagrams], decoy)


# ---- the run -------------------------------------------------------------------------------


@dataclass
class Round:
    """All attacks on one tier, and what they left."""

    tier: str
    done: dict[str, dict[str, Any]]
    changed: list[str]
    heard: list[str]
    markers: list[str]
    survivors: list[int]
    decoy_lives: bool
    arena: Arena

    def patience(self, one: dict[str, Any]) -> float:
        """Seconds that one grading may take: its file, the reference, its file again."""
        right = [each["seconds"] for name, each in self.done.items() if name.startswith("right")]
        return float(2 * one["wall"] + GRACE_S + SLOWER * max(right))


def plan(arena: Arena, names: list[str]) -> list[dict[str, Any]]:
    """The attacks of these names, with their decoys put in, and right files between them."""
    entries = []
    for number, attack in enumerate(ATTACKS[name] for name in names):
        file = arena.folder / "handed-in" / attack.name / f"step_{attack.step[1:]}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        text = re.sub("@([A-Z]+)@", lambda found: arena.names[found[1]], attack.source)
        file.write_text(text, encoding="utf-8")
        shown = {"name": attack.name, "file": str(file), "step": attack.step, "says": attack.says}
        entries.append({**shown, **attack.limits})
        if number % EVERY == 0:
            entries.append({"name": f"right {number}", "file": str(RIGHT)})
    entries.append({"name": "right at last", "file": str(RIGHT)})
    return [{"step": "s05", "says": "", **entry} for entry in entries]


def run(
    arena: Arena, layers: tuple[str, ...], names: list[str], *, pool: bool
) -> dict[str, dict[str, Any]]:
    """Grade these attacks in one process next to this one."""
    file = arena.folder / "plan.json"
    whole = {"layers": layers, "pool": pool, "files": plan(arena, names)}
    file.write_text(json.dumps(whole))
    environment = {
        **os.environ,
        "HOME": arena.names["HOME"],
        "TMPDIR": str(arena.folder / "tmp"),
        "MODULAR_CACHE_DIR": arena.names["CACHE"],
        "HOSTILE_TEST_SECRET": SECRET,
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-m", "tests.sandbox.hostile_session", str(file)]
    session = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True,
                             stdin=subprocess.DEVNULL, timeout=900, check=False)  # fmt: skip
    assert session.returncode == 0, session.stderr[-4000:]
    lines = [json.loads(line) for line in session.stdout.splitlines()]
    return {line["name"]: line for line in lines}


FORGERIES = [
    name
    for name, attack in ATTACKS.items()
    if name.startswith(("answers_", "exception_", "forged_", "lies_", "patched_", "class_is_"))
]
"""Those that aim at the verdict alone, and touch nothing outside their process."""


@pytest.fixture(scope="module")
def best() -> str:
    """The best tier of this machine."""
    return offered().tier


ROUNDS = {
    "confined-pool": list(ATTACKS),
    "sandboxed-pool": SAMPLE,
    "sandboxed-fresh": list(ATTACKS),
    "confined-fresh": list(ATTACKS),
}
"""Workers forked from one that has imported MAX, one for each file, or each from nothing."""


class Rounds:
    """Runs each round once, when it is asked for: the attacks of it that pytest has chosen."""

    def __init__(self, arena: Arena, chosen: dict[str, list[str]]) -> None:
        self._arena = arena
        self._chosen = chosen
        self._best = offered().tier
        self._done: dict[str, Round] = {}

    def of(self, kind: str) -> Round:
        tier, workers = kind.split("-")
        if self._best == "process" or (tier, self._best) == ("sandboxed", "confined"):
            pytest.skip(f"this machine offers {self._best}")
        if kind not in self._done:
            names = self._chosen.get(kind, ROUNDS[kind])
            self._done[kind] = self._run(tier, names, pool=workers == "pool")
        return self._done[kind]

    def _run(self, tier: str, names: list[str], *, pool: bool) -> Round:
        arena = self._arena
        before = arena.watched()
        done = run(arena, TIERS[tier], names, pool=pool)
        time.sleep(4)  # a daemon leaves its mark after three seconds
        survivors = self._survivors()
        after = arena.watched()
        paths = before.keys() | after.keys()
        return Round(
            tier=tier,
            done=done,
            changed=sorted(path for path in paths if before.get(path) != after.get(path)),
            heard=arena.heard(),
            markers=[p for p in (*MARKERS, f"{arena.folder}/survived") if Path(p).exists()],
            survivors=survivors,
            decoy_lives=arena.decoy.poll() is None,
            arena=arena,
        )

    def _survivors(self) -> list[int]:
        """The processes that are still there, however slowly a busy machine ends them."""
        limit = time.monotonic() + 60
        mark = str(self._arena.folder / "tmp" / "grader-")
        while (found := processes_with(mark)) and time.monotonic() < limit:
            time.sleep(0.1)
        return found


@pytest.fixture(scope="module")
def rounds(arena: Arena, request: pytest.FixtureRequest) -> Rounds:
    chosen: dict[str, list[str]] = {}
    for item in request.session.items:
        given = getattr(getattr(item, "callspec", None), "params", {})
        if item.path == Path(__file__) and {"kind", "name"} <= given.keys():
            chosen.setdefault(given["kind"], []).append(given["name"])
    return Rounds(arena, chosen)


@pytest.fixture
def round_(rounds: Rounds, kind: str) -> Round:
    return rounds.of(kind)


def marks(kind: str) -> list[pytest.MarkDecorator]:
    """Rounds take their time. The walls are the kernel's: each Python stands by the sample."""
    if kind.endswith("fresh"):
        return [pytest.mark.slow]
    return [pytest.mark.whole, *([pytest.mark.any_python] if ROUNDS[kind] == list(ATTACKS) else [])]


each_round = pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=marks(kind)) for kind in ROUNDS]
)
each_attack = pytest.mark.parametrize(
    ("kind", "name"),
    [
        pytest.param(kind, name, marks=marks(kind), id=f"{kind}-{name}")
        for kind, names in ROUNDS.items()
        for name in names
    ],
)


# ---- what must hold ------------------------------------------------------------------------


@each_attack
def test_an_attack_gets_nowhere(round_: Round, secrets: Secrets, name: str) -> None:
    """All that must hold of each attack, in one test: there are hundreds of them."""
    attack, one = ATTACKS[name], round_.done[name]
    _is_judged_rightly(attack, one)
    _was_tried_in_vain(attack, one)
    _aimed_at_something(round_.tier, one)
    assert one["processes"] == []
    assert one["folders"] == []
    assert one["seconds"] < round_.patience(one)
    _tells_no_secret(secrets, one)
    _is_plain_text_of_ours(one)


def _is_judged_rightly(attack: Attack, one: dict[str, Any]) -> None:
    checks = one["report"]["checks"]
    assert checks
    busy = "timeout" in attack.verdicts and any(check["id"] == faults.BUSY for check in checks)
    # Beside others that take the processors, what would run out of time has no verdict yet.
    assert one["report"]["verdict"] in attack.verdicts or busy, one["text"]


def _was_tried_in_vain(attack: Attack, one: dict[str, Any]) -> None:
    output = one["report"]["output"]
    assert "BROKE" not in output
    assert attack.says in output, one["text"]


STUMBLED = re.compile(
    r"^held (?!own |\.\./).* (NameError|TypeError|AttributeError|SyntaxError)$", re.MULTILINE
)
MISSED = re.compile(r"^held (?!own |\.\./).* (FileNotFoundError|NotADirectoryError)$", re.MULTILINE)


def _aimed_at_something(tier: str, one: dict[str, Any]) -> None:
    """What bubblewrap shows nothing of is missing inside; without it, only what is missing."""
    output = one["report"]["output"]
    assert not STUMBLED.search(output), output
    assert tier == "sandboxed" or not MISSED.search(output), output


class Secrets:
    """Lines that stand in what a learner may not read, and nowhere else.

    They are thousands, and a report can be long: what is looked up is how each of them begins.
    """

    LENGTH = 31

    def __init__(self) -> None:
        self._by_start: dict[str, list[str]] = {}
        for line in answers():
            self._by_start.setdefault(line[: self.LENGTH], []).append(line)

    def within(self, text: str) -> list[str]:
        """Those that ``text`` contains."""
        starts = {text[at : at + self.LENGTH] for at in range(len(text))}
        known = [line for start in starts & self._by_start.keys() for line in self._by_start[start]]
        return [secret for secret in (SECRET, *known) if secret in text]


def answers() -> list[str]:
    """Such lines, none shorter than what is looked up."""
    hidden = [*(ROOT / "solutions").glob("solution_*.py"), *(ROOT / "checks").rglob("*.py")]
    shown = [*(ROOT / "steps").glob("*.py"), *(ROOT / "solutions").glob("solution_0[1-4].py")]
    free = {line for path in (*shown, *FOLDER.glob("*.py"))
            for line in map(str.strip, path.read_text(encoding="utf-8").splitlines())}  # fmt: skip
    checks = [check for step in course.steps() for check in load.rubric(step).checks]
    report = "\n".join(text for c in checks for text in (c.passed, c.failed, *c.hints))
    lines = (line.strip() for path in hidden
             for line in path.read_text(encoding="utf-8").splitlines())  # fmt: skip
    kept = (line for line in lines if len(line) >= Secrets.LENGTH and line not in free)
    return [line for line in kept if line.strip('",') not in report]


@pytest.fixture(scope="module")
def secrets() -> Secrets:
    return Secrets()


def test_a_secret_in_a_report_would_be_found(secrets: Secrets) -> None:
    line = max(answers(), key=len)
    assert secrets.within(f"> {line} <, {SECRET[:-1]}") == [line]
    assert secrets.within(f"> {line[:-1]} <, {SECRET}") == [SECRET]


def _tells_no_secret(secrets: Secrets, one: dict[str, Any]) -> None:
    report = dict(one["report"])
    report["checks"] = [{**check, "hints": []} for check in report["checks"]]  # they lead to it
    text = [t for t in one["text"].split("\n") if not t.startswith("   Hint:")]
    assert secrets.within(json.dumps(report, ensure_ascii=False) + "\n".join(text)) == []


def _is_plain_text_of_ours(one: dict[str, Any]) -> None:
    report, text = one["report"], one["text"]
    odd = {c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl")}
    assert odd - {"\t", "\u200c", "\u200d"} == set()
    lines = text.split("\n")
    passed = sum(check["status"] == "pass" for check in report["checks"])
    assert sum(line.startswith("✅") for line in lines) == passed
    assert any(line.startswith("🎉") for line in lines) == (report["verdict"] == "pass")
    assert len(text) < 150_000
    own = [line for line in lines if "checked by hand" in line or "everything is wrong" in line]
    assert all(line.startswith("  | ") for line in own)


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(todays(12, FORGERIES), marks=pytest.mark.any_python, id="some"),
        pytest.param(FORGERIES, marks=pytest.mark.whole, id="all"),
    ],
)
def test_without_any_wall_the_verdict_stands(names: list[str], arena: Arena) -> None:
    done = run(arena, ("limits",), names, pool=True)
    for name in names:
        _is_judged_rightly(ATTACKS[name], done[name])
        assert done[name]["report"]["isolation"] in ("process", None)
    right = [one for name, one in done.items() if name.startswith("right")]
    assert {one["report"]["verdict"] for one in right} == {"pass"}


@each_round
def test_the_report_names_the_real_tier(round_: Round) -> None:
    # As root, a worker that could not become another user is not called confined.
    real = name_of(usable(TIERS[round_.tier]))
    assert {one["report"]["isolation"] for one in round_.done.values()} == {real}


@each_round
def test_every_right_file_passed_in_between(round_: Round) -> None:
    right = {name: one for name, one in round_.done.items() if name.startswith("right")}
    assert len(right) > (len(round_.done) - len(right)) // EVERY
    assert {one["report"]["verdict"] for one in right.values()} == {"pass"}
    assert {one["report"]["score"] for one in right.values()} == {31}


@each_round
def test_nothing_outside_changed(round_: Round) -> None:
    assert round_.changed == []
    assert round_.markers == []
    assert list((round_.arena.folder / "tmp").iterdir()) == []


@each_round
def test_nobody_was_reached(round_: Round) -> None:
    assert round_.heard == []
    assert round_.decoy_lives
    assert round_.survivors == []
