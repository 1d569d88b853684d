"""Figures as one self-contained HTML file: no network, no script."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from grader.report.figures import svg
from grader.report.figures.heatmap import Figure, Heatmap, whole

STYLE = """
:root{color-scheme:light dark;--ink:#1c2128;--ground:#fff;--line:#d0d7de;--soft:#57606a}
@media (prefers-color-scheme:dark){
:root{--ink:#e6edf3;--ground:#161b22;--line:#3d444d;--soft:#9198a1}}
body{margin:2rem auto;max-width:76rem;padding:0 1rem;background:var(--ground);color:var(--ink);
font:1rem/1.5 system-ui,sans-serif}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}
p.remark{border-left:4px solid #b35900;padding-left:.8rem}
figure{margin:1rem 0}.row{display:flex;flex-wrap:wrap;gap:.5rem 1rem}
figcaption,footer{color:var(--soft);font-size:.9rem}
summary{cursor:pointer}:focus-visible{outline:3px solid #1f6feb;outline-offset:2px}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.8rem;margin:.5rem 0 1rem}
caption{text-align:left;font-weight:600}
th,td{border:1px solid var(--line);padding:.15rem .4rem;text-align:right}
tbody th{text-align:left}
@media print{details{display:none}}
"""


def render(title: str, figures: Sequence[Figure], remarks: Sequence[str] = ()) -> str:
    """The page. Each figure is a picture, with its numbers in collapsed tables below."""
    parts = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}{svg.style()}</style>",
        "</head>",
        "<body>",
        "<main>",
        f"<h1>{escape(title)}</h1>",
        *(f'<p class="remark" role="note">{escape(remark)}</p>' for remark in remarks),
        *(_section(figure, f"figure{index}") for index, figure in enumerate(figures)),
        "</main>",
        "<footer>A darker cell is a larger number on a light page, a lighter one on a dark "
        "page. Where numbers have a sign, blue is below zero and orange above.</footer>",
        "</body>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def _section(figure: Figure, name: str) -> str:
    tables = "\n".join(_table(heatmap) for heatmap in figure.heatmaps)
    drawn = "".join(
        svg.fragment(Figure(heatmap.title, heatmap.note, (heatmap,)), f"{name}-{index}")
        for index, heatmap in enumerate(figure.heatmaps)
    )
    return (
        f'<section aria-labelledby="{name}-h">\n<h2 id="{name}-h">{escape(figure.title)}</h2>\n'
        f'<figure>\n<div class="row">\n{drawn}</div>\n'
        f"<figcaption>{escape(figure.text)}</figcaption>\n</figure>\n"
        f"<details>\n<summary>The numbers of “{escape(figure.title)}” as tables</summary>\n"
        f'<div class="wide">\n{tables}\n</div>\n</details>\n</section>'
    )


def _table(heatmap: Heatmap) -> str:
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in heatmap.columns)
    body = "\n".join(
        f'<tr><th scope="row">{escape(label)}</th>'
        + "".join(f"<td>{whole(value)}</td>" for value in values)
        + "</tr>"
        for label, values in zip(heatmap.rows, heatmap.values, strict=True)
    )
    return (
        f"<table>\n<caption>{escape(heatmap.title)}</caption>\n"
        f"<thead><tr><td></td>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    )
