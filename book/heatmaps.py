"""The stylesheet of the lessons' heatmaps, which follow the page's theme."""

from __future__ import annotations

from pathlib import Path

from grader.report.figures import svg

DARK = "@media (prefers-color-scheme:dark){\n"


def write(path: Path) -> None:
    """Write the rules that ``grader.report.figures`` puts into each file, once for all."""
    light, _, rest = svg.style().partition(DARK)
    dark, _, after = rest.partition("}\n@media print")
    system = _under(':root:not([data-theme="light"])', dark)
    chosen = _under(':root[data-theme="dark"]', dark)
    path.write_text(
        f"{light}@media screen and (prefers-color-scheme: dark) {{\n{system}}}\n"
        f"@media screen {{\n{chosen}}}\n@media print{after}",
        encoding="utf-8",
    )


def _under(root: str, rules: str) -> str:
    """The rules, where the page itself matches ``root``."""
    return rules.replace(".hm ", f"{root} .hm ")
