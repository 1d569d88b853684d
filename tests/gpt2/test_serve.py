"""The server of the model: what it answers, in OpenAI's form, with the text of ``gpt2``."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the environment `desk` is not installed")

from gpt2.serve.choice import Held
from gpt2.serve.nucleus import within
from gpt2.text_generation import SMALL
from gpt2.tokenizer import Tokenizer
from tests import ran
from tests.gpt2.serve_server import END, Served, running

pytestmark = pytest.mark.any_python
TOKENIZER = Tokenizer.from_folder(SMALL)
DRAWN = {"temperature": 0.8, "top_k": 40, "seed": 1}
"""What the command ``gpt2`` does by default."""


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with running() as found:
        yield found


def written(prompt: str, tokens: int, *more: str) -> str:
    """What ``gpt2`` writes after the prompt."""
    words = ("-m", "gpt2", "--engine", "numpy", "--prompt", prompt, "--tokens", str(tokens))
    return ran.said(*words, *more).removeprefix(prompt).removesuffix("\n")


# ---- text -------------------------------------------------------------------------------------


@pytest.mark.parametrize("prompt", ["She was", "", "Ärger, “Émma”\n"])
def test_it_writes_what_gpt2_writes(served: Served, prompt: str) -> None:
    expected = written(prompt, 60, "--seed", "1")
    body = {"prompt": prompt, "max_tokens": 60, **DRAWN}
    assert served.complete(**body).text == expected
    streamed = served.stream(**body)
    assert streamed[-1] == END
    assert "".join(one["choices"][0]["text"] for one in streamed[:-1]) == expected


def test_greedy_text_is_that_of_gpt2(served: Served) -> None:
    expected = written("Emma could not", 40, "--temperature", "0")
    body = {"prompt": "Emma could not", "max_tokens": 40, "temperature": 0}
    assert served.complete(**body).text == expected
    assert served.complete(**body, top_p=0.2, top_k=3).text == expected


def test_ids_are_a_prompt_too(served: Served) -> None:
    text = "She was"
    body = {"max_tokens": 9, **DRAWN}
    expected = served.complete(prompt=text, **body).text
    assert served.complete(prompt=TOKENIZER.encode(text), **body).text == expected
    answer = served.complete(prompt=[TOKENIZER.encode(text)], echo=True, **body)
    assert answer.text == text + expected


def test_each_prompt_of_a_list_is_answered_as_alone(served: Served) -> None:
    prompts = ["She was", "Mr. Darcy", "It is"]
    body = {"max_tokens": 12, "n": 2, **DRAWN}
    told = served.complete(prompt=prompts, **body).json()
    assert [choice["index"] for choice in told["choices"]] == [*range(6)]
    alone = [served.complete(prompt=prompt, **body).json() for prompt in prompts]
    found = [choice["text"] for choice in told["choices"]]
    assert found == [choice["text"] for one in alone for choice in one["choices"]]
    assert all(one != other for one, other in zip(found[::2], found[1::2], strict=True))
    assert told["usage"]["completion_tokens"] == 6 * 12
    assert told["usage"]["prompt_tokens"] == sum(len(TOKENIZER.encode(text)) for text in prompts)


def test_a_stream_of_several_choices_is_complete(served: Served) -> None:
    body = {"prompt": ["She was", "It is"], "max_tokens": 8, "n": 2, **DRAWN}
    whole = served.complete(**body).json()["choices"]
    told = served.stream(**body, stream_options={"include_usage": True})
    texts, ends = [""] * 4, [None] * 4
    for event in told[:-2]:
        assert event["usage"] is None
        (choice,) = event["choices"]
        texts[choice["index"]] += choice["text"]
        ends[choice["index"]] = choice["finish_reason"]
    assert texts == [choice["text"] for choice in whole]
    assert ends == ["length"] * 4
    assert told[-2]["choices"] == []
    assert told[-2]["usage"]["completion_tokens"] == 32


def test_without_a_seed_texts_differ(served: Served) -> None:
    body = {"prompt": "She", "max_tokens": 20}
    assert served.complete(**body).text != served.complete(**body).text


def test_a_stop_string_ends_the_text_before_it(served: Served) -> None:
    body = {"prompt": "She was", "max_tokens": 60, **DRAWN}
    whole = served.complete(**body).text
    stop = whole[20:29]
    for stops in (stop, ["zzz", stop], [stop, whole[35:40]]):
        (choice,) = served.complete(**body, stop=stops).json()["choices"]
        assert choice["text"] == whole[: whole.index(stop)]
        assert choice["finish_reason"] == "stop"
        told = served.stream(**body, stop=stops)
        assert "".join(one["choices"][0]["text"] for one in told[:-1]) == choice["text"]
    assert served.complete(**body, stop="zzz").text == whole


@pytest.mark.parametrize("stops", [["abc"], ["aab", "ca"], ["aaab"], ["b"], ["abab", "bb"]])
def test_nothing_of_a_stop_string_is_sent(stops: list[str]) -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        text = "".join(rng.choice(list("abc"), 12))
        held, sent, whole = Held(stops), "", ""
        for piece in (text[at : at + 2] for at in range(0, 12, 2)):
            held.add(piece)
            whole += piece
            if held.stopped:
                break
            sent += held.take(last=False)[0]
        sent += held.take(last=True)[0]
        found = [whole.index(stop) for stop in stops if stop in whole]
        assert sent == (whole[: min(found)] if found else text)


def test_the_token_that_ends_a_text_is_no_part_of_it(tmp_path: Path) -> None:
    (comma,) = TOKENIZER.encode(",")
    shutil.copytree(SMALL, tmp_path / "ends")
    config = json.loads((SMALL / "config.json").read_text())
    (tmp_path / "ends/config.json").write_text(json.dumps({**config, "eos_token_id": comma}))
    model = ("--model", str(tmp_path / "ends"))
    expected = written("She was", 60, "--seed", "1", *model)
    with running(*model) as other:
        told = other.complete(prompt="She was", max_tokens=60, model="ends", logprobs=1, **DRAWN)
    (choice,) = told.json()["choices"]
    assert choice["text"] == expected == "".join(choice["logprobs"]["tokens"])
    assert choice["finish_reason"] == "stop"
    assert told.json()["usage"]["completion_tokens"] == len(choice["logprobs"]["tokens"]) + 1


# ---- probabilities ----------------------------------------------------------------------------


def test_logprobs_are_those_of_the_plain_model(served: Served) -> None:
    body = {"prompt": "She was", "max_tokens": 6, "logprobs": 3, **DRAWN}
    (new,) = served.complete(**body).json()["choices"]
    (echoed,) = served.complete(
        prompt="She was" + new["text"], max_tokens=0, echo=True, logprobs=3
    ).json()["choices"]
    found, again = new["logprobs"], echoed["logprobs"]
    assert echoed["text"] == "She was" + new["text"]
    assert "".join(again["tokens"]) == echoed["text"]
    assert again["token_logprobs"][0] is again["top_logprobs"][0] is None
    assert again["tokens"][2:] == found["tokens"]
    assert again["text_offset"][2:] == found["text_offset"]
    assert np.allclose(again["token_logprobs"][2:], found["token_logprobs"], atol=1e-4)
    for token, logprob, best in zip(
        found["tokens"], found["token_logprobs"], found["top_logprobs"], strict=True
    ):
        assert best[token] == logprob
        assert 3 <= len(best) <= 4
        assert sum(map(np.exp, best.values())) <= 1


def test_logprobs_of_part_of_a_character_are_bytes(served: Served) -> None:
    text = "日é"
    told = served.complete(prompt=text, max_tokens=0, echo=True, logprobs=0).json()["choices"][0]
    assert told["text"] == text
    tokens = told["logprobs"]["tokens"]
    assert tokens[0].startswith("bytes:\\x")
    assert told["logprobs"]["text_offset"] == sorted(told["logprobs"]["text_offset"])


def test_streamed_logprobs_are_those_of_the_whole(served: Served) -> None:
    body = {"prompt": "“", "max_tokens": 40, "logprobs": 2, "stop": "zzz", **DRAWN}
    whole = served.complete(**body, echo=True).json()["choices"][0]
    told = [event["choices"][0] for event in served.stream(**body, echo=True)[:-1]]
    for name in ("tokens", "token_logprobs", "top_logprobs", "text_offset"):
        assert [value for one in told for value in one["logprobs"][name]] == whole["logprobs"][name]
    assert "".join(one["text"] for one in told) == whole["text"]


def kept(logits: list[float], top_p: float, **more: Any) -> list[int]:
    how = {"temperature": 1.0, "top_k": None, **more}
    return [*np.flatnonzero(np.isfinite(within(np.array(logits), top_p=top_p, **how)))]


def test_top_p_keeps_the_smallest_set_that_reaches_it() -> None:
    half = [float(np.log(share)) for share in (0.2, 0.5, 0.3)]
    assert kept(half, 0.4) == [1]
    assert kept(half, 0.6) == [1, 2]
    assert kept(half, 0.9) == [0, 1, 2]
    assert kept(half, 0.0) == [1]
    assert kept(half, 0.75, top_k=2) == [1, 2]  # 0.5 of 0.8 does not reach it
    assert kept(half, 0.6, top_k=2) == [1]  # but 0.6: shares are those of what top_k leaves
    assert kept(half, 0.6, temperature=0.1) == [1]
    assert len(kept([0.0] * 4, 0.5)) == 2  # ties: no more than it takes


def test_top_p_narrows_what_is_drawn(served: Served) -> None:
    body = {"prompt": "She was", "max_tokens": 30, "temperature": 1.0}
    assert (
        served.complete(**body, top_p=0, seed=4).text
        == served.complete(prompt="She was", max_tokens=30, temperature=0).text
    )
    assert served.complete(**body, top_p=1, seed=4).text == served.complete(**body, seed=4).text
    assert served.complete(**body, top_p=0.5, seed=4).text != served.complete(**body, seed=4).text


# ---- other routes -----------------------------------------------------------------------------


def test_models_and_health(served: Served) -> None:
    (model,) = served.ask("/v1/models").json()["data"]
    assert model["id"] == "gpt2-tiny"
    assert served.ask("/v1/models/gpt2-tiny").json() == model
    assert served.ask("/v1/models/gpt-5").error["code"] == "model_not_found"
    assert served.ask("/health").json()["status"] == "ok"
    assert served.complete(model="gpt2-tiny", prompt="She", max_tokens=1).status == 200


def test_the_page_needs_nothing_from_elsewhere(served: Served) -> None:
    page = served.ask("/")
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'self'" in page.headers["content-security-policy"]
    for name in ("page.js", "page.css"):
        assert name in page.body.decode()
        assert served.ask(f"/{name}").status == 200
    assert b"http" not in page.body


# ---- many clients -----------------------------------------------------------------------------


def test_fifty_clients_get_each_the_text_of_one_alone(served: Served) -> None:
    asked = [{"prompt": "She was", "max_tokens": 5 + seed, "seed": seed} for seed in range(20)]
    alone = [served.complete(**body).text for body in asked]

    def ask(number: int) -> bool:
        body = asked[number % 20]
        if number % 2:
            told = served.stream(**body)[:-1]
            found = "".join(event["choices"][0]["text"] for event in told)
        else:
            found = served.complete(**body).text
        return found == alone[number % 20]

    with ThreadPoolExecutor(50) as clients:
        assert all(clients.map(ask, range(200)))
    assert served.ask("/health").json()["open"] == 0


def test_who_leaves_in_the_middle_takes_no_more_time(served: Served) -> None:
    body = {"prompt": "She was", "max_tokens": 250, "n": 64}
    for streams in (True, False):
        for _ in range(5):
            if streams:
                connection, answer = served.begin(**body)
                answer.readline()
                answer.close()
            else:
                connection = served.connect()
                headers = {"content-type": "application/json"}
                connection.request("POST", "/v1/completions", json.dumps(body), headers)
                time.sleep(0.05)
            connection.close()
    started = time.monotonic()
    assert served.complete(prompt="She", max_tokens=1).status == 200
    assert time.monotonic() - started < 5  # 10 × 64 × 250 tokens would take minutes
    assert served.ask("/health").json()["open"] == 0


def test_a_slow_reader_holds_up_nobody(served: Served) -> None:
    connection, answer = served.begin(prompt="She was", max_tokens=250, n=8, logprobs=5)
    assert served.complete(prompt="She", max_tokens=5).status == 200
    time.sleep(1)
    assert END in answer.read().decode()
    connection.close()
