"""Writes the pages of the book as Sphinx's sources, from the course's own files."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from book import formulas, solutions
from book.drawings import computation, speed, stream
from book.sources import FENCE, convert, outside_code, raw, section
from grader.base import course
from grader.base.course import ROOT
from grader.base.model import Step

FILM = "docs/desk.webp"
"""The moving picture of README.md, which `python -m tools.film` records."""

OWN = Path(__file__).resolve().parent / "pages"
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)

SHARED = ("mistakes", "coming_from_pytorch", "what_it_costs", "what_heads_learn")
"""Pages beside the lessons; the book has them under the same names."""

BEGIN = (
    "Quick start",
    "How a step works",
    "What you hold at the end",
    "When something does not work",
)
"""The sections of README.md that a beginner needs."""

LIVE = {
    "s02": (
        ("Tokens that came before", "live", "causal"),
        ("A worked example", "explorer", "mask"),
    ),
    "s03": (("She loves cats", "live", "toy"), ("Scaling", "explorer", "scale")),
    "s04": (("A worked example", "live", "padding"),),
    "s05": (
        ("Weighted sum", "live", "attention"),
        ("Merging heads", "live", "heads"),
        ("Heads", "explorer", "heads"),
    ),
    "s06": (("Turning a point", "live", "rotation"), ("A worked example", "explorer", "rotation")),
    "s07": (("Merging heads", "live", "heads"),),
    "s08": (("The residual connection", "live", "norm"),),
    "s10": (("The cache", "live", "cache"), ("The cache", "explorer", "cache")),
    "s11": (("A stack of blocks", "explorer", "model"),),
}
"""What a lesson has at the end of a section: a live figure by its name, or a view of the explorer.

`python -m tools.stills` makes the figures' pictures.
"""

NEEDS = "<p>The attention explorer needs JavaScript.</p>"


@dataclass(frozen=True)
class Chapter:
    """A group of pages in the contents: a caption, and names of pages without their suffix."""

    caption: str
    names: tuple[str, ...]


def chapters() -> tuple[Chapter, ...]:
    """The pages of the book in the order of reading, apart from the decisions."""
    numbers = [step.number for step in course.steps()]
    return (
        Chapter("", ("begin", "working")),
        Chapter("Steps", tuple(f"steps/step_{number}" for number in numbers)),
        Chapter("To look up", ("glossary", *SHARED, "serving")),
        Chapter("Behind the course", ("teachers", "how_it_works", "decisions/index")),
        Chapter("Solutions", tuple(f"solutions/solution_{number}" for number in numbers)),
    )


def write(source: Path) -> dict[str, list[str]]:
    """Write every page under ``source``.

    Returns:
        The headings of each lesson as they are written, by the step's id.
    """
    headings: dict[str, list[str]] = {}
    places = _places()
    for step in course.steps():
        text = step.lesson.read_text(encoding="utf-8")
        _save(source, f"steps/step_{step.number}", _lesson(step, text, places))
        headings[step.id] = [*_headings(text)]
    for name in SHARED:
        text = _converted(f"steps/{name}.md", places)
        if name == "what_it_costs":
            text = _at_end(text, "Beside PyTorch", raw(speed.figure()))
        _save(source, name, text)
    _save(source, "glossary", _glossary(places))
    _save(source, "begin", _begin(places))
    _save(source, "working", _converted("docs/working.md", places))
    shutil.copy(ROOT / FILM, source)
    _save(source, "serving", _converted("docs/serving.md", places))
    _save(source, "teachers", _converted("docs/teaching.md", places))
    _save(source, "how_it_works", (OWN / "how_it_works.md").read_text(encoding="utf-8"))
    for path in sorted((ROOT / "docs" / "adr").glob("*.md")):
        name = "index" if path.name == "README.md" else path.stem
        _save(source, f"decisions/{name}", _converted(f"docs/adr/{path.name}", places))
    _save(source, "index", _index())
    for step, page in solutions.pages(course.steps()):
        _save(source, f"solutions/{step.solution.stem}", page)
    return headings


def _places() -> dict[str, str]:
    """The page of each file of the repository that has one."""
    places = {"README.md": "begin.md", "docs/teaching.md": "teachers.md"}
    places |= {f"docs/{name}.md": f"{name}.md" for name in ("working", "serving")}
    places |= {f"steps/{name}.md": f"{name}.md" for name in ("glossary", *SHARED)}
    places["docs/adr/README.md"] = "decisions/index.md"
    places["docs/adr"] = "decisions/index.md"
    for path in (ROOT / "docs" / "adr").glob("0*.md"):
        places[f"docs/adr/{path.name}"] = f"decisions/{path.name}"
    for step in course.steps():
        places[f"steps/{step.lesson.name}"] = f"steps/{step.lesson.name}"
        places[f"solutions/{step.solution.name}"] = f"solutions/{step.solution.stem}.md"
    return places


def _lesson(step: Step, text: str, places: Mapping[str, str]) -> str:
    origin = PurePosixPath("steps", step.lesson.name)
    text = formulas.rendered(convert(text, origin, places))
    solution = f"[`solutions/{step.solution.name}`](/solutions/{step.solution.stem}.md)"
    named = f"`solutions/{step.solution.name}`"
    text = outside_code(text, lambda prose: prose.replace(named, solution))
    before, heading, after = text.partition("\n## ")
    text = f"{before}\n{raw(computation.figure(step.id))}\n{heading}{after}"
    if step.id == "s09":
        text = _at_end(text, "The residual stream", raw(stream.figure()))
    for heading, kind, name in LIVE.get(step.id, ()):
        text = _at_end(text, heading, raw(place(kind, name)))
    return text


def place(kind: str, name: str) -> str:
    """Where a script draws: what is there without it is a figure's picture, or a sentence."""
    if kind == "explorer":
        return f'<div class="explorer" data-view="{name}">{NEEDS}</div>'
    still = (OWN / "stills" / f"{name}.html").read_text(encoding="utf-8")
    return f'<div class="live" data-figure="{name}">\n{still}\n</div>'


def _at_end(text: str, heading: str, block: str) -> str:
    """The lesson with a block at the end of a section.

    Raises:
        KeyError: it has no such section.
    """
    before, found, after = text.partition(f"\n## {heading}\n")
    if not found:
        raise KeyError(f"The lesson has no section {heading!r}.")
    inside, following, rest = after.partition("\n## ")
    return f"{before}{found}{inside.rstrip()}\n\n{block}{following}{rest}"


def _begin(places: Mapping[str, str]) -> str:
    readme = ROOT / "README.md"
    opening = readme.read_text(encoding="utf-8").partition("\n## ")[0].partition("\n")[2]
    text = f"# How to begin\n{opening}\n{section(readme, *BEGIN)}"
    return convert(text, PurePosixPath("README.md"), places)


def _index() -> str:
    text = (OWN / "index.md").read_text(encoding="utf-8")
    begin = raw('<p><a class="begin" href="begin.html">Begin</a></p>')
    text = text.replace("<!-- explorer -->\n", f"{raw(place('explorer', 'first'))}\n{begin}")
    text = text.replace("<!-- computation -->\n", raw(computation.figure("")))
    listed = [name for chapter in chapters() for name in chapter.names]
    listed += [f"decisions/{path.stem}" for path in sorted((ROOT / "docs" / "adr").glob("0*.md"))]
    tree = "\n".join(["```{toctree}", ":hidden:", "", *listed, "```", ""])
    return f"{text}\n{tree}"


def _converted(path: str, places: Mapping[str, str]) -> str:
    text = (ROOT / path).read_text(encoding="utf-8")
    return formulas.rendered(convert(text, PurePosixPath(path), places))


def _glossary(places: Mapping[str, str]) -> str:
    """The glossary: entries one level up, each with a link to the step that has more of it."""
    text = re.sub(r"(?m)^### ", "## ", _converted("steps/glossary.md", places))
    return re.sub(r"\bStep\s+(\d\d)\.$", r"[Step \1](/steps/step_\1.md).", text, flags=re.MULTILINE)


def _headings(text: str) -> Iterator[str]:
    yield from HEADING.findall(FENCE.sub("", text))


def _save(source: Path, name: str, text: str) -> None:
    path = source / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
