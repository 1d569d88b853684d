"""The code cells of a notebook as one Python program: what Jupyter adds to Python, taken out again.

The rules are those that IPython documents: ``%magic``, ``%%magic``, ``!command`` and assignments
from them, ``name?``, prompts, an indented cell, ``await`` outside functions, and a
``from __future__`` import in any cell. No command runs. Every cell keeps the number of its lines.
"""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import groupby

ESCAPES = ("%", "!", "?", ",", ";", "/")
"""What begins a line that is for Jupyter. No statement of Python begins so."""
RUN_HERE = frozenset(("capture", "prun", "time"))
"""The magics that run the cell in the notebook. Other ``%%`` magics give it to something else."""
_NAMES = (
    "alias cat cd clear conda cp env history less load load_ext ls man matplotlib mkdir more mv "
    "notebook pdb pip pwd pylab reload_ext rm rmdir run time timeit uv who whos"
)
_AUTOMAGIC = re.compile(rf"(?:{'|'.join(_NAMES.split())})(?:[ \t]+[^\s=(:.,\[][^\n]*)?")
"""A cell of one line that is a magic without its ``%``."""
_CELL_MAGIC = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*(%%(\w*)[^\n]*)")
_PROMPTS = (
    (re.compile(r"\s*>>>(?: |\n|\Z)"), re.compile(r"(?m)^[ \t]*(?:>>>|\.\.\.)(?: |$)")),
    (re.compile(r"\s*In \[\d+\]: "), re.compile(r"(?m)^[ \t]*(?:In \[\d+\]: |\.{3,}: ?)")),
)
_PIECE = re.compile(
    r"""('''|\"\"\")(?:\\.|[^\\])*?(?:\1|\\?\Z)"""
    r"""|(["'])(?:\\.|(?!\2)[^\\\n])*(?:\2|(?=\n)|\\?\Z)|\#[^\n]*|\\\n|[()\[\]{}\n]""",
    re.DOTALL,
)
"""A string, a comment, or what decides where a statement's last line ends."""
_AWAITS = re.compile(r"\b(?:await|async)\b")
_DISPLAYS = re.compile(r"(?m)^[ \t]*display\(")
"""What a cell calls without an import: a later import or definition replaces it."""
_CODING = re.compile(r"coding(?=[:=])")


def program(codes: Iterable[str]) -> str:
    """The cells, one after the other, as one program."""
    cells = [python(code) for code in codes if is_python(code)]
    given = ["display = print"] if any(map(_DISPLAYS.search, cells)) else []
    return uncoded(_hoisted("\n".join((*given, *cells))))


def is_python(code: str) -> bool:
    """Whether a cell is run in the notebook, and not given to something else by a ``%%``."""
    found = _CELL_MAGIC.match(code)
    return found is None or found[2] in RUN_HERE


def python(code: str) -> str:
    """A cell as Python, with as many lines. Code that is Python as it is stays as it is."""
    code = code.replace("\r\n", "\n").replace("\r", "\n")
    for _ in range(len(RUN_HERE)):  # one may run another
        if (found := _CELL_MAGIC.match(code)) is not None and found[2] in RUN_HERE:
            code = f"{code[: found.start(1)]}# {code[found.start(1) :]}"
    if _AUTOMAGIC.fullmatch(code.strip()) and not _does_something(code):
        return f"# {code.strip()}"
    if not _parses(code):
        code = textwrap.dedent(code)
        for first, each in _PROMPTS:
            code = each.sub("", code) if first.match(code) else code
        code = "".join(_statements(code))
    return _awaited(code) if _AWAITS.search(code) else code


def uncoded(code: str) -> str:
    """A program without a coding line: a notebook is UTF-8, whatever its cells say."""
    lines = code.split("\n")
    lines[:2] = [
        _CODING.sub("coding ", line) if line.lstrip().startswith("#") else line
        for line in lines[:2]
    ]
    return "\n".join(lines)


def _statements(code: str) -> Iterable[str]:
    """The statements of a cell, those for Jupyter replaced."""
    at = 0
    while at < len(code):
        end = _end_of_command(code, at)
        replaced = _replaced(code[at:end])
        if replaced is None:
            end = _end_of_statement(code, at)
        yield code[at:end] if replaced is None else replaced
        at = end


def _end_of_command(code: str, at: int) -> int:
    """Behind the line that begins at ``at``, and those that a backslash adds to it."""
    end = code.find("\n", at)
    while end > at and code[end - 1] == "\\":
        end = code.find("\n", end + 1)
    return len(code) if end < 0 else end + 1


def _end_of_statement(code: str, at: int) -> int:
    """Behind the lines of a statement of Python: brackets and strings go on over several."""
    depth = 0
    for piece in _PIECE.finditer(code, at):
        if piece[0] in tuple("([{"):
            depth += 1
        elif piece[0] in tuple(")]}"):
            depth = max(0, depth - 1)
        elif piece[0] == "\n" and not depth:
            return piece.end()
    return len(code)


def _replaced(command: str) -> str | None:
    """What stands for a command of Jupyter in a program; None if it is none."""
    line = command.rstrip()
    bare = line.lstrip(" \t")
    indent = line[: len(line) - len(bare)]
    nothing = f"{indent}pass" if indent else ""
    target, assigned, value = line.partition("=")
    if assigned and value.lstrip(" \t").startswith("!") and _is_target(target):
        return _with_comment(f"{target}= []", value.lstrip(" \t"), command)
    if assigned and re.match(r"[ \t]*%\w", value) and _is_target(target):
        return _with_comment(f"{target}= {_timed(value) or None}", value.lstrip(" \t"), command)
    if bare.startswith(ESCAPES):
        if (timed := _timed(bare)) is not None:
            return _with_comment(indent + timed, "%time", command)
        return _with_comment(nothing, bare, command)
    if re.search(r"[\w*\]]\?\??$", line[-3:]) and not re.search("[\"'#]", line):
        return _with_comment(nothing, bare, command)
    return None


def _with_comment(code: str, comment: str, command: str) -> str:
    """Code with what it replaces as a comment, in as many lines as ``command`` has."""
    text = comment.replace("\n", "\n# ")
    end = "\n" if command.endswith("\n") else ""
    missing = command.count("\n") - text.count("\n") - len(end)
    return (f"{code}  # {text}" if code else f"# {text}") + "\n" * missing + end


def _is_target(text: str) -> bool:
    """Whether this can stand before an assignment, by what Python cannot have there."""
    plain = re.sub(r"\[[^\[\]]*\]", "", text)
    return bool(plain.strip()) and not re.search("[\"'#{]", plain)


def _timed(command: str) -> str | None:
    """The statement that ``%time`` runs in the notebook; None for any other command."""
    found = re.fullmatch(r"[ \t]*%time[ \t]+(\S[^\n]*)", command)
    return found[1] if found and _parses(found[1]) else None


def _parses(code: str) -> bool:
    return _tree(code) is not None


def _tree(code: str) -> ast.Module | None:
    with warnings.catch_warnings(), suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        warnings.simplefilter("ignore")
        return ast.parse(code)
    return None


def _does_something(code: str) -> bool:
    """Whether this is a statement of Python that is more than an expression of names."""
    tree = _tree(code.strip())
    return tree is not None and not all(isinstance(each, ast.Expr) for each in tree.body)


# ---- await ----------------------------------------------------------------------------------


def _awaited(code: str) -> str:
    """A cell whose ``await`` outside functions Python compiles: as text, which it runs at once.

    Jupyter compiles a cell with that flag too. What follows each other without a definition runs
    in one event loop.
    """
    tree = _tree(code)
    if tree is None or _compiles(tree.body, 0):
        return code
    lines = code.encode().split(b"\n")
    groups = [(defines, [*each]) for defines, each in groupby(tree.body, _defines)]
    flag = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    for defines, group in reversed(groups):
        if not defines and not _compiles(group, 0) and _compiles(group, flag):
            _replace(lines, group[0], group[-1], _run)
    return b"\n".join(lines).decode()


def _defines(node: ast.stmt) -> bool:
    kinds = ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Import, ast.ImportFrom
    return isinstance(node, kinds)


def _compiles(body: list[ast.stmt], flag: int) -> bool:
    with warnings.catch_warnings(), suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        warnings.simplefilter("ignore")
        compile(ast.Module(body, []), "cell", "exec", flag, dont_inherit=True)
        return True
    return False


def _run(code: str) -> str:
    """An expression that runs ``code``, which awaits."""
    flag = int(ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    return f'__import__("asyncio").run(eval(compile({code!r}, "cell", "exec", {flag})))'


# ---- from __future__ ------------------------------------------------------------------------


def _hoisted(code: str) -> str:
    """A program whose ``from __future__`` imports come first, wherever a cell has them."""
    tree = _tree(code) if "__future__" in code else None
    if tree is None or _compiles(tree.body, 0):
        return code
    futures = [
        each
        for each in tree.body
        if isinstance(each, ast.ImportFrom) and each.module == "__future__" and not each.level
    ]
    lines = code.encode().split(b"\n")
    for each in reversed(futures):
        _replace(lines, each, each, lambda _: "()")
    imports = "; ".join(dict.fromkeys(ast.unparse(each) for each in futures))
    return "\n".join((imports, b"\n".join(lines).decode())) if futures else code


def _replace(lines: list[bytes], first: ast.stmt, last: ast.stmt, by: Callable[[str], str]) -> None:
    """Put what ``by`` makes of some statements, ended by a bracket, there, in as many lines."""
    start, end = first.lineno - 1, (last.end_lineno or last.lineno) - 1
    after = lines[end][last.end_col_offset :]
    lines[end] = lines[end][: last.end_col_offset]
    before = lines[start][: first.col_offset]
    lines[start] = lines[start][first.col_offset :]
    made = by(b"\n".join(lines[start : end + 1]).decode()).encode()
    more = b"\n" * (end - start)
    lines[start : end + 1] = (before + made[:-1] + more + made[-1:] + after).split(b"\n")
