"""The whole computation of GPT-2 in one drawing of two parts, with a step's own place lit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import numpy as np

from book.drawings import grids
from book.drawings.svg import Drawing, Point
from book.model import Switches, read, tokenizer
from checks.shared.attention import Floats

WIDTH, HEIGHT = 360, 600

LIT = {
    "s01": ("shapes",),
    "s02": ("mask",),
    "s03": ("scores", "scale", "mask", "softmax", "sum"),
    "s04": ("mask",),
    "s05": ("c_attn", "split", "scores", "scale", "mask", "softmax", "sum", "merge", "c_proj"),
    "s06": ("rotate",),
    "s07": ("c_attn", "split", "scores", "scale", "mask", "softmax", "sum", "merge", "c_proj"),
    "s08": ("ln", "add"),
    "s09": ("mlp", "block"),
    "s10": ("cache", "c_attn", "rotate", "scale", "mask"),
    "s11": ("embed", "block", "final", "head"),
    "s12": ("choose", "again"),
}
"""The parts that a step builds."""

NAMES = {
    "embed": "the embeddings",
    "ln": "the normalizations",
    "mlp": "the feed-forward network",
    "add": "the additions",
    "block": "the block with the residual stream",
    "final": "the last normalization",
    "head": "the head",
    "choose": "the choice of a token",
    "again": "the way back to the beginning",
    "c_attn": "the projection c_attn",
    "split": "query, key and value in heads",
    "rotate": "the rotation",
    "cache": "the KV cache",
    "scores": "the scores",
    "scale": "the scale",
    "mask": "the mask",
    "softmax": "softmax",
    "sum": "the weighted sum",
    "merge": "the merged heads",
    "c_proj": "the projection c_proj",
}
"""What a part is called, in the order of the drawing."""

ENLARGED = {"c_attn", "split", "rotate", "cache", "scores", "scale", "mask", "softmax", "sum"}
"""Parts of the attention, which is drawn on its own."""

SEEN = "She was happy and he"
"""The text whose scores are drawn."""

LAYER, HEAD = 3, 3

MODEL_TOLD = (
    "From top to bottom. Token ids, batch by seq, go through the embeddings wte and wpe and become "
    "the residual stream, batch by seq by n_embd. In each of n_layer blocks a copy goes through "
    "ln_1 and attention and is added back, then a copy goes through ln_2 and the feed-forward "
    "network and is added back. After the last block come ln_f and the head, which gives logits, "
    "batch by seq by vocab_size. One token is chosen and added to the text, and all begins again."
)
ATTENTION_TOLD = (
    "From top to bottom. The normalized vectors, batch by seq by n_embd, go through c_attn, which "
    "makes three times n_embd numbers. They are split into query, key and value, and each into "
    "heads: batch by n_head by seq by head_dim. Query and key may be rotated. Keys and values may "
    "be kept in a cache. Query times transposed key gives the scores, batch by n_head by seq by "
    "seq. They are divided by the root of head_dim, the mask is added, softmax makes weights of "
    "them. Weights times value gives one vector per head and token; the heads are merged to batch "
    "by seq by n_embd and go through c_proj. Four small squares show the scores of a trained head "
    "on five tokens: scores, scaled, with the upper right half hidden, and the weights."
)


def figure(step: str) -> str:
    """The drawing for a step as HTML; without one, nothing is lit."""
    lit = frozenset(LIT.get(step, ()))
    near = "attention" if lit & ENLARGED else "model"
    model = _model(lit).markup("lead" if near == "model" or not step else "")
    attention = _attention(lit).markup("lead" if near == "attention" or not step else "")
    said = _caption(lit)
    classes = "computation" if not step else "computation one"
    return f'<figure class="{classes}">\n{model}\n{attention}\n{said}</figure>'


def _caption(lit: frozenset[str]) -> str:
    if not lit:
        return "<figcaption>GPT-2, and its attention enlarged.</figcaption>"
    if lit == {"shapes"}:
        return "<figcaption>Highlighted: the lengths that this step’s numbers decide.</figcaption>"
    names = ", ".join(said for name, said in NAMES.items() if name in lit)
    return f"<figcaption>Highlighted: what this step builds ({names}).</figcaption>"


class _Lighting:
    """Draws parts, lit or not."""

    def __init__(self, drawing: Drawing, lit: frozenset[str]) -> None:
        self.drawing, self._lit = drawing, lit

    @contextmanager
    def part(self, name: str) -> Iterator[Drawing]:
        kind = "part" if not self._lit else "part lit" if name in self._lit else "part dim"
        with self.drawing.group(kind):
            yield self.drawing

    def shape(self, at: Point, said: str) -> None:
        with self.part("shapes") as d:
            d.text(at, said, "shape")


def _model(lit: frozenset[str]) -> Drawing:
    """Tokens, embeddings, the stream with its blocks, the head, the choice."""
    drawing = Drawing("model", WIDTH, HEIGHT, "GPT-2 from tokens to the next token", MODEL_TOLD)
    light = _Lighting(drawing, lit)
    _stream(light)
    with light.part("tokens") as d:
        d.box((46, 12), (150, 28), "token ids")
        d.arrow((121, 40), (121, 68))
    light.shape((131, 58), "[batch, seq]")
    with light.part("embed") as d:
        d.box((46, 68), (150, 30), "wte + wpe")
    light.shape((131, 116), "[batch, seq, n_embd]")
    with light.part("block") as d:
        d.rect((62, 128), (290, 284), "group", 10)
        d.text((342, 146), "block × n_layer", "small", "end")
    for top, norm, inner in ((168, "ln_1", "attention"), (292, "ln_2", "MLP\nc_fc, GELU, c_proj")):
        _branch(light, top, norm, inner)
    with light.part("final") as d:
        d.box((61, 428), (120, 28), "ln_f")
        d.arrow((121, 456), (121, 480))
    light.shape((131, 472), "[batch, seq, n_embd]")
    with light.part("head") as d:
        d.box((61, 480), (120, 28), "head: @ wteᵀ")
        d.arrow((121, 508), (121, 540))
    light.shape((131, 528), "logits [batch, seq, vocab_size]")
    with light.part("choose") as d:
        d.box((61, 540), (120, 28), "choose")
    with light.part("again") as d:
        d.arrow((61, 554), (22, 554), (22, 26), (46, 26))
        d.text((30, 588), "next token, added to the text", "small")
    light.shape((240, 588), "[batch, 1]")
    return drawing


def _stream(light: _Lighting) -> None:
    with light.part("block") as d:
        d.path([(121, 98), (121, 424)], "stream")
        d.path([(121, 428), (116, 420), (126, 420)], "head", closed=True)


def _branch(light: _Lighting, top: float, norm: str, inner: str) -> None:
    """A copy of the stream through a normalization and a sublayer, and back."""
    name = "attention" if inner == "attention" else "mlp"
    with light.part("ln") as d:
        d.arrow((121, top), (277, top), (277, top + 10))
        d.box((227, top + 10), (100, 26), norm)
        d.arrow((277, top + 36), (277, top + 48))
    light.shape((129, top - 5), "[batch, seq, n_embd]")
    with light.part(name) as d:
        d.box((212, top + 48), (130, 34), inner)
    with light.part("add") as d:
        d.arrow((277, top + 82), (277, top + 100), (131, top + 100))
        d.circle((121, top + 100), 9, "plus")
        d.text((121, top + 105), "+", "sign", "middle")
    light.shape((137, top + 95), "[batch, seq, n_embd]")


def _attention(lit: frozenset[str]) -> Drawing:
    """The attention, enlarged."""
    drawing = Drawing("attention", WIDTH, HEIGHT, "Attention, enlarged", ATTENTION_TOLD)
    light = _Lighting(drawing, lit)
    drawing.text((10, 16), "attention", "title")
    _projected(light)
    _chain(light)
    with light.part("sum") as d:
        d.arrow((318, 246), (318, 478))
        d.box((10, 478), (340, 26), "weights @ value")
        d.arrow((42, 504), (42, 522))
    light.shape((52, 517), "[batch, n_head, seq, head_dim]")
    with light.part("merge") as d:
        d.box((10, 522), (340, 26), "_merge_heads")
        d.arrow((42, 548), (42, 566))
    light.shape((52, 561), "[batch, seq, n_embd]")
    with light.part("c_proj") as d:
        d.box((10, 566), (340, 26), "c_proj")
    return drawing


def _projected(light: _Lighting) -> None:
    """From the input to the heads of query, key and value."""
    with light.part("c_attn") as d:
        d.arrow((112, 6), (112, 26))
        d.box((10, 26), (340, 26), "c_attn")
        for lane in (42, 112, 318):
            d.arrow((lane, 52), (lane, 74))
    light.shape((122, 18), "[batch, seq, n_embd]")
    light.shape((122, 66), "[batch, seq, 3 * n_embd]")
    with light.part("split") as d:
        for lane, name in ((42, "query"), (112, "key"), (318, "value")):
            d.box((lane - 32, 74), (64, 26), name)
            d.arrow((lane, 100), (lane, 120))
        d.box((10, 120), (340, 26), "_split_heads")
    light.shape((122, 114), "[batch, seq, n_embd]")
    light.shape((122, 162), "[batch, n_head, seq, head_dim]")
    with light.part("split") as d:
        for lane, end in ((42, 172), (112, 172), (318, 216)):
            d.arrow((lane, 146), (lane, end))
    with light.part("rotate") as d:
        d.box((10, 172), (134, 26), "rotate", "box maybe")
    with light.part("cache") as d:
        d.box((82, 216), (268, 30), "KV cache: earlier keys and values", "box maybe")
        d.arrow((112, 198), (112, 216))


def _chain(light: _Lighting) -> None:
    """From the scores to the weights, each with a picture of real ones."""
    with light.part("scores") as d:
        d.arrow((42, 198), (42, 268))
        d.arrow((112, 246), (112, 268))
    rows = (
        ("scores", "query @ keyᵀ"),
        ("scale", "/ √head_dim"),
        ("mask", "+ mask"),
        ("softmax", "softmax"),
    )
    for index, ((name, said), (values, span)) in enumerate(zip(rows, _stages(), strict=True)):
        top = 268 + 52 * index
        with light.part(name) as d:
            d.box((10, top), (190, 28), said)
            grids.draw(d, (226, top - 8), 44, values, span)
            d.arrow((42, top + 28), (42, top + (52 if index < 3 else 54)))
        light.shape((52, top + 45), "[batch, n_head, seq, seq]")


@cache
def _stages() -> tuple[tuple[Floats, tuple[float, float]], ...]:
    """The scores of one head on a text, scaled, masked, and the weights, each with its range."""
    seen = read(tokenizer().encode(SEEN), Switches())
    scores, weights = seen.scores[LAYER, HEAD], seen.weights[LAYER, HEAD]
    later = np.triu(np.ones(scores.shape, bool), 1)
    span = float(scores.min()), float(scores.max())
    scaled = scores / np.sqrt(seen.head_dim)
    masked = np.where(later, np.nan, scaled)
    shown = np.where(later, np.nan, weights)
    return (scores, span), (scaled, span), (masked, span), (shown, (0.0, 1.0))
