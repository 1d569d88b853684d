"""The lessons' live figures: their numbers are the solutions', and every one obeys the keyboard."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from book.notebook import frame, still
from grader.base.course import ROOT
from tests.browser import MARKS, computed, opened
from tools.stills import FOLDER, stills

pytestmark = MARKS

RNG = np.random.default_rng(45)


def draw(*shape: int) -> Any:
    return RNG.normal(size=shape).round(2).tolist()


QKV = [[draw(3, width) for _ in range(3)] for width in (2, 4, 4)]
VECTORS = [draw(4), draw(6), [1.0, 3.0, 5.0, 7.0]]
TEXTS = ([0, 1, 2], [2, 4, 4], [4, 4, 2], [4, 4, 4])
CASES: list[tuple[str, list[Any], dict[str, Any], str]] = [
    *(("mask", [n, m], {}, f"core.causalMask({n}, {m})") for n in (1, 2, 6) for m in (0, 3, 6)),
    *(
        ("attention", qkv, {"masked": on}, f"attention(...{json.dumps(qkv)}, {json.dumps(on)})")
        for qkv in QKV
        for on in (False, True)
    ),
    *(("padded", [ids], {}, f"padded({ids})") for ids in TEXTS),
    *(
        ("split", [x, heads], {}, f"core.splitHeads({x}, {heads})")
        for x in (draw(2, 6), draw(3, 12))
        for heads in (1, 2, 3)
    ),
    *(
        ("rotate", [x, at], {}, f"core.rotate({x}, {at}, 10000)")
        for x in VECTORS
        for at in (0, 5, 31)
    ),
    *(
        ("norm", [x, w := draw(len(x)), b := draw(len(x))], {}, f"norm({x}, {w}, {b})")
        for x in VECTORS
    ),
    *(("growth", [n, width], {}, f"growth({n}, {width})") for n in (1, 5) for width in (4, 16)),
]
HELPERS = """
const attention = (query, key, value, masked) => {
  const made = core.attention(query, key, value, { mask: masked ? core.causalMask(3, 0) : null });
  return made.output.map((row, i) => [...row, ...made.weights[i]]);
};
const padded = (ids) => {
  const [hides] = core.paddingMask([ids], 4, -3.4028234663852886e38);
  return core.combineMasks(core.causalMask(3, 0), hides);
};
const norm = (x, weight, bias) => {
  const { output } = core.layerNorm(x, weight, bias, 1e-5);
  return [output, x.map((one, i) => one + output[i])];
};
const growth = (length, width) =>
  core.growth(length, width, true).map(({ fresh, kept, multiplied }) => [fresh, kept, multiplied]);
"""
SCRIPT = "const plain = (one) => JSON.stringify(one, (_, v) => v === -Infinity ? -1e39 : v);"


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    with opened() as chrome:
        yield chrome.new_page(viewport={"width": 1000, "height": 900})


@pytest.fixture(scope="module")
def solved() -> list[Any]:
    """What the solutions give for all cases, from one process with MAX in it."""
    found: list[Any] = computed(
        [case[:3] for case in CASES], str(Path(__file__).with_name("figure_numbers.py"))
    )
    return found


def test_the_figures_compute_what_the_solutions_do(page: Any, solved: list[Any]) -> None:
    page.goto("about:blank")
    page.add_script_tag(path=str(ROOT / "book" / "theme" / "static" / "core.js"))
    for (name, given, _, call), expected in zip(CASES, solved, strict=True):
        told = json.loads(page.evaluate(f"() => {{ {HELPERS} {SCRIPT} return plain({call}); }}"))
        found = np.where(np.array(told, float) <= -1e39, -np.inf, told)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6, err_msg=f"{name}{given}")


def test_the_pictures_without_scripts_are_what_the_figures_show_at_first(
    page: Any, book: Path
) -> None:
    """`python -m tools.stills BOOK` makes them anew."""
    kept = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.html")}
    assert stills(page, book) == kept


DRIVEN = {
    "02": "causal",
    "03": "toy",
    "04": "padding",
    "05": "attention",
    "06": "rotation",
    "07": "heads",
    "08": "norm",
    "10": "cache",
}
KEYS = {"range": ("ArrowRight", "ArrowLeft"), "number": ("ArrowUp",), "checkbox": ("Space",)}


@pytest.mark.parametrize("step", DRIVEN)
def test_every_control_of_every_figure_obeys_the_keyboard(page: Any, book: Path, step: str) -> None:
    page.goto((book / "steps" / f"step_{step}.html").as_uri())
    figure = page.locator(f'.live[data-figure="{DRIVEN[step]}"]')
    controls = figure.locator("input, button").all()
    assert len(controls) >= 3
    for control in controls:
        before = state(figure)
        keys = KEYS.get(control.get_attribute("type") or "", ("Enter",))
        seen = []
        for key in keys:
            control.focus()
            page.keyboard.press(key)
            seen.append(state(figure))
        name = control.get_attribute("aria-label") or control.inner_text()
        idle = control.get_attribute("aria-disabled") == "true" or name in ("Back", "Start again")
        assert idle or any(one != before for one in seen), name


def state(figure: Any) -> str:
    told: str = figure.evaluate("one => one.querySelector('.shown').outerHTML + one.innerText")
    return told


def test_a_number_changes_what_follows(page: Any, book: Path) -> None:
    page.goto((book / "steps" / "step_05.html").as_uri())
    figure = page.locator('.live[data-figure="attention"]')
    assert "Loves attends to she 80 %, loves 20 %." in figure.locator(".said").inner_text()
    figure.get_by_label("query of loves, number 1").focus()
    page.keyboard.press("ArrowUp")
    scores = np.array([[0.5, 2.0], [1.0, 1.0]])  # the query [0.5, 2] with two keys, by hand
    share = 1 / (1 + np.exp((1.0 - 2.5) / np.sqrt(2)))
    assert scores[0] @ scores[1] == 2.5
    assert f"Loves attends to she {100 * share:.0f} %" in figure.locator(".said").inner_text()


@pytest.mark.parametrize(("kind", "name"), [("live", "rotation"), ("explorer", "heads")])
def test_in_a_notebook_a_figure_is_alive_and_asks_for_nothing(
    page: Any, kind: str, name: str
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_content(f'<body data-jp-theme-light="false"><div>{frame(kind, name)}</div>')
    inside = page.frame_locator("iframe")
    control = inside.locator("input[type=range], .tokens [role=radio]").first
    control.wait_for()
    before = inside.locator("main").inner_text()
    control.focus()
    page.keyboard.press("ArrowDown")
    assert inside.locator("main").inner_text() != before
    assert inside.locator("html").get_attribute("data-theme") == "dark"
    assert page.locator("iframe").bounding_box()["height"] > 300
    assert page.locator(".still").count() == 0  # without scripts it is what is seen
    assert "<svg" not in still(kind, name)  # JupyterLab leaves it out where it does not trust
    assert not [url for url in asked if not url.startswith("about:")]
