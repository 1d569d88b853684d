"""What was measured last on an idle machine: ``docs/measured``, and the tables made of it.

A benchmark that is called with ``--keep`` writes its figures there as JSON, with machine, versions,
date and command, and ``write`` brings the pages up to date that show them. A test says when a page
shows other figures than the JSON.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import platform
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from grader.base import course
from grader.base.files import write_whole
from tools.sync.blocks import replace_block

FOLDER = Path("docs", "measured")
WEIGHTS_OF_124M = 498e6
"""Bytes that one token reads: all weights in float32, the table of tokens once."""

PACKAGES = ("max", "numpy", "torch", "transformers")

Kept = Mapping[str, Any]
"""The content of one JSON file."""


def circumstances(command: str) -> dict[str, Any]:
    """The command, the date, the machine and the versions."""
    there = filter(importlib.util.find_spec, PACKAGES)
    return {
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.system()}, {platform.machine()}",
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "versions": {name: importlib.metadata.version(name) for name in there},
    }


def keep(found: Mapping[str, Kept], root: Path = course.ROOT) -> None:
    """Store what was measured, by its name, and bring the pages up to date."""
    for name, kept in found.items():
        text = json.dumps(kept, indent=1, ensure_ascii=False) + "\n"
        write_whole(root / FOLDER / f"{name}.json", text)
        print(f"Wrote {FOLDER / name}.json.")
    write(root)


def read(name: str, root: Path = course.ROOT) -> Kept:
    """What was stored under a name."""
    kept: Kept = json.loads((root / FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return kept


def source(*files: Kept) -> str:
    """Where figures come from: a sentence for all that were measured alike."""
    alike: dict[str, list[str]] = {}
    for kept in files:
        versions = ", ".join(f"{name} {version}" for name, version in kept["versions"].items())
        how = f"on {kept['date']} on {kept['cores']} cores ({kept['machine']}; {versions})"
        alike.setdefault(how, []).append(f"`{kept['command']}`")
    return " ".join(f"Measured {how}: {', '.join(said)}." for how, said in alike.items())


def write(root: Path = course.ROOT) -> None:
    """Bring the pages up to date, and print which have changed."""
    for page, text in pages(root):
        if text != page.read_text(encoding="utf-8"):
            write_whole(page, text)
            print(f"Wrote {page.relative_to(root)}.")


def pages(root: Path = course.ROOT) -> Iterator[tuple[Path, str]]:
    """Every page with figures, and what should be in it.

    Raises:
        BlockProblem: a page lacks its markers.
    """
    for name, blocks in PAGES.items():
        text = (root / name).read_text(encoding="utf-8")
        for block in blocks:
            markers = f"<!-- measured:{block}:start -->", f"<!-- measured:{block}:end -->"
            text = replace_block(text, markers, BLOCKS[block](root))
        yield root / name, text


@dataclass(frozen=True)
class Times:
    """The figures of ``bench compare`` on one subject, by task and side."""

    kept: Kept

    @property
    def tasks(self) -> list[str]:
        """The tasks, in the order in which they were measured."""
        return list(dict.fromkeys(each["task"] for each in self.kept["figures"]))

    def median(self, task: str, side: str) -> float:
        """Seconds, or infinity if it was not measured or gave another result."""
        found = (
            each["median_s"]
            for each in self.kept["figures"]
            if (each["task"], each["side"]) == (task, side) and each["same_result"]
        )
        return next(found, float("inf"))

    def row(self, task: str, ours: Sequence[str], peers: Sequence[str]) -> list[str]:
        """Milliseconds of each side, and how many times faster the best of ours is."""
        best = min(self.median(task, side) for side in ours)
        peer = self.median(task, peers[0])
        cells = [milliseconds(self.median(task, side)) for side in (*ours, *peers)]
        return [*cells, f"{peer / best:.2f}" if peer < float("inf") else "–"]


def milliseconds(seconds: float) -> str:
    """Three digits, or what shows that there is no figure."""
    if seconds == float("inf"):
        return "–"
    value = 1000 * seconds
    return f"{value:,.0f}" if value >= 100 else f"{value:#.3g}".rstrip(".")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def _writing(root: Path) -> str:
    """The two models, beside PyTorch."""
    models = {name: Times(read(name, root)) for name in ("small", "124M")}
    rows = [
        [name, task, *times.row(task, ("numpy", "max"), ("torch",))]
        for name, times in models.items()
        for task in times.tasks
    ]
    head = ["model", "milliseconds for", "NumPy", "MAX", "PyTorch", "times faster"]
    speed = WEIGHTS_OF_124M / models["124M"].median("one token", "numpy") / 1e9
    told = f"A token of 124M reads 498 MB of weights: {speed:.0f} GB a second on NumPy."
    sources = source(*(times.kept for times in models.values()))
    return "\n".join([*table(head, rows), "", f"{told} {sources}"])


def _layer(root: Path) -> str:
    """Step 07's layer, plain and fused, beside PyTorch."""
    lines: list[str] = []
    for name, kind, ours, peers in (
        ("layer", "float32", ("numpy", "max", "max-flash"), ("sdpa", "gpt2attention")),
        ("layer-bf16", "bfloat16", ("max-bf16", "max-flash-bf16"), ("sdpa-bf16",)),
    ):
        times = Times(read(name, root))
        rows = [
            [f"[{task.replace('×', ', ')}]", *times.row(task, ours, peers)] for task in times.tasks
        ]
        head = [f"{kind}, ms", *(TITLES[side] for side in (*ours, *peers)), "times faster"]
        lines += [*table(head, rows), ""] if rows else []
    times = Times(read("layer", root))
    least = times.median(times.tasks[0], "max-start")
    told = f"A graph of MAX that only adds 1 to the first input takes {milliseconds(least)} ms. "
    return "\n".join([*lines, told * (least < float("inf")) + source(times.kept)])


def _head(root: Path) -> str:
    """GPT-2's output layer, and what only reading its weights takes."""
    times = Times(read("head", root))

    def cell(side: str) -> str:
        return f"{milliseconds(times.median('1×768', f'head-{side}'))} ms"

    rows = [
        ["only adding the weights up", cell("read"), ""],
        ["NumPy", cell("numpy"), "has no bfloat16"],
        *([name, cell(side), cell(f"{side}-bf16")] for name, side in MULTIPLY.items()),
    ]
    return "\n".join([*table(["", "float32", "bfloat16"], rows), "", source(times.kept)])


def _compile(root: Path) -> str:
    """What MAX takes to compile, beside the least that it can take."""
    kept = read("compile", root)
    least = kept["seconds"]["one Linear"]
    rows = [[name, f"{took:.0f}", f"{took / least:.2f}"] for name, took in kept["seconds"].items()]
    head = ["compiled by MAX, empty cache", "seconds", "times one Linear"]
    return "\n".join([*table(head, rows), "", source(kept)])


def _speed(root: Path) -> str:
    """The table of docs/working.md: what ``bench`` prints."""
    kept = read("bench", root)
    rows = [
        [each["what"], f"{each['seconds'] / each['import_s']:.2f}", f"`{each['command']}`"]
        for each in kept["figures"]
    ]
    lines = table(["what", "times importing MAX", "command"], rows)
    alone = statistics.median(each["import_s"] for each in kept["figures"] if not each["processor"])
    told = f"Importing MAX alone took {alone:.2f} s on that machine. {source(kept)}"
    without = [f"Not measured there: {what}. {why}" for what, why in kept["left_out"].items()]
    return "\n".join([*lines, "", " ".join([told, *without])])


MULTIPLY = {"MAX": "max", "PyTorch": "torch"}
TITLES = {
    "numpy": "NumPy",
    "max": "MAX",
    "max-flash": "MAX, fused",
    "max-bf16": "MAX",
    "max-flash-bf16": "MAX, fused",
    "sdpa": "PyTorch, fused",
    "sdpa-bf16": "PyTorch, fused",
    "gpt2attention": "Hugging Face",
}


BLOCKS: Mapping[str, Callable[[Path], str]] = {
    "compile": _compile,
    "head": _head,
    "layer": _layer,
    "speed": _speed,
    "writing": _writing,
}
PAGES: Mapping[str, tuple[str, ...]] = {
    "docs/working.md": ("speed",),
    "docs/adr/0021-writing.md": ("compile",),
    "steps/what_it_costs.md": ("head", "writing", "layer"),
}
"""Which page shows which tables, between ``<!-- measured:NAME:start -->`` and ``end``."""


if __name__ == "__main__":
    write()
