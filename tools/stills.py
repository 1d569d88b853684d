"""The pictures of the live figures, for pages without scripts: ``python -m tools.stills BOOK``.

It opens a built book in Chromium, and keeps what each figure shows at first in
``book/pages/stills``. A test says when one is out of date.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tools.desk import browser

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "book" / "pages" / "stills"

STILL = """place => {
  const shown = place.querySelector('.shown').cloneNode(true);
  for (const input of shown.querySelectorAll('input')) input.replaceWith(input.value);
  shown.removeAttribute('tabindex');
  const said = place.querySelector('.said').innerHTML;
  return `<figure>${shown.outerHTML}<figcaption>${said}</figcaption></figure>\\n`;
}"""


def stills(page: Any, book: Path) -> dict[str, str]:
    """What each figure of a built book shows at first, by its name."""
    found = {}
    for lesson in sorted((book / "steps").glob("step_*.html")):
        page.goto(lesson.as_uri())
        for place in page.locator(".live").all():
            found[place.get_attribute("data-figure")] = place.evaluate(STILL)
    return found


def main(book: Path) -> None:
    """Write every still."""
    with browser() as chromium:
        for name, html in stills(chromium.new_page(), book).items():
            (FOLDER / f"{name}.html").write_text(html, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
