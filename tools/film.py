"""``python -m tools.film``: the moving picture of README.md, recorded from the real desk.

A learner scales the scores by the wrong number, saves, is told so, and fixes it. Needs Playwright
and Chromium, as the tests do, and a font with emoji (Debian: fonts-noto-color-emoji).
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.base import course
from tools.desk import EDITOR, SAVE, SCALE, answer, opened

if TYPE_CHECKING:
    from PIL import Image

FILM = course.HOME / "docs" / "desk.webp"
SIZE = 1640, 900
"""How wide and how high the window is."""
WIDTH = 1000
"""How wide the picture is."""
WRONG = SCALE.replace("math.sqrt(int(value.shape[-1]))", "int(value.shape[-1])")
TYPED = 6
"""Characters between two frames."""
QUALITY = 70


class Camera:
    """Frames of a page, and how long each is shown."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self.frames: list[Image.Image] = []
        self.times: list[int] = []

    def shoot(self, milliseconds: int) -> None:
        """Add what the page shows now."""
        from PIL import Image

        whole = Image.open(io.BytesIO(self._page.screenshot())).convert("RGB")
        height = round(whole.height * WIDTH / whole.width)
        self.frames.append(whole.resize((WIDTH, height), Image.Resampling.LANCZOS))
        self.times.append(milliseconds)

    def type(self, text: str) -> None:
        """Type ``text``, a few characters a frame."""
        for start in range(0, len(text), TYPED):
            self._page.keyboard.insert_text(text[start : start + TYPED])
            self.shoot(110)

    def save(self, verdict: str) -> None:
        """Save, and wait until all of the report is there and says ``verdict``."""
        self._page.evaluate(SAVE)
        self._page.locator(".desk-verdict", has_text=verdict).wait_for()
        self._page.wait_for_timeout(800)  # what scrolls has arrived

    def write(self, path: Path) -> None:
        """The film."""
        first, *rest = self.frames
        first.save(
            path,
            save_all=True,
            append_images=rest,
            duration=self.times,
            quality=QUALITY,
            method=6,
            minimize_size=True,
            loop=0,
        )


def act(page: Any, camera: Camera) -> None:
    """Make the mistake, read what it is, and fix it."""
    page.locator(EDITOR).press("Control+f")
    page.keyboard.type("# scale")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.keyboard.press("Delete")
    page.evaluate("document.getElementById('scaling').scrollIntoView()")
    page.wait_for_timeout(1500)
    camera.shoot(1500)
    camera.type(WRONG)
    camera.shoot(600)
    camera.save("checks pass")
    camera.shoot(5500)
    for _ in range(len("int(value.shape[-1])")):
        page.keyboard.press("Shift+ArrowLeft")
    camera.shoot(900)
    camera.type("math.sqrt(int(value.shape[-1]))")
    camera.save("All checks passed")
    camera.shoot(4500)


def main() -> None:
    """Record the film and say how large it is."""
    before, after = answer().split(SCALE)
    _, _, rest = after.partition("\n")
    text = f"{before}# scale\n{rest}"
    size = {"width": SIZE[0], "height": SIZE[1]}
    with opened(text, viewport=size, color_scheme="light") as page:
        page.locator("#desk:not(.grading)").wait_for(state="attached")
        camera = Camera(page)
        act(page, camera)
        camera.write(FILM)
    told = f"{len(camera.frames)} frames, {FILM.stat().st_size / 1000:.0f} kB"
    print(f"Wrote {FILM.relative_to(course.HOME)}: {told}.")


if __name__ == "__main__":
    main()
