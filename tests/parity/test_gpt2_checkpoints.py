"""Checkpoints that Hugging Face saved: the same logits, and the same text token for token."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gpt2.checkpoint import read_checkpoint
from gpt2.tokenizer import Tokenizer
from tests.parity import peers
from tests.parity.peers import torch, transformers

pytestmark = pytest.mark.parity

SIZES: dict[str, dict[str, Any]] = {
    "small": {"n_embd": 12, "n_head": 3, "n_layer": 2, "vocab_size": 29, "n_positions": 19},
    "odd": {"n_embd": 15, "n_head": 5, "n_layer": 1, "vocab_size": 50, "n_inner": 7},
    "deep": {"n_embd": 32, "n_head": 4, "n_layer": 4, "vocab_size": 111, "n_positions": 40},
    "wide": {"n_embd": 192, "n_head": 3, "n_layer": 2, "vocab_size": 700, "n_positions": 64},
}
TEXT, COUNT = [3, 1, 4, 1, 5], 6


@pytest.fixture(autouse=True, scope="module")
def _max() -> None:
    peers.start_max()


def saved(folder: Path, sizes: dict[str, Any], seed: int = 1, **how: Any) -> Path:
    """A checkpoint folder with random weights, written by Hugging Face."""
    whole = transformers.GPT2LMHeadModel(peers.config(**sizes))
    peers.randomize(whole, seed)
    whole.to(how.pop("dtype", torch.float32)).save_pretrained(folder, **how)
    return folder


def theirs(folder: Path) -> Any:
    """Hugging Face's model from such a folder, in float32."""
    return transformers.GPT2LMHeadModel.from_pretrained(folder, dtype=torch.float32).eval()


def check_logits(folder: Path) -> None:
    from solutions.solution_11 import load_gpt2

    whole, solved = theirs(folder), load_gpt2(folder)
    for seq in (1, 7, whole.config.n_positions):
        ids = np.random.default_rng(seq).integers(0, whole.config.vocab_size, (2, seq))
        with torch.no_grad():
            expected = whole(torch.from_numpy(ids)).logits.numpy()
        np.testing.assert_allclose(peers.run(solved, ids), expected, rtol=0, atol=1e-4)


@pytest.fixture(scope="module", params=SIZES)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp(request.param), SIZES[request.param])


def test_logits_are_hugging_faces(folder: Path) -> None:
    check_logits(folder)


@pytest.mark.parametrize("use_cache", [True, False], ids=["cache", "no-cache"])
def test_greedy_text_is_hugging_faces(folder: Path, use_cache: bool) -> None:
    from gpt2.course import CourseSteps
    from solutions.solution_12 import generate

    solved = CourseSteps(mine=False).build(*read_checkpoint(folder))
    expected = greedy(theirs(folder), use_cache)
    assert len(set(expected)) > len(set(TEXT))
    assert generate(solved, TEXT, COUNT, use_cache=use_cache) == expected


@pytest.mark.parametrize("piece", [1, 2, 256])
def test_the_staged_graph_writes_hugging_faces_text(folder: Path, piece: int) -> None:
    from gpt2.course import CourseSteps
    from gpt2.decoding import DecodingGPT2, nothing_to_stage
    from gpt2.staging import stage
    from grader.frameworks.max.engine.replay import Replay
    from solutions.solution_12 import generate

    solved = CourseSteps(mine=False).build(*read_checkpoint(folder))
    staged = stage(solved, piece=piece)
    fast: Any = DecodingGPT2(solved, Replay(staged.whole, staged.arrays()), piece)
    with nothing_to_stage():
        written = generate(fast, TEXT, COUNT)
    assert written == greedy(theirs(folder))


def greedy(whole: Any, use_cache: bool = True, **how: Any) -> list[int]:
    """What Hugging Face writes after the text."""
    with torch.no_grad():
        written = whole.generate(
            torch.tensor([TEXT]),
            attention_mask=torch.ones(1, len(TEXT)),
            do_sample=False,
            use_cache=use_cache,
            max_new_tokens=COUNT,
            pad_token_id=0,
            **how,
        )
    return [int(token) for token in written[0]]


def test_text_ends_where_hugging_faces_ends(tmp_path: Path) -> None:
    from gpt2.course import CourseSteps
    from solutions.solution_12 import generate

    whole = theirs(saved(tmp_path, SIZES["odd"], 2))
    end = greedy(whole)[len(TEXT) + 2]
    expected = greedy(whole, eos_token_id=end)
    assert len(TEXT) < len(expected) < len(TEXT) + COUNT
    solved = CourseSteps(mine=False).build(*read_checkpoint(tmp_path))
    assert generate(solved, TEXT, COUNT, eos_token_id=end) == expected


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_read(tmp_path: Path, dtype: str) -> None:
    check_logits(saved(tmp_path, SIZES["small"], 2, dtype=getattr(torch, dtype)))


def test_shards_are_read(tmp_path: Path) -> None:
    saved(tmp_path, SIZES["deep"], 3, max_shard_size="100KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 2
    check_logits(tmp_path)


def test_names_without_prefix_and_the_masks_of_old_checkpoints_are_read(tmp_path: Path) -> None:
    saved(tmp_path, SIZES["small"], 4)
    inner = theirs(tmp_path).transformer
    state = {name: array.contiguous() for name, array in inner.state_dict().items()}
    for index in range(inner.config.n_layer):
        state[f"h.{index}.attn.bias"] = torch.ones(1, 1, 19, 19).tril()
        state[f"h.{index}.attn.masked_bias"] = torch.tensor(-1e4)
    from safetensors.torch import save_file

    save_file(state, tmp_path / "model.safetensors")
    check_logits(tmp_path)
    state["lm_head.weight"] = state["wte.weight"].clone()
    save_file(state, tmp_path / "model.safetensors")
    check_logits(tmp_path)


EVERY_KIND = (
    "It's  we'll \n\n\tthey'VE 12345 naïve — “quotes”… 日本語 🤗🏳️‍🌈 ½ ٣ e\u0301 a\u00a0b\u3000c "
    "<|endoftext|>x _under_score_ 'S 'tis\r\n  "
)


def test_tokens_are_hugging_faces(tmp_path: Path) -> None:
    small = Path("gpt2/tiny")
    shutil.copy(small / "vocab.json", tmp_path)
    shutil.copy(small / "merges.txt", tmp_path)
    fast = transformers.GPT2TokenizerFast.from_pretrained(tmp_path)
    expected = fast(EVERY_KIND)["input_ids"]
    both = Tokenizer.from_folder(tmp_path)
    assert both.encode(EVERY_KIND) == expected
    assert both.decode(expected) == EVERY_KIND
    fast.save_pretrained(tmp_path / "one")
    for name in ("vocab.json", "merges.txt"):
        (tmp_path / "one" / name).unlink(missing_ok=True)
    assert json.loads((tmp_path / "one" / "tokenizer.json").read_text(encoding="utf-8"))
    assert Tokenizer.from_folder(tmp_path / "one").encode(EVERY_KIND) == expected
