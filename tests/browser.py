"""The browser of the tests that look at pages. Whatever imports this skips without one."""

from __future__ import annotations

import pytest

from tools.desk import chromium

api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")

CHROMIUM = chromium()
MARKS = [
    pytest.mark.any_python,
    pytest.mark.whole,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here"),
]
