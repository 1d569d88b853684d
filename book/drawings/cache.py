"""The KV cache, growing token by token, with the weights of a trained head."""

from __future__ import annotations

from book.drawings.grids import LEVELS
from book.drawings.svg import Drawing, Point
from book.model import Switches, read, small, tokenizer
from checks.shared.texts import label

TEXT = "She was happy and he"
LAYER, HEAD = 4, 1
WIDTH, LEFT, CELL, ROW, TOP = 360, 92, 52, 92, 30

TOLD = (
    "One row for each token of the text {text}. In each row a new key and a new value are put "
    "after those that are kept, and the new token's weights for all of them are drawn below, for "
    "layer {layer}, head {head} of the small GPT-2. {rows} With the cache {some} tokens go through "
    "the blocks, without it {all}."
)


def figure() -> str:
    """The drawing as HTML."""
    ids = tokenizer().encode(TEXT)
    names = [label(tokenizer().decode([one])) for one in ids]
    weights = read(ids, Switches(cache=True)).weights[LAYER, HEAD]
    size = len(ids)
    rows = " ".join(
        f"{name}: " + ", ".join(f"{100 * one:.0f}" for one in weights[at, : at + 1]) + " percent."
        for at, name in enumerate(names)
    )
    counted = {"some": size, "all": size * (size + 1) // 2}
    told = TOLD.format(text=TEXT, layer=LAYER, head=HEAD, rows=rows, **counted)
    drawing = Drawing("cache", WIDTH, TOP + ROW * size, "The KV cache grows token by token", told)
    for at, name in enumerate(names):
        drawing.text((LEFT + CELL * at + CELL / 2 - 2, 18), name, anchor="middle")
        _row(drawing, at, name, list(weights[at, : at + 1]))
    caption = (
        "<figcaption>A text as it is written. What is new in a step is lit; the rest was kept. "
        f"With the cache {counted['some']} tokens go through the blocks, without it "
        f"{counted['all']}.</figcaption>"
    )
    return f'<figure class="picture">\n{drawing.markup()}\n{caption}\n</figure>'


def _row(drawing: Drawing, at: int, name: str, weights: list[float]) -> None:
    """One step: the cache with the new token at its end, and the weights of that token."""
    config, _ = small()
    heads, long = config["n_head"], at + 1
    top = TOP + ROW * at
    drawing.path([(0, top), (WIDTH, top)], "rule")
    drawing.text((0, top + 31), name, "title")
    drawing.text((0, top + 46), "is new", "small")
    shape = f"[1, {heads}, {long}, {config['n_embd'] // heads}]"
    drawing.text((LEFT, top + 14), f"key, value {shape}", "shape")
    for place in range(long):
        _cell(drawing, (LEFT + CELL * place, top + 19), "kept" if place < at else "fresh", "")
    drawing.text((LEFT, top + 55), f"weights [1, {heads}, 1, {long}]", "shape")
    for place, weight in enumerate(weights):
        kind = f"cell c{round(weight * LEVELS)}"
        _cell(drawing, (LEFT + CELL * place, top + 60), kind, f"{100 * weight:.0f} %")


def _cell(drawing: Drawing, at: Point, kind: str, said: str) -> None:
    drawing.rect(at, (CELL - 4, 22), kind, 3)
    if said:
        strong = "strong" if kind[-1] in "5678" else ""
        drawing.text((at[0] + CELL / 2 - 2, at[1] + 15), said, f"small {strong}".strip(), "middle")
