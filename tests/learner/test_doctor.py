"""``doctor`` on machines that were broken on purpose."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grader.base.course import ROOT
from grader.frameworks import version
from grader.sandbox.launch import offered
from tests import ran
from tests.own_course import Course, copy_course


def doctor(
    *options: str, program: str = sys.executable, root: Path | str = ROOT, **environment: Any
) -> subprocess.CompletedProcess[str]:
    drop = ("NO_COLOR", "GRADER_PLAIN", "LANG", "LC_ALL", "PYTHONUTF8", "PYTHONPATH")
    words = (program, *options, "-m", "grader", "doctor")
    return ran.command(*words, cwd=root, without=drop, **environment)


def site_without(folder: Path, *names: str) -> str:
    """A folder with this environment's packages, but for those that begin so."""
    for entry in sys.path:
        if not Path(entry).is_dir() or Path(entry).name not in ("site-packages", "dist-packages"):
            continue
        for package in Path(entry).iterdir():
            if not package.name.startswith(names) and not (folder / package.name).is_symlink():
                (folder / package.name).symlink_to(package)
    return str(folder)


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = copy_course(tmp_path_factory.mktemp("course"))
    shutil.copy(ROOT / "pixi.toml", course.root)
    return course


WRONG = (ROOT / "solutions" / "solution_01.py").read_text("utf-8").replace("int = 12", "int = 13")
"""A configuration with other heads than GPT-2's."""


@pytest.mark.any_python
@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("course.toml", None, "Course: .*course.toml"),
        ("course.toml", "[[", "Course: course.toml: Invalid"),
        ("solutions/solution_03.py", None, "Course: .*solution_03.py"),
        ("solutions/solution_01.py", "x = 1\n", "Course: the checks of s01 cannot"),
        ("solutions/solution_01.py", WRONG, "Grading: the reference does not pass"),
        (
            "checks/step_02/rubric.py",
            "import nothing_of_the_kind\n",
            "Course: the checks of s02 cannot",
        ),
        ("pixi.toml", None, "pixi.toml: cannot be read"),
    ],
)
@pytest.mark.sampled(3)
def test_a_broken_course_is_told_with_what_to_restore(
    name: str, content: str | None, found: str, own: Course
) -> None:
    path = own.root / name
    whole = path.read_bytes()
    try:
        path.unlink()
        if content is not None:
            path.write_text(content, encoding="utf-8")
        done = doctor(root=own.root)
    finally:
        path.write_bytes(whole)
    assert done.returncode == 3, done.stdout + done.stderr
    assert re.search(rf"❌ {found}.*\n   Do: .*git restore", done.stdout), done.stdout
    assert "must be fixed" in done.stdout


def test_a_damaged_progress_file_is_told_and_stops_nothing(own: Course) -> None:
    own.progress.parent.mkdir()
    own.progress.write_text("{", encoding="utf-8")
    done = doctor(root=own.root)
    assert done.returncode == 0
    assert re.search(r"🔸 Progress: .* is damaged.*\n   Do: .*You may delete it", done.stdout)


@pytest.mark.whole
def test_a_damaged_max_is_told(own: Course, tmp_path: Path) -> None:
    found = importlib.util.find_spec("max")
    assert found is not None
    assert found.submodule_search_locations
    prefix = Path(found.submodule_search_locations[0]).parents[3]
    if not (prefix / "pyvenv.cfg").is_file():
        pytest.skip("MAX is in no virtual environment")
    copied = ["cp", "-al", str(prefix), str(tmp_path / "env")]
    if subprocess.run(copied, check=False, capture_output=True).returncode:
        pytest.skip("the environment is on another disk")
    (part,) = (tmp_path / "env").glob("lib/python3*/site-packages/max/experimental")
    shutil.rmtree(part)
    program = tmp_path / "env" / "bin" / "python"
    done = doctor(program=str(program), root=own.root)
    assert done.returncode == 3, done.stdout + done.stderr
    assert re.search(r"❌ \w+: .*No module named 'max.experimental'.*\n   Do: Run", done.stdout)
    assert "Traceback" not in done.stdout
    words = (program, "-m", "grader", "grade", "s01")
    graded = ran.command(*words, cwd=own.root, without=["PYTHONPATH"])
    assert graded.returncode == 3, graded.stdout + graded.stderr
    assert "run doctor" in graded.stdout


@pytest.mark.whole
def test_without_bubblewrap_it_says_how_to_get_it(own: Course, tmp_path: Path) -> None:
    if offered().tier != "sandboxed":
        pytest.skip("bubblewrap does not work here")
    for name in ("sh", "env", "stty", "true", "unshare"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    done = doctor(root=own.root, PATH=str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(
        r"🔸 Isolation: (confined|process)\. .*bubblewrap .*\n   Do: Install bubblewrap",
        done.stdout,
    )


def test_a_whole_machine_is_found_whole() -> None:
    done = doctor()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "❌" not in done.stdout
    for name in ("Python", "MAX", "MAX's cache", "Engine", "Grading", "Isolation"):
        assert f" {name}: " in done.stdout


def test_missing_max_is_named(tmp_path: Path) -> None:
    done = doctor("-S", PYTHONPATH=site_without(tmp_path, "max"))
    assert done.returncode == 3, done.stdout + done.stderr
    assert re.search(r"❌ MAX: is not installed.*\n   Do: Run ./pixiw install", done.stdout)


def test_another_version_of_max_is_named(tmp_path: Path) -> None:
    info = next(path for entry in sys.path for path in Path(entry).glob("max-[0-9]*.dist-info"))
    site = site_without(tmp_path, info.name)
    (tmp_path / info.name).mkdir()
    text = (info / "METADATA").read_text(encoding="utf-8")
    other = re.sub(r"(?m)^Version: .*$", "Version: 25.1.0", text, count=1)
    (tmp_path / info.name / "METADATA").write_text(other, encoding="utf-8")
    done = doctor("-S", PYTHONPATH=site)
    assert done.returncode == 3, done.stdout + done.stderr
    wanted = version.pinned("max")
    assert f"❌ MAX: version 25.1.0, but the grader is made for {wanted}" in done.stdout


def test_missing_packages_are_named(tmp_path: Path) -> None:
    done = doctor("-S", PYTHONPATH=site_without(tmp_path, "watchfiles"))
    assert done.returncode == 3
    assert "❌ Packages: missing: watchfiles" in done.stdout


def test_without_click_there_is_a_message_and_no_traceback(tmp_path: Path) -> None:
    done = doctor("-S", PYTHONPATH=site_without(tmp_path, "click"))
    assert done.returncode == 3
    assert "needs the package click" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("variable", "name", "status"),
    [("MODULAR_CACHE_DIR", "MAX's cache", 0), ("TMPDIR", "Temporary folder", 3)],
)
@pytest.mark.whole
def test_a_folder_that_cannot_be_written_is_named(
    variable: str, name: str, status: int, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    done = doctor(**{variable: str(tmp_path / "file" / "inside")})
    assert "Traceback" not in done.stderr
    assert re.search(rf"[❌🔸] {name}: .*cannot be written.*\n   Do: Set {variable}", done.stdout)
    if status:
        assert done.returncode == status


def test_a_terminal_without_utf_8_is_named() -> None:
    done = doctor(PYTHONUTF8="0", LC_ALL="C", PYTHONCOERCECLOCALE="0", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert re.search(r"\[weak\] Terminal: .*not UTF-8\n   Do: Set LANG", done.stdout)
    assert done.stdout.isascii()


def test_an_old_python_is_told_so() -> None:
    found = [shutil.which(f"python3.{minor}") for minor in (10, 9, 8)]
    kept = Path("~/.pyenv/versions").expanduser().glob("3.[89].*/bin/python")
    candidates = [path for path in (*found, *map(str, kept)) if path]
    runs = (p for p in candidates if not subprocess.run([p, "-c", ""], check=False).returncode)
    old = next(runs, None)
    if old is None:
        pytest.skip("no Python older than 3.11 here")
    done = doctor(program=old)
    assert done.returncode == 3
    assert "needs Python 3.11 or newer" in done.stderr
    assert "pixiw" in done.stderr
