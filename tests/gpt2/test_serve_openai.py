"""The server with OpenAI's own client, where that is installed: it is in no environment."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the environment `desk` is not installed")
pytest.importorskip("openai", reason="the package openai is not installed; nothing else needs it")

from tests.gpt2.serve_server import Served, running

pytestmark = pytest.mark.any_python
ASKED: dict[str, Any] = {
    "model": "gpt2-tiny",
    "prompt": "She was",
    "max_tokens": 20,
    "temperature": 0.8,
    "seed": 1,
    "extra_body": {"top_k": 40},
}


@pytest.fixture(scope="module")
def openai() -> Any:
    return importlib.import_module("openai")


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with running() as found:
        yield found


@pytest.fixture
def client(openai: Any, served: Served) -> Iterator[Any]:
    base = f"http://127.0.0.1:{served.port}/v1"
    with openai.OpenAI(base_url=base, api_key="none", max_retries=0) as found:
        yield found


def test_it_reads_whole_and_streamed_answers(client: Any) -> None:
    whole = client.completions.create(**ASKED, n=2, logprobs=2, echo=True)
    assert [choice.finish_reason for choice in whole.choices] == ["length", "length"]
    assert whole.usage.completion_tokens == 40
    first = whole.choices[0]
    assert "".join(first.logprobs.tokens) == first.text
    text = "".join(
        event.choices[0].text
        for event in client.completions.create(**ASKED, stream=True)
        if event.choices
    )
    assert "She was" + text == first.text
    told = client.completions.create(**ASKED, stream=True, stream_options={"include_usage": True})
    assert list(told)[-1].usage.completion_tokens == 20


def test_it_lists_models(client: Any) -> None:
    assert [model.id for model in client.models.list()] == ["gpt2-tiny"]
    assert client.models.retrieve("gpt2-tiny").owned_by == "attention-course"


def test_it_raises_its_own_errors(openai: Any, client: Any) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        client.completions.create(**{**ASKED, "max_tokens": 500})
    assert refused.value.code == "context_length_exceeded"
    with pytest.raises(openai.NotFoundError):
        client.completions.create(**{**ASKED, "model": "gpt-5"})
    with pytest.raises(openai.NotFoundError):
        client.chat.completions.create(model="gpt2-tiny", messages=[])


def test_an_answer_that_is_cut_raises_in_the_middle_of_a_stream(openai: Any) -> None:
    with running("--limit", "0.3") as hurried:
        base = f"http://127.0.0.1:{hurried.port}/v1"
        with openai.OpenAI(base_url=base, api_key="none", max_retries=0) as client:
            told = client.completions.create(**{**ASKED, "max_tokens": 250}, n=20, stream=True)
            with pytest.raises(openai.APIError, match="Not complete"):
                list(told)
