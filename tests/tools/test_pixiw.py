"""``pixiw`` in folders of its own, with real pip and uv, and small packages in place of MAX.

Nothing here needs a network: pip's settings name a folder of wheels, which uv gets too. Most
folders ask for no package, which is quicker.

Longer than 300 lines, because one prepared folder serves all its tests.
"""

from __future__ import annotations

import hashlib
import http.server
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
import uv

from tools.pixiw import groups, main, outside, pip
from tools.pixiw.manifest import Problem, read

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 300
"""Making an environment takes seconds of processor time, of which a busy machine has few."""

PIXI_TOML = """\
[workspace]
name = "tiny"
channels = []
platforms = []

[activation.env]
FOR_ALL = "all of them"

[tasks]
show = { cmd = "python show.py first", description = "Show its call", env = { MINE = "1" } }
leave = { cmd = ["python", "-c", "import sys; sys.exit(int(sys.argv[1]))"] }
_prepare = "python prepare.py"

[feature.uv.pypi-dependencies]
uv = "*"

[feature.test.tasks]
where = { cmd = "python where.py", default-environment = "test" }

[environments]
uv = { features = ["uv"], no-default-feature = true }
test = ["test"]
"""

PACKAGES = """
[pypi-dependencies]
thing = "==1.0"

[feature.test.pypi-dependencies]
more = ">=1"
"""

SHOW = """\
import os, sys
print(sys.argv[1:], os.getcwd(), os.environ["INIT_CWD"], os.environ["FOR_ALL"], os.environ["MINE"])
"""


@dataclass
class Folder:
    """A folder with a ``pixi.toml`` and pixiw, on a machine without pixi."""

    path: Path
    environment: dict[str, str]

    def start(self, *arguments: str, cwd: Path | None = None) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["/bin/sh", str(self.path / "pixiw"), *arguments],
            cwd=cwd or self.path,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str, cwd: Path | None = None) -> tuple[int, str, str]:
        with self.start(*arguments, cwd=cwd) as process:
            out, err = process.communicate(timeout=PATIENCE_S)
        return process.returncode, out, err

    def write(self, name: str, text: str) -> None:
        (self.path / name).parent.mkdir(exist_ok=True)
        (self.path / name).write_text(text, encoding="utf-8")

    def command(self, name: str, text: str) -> None:
        """Put a program first on PATH."""
        path = Path(self.environment["PATH"].split(os.pathsep)[0]) / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def made(self) -> set[str]:
        return {path.name for path in self.path.glob(".venv*")} - {".venv.lock", ".venv.uv"}


def write_wheel(folder: Path, name: str, files: Mapping[str, str], metadata: str = "") -> Path:
    """A wheel ``name`` 1.0 that holds ``files``. ``metadata`` is what METADATA says besides."""
    info = f"{name}-1.0.dist-info"
    parts = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{metadata}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for part, text in parts.items():
            entry = zipfile.ZipInfo(part)
            entry.external_attr = 0o100755 << 16  # for the script among them
            wheel.writestr(entry, text)
    return path


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheels that the ``pixi.toml`` above asks for. Its uv is the real one."""
    folder = tmp_path_factory.mktemp("wheels")
    program = f'#!/bin/sh\n[ ! -e before_uv ] || . ./before_uv\nexec "{uv.find_uv_bin()}" "$@"\n'
    write_wheel(folder, "uv", {"uv-1.0.data/scripts/uv": program})
    scripts = "[console_scripts]\nwhere-is-thing = thing:say\n"
    thing = {"thing.py": "def say(): print(__file__)"}
    write_wheel(folder, "thing", {**thing, "thing-1.0.dist-info/entry_points.txt": scripts})
    write_wheel(folder, "more", {"more.py": "import thing"}, "Requires-Dist: thing\n")
    return folder


def new_folder(place: Path, wheels: Path) -> Folder:
    """A new folder, with a space in its name, an empty HOME, and a ``pixi`` of another kind."""
    path = place / "a course"
    for name in ("a course/tools", "home", "bin"):
        (place / name).mkdir(parents=True)
    shutil.copy(ROOT / "pixiw", path)
    shutil.copy(ROOT / "tools/__init__.py", path / "tools")
    shutil.copytree(
        ROOT / "tools/pixiw", path / "tools/pixiw", ignore=shutil.ignore_patterns("__pycache__")
    )
    environment = {
        name: value
        for name, value in os.environ.items()
        if "PYTHON" not in name and not name.startswith(("PIP_", "UV_"))
    }
    environment |= {
        "HOME": str(place / "home"),
        "PATH": os.pathsep.join([str(place / "bin"), os.environ["PATH"]]),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels),
    }
    # The Python that runs the tests, where pixiw looks first: a shim of pyenv takes much longer.
    program = Path(sys.executable).resolve()
    (place / "bin" / f"python3.{sys.version_info[1]}").symlink_to(program)
    made = Folder(path, environment)
    made.write("pixi.toml", PIXI_TOML)
    made.write("show.py", SHOW)
    made.write("where.py", "import sys; print(sys.prefix)")
    made.write("prepare.py", "")
    made.command("pixi", "echo 'another program 1.0'")
    return made


@dataclass
class First:
    """A folder after its first run, and what that said."""

    folder: Folder
    status: int
    out: str
    err: str


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory, wheels: Path) -> First:
    made = new_folder(tmp_path_factory.mktemp("made"), wheels)
    return First(made, *made.run("run", "show", "a b", "--flag", "*", cwd=Path("/")))


@pytest.fixture
def folder(tmp_path: Path, first: First, wheels: Path) -> Iterator[Folder]:
    """A folder where only uv is there already."""
    made = new_folder(tmp_path, wheels)
    (made.path / ".venv.uv").symlink_to(first.folder.path / ".venv.uv")
    made.environment["UV_CACHE_DIR"] = str(wheels / "cache")
    yield made
    # In case a test failed half-way: what waits for a file waits no longer.
    (made.path / "prepare.py").unlink(missing_ok=True)


@pytest.fixture
def ready(folder: Folder, first: First) -> Folder:
    """The same after its first run."""
    shutil.copytree(first.folder.path / ".venv", folder.path / ".venv", symlinks=True)
    return folder


@pytest.fixture
def locked(folder: Folder, wheels: Path) -> Folder:
    """A folder whose ``pixi.toml`` asks for packages, and that has a lock for the default ones."""
    folder.write("pixi.toml", PIXI_TOML + PACKAGES)
    digest = read(folder.path).environments["default"].digest
    found = hashlib.sha256((wheels / "thing-1.0-py3-none-any.whl").read_bytes()).hexdigest()
    folder.write("requirements/default.txt", f"# for {digest}\nthing==1.0 --hash=sha256:{found}\n")
    return folder


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.02)


def test_the_first_run_makes_the_environment_and_says_so_on_stderr(first: First) -> None:
    assert first.status == 0, first.err
    path = first.folder.path
    assert first.out == f"['first', 'a b', '--flag', '*'] {path} / all of them 1\n"
    assert "Python 3." in first.err
    assert ".venv is ready" in first.err
    assert first.folder.made() == {".venv"}


def test_a_ready_task_does_the_same_and_says_nothing(ready: Folder) -> None:
    status, out, err = ready.run("run", "show", "a b", "--flag", "*", cwd=Path("/"))
    assert (status, err) == (0, "")
    assert out == f"['first', 'a b', '--flag', '*'] {ready.path} / all of them 1\n"


def test_a_ready_task_starts_without_the_python_half(ready: Folder) -> None:
    shutil.rmtree(ready.path / "tools")
    assert ready.run("run", "leave", "0") == (0, "", "")


@pytest.mark.parametrize("status", [0, 1, 2, 3, 77])
def test_the_exit_status_is_that_of_the_task(ready: Folder, status: int) -> None:
    assert ready.run("run", "leave", str(status))[0] == status


def test_a_changed_pixi_toml_counts_at_once(ready: Folder) -> None:
    ready.write("pixi.toml", PIXI_TOML.replace("show.py first", "show.py second"))
    assert ready.run("run", "show")[1].startswith("['second']")
    assert ready.run("run", "show")[1].startswith("['second']")
    ready.write("pixi.toml", PIXI_TOML.replace("leave = ", "go = "))
    assert ready.run("run", "leave", "0")[0] == 2


def test_two_at_once_make_one_environment(folder: Folder) -> None:
    folder.write("prepare.py", "import time; time.sleep(0.5); print(0, file=open('count', 'a'))")
    both = [folder.start("run", "leave", "5") for _ in range(2)]
    said = [process.communicate(timeout=PATIENCE_S)[1] for process in both]
    assert [process.returncode for process in both] == [5, 5]
    assert sorted("is ready" in text for text in said) == [False, True]
    assert (folder.path / "count").read_text(encoding="utf-8") == "0\n"


def test_waiting_for_another_pixiw_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main, "PATIENCE_S", 0.0)
    first = main._lock(tmp_path)
    assert first is not None
    with os.fdopen(first), pytest.raises(Problem, match="for an hour"):
        main._lock(tmp_path)


@pytest.mark.parametrize(
    "half", ["no state", "other key", "no python", "old python", "empty", "a file"]
)
@pytest.mark.sampled(3)
def test_a_half_made_environment_is_made_anew(ready: Folder, half: str) -> None:
    made = ready.path / ".venv"
    if half == "no state":
        shutil.rmtree(made / ".pixiw")
    elif half == "other key":
        (made / ".pixiw/sources").unlink()
        (made / ".pixiw/key").write_text("other", encoding="utf-8")
    elif half == "no python":
        (made / "bin/python").unlink()
    elif half == "old python":
        shutil.rmtree(made / ".pixiw")
        ready.command("old", "echo no is Python 3.9")
        (made / "bin/python").unlink()
        (made / "bin/python").symlink_to(ready.path.parent / "bin/old")
    else:
        shutil.rmtree(made)
        made.mkdir() if half == "empty" else made.touch()
    assert ready.run("run", "leave", "4")[0] == 4
    assert "is ready" not in ready.run("run", "leave", "4")[2]


@dataclass
class Installing:
    """A run that got as far as installing, which would take a minute."""

    pixiw: subprocess.Popen[str]
    children: list[psutil.Process]

    def end(self, number: int) -> None:
        self.pixiw.send_signal(number)
        self.pixiw.communicate(timeout=PATIENCE_S)


@pytest.fixture
def installing(folder: Folder) -> Iterator[Installing]:
    folder.write("before_uv", "mkdir .venv.new; sleep 60 & : >began; wait")
    with folder.start("run", "leave", "0") as pixiw:
        wait_until((folder.path / "began").exists)
        children = psutil.Process(pixiw.pid).children(recursive=True)
        try:
            yield Installing(pixiw, children)
        finally:
            pixiw.kill()
            for child in children:
                with suppress(psutil.NoSuchProcess):
                    child.kill()


def starts_afresh(folder: Folder) -> bool:
    (folder.path / "before_uv").unlink()
    return folder.run("run", "leave", "6")[0] == 6 and folder.made() == {".venv"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_is_interrupted_ends_with_all_that_it_started(
    installing: Installing, folder: Folder, number: int
) -> None:
    installing.end(number)
    assert installing.pixiw.returncode == -number
    assert len(installing.children) == 2
    wait_until(lambda: not any(child.is_running() for child in installing.children))
    assert folder.made() == set()
    assert starts_afresh(folder)


def test_after_a_kill_the_next_run_starts_afresh(installing: Installing, folder: Folder) -> None:
    installing.end(signal.SIGKILL)
    assert folder.made() == {".venv.new"}
    for child in installing.children:
        child.kill()
    assert starts_afresh(folder)


def test_what_a_killed_run_left_running_is_waited_for(folder: Folder) -> None:
    # Whatever is still at work stays so until the file `go` is there.
    folder.write(
        "prepare.py",
        "import os, time; open('began', 'w')\n"
        "while not os.path.exists('go') and os.path.exists('prepare.py'): time.sleep(0.02)\n"
        "open('end', 'w')",
    )
    killed = folder.start("run", "leave", "0")
    wait_until((folder.path / "began").exists)
    killed.kill()
    killed.wait(timeout=PATIENCE_S)
    with killed, folder.start("run", "leave", "6") as process:
        assert process.stderr is not None
        assert "waiting" in process.stderr.readline()
        assert not (folder.path / "end").exists()
        (folder.path / "go").touch()
        process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 6


def test_a_working_environment_stays_until_the_next_is_whole(ready: Folder, wheels: Path) -> None:
    before = (ready.path / ".venv/.pixiw/key").read_text(encoding="utf-8")
    wheel = (wheels / "thing-1.0-py3-none-any.whl").read_bytes()
    wrong = hashlib.sha256(wheel + b"changed").hexdigest()
    ready.write("requirements/default.txt", f"thing==1.0 --hash=sha256:{wrong}\n")
    status, out, err = ready.run("run", "leave", "0")
    assert (status, out) == (3, "")
    assert "Hash mismatch" in err
    assert "remove the folder requirements/" in err.splitlines()[-1]
    assert (ready.path / ".venv/.pixiw/key").read_text(encoding="utf-8") == before
    assert ready.made() == {".venv"}
    (ready.path / "requirements/default.txt").unlink()
    assert ready.run("run", "leave", "6") == (6, "", "")


def test_what_cannot_be_prepared_is_told_once_and_stops_nothing(folder: Folder) -> None:
    folder.write("prepare.py", "import sys; sys.exit('there is no compiler')")
    status, _, err = folder.run("run", "leave", "6")
    assert status == 6
    assert "there is no compiler\npixiw: that failed" in err
    assert folder.run("run", "leave", "6") == (6, "", "")


class LoginPage(http.server.BaseHTTPRequestHandler):
    """Answers everything with the same page, as a network does before one has logged in."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!DOCTYPE html><title>Log in</title><a href='/login'>Log in</a>")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def login_page() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), LoginPage) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(
    ("variable", "said"),
    [("PIP_INDEX_URL", "does not list a package"), ("PIP_PROXY", "cannot be reached")],
)
def test_an_index_that_does_not_answer_is_told_in_a_line(
    locked: Folder, login_page: str, variable: str, said: str
) -> None:
    for name in ("PIP_NO_INDEX", "PIP_FIND_LINKS"):
        locked.environment.pop(name)
    own = {"PIP_CONFIG_FILE": os.devnull, "UV_HTTP_RETRIES": "0", variable: login_page}
    if variable == "PIP_PROXY":
        own["PIP_INDEX_URL"] = "https://index.invalid"
    locked.environment.update(own)
    status, out, err = locked.run("run", "show")
    assert (status, out) == (3, "")
    assert said in err.splitlines()[-1], err
    assert locked.made() <= {".venv.cache"}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
         "disk is full"),
        ("error: Failed to download `pillow==13.0.0`\n"
         "  cause: failed to write to file `a.so`: No space left on device (os error 28)",
         "disk is full"),
        ("error: Request failed after 3 retries in 6.3s\n  cause: dns error", "cannot be reached"),
        ("error: Failed to fetch: https://a/\n  cause: tls handshake eof", "cannot be reached"),
        ("WARNING: Retrying (Retry(total=4)) connection broken by 'ProxyError('Cannot connect "
         "to proxy.')'\nERROR: No matching distribution found for uv==0.13.9", "cannot be reached"),
        ("ERROR: Could not find a version that satisfies the requirement uv==0.13.9 (from "
         "versions: none)", "does not list a package"),
        ("error: Failed to fetch: https://a/\n  cause: invalid peer certificate: UnknownIssuer",
         "certificate"),
        ("error: No solution found when resolving dependencies\n  cause: Because max==1.0 has no "
         "wheels with a matching platform tag (e.g., `win_amd64`)", "no build for this machine"),
        ("error: something else", "what is said above"),
    ],
)  # fmt: skip
def test_the_cause_of_a_failure_is_found_in_what_pip_and_uv_say(said: str, told: str) -> None:
    assert told in outside.why(said)


def test_packages_are_installed_once_and_run_where_they_are(locked: Folder) -> None:
    status, _, err = locked.run("install", "-e", "test")
    assert status == 0, err
    (below,) = locked.path.glob(".venv/lib/python3.*/site-packages")
    assert list(locked.path.glob(".venv*/lib/python3.*/site-packages/more.py"))
    assert list(locked.path.glob(".venv*/lib/python3.*/site-packages/thing.py")) == [
        below / "thing.py"
    ]
    assert locked.run("run", "-e", "test", "python", "-c", "import more") == (0, "", "")
    assert locked.run("run", "where-is-thing") == (0, f"{below}/thing.py\n", "")
    assert list(below.glob("__pycache__/course_waiting.*.pyc"))
    loaded = "import sys; assert 'course_waiting' in sys.modules"
    for environment in ("default", "test"):
        assert locked.run("run", "-e", environment, "python", "-c", loaded) == (0, "", "")
    assert locked.made() == {".venv", ".venv.test"}
    for name in locked.made():
        for script in (locked.path / name / "bin").iterdir():
            assert b".venv.new" not in script.read_bytes(), script

    locked.write("pixi.toml", PIXI_TOML + PACKAGES.replace("==1.0", "==2.0"))
    for _ in range(2):  # it says so each time, and continues with what it has
        status, _, err = locked.run("run", "leave", "5")
        assert (status, "requirements/default.txt" in err, "run lock" in err) == (5, True, True)


def test_another_environment_lies_on_top_of_the_default_one(ready: Folder) -> None:
    (site,) = ready.path.glob(".venv/lib/python3.*/site-packages")
    (site / "only_below.py").touch()
    status, out, _ = ready.run("run", "where")
    assert (status, out) == (0, f"{ready.path}/.venv.test\n")
    assert ready.run("run", "-e", "test", "python", "-c", "import only_below") == (0, "", "")
    assert ready.run("run", "where") == (0, f"{ready.path}/.venv.test\n", "")


def test_uv_is_told_where_pip_finds_packages(
    tmp_path: Path, first: First, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pip.conf").write_text(
        "[global]\nindex-url = file:///a\nproxy = p\n[install]\nextra-index-url =\n  b\n  c\n"
    )
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    monkeypatch.setenv("PIP_FIND_LINKS", "/d e")
    monkeypatch.setenv("PIP_PROXY", "q")
    told = pip.settings(first.folder.path / ".venv.uv/bin/python")
    wanted = {
        "UV_DEFAULT_INDEX": "file:///a",
        "UV_INDEX": "b c",
        "UV_FIND_LINKS": "/d,e",
        "ALL_PROXY": "q",
    }
    assert told.items() >= wanted.items()


def test_an_unknown_task_is_told_in_a_line(folder: Folder) -> None:
    status, out, err = folder.run("run", "shwo")
    assert (status, out) == (2, "")
    assert "Did you mean 'show'?" in err
    assert len(err.splitlines()) == 1
    assert folder.made() == set()


def test_no_arguments_list_the_tasks_too(folder: Folder) -> None:
    status, out, _ = folder.run()
    assert (status, "show" in out, "where" in out, "Show its call" in out) == (0, True, True, False)
    for arguments in (["task", "list"], ["help", "--all"], ["run", "help", "--all"], ["--all"]):
        assert "Show its call" in folder.run(*arguments)[1]
    assert folder.made() == set()


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ('bad = "a && b"', "not a plain command"),
        ('bad = "echo $HOME"', "not a plain command"),
        ("bad = \"echo 'a b'\"", "not a plain command"),
        ('bad = { cmd = "a", cwd = "x" }', "cwd"),
        ('bad = { depends-on = ["show"] }', "depends-on"),
    ],
)
def test_what_only_pixi_can_do_is_refused_by_name(tmp_path: Path, task: str, said: str) -> None:
    (tmp_path / "pixi.toml").write_text(f"[tasks]\n{task}\n", encoding="utf-8")
    with pytest.raises(Problem, match=f"'bad'.*{said}"):
        read(tmp_path)


def test_pixi_is_given_everything_where_it_is_installed(folder: Folder) -> None:
    folder.command("pixi", '[ "$1" = --version ] && echo pixi 0.77.0 || printf "<%s>" "$@"')
    manifest = f"<--manifest-path><{folder.path}/pixi.toml>"
    assert folder.run("run", "show", "a b")[1] == f"<run>{manifest}<show><a b>"
    assert folder.run("shell", "-e", "test")[1] == "<shell><-e><test>"


def test_a_python_that_does_not_work_is_passed_over(folder: Folder) -> None:
    folder.command("python3.14", "echo 'pyenv: python3.14: command not found' >&2; exit 127")
    folder.command("python3.13", "echo no lacks the module venv")
    assert folder.run("run", "leave", "6")[0] == 6


def test_a_python_that_is_asked_for_is_taken_or_refused(folder: Folder) -> None:
    folder.command("my-python", "echo no is Python 3.9")
    folder.environment["PIXIW_PYTHON"] = "my-python"
    status, _, err = folder.run("run", "show")
    assert (status, "is Python 3.9" in err) == (3, True)


def test_without_any_python_it_says_how_to_get_one(folder: Folder) -> None:
    # Pythons of the machine cannot be hidden, so this pixiw looks for versions that none has.
    text = (folder.path / "pixiw").read_text(encoding="utf-8")
    folder.write("pixiw", text.replace('pythons="3.14 3.13 3.12 3.11"', 'pythons="3.99"'))
    for name in ("python3", "python"):
        folder.command(name, "echo no is Python 3.6")
    status, out, err = folder.run("run", "show")
    assert (status, out) == (3, "")
    assert "python3 is Python 3.6" in err
    assert "https://pixi.sh" in err
    assert "pip install" not in err


def test_the_list_is_six_groups_that_know_every_task(monkeypatch: pytest.MonkeyPatch) -> None:
    course = read(ROOT)
    found = groups.grouped(course)
    assert list(found) == ["begin", "steps", "when stuck", "look", "teach", "maintain"]
    named = [name for names in groups.GROUPS.values() for name in names]
    assert len(named) == len(set(named))
    assert set(named) <= set(course.tasks)
    assert all(task.description for tasks in found.values() for task in tasks)
    monkeypatch.delenv("PIXI_PROJECT_ROOT", raising=False)
    short, whole = groups.page(course), groups.page(course, whole=True)
    assert len([line for line in short.splitlines() if line]) <= 10
    for task in (task for tasks in found.values() for task in tasks):
        assert f"  {task.name}  " in whole
        assert task.name in short or groups.STEP.fullmatch(task.name)
    assert all(len(line) <= 80 for line in (short + whole).splitlines())
    assert "./pixiw run help --all" in short
    monkeypatch.setenv("PIXI_PROJECT_ROOT", "/here")
    assert "pixi run help --all" in groups.page(course)
    assert "./pixiw" not in groups.page(course)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["s13"], "There is no step 13: the steps are s01 to s02."),
        (["run", "s13"], "There is no step 13: the steps are s01 to s02."),
        (["run", "7"], "There is no step 7: the steps are s01 to s02."),
        (["show", "a b"], "Add `run`: ./pixiw run show 'a b'"),
    ],
)
def test_what_is_nearly_a_task_is_answered_in_a_line(
    folder: Folder, typed: list[str], said: str
) -> None:
    steps = 's01 = "python show.py one"\ns02 = "python show.py two"\n_prepare ='
    folder.write("pixi.toml", PIXI_TOML.replace("_prepare =", steps))
    status, out, err = folder.run(*typed)
    assert (status, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1
    assert folder.made() == set()


def test_a_step_alone_is_graded(ready: Folder) -> None:
    ready.write("pixi.toml", PIXI_TOML.replace("leave = ", "s05 = "))
    assert ready.run("s05", "4")[0] == 4
    assert ready.run("s05", "5")[0] == 5


def test_the_list_is_ours_where_pixi_is_installed(folder: Folder) -> None:
    folder.command("pixi", '[ "$1" = --version ] && echo pixi 0.77.0 || printf "<%s>" "$@"')
    assert "./pixiw run NAME" in folder.run()[1]
    assert "<run>" in folder.run("s05")[1]
