"""The page that tries the model, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser import MARKS, api, axe, opened
from tests.gpt2.serve_server import running

pytest.importorskip("starlette", reason="the environment `desk` is not installed")

pytestmark = MARKS
ASKED = {"prompt": "She was", "max_tokens": 20, "temperature": 0.8, "top_k": 40, "seed": 1}


@pytest.fixture
def page() -> Iterator[Any]:
    """A page of a new browser; what it complains about fails the test."""
    with opened() as chrome:
        found = chrome.new_page()
        said: list[str] = []
        found.on("console", lambda message: said.append(message.text))
        found.on("pageerror", lambda problem: said.append(str(problem)))
        yield found
    assert [one for one in said if "status of 4" not in one] == []


def write(page: Any, **asked: Any) -> None:
    for name, value in asked.items():
        page.fill(f"#{name}", str(value))
    page.click("#write")


def test_it_shows_the_text_and_what_else_was_likely(page: Any) -> None:
    with running() as served:
        (choice,) = served.complete(**ASKED, logprobs=5).json()["choices"]
        page.goto(f"http://127.0.0.1:{served.port}/")
        write(page, **ASKED)
        tokens = page.locator("#text button")
        api.expect(tokens).to_have_count(20)
        assert page.locator("#text").text_content() == "She was" + choice["text"]
        tokens.nth(2).click()
        rows = page.locator("#likely tbody tr")
        api.expect(rows).to_have_count(len(choice["logprobs"]["top_logprobs"][2]))
        api.expect(rows.first).to_contain_text("%")
        results = axe.Axe().run(page)
        assert results.violations_count == 0, results.generate_report()
        write(page, max_tokens=999)
        api.expect(page.locator("#said")).to_contain_text("maximum context length")


def test_the_key_in_its_address_opens_it(page: Any) -> None:
    with running("--host", "0.0.0.0") as served:
        home = f"http://127.0.0.1:{served.port}/"
        page.goto(home)
        write(page, **ASKED)
        api.expect(page.locator("#said")).to_contain_text("key")
        page.goto("about:blank")
        page.goto(f"{home}#key={served.key}")
        write(page, **ASKED)
        api.expect(page.locator("#text button")).to_have_count(20)
        assert served.key not in page.url


def test_stop_cuts_it(page: Any) -> None:
    with running() as served:
        page.goto(f"http://127.0.0.1:{served.port}/")
        write(page, **{**ASKED, "max_tokens": 250})
        page.click("#stop")
        api.expect(page.locator("#write")).to_be_enabled()
        assert page.locator("#text button").count() < 250
        assert served.complete(prompt="She", max_tokens=1).status == 200
