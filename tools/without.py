"""``python -m tools.without [NN …]``: what GPT-2 writes when a part of it is wrong.

The small GPT-2 is built from the solutions with the changes of ``without.toml``, and what it writes
goes into the lesson about that part. This takes about 2 s for each text.
"""

from __future__ import annotations

import re
import sys
import textwrap
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.base import course
from grader.base.files import write_whole
from tools.sync.blocks import replace_block

MARKERS = "<!-- without:start -->", "<!-- without:end -->"
PROMPT, TOKENS, SEED = "She was", 22, 1
TOKEN = "[tokens](glossary.md#token)"
MARKUP = re.compile(r"([*_`<\[\]\\|])")


def main(numbers: Sequence[str]) -> None:
    """Write the texts into the lessons of these steps, or of all."""
    from gpt2.text_generation import prepare_max

    prepare_max()
    for number in numbers or table():
        path = course.find(number).lesson
        before = path.read_text(encoding="utf-8")
        write_whole(path, replace_block(before, MARKERS, block(number)))
        print(f"Wrote {path.relative_to(course.ROOT)}.")


def table() -> dict[str, Any]:
    """What is changed, by the number of the step."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def block(number: str) -> str:
    """The texts for the lesson of a step, in Markdown. Prepare MAX first."""
    lines = [f"The small GPT-2 of the course continues *{PROMPT}* with its likeliest {TOKEN}:", ""]
    for what, text in _texts(**table()[number]):
        plain = MARKUP.sub(r"\\\1", " ".join(text.split()))
        lines += textwrap.wrap(f"- {what}: *{plain}* …", 100, subsequent_indent="  ")
    return "\n".join(lines)


def _texts(rows: list[dict[str, Any]], *, cached: bool = False) -> Iterator[tuple[str, str]]:
    """What is changed and the text, the unchanged one first."""
    yield "as it was trained", _text(cached=cached)
    for row in rows:
        yield row.pop("what"), _text(**row, cached=cached)


def _text(
    change: Sequence[tuple[str, str, str]] = (),
    config: dict[str, Any] | None = None,
    how: dict[str, Any] | None = None,
    padding: int = 0,
    *,
    cached: bool = False,
) -> str:
    """How the text goes on."""
    import numpy as np
    from max.experimental import functional as F

    from gpt2.checkpoint import read_checkpoint
    from gpt2.text_generation import SMALL
    from gpt2.tokenizer import Tokenizer

    fields, arrays = read_checkpoint(SMALL)
    tokenizer = Tokenizer.from_folder(SMALL)
    steps = _solutions(change)
    with F.lazy():
        model = steps["12"].GPT2WithCache(steps["01"].GPT2Config(**fields | (config or {})))
    model.load_state_dict(steps["11"].convert_checkpoint(model, arrays))
    ids = [fields["eos_token_id"]] * padding + tokenizer.encode(PROMPT)
    draws = iter(np.random.default_rng(SEED).random, None)
    how = {"use_cache": cached, "draws": draws, **(how or {})}
    return tokenizer.decode(list(steps["12"].stream(model, ids, TOKENS, **how)))


def _solutions(change: Sequence[tuple[str, str, str]]) -> dict[str, ModuleType]:
    """Every solution as a module, changed.

    Raises:
        SystemExit: a text to change is not in its file.
    """
    made = {}
    for path in sorted((course.ROOT / "solutions").glob("solution_*.py")):
        number = path.stem.removeprefix("solution_")
        source = path.read_text(encoding="utf-8")
        for _, old, new in (one for one in change if one[0] == number):
            if old not in source:
                sys.exit(f"{path.name} has no {old!r}: bring tools/without.toml up to date.")
            source = source.replace(old, new)
        name = f"solutions.{path.stem}"
        made[number] = sys.modules[name] = ModuleType(name)
        exec(compile(source, path, "exec"), made[number].__dict__)  # noqa: S102 - our own files
    return made


if __name__ == "__main__":
    main(sys.argv[1:])
