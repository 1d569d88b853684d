"""Files that would keep the grader itself busy: it reads each of them in bounded time.

The grader parses and traces a file in its own process, so no sandbox helps here. What is too
large to be read is refused; what can be read is followed for a number of steps and no further.
"""

from __future__ import annotations

import ast
import codecs
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

from grader.base import course
from grader.base.model import Step
from grader.rubric import load
from grader.source import SourceProblem, parse, read_file

PATIENCE_S = 20
"""Processor time, where any of these once took minutes and more. Now each takes a second or two."""

CALL = "class GPT2Attention:\n def __call__(self, x):\n"
CHAIN = "".join(f" def m{n}(self, x):\n  return {'+'.join([f'self.m{n + 1}(x)'] * 9)}\n"
                for n in range(30))  # fmt: skip

FILES = {
    "functions without end": "def f():pass\n" * 18_000,
    "one long list": f"x=[{'1,' * 120_000}]",
    "huge constants": "x = 10**10**9\ny = 'a'*10**10\nz = 1 << 10**12\nw = ((9,)*9**9)*9**9",
    "a number of many digits": "x = " + "9" * 200_000,
    "nested f-strings": "x=" + "f'{" * 140 + "1" + "}'" * 140,
    "an f-string of many parts": 'x=f"' + "{a}" * 70_000 + '"',
    "classes that derive from each other": (
        "class GPT2Attention(Other): pass\nclass Other(GPT2Attention): pass\n"
    ),
    "helpers that call helpers, nine times each": (
        f"class GPT2Attention:\n def __call__(self, x):\n  return self.m0(x)\n{CHAIN}"
    ),
    "functions in lists of calls of functions": (
        "".join(f"def m{n}(x): return [{','.join([f'm{n + 1}(x)'] * 30)}]\n" for n in range(30))
        + f"{CALL}  return m0(x)\n def __init__(self, c):\n  self.c_attn = m0(c)\n"
    ),
    "constants of constants": (
        "".join(f"c{n}=[{','.join([f'c{n + 1}'] * 4)}]\n" for n in range(60))
        + f"{CALL}  return c0\n"
    ),
    "values that double": CALL + "  x = x + x\n" * 1_500 + "  return x\n",
    "products that double, in every method": "class GPT2Attention:\n" + "".join(
        f" def {name}(self, x):\n" + "  x = x @ x / x.sqrt()\n" * 220 + "  return x\n"
        for name in ("__init__", "__call__", "_attn", "_split_heads", "_merge_heads")
    ),
    "branches after branches": CALL + "".join(
        f"  v{n} = x\n  if x: v{n} = x + 1\n" for n in range(800)
    ) + "  return x\n",
    "many elifs": CALL + "  if x: x = 1\n" + "".join(
        f"  elif x: x = x + {n}\n" for n in range(190)
    ) + "  return x\n",
    "loops in loops": CALL + "".join(
        " " * (n + 2) + "for i in x:\n" for n in range(18)
    ) + " " * 21 + "x = x + x\n  return x\n",
    "comprehensions of comprehensions": (
        f"{CALL}  y = [x] * 8 + [x, x, x, x]\n  return {'[' * 15}x{' for a in y]' * 15}\n"
    ),
    "lambdas of lambdas": CALL + "  f0 = lambda y: y\n" + "".join(
        f"  f{n + 1} = lambda y: {'+'.join([f'f{n}(y)'] * 8)}\n" for n in range(30)
    ) + "  return f30(x)\n",
    "functions in functions": "".join(
        " " * n + f"def f{n}():\n" for n in range(90)
    ) + " " * 90 + "pass\n",
    "brackets that never close": "x = " + "{**{[(" * 45,
}  # fmt: skip

CODINGS = ("punycode", "idna", "undefined", "rot13", "hex", "zlib", "mbcs", "cp037", "utf-16-be",
           "x" * 9_000)  # fmt: skip
WRITTEN = ("gbk", "gb18030", "big5", "shift_jis", "iso2022_jp", "euc-jp", "euc-kr", "koi8-r",
           "cp1251", "mac-cyrillic", "iso-8859-7", "latin-1-unix", "utf-7", "raw_unicode_escape",
           "utf-8-unix", "utf8", "ascii", "hz")  # fmt: skip


@contextmanager
def patience(seconds: int) -> Iterator[None]:
    """Fail whatever takes more processor time, between two steps of Python."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise AssertionError("this would go on forever")

    old = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, old)


def look(data: bytes, step: Step) -> SourceProblem | None:
    """Read ``data`` and ask every source check about it; why it cannot be read, if it cannot."""
    try:
        source = parse(data, "steps/step_05.py")
    except SourceProblem as problem:
        return problem
    for check in load.rubric(step).checks:
        if check.test is not None:
            check.test(source)
    return None


@pytest.mark.parametrize("name", FILES)
@pytest.mark.sampled(3)
def test_a_file_that_grows_when_it_is_looked_at_is_read_in_bounded_time(name: str) -> None:
    with patience(PATIENCE_S):
        look(FILES[name].encode(), course.find("s05"))


@pytest.mark.parametrize("step", course.steps()[::3], ids=lambda step: step.id)
def test_no_rubric_follows_a_value_without_end(step: Step) -> None:
    text = step.solution.read_text(encoding="utf-8")
    # Before each return, every value doubles 150 times.
    grown = [line.replace("return ", "x = x @ x; " * 150 + "return x @ ") for line in
             text.splitlines()]  # fmt: skip
    with patience(PATIENCE_S):
        look("\n".join(grown).encode(), step)


@pytest.mark.parametrize("coding", CODINGS)
def test_an_encoding_that_python_does_not_compile_is_refused(coding: str) -> None:
    data = f"# coding: {coding}\n#{'b9' * 100_000}\n".encode()
    with patience(PATIENCE_S):
        problem = look(data, course.find("s05"))
    assert problem is not None
    assert "encoding" in problem.message
    assert len(problem.message) < 200


@pytest.mark.parametrize("coding", WRITTEN)
@pytest.mark.parametrize("before", ["", "#!/usr/bin/env python\r", "# {}\r\n"])
def test_whatever_python_compiles_is_read(coding: str, before: str) -> None:
    letters = ["é", "ж", "中文", "日本", "한국", "α", "plain"]
    word = next(word for word in letters if _has(coding, word))
    text = f"{before.format(word)}# -*- coding: {coding} -*-  {word}\r\nx = '{word}'\r\n"
    data = text.encode(codecs.lookup(coding.removesuffix("-unix")).name)
    names: dict[str, object] = {}
    exec(compile(data, "f.py", "exec", dont_inherit=True), names)
    for written in (data, data.replace(b"\r\n", b"\r")):
        assign = parse(written, "f.py").tree.body[0]
        assert ast.unparse(assign) == f"x = {names['x']!r}"


def _has(coding: str, word: str) -> bool:
    try:
        return word.encode(coding.removesuffix("-unix")).isascii() is (coding in ASCII)
    except UnicodeEncodeError:
        return False


ASCII = ("ascii", "hz", "iso2022_jp", "utf-7", "raw_unicode_escape")


@pytest.mark.parametrize(
    ("data", "line", "deletes"),
    [
        ("x = 1\n\n\ny = 'é'\n".encode("latin-1"), 4, False),
        ("x = 'é'\n".encode("latin-1"), 1, False),
        ("# coding: utf-8\nx = 'é'\n".encode("latin-1"), 2, False),
        ("# coding: gbk\nx = 'é'\n".encode("latin-1"), 2, True),
        (b"#!python\n# coding: klingon\n", 2, True),
        (b"\xef\xbb\xbf# coding: gbk\n", 1, True),
        (b"# coding: unicode_escape\nx = '\\ud800'\n", 1, True),
        (b"x = 1\n\n# coding: klingon\ny = '\xff'\n", 4, False),
    ],
)
def test_only_who_has_a_coding_line_is_told_to_delete_it(
    data: bytes, line: int, deletes: bool
) -> None:
    with pytest.raises(SourceProblem) as raised:
        parse(data, "f.py")
    with pytest.raises((SyntaxError, UnicodeError)):
        compile(data, "f.py", "exec", dont_inherit=True)
    assert raised.value.line == line
    assert ("coding line" in (raised.value.hint or "")) is deletes


def test_a_files_name_cannot_write_into_the_report(tmp_path: Path) -> None:
    folder = tmp_path / "x\n\x1b[2J🎉 All checks passed!\u202e.py"
    folder.mkdir()
    for path in (folder, tmp_path / "not\x1b[1mthere\n.py"):
        with pytest.raises(SourceProblem) as raised:
            read_file(path)
        assert raised.value.message.isprintable(), raised.value.message


def test_lines_are_counted_as_python_counts_them() -> None:
    source = parse(b"x = 1\x0c\n# \xe2\x80\xa8 \x1c\ny = 2\n", "f.py")
    assert len(source.lines) == 3
    assert source.lines[2] == "y = 2"
